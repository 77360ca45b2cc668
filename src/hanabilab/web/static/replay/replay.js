// Step through a game: slider, keys, anyone's view, the reasons, and where it was lost.

import { draw } from "../board/draw.js";
import { positions, showTurn } from "../board/motion.js";
import { showOwnerViewOnHold } from "../board/owner_view.js";
import { announce } from "../shared/announcer.js";
import { runJob } from "../shared/api.js";
import { copy, h, save, select } from "../shared/dom.js";
import { pace } from "../shared/settings.js";
import { showError } from "../shared/shell.js";
import { runWithProgress } from "../shared/progress.js";
import { loadTerms, showWithTerms } from "../shared/terms.js";
import { strip, verdict } from "./analysis.js";
import { TurnList } from "./turn_list.js";
import { markBest, markTurn, showReview, tryFromHere } from "./review.js";
import { whatIf } from "./what_if.js";

const CHUNK = 40;
const ALL_CARDS = "all cards in sight";
const ENDS = { perfect: "all fireworks are complete", lives: "the last life is lost", deck: "the draw pile is used up" };

export class Replay {
  /** `ready` is called when a game has come and can be shown, `moved` after every step. */
  constructor(place, { ready = () => {}, moved = () => {} } = {}) {
    Object.assign(this, { ready, moved });
    this.place = place;
    this.timer = null;
    this.running = false;
    loadTerms();
    this.build();
  }

  build() {
    const button = (words, label, act) => h("button", { type: "button", title: label, "aria-label": label, onclick: act }, words);
    this.board = h("div", { class: "board" });
    this.words = h("p", { class: "words" });
    this.why = h("p", { class: "why" });
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, class: "slider", "aria-label": "turn" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.counter = h("output", { class: "turns" });
    this.eyes = select([["open", ALL_CARDS]], "open", { "aria-label": "seen by" });
    this.eyes.addEventListener("change", () => this.go(this.turn));
    this.player = button("▶", "play the game", () => this.toggle());
    this.strip = h("div", { class: "strip" });
    this.result = h("div", { class: "result" });
    this.review = h("div", { class: "reviewed" });
    this.best = {};
    this.tip = h("p", { class: "best-tip", hidden: true });
    this.list = new TurnList((turn) => this.go(turn));
    this.place.replaceChildren(
      h("section", { class: "replay", "aria-label": "replay" },
        h("div", { class: "replay-stage" },
          h("div", { class: "said", role: "region", tabindex: "0", "aria-label": "what happened" }, this.words, this.why, this.tip),
          this.board,
          h("div", { class: "controls" },
            h("div", { class: "buttons" },
              button("«", "first turn (Home)", () => this.go(0)),
              button("‹", "previous turn (←)", () => this.go(this.turn - 1)),
              this.player,
              button("›", "next turn (→)", () => this.go(this.turn + 1)),
              button("»", "last turn (End)", () => this.go(this.turns)),
              this.counter, this.eyes),
            this.slider, this.strip)),
        h("div", { class: "replay-side" },
          h("div", { class: "buttons tools" },
            h("button", { type: "button", class: "main", onclick: () => this.reviewGame() }, "Review the game"),
            h("button", { type: "button", onclick: () => this.tryIt() }, "Try it from here"),
            h("button", { type: "button", onclick: () => this.analyze() }, "Where was it lost?"),
            h("button", { type: "button", onclick: () => this.solve() }, "Can it be won from here?"),
            h("button", { type: "button", onclick: () => this.whatIf() }, "What if?"),
            h("button", { type: "button", class: "quiet", onclick: (event) => copy(this.link(), event.target) }, "Copy link"),
            h("button", { type: "button", class: "quiet", onclick: () => save("game.json", `${JSON.stringify(this.info.game)}\n`, "application/json") }, "Save game")),
          this.result, this.review,
          h("h2", {}, "Turns"), this.list.element)));
    addEventListener("resize", () => this.measure());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Show a game at a turn; `note` is a place that says how it goes meanwhile. */
  async open(game, { turn = 0, eyes = "open", note = h("div", {}) } = {}) {
    this.stop();
    this.game = game;
    this.frames = new Map();
    this.strip.replaceChildren();
    const first = await runWithProgress(note, "Setting up the game", "replay", { ...game, eyes: readEyes(eyes), first: 0, count: CHUNK });
    this.store(first, eyes);
    this.result.replaceChildren();
    this.review.replaceChildren();
    this.best = {};
    this.info = first;
    this.game = readQuery(new URLSearchParams(first.address));
    this.turns = first.turns;
    this.slider.max = first.turns;
    this.eyes.replaceChildren(...select([["open", ALL_CARDS], ...first.names.map((name, seat) => [seat, name])], eyes).children);
    this.eyes.value = eyes;
    this.shown = null;
    this.list.fill(first.turn_words);
    this.ready();
    this.measure();
    await this.go(turn === "last" ? first.turns : turn);
    return first;
  }

  /** Let board and controls fill what the page leaves of the window, or a whole window further down. */
  measure() {
    const above = this.place.getBoundingClientRect().top + scrollY;
    this.place.firstChild.style.setProperty("--above", `${above < innerHeight / 2 ? Math.ceil(above) : 16}px`);
  }

  store(found, eyes) {
    found.frames.forEach((frame, place) => this.frames.set(`${eyes} ${found.first + place}`, frame));
  }

  async fetch(eyes, turn) {
    const first = Math.floor(turn / CHUNK) * CHUNK;
    this.store(await runJob("replay", { ...this.game, eyes: readEyes(eyes), first, count: CHUNK }), eyes);
  }

  async go(turn) {
    turn = Math.max(0, Math.min(turn, this.turns));
    this.wanted = turn;
    this.turn = turn;
    this.slider.value = turn;
    const eyes = this.eyes.value;
    if (!this.frames.has(`${eyes} ${turn}`)) {
      try {
        await this.fetch(eyes, turn);
      } catch (error) {
        showError(error.message);
        return;
      }
    }
    if (this.wanted !== turn || this.eyes.value !== eyes) return;
    this.show(this.frames.get(`${eyes} ${turn}`), turn);
    this.moved();
    const ahead = turn + CHUNK / 2;
    if (ahead <= this.turns && !this.frames.has(`${eyes} ${ahead}`)) this.fetch(eyes, ahead).catch(() => {});
  }

  show(frame, turn) {
    const before = this.shown === turn - 1 ? positions(this.board) : null;
    this.shown = turn;
    const drawn = draw(this.board, frame, showOwnerViewOnHold);
    showTurn(drawn, frame.facts, before);
    const best = this.best[turn + 1];
    markBest(drawn, best);
    this.tip.hidden = !best;
    this.tip.textContent = best ? `Best found for ${frame.facts.names[frame.facts.player]}: ${best.words}` : "";
    markTurn(this.review, turn, this.turns);
    this.list.show(turn);
    const { last, end, score, max_score: most } = frame.facts;
    const over = end ? ` · ${ENDS[end]}, ${score} of ${most}` : "";
    this.words.textContent = (last ? `turn ${turn}: ${last.words}` : "the deal") + over;
    showWithTerms(this.why, last?.why ?? "");
    this.counter.textContent = `${turn} / ${this.turns}`;
    this.slider.setAttribute("aria-valuetext", `turn ${turn} of ${this.turns}`);
    announce(`${this.words.textContent}. ${last?.why ?? ""}`);
    this.markStrip();
  }

  key(event) {
    const inField = event.target.closest?.("input:not([type=range]), textarea, select");
    if (inField || event.altKey || event.ctrlKey || event.metaKey || this.turns === undefined) return;
    const steps = { ArrowLeft: () => this.turn - 1, ArrowRight: () => this.turn + 1, Home: () => 0, End: () => this.turns };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    this.stop();
    this.go(step());
  }

  toggle() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.turn >= this.turns) this.go(0);
    this.player.textContent = "■";
    this.timer = setInterval(() => {
      if (this.turn >= this.turns) this.stop();
      else this.go(this.turn + 1);
    }, 1000 * Math.max(pace(), 0.25));
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.player.textContent = "▶";
  }

  query() {
    return `${this.info.address}&turn=${this.turn}&eyes=${this.eyes.value}`;
  }

  link() {
    return `${location.origin}/watch?${this.query()}`;
  }

  /** Run one of the jobs below the board; only one at a time. */
  async run(what, kind, fields, show) {
    if (this.running) return;
    this.running = true;
    try {
      show(await runWithProgress(this.result, what, kind, { ...this.game, ...fields }));
    } catch (error) {
      this.result.replaceChildren(h("p", { role: "status" }, error.message));
    } finally {
      this.running = false;
    }
  }

  analyze() {
    this.run("Looking for the turn that lost it", "analyze", { time_limit: 2 }, (found) => {
      const before = found.lost_at ? h("button", { type: "button", onclick: () => this.go(found.lost_at - 1) }, "Go to the turn before") : null;
      this.result.replaceChildren(h("p", { class: "verdict", role: "status" }, found.words), before ?? "");
      this.strip.replaceChildren(strip(found, (turn) => this.go(turn)));
      this.markStrip();
    });
  }

  async reviewGame() {
    if (this.running) return;
    this.running = true;
    const found = await showReview(this.review, this.game, { go: (turn) => this.go(turn) });
    this.running = false;
    this.best = found?.best ?? {};
    this.list.judge(found?.verdicts ?? {});
    this.go(this.turn);
    this.review.scrollIntoView({ block: "nearest" });
  }

  tryIt() {
    const frame = this.frames.get(`${this.eyes.value} ${this.turn}`);
    if (this.turn >= this.turns || !frame) {
      this.result.replaceChildren(h("p", { role: "status" }, "The game is over here: go back to a turn before."));
      return;
    }
    tryFromHere(this.game, this.turn, frame.facts.player);
  }

  markStrip() {
    for (const bar of this.strip.querySelectorAll("[data-turn]")) bar.classList.toggle("here", Number(bar.dataset.turn) === this.turn);
  }

  solve() {
    const turn = this.turn;
    this.run(`Searching from turn ${turn}`, "solve", { turn, time_limit: 20 }, (found) => this.result.replaceChildren(verdict(found, turn)));
  }

  async whatIf() {
    if (this.running) return;
    if (this.turn >= this.turns) {
      this.result.replaceChildren(h("p", { role: "status" }, "The game is over here: go back to a turn before."));
      return;
    }
    const before = this.query();
    try {
      await whatIf(this.result, { game: this.game, turn: this.turn, names: this.info.names, roles: this.info.roles }, async (found) => {
        await this.open({ code: found.code }, { turn: found.turn, eyes: this.eyes.value });
        this.result.replaceChildren(h("p", { role: "status" }, `It would have ended with ${found.score} points, after ${found.turns} turns. `, h("a", { href: `/watch?${before}` }, "Back to the game as it was")));
      });
    } catch (error) {
      this.result.replaceChildren(h("p", { role: "status" }, error.message));
    }
  }
}

/** Return the fields of a game in an address. */
export function readQuery(query) {
  const game = {};
  const strategies = query.getAll("strategy");
  if (strategies.length) game.strategy = strategies.length === 1 ? strategies[0] : strategies;
  for (const name of ["code", "deck", "seed", "game"]) if (query.has(name)) game[name] = query.get(name);
  if (query.has("players")) game.players = Number(query.get("players"));
  if (query.has("rules")) game.rules = query.get("rules").startsWith("{") ? JSON.parse(query.get("rules")) : query.get("rules");
  return game;
}

function readEyes(eyes) {
  return eyes === "open" ? "open" : Number(eyes);
}
