// A seat at a table: see the turns, act by mouse or keyboard, look back, write notes.

import { cardAt, draw, enable, markChosen } from "../board/draw.js";
import { moveFocus } from "../board/focus.js";
import { positions, showTurn } from "../board/motion.js";
import { Notes } from "../board/notes.js";
import { showOwnerViewOnHold, seeFocused } from "../board/owner_view.js";
import { announce } from "../shared/announcer.js";
import { Seat } from "../shared/api.js";
import { h, points } from "../shared/dom.js";
import { rememberTable } from "../shared/my_tables.js";
import { showError } from "../shared/shell.js";
import { sound, soundOf } from "../shared/sounds.js";
import { loadTerms, showWithTerms } from "../shared/terms.js";
import { costlyTurns, showReview } from "../replay/review.js";
import { asksBeforeHints, help, introduction, invitations, presence, settings } from "./sidebar.js";
import { breaches, breachWords, brokenAgreements, showBreaches } from "./agreements.js";
import { ActionBar } from "./action_bar.js";
import { Clock } from "./clock.js";
import { ENDS, followRematch, showEnd } from "./end.js";
import { concludedNow, conclusions, markConclusions, showConclusions } from "./conclusion.js";
import { TurnLog } from "./log.js";
import { Pacing } from "./pacing.js";
import { Talk } from "./talk.js";
import { turnAway } from "./turned_away.js";

const NOT_SENT = "The server cannot be reached, so nothing was sent. Try again when the connection is back.";
const NOT_TAKEN = "The connection was lost before the server took your action. It is still your turn.";
const NO_ANSWER = "The server has not answered yet. Your action counts once it appears among the turns.";
const ANSWER_TIME = 5000;

export class Table {
  constructor(place, name, key) {
    Object.assign(this, { place, name, chosen: null, latest: null, past: null, sent: false, picking: false, lost: false, pending: null });
    this.notes = new Notes(name);
    this.costs = new Map();
    this.pacing = new Pacing((message) => this.follow(message));
    this.build();
    this.seat = new Seat(name, key, (message) => this.hear(message));
    document.addEventListener("keydown", (event) => this.key(event));
    loadTerms();
  }

  build() {
    document.body.classList.add("at-table");
    this.heading = h("h1", { class: "visually-hidden", tabindex: "-1" }, "Your table");
    this.board = h("div", { class: "board" });
    this.board.addEventListener("click", (event) => this.pick(event), true);
    this.board.addEventListener("contextmenu", (event) => this.noteAt(event));
    this.state = h("p", { class: "words" }, "Sitting down …");
    this.why = h("p", { class: "why" });
    this.concluded = h("p", { class: "concluded", hidden: true });
    this.waiting = h("p", { class: "why waiting", hidden: true });
    this.broken = h("p", { class: "remark breach", hidden: true });
    this.blunder = h("p", { class: "remark warning blunder", role: "status", hidden: true });
    this.coach = h("button", { type: "button", class: "quiet coach", hidden: true, onclick: () => this.seat.advise() }, h("span", {}, h("span", { class: "ask" }, "Ask the "), h("span", { class: "coach-word" }, "coach")));
    this.warning = h("p", { class: "warning", role: "status", hidden: true });
    this.clock = new Clock();
    this.log = new TurnLog((turn) => this.look(turn));
    this.about = h("p", { class: "quiet about" });
    this.invited = h("section", { class: "invitations", "aria-label": "invitations" });
    this.all = h("details", { class: "all" }, h("summary", {}, "All legal actions"), h("div", { class: "buttons" }));
    this.end = h("section", { class: "end panel", hidden: true, "aria-label": "the end" });
    this.after = h("section", { class: "after", hidden: true, "aria-label": "after the game" });
    this.question = h("p", { class: "question", hidden: true });
    this.present = h("ul", { class: "presence", "aria-label": "players" });
    this.talk = new Talk((words) => this.seat.say(words));
    this.bar = new ActionBar({
      act: (type) => this.act(this.legal(type)), undo: () => this.seat.undo(), note: () => this.note(),
      back: () => this.look((this.past?.facts ?? this.facts).turn - 1), forth: () => this.look(this.past.facts.turn + 1),
    });
    this.place.replaceChildren(this.heading,
      h("div", { class: "play" },
        h("div", { class: "stage" }, h("div", { class: "said", role: "region", tabindex: "0", "aria-label": "what happened" }, this.clock.element, this.coach, this.bar.tipAbove, this.state, this.bar.firstTip, this.concluded, this.why, this.waiting, this.broken, this.blunder, this.warning), this.question, this.end, this.board),
        h("aside", {}, this.after, this.present, this.invited, this.talk.element, h("h2", {}, "Turns"), this.log.element, this.all, settings(), help(), this.about)),
      this.bar.element);
  }

  get facts() {
    return this.latest?.board.facts ?? null;
  }

  hear(message) {
    if (message.type === "connected") this.pacing.restart();
    else if (message.type === "lost") this.lose();
    else if (message.type === "unsent") showError(NOT_SENT);
    else if (message.type === "table") this.sit(message);
    else if (message.type === "turns") this.log.fill(message.turns);
    else if (message.type === "error") this.refuse(message.error);
    else if (message.type === "look") this.showPast(message.board);
    else if (message.type === "advice") this.showAdvice(message);
    else if (message.type === "blunder") this.warn(message);
    else if (message.type === "done") this.confirm();
    else if (message.type === "said") this.talk.add(message.messages, this.names, this.board, this.facts?.viewer);
    else if (message.type === "rematch") followRematch(this.end, message, { name: this.name, seat: this.seat, asked: this.seat.rematchAsked });
    else this.pacing.add({ ...message, heardAt: performance.now() });
  }

  lose() {
    this.lost = true;
    this.state.textContent = "Connection lost; reconnecting …";
    this.state.classList.remove("mine");
  }

  /** The server has taken an action. */
  confirm() {
    this.pending = null;
    showError("");
  }

  /** Show what happens at the table, in its time. */
  follow(message) {
    if (message.type === "board") this.show(message);
    else if (message.type === "over") this.finish(message);
    else if (message.type === "status") this.wait(message.words);
  }

  /** A strategy thinks, or no longer does. */
  wait(words) {
    this.waiting.hidden = !words;
    this.waiting.replaceChildren(words);
    if (words && this.seat.key) this.waiting.append(" ", h("button", { type: "button", class: "quiet hurry", onclick: () => this.seat.hurry() }, "Act now"));
  }

  sit(message) {
    if (this.lost) showError("");
    this.lost = false;
    this.about.textContent = introduction(message);
    this.names = message.seats.map(({ name }) => name);
    this.present.replaceChildren(...presence(message));
    this.talk.offer(message.seats.filter(({ human }) => human).length > 1, message.you !== null);
    this.level = message.agreed_level;
    this.practice = message.practice && message.you !== null;
    this.invited.replaceChildren(...invitations(this.name, message));
    this.invited.hidden = !this.invited.childElementCount;
    const windows = message.seats[message.you]?.windows ?? 0;
    const warnings = [message.warning, windows > 1 && `Your seat is open in ${windows} windows; each of them can act.`];
    this.warning.textContent = warnings.filter(Boolean).join(" ");
    this.warning.hidden = !this.warning.textContent;
    if (message.you !== null) rememberTable({ table: this.name, key: this.seat.key, you: message.you, words: message.seats.map(({ name }) => name).join(", ") });
  }

  show(message) {
    const shown = this.facts?.turn;
    this.latest = message;
    this.sent = false;
    this.chosen = null;
    this.clock.set(message.seconds_left, message.heardAt);
    const { facts } = message.board;
    if (this.pending === facts.turn) showError(NOT_TAKEN);
    this.pending = null;
    this.end.hidden = facts.end === null;
    this.question.hidden = true;
    this.coach.hidden = !(this.practice && facts.actions.length);
    const before = facts.turn === shown + 1 && !this.past ? positions(this.board) : null;
    if (!this.past) this.redraw(before);
    this.log.follow(facts);
    this.tell(facts);
    this.showAll();
    if (before) soundOf(facts.last);
    if (facts.actions.length && facts.turn > 0) sound("turn");
  }

  /** Draw the latest board, or the one that is looked back at. */
  redraw(before = null) {
    const board = this.past ?? this.latest.board;
    const { facts } = board;
    this.drawn = draw(this.board, board, (table) => {
      enable(table, this.past || this.sent ? { ...facts, actions: [] } : facts, { choose: (slot) => this.choose(slot), hint: (action) => this.act(action) });
      this.notes.mark(table, facts);
      markConclusions(table, facts);
      showOwnerViewOnHold(table);
    });
    this.board.classList.toggle("past", this.past !== null);
    if (!this.past) markChosen(this.drawn, facts.viewer, this.chosen);
    showTurn(this.drawn, facts, before);
    this.showBar();
  }

  showBar() {
    const facts = this.past || this.sent ? { ...this.facts, actions: [] } : this.facts;
    this.bar.show({
      facts, chosen: this.chosen, canUndo: this.latest.can_undo, past: this.past?.facts.turn ?? null, turn: this.facts.turn,
      seated: typeof facts.viewer === "number",
    });
  }

  tell(facts) {
    const { last, names } = facts;
    const mine = facts.actions.length > 0;
    const mover = names[facts.player];
    const whose = facts.end ? ENDS[facts.end] : mine ? "Your turn." : this.latest.thinking ? `${mover} is thinking …` : `${mover} to move.`;
    const words = last ? `${sentence(last.words)} ` : "";
    if (this.lost) this.lose();
    else if (!this.past) this.state.textContent = `${words}${whose}`;
    this.state.classList.toggle("mine", mine && !this.lost);
    const said = this.past ? "" : this.explain(facts);
    announce(`${words}${said ? `${said} ` : ""}${whose}`);
    document.title = mine ? "● your turn – hanabilab" : "Play – hanabilab";
  }

  /** Show what the agreements say about hints to the viewer and about the viewer's last turn, and
   * what the player who acted says. */
  explain(facts) {
    showConclusions(this.concluded, facts);
    showBreaches(this.broken, facts);
    const why = concludedNow(facts) ? null : facts.last?.why;
    showWithTerms(this.why, why ? sentence(why) : "");
    this.why.classList.remove("advice");
    const broken = facts.last?.player === facts.viewer ? breaches(facts) : [];
    return [...conclusions(facts).map(({ words }) => words), ...broken.map((each) => breachWords(each, facts)), this.why.textContent].filter(Boolean).join(" ");
  }

  /** Show what the coach would do in this player's place. */
  showAdvice(message) {
    this.why.textContent = `The coach would ${message.words}: ${message.why}.`;
    this.why.classList.add("advice");
    announce(this.why.textContent);
  }

  /** Warn of a blunder, and offer to take it back. */
  warn({ turn, cost, better }) {
    if (this.facts.end) return; // nothing can be taken back any more
    if (this.acted !== undefined && this.acted !== turn - 1) return; // too late: another action was sent
    const back = h("button", { type: "button", class: "quiet", onclick: () => { this.blunder.hidden = true; this.seat.undo(); } }, "Take it back");
    this.costs.set(turn, { cost, better });
    this.blunder.replaceChildren(`That cost about ${points(cost)}, judging by what you knew. The coach would ${better}. `, back);
    this.blunder.hidden = false;
    announce(this.blunder.firstChild.textContent);
  }

  // --- looking back -------------------------------------------------------------------------------

  look(turn) {
    if (!this.facts || turn < 0) return;
    if (turn >= this.facts.turn) this.backToNow();
    else this.seat.requestBoard(turn);
  }

  showPast(board) {
    this.past = board;
    this.chosen = null;
    const { turn, last } = board.facts;
    this.redraw();
    const now = h("button", { type: "button", class: "now", onclick: () => this.backToNow() }, "Back to now");
    this.state.replaceChildren(last ? `Turn ${turn}: ${sentence(last.words)} ` : "The deal. ", now);
    this.explain(board.facts);
    announce(this.state.firstChild.textContent);
  }

  backToNow() {
    if (!this.past) return;
    const lost = this.state.contains(document.activeElement);
    this.past = null;
    this.redraw();
    this.tell(this.facts);
    if (lost) this.bar.back.focus();
  }

  // --- acting -------------------------------------------------------------------------------------

  choose(slot) {
    if (this.sent || this.past || !this.facts?.actions.some((action) => action.slot === slot)) return;
    this.chosen = this.chosen === slot ? null : slot;
    markChosen(this.drawn, this.facts.viewer, this.chosen);
    this.showBar();
  }

  legal(type) {
    return this.facts.actions.find((action) => action.type === type && (action.slot ?? this.chosen) === this.chosen);
  }

  showAll() {
    const list = this.all.querySelector("div");
    list.replaceChildren(...this.facts.actions.map((action) => h("button", { type: "button", onclick: () => this.act(action) }, action.words)));
    this.all.hidden = this.facts.actions.length === 0;
  }

  /** Ask whether a hint is meant, and give it then. */
  confirmHint(action) {
    const touched = action.touches.map((slot) => cardAt(this.drawn, action.target, slot));
    const asked = document.activeElement;
    const done = () => {
      this.question.hidden = true;
      touched.forEach((card) => card?.classList.remove("in-question"));
    };
    const give = h("button", { type: "button", class: "main", onclick: () => { done(); this.act(action, true); } }, "Give the hint");
    const cancel = () => {
      done();
      asked?.focus({ preventScroll: true });
    };
    this.question.replaceChildren(`${sentence(action.words).replace(/\.$/, "")}? `, give, " ", h("button", { type: "button", onclick: cancel }, "Cancel"));
    this.question.hidden = false;
    touched.forEach((card) => card?.classList.add("in-question"));
    announce(this.question.firstChild.textContent);
    give.focus({ preventScroll: true });
  }

  act(action, sure = false) {
    if (!action || this.sent || this.past) return;
    if (action.touches && !sure && asksBeforeHints()) {
      this.confirmHint(action);
      return;
    }
    this.question.hidden = true;
    if (!this.seat.connected) {
      showError(NOT_SENT);
      return;
    }
    const { words, touches, player, ...plain } = action;
    this.sent = true;
    this.blunder.hidden = true;
    this.acted = this.facts.turn;
    for (const turn of this.costs.keys()) if (turn > this.acted) this.costs.delete(turn); // taken back since
    this.chosen = null;
    this.state.textContent = `${sentence(words).replace(/\.$/, "")} …`;
    this.state.classList.remove("mine");
    this.redraw();
    this.all.hidden = true;
    this.pending = this.facts.turn;
    setTimeout((turn) => { if (this.pending === turn && !this.lost) showError(NO_ANSWER); }, ANSWER_TIME, this.pending);
    this.seat.act(this.facts.turn, plain);
  }

  /** Show an error; the game stands as before. */
  refuse(words) {
    this.pending = null;
    if (!this.latest) {
      turnAway(this.place, words);
      return;
    }
    showError(words);
    this.show(this.latest);
  }

  finish(message) {
    this.latest = { ...this.latest, board: message.board };
    if (!this.past) this.redraw();
    this.blunder.hidden = true;
    showEnd(this.end, message, { most: message.board.facts.max_score, seat: this.seat });
    this.place.querySelector(".play").classList.add("over");
    this.after.replaceChildren();
    this.after.hidden = false;
    const seat = this.facts.viewer;
    const review = h("div", { class: "reviewed" });
    this.after.append(review);
    const go = (turn) => this.look(turn);
    if (this.costs.size) this.after.append(costlyTurns(this.costs, { code: message.code }, { go, seat }));
    if (this.level && typeof seat === "number") brokenAgreements(this.after, message, seat, this.level);
    showReview(review, { code: message.code }, { go, follow: false, reader: seat });
    announce(`The game is over: ${message.score} points. ${ENDS[message.end] ?? ""}`);
    sound("over");
  }

  // --- notes --------------------------------------------------------------------------------------

  /** Write a note on the chosen card or the one with the focus; else on the next that is clicked. */
  note() {
    const focused = document.activeElement?.closest?.("[data-slot]");
    const card = this.chosen === null ? focused : cardAt(this.drawn, this.facts.viewer, this.chosen);
    if (card) {
      this.editNote(card);
      return;
    }
    this.picking = !this.picking;
    this.board.classList.toggle("picking", this.picking);
    if (this.picking) announce("Select a card for the note.");
    this.bar.tip.textContent = this.picking ? "Select a card for the note." : "";
  }

  pick(event) {
    const card = event.target.closest("[data-slot]");
    if (!this.picking || !card) return;
    event.stopPropagation();
    this.picking = false;
    this.board.classList.remove("picking");
    this.editNote(card);
  }

  noteAt(event) {
    const card = event.target.closest("[data-slot]");
    if (!card || event.defaultPrevented || !this.seat.key) return;
    event.preventDefault();
    this.editNote(card);
  }

  editNote(card) {
    const { facts } = this.past ?? this.latest.board;
    const player = Number(card.dataset.player);
    const hand = facts.hands[player];
    const slot = Number(card.dataset.slot);
    const whose = player === facts.viewer ? "your" : `${facts.names[player]}'s`;
    this.notes.edit(`${whose} slot ${hand.length - slot}`, hand[slot].order, () => this.redraw());
  }

  key(event) {
    if (event.target.closest?.("input, textarea, select, dialog") || event.altKey || event.ctrlKey || event.metaKey || !this.facts) return;
    const { key } = event;
    if (/^[1-9]$/.test(key)) this.choose(this.facts.hands[this.facts.viewer]?.length - Number(key));
    else if (key === "p") this.act(this.legal("play"));
    else if (key === "d") this.act(this.legal("discard"));
    else if (key === "h") this.drawn.querySelector("[data-rank].enabled, [data-suit].enabled")?.focus();
    else if (key === "e") seeFocused(this.drawn, (this.past ?? this.latest.board).facts, !this.drawn.querySelector(".as-owner"));
    else if (key === "n" && this.seat.key) this.note();
    else if (key === "u" && this.latest.can_undo) this.seat.undo();
    else if (key === "[") this.look((this.past?.facts ?? this.facts).turn - 1);
    else if (key === "]" && this.past) this.look(this.past.facts.turn + 1);
    else if (key === "Escape" && !this.question.hidden) this.question.lastChild.click();
    else if (key === "Escape" && this.past) this.backToNow();
    else if (key === "Escape" && this.chosen !== null) this.choose(this.chosen);
    else if (key.startsWith("Arrow") && this.drawn.querySelector(".enabled")) moveFocus(this.drawn, key);
    else return;
    event.preventDefault();
  }
}

/** Return words as a sentence: with a capital letter and a full stop. */
function sentence(words) {
  return `${words[0].toUpperCase()}${words.slice(1)}${/[.!?…]$/.test(words) ? "" : "."}`;
}
