"""HLE's two sample agents, under the same names: `RandomAgent` and `SimpleAgent`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from hanabilab.envs.hle.rl_env import Agent

__all__ = ["RandomAgent", "SimpleAgent"]

Action = dict[str, Any]
MAX_INFORMATION_TOKENS = 8
"""HLE's default for the configuration's ``information_tokens``."""


class RandomAgent(Agent):
    """Takes random legal actions."""

    def __init__(self, config: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        self.config = config

    def act(self, observation: Mapping[str, Any]) -> Action | None:  # type: ignore[override]  # HLE
        """Return a random legal action; None if it is another player's turn."""
        if observation["current_player_offset"] != 0:
            return None
        chosen: Action = random.choice(observation["legal_moves"])  # as HLE does
        return chosen


class SimpleAgent(Agent):
    """Plays the oldest hinted card, else hints the color of a playable card, else discards."""

    def __init__(self, config: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        self.config = config
        self.max_information_tokens = config.get("information_tokens", MAX_INFORMATION_TOKENS)

    @staticmethod
    def playable_card(card: Mapping[str, Any], fireworks: Mapping[str, int]) -> bool:
        """Return whether a card can be played on the fireworks."""
        return bool(card["rank"] == fireworks[card["color"]])

    def act(self, observation: Mapping[str, Any]) -> Action | None:  # type: ignore[override]  # HLE
        """Return an action; None if it is another player's turn."""
        if observation["current_player_offset"] != 0:
            return None
        for index, known in enumerate(observation["card_knowledge"][0]):
            if known["color"] is not None or known["rank"] is not None:
                return {"action_type": "PLAY", "card_index": index}
        tokens = observation["information_tokens"]
        if tokens > 0 and (hint := self._hint(observation)) is not None:
            return hint
        kind = "DISCARD" if tokens < self.max_information_tokens else "PLAY"
        return {"action_type": kind, "card_index": 0}

    def _hint(self, observation: Mapping[str, Any]) -> Action | None:
        """Return a hint of the first playable card whose color no hint has named."""
        hands = zip(observation["observed_hands"], observation["card_knowledge"], strict=True)
        for offset, (hand, knowledge) in enumerate(hands):
            for card, known in zip(hand, knowledge, strict=True):
                if offset == 0 or known["color"] is not None:
                    continue
                if self.playable_card(card, observation["fireworks"]):
                    color = card["color"]
                    return {"action_type": "REVEAL_COLOR", "color": color, "target_offset": offset}
        return None
