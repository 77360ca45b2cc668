// Give the hands the largest size at which all of them fit into their part of the window.

const GAPS = { across: 26, down: 8 };
const LEAST = 0.42;
const MOST = 1.75;

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
  const size = { width: Math.max(...hands.map((hand) => Number(hand.getAttribute("width")))), height: Number(hands[0].getAttribute("height")) };
  const scale = largest(hands.length, size, { width: place.clientWidth, height: place.clientHeight });
  for (const hand of hands) {
    hand.style.width = `${Math.floor(scale * size.width)}px`;
    hand.style.height = `${Math.floor(scale * size.height)}px`;
  }
}

const watching = new ResizeObserver((changed) => changed.forEach(({ target }) => fit(target)));

/** Fit the hands in a place, now and whenever its size changes. */
export function keepFitting(place) {
  fit(place);
  watching.observe(place);
}
