// Results of the day to share: as text with a grid of squares, and as a picture. Neither gives cards away.

const [FULL, EMPTY, LIFE, LOST, WRONG] = ["🟩", "⬜", "❤️", "🖤", "🟥"];
const COLOURS = { [FULL]: "#2e9b57", [EMPTY]: "#d9d6cc", [LIFE]: "#d33f49", [LOST]: "#57534a", [WRONG]: "#d33f49" };
const MOST_LIVES = 3;
const ROW = 5;
const SQUARE = 56;

/** Return the lines of squares of a result: one square a point, a row of lives below. */
function deckRows({ score, max_score: most, lives }) {
  const squares = Array.from({ length: most }, (_, place) => (place < score ? FULL : EMPTY));
  const rows = [];
  for (let first = 0; first < most; first += ROW) rows.push(squares.slice(first, first + ROW));
  return [...rows, Array.from({ length: MOST_LIVES }, (_, place) => (place < lives ? LIFE : LOST))];
}

/** Return the result of the deck of the day: `{title, rows, text}`. */
export function deckResult(result) {
  const title = `Hanabi ${result.date}: ${result.score} of ${result.max_score}, par ${result.par}`;
  return withText(title, deckRows(result));
}

/** Return the result of the puzzle of the day: a red square for each wrong try. */
export function puzzleResult({ date, tries, solution_turns: turns }) {
  const title = `Hanabi puzzle ${date}: try ${tries.length}, par ${turns} turns`;
  return withText(title, [tries.map((right) => (right ? FULL : WRONG))]);
}

function withText(title, rows) {
  return { title, rows, text: [title, ...rows.map((row) => row.join(""))].join("\n") };
}

/** Draw a result and return it as a PNG file. */
export function picture({ title, rows }) {
  const canvas = document.createElement("canvas");
  const wide = Math.max(...rows.map((row) => row.length)) * SQUARE;
  [canvas.width, canvas.height] = [Math.max(680, wide + 2 * SQUARE), rows.length * SQUARE + 3 * SQUARE];
  const paint = canvas.getContext("2d");
  paint.fillStyle = "#faf9f6";
  paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.fillStyle = "#22262e";
  paint.font = "600 26px system-ui, sans-serif";
  paint.textAlign = "center";
  paint.fillText(title, canvas.width / 2, SQUARE);
  rows.forEach((row, down) => {
    const left = (canvas.width - row.length * SQUARE) / 2;
    row.forEach((sign, across) => {
      paint.fillStyle = COLOURS[sign];
      paint.beginPath();
      const round = sign === LIFE || sign === LOST;
      paint.roundRect(left + across * SQUARE + 4, 1.5 * SQUARE + down * SQUARE + 4, SQUARE - 8, SQUARE - 8, round ? SQUARE : 8);
      paint.fill();
    });
  });
  paint.fillStyle = "#5f6877";
  paint.font = "20px system-ui, sans-serif";
  paint.fillText("hanabilab", canvas.width / 2, canvas.height - SQUARE / 2);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
