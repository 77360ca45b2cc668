// Show turns one after the other: what others do is shown some time apart, however fast it comes.

import { pace } from "../shared/settings.js";

export class Pacing {
  /** `show` is given every message, in order; boards of others' turns wait for their time. */
  constructor(show) {
    this.show = show;
    this.waiting = [];
    this.timer = null;
    this.turn = null;
    this.shownAt = 0;
  }

  /** Take a message from the server. */
  add(message) {
    this.waiting.push(message);
    if (this.timer === null) this.next();
  }

  /** Forget what has not been shown; what comes next is shown at once. */
  restart() {
    clearTimeout(this.timer);
    this.timer = null;
    this.waiting = [];
    this.turn = null;
  }

  next() {
    this.timer = null;
    while (this.waiting.length) {
      const wait = this.due(this.waiting[0]) - performance.now();
      if (wait > 0) {
        this.timer = setTimeout(() => this.next(), wait);
        return;
      }
      const message = this.waiting.shift();
      if (message.type === "board") this.turn = message.board.facts.turn;
      this.show(message);
      if (message.type === "board") this.shownAt = performance.now();
    }
  }

  /** Return when a message may be shown: a turn of somebody else some time after the one before. */
  due(message) {
    if (message.type !== "board") return 0;
    const { turn, last, viewer } = message.board.facts;
    const follows = this.turn !== null && turn === this.turn + 1;
    return follows && last.player !== viewer ? this.shownAt + 1000 * pace() : 0;
  }
}
