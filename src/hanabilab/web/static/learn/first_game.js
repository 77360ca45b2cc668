// The scripted first game: partners' turns are shown, the reader's own turns are asked for.

import { draw } from "../board/draw.js";
import { showTurn } from "../board/motion.js";
import { h } from "../shared/dom.js";
import { withTerms } from "../shared/terms.js";
import { Exercise } from "./exercise.js";

export class FirstGame {
  /** Show the steps in a place, from `first` on; `reached` is told each step, `finish` the end. */
  constructor(place, { steps }, { first = 0, reached, finish }) {
    Object.assign(this, { place, steps, reached, finish });
    this.show(Math.min(first, steps.length - 1));
  }

  show(number) {
    this.number = number;
    this.reached(number);
    const step = this.steps[number];
    const heading = h("h2", { tabindex: "-1" }, step.title);
    const lead = [h("div", { class: "steps" }, h("span", {}, `Step ${number + 1} of ${this.steps.length}`), number ? this.back() : null), heading, h("p", { class: "question" }, withTerms(step.text))];
    if (step.answer) this.ask(step, lead);
    else this.tell(step, lead);
    if (number) heading.focus({ preventScroll: true });
    this.place.firstElementChild.scrollIntoView({ block: "nearest" });
  }

  tell(step, lead) {
    const board = h("div", { class: "board" });
    this.place.replaceChildren(h("div", { class: "exercise-text" }, lead, this.controls()), board);
    showTurn(draw(board, step.board), step.board.facts, null);
  }

  ask(step, lead) {
    const exercise = new Exercise(this.place, { ...step, lead, words: step.right }, () => {
      const controls = this.controls();
      exercise.text.append(controls);
      controls.querySelector(".main").focus({ preventScroll: true });
    });
  }

  controls() {
    const last = this.number === this.steps.length - 1;
    const next = last ? h("button", { type: "button", class: "main", onclick: this.finish }, "To the exercises")
      : h("button", { type: "button", class: "main", onclick: () => this.show(this.number + 1) }, "Next");
    return h("div", { class: "buttons" }, next,
      last ? h("a", { class: "button", href: "/play" }, "Play a game") : null);
  }

  back() {
    return h("button", { type: "button", class: "quiet", onclick: () => this.show(this.number - 1) }, "‹ Back");
  }
}
