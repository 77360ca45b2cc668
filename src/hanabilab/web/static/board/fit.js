// Arrange the parts of a board: the fireworks in the middle, everything as large as it fits.

const GAP = 12;
const ACROSS = 10;
const LEAST = 0.635; // below this the ranks and suits of cards are hard to hit with a finger
const READABLE = 0.72; // below this the words beside the tokens and the discards are too small
const ENOUGH = 0.95;
const MOST = { hand: 1.9, fireworks: 2.6, side: 1.7 };
const WORTH = { others: 2.2, own: 1.1, fireworks: 1.3, counters: 0.45, discards: 0.45 };
const BALANCE = { others: 1.4, own: 1.4, fireworks: 1.7, counters: 1.2, discards: 1.2 }; // how much larger than the smallest cards, to any use
const NAME = { height: 20, width: 86 }; // above a hand, beside a hand; in units of the drawing

const part = (from, to, step) => Array.from({ length: Math.round((to - from) / step) + 1 }, (_, n) => from + n * step);

/** Return how hands fit best into an area: columns, scale, and whether names stand beside them. */
export function handGrid(count, hand, area) {
  let best = { scale: 0 };
  if (!count) return { ...best, width: 0, height: 0 };
  for (const aside of [false, true]) {
    const size = aside ? { width: hand.width + NAME.width, height: hand.height - NAME.height } : hand;
    for (let columns = 1; columns <= count; columns += 1) {
      const rows = Math.ceil(count / columns);
      const across = (area.width - ACROSS * (columns - 1)) / (columns * size.width);
      const down = (area.height - GAP * (rows - 1)) / (rows * size.height);
      const scale = Math.min(across, down, MOST.hand);
      // A name above its hand is nearer to it: beside it only where that makes small hands larger.
      if (scale > best.scale * (aside ? 1.1 : 1) && (!aside || best.aside || best.scale < ENOUGH)) {
        best = { scale, columns, rows, aside, width: scale * size.width, height: scale * size.height };
      }
    }
  }
  return best;
}

/** Return two grids at the smaller of their scales. */
function alike({ others, own }) {
  const scale = Math.min(others.scale, own.scale);
  const at = (grid) => ({ ...grid, scale, width: (grid.width * scale) / grid.scale, height: (grid.height * scale) / grid.scale });
  return scale ? { others: at(others), own: at(own) } : { others, own };
}

/** Return the scale at which drawings of one height fit side by side. */
function beside(sizes, { width, height }, most) {
  const ratio = sizes.reduce((sum, size) => sum + size.width / size.height, 0);
  const tall = Math.min(height, (width - ACROSS * (sizes.length - 1)) / ratio);
  return sizes.map((size) => Math.min(most, tall / size.height));
}

const inside = (size, { width, height }, most) => Math.max(0, Math.min(most, width / size.width, height / size.height));

/** Return all ways to share an area, each with the scale of every part and a grid for the hands. */
function* layouts({ counters, fireworks, discards, hand, others, own, even }, { width, height }) {
  const shares = own ? part(0.25, 0.6, 0.07) : [0];
  const shape = width / height;
  const hands = (area) => shares.map((share) => {
    const low = own ? area.height * share : 0;
    const grids = { others: handGrid(others, hand, { width: area.width, height: area.height - low - (own ? GAP : 0) }), own: handGrid(own, hand, { width: area.width, height: low }) };
    return even ? alike(grids) : grids;
  });
  for (const middle of part(0.14, 0.5, 0.04)) {
    const tall = middle * height;
    const rest = { width, height: height - tall - 2 * GAP };
    for (const side of shape > 0.8 ? [1, 0.8, 0.65] : []) {
      const sizes = [counters, fireworks, discards].map((size, place) => (place === 1 ? size : { width: size.width, height: size.height / side }));
      const [c, f, d] = beside(sizes, { width, height: tall }, MOST.fireworks);
      const scales = { counters: Math.min(c, MOST.side), fireworks: f, discards: Math.min(d, MOST.side) };
      for (const placed of hands(rest)) yield { kind: "rows", scales, ...placed };
    }
    // counters and discards below the fireworks, on a narrow board
    const f = inside(fireworks, { width, height: tall }, MOST.fireworks);
    for (const low of shape < 1.3 ? part(0.1, 0.36, 0.03) : []) {
      const [c, d] = beside([counters, discards], { width, height: low * height }, MOST.side);
      for (const placed of hands({ width, height: height * (1 - low) - tall - 3 * GAP })) {
        yield { kind: "stack", scales: { counters: c, fireworks: f, discards: d }, ...placed };
      }
    }
  }
  for (const column of shape > 1.2 ? part(0.12, 0.42, 0.05) : []) {
    const wide = column * width;
    for (const middle of part(0.14, 0.6, 0.06)) {
      const tall = middle * height;
      // counters and discards on the two sides of everything else
      if (column <= 0.27) {
        const centre = { width: width - 2 * wide - 2 * ACROSS, height: height - tall - 2 * GAP };
        const [c, d] = [counters, discards].map((size) => inside(size, { width: wide, height }, MOST.side));
        const f = inside(fireworks, { width: centre.width, height: tall }, MOST.fireworks);
        for (const placed of hands(centre)) yield { kind: "sides", wide, scales: { counters: c, fireworks: f, discards: d }, ...placed };
      }
      // the whole middle of the table beside the hands, on a low board
      const f = inside(fireworks, { width: wide, height: tall }, MOST.fireworks);
      const [c, d] = beside([counters, discards], { width: wide, height: height - tall - GAP }, MOST.side);
      for (const placed of hands({ width: width - wide - ACROSS, height })) {
        yield { kind: "beside", wide, scales: { counters: c, fireworks: f, discards: d }, ...placed };
      }
    }
  }
}

/** Return how good a layout is: no part may be small for the sake of another.
 *
 * Cards that are far larger than those elsewhere on the board count as less. */
function value({ scales, others, own }) {
  const cards = { fireworks: scales.fireworks, others: others.scale, ...(own.width ? { own: own.scale } : {}) };
  const least = Math.min(...Object.values(cards));
  const all = Object.entries({ ...scales, ...cards });
  const small = Math.max(0, LEAST - others.scale) + (own.width ? Math.max(0, LEAST - own.scale) / 2 : 0) + Math.max(0, LEAST - scales.fireworks) + (Math.max(0, READABLE - scales.counters) + Math.max(0, READABLE - scales.discards)) / 8;
  return all.reduce((sum, [name, scale]) => sum + WORTH[name] * Math.log(Math.max(Math.min(scale, BALANCE[name] * least), 0.001)), 0) - 100 * small;
}

const found = new Map();

/** Return the best layout of a board in an area. */
export function arrange(sizes, area) {
  const key = JSON.stringify([sizes, area]);
  if (!found.has(key)) {
    let best = null;
    for (const layout of layouts(sizes, area)) {
      const worth = value(layout);
      if (!best || worth > best.worth) best = { ...layout, worth };
    }
    if (found.size > 50) found.clear();
    found.set(key, best);
  }
  return found.get(key);
}

// --- placing ----------------------------------------------------------------------------------

const sizeOf = (svg) => ({ width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) });

function put(element, { x, y, width, height }) {
  Object.assign(element.style, { left: `${Math.round(x)}px`, top: `${Math.round(y)}px`, width: `${Math.floor(width)}px`, height: `${Math.floor(height)}px` });
}

/** Return the boxes of hands in rows; each row is in the middle. */
function handBoxes(count, grid, area) {
  if (!count) return [];
  const spare = (area.height - grid.rows * grid.height - GAP * (grid.rows - 1)) / (grid.rows + 1);
  return Array.from({ length: count }, (_, n) => {
    const row = Math.floor(n / grid.columns);
    const inRow = Math.min(grid.columns, count - row * grid.columns);
    const gap = Math.min(60, Math.max(ACROSS, (area.width - inRow * grid.width) / (inRow + 1)));
    const used = inRow * grid.width + (inRow - 1) * gap;
    return { x: area.x + (area.width - used) / 2 + (n % grid.columns) * (grid.width + gap), y: area.y + spare + row * (grid.height + GAP + spare), width: grid.width, height: grid.height };
  });
}

/** Return the box of a drawing in the middle of an area. */
function centred({ width, height }, scale, area) {
  const [wide, tall] = [width * scale, height * scale];
  return { x: area.x + (area.width - wide) / 2, y: area.y + (area.height - tall) / 2, width: wide, height: tall };
}

const gridHeight = (count, grid) => (count ? grid.rows * grid.height + (grid.rows - 1) * GAP : 0);

/** Return where everything goes: boxes for the three drawings, the other hands and the player's own. */
function boxes(sizes, area, layout) {
  const { counters, fireworks, discards, others, own } = sizes;
  const { scales, kind, wide = 0 } = layout;
  const high = (size, name) => size.height * scales[name];
  const tall = kind === "rows" ? Math.max(high(counters, "counters"), high(fireworks, "fireworks"), high(discards, "discards")) : high(fireworks, "fireworks");
  const low = kind === "stack" ? Math.max(high(counters, "counters"), high(discards, "discards")) : 0;
  const column = { rows: area, stack: area, sides: { ...area, x: area.x + wide + ACROSS, width: area.width - 2 * wide - 2 * ACROSS }, beside: { ...area, x: area.x + wide + ACROSS, width: area.width - wide - ACROSS } }[kind];
  const middle = kind === "beside" ? [] : kind === "stack" ? [tall, low] : [tall];
  const rows = [gridHeight(others, layout.others), ...middle, gridHeight(own, layout.own)];
  const spare = Math.max(0, area.height - rows.reduce((sum, each) => sum + each, 0)) / (rows.filter(Boolean).length + 1);
  const strips = [];
  let y = area.y;
  for (const height of rows) {
    y += height ? spare : 0;
    strips.push({ ...column, y, height });
    y += height;
  }
  const made = { others: handBoxes(others, layout.others, strips[0]), own: handBoxes(own, layout.own, strips.at(-1)) };
  if (kind === "rows") {
    const widths = [counters.width * scales.counters, fireworks.width * scales.fireworks, discards.width * scales.discards];
    const side = Math.min(Math.max(widths[0], widths[2]), (area.width - widths[1]) / 2 - ACROSS / 2);
    const even = side >= Math.max(widths[0], widths[2]);
    const gap = Math.min(60, (area.width - widths[0] - widths[1] - widths[2]) / 4);
    let x = area.x + (area.width - widths[0] - widths[1] - widths[2] - 2 * gap) / 2;
    for (const [place, name] of ["counters", "fireworks", "discards"].entries()) {
      made[name] = centred(sizes[name], scales[name], { x, y: strips[1].y, width: widths[place], height: tall });
      x += widths[place] + gap;
    }
    if (even) made.fireworks = centred(fireworks, scales.fireworks, strips[1]);
  } else if (kind === "stack") {
    made.fireworks = centred(fireworks, scales.fireworks, strips[1]);
    Object.assign(made, pair(sizes, scales, strips[2]));
  } else if (kind === "sides") {
    made.fireworks = centred(fireworks, scales.fireworks, strips[1]);
    made.counters = centred(counters, scales.counters, { ...area, width: wide });
    made.discards = centred(discards, scales.discards, { ...area, x: area.x + area.width - wide, width: wide });
  } else {
    const below = Math.max(high(counters, "counters"), high(discards, "discards"));
    const gap = (area.height - tall - below) / 3;
    made.fireworks = centred(fireworks, scales.fireworks, { x: area.x, y: area.y + gap, width: wide, height: tall });
    Object.assign(made, pair(sizes, scales, { x: area.x, y: area.y + 2 * gap + tall, width: wide, height: below }));
  }
  return made;
}

/** Place counters and discards side by side, with room for an arrow between them. */
function pair({ counters, discards }, scales, area) {
  const widths = [counters.width * scales.counters, discards.width * scales.discards];
  const spare = area.width - widths[0] - widths[1];
  const gap = Math.max(0, Math.min(spare / 3, (spare - ACROSS) / 2));
  return {
    counters: centred(counters, scales.counters, { ...area, x: area.x + gap, width: widths[0] }),
    discards: centred(discards, scales.discards, { ...area, x: area.x + area.width - gap - widths[1], width: widths[1] }),
  };
}

function fit(table) {
  const one = (name) => table.querySelector(`.hl-${name}`);
  const hands = [...table.querySelectorAll(".hl-hand")];
  if (!hands.length || !table.clientWidth) return;
  const mine = hands.filter((hand) => hand.dataset.place);
  const others = hands.filter((hand) => !hand.dataset.place);
  const hand = { width: Math.max(...hands.map((each) => sizeOf(each).width)), height: sizeOf(hands[0]).height };
  const sizes = { counters: sizeOf(one("counters")), fireworks: sizeOf(one("fireworks")), discards: sizeOf(one("discards")), hand, others: others.length, own: mine.length, even: mine[0]?.dataset.place === "below" };
  const style = getComputedStyle(table);
  const [left, top] = [parseFloat(style.paddingLeft), parseFloat(style.paddingTop)];
  const area = { x: left, y: top, width: table.clientWidth - 2 * left, height: table.clientHeight - 2 * top };
  const layout = arrange(sizes, area);
  table.dataset.layout = layout.kind;
  const placed = boxes(sizes, area, layout);
  for (const name of ["counters", "fireworks", "discards"]) put(one(name), placed[name]);
  const place = (each, n, from, grid) => {
    placeName(each, grid.aside, hand);
    put(each, from[n]);
  };
  others.forEach((each, n) => place(each, n, placed.others, layout.others));
  mine.forEach((each, n) => place(each, n, placed.own, layout.own));
}

/** Show a player's name above the hand or on its left, where low hands can be larger. */
function placeName(hand, aside, { width, height }) {
  if (hand.classList.contains("beside") === aside) return;
  hand.classList.toggle("beside", aside);
  hand.style.setProperty("--wide", `${width}px`);
  hand.setAttribute("viewBox", aside ? `${-NAME.width} ${NAME.height} ${width + NAME.width} ${height - NAME.height}` : `0 0 ${width} ${height}`);
  for (const words of hand.querySelectorAll(":scope > .hl-name, :scope > .quiet")) {
    words.removeAttribute("textLength");
    if (aside && words.getComputedTextLength() > NAME.width - 6) {
      words.setAttribute("textLength", NAME.width - 6);
      words.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  }
}

const watching = new ResizeObserver((changed) => changed.forEach(({ target }) => {
  if (target.isConnected) fit(target);
  else watching.unobserve(target);
}));

/** Arrange a board, now and whenever its size changes. */
export function keepFitting(table) {
  fit(table);
  watching.observe(table);
}
