// The rules in short and the glossary: on a page of their own, and one key away on all others.

import { h } from "./dom.js";
import { definitions, loadTerms } from "./terms.js";

export const RULES = [
  ["The goal", ["Build five fireworks together, one for each suit. Each goes from 1 to 5. Every card played is a point, so 25 is the maximum.",
    "The deck has 50 cards. Each suit has three 1s, two 2s, two 3s, two 4s and one 5."]],
  ["What you see", ["You see all cards except your own. The others may tell you about yours only by hints."]],
  ["Your turn", ["Do one of three things:",
    ["Give a hint: name a suit or a rank, and point at all cards of that suit or rank in one other player's hand. It must touch a card, and costs a hint token. There are 8.",
      "Play a card. If it is the next one of its firework, it stays there. Otherwise it is discarded, and the team loses one of its three lives. Then draw a card.",
      "Discard a card: a hint token comes back. You cannot discard while all 8 are available. Then draw a card."],
    "A completed firework gives a hint token back as well."]],
  ["The end", ["The game ends when all fireworks are complete, when the last life is lost (the score is then 0), or when everyone has had one more turn after the last card was drawn."]],
  ["Hands", ["Two or three players have five cards each, four or five players have four."]],
];

/** Return the rules as elements, with headings of a level. */
export function rules(level = "h3") {
  return RULES.flatMap(([title, parts]) => [h(level, {}, title),
    ...parts.map((part) => (Array.isArray(part) ? h("ul", {}, part.map((line) => h("li", {}, line))) : h("p", {}, part)))]);
}

let dialog = null;

/** Open the rules and the glossary over the page. */
export async function openHelp() {
  if (dialog?.open) return;
  const words = h("details", {}, h("summary", {}, "Glossary"));
  const close = h("button", { type: "button", class: "main", onclick: () => dialog.close() }, "Close");
  dialog?.remove();
  dialog = h("dialog", { class: "panel help-dialog", "aria-label": "rules and glossary" },
    h("div", { class: "form-head" }, h("h2", {}, "The rules"), close),
    h("p", { class: "buttons" }, h("a", { href: "/learn" }, "Learn in five minutes"), h("a", { href: "/agreements" }, "Agreements"), h("a", { href: "/rules" }, "This as a page")),
    words, rules());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
  words.append(definitions((await loadTerms()).table));
}

/** Return the button for the header; the key “?” does the same. */
export function helpButton() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.target.closest?.("input, textarea, select, dialog")) return;
    event.preventDefault();
    openHelp();
  });
  return h("button", { type: "button", class: "quiet theme", "aria-label": "rules and glossary", title: "rules and glossary (?)", onclick: openHelp }, "?");
}
