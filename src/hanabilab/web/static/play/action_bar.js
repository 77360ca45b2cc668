// The bar of actions at the lower edge: always there, so that nobody loses their place.

import { h, percent, setEnabled } from "../shared/dom.js";

/** Make a button that can be unusable and keep the focus. */
function button(words, key, act, properties = {}) {
  const made = h("button", { type: "button", ...properties, onclick: () => { if (made.getAttribute("aria-disabled") !== "true") act(); } }, words, key ? h("kbd", { "aria-hidden": "true" }, key) : null);
  return made;
}

/** Show a word, or on a narrow screen a sign. */
const wordOrIcon = (word, icon) => [h("span", { class: "word" }, word), h("span", { class: "icon", "aria-hidden": "true" }, icon)];

export class ActionBar {
  /** `does` has a function for each button: act, undo, note, back, forth.
   *
   * `tipAbove` repeats the tip on a selected card where the bar is too narrow for it, and `firstTip`
   * what can be done in the first turn. */
  constructor(does) {
    this.does = does;
    this.words = { play: h("span", {}), discard: h("span", {}) };
    this.play = button(this.words.play, "p", () => does.act("play"), { class: "main" });
    this.discard = button(this.words.discard, "d", () => does.act("discard"));
    this.pass = button("Pass", "", () => does.act("pass"), { hidden: true });
    this.undo = button(wordOrIcon("Take back", "↶"), "u", does.undo, { class: "quiet" });
    this.note = button(wordOrIcon("Note", "✎"), "n", does.note, { class: "quiet", title: "write a note on a card" });
    this.back = button("‹", "", does.back, { class: "quiet step", "aria-label": "Look back one turn", title: "look back ([)" });
    this.forth = button("›", "", does.forth, { class: "quiet step", "aria-label": "Look forward one turn", title: "look forward (])" });
    this.tip = h("span", { class: "tip quiet" });
    this.tipAbove = h("p", { class: "tip", hidden: true });
    this.firstTip = h("p", { class: "tip", hidden: true });
    this.element = h("div", { class: "bar", role: "group", "aria-label": "your action" },
      this.back, this.forth, this.play, this.discard, this.pass, this.undo, this.note, this.tip);
  }

  /** Show what can be done with a board, and with the chosen card. */
  show({ facts, chosen, canUndo, past, turn, seated }) {
    const count = typeof facts.viewer === "number" ? facts.hands[facts.viewer].length : 0;
    const legal = (type) => facts.actions.find((action) => action.type === type && (action.slot ?? chosen) === chosen);
    for (const type of ["play", "discard"]) {
      const word = type === "play" ? "Play" : "Discard";
      this.words[type].textContent = chosen === null ? word : `${word} slot ${count - chosen}`;
      setEnabled(this[type], Boolean(legal(type)) && chosen !== null);
      this[type].hidden = !seated || facts.end !== null;
    }
    this.pass.hidden = !facts.actions.some((action) => action.type === "pass");
    setEnabled(this.undo, canUndo && !past);
    this.undo.hidden = !canUndo;
    setEnabled(this.back, (past ?? turn) > 0);
    setEnabled(this.forth, past !== null);
    this.note.hidden = !seated;
    this.tip.textContent = tip(facts, chosen, past);
    this.tipAbove.textContent = this.tip.textContent;
    this.tipAbove.hidden = chosen === null || !this.tip.textContent;
    this.firstTip.textContent = this.tip.textContent;
    this.firstTip.hidden = chosen !== null || facts.turn >= facts.players;
  }
}

function tip(facts, chosen, past) {
  if (past !== null) return `Looking back: after turn ${past}.`;
  if (!facts.actions.length) return "";
  if (chosen !== null) {
    const known = facts.hands[facts.viewer][chosen];
    return known.playable === undefined ? "" : `playable ${percent(known.playable)} · dead ${percent(known.dead)} · critical ${percent(known.critical)}`;
  }
  if (facts.actions.some((action) => action.touches)) return "Select one of your cards, or the rank or suit of another player's card.";
  return facts.actions.some((action) => action.type === "pass") ? "Select one of your cards, or pass." : "No hint tokens left: select one of your cards.";
}
