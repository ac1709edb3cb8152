"""The machine of a batch system's log, as one node that holds every job in one container."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from engine.formats.traces.application import TraceApplication
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MappingRules
from engine.model.java_number import INT_MAX

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
        report.note(
            f"the log does not say how large its machine is: {machine.processors} processors,"
            " as many as the largest job that was read"
        )
    return MachineNode(min(machine.processors * rules.container_mb, INT_MAX), machine.processors)
