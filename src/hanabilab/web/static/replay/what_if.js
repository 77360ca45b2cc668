// What if? Take another action at this turn of a replay, and let strategies go on.

import { about, runJob } from "../shared/api.js";
import { field, h, select } from "../shared/dom.js";
import { runWithProgress, awaitWithProgress } from "../shared/progress.js";

/** Make the form for another action after a turn; `open` is given the game as it then goes on. */
export async function whatIf(place, { game, turn, names, roles }, open) {
  place.replaceChildren();
  const [{ actions, player }, facts] = await awaitWithProgress(place, "Loading the legal actions", Promise.all([runJob("what_if", { ...game, turn }), about()]));
  const taken = select(actions.map((action, index) => [index, action.words]), 0);
  const people = names.filter((_, seat) => !roles[seat]);
  const partner = select(facts.partners.map(({ strategy, title }) => [strategy, title]), facts.usual_partner);
  const form = h("form", { class: "stack what-if", "aria-label": "what if" },
    h("p", {}, `After turn ${turn} it is the turn of ${names[player]}. What if they had done something else?`),
    h("div", { class: "grid" }, field("Action", taken), people.length ? field(`Who plays on for ${people.join(", ")}`, partner) : null),
    h("button", { class: "main" }, "Continue from here"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { words, touches, player: who, ...action } = actions[Number(taken.value)];
    const note = h("div", {});
    form.append(note);
    try {
      const found = await runWithProgress(note, "Playing on", "what_if", { ...game, turn, action, partner: partner.value });
      await open(found);
    } catch (error) {
      note.replaceChildren(h("p", {}, error.message));
    }
  });
  place.replaceChildren(form);
  taken.focus();
}
