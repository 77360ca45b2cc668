// Play: deal at once, set up a table, or sit down at one.

import { about } from "../shared/api.js";
import { find, h } from "../shared/dom.js";
import { tableAddress } from "../shared/my_tables.js";
import { deal, lastSetup } from "../shared/new_table.js";
import { shell, showError } from "../shared/shell.js";
import { awaitWithProgress } from "../shared/progress.js";
import { setupForm } from "./setup.js";
import { Table } from "./table.js";

/** Sit down at a table that was just dealt. */
function sitDown(main, { table, key }) {
  new Table(main, table, key).heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Deal with the last setup, if the address asks for it; return whether that worked. */
async function dealNow(main) {
  try {
    const made = await awaitWithProgress(main, "Dealing the cards", deal(lastSetup()));
    history.replaceState(null, "", tableAddress(made.table, made.key));
    sitDown(main, made);
    return true;
  } catch (error) {
    history.replaceState(null, "", "/play");
    showError(`These settings do not work any more: ${error.message}`);
    return false;
  }
}

async function start() {
  shell();
  const main = find("main");
  const query = new URLSearchParams(location.search);
  const table = query.get("table");
  const key = new URLSearchParams(location.hash.slice(1)).get("seat");
  if (table) {
    new Table(main, table, key);
    return;
  }
  if (query.has("now") && await dealNow(main)) return;
  main.append(h("h1", {}, "Play"));
  main.append(setupForm(await awaitWithProgress(main, "Loading strategies and rules", about()), (made) => {
    history.pushState(null, "", tableAddress(made.table, made.key));
    sitDown(main, made);
  }));
  addEventListener("popstate", () => location.reload());
}

start();
