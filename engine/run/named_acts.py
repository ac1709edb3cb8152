"""Looks up the names in acts: which application, node or container of a cluster is meant."""

from typing import Final

from engine.errors import RefusedError
from engine.model.decision import ContainerId
from engine.model.identity import container_of_name
from engine.observe.snapshot import Snapshot
from engine.run.measures import find_application
from engine.scenario.timed_acts import Finders

IDS: Final = ("application_", "job_", "app-", "driver-")
"""How ids of applications begin."""


def finders_in(snapshot: Snapshot) -> Finders:
    """Find the numbers and ids that names stand for in a cluster.

    Each raises `RefusedError` for an application or container that is not there; nodes the simulation looks up itself.
    """
    return {
        "application": lambda name: _number(name, snapshot),
        "master": lambda name: str(_number(name, snapshot)),
        "node": lambda name: _node(name, snapshot),
        "container": _container,
    }


def _number(name: str, snapshot: Snapshot) -> int:
    row = find_application(snapshot.applications(why=False), name)
    if row is None:
        words = f"{name} is not there any more" if name.startswith(IDS) else f"no single application is meant by {name}"
        raise RefusedError("ApplicationNotFoundException", words)
    return row.number


def _node(name: str, snapshot: Snapshot) -> str:
    """The id of a node that is shown, else the name as it is: a tracker that was lost is shown no more."""
    return next((row.id for row in snapshot.nodes() if name in (row.id, row.host)), name)


def _container(name: str) -> ContainerId:
    """A container by its id, or its last three numbers (`0012_01_000003`), an epoch before them included."""
    container = container_of_name(name)
    if container is None:
        raise RefusedError("ContainerNotFoundException", f"{name} is no container id")
    return container
