"""A comparison in words: values with their units, what a run came to, and the headline."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.compare import ComparedRun, Comparison, Parting
from engine.compare.measure_rows import Value
from tui import format as text

HUES: Final = dict(zip("ABCDEF", ("q1", "q4", "q3", "q2", "q5", "q6"), strict=True))
"""Letter of a run → the token of its colour."""
STARVED: Final = "STARVED"
LEAST_MS: Final = 60_000  # From here on waits are given in minutes and hours; below in tenths of a second


def value_text(value: Value, unit: str) -> str:
    """A value as it stands in a table.

    >>> [value_text(*each) for each in ((232, "ms"), (7_477_412, "ms"), (216_336, "s"), (0.564, "share"), (None, ""))]
    ['0.2s', '2h04m', '60h05m', '56.4%', '–']
    """
    if value is None:
        return "–"
    if unit == "ms":
        return wait_text(value)
    if unit == "s":
        hours, minutes = divmod(round(value) // 60, 60)
        return f"{hours}h{minutes:02d}m" if value >= 3600 else text.duration(round(value) * 1000)
    if unit == "share":
        return f"{100 * value:.1f}%"
    return f"{value:.1f}" if unit == "ratio" else f"{value:,}"


def wait_text(milliseconds: float) -> str:
    """A wait: under a minute with tenths of a second.

    >>> wait_text(0), wait_text(535), wait_text(61_000)
    ('0s', '0.5s', '1m01s')
    """
    if 0 < milliseconds < LEAST_MS:
        return f"{milliseconds / 1000:.1f}s"
    return text.duration(round(milliseconds))


def badge(run: ComparedRun) -> tuple[str, str]:
    """(token of its colour, words) of what a run came to: FROZEN, STARVED or OK."""
    if run.frozen_ms:
        return "alarm", f"FROZEN {text.duration(run.frozen_ms)}"
    starved = run.measures.starved
    return ("watch", f"{STARVED} {starved}") if starved else ("good", "OK")


def harm(run: ComparedRun) -> str:
    """Return who waited long in a run."""
    measures = run.measures
    refused = f", {measures.refused} refused" if measures.refused else ""
    if measures.starved:
        return f"{measures.starved} of {measures.applications} wait over ten minutes{refused}"
    worst = wait_text(measures.waits.worst)
    return f"{text.plural(measures.applications, 'application')}, the longest wait is {worst}{refused}"


def headline(comparison: Comparison) -> str:
    """One sentence: who freezes, or who lets applications wait longest."""
    frozen = [run for run in comparison.runs if run.frozen_ms]
    others = [run for run in comparison.runs if not run.frozen_ms]
    if frozen and others:
        first = frozen[0].frozen[0]
        at = text.instant(first.since_ms, comparison.offset_ms)[:8]
        longest = wait_text(max(run.measures.waits.worst for run in others))
        stops = "freezes" if len(frozen) == 1 else "freeze"
        allocates = "allocates" if len(frozen) == 1 else "allocate"
        frozen_for = text.duration(max(run.frozen_ms for run in frozen))
        starts = "starts" if len(others) == 1 else "start"
        return (
            f"{_names(frozen)} {stops} at {at} and {allocates} nothing for {frozen_for}; "
            f"{_names(others)} {starts} every application within {longest}"
        )
    runs = sorted(comparison.runs, key=lambda run: run.measures.waits.p95)
    best, worst = runs[0], runs[-1]
    if best.measures.waits.p95 == worst.measures.waits.p95:
        names = _names(comparison.runs)
        return f"95 % of applications wait at most {wait_text(best.measures.waits.p95)} under {names} alike"
    return (
        f"Under {best.name} 95 % of applications wait at most {wait_text(best.measures.waits.p95)}, "
        f"under {worst.name} {wait_text(worst.measures.waits.p95)}"
    )


def _names(runs: Sequence[ComparedRun]) -> str:
    names = [run.name for run in runs]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def alike_until(comparison: Comparison) -> str:
    """Return how long the runs are alike, in words."""
    first = comparison.divergences[0].time_ms if comparison.divergences else None
    if first is None:
        return "no lasting difference: every application soon has the same again"
    trifle = comparison.first_trifle_ms
    alike = text.duration(first - comparison.start_ms)
    if trifle is None or trifle == first:
        return f"alike for {alike}"
    sooner = text.instant(trifle, comparison.offset_ms)
    return f"alike for {alike} except nodes and exact times: containers are on other nodes from {sooner}"


def whom(parting: Parting) -> tuple[str, str]:
    """Names whom a parting is about, and adds what else is known of that."""
    of = ", ".join(filter(None, (parting.user, text.short_queue(parting.queue))))
    asks = f" asks for {parting.asks}" if parting.asks else ""
    node = f", node {parting.node}" if parting.node else ""
    return f"{parting.application:04d} {parting.name}".strip(), f" ({of}){asks}{node}"


def parting_lines(parting: Parting, offset_ms: int) -> Iterator[tuple[str, str]]:
    """(letter or nothing, line) of a parting: whom it is about, then each run with what decided."""
    yield "", "".join((f"{text.instant(parting.time_ms, offset_ms)}  ", *whom(parting)))
    for side in parting.sides:
        yield side.letter, side.decided
        if side.rule:
            setting = f" ({side.setting})" if side.setting else ""
            yield "", f"  {side.rule}{setting}"
