// My games: all tables that this browser has joined, and their status.

import { tableStatuses } from "../shared/api.js";
import { find, h } from "../shared/dom.js";
import { forgetTable, myTables, tableAddress } from "../shared/my_tables.js";
import { showError, shell } from "../shared/shell.js";

const STARTS = [["/learn", "Learn Hanabi in five minutes", "A first game that explains itself."],
  ["/daily", "Today", "The deck and the puzzle of the day, the same for everyone."],
  ["/play", "Invite people", "Choose “another person” for a seat, and send them its link."]];

function row(mine, now, list) {
  const gone = now === undefined;
  const state = gone ? "deleted on the server" : now.end ? `over: ${now.score} points` : `turn ${now.turn + 1}, ${now.player === mine.you ? "your turn" : `${now.player_name} to move`}`;
  const forget = h("button", { type: "button", class: "quiet", "aria-label": "remove this game", onclick: () => { forgetTable(mine.table); list(); } }, "Remove");
  const name = mine.words ?? "a table";
  return h("tr", {},
    h("td", { class: "name" }, gone ? name : h("a", { href: tableAddress(mine.table, mine.key) }, name)),
    h("td", { class: "name" }, state), h("td", {}, new Date(mine.when).toLocaleDateString("en", { day: "numeric", month: "short" })), h("td", {}, forget));
}

async function start() {
  shell();
  const place = h("div", { "aria-live": "polite" }, h("p", {}, "Loading their status …"));
  find("main").append(h("h1", {}, "My games"),
    h("p", { class: "lead" }, "Kept in this browser, with the keys to your seats and the invitations of the tables that you set up."), place,
    h("p", { class: "buttons" }, h("a", { class: "button main", href: "/play?now" }, "Play now"), h("a", { class: "button", href: "/play" }, "New game")));
  const list = async () => {
    const mine = myTables();
    if (!mine.length) {
      place.replaceChildren(h("p", {}, "No games yet. Every game that you begin or join is listed here, with its score or whose turn it is."),
        h("ul", { class: "examples" }, STARTS.map(([address, title, words]) => h("li", {}, h("a", { href: address }, title), h("small", {}, words)))));
      return;
    }
    try {
      const { tables } = await tableStatuses(mine.map(({ table }) => table));
      place.replaceChildren(h("div", { class: "scroll" }, h("table", {}, h("caption", {}, "latest first"),
        h("thead", {}, h("tr", {}, ["players", "status", "since", "remove"].map((name) => h("th", { scope: "col", class: ["players", "status"].includes(name) ? "name" : "" }, name)))),
        h("tbody", {}, mine.map((each) => row(each, tables[each.table], list))))));
    } catch (error) {
      showError(error.message);
    }
  };
  await list();
}

start();
