"""Rules: the presets as the papers have them, and clear errors for impossible ones."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hanabilab as hl
from hanabilab import Rules, preset
from hanabilab.errors import ActionError, HanabiError, RulesError
from hanabilab.game.rules import PRESETS
from tests.tables import SPECIAL, SWITCHES, UNUSUAL, random_rules

CLASSIC = (3, 2, 2, 2, 1)
TABLE = {
    # preset: the switches in the order of `tests.tables.SWITCHES`
    "classic": (False, True, False, False, False, True, False),
    "thesis": (True, True, False, False, False, True, False),
    "thesis-program": (True, False, True, False, True, True, False),
    "aspects": (True, False, False, False, False, True, False),
    "cox": (False, True, True, False, False, True, False),
    "cox-program": (False, True, True, True, False, True, False),
    "hle": (False, True, False, False, False, True, False),
    "rainbow-german": (False, True, False, False, False, True, False),
    "rainbow-dutch": (False, True, False, False, False, True, False),
    "open": (False, True, False, False, False, True, True),
}
HANDS = {2: 5, 3: 5, 4: 4, 5: 4, 6: 3}


def test_presets_are_those_of_the_table() -> None:
    assert list(PRESETS) == list(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_preset(name: str) -> None:
    for players in PRESETS[name].hands:
        rules = preset(name, players)
        assert rules.players == players
        assert rules.hand_size == HANDS[players]
        switches = tuple(getattr(rules, switch) for switch in SWITCHES)
        others = len(SWITCHES) - len(TABLE[name])  # options of hanab.live, which no preset has
        assert switches == TABLE[name] + (False,) * others
        assert rules.ranks == 5
        assert rules.suits == (6 if name.startswith("rainbow") else 5)
        assert rules.copies[:5] == (CLASSIC,) * 5
        assert rules.hint_tokens == 8
        assert rules.lives == (4 if name == "cox-program" else 3)
        assert rules.preset == name
        assert rules.to_dict() == name
        assert Rules.from_dict(name, players) == rules
        assert PRESETS[name].source


def test_sizes() -> None:
    assert preset("classic").deck_size == 50
    assert preset("rainbow-german").deck_size == 60
    assert preset("rainbow-dutch").deck_size == 55
    assert preset("rainbow-dutch").copies[5] == (1, 1, 1, 1, 1)
    assert preset("rainbow-german").max_score == 30
    assert hl.Rules.classic(players=6).hand_size == 3
    assert {name: preset(name).players for name in ("thesis", "cox", "aspects")} == {
        "thesis": 3,
        "cox": 5,
        "aspects": 3,
    }
    for name in ("thesis", "cox", "hle", "aspects"):
        with pytest.raises(RulesError, match=f"^players: {name} is for 2 to 5 players, not 6"):
            preset(name, 6)


def test_changed_presets_lose_their_name() -> None:
    assert preset("hle", 3, lives=2).preset is None
    assert preset("hle", 3, lives=3).preset == "hle"
    assert preset("hle", 3, hand_size=4).preset is None
    assert preset("hle", 7, hand_size=3).preset is None
    assert preset("hle", 3).replace(lives=3).preset == "hle"
    assert preset("hle", 3).replace(lives=1).preset is None
    assert preset("classic", 3) == preset("hle", 3)


def test_copies_may_be_given_once() -> None:
    once = Rules(players=2, hand_size=2, ranks=2, suits=3, copies=(2, 1))  # type: ignore[arg-type]
    assert once.copies == ((2, 1),) * 3
    assert once == Rules(players=2, hand_size=2, ranks=2, suits=3, copies=((2, 1),))
    assert preset("classic", 2, ranks=3).copies == ((3, 2, 1),) * 5
    assert preset("classic", 2, suits=2).copies == (CLASSIC,) * 2
    assert preset("classic", 2, ranks=1, suits=7, hand_size=1).copies == ((3,),) * 7


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("players", {"players": 0}),
    ("players", {"players": -2}),
    ("players", {"players": 11, "hand_size": 1}),
    ("players", {"players": 2.0}),
    ("players", {"players": True}),
    ("players", {"players": "3"}),
    ("players", {"players": [2], "hand_size": 3}),
    ("players", {"players": 7}),
    ("hand_size", {"hand_size": 0}),
    ("hand_size", {"hand_size": 11}),
    ("hand_size", {"hand_size": False}),
    ("hand_size", {"players": 6, "hand_size": 9}),
    ("ranks", {"ranks": 0}),
    ("ranks", {"ranks": "many"}),
    ("ranks", {"ranks": 10**30}),
    ("suits", {"suits": 0}),
    ("suits", {"suits": None}),
    ("suits", {"suits": 13}),
    ("copies", {"ranks": 3, "copies": [1, 2]}),
    ("copies", {"copies": []}),
    ("copies", {"copies": "32221"}),
    ("copies", {"copies": 3}),
    ("copies", {"copies": {}}),
    ("copies", {"copies": [[3, 2, 2, 2, 1]] * 4}),
    ("copies", {"copies": [[3, 2, 2, 2]] * 5}),
    ("copies", {"copies": [[3, 2, 2, 2, 1]] * 4 + ["32221"]}),
    ("copies", {"copies": [[3, 2, 2, 2, 1]] * 4 + [7]}),
    ("copies", {"copies": [3, 2, 2, 2, -1]}),
    ("copies", {"copies": [32, 2, 2, 2, 1]}),
    ("copies", {"copies": [3, 2, 2, 2, True]}),
    ("copies", {"copies": [3, 2, 2, 2, 1.0]}),
    ("copies", {"copies": [3, 2, [2], 2, 1]}),
    ("copies", {"ranks": 3, "copies": CLASSIC}),
    ("hand_size", {"copies": [0, 0, 0, 0, 1]}),
    ("hint_tokens", {"hint_tokens": -1}),
    ("hint_tokens", {"hint_tokens": 10**7}),
    ("hint_tokens", {"hint_tokens": "unlimited"}),
    ("hint_tokens", {"hint_tokens": True}),
    ("lives", {"lives": 0}),
    ("lives", {"lives": -1}),
    ("lives", {"lives": 2.5}),
    *((switch, {switch: value}) for switch in SWITCHES for value in (0, 1, None, "yes")),
    ("open_game", {"open_game": []}),
    ("colour", {"colour": 1}),
    ("name", {"name": "thesis"}),
    ("about", {"about": {}}),
]


@pytest.mark.parametrize(("field", "changes"), WRONG)
def test_wrong_rules_name_the_field(field: str, changes: dict[str, Any]) -> None:
    with pytest.raises(RulesError, match=rf"^{field}: "):
        Rules.from_dict({"preset": "classic", **changes})
    assert issubclass(RulesError, HanabiError)


@pytest.mark.parametrize(
    ("field", "changes"), [w for w in WRONG if w[0] not in ("name", "players")]
)
def test_wrong_changes_name_the_field(field: str, changes: dict[str, Any]) -> None:
    with pytest.raises(RulesError, match=rf"^{field}: "):
        preset("classic", **changes)


@pytest.mark.parametrize("data", [None, 3, [], True, 1.5])
def test_rules_that_are_no_object(data: object) -> None:
    with pytest.raises(RulesError, match=r"^rules: .* is neither the name of a preset"):
        Rules.from_dict(data)


def test_unknown_presets() -> None:
    with pytest.raises(RulesError, match=r"^rules: unknown preset 'clasic'; expected classic"):
        preset("clasic")
    for wrong in (7, ["classic"]):
        with pytest.raises(RulesError, match=r"^preset: "):
            Rules.from_dict({"preset": wrong})


def test_players_may_not_contradict() -> None:
    with pytest.raises(RulesError, match=r"^players: the rules are for 3, not 2"):
        Rules.from_dict({"players": 3}, 2)


def test_rules_that_lack_a_suit() -> None:
    with pytest.raises(RulesError, match=r"^copies: 6 rows of counts for 7 suits"):
        preset("rainbow-dutch", suits=7)
    with pytest.raises(RulesError, match=r"^copies: needed too for 7 suits"):
        preset("rainbow-dutch").replace(suits=7)


@given(random_rules())
def test_json_round_trip(rules: Rules) -> None:
    text = json.dumps(rules.to_dict())
    again = Rules.from_dict(json.loads(text))
    assert again == rules
    assert Rules.from_dict(json.loads(text), rules.players) == rules


def test_json_names_every_field() -> None:
    for rules in (*UNUSUAL, *SPECIAL):
        data = rules.to_dict()
        assert isinstance(data, dict)
        fields = {field.name for field in dataclasses.fields(Rules)} - {"preset"}
        assert data.keys() == fields == Rules.about.keys()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*Rules.about, "preset", "name", "self", "x"]), VALUES))
def test_anything_else_is_refused_with_a_rules_error(data: dict[str, Any]) -> None:
    try:
        rules = Rules.from_dict(data)
    except RulesError:
        return
    assert rules.deck_size >= rules.players * rules.hand_size


def test_unlimited_hints_end_where_the_rules_say() -> None:
    """Every hint that exists, once for each card and once more; the refusal names the number."""
    game = hl.Game(players=2, seed=1, hint_tokens=None)
    assert game.rules.token_limit == 10 * 51
    for _ in range(game.rules.token_limit):
        game.act(next(action for action in game.legal_actions() if action.type == "hint_rank"))
        assert game.hint_tokens is None
    with pytest.raises(ActionError, match="even unlimited ones end after 510 hints"):
        game.act(f"hint {1 - game.player} 1")
    assert {action.type for action in game.legal_actions()} == {"play", "discard"}


def test_unlimited_lives_never_run_out() -> None:
    """More lives than cards: nobody can misplay so often."""
    game = hl.Game(players=2, seed=1, lives=None)
    while not game.is_over:
        game.act("play 0")
    assert game.end == "deck"
    assert game.lives is None
