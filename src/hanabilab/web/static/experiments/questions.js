// Ready-made questions: each opens with a chart of stored results, the paper's figure and example games.

import { h } from "../shared/dom.js";
import { heatMap, line, means } from "./charts.js";

/** Return the questions with their stored answers. */
async function stored() {
  return (await (await fetch("/api/questions")).json()).questions;
}

/** Return the address of the replay of a game. */
function replayAddress({ strategy, players, rules, seed, game }) {
  const query = new URLSearchParams({ players, rules: typeof rules === "string" ? rules : JSON.stringify(rules), seed, game });
  [strategy].flat().forEach((each) => query.append("strategy", each));
  return `/watch?${query}`;
}

/** Fill a place with example games of one bar. */
function showBar(place, question, row) {
  const names = ["a poor one", "a typical one", "a good one"];
  place.replaceChildren(h("h3", {}, question.axis ? `${question.axis} ${row.name}` : row.name),
    h("p", {}, `${row.mean.toFixed(2)} ± ${row.stderr.toFixed(2)} points; ${(100 * row.perfect_rate).toFixed(1)} % of the games perfect. Games to replay:`),
    h("ul", { class: "games" }, row.examples.map(({ game, score }, index) =>
      h("li", {}, h("a", { href: replayAddress({ ...row, seed: question.seed, game }) }, `${names[index]} (${score} points)`)))));
}

/** Fill a place with an example game of one pairing: the single player has the first seat. */
function showPairing(place, question, row, column) {
  const { strategies, players, rules, seed, mean, stderr } = question;
  const team = [strategies[row], ...Array.from({ length: players - 1 }, () => strategies[column])];
  place.replaceChildren(h("h3", {}, `One ${strategies[row]} among ${strategies[column]}`),
    h("p", {}, `${mean[row][column].toFixed(2)} ± ${stderr[row][column].toFixed(2)} points. `,
      h("a", { href: replayAddress({ strategy: team, players, rules, seed, game: 0 }) }, "Replay one of the games")));
}

function drawn(question, place) {
  const { chart, rows, axis } = question;
  if (chart === "heat map") {
    return heatMap({ rows: question.strategies, columns: question.strategies, values: question.mean, errors: question.stderr, rowTitle: "one", columnTitle: "among" },
      (row, column) => showPairing(place, question, row, column));
  }
  const press = (index) => showBar(place, question, rows[index]);
  if (chart === "line") return line({ points: rows.map((row) => ({ ...row, x: Number(row.name) })), title: axis }, press);
  return means(rows, rows[0].max_score, press);
}

/** Return what was played, and for whom a diamond stands. */
function caption({ games, seed, paper, rows, players, rules }) {
  const each = rows ? rows.at(-1) : { players, rules };
  const named = typeof each.rules === "string" ? each.rules : each.rules.preset;
  const tables = new Set(rows?.map((row) => row.players)).size > 1 ? "" : `${each.players} players, `;
  return `${games.toLocaleString("en")} games ${rows ? "a bar" : "a pairing"}, seed ${seed}, ${tables}${named} rules; ± is the standard error.${paper ? ` Diamonds: ${paper}.` : ""}`;
}

/** Return the settings with which the form of an experiment repeats a question. */
export function formSettings(question) {
  const { kind, rows, games, seed } = question;
  if (kind === "crossplay") return { strategies: question.strategies, players: question.players, rules: question.rules, games, seed };
  const last = rows.at(-1);
  const same = { players: last.players, rules: last.rules, games, seed };
  if (kind === "compare") return { ...same, strategies: rows.map(({ strategy }) => strategy) };
  if (kind === "sweep") return { ...same, strategies: [last.strategy.replace(/,?play-threshold=[^,]*/, "")], options: question.options };
  return { ...same, strategies: [last.strategy] };
}

/** Make the part of the page with all questions; `run(kind, settings)` repeats one in the form. */
export async function questionPanel(run) {
  const questions = await stored();
  const place = h("div", { class: "question" });
  const buttons = questions.map((question) => h("button", { type: "button", onclick: () => show(question) }, question.title));
  const show = (question) => {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(questions[index] === question)));
    const games = h("div", { class: "behind", role: "status" }, h("p", { class: "quiet" }, "Click a part of the chart to see games behind it."));
    place.replaceChildren(h("h2", {}, question.title), h("p", {}, question.about),
      h("div", { class: "figure" }, drawn(question, games), h("small", {}, caption(question))), games,
      h("p", { class: "buttons" }, h("button", { type: "button", class: "main", onclick: () => run(question.kind, formSettings(question)) }, "Run it yourself")));
  };
  show(questions[0]);
  return h("section", { class: "questions", "aria-label": "questions" }, h("ul", {}, buttons.map((button) => h("li", {}, button))), place);
}
