// The clock of a table with a timer: what is left of the turn, by the server's time.

import { h } from "../shared/dom.js";
import { sound } from "../shared/sounds.js";

export class Clock {
  constructor() {
    this.element = h("span", { class: "turn-clock", role: "timer", "aria-label": "time left for this turn", hidden: true });
    this.until = null;
    setInterval(() => this.tick(), 250);
  }

  /** Take over what the server said was left, when it said so. */
  set(left, heardAt) {
    this.until = left === null ? null : heardAt + 1000 * left;
    this.warned = left !== null && left <= 0;
    this.tick();
  }

  tick() {
    this.element.hidden = this.until === null;
    if (this.until === null) return;
    const left = Math.ceil((this.until - performance.now()) / 1000);
    const [minutes, seconds] = [Math.floor(Math.abs(left) / 60), Math.abs(left) % 60];
    this.element.textContent = `${left < 0 ? "−" : ""}${minutes}:${String(seconds).padStart(2, "0")}`;
    this.element.classList.toggle("late", left <= 0);
    if (left <= 0 && !this.warned) {
      this.warned = true;
      sound("late");
    }
  }
}
