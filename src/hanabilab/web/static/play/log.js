// All turns so far, latest first; each leads back to its board.

import { h } from "../shared/dom.js";
import { breaches, wantsBreaches } from "./agreements.js";
import { wantsConclusions } from "./conclusion.js";

export class TurnLog {
  constructor(look) {
    this.look = look;
    this.turns = 0;
    this.element = h("ol", { class: "log", "aria-label": "all turns, latest first", reversed: true, tabindex: "0" });
  }

  /** Show the turns that were taken before this page was opened. */
  fill(turns) {
    this.element.replaceChildren();
    this.turns = 0;
    turns.forEach((turn) => this.add(turn));
  }

  add({ words, why, conclusion, breaches: broken = [] }) {
    const said = (wantsConclusions() && conclusion) || why;
    this.turns += 1;
    const turn = this.turns;
    this.element.prepend(h("li", { value: turn },
      h("button", { type: "button", class: "quiet", "aria-label": `look at turn ${turn}`, onclick: () => this.look(turn) }, String(turn)),
      h("div", {}, words, said ? h("small", {}, said) : null)));
    if (wantsBreaches()) broken.forEach((text) => this.remark(turn, text));
  }

  /** Add to a turn that it broke an agreement. */
  remark(turn, words) {
    const entry = this.element.querySelector(`[value="${turn}"] > div`);
    if (!entry || [...entry.querySelectorAll(".breach")].some((each) => each.dataset.words === words)) return;
    entry.append(h("small", { class: "breach", "data-words": words }, `Agreement broken: ${words}.`));
  }

  /** Note the last turn of a board; forget turns that were taken back. */
  follow(facts) {
    const { turn, last, conclusions = [] } = facts;
    while (this.turns > turn) {
      this.element.firstChild.remove();
      this.turns -= 1;
    }
    if (last && turn > this.turns) this.add({ ...last, conclusion: conclusions.find((each) => each.turn === turn)?.words });
    breaches(facts).forEach((each) => this.remark(each.turn, each.words));
  }
}
