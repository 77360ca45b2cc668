// The rules and the glossary.

import { find, h } from "../shared/dom.js";
import { rules } from "../shared/help.js";
import { shell } from "../shared/shell.js";
import { definitions, loadTerms } from "../shared/terms.js";

async function start() {
  shell();
  const words = h("section", { class: "panel", id: "glossary", "aria-label": "glossary" });
  find("main").append(h("h1", {}, "Rules and glossary"),
    h("p", { class: "buttons" }, h("a", { class: "button main", href: "/learn" }, "Learn by playing"), h("a", { class: "button", href: "/play" }, "Play"), h("a", { class: "button", href: "/agreements" }, "Agreements")),
    h("div", { class: "reference" }, h("section", { class: "panel", "aria-label": "rules" }, rules("h2")), words));
  const { table, laboratory } = await loadTerms();
  words.append(h("h2", {}, "Words at the table"), definitions(table),
    h("details", {}, h("summary", {}, "Words of the laboratory"), definitions(laboratory)));
  const named = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  named?.closest("details")?.setAttribute("open", "");
  named?.scrollIntoView();
}

start().catch(() => {});
