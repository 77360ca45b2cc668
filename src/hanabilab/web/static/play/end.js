// The end of a game: the result, what the deck allowed, and the next game.

import { runJob } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { myTable, rememberTable, tableAddress } from "../shared/my_tables.js";

const SOLVER_TIME = 6;

export const ENDS = { perfect: "All fireworks are complete!", lives: "The last life is lost.", deck: "The draw pile is used up." };

/** Show the result of a game and what can be done next; `seat` is this viewer's connection. */
export function showEnd(place, message, { most, seat }) {
  const again = (words, sameDeck, properties) => h("button", { type: "button", ...properties, onclick: () => seat.rematch(sameDeck) }, words);
  const allowed = h("p", { class: "allowed", role: "status" });
  const daily = myTable(seat.table)?.daily;
  place.replaceChildren(
    h("h2", {}, `${message.score} of ${most} points`),
    h("p", {}, ENDS[message.end] ?? ""),
    allowed,
    h("div", { class: "buttons" },
      ...(seat.key ? [again("Rematch", false, { class: "main", title: "the same players and rules, the next deck" }), again("Same deck again", true)] : []),
      ...(daily ? [h("a", { class: "button main", href: `/daily?date=${daily}` }, "Share the result")] : []),
      h("a", { class: "button", href: "/play" }, "New game"),
      h("button", { type: "button", class: "to-review", onclick: () => document.querySelector(".after").scrollIntoView() }, "Review"),
      h("a", { class: "button", href: message.replay }, "Replay the game")),
    h("p", { class: "dealt", role: "status", hidden: true }));
  whatTheDeckAllowed(message, most).then((words) => allowed.replaceChildren(...words), () => allowed.remove());
}

/** Ask the solver what a deck allowed to players who see all cards. */
async function whatTheDeckAllowed({ code, score }, most) {
  const found = await runJob("solve", { code, turn: 0, best: true, time_limit: SOLVER_TIME });
  const line = found.code ? [" ", h("a", { href: `/watch?code=${found.code}` }, found.winnable ? "Watch a winning line" : "Watch the best line")] : [];
  if (score >= found.best && score >= most) return [];
  if (found.winnable) return [`This deck can be won: ${most} points with all cards in sight.`, ...line];
  if (found.best === found.bound) return [`This deck allows ${found.best} points at most, with all cards in sight.`, ...line];
  return [`This deck allows at least ${Math.max(found.best, score)} points, with all cards in sight.`, ...line];
}

/** Go to the rematch that this viewer asked for, or offer the one that somebody else dealt. */
export function followRematch(place, message, { name, seat, asked }) {
  const { seats, origin } = myTable(name) ?? {};
  const address = tableAddress(message.table, seat.key);
  const join = () => {
    if (seat.key) rememberTable({ table: message.table, key: seat.key, seats, origin });
    location.assign(address);
  };
  if (asked) {
    join();
    return;
  }
  const said = place.querySelector(".dealt");
  if (!said) return;
  const deck = message.same_deck ? "the same deck again" : "a rematch";
  said.replaceChildren(`${message.by} dealt ${deck}. `, h("button", { type: "button", class: "main", onclick: join }, seat.key ? "Join" : "Watch"));
  said.hidden = false;
}
