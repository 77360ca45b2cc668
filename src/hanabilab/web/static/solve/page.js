// Solve: can this deck be won with everything in sight? Show the line as a replay, or the reason.

import { announce } from "../shared/announcer.js";
import { about } from "../shared/api.js";
import { find, h, number, field } from "../shared/dom.js";
import { deckPicker, rulesPicker } from "../shared/forms.js";
import { verdict } from "../replay/analysis.js";
import { Replay } from "../replay/replay.js";
import { puzzlePanel } from "./puzzle.js";
import { showError, shell } from "../shared/shell.js";
import { runWithProgress, awaitWithProgress } from "../shared/progress.js";

const EXAMPLES = [
  ["players=2&seed=7", "A deck that can be won", "Two players; step through the winning line."],
  ["players=2&deck=p2v0s40", "Hands too small", "The cards that must be kept do not fit into the hands."],
  ["players=2&deck=p2v0s220", "Too late", "The last cards come so late that there are not enough turns to play them."],
  ["players=5&seed=3", "Five players", "The fewest turns each: the pace is tight."],
];

async function start() {
  shell();
  const main = find("main");
  main.append(h("h1", {}, "Can this deck be won?"),
    h("p", { class: "lead" }, "With everything in sight: your own cards, the other hands and the draw pile."));
  const facts = await awaitWithProgress(main, "Loading strategies and rules", about());
  const query = new URLSearchParams(location.search);
  const rules = rulesPicker(facts, { players: query.get("players") ?? 2, rules: query.get("rules") ?? "classic", most: 10 });
  const deck = deckPicker({ how: query.has("deck") ? "deck" : "seed", seed: query.get("seed") ?? 7, deck: query.get("deck") ?? "" });
  const limit = number(20, 1, facts.limits.time_limit);
  const best = h("input", { type: "checkbox" });
  const form = h("form", { class: "panel stack" }, rules.element, deck.element,
    h("div", { class: "grid" }, field("Time limit in seconds", limit)),
    h("label", { class: "check" }, best, " if the deck cannot be won, also find its best score"), h("button", { class: "main" }, "Solve"));
  const answer = h("div", { class: "result" });
  const cards = h("p", { class: "cards" });
  const place = h("div", { hidden: true });
  const replay = new Replay(place, { ready: () => { place.hidden = false; } });
  const clear = () => { place.hidden = true; cards.textContent = ""; };
  const examples = h("section", { class: "panel stack" }, h("h2", {}, "Decks to begin with"),
    h("ul", { class: "examples" }, EXAMPLES.map(([address, title, words]) => h("li", {}, h("a", { href: `/solve?${address}&go` }, title), h("small", {}, words)))));
  if (!query.has("go")) answer.append(examples);
  main.append(h("div", { class: "bench" }, form, h("div", { class: "answer" }, puzzlePanel(rules, replay, answer, clear), answer, cards, place)));
  let asking = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (asking) return;
    asking = true;
    showError("");
    clear();
    try {
      const found = await runWithProgress(answer, "Solving", "solve", { players: rules.players, rules: rules.value, ...deck.value, time_limit: Number(limit.value), best: best.checked });
      answer.replaceChildren(verdict(found));
      announce(found.words);
      cards.textContent = found.deck;
      if (found.code) {
        const note = h("div", {});
        answer.append(note);
        await replay.open({ code: found.code }, { note });
      }
    } catch (error) {
      answer.replaceChildren(h("p", { role: "status" }, error.message === "stopped" ? "stopped" : ""));
      if (error.message !== "stopped") showError(error.message);
    } finally {
      asking = false;
    }
  });
  if (query.has("go")) form.requestSubmit();
}

start();
