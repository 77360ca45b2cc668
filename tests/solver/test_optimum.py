"""The exact optimum with hidden cards: verified by brute force, by whole games and by bounds."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hanabilab as hl
from hanabilab.author import Strategy
from hanabilab.errors import FormatError, HanabiError, RulesError, StrategyError, TheoryError
from hanabilab.game.deck import card_multiset
from hanabilab.lab import optimum as optimum_module
from hanabilab.solver.optimum import beliefs, blocks, classes, frames, kernels, symmetry
from hanabilab.solver.optimum.beliefs import GameTables, Store
from hanabilab.solver.optimum.classes import list_joined
from hanabilab.solver.optimum.deals import bits_of
from hanabilab.solver.optimum.known import known_optima
from hanabilab.solver.optimum.prescriptions import settle_option
from hanabilab.solver.optimum.search import Search, find_optimum
from hanabilab.solver.optimum.store import StoreSizes, deals_of, words_of
from tests.solver.optimum_reference import Sizes, best_by_sets_of_decks, best_joint_policy

GAMES = int(os.environ.get("HANABILAB_OPTIMUM", "0"))
"""How many of the stored games the long test plays."""
MOST_DECKS = 1000


def small_game(*sizes: Any, **changes: Any) -> hl.Rules:
    """Rules of a small game: players, hand size, suits, copies, hint tokens, lives."""
    players, hand, suits, copies, tokens, lives = sizes
    return hl.Rules(
        players=players,
        hand_size=hand,
        suits=suits,
        ranks=len(copies),
        copies=(copies,),
        hint_tokens=tokens,
        lives=lives,
        **changes,
    )


STUDY = {
    (2, 1, 2, (1, 1), 1, 1): Fraction(11, 4),
    (3, 1, 2, (1, 1), 1, 1): Fraction(19, 6),
    (2, 2, 2, (1, 1), 1, 1): Fraction(7, 6),
    (2, 1, 2, (2, 1), 1, 1): Fraction(307, 90),
    (2, 1, 2, (2, 1), 2, 1): Fraction(19, 5),
}


@pytest.mark.parametrize("places", [1, 16])
def test_answers_that_were_forgotten_are_found_again(
    places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few places nearly every set of deals replaces another one."""
    rules = small_game(2, 2, 2, (2, 1), 2, 1)
    usual = find_optimum(rules)
    monkeypatch.setattr("hanabilab.solver.optimum.store.RECENT", places)
    forgetful = find_optimum(rules)
    assert forgetful.upper(forgetful.start()) == usual.upper(usual.start())
    assert forgetful.beliefs == usual.beliefs
    assert forgetful._store.cursor[beliefs.STEPS] == usual._store.cursor[beliefs.STEPS]


UNLIKE = [
    small_game(2, 1, 2, (2, 1), 1, 1),
    small_game(2, 2, 2, (2, 1), 1, 2),
    small_game(3, 1, 3, (1, 1), 1, 1),
    small_game(3, 2, 1, (2, 2, 2), 2, 1, empty_hints=True),
    small_game(2, 1, 3, (1, 1), 2, 1),
]
"""Games with hints to one or two players, with hands of one or two cards."""


@pytest.mark.parametrize("rules", UNLIKE, ids=repr)
def test_hints_with_and_without_names(rules: hl.Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """If each hint is a choice of its own, the values are the same."""
    nameless = find_optimum(rules)
    monkeypatch.setattr(
        "hanabilab.solver.optimum.tables._moves_and_messages",
        lambda state, outcomes: (len(state.choices), 0),
    )
    named = find_optimum(rules)
    assert named.upper(named.start()) == nameless.upper(nameless.start())
    assert not any(row[beliefs.MESSAGES] for row in named._game.states)
    assert any(row[beliefs.MESSAGES] for row in nameless._game.states)


SYMMETRIC = [
    small_game(2, 1, 2, (2, 1), 1, 1),
    small_game(2, 1, 3, (1, 1), 0, 1),
    small_game(2, 2, 1, (2, 2, 1), 0, 1),
    small_game(2, 2, 1, (2, 2, 1), 1, 1),
    small_game(2, 3, 1, (3, 3, 1), 0, 1),
]
"""Games in which suits or slots differ only in name."""


@pytest.mark.parametrize("rules", SYMMETRIC, ids=repr)
def test_groups_in_many_orders(rules: hl.Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """If every tree of prescriptions is soon left for another order, the values are the same.

    From the second order on, only one of several symmetric prescriptions is considered.
    """
    search, store = find_optimum(rules), interpreted_search(rules)
    found, maps_belief = [], symmetry.maps_belief

    def noted(*arguments: Any) -> bool:
        found.append(maps_belief(*arguments))
        return found[-1]

    monkeypatch.setattr(symmetry, "maps_belief", noted)
    monkeypatch.setattr(kernels, "FIRST_NODES", 1)
    restless = interpreted_search(rules)
    assert restless.cursor[beliefs.STEPS] > store.cursor[beliefs.STEPS]
    assert any(found)
    start = search.start().number
    assert restless.beliefs[start][beliefs.UPPER] == search.upper(search.start())


@pytest.mark.parametrize("rules", [SYMMETRIC[0], SYMMETRIC[3]], ids=repr)
def test_hints_with_names_in_many_orders(rules: hl.Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """A symmetry moves hints as well if each is a choice of its own: nothing is left out then."""
    search = find_optimum(rules)
    monkeypatch.setattr(
        "hanabilab.solver.optimum.tables._moves_and_messages",
        lambda state, outcomes: (len(state.choices), 0),
    )
    maps_belief = symmetry.maps_belief

    def without_hints(*arguments: Any) -> bool:
        assert not arguments[3][beliefs.NAMED_HINTS]
        return maps_belief(*arguments)

    monkeypatch.setattr(symmetry, "maps_belief", without_hints)
    monkeypatch.setattr(kernels, "FIRST_NODES", 1)
    restless = interpreted_search(rules)
    assert any(row[beliefs.NAMED_HINTS] for row in Search(rules)._game.states)
    assert restless.beliefs[search.start().number][beliefs.UPPER] == search.upper(search.start())


@pytest.mark.parametrize("rules", [UNLIKE[0], SYMMETRIC[1], SYMMETRIC[2]], ids=repr)
def test_bounds_of_gains_are_those_of_the_present_classes(
    rules: hl.Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gain in a smaller class would not bound the gain in a larger one."""
    checked = Counter[str]()

    def settle_and_verify(game: Any, store: Any, base: int, row: list[int]) -> None:
        settle_option(game, store, base, row)
        stack = store.stack
        if stack[base + frames.PHASE] != frames.NODE:
            return
        level = stack[base + frames.LEVEL_AT]
        level += (stack[base + frames.LEVEL] - 1) * stack[base + frames.LEVEL_WORDS]
        order, assigned = stack[base + frames.ORDER_AT], stack[base + frames.ASSIGNED_AT]
        groups = stack[order : order + stack[base + frames.PART]]
        classes = range(row[beliefs.MOVES] + stack[base + frames.USED])
        for group, number in itertools.product(groups, classes):
            gain, alone, joined = gains(game, store, base, row, number, group)
            if stack[assigned + group] == beliefs.UNKNOWN != gain:
                assert min(alone, joined) <= gain <= alone
                assert gain in (alone, joined) or number != stack[level + frames.CHOSEN]
                checked["alone" if gain == alone else "joined"] += 1

    def gains(
        game: Any, store: Any, base: int, row: list[int], number: int, group: int
    ) -> tuple[int, int, int]:
        stack = store.stack
        kind = group * stack[base + frames.KINDS] + min(number, row[beliefs.MOVES])
        alone = stack[stack[base + frames.ALONE_AT] + kind]
        gain = stack[stack[base + frames.GAIN_AT] + group * stack[base + frames.CLASSES] + number]
        joined = list_joined(game, store, base, row, number, group)
        return gain, alone, joined - stack[stack[base + frames.VALUE_AT] + number]

    search = find_optimum(rules)
    monkeypatch.setattr(kernels, "settle_option", settle_and_verify)
    store = interpreted_search(rules)
    assert store.beliefs[search.start().number][beliefs.UPPER] == search.upper(search.start())
    assert checked["alone"]
    assert checked["joined"]


@pytest.mark.parametrize("rules", [UNLIKE[4], *SYMMETRIC[1:4]], ids=repr)
def test_beliefs_are_worth_at_most_the_sum_of_their_parts(
    rules: hl.Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All beliefs of a search are solved again without the bound that their parts give."""
    game, store = interpreted_game(rules), interpreted_search(rules)
    monkeypatch.setattr(classes, "bound_by_parts", lambda *arguments: None)
    plain, sizes, bounded = interpreted_search(rules), StoreSizes.of(game), 0
    for belief in store.beliefs[: store.cursor[beliefs.BELIEFS]]:
        state, at = belief[beliefs.STATE], belief[beliefs.BITS]
        number = beliefs.find_belief(game, plain, state, 0, store.pool, at)
        found = plain.beliefs[number]
        if not found[beliefs.TRIES] and not belief[beliefs.TRIES]:
            bounded += belief[beliefs.UPPER] < found[beliefs.UPPER]
        kernels.begin(game, plain, number, -1)
        assert kernels.advance(game, plain, 10**6, sizes.margin, sizes.frame) == kernels.DONE
        assert found[beliefs.UPPER] <= belief[beliefs.UPPER]
        assert found[beliefs.UPPER] == belief[beliefs.UPPER] or not belief[beliefs.EXACT]
    assert bounded, "beliefs that were never searched have lower bounds than the first ones"


@pytest.mark.parametrize("rules", [SYMMETRIC[4], small_game(3, 1, 1, (3, 2, 1), 1, 1)], ids=repr)
def test_blocks_lose_at_least_what_is_noted(
    rules: hl.Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block is judged as if everyone knew one card that the player to move sees."""
    search, noted = find_optimum(rules), list[int]()
    states = {state.number: state for state in search.states._known.values()}

    def split_and_verify(
        game: Any, store: Any, base: int, belief: list[int], row: list[int]
    ) -> bool:
        is_last, stack = blocks.split(game, store, base, belief, row), store.stack
        if is_last and stack[base + frames.BLOCKS]:
            state, at = states[belief[beliefs.STATE]], belief[beliefs.BITS]
            deals = deals_of(store.pool[at : at + row[beliefs.WORDS]])
            groups = search.belief(state, deals).groups()
            assert len(groups) == stack[base + frames.GROUPS]
            block_at, bound_at = stack[base + frames.BLOCK_AT], stack[base + frames.BOUND_AT]
            members, bounds = Counter[int](), Counter[int]()
            for number, group in enumerate(groups):
                members[stack[block_at + number]] |= group
                bounds[stack[block_at + number]] += stack[bound_at + number]
            common = set(range(row[beliefs.SLOTS]))
            for block, alike in members.items():
                seen = np.array([sum(state.deals[deal][1:], ()) for deal in bits_of(alike)])
                common &= set(np.flatnonzero((seen == seen[0]).all(axis=0)).tolist())
                lost = stack[stack[base + frames.LOST_AT] + block]
                assert lost <= bounds[block] - search.value(search.belief(state, alike))
                noted.append(lost)
            assert common
        return is_last

    monkeypatch.setattr(kernels, "split", split_and_verify)
    monkeypatch.setattr(kernels, "FIRST_NODES", 1)
    store = interpreted_search(rules)
    assert store.beliefs[search.start().number][beliefs.UPPER] == search.upper(search.start())
    assert any(noted)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (2, 2, 1)])
def test_only_whole_blocks_lose(sizes: tuple[int, ...]) -> None:
    """A block with a group that is assigned already, or left out, loses nothing."""
    members = [block for block, size in enumerate(sizes) for _ in range(size)]
    groups, lost = len(members), [10**block for block in range(len(sizes))]
    stack = [0] * frames.HEADER
    stack[frames.GROUPS], stack[frames.BLOCKS] = groups, len(sizes)
    for place, part in [
        (frames.ORDER_AT, [*range(groups)]),
        (frames.BLOCK_AT, members),
        (frames.SIZE_AT, [*sizes]),
        (frames.LOST_AT, lost),
        (frames.COUNT_AT, [0] * len(sizes)),
        (frames.ASSIGNED_AT, [beliefs.UNKNOWN] * groups),
    ]:
        stack[place] = len(stack)
        stack += part
    for free in itertools.product([False, True], repeat=groups):
        for group, is_free in enumerate(free):
            stack[stack[frames.ASSIGNED_AT] + group] = beliefs.UNKNOWN if is_free else 0
        blocks.count_blocks(stack, 0, 0, groups, True)
        remaining = Counter(itertools.compress(members, free))
        whole = [block for block, size in enumerate(sizes) if remaining[block] == size]
        assert blocks.lost_in_blocks(stack, 0) == sum(lost[block] for block in whole)
        for group, block in enumerate(members):
            assert blocks.lost_with(stack, 0, group) == lost[block] * (block in whole)


@pytest.mark.parametrize("rules", [UNLIKE[0], UNLIKE[4], *SYMMETRIC[1:]], ids=repr)
def test_beliefs_forgotten_in_the_middle(rules: hl.Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """If beliefs are forgotten again and again, the value is the same."""
    search = find_optimum(rules)
    monkeypatch.setattr(kernels, "FIRST_NODES", 1)
    game, store, margin, frame = interpreted_start(rules)
    times = 0
    while kernels.advance(game, store, 37, margin, frame) != kernels.DONE:
        times += 1
        before = store.cursor[beliefs.BELIEFS]
        kept = frames.forget(game, store)
        beliefs.rehash(game, store)
        assert kept == store.cursor[beliefs.BELIEFS] <= before
    assert store.beliefs[0][beliefs.UPPER] == search.upper(search.start())
    assert store.cursor[beliefs.FORGOTTEN] > 0
    assert store.cursor[beliefs.AGE] == times


def test_less_memory_than_all_beliefs_need() -> None:
    """Beliefs that were never searched are forgotten, and the search continues."""
    rules = hl.preset("p4-h1-s3-c11-t0-l1")
    roomy, tight = hl.optimum(rules), hl.optimum(rules, memory_limit=20)
    assert tight.value == roomy.value
    assert tight.distribution == roomy.distribution
    assert tight.beliefs > roomy.beliefs, "some were found twice"
    with pytest.raises(TheoryError, match="more than 10 megabytes"):
        hl.optimum(rules, memory_limit=10)


def interpreted_game(rules: hl.Rules) -> Any:
    """Return the tables of a game for kernels as plain Python."""
    return GameTables(*(np.asarray(array).tolist() for array in Search(rules)._game))


def interpreted_search(rules: hl.Rules) -> Any:
    """Find the optimum with kernels as plain Python; return the store."""
    game, store, margin, frame = interpreted_start(rules)
    assert kernels.advance(game, store, 10**6, margin, frame) == kernels.DONE
    return store


def interpreted_start(rules: hl.Rules) -> tuple[Any, Any, int, int]:
    """Return a game and a store with the first belief on the stack, as plain Python, and sizes."""
    search, game = Search(rules), interpreted_game(rules)
    sizes = StoreSizes.of(search._game)
    store: Any = Store(*(np.asarray(array).tolist() for array in sizes.store()))
    store = store._replace(stack=[0] * 40 * sizes.frame)
    state = search.states.get(search.states.start)
    cells = words_of((1 << len(state.deals)) - 1, sizes.words).tolist()
    start = beliefs.find_belief(game, store, state.number, 0, cells, 0)
    kernels.begin(game, store, start, -1)
    return game, store, sizes.margin, sizes.frame


@pytest.mark.parametrize(("sizes", "value"), STUDY.items())
def test_values_of_the_study(sizes: tuple[object, ...], value: Fraction) -> None:
    assert hl.optimum(small_game(*sizes)).value == value


@pytest.mark.parametrize(
    "sizes",
    [
        Sizes(2, 1, 1, (1, 1), 1, 1),
        Sizes(2, 1, 1, (2, 1), 1, 1),
        Sizes(3, 1, 1, (2, 1), 1, 1),
    ],
)
def test_every_joint_policy(sizes: Sizes) -> None:
    best, policies = best_joint_policy(sizes)
    assert policies > 20
    assert hl.optimum(small_game(*sizes)).value == best


@pytest.mark.parametrize(
    "sizes",
    [
        Sizes(2, 1, 1, (1, 1, 1), 1, 2),
        Sizes(2, 1, 2, (1, 1), 0, 1),
        Sizes(2, 1, 3, (1,), 1, 1),
        Sizes(2, 2, 1, (2, 2), 1, 1),
        Sizes(3, 1, 1, (1, 1, 1), 1, 1),
    ],
)
def test_sets_of_whole_decks(sizes: Sizes) -> None:
    assert hl.optimum(small_game(*sizes)).value == best_by_sets_of_decks(sizes)


ALL_DECKS = [
    small_game(2, 1, 2, (2, 1), 0, 1),  # symmetric outcomes lead to one belief, counted twice
    small_game(2, 1, 2, (2, 1), 1, 1),
    small_game(2, 2, 2, (1, 1), 1, 1),
    small_game(3, 1, 2, (1, 1), 1, 2),
    small_game(2, 1, 1, (2, 1, 1), 2, 2),
    small_game(2, 1, 2, (2, 1), 1, 2, token_for_suit=False, keep_score=True, first_player=1),
    small_game(2, 2, 1, (2, 1, 1), 1, 1, empty_hints=True, discard_at_full=True),
]


def scores_of_all_decks(rules: hl.Rules, strategy: Strategy) -> Counter[int]:
    decks = sorted(set(itertools.permutations(card_multiset(rules))))
    return Counter(hl.play(strategy, hl.Deck(rules, deck)).score for deck in decks)


@pytest.mark.parametrize("rules", ALL_DECKS, ids=repr)
def test_all_decks_give_exactly_the_value(rules: hl.Rules) -> None:
    found = hl.optimum(rules)
    scores = scores_of_all_decks(rules, found.strategy)
    assert scores.total() == found.decks
    parts = {score: Fraction(scores[score], found.decks) for score in sorted(scores)}
    assert found.distribution == parts
    assert found.value == sum(score * part for score, part in parts.items())


@pytest.mark.skipif(not GAMES, reason="make optimum-test plays more games")
@pytest.mark.timeout(0)
def test_all_decks_of_stored_games() -> None:
    played = 0
    for line in known_optima().values():
        if line.decks <= MOST_DECKS and played < GAMES:
            scores = scores_of_all_decks(line.game.rules, hl.optimum(line.game.rules).strategy)
            assert Fraction(sum(s * n for s, n in scores.items()), line.decks) == line.value
            played += 1


@pytest.mark.parametrize("rules", ALL_DECKS[:3], ids=repr)
def test_the_optimum_is_between_its_bounds(rules: hl.Rules) -> None:
    found = hl.optimum(rules)
    assert found.value <= found.open_hands <= rules.max_score
    for name in ("random", "iggi", "information"):
        strategy = hl.find_strategy(name)
        if strategy.why_not(rules) is None:
            scores = scores_of_all_decks(rules, strategy)
            mean = Fraction(sum(s * n for s, n in scores.items()), scores.total())
            assert mean <= found.value


def test_more_lives_never_hurt() -> None:
    values = {
        (tokens, lives): hl.optimum(small_game(2, 1, 2, (2, 1), tokens, lives)).value
        for tokens in range(3)
        for lives in range(1, 4)
    }
    for (tokens, lives), value in values.items():
        assert value <= values.get((tokens, lives + 1), 4)


def test_the_strategy_by_its_name() -> None:
    rules = small_game(2, 1, 2, (2, 1), 1, 1)
    named = scores_of_all_decks(rules, hl.find_strategy("optimal"))
    assert named == scores_of_all_decks(rules, hl.optimum(rules).strategy)
    with pytest.raises(StrategyError, match=r"optimal cannot play this: .* public states"):
        hl.simulate("optimal", players=3, games=1)


def test_the_strategy_plays_with_others() -> None:
    """Partners who do not follow the plan never make it fail."""
    rules = small_game(3, 1, 2, (2, 1), 2, 2)
    for other in ("random", "piers"):
        for seed in range(30):
            deck = hl.Deck.shuffled(rules, seed=seed)
            game = hl.play(["optimal", other, "optimal"], deck, seed=seed)
            assert game.is_over


def test_explanations_show_the_public_belief() -> None:
    from hanabilab.table.players import explain_game

    rules = small_game(2, 1, 2, (2, 1), 1, 1)
    game = hl.play("optimal", hl.Deck.shuffled(rules, seed=1))
    sentences = explain_game(game, "optimal")
    assert "the optimal plan, 3.411 points on average from here" in sentences[0]
    assert "of the 14 deals that are possible for all" in sentences[0]


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        (hl.Rules.classic(2), TheoryError, r"too large for an exact optimum: .* public states"),
        (small_game(2, 1, 2, (2, 1), None, 1), RulesError, "limited number, not unlimited"),
        (small_game(2, 1, 2, (2, 1), 1, 1, deck_ends=False), RulesError, "draw pile"),
        (small_game(2, 1, 2, (2, 1), 1, 1, open_game=True), RulesError, "open game"),
        (
            small_game(2, 1, 2, (2, 1), 1, 1, touching=("plain", "rainbow")),
            RulesError,
            "rainbow suits",
        ),
    ],
)
def test_rules_that_are_rejected(rules: hl.Rules, error: type[HanabiError], message: str) -> None:
    with pytest.raises(error, match=message):
        hl.optimum(rules)


def test_the_limit_of_beliefs() -> None:
    with pytest.raises(TheoryError, match="more than 100 beliefs"):
        hl.optimum(small_game(2, 1, 2, (2, 1), 1, 1), beliefs=100)


def test_compiled_equals_interpreted() -> None:
    rules = small_game(2, 1, 2, (1, 1), 1, 1)
    search, store = find_optimum(rules), interpreted_search(rules)
    found = search.save()
    assert store.cursor == found["cursor"].tolist()
    assert store.beliefs[: search.beliefs] == found["beliefs"].tolist()
    assert store.plans[: len(found["plans"])] == found["plans"].tolist()


def test_a_search_stopped_by_a_limit_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hanabilab.solver.optimum.search.SLICE", 100)
    rules, file = small_game(2, 1, 2, (2, 1), 1, 1), tmp_path / "search.npz"
    with pytest.raises(TheoryError, match="more than 300 beliefs"):
        hl.optimum(rules, beliefs=300, checkpoint=file)
    stored = np.load(file)["beliefs"]
    solved = {tuple(row): row[beliefs.UPPER] for row in stored if row[beliefs.EXACT]}
    assert len(solved) > 20
    found = hl.optimum(rules, checkpoint=file)
    assert found.value == Fraction(307, 90)
    again = np.load(file)["beliefs"][: len(stored)]
    assert {tuple(row) for row in again} >= set(solved)
    steps = int(np.load(file)["cursor"][beliefs.STEPS])
    assert hl.optimum(rules, checkpoint=file).value == found.value
    assert int(np.load(file)["cursor"][beliefs.STEPS]) == steps


def test_ctrl_c_stores_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hanabilab.solver.optimum.search.SLICE", 100)
    monkeypatch.setattr(optimum_module, "SAVE_SECONDS", -1.0)
    rules, file = small_game(2, 1, 2, (2, 1), 1, 1), tmp_path / "search.npz"
    save, saved = optimum_module._save_search, []

    def interrupt(search: Search, path: Any) -> None:
        save(search, path)
        saved.append(search.beliefs)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(optimum_module, "_save_search", interrupt)
    with pytest.raises(KeyboardInterrupt):
        hl.optimum(rules, checkpoint=file)
    assert len(saved) == 4, "twice during the search, at the interruption and at the end"
    assert hl.optimum(rules, checkpoint=file).value == Fraction(307, 90)


def test_checkpoints_that_are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "search.npz"
    hl.optimum(small_game(2, 1, 1, (1, 1), 1, 1), checkpoint=file)
    with pytest.raises(HanabiError, match=r"folder .* does not exist"):
        hl.optimum(small_game(2, 1, 1, (1, 1), 1, 1), checkpoint=tmp_path / "none" / "search.npz")
    with pytest.raises(FormatError, match="another game"):
        hl.optimum(small_game(2, 1, 1, (1, 1), 1, 2), checkpoint=file)
    file.write_text("nothing", encoding="utf-8")
    with pytest.raises(FormatError, match="not a checkpoint"):
        hl.optimum(small_game(2, 1, 1, (1, 1), 1, 1), checkpoint=file)


def test_the_memory_limit() -> None:
    with pytest.raises(TheoryError, match="more than 1 megabytes"):
        hl.optimum(small_game(2, 2, 2, (2, 1), 1, 1), memory_limit=1)


def test_unlimited_lives_are_more_than_can_be_lost() -> None:
    unlimited = hl.optimum(small_game(2, 1, 2, (2, 1), 1, None)).value
    assert unlimited == hl.optimum(small_game(2, 1, 2, (2, 1), 1, 6)).value
