"""The variants of hanab.live: all are known, most are played, the others say what they need."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
from collections import Counter

import pytest

from hanabilab import Deck, Game, preset, simulate
from hanabilab.core.bits import members
from hanabilab.errors import HanabiError, RulesError
from hanabilab.formats.describe import describe_event
from hanabilab.formats.hanablive import live_from_dict, to_live_dict
from hanabilab.formats.hanablive.options import colours_of, variant_of
from hanabilab.game.actions import PLAY, Event, effect_of
from hanabilab.game.deck import card_multiset
from hanabilab.game.rules_record import rules_of
from hanabilab.game.state import View, initial_state, view_of
from hanabilab.game.turn import conceal_event
from hanabilab.game.variants import Variant, all_variants, find_variants, hints_of, variant_by_name
from hanabilab.strategies import find_strategy
from hanabilab.strategies.search.replay import number_of
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Memory
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import play
from tests.site_rules import clue_colours, touches
from tests.tables import choose, picture, picture_of, random_deck, reference_of
from tests.test_engine import play_beside_reference
from tests.test_malformed import Command

VARIANTS = all_variants()
LONG = "HANABILAB_VARIANTS" in os.environ
"""Whether to play 60 games of each, and every variant, instead of a sample."""


def test_how_many_there_are() -> None:
    assert len(all_variants()) == 2426


def test_names_tell_the_number_of_suits() -> None:
    assert len({variant.name for variant in all_variants()}) == 2426
    for variant in all_variants():
        count = re.search(r"(\d) Suits\)?$", variant.name)
        assert count is None or len(variant.suits) == int(count[1])


def test_suits_have_the_names_of_the_site() -> None:
    for variant in VARIANTS if LONG else VARIANTS[::5]:
        names = preset(variant.name).names
        assert names.suits == tuple(name.removesuffix(" EA").lower() for name in variant.suit_names)
    tomato = preset("Ambiguous (6 Suits)", 2, first_player=1).names
    assert (tomato.words(2), tomato.card(2), tomato.hints[0]) == ("tomato 3", "t3", "red")
    game = Game(preset("Odds and Evens (5 Suits)", 2))
    assert "tells player 1: odd (" in describe_event(game.act("hint 1 1"), game.state.rules)


def sampled(count: int) -> list[Variant]:
    """Some supported variants, always the same ones: one of each set of switches, then any."""
    one_each = {",".join(v.switches): v for v in VARIANTS}
    return [*one_each.values(), *random.Random(20).sample(VARIANTS, count - len(one_each))]


def test_hints_touch_what_the_names_say() -> None:
    for variant in sampled(200):
        rules, suits = preset(variant.name), variant.suit_names
        hints, places = hints_of(rules), colours_of(rules)
        assert len(places) == len(clue_colours(suits))
        told = {places.index(bit): bit for bit in members(hints.all) if bit < rules.suits}
        for suit in range(rules.suits):
            for rank in range(1, 8):
                card = rules.card_of(suit, rank)
                if card is None:
                    continue
                touching = hints.of_card[card]
                for value, bit in told.items():
                    expected = touches(variant.name, suits, 2, value, suit, rank)
                    assert bool(touching >> bit & 1) == expected, (variant, suit, rank, value)
                for bit in range(rules.suits, hints.all.bit_length()):
                    if hints.all >> bit & 1:
                        value = bit - rules.suits + 1
                        expected = touches(variant.name, suits, 3, value, suit, rank)
                        assert bool(touching >> bit & 1) == expected, (variant, suit, rank, value)


def test_which_hints_exist() -> None:
    known = {
        "Color Mute (5 Suits)": ("", "12345"),
        "Number Mute (5 Suits)": ("rygbp", ""),
        "Totally Blind (3 Suits)": ("rgb", "12345"),
        "Null-Ones (3 Suits)": ("rgb", "2345"),
        "White-Fives (3 Suits)": ("rgb", "12345"),
        "Dual-Color (6 Suits)": ("rybk", "12345"),
        "Special Mix (5 Suits)": ("kin", "12345"),
        "Rainbow & Pink (5 Suits)": ("rgbi", "12345"),
        "Deceptive-Ones (3 Suits)": ("rgb", "2345"),
        "Deceptive-Fives (6 Suits)": ("rygbpt", "1234"),
        "Odds and Evens (3 Suits)": ("rgb", "12"),
        "Funnels (3 Suits)": ("rgb", "12345"),
        "Synesthesia (4 Suits)": ("rygb", ""),
    }
    for name, (colours, ranks) in known.items():
        game = Game(preset(name, 2, empty_hints=True))
        hints = [a for a in game.legal_actions() if a.type.startswith("hint")]
        letters = game.rules.hint_letters
        suits = "".join(letters[a.value] for a in hints if a.type == "hint_suit")
        found = "".join(str(a.value) for a in hints if a.type == "hint_rank")
        assert (suits, found) == (colours, ranks)


def test_variants_are_played_as_the_other_engine_does() -> None:
    chance = random.Random(3)
    for variant in sampled(200):
        rules = preset(variant.name, chance.randint(2, 6))
        deck = Deck.shuffled(rules, seed=chance.randrange(1000))
        game, reference = Game(rules, deck), reference_of(deck)
        while not game.is_over:
            number = choose(game, chance)
            event = game.act(number)
            happening = reference.move(reference.actions()[number])
            assert event.touched == sum(1 << slot for slot in happening.touched)
            assert event.token == happening.token
        assert picture(game) == picture_of(reference)
        assert rules_of(game.state.rules) == rules == rules_of(initial_state(rules).rules)
        assert variant_of(rules) == variant == variant_of(rules.replace(first_player=1))


NEW_SWITCHES = {
    "deceptive ranks": r"Deceptive",
    "odds and evens": r"Odds and Evens",
    "funnels": r"Funnels",
    "chimneys": r"Chimneys",
    "synesthesia": r"Synesthesia",
    "inverted suits": r"Orange",
    "alternating hints": r"Alternating",
    "reversed suits": r"Reversed",
    "up or down": r"Up or Down",
    "sudoku": r"Sudoku",
    "throw it in a hole": r"Hole",
    "cow and pig": r"Cow",
    "duck": r"Duck",
}


@pytest.mark.parametrize("rule", NEW_SWITCHES)
def test_each_rule_of_the_site_against_the_other_engine(rule: str) -> None:
    chance = random.Random(rule)
    fitting = [variant for variant in VARIANTS if re.search(NEW_SWITCHES[rule], variant.name)]
    for _ in range(60 if LONG else 2):
        rules = preset(chance.choice(fitting).name, chance.randint(2, 6))
        if chance.random() < 0.3:
            rules = rules.replace(lives=None)  # longer games
        play_beside_reference(random_deck(rules, chance), chance)


def test_cards_of_inverted_suits_are_played_by_discarding() -> None:
    rules = preset("Orange (3 Suits)", 2)
    cards = [rules.letters.index("o") * 5 + rank for rank in (0, 1, 4)]
    rest = list((Counter(card_multiset(rules)) - Counter(cards)).elements())
    game = Game(rules, Deck.of(rules, [*cards, *rest]))
    words = [describe_event(game.act("discard 0"), game.state.rules)]
    assert (game.fireworks["o"], game.score, game.hint_tokens) == (1, 1, 8)
    game.act("hint 0 1" if game.rules.rank_hints == "usual" else "hint 0 o")
    words.append(describe_event(game.act("play 1"), game.state.rules))
    assert game.lives == 3  # a 5 on a 1 was no misplay
    assert words == [
        "player 0 discards slot 0: o1 lights",
        "player 0 plays slot 1: o5 is discarded, a hint token comes back",
    ]
    live = game.live_actions()
    assert [action.type for action in live] == [0, 3, 1]  # the site records the effects
    assert Game.read(game.link()) == game


@pytest.mark.parametrize("last", ["o1", "r1"])
def test_the_last_card_is_played_or_discarded_from_the_draw_pile(last: str) -> None:
    """At hanab.live both buttons take it, and what is recorded is the effect."""
    rules = preset("Orange (3 Suits)", 2, deck_plays=True, lives=None, score_ends=False)
    card = next(card for card in range(rules.kinds) if rules.card_name(card) == last)
    rest = list((Counter(card_multiset(rules)) - Counter([card])).elements())
    game = Game(rules, Deck.of(rules, [*rest, card]))
    while game.state.draw_pile > 1:
        game.act("discard 4")
    for words in ("play 5", "discard 5"):
        after = game.copy()
        before = after.state.copy()
        event = after.act(words)
        assert event.card == card
        played = (words == "play 5") == (last == "r1")
        assert effect_of(event, after.state.rules) == int(played)
        assert number_of(view_of(after.state, 0), event) == after.actions[-1].number(before)
        live = after.live_actions()
        assert live[-1][:2] == (0 if played else 1, rules.deck_size - 1)
        found = live_from_dict(to_live_dict(after.deck, live, {}))
        assert found.actions[-1] == after.actions[-1].to_dict(event.player)
    with pytest.raises(HanabiError):
        Game(preset("3 Suits", 2, deck_plays=True), seed=1).act("discard 5")


def test_reversed_suits_begin_with_the_highest_rank() -> None:
    rules = preset("Rainbow Reversed (5 Suits)", 2)
    suit = rules.letters.index("m")
    five, one = rules.card_of(suit, 5), rules.card_of(suit, 1)
    deck = list(Deck.shuffled(rules, seed=3))
    game = Game(rules, Deck.of(rules, deck))
    assert five is not None
    assert game.state.playable >> five & 1
    assert one is not None
    assert not game.state.playable >> one & 1
    assert Counter(deck)[five] == 3
    assert rules.card_name(five) == "m5"
    assert Game.read(game.link()).deck == game.deck


def test_hints_alternate() -> None:
    game = Game(preset("Alternating Clues (5 Suits)", 2), seed=1)
    first = next(a for a in game.legal_actions() if a.type == "hint_suit")
    game.act(first)
    kinds = {a.type for a in game.legal_actions()}
    assert kinds == {"play", "discard", "hint_rank"}
    game.act("discard 0")
    assert "hint_suit" not in {a.type for a in game.legal_actions()}
    with pytest.raises(HanabiError, match="the last hint was a suit hint too"):
        game.act(first)


def test_played_cards_stay_hidden_in_a_hole() -> None:
    """Views, and events shown to players, tell nothing of what became of a played card."""
    rules = preset("Throw It in a Hole (5 Suits)", 2)
    deck = Deck.shuffled(rules, seed=2)
    game = Game(rules, deck)
    fits = next(slot for slot in range(5) if game.state.playable >> deck[slot] & 1)
    event = game.act(f"play {fits}")
    assert (event.lit, game.score) == (1, 1)
    misplayed = next(slot for slot in range(5) if not game.state.playable >> deck[5 + slot] & 1)
    other = game.act(f"play {misplayed}")
    shown = [view_of(game.state, player) for player in range(2)]
    for view in shown:
        assert (view.score, view.lives, view.played, view.playable) == (0, 3, 0, 0)
        assert view.left == view.rules.copies
        assert not any(view.discarded)
        assert not any(view.fireworks)
    for each in (event, other):
        conceal_event(each, game.state.rules)
        assert (each.card, each.lit) == (63, 0)
    assert describe_event(other, game.state.rules) == (
        f"player 1 plays slot {misplayed}: a card that stays hidden"
    )


def test_ducks_and_cows_tell_less() -> None:
    for name, words in {"Duck (5 Suits)": "something", "Cow & Pig (5 Suits)": "a rank"}.items():
        game = Game(preset(name, 2), seed=4)
        plain = Game(preset("No Variant", 2), Deck.of(preset("No Variant", 2), game.deck))
        hint = next(a for a in game.legal_actions() if a.type == "hint_rank")
        event = game.act(hint)
        plain.act(hint)
        for slot in range(5):
            vague, exact = game.state.possible[1][slot], plain.state.possible[1][slot]
            assert vague & exact == exact
        assert game.state.possible[1] != plain.state.possible[1]
        conceal_event(event, game.state.rules)
        told = describe_event(event, game.state.rules)
        assert told.startswith(f"player 0 tells player 1: {words} (")


class Seen(Memory):
    """What a player saw."""

    cards: int
    lit: int
    values: int
    score: int


def watch(view: View, event: Event, memory: Seen) -> None:
    """Note all that should stay hidden."""
    memory.cards += int(event.kind == 1 and event.card != 63)
    memory.lit += event.lit
    memory.values += int(event.kind > 1 and event.value != 63 and event.player != view.observer)
    memory.score += view.score if view.end == 0 else 0


@pytest.mark.parametrize("name", ["Throw It in a Hole (4 Suits)", "Duck (5 Suits)"])
def test_strategies_are_not_told_either(name: str) -> None:
    """The driver of seats hands out concealed views and events."""
    rules = preset(name, 2)
    spy = dataclasses.replace(
        find_strategy("random"), name="spy", observe=watch, memory=Seen, observed_kinds=31
    )
    seat = Seat.in_game(spy, 0, 1, 0)
    game, chance = Game(rules, seed=1), random.Random(5)
    while not game.is_over:
        event = game.act(choose(game, chance))
        seat.observe(game.state, event)
    seen = seat.memory
    assert isinstance(seen, Seen)
    if rules.hidden_plays:
        assert (seen.cards, seen.lit, seen.score) == (0, 0, 0)
    else:
        assert seen.values == 0


@pytest.mark.parametrize("part", range(4))
def test_every_variant_is_dealt_and_played(part: int) -> None:
    random_player = find_strategy("random")
    for variant in VARIANTS[part :: 4 if LONG else 16]:
        rules = Deck.from_seed(f"p{2 + variant.id % 5}v{variant.id}s1").rules
        (row,) = play_chunk(rules, [random_player] * rules.players, 1, variant.id, 1)
        assert 0 <= row[0] <= rules.max_score
        assert row[3] > 0


def test_blind_hints_may_be_given_and_tell_nothing() -> None:
    game = Game(preset("Color Blind (5 Suits)", 2))
    event = game.act("hint 1 r")
    assert (event.touched, game.hint_tokens) == (0, 7)
    assert len(game.knowledge(1)[0].possible) == len(game.knowledge(1)[4].possible)


def test_two_discards_give_a_token() -> None:
    game = Game(preset("Clue Starved (5 Suits)", 2))
    for _ in range(2):
        game.act(next(a for a in game.legal_actions() if a.type == "hint_rank"))
    tokens = []
    for _ in range(4):
        game.act("discard 0")
        tokens.append(game.hint_tokens)
    assert tokens == [6, 7, 7, 8]
    with pytest.raises(HanabiError, match="all 8 hint tokens are there"):
        game.act("discard 0")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Blue Reversed (5 Suits)", "did you mean"),
        ("Rainbow (7 Suits)", "did you mean Rainbow (6 Suits)?"),
        ("x" * 300, "unknown preset 'x{76}..."),
    ],
)
def test_what_cannot_be_played_says_why(command: Command, name: str, words: str) -> None:
    words = words.replace("x{76}", "x" * 76)
    code, out, err = command("play", "cheat", "--rules", name)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    with pytest.raises(RulesError):
        preset(name)


def test_names_are_found_in_any_case() -> None:
    assert preset("rainbow (6 SUITS)", 3) == preset("Rainbow (6 Suits)", 3)
    assert preset("no variant").preset == "No Variant"
    assert variant_by_name("PRISM (5 suits)") == find_variants("1465")[0]


def test_the_command(command: Command) -> None:
    code, out, err = command("variants", "clue", "STARVED", "--json")
    found = json.loads(out)
    assert (code, err, len(found)) == (0, "", 22)
    assert found[0].keys() == {"id", "name", "suits", "supported", "missing"}
    assert all(each["supported"] and each["missing"] is None for each in found)
    assert {"id": 16, "name": "Rainbow (5 Suits)"}.items() <= json.loads(
        command("variants", "16", "--json")[1]
    )[0].items()
    assert len(json.loads(command("variants", "--json")[1])) == 2426
    assert "Prism (5 Suits)" in command("variants", "prism")[1]
    code, out, err = command("variants", "rainbw (6 suits)")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "did you mean Rainbow (6 Suits)?" in err
    assert "did you mean Prism?" in command("variants", "prsim")[2]


def test_the_command_says_who_plays(command: Command) -> None:
    code, out, err = command("variants", "White (5 suits)", "--strategies")
    assert (code, err) == (0, "")
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "hatter 3-6" in rows
    assert "duo 2" in rows
    assert any(row.startswith("information - it must be able to give a suit hint") for row in rows)
    (found,) = json.loads(command("variants", "Duck (5 Suits)", "--strategies", "--json")[1])
    assert found["strategies"]["piers"] == [2, 3, 4, 5, 6]
    assert "hints_tell" in found["strategies"]["search:blueprint=piers"]


TRUTHFUL = {"random", "piers", "iggi", "rule-based", "flawed", "cheat", "monte-carlo"}
"""Strategies that play wherever views tell the truth about cards and fireworks."""


def test_which_variants_strategies_play() -> None:
    """All names are asked for, by one number of players each."""
    plays: Counter[str] = Counter()
    wanted = {name: find_strategy(name) for name in (*TRUTHFUL, "hatter", "conventions", "search")}
    wanted["search:blueprint=piers"] = find_strategy("search:blueprint=piers")
    for variant in VARIANTS:
        rules = preset(variant.name, 3 + variant.id % 4)
        plays.update(name for name, each in wanted.items() if not each.why_not(rules))
    assert [name for name in TRUTHFUL if plays[name] != 2426 - 44 * (name != "random")] == []
    assert plays["search:blueprint=piers"] == 2426 - 44 - 8
    assert plays["hatter"] == plays["search"] >= 1942
    assert plays["conventions"] == 2426 - 266 - 44 - 8 - 66 + 6 + 4


def test_rule_agents_and_hats_play_special_variants() -> None:
    """Compiled games on all names in the long run, on a sample otherwise; they do score."""
    sample = VARIANTS if LONG else sampled(120)
    shares: dict[str, list[float]] = {"piers": [], "hatter": [], "conventions": [], "flawed": []}
    for variant in sample:
        rules = preset(variant.name, 3 + variant.id % 3)
        for name, share in shares.items():
            player = find_strategy(name)
            if not player.why_not(rules):
                (row,) = play_chunk(rules, [player] * rules.players, 3, variant.id, 1)
                share.append(row[0] / rules.max_score)
    means = {name: sum(share) / len(share) for name, share in shares.items()}
    assert means["hatter"] > 0.85
    assert means["conventions"] > 0.7
    assert means["piers"] > 0.4
    assert means["flawed"] < 0.1


def test_players_who_play_only_what_is_certain_never_misplay() -> None:
    """What views say about cards is true wherever `iggi` plays, unless the suit is a gamble."""
    iggi = find_strategy("iggi")
    for variant in VARIANTS[:: 4 if LONG else 80]:
        rules = preset(variant.name, 2 + variant.id % 3)
        if iggi.why_not(rules) or rules.inverted_suits:
            continue
        game = play(iggi, Deck.shuffled(rules, seed=variant.id), seed=1)
        assert not [event for event in game.events if event.kind == PLAY and not event.lit]


def test_rules_that_contradict_themselves() -> None:
    for changes in (
        {"touching": "green"},
        {"touching": "+ry"},
        {"colours": "ry", "touching": "plain"},
        {"colours": "rr", "touching": "+r"},
        {"colours": "ry", "touching": "rainbow+r"},
        {"rank_touching": "prism"},
        {"rank_touching": ("null", "plain")},
        {"suit_hints": "deaf"},
        {"first_player": 2},
        {"discards_per_token": 0},
        {"deck_plays": True, "hand_size": 10},
        {"suits": 12, "ranks": 2, "rank_touching": ("null", "prism")},
        {"suits": 20, "ranks": 2, "touching": "rainbow"},
    ):
        with pytest.raises(RulesError):
            preset("classic", 2, **changes)


def test_strategies_that_know_all_hints_play_every_kind_of_variant() -> None:
    """Also where no hint is possible and no card may be discarded."""
    chance = random.Random(8)
    for variant in chance.sample(VARIANTS, 8):
        players = chance.randint(2, 6)
        compiled, interpreted = (
            simulate("cheat", players, games=3, seed=1, rules=variant.name, compiled=each)
            for each in (True, False)
        )
        same = (compiled.histogram, compiled.turns) == (interpreted.histogram, interpreted.turns)
        assert same, variant
    hopeless = preset("Totally Blind (3 Suits)", 2, suit_hints="mute", rank_hints="mute")
    assert simulate("cheat", games=3, seed=1, rules=hopeless).games == 3
