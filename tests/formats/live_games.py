"""Games of hanab.live for the tests, and what `convert` prints of a game."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import strategies as st

import hanabilab as hl
from hanabilab.game.variants import all_variants
from tests.tables import choose

EXAMPLE = "215txrdkrpalnbqlubap-hiainvwudogufjfmewgp-mhsfcsckqkxyv,03lbah-aebf,0"
"""Alice hints Bob's 1s, Bob plays card 7, Alice plays card 4, Bob discards card 5."""


def example() -> hl.Game:
    return hl.Game.read(EXAMPLE)


RICH: dict[str, Any] = {
    **example().to_hanablive(),
    "players": ["Zoë", "Ödön"],
    "id": 12345,
    "notes": [["a"], ["b\u2028"]],
    "options": {"timed": True, "timeBase": 60},
    "seed": "p2v0s1",
}
RICH["actions"] = [*RICH["actions"], {"type": 4, "target": 0, "value": 4}]


def as_text(game: hl.Game, form: str) -> str:
    """What `convert` prints."""
    from hanabilab.formats.game_files import game_lines

    if form == "link":
        return game.link()
    if form == "text":
        return "\n".join(game_lines(game.deck, game.actions))
    return json.dumps(game.to_dict() if form == "json" else game.to_hanablive())


@st.composite
def live_games(draw: st.DrawFn) -> hl.Game:
    """Any game that hanab.live can show, at any stage, with or without its options."""
    players = draw(st.integers(2, 6))
    name = draw(st.sampled_from([v.name for v in all_variants()]))
    rules = hl.preset(name, players)
    changes: dict[str, Any] = {}
    if draw(st.booleans()):
        changes["hand_size"] = rules.hand_size + draw(st.sampled_from([-1, 1]))
    for switch in ("empty_hints", "deck_plays", "all_or_nothing"):
        if draw(st.integers(0, 3)) == 0:
            changes[switch] = True
    if draw(st.booleans()):
        changes["first_player"] = draw(st.integers(0, players - 1))
    rules = hl.preset(name, players, **changes)
    chance = random.Random(draw(st.integers(0, 1000)))
    cards = list(hl.Deck.shuffled(rules, seed=chance.randrange(1000)))
    if draw(st.booleans()):  # a puzzle: other cards, and not all ranks
        few = draw(st.sampled_from([range(2, 4), range(5), range(1)]))
        kinds = [suit * 5 + rank for suit in range(rules.suits) for rank in few]
        cards = [kinds[place % len(kinds)] for place in range(len(cards))]
        chance.shuffle(cards)
    deck = hl.Deck.of(rules, cards, any_deck=True)
    game = hl.Game(deck.rules, deck)
    for _ in range(draw(st.sampled_from([0, 1, 10, 200]))):
        if not game.is_over:
            game.act(choose(game, chance))
    return game
