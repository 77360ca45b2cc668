// A question about a board: answered by an action or a click on a card, and checked automatically.

import { draw, enable, markChosen } from "../board/draw.js";
import { moveFocus } from "../board/focus.js";
import { showTurn } from "../board/motion.js";
import { h, makeButton, setEnabled } from "../shared/dom.js";
import { withTerms } from "../shared/terms.js";

/** Return whether two answers are the same card or the same action. */
function same(one, other) {
  return ["type", "slot", "target", "value"].every((name) => one[name] === other[name]) && (one.type !== "card" || one.player === other.player);
}

export class Exercise {
  /** Pose a question; `solved` is called once the right answer was given.
   *
   * `lead` are elements above the board, `words` the reply to the right answer. */
  constructor(place, { lead, board, after, answer, wrong, words }, solved) {
    Object.assign(this, { after, answer, wrong, words, solved, facts: board.facts, chosen: null, done: false });
    this.place = h("div", { class: "board" });
    this.feedback = h("p", { class: "feedback", role: "status" });
    this.play = h("button", { type: "button", class: "main", onclick: () => this.act("play") }, "Play");
    this.discard = h("button", { type: "button", onclick: () => this.act("discard") }, "Discard");
    this.reveal = h("button", { type: "button", class: "quiet", onclick: () => this.succeed("The answer: ") }, "Show the answer");
    this.buttons = h("div", { class: "buttons" }, ...(answer.type === "card" ? [] : [this.play, this.discard]), this.reveal);
    this.text = h("div", { class: "exercise-text" }, lead, this.feedback, this.buttons);
    place.replaceChildren(this.text, this.place);
    this.place.addEventListener("keydown", (event) => this.key(event));
    this.table = draw(this.place, board, (table) => this.enable(table));
    showTurn(this.table, this.facts, null);
    this.showButtons();
  }

  enable(table) {
    if (this.answer.type !== "card") {
      enable(table, this.facts, { choose: (slot) => this.choose(slot), hint: (action) => this.judge(action) });
      return;
    }
    for (const card of table.querySelectorAll("[data-slot]")) {
      const [player, slot] = [Number(card.dataset.player), Number(card.dataset.slot)];
      makeButton(card, card.getAttribute("aria-label"), () => this.judge({ type: "card", player, slot }));
    }
  }

  choose(slot) {
    if (this.done) return;
    this.chosen = this.chosen === slot ? null : slot;
    markChosen(this.table, this.facts.viewer, this.chosen);
    this.showButtons();
  }

  legal(type) {
    return this.facts.actions.find((action) => action.type === type && action.slot === this.chosen);
  }

  showButtons() {
    const count = this.facts.hands[this.facts.viewer].length;
    for (const [button, type, word] of [[this.play, "play", "Play"], [this.discard, "discard", "Discard"]]) {
      button.textContent = this.chosen === null ? word : `${word} slot ${count - this.chosen}`;
      setEnabled(button, this.chosen !== null && Boolean(this.legal(type)));
    }
  }

  act(type) {
    const action = this.legal(type);
    if (action) this.judge(action);
    else this.say("wrong", this.chosen === null ? "Select one of your cards first." : "You cannot discard while all hint tokens are there.");
  }

  judge(given) {
    if (this.done) return;
    if (same(given, this.answer)) {
      this.succeed("Right. ");
      return;
    }
    const reply = this.wrong.find(({ answer }) => answer && same(answer, given)) ?? this.wrong.find(({ answer }) => !answer);
    this.say("wrong", `Not quite. ${reply?.words ?? "Try again."}`);
  }

  /** Show the position after the right answer, and why it is right. */
  succeed(start) {
    this.done = true;
    this.text.classList.add("done");
    this.buttons.remove();
    this.say("right", `${start}${this.words}`);
    this.table = draw(this.place, this.after, (table) => this.markAnswer(table));
    showTurn(this.table, this.after.facts, null);
    this.solved(start === "Right. ");
  }

  markAnswer(table) {
    if (this.answer.type === "card") table.querySelector(`[data-player="${this.answer.player}"][data-slot="${this.answer.slot}"]`)?.classList.add("meant");
  }

  say(kind, words) {
    this.feedback.className = `feedback ${kind}`;
    this.feedback.replaceChildren(...withTerms(words));
  }

  key(event) {
    if (!event.key.startsWith("Arrow") || this.done) return;
    event.preventDefault();
    moveFocus(this.table, event.key);
  }
}
