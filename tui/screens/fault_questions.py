"""What a fault would do, in words, before it is done: a ResourceManager, a node manager or a master that goes."""

from typing import Any, Final, NamedTuple

from engine.observe.snapshot import Header
from tui import format as text
from tui.render.act_sheet import ActQuestion
from tui.screens.act_questions import STANDS


class _Fault(NamedTuple):
    """How a fault is asked for."""

    title: str
    yes: str
    means: str
    """Of `whom`."""
    names: str = ""
    """The key of its step that names whom it is about; empty where there is only one."""
    resource_manager: bool = True


FAULTS: Final[dict[str, _Fault]] = {
    "rm_restart": _Fault(
        "Restart the ResourceManager", "Restart it", "The ResourceManager stops, and starts again after five seconds."
    ),
    "rm_failover": _Fault(
        "Fail over",
        "Fail over",
        "The active ResourceManager crashes; the other one takes over when ZooKeeper has noticed.",
    ),
    "rm_lost": _Fault(
        "Lose the ResourceManager", "Lose it", "The ResourceManager goes, and comes back only when it is restarted."
    ),
    "node_manager_restart": _Fault(
        "Restart a node manager",
        "Restart it",
        "The node manager of {whom} stops for ten seconds; its containers die with it unless it recovers them.",
        "node",
        resource_manager=False,
    ),
    "master_lost": _Fault(
        "Lose a master",
        "Lose it",
        "The application master of {whom} fails; its containers are lost and another attempt begins, if one is left.",
        "application",
        resource_manager=False,
    ),
}
"""Fault, as a script calls it → how it is asked for."""

_KEEPS: Final = {
    "containers": "keeps  {containers}; nothing new starts for the wait after its start",
    "applications": "loses  {containers}; each application has another attempt, which does not count as failed",
    "nothing": "loses  {applications} with {containers}: yarn.resourcemanager.recovery.enabled is not true",
}
"""What outlives a restart → the line that says so."""


def fault_question(kind: str, whom: str, header: Header) -> ActQuestion:
    """What a fault means, and does on a copy."""
    fault = FAULTS[kind]
    step: dict[str, Any] = {"do": kind, **({fault.names: whom} if fault.names else {})}
    lost = _lost(header) if fault.resource_manager else []
    lines = (fault.means.format(whom=text.plain(whom)), "", *lost, STANDS)
    return ActQuestion(fault.title, lines, fault.yes, steps=(step,))


def _lost(header: Header) -> list[str]:
    held = header.nodes_reserved if isinstance(header.nodes_reserved, int) else 0
    count = header.applications_running + header.applications_pending
    words = _KEEPS.get(str(header.restart_keeps), "").format(
        containers=text.plural(header.containers, "container"), applications=text.plural(count, "application")
    )
    return [words, f"loses  {text.plural(held, 'reservation')}, locality waits and the clocks of preemption", ""]
