"""Words the questions asked before a fault: of a control plane, a node manager or a master."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from engine.observe.snapshot import Header
from engine.scenario.acts import (
    Act,
    FailOverResourceManager,
    LoseMaster,
    LoseResourceManager,
    RestartJobTracker,
    RestartNodeManager,
    RestartResourceManager,
)
from tui import format as text
from tui.render.act_sheet import ActQuestion


class _Losses(NamedTuple):
    """The losses when a control plane goes."""

    keeps: Mapping[str, str]
    """Kind of what outlives a restart → the line that says so."""
    more: str
    application: str = "application"
    container: str = "container"

    def lines(self, header: Header) -> list[str]:
        """In the figures of a cluster."""
        count = header.applications_running + header.applications_pending
        words = self.keeps.get(str(header.restart_keeps), "").format(
            containers=text.plural(header.containers, self.container), applications=text.plural(count, self.application)
        )
        return [words, self.more.format(reservations=text.plural(header.nodes_held, "reservation")), ""]


_OF_RESOURCE_MANAGER: Final = _Losses(
    {
        "containers": "keeps  {containers}; nothing new starts for the wait after its start",
        "applications": "loses  {containers}; each application has another attempt, which does not count as failed",
        "nothing": "loses  {applications} with {containers}: yarn.resourcemanager.recovery.enabled is not true",
    },
    "loses  {reservations}, locality waits and the clocks of preemption",
)
_OF_JOB_TRACKER: Final = _Losses(
    {
        "applications": "loses  {containers}; each job runs again from its beginning, none of its tasks is kept",
        "nothing": "loses  {applications} with {containers}: mapred.jobtracker.restart.recover is not true",
    },
    "loses  {reservations}, locality waits, and the list of jobs that ended",
    "job",
    "attempt",
)


class _Fault(NamedTuple):
    """The words of a question, and the act it is about."""

    act: Callable[..., Act]
    title: str
    yes: str
    means: str
    """What happens, with `whom` in it."""
    whom: str = ""
    """Kind of what it is about, `node` or `application`; empty where there is only one."""
    losses: _Losses | None = None
    dialect: str = "yarn"
    """The kind of cluster that knows it."""


FAULTS: Final[dict[str, _Fault]] = {
    RestartResourceManager.do: _Fault(
        RestartResourceManager,
        "Restart the ResourceManager",
        "Restart it",
        "The ResourceManager stops, and starts again after five seconds.",
        losses=_OF_RESOURCE_MANAGER,
    ),
    FailOverResourceManager.do: _Fault(
        FailOverResourceManager,
        "Fail over",
        "Fail over",
        "The active ResourceManager crashes; the other one takes over when ZooKeeper has noticed.",
        losses=_OF_RESOURCE_MANAGER,
    ),
    LoseResourceManager.do: _Fault(
        LoseResourceManager,
        "Lose the ResourceManager",
        "Lose it",
        "The ResourceManager goes, and comes back only when it is restarted.",
        losses=_OF_RESOURCE_MANAGER,
    ),
    RestartNodeManager.do: _Fault(
        RestartNodeManager,
        "Restart a node manager",
        "Restart it",
        "The node manager of {whom} stops for ten seconds; its containers die with it unless it recovers them.",
        "node",
    ),
    LoseMaster.do: _Fault(
        LoseMaster,
        "Lose a master",
        "Lose it",
        "The application master of {whom} fails; its containers are lost and another attempt begins, if one is left.",
        "application",
    ),
    RestartJobTracker.do: _Fault(
        RestartJobTracker,
        "Restart the JobTracker",
        "Restart it",
        "The JobTracker stops, and starts again after five seconds.",
        losses=_OF_JOB_TRACKER,
        dialect="mr1",
    ),
}
"""Fault, as a script calls it → how it is asked for."""


def fault_question(kind: str, whom: str, header: Header) -> ActQuestion:
    """Ask whether to do a fault; it is tried on a copy."""
    fault = FAULTS[kind]
    losses = [] if fault.losses is None else fault.losses.lines(header)
    lines = (fault.means.format(whom=text.plain(whom)), *(["", *losses] if losses else []))
    return ActQuestion(fault.title, lines, fault.yes, acts={whom: fault.act(*([whom] if fault.whom else []))})
