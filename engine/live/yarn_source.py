"""Asks a ResourceManager, or the active one of a pair, round by round.

Cheap pages (metrics, scheduler) are asked every round; applications and nodes, which are large, every few rounds, and
rarer still while the server takes long. A round that fails leaves everything as it was.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec

from engine.errors import SourceError
from engine.live.followed_log import FollowedLog
from engine.live.inference import with_obstacles
from engine.live.inferred_containers import with_containers
from engine.live.onlooker import MasterStarts, with_since
from engine.live.rest_client import LARGE, MOST_WORDS, SKEW_S, UNREADABLE, PollPace, RestClient, aside
from engine.live.yarn_activities import Activities, read_activities
from engine.live.yarn_answers import (
    ApplicationInfo,
    ClusterInfo,
    NodeInfo,
    SchedulerAnswer,
    read_applications,
    read_info,
    read_metrics,
    read_nodes,
    read_scheduler,
)
from engine.live.yarn_beans import QUEUE_BEANS, read_queue_reservations
from engine.live.yarn_picture import Holding, Round, snapshot_of_round
from engine.live.yarn_settings import read_scheduling, read_settings
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import Amounts

CLUSTER: Final = "/ws/v1/cluster"

MANY: Final = 1_000
"""Nodes and applications from which on a snapshot is made in a thread."""

SPARED: Final = "&deSelects=timeouts,amNodeLabelExpression,appNodeLabelExpression,resourceInfo"
"""What 3.x need not write of applications. Source: DeSelectFields.DeSelectType, 3.0.0."""

HISTORY_MS: Final = 3_600_000
"""How long before the first round applications ended that are asked for."""

MOST_ENDED: Final = 200
"""Applications that ended, of which the latest are kept."""

CONF: Final = "/conf?format=json"
RECORDED_S: Final = 20
"""How long a server records, once asked, why an application is passed by."""

Kind = TypeVar("Kind")

LIVE_STATES: Final = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"


class _LargePages(NamedTuple):
    """The latest answers to questions that are not asked in every round."""

    due_ms: int
    """When it is asked again, by the clock of this machine [ms]."""
    time_ms: int = 0
    """When it was asked, by the server's clock [epoch ms]."""
    nodes: Sequence[NodeInfo] = ()
    live: Sequence[ApplicationInfo] = ()
    ended: Sequence[ApplicationInfo] = ()
    reserved: Mapping[str, Amounts] = {}


class _MadeRows(NamedTuple):
    """Rows, and what they were made of."""

    large: _LargePages
    holdings: Sequence[Holding] | None
    reservations: int
    """How many the server counted; without a log, whether there were any."""
    snapshot: FixedSnapshot


class YarnSource:
    """A ResourceManager, or the several of a pair that follow each other."""

    def __init__(self, client: RestClient, pace: PollPace, log: FollowedLog | None = None) -> None:
        """Ask nothing yet. `log` reads reservations of nodes from the ResourceManager's log; None where nobody does."""
        self.client = client
        self._log = log
        self.pace = pace
        self._version = 0
        self._since: dict[str, int] = {}
        self._info: ClusterInfo | None = None
        self._large = _LargePages(0)
        self._made: _MadeRows | None = None
        """The rows of the last round; None before the first."""
        self._settings: Mapping[str, str] = {}
        self._ended_until_ms = client.local_ms - HISTORY_MS
        self.notes: tuple[str, ...] = ()
        """What else than the server itself could not be read in the last round, and why."""
        self._starts = MasterStarts()
        self.late = ""
        """That the last round that asked for every page took too long; empty where it did not."""

    async def poll(self) -> FixedSnapshot:
        """One round; tries every server once until one is active.

        Raises:
            SourceError: None answered as an active ResourceManager does.
        """
        return await self.client.of_active(self._round)

    async def close(self) -> None:
        """Let connections go; another round opens new ones."""
        await self.client.close()
        if self._log is not None:
            await self._log.close()

    async def _round(self) -> FixedSnapshot:
        client = self.client
        steady_ms = client.steady_ms
        info = await client.read(read_info, f"{CLUSTER}/info", LARGE)
        if info.ha_state == "STANDBY":
            raise SourceError(f"{client.where} is on standby", is_standby=True)
        restarted = self._info is not None and info.started_on != self._info.started_on
        metrics = await client.read(read_metrics, f"{CLUSTER}/metrics", LARGE)
        scheduler = await self._scheduler()
        is_due = restarted or steady_ms >= self._large.due_ms
        if restarted:  # one that recovered tells of those that ended before; another never heard of them
            self._large, self._ended_until_ms = _LargePages(0), client.server_ms - HISTORY_MS
        if is_due:
            self._large = await self._large_pages(steady_ms, scheduler, info.resource_manager_version)
            self._starts.look(self._large.live, self._large.time_ms)
        if restarted or self._info is None:
            self._settings = await self._wanted(read_settings, CONF, {})
        large, self._info = self._large, info
        answers = Round(
            client.server_ms,
            info,
            metrics,
            scheduler,
            large.nodes,
            (*large.live, *large.ended),
            self._settings,
            large.reserved,
            self._starts.mean_ms,
            None if is_due else large.time_ms,
        )
        holdings = await self._holdings(answers)
        made, count = self._made, metrics.containers_reserved
        count = bool(count) if self._log is None else count
        is_same = made is not None and made.large is large and (made.holdings, made.reservations) == (holdings, count)
        before = made.snapshot if made is not None and is_same else None
        is_long = len(answers.nodes) + len(answers.applications) > MANY
        if before is None:
            since_before = {} if restarted else self._since
            self._since = await aside(is_long, lambda: with_since(answers, since_before))
        self._version += 1
        version, since = self._version, self._since
        snapshot = await aside(is_long, lambda: snapshot_of_round(answers, version, since, holdings, before))
        if before is None:
            snapshot = await aside(is_long, lambda: with_obstacles(snapshot))
            if not is_long:
                snapshot = with_containers(snapshot, self._settings)
        self._made = _MadeRows(large, holdings, count, snapshot)
        if is_due:
            self.late = self.pace.late_words(client.steady_ms - steady_ms)
        return snapshot

    async def _large_pages(self, steady_ms: int, scheduler: SchedulerAnswer, version: str) -> _LargePages:
        client, asked_ms = self.client, self.client.server_ms
        reserved: Mapping[str, Amounts] = {}
        if scheduler.kind == "fairScheduler" and b"reservedResources" not in bytes(scheduler.body):
            reserved = await self._wanted(read_queue_reservations, QUEUE_BEANS, reserved)
        nodes = await client.read(read_nodes, f"{CLUSTER}/nodes")
        spared = SPARED if version.startswith("3.") else ""
        live = await client.read(read_applications, f"{CLUSTER}/apps?states={LIVE_STATES}{spared}")
        ended = await self._ended(spared and f"{spared},resourceRequests")
        due_ms = steady_ms + self.pace.large_after_ms(client.spent_ms)
        return _LargePages(due_ms, asked_ms, nodes, live, ended, reserved)

    async def _holdings(self, answers: Round) -> Sequence[Holding] | None:
        """Reservations of nodes as the log says; None where nobody reads one, or it cannot be read now."""
        if self._log is None:
            return None
        try:
            found = await self._log.holdings(answers)
        except (SourceError, *UNREADABLE) as error:
            self.notes = (f"the log cannot be read: {error}"[:MOST_WORDS],)
            return None
        self.notes = ()
        return found

    async def _wanted(self, read: Callable[[bytes], Kind], path: str, otherwise: Kind) -> Kind:
        """Return what a page says that is useful and not needed; a server may refuse it."""
        try:
            return await self.client.read(read, path)
        except SourceError as error:
            if error.is_standby:
                raise
            return otherwise

    async def scheduling(self) -> Mapping[str, str]:
        """Settings that decide what is scheduled.

        Raises:
            SourceError: This server does not say them.
        """
        return await self.client.read(read_scheduling, CONF)

    async def activities(self, application: str) -> Activities:
        """Return what a CapacityScheduler of 3.x recorded of an application.

        Raises:
            SourceError: This server records nothing.
        """
        path = f"{CLUSTER}/scheduler/app-activities/{application}?maxTime={RECORDED_S}&groupBy=diagnostic"
        return await self.client.read(read_activities, path)

    async def _scheduler(self) -> SchedulerAnswer:
        """The scheduler's answer; FifoScheduler fails as soon as a node is unhealthy or lost."""
        try:
            return await self.client.read(read_scheduler, f"{CLUSTER}/scheduler")
        except SourceError as error:
            if "NullPointerException" in str(error):
                return SchedulerAnswer("fifoScheduler", msgspec.Raw(b"{}"))
            raise

    async def _ended(self, spared: str) -> Sequence[ApplicationInfo]:
        """Applications that ended since the last round that asked for them, before those known to have ended."""
        states, asked_ms = ",".join(FINAL_APPLICATION_STATES), self.client.server_ms
        path = f"{CLUSTER}/apps?states={states}&finishedTimeBegin={self._ended_until_ms}&limit={MOST_ENDED}{spared}"
        found = await self.client.read(read_applications, path)
        self._ended_until_ms = asked_ms - SKEW_S * 1000  # so much the clocks may differ unnoticed
        known = {each.id: each for each in (*found, *self._large.ended)}
        return list(known.values())[:MOST_ENDED]
