"""What has been found out about a question: can this be reached?"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from hanabilab.solver.proofs.certificates import Certificate

__all__ = ["Decision"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether some cards can all be played, or a score reached, and how that was found out."""

    reachable: bool | None
    """None if it is not known."""
    actions: tuple[int, ...] = ()
    """The line that reaches it."""
    reason: Certificate | None = None
    """Why it cannot be reached."""
    method: str = "none"
    nodes: int = 0
    """Positions that were searched."""

    def then(self, later: Decision) -> Decision:
        """Return a later decision on the same question, with the positions of both."""
        return dataclasses.replace(later, nodes=self.nodes + later.nodes)
