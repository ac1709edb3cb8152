"""Writes the MapReduce jobs of a scenario as a SWIM trace: bytes that make as many maps and reduces when it is read.

A line has a job, its submit second, the gap before it, and bytes of input, shuffle and output. Durations are those the
bytes take at the rates of `rules`; bytes are chosen so that they come as near as the numbers of tasks allow.
"""

from collections.abc import Iterator
from typing import Final

from engine.formats.traces.application import MIB, MappingRules, TraceApplication
from engine.formats.traces.exports import applications_of
from engine.formats.traces.report import ImportReport
from engine.scenario import Scenario

UNKEPT: Final = "SWIM has arrivals and bytes alone: users, queues, sizes of containers and hosts are not kept"
OTHERS: Final = "applications that are no MapReduce jobs"
DURATIONS: Final = "durations of {kind} are those their bytes take: {mean_s:.0f} s on average, {kept_s:.0f} s here"


def swim_trace(scenario: Scenario, report: ImportReport) -> Iterator[str]:
    """The trace, a line for each job."""
    rules, before_s = MappingRules(), 0
    report.note(UNKEPT)
    kept: dict[str, list[float]] = {"maps": [0.0, 0.0, 0], "reduces": [0.0, 0.0, 0]}
    for each in applications_of(scenario, report):
        report.count(each)
        if each.behaviour != "mapreduce" or not each.containers:
            report.drop(OTHERS)
            continue
        second, amounts = each.submitted_ms // 1000, _bytes(each, rules, kept)
        name = "_".join((each.name or each.id).split())
        yield "\t".join(map(str, (name, second, second - before_s, *amounts))) + "\n"
        before_s = second
    for kind, (wanted_ms, written_ms, count) in kept.items():
        if abs(written_ms - wanted_ms) > wanted_ms / 20:
            means = wanted_ms / count / 1000, written_ms / count / 1000
            report.note(DURATIONS.format(kind=kind, kept_s=means[1], mean_s=means[0]))


def _bytes(each: TraceApplication, rules: MappingRules, kept: dict[str, list[float]]) -> tuple[int, int, int]:
    maps, map_ms = _of_kind(each, "map")
    reduces, reduce_ms = _of_kind(each, "reduce")
    maps = max(1, maps)
    moved = _moved(map_ms, rules.start_up_ms, rules.map_mb_per_s) * maps
    most = maps * rules.split_mb * MIB
    read = round(min(most, max(most - rules.split_mb * MIB + 1, moved)))
    most = reduces * rules.reduce_mb * MIB
    shuffled = round(min(most, max(most - rules.reduce_mb * MIB + 1, moved - read))) if reduces else 0
    if reduces:
        written = _moved(reduce_ms, rules.start_up_ms, rules.reduce_mb_per_s) * reduces - shuffled
    else:
        written = moved - read
    written = max(0, round(written))
    _count(kept["maps"], maps, map_ms, rules.map_ms((read + (shuffled if reduces else written)) / maps))
    if reduces:
        _count(kept["reduces"], reduces, reduce_ms, rules.reduce_ms((shuffled + written) / reduces))
    return read, shuffled, written


def _of_kind(each: TraceApplication, kind: str) -> tuple[int, float]:
    """How many tasks of a kind there are, and their mean duration [ms]."""
    groups = [tasks for tasks in each.tasks if tasks.kind == kind]
    count = sum(tasks.count for tasks in groups)
    return count, sum(tasks.count * tasks.mean_ms for tasks in groups) / max(1, count)


def _moved(duration_ms: float, start_up_ms: int, mb_per_s: float) -> float:
    return max(0.0, duration_ms - start_up_ms) / 1000 * mb_per_s * MIB


def _count(kept: list[float], tasks: int, wanted_ms: float, written_ms: float) -> None:
    kept[0] += tasks * wanted_ms
    kept[1] += tasks * written_ms
    kept[2] += tasks
