"""Hostile messages: each is refused with a clear reason, and the server goes on."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab.errors import HanabiError
from hanabilab.web.game_requests import choose_deck, decode_game, read_rules
from hanabilab.web.live.setup import read_setup
from hanabilab.web.schema import RequestFields, dump_json, parse_object
from tests.web.clients import Site

ROTTEN: list[str | bytes] = [
    "",
    "null",
    "[]",
    '"join"',
    "{",
    '{"type": NaN}',
    '{"type": Infinity}',
    '{"type": 1e999}',
    '{"a":' * 20_000 + "1" + "}" * 20_000,
    "[" * 100_000,
    '{"id": ' + "9" * 5_000 + "}",
    '{"type": "\\ud800"}',
    '{"type": {"type": {"type": []}}}',
    "{'type': 'join'}",
    "\x00",
    b"\x80\x81\xff",
    b'{"type": "join"}',
]


@pytest.mark.parametrize("text", ROTTEN, ids=range(len(ROTTEN)))
def test_malformed_messages_are_rejected(site: Site, text: str | bytes) -> None:
    for path in ("/api/tables", "/api/ask/simulate", "/api/ask/nonsense"):
        answer = site.post(path, text)
        if path != "/api/tables" or b"join" not in answer.request.content:
            assert answer.status_code == 400, answer.text
            assert 0 < len(answer.json()["error"]) < 1_200
    with site.socket("/ws/ask") as socket:
        socket.send(text)
        assert socket.hear()["type"] == "error"
        socket.send({"type": "ask", "id": 3, "kind": "count", "counts": "2 2"})
        assert socket.until("answer")["answer"]["total"] == 6
    table = site.table(players=2, humans=[0])
    with site.socket(f"/ws/table/{table['table']}") as socket:
        socket.send(text)
        assert socket.hear()["type"] == "error"
        assert socket.is_closed()
    with site.seat(table, 0) as seat:
        seat.socket.until("board")
        seat.socket.send(text)
        assert seat.socket.hear()["type"] == "error"


@pytest.mark.parametrize(
    ("kind", "fields", "reason"),
    [
        ("simulate", {"strategy": "random", "games": 10**9}, "between 1 and 1000000"),
        ("simulate", {"strategy": "random", "games": 10**6, "repeats": 2}, "more than"),
        ("simulate", {"strategy": "random", "games": "10"}, "not an integer"),
        ("simulate", {"strategy": "random", "games": 1e3}, "not an integer"),
        ("simulate", {"strategy": "random", "games": True}, "not an integer"),
        ("simulate", {"strategy": ["random"] * 11}, "more than 10"),
        ("simulate", {"strategy": "x" * 10_000}, "more than 500"),
        ("simulate", {"strategy": 5}, "not a list"),
        ("simulate", {"strategy": "human"}, "people play at tables"),
        ("simulate", {"strategy": "os:system"}, "unknown strategy 'os'"),
        ("simulate", {"strategy": "exec:touch x"}, "a program cannot be named here"),
        ("simulate", {"strategy": "tests/conftest.py:main"}, "unknown strategy"),
        ("simulate", {}, "strategy: missing"),
        ("simulate", {"strategy": "random", "save": "/etc/passwd"}, "no such field"),
        ("simulate", {"strategy": "random", "threads": 9}, "no such field"),
        ("compare", {"strategies": ["random"]}, "at least two"),
        ("compare", {"strategies": ["random"] * 13}, "more than 12"),
        ("crossplay", {"strategies": ["random"] * 12, "games": 10**5}, "more than"),
        ("sweep", {"strategy": "rule-based", "options": {}}, "no option to vary"),
        ("sweep", {"strategy": "rule-based", "options": {"save": "x"}}, "no option"),
        ("sweep", {"strategy": "rule-based", "options": {"self": "1"}}, "no option"),
        ("sweep", {"strategy": "rule-based", "options": {"play-threshold": "0:1:0.0001"}}, "cells"),
        ("sweep", {"strategy": "rule-based", "options": {"play-threshold": [0.1]}}, "not text"),
        (
            "sweep",
            {"strategy": "monte-carlo", "options": {"playouts": "1,100000"}},
            "more than 2000",
        ),
        ("games", {"strategy": "random", "score": 26}, "between 0 and 25"),
        ("replay", {}, "one of strategy, code and text"),
        ("replay", {"strategy": "random", "code": "x"}, "one of strategy, code and text"),
        ("replay", {"code": "x"}, "not the code of a game"),
        ("replay", {"code": "eNqrVkrLz1eyUlBKSixSqgUAIfgEFg"}, "code"),
        ("replay", {"text": "{}"}, "no key"),
        ("replay", {"text": ""}, "no game"),
        ("replay", {"text": "[" * 100_000}, "JSON"),
        ("replay", {"strategy": "random", "players": 2, "eyes": 2}, "no player 2"),
        ("replay", {"strategy": "random", "players": 2, "eyes": "all"}, "not an integer"),
        ("replay", {"strategy": "random", "players": 2, "count": 0}, "between 1"),
        ("solve", {"players": 2, "seed": 1, "time_limit": 1e9}, "between"),
        ("solve", {"players": 2, "seed": 1, "time_limit": "long"}, "not a number"),
        ("solve", {"players": 2, "seed": 1, "turn": 3}, "choose a game"),
        ("solve", {"players": 2, "strategy": "random", "turn": 3_000}, "turns of the game"),
        ("count", {"counts": "3 x"}, "not an integer"),
        ("count", {"counts": "900 900"}, "more than 1000"),
        ("count", {"counts": "2 2 2 / 2 2 2 / 2 2 2 / 2 2 2 / 3 3 3", "hand": 9}, "states"),
        ("sequence", {"cards": "r1 2"}, "all cards a suit or none"),
        ("sequence", {"cards": "1 2", "hand": 0}, "between"),
        ("pace", {"players": 2, "deck": "r1"}, "deck"),
        ("nonsense", {}, "unknown kind 'nonsense'; expected one of replay"),
    ],
)
def test_jobs_beyond_the_limits_are_rejected(
    site: Site, kind: str, fields: dict[str, Any], reason: str
) -> None:
    assert reason in site.refuse(kind, **fields)


def test_codes_with_large_contents_are_rejected() -> None:
    import base64
    import zlib

    bomb = base64.urlsafe_b64encode(zlib.compress(b" " * 50_000_000, 9)).decode()
    with pytest.raises(HanabiError, match="not the code"):
        decode_game(bomb)


def test_sockets_that_close_at_any_time(site: Site) -> None:
    table = site.table(players=3, humans=[0], strategies="information", rules={"lives": None})
    for _ in range(5):
        with site.socket(f"/ws/table/{table['table']}") as socket:
            socket.send({"type": "join", "seat": table["seats"]["0"]})
        with site.seat(table, 0) as seat:
            facts = seat.play(lambda facts: facts["actions"][-1], 0)["board"]["facts"]
            seat.act(facts, facts["actions"][-1])
        with site.socket("/ws/ask") as socket:
            socket.send({"type": "ask", "id": 1, "kind": "replay", "strategy": "iggi"})
    with site.seat(table, 0) as seat:
        assert seat.play(lambda facts: facts["actions"][-1], 0)["board"]["facts"]["turn"] >= 15


FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FINITE | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=8), inside),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["players", "humans", "strategies", "rules", "seed", "game", "deck", "practice"]
)
RULES = st.dictionaries(
    st.sampled_from(["preset", "hand_size", "ranks", "suits", "copies", "hint_tokens", "lives"]),
    JSON | st.integers(-1, 12),
    max_size=3,
)


@given(st.dictionaries(NAMES | st.text(max_size=5), JSON | RULES | st.integers(0, 6), max_size=5))
def test_setups_are_read_or_rejected(data: dict[str, Any]) -> None:
    for read in (read_setup, choose_deck, read_rules):
        with contextlib.suppress(HanabiError):
            read(RequestFields(data))


@given(JSON)
def test_objects_survive_the_wire(data: object) -> None:
    text = dump_json({"data": data})
    assert text.isascii()
    assert parse_object(text) == {"data": json.loads(json.dumps(data))}
