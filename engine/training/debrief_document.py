"""A debrief as Markdown, and as one HTML page that needs nothing else."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from engine.instants import span
from engine.training.debrief import Debrief
from engine.training.exercise import Sample
from engine.training.what_if import HEADS

Cells = tuple[str, ...]

_LINK: Final = re.compile(r"[\[\]`]|:(?=//)|(?<=www)\.")

WIDTH: Final = 800
HEIGHT: Final = 120

_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1c2128;"
    "background:#fff}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem;"
    "border-bottom:1px solid #d0d7de;vertical-align:top}td:first-child{white-space:nowrap;color:#57606a}"
    "svg{width:100%;height:auto}@media(prefers-color-scheme:dark){body{color:#d0d7de;background:#0f1117}"
    "td,th{border-color:#30363d}}"
)


def markdown(debrief: Debrief) -> str:
    """The debrief as Markdown."""
    lines = [f"# {_plain(debrief.title)}: {_plain(debrief.verdict)}", ""]
    lines += [f"- {_plain(clue.sentence)}" for clue in debrief.clues]
    for title, heads, rows in _tables(debrief):
        lines += ["", f"## {title}", "", _row(heads), _row("---" for _ in heads), *map(_row, rows)]
    lines += ["", "## What there is to learn", "", _plain(debrief.text)]
    return "\n".join(lines) + "\n"


def html(debrief: Debrief) -> str:
    """The debrief as one HTML page; it fetches nothing and runs nothing."""
    parts = [
        f"<h1>{escape(debrief.title)}: {escape(debrief.verdict)}</h1>",
        *(f"<p>{escape(clue.sentence)}</p>" for clue in debrief.clues),
        _curve(debrief.samples, debrief.lasts_ms),
        *(f"<h2>{escape(title)}</h2>{_table(heads, rows)}" for title, heads, rows in _tables(debrief)),
        "<h2>What there is to learn</h2>",
        f"<p>{escape(debrief.text)}</p>",
    ]
    head = f'<meta charset="utf-8"><title>{escape(debrief.title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _tables(debrief: Debrief) -> Iterator[tuple[str, Cells, list[Cells]]]:
    """(title, heads, rows) of every table of the debrief."""
    happened: list[Cells] = [
        (f"+{span(one.at_ms)}", one.cluster or one.effect, one.told, one.on_screen) for one in debrief.rows
    ]
    heads = ("at", "the cluster", "you", "on the screen, since when")
    yield "What happened, and what you did", heads, happened
    yield (
        "Score",
        ("what", "measured", "points", "of"),
        [(line.what, line.measured, f"{line.points:g}", str(line.most or "")) for line in debrief.score.lines],
    )
    yield (
        "Goals",
        ("goal", "met"),
        [(about, "not met" if at is None else f"+{span(at)}") for about, at in debrief.goals],
    )
    yield "Beside par", ("what was done", *HEADS), [(about, *figures.cells) for about, figures in debrief.compared()]
    if debrief.has_shorter_way:
        yield (
            "A shorter way",
            ("at", "the reference", "then"),
            [(f"+{span(one.at_ms)}", one.trainee or one.cluster, one.effect) for one in debrief.par_rows],
        )


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(words: str) -> str:
    return _plain(words).replace("|", "\\|").replace("\n", " ")


def _plain(words: str) -> str:
    r"""A text that Markdown shows as it is: no HTML, no link, no picture.

    >>> _plain("<b> [a](http://b) c_d")
    '&lt;b&gt; \\[a\\](http\\://b) c_d'
    """
    return _LINK.sub(r"\\\g<0>", escape(words, quote=False))


def _table(head: Cells, rows: Sequence[Cells]) -> str:
    titles = "".join(f"<th>{escape(word)}</th>" for word in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{titles}</tr>{body}</table>"


def _curve(samples: tuple[Sample, ...], lasts_ms: int) -> str:
    """Return how many wait, over the time of the drill."""
    most = max((sample.waiting for sample in samples), default=0) or 1
    points = " ".join(
        f"{sample.at_ms / lasts_ms * WIDTH:.1f},{HEIGHT - sample.waiting / most * (HEIGHT - 10):.1f}"
        for sample in samples
    )
    label = f"applications that wait, at most {most}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}"><polyline points="{points}" fill="none" '
        f'stroke="currentColor" stroke-width="2"/><text x="4" y="14" fill="currentColor" font-size="12">{label}</text>'
        "</svg>"
    )
