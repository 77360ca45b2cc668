// Never a blank page: say what is being done, for how long it has been, and how to stop it.

import { askLong } from "./api.js";
import { grouped, h } from "./dom.js";

/** Make a note that something takes a while; `cancel`, if given, stops it. */
export function waiting(what, cancel = null) {
  const began = performance.now();
  const status = h("span", {});
  const clock = h("span", { class: "clock", "aria-hidden": "true" });
  const bar = h("progress", { "aria-label": what });
  const element = h("div", { class: "waiting-note", role: "status" },
    h("p", {}, h("strong", {}, what), status), h("div", { class: "row" }, bar, clock, cancel ? h("button", { type: "button", class: "stop", onclick: cancel }, "Stop") : null));
  const tick = () => { clock.textContent = `${Math.round((performance.now() - began) / 1000)} s`; };
  tick();
  const timer = setInterval(tick, 1000);
  return {
    element,
    say(words) { status.textContent = words ? `: ${words}` : ""; },
    progress(done, total, words = "") {
      if (total) Object.assign(bar, { max: total, value: done });
      if (words) status.textContent = `: ${grouped(done)} ${total ? `of ${grouped(total)} ` : ""}${words}`;
    },
    end() {
      clearInterval(timer);
      element.remove();
    },
  };
}

/** Show in a place that something is awaited, until it is there. */
export async function awaitVisibly(place, what, promise) {
  const note = waiting(what);
  place.append(note.element);
  try {
    return await promise;
  } finally {
    note.end();
  }
}

/** Ask a question that may take a while; a place says how it goes and offers to stop it. */
export async function askVisibly(place, what, kind, fields, { onprogress = () => {}, ...more } = {}) {
  let note = null;
  const asked = askLong(kind, fields, {
    onstatus: (words) => note.say(words),
    onprogress: (message) => { note.progress(message.done, message.total, message.words); onprogress(message); },
    ...more,
  });
  note = waiting(what, asked.cancel);
  place.replaceChildren(note.element);
  try {
    return await asked.answer;
  } finally {
    note.end();
  }
}
