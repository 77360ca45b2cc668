// Step through a game: slider, keys, anyone's view, the reasons, and where it was lost.

import { ask, askLong } from "../shared/api.js";
import { draw } from "../board/draw.js";
import { announce } from "../shared/announcer.js";
import { copy, h, s, save, select } from "../shared/dom.js";
import { complain } from "../shared/shell.js";

const CHUNK = 40;
const ALL_CARDS = "all cards in sight";

export class Replay {
  /** `moved` is called after every step. */
  constructor(place, { moved = () => {} } = {}) {
    this.moved = moved;
    this.place = place;
    this.timer = null;
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
    this.eyes.addEventListener("change", () => this.look());
    this.player = button("▶", "play the game", () => this.toggle());
    this.strip = h("div", { class: "strip" });
    this.result = h("div", { class: "result", role: "status" });
    this.analyzeButton = h("button", { type: "button", onclick: () => this.analyze() }, "Where was it lost?");
    this.solveButton = h("button", { type: "button", onclick: () => this.solve() }, "Can it be won from here?");
    this.place.replaceChildren(
      h("section", { class: "replay", "aria-label": "replay" },
        h("div", { class: "said" }, this.words, this.why),
        this.board,
        h("div", { class: "controls" },
          h("div", { class: "buttons" },
            button("«", "first turn (Home)", () => this.go(0)),
            button("‹", "previous turn (←)", () => this.go(this.turn - 1)),
            this.player,
            button("›", "next turn (→)", () => this.go(this.turn + 1)),
            button("»", "last turn (End)", () => this.go(this.turns)),
            this.counter, this.eyes),
          this.slider, this.strip),
        h("div", { class: "buttons" },
          this.analyzeButton, this.solveButton,
          h("button", { type: "button", class: "quiet", onclick: (event) => copy(this.link(), event.target) }, "Copy link"),
          h("button", { type: "button", class: "quiet", onclick: () => save("game.json", `${JSON.stringify(this.info.game)}\n`, "application/json") }, "Save game")),
        this.result));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Show a game at a turn. */
  async open(game, { turn = 0, eyes = "open" } = {}) {
    this.stop();
    this.game = game;
    this.frames = new Map();
    this.result.replaceChildren();
    this.strip.replaceChildren();
    const first = await this.fetch(eyes, 0);
    this.info = first;
    this.game = readQuery(new URLSearchParams(first.address));
    this.turns = first.turns;
    this.slider.max = first.turns;
    this.eyes.replaceChildren(...select([["open", ALL_CARDS],
      ...first.names.map((name, seat) => [seat, name === `player ${seat}` ? name : `player ${seat}, ${name}`])], eyes).children);
    this.eyes.value = eyes;
    await this.go(turn === "last" ? first.turns : turn);
    return first;
  }

  async fetch(eyes, turn) {
    const first = Math.floor(turn / CHUNK) * CHUNK;
    const found = await ask("replay", { ...this.game, eyes: readEyes(eyes), first, count: CHUNK });
    found.frames.forEach((frame, place) => this.frames.set(`${eyes} ${first + place}`, frame));
    return found;
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
        complain(error.message);
        return;
      }
    }
    if (this.wanted !== turn || this.eyes.value !== eyes) return;
    const frame = this.frames.get(`${eyes} ${turn}`);
    draw(this.board, frame);
    const { last, end, score, max_score: most } = frame.facts;
    const over = end ? ` · ${{ perfect: "all fireworks are complete", lives: "the last life is lost", deck: "the draw pile is used up" }[end]}, ${score} of ${most}` : "";
    this.words.textContent = (last ? `turn ${turn}: ${last.words}` : "the deal") + over;
    this.why.textContent = last?.why ?? "";
    this.counter.textContent = `${turn} / ${this.turns}`;
    this.slider.setAttribute("aria-valuetext", `turn ${turn} of ${this.turns}`);
    announce(this.words.textContent);
    this.markStrip();
    this.moved();
    const ahead = turn + CHUNK / 2;
    if (ahead <= this.turns && !this.frames.has(`${eyes} ${ahead}`)) this.fetch(eyes, ahead).catch(() => {});
  }

  look() {
    this.go(this.turn);
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
    }, 1100);
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

  async analyze() {
    if (this.analysis) {
      this.analysis.cancel();
      return;
    }
    const bar = h("progress", { max: this.turns + 1, value: 0 });
    this.result.replaceChildren(h("p", {}, "Analyzing every turn …"), bar);
    this.analyzeButton.textContent = "Stop";
    this.analysis = askLong("analyze", { ...this.game, time_limit: 2 }, {
      onprogress: ({ done, total }) => { bar.value = done; bar.max = total; },
    });
    try {
      const found = await this.analysis.answer;
      this.showAnalysis(found);
    } catch (error) {
      this.result.replaceChildren(h("p", {}, error.message));
    } finally {
      this.analysis = null;
      this.analyzeButton.textContent = "Where was it lost?";
    }
  }

  showAnalysis(found) {
    const bests = [found.start, ...found.turns];
    const buttons = [];
    if (found.lost_at) {
      buttons.push(h("button", { type: "button", onclick: () => this.go(found.lost_at - 1) }, "Go to the turn before"));
    }
    this.result.replaceChildren(h("p", { class: "verdict" }, found.words), ...buttons);
    const most = Math.max(...bests.map(({ best }) => best), 1);
    const width = 100 / bests.length;
    const bars = bests.map(({ winnable, best }, turn) => s("rect", {
      x: turn * width, width: width * 0.9, y: 30 - (29 * best) / most, height: (29 * best) / most + 1,
      class: winnable ? "winnable" : winnable === false ? "lost" : "open", "data-turn": turn,
    }, s("title", {}, `after turn ${turn}: best reachable score ${best}`)));
    const picture = s("svg", { viewBox: "0 0 100 32", preserveAspectRatio: "none", role: "img", "aria-label": `best reachable score after each turn: ${bests.map(({ best }) => best).join(" ")}` }, bars);
    picture.addEventListener("click", (event) => {
      const turn = event.target.closest("[data-turn]")?.dataset.turn;
      if (turn !== undefined) this.go(Number(turn));
    });
    this.strip.replaceChildren(picture);
    this.markStrip();
  }

  markStrip() {
    for (const bar of this.strip.querySelectorAll("[data-turn]")) bar.classList.toggle("here", Number(bar.dataset.turn) === this.turn);
  }

  async solve() {
    if (this.solving) {
      this.solving.cancel();
      return;
    }
    const turn = this.turn;
    this.result.replaceChildren(h("p", {}, `Searching from turn ${turn} …`), h("progress", {}));
    this.solveButton.textContent = "Stop";
    this.solving = askLong("solve", { ...this.game, turn, time_limit: 20 });
    try {
      this.result.replaceChildren(verdict(await this.solving.answer, turn));
    } catch (error) {
      this.result.replaceChildren(h("p", {}, error.message));
    } finally {
      this.solving = null;
      this.solveButton.textContent = "Can it be won from here?";
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

/** Show what the solver found, with a link to its line. */
export function verdict(answer, turn = 0) {
  const sign = answer.winnable ? "winnable" : answer.winnable === false ? "not winnable" : "undecided";
  const from = turn ? ` from turn ${turn}` : "";
  const rest = answer.words.replace(/^[^:]*: /, "");
  return h("div", { class: `verdict ${sign.replace(" ", "-")}` },
    h("p", {}, h("strong", {}, `${sign}${from}`), `: ${rest}`),
    answer.code ? h("a", { class: "button", href: `/watch?code=${answer.code}&turn=${turn}` }, answer.winnable ? "Watch the winning line" : "Watch the best line found") : null);
}
