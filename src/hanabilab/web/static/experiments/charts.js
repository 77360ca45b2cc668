// Charts as SVG: histogram, means with error bars, heat map, line; and how to save them.

import { makeButton, s, save } from "../shared/dom.js";

const FRAME = { left: 46, right: 10, top: 24, bottom: 40 };
const INSIDE = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];

function text(x, y, words, properties = {}) {
  return s("text", { x, y, ...properties }, String(words));
}

/** Return the width that fits the window, so that text keeps its size. */
function chartWidth() {
  return Math.max(320, Math.min(720, document.documentElement.clientWidth - 64));
}

function chart(label, width, height, parts) {
  return s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label }, parts);
}

/** Return round values that divide a span into a few parts. */
function ticks(least, most, parts = 5) {
  const raw = (most - least || 1) / parts;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
  const first = Math.ceil(least / step - 1e-9) * step;
  const found = [];
  for (let value = first; value <= most + step * 1e-6; value += step) found.push(Number(value.toPrecision(10)));
  return found;
}

function scale(least, most, from, to) {
  const span = most - least || 1;
  return (value) => from + ((value - least) / span) * (to - from);
}

const short = (value) => Number(Number(value).toFixed(2)).toString();

/** Draw games by score. `press(score)` opens the games behind a bar. */
export function histogram({ histogram: counts, mean, stderr }, press = null) {
  const [width, height] = [chartWidth(), 300];
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  const most = Math.max(...counts, 1) / total;
  const x = scale(-0.5, counts.length - 0.5, FRAME.left, width - FRAME.right);
  const y = scale(0, most, height - FRAME.bottom, FRAME.top);
  const parts = axis(width, y, ticks(0, most, 4), (value) => `${short(100 * value)} %`);
  const wide = Math.max(x(1) - x(0) - 3, 1);
  counts.forEach((count, score) => {
    const share = count / total;
    const bar = s("rect", {
      class: "bar", x: x(score) - wide / 2, y: y(share), width: wide, height: Math.max(y(0) - y(share), count ? 1 : 0), rx: 2,
    });
    const zone = s("rect", { class: "zone", x: x(score) - wide / 2 - 1, y: FRAME.top, width: wide + 2, height: y(0) - FRAME.top });
    const words = `score ${score}: ${count} game${count === 1 ? "" : "s"} (${(100 * share).toFixed(1)} %)`;
    const group = s("g", { class: "column", "data-score": score }, zone, bar, s("title", {}, words));
    if (press && count) makeButton(group, `${words}; show them`, () => press(score));
    parts.push(group);
    if (width / counts.length > 20 || score % 5 === 0) parts.push(text(x(score), height - FRAME.bottom + 16, score, { class: "tick", "text-anchor": "middle" }));
  });
  parts.push(text((FRAME.left + width) / 2, height - 4, "score", { class: "tick", "text-anchor": "middle" }));
  parts.push(s("line", { class: "mean", x1: x(mean), x2: x(mean), y1: FRAME.top, y2: y(0) }));
  const side = x(mean) > width / 2 ? "end" : "start";
  parts.push(text(x(mean) + (side === "end" ? 6 : -6), FRAME.top - 9, `mean ${mean.toFixed(2)} ± ${stderr.toFixed(2)}`, { class: "label", "text-anchor": side }));
  return chart(`histogram of scores: mean ${mean.toFixed(2)}, standard error ${stderr.toFixed(2)}`, width, height, parts);
}

function axis(width, y, values, words = short) {
  return values.flatMap((value) => [
    s("line", { class: "grid-line", x1: FRAME.left, x2: width - FRAME.right, y1: y(value), y2: y(value) }),
    text(FRAME.left - 6, y(value) + 4, words(value), { class: "tick", "text-anchor": "end" })]);
}

/** Draw a diamond where a paper prints another mean, if it does. */
function printedMark(printed, x, y) {
  if (printed === null || printed === undefined) return null;
  return s("path", { class: "printed", d: `M${x - 6} ${y}L${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}Z` }, s("title", {}, `printed: ${printed}`));
}

/** Draw a mean with its error for each row, and a diamond where a paper prints another. */
export function means(rows, most, press = null) {
  const step = 38;
  const width = chartWidth();
  const left = Math.min(200, width * 0.34);
  const letters = Math.floor((left - 10) / 7.5);
  const height = rows.length * step + 44;
  const x = scale(0, most, left, width - 98);
  const parts = ticks(0, most).flatMap((value) => [
    s("line", { class: "grid-line", x1: x(value), x2: x(value), y1: 6, y2: height - 34 }),
    text(x(value), height - 18, short(value), { class: "tick", "text-anchor": "middle" })]);
  rows.forEach(({ name, mean, stderr, printed }, place) => {
    const y = 8 + place * step;
    const words = `${name}: ${mean.toFixed(2)} ± ${stderr.toFixed(2)}`;
    const group = s("g", { class: "column" },
      s("rect", { class: "zone", x: 0, y, width, height: step - 4 }),
      text(left - 10, y + 20, name.length > letters ? `${name.slice(0, letters - 1)}…` : name, { class: "label", "text-anchor": "end" }),
      s("rect", { class: `bar c${place % 7}`, x: x(0), y: y + 5, width: Math.max(x(mean) - x(0), 0), height: step - 16, rx: 3 }),
      s("line", { class: "error", x1: x(mean - 2 * stderr), x2: x(mean + 2 * stderr), y1: y + 16, y2: y + 16 }),
      printedMark(printed, x(printed), y + 16),
      text(width - 90, y + 20, `${mean.toFixed(2)} ± ${stderr.toFixed(2)}`, { class: "tick" }),
      s("title", {}, words));
    if (press) makeButton(group, `${words}; show more`, () => press(place));
    parts.push(group);
  });
  return chart("mean scores with twice their standard errors", width, height, parts);
}

/** Draw rows against columns, each value as a colour and a number. */
export function heatMap({ rows, columns, values, errors, rowTitle = "", columnTitle = "" }, press = null) {
  const width = chartWidth();
  const left = Math.min(150, width * 0.28);
  const top = 46;
  const wide = (width - left - 6) / columns.length;
  const high = Math.max(26, Math.min(46, 420 / rows.length));
  const height = top + rows.length * high + 12;
  const known = values.flat().filter((value) => value !== null && value !== undefined && !Number.isNaN(value));
  const shade = scale(Math.min(...known, 0), Math.max(...known, 1), 0.06, 1);
  const cut = (name, letters) => (name.length > letters ? `${name.slice(0, letters - 1)}…` : name);
  const parts = [text(2, 14, `${rowTitle} ↓`, { class: "tick" }), text(width - 6, 14, `${columnTitle} →`, { class: "tick", "text-anchor": "end" })];
  columns.forEach((name, column) => parts.push(
    s("g", {}, text(left + (column + 0.5) * wide, top - 10, cut(String(name), Math.max(4, Math.floor(wide / 7))), { class: "tick", "text-anchor": "middle" }), s("title", {}, String(name)))));
  rows.forEach((name, row) => {
    parts.push(text(left - 8, top + (row + 0.5) * high + 4, cut(String(name), Math.floor(left / 7)), { class: "tick", "text-anchor": "end" }));
    columns.forEach((column, place) => {
      const value = values[row]?.[place];
      const there = value !== null && value !== undefined && !Number.isNaN(value);
      const error = errors?.[row]?.[place];
      const words = there ? `${rowTitle} ${name}, ${columnTitle} ${column}: ${value.toFixed(2)}${error === undefined || error === null ? "" : ` ± ${error.toFixed(2)}`}` : `${name}, ${column}: not yet`;
      const cell = s("g", { class: "cell", "data-row": row, "data-column": place },
        s("rect", { class: "heat", x: left + place * wide + 1, y: top + row * high + 1, width: wide - 2, height: high - 2, rx: 4, "fill-opacity": there ? shade(value).toFixed(3) : 0 }),
        there && wide > 28 ? text(left + (place + 0.5) * wide, top + (row + 0.5) * high + 4, value.toFixed(wide > 44 ? 2 : 1), { class: shade(value) > 0.55 ? "on" : "off", "text-anchor": "middle" }) : null,
        s("title", {}, words));
      if (press && there) makeButton(cell, words, () => press(row, place));
      else cell.setAttribute("aria-label", words);
      parts.push(cell);
    });
  });
  return chart(`${rowTitle} against ${columnTitle}`, width, height, parts);
}

/** Draw a mean with its error at each value of an option. */
export function line({ points, title }, press = null) {
  const [width, height] = [chartWidth(), 300];
  const numeric = points.every(({ x: value }) => typeof value === "number");
  const places = points.map(({ x: value }, place) => (numeric ? value : place));
  const least = Math.min(...points.map(({ mean, stderr }) => mean - 2 * stderr));
  const most = Math.max(...points.map(({ mean, stderr }) => mean + 2 * stderr));
  const margin = (most - least || 1) * 0.08;
  const x = scale(Math.min(...places), Math.max(...places), FRAME.left + 20, width - FRAME.right - 20);
  const y = scale(least - margin, most + margin, height - FRAME.bottom, FRAME.top);
  const parts = axis(width, y, ticks(least - margin, most + margin));
  parts.push(s("path", { class: "curve", d: points.map(({ mean }, place) => `${place ? "L" : "M"}${x(places[place])} ${y(mean)}`).join("") }));
  points.forEach(({ x: value, mean, stderr, printed }, place) => {
    const words = `${title} ${value}: ${mean.toFixed(2)} ± ${stderr.toFixed(2)}`;
    const group = s("g", { class: "column" },
      s("line", { class: "error", x1: x(places[place]), x2: x(places[place]), y1: y(mean - 2 * stderr), y2: y(mean + 2 * stderr) }),
      s("circle", { class: "zone", cx: x(places[place]), cy: y(mean), r: 14 }),
      s("circle", { class: "point", cx: x(places[place]), cy: y(mean), r: 5 }), printedMark(printed, x(places[place]), y(printed)), s("title", {}, words));
    if (press) makeButton(group, words, () => press(place));
    parts.push(group, text(x(places[place]), height - FRAME.bottom + 16, typeof value === "number" ? short(value) : value, { class: "tick", "text-anchor": "middle" }));
  });
  parts.push(text((FRAME.left + width) / 2, height - 4, title, { class: "tick", "text-anchor": "middle" }));
  return chart(`mean score by ${title}`, width, height, parts);
}

/** Return a copy that looks the same without the page's style sheet. */
function standalone(picture) {
  const twin = picture.cloneNode(true);
  const here = picture.querySelectorAll("*");
  twin.querySelectorAll("*").forEach((element, place) => {
    const looks = getComputedStyle(here[place]);
    for (const name of INSIDE) element.setAttribute(name, looks.getPropertyValue(name));
    for (const name of ["class", "tabindex", "role", "aria-label"]) element.removeAttribute(name);
  });
  const [, , width, height] = picture.getAttribute("viewBox").split(" ");
  twin.setAttribute("width", width);
  twin.setAttribute("height", height);
  const paper = getComputedStyle(picture.closest(".figure") ?? document.body).backgroundColor;
  twin.prepend(s("rect", { width: "100%", height: "100%", fill: paper }));
  return new XMLSerializer().serializeToString(twin);
}

export function saveSvg(picture, name) {
  save(`${name}.svg`, standalone(picture), "image/svg+xml");
}

/** Save the picture as a PNG file at twice its size. */
export async function savePng(picture, name) {
  const [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
  const image = new Image();
  const address = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  await new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error("the picture could not be drawn"));
    image.src = address;
  });
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  save(`${name}.png`, blob, "image/png");
}
