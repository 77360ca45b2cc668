// Set up a table: with whom, who sits where; under "Advanced" by which rules and with which deck.

import { field, h, select } from "../shared/dom.js";
import { deckPicker, range, rulesPicker, strategyPicker } from "../shared/forms.js";
import { deal, lastSetup } from "../shared/new_table.js";
import { saveSetting, loadSetting } from "../shared/settings.js";
import { showError } from "../shared/shell.js";

const TIMERS = [["", "no clock"], [30, "30 s"], [60, "1 min"], [120, "2 min"], [300, "5 min"]];
const PEOPLE = [["you", "you"], ["person", "another person"]];
const COUNTS = ["no", "one", "two", "three", "four", "five"];

/** Make the form for a new table; `started` is given the table and the key to the player's seat. */
export function setupForm(about, started) {
  const last = lastSetup();
  const before = last.request;
  const rules = rulesPicker(about, { players: before.players, rules: before.rules ?? "classic", most: about.limits.players ?? 6 });
  const deck = deckPicker({ how: "random" });
  const practice = h("input", { type: "checkbox", checked: before.practice ?? true });
  const timer = select(TIMERS, before.timer ?? "");
  const open = h("input", { type: "checkbox", checked: before.spectators_see_hands ?? false });
  const seats = seatPickers(about, last, () => levels.follow(seats.partners));
  const levels = levelPicker(about, (strategy) => seats.seatEverywhere(strategy, rules.players));
  rules.seats.addEventListener("change", () => seats.show(rules.players));
  seats.show(rules.players);
  const advanced = h("details", { class: "advanced-setup", open: typeof before.rules === "object" || (before.rules ?? "classic") !== "classic" },
    h("summary", {}, "Advanced"), h("div", { class: "stack" }, rules.details, deck.element, h("div", { class: "grid" }, field("Time for a turn", timer)),
      h("label", { class: "check" }, open, " Spectators see all hands (everybody at the table is told)")));
  const form = h("form", { class: "panel stack" },
    h("div", { class: "form-head" }, h("h2", {}, "New game"), h("button", { class: "main" }, "Deal the cards")),
    h("div", { class: "setup-head" }, field("Players", rules.seats), levels.element),
    h("fieldset", {}, h("legend", {}, "Who sits where"), seats.element),
    h("label", { class: "check" }, practice, " Practice: you may take back turns and ask a coach (not with other people)"), advanced);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    showError("");
    const chosen = seats.values;
    const humans = range(0, chosen.length - 1).filter((player) => ["you", "person"].includes(chosen[player]));
    const own = chosen.indexOf("you");
    if (own < 0 || chosen.indexOf("you", own + 1) >= 0) {
      showError("Choose exactly one seat for yourself; the others may be for other people.");
      return;
    }
    saveSetting("name", seats.names[own]);
    const request = {
      players: chosen.length, humans, strategies: chosen.filter((_, player) => !humans.includes(player)), names: seats.names,
      rules: rules.value, practice: practice.checked && humans.length === 1, ...(timer.value ? { timer: Number(timer.value) } : {}),
      ...(open.checked ? { spectators_see_hands: true } : {}),
    };
    try {
      started(await deal({ request, own, words: describe(about, request) }, deck.value));
    } catch (error) {
      showError(error.message);
    }
  });
  return form;
}

/** Make the list of seats: each has a name and a person or a strategy; `changed` hears of changes. */
function seatPickers(about, { request, own }, changed) {
  const element = h("ol", { class: "seats", start: 1 });
  const given = [...(request.strategies ?? [])];
  const first = range(0, request.players - 1).map((player) => (player === own ? "you" : request.humans.includes(player) ? "person" : given.shift() ?? about.usual_partner));
  let seats = [];
  const show = (players, choose = (player) => seats[player]?.partner.value ?? first[player] ?? partnerFor(about, players)) => {
    const before = seats;
    const chosen = range(0, players - 1).map(choose);
    if (!chosen.includes("you")) chosen[0] = "you";
    seats = chosen.map((value, player) => {
      const partner = strategyPicker(about, value, PEOPLE);
      partner.element.addEventListener("change", changed);
      const usual = player === own ? loadSetting("name", "") : request.names?.[player] ?? "";
      const name = h("input", { type: "text", maxlength: 20, value: before[player]?.name.value ?? usual ?? "", placeholder: about.names[player], "aria-label": `name of seat ${player + 1}`, autocomplete: "off" });
      return { partner, name };
    });
    element.replaceChildren(...seats.map(({ partner, name }) => h("li", {}, name, partner.element)));
    changed();
  };
  return {
    element,
    show,
    /** Seat one strategy wherever no person sits. */
    seatEverywhere: (strategy, players) => show(players, (player) => (isPerson(seats[player].partner.value) ? seats[player].partner.value : strategy)),
    get values() { return seats.map(({ partner }) => partner.value); },
    get partners() { return seats.map(({ partner }) => partner.value).filter((value) => !isPerson(value)); },
    get names() { return seats.map(({ name }) => name.value.trim() || null); },
  };
}

const isPerson = (value) => PEOPLE.some(([person]) => person === value);

/** Make the choice of how well all partners play; `chosen` is given the strategy. */
function levelPicker(about, chosen) {
  const levels = about.partners.filter((partner) => partner.is_level);
  const note = h("small", {});
  const inputs = levels.map(({ strategy }) => h("input", { type: "radio", name: "level", value: strategy, onchange: () => chosen(strategy) }));
  const element = h("fieldset", { class: "levels" }, h("legend", {}, "Partners"),
    h("div", { class: "choices" }, levels.map(({ title }, place) => h("label", {}, inputs[place], h("span", {}, title)))), note);
  return {
    element,
    /** Show the level that all partners have, or none. */
    follow(partners) {
      const same = partners.length > 0 && partners.every((each) => each === partners[0]);
      inputs.forEach((input) => { input.checked = same && input.value === partners[0]; });
      note.textContent = (same && levels.find(({ strategy }) => strategy === partners[0])?.words) || "Each seat has its own partner.";
    },
  };
}

/** Return the usual partner of a person at a table of this size. */
function partnerFor(about, players) {
  const usual = about.partners.find(({ strategy }) => strategy === about.usual_partner);
  return [usual, ...about.partners].find((partner) => partner?.players.includes(players))?.strategy ?? about.usual_partner;
}

/** Describe a setup in a few words: “You and two Club players, hle rules”. */
function describe(about, { humans, strategies, rules }) {
  const others = humans.length - 1;
  const titles = strategies.map((strategy) => about.partners.find((each) => each.strategy === strategy)?.title ?? strategy.split(":")[0]);
  const kinds = [...new Set(titles)].map((title) => {
    const count = titles.filter((each) => each === title).length;
    return count === 1 ? `one ${title} player` : `${COUNTS[count] ?? count} ${title} players`;
  });
  const people = others ? [others === 1 ? "one other person" : `${COUNTS[others] ?? others} other people`] : [];
  const named = typeof rules === "string" ? rules : "custom";
  return ["You", ...people, ...kinds].join(", ").replace(/, ([^,]*)$/, " and $1") + (named === "classic" ? "" : `, ${named} rules`);
}
