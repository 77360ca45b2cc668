// Play: set up a table, or sit down at one.

import { about } from "../shared/api.js";
import { find, h } from "../shared/dom.js";
import { rememberTable, tableAddress } from "../shared/my_tables.js";
import { shell } from "../shared/shell.js";
import { awaitWithProgress } from "../shared/progress.js";
import { setupForm } from "./setup.js";
import { Table } from "./table.js";

async function start() {
  shell();
  const main = find("main");
  const table = new URLSearchParams(location.search).get("table");
  const key = new URLSearchParams(location.hash.slice(1)).get("seat");
  if (table) {
    new Table(main, table, key);
    return;
  }
  main.append(h("h1", {}, "Play"));
  main.append(setupForm(await awaitWithProgress(main, "Asking the server what it offers", about()), ({ table: made, key: own, seats, origin }) => {
    rememberTable({ table: made, key: own, seats, origin });
    history.pushState(null, "", tableAddress(made, own));
    new Table(main, made, own).heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  }));
  addEventListener("popstate", () => location.reload());
}

start();
