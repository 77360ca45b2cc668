// Experiments: results of many games as they come in; a bar leads to its games, a game to its replay.

import { about } from "../shared/api.js";
import { heatMap, histogram, line, means, savePng, saveSvg } from "./charts.js";
import { announce } from "../shared/announcer.js";
import { field, find, grouped, h, number, percent, save } from "../shared/dom.js";
import { rulesPicker, seedField, strategyList, strategyPicker } from "../shared/forms.js";
import { questionPanel } from "./questions.js";
import { showError, shell } from "../shared/shell.js";
import { runWithProgress, awaitWithProgress } from "../shared/progress.js";

const USUAL_SWEEP = { "play-threshold": "0.2:1:0.1" };

let facts = null;

/** A panel that runs one kind of job and shows its growing result. */
class Experiment {
  constructor({ kind, title, lead, parts, fields, show, games, given }) {
    Object.assign(this, { kind, fields, show, running: false, result: null });
    this.rules = rulesPicker(facts, { players: given.players ?? (kind === "crossplay" ? 4 : 3), rules: given.rules ?? "classic", most: 10 });
    this.games = number(given.games ?? games, 1, facts.limits.games, { step: 1 });
    this.seed = seedField(given.seed ?? 1);
    this.note = h("div", {});
    this.status = h("p", { class: "quiet", role: "status" });
    this.figure = h("div", { class: "figure" }, h("p", { class: "quiet" }, "Run it to see the result here; it grows while the games are played."));
    this.extra = h("div", {});
    this.files = h("div", { class: "buttons", hidden: true },
      h("button", { type: "button", class: "quiet", onclick: () => save(`${kind}.csv`, this.result.csv, "text/csv") }, "CSV"),
      h("button", { type: "button", class: "quiet", onclick: () => savePng(this.figure.querySelector("svg"), kind).catch((error) => showError(error.message)) }, "PNG"),
      h("button", { type: "button", class: "quiet", onclick: () => saveSvg(this.figure.querySelector("svg"), kind) }, "SVG"));
    const form = h("form", { class: "panel stack" }, h("p", { class: "lead" }, lead), parts, this.rules.element,
      h("div", { class: "grid" }, field({ crossplay: "Games per pairing", sweep: "Games per cell" }[kind] ?? "Games", this.games), field("Seed", this.seed)), h("button", { class: "main" }, "Run"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    this.element = h("section", { class: "experiment", id: `experiment-${kind}`, "aria-label": title, role: "tabpanel" }, form,
      h("div", { class: "answer" }, this.note, this.status, this.figure, this.files, this.extra));
  }

  get settings() {
    return { players: this.rules.players, rules: this.rules.value, games: Number(this.games.value), seed: this.seed.value };
  }

  async run() {
    if (this.running) return;
    this.running = true;
    showError("");
    this.status.textContent = "";
    this.files.hidden = true;
    this.extra.replaceChildren();
    const request = { ...this.settings, ...this.fields() };
    this.request = request;
    try {
      this.result = await runWithProgress(this.note, "Playing", this.kind, request, { onprogress: ({ result }) => { if (result) this.show(this, result); } });
      this.show(this, this.result);
      this.files.hidden = false;
      const seconds = this.result.seconds === undefined ? "" : ` in ${this.result.seconds.toFixed(1)} seconds`;
      this.status.textContent = `done${seconds}${this.result.interrupted ? "; the time was up before all games were played" : ""}`;
      announce(`${this.kind}: done`);
    } catch (error) {
      this.status.textContent = error.message === "stopped" ? "stopped" : "";
      if (error.message !== "stopped") showError(error.message);
    } finally {
      this.running = false;
    }
  }
}

/** Make the list of numbers above a histogram. */
function summary(result) {
  const items = [["mean", `${result.mean.toFixed(3)} ± ${result.stderr.toFixed(3)}`], ["games", grouped(result.games ?? result.histogram.reduce((sum, count) => sum + count, 0))],
    ["perfect", percent(result.perfect_rate, 1)], ["lost to misplays", percent(result.lost_rate, 1)],
    ["lowest, highest", `${result.min}, ${result.max}`], ["turns", result.mean_turns.toFixed(1)]];
  return h("dl", { class: "summary" }, items.flatMap(([name, value]) => [h("div", {}, h("dt", {}, name), h("dd", {}, value))]));
}

/** Show the games of one bar as links to their replays. */
async function showGames(place, request, score) {
  const list = h("ul", { class: "games" });
  const more = h("button", { type: "button", class: "quiet", hidden: true }, "Find more");
  const note = h("div", {});
  place.replaceChildren(h("h2", {}, `Games with score ${score}`), list, note, more);
  let first = 0;
  const look = async () => {
    more.hidden = true;
    const { strategy, players, rules, games, seed } = request;
    try {
      const found = await runWithProgress(note, "Looking for games", "games", { strategy, players, rules, games, seed, score, first, most: 40 });
      found.games.forEach((game, index) => list.append(h("li", {}, h("a", { href: `/watch?${found.addresses[index]}&turn=last` }, `game ${game}`))));
      first = found.next;
      more.hidden = first === null;
    } catch (error) {
      showError(error.message);
    }
  };
  more.addEventListener("click", look);
  await look();
  place.scrollIntoView({ block: "nearest" });
}

function histogramWithGames(experiment, result, request) {
  const games = h("div", { class: "behind", role: "status" });
  experiment.extra.replaceChildren(games);
  return histogram(result, (score) => showGames(games, request, score));
}

function simulateExperiment(given = {}) {
  const strategies = strategyList(facts, given.strategies ?? ["information"], "Add a strategy for another seat");
  const team = () => (strategies.value.length === 1 ? strategies.value[0] : strategies.value);
  return new Experiment({
    kind: "simulate", given, title: "Simulate", lead: "One team, many games: how often does it reach each score?", games: 10000,
    parts: strategies.element, fields: () => ({ strategy: team() }),
    show: (experiment, result) => experiment.figure.replaceChildren(summary(result), histogramWithGames(experiment, result, experiment.request)),
  });
}

function compareExperiment(given = {}) {
  const strategies = strategyList(facts, given.strategies ?? ["rule-based", "piers", "information", "cheat"]);
  return new Experiment({
    kind: "compare", given, title: "Compare", lead: "Several strategies on the same decks.", games: 2000,
    parts: strategies.element, fields: () => ({ strategies: strategies.value }),
    show(experiment, result) {
      const rows = result.strategies.map(({ strategy, mean, stderr }) => ({ name: strategy, mean, stderr }));
      const most = result.strategies[0].histogram.length - 1;
      const one = (place) => {
        const chosen = result.strategies[place];
        const { strategies: all, ...rest } = experiment.request;
        const games = h("div", { class: "behind" });
        experiment.extra.replaceChildren(h("h2", {}, chosen.strategy), summary(chosen),
          histogram(chosen, (score) => showGames(games, { ...rest, strategy: chosen.strategy }, score)), games);
      };
      const differences = (result.differences ?? []).map(({ a, b, mean, stderr }) =>
        h("tr", {}, [a, b].map((name) => h("td", { class: "name" }, name)), h("td", {}, `${mean.toFixed(3)} ± ${stderr.toFixed(3)}`)));
      experiment.figure.replaceChildren(means(rows, most, one), differences.length ? h("div", { class: "scroll" }, h("table", {}, h("caption", {}, "Differences on the same decks"),
        h("thead", {}, h("tr", {}, ["better", "than", "by"].map((name) => h("th", { scope: "col", class: name === "by" ? "" : "name" }, name)))), h("tbody", {}, differences))) : "");
    },
  });
}

function crossplayExperiment(given = {}) {
  const strategies = strategyList(facts, given.strategies ?? ["rule-based", "piers", "iggi", "recommendation"]);
  return new Experiment({
    kind: "crossplay", given, title: "Cross-play", lead: "One player of the row's strategy among players of the column's, in every seat.", games: 200,
    parts: strategies.element, fields: () => ({ strategies: strategies.value }),
    show: (experiment, { strategies: names, mean, stderr }) => experiment.figure.replaceChildren(heatMap({
      rows: names, columns: names, values: mean, errors: stderr, rowTitle: "one", columnTitle: "among",
    })),
  });
}

function sweepExperiment(given = {}) {
  const picker = strategyPicker(facts, given.strategies?.[0] ?? "rule-based");
  const place = h("div", { class: "grid" });
  let inputs = [];
  const list = () => {
    const strategy = facts.strategies.find(({ name }) => name === picker.list.value);
    inputs = (strategy?.options ?? []).map(({ name, default: usual, help }) =>
      [name, h("input", { type: "text", placeholder: String(usual), title: help, value: (given.options ?? USUAL_SWEEP)[name] ?? "", spellcheck: "false" })]);
    place.replaceChildren(...inputs.map(([name, input]) => field(name, input, input.title)));
  };
  picker.list.addEventListener("change", list);
  list();
  const chosen = () => Object.fromEntries(inputs.filter(([, input]) => input.value.trim()).map(([name, input]) => [name, input.value.trim()]));
  return new Experiment({
    kind: "sweep", given, title: "Sweep", lead: "One strategy over several values of its options: 1,2,4 or START:STOP:STEP. One option gives a line, two give a heat map.", games: 200,
    parts: [picker.element, place],
    fields: () => ({ strategy: picker.value, options: chosen() }),
    show(experiment, result) {
      const names = Object.keys(result.options).sort((a, b) => result.options[b].length - result.options[a].length);
      if (names.length === 0) return;
      const cells = result.cells.filter(({ mean }) => mean !== null && mean !== undefined);
      const one = (cell) => {
        const options = Object.keys(result.options).map((name) => `${name}=${cell[name]}`).join(",");
        const strategy = `${experiment.request.strategy}${experiment.request.strategy.includes(":") ? "," : ":"}${options}`;
        const { options: all, ...rest } = experiment.request;
        const games = h("div", { class: "behind" });
        experiment.extra.replaceChildren(h("h2", {}, strategy), summary(cell), histogram(cell, (score) => showGames(games, { ...rest, strategy }, score)), games);
      };
      if (names.length === 1 || result.options[names[1]].length === 1) {
        const points = cells.map((cell) => ({ x: cell[names[0]], mean: cell.mean, stderr: cell.stderr }));
        if (points.length) experiment.figure.replaceChildren(line({ points, title: names[0] }, (index) => one(cells[index])));
        return;
      }
      const [across, down] = names;
      const at = (row, column) => cells.find((cell) => cell[down] === row && cell[across] === column);
      const grid = result.options[down].map((row) => result.options[across].map((column) => at(row, column)));
      experiment.figure.replaceChildren(heatMap({
        rows: result.options[down], columns: result.options[across], rowTitle: down, columnTitle: across,
        values: grid.map((row) => row.map((cell) => cell?.mean)), errors: grid.map((row) => row.map((cell) => cell?.stderr)),
      }, (row, column) => one(grid[row][column])));
    },
  });
}

const MAKERS = { simulate: simulateExperiment, compare: compareExperiment, crossplay: crossplayExperiment, sweep: sweepExperiment };

/** The forms as tabs, as screen readers expect them: arrow keys move, the address keeps the choice. */
class Bench {
  constructor() {
    this.experiments = Object.values(MAKERS).map((make) => make());
    this.list = h("div", { class: "tabs", role: "tablist", "aria-label": "experiments" });
    this.buttons = this.experiments.map((experiment) => h("button", {
      type: "button", role: "tab", id: `tab-${experiment.kind}`, "aria-controls": `experiment-${experiment.kind}`, onclick: () => this.choose(experiment.kind),
    }, experiment.element.getAttribute("aria-label")));
    this.list.append(...this.buttons);
    this.list.addEventListener("keydown", (event) => this.move({ ArrowRight: 1, ArrowLeft: -1 }[event.key]));
    const wanted = location.hash.slice(1);
    this.choose(wanted in MAKERS ? wanted : "simulate", wanted in MAKERS);
  }

  move(step) {
    if (!step) return;
    const next = (this.buttons.indexOf(document.activeElement) + step + this.buttons.length) % this.buttons.length;
    this.choose(this.experiments[next].kind);
    this.buttons[next].focus();
  }

  choose(kind, named = true) {
    this.experiments.forEach((experiment, place) => {
      const on = experiment.kind === kind;
      experiment.element.hidden = !on;
      this.buttons[place].setAttribute("aria-selected", String(on));
      this.buttons[place].tabIndex = on ? 0 : -1;
    });
    if (named) history.replaceState(null, "", `#${kind}`);
  }

  /** Fill in the form of an experiment, show it and start it. */
  run(kind, settings) {
    const place = this.experiments.findIndex((experiment) => experiment.kind === kind);
    const filled = MAKERS[kind](settings);
    this.experiments[place].element.replaceWith(filled.element);
    this.experiments[place] = filled;
    this.choose(kind);
    this.list.scrollIntoView({ block: "start" });
    filled.run();
  }
}

async function start() {
  shell();
  const main = find("main");
  main.append(h("h1", {}, "Experiments"));
  const ready = about().then((found) => {
    facts = found;
    return new Bench();
  });
  main.append(await awaitWithProgress(main, "Loading the questions", questionPanel((kind, settings) => ready.then((bench) => bench.run(kind, settings)))));
  const { list, experiments } = await awaitWithProgress(main, "Loading strategies and rules", ready);
  main.append(h("h2", { id: "own" }, "Your own experiment"), list, ...experiments.map((experiment) => experiment.element));
  if (location.hash) list.scrollIntoView({ block: "start" });
}

start();
