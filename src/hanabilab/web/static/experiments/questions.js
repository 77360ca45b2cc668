// Ready-made questions: each opens with a chart of stored results, the paper's figure and example games.

import { announce } from "../shared/announcer.js";
import { h } from "../shared/dom.js";
import { runWithProgress } from "../shared/progress.js";
import { showError } from "../shared/shell.js";
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

/** Return whether all bars of a question are strategies at the same table, which the form can compare. */
function hasOneTable({ rows }) {
  return !rows || new Set(rows.map(({ players, rules }) => JSON.stringify([players, rules]))).size === 1;
}

/** Play the games of every bar again, one bar after the other, and draw the chart as it grows. */
async function playAgain(place, question) {
  const { rows, games, seed } = question;
  const [note, status, figure] = [h("div", {}), h("p", { class: "quiet", role: "status" }), h("div", {})];
  const behind = h("div", { class: "behind", role: "status" });
  place.replaceChildren(h("h3", {}, "Played again"), note, h("div", { class: "figure" }, figure), status, behind);
  const played = [];
  try {
    for (const row of rows) {
      const named = question.axis ? `${question.axis} ${row.name}` : row.name;
      const found = await runWithProgress(note, `Playing ${named}`, "simulate", { strategy: row.strategy, players: row.players, rules: row.rules, games, seed });
      played.push({ ...row, mean: found.mean, stderr: found.stderr, perfect_rate: found.perfect_rate });
      figure.replaceChildren(drawn({ ...question, rows: played }, behind));
    }
    const same = played.every((row, index) => row.mean.toFixed(3) === rows[index].mean.toFixed(3));
    status.textContent = `done: ${same ? "the same means as above" : "other means than above, as strategies have changed since or fewer games were played"}`;
    announce("done");
  } catch (error) {
    status.textContent = error.message === "stopped" ? "stopped" : "";
    if (error.message !== "stopped") showError(error.message);
  }
}

/** Return the settings with which the form of an experiment repeats a question. */
export function formSettings(question) {
  const { kind, rows, games, seed } = question;
  if (kind === "crossplay") return { strategies: question.strategies, players: question.players, rules: question.rules, games, seed };
  const last = rows.at(-1);
  const same = { players: last.players, rules: last.rules, games, seed };
  if (kind === "compare") return { ...same, strategies: rows.map(({ strategy }) => strategy) };
  return { ...same, strategies: [last.strategy.replace(/,?play-threshold=[^,]*/, "")], options: question.options };
}

/** Make the part of the page with all questions; `run(kind, settings)` repeats one in the form. */
export async function questionPanel(run) {
  const questions = await stored();
  const place = h("div", { class: "question" });
  const buttons = questions.map((question) => h("button", { type: "button", onclick: () => show(question) }, question.title));
  const show = (question) => {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(questions[index] === question)));
    const games = h("div", { class: "behind", role: "status" }, h("p", { class: "quiet" }, "Click a part of the chart to see games behind it."));
    const again = h("section", { class: "again", "aria-label": "played again" });
    const repeat = () => (hasOneTable(question) ? run(question.kind, formSettings(question)) : playAgain(again, question));
    place.replaceChildren(h("h2", {}, question.title), h("p", {}, question.about),
      h("div", { class: "figure" }, drawn(question, games), h("small", {}, caption(question))), games,
      h("p", { class: "buttons" }, h("button", { type: "button", class: "main", onclick: repeat }, "Run it yourself")), again);
  };
  show(questions[0]);
  return h("section", { class: "questions", "aria-label": "questions" }, h("ul", {}, buttons.map((button) => h("li", {}, button))), place);
}
