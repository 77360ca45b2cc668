"""Referential Sieve: hints that point at the card beside the touched one, for two players.

The convention is a community's (hanab.live, from 2021 on), as described for two players by
WillFlame14 (*Referential Sieve*, rs-docs, levels 1 to 8). A suit hint says that the card to the
left of the touched one can be played, a rank hint that the card to the right can be discarded; in
its words, the newest card is the leftmost. New cards pass a sieve: the newest card is the chop, and
a card that survives is never on the chop again. Every turn without a hint permits the partner to
discard the chop, so a player whose partner needs the newest card gives a hint instead.

The parts:

- `memory`, `tables`: the public table that both players keep: what cards are taken to be, calls,
  permissions, who is loaded or locked;
- `reading`, `calls`, `locked`: what a hint means, which card it points at, hints from locked hands;
- `turns`, `copies`: what plays and discards mean, and discards that tell where a copy is;
- `values`, `decision`: which action leaves the best table;
- `endgame`: the last draws, thought through;
- `explain`: for people.

Everything is read from the public table alone, so both players always agree on what an action
meant, and a giver foresees exactly how a hint will be read.

`level` follows the levels of the convention's own learning path:

1. referential plays and discards, locks, playable ranks, the chop;
2. hints that touch no new card: prompts, finesses, bluffs, double bluffs;
3. loaded players, permission to discard, trash pushes;
4. hints of locked players, unlock promises;
5. emergencies: the promise of the last token, extra discards, scream locks, bomb locks, sacrifices;
6. elimination notes, sarcastic, gentleman's and baton discards, the order of trash;
7. the order of ones, double bluffs with one untouched card, permissions with eight tokens, revoked
   permissions;
8. priority of plays that lead on, quasi-locked hands.

The default is level 7: level 8 costs points in self-play.

**Departures.** The source describes what actions mean, not which one to choose: values, and the
endgame, are ours. Where the text is silent or leaves the choice to judgement:

- A hint that shows a playable or dead card among those touched before means no more, whether or
  not the target is loaded; a hint that keeps a card from being misplayed means no more either.
- A playable rank is read as such even if the target is loaded.
- A player with all hint tokens may stall like a locked one: by a hint that touches no new card, by
  a lock, and by a rank hint to a loaded player. (So does the author's program, scala-bot.)
- Only the newest card is ever on the chop. If it is touched and nothing is safe, the player is
  locked.
- A call may rely on earlier calls of the same hand, which are answered in order, but not on the
  giver's own cards.
- Prompts connect through the target's own touched cards. What a finesse promises beyond the blind
  play is any card that can follow in the suit.
- Unlock promises are shifted by one count of delays for each player instead of one for each card.
- The promise of the last token falls on the newest untouched card that was never sieved, else on
  the one least likely to be critical.
- Without tokens, a play beside a locked partner is an unlock promise and not an extra discard. An
  extra discard goes to the newest card only if it is untouched and not called.
- A gentleman's discard looks for the copy among touched cards first. The partner takes each card
  in turn for the copy until a play shows that it was another one.
- The text does not say which unplayable cards a baton is for: here, for those that no touched card
  of the partner can be. Elimination notes and batons do not count copies in the giver's hand.
- A hint that leaves only one card for a note, and so a play, means no more than that.
- "8cs PTD" is not defined in the text. It is taken for a permission given by an action after which
  all tokens were there. The exception does not hold for a playable rank; "rightmost" is the oldest
  card.
- Priority needs two plays known to both; a card that was called says nothing, nor does a play
  beside a locked partner, or a free choice without tokens.
- A quasi-locked player was called to discard by the partner's last hint, can play nothing, and
  the card may be needed. A hint without news, and one to trash alone, keep their usual meaning.
- The text exists in several editions. Only some of them have stalls in the first turn, stalls after
  a partner's stall with eight tokens, and direct suit hints to a player loaded with a play; these
  are not played.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY, Event
from hanabilab.game.rules import Rules
from hanabilab.game.state import View
from hanabilab.strategies.conventions.lines import LONGEST_PILE
from hanabilab.strategies.sieve.decision import decide, infer_own_cards
from hanabilab.strategies.sieve.endgame import improve
from hanabilab.strategies.sieve.explain import explain
from hanabilab.strategies.sieve.memory import (
    BEST_LEVEL,
    HAND_PAIR,
    HIGHEST_LEVEL,
    SieveMemory,
)
from hanabilab.strategies.sieve.reading import read_hint
from hanabilab.strategies.sieve.tables import reset_table
from hanabilab.strategies.sieve.turns import read_card
from hanabilab.strategies.strategy import (
    About,
    Candidates,
    Option,
    RuleSupport,
    SearchSupport,
    Strategy,
)

__all__ = ["SIEVE"]


@kernel
def begin(view: View, memory: SieveMemory) -> int:
    """Open the table."""
    reset_table(view, memory.table, memory.level)
    return 0


@kernel
def observe(view: View, event: Event, memory: SieveMemory) -> None:
    """Read an action as both players do."""
    table = memory.table
    if event.kind == PLAY or event.kind == DISCARD:
        read_card(view, table, event.player, event.kind, event.slot, event.card, event.drew)
    else:
        memory.meaning = read_hint(
            view, table, event.player, event.kind, event.value, event.touched
        )
    table.tokens, table.lives, table.pile = view.hint_tokens, view.lives, view.draw_pile


@kernel
def act(view: View, memory: SieveMemory) -> int:
    """Point at the card beside the touched one: suits say play, ranks say discard."""
    memory.reason = 0
    return improve(view, memory, decide(view, memory))


@kernel
def candidate_actions(view: View, candidates: Candidates, memory: SieveMemory) -> None:
    """Tell a search what the player's own cards may be."""
    infer_own_cards(view, memory)
    for slot in range(view.hand_count[view.observer]):
        candidates.possible[slot] = memory.own.possible[slot]


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    if rules.players != HAND_PAIR:
        return f"this convention is for two players, not {rules.players}"
    return "an open game has no hints" if rules.open_game else None


SIEVE = Strategy(
    "sieve",
    act,
    observe,
    begin,
    SieveMemory,
    options={
        "level": Option(
            default=BEST_LEVEL,
            least=1,
            most=HIGHEST_LEVEL,
            help="levels of the convention that are followed",
        ),
        "end_lines": Option(
            default=5,
            least=-1,
            most=LONGEST_PILE,
            help="cards to draw from which on the last draws are thought through; -1 for never",
        ),
    },
    support=RuleSupport(unsupported_reason, home="hle"),
    about=About(
        source="Referential Sieve, a convention of players on hanab.live",
        explain=explain,
        explains_afterwards=True,
    ),
    search=SearchSupport(public_memory=True, candidate_actions=candidate_actions),
)
