"""Makes reports of what was found about a cluster: numbers of applications become their real ids."""

from collections.abc import Iterable
from typing import Final

import msgspec

from engine.control_plane.protocol import ControlPlane
from engine.explain.facts import Departure
from engine.explain.obstacle_rows import ObstacleRow
from engine.explain.remedy import AGAIN_MS
from engine.explain.remedy_report import (
    ActReport,
    DelayReport,
    ExpectedReport,
    FreedReport,
    LostReport,
    RefusedReport,
    RemediesReport,
    RemedyReport,
    StartReport,
)
from engine.explain.remedy_search import Remedies
from engine.explain.remedy_trial import ACT_MS, Trial
from engine.explain.report import (
    ENDS_LATER,
    NEVER_ENDS,
    ApplicationReport,
    AskReport,
    CycleStep,
    HolderReport,
    PlaceReport,
    ProofReport,
    RequestReport,
    TurningReport,
    WaiterReport,
    WhyReport,
)
from engine.explain.report_part import SCHEMA
from engine.explain.verdict import Proof, Verdict
from engine.explain.waits import Waiter
from engine.explain.why import Holder, Why
from engine.observe.snapshot import ApplicationRow, AskRow
from engine.scenario.acts import Act

CONTAINERS: Final = 20
"""Number of containers of one holder that are named."""


class Reporter:
    """Makes reports about one cluster."""

    def __init__(self, control_plane: ControlPlane) -> None:
        """The control plane of the cluster knows the ids, and what amounts mean."""
        view = control_plane.view()
        self._id = view.application_id
        self._container = view.container_id
        self._dimensions = control_plane.dimensions

    # Why

    def why(
        self,
        why: Why,
        turning: TurningReport | None = None,
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
        """Return who waits at a place; `kind` is `queue` or `node`."""
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
            pattern=why.pattern,
            expected_start_ms=why.expected_start_ms,
            proof=self.proof(why),
        )

    # Remedies

    def remedies(self, found: Remedies) -> RemediesReport:
        """Report the remedies found."""
        base = found.base
        tried = len(found.ranked) + sum(len(each.alike) for each in found.ranked) + found.failed
        return RemediesReport(
            schema=SCHEMA,
            at_ms=found.from_ms,
            targets=tuple(self._id(number) for number, _ in found.targets),
            looked_until_ms=base.until_ms,
            expected=tuple(
                ExpectedReport(application=self._id(each[0]), priority=each[1], starts_ms=base.starts.get(each))
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
        return RemedyReport(
            number=number,
            kind=remedy.kind,
            group=remedy.group,
            remedy=remedy,
            application=self._id(remedy.application) if remedy.application else None,
            step=ActReport(act=self.step(remedy.act), at_s=act_ms / 1000),
            then=tuple(ActReport(act=each, at_s=(act_ms + AGAIN_MS) / 1000) for each in trial.then),
            starts=tuple(
                StartReport(application=self._id(each.application), at_ms=each.start_ms, expected_ms=each.expected_ms)
                for each in trial.starts
            ),
            first_ms=trial.starts[0].start_ms,
            last_ms=trial.starts[-1].start_ms,
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
    """Return who waits at a place; `kind` is `queue` or `node`."""
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
