"""The cluster that a trace is played on: its scheduler, its nodes, and the settings that let its containers through.

The machine of a batch system's log is one node that holds every job in one container.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil, gcd
from typing import Final

import msgspec

from engine.formats.traces.application import MappingRules, TraceApplication, TraceNode
from engine.formats.traces.report import ImportReport
from engine.model.java_values import INT_MAX
from engine.model.request import Resource
from engine.scenario import ApplicationSpec, ClusterSpec, NodeGroup, NodeSpec, StandaloneSpec
from engine.scenario.scenario import family_of, system_of
from engine.settings.capacity_scheduler import RESOURCE_CALCULATOR
from engine.settings.fair import FAIR_27, INCREMENT_MB
from engine.settings.known import differences
from engine.settings.site import MAXIMA, MINIMUM_MB, YARN_27, YARN_34
from engine.units import plural

BY_TIMES: Final = "{most}, the most that were busy at once by the log's own times, since it does not state its size"
BY_LARGEST: Final = "{most}, as many as the largest job has, since the log states neither its size nor when jobs ran"

# What the containers that a scheduler granted prove of its cluster: its step, its calculator, and how much it held.

MASTERS: Final = 2
"""How much more a queue must be able to hold than its masters. Source: maxAMShare of the fair scheduler, 0.5."""
SPARE: Final = 1.1  # How much more nodes there are than containers of one size would fill: those of several leave gaps
OVERHEAD_MS: Final = 5_000
"""How much longer than its work a container is held, at most: it is fetched, launched and reported at heartbeats."""
DOMINANT: Final = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
STEP: Final = (
    "containers are multiples of {step_mb} MB, as those that were granted are (yarn.scheduler.minimum-allocation-mb)"
)
CALCULATOR: Final = "vcores count, as they did where several were granted ({key})"
BY_MEMORY: Final = "{policy} grants {who} 1 vcore, whatever it asks for: vcoreSeconds are less than stated"


def _nodes_at_once(kept: Iterable[TraceApplication], node_mb: int, node_vcores: int) -> int:
    # If nothing waits, with room for the masters. A container counts for the part of a node that is left to one of its
    # size when as many as fit are on it
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


def _proven_settings(
    policy: str, kept: Sequence[TraceApplication], stated: Mapping[str, str], report: ImportReport
) -> dict[str, str]:
    # Each container gets what it was granted; the report says where there are none
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
    if report.machine is not None:
        several = [each for each in kept if any(vcores > 1 for _, vcores in _sizes(each))]
    if several and (policy == "fair-2.7" or family == "fifo"):
        who = "a master" if policy == "fair-2.7" else "a container"
        report.inferred["vcores", BY_MEMORY.format(policy=policy, who=who)] += len(several)
    return found


def _sizes(each: TraceApplication) -> Iterator[tuple[int, int]]:
    """Memory [MB] and vcores of each container, its master's with them; 0 where unknown."""
    yield each.master or (0, 0)
    yield from ((tasks.memory_mb or 0, tasks.vcores or 0) for tasks in each.tasks)


MAX_NODES: Final = 100_000


class ClusterChoice(msgspec.Struct, frozen=True):
    policy: str = ""
    """The scheduler; empty takes the one the trace names, else FIFO for a batch log, the fair one of 2.7 for others."""
    nodes: int | None = None  # How many; None takes those the trace names, else ten
    node_mb: int = 10_240  # Source: yarn.sls.nm.memory.mb
    node_vcores: int = 10
    is_size_given: bool = False  # Whether the size holds for nodes whose size the trace names, too

    @property
    def has_settings(self) -> bool:
        return system_of(self.policy) == "yarn"


def with_policy(choice: ClusterChoice, report: ImportReport, rules: MappingRules) -> ClusterChoice:
    """The choice with a scheduler: the one chosen, else the trace's; the report says what was taken."""
    is_batch = report.machine is not None and rules.processors is None
    logged = report.logged
    if logged.policy and not choice.policy:
        report.note(f"scheduler {logged.policy}: the log names {logged.named} (--set scheduler= takes another one)")
        if words := differences(family_of(logged.policy), logged.named.partition(" ")[2]):
            report.note(words)
    elif logged.policy and choice.policy != logged.policy:
        report.note(f"scheduler {choice.policy}, as --set says; the log names {logged.named}")
    elif is_batch and not choice.policy:
        report.note(
            f"scheduler {YARN_27.name}: jobs of a batch log start in their order (--set scheduler= takes another one)"
        )
    elif not choice.policy:
        report.note(f"scheduler {FAIR_27.name}: the trace names none (--set scheduler= takes another one)")
    otherwise = YARN_27.name if is_batch else FAIR_27.name
    return msgspec.structs.replace(choice, policy=choice.policy or logged.policy or otherwise)


def roomy(choice: ClusterChoice, workload: Sequence[ApplicationSpec], report: ImportReport) -> ClusterChoice:
    """Nodes of unknown size are as most others, and no smaller than any container; a size given holds."""
    if choice.is_size_given:
        return choice
    known = Counter(
        (node.memory_mb, node.vcores)
        for node in report.nodes.values()
        if node.memory_mb and node.vcores and not node.is_least
    )
    if known and choice.nodes is None:
        (memory_mb, vcores), count = known.most_common(1)[0]
        if any(node.memory_mb is None for node in report.nodes.values()):
            report.note(
                f"nodes of unknown size have {memory_mb} MB and {plural(vcores, 'vcore')}, as {count} of known size"
            )
        choice = msgspec.structs.replace(choice, node_mb=memory_mb, node_vcores=vcores)
    sizes = list(_trace_cluster_sizes(workload))
    memory_mb = max((choice.node_mb, *(size for size, _ in sizes)))
    vcores = max((choice.node_vcores, *(size for _, size in sizes)))
    if (memory_mb, vcores) == (choice.node_mb, choice.node_vcores):
        return choice
    report.note(f"nodes of unknown size have {memory_mb} MB and {vcores} vcores, so that every container fits one")
    return msgspec.structs.replace(choice, node_mb=memory_mb, node_vcores=vcores)


def _trace_cluster_sizes(workload: Sequence[ApplicationSpec]) -> Iterator[tuple[int, int]]:
    for spec in workload:
        parts = [getattr(spec, key, None) for key in ("am", "map", "reduce", "executor")]
        yield from ((size.memory_mb, size.vcores) for size in parts if size is not None)
        yield from ((ask.memory_mb, ask.vcores) for ask in getattr(spec, "asks", ()))
        if isinstance(spec, StandaloneSpec):
            yield spec.executor_memory_mb, spec.executor_cores or 1


def cluster_of(kept: Sequence[TraceApplication], choice: ClusterChoice, report: ImportReport) -> ClusterSpec:
    """The nodes of the trace, or so many alike ones."""
    size = f"{choice.node_mb} MB and {choice.node_vcores} vcores"
    if report.nodes and choice.nodes is None:
        is_unknown = all(node.memory_mb is None or node.is_least for node in report.nodes.values())
        if choice.has_settings and not choice.is_size_given and is_unknown:
            report.inferred["size of nodes", f"{size}, since the trace states none (--nodes)"] += len(kept)
        if not choice.is_size_given and any(node.memory_mb and not node.vcores for node in report.nodes.values()):
            vcores = f"{choice.node_vcores}, since those of the trace do not state their vcores (--nodes)"
            report.inferred["vcores of nodes", vcores] += len(kept)
        return ClusterSpec(
            nodes=tuple(
                NodeSpec(
                    host=node.host,
                    rack=node.rack or "/default-rack",
                    memory_mb=_size_of(node.memory_mb, choice.node_mb, node, choice),
                    vcores=_size_of(node.vcores, choice.node_vcores, node, choice),
                    partition=node.partition,
                )
                for node in report.nodes.values()
            )
        )
    count = choice.nodes
    if count is None:
        at_once = max((each.containers for each in kept if each.behaviour == "gang"), default=0)
        if report.machine is not None:
            at_once = max(at_once, report.machine.processors)
        full = _nodes_at_once(kept, choice.node_mb, choice.node_vcores)
        count = min(max(10, ceil(at_once / max(1, choice.node_vcores)), full), MAX_NODES)
        rule = f"{count} of {size}, since the trace names no nodes (--nodes)"
        report.inferred["nodes", rule] += len(kept)
    return ClusterSpec(groups=(NodeGroup(count=count, memory_mb=choice.node_mb, vcores=choice.node_vcores),))


def _size_of(known: int | None, chosen: int, node: TraceNode, choice: ClusterChoice) -> int:
    """Memory or vcores of a node: as the trace says unless the user does; a least size may be exceeded."""
    if known is None or choice.is_size_given:
        return chosen
    return max(known, chosen) if node.is_least else known


def settings_of(
    kept: Sequence[TraceApplication], workload: Sequence[ApplicationSpec], choice: ClusterChoice, report: ImportReport
) -> dict[str, str]:
    """The settings that the log prints, those that what was granted proves, and maxima that let all through."""
    logged = report.logged
    if not choice.has_settings:
        return dict(logged.settings) if system_of(choice.policy) == system_of(logged.policy or "fifo") else {}
    settings = {
        key: value for key, value in logged.settings.items() if choice.policy == logged.policy or "capacity" not in key
    }
    settings |= _proven_settings(choice.policy, kept, settings, report)
    sizes = list(_trace_cluster_sizes(workload))
    for place, key in enumerate(MAXIMA):
        largest = max((size[place] for size in sizes), default=0)
        # As 3.4 has them: 2.7 lets more vcores through.
        if largest > int(settings.get(key.name, YARN_34.default(key))):
            settings[key.name] = str(largest)
    return settings


TOO_LARGE: Final = "jobs of more processors than the machine has"
GANGS: Final = (
    "YARN allocates the containers of a job one after another, so that jobs of several containers can block each other"
    " for ever, each holding a part of what it needs; without --nodes and --assume processors a job is one container"
)


def fitting(
    applications: Iterable[TraceApplication], node: Resource, report: ImportReport
) -> Iterator[TraceApplication]:
    """The applications whose containers fit a node; the others are counted as dropped."""
    for each in applications:
        if all(Resource(tasks.memory_mb or 0, tasks.vcores or 0).fits_in(node) for tasks in each.tasks):
            yield each
        else:
            report.drop(TOO_LARGE)


def batch_node_size(report: ImportReport, rules: MappingRules) -> Resource | None:
    """The size of a node that stands for a batch machine; None where jobs are several containers, or none was read."""
    machine = report.machine
    if machine is None or rules.processors is not None:
        return None
    if not machine.is_named:
        rule = BY_TIMES if machine.is_timed else BY_LARGEST
        report.inferred["processors of the machine", rule.format(most=machine.processors)] += report.applications
    return Resource(min(machine.processors * rules.container_mb, INT_MAX), machine.processors)
