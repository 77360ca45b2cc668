// Tell screen readers what happens: each announcement is a line of its own, and none replaces another.

const APART = 250;
const KEPT = 60;

const waiting = [];
let timer = null;

/** Announce something after everything that was announced before. */
export function announce(words) {
  const said = words.trim();
  if (!said) return;
  waiting.push(said);
  if (timer === null) next();
}

function next() {
  const region = document.querySelector("#announcer");
  const words = waiting.shift();
  if (!region || words === undefined) {
    timer = null;
    return;
  }
  const line = document.createElement("p");
  line.textContent = words;
  region.append(line);
  while (region.children.length > KEPT) region.firstChild.remove();
  timer = setTimeout(next, APART);
}
