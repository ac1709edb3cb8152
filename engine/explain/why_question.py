"""Explains why an application waits: state, all reasons, the first one first, expected start, holders, verdict, proof.

`WhyQuestion` gives what is known at once without any copy, and the rest after as many pieces of work as it takes
(`advance`), so that a screen stays alive meanwhile. The report is filled as things are found.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.control_plane.cluster_view import ClusterView
from engine.errors import RefusedError
from engine.explain.answer import (
    ENDS_LATER,
    NEVER_ENDS,
    ApplicationReport,
    HolderReport,
    RequestReport,
    WhyReport,
    application_report,
    ask_report,
    empty_report,
)
from engine.explain.counterfactuals import Ask, Lookahead, confirmed, is_never_without
from engine.explain.explainers import explainer_of
from engine.explain.instant import LIVELOCK, SharedLookahead
from engine.explain.obstacles import HOLDS_NOBODY, ObstacleRow, without_setting
from engine.explain.outages import returns_to_come, waits_of
from engine.explain.recent_decisions import Departure, RecentDecisions
from engine.explain.verdict import Verdict, severity_key
from engine.explain.verdict_search import overtaking_allocations, verdicts, with_confirmed_settings
from engine.explain.waits import BlockingResources
from engine.incremental import Incremental, Task, run_to_end
from engine.observe.snapshot import ApplicationRow
from engine.observe.snapshots import snapshot_of
from engine.schedulers.obstacle_texts import Reason
from engine.settings.site import NODE_MEMORY, NODE_VCORES
from engine.simulation.simulation import Simulation

CONTAINERS: Final = 20  # Number of containers of one holder that are named


class WhyQuestion:
    """Asks why one application waits; the simulation asked about is never changed."""

    def __init__(
        self,
        simulation: Simulation,
        number: int,
        facts: RecentDecisions | None = None,
        basis: SharedLookahead | None = None,
    ) -> None:
        """Ask, between two instants; the simulation may go on once the instant is copied (`SharedLookahead.copied`).

        `facts` are what a recorder has heard; the basis of another question is shared when it is of the same instant.
        """
        self._number = number
        self._row = row = row_of(simulation, number)
        rows = (*waits_of(simulation, number), *run_to_end(explainer_of(simulation).obstacles(number)))
        self.basis: SharedLookahead | None = None
        """The instant that the rest of the answer rests on; None when it does not wait, so that there is no rest."""
        self.found: Verdict | None = None
        """The verdict on the ask that fares worst; None while it is looked for, and when it waits for nothing."""
        self.verdicts: tuple[Verdict, ...] = ()  # The verdicts on all its asks, by priority, once they are known
        waits = row is not None and row.finished_ms is None and any(each.code not in HOLDS_NOBODY for each in rows)
        self._report = msgspec.structs.replace(
            empty_report(simulation.now_ms, self._application(simulation), "" if waits else _state_of(row)),
            reasons=tuple(map(without_setting, rows)) if waits else rows,
            facts=facts.of(number) if facts is not None else (),
            not_counted=returns_to_come(simulation),
            dimensions=simulation.control_plane.dimensions,
        )
        self._task: Task[None] | None = None
        if waits:
            self.basis = basis if basis is not None and basis.is_of(simulation) else SharedLookahead(simulation)
            passed = overtaking_allocations(simulation, number, facts) if facts is not None else ()
            self._task = Task(self._find(self.basis, Task(verdicts(self.basis, number, passed, self._tell))))

    @property
    def reached_ms(self) -> int | None:
        """Return the instant it has looked ahead to [epoch ms]; None before it begins to, or when it need not."""
        return self.basis.reached_ms if self.basis is not None else None

    @property
    def targets(self) -> list[Ask]:
        """Its asks on which there is a verdict."""
        known = self.verdicts or ([self.found] if self.found is not None else [])
        return [(self._number, each.priority) for each in known]

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces of the work; whether the answer is there."""
        return self._task is None or self._task.advance(pieces)

    def so_far(self) -> WhyReport:
        """Return what is known without further work; verdict and holders are empty where still to be found."""
        return self._report

    def answer(self) -> WhyReport:
        """The whole answer; the rest of the work is done first."""
        if self._task is not None:
            self._task.result()
        return self._report

    def _find(self, basis: SharedLookahead, judging: Task[tuple[Verdict, ...]]) -> Incremental[None]:
        yield from self._look_for_livelock(basis, judging)
        while not judging.advance():
            yield
        here = basis.base_copy
        explainer = explainer_of(here)
        worst = max(judging.result(), key=severity_key)
        found = yield from _with_enough(here, (self._number, worst.priority), worst)
        self.verdicts = tuple(found if each is worst else each for each in judging.result())
        pattern = yield from explainer.pattern(basis, self._number, found)
        ask, start_ms = (self._number, found.priority), found.expected_start_ms
        rows = (*waits_of(here, self._number), *(yield from explainer.obstacles(*ask)))
        self._tell(found, pattern, reasons=tuple(map(without_setting, rows)))
        rows = yield from with_confirmed_settings(here, ask, rows, start_ms)
        holds = yield from explainer.holds(*ask)
        # Applications of the proof that hold nothing it needs, and only come first.
        known = {self._number, *(hold.application for hold in holds)}
        ends = [number for number in found.proof.ends if number not in known]
        firsts = [BlockingResources(number, Reason.OTHER_FIRST, (), 0, 0, (), ()) for number in ends]
        in_way = _in_way(self._number, found, holds)
        held = tuple(_holder(basis, hold, found) for hold in (*in_way, *firsts))
        # An application that waits behind another one is held up by whatever holds up that one.
        if firsts and not any(row.decided_by or row.together for row in rows):
            rows += yield from _behind(here, ask, firsts[0], start_ms)
        self._tell(found, pattern, reasons=rows, holders=held)

    def _tell(self, found: Verdict, pattern: str = "", **more: object) -> None:
        """Report a verdict, and what `more` is known with it."""
        assert self.basis is not None, "a verdict rests on an instant"
        here = self.basis.base_copy
        self.found = found
        self._report = msgspec.structs.replace(
            self._report,
            at_ms=here.now_ms,
            application=self._application(here),
            verdict=found.verdict,
            expected_start_ms=found.expected_start_ms,
            pattern=pattern,
            proof=found.proof.report(here.control_plane.view().application_id),
            **more,
        )

    def _application(self, simulation: Simulation) -> ApplicationReport:
        row = self._row
        if row is None:
            return ApplicationReport(
                id=simulation.control_plane.view().application_id(self._number), number=self._number
            )
        found = {each.priority: each for each in self.verdicts}
        asks = [(ask, found.get(ask.priority) or found.get(None)) for ask in row.listed_asks]
        return application_report(
            row,
            [
                ask_report(ask) if verdict is None else ask_report(ask, verdict.verdict, verdict.expected_start_ms)
                for ask, verdict in asks
            ],
        )

    def _look_for_livelock(self, basis: SharedLookahead, judging: Task[tuple[Verdict, ...]]) -> Incremental[None]:
        """Name it as soon as it is known: a verdict on one that waits behind others may take the whole horizon."""
        while not judging.advance():
            yield
            if basis.reached_ms is None or basis.ahead.preempted_ms is None:
                continue
            # An application that is given something in between is no part of it.
            if self._number not in basis.ahead.first and (yield from basis.livelocked()):
                self._report = msgspec.structs.replace(self._report, pattern=LIVELOCK)
            return


def _state_of(row: ApplicationRow | None) -> str:
    if row is None:
        return "unknown"
    if row.finished_ms is None:
        return "none"
    return "refused" if row.state == "FAILED" and row.finished_ms == row.submitted_ms else "ended"


def _with_enough(here: Simulation, ask: Ask, found: Verdict) -> Incremental[Verdict]:
    """A verdict whose proof also names applications that wait, where the end of the others would start nothing."""
    ends = found.proof.ends
    if found.verdict != "blocked" or not ends or not (yield from is_never_without(here, ask, ends)):
        return found
    waiting = (each.number for each in here.control_plane.view().applications() if each.waits)
    keeping = yield from confirmed(here, ask, tuple(dict.fromkeys((*ends, *waiting))), None)
    return msgspec.structs.replace(found, proof=msgspec.structs.replace(found.proof, ends=keeping or ends))


def _in_way(number: int, found: Verdict, holds: Sequence[BlockingResources]) -> list[BlockingResources]:
    """All holders of what it waits for: members of the circle first, then by memory.

    What it has itself explains its wait only in a circle. An ask that no one could make room for has no holders.
    """
    if found.verdict in ("impossible", "outage"):
        return []
    members = {step.application for step in found.proof.cycle}
    others = [hold for hold in holds if hold.application != number or number in members]
    return sorted(others, key=lambda hold: (hold.application not in members, -hold.memory_mb, hold.application))


def _behind(
    here: Simulation, ask: Ask, first: BlockingResources, expected_ms: int | None
) -> Incremental[tuple[ObstacleRow, ...]]:
    number = first.application
    rows = yield from explainer_of(here).obstacles(number)
    rows = yield from with_confirmed_settings(here, ask, rows, expected_ms, whose=(number, None))
    found = here.control_plane.view().application(number)
    name = f"{number:04d} {found.name if found is not None else ''}".rstrip()
    told = [row for row in rows if row.decided_by or row.together]
    return tuple(_of_first(name, row) for row in told)


def _of_first(name: str, row: ObstacleRow) -> ObstacleRow:
    """An obstacle of the one that comes first, as a reason of the one behind it; its nodes do not decide."""
    decider = row.decided_by
    return msgspec.structs.replace(
        row,
        code=Reason.OTHER_FIRST.name,
        answer=f"{name} comes first, and {row.sentence}",
        noun="",
        count=0,
        nodes=(),
        numbers={},
        decided_by=None if decider is not None and decider.key in (NODE_MEMORY.name, NODE_VCORES.name) else decider,
    )


def _holder(basis: SharedLookahead, hold: BlockingResources, found: Verdict) -> HolderReport:
    """A holder of what is needed, and until when it holds that."""
    view = basis.base_copy.control_plane.view()
    start_ms, holder = found.expected_start_ms, view.application(hold.application)
    assert holder is not None, "who holds something is alive"
    ends = [basis.ahead.ended.get(container) for container in hold.containers]
    # What ends after the expected start is not reported, also when another question has seen it.
    seen = [end for end in ends if end is not None and (start_ms is None or end <= start_ms)]
    # An end is told only when all it holds there comes back in time.
    is_all = len(seen) == len(ends) and bool(ends)
    never = start_ms is None and (basis.ahead.still or hold.application in found.proof.ends)
    return HolderReport(
        application=view.application_id(hold.application),
        name=holder.name,
        queue=holder.queue,
        because=hold.because.name,
        memory_mb=hold.memory_mb,
        vcores=hold.vcores,
        containers=tuple(map(view.container_id, hold.containers[:CONTAINERS])),
        container_count=len(hold.containers),
        nodes=hold.nodes,
        reservations=hold.reservations,
        waits=holder.waits,
        until_ms=max(seen) if is_all else NEVER_ENDS if never else ENDS_LATER,
    )


def row_of(simulation: Simulation, number: int) -> ApplicationRow | None:
    """Return the row of an application; None when the cluster does not know it."""
    rows = snapshot_of(simulation).applications(why=False)
    return next((row for row in rows if row.number == number), None)


def request_report(simulation: Simulation, number: int, priority: int) -> RequestReport:
    """All obstacles of an application's ask at one priority, the first reason first.

    Raises:
        RefusedError: It asks for nothing at that priority.
    """
    here = simulation.fork(closed=True)
    explainer = explainer_of(here)
    asked = explainer.priorities(number)
    if priority not in asked:
        where = f"it asks at {', '.join(map(str, asked))}" if asked else "it asks for nothing by priority"
        raise RefusedError("UnknownPriority", f"nothing is asked for at priority {priority}; {where}")
    rows = run_to_end(explainer.obstacles(number, priority))
    start_ms = Lookahead(here).until_started(number, priority)
    reasons = run_to_end(with_confirmed_settings(here, (number, priority), rows, start_ms))
    return RequestReport(priority=priority, reasons=reasons)


def gone_report(view: ClusterView, gone: Departure, at_ms: int) -> WhyReport:
    """The answer about an application that the cluster has refused, or knows no more."""
    submitted, number = gone.submitted, gone.submitted.application
    application = ApplicationReport(
        id=view.application_id(number) if number else "",
        number=number,
        name=submitted.name,
        user=submitted.user,
        queue=submitted.queue or None,
        state=gone.state,
        diagnostics=gone.detail or None,
        finished_ms=gone.at_ms,
    )
    return empty_report(at_ms, application, "refused" if gone.state == "REFUSED" else "ended")
