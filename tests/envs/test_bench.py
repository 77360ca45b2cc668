"""The figures of `bench envs`: that they exist, not how large they are."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from hanabilab.bench import environments as bench
from hanabilab.bench.engine import Peer

Answer = tuple[int, str, str]


def test_what_is_absent_is_said(
    command: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(steps: int) -> int:
        return sum(len(range(100 + step)) > 0 for step in range(steps))

    monkeypatch.setattr(bench, "OURS", {"ours": lambda players: play})
    others = {
        "theirs": Peer("math", lambda module, players: play),
        "absent": Peer("hanabilab.no_such_module", lambda module, players: play),
    }
    monkeypatch.setattr(bench, "OTHERS", others)
    code, out, _ = command("bench", "envs", "--json", "--seconds", "0.001")
    assert code == 0
    found = json.loads(out)
    assert found["absent"] is None
    assert list(found["ours"]) == list(found["theirs"]) == ["2", "3", "4", "5"]
    assert all(speed > 0 for speed in found["ours"].values())
    code, out, _ = command("bench", "envs", "--seconds", "0.001")
    assert "absent: not installed here, so not measured" in out
    assert command("bench", "envs", "random")[0] == 2


def test_every_environment_of_ours_plays() -> None:
    for name, player in bench.OURS.items():
        assert player(2)(1) >= 1, name
