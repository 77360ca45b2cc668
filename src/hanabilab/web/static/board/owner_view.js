// Hold on a hand to see it with its owner's eyes: what the hints and the cards in sight leave open.

import { announce } from "../shared/announcer.js";

const HOLD = 350;

function show(hand, on) {
  hand.classList.toggle("as-owner", on);
}

/** Let the hands of a drawing be seen with their owners' eyes. */
export function showOwnerViewOnHold(table) {
  for (const hand of table.querySelectorAll(".hl-hand")) {
    if (!hand.querySelector(".to-owner")) continue;
    let timer = null;
    let held = false;
    hand.addEventListener("pointerdown", ({ button }) => {
      if (button !== 0) return;
      held = false;
      timer = setTimeout(() => { held = true; show(hand, true); }, HOLD);
    });
    for (const name of ["pointerup", "pointerleave", "pointercancel"]) {
      hand.addEventListener(name, () => { clearTimeout(timer); show(hand, false); });
    }
    // A hold is no click: nothing may happen to the card under it.
    hand.addEventListener("click", (event) => { if (held) event.stopPropagation(); held = false; }, true);
    hand.addEventListener("contextmenu", (event) => { if (held) event.preventDefault(); });
  }
}

/** Show the hand of the card that has the focus with its owner's eyes, and say what they know. */
export function seeFocused(table, facts, on) {
  const card = document.activeElement?.closest?.("[data-slot]");
  const hand = card && table.contains(card) ? card.closest(".hl-hand") : null;
  for (const other of table.querySelectorAll(".as-owner")) if (other !== hand || !on) show(other, false);
  if (!hand || !on || hand.classList.contains("as-owner")) return;
  show(hand, true);
  const player = Number(card.dataset.player);
  const cards = facts.hands[player];
  const known = cards.map(({ possible }, slot) => `slot ${cards.length - slot}: ${possible.length > 4 ? `one of ${possible.length} cards` : possible.join(" or ")}`);
  announce(`As ${facts.names[player]} knows it: ${known.reverse().join(", ")}`);
}
