// Where was it lost? The best reachable score after each turn, and what the solver says.

import { h, s } from "../shared/dom.js";

/** Draw a bar for each turn: how many points were within reach after it. */
export function strip(found, go) {
  const bests = [found.start, ...found.turns];
  const most = Math.max(...bests.map(({ best }) => best), 1);
  const width = 100 / bests.length;
  const bars = bests.map(({ winnable, best }, turn) => s("rect", {
    x: turn * width, width: width * 0.9, y: 30 - (29 * best) / most, height: (29 * best) / most + 1,
    class: winnable ? "winnable" : winnable === false ? "lost" : "open", "data-turn": turn,
  }, s("title", {}, `after turn ${turn}: best reachable score ${best}`)));
  const picture = s("svg", { viewBox: "0 0 100 32", preserveAspectRatio: "none", role: "img", "aria-label": `best reachable score after each turn: ${bests.map(({ best }) => best).join(" ")}` }, bars);
  picture.addEventListener("click", (event) => {
    const turn = event.target.closest("[data-turn]")?.dataset.turn;
    if (turn !== undefined) go(Number(turn));
  });
  return picture;
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
