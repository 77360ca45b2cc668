// What the people at a table say: ready-made reactions, short messages, and bubbles beside the hands.

import { announce } from "../shared/announcer.js";
import { h } from "../shared/dom.js";

const REACTIONS = [["nice", "Nice!"], ["thanks", "Thanks!"], ["wow", "Wow!"], ["oops", "Oops!"], ["sorry", "Sorry!"], ["hm", "Hm …"]];
const LETTERS = 160;
const KEPT = 50;
const SHOWN = 5000;

export class Talk {
  /** `send` is given what to say: `{text}` or `{reaction}`. */
  constructor(send) {
    this.list = h("ol", { class: "said-list", tabindex: "0", "aria-label": "messages" });
    this.text = h("input", { type: "text", maxlength: LETTERS, placeholder: "Say something", "aria-label": "Message", autocomplete: "off" });
    this.form = h("form", { class: "row" }, this.text, h("button", {}, "Send"));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.text.value.trim();
      if (text) send({ text });
      this.text.value = "";
    });
    this.reactions = h("div", { class: "reactions", role: "group", "aria-label": "reactions" },
      REACTIONS.map(([reaction, words]) => h("button", { type: "button", onclick: () => send({ reaction }) }, words)));
    this.element = h("section", { class: "talk", "aria-label": "chat", hidden: true }, h("h2", {}, "Chat"), this.list, this.reactions, this.form);
  }

  /** Offer the chat if people share the table; spectators only read. */
  offer(shared, seated) {
    this.element.hidden = !((shared && seated) || this.list.childElementCount);
    this.form.hidden = this.reactions.hidden = !seated;
  }

  /** Show messages; a new one also as a bubble beside its player's hand. */
  add(messages, names, board, viewer) {
    for (const { player, text, turn } of messages) {
      this.list.append(h("li", {}, h("strong", {}, names[player]), ` ${text} `, h("small", {}, `turn ${turn}`)));
    }
    while (this.list.childElementCount > KEPT) this.list.firstChild.remove();
    this.list.scrollTop = this.list.scrollHeight;
    this.element.hidden = false;
    const last = messages.at(-1);
    if (messages.length !== 1 || last.player === viewer) return;
    announce(`${names[last.player]}: ${last.text}`);
    bubble(board, last);
  }
}

/** Show a message for a short time beside the hand of the player who sent it. */
function bubble(board, { player, text }) {
  const hand = board.querySelector(`[data-hand="${player}"]`)?.getBoundingClientRect();
  if (!hand) return;
  const place = board.getBoundingClientRect();
  for (const old of board.querySelectorAll(`.bubble[data-from="${player}"]`)) old.remove();
  const shown = h("p", { class: "bubble", "data-from": player, "aria-hidden": "true" }, text);
  shown.style.left = `${Math.max(4, Math.min(hand.left - place.left + 40, place.width - 180))}px`;
  shown.style.top = `${Math.max(2, hand.top - place.top - 6)}px`;
  board.append(shown);
  setTimeout(() => shown.remove(), SHOWN);
}
