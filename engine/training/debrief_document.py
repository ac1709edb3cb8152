"""A debrief as Markdown, and as one HTML page that needs nothing else."""

from collections.abc import Sequence
from html import escape
from typing import Final

from engine.training.debrief import Debrief, DebriefRow, span
from engine.training.exercise import Sample

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
    lines = [f"# {debrief.title}: {debrief.verdict}", ""]
    lines += [f"- {clue.sentence}" for clue in debrief.clues]
    lines += ["", "## What happened, and what you did", "", "| at | the cluster | you |", "| --- | --- | --- |"]
    lines += [f"| +{span(one.at_ms)} | {_cell(one.cluster)} | {_cell(one.trainee)} |" for one in debrief.rows]
    lines += ["", "## Score", "", "| what | measured | points | of |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {line.what} | {line.measured} | {line.points:g} | {line.most or ''} |" for line in debrief.score.lines
    ]
    lines += ["", "## Goals", ""]
    lines += [f"- {about}: {'not met' if at is None else f'+{span(at)}'}" for about, at in debrief.goals]
    lines += ["", "## A shorter way", "", *(f"- {_line(one)}" for one in debrief.par)]
    lines += ["", f"It scores {debrief.par_score} and loses {debrief.par_lost_s / 60:.0f} container minutes."]
    lines += ["", "## What there is to learn", "", debrief.text]
    return "\n".join(lines) + "\n"


def html(debrief: Debrief) -> str:
    """The debrief as one HTML page; it fetches nothing and runs nothing."""
    rows = [(f"+{span(one.at_ms)}", one.cluster, one.trainee) for one in debrief.rows]
    score = [(line.what, line.measured, f"{line.points:g}", str(line.most or "")) for line in debrief.score.lines]
    goals = [(about, "not met" if at is None else f"+{span(at)}") for about, at in debrief.goals]
    parts = [
        f"<h1>{escape(debrief.title)}: {escape(debrief.verdict)}</h1>",
        *(f"<p>{escape(clue.sentence)}</p>" for clue in debrief.clues),
        _curve(debrief.samples, debrief.lasts_ms),
        "<h2>What happened, and what you did</h2>",
        _table(("at", "the cluster", "you"), rows),
        "<h2>Score</h2>",
        _table(("what", "measured", "points", "of"), score),
        "<h2>Goals</h2>",
        _table(("goal", "met"), goals),
        "<h2>A shorter way</h2>",
        "<ul>" + "".join(f"<li>{escape(_line(one))}</li>" for one in debrief.par) + "</ul>",
        "<h2>What there is to learn</h2>",
        f"<p>{escape(debrief.text)}</p>",
    ]
    head = f'<meta charset="utf-8"><title>{escape(debrief.title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _line(one: DebriefRow) -> str:
    return f"+{span(one.at_ms)} {one.trainee}"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def _table(head: tuple[str, ...], rows: Sequence[Sequence[str]]) -> str:
    titles = "".join(f"<th>{escape(word)}</th>" for word in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{titles}</tr>{body}</table>"


def _curve(samples: tuple[Sample, ...], lasts_ms: int) -> str:
    """How many wait, over the time of the drill."""
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
