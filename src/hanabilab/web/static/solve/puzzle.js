// Find the move: a late position in which only one kind of action keeps the maximum.

import { announce } from "../shared/announcer.js";
import { h } from "../shared/dom.js";
import { showError } from "../shared/shell.js";
import { runWithProgress } from "../shared/progress.js";

export function puzzlePanel(rules, replay, answer, prepare) {
  const button = h("button", { type: "button" }, "New puzzle");
  button.addEventListener("click", async () => {
    if (button.disabled) return;
    button.disabled = true;
    showError("");
    prepare();
    try {
      const found = await runWithProgress(answer, "Looking for a puzzle", "puzzle", { players: rules.players, rules: rules.value });
      const note = h("div", {});
      answer.replaceChildren(...question(found), note);
      await replay.open({ code: found.code }, { turn: "last", note });
    } catch (error) {
      answer.replaceChildren(h("p", { role: "status" }, error.message === "stopped" ? "stopped" : ""));
      if (error.message !== "stopped") showError(error.message);
    } finally {
      button.disabled = false;
    }
  });
  return h("section", { class: "panel stack" }, h("h2", {}, "Find the move"),
    h("p", {}, "A position near the end, with all cards open. Only one kind of action keeps the maximum."),
    h("p", { class: "buttons" }, button, h("a", { class: "button", href: "/daily#puzzle" }, "Puzzle of the day")));
}

/** Make the question and a button for each move; `tried` is given each move, `before` are those tried already. */
export function question(found, { tried = () => {}, before = [] } = {}) {
  const said = h("p", { role: "status" });
  const tell = (move) => {
    const words = move.keeps
      ? `Right: ${move.words} keeps ${found.max_score}; the other ${found.losing} moves lose.`
      : `No: after “${move.words}”, ${found.max_score} is out of reach.`;
    said.textContent = words;
    return words;
  };
  const moves = found.moves.map((move) => {
    const button = h("button", { type: "button" }, move.words);
    const known = before.some(({ words }) => words === move.words);
    if (known) tell(move);
    button.disabled = known && !move.keeps;
    button.addEventListener("click", () => {
      announce(tell(move));
      button.disabled = !move.keeps;
      tried(move);
    });
    return button;
  });
  return [h("p", {}, `Which move keeps ${found.max_score}? ${found.losing} of ${found.moves.length} lose.`),
    h("div", { class: "buttons" }, moves), said];
}
