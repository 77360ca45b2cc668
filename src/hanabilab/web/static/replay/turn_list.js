// All turns of a replay beside its board: click one to go there; the current one stays in sight.

import { h } from "../shared/dom.js";

const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

export class TurnList {
  /** `go` is called with the number of a turn. */
  constructor(go) {
    this.go = go;
    this.element = h("ol", { class: "turn-list", "aria-label": "all turns", start: 0 });
  }

  /** List the turns of a game by their words. */
  fill(words) {
    this.element.replaceChildren(...["the deal", ...words].map((each, turn) => h("li", {},
      h("button", { type: "button", class: "quiet", "data-turn": turn, onclick: () => this.go(turn) },
        h("span", { class: "number" }, turn ? String(turn) : ""), h("span", { class: "what" }, each), h("strong", { class: "verdict-sign" })))));
  }

  /** Mark the turns that a review judged. */
  judge(verdicts) {
    for (const [turn, verdict] of Object.entries(verdicts)) {
      const sign = this.at(turn)?.querySelector(".verdict-sign");
      if (!sign) continue;
      sign.textContent = SIGNS[verdict] ?? "";
      sign.title = verdict;
      sign.classList.add(verdict);
    }
  }

  at(turn) {
    return this.element.querySelector(`[data-turn="${turn}"]`);
  }

  /** Mark the turn that is shown, and scroll the list, not the page, to it. */
  show(turn) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const here = this.at(turn);
    if (!here) return;
    here.setAttribute("aria-current", "step");
    const [box, list] = [here.getBoundingClientRect(), this.element.getBoundingClientRect()];
    const off = box.top < list.top ? box.top - list.top - 40 : Math.max(0, box.bottom - list.bottom + 40);
    if (off) this.element.scrollTop += off;
  }
}
