"""Proofs of loss: relaxations of the real game, and certificates checked in them.

If even the relaxed game is lost, so is the real one. This module is slow, simple and independent of
the search: the faster proofs of the kernels are compared with it. Given only a deck, it finds and
verifies that a game is over, dead cards and pace, which are counted, and storage and endgames,
which are searched again.

A *removal* is a card that leaves a hand: a play, a discard or a misplay. While there is a draw
pile, every removal draws one card, so removal j (from 1) makes draw j, and the next one sees j
cards drawn. With a draw pile of n cards and p players there are at most n + p removals: n that
draw, and one last turn each (van den Bergh 2015, Algorithm 2.16, step 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.game.rules_record import RulesRecord, names_of_cards, require_handled
from hanabilab.solver.certificates import (
    Certificate,
    DeadCard,
    EndgameLoss,
    GameOver,
    PaceLoss,
    StorageLoss,
)
from hanabilab.solver.kernels.node import HANDLED
from hanabilab.solver.position import Position
from hanabilab.solver.stacks import ordinary_games

__all__ = [
    "ENDGAME_DRAWS",
    "RelaxedGame",
    "endgame_lost",
    "find_loss",
    "left_after",
    "pooled_lost",
    "verify",
]

ENDGAME_NODES = 200_000
"""The number of positions after which the search of an endgame gives up without a proof."""
PLAYED = -1
Holders = tuple[int, ...]
"""For each card still to be played, the set of its holders, one bit each; or `PLAYED`."""
ENDGAME_DRAWS = 12
"""The number of last draws that `find_loss` considers for an endgame."""


@dataclass(frozen=True, slots=True)
class RelaxedGame:
    """What is kept of a position, as plain lists: no lives, and tokens for endgames only."""

    rules: RulesRecord
    player: int
    fireworks: tuple[int, ...]
    hands: list[list[int]]
    pile: list[int]
    removals: int
    """The largest possible number of removals."""
    tokens: int

    @classmethod
    def of(cls, position: Position) -> RelaxedGame:
        """Return the relaxed game of a position."""
        state, rules, hands = position.state, position.state.rules, position.hands
        require_handled(rules, HANDLED, "a proof of loss")
        if not rules.deck_ends:
            removals = state.draw_pile + sum(map(len, hands))
        elif state.draw_pile > 0:
            removals = state.draw_pile + rules.players
        else:
            removals = state.turns_left
        return cls(
            rules=rules,
            player=state.player,
            fireworks=tuple(state.fireworks[: rules.suits]),
            hands=hands,
            pile=position.draw_pile,
            removals=removals,
            tokens=state.hint_tokens + (state.token_part > 0),
        )

    def needed(self) -> list[int]:
        """Return the cards still to be played for the maximum, suit by suit, lowest first."""
        return [
            suit * self.rules.ranks + rank
            for suit, height in enumerate(self.fireworks)
            for rank in range(height, self.rules.ranks)
        ]

    def is_lowest(self, card: int) -> bool:
        """Return whether a card is the next one of its suit."""
        return self.fireworks[card // self.rules.ranks] == card % self.rules.ranks

    def draws(self, card: int) -> list[int]:
        """Return after how many draws each useful copy is available; 0 for those in hands.

        The last card of the deck is useful only if it has the highest rank: the player who draws it
        acts on the last turn of the game, after which no higher card of its suit could be played.
        """
        in_hands = [0 for hand in self.hands for held in hand if held == card]
        drawn = [draw for draw, held in enumerate(self.pile, 1) if held == card]
        if self.rules.deck_ends and card % self.rules.ranks < self.rules.ranks - 1:
            drawn = [draw for draw in drawn if draw < len(self.pile)]
        return in_hands + drawn


def pooled_lost(game: RelaxedGame) -> int | None:
    """Return how many positions show that the game is lost even with all hands as one, or None.

    Passes are free and discards always allowed. That game is easier: whatever was done in the real
    one can be done in it, removal by removal. In it the following is best, so only discards of
    useful cards are tried one after the other:

    - Play what fits. Take a line that wins without playing X, which fits: play X now, then do
      what the line does, each removal one later, and leave out the one that plays X. (If the line
      discards this very copy and plays another one, leave out that discard, and discard where the
      line plays the other copy.) What the line removes is there one removal later, too, and the
      fireworks are never behind.
    - Otherwise discard what is useless: played cards, second copies, the last card of the deck
      unless it is of the highest rank. Take a line that discards a useful card Y instead: discard
      the useless one now, and Y when the line removes the useless one, if it does. (If the line
      plays the useless one, a second copy, let it play the first copy instead.)
    """
    held = {card for hand in game.hands for card in hand}
    pool = frozenset(card for card in game.needed() if card in held)
    search = _Pool(game)
    return None if search.winnable(0, game.fireworks, pool) else 1 + len(search.known)


class _Pool:
    """The game with all hands pooled; a pool is the set of useful cards in it."""

    def __init__(self, game: RelaxedGame) -> None:
        self.game = game
        self.slots = sum(map(len, game.hands))
        self.draws = {card: game.draws(card) for card in game.needed()}
        self.last_draw = {card: max(draws, default=0) for card, draws in self.draws.items()}
        self.known: dict[tuple[int, tuple[int, ...], frozenset[int]], bool] = {}

    def winnable(self, drawn: int, fireworks: tuple[int, ...], pool: frozenset[int]) -> bool:
        """Make the plays and discards that cost nothing; then try those that cost a useful card."""
        game = self.game
        while True:
            missing = self.missing(fireworks)
            if len(missing) > game.removals - drawn:
                return False
            if any(card not in pool and self.last_draw[card] <= drawn for card in missing):
                return False
            if not missing or drawn == len(game.pile):
                return True  # what is missing is in the hands, and there is time for it
            playable = [card for card in missing if card in pool and self.fits(card, fireworks)]
            if playable:
                suit = playable[0] // game.rules.ranks
                fireworks = (*fireworks[:suit], fireworks[suit] + 1, *fireworks[suit + 1 :])
                pool -= {playable[0]}
            elif len(pool) == self.slots:
                return self.try_discards(drawn, fireworks, pool)
            pool = self.draw(drawn, fireworks, pool)
            drawn += 1

    def try_discards(self, drawn: int, fireworks: tuple[int, ...], pool: frozenset[int]) -> bool:
        """Discard a card that comes again: all slots hold useful cards and none is playable."""
        key = (drawn, fireworks, pool)
        if key not in self.known:
            again = [card for card in sorted(pool) if self.last_draw[card] > drawn]
            self.known[key] = any(
                self.winnable(drawn + 1, fireworks, self.draw(drawn, fireworks, pool - {card}))
                for card in again
            )
        return self.known[key]

    def missing(self, fireworks: tuple[int, ...]) -> list[int]:
        """Return the cards still to be played."""
        ranks = self.game.rules.ranks
        return [card for card in self.draws if fireworks[card // ranks] <= card % ranks]

    def fits(self, card: int, fireworks: tuple[int, ...]) -> bool:
        """Return whether a card can be played now."""
        return fireworks[card // self.game.rules.ranks] == card % self.game.rules.ranks

    def draw(self, drawn: int, fireworks: tuple[int, ...], pool: frozenset[int]) -> frozenset[int]:
        """Return the pool with the next card of the draw pile, if it is useful."""
        card = self.game.pile[drawn]
        if fireworks[card // self.game.rules.ranks] > card % self.game.rules.ranks:
            return pool
        return pool | {card} if drawn + 1 in self.draws[card] else pool


def endgame_lost(game: RelaxedGame, cut: int) -> bool:
    """Return whether the game is lost after `cut` draws, even if all went well until then.

    The easier game: after `cut` draws every card is on the fireworks that can be by then, all hint
    tokens are there, and it is anybody's turn; only a cut at 0 keeps the tokens and the turn of the
    position. From then on the player who makes the next removal waits for that turn, and each turn
    that is passed costs a token, up to the last draw; after it everyone has one turn, in the order
    of the table. A discard gives a token back, and so does a play that completes a suit if the
    rules say so; there may be any number of them. A card may be played by anyone who has or had a
    copy of it: the owner, if it is in a hand now; anybody, if a copy is among the first `cut` draws
    (who drew it is left open); its drawer, if it comes later. Everyone can always discard.

    A real win gives a win here. Take its removals after draw `cut`, by the same players, with
    every play of a card that lies on the fireworks here already, and every misplay, as a discard.
    Each card that is still to be played here cannot be played by the first `cut` removals (it needs
    `cut` draws, or the card below it needs `cut - 1` and its play is a removal of its own), so the
    real win plays it after the cut. The player who does so holds a copy, which has never changed
    hands, and may play it here too; the fireworks here are never behind. Nor are the tokens: there
    are as many at the cut or more, a removal gives as many back or more, and between two removals
    there are as many passes or fewer (the real win may pass round the table).

    In the last round a player who can play loses nothing by playing: take a line that wins
    otherwise, play the card now, and discard where the line plays it.
    """
    if not game.rules.deck_ends or not 0 <= cut < max(1, len(game.pile)):
        return False
    return _Endgame(game, cut).lost()


def left_after(game: RelaxedGame, cut: int) -> list[int]:
    """Return the cards that no removal up to the cut can have played."""
    cards = []
    earliest = 0
    for card in game.needed():
        there = min(game.draws(card), default=game.removals)
        earliest = there if game.is_lowest(card) else max(there, earliest + 1)
        if earliest >= cut:
            cards.append(card)
    return cards


class _TooLongError(Exception):
    """The search has visited too many positions."""


class _Endgame:
    """The game after a cut."""

    def __init__(self, game: RelaxedGame, cut: int) -> None:
        self.game, self.cut = game, cut
        self.cards = left_after(game, cut)
        self.place = {card: place for place, card in enumerate(self.cards)}
        self.lost_with: dict[tuple[int, int, Holders], int] = {}
        """The largest number of tokens with which a position is known to be lost."""
        self.positions = 0
        self.last_rounds: dict[tuple[int, int, Holders], bool] = {}

    def _holders(self, card: int) -> int:
        """Return who may hold a card at the cut."""
        if card in self.game.pile[: self.cut]:
            return (1 << self.game.rules.players) - 1
        return sum(1 << player for player, hand in enumerate(self.game.hands) if card in hand)

    def lost(self) -> bool:
        """Search the game; an unfinished search proves nothing."""
        game = self.game
        holders = tuple(self._holders(card) for card in self.cards)
        try:
            if not game.pile:
                return not self.win_last_round(game.player, game.removals, holders)
            if self.cut == 0:
                return not self.win(0, game.player, game.tokens, holders)
            players = range(game.rules.players)
            return not any(
                self.win(self.cut, p, game.rules.max_hint_tokens, holders) for p in players
            )
        except _TooLongError:
            return False

    def win(self, drawn: int, player: int, tokens: int, holders: Holders) -> bool:
        """Return whether the rest can be played after `drawn` draws, on this player's turn."""
        missing = sum(held != PLAYED for held in holders)
        if missing == 0 or missing > self.game.removals - drawn:
            return missing == 0
        key = (drawn, player, holders)
        if tokens <= self.lost_with.get(key, -1):
            return False
        self._count()
        for passes in range(self.game.rules.players):
            left = tokens if self.game.rules.unlimited_hints else tokens - passes
            actor = (player + passes) % self.game.rules.players
            if left >= 0 and self.win_by(actor, drawn, left, holders):
                return True
        self.lost_with[key] = tokens
        return False

    def win_by(self, actor: int, drawn: int, tokens: int, holders: Holders) -> bool:
        """Return whether the rest can be played if this player makes the next removal."""
        game = self.game
        place = self.place.get(game.pile[drawn])
        follower = (actor + 1) % game.rules.players
        for after, gain in [*self.plays(actor, holders), (holders, 1)]:
            held = list(after)
            if place is not None and held[place] != PLAYED:
                held[place] |= 1 << actor
            if drawn + 1 < len(game.pile):
                won = self.win(drawn + 1, follower, tokens + gain, tuple(held))
            else:
                won = self.win_last_round(follower, game.rules.players, tuple(held))
            if won:
                return True
        return False

    def win_last_round(self, player: int, turns: int, holders: Holders) -> bool:
        """Return whether the rest can be played in `turns` turns, beginning with this player's."""
        missing = sum(held != PLAYED for held in holders)
        if missing == 0 or missing > turns:
            return missing == 0
        key = (turns, player, holders)
        if key not in self.last_rounds:
            self._count()
            self.last_rounds[key] = any(
                self.win_last_round((player + 1) % self.game.rules.players, turns - 1, after)
                for after, _ in self.plays(player, holders) or [(holders, 0)]
            )
        return self.last_rounds[key]

    def plays(self, player: int, holders: Holders) -> list[tuple[Holders, int]]:
        """Return the possible results of a play by this player, with the tokens that it gives."""
        following = []
        ranks = self.game.rules.ranks
        for place, held in enumerate(holders):
            if held == PLAYED or not (held >> player) & 1:
                continue
            card = self.cards[place]
            below = self.place.get(card - 1) if card % ranks else None
            if below is None or holders[below] == PLAYED:
                gain = int(self.game.rules.token_for_suit and card % ranks == ranks - 1)
                following.append(((*holders[:place], PLAYED, *holders[place + 1 :]), gain))
        return following

    def _count(self) -> None:
        self.positions += 1
        if self.positions > ENDGAME_NODES:
            raise _TooLongError


def find_loss(position: Position) -> Certificate | None:
    """Return a proof that the maximum is out of reach, or None; cheapest proofs first."""
    if position.is_over:
        return _find_over(position)
    game = RelaxedGame.of(position)
    for find in (_find_dead_card, _find_pace, _find_storage, _find_endgame):
        certificate = find(game)
        if certificate is not None:
            return certificate
    return None


def verify(position: Position, certificate: Certificate | Mapping[str, Any]) -> bool:
    """Return whether a certificate proves that the maximum cannot be reached.

    It may also be given as plain data, with cards by name or by number; only the fields needed for
    the check are required.
    """
    if isinstance(certificate, Certificate):
        certificate = certificate.to_dict()
    name = certificate["certificate"]
    if position.is_over or name == "over":
        return name == "over" and _find_over(position) is not None
    if position.state.rules.stacks:
        return name == "every order" and all(map(find_loss, ordinary_games(position)))
    game = RelaxedGame.of(position)
    match name:
        case "dead card":
            return _is_dead(game, _card(certificate["card"], game))
        case "pace":
            cards = [_card(card, game) for card in certificate["cards"]]
            turns = certificate.get("turns", game.removals - certificate["cut"])
            return _is_out_of_pace(game, certificate["cut"], cards, turns)
        case "storage":
            return pooled_lost(game) is not None
        case "endgame":
            cards = [_card(card, game) for card in certificate.get("cards", [])]
            named = not cards or cards == left_after(game, certificate["cut"])
            return named and endgame_lost(game, certificate["cut"])
    return False


def _card(card: int | str, game: RelaxedGame) -> int:
    """Return a card, given by its number or its name."""
    if isinstance(card, int):
        return card
    return names_of_cards(game.rules).read(card)


def _names(cards: list[int], game: RelaxedGame) -> list[str]:
    names = names_of_cards(game.rules)
    return [names.card(card) for card in cards]


def _find_over(position: Position) -> GameOver | None:
    state = position.state
    if not position.is_over or state.score == state.rules.max_score:
        return None
    return GameOver(position.score)


def _find_dead_card(game: RelaxedGame) -> DeadCard | None:
    dead = _names([card for card in game.needed() if _is_dead(game, card)], game)
    return DeadCard(dead[0], cards=len(dead)) if dead else None


def _is_dead(game: RelaxedGame, card: int) -> bool:
    """Return whether a card is needed and has no copy that could be played in time."""
    return card in game.needed() and not game.draws(card)


def _find_pace(game: RelaxedGame) -> PaceLoss | None:
    """Check every cut; no card may be dead."""
    first: dict[int, int] = {}
    for card in game.needed():
        below = 0 if game.is_lowest(card) else first[card - 1]
        first[card] = max(below, min(game.draws(card)))
    for cut in range(len(game.pile) + 1):
        cards = [card for card, draws in first.items() if draws >= cut]
        if len(cards) > game.removals - cut:
            return PaceLoss(
                cut=cut,
                remaining=len(game.pile) - cut,
                cards=_names(cards, game),
                turns=game.removals - cut,
            )
    return None


def _is_out_of_pace(game: RelaxedGame, cut: int, cards: list[int], turns: int) -> bool:
    """Return whether these are more cards than there are turns after the cut.

    A card that needs `cut` draws, or follows one that does, can be played by removal `cut + 1` at
    the earliest. Each removal plays one card, so at most `removals - cut` such cards can be played.
    """
    if not 0 <= cut <= len(game.pile) or turns < game.removals - cut:
        return False
    needed = game.needed()
    for card in cards:
        lower = [other for other in needed if 0 <= card - other <= card % game.rules.ranks]
        if card not in needed or not any(_comes_late(game, other, cut) for other in lower):
            return False
    return len(set(cards)) > turns


def _comes_late(game: RelaxedGame, card: int, cut: int) -> bool:
    """Return whether no copy of a card is available before draw `cut`."""
    return all(draws >= cut for draws in game.draws(card))


def _find_storage(game: RelaxedGame) -> StorageLoss | None:
    positions = pooled_lost(game)
    if positions is None:
        return None
    return StorageLoss(sum(map(len, game.hands)), positions)


def _find_endgame(game: RelaxedGame) -> EndgameLoss | None:
    """Try the last draws first: the later the cut, the shorter the proof."""
    draws = len(game.pile)
    for cut in range(max(1, draws) - 1, max(0, draws - ENDGAME_DRAWS) - 1, -1):
        if endgame_lost(game, cut):
            tokens = game.tokens if cut == 0 else game.rules.max_hint_tokens
            return EndgameLoss(
                cut=cut,
                remaining=draws - cut,
                cards=_names(left_after(game, cut), game),
                turns=game.removals - cut,
                hint_tokens=None if game.rules.unlimited_hints else tokens,
            )
    return None
