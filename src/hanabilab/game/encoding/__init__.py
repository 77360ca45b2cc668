"""Observations as vectors of zeros and ones, the canonical ones entry for entry those of HLE.

Everything is seen from the observer's seat: players are counted from the observer; suits and ranks
stand in the order of the cards' numbers (suit by suit). With hands of h cards, p players, k suits,
n ranks, c = nk different cards and N cards in all, the sections of a *canonical* observation are::

    hands          (p-1)hc      c entries for each card of the others, oldest first
    short_hands    p            who holds fewer than h cards
    draw_pile      N-ph         as many ones as cards in it
    fireworks      kn           the highest rank of each suit
    hint_tokens    tokens       as many ones as are left; in parts, where discards give parts
    lives          lives        the same
    discards       N            for each card as many ones as copies are discarded
    last_player    p            who acted last
    last_kind      4            play, discard, suit hint, rank hint
    last_target    p            who got the hint
    last_suit      k            the suit of the hint
    last_rank      n            the rank of the hint
    last_touched   h            the slots that it touched
    last_slot      h            the slot that was played or discarded
    last_card      c            the card that was played or discarded
    last_result    2            whether a played card fitted, whether it gave a token back
    knowledge      ph(c+k+n)    each slot: what the hints allow, the suit and the rank they named

Where suits are touched by several hints, or by none, a hint need not name one suit: the k entries
of a slot that a suit hint has touched are then all suits that it may still have, and so are the n
entries for rank hints. For ordinary suits that is the one that was named.
(Bard et al. 2020; the canonical encoder of the Hanabi Learning Environment 0.0.4)

The other kinds:

*minimal*
    all but `knowledge`.
*sad*
    the canonical ones, then `greedy_action`: the sections `last_player` to `last_result` for what
    the last player would have done without exploring (Hu and Foerster 2020). Without a word about
    it, that is what was done. The authors' program also leaves room for the observer's own cards,
    and weighs `knowledge` by the copies that are left.
*seer*
    the canonical ones, with `knowledge` as if every card had been named, one's own included: HLE's
    observation type 2.
*own-hand*
    `own_hand`, c entries for each of the observer's cards, before the canonical ones: what a
    central critic is given beside one player's observation (Yu et al. 2022).
*features*
    the canonical ones, then what follows from them, in planes of c entries, one for each card::

        playable       c            the cards that fit now
        dead           c            those that can never be played any more
        critical       c            last copies of cards that are still needed
        unique         c            the cards of which one copy is left
        unseen         mc           plane j: more than j copies are hidden from the observer
        own_possible   hc           for each own slot, what hints and visible cards allow
        own_sure       3h           each own slot: surely playable, surely dead, surely not critical
        others_status  3(p-1)h      the others' cards: playable, dead, critical

    where m is the most copies that there are of a card.
*state*
    all that lies on the table, for critics: `own_hand` and the canonical observation of player 0,
    then `to_move`, p entries for the player whose turn it is.
"""

from hanabilab.game.encoding.encoder import KINDS, STATE, Encoder
from hanabilab.game.encoding.kernels import encode, encode_greedy, no_event
from hanabilab.game.encoding.layout import Layout

__all__ = ["KINDS", "STATE", "Encoder", "Layout", "encode", "encode_greedy", "no_event"]
