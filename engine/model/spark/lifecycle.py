"""The life cycles of Spark's standalone Master as tables.

Every change of state in `engine.model.spark` goes through `check_move`; an illegal move raises and changes nothing.
Source: WorkerState, ApplicationState, ExecutorState, DriverState, Spark 4.x. The states of a recovering Master
(`UNKNOWN`) are left out: there is no standby here.
"""

from collections.abc import Mapping
from types import MappingProxyType

from engine.errors import InvariantError

Moves = Mapping[str, tuple[str, ...]]
"""For each state the states that may follow it."""

WORKER_MOVES: Moves = MappingProxyType(
    {
        "ALIVE": ("DECOMMISSIONED", "DEAD"),
        "DECOMMISSIONED": ("DEAD",),
        "DEAD": (),
    }
)

APPLICATION_MOVES: Moves = MappingProxyType(
    {
        "WAITING": ("RUNNING", "FINISHED", "FAILED", "KILLED"),
        "RUNNING": ("RUNNING", "FINISHED", "FAILED", "KILLED"),
        "FINISHED": (),
        "FAILED": (),
        "KILLED": (),
    }
)

EXECUTOR_MOVES: Moves = MappingProxyType(
    {
        "LAUNCHING": ("RUNNING", "KILLED", "FAILED", "LOST", "EXITED", "DECOMMISSIONED"),
        "RUNNING": ("KILLED", "FAILED", "LOST", "EXITED", "DECOMMISSIONED"),
        "DECOMMISSIONED": ("LOST",),
        "KILLED": (),
        "FAILED": (),
        "LOST": (),
        "EXITED": (),
    }
)

DRIVER_MOVES: Moves = MappingProxyType(
    {
        "SUBMITTED": ("RUNNING", "KILLED", "FINISHED", "FAILED", "ERROR"),
        "RUNNING": ("FINISHED", "RELAUNCHING", "KILLED", "FAILED", "ERROR"),
        "RELAUNCHING": (),
        "FINISHED": (),
        "KILLED": (),
        "FAILED": (),
        "ERROR": (),
    }
)

EXECUTOR_ENDS = ("KILLED", "FAILED", "LOST", "EXITED")
"""States in which an executor has ended. Source: ExecutorState#isFinished; DECOMMISSIONED is not among them."""

DRIVER_ENDS = ("ERROR", "FINISHED", "KILLED", "FAILED")
"""States a worker may report of a driver. Source: Master#receive, DriverStateChanged."""


def check_move(moves: Moves, state: str, new: str) -> str:
    """The new state, if the table allows it after `state`.

    Raises:
        InvariantError: when it does not.

    >>> check_move(WORKER_MOVES, "ALIVE", "DEAD")
    'DEAD'
    """
    if new not in moves[state]:
        raise InvariantError(f"{state} may not become {new}; allowed: {', '.join(moves[state]) or 'nothing'}")
    return new
