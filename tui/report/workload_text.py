"""The applications of a trace or scenario as text: arrivals, sizes and durations by queue and user."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.formats.traces.exports import BUCKETS, Spread, WorkloadGroup, WorkloadPicture
from tui.pages.compare import wait_text
from tui.panes.plot import Line, drawn, rule, scale
from tui.terminal.format import BLOCK, BLOCK_LEFT, IN_ASCII, duration, fit, memory, plural

WIDTH: Final = BUCKETS // 2
HEIGHT: Final = 6
LISTED: Final = 12  # Most queues and users that are listed; the rest is counted
NAME: Final = 20
HEADS: Final = ("applications", "containers", "memory", "duration", "work")
UNDER: Final = ("", "median to most", "median to most", "10 % · median · 90 %", "")
COLUMNS: Final = (13, 17, 17, 26, 10)
TENTHS_MS: Final = 10_000  # Below, stretches have tenths of a second
HOUR_MS: Final = 3_600_000
IN_HOURS_MS: Final = 10 * HOUR_MS  # From here on work is given in whole hours


def picture_lines(picture: WorkloadPicture, *, is_ascii: bool = False) -> list[str]:
    """The picture as lines."""
    total = picture.total
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in picture.behaviours.items())
    spread_ms = picture.last_ms - picture.first_ms
    within = f" within {_span(spread_ms)}" if spread_ms else ""
    lines = [
        f"{plural(total.applications, 'application')}{within}: {kinds}",
        "",
        *_arrivals(picture),
        "",
        *(
            f"{'':{NAME}}{''.join(f'{head:>{width}}' for head, width in zip(heads, COLUMNS, strict=True))}"
            for heads in (HEADS, UNDER)
        ),
        _row(total),
        *_table("queue", picture.queues),
        *_table("user", picture.users),
    ]
    return [line.rstrip().translate(IN_ASCII) if is_ascii else line.rstrip() for line in lines]


def _arrivals(picture: WorkloadPicture) -> Iterator[str]:
    spread_ms = picture.last_ms - picture.first_ms
    if not spread_ms:
        yield "all arrive at one instant"
        return
    of = scale(max(picture.arrivals), HEIGHT)
    sheet = drawn([Line(picture.arrivals, "data")], of, (WIDTH, HEIGHT), is_colourless=True)
    rule(sheet, of, of.values)
    yield f"arrivals in each {_span(spread_ms / BUCKETS)}, up to {of.top:g}"
    for row, signs in enumerate(sheet.signs):
        label = f"{of.top:g}" if row == 0 else "0" if row == HEIGHT - 1 else ""
        yield f"{label:>6} {''.join(signs)}"
    end = _span(spread_ms)
    yield f"{'':7}0{end:>{WIDTH - 1}}"


def _span(milliseconds: float) -> str:
    return wait_text(milliseconds) if milliseconds < TENTHS_MS else duration(round(milliseconds))


def _table(kind: str, groups: Sequence[WorkloadGroup]) -> Iterator[str]:
    yield f"by {kind}, {plural(len(groups), kind)}"
    most = max((group.applications for group in groups), default=1)
    for group in groups[:LISTED]:
        yield _row(group, f"  {_bar(group.applications, most)}")
    if len(groups) > LISTED:
        rest = sum(group.applications for group in groups[LISTED:])
        yield f"  and {len(groups) - LISTED:,} more with {plural(rest, 'application')}"


def _row(group: WorkloadGroup, bar: str = "") -> str:
    cells = (
        f"{group.applications:,}",
        f"{group.containers.median:,.0f} to {group.containers.most:,.0f}",
        f"{memory(round(group.memory_mb.median))} to {memory(round(group.memory_mb.most))}"
        if group.memory_mb.count
        else "unknown",
        _durations(group.duration_ms),
        f"{group.work_ms / HOUR_MS:,.0f} h" if group.work_ms >= IN_HOURS_MS else duration(round(group.work_ms)),
    )
    name = fit(f"  {group.name}" if bar else group.name, NAME - 1)
    return f"{name:{NAME}}{''.join(f'{cell:>{width}}' for cell, width in zip(cells, COLUMNS, strict=True))}{bar}"


def _durations(spread: Spread) -> str:
    if not spread.count:
        return "unknown"
    return " · ".join(duration(round(each)) for each in (spread.low, spread.median, spread.high))


def _bar(part: int, whole: int, width: int = 8) -> str:
    halves = max(1, round(part / max(1, whole) * width * 2))
    return BLOCK * (halves // 2) + BLOCK_LEFT * (halves % 2)
