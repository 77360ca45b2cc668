// The sidebar of a table: who is here, invitations, settings, help, and all turns.

import { copy, field, h, select } from "../shared/dom.js";
import { qrDetails } from "../shared/qr.js";
import { myTable, tableAddress } from "../shared/my_tables.js";
import { saveSetting, pace, PACES, loadSetting } from "../shared/settings.js";

const KEYS = [["1 – 9", "select your card in that slot; slot 1 is the newest, on the left"], ["p, d", "play, discard the selected card"],
  ["h", "go to the other players' cards"], ["arrow keys", "move between everything you can select"],
  ["Enter", "select; a rank or a suit gives that hint"], ["e", "see the hand with its owner's eyes; by mouse or finger, hold on it"],
  ["n", "write a note on the card"], ["[ ]", "look back, look forward"], ["u", "take back a turn (practice)"], ["Esc", "clear the selection, or back to now"]];

export function help() {
  return h("details", { class: "help" }, h("summary", {}, "Keys and slots"),
    h("dl", {}, KEYS.flatMap(([key, words]) => [h("dt", {}, key), h("dd", {}, words)])),
    h("p", {}, h("a", { href: "/agreements" }, "What hints say: the agreements of conventions")),
    h("small", {}, "On these pages the newest card is on the left and is slot 1, as on hanab.live. The command line, files and Python count slots from 0, starting with the oldest card."));
}

/** Return whether this player wants to confirm every hint. */
export const asksBeforeHints = () => loadSetting("confirm hints", false) === true;

export function settings() {
  const apart = select(PACES, pace());
  apart.addEventListener("change", () => saveSetting("pace", Number(apart.value)));
  const sounds = h("input", { type: "checkbox", checked: loadSetting("sounds", false) });
  sounds.addEventListener("change", () => saveSetting("sounds", sounds.checked));
  const conclusions = h("input", { type: "checkbox", checked: loadSetting("conclusions", true) });
  conclusions.addEventListener("change", () => saveSetting("conclusions", conclusions.checked));
  const breaches = h("input", { type: "checkbox", checked: loadSetting("breaches", true) });
  breaches.addEventListener("change", () => saveSetting("breaches", breaches.checked));
  const sure = h("input", { type: "checkbox", checked: asksBeforeHints() });
  sure.addEventListener("change", () => saveSetting("confirm hints", sure.checked));
  return h("details", { class: "settings" }, h("summary", {}, "Settings"),
    h("div", { class: "stack" }, field("Show turns of others", apart), h("label", { class: "check" }, sounds, " sounds"),
      h("label", { class: "check" }, sure, " ask before I give a hint"),
      h("label", { class: "check" }, conclusions, " say what a hint to me means by the agreements"),
      h("label", { class: "check" }, breaches, " say when I break an agreement")));
}

/** Show the links to the other seats, for the creator of the table. */
export function invitations(table, message) {
  const { seats: keys = {}, origin } = myTable(table) ?? {};
  const reached = new URL(origin ?? location.origin);
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(reached.hostname);
  const unencrypted = reached.protocol === "http:" && !local;
  const open = message.seats.filter(({ player, human }) => human && player !== message.you && keys[player]);
  if (!open.length) return [];
  return [h("h2", {}, "Invitations"),
    ...open.map(({ player, name, here }) => {
      const address = tableAddress(table, keys[player], reached.origin);
      const link = h("input", { type: "text", readonly: true, value: address, class: "link", "aria-label": `invitation for ${name}`, onfocus: () => link.select() });
      return h("div", { class: "invitation" }, h("span", {}, `${name}${here ? " (here)" : ""}`), link,
        h("button", { type: "button", class: "quiet", onclick: (event) => copy(address, event.target, link) }, "copy"),
        local ? null : qrDetails(address, `QR code of the invitation for ${name}`));
    }),
    h("small", {}, "Send each player the link to their seat. Anyone with the link can play there."),
    ...(unencrypted ? [h("small", {}, "The connection is not encrypted: others in your network can read along.")] : [])];
}

/** List who is at the table, and who watches. */
export function presence({ seats, you, spectators, spectators_see_hands: open }) {
  const players = seats.map(({ player, name, strategy, human, here }) => {
    const state = human && player !== you ? (here ? "here" : "away") : "";
    return h("li", { class: here ? "here" : "away" }, h("span", {}, name === "you" ? "You" : name), strategy || state ? h("small", {}, [strategy, state].filter(Boolean).join(", ")) : null);
  });
  const watching = spectators ? [h("li", { class: "here" }, h("span", {}, spectators === 1 ? "1 spectator" : `${spectators} spectators`))] : [];
  return [...players, ...watching, ...(open ? [h("li", { class: "open-hands" }, h("small", {}, "Spectators see all hands."))] : [])];
}

/** Say who sits where, under which rules, with which deck. */
export function introduction(message) {
  const seats = message.seats.map(({ name, strategy, human, here, windows }) =>
    `${name}${strategy ? ` (${strategy})` : ""}${human && !here ? " (away)" : ""}${windows > 1 && name !== "you" ? ` (in ${windows} windows)` : ""}`);
  const deck = message.given ? "a given deck" : message.seed === null ? "a shuffled deck" : `seed ${message.seed}, game ${message.game}`;
  const rules = typeof message.rules === "string" ? message.rules : message.rules.preset ?? "custom";
  const named = seats.join(", ").replace(/^you\b/, "You");
  return `${named}; ${rules} rules, ${deck}`;
}
