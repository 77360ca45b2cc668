// The player of plain_player.py in JavaScript, for the protocol of docs/reference/protocol.md:
//
//     hanabilab simulate "exec:node examples/plain_player.js" --players 3 --games 100

const lines = require("node:readline").createInterface({ input: process.stdin });

const rankOf = (card) => Number(card.slice(1));
const fits = (card, fireworks) => rankOf(card) === fireworks[card[0]] + 1;

// Does a hint say something new about a card that can be played?
function isNews(hint, view) {
  const kind = hint.type.replace("hint_", "");
  return view.hands[hint.target].some(
    (held) =>
      hint.value === (kind === "suit" ? held.card[0] : rankOf(held.card)) &&
      !held[`${kind}_hinted`] &&
      fits(held.card, view.fireworks),
  );
}

// Play what must fit, tell others of playable cards, discard the oldest card, or give any hint.
function choose(view) {
  const sure = view.hands[view.seat].findIndex((held) =>
    held.possible.every((card) => fits(card, view.fireworks)),
  );
  if (sure >= 0) return `play ${sure}`;
  const hint = view.legal.find((action) => action.type.startsWith("hint") && isNews(action, view));
  if (hint) return hint.text;
  return (view.legal.find((action) => action.text === "discard 0") ?? view.legal.at(-1)).text;
}

const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

lines.on("line", (line) => {
  const { type, view } = JSON.parse(line);
  if (type === "hello") say({ type: "hello", protocol: 1, name: "plain player" });
  if (type === "turn") say({ type: "action", action: choose(view), turn: view.turn });
});
