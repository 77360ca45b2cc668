"""Golden playthroughs: complete games, readable and diffable.

After a change that is meant to change games, write them anew and look at the difference::

    python -m tests.regenerate && git diff tests/golden
"""

from __future__ import annotations

from pathlib import Path

from hanabilab import Deck, Game, Rules, play, preset
from hanabilab.core.bits import members
from hanabilab.formats.describe import describe_event, discards, hand_names
from hanabilab.game.names import card_name

FOLDER = Path(__file__).parent / "golden"

GAMES: dict[str, tuple[Rules, int, int]] = {
    "classic_2": (preset("classic", 2), 1, 0),
    "hle_5": (preset("hle", 5), 1, 3),
    "thesis_program_3": (preset("thesis-program", 3), 2, 0),
    "cox_program_4": (preset("cox-program", 4), 3, 0),
    "rainbow_dutch_6": (preset("rainbow-dutch", 6), 4, 0),
    "open_3": (preset("open", 3), 5, 0),
    "small_without_end": (
        Rules(
            players=2,
            hand_size=2,
            ranks=3,
            suits=2,
            copies=((2, 1, 1), (1, 2, 1)),
            lives=None,
            deck_ends=False,
        ),
        6,
        0,
    ),
}


def playthrough(rules: Rules, seed: int, game_number: int) -> str:
    """A game from its deck to its end, with everything that the state says."""
    game = play(
        "random", Deck.shuffled(rules, seed=seed, game=game_number), seed=seed, game=game_number
    )
    again = Game(rules, game.deck)
    lines = ["rules:"]
    lines += [f"  {name}: {getattr(rules, name)}" for name in Rules.about]
    lines += [f"seed: {seed}", f"game: {game_number}", f"deck: {game.deck}", ""]
    lines += board(again)
    for action in game.actions:
        number = action.number(again.state)
        event = again.act(action)
        said = describe_event(event, again.state.rules)
        lines += ["", f"turn {again.turn}: action {number}: {said}", *board(again)]
    lines += ["", f"end: {again.end}", f"score: {again.score}", ""]
    return "\n".join(lines)


def board(game: Game) -> list[str]:
    """The state in words."""
    state, rules = game.state, game.rules
    lines = [
        f"  to move: {game.player}",
        f"  fireworks: {' '.join(f'{suit}{rank}' for suit, rank in game.fireworks.items())}",
        f"  score {game.score}, hint tokens {game.hint_tokens}, lives {game.lives}, "
        f"draw pile {state.draw_pile}, turns left {state.turns_left}",
    ]
    for player in range(rules.players):
        lines.append(f"  player {player}: {' '.join(hand_names(state, player))}")
        for slot in range(state.hand_count[player]):
            possible = state.possible[player][slot]
            if possible != state.rules.all_cards:
                lines.append(f"    slot {slot}: {_names(possible, rules)}")
    lines.append(f"  discards: {' '.join(discards(state))}")
    for name in ("playable", "dead", "critical"):
        lines.append(f"  {name}: {_names(getattr(state, name), rules)}")
    numbers = [str(action.number(state)) for action in game.legal_actions()]
    lines.append(f"  legal: {' '.join(numbers)}")
    return [line.rstrip() for line in lines]


def _names(cards: int, rules: Rules) -> str:
    return " ".join(card_name(card, rules.ranks) for card in members(cards))


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name, (rules, seed, game_number) in GAMES.items():
        path = FOLDER / f"{name}.txt"
        path.write_text(playthrough(rules, seed, game_number), encoding="utf-8")


if __name__ == "__main__":
    main()
