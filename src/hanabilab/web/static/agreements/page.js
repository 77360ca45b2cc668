// The agreements of `conventions`, in words and pictures.

import { draw } from "../board/draw.js";
import { find, h } from "../shared/dom.js";
import { shell } from "../shared/shell.js";
import { runWithProgress } from "../shared/progress.js";

function example({ title, level, words, boards }) {
  const pictures = boards.map((board) => {
    const place = h("div", { class: "board" });
    draw(place, board);
    return h("figure", {}, h("figcaption", {}, `${board.facts.last.words}.`), place);
  });
  return h("section", { class: "panel agreement" }, h("h2", {}, title), h("p", { class: "quiet" }, `from level ${level} on`), h("p", {}, words), pictures);
}

async function start() {
  shell();
  const main = find("main");
  const place = h("div", { class: "stack" });
  main.append(h("h1", {}, "The agreements of conventions"),
    h("p", { class: "lead" }, "What your partner’s hints say, and how your partner reads yours. All hands are face up here; the newest card stands left."),
    h("p", {}, h("a", { class: "button main", href: "/play" }, "Play")), place);
  const { agreements } = await runWithProgress(place, "Drawing the examples", "agreements", {});
  place.append(...agreements.map(example));
}

start().catch(() => {});
