// Progress of whatever takes a while: what is being done, for how long, and a button to stop it.

import { startJob } from "./api.js";
import { grouped, h } from "./dom.js";

/** Make a note about something that takes a while; `cancel`, if given, stops it. */
export function progressNote(what, cancel = null) {
  const began = performance.now();
  const status = h("span", {});
  const clock = h("span", { class: "clock", "aria-hidden": "true" });
  const bar = h("progress", { "aria-label": what });
  const element = h("div", { class: "progress-note", role: "status" },
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

/** Show a progress note in a place until a promise is settled. */
export async function awaitWithProgress(place, what, promise) {
  const note = progressNote(what);
  place.append(note.element);
  try {
    return await promise;
  } finally {
    note.end();
  }
}

/** Run a job and show its progress in a place, with a button to stop it.
 *
 * Scroll to it if a click started the job; pages that start one by themselves stay where they are,
 * and so do those that set `follow` to false. */
export async function runWithProgress(place, what, kind, fields, { onprogress = () => {}, follow = true, ...more } = {}) {
  let note = null;
  const job = startJob(kind, fields, {
    onstatus: (words) => note.say(words),
    onprogress: (message) => { note.progress(message.done, message.total, message.words); onprogress(message); },
    ...more,
  });
  note = progressNote(what, job.cancel);
  place.replaceChildren(note.element);
  if (follow && navigator.userActivation?.isActive) note.element.scrollIntoView({ block: "nearest" });
  try {
    return await job.answer;
  } finally {
    note.end();
  }
}
