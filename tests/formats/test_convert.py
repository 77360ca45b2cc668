"""Games converted from and to every format."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings

import hanabilab as hl
from hanabilab.formats.hanablive.encoding import Payload, read_link
from tests.formats.live_games import EXAMPLE, as_text, example, live_games
from tests.test_malformed import Command


@given(live_games())
@settings(max_examples=60)
def test_round_trips_are_identities(game: hl.Game) -> None:
    for form in ("json", "hanablive", "text"):
        again = hl.Game.read(as_text(game, form))
        assert again == game
        assert as_text(again, form) == as_text(game, form)
    payload = read_link(game.link())
    assert Payload(payload.players, payload.cards, payload.actions, payload.variant) == payload
    assert payload.link() == game.link()
    if not game.link_losses():
        assert hl.Game.read(game.link()) == game


@pytest.mark.parametrize("form", ["json", "hanablive", "link", "text"])
def test_convert_from_everything_to_everything(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    wanted = as_text(example(), form)
    for source in ("json", "hanablive", "link", "text"):
        file = tmp_path / source
        file.write_text(as_text(example(), source))
        code, out, err = command("convert", file, form)
        assert (code, err) == (0, "")
        assert (json.loads(out) == json.loads(wanted)) if "{" in wanted else out == wanted + "\n"
        monkeypatch.setattr("sys.stdin", io.StringIO(as_text(example(), source) * 1))
        assert command("convert", "-", form) == (code, out, err)
    assert command("convert", EXAMPLE, form)[:2] == (0, out)


def test_several_games_and_their_lines(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "games"
    for source in ("json", "hanablive", "link", "text"):
        gap = "\n\n" if source == "text" else "\n"
        file.write_text(gap.join([as_text(example(), source)] * 3))
        for form in ("json", "hanablive", "link"):
            assert len(command("convert", file, form)[1].splitlines()) == 3
        blocks = command("convert", file, "text")[1].split("\n\n")
        assert len(blocks) == 3
    file.write_text(f"{EXAMPLE}\n\nhello\n")
    answer = command("convert", file, "text")
    assert answer[0] == 2
    assert "line 3: 'hello' is neither" in answer[2]


def test_a_seed_alone(command: Command) -> None:
    deck = hl.Deck.from_seed("p3v0s17")
    code, out, err = command("convert", "p3v0s17", "link")
    assert (code, err) == (0, "")
    assert out.endswith(",00,0\n")
    assert hl.Game.read(out).deck == deck
    data = json.loads(command("convert", "p3v0s17", "json")[1])
    assert (data["deck"], data["actions"], data["players"]) == (str(deck), [], 3)
    code, out, err = command("convert", "p3v0s17", "hanablive")
    assert code == 0
    assert "at least one action" in err
    assert json.loads(out)["seed"] == "p3v0s17"
    assert str(deck) in command("convert", "p3v0s17", "text")[1]


def test_a_file_that_starts_with_a_byte_order_mark(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "seed.txt"
    file.write_text("p2v0s1\n", encoding="utf-8-sig")
    assert command("convert", file, "link") == command("convert", "p2v0s1", "link")
