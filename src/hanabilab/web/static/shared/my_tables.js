// The tables that this browser has sat down at, with the keys to their seats.

import { saveSetting, loadSetting } from "./settings.js";

const MOST = 50;

/** Return all tables, latest first: `{table, key, seats, origin, words, when}`. */
export const myTables = () => loadSetting("tables", []);

export const myTable = (table) => myTables().find((each) => each.table === table) ?? null;

/** Remember a table, or more about it. */
export function rememberTable(facts) {
  const before = myTable(facts.table) ?? { when: Date.now() };
  const others = myTables().filter(({ table }) => table !== facts.table);
  saveSetting("tables", [{ ...before, ...facts }, ...others].slice(0, MOST));
}

export function forgetTable(table) {
  saveSetting("tables", myTables().filter((each) => each.table !== table));
  saveSetting(`notes ${table}`, null);
}

/** Return the address of a table; with a key, that of a seat. */
export const tableAddress = (table, key, origin = location.origin) => `${origin}/play?table=${table}${key ? `#seat=${key}` : ""}`;
