// Play: set up a table, sit down, act by mouse or keyboard, read why the strategies act as they do.

import { about, newTable, Seat } from "./api.js";
import { draw, enable, markChosen, moveFocus } from "./board.js";
import { announce, copy, find, h, percent } from "./dom.js";
import { deckPicker, range, rulesPicker, strategyPicker } from "./forms.js";
import { complain, shell } from "./shell.js";

const ENDS = { perfect: "All fireworks are complete!", lives: "The last life is lost.", deck: "The draw pile is used up." };

// --- setting up -----------------------------------------------------------------------------------

function setupForm(facts, started) {
  const rules = rulesPicker(facts, { players: 3, most: facts.limits.players ?? 6 });
  const deck = deckPicker({ how: "random" });
  const practice = h("input", { type: "checkbox", checked: true });
  const place = h("ol", { class: "seats", start: 0 });
  let pickers = [];
  const seat = () => {
    const before = pickers.map((picker) => picker.value);
    pickers = range(0, rules.players - 1).map((player) =>
      strategyPicker(facts, before[player] ?? (player === 0 ? "you" : "piers"), [["you", "you"], ["person", "another person"]]));
    place.replaceChildren(...pickers.map((picker, player) => h("li", {}, h("span", { class: "seat" }, `player ${player}`), picker.element)));
  };
  rules.seats.addEventListener("change", seat);
  seat();
  const form = h("form", { class: "panel stack" }, h("h2", {}, "New table"), rules.element,
    h("fieldset", {}, h("legend", {}, "Who sits where"), place), deck.element,
    h("label", { class: "check" }, practice, " practice: allow taking back turns (only if all others are strategies)"),
    h("button", { class: "main" }, "Deal the cards"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    complain("");
    const seats = pickers.map((picker) => picker.value);
    const humans = range(0, seats.length - 1).filter((player) => ["you", "person"].includes(seats[player]));
    const own = seats.indexOf("you");
    if (own < 0 || seats.indexOf("you", own + 1) >= 0) {
      complain("Choose exactly one seat for yourself; the others may be for other people.");
      return;
    }
    try {
      const strategies = seats.filter((_, player) => !humans.includes(player));
      const table = await newTable({
        players: seats.length, humans, strategies, rules: rules.value, ...deck.value, practice: practice.checked && humans.length === 1,
      });
      started(table, own);
    } catch (error) {
      complain(error.message);
    }
  });
  return form;
}

// --- at the table ---------------------------------------------------------------------------------

class Play {
  constructor(place, table, key, invitations = {}) {
    this.place = place;
    this.chosen = null;
    this.facts = null;
    this.seen = -1;
    this.build(invitations);
    this.seat = new Seat(table, key, (message) => this.hear(message));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  build(invitations) {
    this.board = h("div", { class: "board" });
    this.state = h("p", { class: "words" });
    this.why = h("p", { class: "why" });
    this.waiting = h("p", { class: "why waiting" });
    this.bar = h("div", { class: "bar", role: "group", "aria-label": "your action" });
    this.log = h("ol", { class: "log", "aria-label": "all turns, latest first", reversed: true });
    this.about = h("p", { class: "quiet about" });
    this.all = h("details", { class: "all" }, h("summary", {}, "All legal actions"), h("div", { class: "buttons" }));
    this.end = h("section", { class: "end panel", hidden: true, "aria-label": "the end" });
    const links = Object.entries(invitations).map(([player, address]) =>
      h("p", {}, `Seat of player ${player}: `, h("button", { type: "button", class: "quiet", onclick: (event) => copy(address, event.target) }, "copy invitation")));
    const help = h("details", { class: "help" }, h("summary", {}, "Keys"),
      h("dl", {}, ...[
        ["0 – 9", "select your card in that slot"], ["p, d", "play, discard the selected card"],
        ["h", "go to the other players' cards"], ["arrow keys", "move between everything you can select"],
        ["Enter", "select; a rank or a suit gives that hint"], ["u", "take back a turn (practice)"], ["Esc", "clear the selection"],
      ].flatMap(([key, words]) => [h("dt", {}, key), h("dd", {}, words)])));
    this.place.replaceChildren(
      h("div", { class: "play" },
        h("div", { class: "said" }, this.state, this.why, this.waiting),
        h("div", {}, this.end, this.board),
        h("aside", {}, links, this.all, help, h("h2", {}, "Turns"), this.log, this.about)));
  }

  hear(message) {
    if (message.type === "table") this.sit(message);
    else if (message.type === "turns") this.recall(message.turns);
    else if (message.type === "board") this.show(message);
    else if (message.type === "over") this.finish(message);
    else if (message.type === "error") this.refuse(message.error);
    else if (message.type === "status") this.wait(message.words);
    else if (message.type === "lost") this.state.textContent = "Connection lost; reconnecting …";
    else if (message.type === "done") complain("");
  }

  /** A strategy thinks, or no longer does. */
  wait(words) {
    this.waiting.replaceChildren(words);
    if (words && this.seat.key) this.waiting.append(" ", h("button", { type: "button", class: "quiet hurry", onclick: () => this.seat.hurry() }, "Act now"));
  }

  sit(table) {
    this.table = table;
    const names = table.seats.map((seat) => `player ${seat.player}: ${seat.name}${seat.here ? "" : " (away)"}`);
    const deck = table.given ? "a given deck" : table.seed === null ? "a shuffled deck" : `seed ${table.seed}, game ${table.game}`;
    const rules = typeof table.rules === "string" ? table.rules : table.rules.preset ?? "custom";
    this.about.textContent = `${names.join(", ")}; ${rules} rules, ${deck}`;
  }

  /** Show the turns that were taken before this connection. */
  recall(turns) {
    this.log.replaceChildren();
    turns.forEach((turn, before) => this.note(before + 1, turn));
    this.seen = turns.length;
  }

  note(turn, { words, why }) {
    this.log.prepend(h("li", { value: turn }, words, why ? h("small", {}, why) : null));
  }

  show(message) {
    const { board, can_undo: canUndo, thinking } = message;
    const facts = board.facts;
    this.latest = message;
    this.facts = facts;
    this.canUndo = canUndo;
    this.chosen = null;
    this.end.hidden = facts.end === null;
    this.drawn = draw(this.board, board);
    this.drawn.querySelector(".own-row").append(this.bar);
    const mine = facts.actions.length > 0;
    if (mine) enable(this.drawn, facts, { choose: (slot) => this.choose(slot), hint: (action) => this.act(action) });
    this.tell(facts, mine, thinking);
    this.showBar();
    this.showAll();
  }

  tell(facts, mine, thinking) {
    const { last } = facts;
    if (facts.turn < this.seen) while (this.log.children.length && Number(this.log.firstChild.value) > facts.turn) this.log.firstChild.remove();
    if (last && facts.turn > this.seen) this.note(facts.turn, last);
    this.seen = facts.turn;
    this.why.textContent = last?.why ?? "";
    const whose = facts.end ? ENDS[facts.end] : mine ? "Your turn." : thinking ? `player ${facts.player} is thinking …` : `player ${facts.player} to move.`;
    this.state.textContent = `${last ? `${last.words}. ` : ""}${whose}`;
    this.state.classList.toggle("mine", mine);
    announce(`${last ? `${last.words}. ${last.why ?? ""}` : ""} ${whose}`);
    document.title = mine ? "● your turn – hanabilab" : "Play – hanabilab";
  }

  choose(slot) {
    if (!this.facts?.actions.some((action) => action.slot === slot)) return;
    this.chosen = this.chosen === slot ? null : slot;
    markChosen(this.drawn, this.facts.viewer, this.chosen);
    this.showBar();
  }

  showBar() {
    const { facts, chosen } = this;
    const legal = (type) => facts.actions.find((action) => action.type === type && (action.slot ?? chosen) === chosen);
    const button = (type, words, key) => {
      const action = legal(type);
      return h("button", { type: "button", class: type === "play" ? "main" : "", disabled: !action, title: action ? "" : "not allowed now", onclick: () => this.act(action) }, words, h("kbd", {}, key));
    };
    const parts = [];
    if (facts.actions.length && chosen !== null) {
      const known = facts.hands[facts.viewer][chosen];
      const chances = known.playable === undefined ? "" : `playable ${percent(known.playable)} · dead ${percent(known.dead)} · critical ${percent(known.critical)}`;
      parts.push(button("play", `Play slot ${chosen}`, "p"), button("discard", `Discard slot ${chosen}`, "d"), h("span", { class: "quiet" }, chances));
    } else if (facts.actions.length) {
      const pass = facts.actions.find((action) => action.type === "pass");
      if (pass) parts.push(h("button", { type: "button", onclick: () => this.act(pass) }, "Pass"));
      const hints = facts.actions.some((action) => action.touches);
      parts.push(h("span", { class: "quiet" }, hints ? "Select one of your cards, or give a hint: select the rank or suit of another player's card." : pass ? "Select one of your cards, or pass." : "No hint tokens left: select one of your cards."));
    }
    if (this.canUndo) parts.push(h("button", { type: "button", class: "quiet undo", onclick: () => this.seat.undo() }, "Take back", h("kbd", {}, "u")));
    this.bar.replaceChildren(...parts);
  }

  showAll() {
    const list = this.all.querySelector("div");
    list.replaceChildren(...this.facts.actions.map((action) =>
      h("button", { type: "button", onclick: () => this.act(action) }, action.words)));
    this.all.hidden = this.facts.actions.length === 0;
  }

  act(action) {
    if (!action) return;
    const { words, touches, player, ...plain } = action;
    this.facts = { ...this.facts, actions: [] };
    this.state.textContent = `${words} …`;
    this.state.classList.remove("mine");
    this.bar.replaceChildren();
    this.showAll();
    for (const part of this.drawn.querySelectorAll(".can")) part.classList.remove("can");
    this.seat.act(this.facts.turn, plain);
  }

  /** Show an error; the game stands as before. */
  refuse(words) {
    complain(words);
    if (this.latest) this.show(this.latest);
    else this.board.replaceChildren(h("a", { class: "button main", href: "/play" }, "New table"));
  }

  finish(message) {
    this.end.replaceChildren(
      h("h2", {}, `${message.score} of ${this.facts?.max_score ?? ""} points`),
      h("p", {}, ENDS[message.end] ?? ""),
      h("div", { class: "buttons" },
        h("a", { class: "button main", href: message.replay }, "Replay the game"),
        h("a", { class: "button", href: "/play" }, "New table")));
    announce(`The game is over: ${message.score} points. ${ENDS[message.end] ?? ""}`);
  }

  key(event) {
    if (event.target.closest?.("input, textarea, select") || event.altKey || event.ctrlKey || event.metaKey || !this.facts) return;
    const { key } = event;
    const slotAction = (type) => this.facts.actions.find((action) => action.type === type && action.slot === this.chosen);
    if (/^\d$/.test(key)) this.choose(Number(key));
    else if (key === "p") this.act(slotAction("play"));
    else if (key === "d") this.act(slotAction("discard"));
    else if (key === "h") this.drawn.querySelector("[data-rank].can, [data-suit].can")?.focus();
    else if (key === "u" && this.canUndo) this.seat.undo();
    else if (key === "Escape" && this.chosen !== null) this.choose(this.chosen);
    else if (key.startsWith("Arrow") && this.drawn.querySelector(".can")) moveFocus(this.drawn, key);
    else return;
    event.preventDefault();
  }
}

// --- the page -------------------------------------------------------------------------------------

async function start() {
  shell();
  const main = find("main");
  const table = new URLSearchParams(location.search).get("table");
  const key = new URLSearchParams(location.hash.slice(1)).get("seat");
  if (table) {
    new Play(main, table, key);
    return;
  }
  main.append(h("h1", {}, "Play"), setupForm(await about(), (made, own) => {
    const address = (player) => `${location.origin}/play?table=${made.table}#seat=${made.seats[player]}`;
    history.pushState(null, "", address(own));
    const others = Object.keys(made.seats).filter((player) => Number(player) !== own);
    new Play(main, made.table, made.seats[own], Object.fromEntries(others.map((player) => [player, address(player)])));
  }));
  addEventListener("popstate", () => location.reload());
}

start();
