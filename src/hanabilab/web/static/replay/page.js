// Replay: any strategy with any seed, or a pasted game; every turn has its own link.

import { about } from "../shared/api.js";
import { field, find, h } from "../shared/dom.js";
import { deckPicker, rulesPicker, strategyList } from "../shared/forms.js";
import { readQuery, Replay } from "./replay.js";
import { showError, shell } from "../shared/shell.js";
import { awaitWithProgress } from "../shared/progress.js";

const EXAMPLES = [
  ["strategy=conventions&players=3&seed=1", "Three Club players", "Hints that say “play” or “keep”, each with its reason."],
  ["strategy=recommendation&players=5&rules=cox&seed=2&turn=27&eyes=2", "A code in every hint", "One hint tells four players at once which card to play or discard (Cox et al. 2015)."],
  ["strategy=information&players=5&rules=cox&seed=1&game=75", "The information strategy", "Closer to cheating than anyone expected: one of its worst games, 22 points."],
  ["strategy=cheat&players=2&seed=1", "Players who see their own cards", "What is possible without secrets."],
  ["strategy=random&players=4&seed=3", "Random actions", "How soon three lives are gone."],
];

function form(facts, given, show) {
  const strategies = strategyList(facts, [given.strategy ?? "information"].flat(), "Add a strategy for another seat");
  const rules = rulesPicker(facts, { players: given.players ?? 3, rules: given.rules ?? "classic", most: 10 });
  const deck = deckPicker({ how: given.deck ? "deck" : "seed", seed: given.seed ?? 1, game: given.game ?? 0, deck: given.deck ?? "" });
  const text = h("textarea", { rows: 4, spellcheck: "false", placeholder: "the JSON of a game, or a hanab.live link" });
  const played = h("form", { class: "stack" }, field("Who plays", strategies.element), rules.element, deck.element,
    h("button", { class: "main" }, "Replay"));
  played.addEventListener("submit", (event) => {
    event.preventDefault();
    const team = strategies.value;
    show({ strategy: team.length === 1 ? team[0] : team, players: rules.players, rules: rules.value, ...deck.value });
  });
  const pasted = h("form", { class: "stack" }, field("Or paste a game", text), h("button", { class: "main" }, "Open the game"));
  pasted.addEventListener("submit", (event) => {
    event.preventDefault();
    show({ text: text.value });
  });
  const examples = h("div", { class: "stack" }, h("h2", {}, "Games worth a look"),
    h("ul", { class: "examples" }, EXAMPLES.map(([address, title, words]) => h("li", {}, h("a", { href: `/watch?${address}` }, title), h("small", {}, words)))));
  return h("details", { class: "panel", open: !(given.strategy || given.code) }, h("summary", {}, "Choose a game"),
    h("div", { class: "columns" }, played, h("div", { class: "stack" }, pasted, examples)));
}

async function start() {
  shell();
  const query = new URLSearchParams(location.search);
  let given = {};
  try {
    given = readQuery(query);
  } catch {
    showError("rules: the value in the address is not JSON");
  }
  const place = h("div", { hidden: true });
  const choice = h("div", {});
  const note = h("div", {});
  find("main").append(h("h1", {}, "Replay a game"), choice, note, place);
  const replay = new Replay(place, {
    ready: () => {
      place.hidden = false;
      document.body.classList.add("replaying");
    },
    moved: () => history.replaceState(null, "", `/watch?${replay.query()}`),
  });
  const show = async (game, from = {}) => {
    showError("");
    try {
      place.hidden = true;
      choice.querySelector("details").open = false;
      await replay.open(game, { ...from, note });
      find("#main").focus({ preventScroll: true });
    } catch (error) {
      showError(error.message);
    }
  };
  choice.append(form(await awaitWithProgress(note, "Loading strategies and rules", about()), given, show));
  if (given.strategy || given.code) {
    await show(given, { turn: query.get("turn") === "last" ? "last" : Number(query.get("turn") ?? 0) || 0, eyes: query.get("eyes") ?? "open" });
  }
}

start();
