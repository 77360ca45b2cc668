// A review of a game: expected points by turn, the costliest decisions, luck, and the whole report.

import { arrow, handOf } from "../board/motion.js";
import { createTable } from "../shared/api.js";
import { h, percent, s } from "../shared/dom.js";
import { rememberTable, tableAddress } from "../shared/my_tables.js";
import { runWithProgress } from "../shared/progress.js";
import { showError } from "../shared/shell.js";

const WIDTH = 600;
const HEIGHT = 120;
const VERDICTS = { inaccuracy: "Inaccuracy", mistake: "Mistake", blunder: "Blunder" };

/** Review a game and show it in a place; `go` is called with a turn to look at.
 *
 * The page scrolls to the progress of the review unless `follow` is false. The player in the seat
 * `reader` is addressed as “you”. */
export async function showReview(place, game, { go, worlds = 64, follow = true, reader = null }) {
  let found;
  try {
    found = await runWithProgress(place, "Reviewing the game", "review", { ...game, worlds }, { follow });
  } catch (error) {
    place.replaceChildren(h("p", { role: "status" }, error.message));
    return null;
  }
  for (const player of found.players) if (player.player === reader) player.name = "you";
  place.replaceChildren(panel(found, game, go));
  return found;
}

function panel(found, game, go) {
  const judged = found.players.filter((player) => player.judged);
  return h("section", { class: "review", "aria-label": "review of the game" },
    h("h2", {}, "Review"),
    h("p", { role: "status" }, opening(found)),
    found.curve.length ? curve(found, go) : null,
    found.decisions.length ? h("ol", { class: "decisions" }, found.decisions.map((one) => decision(one, game, go))) : null,
    judged.length ? accuracy(judged) : null,
    h("details", { class: "report" }, h("summary", {}, "The whole report"), h("pre", {}, found.text)));
}

function opening(found) {
  if (!found.fits) return unlike(found);
  const expected = found.expected.toFixed(1);
  const others = found.players.filter((player) => !player.judged);
  const errors = found.decisions.length ? "" : ` No decision ${others.length ? "of the others " : ""}clearly gave points away.`;
  const left = others.map((player) => ` ${capital(player.name, "")} ${player.name === "you" ? "are" : "is"} not judged decision by decision: ${found.convention} would have done the same in only ${percent(player.agreement)} of ${whose(player)} turns, and ${percent(found.least_agreement)} are needed.`);
  return `Players who follow ${found.convention} score ${expected} points on average from these first hands; this game brought ${found.score}.${left.join("")}${errors}`;
}

const whose = ({ name }) => (name === "you" ? "your" : `${name}’s`);

/** Say why no decision of a game is judged: in most games because people played in their own way. */
function unlike(found) {
  const shares = found.players.filter((player) => player.agreement !== null);
  if (!shares.length) return `Decisions are not judged: ${found.reason}.`;
  const said = shares.map((player) => `${percent(player.agreement)} of ${whose(player)} turns`).join(", ");
  return `Decisions are not judged one by one, because too few of them followed ${found.convention}: ${said}. At least half of the players need ${percent(found.least_agreement)}. The facts in the whole report hold anyway.`;
}

/** Draw expected points by turn; a click goes to the turn. */
function curve(found, go) {
  const { curve: values, verdicts, max_score: most } = found;
  const least = Math.max(0, Math.floor(Math.min(...values)) - 1);
  const x = (turn) => (WIDTH * turn) / Math.max(1, values.length - 1);
  const y = (value) => HEIGHT - (HEIGHT * (value - least)) / Math.max(1, most - least);
  const points = values.map((value, turn) => `${x(turn).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const marks = Object.entries(verdicts).map(([turn, word]) => s("path", { d: `M${x(Number(turn))} ${y(values[Number(turn)])}h0`, class: `mark ${word}` },
    s("title", {}, `turn ${turn}: ${word}`)));
  const here = s("line", { class: "here", x1: 0, x2: 0, y1: 0, y2: HEIGHT });
  const picture = s("svg", { viewBox: `-6 -6 ${WIDTH + 12} ${HEIGHT + 12}`, preserveAspectRatio: "none", role: "img",
    "aria-label": `expected points after each turn, from ${values[0].toFixed(1)} to ${values.at(-1).toFixed(1)}` },
  s("polyline", { points, class: "line" }), marks, here);
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width) * (values.length - 1)));
  });
  return h("figure", { class: "curve" },
    h("figcaption", {}, h("span", {}, `${most} points`), h("span", { class: "quiet" }, "expected points after each turn; click to go there")),
    picture, h("small", { class: "quiet" }, `${least} points`));
}

/** Move the mark on the curve to a turn. */
export function markTurn(place, turn, turns) {
  const line = place.querySelector(".curve .here");
  if (!line) return;
  const x = (WIDTH * turn) / Math.max(1, turns);
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
}

function decision(one, game, go) {
  const [happened, ...more] = one.lines;
  return h("li", { class: `decision ${one.verdict}` },
    h("h3", {}, `${VERDICTS[one.verdict]}: ${one.cost.toFixed(1)} points`),
    h("p", {}, capital(happened.replace(/^turn \d+: /, `Turn ${one.turn}: `))),
    h("ul", {}, more.map((line) => h("li", {}, capital(line)))),
    h("div", { class: "buttons" },
      h("button", { type: "button", onclick: () => go(one.turn - 1) }, "Show the turn"),
      h("button", { type: "button", class: "main", onclick: () => tryFromHere(game, one.turn - 1, one.player) }, "Try it from here")));
}

function capital(words, end = ".") {
  return `${words[0].toUpperCase()}${words.slice(1)}${/[.!?…]$/.test(words) ? "" : end}`;
}

/** List the turns of which the coach warned the player in a seat during the game. */
export function costlyTurns(costs, game, { go, seat }) {
  const items = [...costs].map(([turn, { cost, better }]) => h("li", {},
    h("button", { type: "button", class: "link", onclick: () => go(turn - 1) }, `Turn ${turn}`),
    `, about ${cost.toFixed(1)} points: the coach would ${better}. `,
    h("button", { type: "button", class: "link", onclick: () => tryFromHere(game, turn - 1, seat) }, "Try it from here")));
  return h("section", { class: "costly", "aria-label": "turns that cost you points" }, h("h3", {}, "Turns that cost you points"), h("ul", {}, items));
}

/** Open a table that continues the game before a turn, with the same partners. */
export async function tryFromHere(game, turn, seat) {
  try {
    const made = await createTable({ from: game, turn, seat });
    const key = made.seats[seat];
    rememberTable({ table: made.table, key, seats: made.seats });
    location.href = tableAddress(made.table, key);
  } catch (error) {
    showError(error.message);
  }
}

function accuracy(players) {
  const points = (value) => (Math.abs(value) < 0.005 ? "0.00" : value.toFixed(2).replace("-", "−"));
  return h("table", { class: "accuracy" },
    h("caption", {}, "Points given away by decisions, and luck"),
    h("thead", {}, h("tr", {}, ["player", "given away", "luck with own cards", "luck of the draw", "mistakes"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, players.map((player) => h("tr", {}, h("th", { scope: "row" }, capital(player.name, "")),
      [points(player.given_away), points(player.hidden), points(player.draw), String(player.mistakes)].map((cell) => h("td", {}, cell))))));
}

const GOALS = { play: ".hl-fireworks", discard: ".hl-discards" };

/** Mark the best action of a turn on the board that is shown before it: its cards, and an arrow. */
export function markBest(table, best) {
  if (!best) return;
  const from = best.type === "hint" ? handOf(best.by) : `[data-player="${best.by}"][data-slot="${best.slots[0]}"]`;
  arrow(table, from, GOALS[best.type] ?? handOf(best.player), "advised");
  for (const slot of best.slots) table.querySelector(`[data-player="${best.player}"][data-slot="${slot}"]`)?.classList.add("best");
}
