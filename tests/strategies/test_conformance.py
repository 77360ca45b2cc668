"""What every strategy must do, without being asked.

Only legal actions under all rules that it does not refuse, and a reason where it refuses; the same
game from the same seed; the same game interpreted and compiled; and the same action whatever its
own hand and the draw pile hold.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Iterator

import pytest

from hanabilab import Deck, Game, Rules, Strategy, preset
from hanabilab.errors import RulesError, StrategyError
from hanabilab.game.actions import announce, is_legal
from hanabilab.game.cards import card_in
from hanabilab.game.rules import PRESETS
from hanabilab.game.turn import deal, take_turn
from hanabilab.lab.results import entrants
from hanabilab.lab.run import Run
from hanabilab.lab.simulate import simulate
from hanabilab.strategies.seats import choose, see_start, see_turn
from hanabilab.table.loop import Table, play_chunk, set_table
from hanabilab.table.play import play

LEAST_WORK = {"playouts": 2, "depth": 2, "samples": 2, "pile": 3}
"""Options that make a slow strategy quick enough to be tested."""


def quick(strategy: Strategy) -> Strategy:
    """Return the strategy with less work to do, if it is a slow one."""
    if not strategy.slow:
        return strategy
    options = {name: value for name, value in LEAST_WORK.items() if name in strategy.options}
    return strategy.with_options(**options)


STRATEGIES = {strategy.label: quick(strategy) for strategy in entrants()}
HONEST = {name: each for name, each in STRATEGIES.items() if not each.sees_own_cards}

every_strategy = pytest.mark.parametrize("name", STRATEGIES)


def small(**changes: object) -> Rules:
    fields: dict[str, object] = {"players": 3, "hand_size": 3, "ranks": 3, "suits": 3}
    return Rules(**{"copies": (2, 2, 1), **fields, **changes})  # type: ignore[arg-type]


ODD_RULES = {
    "one player": small(players=1),
    "ten players with one card": preset("classic", 10, hand_size=1),
    "ten cards in a hand": preset("classic", 2, hand_size=10),
    "six players": preset("classic", 6),
    "seven players": preset("classic", 7, hand_size=3),
    "no draw pile": small(players=5, copies=(2, 2, 1)),
    "one suit": small(suits=1, copies=(3, 3, 3)),
    "one rank": small(ranks=1, suits=5, copies=(3,)),
    "ten suits of one rank": small(ranks=1, suits=10, copies=(2,)),
    "ten ranks": preset("classic", 3, ranks=10, suits=3),
    "62 cards": preset("classic", 4, ranks=2, suits=31, copies=(2, 1)),
    "many copies": small(copies=(31, 17, 9)),
    "missing cards": small(copies=((2, 2, 1), (0, 2, 1), (2, 2, 2))),
    "no hint tokens": small(hint_tokens=0),
    "one hint token": small(hint_tokens=1),
    "unlimited hint tokens": small(hint_tokens=None),
    "one life": small(lives=1),
    "unlimited lives": small(lives=None),
    "no end": small(deck_ends=False),
    "no end, no limits": small(deck_ends=False, lives=None, hint_tokens=None),
    "open": small(open_game=True),
    "a rainbow suit": preset("Rainbow (6 Suits)", 3),
    "a pink suit": preset("Dark Pink (5 Suits)", 4),
    "a white suit": preset("White (5 Suits)", 2, empty_hints=True),
    "a brown suit": preset("Brown (6 Suits)", 6),
    "special suits only": small(touching=("rainbow", "white", "brown")),
    "every switch": small(
        empty_hints=True, token_for_suit=False, discard_at_full=True, keep_score=True
    ),
}


def all_rules() -> list[Rules]:
    """Return every preset for every number of players, and the odd rules."""
    found = [preset(name, players) for name in PRESETS for players in PRESETS[name].hands]
    return [*found, *ODD_RULES.values()]


def playable(strategy: Strategy) -> list[Rules]:
    return [rules for rules in all_rules() if strategy.why_not(rules) is None]


@contextlib.contextmanager
def naming(rules: Rules) -> Iterator[None]:
    """Say under which rules something went wrong."""
    try:
        yield
    except Exception as error:
        names = [name for name, odd in ODD_RULES.items() if odd == rules]
        error.add_note(f"under {rules.preset or names}, {rules.players} players: {rules}")
        raise


@every_strategy
def test_only_legal_actions_under_all_rules_it_plays(name: str) -> None:
    """An illegal action raises an error, with the game and the turn."""
    strategy = STRATEGIES[name]
    games = 1 if strategy.slow else 12
    for rules in playable(strategy):
        with naming(rules):
            rows = play_chunk(rules, [strategy] * rules.players, 7, 0, games)
            assert all(row[3] for row in rows)


@every_strategy
def test_a_refusal_says_why_before_the_first_game(name: str) -> None:
    strategy = STRATEGIES[name]
    for rules in all_rules():
        reason = strategy.why_not(rules)
        if reason is not None:
            assert len(reason) > 10
            assert "\n" not in reason
            with pytest.raises(StrategyError, match="cannot play this"):
                simulate(strategy, games=1, rules=rules)


@every_strategy
def test_it_plays_what_it_was_made_for(name: str) -> None:
    assert playable(STRATEGIES[name])
    classic = [preset("classic", players) for players in (2, 3, 4, 5)]
    assert any(STRATEGIES[name].why_not(rules) is None for rules in classic)


def sample(strategy: Strategy, count: int) -> list[Rules]:
    """Return some of the rules that it can play, a different sample for each strategy."""
    rules = playable(strategy)
    dice = random.Random(strategy.label)
    return dice.sample(rules, min(count, len(rules)))


@every_strategy
def test_interpreted_equals_compiled(name: str) -> None:
    strategy = STRATEGIES[name]
    for rules in sample(strategy, 3 if strategy.slow else 12):
        team = [strategy] * rules.players
        with naming(rules):
            compiled = play_chunk(rules, team, 3, 0, 1, repeats=2).tolist()
            assert play_chunk(rules, team, 3, 0, 1, repeats=2, compiled=False) == compiled


@every_strategy
def test_the_same_seed_gives_the_same_game(name: str) -> None:
    strategy = STRATEGIES[name]
    for rules in sample(strategy, 2):
        deck = Deck.shuffled(rules, seed=9, game=4)
        games = [play(strategy, deck, seed=9, game=4, compiled=how) for how in (True, False, True)]
        assert games[0] == games[1] == games[2]
        row = Run.of(rules, [strategy], seed=9, games=9).play(4, 1)[0][0][0]
        assert (games[0].score, games[0].turn) == (row[0], row[1])


def exchanged(game: Game, turn: int, dice: random.Random) -> Deck | None:
    """Return the deck with other cards in the hand of the player to move and in the draw pile.

    What that player has seen up to this turn stays the same: the hints fit the new cards too.
    """
    before = Game(game.rules, game.deck)
    places = [
        list(range(p * game.rules.hand_size, (p + 1) * game.rules.hand_size))
        for p in range(game.rules.players)
    ]
    following = game.rules.players * game.rules.hand_size
    for action in game.actions[:turn]:
        player = before.player
        event = before.act(action)
        if action.type in ("play", "discard"):
            del places[player][action.slot]
        if event.drew:
            places[player].append(following)
            following += 1
    me = before.player
    unseen = places[me] + list(range(following, len(game.deck)))
    cards = list(game.deck)
    for _ in range(200):
        pool = [cards[place] for place in unseen]
        dice.shuffle(pool)
        # Cards with the fewest possibilities choose first.
        order = sorted(
            range(len(places[me])), key=lambda slot: before.state.possible[me][slot].bit_count()
        )
        chosen: dict[int, int] = {}
        for slot in order:
            allowed = before.state.possible[me][slot]
            fitting = [card for card in pool if allowed >> card & 1]
            if not fitting:
                break
            chosen[places[me][slot]] = fitting[0]
            pool.remove(fitting[0])
        else:
            rest = [place for place in unseen if place not in chosen]
            chosen.update(zip(rest, pool, strict=True))
            new = [chosen.get(place, card) for place, card in enumerate(cards)]
            if any(new[place] != cards[place] for place in places[me]):
                return dataclasses.replace(game.deck, cards=tuple(new))
    return None


def answers(table: Table, game: Game, deck: Deck, turn: int, seed: int) -> list[int]:
    """Show all players the recorded actions, and ask each what it would do on its own turns.

    Whatever they answer, the recorded actions are taken. The other players may see different cards;
    if that leaked to the player whose cards were exchanged, the answers would show it.
    """
    from hanabilab.core.random import coin_stream
    from hanabilab.game.deck import COINS

    state, seats, event = table.state, table.seats, table.event
    cards = list(deck)
    deal(state, table.opening, cards)
    for player in range(state.players):
        seats.memories[player] = seats.templates[player].copy()
        seats.memories[player].stream = coin_stream(seed, 0, COINS + player)
    for player in range(state.players):
        see_start(state, player, seats, table.shown)
    me = turn % state.players
    given = []
    for action in [*game.actions[:turn], None]:
        player = state.player
        answer = choose(state, player, seats, table.shown)
        if player == me:
            given.append(answer)
        if action is None:
            break
        number = action.number(state)
        assert number is not None
        announce(state, number, event)
        assert is_legal(state, event)
        take_turn(state, cards, event)
        for observer in range(state.players):
            see_turn(state, event, observer, seats, table.shown, table.told)
    return given


@pytest.mark.parametrize("name", HONEST)
def test_hidden_cards_do_not_change_an_action(name: str) -> None:
    strategy = HONEST[name]
    rules = next(
        preset("classic", players)
        for players in (3, 4, 5, 2)
        if strategy.why_not(preset("classic", players)) is None
    )
    table = set_table(rules, [strategy] * rules.players, compiled=False)
    dice = random.Random(1)
    compared = 0
    for number in range(1 if strategy.slow else 2):
        deck = Deck.shuffled(rules, seed=20 + number)
        game = play(strategy, deck, seed=20 + number)
        turns = dice.sample(range(game.turn), min(game.turn, 3 if strategy.slow else 6))
        for turn in turns:
            other = exchanged(game, turn, dice)
            if other is None:
                continue
            real = answers(table, game, deck, turn, 20 + number)
            assert real == answers(table, game, other, turn, 20 + number)
            mover = Game(rules, deck)
            for action in game.actions[:turn]:
                mover.act(action)
            assert real[-1] == game.actions[turn].number(mover.state)
            compared += 1
    assert compared


def test_the_exchange_finds_cheaters() -> None:
    """The test above must fail for a strategy that looks at its own cards."""
    cheat = STRATEGIES["cheat"]
    rules = preset("classic", 3)
    table = set_table(rules, [cheat] * 3, compiled=False)
    dice = random.Random(1)
    deck = Deck.shuffled(rules, seed=20)
    game = play(cheat, deck, seed=20)
    found = False
    for turn in range(0, game.turn, 4):
        other = exchanged(game, turn, dice)
        if other is not None:
            real = answers(table, game, deck, turn, 20)
            found |= real[-1] != answers(table, game, other, turn, 20)[-1]
    assert found


def test_exchanged_cards_agree_with_the_hints() -> None:
    rules = preset("classic", 3)
    game = play(STRATEGIES["random"], Deck.shuffled(rules, seed=3), seed=3)
    for turn in range(game.turn):
        other = exchanged(game, turn, random.Random(turn))
        if other is None:
            continue
        assert sorted(other) == sorted(game.deck)
        there, here = Game(rules, other), Game(rules, game.deck)
        for action in game.actions[:turn]:
            there.act(action)
            here.act(action)
        assert there.view(there.player) == here.view(here.player)
        for slot in range(there.state.hand_count[there.player]):
            card = card_in(there.state.hands[there.player], slot)
            assert there.state.possible[there.player][slot] >> card & 1


def test_the_odd_rules_are_rules() -> None:
    assert len({repr(rules) for rules in ODD_RULES.values()}) == len(ODD_RULES)
    with pytest.raises(RulesError):
        small(copies=(2, 2))


def test_special_suits_are_refused_by_name_unless_all_hints_are_understood() -> None:
    rules = preset("Rainbow (5 Suits)", 3)
    players = {name for name, each in STRATEGIES.items() if each.why_not(rules) is None}
    assert players == {"random", "cheat"}
    with pytest.raises(StrategyError, match=r"information cannot play this: .* rainbow suits"):
        simulate("information", games=1, rules=preset("Rainbow (5 Suits)", 5))
