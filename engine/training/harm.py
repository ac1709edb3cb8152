"""The harm done while a trainee works, measured on the run: work lost and applications that wait.

Lost is what containers had done that ended neither by themselves nor with their application: preempted, killed, lost
with a node, or killed with their application. An application that was killed waits no more, and costs as if it did: no
one has served it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from engine.control_plane.protocol import NodeLost
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed, owner_of
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import loses_work
from engine.simulation.records import Record

LOSSES: Final = frozenset({"PREEMPTED", "LOST", "RELABELLED", "KILLED_BY_USER", "ORPHANED", "RESTART"})
"""Causes by which a container's work is lost whatever its application does."""

UNSERVED: Final = frozenset({"KILLED", "FAILED"})


class HarmDone(msgspec.Struct, frozen=True):
    lost_s: float = 0.0  # Container-seconds lost
    waiting_s: float = 0.0  # Application-seconds waited
    unserved_s: float = 0.0  # Application-seconds since one was killed or failed
    preempted_s: float = 0.0  # Container-seconds lost by preemption; part of `lost_s`
    killed: int = 0  # Applications that were killed or failed
    nodes_lost: int = 0


class Sacrifice(msgspec.Struct, frozen=True):
    """The cost of the end of one killed or failed application."""

    killed_ms: int  # Epoch ms
    lost_s: float  # Container-seconds lost with it
    unserved_s: float  # How long ago that is


class Toll(msgspec.Struct, frozen=True):
    """What each application and the nodes have suffered since the drill's beginning."""

    lost_s: Mapping[int, float]  # Application → container-seconds lost
    waited_s: Mapping[int, float]  # Application → how long it waited, or was killed or failed
    ended: frozenset[int]  # Applications killed or failed
    known: int  # So many applications are listed or have ended, and drivers wait
    nodes: int  # Nodes that are up


class HarmFigures(msgspec.Struct, frozen=True):
    """Harm that neither doing nothing nor the reference does."""

    work_lost: float  # Percent of the work at stake
    ended: int  # Applications that end otherwise when nothing is done
    delayed_ms: int  # How much longer others wait, all together
    nodes_out: int


def harm_beyond(own: Toll, idle: Toll, par: Toll, at_stake_s: float) -> HarmFigures:
    """The harm of an exercise beside that of idle and of par, each played to its end."""
    forgotten = max(0, min(idle.known, par.known) - own.known)
    lost_s = sum(
        max(0.0, lost_s - max(idle.lost_s.get(number, 0), par.lost_s.get(number, 0)))
        for number, lost_s in own.lost_s.items()
        if number not in par.ended
    )
    spared_s = sum(par.lost_s.get(number, 0) for number in par.ended - own.ended)
    delayed_s = sum(
        max(0.0, waited_s - max(idle.waited_s.get(number, 0), par.waited_s.get(number, 0)))
        for number, waited_s in own.waited_s.items()
        if number in idle.waited_s.keys() | par.waited_s.keys() and number not in own.ended
    )
    return HarmFigures(
        work_lost=round(100 * max(0.0, lost_s - spared_s) / max(1.0, at_stake_s), 1),
        ended=len(own.ended - idle.ended) + forgotten,
        delayed_ms=round(delayed_s * 1000),
        nodes_out=max(0, min(idle.nodes, par.nodes) - own.nodes),
    )


class HarmMeter:
    """A listener that follows containers from the run's start and counts harm from the drill's beginning."""

    def __init__(self, start_ms: int) -> None:
        self._start_ms = start_ms
        self._began: dict[ContainerId, int] = {}  # Live containers → when they were allocated [epoch ms]
        self._unserved: dict[int, int] = {}  # Applications killed or failed → when [epoch ms]
        self._lost_ms: dict[int, int] = {}  # Application → container-ms lost of it
        self._causes: dict[str, int] = {}  # Cause → container-ms lost by it
        self._ending_ms: dict[int, int] = {}
        """Application → container-ms that ended with it, before its end was known: a JobTracker cleans up first."""
        self._waited_ms: dict[int, int] = {}  # Application → how long it waited, or was killed or failed
        self._waiting_ms = 0  # How long applications waited, all together
        self._nodes_lost = 0
        self._now_ms = start_ms
        self.is_counting = False

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._now_ms = time_ms
        for record in records:
            if isinstance(record, ApplicationTransitioned) and self.is_counting and record.state in UNSERVED:
                self._unserved.setdefault(record.application, time_ms)
                self._lose(record.application, "APPLICATION_ENDED", self._ending_ms.pop(record.application, 0))
        for record in records:
            if isinstance(record, Allocated):
                self._began[record.container] = time_ms
            elif isinstance(record, Killed):
                self._killed(time_ms, record.container, record.cause)
            elif isinstance(record, Completed) and loses_work(record):
                self._killed(time_ms, record.container, "RESTART")
            elif isinstance(record, Completed):
                self._began.pop(record.container, None)
            elif isinstance(record, NodeLost):
                self._nodes_lost += self.is_counting

    def _killed(self, time_ms: int, container: ContainerId, cause: str) -> None:
        ran_ms, owner = time_ms - self._began.pop(container, self._start_ms), owner_of(container)
        if self.is_counting and (cause in LOSSES or owner in self._unserved):
            self._lose(owner, cause, ran_ms)
        elif self.is_counting and cause == "APPLICATION_ENDED":
            self._ending_ms[owner] = self._ending_ms.get(owner, 0) + ran_ms

    def _lose(self, application: int, cause: str, lost_ms: int) -> None:
        self._causes[cause] = self._causes.get(cause, 0) + lost_ms
        self._lost_ms[application] = self._lost_ms.get(application, 0) + lost_ms

    def pass_time(self, snapshot: Snapshot, span_ms: int) -> int:
        """Count the waiting of a span of time at whose end this is the picture; how many wait."""
        self._now_ms, waiting = snapshot.header.time_ms, 0
        for row in snapshot.applications(why=False):
            waits = row.waiting_since_ms is not None
            waiting += waits
            if waits or row.number in self._unserved:
                self._waited_ms[row.number] = self._waited_ms.get(row.number, 0) + span_ms
        self._waiting_ms += waiting * span_ms
        return waiting

    def toll(self, snapshot: Snapshot) -> Toll:
        return Toll(
            {number: lost_ms / 1000 for number, lost_ms in self._lost_ms.items()},
            {number: waited_ms / 1000 for number, waited_ms in self._waited_ms.items()},
            frozenset(self._unserved),
            len({row.number for row in snapshot.applications(why=False)} | self._unserved.keys()),
            snapshot.header.nodes,
        )

    def sacrificed(self) -> dict[int, Sacrifice]:
        return {
            number: Sacrifice(at_ms, self._lost_ms.get(number, 0) / 1000, (self._now_ms - at_ms) / 1000)
            for number, at_ms in self._unserved.items()
        }

    def at_stake_s(self, now_ms: int) -> float:
        """Return the work of the live containers by an instant [epoch ms], in container-seconds."""
        return sum(now_ms - began for began in self._began.values()) / 1000

    def done(self) -> HarmDone:
        return HarmDone(
            lost_s=sum(self._causes.values()) / 1000,
            waiting_s=self._waiting_ms / 1000,
            unserved_s=(sum(self._waited_ms.values()) - self._waiting_ms) / 1000,
            preempted_s=self._causes.get("PREEMPTED", 0) / 1000,
            killed=len(self._unserved),
            nodes_lost=self._nodes_lost,
        )
