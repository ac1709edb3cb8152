"""Makes reports of what was found about a cluster: numbers of applications become their real ids."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from engine.control_plane.protocol import ControlPlane
from engine.errors import RefusedError
from engine.explain.answer import (
    ENDS_LATER,
    NEVER_ENDS,
    ActReport,
    ApplicationReport,
    AskReport,
    CycleStep,
    DelayReport,
    ExpectedReport,
    FreedReport,
    HolderReport,
    LastChanceReport,
    LostReport,
    PlaceReport,
    ProofReport,
    RefusalReport,
    RefusedReport,
    RemediesReport,
    RemedyReport,
    RequestReport,
    ReturnReport,
    StartReport,
    WaiterReport,
    WhyReport,
)
from engine.explain.can_start import Departure, RecentDecisions
from engine.explain.command import act_lines
from engine.explain.counterfactuals import Ask, Lookahead, confirmed, is_never_without
from engine.explain.explainers import explainer_of
from engine.explain.inquiry import overtaking_allocations, verdicts, with_confirmed_settings
from engine.explain.instant import LIVELOCK, SharedLookahead
from engine.explain.obstacles import SCHEMA, ObstacleRow, without_setting
from engine.explain.outages import returns_to_come, waits_of
from engine.explain.remedy import AGAIN_MS
from engine.explain.remedy_search import Remedies
from engine.explain.remedy_trial import ACT_MS, Trial
from engine.explain.verdict import Proof, Verdict, severity_key
from engine.explain.waits import BlockingResources, Waiter
from engine.incremental import Incremental, Task, run_to_end
from engine.observe.snapshot import ApplicationRow, AskRow
from engine.observe.snapshots import snapshot_of, terms_for
from engine.scenario.acts import Act
from engine.schedulers.obstacle_texts import Reason
from engine.settings.site import NODE_MEMORY, NODE_VCORES
from engine.simulation.simulation import Simulation

# Explains why an application waits: state, first reason, all reasons, expected start, holders, verdict, proof.
#
# `WhyQuestion` gives what is known at once without any copy (`obstacles`, `facts`), and the rest after as many pieces
# of work as it takes (`advance`), so that a screen stays alive meanwhile.


class Holder(msgspec.Struct, frozen=True):
    """A holder of what is needed, and until when it holds it."""

    hold: BlockingResources
    name: str
    user: str
    queue: str
    waits: bool  # True if it waits for something itself
    until_ms: int | None  # When the last of what it holds there is given back [epoch ms]; None when not seen
    never: bool  # True if it is never given back in the closed world


class Why(msgspec.Struct, frozen=True):
    """The answer about one application."""

    number: int
    row: ApplicationRow | None  # As the cluster sees it; None when it is unknown there
    time_ms: int  # The instant asked about [epoch ms]
    verdict: str  # As `Verdict.verdict`, or `none`, `ended`, `refused`, `unknown`
    pattern: str
    obstacles: tuple[ObstacleRow, ...]
    facts: tuple[RefusalReport, ...]
    expected_start_ms: int | None
    holders: tuple[Holder, ...]
    found: Verdict | None
    """The verdict with its proof, that on the ask that fares worst; None when it waits for nothing."""
    asks: tuple[Verdict, ...] = ()  # The verdicts on all its asks, by priority
    not_counted: tuple[ReturnReport, ...] = ()
    """Nodes that the scenario has come back later, which the closed world does not know of."""


class WhyQuestion:
    """Asks why one application waits; the simulation asked about is never changed."""

    def __init__(
        self,
        simulation: Simulation,
        number: int,
        facts: RecentDecisions | None = None,
        basis: SharedLookahead | None = None,
    ) -> None:
        """Ask, between two instants; the simulation may go on once `copied` says so.

        `facts` are what a recorder has heard; the basis of another question is shared when it is of the same instant.
        """
        self._number = number
        self.row: ApplicationRow | None = row_of(simulation, number)
        self.facts = facts.of(number) if facts is not None else ()
        rows = (*waits_of(simulation, number), *run_to_end(explainer_of(simulation).obstacles(number)))
        self.obstacles: tuple[ObstacleRow, ...] = tuple(map(without_setting, rows))
        """All that stands in its way; what decides each is known only with the whole answer."""
        self.basis: SharedLookahead | None = None
        """The instant that the rest of the answer rests on; None when it does not wait, so that there is no rest."""
        self._time_ms = simulation.now_ms
        self._asks: tuple[Verdict, ...] = ()
        self._not_counted = returns_to_come(simulation)
        if self._waits():
            basis = basis if basis is not None and basis.is_of(simulation) else SharedLookahead(simulation)
            self.basis = basis
            passed = overtaking_allocations(simulation, number, facts) if facts is not None else ()
            self._task = Task(self._find(basis, Task(verdicts(basis, number, passed, self._tell))))
            self._so_far = self._answer()
        else:
            self._so_far = self._answer()
            self._task = Task(_known(self._so_far))
            self._task.advance()

    def _waits(self) -> bool:
        row = self.row
        return row is not None and row.finished_ms is None and bool(self.obstacles)

    @property
    def reached_ms(self) -> int | None:
        """Return the instant it has looked ahead to [epoch ms]; None before it begins to, or when it need not."""
        return self.basis.reached_ms if self.basis is not None else None

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces of the work; whether the answer is there."""
        return self._task.advance(pieces)

    def so_far(self) -> Why:
        """Return what is known without further work; verdict and holders are empty where still to be found."""
        return self._task.result() if self._task.done else self._so_far

    def answer(self) -> Why:
        """The whole answer; the rest of the work is done first."""
        return self._task.result()

    def _find(self, basis: SharedLookahead, judging: Task[tuple[Verdict, ...]]) -> Incremental[Why]:
        yield from self._look_for_livelock(basis, judging)
        while not judging.advance():
            yield
        worst = max(judging.result(), key=severity_key)
        found = yield from _with_enough(basis.base_copy, (self._number, worst.priority), worst)
        self._asks = tuple(found if each is worst else each for each in judging.result())
        self._time_ms, explainer = basis.base_copy.now_ms, explainer_of(basis.base_copy)
        pattern = yield from explainer.pattern(basis, self._number, found)
        ask, start_ms = (self._number, found.priority), found.expected_start_ms
        own = waits_of(basis.base_copy, self._number)
        rows = (*own, *(yield from explainer.obstacles(*ask)))
        self.obstacles = tuple(map(without_setting, rows))
        self._so_far = self._answer(found, pattern)
        rows = yield from with_confirmed_settings(basis.base_copy, ask, rows, start_ms)
        holds = yield from explainer.holds(*ask)
        firsts = _firsts(self._number, found, holds)
        in_way = _in_way(self._number, found, holds)
        held = tuple(_holder(basis, hold, found) for hold in (*in_way, *firsts))
        # Who waits behind somebody is held up by what holds up that one.
        if firsts and not any(row.decided_by or row.together for row in rows):
            rows += yield from _behind(basis.base_copy, ask, firsts[0], start_ms)
        self.obstacles = rows
        return self._answer(found, pattern, held)

    def _tell(self, found: Verdict) -> None:
        assert self.basis is not None, "a verdict rests on an instant"
        self._time_ms = self.basis.base_copy.now_ms
        self._so_far = self._answer(found)

    def _look_for_livelock(self, basis: SharedLookahead, judging: Task[tuple[Verdict, ...]]) -> Incremental[None]:
        """Name it as soon as it is known, as the verdict on who waits behind one may take the whole horizon."""
        while not judging.advance():
            yield
            if basis.reached_ms is None or basis.ahead.preempted_ms is None:
                continue
            # Whoever is given something in between is no part of it.
            if self._number not in basis.ahead.first and (yield from basis.livelocked()):
                self._so_far = self._answer(pattern=LIVELOCK)
            return

    def _answer(self, found: Verdict | None = None, pattern: str = "", held: tuple[Holder, ...] = ()) -> Why:
        return Why(
            number=self._number,
            row=self.row,
            time_ms=self._time_ms,
            verdict=found.verdict if found is not None else "" if self.basis is not None else self._state(),
            pattern=pattern,
            obstacles=self.obstacles,
            facts=self.facts,
            expected_start_ms=found.expected_start_ms if found is not None else None,
            holders=held,
            found=found,
            asks=self._asks,
            not_counted=self._not_counted,
        )

    def _state(self) -> str:
        if self.row is None:
            return "unknown"
        if self.row.finished_ms is None:
            return "none"
        is_refused = self.row.state == "FAILED" and self.row.finished_ms == self.row.submitted_ms
        return "refused" if is_refused else "ended"


def _known(answer: Why) -> Incremental[Why]:
    yield
    return answer


def _with_enough(here: Simulation, ask: Ask, found: Verdict) -> Incremental[Verdict]:
    """A verdict whose proof names also those that wait, where the end of the others it names would start nothing."""
    ends = found.proof.ends
    if found.verdict != "blocked" or not ends or not (yield from is_never_without(here, ask, ends)):
        return found
    waiting = (each.number for each in here.control_plane.view().applications() if each.waits)
    keeping = yield from confirmed(here, ask, tuple(dict.fromkeys((*ends, *waiting))), None)
    return msgspec.structs.replace(found, proof=msgspec.structs.replace(found.proof, ends=keeping or ends))


def _firsts(number: int, found: Verdict, holds: Sequence[BlockingResources]) -> list[BlockingResources]:
    """Those of the proof that have nothing it needs, and only come first."""
    known = {number, *(hold.application for hold in holds)}
    others = [each for each in found.proof.ends if each not in known]
    return [BlockingResources(each, Reason.OTHER_FIRST, (), 0, 0, (), ()) for each in others]


def _in_way(number: int, found: Verdict, holds: Sequence[BlockingResources]) -> list[BlockingResources]:
    """All who hold what it waits for: members of the circle first, then those with most memory.

    What it has itself explains its wait only in a circle. Whom nobody could make room for, nobody holds back.
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
    """An obstacle of somebody that comes first, as a reason of who waits behind; its nodes do not decide."""
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


def _holder(basis: SharedLookahead, hold: BlockingResources, found: Verdict) -> Holder:
    start_ms, keepers = found.expected_start_ms, found.proof.ends
    holder = basis.base_copy.control_plane.view().application(hold.application)
    assert holder is not None, "who holds something is alive"
    ends = [basis.ahead.ended.get(container) for container in hold.containers]
    # What ends after the expected start is not reported, also when another question has seen it.
    seen = [end for end in ends if end is not None and (start_ms is None or end <= start_ms)]
    # An end is told only when all it holds there comes back in time.
    is_all = len(seen) == len(ends) and bool(ends)
    return Holder(
        hold=hold,
        name=holder.name,
        user=holder.user,
        queue=holder.queue,
        waits=holder.waits,
        until_ms=max(seen) if is_all else None,
        never=start_ms is None and not is_all and (basis.ahead.still or hold.application in keepers),
    )


def row_of(simulation: Simulation, number: int) -> ApplicationRow | None:
    """Return the row of an application; None when the cluster does not know it."""
    rows = snapshot_of(simulation).applications(why=False)
    return next((row for row in rows if row.number == number), None)


def request_obstacles(simulation: Simulation, number: int, priority: int) -> tuple[ObstacleRow, ...]:
    """All obstacles of what an application asks for at one priority, the first reason first.

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
    start = Lookahead(here).until_started(number, priority)
    return run_to_end(with_confirmed_settings(here, (number, priority), rows, start))


CONTAINERS: Final = 20  # Number of containers of one holder that are named


class Reporter:
    """Makes reports about one cluster."""

    def __init__(self, control_plane: ControlPlane) -> None:
        """The control plane of the cluster knows the ids, and what amounts mean."""
        view = control_plane.view()
        self._id = view.application_id
        self._container = view.container_id
        self._dimensions = control_plane.dimensions
        self._scheduler = control_plane.name

    # Why

    def why(
        self,
        why: Why,
        turning: LastChanceReport | None = None,
        request: tuple[int, tuple[ObstacleRow, ...]] | None = None,
    ) -> WhyReport:
        """The answer about an application, and about its request of one priority when that was asked too."""
        return WhyReport(
            schema=SCHEMA,
            at_ms=why.time_ms,
            application=self._application(why),
            verdict=why.verdict,
            pattern=why.pattern,
            reasons=why.obstacles,
            facts=why.facts,
            expected_start_ms=why.expected_start_ms,
            holders=tuple(map(self._holder, why.holders)),
            proof=self.proof(why),
            not_counted=why.not_counted,
            request=RequestReport(priority=request[0], reasons=request[1]) if request else None,
            point_of_no_return=turning,
            would_help=None,
            dimensions=self._dimensions,
        )

    def gone(self, gone: Departure, at_ms: int) -> WhyReport:
        """The answer about an application that the cluster has refused, or knows no more."""
        submitted, number = gone.submitted, gone.submitted.application
        application = ApplicationReport(
            id=self._id(number) if number else "",
            number=number,
            name=submitted.name,
            user=submitted.user,
            queue=submitted.queue or None,
            state=gone.state,
            diagnostics=gone.detail or None,
        )
        return WhyReport(
            schema=SCHEMA,
            at_ms=at_ms,
            application=application,
            verdict="refused" if gone.state == "REFUSED" else "ended",
            pattern="",
            reasons=(),
            facts=(),
            expected_start_ms=None,
            holders=(),
            proof=None,
            not_counted=(),
            request=None,
            point_of_no_return=None,
            would_help=None,
        )

    def _application(self, why: Why) -> ApplicationReport:
        row = why.row
        if row is None:
            return ApplicationReport(id=self._id(why.number), number=why.number)
        verdicts = {found.priority: found for found in why.asks}
        found = [ask_report(ask, verdicts.get(ask.priority) or verdicts.get(None)) for ask in row.listed_asks]
        return application_report(row, found)

    def _holder(self, holder: Holder) -> HolderReport:
        hold = holder.hold
        until_ms = NEVER_ENDS if holder.never else ENDS_LATER if holder.until_ms is None else holder.until_ms
        return HolderReport(
            application=self._id(hold.application),
            name=holder.name,
            queue=holder.queue,
            because=hold.because.name,
            memory_mb=hold.memory_mb,
            vcores=hold.vcores,
            containers=tuple(self._container(one) for one in hold.containers[:CONTAINERS]),
            container_count=len(hold.containers),
            nodes=tuple(hold.nodes),
            reservations=tuple(hold.reservations),
            waits=holder.waits,
            until_ms=until_ms,
        )

    def proof(self, why: Why) -> ProofReport | None:
        """The proof of a verdict; None while there is none."""
        return self._proof(why.found.proof) if why.found is not None else None

    def _proof(self, proof: Proof) -> ProofReport:
        return ProofReport(
            from_ms=proof.from_ms,
            looked_until_ms=proof.looked_until_ms,
            allocations=proof.allocations,
            last_allocation_ms=proof.last_allocation_ms,
            still=proof.still,
            cycle=tuple(
                CycleStep(
                    application=self._id(step.application),
                    waits_for=self._id(step.holder),
                    because=step.because.name,
                    node=step.node,
                )
                for step in proof.cycle
            ),
            for_ever=tuple(map(self._id, proof.ends)),
            passed_by=proof.passed_by,
            bound=proof.bound,
            over_ms=proof.over_ms,
        )

    # Places

    def place(self, time_ms: int, kind: str, name: str, waiters: Iterable[Waiter]) -> PlaceReport:
        """Return who waits at a place; `kind` is `queue`, `node` or `cluster`."""
        return place_report(time_ms, kind, name, map(self.waiter, waiters))

    def waiter(self, waiter: Waiter) -> WaiterReport:
        """An application that waits at a place, without a verdict."""
        return WaiterReport(
            application=self._id(waiter.application),
            name=waiter.name,
            queue=waiter.queue,
            waiting_since_ms=waiter.since_ms,
            pending=waiter.pending,
            reasons=waiter.obstacles,
        )

    def judged(self, waiter: WaiterReport, why: Why) -> WaiterReport:
        """The same with the verdict on it."""
        return msgspec.structs.replace(
            waiter,
            verdict=why.verdict,
            state=None if why.row is None else why.row.state,
            dimensions=self._dimensions,
            pattern=why.pattern,
            expected_start_ms=why.expected_start_ms,
            proof=self.proof(why),
        )

    # Remedies

    def remedies(self, found: Remedies) -> RemediesReport:
        base, container = found.base, terms_for(self._dimensions).container
        tried = len(found.ranked) + sum(len(each.alike) for each in found.ranked) + found.failed
        return RemediesReport(
            schema=SCHEMA,
            at_ms=found.from_ms,
            targets=tuple(self._id(number) for number, _ in found.targets),
            looked_until_ms=base.until_ms,
            expected=tuple(
                ExpectedReport(
                    application=self._id(each[0]),
                    priority=each[1],
                    starts_ms=base.starts.get(each),
                    next=container if each[0] in found.running else "",
                )
                for each in found.targets
            ),
            never=base.ends and not base.starts,
            tried=tried,
            of=tried + found.open,
            remedies=tuple(self._trial(number, each, found) for number, each in enumerate(found.ranked, 1)),
            useless=tuple(each.remedy for each in found.useless),
            refused=tuple(RefusedReport(remedy=each.remedy, why=each.refused) for each in found.refused),
        )

    def _trial(self, number: int, trial: Trial, found: Remedies) -> RemedyReport:
        remedy, act_ms = trial.remedy, found.from_ms + ACT_MS - found.start_ms
        act = self.step(remedy.act)
        return RemedyReport(
            number=number,
            kind=remedy.kind,
            group=remedy.group,
            remedy=remedy,
            application=self._id(remedy.application) if remedy.application else None,
            step=ActReport(act=act, at_s=act_ms / 1000),
            lines=tuple(act_lines(act, remedy.host, self._scheduler)),
            then=tuple(ActReport(act=each, at_s=(act_ms + AGAIN_MS) / 1000) for each in trial.then),
            starts=tuple(
                StartReport(application=self._id(each.application), at_ms=each.start_ms, expected_ms=each.expected_ms)
                for each in trial.starts
            ),
            first_ms=trial.starts[0].start_ms,
            last_ms=trial.starts[-1].start_ms,
            is_last=trial.is_last,
            also_start=trial.also_start,
            frees=FreedReport(memory_mb=trial.frees_mb, vcores=trial.frees_vcores, reservations=trial.drops),
            loses=LostReport(
                containers=trial.lost_containers, drivers=trial.lost_drivers, seconds=trial.lost_ms // 1000
            ),
            delays=tuple(
                DelayReport(application=self._id(each.application), seconds=each.by_ms // 1000, is_least=each.is_least)
                for each in trial.delays
            ),
            harm_s=trial.harm_s,
            is_least=trial.is_least,
            is_whole=trial.is_whole,
            alike=trial.alike,
            until_ms=trial.until_ms,
        )

    def step(self, act: Act) -> Act:
        """The act with the id of its application for the number, as a file may name it."""
        number = getattr(act, "application", None)
        return msgspec.structs.replace(act, application=self._id(number)) if isinstance(number, int) else act


def place_report(
    time_ms: int, kind: str, name: str, waiting: Iterable[WaiterReport], *, is_live: bool = False
) -> PlaceReport:
    """Return who waits at a place; `kind` is `queue`, `node` or `cluster`."""
    return PlaceReport(
        schema=SCHEMA,
        at_ms=time_ms,
        queue=name if kind == "queue" else None,
        node=name if kind == "node" else None,
        waiting=tuple(waiting),
        is_live=is_live,
    )


def application_report(row: ApplicationRow, asks: Iterable[AskReport]) -> ApplicationReport:
    """Report an application from its row, with what is known of its asks."""
    return ApplicationReport(
        id=row.id,
        number=row.number,
        name=row.name,
        user=row.user,
        queue=row.queue,
        state=row.state,
        waiting_since_ms=row.waiting_since_ms,
        asks=tuple(asks),
        diagnostics=row.diagnostics,
    )


def ask_report(ask: AskRow, found: Verdict | None = None) -> AskReport:
    """An ask, and the verdict on it where there is one."""
    return AskReport(
        priority=ask.priority,
        count=ask.count,
        size=tuple(ask.size),
        places=tuple(ask.places),
        relax_locality=ask.relax_locality,
        verdict=None if found is None else found.verdict,
        expected_start_ms=None if found is None else found.expected_start_ms,
    )
