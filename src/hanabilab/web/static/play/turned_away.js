// What a visitor sees where no table can be opened: what happened, and where to go.

import { h } from "../shared/dom.js";

const REASONS = {
  "no such table": ["This table no longer exists",
    "A table is deleted 30 days after its last turn, or after a day if nobody plays. The link may also be incomplete: ask for it again."],
  "seat: this key opens no seat of this table": ["This link opens no seat",
    "The table exists, but the key at the end of the link fits none of its seats. The link may be incomplete: ask for it again."],
};

/** Replace the table by an explanation of the server's refusal and ways to go on. */
export function turnAway(place, error) {
  const [title, explanation] = REASONS[error] ?? ["The table cannot be opened", `The server answered: ${error}.`];
  document.body.classList.remove("at-table");
  document.title = `${title} – hanabilab`;
  const heading = h("h1", { tabindex: "-1" }, title);
  place.replaceChildren(h("section", { class: "panel turned-away", "aria-label": "no table" }, heading, h("p", {}, explanation),
    h("p", { class: "buttons" }, h("a", { class: "button main", href: "/play" }, "New game"), h("a", { class: "button", href: "/tables" }, "My games"))));
  heading.focus({ preventScroll: true });
}
