// Today: a deck to play and a puzzle to solve, both from the date in UTC; the results can be shared.

import { announce } from "../shared/announcer.js";
import { runJob, tableStatuses } from "../shared/api.js";
import { draw } from "../board/draw.js";
import { copy, find, h, save } from "../shared/dom.js";
import { rememberTable, tableAddress } from "../shared/my_tables.js";
import { deal } from "../shared/new_table.js";
import { runWithProgress } from "../shared/progress.js";
import { loadSetting, saveSetting } from "../shared/settings.js";
import { showError, shell } from "../shared/shell.js";
import { question } from "../solve/puzzle.js";
import { deckResult, picture, puzzleResult } from "./share.js";

const SETUP = { request: { players: 3, humans: [0], practice: false }, own: 0, words: "Deck of the day" };

/** Return what this browser remembers of a day: `{table, key, result, tries}`. */
const remembered = (date) => loadSetting(`daily ${date}`, {});
const remember = (date, facts) => saveSetting(`daily ${date}`, { ...remembered(date), ...facts });

function inWords(date) {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/** Make the part that shows a result, with buttons to share it. */
function shareable(result, name) {
  const text = h("textarea", { class: "shared", readonly: true, rows: result.rows.length + 2, "aria-label": "your result as text" });
  text.value = result.text;
  const put = h("button", { type: "button", class: "main", onclick: () => copy(result.text, put, text) }, "Copy the result");
  return h("div", { class: "stack", role: "status" }, text, h("p", { class: "buttons" }, put,
    h("button", { type: "button", onclick: async () => save(`${name}.png`, await picture(result), "image/png") }, "Save as a picture")));
}

async function playedResult(date, par) {
  const { table, result } = remembered(date);
  if (result || !table) return result ?? null;
  const now = (await tableStatuses([table])).tables[table];
  if (!now?.end) return null;
  const found = { date, score: now.score, lives: now.lives ?? 0, par: par.par, max_score: par.max_score };
  remember(date, { result: found });
  return found;
}

async function deckPanel(place, day) {
  const par = await runWithProgress(place, "Solving the deck of the day", "daily", { date: day });
  const { date } = par;
  const result = await playedResult(date, par);
  const { table, key } = remembered(date);
  const play = async () => {
    try {
      const made = await deal(SETUP, { seed: String(par.seed), game: "0" }, { keep: false });
      remember(date, made);
      rememberTable({ table: made.table, daily: date });
      location.href = tableAddress(made.table, made.key);
    } catch (error) {
      showError(error.message);
    }
  };
  const open = table ? h("a", { class: "button main", href: tableAddress(table, key) }, "Continue the game") : h("button", { type: "button", class: "main", onclick: play }, "Play the deck");
  place.replaceChildren(h("p", {}, `You and two Club players; everyone gets this deck today. With all cards open it allows ${par.par === par.bound ? "" : "at least "}`, h("strong", {}, `${par.par} points`), ": that is par."),
    ...(result ? [shareable(deckResult(result), `hanabi-${date}`), h("p", {}, h("a", { href: tableAddress(table, key) }, "See the table and its review"))] : [h("p", { class: "buttons" }, open)]));
}

async function puzzlePanel(place, day) {
  const found = await runWithProgress(place, "Finding the puzzle of the day", "puzzle", { daily: day });
  const { date } = found;
  const share = h("div", {});
  const board = h("div", { class: "board" });
  const { tries: before = [] } = remembered(date);
  const tries = before.map(({ keeps }) => keeps);
  const show = () => { if (tries.includes(true)) share.replaceChildren(shareable(puzzleResult({ ...found, tries }), `hanabi-puzzle-${date}`)); };
  const tried = (move) => {
    if (tries.includes(true)) return;
    tries.push(move.keeps);
    remember(date, { tries: [...(remembered(date).tries ?? []), { words: move.words, keeps: move.keeps }] });
    show();
  };
  const pileWords = h("p", {});
  place.replaceChildren(h("div", { class: "puzzle" },
    h("div", {}, h("p", {}, `All cards are open. Par is ${found.solution_turns} turns to ${found.max_score} points.`), pileWords, ...question(found, { tried, before }), share), board));
  show();
  const { frames, deck } = await runJob("replay", { code: found.code });
  draw(board, frames.at(-1));
  const pile = deck.split(" ").slice(-found.draw_pile);
  pileWords.textContent = found.draw_pile ? `Draw pile, next card first: ${pile.join(" ")}.` : "The draw pile is empty.";
}

async function start() {
  shell();
  const given = new URLSearchParams(location.search).get("date") ?? "";
  const day = given || new Date().toISOString().slice(0, 10);
  const [deck, puzzle] = [h("div", {}), h("div", {})];
  find("main").append(h("h1", {}, given ? inWords(day) : `Today, ${inWords(day)}`),
    h("section", { class: "panel", id: "deck", "aria-label": "deck of the day" }, h("h2", {}, "Deck of the day"), deck),
    h("section", { class: "panel", id: "puzzle", "aria-label": "puzzle of the day" }, h("h2", {}, "Puzzle of the day"), puzzle));
  const failed = (error) => { showError(error.message); announce(error.message); };
  await Promise.all([deckPanel(deck, day).catch(failed), puzzlePanel(puzzle, day).catch(failed)]);
}

start();
