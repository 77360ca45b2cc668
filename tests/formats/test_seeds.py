"""Seeds of hanab.live, down to the generator of Go."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hanabilab as hl
from hanabilab.core.go_random import LENGTH, TAP, GoRandom, _power_of_x
from hanabilab.errors import DeckError, HanabiError, RulesError
from hanabilab.game.deck import card_multiset, crc64, is_seed
from hanabilab.game.variants import Variant, all_variants
from tests.test_malformed import Command, refused

P2V0S1 = (
    "b5 p4 b3 r4 g1 b3 b1 r1 g2 g4 r2 b2 g2 p1 r2 r1 b1 y3 y4 r1 y4 g4 p2 p3 p1 "
    "r4 g5 y2 p1 y1 y5 y1 g3 r5 p3 y2 b1 g3 y3 b4 y1 r3 b4 r3 g1 b2 g1 p4 p5 p2"
)


def test_the_checksum() -> None:
    assert crc64(b"123456789") == 0x995DC9BBDF1939FA
    assert crc64(b"") == 0


def test_the_numbers_of_go() -> None:
    rng = GoRandom(1)
    numbers = [rng.int63() for _ in range(3)]
    assert numbers == [5577006791947779410, 8674665223082153551, 6129484611666145821]
    rng = GoRandom(1)
    assert [rng.below(100) for _ in range(10)] == [81, 87, 47, 59, 81, 18, 25, 40, 56, 0]


def test_the_seed_counts_modulo_a_prime_and_zero_stands_for_another() -> None:
    prime = (1 << 31) - 1
    for one, other in ((5, 5 + prime), (-3, prime - 3), (0, 89_482_311), (0, prime)):
        assert GoRandom(one).uint64() == GoRandom(other).uint64()


def test_the_generator_goes_round_its_memory() -> None:
    """Two rounds against the bare recurrence."""
    rng = GoRandom(7)
    start = rng._words[:]
    past = [start[(LENGTH - TAP + LENGTH - 1 - place) % LENGTH] for place in range(LENGTH)]
    for _ in range(2 * LENGTH):
        past.append((past[-LENGTH] + past[-TAP]) % (1 << 64))
        assert rng.uint64() == past[-1]


@pytest.mark.parametrize("steps", [0, 1, 606, 607, 5000])
def test_the_jump_ahead_equals_stepping(steps: int) -> None:
    sequence = [int(number) for number in np.random.default_rng(1).integers(1 << 62, size=LENGTH)]
    while len(sequence) <= steps + LENGTH:
        sequence.append((sequence[-LENGTH] + sequence[-TAP]) % (1 << 64))
    power = _power_of_x(steps).tolist()
    jumped = sum(c * y for c, y in zip(power, sequence, strict=False)) % (1 << 64)
    assert jumped == sequence[steps]


def test_known_decks() -> None:
    assert str(hl.Deck.from_seed("p2v0s1")) == P2V0S1
    assert str(hl.Deck.from_seed("p3v0s1")).startswith("g3 g3 b1 y3 r5 p4 g1 p5 r4 r2 ")


@pytest.mark.parametrize("variant", all_variants()[::97], ids=lambda variant: variant.name)
def test_every_variant_deals_its_cards(variant: Variant) -> None:
    for players in range(2, 7):
        deck = hl.Deck.from_seed(f"p{players}v{variant.id}sx")
        assert deck.rules == hl.preset(variant.name, players)
        assert sorted(deck) == sorted(card_multiset(deck.rules))
        ranks = {rank for label in deck.rules.names.labels for rank in label}
        assert set(str(deck)) == {*variant.letters, *ranks, " "}


def test_the_numbers_of_variants() -> None:
    """As the site gives them."""
    known = {"No Variant": 0, "6 Suits": 1, "Black (6 Suits)": 2, "Rainbow (6 Suits)": 3}
    known |= {"Dark Rainbow (6 Suits)": 11, "White (6 Suits)": 13, "Rainbow (5 Suits)": 16}
    known |= {"Black (5 Suits)": 21, "White (5 Suits)": 22, "Dark Rainbow (5 Suits)": 23}
    known |= {"Gray (5 Suits)": 58, "Gray (6 Suits)": 59, "Brown (6 Suits)": 69}
    known |= {"Brown (5 Suits)": 70, "Dark Brown (6 Suits)": 89, "Dark Brown (5 Suits)": 90}
    known |= {"Pink (6 Suits)": 106, "Pink (5 Suits)": 107, "Dark Pink (6 Suits)": 137}
    known |= {"Dark Pink (5 Suits)": 138}
    known |= {"Omni-Ones & White (6 Suits)": 458, "Up or Down (6 Suits)": 40}
    numbers = {variant.name: variant.id for variant in all_variants()}
    assert {name: numbers[name] for name in known} == known


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20))
def test_any_suffix_is_a_seed(suffix: str) -> None:
    deck = hl.Deck.from_seed(f"p4v0s{suffix}")
    assert deck == hl.read_deck(f"p4v0s{suffix}", hl.preset("classic", 4))


def test_a_suffix_that_is_no_text() -> None:
    with pytest.raises(DeckError, match="character 7 is not text"):
        hl.Deck.from_seed("p4v0sa\ud800")


@pytest.mark.parametrize(
    ("seed", "place"),
    [
        ("p1v0s1", "2 to 6"),
        ("p7v0s1", "2 to 6"),
        ("p22v0s1", "2 to 6"),
        ("p2v2426s1", "variant 2426"),
        ("p2v" + "9" * 5000 + "s1", "variant 999"),
        ("p2v0s", "form"),
        ("p2v0", "form"),
        ("", "form"),
        ("p2v0s" + "x" * 100_000, "form"),
        ("p٣v0s1", "form"),
    ],
)
def test_what_is_no_seed(command: Command, seed: str, place: str) -> None:
    with pytest.raises(HanabiError, match=place):
        hl.Deck.from_seed(seed)
    refused(command("deck", seed))
    refused(command("deck", seed, "--json"))


def test_a_seed_is_not_mistaken_for_cards() -> None:
    assert is_seed("p2v0s1")
    assert not is_seed("p1 p2")
    assert not is_seed(P2V0S1)


def test_the_command(command: Command) -> None:
    assert command("deck", "p2v0s1") == (0, P2V0S1 + "\n", "")
    code, out, err = command("deck", "p2v0s1", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"seed": "p2v0s1", "players": 2, "deck": P2V0S1}


def test_a_seed_wherever_a_deck_is_read(command: Command, tmp_path: Path) -> None:
    deck = hl.Deck.from_seed("p3v0s17")
    assert hl.Game(deck="p3v0s17").deck == deck
    assert hl.Game("thesis", "p3v0s17").rules == hl.preset("thesis", 3)
    assert hl.play("cheat", "p3v0s17").deck == deck
    answer = hl.solve("p3v0s17")
    assert answer.winnable == hl.solve(deck).winnable
    played = json.loads(command("play", "cheat", "--deck", "p3v0s17", "--json")[1])
    assert (played["players"], played["deck"]) == (3, str(deck))
    assert command("pace", "--deck", "p3v0s17")[0] == 0
    file = tmp_path / "decks"
    file.write_text('p3v0s17\n{"deck": "p2v0s1"}\n' + P2V0S1 + "\n")
    code, out, _ = command("solve", file, "--json")
    assert (code, len(out.splitlines())) == (0, 3)
    first, second, third = (json.loads(line)["actions"] for line in out.splitlines())
    assert first == answer.actions
    assert second == third


def test_a_seed_and_other_players_contradict_each_other(command: Command) -> None:
    with pytest.raises(DeckError, match="for 3 players, not 2"):
        hl.Game(hl.preset("classic", 2), "p3v0s17")
    with pytest.raises(RulesError, match="for 3 players, not 2"):
        hl.Game(deck="p3v0s17", players=2)
    for name in ("play cheat", "solve", "pace"):
        answer = command(*name.split(), "--deck", "p3v0s17", "--players", "4")
        refused(answer)
        assert "for 3 players, not 4" in answer[2]
    refused(command("play", "cheat", "--deck", "p3v3s17", "--rules", "thesis"))


def test_single_rules_can_be_changed_for_a_seed(command: Command) -> None:
    for seed in ("p3v0s17", "p3v3s17"):
        answer = command("play", "cheat", "--deck", seed, "--set-rule", "lives=1", "--json")
        assert json.loads(answer[1])["deck"] == str(hl.Deck.from_seed(seed))


def test_purple_and_white_are_the_fifth_suit() -> None:
    here = hl.read_deck(P2V0S1, hl.preset("classic", 2))
    there = hl.read_deck(P2V0S1.replace("p", "w"), hl.preset("No Variant", 2))
    assert here.cards == there.cards == hl.Deck.from_seed("p2v0s1").cards
    assert str(here) == P2V0S1.replace("p", "w")
    assert str(there) == P2V0S1
    with_white = hl.preset("White (6 Suits)", 2)
    assert hl.Action.from_text("hint 1 w", with_white).value == 5
    assert hl.Action.from_text("hint 1 p", with_white).value == 4
