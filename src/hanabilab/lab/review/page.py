"""The report on players as one self-contained HTML page, with a light and a dark theme."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from hanabilab.lab.review.verdicts import ERRORS

if TYPE_CHECKING:
    from hanabilab.lab.review.statistics import PlayerStatistics

__all__ = ["players_page"]

STYLE = """
:root{color-scheme:light dark;--ink:#1d2433;--quiet:#5c6577;--paper:#fff;--ground:#f3f5f9;
--line:#d8dde8;--bar:#3867d6;--bad:#b3321f}
@media(prefers-color-scheme:dark){:root{--ink:#e7ebf3;--quiet:#a4adbf;--paper:#1c2230;
--ground:#121722;--line:#353e52;--bar:#7ea2ff;--bad:#ff9a86}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.7rem;margin:0 0 .3rem}
h2{font-size:1.3rem;margin:0 0 .6rem}
h3{font-size:1rem;margin:1.2rem 0 .4rem}
p{margin:.3rem 0;color:var(--quiet)}
a{color:var(--bar)}
section{background:var(--paper);border:1px solid var(--line);border-radius:.7rem;padding:1.1rem;
margin-top:1.2rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.6rem;margin:0}
dl div{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .7rem}
dt{color:var(--quiet);font-size:.85rem}
dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--quiet);font-weight:600;font-size:.85rem}
td.n,th.n{text-align:right;white-space:nowrap}
.bar{background:var(--bar);height:.7rem;border-radius:.2rem}
td.bars{width:40%;vertical-align:middle}
@media(max-width:36rem){td.bars{display:none}}
.open{color:var(--bad)}
nav a{margin-right:.8rem}
"""
TILES = {
    "games": "games",
    "score": "mean score",
    "table_cards_per_hint": "cards per hint at the table",
    "misplays": "misplays",
    "lost_critical": "critical cards lost",
    "winnable_lost": "wins lost, with all cards open",
}
"""The numbers of a player that are shown large, with their names."""


def players_page(found: PlayerStatistics) -> str:
    """Return the whole page as text."""
    title = f"Report on {found.games} game{'s' * (found.games != 1)}"
    names = "".join(
        f'<a href="#player-{place}">{escape(row["name"])}</a>'
        for place, row in enumerate(found.players)
    )
    body = [
        f"<h1>{title}</h1><p>{escape(found.summary())}</p><nav>{names}</nav>",
        *(_player(found, place, row) for place, row in enumerate(found.players)),
        _games(found),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>hanabilab: {title.lower()}</title><style>{STYLE}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _player(found: PlayerStatistics, place: int, row: Mapping[str, Any]) -> str:
    tiles = "".join(
        f"<div><dt>{words}</dt><dd>{_number(row[key])}</dd></div>" for key, words in TILES.items()
    )
    unfinished = row["games"] - row["finished"]
    note = f"<p>{_count(unfinished, 'game')} unfinished, without a score.</p>" if unfinished else ""
    parts = [f"<h2>{escape(row['name'])}</h2><dl>{tiles}</dl>{note}", _by_variant(row)]
    if row["judged"]:
        parts.append(_decisions(row))
    return f'<section id="player-{place}">{"".join(parts)}</section>'


def _by_variant(row: Mapping[str, Any]) -> str:
    """Return the mean score in each variant, with bars relative to its maximum."""
    lines = [
        (
            escape(name),
            str(scores["games"]),
            _number(scores["score"]),
            str(scores["max_score"]),
            _bar((scores["score"] or 0) / scores["max_score"]),
        )
        for name, scores in row["scores_by_variant"].items()
    ]
    return "<h3>Score by variant</h3>" + _table(
        ("variant", "games", "mean score", "of", ""), lines, numbers={1, 2, 3}
    )


def _decisions(row: Mapping[str, Any]) -> str:
    """Return the points given away by each kind of decision, and how often a word was earned."""
    points = row["given_away_by"]
    most = max(*points.values(), 0.01)
    lines = [
        (kind, _number(float(value)), _bar(max(0.0, value) / most))
        for kind, value in points.items()
    ]
    words = ", ".join(_count(row["verdicts"][word], word) for word in ERRORS)
    head = f"<h3>Points given away, in {_count(row['judged'], 'judged game')}</h3>"
    return head + _table(("decision", "points", ""), lines, numbers={1}) + f"<p>{words}.</p>"


def _games(found: PlayerStatistics) -> str:
    """Return the list of games, with links where there are any."""
    lines = []
    for number, game in enumerate(found.listed, 1):
        score = f"{game['score']} of {game['max_score']}"
        if not game["finished"]:
            score = f'<span class="open">unfinished after {_count(game["turns"], "turn")}</span>'
        name = f"game {number}"
        if game["link"]:
            name = f'<a href="{escape(game["link"])}">{name}</a>'
        players = ", ".join(map(escape, game["names"]))
        lines.append((name, players, escape(game["variant"]), score, escape(game["judged_by"])))
    head = ("game", "players", "variant", "score", "judged by")
    return f"<section><h2>Games</h2>{_table(head, lines)}</section>"


def _table(
    head: Iterable[str], rows: Iterable[Iterable[str]], numbers: Collection[int] = ()
) -> str:
    """Return a table; its cells are HTML, and those in the columns `numbers` stand at the right."""

    def line(tag: str, cells: Iterable[str]) -> str:
        return "".join(
            f"<{tag}{' class=n' * (place in numbers)}"
            f"{' class=bars' * cell.startswith('<div')}>{cell}</{tag}>"
            for place, cell in enumerate(cells)
        )

    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table><thead><tr>{line("th", head)}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _bar(share: float) -> str:
    return f'<div class="bar" style="width:{100 * min(1.0, share):.1f}%"></div>'


def _number(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _count(count: int, word: str) -> str:
    ending = "es" if word.endswith("s") else "ies" if word.endswith("cy") else "s"
    stem = word[:-1] if ending == "ies" else word
    return f"{count} {word}" if count == 1 else f"{count} {stem}{ending}"
