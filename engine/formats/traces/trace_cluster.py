"""The cluster that a trace is played on: its scheduler, its nodes, and the settings that let its containers through.

The machine of a batch system's log is one node that holds every job in one container.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import Final

import msgspec

from engine.formats.traces.application import TraceApplication, TraceNode
from engine.formats.traces.busy import BY_LARGEST, BY_TIMES
from engine.formats.traces.granted import nodes_at_once, proven_settings
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MappingRules
from engine.model.java_number import INT_MAX
from engine.scenario import ApplicationSpec, ClusterSpec, NodeGroup, NodeSpec, StandaloneSpec
from engine.scenario.scenario import family_of, system_of
from engine.settings.fair import FAIR_27
from engine.settings.releases import differences
from engine.settings.site import MAXIMA, YARN_27, YARN_34

MAX_NODES: Final = 100_000


class ClusterChoice(msgspec.Struct, frozen=True):
    """A user's choices for the cluster a trace is played on."""

    policy: str = ""
    """The scheduler; empty takes the one the trace names, else FIFO for a batch log, the fair one of 2.7 for others."""
    nodes: int | None = None
    """How many; None takes those the trace names, else ten."""
    node_mb: int = 10_240
    """Source: yarn.sls.nm.memory.mb."""
    node_vcores: int = 10
    is_size_given: bool = False
    """Whether the size holds for nodes whose size the trace names, too."""

    @property
    def has_settings(self) -> bool:
        """Tell whether the scheduler is one of YARN."""
        return system_of(self.policy) == "yarn"


def with_policy(choice: ClusterChoice, report: ImportReport, rules: MappingRules) -> ClusterChoice:
    """The choice with a scheduler: the one chosen, else the trace's; the report says what was taken."""
    is_batch = report.machine is not None and rules.processors is None
    logged = report.logged
    if logged.policy and not choice.policy:
        report.note(f"scheduler {logged.policy}: the log names {logged.named} (--policy takes another one)")
        if words := differences(family_of(logged.policy), logged.named.partition(" ")[2]):
            report.note(words)
    elif logged.policy and choice.policy != logged.policy:
        report.note(f"scheduler {choice.policy}, as --policy says; the log names {logged.named}")
    elif is_batch and not choice.policy:
        report.note(f"scheduler {YARN_27.name}: jobs of a batch log start in their order (--policy takes another one)")
    otherwise = YARN_27.name if is_batch else FAIR_27.name
    return msgspec.structs.replace(choice, policy=choice.policy or logged.policy or otherwise)


def roomy(choice: ClusterChoice, workload: Sequence[ApplicationSpec], report: ImportReport) -> ClusterChoice:
    """The choice with nodes of unknown size as most others, at least as large as the largest container.

    Where the user gave their size, that holds.
    """
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
            report.note(f"nodes of unknown size have {memory_mb} MB and {vcores} vcores, as {count} others")
        choice = msgspec.structs.replace(choice, node_mb=memory_mb, node_vcores=vcores)
    sizes = list(_sizes(workload))
    memory_mb = max((choice.node_mb, *(size for size, _ in sizes)))
    vcores = max((choice.node_vcores, *(size for _, size in sizes)))
    if (memory_mb, vcores) == (choice.node_mb, choice.node_vcores):
        return choice
    report.note(f"nodes of unknown size have {memory_mb} MB and {vcores} vcores, so that every container fits one")
    return msgspec.structs.replace(choice, node_mb=memory_mb, node_vcores=vcores)


def _sizes(workload: Sequence[ApplicationSpec]) -> Iterator[tuple[int, int]]:
    """Memory [MB] and vcores of every container asked for."""
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
        if choice.has_settings and not choice.is_size_given and _all_unknown(report):
            report.inferred["size of nodes", f"{size}, since the trace states none (--node-size)"] += len(kept)
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
        full = nodes_at_once(kept, choice.node_mb, choice.node_vcores)
        count = min(max(10, ceil(at_once / max(1, choice.node_vcores)), full), MAX_NODES)
        rule = f"{count} of {size}, since the trace names no nodes (--nodes, --node-size)"
        report.inferred["nodes", rule] += len(kept)
    return ClusterSpec(groups=(NodeGroup(count=count, memory_mb=choice.node_mb, vcores=choice.node_vcores),))


def _all_unknown(report: ImportReport) -> bool:
    return all(node.memory_mb is None or node.is_least for node in report.nodes.values())


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
    settings |= proven_settings(choice.policy, kept, settings, report)
    sizes = list(_sizes(workload))
    for place, key in enumerate(MAXIMA):
        largest = max((size[place] for size in sizes), default=0)
        # As 3.4 has them: 2.7 lets more vcores through.
        if largest > int(settings.get(key.name, YARN_34.default(key))):
            settings[key.name] = str(largest)
    return settings


TOO_LARGE: Final = "jobs of more processors than the machine has"
GANGS: Final = (
    "YARN allocates the containers of a job one after another, so that jobs of several containers can block each other"
    " for ever, each holding a part of what it needs; without --nodes and --processors a job is one container"
)


class MachineNode(msgspec.Struct, frozen=True):
    """The node that stands for the machine."""

    memory_mb: int
    vcores: int

    def holding(self, applications: Iterable[TraceApplication], report: ImportReport) -> Iterator[TraceApplication]:
        """The applications whose containers fit the node; the others are counted as dropped."""
        for each in applications:
            largest_mb = max((tasks.memory_mb or 0 for tasks in each.tasks), default=0)
            largest_vcores = max((tasks.vcores or 0 for tasks in each.tasks), default=0)
            if largest_mb > self.memory_mb or largest_vcores > self.vcores:
                report.drop(TOO_LARGE)
            else:
                yield each


def machine_node(report: ImportReport, rules: MappingRules) -> MachineNode | None:
    """The node of the batch machine that was read; None where jobs are several containers, or no batch log was read."""
    machine = report.machine
    if machine is None or rules.processors is not None:
        return None
    if not machine.is_named:
        rule = BY_TIMES if machine.is_timed else BY_LARGEST
        report.inferred["processors of the machine", rule.format(most=machine.processors)] += report.applications
    return MachineNode(min(machine.processors * rules.container_mb, INT_MAX), machine.processors)
