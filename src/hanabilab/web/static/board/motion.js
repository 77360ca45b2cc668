// Let turns be followed: cards move to where they go, and an arrow shows who told whom.

import { s } from "../shared/dom.js";
import { motionAllowed } from "../shared/settings.js";
import { cardAt } from "./draw.js";

const TIME = 450;
const BURST = 1100;
const SPARKS = 28;

/** Return where every card of a drawing is, with a copy of its picture. */
export function positions(place) {
  const found = new Map();
  for (const card of place.querySelectorAll("[data-slot]")) {
    found.set(`${card.dataset.player} ${card.dataset.slot}`, { box: card.getBoundingClientRect(), card });
  }
  return found;
}

/** Show what the last turn did on a new drawing, given the positions in the one before. */
export function showTurn(table, facts, before) {
  const { last } = facts;
  if (!last) return;
  if (last.target !== undefined) arrow(table, handOf(last.player), handOf(last.target));
  else if (last.slot !== undefined && before?.size && motionAllowed()) {
    move(table, facts, before);
    const firework = last.lit && table.querySelector(".hl-firework.last.complete");
    if (firework) setTimeout(burst, TIME, firework);
  }
}

/** Let sparks in the colour of a complete suit fly from its firework. */
function burst(firework) {
  const box = firework.getBoundingClientRect();
  if (!box.width) return;
  const sparks = Array.from({ length: SPARKS }, () => s("circle", { r: 3.5, class: "spark" }));
  const picture = s("svg", { class: "hl-board flying burst", width: 1, height: 1, "aria-hidden": "true" }, s("g", { class: firework.getAttribute("class") }, sparks));
  Object.assign(picture.style, { left: `${box.x + box.width / 2}px`, top: `${box.y + box.height / 2}px` });
  document.body.append(picture);
  sparks.forEach((spark, n) => {
    const angle = (2 * Math.PI * n) / SPARKS;
    const far = box.width * (n % 2 ? 1.5 : 0.95);
    const end = `translate(${far * Math.cos(angle)}px, ${far * Math.sin(angle) + 20}px)`;
    spark.animate([{ transform: "none", opacity: 1 }, { opacity: 1, offset: 0.6 }, { transform: end, opacity: 0 }], { duration: BURST, easing: "cubic-bezier(0.1, 0.7, 0.4, 1)", fill: "forwards" });
  });
  setTimeout(() => picture.remove(), BURST);
}

function move(table, { last, hands }, before) {
  const from = before.get(`${last.player} ${last.slot}`);
  const suit = last.card?.replace(/\d+$/, "");
  const goal = last.card === null ? table.querySelector(".hl-fireworks") : last.lit ? table.querySelector(`[data-firework="${suit}"]`) : table.querySelector(".hl-chip.last");
  if (from && goal) fly(from, goal);
  const count = hands[last.player].length;
  for (let slot = 0; slot < count; slot += 1) {
    const card = cardAt(table, last.player, slot);
    const drawn = last.drew && slot === count - 1;
    const start = drawn ? table.querySelector("[data-pile=draw]")?.getBoundingClientRect() : before.get(`${last.player} ${slot < last.slot ? slot : slot + 1}`)?.box;
    if (card && start) slide(card, start);
  }
}

/** Let a copy of the card fly from its old place to the goal. */
function fly({ box, card }, goal) {
  const end = goal.getBoundingClientRect();
  const copy = card.cloneNode(true);
  for (const name of ["transform", "role", "tabindex", "aria-label", "data-player", "data-slot"]) copy.removeAttribute(name);
  const ghost = s("svg", { class: "hl-board flying", viewBox: "0 0 64 102", width: box.width, height: box.height, "aria-hidden": "true" }, copy);
  Object.assign(ghost.style, { left: `${box.x}px`, top: `${box.y}px` });
  document.body.append(ghost);
  const by = `translate(${end.x + end.width / 2 - box.x - box.width / 2}px, ${end.y + end.height / 2 - box.y - box.height / 2}px)`;
  const moving = ghost.animate([{ transform: "none", opacity: 1 }, { transform: `${by} scale(0.7)`, opacity: 0.85 }], { duration: TIME, easing: "ease-in-out" });
  moving.onfinish = () => ghost.remove();
  moving.oncancel = () => ghost.remove();
}

/** Let a card slide to its place from where it was. */
function slide(card, start) {
  const here = card.getBoundingClientRect();
  const scale = card.ownerSVGElement.getScreenCTM()?.a || 1;
  const [x, y] = [(start.x - here.x) / scale, (start.y - here.y) / scale];
  if (Math.abs(x) + Math.abs(y) < 1) return;
  card.animate([{ translate: `${x}px ${y}px` }, { translate: "0px 0px" }], { duration: TIME, easing: "ease-out" });
}

/** Return where the line from a point of a box towards another point leaves the box. */
function edge(box, from, towards) {
  const [dx, dy] = [towards.x - from.x, towards.y - from.y];
  const reach = (delta, low, high, at) => (Math.abs(delta) < 1 ? 1 : ((delta > 0 ? high : low) - at) / delta);
  const part = Math.min(reach(dx, box.left, box.right, from.x), reach(dy, box.top, box.bottom, from.y), 1);
  return { x: from.x + dx * part, y: from.y + dy * part };
}

const INSET = [15, 12]; // by how much an arrow reaches into a hand, across and down
const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.1, 0.9]; // where an arrow may leave and meet a hand, in parts of its width
const BENDS = [0.15, 0.05, -0.05, -0.15];
const SAMPLES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const COVERS = { counters: 8, discards: 5, hand: 3, fireworks: 1 }; // how bad it is to draw over each part

/** Return the middle of a bent line between two points. */
const bent = (start, end, bend) => ({ x: (start.x + end.x) / 2 - (end.y - start.y) * bend, y: (start.y + end.y) / 2 + (end.x - start.x) * bend });

/** Return how much a curve covers, and a little for its length. */
function cost(start, middle, end, obstacles) {
  let sum = Math.hypot(end.x - start.x, end.y - start.y) / 400;
  for (const t of SAMPLES) {
    const at = (axis) => (1 - t) ** 2 * start[axis] + 2 * t * (1 - t) * middle[axis] + t ** 2 * end[axis];
    const [x, y] = [at("x"), at("y")];
    for (const { box, bad } of obstacles) if (x > box.left && x < box.right && y > box.top && y < box.bottom) sum += bad;
  }
  return sum;
}

/** Return the way from one box to another that covers least of what is between them. */
function route(giver, taker, obstacles) {
  const at = (box, along) => box.left + along * (box.right - box.left);
  const between = (x) => [giver, taker].every((box) => x > box.left && x < box.right);
  const straight = obstacles.flatMap(({ box }) => [box.left - 1, box.right + 1]).filter(between).map((x) => [x, x, [0]]);
  let best = null;
  for (const [from, to, bends] of [...ALONG.flatMap((one) => ALONG.map((two) => [at(giver, one), at(taker, two), BENDS])), ...straight]) {
    const [a, b] = [[giver, from], [taker, to]].map(([box, x]) => ({ x, y: (box.top + box.bottom) / 2 }));
    const [start, end] = [edge(giver, a, b), edge(taker, b, a)];
    for (const bend of bends) {
      const middle = bent(start, end, bend);
      const bad = cost(start, middle, end, obstacles);
      if (!best || bad < best.bad - 0.01) best = { start, middle, end, bad };
    }
  }
  return best;
}

export const handOf = (player) => `[data-hand="${player}"]`;

/** Draw an arrow from one part of the table to another, and again when they have moved. */
export function arrow(table, from, to, kind = "") {
  if (!table.querySelector(from) || !table.querySelector(to)) return;
  const shaft = s("path", { class: "shaft", pathLength: 1 });
  const head = s("path", { class: "head" });
  const picture = s("svg", { class: `arrow ${kind}`, "aria-hidden": "true" }, shaft, head);
  table.append(picture);
  const point = () => {
    const place = table.getBoundingClientRect();
    const boxOf = (element, [x, y]) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return { left: left - place.x + x, right: right - place.x - x, top: top - place.y + y, bottom: bottom - place.y - y };
    };
    const [giver, taker] = [from, to].map((selector) => table.querySelector(selector));
    const obstacles = Object.entries(COVERS).flatMap(([name, bad]) => [...table.querySelectorAll(`.hl-${name}`)]
      .filter((each) => each !== giver && each !== taker)
      .map((each) => ({ box: boxOf(each, [-4, 0]), bad })));
    const { start, middle, end } = route(boxOf(giver, INSET), boxOf(taker, INSET), obstacles);
    const angle = Math.atan2(end.y - middle.y, end.x - middle.x);
    const wing = (turn) => `${end.x - 15 * Math.cos(angle + turn)} ${end.y - 15 * Math.sin(angle + turn)}`;
    shaft.setAttribute("d", `M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`);
    head.setAttribute("d", `M${end.x} ${end.y}L${wing(0.45)}L${wing(-0.45)}Z`);
  };
  point();
  new ResizeObserver(() => requestAnimationFrame(point)).observe(table);
}
