// The board on a page: lay out its parts, make cards selectable, keep the focus.

import { h, percent, pressable } from "./dom.js";

/** Draw a board into an element. The viewer's own hand comes last, next to the buttons. */
export function draw(place, board) {
  const focused = describeFocus(place);
  const shape = document.createElement("template");
  shape.innerHTML = board.svg;
  const drawn = shape.content.querySelector(".hl-board");
  const parts = (name) => [...drawn.querySelectorAll(`.hl-${name}`)];
  const { viewer, players } = board.facts;
  const first = typeof viewer === "number" ? viewer + 1 : 0;
  const hands = parts("hand").sort((a, b) => seatOrder(a, first, players) - seatOrder(b, first, players));
  const own = hands.filter((hand) => hand.dataset.hand === String(viewer));
  const others = hands.filter((hand) => !own.includes(hand));
  for (const hand of others) fit(hand, 1.2, others.length === 4 ? "40%" : "0px");
  for (const hand of own) fit(hand, 1.3, "100%");
  const table = h("div", { class: "hl-board table-view" },
    h("div", { class: "table-top" }, parts("counters"), parts("fireworks")),
    h("div", { class: "table-hands" }, others, h("div", { class: "own-row" }, own)),
    h("div", { class: "table-side" }, parts("discards")));
  place.replaceChildren(table);
  if (focused) place.querySelector(focused)?.focus();
  return table;
}

/** Show a hand at least as large as drawn, if there is room; let it grow a little. */
function fit(hand, growth, least) {
  const width = Number(hand.getAttribute("width"));
  hand.style.flexBasis = `max(${width}px, ${least})`;
  hand.style.maxWidth = `min(100%, ${growth * width}px)`;
}

function seatOrder(hand, first, players) {
  return (Number(hand.dataset.hand) - first + players) % players;
}

/** Return a selector for what has the focus, to find it again in the next drawing. */
function describeFocus(place) {
  const element = document.activeElement;
  if (!element || !place.contains(element)) return null;
  const card = element.closest("[data-slot]");
  if (!card) return null;
  const base = `[data-player="${card.dataset.player}"][data-slot="${card.dataset.slot}"]`;
  if (element === card) return base;
  return `${base} ${element.dataset.rank ? "[data-rank]" : "[data-suit]"}`;
}

/** Let the viewer act: select their own cards, give hints on the others'. */
export function enable(table, facts, { choose, hint }) {
  const hints = new Map(facts.actions.filter((action) => action.touches).map((action) => [hintKey(action), action]));
  const mayTouchOwn = facts.actions.some((action) => action.slot !== undefined);
  for (const card of table.querySelectorAll("[data-slot]")) {
    const player = Number(card.dataset.player);
    if (player === facts.viewer && mayTouchOwn) enableOwn(card, facts, choose);
    else for (const zone of card.querySelectorAll("[data-rank], [data-suit]")) enableZone(table, zone, player, hints, hint);
  }
}

function hintKey(action) {
  return `${action.target} ${action.value}`;
}

function enableOwn(card, facts, choose) {
  const known = facts.hands[facts.viewer][Number(card.dataset.slot)];
  const chances = known.playable === undefined ? "" : `, playable ${percent(known.playable)}`;
  pressable(card, `${card.getAttribute("aria-label")}${chances}`, () => choose(Number(card.dataset.slot)));
  card.setAttribute("aria-pressed", "false");
}

function enableZone(table, zone, player, hints, hint) {
  const value = zone.dataset.rank ?? zone.dataset.suit;
  const action = hints.get(`${player} ${value}`);
  if (!action) return;
  const touched = action.touches.map((slot) => table.querySelector(`[data-player="${player}"][data-slot="${slot}"]`));
  pressable(zone, `${action.words}, touches slots ${action.touches.join(", ")}`, () => hint(action));
  const mark = (on) => () => touched.forEach((card) => card?.classList.toggle("would", on));
  zone.addEventListener("pointerenter", mark(true));
  zone.addEventListener("pointerleave", mark(false));
  zone.addEventListener("focus", mark(true));
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

/** Move the focus to the nearest control in the direction of an arrow key. */
export function moveFocus(table, key) {
  const all = [...table.querySelectorAll(".can")];
  const here = all.indexOf(document.activeElement);
  if (here < 0) {
    all[0]?.focus();
    return;
  }
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(all[here]);
  const vertical = key === "ArrowUp" || key === "ArrowDown";
  const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  let best = null;
  for (const other of all) {
    const [ox, oy] = middle(other);
    const along = sign * (vertical ? oy - y : ox - x);
    const aside = Math.abs(vertical ? ox - x : oy - y);
    const cost = along + 3 * aside;
    if (along > 4 && (best === null || cost < best.cost)) best = { cost, other };
  }
  best?.other.focus();
}
