"""A comparison in words: what its runs came to; as lines of a terminal, as CSV and as Markdown."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from engine.compare import FAILED, KILLED, REFUSED, ComparedRun, Comparison, ExplainedDivergence, Loss, measure_rows
from engine.compare.comparison import DIMENSIONS, ProvedFreeze, terms_of
from engine.errors import shortened
from engine.explain.alert import BADGES
from engine.grouping import grouped
from engine.observe.documents import csv_line
from tui.pages.compare import alike_until, measure_name, parting_lines, value_text, wait_cell, wait_text, waits_by_name
from tui.panes.sensitivity_text import IF_ASSUMED
from tui.terminal import format as text

NAME: Final = 34
CELL: Final = 13
APPLICATIONS: Final = 10  # Applications listed
STARVED: Final = "STARVED"
LONGEST_REASON: Final = 200  # Characters of a reason in the headline
LONGER: Final = 1.1  # Beyond so many times that of another, the time that the work takes, or what it holds, is told of


def badge(run: ComparedRun) -> tuple[str, str]:
    """(token of its colour, words) of what a run came to, the worst of it: FROZEN, STUCK, LIVELOCK … or OK."""
    measures, failed, kind = run.measures, _failed(run), _kind(run)
    if kind:
        return "alarm", f"{BADGES[kind].word} {text.duration(run.frozen_ms or run.livelock_ms)}"
    if measures.refused:
        return "alarm", f"REFUSED {measures.refused}"
    if failed:
        return "alarm", f"FAILED {failed}"
    if measures.starved:
        return "watch", f"{STARVED} {measures.starved}"
    return ("watch", f"NOT STARTED {measures.never_started}") if measures.never_started else ("good", "OK")


def _failed(run: ComparedRun) -> int:
    return sum(len(loss.applications) for loss in run.losses if loss.kind == FAILED)


def harm(run: ComparedRun) -> str:
    """Return the applications that waited long in a run; of one that gets nowhere, how many applications end."""
    measures, failed = run.measures, _failed(run)
    lost = f", {failed} failed" if failed else ""
    lost += f", {measures.refused} refused" if measures.refused else ""
    if not measures.applications:
        return f"no {terms_of([run]).application} runs{lost}"
    if measures.starved:
        return f"{measures.starved} of {measures.applications} wait ten minutes or longer{lost}"
    if _standstills(run):
        return f"{_ending(run)}{lost}"
    begun = f"{_beginning(run)}, " if measures.never_started else f"{_counted(measures.applications, run)}, "
    so_far = " so far" if measures.still_waiting else ""
    return f"{begun}the longest wait{so_far} is {wait_text(measures.waits.worst)}{lost}"


def headline(comparison: Comparison) -> str:
    """What the runs came to: refused configurations, freezes, applications lost; waits only where every run goes on."""
    runs = comparison.runs
    found = [f"{name} is refused: {_short(words)}" for name, words in comparison.refused.values()]
    losses = [words for kind in (REFUSED, FAILED, KILLED) for words in _losses(comparison, kind)]
    if any(map(_standstills, runs)):
        ends = any(run.livelocks for run in runs) or len({_ending(run) for run in runs}) > 1
        what = _ending if ends or len({_beginning(run) for run in runs}) == 1 else _beginning
        found += [*_freezes(comparison, what), *losses]
        found += _under([run for run in runs if not _standstills(run)], what)
    else:
        found += [*losses, *_waits(runs)]
    if comparison.assumed:
        return f"{IF_ASSUMED} {'; '.join(found)}"
    return "; ".join([found[0][:1].upper() + found[0][1:] if found[0].startswith("under ") else found[0], *found[1:]])


def _under(runs: Sequence[ComparedRun], words_of: Callable[[ComparedRun], str]) -> Iterator[str]:
    for words, alike in grouped((words_of(run), run) for run in runs).items():
        yield f"under {_names(alike)} {words}"


def _standstills(run: ComparedRun) -> Sequence[ProvedFreeze]:
    return run.frozen or run.livelocks


def _kind(run: ComparedRun) -> str:
    return min((each.kind for each in _standstills(run)), key=list(BADGES).index, default="")


def _freezes(comparison: Comparison, words_of: Callable[[ComparedRun], str]) -> Iterator[str]:
    still = [run for run in comparison.runs if _standstills(run)]
    found = grouped(((_freeze(run, comparison, is_one=False), words_of(run)), run) for run in still)
    for (how, words), alike in found.items():
        if len(alike) > 1:
            yield f"{_names(alike)} {how} alike; {words}"
        else:
            yield f"{alike[0].name} {_freeze(alike[0], comparison, is_one=True)}, {words}"


def _freeze(run: ComparedRun, comparison: Comparison, *, is_one: bool) -> str:
    stretches, kind = _standstills(run), _kind(run)
    ends, ends_of_go = ("s", "es") if is_one else ("", "")
    at = f"at {text.instant(stretches[0].since_ms, comparison.offset_ms)[:8]}"
    at = at if len(stretches) == 1 else f"{len(stretches)} times, first {at}"
    if kind == "livelock":
        lasts = text.duration(run.livelock_ms)
        return f"go{ends_of_go} round in a preemption livelock {at.replace('at ', 'from ')} on, for {lasts}"
    why = f" ({stretches[0].pattern})" if stretches[0].pattern else ""
    verb = f"get{ends} stuck" if kind == "stuck" else f"freeze{ends}"
    return f"{verb} {at}{why} and allocate{ends} nothing for {text.duration(run.frozen_ms)}"


def _ending(run: ComparedRun) -> str:
    measures, noun = run.measures, terms_of([run]).application
    finished = measures.finished
    if not measures.applications:
        return f"there is no {noun}"
    if not finished:
        return f"no {noun} finishes"
    if finished == measures.applications:
        return f"every {noun} finishes" if finished > 1 else f"the {noun} finishes"
    return f"{finished} of {_counted(measures.applications, run)} {'finishes' if finished == 1 else 'finish'}"


def _beginning(run: ComparedRun) -> str:
    measures, noun = run.measures, terms_of([run]).application
    begun, failed = measures.applications - measures.never_started, _failed(run)
    if not measures.applications:
        return f"there is no {noun}"
    if not measures.never_started and failed == measures.applications:
        return f"no {noun} finishes"
    if not measures.never_started:
        every = "the" if measures.applications - failed == 1 else "every"
        return f"{every}{' other' if failed else ''} {noun} has begun to work"
    if measures.applications == 1:
        return f"the {noun} has not begun to work by the end"
    has = "have" if begun > 1 else "has"
    return f"{begun or 'none'} of {_counted(measures.applications, run)} {has} begun to work by the end"


def _losses(comparison: Comparison, kind: str) -> Iterator[str]:
    found = grouped((loss, run) for run in comparison.runs for loss in run.losses if loss.kind == kind)
    for loss, runs in found.items():
        is_of_all = len(runs) == len(comparison.runs)
        if kind != KILLED or not is_of_all:
            alike = " alike" if is_of_all else ""
            yield f"{_lost(loss, runs)} under {_names(runs)}{alike}{_because(loss)}"


def _lost(loss: Loss, runs: Sequence[ComparedRun]) -> str:
    count, of = len(loss.applications), max(run.measures.applications + run.measures.refused for run in runs)
    verb = {FAILED: "fails" if count == 1 else "fail"}.get(loss.kind, f"{'is' if count == 1 else 'are'} {loss.kind}")
    return f"{count} of {_counted(of, *runs)} {verb}"


def _because(loss: Loss) -> str:
    others = f", and {text.plural(loss.others, 'other reason')}" if loss.others else ""
    return f": {_short(loss.reason)}{others}" if loss.reason else ""


def _short(words: str) -> str:
    return shortened(" ".join(words.split()).rstrip("."), LONGEST_REASON)


def _counted(number: int, *runs: ComparedRun) -> str:
    return text.plural(number, terms_of(runs).application)


def _waits(runs: Sequence[ComparedRun]) -> Iterator[str]:
    """How long applications wait; where some never get to work only that, as their waits have no end."""
    if any(run.measures.still_waiting for run in runs):
        yield ", ".join(_under(runs, _beginning))
        return
    known = sorted((run for run in runs if run.measures.waits.number), key=lambda run: run.measures.waits.p95)
    if not known:
        yield f"no {terms_of(runs).application} is submitted"
        return
    yield from _under([run for run in runs if run not in known], _ending)
    best, worst = (wait_text(run.measures.waits.p95) for run in (known[0], known[-1]))
    taken = "those accepted" if any(run.measures.refused for run in runs) else f"{terms_of(runs).application}s"
    whom = f"95 % of {taken}"
    if best != worst:
        yield f"under {known[0].name} {whom} wait at most {best}, under {known[-1].name} {worst}"
        return
    alike = " alike" if len(known) > 1 else ""
    known = [run for run in runs if run in known]
    yield f"{whom} wait at most {best} under {_names(known)}{alike}"
    if len({_ending(run) for run in known}) > 1:
        yield from _under(known, _ending)
    elif _is_apart([run.measures.makespan_ms for run in known]):
        yield ", ".join(_under(known, lambda run: f"the work takes {wait_text(run.measures.makespan_ms)}"))
    elif _is_apart([next(iter(run.measures.used_share.values()), 0.0) for run in known]):
        yield ", ".join(_under(known, _holding))


def _is_apart(values: Sequence[float]) -> bool:
    return max(values) > LONGER * min(values)


def _holding(run: ComparedRun) -> str:
    name, share = next(iter(run.measures.used_share.items()))
    return f"{value_text(share, 'share')} of the {DIMENSIONS[name]} is held"


def _names(runs: Sequence[ComparedRun]) -> str:
    return text.listed([run.name for run in runs])


def comparison_lines(comparison: Comparison, partings: Sequence[ExplainedDivergence]) -> Iterator[str]:
    yield f"{comparison.scenario}: {headline(comparison)}."
    yield ""
    for run in comparison.runs:
        yield from _run_lines(run)
    for letter, (name, words) in comparison.refused.items():
        yield f"{letter} {name}  refused: {words}"
    yield ""
    yield f"Where they part: {alike_until(comparison)}"
    for parting in partings:
        for letter, line in parting_lines(parting, comparison.offset_ms):
            yield f"  {letter or ' '} {line}" if letter or line.startswith(" ") else f"  {line}"
    more = len(comparison.divergences) - len(partings)
    if more > 0:
        yield f"  and {more} more"
    yield ""
    yield from _measure_lines(comparison)
    yield from _queue_lines(comparison)
    yield from _application_lines(comparison)
    if comparison.assumed:
        yield ""
    yield from (f"assumed: {each}" for each in comparison.assumed)


def _run_lines(run: ComparedRun) -> Iterator[str]:
    _, words = badge(run)
    yield f"{run.letter} {run.name}  {words}  {harm(run)}"
    if run.policy != run.name:
        yield f"  under {run.policy}"
    yield from (f"  mapped: {each}" for each in run.mapped)
    yield from (f"  dropped: {each}" for each in run.dropped)
    for mishap in run.mishaps:
        yield f"  {mishap.step} at {text.since_start(mishap.time_ms)} came to nothing: {mishap.reason}"


def _table(comparison: Comparison, head: str, rows: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Lines of a table, a column a run, as wide as its cells need; a row without cells is the head of some others."""
    name = max([NAME, *(len(words) + 2 for words, cells in rows if cells)])
    cell = max([CELL, *(len(each) + 1 for _, cells in rows for each in cells)])
    yield f"{head:{name}}" + "".join(f"{run.letter:>{cell}}" for run in comparison.runs)
    for words, cells in rows:
        yield f"  {words:{name - 2}}" + "".join(f"{each:>{cell}}" for each in cells) if cells else words


def _measure_lines(comparison: Comparison) -> Iterator[str]:
    lines: list[tuple[str, Sequence[str]]] = []
    for group, rows in groupby(measure_rows(comparison), key=lambda row: row.group):
        lines.append((group, ()))
        lines += [(text.plain(row.name), [value_text(value, row.unit) for value in row.values]) for row in rows]
    yield from _table(comparison, "measure", lines)


def _queue_lines(comparison: Comparison) -> Iterator[str]:
    for kind, rows in waits_by_name(comparison.runs):
        if not any(rows):
            continue
        yield ""
        lines = []
        for name, waits in rows.items():
            cells = ["–" if wait is None else f"{wait_text(wait.median)} {wait_text(wait.p95)}" for wait in waits]
            lines += [(text.plain(text.short_queue(name)), cells)] if name else []
        yield from _table(comparison, f"{kind}: wait, median and 95 %", lines)


def _application_lines(comparison: Comparison) -> Iterator[str]:
    yield ""
    rows = [
        (text.fit(f"{row.number:04d} {row.name}", NAME - 2), [wait_cell(row, run) for run in comparison.runs])
        for row in comparison.applications[:APPLICATIONS]
    ]
    yield from _table(comparison, f"{terms_of(comparison.runs).application}, by difference of waits", rows)


def comparison_csv(comparison: Comparison) -> str:
    """Every measure of every run: a line each, of the whole run, of queues and of users; times in ms, work in s."""
    runs = comparison.runs
    lines = [csv_line(["group", "measure", "unit", *(f"{run.letter} {run.name}" for run in runs)])]
    lines += [csv_line([row.group, row.name, row.unit, *row.values]) for row in measure_rows(comparison)]
    for kind, rows in waits_by_name(runs):
        for name, waits in rows.items():
            for what in ("median", "p95", "worst"):
                values = [None if wait is None else getattr(wait, what) for wait in waits]
                lines.append(csv_line([f"wait of {kind} {name}", what, "ms", *values]))
    return "".join(lines)


def comparison_markdown(comparison: Comparison, partings: Sequence[ExplainedDivergence]) -> str:
    heads = "".join(f" {run.letter} {run.name} |" for run in comparison.runs)
    lines = [f"# {comparison.scenario}", "", f"{headline(comparison)}.", ""]
    lines += [f"- **{run.letter} {run.name}**: {badge(run)[1]} {harm(run)}" for run in comparison.runs]
    lines += ["", f"| measure |{heads}", f"|---|{'---:|' * len(comparison.runs)}"]
    for row in measure_rows(comparison):
        lines.append(f"| {measure_name(row)} |" + "".join(f" {value_text(value, row.unit)} |" for value in row.values))
    lines += ["", f"Where they part: {alike_until(comparison)}", ""]
    for parting in partings:
        lines += [
            f"- {letter} {line}".replace("-  ", "- ") for letter, line in parting_lines(parting, comparison.offset_ms)
        ]
    lines += ["", *(f"- assumed: {each}" for each in comparison.assumed)] if comparison.assumed else []
    return "\n".join(lines) + "\n"
