// The front page: what “Play now” deals, and a game that plays itself unless the visitor prefers reduced motion.

import { runJob } from "../shared/api.js";
import { draw } from "../board/draw.js";
import { find, h } from "../shared/dom.js";
import { lastSetup } from "../shared/new_table.js";
import { loadSetting } from "../shared/settings.js";
import { shell } from "../shared/shell.js";
import { awaitWithProgress } from "../shared/progress.js";

async function sampleGame(place) {
  const words = h("p", { class: "words" });
  const why = h("p", { class: "why" });
  const board = h("div", { class: "board" });
  const game = { strategy: "conventions", players: 3, seed: 1 };
  const { frames, address } = await awaitWithProgress(place, "Loading a game", runJob("replay", { ...game, eyes: 0, count: 30 }));
  place.append(h("h2", {}, "Three Club players at work, as Alice sees it"),
    h("div", { class: "said" }, words, why), board);
  let turn = 8;
  const show = () => {
    const { last } = frames[turn].facts;
    draw(board, frames[turn]);
    words.textContent = last?.words ?? "the deal";
    why.textContent = last?.why ?? "";
  };
  show();
  let running = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const pause = h("button", { type: "button", onclick: () => { running = !running; label(); } });
  const label = () => { pause.textContent = running ? "Pause" : "Continue"; };
  label();
  place.append(h("p", { class: "buttons" }, pause, h("a", { class: "button", href: `/watch?${address}` }, "Replay the whole game")));
  setInterval(() => {
    if (document.hidden || !running) return;
    turn = (turn + 1) % frames.length;
    show();
  }, 3500);
}

/** Show the results of today that this browser remembers. */
function showToday() {
  const { result, tries = [] } = loadSetting(`daily ${new Date().toISOString().slice(0, 10)}`, {});
  if (result) find("#daily-deck").textContent = `${result.score} of ${result.max_score} points, par ${result.par}. Share it.`;
  if (tries.some(({ keeps }) => keeps)) find("#daily-puzzle").textContent = `Found at try ${tries.length}. Share it.`;
}

shell();
showToday();
find("#last-setup").textContent = lastSetup().words;
sampleGame(find("#sample")).catch(() => {});
