"""Search over a blueprint: it believes what it knows, gains points, and cannot cheat."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from tests.strategies.test_conformance import naming, playable
from tests.tables import choose as choose_any
from tests.tables import random_deck

from hanabilab import Deck, Game, Rules, find_strategy, preset, simulate
from hanabilab.errors import StrategyError
from hanabilab.game.actions import DISCARD, PLAY, legal_actions
from hanabilab.game.cards import HIDDEN, card_in, count_of
from hanabilab.lab.validation.replay import redeal_hidden_cards, replay
from hanabilab.strategies import OWN
from hanabilab.strategies.search import worlds
from hanabilab.strategies.search.comparison import find_best, is_decided, play_out, winner
from hanabilab.strategies.search.kernels import begin, find_candidates, observe, set_limits
from hanabilab.strategies.search.memory import SearchMemory
from hanabilab.strategies.search.replay import UNLIMITED, replay_history
from hanabilab.strategies.search.worlds import (
    count_copies,
    deal_cards,
    deal_world,
    prepare_worlds,
)
from hanabilab.strategies.seats import Seat
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import play
from hanabilab.table.players import explain_game

TINY = Rules(players=3, hand_size=2, ranks=3, suits=2, copies=((3, 2, 2),) * 2)


RARE = 0.01
"""Hands less likely than this are left out of a chi-square test."""


def following(game: Game, blueprint: str, player: int | None = None) -> SearchMemory:
    """Return the memory of a player, by default the one to move, after a game so far."""
    strategy = find_strategy(f"search:blueprint={blueprint}")
    me = game.player if player is None else player
    memory = strategy.fresh_memory()
    assert isinstance(memory, SearchMemory)
    strategy.init_memory(memory, None)
    memory.stream = 5
    again = Game(game.rules, game.deck)
    begin(again.view(me), memory)
    for action in game.actions:
        event = again.act(action)
        observe(again.view(me), event, memory)
    return memory


def believed(game: Game, blueprint: str) -> SearchMemory:
    """Return the same memory, ready to imagine worlds."""
    memory = following(game, blueprint)
    view = game.view(game.player)
    find_candidates(view, memory)
    prepare_worlds(view, memory)
    return memory


def played(rules: Rules, strategy: str, turns: int, seed: int) -> Game:
    """Return a game after its first turns."""
    whole = play(strategy, Deck.shuffled(rules, seed=seed), seed=seed)
    game = Game(rules, whole.deck)
    for action in whole.actions[:turns]:
        game.act(action)
    return game


def hand_of(memory: SearchMemory, me: int, cards: int) -> tuple[int, ...]:
    return tuple(card_in(memory.world.state.hands[me], slot) for slot in range(cards))


def chi_square_fits(seen: Counter[Any], weights: dict[Any, float]) -> bool:
    """Return whether counts follow these weights; a fresh seed fails once in some thousand runs."""
    total, whole = sum(seen.values()), sum(weights.values())
    assert seen.keys() <= weights.keys()
    expected = {each: total * weight / whole for each, weight in weights.items()}
    square = sum((seen[each] - mean) ** 2 / mean for each, mean in expected.items())
    freedom = len(weights) - 1
    return bool(square < freedom + 3.5 * (2 * freedom) ** 0.5 + 6)


def all_hands(memory: SearchMemory, game: Game) -> dict[tuple[int, ...], float]:
    """Return every hand that agrees with the hints, weighed by the ways to choose its copies."""
    state, me = game.state, game.player
    cards = state.hand_count[me]
    unseen = [count_of(memory.world.unseen, card) for card in range(game.rules.max_score)]
    hands = {}
    for hand in itertools.product(range(game.rules.max_score), repeat=cards):
        ways = 1
        for place, card in enumerate(hand):
            fits = state.possible[me][place] >> card & 1
            ways *= fits * (unseen[card] - hand[:place].count(card))
        if ways > 0:
            hands[hand] = float(ways)
    return hands


@pytest.mark.parametrize("turns", [0, 3, 5])
def test_hands_and_piles_follow_the_exact_belief(turns: int) -> None:
    game = played(TINY, "iggi", turns, seed=4)
    memory, view = believed(game, "iggi"), game.view(game.player)
    me, cards = game.player, game.state.hand_count[game.player]
    weights = all_hands(memory, game)
    assert len(weights) > 2
    first, next_cards = len(game.deck) - view.draw_pile, Counter[int]()
    hands: Counter[Any] = Counter()
    for _ in range(3000):
        assert deal_cards(view, memory)
        hands[hand_of(memory, me, cards)] += 1
        next_cards[memory.world.deck[first]] += 1
        whole = memory.world.deck[: len(game.deck)]
        for player in range(3):  # the world is the deck that would have been dealt
            if player != me:
                assert all(
                    card in whole or card == HIDDEN
                    for card in [card_in(view.hands[player], slot) for slot in range(2)]
                )
        assert sorted(whole) == sorted(game.deck)
    assert chi_square_fits(hands, weights)
    unseen = {card: count_of(memory.world.unseen, card) for card in range(TINY.max_score)}
    drawn: dict[Any, float] = {}
    for hand, ways in weights.items():
        for card, copies in unseen.items():
            left = copies - hand.count(card)
            drawn[card] = drawn.get(card, 0.0) + ways * left
    assert chi_square_fits(next_cards, {card: weight for card, weight in drawn.items() if weight})


def test_partners_who_would_have_acted_otherwise_make_a_world_unlikely() -> None:
    """The belief is that of the hints times `surprise` for each action that is not explained."""
    compared = 0
    for seed in range(8):
        game = played(TINY, "information", 5, seed)
        memory, view = believed(game, "information"), game.view(game.player)
        me, cards = game.player, game.state.hand_count[game.player]
        hands = all_hands(memory, game)
        surprises = {}
        for _ in range(300):
            deal_cards(view, memory)
            hand = hand_of(memory, me, cards)
            if hand not in surprises:
                surprises[hand] = replay_history(memory, UNLIMITED)
        assert surprises.keys() == hands.keys()
        if len(set(surprises.values())) == 1:
            continue
        least = min(surprises.values())
        weights = {
            hand: hands[hand] * memory.surprise ** (surprises[hand] - least) for hand in hands
        }
        seen: Counter[Any] = Counter()
        for _ in range(600):
            assert deal_world(view, memory)
            seen[hand_of(memory, me, cards)] += 1
        likely: dict[Any, float] = {
            hand: weight
            for hand, weight in weights.items()
            if weight > RARE * sum(weights.values())
        }
        assert chi_square_fits(Counter({hand: seen[hand] for hand in likely}), likely)
        compared += 1
        if compared == 2:
            return
    pytest.fail("no game in which the belief matters")


def count_surprises(game: Game, memory: SearchMemory, blueprint: str) -> int:
    """Count, turn by turn with real seats, what the partners would have done otherwise."""
    me, first = game.player, max(memory.log.drawn[0], game.turn - memory.history)
    players = range(game.rules.players)
    again = Game(game.rules, memory.world.deck[: len(game.deck)])
    seats = [Seat.in_game(find_strategy(blueprint), player, 1, 0) for player in players]
    for seat in seats:
        seat.begin(again.state)
    surprises = 0
    for turn, action in enumerate(game.actions):
        if seats[again.player].act(again.state) != memory.log.actions[turn]:
            surprises += again.player != me and turn >= first
        event = again.act(action)
        for seat in seats:
            seat.observe(again.state, event)
    return surprises


@pytest.mark.parametrize(
    ("blueprint", "players"),
    [("duo:history=20", 2), ("hatter:history=5", 4), ("conventions:history=20", 3)],
)
def test_noted_answers_explain_what_a_replay_explains(blueprint: str, players: int) -> None:
    """Answers are noted by turn and hand; moments are kept for the last turns only."""
    name, history = blueprint.split(":")
    found = Counter[int]()
    for turns in (12, 23, 34):
        game = played(preset("classic", players), name, turns, seed=2)
        memory, view = believed(game, f"{name},{history}"), game.view(game.player)
        for _ in range(12):
            assert deal_cards(view, memory)
            surprises = count_surprises(game, memory, name)
            for _ in range(2):  # worked out, and then noted
                assert replay_history(memory, UNLIMITED) == surprises
            found[surprises] += 1
    assert len(found) > 1 or name == "hatter"


def test_notes_outlive_the_turn_in_which_they_were_made() -> None:
    """Cards that have come to light since then are no longer part of the hand that is noted.

    Partners who follow other conventions surprise in many turns, also in those that all worlds
    have in common, which do not count.
    """
    whole = played(preset("classic", 3), "piers", 40, seed=2)
    game, me, found = Game(whole.rules, whole.deck), 0, Counter[int]()
    memory = following(game, "conventions", me)
    for action in whole.actions:
        if game.player == me and game.turn > 20:
            view = game.view(me)
            find_candidates(view, memory)
            prepare_worlds(view, memory)
            for _ in range(3):
                assert deal_cards(view, memory)
                surprises = count_surprises(game, memory, "conventions")
                for most in (UNLIMITED, surprises):
                    assert replay_history(memory, most) == surprises
                assert replay_history(memory, surprises - 1) >= surprises
                found[surprises] += 1
        event = game.act(action)
        observe(game.view(me), event, memory)
    assert len(found) > 1


PURE = [strategy.name for strategy in OWN if strategy.search.pure_act]


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_acting_leaves_no_trace(name: str, players: int) -> None:
    """A player who is asked only now acts like one who was asked at every turn."""
    whole = play(name, Deck.shuffled(preset("hle", players), seed=3), seed=3)
    game = Game(whole.rules, whole.deck)
    seats = [Seat.in_game(find_strategy(name), player, 3, 0) for player in range(players)]
    for seat in seats:
        seat.begin(game.state)
    for turn, action in enumerate(whole.actions):
        if turn % 7 == 6:  # asked twice: what the first answer leaves behind does not matter
            answers = [seats[game.player].act(game.state) for _ in range(2)]
            assert answers == [action.number(game.state)] * 2
        event = game.act(action)
        for seat in seats:
            seat.observe(game.state, event)


def test_a_replay_need_not_work_out_twice_what_the_player_remembers() -> None:
    game = played(preset("classic", 3), "piers", 17, seed=2)
    memory = believed(game, "piers")
    assert deal_world(game.view(game.player), memory)
    assert memory.world.own_turns == game.turn + 1
    memories: Any = memory.world.memories[:3]
    kept = [each.copy() for each in memories]
    memory.world.own_turns = 0  # work it out once more
    replay_history(memory, UNLIMITED)
    assert memories == kept


@pytest.mark.parametrize("rules", [preset("classic", 3), preset("classic", 5), TINY])
@pytest.mark.parametrize("blueprint", ["random", "piers"])
def test_the_true_world_can_be_lived_through(rules: Rules, blueprint: str) -> None:
    """Played again with the true cards, the past leads to the present."""
    chance = random.Random(8)
    game = Game(deck=random_deck(rules, chance))
    while not game.is_over:
        memory = following(game, blueprint)
        view = game.view(game.player)
        memory.world.state = game.state.copy()
        memory.world.state.observer = game.player
        memory.world.deck[: len(game.deck)] = list(game.deck)
        replay_history(memory, UNLIMITED)
        memory.table.state.observer = game.state.observer
        assert memory.table.state == game.state
        assert memory.log.turns == game.turn
        places = [memory.log.places[slot] for slot in range(view.hand_count[game.player])]
        hand = [card_in(game.state.hands[game.player], slot) for slot in range(len(places))]
        assert [game.deck[place] for place in places] == hand
        game.act(choose_any(game, chance))


SAME = [
    ("search:samples=3,pile=5,nested-samples=2", 3),
    ("search:samples=3,pile=4,nested-samples=2", 5),
    ("search:blueprint=duo,samples=3,pile=3", 2),
    ("search:blueprint=duo,samples=3,pile=3,lies=no,history=0", 2),
    ("search:blueprint=piers,samples=3,pile=8", 2),
    ("search:blueprint=rule-based,samples=3,pile=6", 3),
    ("search:blueprint=information,samples=2,pile=4", 3),
]


@pytest.mark.parametrize(("name", "players"), SAME)
def test_interpreted_equals_compiled(name: str, players: int) -> None:
    rules, team = preset("classic", players), [find_strategy(name)] * players
    games = 1 if "blueprint" in name else 2
    compiled = play_chunk(rules, team, 3, 0, games).tolist()
    assert play_chunk(rules, team, 3, 0, games, compiled=False) == compiled


@pytest.mark.parametrize(("name", "players"), [*SAME[:1], *SAME[4:5]])
def test_hidden_cards_do_not_change_an_action(name: str, players: int) -> None:
    rules, strategy, rng = preset("classic", players), find_strategy(name), random.Random(2)
    compared = 0
    for seed in (31, 32):
        deck = Deck.shuffled(rules, seed=seed)
        game = play(strategy, deck, seed=seed)
        searched = [turn for turn in range(game.turn) if pile_before(game, turn) <= 5]
        for turn in rng.sample(searched, min(2, len(searched))):
            other = redeal_hidden_cards(game, turn, rng)
            if other is not None:
                real, imagined = (
                    [
                        choice.chosen
                        for choice in replay(strategy, game, dealt, seed, 0, range(players), turn)
                        if choice.player == game.events[turn].player
                    ]
                    for dealt in (deck, other)
                )
                assert real == imagined
                compared += 1
    assert compared > 1


def pile_before(game: Game, turn: int) -> int:
    again = Game(game.rules, game.deck)
    for action in game.actions[:turn]:
        again.act(action)
    return again.state.draw_pile


@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("search:samples=20,pile=4", 3),
        ("search:samples=20,pile=4", 4),
        ("search:samples=20,pile=4", 5),
        ("search:blueprint=piers,samples=10,pile=4", 2),
        ("search:blueprint=rule-based,samples=10,pile=4", 4),
        ("search:blueprint=random,samples=10,pile=2", 3),
    ],
)
def test_games_do_not_depend_on_threads(name: str, players: int) -> None:
    found = simulate(name, players=players, games=16, seed=3, threads=1)
    assert found.games == 16
    again = simulate(name, players=players, games=16, seed=3, threads=2)
    assert (again.histogram, again.turns) == (found.histogram, found.turns)


def test_it_gains_several_points() -> None:
    """Paired on ten decks; the standard error is about half a point."""
    plain = simulate("piers", players=3, games=10, seed=12)
    searched = simulate("search:blueprint=piers,samples=40", players=3, games=10, seed=12)
    assert searched.mean > plain.mean + 1.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("search:blueprint=search", "blueprint: search is a search itself"),
        ("search:blueprint=human", "blueprint: human is plain Python"),
        ("search:blueprint=cheat", "blueprint: cheat looks at its own cards"),
        ("search:blueprint=nobody", "blueprint: unknown strategy 'nobody'; expected one of"),
        ("search:samples=0", "samples: 0 is not between 1"),
        ("search:margin=much", "margin: 'much' is not a number"),
        ("search:pile=-1", "pile: -1 is not between"),
        ("search:blueprint-nonsense=1", "hatter has no option nonsense"),
        ("search:blueprint=piers,blueprint-risk=1", "piers has no option risk"),
        (
            "search:blueprint=rule-based,blueprint-play-threshold=7",
            "play-threshold: 7 is not between",
        ),
    ],
)
def test_bad_options_are_one_line(text: str, message: str, command: Callable[..., Any]) -> None:
    with pytest.raises(StrategyError) as caught:
        find_strategy(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    code, _, error = command("simulate", text, "--players", "3", "--games", "1")
    assert code == 2
    assert error.count("\n") == 1


def test_options_of_the_blueprint() -> None:
    strategy = find_strategy("search:blueprint=rule-based,samples=7,blueprint-play-threshold=0.4")
    assert strategy.label == ("search:blueprint=rule-based,samples=7,blueprint-play-threshold=0.4")
    assert find_strategy(strategy.label) == strategy
    blueprint = getattr(strategy, "blueprint", None)
    assert blueprint == find_strategy("rule-based:play-threshold=0.4")
    assert strategy.with_options(blueprint="piers").label == "search:blueprint=piers,samples=7"
    assert find_strategy("search:blueprint-border=1").label == "search:blueprint-border=1"


def test_defaults_that_depend_on_the_blueprint() -> None:
    """`duo` concludes from what is not done: there partners' actions tell more than its tables."""
    names = ("samples", "screen", "history", "surprise", "least_gain")
    for label, values in (
        ("search", (1_700, 200, 0, 0.05, 0)),
        ("search:blueprint=piers", (1_700, 200, 20, 0.05, 0)),
        ("search:blueprint=duo", (4_000, 1_000, 20, 0.02, 0.03)),
        ("search:blueprint=duo,history=5", (4_000, 1_000, 5, 0.02, 0.03)),
    ):
        strategy = find_strategy(label)
        assert tuple(strategy.option(name) for name in names) == values


@pytest.mark.parametrize(
    ("gain", "least", "wins"), [(50, 0.0, True), (50, 0.06, False), (70, 0.06, True)]
)
def test_a_small_gain_is_not_worth_leaving_the_blueprint(
    gain: int, least: float, wins: bool
) -> None:
    """In 1,000 worlds with a gain of one point each in some of them."""
    memory: Any = find_strategy("search").fresh_memory()
    memory.candidates.count, memory.comparison.imagined = 2, 1_000
    memory.comparison.alive[1], memory.comparison.least = 1, least
    memory.comparison.gain[1] = memory.comparison.squares[1] = gain
    assert (winner(memory) == 1) == wins


@pytest.mark.parametrize(
    ("gain", "imagined", "left", "decided"),
    [
        (20, 1_000, 0, True),
        (55, 1_000, 1, False),
        (70, 1_000, 1, False),
        (90, 1_000, 1, True),
        (95, 1_699, 0, True),
        (105, 1_699, 1, True),
    ],
)
def test_a_racer_stays_while_the_worlds_left_can_change_the_outcome(
    gain: int, imagined: int, left: int, decided: bool
) -> None:
    """A gain of 0.06 is needed after 1,700 worlds; just before, only the side of it matters."""
    memory: Any = find_strategy("search").fresh_memory()
    memory.candidates.count, memory.comparison.imagined = 2, imagined
    memory.limits.worlds = 1_700
    memory.comparison.alive[1], memory.comparison.least = 1, 0.06
    memory.comparison.gain[1] = memory.comparison.squares[1] = gain
    assert is_decided(memory) == decided
    assert memory.comparison.alive[1] == left


@pytest.mark.parametrize(
    ("better", "worse", "worlds", "best"),
    [(0, 1, 40, 0), (4, 5, 90, 0), (4, 3, 1_000, 1), (4, 1, 300, 1)],
)
def test_close_decisions_get_more_worlds(better: int, worse: int, worlds: int, best: int) -> None:
    """Of twelve worlds the blueprint loses a point in six, and 0.08 points must be gained.

    Another action saves the point in some of them, and loses one in some of the others.
    """
    game = played(preset("classic", 3), "hatter", 8, seed=6)
    memory: Any = believed(game, "hatter")
    memory.candidates.count, memory.limits.worlds = 2, 1_000
    memory.least_gain, memory.screen = 0.08, 200
    blueprint, other = memory.candidates.actions[:2]
    places: dict[int, int] = {}

    def loss(_: Any, action: int) -> int:
        place = places.setdefault(memory.world.origin, len(places)) * 5 % 12
        if action == blueprint:
            return int(place < 6)
        return int(better <= place < 6 + worse)

    memory.table.play_out = loss
    assert blueprint != other
    assert find_best(game.view(game.player), memory) == best
    assert memory.comparison.imagined == worlds


def test_points_that_are_out_of_reach_are_not_lost_again() -> None:
    """Of random games, counted suit by suit, and no play-out scores more."""
    lowest = 25
    for number in range(12):
        game = Game(preset("classic", 2, lives=None), seed=31, game=number)
        rng = random.Random(number)
        for _ in range(20 + 4 * number):
            if not game.is_over:
                game.act(choose_any(game, rng))
        if game.is_over:
            continue
        memory = believed(game, "duo")
        best = counted_best(game)
        assert memory.world.within_reach == best
        lowest = min(lowest, best)
        assert deal_world(game.view(game.player), memory)
        for action in memory.candidates.actions[1 : memory.candidates.count]:
            assert play_out(memory, action) >= 0
    assert lowest < 20


@pytest.mark.parametrize(
    ("pile", "turns_left", "deck_ends", "best"), [(3, -1, 1, 5), (0, 2, 1, 2), (3, -1, 0, 25)]
)
def test_no_more_points_than_turns(pile: int, turns_left: int, deck_ends: int, best: int) -> None:
    view = Game(preset("classic", 2)).view(0)
    view.draw_pile, view.turns_left, view.rules.deck_ends = pile, turns_left, deck_ends
    assert worlds.within_reach(view) == best


def counted_best(game: Game) -> int:
    """Return the highest score that discards allow."""
    lost = Counter(event.card for event in game.events if event.kind in (PLAY, DISCARD))
    best = 0
    for suit, height in enumerate(game.fireworks.values()):
        best += height
        for rank in range(height, 5):
            if lost[5 * suit + rank] == (3, 2, 2, 2, 1)[rank]:
                break
            best += 1
    return best


def test_late_in_the_game_a_third_of_the_least_gain_is_enough() -> None:
    rules = preset("classic", 2)
    for turns, share in ((4, 1.0), (50, 1 / 3)):
        game = played(rules, "duo", turns, seed=6)
        assert (game.state.draw_pile <= 10) == (share < 1)
        memory = following(game, "duo")
        memory.limits.worlds = 0
        find_best(game.view(game.player), memory)
        assert memory.comparison.least == pytest.approx(0.03 * share)


def test_rules_that_the_blueprint_cannot_play() -> None:
    with pytest.raises(StrategyError, match="search cannot play this: its blueprint hatter cannot"):
        simulate("search", players=2, games=1)
    assert find_strategy("search:blueprint=random").why_not(preset("White (5 Suits)", 3)) is None


def test_a_time_limit_and_a_hurry() -> None:
    rules = preset("classic", 3)
    strategy = find_strategy("search:seconds=0.01")
    game = played(rules, "hatter", 20, seed=6)
    for hurried in (False, True):
        seat = Seat(strategy, game.player, 77, compiled=True)
        again = Game(rules, game.deck)
        seat.begin(again.state)
        for action in game.actions:
            event = again.act(action)
            seat.observe(again.state, event)
        if hurried:
            seat.hurry()
        assert seat.act(again.state) in legal_actions(again.state)
        memory: Any = seat.memory
        assert (memory.comparison.imagined == 0) == hurried
        assert memory.cancelled == 0


@pytest.mark.parametrize(
    ("options", "worlds"),
    [("samples=50", 50), ("samples=50,seconds=600", 50), ("seconds=600", 1 << 40)],
)
def test_a_time_limit_is_the_only_one_unless_worlds_are_limited_too(
    options: str, worlds: int
) -> None:
    memory: Any = find_strategy(f"search:{options}").fresh_memory()
    memory.limits.ticks_per_second = 1.0
    set_limits(memory)
    assert memory.limits.worlds == worlds
    assert (memory.limits.deadline > 0) == ("seconds" in options)


@pytest.mark.parametrize("calls", [0, 1, 5])
def test_when_time_is_up_nothing_more_is_imagined(
    calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a world that takes many tries nor a round of many actions is finished.

    The clock passes the deadline after it was read a number of times; every world is replayed, and
    none is good enough, so that only the clock can end the search for one.
    """
    game = played(preset("classic", 2), "duo", 20, seed=6)
    memory: Any = following(game, "duo")
    view = game.view(game.player)
    find_candidates(view, memory)
    tried: list[int] = []

    def surprised(_: Any, most_surprises: int) -> int:
        tried.append(most_surprises)
        return most_surprises + 1

    memory.table.replay = surprised
    memory.table.play_out = lambda memory, action: pytest.fail("time is up")
    memory.limits.worlds, memory.limits.deadline = 1_000, 1
    reads = itertools.count()
    monkeypatch.setattr(worlds, "ticks", lambda: 2 * (next(reads) >= calls))
    prepare_worlds(view, memory)
    assert not find_best(view, memory)
    assert len(tried) == calls


def test_what_it_says() -> None:
    rules = preset("classic", 3)
    strategy = find_strategy("search:samples=60,margin=0.7")
    game = play(strategy, Deck.shuffled(rules, seed=3), seed=3)
    said = explain_game(game, strategy, seed=3)
    assert any("imagined worlds over what hatter does (" in each for each in said)
    assert any("other actions compared in 60 imagined worlds" in each for each in said)
    screened = find_strategy("search:screen=45,pile=30")
    said = explain_game(play(screened, game.deck, seed=3), screened, seed=3)
    assert any("compared in 45 imagined worlds" in each for each in said)
    told = explain_game(game, strategy, seed=3, reader=1)
    others = [
        (each, event) for each, event in zip(told, game.events, strict=True) if event.player != 1
    ]
    for each, event in others:
        words = "the best it could imagine"
        assert each.endswith(words) if event.target == 1 else f"{words}; " in each


@pytest.mark.parametrize("blueprint", ["random", "piers"])
def test_only_legal_actions_under_all_rules(blueprint: str) -> None:
    strategy = find_strategy(f"search:blueprint={blueprint},samples=2,pile=6")
    for rules in playable(strategy):
        with naming(rules):
            rows = play_chunk(rules, [strategy] * rules.players, 7, 0, 1)
            assert all(row[3] for row in rows)


def test_copies_are_counted_within_what_is_possible() -> None:
    game = played(preset("classic", 3), "iggi", 12, seed=2)
    memory, view = following(game, "iggi"), game.view(game.player)
    find_candidates(view, memory)
    count_copies(view, memory)
    for slot in range(view.hand_count[game.player]):
        cards = [card for card in range(25) if view.possible[game.player][slot] >> card & 1]
        assert memory.world.copies[slot] == sum(
            count_of(memory.world.unseen, card) for card in cards
        )
