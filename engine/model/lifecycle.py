"""The life cycles of container, application, attempt and node, as tables.

The law: a thing changes its state only through `move`, and only along its table; an illegal move is a bug of ours and
raises `InvariantError`. Each table maps a state to what may happen to it and the state that follows.

Source: RMContainerImpl, RMAppImpl, RMAppAttemptImpl, RMNodeImpl, Hadoop 2.7.2 (states a client can see; transient ones
of the state store are left out).
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol, TypeVar

from engine.errors import InvariantError

Table = dict[str, dict[str, str]]

CONTAINER: Final[Table] = {
    "NEW": {"START": "ALLOCATED", "RESERVE": "RESERVED", "RECOVER": "RUNNING", "KILL": "KILLED"},
    "RESERVED": {"RESERVE": "RESERVED", "START": "ALLOCATED", "KILL": "KILLED", "RELEASE": "RELEASED"},
    # Differs: a container that ends before its application master has fetched it ends in the state RELEASED or
    # COMPLETED here; RMContainerImpl logs an error and shows it as ALLOCATED, though it is gone.
    "ALLOCATED": {
        "ACQUIRE": "ACQUIRED",
        "EXPIRE": "EXPIRED",
        "KILL": "KILLED",
        "RELEASE": "RELEASED",
        "FINISH": "COMPLETED",
    },
    "ACQUIRED": {
        "LAUNCH": "RUNNING",
        "FINISH": "COMPLETED",
        "RELEASE": "RELEASED",
        "EXPIRE": "EXPIRED",
        "KILL": "KILLED",
    },
    "RUNNING": {"FINISH": "COMPLETED", "KILL": "KILLED", "RELEASE": "RELEASED"},
    "COMPLETED": {},
    "EXPIRED": {},
    "RELEASED": {},
    "KILLED": {},
}
"""RMContainerState."""

APPLICATION: Final[Table] = {
    "NEW": {"SUBMIT": "SUBMITTED"},
    "SUBMITTED": {"ACCEPT": "ACCEPTED", "FAIL": "FAILED", "KILL": "KILLED"},
    "ACCEPTED": {"REGISTER": "RUNNING", "RETRY": "ACCEPTED", "FINISH": "FINISHED", "FAIL": "FAILED", "KILL": "KILLED"},
    "RUNNING": {"RETRY": "ACCEPTED", "FINISH": "FINISHED", "FAIL": "FAILED", "KILL": "KILLED"},
    "FINISHED": {},
    "FAILED": {},
    "KILLED": {},
}
"""YarnApplicationState; RETRY is a failed attempt that is followed by another."""

NODE: Final[Table] = {
    "NEW": {"JOIN": "RUNNING"},
    "RUNNING": {
        "EXPIRE": "LOST",
        "SICKEN": "UNHEALTHY",
        "DECOMMISSION": "DECOMMISSIONED",
        "REBOOT": "REBOOTED",
    },
    "UNHEALTHY": {"JOIN": "RUNNING", "EXPIRE": "LOST", "DECOMMISSION": "DECOMMISSIONED", "SICKEN": "UNHEALTHY"},
    "LOST": {"JOIN": "RUNNING"},
    "REBOOTED": {"JOIN": "RUNNING"},
    "DECOMMISSIONED": {"JOIN": "RUNNING"},
}
"""NodeState. DECOMMISSIONING (2.8 and later) is left out: a draining node runs until it is decommissioned."""

CONTROL_PLANE: Final[Table] = {
    "ACTIVE": {"STOP": "DOWN"},
    "DOWN": {"START": "RECOVERING"},
    "RECOVERING": {"RECOVERED": "ACTIVE", "STOP": "DOWN"},
}
"""A control plane: it recovers until it allocates again and all nodes and masters are back, or given up."""

FINAL_APPLICATION_STATES: Final = tuple(state for state, moves in APPLICATION.items() if not moves)
"""States an application never leaves."""

ENDED_WELL: Final = ("FINISHED", "SUCCEEDED")
"""What ResourceManagers and Masters call an application that ended well, then what a JobTracker calls such a job."""

ENDED_APPLICATION_STATES: Final = (*FINAL_APPLICATION_STATES, "SUCCEEDED", "UNKNOWN")
"""Ends on every system; UNKNOWN is one in which a Spark Master may leave an application."""

EARLIER_STATES: Final[Mapping[str, str]] = {"ACCEPTED": "PREP", "FINISHED": "SUCCEEDED"}
"""Word for the state of a job of MapReduce 1 in older scenarios → Hadoop's."""

FINAL_CONTAINER_STATES: Final = tuple(state for state, moves in CONTAINER.items() if not moves)
"""States a container never leaves."""


def move(table: Table, state: str, happening: str) -> str:
    """The state that follows `state` when `happening` happens; raises InvariantError where the table has none."""
    try:
        return table[state][happening]
    except KeyError:
        raise InvariantError(f"nothing in state {state} can {happening}") from None


class _OfApplication(Protocol):
    @property
    def state(self) -> str: ...


_Row = TypeVar("_Row", bound=_OfApplication)


def still_live(applications: Iterable[_Row]) -> list[_Row]:
    return [each for each in applications if each.state not in ENDED_APPLICATION_STATES]
