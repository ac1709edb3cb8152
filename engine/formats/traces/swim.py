"""SWIM traces: for each job its arrival and how many bytes it reads, shuffles and writes; tab-separated, no header.

Columns: job, submit second, gap to the job before, bytes of input, shuffle and output, then paths, which are not
looked at. What runs is inferred: a map for each split of the input, a reduce for each so many bytes of the shuffle,
each for the time its bytes take at a rate.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.formats.traces.application import TraceApplication, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource

COLUMNS: Final = 6


def read_swim(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The jobs of a SWIM trace."""
    inferred = {
        "maps": rules.split_rule,
        "reduces": rules.reduce_rule,
        "durations": rules.rate_rule,
        "memory and vcores": rules.size_rule,
    }
    for number, line in source.lines():
        application = _application(line.split("\t"), rules, inferred)
        if application is None:
            source.fault("a line has a job, its second, the gap before it and three numbers of bytes", number)
        else:
            yield application


def _application(columns: list[str], rules: MappingRules, inferred: Mapping[str, str]) -> TraceApplication | None:
    numbers = [whole(column) for column in columns[1:COLUMNS]]
    if len(columns) < COLUMNS or any(number is None for number in numbers):
        return None
    second, _, read, shuffled, written = (number or 0 for number in numbers)
    maps, reduces = rules.maps(read), rules.reduces(shuffled)
    # A job without reduces writes its output from its maps; one with reduces writes there what is shuffled.
    map_ms = rules.map_ms((read + (shuffled if reduces else written)) / maps)
    tasks = [TraceTasks("map", maps, (map_ms,))]
    if reduces:
        tasks.append(TraceTasks("reduce", reduces, (rules.reduce_ms((shuffled + written) / reduces),)))
    return TraceApplication(
        id=words(columns[0]),
        name=words(columns[0]),
        submitted_ms=second * 1000,
        tasks=tuple(tasks),
        behaviour="mapreduce",
        inferred=inferred,
    )
