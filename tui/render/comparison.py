"""A comparison in words: values with their units, what a run came to, and the headline."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.compare import FAILED, KILLED, REFUSED, ApplicationWaits, ComparedRun, Comparison, Loss, Parting, is_spark
from engine.compare.measure_rows import Value
from engine.errors import shortened
from tui import format as text

HUES: Final = dict(zip("ABCDEF", ("q1", "q4", "q3", "q2", "q5", "q6"), strict=True))
"""Letter of a run → the token of its colour."""
STARVED: Final = "STARVED"
LONGEST_REASON: Final = 200  # Characters of a reason in the headline
SPREAD: Final = 5  # Applications named whose executors are on more or fewer workers
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


def wait_cell(row: ApplicationWaits, run: ComparedRun) -> str:
    """The wait of an application in a run; a dash where it ran at the start."""
    if run.letter not in row.waits_ms:
        is_refused = any(row.number in loss.applications for loss in run.losses if loss.kind == REFUSED)
        return "refused" if is_refused else "–"
    wait = row.waits_ms[run.letter]
    return "–" if wait is None else wait_text(wait)


def badge(run: ComparedRun) -> tuple[str, str]:
    """(token of its colour, words) of what a run came to: FROZEN, REFUSED, STARVED or OK."""
    measures = run.measures
    if run.frozen_ms:
        return "alarm", f"FROZEN {text.duration(run.frozen_ms)}"
    if measures.refused:
        return "alarm", f"REFUSED {measures.refused}"
    return ("watch", f"{STARVED} {measures.starved}") if measures.starved else ("good", "OK")


def harm(run: ComparedRun) -> str:
    """Return who waited long in a run; of one that freezes, how many applications end."""
    measures = run.measures
    refused = f", {measures.refused} refused" if measures.refused else ""
    if measures.starved:
        return f"{measures.starved} of {measures.applications} wait ten minutes or longer{refused}"
    if run.frozen_ms:
        return f"{_ending(run)}{refused}"
    begun = f"{_beginning(run)}, " if measures.never_started else f"{_counted(measures.applications)}, "
    so_far = " so far" if measures.never_started else ""
    return f"{begun}the longest wait{so_far} is {wait_text(measures.waits.worst)}{refused}"


def headline(comparison: Comparison) -> str:
    """What the runs came to: refused configurations, freezes, applications lost; waits only where nothing freezes."""
    runs = comparison.runs
    frozen = [run for run in runs if run.frozen_ms]
    others = [run for run in runs if not run.frozen_ms]
    found = [f"{name} is refused: {_short(words)}" for name, words in comparison.refused.values()]
    found += _freezes(frozen, comparison)
    found += [words for kind in (REFUSED, FAILED, KILLED) for words in _losses(comparison, kind)]
    if frozen:
        found += [f"under {run.name} {_ending(run)}" for run in others]
    else:
        found.append(_waits(runs))
    return "; ".join([found[0][:1].upper() + found[0][1:] if found[0].startswith("under ") else found[0], *found[1:]])


def _freezes(frozen: Sequence[ComparedRun], comparison: Comparison) -> Iterator[str]:
    if len(frozen) > 1 and len({(run.frozen[0].since_ms, run.frozen_ms) for run in frozen}) == 1:
        first = frozen[0]
        alike = {_ending(run) for run in frozen}
        ends = f" alike; {alike.pop()}" if len(alike) == 1 else ""
        yield f"{_names(frozen)} freeze {_freeze(first, comparison)}{ends}"
        return
    for run in frozen:
        yield f"{run.name} freezes {_freeze(run, comparison).replace('allocate ', 'allocates ', 1)}, {_ending(run)}"


def _freeze(run: ComparedRun, comparison: Comparison) -> str:
    first = run.frozen[0]
    at = text.instant(first.since_ms, comparison.offset_ms)[:8]
    why = f" ({first.pattern})" if first.pattern else ""
    return f"at {at}{why} and allocate nothing for {text.duration(run.frozen_ms)}"


def _ending(run: ComparedRun) -> str:
    """Return how many applications end."""
    measures = run.measures
    ended = measures.applications - measures.unfinished
    if not measures.applications:
        return "there is no application"
    if not ended:
        return "no application ends"
    if ended == measures.applications:
        return "every application ends" if ended > 1 else "the application ends"
    return f"{ended} of {measures.applications} applications {'ends' if ended == 1 else 'end'}"


def _beginning(run: ComparedRun) -> str:
    """Return how many applications have begun to work by the end."""
    measures = run.measures
    begun = measures.applications - measures.never_started
    if not measures.never_started:
        return "every application has begun to work"
    has = "has" if begun == 1 else "have"
    return f"{begun or 'none'} of {_counted(measures.applications)} {has} begun to work by the end"


def _losses(comparison: Comparison, kind: str) -> Iterator[str]:
    """Return which run refuses or fails how many applications, and why; of kills only where they differ."""
    found = [(run, loss) for run in comparison.runs for loss in run.losses if loss.kind == kind]
    is_alike = len(found) == len(comparison.runs) and len({loss.applications for _, loss in found}) == 1
    if is_alike and len({loss.reason for _, loss in found}) == 1:
        _, loss = found[0]
        if kind != KILLED:
            yield f"{_lost(loss, comparison)} under {_names(comparison.runs)} alike{_because(loss)}"
        return
    for run, loss in found:
        yield f"{_lost(loss, comparison)} under {run.name}{_because(loss)}"


def _lost(loss: Loss, comparison: Comparison) -> str:
    count, of = len(loss.applications), max(run.measures.applications + run.measures.refused for run in comparison.runs)
    verb = {FAILED: "fails" if count == 1 else "fail"}.get(loss.kind, f"{'is' if count == 1 else 'are'} {loss.kind}")
    return f"{count} of {_counted(of)} {verb}"


def _because(loss: Loss) -> str:
    return f": {_short(loss.reason)}" if loss.reason else ""


def _short(words: str) -> str:
    """Words of a class, which may have lines."""
    return shortened(" ".join(words.split()).rstrip("."), LONGEST_REASON)


def _counted(number: int) -> str:
    return text.plural(number, "application")


def _waits(runs: Sequence[ComparedRun]) -> str:
    """Return how long applications wait; where some never get to work only that, as their waits have no end."""
    if any(run.measures.never_started for run in runs):
        return ", ".join(f"under {run.name} {_beginning(run)}" for run in runs)
    known = sorted((run for run in runs if run.measures.waits.number), key=lambda run: run.measures.waits.p95)
    if not known:
        return "no application is submitted"
    best, worst = known[0], known[-1]
    most = wait_text(best.measures.waits.p95)
    whom = "95 % of applications" if not any(run.measures.refused for run in runs) else "95 % of those taken"
    if best.measures.waits.p95 == worst.measures.waits.p95:
        return f"{whom} wait at most {most} under {_names(known)} alike"
    return f"under {best.name} {whom} wait at most {most}, under {worst.name} {wait_text(worst.measures.waits.p95)}"


def _names(runs: Sequence[ComparedRun]) -> str:
    names = [run.name for run in runs]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def alike_until(comparison: Comparison) -> str:
    """Return how long the runs are alike, in words."""
    first = comparison.divergences[0].time_ms if comparison.divergences else None
    if first is None:
        return f"no lasting difference: every application soon has the same again{_spread(comparison)}"
    trifle = comparison.first_trifle_ms
    alike = text.duration(first - comparison.start_ms)
    if trifle is None or trifle == first:
        return f"alike for {alike}{_spread(comparison)}"
    sooner = text.instant(trifle, comparison.offset_ms)
    words = f"alike for {alike} except nodes and exact times: containers are on other nodes from {sooner}"
    return words + _spread(comparison)


def _spread(comparison: Comparison) -> str:
    """Return on how many workers applications of Spark have executors, where that differs."""
    if not is_spark(comparison.runs):
        return ""
    rows = [
        row for row in comparison.applications if len({row.nodes.get(run.letter, 0) for run in comparison.runs}) > 1
    ]
    found = []
    for row in rows[:SPREAD]:
        on = ", ".join(f"{row.nodes.get(run.letter, 0)} under {run.letter}" for run in comparison.runs)
        found.append(f"{row.number:04d} {row.name} is on {on}")
    if not found:
        return ""
    more = f" and {len(rows) - len(found)} more" if len(rows) > len(found) else ""
    return f". Workers at once, most: {'; '.join(found)}{more}"


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
