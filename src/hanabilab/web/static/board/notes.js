// Notes on cards: private, kept in this browser for each table, never sent to anybody.

import { h, s } from "../shared/dom.js";
import { saveSetting, loadSetting } from "../shared/settings.js";
import { cardAt } from "./draw.js";

export class Notes {
  constructor(table) {
    this.name = `notes ${table}`;
    this.all = loadSetting(this.name, {});
    this.dialog = null;
  }

  of(order) {
    return this.all[order] ?? "";
  }

  write(order, text) {
    if (text) this.all[order] = text;
    else delete this.all[order];
    saveSetting(this.name, Object.keys(this.all).length ? this.all : null);
  }

  /** Mark the cards of a drawing that have a note. */
  mark(table, facts) {
    facts.hands.forEach((hand, player) => hand.forEach(({ order }, slot) => {
      const card = cardAt(table, player, slot);
      const text = this.of(order);
      if (!card || !text) return;
      card.append(s("g", { class: "note" }, s("title", {}, text), s("rect", { x: 43, y: 3, width: 18, height: 16, rx: 4 }), s("text", { x: 52, y: 15, "text-anchor": "middle", "font-size": 13 }, "✎")));
      card.setAttribute("aria-label", `${card.getAttribute("aria-label")}, note: ${text}`);
    }));
  }

  /** Let somebody write a note on a card; `done` is called when it has changed. */
  edit(words, order, done) {
    this.dialog?.remove();
    const text = h("input", { type: "text", maxlength: 120, value: this.of(order), "aria-label": `note on ${words}`, autocomplete: "off" });
    const form = h("form", { method: "dialog", class: "stack" },
      h("label", { class: "field" }, h("span", {}, `Note on ${words}`), text, h("small", {}, "Only you see it; it stays in this browser.")),
      h("div", { class: "buttons" }, h("button", { class: "main" }, "Keep"),
        h("button", { type: "button", onclick: () => { text.value = ""; form.requestSubmit(); } }, "Remove"),
        h("button", { type: "button", class: "quiet", onclick: () => this.dialog.close() }, "Cancel")));
    form.addEventListener("submit", () => this.write(order, text.value.trim()));
    this.dialog = h("dialog", { class: "panel note-dialog", "aria-label": `note on ${words}` }, form);
    this.dialog.addEventListener("close", () => {
      this.dialog.remove();
      done();
    });
    document.body.append(this.dialog);
    this.dialog.showModal();
    text.select();
  }
}
