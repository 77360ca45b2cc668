// My games: all tables that this browser has joined, and their status.

import { tableStatuses } from "../shared/api.js";
import { find, h } from "../shared/dom.js";
import { forgetTable, myTables, tableAddress } from "../shared/my_tables.js";
import { showError, shell } from "../shared/shell.js";

function row(mine, now, list) {
  const gone = now === undefined;
  const state = gone ? "no longer kept by the server" : now.end ? `over: ${now.score} points` : `turn ${now.turn + 1}, ${now.player === mine.you ? "your turn" : `${now.player_name} to move`}`;
  const forget = h("button", { type: "button", class: "quiet", "aria-label": "forget this table", onclick: () => { forgetTable(mine.table); list(); } }, "forget");
  const name = mine.words ?? "a table";
  return h("tr", {},
    h("td", { class: "name" }, gone ? name : h("a", { href: tableAddress(mine.table, mine.key) }, name)),
    h("td", { class: "name" }, state), h("td", {}, new Date(mine.when).toLocaleDateString("en", { day: "numeric", month: "short" })), h("td", {}, forget));
}

async function start() {
  shell();
  const place = h("div", { "aria-live": "polite" }, h("p", {}, "Asking for their status …"));
  find("main").append(h("h1", {}, "My games"),
    h("p", { class: "lead" }, "Kept in this browser, with the keys to your seats and the invitations of the tables that you set up."), place,
    h("p", { class: "buttons" }, h("a", { class: "button main", href: "/play" }, "New table")));
  const list = async () => {
    const mine = myTables();
    if (!mine.length) {
      place.replaceChildren(h("p", {}, "You have not sat down at a table yet."));
      return;
    }
    try {
      const { tables } = await tableStatuses(mine.map(({ table }) => table));
      place.replaceChildren(h("div", { class: "scroll" }, h("table", {}, h("caption", {}, "latest first"),
        h("thead", {}, h("tr", {}, ["players", "how it stands", "since", "remove"].map((name) => h("th", { scope: "col", class: ["players", "how it stands"].includes(name) ? "name" : "" }, name)))),
        h("tbody", {}, mine.map((each) => row(each, tables[each.table], list))))));
    } catch (error) {
      showError(error.message);
    }
  };
  await list();
}

start();
