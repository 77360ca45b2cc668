// Where the keyboard is on the board: kept through every new drawing, moved by arrow keys.

/** Return what has the focus on the board: a card, or its rank or suit. */
export function focusedPart(place) {
  const element = document.activeElement;
  const card = place.contains(element) ? element.closest("[data-slot]") : null;
  if (!card) return null;
  const part = element.dataset.rank ? "[data-rank]" : element.dataset.suit ? "[data-suit]" : "";
  return { player: card.dataset.player, slot: Number(card.dataset.slot), part };
}

/** Focus the same part of a new drawing. */
export function restoreFocus(place, { player, slot, part }) {
  for (let near = slot; near >= 0; near -= 1) {
    const card = place.querySelector(`[data-player="${player}"][data-slot="${near}"]`);
    if (card) {
      ((part && card.querySelector(part)) || card).focus({ preventScroll: true });
      return;
    }
  }
}

function middle(element) {
  const box = element.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Move the focus to the nearest control in the direction of an arrow key. */
export function moveFocus(table, key) {
  const all = [...table.querySelectorAll(".enabled")];
  const here = document.activeElement;
  if (!all.includes(here)) {
    all[0]?.focus();
    return;
  }
  const [x, y] = middle(here);
  const vertical = key === "ArrowUp" || key === "ArrowDown";
  const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  let best = null;
  for (const other of all) {
    const [ox, oy] = middle(other);
    const along = sign * (vertical ? oy - y : ox - x);
    const aside = Math.abs(vertical ? ox - x : oy - y);
    const cost = along + 3 * aside;
    if (along > 4 && (best === null || cost < best.cost)) best = { cost, other };
  }
  best?.other.focus();
}
