"""The Hanabi Open Agent Dataset (HOAD): its rules, played turn by turn under the preset `hle`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from hanabilab.errors import ActionError
from hanabilab.game.cards import HIDDEN_HAND, count_of
from hanabilab.game.deck import card_multiset
from hanabilab.game.rules import preset
from hanabilab.papers.fixtures import cards_in, game_with_deck, touched_slots
from hanabilab.papers.items import Correction, Exact, PrintedTable, exact
from hanabilab.papers.verdicts import INTERPRETED
from hanabilab.table.game import Game

__all__ = ["TITLE", "tables"]

TITLE = "The Hanabi Open Agent Dataset (HOAD), “Rules of the Game”"


HLE = preset("hle", 2)


def tables(effort: str) -> list[PrintedTable]:
    """Return its rules, by topic."""
    groups: dict[str, Callable[[], Iterator[Exact]]] = {
        "the box and the deal": _box,
        "how a game ends": _ends,
        "hints": _hints,
        "playing": _plays,
        "discarding": _discards,
    }
    return [
        PrintedTable(
            id=f"hoad.{name.split()[-1]}",
            paper="hoad",
            title=f"Rules: {name}",
            items=list(items()),
        )
        for name, items in groups.items()
    ]


def _box() -> Iterator[Exact]:
    yield exact("hoad.deal.cards", "materials, cards", 50, lambda: len(card_multiset(HLE)))
    yield exact("hoad.deal.suit", "materials, cards of each colour", "10 10 10 10 10", _per_suit)
    place = "materials, 1s to 5s of each colour"
    yield exact("hoad.deal.copies", place, "3 2 2 2 1", _per_rank)
    yield exact(
        "hoad.deal.tokens", "materials, hint tokens", 8, lambda: Game(HLE).state.hint_tokens
    )
    yield exact("hoad.deal.lives", "materials, lives", 3, lambda: Game(HLE).state.lives)
    reason = (
        "true of two and three players; said of any number, it is not what the rules in the box "
        "and the Hanabi Learning Environment deal"
    )
    for players in range(2, 6):
        yield exact(
            f"hoad.deal.hand.{players}",
            f"a hand of 5 cards each, {players} players",
            5,
            _hand,
            players,
            correction=Correction(4, reason, INTERPRETED) if players > 3 else None,
        )
    yield exact("hoad.deal.own", "a player never sees their own cards", True, _own_hand_hidden)
    yield exact("hoad.deal.others", "a player sees the cards of teammates", True, _others_seen)


def _per_suit() -> str:
    counts = Counter(card // 5 for card in card_multiset(HLE))
    return " ".join(str(counts[suit]) for suit in range(5))


def _per_rank() -> str:
    copies = {
        tuple(card_multiset(HLE).count(suit * 5 + rank) for rank in range(5)) for suit in range(5)
    }
    return " / ".join(" ".join(map(str, row)) for row in copies)


def _hand(players: int) -> int:
    return Game("hle", players=players, seed=1).state.hand_count[0]


def _own_hand_hidden() -> bool:
    game = Game("hle", players=3, seed=1)
    return all(game.view(player).hands[player] == HIDDEN_HAND for player in range(3))


def _others_seen() -> bool:
    game = Game("hle", players=3, seed=1)
    return all(
        game.view(player).hands[other] == game.state.hands[other]
        for player in range(3)
        for other in range(3)
        if other != player
    )


def _refused(game: Game, action: str) -> bool:
    """Return whether an action is illegal."""
    try:
        game.copy().act(action)
    except ActionError:
        return True
    return False


def _ends() -> Iterator[Exact]:
    place = "third life lost after a point: how the game ends, and its score"
    yield exact("hoad.ends.lives", place, "lives 0", _third_misplay)
    place = "five piles complete before the deck runs out"
    yield exact("hoad.ends.perfect", place, "perfect 25", _five_piles)
    for players in (2, 3):
        place = f"turns after the last card is drawn, {players} players"
        yield exact(f"hoad.ends.turns.{players}", place, players, _last_turns, players)
    place = "the score is the sum of the piles"
    yield exact("hoad.ends.sum", place, True, _score_is_the_sum)


def _third_misplay() -> str:
    game = game_with_deck(HLE, "r1 r5 y5 g5 b5 w5 r4 y4 g4 b4")
    for slot in (0, 0, 0, 0):
        game.act(f"play {slot}")
    return f"{game.end} {game.score}"


def _five_piles() -> str:
    """Let both players play 1 to 5 of each suit in turn."""
    order = "r1 r2 r3 r4 r5 y1 y2 y3 y4 y5 g1 g2 g3 g4 g5 b1 b2 b3 b4 b5 w1 w2 w3 w4 w5"
    wanted = cards_in(order, HLE)
    starts = [*wanted[0:10:2], *wanted[1:10:2], *wanted[10:]]
    others = card_multiset(HLE)
    for card in starts:
        others.remove(card)
    game = Game(HLE, [*starts, *others])
    while not game.is_over:
        game.act("play 0")
    return f"{game.end} {game.score}"


def _last_turns(players: int) -> int:
    game = Game("hle", players=players, seed=1)
    after_the_last_draw = 0
    while not game.is_over:
        empty = game.state.draw_pile == 0
        kind = "hint" if game.hint_tokens == game.rules.hint_tokens else "discard"
        game.act(next(action for action in game.legal_actions() if action.type.startswith(kind)))
        after_the_last_draw += empty
    return after_the_last_draw


def _score_is_the_sum() -> bool:
    game = game_with_deck(HLE, "r1 y1 r2 y2 g5 b1 w1 b2 w2 g4")
    for _ in range(8):
        game.act("play 0")
    return game.score == sum(game.fireworks.values()) == 8


def _hints() -> Iterator[Exact]:
    for name, hint, touched in (("colour", "hint 1 r", "1 3 5"), ("value", "hint 1 1", "1 2")):
        place = f"a {name} hint points out all such cards"
        yield exact(f"hoad.hints.{name}", place, touched, _touched, hint)
    start = "y1 y2 y3 y4 y5 r1 g1 r3 g4 r5"
    yield exact("hoad.hints.price", "a hint flips a token", 7, _tokens_after_hint)
    place = "no hint without a token"
    yield exact("hoad.hints.none", place, True, _no_hint_without_token)
    for name, hint in (("colour", "hint 1 w"), ("value", "hint 1 2")):
        place = f"no empty {name} hint"
        yield exact(
            f"hoad.hints.empty-{name}",
            place,
            True,
            lambda hint: _refused(game_with_deck(HLE, start), hint),
            hint,
        )
    place = "a hint goes to another player"
    yield exact(
        "hoad.hints.own", place, True, lambda: _refused(game_with_deck(HLE, start), "hint 0 y")
    )


def _touched(hint: str) -> str:
    return touched_slots(game_with_deck(HLE, "y1 y2 y3 y4 y5 r1 g1 r3 g4 r5").act(hint))


def _tokens_after_hint() -> int:
    game = game_with_deck(HLE, "y1 y2 y3 y4 y5 r1 g1 r3 g4 r5")
    game.act("hint 1 r")
    return game.state.hint_tokens


def _no_hint_without_token() -> bool:
    game = game_with_deck(HLE, "y1 y2 y3 y4 y5 r1 g1 r3 g4 r5")
    for turn in range(8):
        game.act("hint 1 r" if turn % 2 == 0 else "hint 0 y")
    return game.hint_tokens == 0 and _refused(game, "hint 1 r")


def _plays() -> Iterator[Exact]:
    place = "a card that fits: pile, lives, cards in hand"
    yield exact("hoad.plays.fits", place, "1 3 5", _play, "play 0", "r")
    place = "a card that does not fit: pile, lives, cards in hand"
    yield exact("hoad.plays.misfit", place, "0 2 5", _play, "play 1", "y")
    place = "a card that does not fit is discarded"
    yield exact("hoad.plays.discarded", place, 1, _misfit_in_discards)
    yield exact("hoad.plays.five", "playing a 5 flips a token back", "7 8", _five_gives_token, 1)
    place = "… if possible"
    yield exact("hoad.plays.five-full", place, "8 8", _five_gives_token, 0)


def _play(action: str, suit: str) -> str:
    game = game_with_deck(HLE, "r1 y5 g5 b5 w5 r5 y4 g4 b4 w4")
    game.act(action)
    return f"{game.fireworks[suit]} {game.lives} {game.state.hand_count[0]}"


def _misfit_in_discards() -> int:
    game = game_with_deck(HLE, "r1 y5 g5 b5 w5 r5 y4 g4 b4 w4")
    game.act("play 1")
    return count_of(game.state.discarded, cards_in("y5", HLE)[0])


def _five_gives_token(hints: int) -> str:
    """Return the tokens before and after the red 5, with or without a hint in between."""
    game = game_with_deck(HLE, "r1 r3 r5 y4 y4 r2 r4 g4 b4 w4")
    for _ in range(4):
        game.act("play 0")
    for _ in range(hints):
        game.act("hint 1 g")
        game.act("play 0")
    before = game.hint_tokens
    game.act("play 0")
    return f"{before} {game.hint_tokens}"


def _discards() -> Iterator[Exact]:
    place = "a discard flips a token back and draws a card: tokens, cards in hand"
    yield exact("hoad.discards.token", place, "8 5", _discard)
    place = "no discard with 8 tokens"
    yield exact("hoad.discards.full", place, True, lambda: _refused(Game(HLE, seed=1), "discard 0"))
    place = "all players may look through the discards"
    yield exact("hoad.discards.seen", place, True, _discards_seen)


def _discard() -> str:
    game = Game(HLE, seed=1)
    game.act(next(action for action in game.legal_actions() if action.type == "hint_rank"))
    game.act("discard 0")
    return f"{game.hint_tokens} {game.state.hand_count[1]}"


def _discards_seen() -> bool:
    game = game_with_deck(HLE, "r1 y5 g5 b5 w5 r5 y4 g4 b4 w4")
    game.act("play 1")
    card = cards_in("y5", HLE)[0]
    return all(count_of(game.view(player).discarded, card) == 1 for player in range(2))
