// The glossary on the pages: terms in explanations open their entry, in a small window over the page.

import { h } from "./dom.js";

let glossary = null;
let loading = null;
let popover = null;

/** Load the glossary, once; `withTerms` links terms from then on. */
export function loadTerms() {
  loading ??= fetch("/static/shared/glossary.json").then((answer) => answer.json()).then((data) => {
    const forms = new Map();
    for (const entry of data.table) for (const form of [entry.word, ...entry.forms]) forms.set(form, entry);
    const longest = [...forms.keys()].sort((a, b) => b.length - a.length);
    glossary = { ...data, forms, pattern: new RegExp(`\\b(${longest.join("|")})\\b`, "gi") };
    return data;
  }).catch(() => { loading = null; return { table: [], laboratory: [] }; });
  return loading;
}

/** Return a text with the first mention of each term as a button that opens its entry. */
export function withTerms(text) {
  if (!glossary) return [text];
  const parts = [];
  const used = new Set(["play", "suit", "rank"]);
  let end = 0;
  for (const { 0: word, index } of text.matchAll(glossary.pattern)) {
    const entry = glossary.forms.get(word.toLowerCase());
    if (used.has(entry.word)) continue;
    used.add(entry.word);
    parts.push(text.slice(end, index), term(entry, word));
    end = index + word.length;
  }
  return [...parts, text.slice(end)].filter(Boolean);
}

/** Show a text with its terms, as soon as the glossary is there. */
export function showWithTerms(place, text) {
  place.replaceChildren(...withTerms(text));
  if (!glossary) loadTerms().then(() => { if (glossary && place.textContent === text) place.replaceChildren(...withTerms(text)); });
}

function term(entry, word) {
  const button = h("button", { type: "button", class: "term", "aria-haspopup": "dialog", onclick: () => open(entry, button) }, word);
  return button;
}

function open(entry, beside) {
  popover?.remove();
  popover = h("div", { class: "term-entry panel", popover: "auto", role: "dialog", "aria-label": `glossary: ${entry.word}`, tabindex: "-1" },
    h("p", {}, h("strong", {}, entry.word)), h("p", {}, marked(entry.meaning)),
    entry.others ? h("p", { class: "quiet" }, `Others say: ${entry.others}.`) : null,
    h("p", { class: "buttons" }, h("a", { href: `/rules#${anchor(entry)}`, target: "_blank" }, "All words"),
      h("button", { type: "button", class: "quiet", onclick: () => popover.hidePopover() }, "Close")));
  popover.addEventListener("toggle", ({ newState }) => { if (newState === "closed") beside.focus({ preventScroll: true }); });
  document.body.append(popover);
  popover.showPopover();
  popover.focus({ preventScroll: true });
}

const anchor = ({ word }) => word.replaceAll(" ", "-");

/** Return a text in which what stands in backquotes is code. */
function marked(text) {
  return text.split("`").map((part, number) => (number % 2 ? h("code", {}, part) : part));
}

/** Return entries as a list of definitions, with anchors. */
export function definitions(entries) {
  return h("dl", { class: "glossary" }, entries.map((entry) => h("div", { id: anchor(entry) },
    h("dt", {}, entry.word), h("dd", {}, marked(entry.meaning), entry.others ? h("span", { class: "quiet" }, ` Others say: ${entry.others}.`) : null))));
}
