"""Asks a ResourceManager, or the active one of a pair, round by round.

Cheap pages (metrics, scheduler) are asked every round; applications and nodes, which are large, every few rounds, and
rarer still while the server takes long. A round that fails leaves everything as it was.

Source: RMWebServices#updateAppState, #updateAppQueue, #updateApplicationPriority, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from engine.errors import RefusedError, SourceError
from engine.live.followed_log import FollowedLog
from engine.live.inference import with_obstacles
from engine.live.rest_client import (
    LARGE,
    MOST_WORDS,
    SKEW_S,
    UNREADABLE,
    PollPace,
    RestClient,
    run_in_thread_if_slow,
    status_words,
)
from engine.live.twin.cluster_holdings import HeldContainers, InferredHoldings, steps_of
from engine.live.watch_metrics import MasterStartMeter, with_since
from engine.live.yarn_answers import (
    QUEUE_BEANS,
    Activities,
    ApplicationInfo,
    ClusterInfo,
    NodeInfo,
    SchedulerAnswer,
    read_activities,
    read_application,
    read_applications,
    read_info,
    read_metrics,
    read_nodes,
    read_queue_reservations,
    read_scheduler,
    read_scheduling,
    read_settings,
)
from engine.live.yarn_poll import UP, ObservedReservation, Round, snapshot_of_round
from engine.model.lifecycle import FINAL_APPLICATION_STATES, still_live
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import SOME_NODE, UNKNOWN, Amounts, ApplicationRow, ContainerRow, ReservationRow

# Containers of a live cluster whose server counts them and names none: inferred, and marked so.

SECTION: Final = "containers"


def with_containers(snapshot: FixedSnapshot, settings: Mapping[str, str]) -> FixedSnapshot:
    """The same snapshot, with the containers that the sums of its nodes and applications let one conclude.

    How many each application has, and how many each node, is known; sizes and places are inferred. Reserved nodes are
    as the snapshot has them, last on each node. `settings` are of the server: sizes are multiples of its smallest.
    """
    live = still_live(snapshot.applications(why=False))
    up = [node for node in snapshot.nodes() if node.state in UP]
    by_id = {row.id: row for row in live}
    on: dict[str, list[ContainerRow]] = {}
    for name, held in InferredHoldings(up, live, steps_of(settings)).by_application().items():
        for node, row in _rows(by_id[name], held):
            on.setdefault(node, []).append(row)
    for one in snapshot.reservations():
        if one.application in by_id and one.node != SOME_NODE:
            on.setdefault(one.node, []).append(_reserved(one, by_id[one.application]))
    rows: Sequence[Any] = [row for node in up for row in on.get(node.id, ())]
    header = msgspec.structs.replace(snapshot.header, inferred=(*snapshot.header.inferred, SECTION))
    return snapshot.with_section(header, SECTION, rows, snapshot.version("nodes"))


def _rows(application: ApplicationRow, held: Sequence[HeldContainers]) -> Iterator[tuple[str, ContainerRow]]:
    """Each container with its node; its name is not stated, so that its id has no attempt."""
    number = 0
    for each in held:
        for _ in range(each.count):
            number += 1
            yield each.node, _row(application, each.node, each.size, f"{number:06d}", "RUNNING", is_am=each.is_am)


def _reserved(one: ReservationRow, application: ApplicationRow) -> ContainerRow:
    size = one.size if isinstance(one.size, tuple) else (0, 0)
    row = _row(application, one.node, size, one.node, "RESERVED", is_am=False)
    return msgspec.structs.replace(row, since_ms=one.since_ms)


def _row(
    application: ApplicationRow, node: str, size: tuple[int, ...], number: str, state: str, *, is_am: bool
) -> ContainerRow:
    return ContainerRow(
        id=f"{application.id.replace('application', 'container')}_?_{number}",
        application=application.id,
        node=node,
        queue=application.queue,
        user=application.user,
        priority=UNKNOWN,
        size=size,
        state=state,
        since_ms=UNKNOWN,
        is_am=is_am,
        marked_ms=UNKNOWN,
    )


# Changes a running cluster through its ResourceManager's own REST interface: kill, move, priority, by id.
#
# Before each act the application is asked for again: what has ended is left alone. Refusals are the server's words.

APPLICATIONS: Final = "/ws/v1/cluster/apps"
DONE: Final = frozenset({httpx.codes.OK, httpx.codes.ACCEPTED})


class YarnActs:
    """Acts as a user."""

    def __init__(self, client: RestClient, user: str = "", token: str = "") -> None:
        """Change nothing yet.

        `user` says so, where the server believes a name alone (`user.name`); empty where a login says it. `token` is
        what a server wants to see with every act, as `schedlab serve` does; empty where it wants none. It goes nowhere
        but into the header of an act.
        """
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._query = f"?user.name={quote(user)}" if user else ""

    async def kill(self, application: str) -> None:
        """Have an application end; the server takes note, and ends it a moment later.

        Raises RefusedError if it has ended, or the server refuses, SourceError if the server does not answer.
        """
        await self._live(application)
        await self._put(application, "state", {"state": "KILLED"})

    async def move(self, application: str, queue: str) -> None:
        """Have an application go on in another queue; errors as of `kill`."""
        row = await self._live(application)
        is_short = "." not in row.queue  # CapacityScheduler 2.7 knows queues by the last part of their path
        await self._put(application, "queue", {"queue": queue.rpartition(".")[2] if is_short else queue})

    async def set_priority(self, application: str, priority: int) -> None:
        """Have an application be served before those of a smaller priority in its queue; errors as of `kill`."""
        await self._live(application)
        await self._put(application, "priority", {"priority": priority})

    async def _put(self, application: str, what: str, value: dict[str, str | int]) -> None:
        path = f"{APPLICATIONS}/{quote(application)}/{what}{self._query}"
        reply = await self._client.ask("PUT", path, msgspec.json.encode(value), self._headers)
        if reply.status not in DONE:
            raise RefusedError(status_words(self._client.where, reply.status, reply.body))

    async def _live(self, application: str) -> ApplicationInfo:
        # Raises RefusedError if none of this id lives, SourceError if the server does not answer
        try:
            row = await self._client.read(read_application, f"{APPLICATIONS}/{quote(application)}{self._query}")
        except SourceError as error:
            if "not found" in str(error):
                raise RefusedError(str(error)) from error
            raise
        if row.state in FINAL_APPLICATION_STATES:
            raise RefusedError(f"{application} has ended meanwhile ({row.state})")
        return row


CLUSTER: Final = "/ws/v1/cluster"

MANY: Final = 1_000  # Nodes and applications from which on a snapshot is made in a thread

SPARED: Final = "&deSelects=timeouts,amNodeLabelExpression,appNodeLabelExpression,resourceInfo"
"""What 3.x need not write of applications. Source: DeSelectFields.DeSelectType, 3.0.0."""

HISTORY_MS: Final = 3_600_000  # How long before the first round applications ended that are asked for
MOST_ENDED: Final = 200  # Applications that ended, of which the latest are kept

CONF: Final = "/conf?format=json"
RECORDED_S: Final = 20  # How long a server records, once asked, why an application is passed by

Kind = TypeVar("Kind")

LIVE_STATES: Final = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"


class _LargePages(NamedTuple):  # Answers to questions that are not asked in every round
    due_ms: int  # When it is asked again, by the clock of this machine [ms]
    time_ms: int = 0  # When it was asked, by the server's clock [epoch ms]
    nodes: Sequence[NodeInfo] = ()
    live: Sequence[ApplicationInfo] = ()
    ended: Sequence[ApplicationInfo] = ()
    reserved: Mapping[str, Amounts] = {}


class _MadeRows(NamedTuple):
    large: _LargePages
    holdings: Sequence[ObservedReservation] | None
    reservations: int  # How many the server counted; without a log, whether there were any
    snapshot: FixedSnapshot


class YarnSource:
    """A ResourceManager, or the several of a pair that follow each other."""

    def __init__(self, client: RestClient, pace: PollPace, log: FollowedLog | None = None) -> None:
        """Ask nothing yet. `log` reads reservations of nodes from the ResourceManager's log; None where none does."""
        self.client = client
        self._log = log
        self.pace = pace
        self._version = 0
        self._since: dict[str, int] = {}
        self._info: ClusterInfo | None = None
        self._large = _LargePages(0)
        self._made: _MadeRows | None = None  # the rows of the last round; None before the first
        self._settings: Mapping[str, str] = {}
        self._ended_until_ms = client.local_ms - HISTORY_MS
        self.notes: tuple[str, ...] = ()
        """What else than the server itself could not be read in the last round, and why."""
        self._starts = MasterStartMeter()
        self.late = ""  # that the last round that asked for every page took too long; empty where it did not

    async def poll(self) -> FixedSnapshot:
        """One round, trying every server once. Raises SourceError if none is an active ResourceManager."""
        return await self.client.of_active(self._round)

    async def close(self) -> None:
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
        is_unlisted = metrics.active_nodes > 0 and not self._large.nodes  # nodes have joined since the page was asked
        is_due = restarted or is_unlisted or steady_ms >= self._large.due_ms
        if restarted:  # one that recovered tells of those that ended before; another never heard of them
            self._large, self._ended_until_ms = _LargePages(0), client.server_ms - HISTORY_MS
        if is_due:
            self._large = await self._large_pages(steady_ms, scheduler, info)
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
            self._since = await run_in_thread_if_slow(is_long, lambda: with_since(answers, since_before))
        self._version += 1
        version, since = self._version, self._since
        snapshot = await run_in_thread_if_slow(
            is_long, lambda: snapshot_of_round(answers, version, since, holdings, before)
        )
        if before is None:
            snapshot = await run_in_thread_if_slow(is_long, lambda: with_obstacles(snapshot))
            if not is_long:
                snapshot = with_containers(snapshot, self._settings)
        self._made = _MadeRows(large, holdings, count, snapshot)
        if is_due:
            self.late = self.pace.late_words(client.steady_ms - steady_ms)
        return snapshot

    async def _large_pages(self, steady_ms: int, scheduler: SchedulerAnswer, info: ClusterInfo) -> _LargePages:
        client, asked_ms = self.client, self.client.server_ms
        reserved: Mapping[str, Amounts] = {}
        if scheduler.kind == "fairScheduler" and b"reservedResources" not in bytes(scheduler.body):
            reserved = await self._wanted(read_queue_reservations, QUEUE_BEANS, reserved)
        nodes = await client.read(read_nodes, f"{CLUSTER}/nodes")
        spared = SPARED if info.resource_manager_version.startswith("3.") else ""
        live = await client.read(read_applications, f"{CLUSTER}/apps?states={LIVE_STATES}{spared}")
        ended_ms, ended = client.server_ms, await self._ended(spared and f"{spared},resourceRequests")
        after = await client.read(read_info, f"{CLUSTER}/info", LARGE)
        if after.started_on != info.started_on:
            raise SourceError(f"{client.where} answered as two ResourceManagers, one after the other")
        self._ended_until_ms = ended_ms - SKEW_S * 1000  # so much the clocks may differ unnoticed
        due_ms = steady_ms + self.pace.large_after_ms(client.spent_ms)
        return _LargePages(due_ms, asked_ms, nodes, live, ended, reserved)

    async def _holdings(self, answers: Round) -> Sequence[ObservedReservation] | None:
        """Reservations of nodes as the log says; None where none is read, or it cannot be read now."""
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
        """Settings that decide what is scheduled. Raises SourceError if this server does not say them."""
        return await self.client.read(read_scheduling, CONF)

    async def activities(self, application: str) -> Activities:
        """What a CapacityScheduler of 3.x recorded. Raises SourceError if this server records nothing."""
        path = f"{CLUSTER}/scheduler/app-activities/{application}?maxTime={RECORDED_S}&groupBy=diagnostic"
        return await self.client.read(read_activities, path)

    async def _scheduler(self) -> SchedulerAnswer:
        try:
            return await self.client.read(read_scheduler, f"{CLUSTER}/scheduler")
        except SourceError as error:
            if "NullPointerException" in str(error):
                return SchedulerAnswer("fifoScheduler", msgspec.Raw(b"{}"))
            raise

    async def _ended(self, spared: str) -> Sequence[ApplicationInfo]:
        """Applications that ended since the last round that asked for them, before those known to have ended."""
        states = ",".join(FINAL_APPLICATION_STATES)
        path = f"{CLUSTER}/apps?states={states}&finishedTimeBegin={self._ended_until_ms}&limit={MOST_ENDED}{spared}"
        found = await self.client.read(read_applications, path)
        known = {each.id: each for each in (*found, *self._large.ended)}
        return list(known.values())[:MOST_ENDED]
