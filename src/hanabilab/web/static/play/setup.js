// Set up a table: who sits where, under which rules, with which deck.

import { createTable } from "../shared/api.js";
import { field, h, select } from "../shared/dom.js";
import { deckPicker, range, rulesPicker, strategyPicker } from "../shared/forms.js";
import { saveSetting, loadSetting } from "../shared/settings.js";
import { showError } from "../shared/shell.js";

const TIMERS = [["", "no clock"], [30, "30 s"], [60, "1 min"], [120, "2 min"], [300, "5 min"]];
const PEOPLE = [["you", "you"], ["person", "another person"]];

/** Make the form for a new table; `started` is given the table and its facts. */
export function setupForm(about, started) {
  const rules = rulesPicker(about, { players: 3, most: about.limits.players ?? 6 });
  const deck = deckPicker({ how: "random" });
  const practice = h("input", { type: "checkbox", checked: true });
  const timer = select(TIMERS, "");
  const place = h("ol", { class: "seats", start: 1 });
  let seats = [];
  const seat = () => {
    const before = seats;
    seats = range(0, rules.players - 1).map((player) => {
      const partner = strategyPicker(about, before[player]?.partner.value ?? (player === 0 ? "you" : partnerFor(about, rules.players)), PEOPLE);
      const usual = player === 0 ? loadSetting("name", "") : "";
      const name = h("input", { type: "text", maxlength: 20, value: before[player]?.name.value ?? usual, placeholder: about.names[player], "aria-label": `name of seat ${player + 1}`, autocomplete: "off" });
      return { partner, name };
    });
    place.replaceChildren(...seats.map(({ partner, name }) => h("li", {}, name, partner.element)));
  };
  rules.seats.addEventListener("change", seat);
  seat();
  const form = h("form", { class: "panel stack" },
    h("div", { class: "form-head" }, h("h2", {}, "New table"), h("button", { class: "main" }, "Deal the cards")), rules.element,
    h("fieldset", {}, h("legend", {}, "Who sits where"), place), deck.element,
    h("div", { class: "grid" }, field("Time for a turn", timer)),
    h("label", { class: "check" }, practice, " practice: allow taking back turns (only if all others are strategies)"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    showError("");
    const chosen = seats.map(({ partner }) => partner.value);
    const humans = range(0, chosen.length - 1).filter((player) => ["you", "person"].includes(chosen[player]));
    const own = chosen.indexOf("you");
    if (own < 0 || chosen.indexOf("you", own + 1) >= 0) {
      showError("Choose exactly one seat for yourself; the others may be for other people.");
      return;
    }
    const names = seats.map(({ name }) => name.value.trim() || null);
    saveSetting("name", names[own]);
    try {
      const strategies = chosen.filter((_, player) => !humans.includes(player));
      const made = await createTable({
        players: chosen.length, humans, strategies, names, rules: rules.value, ...deck.value, practice: practice.checked && humans.length === 1,
        ...(timer.value ? { timer: Number(timer.value) } : {}),
      });
      started({ table: made.table, key: made.seats[own], seats: made.seats, origin: made.origin });
    } catch (error) {
      showError(error.message);
    }
  });
  return form;
}

/** Return the usual partner of a person at a table of this size. */
function partnerFor(about, players) {
  return about.partners.find((partner) => partner.players.includes(players))?.strategy ?? about.partners[0].strategy;
}
