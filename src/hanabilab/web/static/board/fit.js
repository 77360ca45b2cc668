// Give the hands the largest size at which all of them fit into their part of the window.

const GAPS = { across: 26, down: 8 };
const LEAST = 0.42;
const MOST = 1.75;
const WORTH_IT = 1.1;
const NAME = { height: 20, width: 86 }; // above a hand, beside a hand; in units of the drawing

/** Return the largest scale at which all hands fit into an area, in rows and columns. */
export function largest(count, hand, area) {
  let best = LEAST;
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const across = (area.width - GAPS.across * (columns - 1)) / (columns * hand.width);
    const down = (area.height - GAPS.down * (rows - 1)) / (rows * hand.height);
    best = Math.max(best, Math.min(across, down, MOST));
  }
  return best;
}

function fit(place) {
  const hands = [...place.querySelectorAll(".hl-hand")];
  if (!hands.length) return;
  const above = { width: Math.max(...hands.map((hand) => Number(hand.getAttribute("width")))), height: Number(hands[0].getAttribute("height")) };
  const beside = { width: above.width + NAME.width, height: above.height - NAME.height };
  const area = { width: place.clientWidth, height: place.clientHeight };
  const [scaleAbove, scaleBeside] = [above, beside].map((size) => largest(hands.length, size, area));
  const aside = scaleBeside > WORTH_IT * scaleAbove;
  const [size, scale] = aside ? [beside, scaleBeside] : [above, scaleAbove];
  for (const hand of hands) {
    placeName(hand, aside, above);
    hand.style.width = `${Math.floor(scale * size.width)}px`;
    hand.style.height = `${Math.floor(scale * size.height)}px`;
  }
}

/** Show a player's name above the hand or on its left, where low hands can be larger. */
function placeName(hand, aside, { width, height }) {
  if (hand.classList.contains("beside") === aside) return;
  hand.classList.toggle("beside", aside);
  hand.style.setProperty("--wide", `${width}px`);
  hand.setAttribute("viewBox", aside ? `${-NAME.width} ${NAME.height} ${width + NAME.width} ${height - NAME.height}` : `0 0 ${width} ${height}`);
  for (const words of hand.querySelectorAll(":scope > .hl-name, :scope > .quiet")) {
    words.removeAttribute("textLength");
    if (aside && words.getComputedTextLength() > NAME.width - 6) {
      words.setAttribute("textLength", NAME.width - 6);
      words.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  }
}

const watching = new ResizeObserver((changed) => changed.forEach(({ target }) => fit(target)));

/** Fit the hands in a place, now and whenever its size changes. */
export function keepFitting(place) {
  fit(place);
  watching.observe(place);
}
