// Which agreements the player broke, at the end of a game with a partner who follows them.

import { runJob } from "../shared/api.js";
import { h } from "../shared/dom.js";

/** Return the highest level of a partner who follows the agreements, or null if nobody does. */
export function levelOf(seats) {
  const levels = seats.map(({ level }) => level).filter((level) => level !== null);
  return levels.length ? Math.max(...levels) : null;
}

/** Say at the end of a game which agreements the player in a seat broke. */
export async function brokenAgreements(place, { code, replay }, player, level) {
  const said = h("section", { class: "broken", "aria-label": "broken agreements" });
  place.append(said);
  const { broken, turns } = await runJob("broken", { code, player, level });
  const link = h("a", { href: "/agreements" }, "The agreements");
  const items = broken.map(({ turn, agreement, words }) =>
    h("li", {}, h("a", { href: `${replay}&turn=${turn}` }, `Turn ${turn}`), `, ${agreement}: ${words}.`));
  said.replaceChildren(h("h3", {}, broken.length ? "Agreements that you broke" : `You kept all agreements, in ${turns} turns`),
    broken.length ? h("ul", {}, items) : "", h("p", {}, link));
}
