// The board on a page: lay out its parts, make cards selectable, keep the focus.

import { h, percent, makeButton } from "../shared/dom.js";
import { keepFitting } from "./fit.js";
import { restoreFocus, focusedPart } from "./focus.js";

/** Draw a board into an element. The viewer's own hand comes last, next to the buttons. */
export function draw(place, board, prepare = () => {}) {
  const focused = focusedPart(place);
  const shape = document.createElement("template");
  shape.innerHTML = board.svg;
  const drawn = shape.content.querySelector(".hl-board");
  const parts = (name) => [...drawn.querySelectorAll(`.hl-${name}`)];
  const { viewer, players } = board.facts;
  const first = typeof viewer === "number" ? viewer + 1 : 0;
  const hands = parts("hand").sort((a, b) => seatOrder(a, first, players) - seatOrder(b, first, players));
  const below = typeof viewer === "number" ? 1 : Math.floor(hands.length / 2);
  for (const hand of hands.slice(hands.length - below)) hand.dataset.place = typeof viewer === "number" ? "own" : "below";
  for (const name of drawn.querySelectorAll(".hl-hand > .hl-name")) if (name.textContent === "you") name.textContent = "You";
  const table = h("div", { class: "hl-board table-view" }, parts("counters"), parts("fireworks"), parts("discards"), hands);
  place.replaceChildren(table);
  keepFitting(table);
  prepare(table);
  if (focused) restoreFocus(place, focused);
  return table;
}

function seatOrder(hand, first, players) {
  return (Number(hand.dataset.hand) - first + players) % players;
}

export function cardAt(table, player, slot) {
  return table.querySelector(`[data-player="${player}"][data-slot="${slot}"]`);
}

/** Make cards controls: a viewer's own cards to choose, the others' ranks and suits to hint at.
 *
 * They stay controls when nothing can be done with them, so that nobody loses their place. */
export function enable(table, facts, { choose, hint }) {
  const hints = new Map(facts.actions.filter((action) => action.touches).map((action) => [`${action.target} ${action.value}`, action]));
  for (const card of table.querySelectorAll("[data-slot]")) {
    const player = Number(card.dataset.player);
    if (player === facts.viewer) enableOwn(card, facts, choose);
    else for (const zone of card.querySelectorAll(".to-others > [data-rank], .to-others > [data-suit]")) enableZone(table, zone, player, facts, hints, hint);
  }
}

function enableOwn(card, facts, choose) {
  const slot = Number(card.dataset.slot);
  const known = facts.hands[facts.viewer][slot];
  const chances = known.playable === undefined ? "" : `, playable ${percent(known.playable)}`;
  const usable = facts.actions.some((action) => action.slot === slot);
  makeButton(card, `${card.getAttribute("aria-label")}${chances}`, () => choose(slot), usable);
  card.setAttribute("aria-pressed", "false");
}

function enableZone(table, zone, player, facts, hints, hint) {
  const value = zone.dataset.rank ?? zone.dataset.suit;
  const action = hints.get(`${player} ${value}`);
  const words = action?.words ?? `${zone.dataset.rank ? "rank" : "suit"} ${value} of ${facts.names[player]}`;
  makeButton(zone, words, () => action && hint(action), Boolean(action));
  if (!action) return;
  const touched = action.touches.map((slot) => cardAt(table, player, slot));
  const mark = (on) => () => touched.forEach((card) => card?.classList.toggle("previewed", on));
  // A new drawing under a mouse that rests, or with the focus of a click, previews nothing.
  zone.addEventListener("pointermove", mark(true));
  zone.addEventListener("pointerleave", mark(false));
  zone.addEventListener("focus", () => { if (zone.matches(":focus-visible")) mark(true)(); });
  zone.addEventListener("blur", mark(false));
}

/** Mark one of the viewer's own cards as chosen. */
export function markChosen(table, viewer, slot) {
  for (const card of table.querySelectorAll(`[data-slot][data-player="${viewer}"]`)) {
    const on = Number(card.dataset.slot) === slot;
    card.classList.toggle("chosen", on);
    if (card.hasAttribute("aria-pressed")) card.setAttribute("aria-pressed", String(on));
  }
}
