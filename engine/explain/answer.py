"""Answers about a cluster as values: what sessions send, screens draw and `report_json` writes.

Instants are epoch ms; amounts are MB and vcores (of Spark: cores); applications and containers carry their real ids
(executors `app-…/3`). What is not there is None or empty.
"""

from collections.abc import Iterable
from datetime import tzinfo
from typing import Final

import msgspec

from engine.control_plane.cluster_view import ApplicationSummary, ClusterView
from engine.explain.impact import ImpactReport
from engine.explain.obstacles import SCHEMA, ObstacleRow, ReportBase, SensitivityReport
from engine.explain.remedy import Remedy
from engine.model.request import YARN_DIMENSIONS
from engine.observe.snapshot import ApplicationRow, AskRow
from engine.scenario.acts import Act, written_act
from engine.schedulers.interface import Unknown
from engine.settings.tunable_yarn import Takes

# The remedies of an instant as values: what each does, starts, frees, loses and delays.
#
# Units and ids are those of `report`.


class StartReport(ReportBase, frozen=True, kw_only=True):
    """An application that a remedy starts."""

    application: str
    at_ms: int
    expected_ms: int | None  # When it starts without the remedy; None when not as far as was looked


class ExpectedReport(ReportBase, frozen=True, kw_only=True):
    """The instant an application that is asked about starts by itself or, where it runs, gets its `next` container."""

    application: str
    priority: int | None
    starts_ms: int | None
    next: str = ""  # What its system calls that; empty where it has nothing yet
    count: int = 1  # How many of them: of one that gets the next at once, nearly all that are looked at
    has_sooner_ask: bool = False  # True where another of its asks is given something before this one, its slowest


class FreedReport(ReportBase, frozen=True, kw_only=True):
    """Resources that a remedy frees at once."""

    memory_mb: int
    vcores: int
    reservations: int


class LostReport(ReportBase, frozen=True, kw_only=True):
    """Containers that a remedy kills, and how long they had run [container s]."""

    containers: int
    drivers: int = 0  # The number of them that are drivers of a Spark Master
    seconds: int


class DelayReport(ReportBase, frozen=True, kw_only=True):
    """An application that a remedy delays."""

    application: str
    seconds: int
    is_least: bool  # True if it is at least that much


class ActReport(ReportBase, frozen=True, kw_only=True):
    """An act as a step of a scenario's script does it."""

    act: Act  # Its application is named by its id
    at_s: float  # After the start of the scenario

    def written(self, zone: tzinfo | None) -> dict[str, object]:
        return {**written_act(self.act), "at": self.at_s}


class RemedyReport(ReportBase, frozen=True, kw_only=True):
    """A remedy that helps."""

    number: int
    kind: str
    group: str  # One of `remedy.GROUPS`: what can be done now, what takes a patch, what takes hardware
    remedy: Remedy
    application: str | None
    step: ActReport
    lines: tuple[str, ...] = ()  # What an operator of a real cluster runs, or writes into a file
    then: tuple[ActReport, ...] = ()
    """Submissions of what its act loses, that follow it; those are among the starts by their old ids."""
    starts: tuple[StartReport, ...]
    first_ms: int
    last_ms: int
    is_last: bool = False  # True if somebody is given one container alone as far as was played, and waits for more
    also_start: int  # Number of others that start by it, as far as was played
    frees: FreedReport
    loses: LostReport
    delays: tuple[DelayReport, ...]
    harm_s: int
    is_least: bool  # True if no smaller value helps
    is_whole: bool  # True if nobody else starts by it later; else it was not played far enough to know
    alike: tuple[Remedy, ...]
    until_ms: int


class RefusedReport(ReportBase, frozen=True, kw_only=True):
    """A remedy that the control plane does not take."""

    remedy: Remedy
    why: str


class AppliedStart(ReportBase, frozen=True, kw_only=True):
    """A promised start, and the real one."""

    application: str
    promised_ms: int
    at_ms: int | None


class AppliedReport(ReportBase, frozen=True, kw_only=True):
    """The result of the remedy that was applied."""

    number: int
    remedy: Remedy
    refused: str
    until_ms: int
    starts: tuple[AppliedStart, ...]


class ChangeReport(ReportBase, frozen=True, kw_only=True):
    """One value that is set from the start."""

    key: str  # The whole key of a property, the element of an allocation file, or what the owner of an application sets
    queue: str = ""  # Of an element of a user: the user
    partition: str = ""
    application: str = ""  # Name of the application whose owner sets it
    value: str
    before: str = ""
    lines: tuple[str, ...] = ()  # File and lines to write, or the options of a submission


class StartRemedyReport(ReportBase, frozen=True, kw_only=True):
    """Values that help when they are set from the start."""

    number: int
    sentence: str
    takes: Takes
    changes: tuple[ChangeReport, ...]
    after: str  # What to run once they are written
    risk: str
    is_now: bool  # True if they end this wait when they are set at the instant; else they help the next time
    is_last: bool = False  # As of `RemedyReport`
    has_all: bool = False  # True if `starts` are of the last container that each ask wants, not of the next one
    ends_well: bool = False  # True if they are of the ends of applications
    is_judged: bool = True  # False if there was no time to play who is refused, what is lost and who is delayed
    runs_on: bool = False  # True if what was lost without them has no end by then; `starts` has the instant
    starts: tuple[StartReport, ...]
    refuses: int  # Submissions and requests refused, and applications failed, by them
    loses: LostReport
    delays: tuple[DelayReport, ...]
    harm_s: int
    dimensions: tuple[str, ...] = YARN_DIMENSIONS  # Those of its cluster, whose nouns it is told in


class EndedReport(ReportBase, frozen=True, kw_only=True):
    """An application that is asked about and is not there any more, or never was, or waits for nothing."""

    application: str
    state: str  # Its state, `REFUSED`, `LOST` (Spark: its driver), or `STARVED`: it runs, with too few cores
    at_ms: int | None
    diagnostics: str


class RemediesReport(ReportBase, frozen=True, kw_only=True):
    """The remedies known at an instant."""

    schema: int
    at_ms: int
    targets: tuple[str, ...] = msgspec.field(name="for")  # Applications that are to start
    looked_until_ms: int
    expected: tuple[ExpectedReport, ...]
    never: bool  # True if none of them starts by itself
    tried: int
    of: int
    remedies: tuple[RemedyReport, ...]  # The best first
    useless: tuple[Remedy, ...]
    refused: tuple[RefusedReport, ...]
    assumed: tuple[SensitivityReport, ...] = ()  # The assumptions of a twin that `expected` hangs on
    applied: AppliedReport | None = None
    from_start: tuple[StartRemedyReport, ...] | msgspec.UnsetType = msgspec.UNSET
    """What helps when it is set from the start, numbered with `remedies`; unset where that was not looked for."""
    tried_from_start: int = 0
    of_from_start: int = 0  # Values that are tried, and that there are
    ended: EndedReport | None = None  # Given for an application that does not wait as it is not there

    @property
    def running(self) -> frozenset[str]:
        """Targets that run already, and wait for more."""
        return frozenset(each.application for each in self.expected if each.next)


NEVER_ENDS: Final = "never"
ENDS_LATER: Final = "later"
END_UNKNOWN: Final = "not known"


class AskReport(ReportBase, frozen=True, kw_only=True):
    """One ask, and what becomes of it alone."""

    priority: int | None
    count: int
    size: tuple[int, ...]
    places: tuple[str, ...]
    relax_locality: bool
    verdict: str | None  # None while it is looked for
    expected_start_ms: int | None


class ApplicationReport(ReportBase, frozen=True, kw_only=True):
    """The application asked about; one that is not known has an id and a number."""

    id: str
    number: int
    name: str | None = None
    user: str | None = None
    queue: str | None = None
    state: str | None = None  # None for an application that is not known
    waiting_since_ms: int | None | msgspec.UnsetType = msgspec.UNSET
    asks: tuple[AskReport, ...] | msgspec.UnsetType = msgspec.UNSET
    diagnostics: str | None = None
    finished_ms: int | None = None  # None while it lives

    @property
    def is_known(self) -> bool:
        return self.state is not None

    @property
    def listed_asks(self) -> tuple[AskReport, ...]:
        """Its asks; none of an application that is not known."""
        return self.asks if isinstance(self.asks, tuple) else ()

    @property
    def since_ms(self) -> int | None:
        """Since when it waits [epoch ms]; None when it does not, or is not known."""
        return self.waiting_since_ms if isinstance(self.waiting_since_ms, int) else None


def application_report(row: ApplicationRow, asks: Iterable[AskReport]) -> ApplicationReport:
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
        finished_ms=row.finished_ms,
    )


def ask_report(ask: AskRow, verdict: str | None = None, expected_start_ms: int | None = None) -> AskReport:
    return AskReport(
        priority=ask.priority,
        count=ask.count,
        size=ask.size,
        places=ask.places,
        relax_locality=ask.relax_locality,
        verdict=verdict,
        expected_start_ms=expected_start_ms,
    )


class RefusalReport(ReportBase, frozen=True, kw_only=True):
    """A record of the scheduler about a node."""

    node: str
    code: str
    numbers: tuple[int, ...]


class HolderReport(ReportBase, frozen=True, kw_only=True):
    """A holder of what is needed."""

    application: str
    name: str
    queue: str
    because: str
    memory_mb: int
    vcores: int
    containers: tuple[str, ...]  # The first ones
    container_count: int
    nodes: tuple[str, ...]
    reservations: tuple[str, ...]  # Nodes reserved for it
    waits: bool  # True if it waits for something itself
    until_ms: int | str  # Epoch ms, or `never`, `later` (than the expected start), `not known`

    @property
    def holds_nothing(self) -> bool:
        """Tell whether it has nothing that is needed, and only comes first."""
        return not self.container_count and not self.reservations


class CycleStep(ReportBase, frozen=True, kw_only=True):
    """One step of a circle: an application waits for what another one holds."""

    application: str
    waits_for: str
    because: str
    node: str


class OvertakingReport(ReportBase, frozen=True, kw_only=True):
    """A decision that gave something to another application."""

    at_ms: int
    application: str
    node: str
    memory_mb: int


class ProofReport(ReportBase, frozen=True, kw_only=True):
    """The proof of a verdict."""

    from_ms: int
    looked_until_ms: int
    allocations: int
    last_allocation_ms: int | None
    still: bool  # True if nothing can happen any more
    cycle: tuple[CycleStep, ...]
    for_ever: tuple[str, ...]  # Applications that keep what they hold for ever
    passed_by: tuple[OvertakingReport, ...]
    bound: tuple[ObstacleRow, ...]  # Obstacles when it is alone in the cluster
    over_ms: int | None  # When it ends without being given anything more
    fails: bool = False  # Whether it fails then, or is lost with its control plane


class ReturnReport(ReportBase, frozen=True, kw_only=True):
    """A node that the scenario has come back, which the closed world leaves out."""

    node: str
    returns_ms: int


class RequestReport(ReportBase, frozen=True, kw_only=True):
    """The reasons of one request alone."""

    priority: int
    reasons: tuple[ObstacleRow, ...]


class RescueReport(ReportBase, frozen=True, kw_only=True):
    """A remedy that would have prevented it."""

    remedy: Remedy
    latest_ms: int  # The latest instant at which it still did, at most that at which it formed
    still_helps: bool  # True if it would end it at the instant it formed and after


class LastChanceReport(ReportBase, frozen=True, kw_only=True):
    """The way back that there was."""

    formed_ms: int
    inevitable_ms: int  # The first instant whose closed world ends in it
    latest_ms: int | None  # The point of no return; None where no single remedy would have prevented it
    remedies: tuple[RescueReport, ...]  # The one that helped longest first


class SearchReport(ReportBase, frozen=True, kw_only=True):
    """How far something was looked for in the time there was."""

    tried: int
    of: int  # 0 where there was no time to count them


class WhyReport(ReportBase, frozen=True, kw_only=True):
    """The answer about one application."""

    schema: int
    at_ms: int
    application: ApplicationReport
    verdict: str
    """`waiting`, `later` (not within the 24 hours looked ahead), `starving`, `deadlocked`, `blocked`, `impossible`;
    `none` (asks for nothing, or ends without what it still asks for: `proof.over_ms`), `ended`, `refused`, `unknown`;
    `live` where nothing is simulated; empty while it is looked for. Of several asks that of the one that fares
    worst."""
    pattern: str  # A name of `yarn_patterns.NAMES`, or empty
    reasons: tuple[ObstacleRow, ...]  # The first reason first
    facts: tuple[RefusalReport, ...]
    expected_start_ms: int | None
    holders: tuple[HolderReport, ...]
    proof: ProofReport | None
    not_counted: tuple[ReturnReport, ...]
    request: RequestReport | None
    point_of_no_return: LastChanceReport | None
    would_help: RemediesReport | None  # None when nothing was tried
    looked_until_ms: int | None = None
    """Instant up to which was looked in the time there was; None when the answer is whole."""
    deciding: SearchReport | None = None  # How far values that decide were looked for; None where all or none were
    aftermath: ImpactReport | None = None  # The consequences of the remedy tried last
    is_live: bool = False  # True if it is about a live cluster: nothing is simulated
    assumed: tuple[SensitivityReport, ...] = ()  # The assumptions of a twin that the expected start hangs on
    dimensions: tuple[str, ...] = YARN_DIMENSIONS
    """What the sizes of asks and of holders mean: on a JobTracker `map_slots` and `reduce_slots`."""

    @property
    def has_sooner_ask(self) -> bool:
        """True where another of its asks is given something before the one that fares worst."""
        starts = [ask.expected_start_ms for ask in self.application.listed_asks]
        return any(each is not None and each != self.expected_start_ms for each in starts)


def empty_report(at_ms: int, application: ApplicationReport, verdict: str) -> WhyReport:
    """An answer of which no more than the verdict is known."""
    return WhyReport(
        schema=SCHEMA,
        at_ms=at_ms,
        application=application,
        verdict=verdict,
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


class WaiterReport(ReportBase, frozen=True, kw_only=True):
    """An application that waits in a queue or for a node."""

    application: str
    name: str
    queue: str
    waiting_since_ms: int | None
    pending: int | Unknown  # Containers it asks for
    reasons: tuple[ObstacleRow, ...]
    verdict: str | None = None  # None where it was not looked for; so are the four below
    state: str | None = None
    pattern: str | None = None
    expected_start_ms: int | None | msgspec.UnsetType = msgspec.UNSET
    proof: ProofReport | None | msgspec.UnsetType = msgspec.UNSET
    dimensions: tuple[str, ...] = YARN_DIMENSIONS
    has_sooner_ask: bool = False  # True where another of its asks is given something before the one that fares worst


def waiter_report(
    view: ClusterView,
    summary: ApplicationSummary,
    pending: int | Unknown,
    reasons: tuple[ObstacleRow, ...],
    dimensions: tuple[str, ...],
) -> WaiterReport:
    """One that waits, as a view of its cluster sums it up, without a verdict."""
    return WaiterReport(
        application=view.application_id(summary.number),
        name=summary.name,
        queue=summary.queue,
        waiting_since_ms=summary.unmet_since_ms,
        pending=pending,
        reasons=reasons,
        dimensions=dimensions,
    )


def judged_waiter(waiter: WaiterReport, answer: WhyReport) -> WaiterReport:
    return msgspec.structs.replace(
        waiter,
        verdict=answer.verdict,
        state=answer.application.state,
        pattern=answer.pattern,
        expected_start_ms=answer.expected_start_ms,
        proof=answer.proof,
        dimensions=answer.dimensions,
        has_sooner_ask=answer.has_sooner_ask,
        reasons=answer.reasons if answer.has_sooner_ask else waiter.reasons,
    )


class PlaceReport(ReportBase, frozen=True, kw_only=True):
    """Those that wait at a place."""

    schema: int
    at_ms: int
    queue: str | None = None
    node: str | None = None
    waiting: tuple[WaiterReport, ...]  # As far as is known
    is_live: bool = False


def place_report(
    at_ms: int, kind: str, name: str, waiting: Iterable[WaiterReport], *, is_live: bool = False
) -> PlaceReport:
    """Return who waits at a place; `kind` is `queue`, `node` or `cluster`."""
    return PlaceReport(
        schema=SCHEMA,
        at_ms=at_ms,
        queue=name if kind == "queue" else None,
        node=name if kind == "node" else None,
        waiting=tuple(waiting),
        is_live=is_live,
    )
