// Parts of forms that several pages share: who plays, under which rules, with which deck.

import { field, h, select } from "./dom.js";

const EXAMPLE_LENGTH = 24; // characters that fit into the field for options

/** Make a picker for a strategy with its options; its value is one text.
 *
 * With `people`, the seat is one at a table: people come first, then the usual partners, then all others. */
export function strategyPicker(about, chosen = "information", people = []) {
  const partners = people.length ? about.partners : [];
  const levels = partners.filter((partner) => partner.is_level);
  const titled = (offers) => offers.map(({ strategy, title }) => [strategy, title]);
  const rest = about.strategies.map(({ name }) => name).filter((name) => !partners.some(({ strategy }) => strategy === name)).map((name) => [name, name]);
  const groups = [["people", people], ["partners", titled(levels)], [people.length ? "More" : "strategies", [...titled(partners.filter((partner) => !partner.is_level)), ...rest]]]
    .filter(([, choices]) => choices.length);
  const list = h("select", { "aria-label": "strategy" }, groups.map(([label, choices]) => {
    const options = choices.map(([value, words]) => h("option", { value }, words));
    return groups.length > 1 ? h("optgroup", { label }, options) : options;
  }));
  const whole = groups.some(([, choices]) => choices.some(([value]) => value === chosen));
  const [name, ...said] = whole ? [chosen] : chosen.split(":");
  list.value = name;
  const options = h("input", { type: "text", class: "options", value: said.join(":"), spellcheck: "false" });
  const meanings = h("small", {});
  const advanced = h("details", { class: "advanced", open: said.length > 0 }, h("summary", {}, "Options"), options, meanings);
  const note = h("small", {});
  const describe = () => {
    const strategy = about.strategies.find((each) => each.name === list.value);
    const known = strategy?.options ?? [];
    const isLevel = levels.some((each) => each.strategy === list.value);
    advanced.hidden = known.length === 0 || isLevel;
    const short = known.find((option) => `${option.name}=${option.default}`.length <= EXAMPLE_LENGTH);
    options.placeholder = short ? `${short.name}=${short.default}` : known.length ? "name=value" : "";
    options.setAttribute("aria-label", `options of ${list.value}`);
    meanings.textContent = known.map((each) => `${each.name}=${each.default}: ${each.help}`).join("; ");
    note.textContent = isLevel ? "" : partners.find((each) => each.strategy === list.value)?.words ?? strategy?.summary ?? "";
  };
  list.addEventListener("change", () => { options.value = ""; describe(); });
  describe();
  const element = h("div", { class: "strategy" }, list, note, advanced);
  return {
    element,
    list,
    get value() {
      const given = advanced.hidden ? "" : options.value.trim();
      return given ? `${list.value}:${given}` : list.value;
    },
  };
}

/** Make a list of pickers for strategies. */
export function strategyList(about, chosen, words = "Add a strategy") {
  const pickers = [];
  const place = h("div", { class: "stack" });
  const add = (text) => {
    const picker = strategyPicker(about, text);
    const row = h("div", { class: "row" }, picker.element);
    const remove = h("button", { type: "button", class: "quiet", "aria-label": "remove this strategy" }, "✕");
    remove.addEventListener("click", () => {
      if (pickers.length < 2) return;
      pickers.splice(pickers.indexOf(picker), 1);
      row.remove();
    });
    row.append(remove);
    pickers.push(picker);
    place.append(row);
  };
  chosen.forEach(add);
  const more = h("button", { type: "button", class: "quiet", onclick: () => add("cheat") }, `+ ${words}`);
  return { element: h("div", { class: "stack" }, place, more), get value() { return pickers.map((each) => each.value); } };
}

function ruleInput(rule, value) {
  if (rule.kind === "switch") return select([["", `default (${value ? "yes" : "no"})`], ["true", "yes"], ["false", "no"]], "");
  const usual = value === null ? "unlimited" : Array.isArray(value) ? value.join(", ") : String(value);
  const same = Array.isArray(value) && value.length > 1 && new Set(value.map(String)).size === 1;
  return h("input", { type: "text", placeholder: same ? `${value.length} × ${value[0]}` : usual, title: `default: ${usual || "none"}`, spellcheck: "false" });
}

function readRule(rule, text) {
  if (rule.kind === "text") return text.includes(",") ? text.split(",").map((part) => part.trim()) : text.trim();
  const said = text.trim().toLowerCase();
  if (said === "true" || said === "false") return said === "true";
  if (said === "unlimited" || said === "∞") return null;
  if (rule.kind === "copies") return said.startsWith("[") ? JSON.parse(said) : said.split(/[\s,]+/).map(Number);
  return Number(said);
}

let pickers = 0;

/** Make a picker for the number of players, named rules and changes to them. */
export function rulesPicker(about, { players = 3, rules = "classic", least = 2, most = 6 } = {}) {
  pickers += 1;
  const given = typeof rules === "string" ? { preset: rules } : rules;
  const named = about.rules.map((each) => each.name);
  const wanted = given.preset ?? "classic";
  const preset = select(named.map((name) => [name, name]), named.includes(wanted) ? wanted : "classic");
  const variant = h("input", { type: "text", list: `variants-${pickers}`, placeholder: "none",
    value: named.includes(wanted) ? "" : wanted });
  const variants = h("datalist", { id: `variants-${pickers}` }, about.variants.map((name) => h("option", { value: name })));
  const chosenName = () => variant.value.trim() || preset.value;
  const seats = select(range(least, most), players);
  const source = h("small", {});
  const place = h("div", { class: "grid" });
  let inputs = [];
  const describe = () => {
    const chosen = about.rules.find((each) => each.name === preset.value);
    source.textContent = chosen.source;
    inputs = about.rule_fields.map((rule) => [rule, ruleInput(rule, chosen.fields[rule.name])]);
    for (const [rule, input] of inputs) {
      if (rule.name in given && given.preset === chosenName()) {
        input.value = given[rule.name] === null ? "unlimited" : String(given[rule.name]);
      }
    }
    place.replaceChildren(...inputs.map(([rule, input]) => field(rule.words, input)));
  };
  preset.addEventListener("change", describe);
  describe();
  const ruleChanges = h("details", {}, h("summary", {}, "Change individual rules"), place);
  const choices = [field("Rules", h("div", {}, preset, source)),
    field("Another variant", h("div", {}, variant, variants, h("small", {}, "any variant of hanab.live, by name")))];
  const seatsField = field("Players", seats);
  return {
    /** Everything, the number of players first. */
    get element() { return h("div", { class: "stack" }, h("div", { class: "grid" }, seatsField, ...choices), ruleChanges); },
    /** Everything but the number of players. */
    get details() { return h("div", { class: "stack" }, h("div", { class: "grid" }, ...choices), ruleChanges); },
    seats,
    get players() { return Number(seats.value); },
    get value() {
      const changes = {};
      for (const [rule, input] of inputs) if (input.value.trim()) changes[rule.name] = readRule(rule, input.value);
      return Object.keys(changes).length ? { preset: chosenName(), ...changes } : chosenName();
    },
  };
}

export function range(least, most) {
  return Array.from({ length: most - least + 1 }, (_, place) => least + place);
}

/** Make a field for a seed: as text, since it may have too many digits for JavaScript. */
export function seedField(value) {
  return h("input", { type: "text", inputmode: "numeric", pattern: "[0-9]{1,19}", required: true, value: String(value), title: "an integer" });
}

/** Make a picker for a deck: random, from a seed, or card by card. */
export function deckPicker({ how = "seed", seed = 1, game = 0, deck = "" } = {}) {
  const kind = select([["random", "random"], ["seed", "from a seed"], ["deck", "card by card, or from hanab.live"]], how);
  const seedInput = seedField(seed);
  const gameInput = seedField(game);
  const cards = h("textarea", { rows: 3, spellcheck: "false", placeholder: "r1 y5 g3 … first card first; or a hanab.live seed such as p3v0s1" });
  cards.value = deck;
  const seedPart = h("div", { class: "grid" }, field("Seed", seedInput), field("Game", gameInput));
  const deckPart = field("Cards", cards);
  const show = () => {
    seedPart.hidden = kind.value !== "seed";
    seedInput.disabled = gameInput.disabled = seedPart.hidden;
    deckPart.hidden = kind.value !== "deck";
  };
  kind.addEventListener("change", show);
  show();
  return {
    element: h("div", { class: "stack" }, field("Deck", kind), seedPart, deckPart),
    get value() {
      if (kind.value === "seed") return { seed: seedInput.value, game: gameInput.value };
      return kind.value === "deck" ? { deck: cards.value.trim() } : {};
    },
  };
}
