// Solve: can this deck be won with everything in sight? Show the line as a replay, or the reason.

import { about, askLong } from "../shared/api.js";
import { find, h, number, field } from "../shared/dom.js";
import { deckPicker, rulesPicker } from "../shared/forms.js";
import { Replay, verdict } from "../watch/replay.js";
import { complain, shell } from "../shared/shell.js";

async function start() {
  shell();
  const facts = await about();
  const query = new URLSearchParams(location.search);
  const rules = rulesPicker(facts, { players: query.get("players") ?? 2, rules: query.get("rules") ?? "classic", most: 10 });
  const deck = deckPicker({ how: query.has("deck") ? "deck" : "seed", seed: query.get("seed") ?? 7, deck: query.get("deck") ?? "" });
  const limit = number(20, 1, facts.limits.time_limit);
  const best = h("input", { type: "checkbox" });
  const button = h("button", { class: "main" }, "Solve");
  const form = h("form", { class: "panel stack" }, rules.element, deck.element,
    h("div", { class: "grid" }, field("Time limit (s)", limit)),
    h("label", { class: "check" }, best, " if the deck cannot be won, also find its best score"), button);
  const answer = h("div", { class: "result", role: "status" });
  const cards = h("p", { class: "cards" });
  const place = h("div", { hidden: true });
  find("main").append(h("h1", {}, "Can this deck be won?"),
    h("p", { class: "lead" }, "With everything in sight: your own cards, the other hands and the draw pile."),
    h("div", { class: "bench" }, form, h("div", { class: "answer" }, answer, cards, place)));
  const replay = new Replay(place);
  let asked = null;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (asked) {
      asked.cancel();
      return;
    }
    complain("");
    place.hidden = true;
    cards.textContent = "";
    answer.replaceChildren(h("p", {}, "Searching … (the first search compiles the solver)"), h("progress", {}));
    button.textContent = "Stop";
    asked = askLong("solve", { players: rules.players, rules: rules.value, ...deck.value, time_limit: Number(limit.value), best: best.checked });
    try {
      const found = await asked.answer;
      answer.replaceChildren(verdict(found));
      cards.textContent = found.deck;
      if (found.code) {
        await replay.open({ code: found.code });
        place.hidden = false;
      }
    } catch (error) {
      answer.replaceChildren();
      complain(error.message);
    } finally {
      asked = null;
      button.textContent = "Solve";
    }
  });
}

start();
