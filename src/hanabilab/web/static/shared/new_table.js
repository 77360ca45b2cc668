// Deal a new table, and remember how it was set up: “Play now” deals the last setup again.

import { createTable } from "./api.js";
import { rememberTable } from "./my_tables.js";
import { loadSetting, saveSetting } from "./settings.js";

/** The setup of a first game. It names no partners: the server has its usual one. */
const FIRST = { request: { players: 3, humans: [0], practice: true }, own: 0, words: "You and two Club players" };

/** Return the last setup: `{request, own, words}`, without its deck. */
export function lastSetup() {
  const kept = loadSetting("setup", null);
  return kept?.request && kept.words ? kept : FIRST;
}

/** Deal a table; return `{table, key}` of the player's seat. The deck is never remembered, the setup unless `keep` is false. */
export async function deal({ request, own, words }, deck = {}, { keep = true } = {}) {
  const made = await createTable({ ...request, ...deck });
  if (keep) saveSetting("setup", { request, own, words });
  rememberTable({ table: made.table, key: made.seats[own], seats: made.seats, origin: made.origin });
  return { table: made.table, key: made.seats[own] };
}
