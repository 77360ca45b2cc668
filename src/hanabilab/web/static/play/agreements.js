// Which agreements the player broke: named right after the turn, and listed at the end of a game.

import { runJob } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { loadSetting } from "../shared/settings.js";

/** Return whether this player wants to be told of broken agreements during a game. */
export const wantsBreaches = () => loadSetting("breaches", true);

/** Return what the viewer broke since acting the last time; nothing if they switched it off. */
export function breaches(facts) {
  return wantsBreaches() ? facts.breaches ?? [] : [];
}

/** Return a breach in words: of this turn, or of an earlier one that did harm only now. */
export function breachWords({ words, turn }, facts) {
  const last = facts.turn - ((facts.player - facts.viewer + facts.players - 1) % facts.players);
  return `Agreement broken${turn < last ? ` in turn ${turn}` : ""}: ${words}.`;
}

/** Show the breaches as sentences, each with a link to the agreement behind it. */
export function showBreaches(place, facts) {
  const found = breaches(facts);
  place.hidden = !found.length;
  place.replaceChildren(...found.flatMap((each) => {
    const words = breachWords(each, facts);
    return [`${words} `, h("a", { href: `/agreements#${each.agreement}`, target: "_blank", "aria-label": `Why? ${words}` }, "Why?"), " "];
  }));
}

/** Say at the end of a game which agreements the player in a seat broke. */
export async function brokenAgreements(place, { code, replay }, player, level) {
  const said = h("section", { class: "broken", "aria-label": "broken agreements" });
  place.append(said);
  const { broken, turns } = await runJob("broken", { code, player, level });
  const link = h("a", { href: "/agreements" }, "The agreements");
  const items = broken.map(({ turn, agreement, words }) =>
    h("li", {}, h("a", { href: `${replay}&turn=${turn}` }, `Turn ${turn}`), `, ${agreement}: ${words}.`));
  said.replaceChildren(h("h3", {}, broken.length ? "Agreements that you broke" : `You kept all agreements, in ${turns} turns`),
    broken.length ? h("ul", {}, items) : "", h("p", {}, link));
}
