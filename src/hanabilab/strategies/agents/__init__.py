"""The rule agents that the literature compares against: lists of small named rules."""

from __future__ import annotations

from hanabilab.strategies.agents.rule_lists import AGENTS, COMPOSE, agent

__all__ = ["AGENTS", "COMPOSE", "agent"]
