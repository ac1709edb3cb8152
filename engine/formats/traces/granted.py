"""What the containers that a scheduler granted prove of its cluster: its step, its calculator, and how much it held."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil, gcd
from typing import Final

from engine.formats.traces.application import TraceApplication
from engine.formats.traces.report import ImportReport
from engine.scenario.scenario import family_of
from engine.settings.capacity_scheduler import RESOURCE_CALCULATOR
from engine.settings.fair import INCREMENT_MB
from engine.settings.site import MINIMUM_MB, YARN_34

MASTERS: Final = 2
"""How much more a queue must be able to hold than its masters. Source: maxAMShare of the fair scheduler, 0.5."""
SPARE: Final = 1.1
"""How much more nodes there are than containers of one size would fill: those of several leave gaps."""
OVERHEAD_MS: Final = 5_000
"""How much longer than its work a container is held, at most: it is fetched, launched and reported at heartbeats."""
DOMINANT: Final = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
STEP: Final = (
    "containers are multiples of {step_mb} MB, as those that were granted are (yarn.scheduler.minimum-allocation-mb)"
)
CALCULATOR: Final = "vcores count, as they did where several were granted ({key})"
BY_MEMORY: Final = "{policy} grants {who} 1 vcore, whatever it asks for: vcoreSeconds are less than stated"


def nodes_at_once(kept: Iterable[TraceApplication], node_mb: int, node_vcores: int) -> int:
    """Nodes that hold what was granted at the busiest instant if nothing waits, with room for the masters.

    A container counts for the part of a node that is left to one of its size when as many as fit are on it.
    """
    changes: list[tuple[int, float]] = []
    for each in kept:
        if not each.is_granted:
            continue
        last_ms = max((tasks.at_ms + round(tasks.mean_ms) for tasks in each.tasks), default=each.master_ms or 0)
        sizes = [(MASTERS, 0, last_ms, each.master or (0, 0))]
        for tasks in each.tasks:
            size = tasks.memory_mb or 0, tasks.vcores or 0
            sizes.append((tasks.count, tasks.at_ms, tasks.at_ms + round(tasks.mean_ms), size))
        for count, begin_ms, end_ms, (memory_mb, vcores) in sizes:
            fitting = max(1, min(node_mb // max(1, memory_mb), node_vcores // max(1, vcores)))
            changes.append((each.submitted_ms + begin_ms, count / fitting))
            changes.append((each.submitted_ms + end_ms + OVERHEAD_MS, -count / fitting))
    return ceil(SPARE * max(accumulate(change for _, change in sorted(changes)), default=0.0))


def proven_settings(
    policy: str, kept: Sequence[TraceApplication], stated: Mapping[str, str], report: ImportReport
) -> dict[str, str]:
    """The settings under which each container gets what it was granted; the report says where there are none."""
    granted = [each for each in kept if each.is_granted]
    family, found = family_of(policy), dict[str, str]()
    step_mb = gcd(int(YARN_34.default(MINIMUM_MB)), *(memory_mb for each in granted for memory_mb, _ in _sizes(each)))
    if step_mb < int(stated.get(MINIMUM_MB.name, YARN_34.default(MINIMUM_MB))):
        found[MINIMUM_MB.name] = str(step_mb)
        if family == "fair":
            found[INCREMENT_MB.name] = str(step_mb)
        report.note(STEP.format(step_mb=step_mb))
    several = [each for each in granted if any(vcores > 1 for _, vcores in _sizes(each))]
    if several and family == "capacity" and RESOURCE_CALCULATOR.everywhere not in stated:
        found[RESOURCE_CALCULATOR.everywhere] = DOMINANT
        report.note(CALCULATOR.format(key=RESOURCE_CALCULATOR.everywhere))
    if policy == "fair-2.7":
        several = [each for each in several if each.master is not None and each.master[1] > 1]
    if several and (policy == "fair-2.7" or family == "fifo"):
        who = "a master" if policy == "fair-2.7" else "a container"
        report.inferred["vcores", BY_MEMORY.format(policy=policy, who=who)] += len(several)
    return found


def _sizes(each: TraceApplication) -> Iterator[tuple[int, int]]:
    """Memory [MB] and vcores of each container, its master's with them; 0 where unknown."""
    yield each.master or (0, 0)
    yield from ((tasks.memory_mb or 0, tasks.vcores or 0) for tasks in each.tasks)
