// What hints to the viewer say by the agreements: in words, on the cards, with a link to the rule.

import { cardAt } from "../board/draw.js";
import { h, s } from "../shared/dom.js";
import { loadSetting } from "../shared/settings.js";

const SIGNS = { play: "play", answer: "play", called: "play", copy: "play", named: "play", first: "play", wait: "wait", defer: "wait", keep: "keep" };

/** Return whether this player wants to be told what hints say. */
export const wantsConclusions = () => loadSetting("conclusions", true);

/** Return what the viewer concludes from hints since their last turn; nothing if they switched it off. */
export function conclusions(facts) {
  return wantsConclusions() ? facts.conclusions ?? [] : [];
}

/** Show the conclusions as sentences, each with a link to the agreement behind it. */
export function showConclusions(place, facts) {
  const found = conclusions(facts);
  place.hidden = !found.length;
  place.replaceChildren(...found.flatMap(({ words, agreement }) => [h("strong", {}, words), " ",
    h("a", { href: `/agreements#${agreement}`, target: "_blank", "aria-label": `Why? ${words}` }, "Why?"), " "]));
}

/** Return whether the last turn was a hint with a conclusion, which replaces the giver's words. */
export function concludedNow(facts) {
  return conclusions(facts).some(({ turn }) => turn === facts.turn);
}

/** Mark the cards that the conclusions are about on a drawing. */
export function markConclusions(table, facts) {
  for (const { advice, slot } of conclusions(facts)) {
    const card = slot === null ? null : cardAt(table, facts.viewer, slot);
    if (!card) continue;
    card.classList.add("meant");
    card.append(s("g", { class: "meant-sign", "aria-hidden": "true" }, s("rect", { x: 11, y: 94, width: 42, height: 18, rx: 9 }),
      s("text", { x: 32, y: 107.5, "text-anchor": "middle", "font-size": 13 }, SIGNS[advice])));
    card.setAttribute("aria-label", `${card.getAttribute("aria-label")}, a hint says: ${SIGNS[advice]}`);
  }
}
