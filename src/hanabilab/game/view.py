"""What a player sees: the state without that player's own cards.

The draw pile is not part of a state at all, so hiding one hand is all there is to do. A strategy
is handed nothing else: it cannot look at what is not in its view.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.core.record import assign
from hanabilab.game.cards import HIDDEN_HAND
from hanabilab.game.state import State

__all__ = ["View", "show", "view_of"]


class View(State):
    """A state as `observer` sees it, with that player's own hand hidden."""


@kernel
def show(view: View, state: State, observer: int) -> None:
    """Write into `view` what a player sees of the state."""
    assign(view, state)
    view.observer = observer
    view.hands[observer] = HIDDEN_HAND


def view_of(state: State, observer: int) -> View:
    """Return a new view; nothing done to it touches the game."""
    view = View.__new__(View)
    show(view, state, observer)
    return view
