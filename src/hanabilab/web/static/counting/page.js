// Counting: exact counts, sequences and pace, and the tables of the papers calculated again.

import { about, runJob, EXACT } from "../shared/api.js";
import { field, find, h, number, setEnabled } from "../shared/dom.js";
import { rulesPicker } from "../shared/forms.js";
import { showError, shell } from "../shared/shell.js";
import { runWithProgress, awaitWithProgress } from "../shared/progress.js";

const EXAMPLES = [["3 2 2 2 1", 5, "one suit of the standard deck"], ["2 2 2 / 2 2 2", 3, "two suits, out of reach for the thesis"],
  ["4 4 4 4 4 4 4 4 4 4 4 4 4", 1, "a pack of cards: the number of unplayable orders is a 50-digit prime"]];

function groupDigits(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function fraction(value) {
  if (value === 0 || value === 1) return String(value);
  return value < 1e-3 ? value.toExponential(4) : value.toPrecision(8);
}

function table(caption, head, rows) {
  return h("div", { class: "scroll" }, h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), rest.map((cell) => h("td", {}, cell)))))));
}

/** Make a form, the button that asks, and the place for the answer. */
function calculator(title, lead, parts, words, answer) {
  const place = h("div", { class: "answer", role: "status" });
  const button = h("button", { class: "main" }, words);
  const form = h("form", { class: "stack" }, h("p", { class: "lead" }, lead), parts, button);
  let asked = false;
  let latest = 0;
  // A first answer that the page asks for by itself gives way to what its reader asks.
  const run = async ({ byItself = false } = {}) => {
    if (asked) return;
    latest += 1;
    const mine = latest;
    asked = !byItself;
    if (asked) showError("");
    setEnabled(button, !asked);
    try {
      const found = [await answer((kind, fields) => runWithProgress(place, title, kind, fields, EXACT))].flat();
      if (mine === latest) place.replaceChildren(...found);
    } catch (error) {
      if (mine !== latest) return;
      place.replaceChildren();
      showError(error.message);
    } finally {
      if (mine === latest) {
        asked = false;
        setEnabled(button, true);
      }
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  return { run, element: h("section", { class: "panel" }, h("h2", {}, title), h("div", { class: "columns" }, form, place)) };
}

function countForm() {
  const counts = h("input", { type: "text", value: "3 2 2 2 1", spellcheck: "false" });
  const hand = number(5, 1, 50);
  const scores = h("input", { type: "checkbox" });
  const made = calculator("Count", "How many orders of these cards can be won by a single player who sees everything?",
    [h("div", { class: "grid" }, field("Copies of each rank, suits separated by /", counts), field("Cards in hand", hand)),
      h("label", { class: "check" }, scores, " also by best score"),
      h("p", { class: "quiet" }, "For example: ", EXAMPLES.map(([text, size, words]) => h("button", {
        type: "button", class: "quiet", title: words, onclick: () => { counts.value = text; hand.value = size; made.run(); },
      }, text.length > 20 ? "13 fours" : text)))],
    "Count", async (run) => {
      const found = await run("count", { counts: counts.value, hand: Number(hand.value), scores: scores.checked });
      const total = Number(found.total);
      const rows = ["playable", "unplayable", "total"].map((name) => [name, groupDigits(found[name]), fraction(Number(found[name]) / total)]);
      const tables = [table(`${counts.value}, ${found.hand} in hand`, ["what", "orders", "fraction"], rows)];
      if (found.scores) tables.push(table("By best score", ["score", "orders", "fraction"], found.scores.map((count, score) => [score, groupDigits(count), fraction(Number(count) / total)])));
      return tables;
    });
  return made;
}

function sequenceForm() {
  const cards = h("input", { type: "text", value: "r2 r1 y3 y1 r3 y2 r1", spellcheck: "false" });
  const hand = number(2, 1, 50);
  const goal = h("input", { type: "number", min: 0, max: 1000, placeholder: "all" });
  const explain = h("input", { type: "checkbox", checked: true });
  return calculator("One sequence", "Can this order be won, and how? The algorithms of the thesis, step by step.",
    [field("Cards, first card first", cards), h("div", { class: "grid" }, field("Cards in hand", hand), field("Points to score", goal)),
      h("label", { class: "check" }, explain, " show every step")],
    "Decide", async (run) => {
      const request = { cards: cards.value, hand: Number(hand.value), explain: explain.checked };
      if (goal.value !== "") request.goal = Number(goal.value);
      const found = await run("sequence", request);
      const parts = [h("p", { class: `verdict ${found.playable ? "winnable" : "not-winnable"}` },
        h("strong", {}, found.playable ? "playable" : "not playable"), `: ${found.goal} points with ${found.hand} in hand; best score ${found.best}`)];
      if (found.line) parts.push(h("p", {}, found.line.map(({ action, card }) => `${action} ${card ?? ""}`).join(", ")));
      if (found.steps) parts.push(h("pre", { tabindex: "0" }, found.steps.join("\n")));
      return parts;
    });
}

function paceForm(facts) {
  const rules = rulesPicker(facts, { players: 3, least: 1, most: 10 });
  const deck = h("textarea", { rows: 2, placeholder: "leave empty for the chances over all decks", spellcheck: "false" });
  return calculator("Pace", "Exactly how often is a shuffled deck lost for lack of turns alone?",
    [rules.element, field("One deck", deck)], "Calculate", async (run) => {
      const request = { players: rules.players, rules: rules.value };
      if (deck.value.trim()) {
        const found = await run("pace", { ...request, deck: deck.value.trim() });
        return table("The pace that this deck forces", ["cards remaining", "blocked", "pace"], found.cuts.map(({ remaining, blocked, pace }) => [remaining, blocked, pace]));
      }
      const found = await run("pace", request);
      const rows = found.cuts.filter(({ negative_decimal: negative, zero_decimal: zero }) => negative > 0 || zero > 0)
        .map((cut) => [cut.remaining, cut.negative, fraction(cut.negative_decimal), fraction(cut.zero_decimal)]);
      const lost = found.lost_decimal ?? null;
      return [h("p", { class: "verdict" }, lost === null ? "lost at some cut: too large to calculate here" : `lost at some cut: ${fraction(lost)}, one deck in ${groupDigits(Math.round(1 / lost))}`),
        table(`${found.players} players with ${found.hand} cards each`, ["cards remaining", "pace below 0", "as a number", "pace 0"], rows)];
    });
}

const SIGNS = { exact: "=", agrees: "≈", close: "~", differs: "≠", erratum: "misprint" };

function formatted(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isInteger(value) ? groupDigits(value) : Number(value.toPrecision(5)).toString();
  return /^\d{4,}$/.test(value) ? groupDigits(value) : Array.isArray(value) ? value.join(" ") : String(value);
}

/** Show one table of a paper beside our results, calculated when it is opened. */
function paperTable({ id, title, about: words }) {
  const place = h("div", { role: "status" });
  const part = h("details", {}, h("summary", {}, title), words ? h("p", { class: "quiet" }, words) : null, place);
  part.addEventListener("toggle", async () => {
    if (!part.open || place.children.length) return;
    try {
      const found = await runWithProgress(place, title, "papers", { table: id }, EXACT);
      const rows = found.items.map((item) => [item.place,
        formatted(item.printed), formatted(item.got), h("span", { title: item.explanation ?? "", class: `judged ${item.verdict}` }, SIGNS[item.verdict] ?? item.verdict)]);
      place.replaceChildren(h("div", { class: "long", tabindex: "0", role: "region", "aria-label": title }, table(`${found.items.length} numbers`, ["where", "printed", "ours", "verdict"], rows)));
    } catch (error) {
      place.replaceChildren();
      showError(error.message);
    }
  });
  return part;
}

async function paperTables(place) {
  const { tables } = await awaitWithProgress(place, "Loading the tables of the papers", runJob("papers", {}));
  for (const paper of new Set(tables.map((each) => each.paper))) {
    place.append(h("h3", {}, paper), ...tables.filter((each) => each.paper === paper).map(paperTable));
  }
}

async function start() {
  shell();
  const main = find("main");
  main.append(h("h1", {}, "Counting"));
  const facts = await awaitWithProgress(main, "Loading strategies and rules", about());
  const papers = h("section", { class: "panel" }, h("h2", {}, "Tables of the papers"),
    h("p", { class: "lead" }, "Every printed number that can be calculated without playing games, beside our result."));
  const calculators = [countForm(), sequenceForm(), paceForm(facts)];
  main.append(...calculators.map(({ element }) => element), papers);
  // Open with answers: what the forms hold at first is calculated quickly.
  for (const { run } of calculators.slice(0, 2)) run({ byItself: true });
  await paperTables(papers);
}

start();
