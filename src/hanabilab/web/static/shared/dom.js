// Helpers for building pages: elements, announcements, downloads.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element with properties, listeners (onclick …) and children. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Make an SVG element in the same way. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name === "class_" ? "class" : name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return element;
}

export function find(selector, root = document) {
  return root.querySelector(selector);
}

/** Make a field with its label. The label alone is the accessible name of the control. */
export function field(label, input, about = "") {
  if (input.matches("input, select, textarea")) input.setAttribute("aria-label", label);
  const hint = about ? h("small", {}, about) : null;
  return h("label", { class: "field" }, h("span", {}, label), input, hint);
}

export function select(choices, chosen, properties = {}) {
  const options = choices.map((choice) => {
    const [value, words] = Array.isArray(choice) ? choice : [choice, choice];
    return h("option", { value: String(value), selected: String(value) === String(chosen) }, String(words));
  });
  return h("select", properties, options);
}

export function number(value, least, most, properties = {}) {
  return h("input", { type: "number", value, min: least, max: most, ...properties });
}

/** Make a part of a picture a button for mouse, keyboard and screen reader. */
export function makeButton(element, label, press, usable = true) {
  for (const [name, value] of Object.entries({ role: "button", tabindex: usable ? "0" : "-1", "aria-label": label })) element.setAttribute(name, value);
  element.classList.toggle("enabled", usable);
  if (!usable) {
    element.setAttribute("aria-disabled", "true");
    return;
  }
  element.addEventListener("click", (event) => { event.stopPropagation(); press(); });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      press();
    }
  });
}

/** Offer a file for download. */
export function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Set whether a button can be used; it keeps the focus either way. */
export function setEnabled(button, usable) {
  button.setAttribute("aria-disabled", String(!usable));
}

/** Copy text to the clipboard and say so on the button; where that is refused, select the shown text. */
export async function copy(text, button, shown = null) {
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
  } catch {
    shown?.select();
    button.textContent = shown ? "selected: copy it with Ctrl-C" : "could not copy";
  }
  setTimeout(() => { button.textContent = words; }, 1500);
}

/** Return a number of points with its noun. */
export const points = (count) => `${count} ${Number(count) === 1 ? "point" : "points"}`;

/** Return a number with thousands separators. */
export function grouped(value) {
  return Number(value).toLocaleString("en");
}

export function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`;
}
