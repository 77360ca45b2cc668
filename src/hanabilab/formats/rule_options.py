"""Rules as options of the command line."""

from __future__ import annotations

from hanabilab.game.rules import Rules

__all__ = ["rule_options"]


def rule_options(rules: Rules) -> list[str]:
    """Return the options that describe these rules.

    >>> rule_options(Rules.classic(3, lives=None))
    ['--players', '3', '--rule', 'lives=unlimited']
    """
    options = ["--players", str(rules.players)]
    if rules.preset:
        return options if rules.preset == "classic" else [*options, "--rules", rules.preset]
    usual = Rules.classic(rules.players, hand_size=rules.hand_size)
    if rules.hand_size != Rules.classic(min(rules.players, 6)).hand_size:
        options += ["--rule", f"hand-size={rules.hand_size}"]
    for name in rules.about:
        value = getattr(rules, name)
        if value != getattr(usual, name):
            options += ["--rule", f"{name.replace('_', '-')}={_text(value)}"]
    return options


def _text(value: object) -> str:
    if value is None:
        return "unlimited"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        rows = [_text(row) for row in value]
        return ("/" if isinstance(value[0], tuple) else ",").join(rows)
    return str(value)
