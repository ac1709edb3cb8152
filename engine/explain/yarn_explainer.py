"""Explains waits under a ResourceManager, whatever its policy."""

from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from functools import cached_property, partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.alert import PREEMPTIONS, TIMES_AS_MUCH
from engine.explain.answer import WaiterReport
from engine.explain.counterfactuals import Ask, LoosenedCopy, loose_values
from engine.explain.explainer import PASSING, Explainer
from engine.explain.instant import HEAD_OF_LINE, LIVELOCK, PARTIES, SharedLookahead
from engine.explain.obstacles import (
    BEHIND,
    BELOW_SHARE,
    FREE,
    GIVEN_UP,
    LOST_TO_PREEMPTION,
    MASTERS_HOLD,
    AttemptObstacles,
    ObstacleRow,
    obstacle_rows,
    obstacles_found,
    reduces_hold,
    without_setting,
)
from engine.explain.outages import rows_of_gone
from engine.explain.verdict import Verdict
from engine.explain.waits import AM_LIMITS, BlockingResources, holders, is_full, limits_in
from engine.incremental import Incremental, run_to_end
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import is_under
from engine.schedulers.interface import Setting, subject_of
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.yarn_scheduler import YarnScheduler, obstacle_before_nodes
from engine.settings.capacity import MAXIMUM_PRIORITY
from engine.settings.site import SLOW_START
from engine.simulation.simulation import Simulation
from engine.simulation.world import NODE_EXPIRES
from engine.units import format_duration, plural
from engine.workload.mapreduce import MapReduceMaster

# Known ways in which a YARN cluster gets stuck, detected by name.

FULL: Final = (Reason.DOES_NOT_FIT, Reason.NODE_RESERVED, Reason.RESERVATION_LIMIT)
_FULL: Final = tuple(each.name for each in FULL)
_MAXIMA: Final = (Reason.QUEUE_OVER_MAXIMUM.name, Reason.QUEUE_WOULD_EXCEED_MAXIMUM.name)


class Case(NamedTuple):
    """The facts from which a pattern is recognised."""

    basis: SharedLookahead  # The instant asked about, and the closed world, at its end
    scheduler: YarnScheduler
    attempt: Attempt
    obstacles: AttemptObstacles  # At the instant asked about
    verdict: Verdict

    @property
    def never(self) -> bool:
        """Tell whether the closed world never gives it anything."""
        return self.verdict.expected_start_ms is None


def _am_only(case: Case) -> bool:
    stuck = [_attempt(case.scheduler, step.application) for step in case.verdict.proof.cycle]
    known = [each for each in stuck if each is not None]
    return case.never and len(known) == len(stuck) and _are_masters_alone(known)


def _are_masters_alone(attempts: Sequence[Attempt]) -> bool:
    """Tell whether some have their masters, and none has any other container."""
    return any(each.live for each in attempts) and all(set(each.live) <= {each.master} for each in attempts)


def _reservation(case: Case) -> bool:
    """A cycle goes through a reservation that withholds what a waiting application could use at once."""
    return case.verdict.verdict == "deadlocked" and any(
        step.because is Reason.NODE_RESERVED and _is_withheld(case.scheduler, step.application)
        for step in case.verdict.proof.cycle
    )


def _is_withheld(scheduler: YarnScheduler, number: int) -> bool:
    attempt = _attempt(scheduler, number)
    sizes = _asked_sizes(attempt) if attempt is not None else []
    return any(
        node.reserved is not None
        and node.reserved.attempt is not attempt
        and any(memory_mb <= node.free_memory_mb and vcores <= node.free_vcores for memory_mb, vcores in sizes)
        for node in scheduler.cluster.nodes.values()
    )


def _asked_sizes(attempt: Attempt) -> list[tuple[int, int]]:
    asks = (ask for group in attempt.groups.values() for ask in group.by_name.values())
    return [(ask.memory_mb, ask.vcores) for ask in asks if ask.count > 0]


def _am_limit(case: Case) -> bool:
    here = case.obstacles.in_queue
    if here is None or here.reason not in AM_LIMITS:
        return False
    return 0 not in here.numbers[1::3] or not any(is_full(each) for _, each in case.obstacles.on_nodes)


def _user_limit(case: Case) -> bool:
    obstacle = case.obstacles.in_queue
    if obstacle is not None:
        return subject_of(obstacle, case.attempt)[1]
    return _is_bound_by(case, Reason.USER_OVER_LIMIT)


def _is_bound_by(case: Case, reason: Reason) -> bool:
    """Tell whether it is for this reason alone that no node with room for it, in its partition, takes it."""
    reasons = {each.reason for _, each in case.obstacles.on_nodes}
    return reason in reasons and reasons <= {reason, *FULL, Reason.NOT_IN_PARTITION}


def _queue_limit(case: Case) -> bool:
    obstacle = case.obstacles.in_queue
    if obstacle is not None and obstacle.reason in (Reason.QUEUE_OVER_MAXIMUM, Reason.QUEUE_NOT_RUNNING_IT):
        return not _user_limit(case)
    found = case.obstacles.on_nodes
    if found and all(each.reason is Reason.QUEUE_WOULD_EXCEED_MAXIMUM for _, each in found):
        return not all(_is_whole(case, *each) for each in found)
    over = [(node, each) for node, each in case.obstacles.on_nodes if each.reason is Reason.QUEUE_OVER_MAXIMUM]
    return _is_bound_by(case, Reason.QUEUE_OVER_MAXIMUM) and not all(_is_whole(case, *each) for each in over)


def _is_whole(case: Case, node: Node, obstacle: Obstacle) -> bool:
    """Tell whether a maximum is all that there is, so that the nodes are full and no limit holds it back."""
    nodes = case.scheduler.cluster.nodes.values()
    total_mb = sum(each.total_memory_mb for each in nodes if each.partition == node.partition)
    return obstacle.numbers[1] >= total_mb


def _too_large(case: Case) -> bool:
    reasons = [each.reason for _, each in case.obstacles.on_nodes]
    return case.verdict.verdict == "impossible" and bool(reasons) and set(reasons) == {Reason.NODE_TOO_SMALL}


def _locality(case: Case) -> bool:
    if not case.never:
        return False
    size = max(_asked_sizes(case.attempt), default=(0, 0))
    return any(
        obstacle.reason is Reason.LOCALITY_NOT_RELAXED
        and (node.free_memory_mb, node.free_vcores) >= size
        and node.reserved is None
        for node, obstacle in case.obstacles.on_nodes
    )


SERVED_MS: Final = 600_000  # In a livelock an application loses within this time what it was given [ms]


def _livelock(case: Case) -> Incremental[bool]:
    """Containers are taken back for it, and will be taken from it again, and none ever runs out."""
    start_ms, first_ms = case.verdict.expected_start_ms, case.basis.ahead.preempted_ms
    if first_ms is None or (start_ms is not None and first_ms > start_ms):
        return False
    if start_ms is None:
        return bool((yield from case.basis.livelocked()))
    # An application that keeps what it gets is served by preemption, and one that gets nothing back only loses.
    return case.attempt.application.number in (yield from case.basis.livelocked(PARTIES, SERVED_MS))


def _head_of_line(case: Case) -> bool:
    if case.verdict.verdict not in ("waiting", "starving", "blocked", "deadlocked"):
        return False
    own_mb, before_mb = _pending_mb(case.attempt), sum(map(_pending_mb, before(case.scheduler, case.attempt)))
    is_behind = 0 < own_mb * TIMES_AS_MUCH <= before_mb
    return is_behind and all(each.reason in (*FULL, Reason.OTHER_FIRST) for _, each in case.obstacles.on_nodes)


def _pending_mb(attempt: Attempt) -> int:
    asks = (group.anywhere for group in attempt.groups.values())
    return sum(ask.memory_mb * ask.count for ask in asks if ask is not None and ask.count > 0)


def before(scheduler: YarnScheduler, attempt: Attempt) -> list[Attempt]:
    """Return the applications before it where its queue serves first come, first served; else empty."""
    if not scheduler.policy.view().is_first_come(attempt):
        return []
    own, path = _turn(scheduler, attempt), attempt.queue.path
    attempts = [each.attempt for each in scheduler.cluster.applications.values()]
    return sorted(
        (one for one in attempts if one is not None and one.queue.path == path and _turn(scheduler, one) < own),
        key=partial(_turn, scheduler),
    )


def _turn(scheduler: YarnScheduler, attempt: Attempt) -> tuple[int, int]:
    """When an attempt's turn comes where first come is first served: by priority where that counts, then by number."""
    priority = attempt.application.priority or 0 if scheduler.policy.view().counts_priorities else 0
    return (-priority, attempt.application.number)


NAMES: Final[dict[str, Callable[[Case], bool]]] = {
    "AM-only deadlock": _am_only,
    "reservation deadlock": _reservation,
    "ask above every node": _too_large,
    "locality never relaxed": _locality,
    "AM limit": _am_limit,
    "user limit": _user_limit,
    "queue limit": _queue_limit,
    HEAD_OF_LINE: _head_of_line,
}
"""Name → what tells it, the more particular first; `LIVELOCK` comes before them all."""


def pattern_of(case: Case) -> Incremental[str]:
    """The name of the first pattern found; empty when none is."""
    if (yield from _livelock(case)):
        return LIVELOCK
    return next((name for name, is_found in NAMES.items() if is_found(case)), "")


def _attempt(scheduler: YarnScheduler, number: int) -> Attempt | None:
    application = scheduler.cluster.applications.get(number)
    return application.attempt if application is not None else None


class YarnExplainer(Explainer):
    """Explains a ResourceManager."""

    def __init__(self, view: YarnClusterView, simulation: Simulation) -> None:
        self._view = view
        self._scheduler = view.scheduler
        self._cluster = view.scheduler.cluster
        self._simulation = simulation
        self._world = simulation.world
        self._now_ms = simulation.now_ms
        self._alike: dict[tuple[object, ...], list[BlockingResources]] = {}
        """Holds by obstacle: applications that wait for the same nodes wait for the same holders."""

    def obstacles(self, number: int, priority: int | None = None) -> Incremental[tuple[ObstacleRow, ...]]:
        """All obstacles of an application: the queue's first, then those of nodes by their number."""
        attempt = self._waiting_attempt(number)
        if attempt is None:
            return self._failures(number)
        found = yield from self._found(attempt, priority)
        yield
        gone = rows_of_gone(self._cluster) if attempt.pending else ()
        rows = obstacle_rows(self._scheduler, attempt, found, sum(row.count for row in gone))
        if gone:  # they say more than that there is none
            rows = tuple(row for row in rows if row.code != Reason.NO_NODE.name)
        if rows and rows[0].code == Reason.QUEUE_NOT_RUNNING_IT.name:  # a queue has no share while nothing runs in it
            rows = tuple(row for row in rows if row.numbers.get("share_mb") != 0)
        if any(row.code in _FULL for row in rows):  # masters may have a part of what is free, and nothing is free
            rows = tuple(sorted(rows, key=_is_part_of_nothing))
        more = (*self._too_small(attempt, priority, rows), *gone, *self._below_share(attempt, rows))
        more = (*more, *self._own_share(attempt, priority, rows), *self._losses(attempt.application, rows))
        return (*rows, *more, *self._masters_alone(attempt, rows), *self._hoarded(attempt, priority, rows))

    def _failures(self, number: int) -> tuple[ObstacleRow, ...]:
        given_up = next((each for each in self._cluster.finished if each.number == number), None)
        if given_up is None or given_up.state != "FAILED" or given_up.finished_ms is None:
            return ()
        count = given_up.failures(given_up.finished_ms)
        if not count or count < given_up.max_attempts:
            return ()
        after_ms = [time_ms - given_up.submitted_ms for time_ms in given_up.failed_ms[-count:]]
        times = ", ".join(format_duration(each // 1000 * 1000) for each in after_ms)
        how_often = f"its application master failed {plural(count, 'time')}, as often as it may"
        return (ObstacleRow(GIVEN_UP, f"{how_often}: {times} after it was submitted", "APP", "SKIPPED"),)

    def _own_share(self, attempt: Attempt, priority: int | None, rows: Sequence[ObstacleRow]) -> Sequence[ObstacleRow]:
        """Its own containers leave no room on any node, even if it were alone."""
        own_mb: dict[str, int] = {}
        for container in attempt.live.values():
            own_mb[container.node.id] = own_mb.get(container.node.id, 0) + container.memory_mb
        nodes = self._cluster.nodes.values()
        least_mb, _ = _least_asked(attempt, priority)
        left_mb = max((node.total_memory_mb - own_mb.get(node.id, 0) for node in nodes), default=0)
        keeps_out = (*_FULL, *_MAXIMA)
        is_full = any(row.code in keeps_out for row in rows) and any(node.total_memory_mb >= least_mb for node in nodes)
        if not own_mb or left_mb >= least_mb or not is_full:
            return ()
        held = f"{plural(len(attempt.live), 'container')} of {sum(own_mb.values())} MB"
        held += " together" if len(attempt.live) > 1 else ""
        sentence = f"what it has itself, {held}, leaves no room"
        return (ObstacleRow("OWN_HOLDS", sentence, "APP", "SKIPPED", subject=attempt.application.name),)

    def _losses(self, application: Application, rows: Sequence[ObstacleRow]) -> Sequence[ObstacleRow]:
        """That what it is given is preempted again and again."""
        if not rows or application.preempted < PREEMPTIONS:
            return ()
        ago = format_duration((self._now_ms - application.preempted_since_ms) // 1000 * 1000)
        sentence = f"{application.preempted} of its containers were preempted, the first {ago} ago"
        sentence += ", and none has ended by itself since"
        return (ObstacleRow(LOST_TO_PREEMPTION, sentence, "APP", "SKIPPED"),)

    def _masters_alone(self, attempt: Attempt, rows: Sequence[ObstacleRow]) -> Sequence[ObstacleRow]:
        """That masters fill the nodes and leave no room for what they ask for."""
        attempts = [each.attempt for each in self._cluster.applications.values() if each.attempt is not None]
        masters = sum(len(each.live) for each in attempts)
        is_full = any(row.code in (*_FULL, Reason.NODE_RESERVED.name) for row in rows)
        if masters < 2 or not is_full or not _are_masters_alone(attempts):
            return ()
        behind = Obstacle(Reason.AM_SHARE_EXHAUSTED, (), attempt.queue.path)
        setting = self._scheduler.policy.view().setting_behind(attempt, behind)
        is_of_one = all(each.queue is attempt.queue for each in attempts if each.live)
        sentence = f"{masters} application masters hold all that is used, and none has anything else"
        decider = setting if is_of_one else None
        return (ObstacleRow(MASTERS_HOLD, sentence, "APP", "SKIPPED", decided_by=decider),)

    def _hoarded(self, attempt: Attempt, priority: int | None, rows: Sequence[ObstacleRow]) -> Sequence[ObstacleRow]:
        """That reduces which wait for maps hold the room it needs, or the part of its queue."""
        limit = next((row for row in rows if row.level == "QUEUE" and row.code in _MAXIMA), None)
        if limit is None and not _is_full(rows):
            return ()
        early = self._early_reduces("root" if limit is None else limit.subject)
        room_mb = {node.id: node.total_memory_mb - node.used_memory_mb for node in self._cluster.nodes.values()}
        left_mb = 0 if limit is None else limit.numbers.get("maximum_mb", 0) - limit.numbers.get("used_mb", 0)
        for _, containers in early:
            for container in containers:
                room_mb[container.node.id] = room_mb.get(container.node.id, 0) + container.memory_mb
                left_mb += container.memory_mb
        most_mb = max(room_mb.values(), default=0) if limit is None else left_mb
        if not early or most_mb < _least_asked(attempt, priority)[0]:
            return ()
        held = {f"{master.number:04d} {master.spec.name}".strip(): len(containers) for master, containers in early}
        first, _ = max(early, key=lambda pair: len(pair[1]))
        return (reduces_hold(held, "container", Setting(SLOW_START, f"{first.spec.slow_start:g}")),)

    def _early_reduces(self, path: str) -> list[tuple[MapReduceMaster, list[Container]]]:
        """Jobs in a queue with reduces that wait for maps, and these."""
        found = []
        for number, master in self._world.masters.items():
            attempt = self._attempt(number)
            if isinstance(master, MapReduceMaster) and attempt is not None and is_under(attempt.queue.path, path):
                own = (attempt.live.get(each[2]) for each in master.early_reduces() if each[1] == attempt.number)
                if reduces := [each for each in own if each is not None]:
                    found.append((master, reduces))
        return found

    def _too_small(self, attempt: Attempt, priority: int | None, rows: Sequence[ObstacleRow]) -> Sequence[ObstacleRow]:
        """That no node is large enough, where a limit says no before any node is asked."""
        nodes, (least_mb, vcores) = tuple(self._cluster.nodes.values()), _least_asked(attempt, priority)
        most = max(((node.total_memory_mb, node.total_vcores) for node in nodes), default=(0, 0))
        if not nodes or least_mb <= most[0] or any(row.code == Reason.NODE_TOO_SMALL.name for row in rows):
            return ()
        are_few = self._scheduler.policy.view().counts_vcores and all(vcores > node.total_vcores for node in nodes)
        numbers = (least_mb, most[0], vcores, most[1]) if are_few else (least_mb, most[0])
        found = tuple((node, Obstacle(Reason.NODE_TOO_SMALL, numbers)) for node in nodes)
        return obstacle_rows(self._scheduler, attempt, AttemptObstacles(None, found))

    def _behind(self, attempt: Attempt) -> Sequence[ObstacleRow]:
        """The applications before it that still ask for something, where its queue serves first come, first served."""
        first = next((each for each in before(self._scheduler, attempt) if each.pending), None)
        if first is None:
            return ()
        number, path = first.application.number, attempt.queue.path
        setting = self._scheduler.policy.view().setting_behind(attempt, Obstacle(Reason.OTHER_FIRST, (), path))
        is_above = _turn(self._scheduler, first)[0] < _turn(self._scheduler, attempt)[0]
        what = f"higher priorities first ({first.application.priority})" if is_above else "in order of submission"
        sentence = (
            f"{path} serves {what}: {number:04d} {first.application.name} is before it and asks for"
            f" {plural(first.pending, 'more container')}{self._priority_cut(attempt)}"
        )
        settings = (setting,) if setting is not None else ()
        return (ObstacleRow(BEHIND, sentence, "APP", "SKIPPED", subject=path, together=settings),)

    def _priority_cut(self, attempt: Attempt) -> str:
        """What became of the priority it was submitted with, as the end of a sentence; empty where that counts."""
        counts, own = self._scheduler.policy.view().counts_priorities, attempt.application
        asked = getattr(self._world.specification_of(own.number), "priority", None) or 0
        counted = (own.priority or 0) if counts else 0
        if asked <= counted:
            return ""
        return f"; priority {asked} of {own.number:04d} counts as {counted}{f' ({MAXIMUM_PRIORITY})' if counts else ''}"

    def _below_share(self, attempt: Attempt, rows: Sequence[ObstacleRow]) -> Sequence[ObstacleRow]:
        """The applications before it in its queue, and what the queue is due, where others fill the nodes."""
        is_passed = any(row.code in (*_FULL, Reason.OTHER_FIRST.name) for row in rows)
        behind = self._behind(attempt) if is_passed else ()
        if not _is_full(rows) and not _is_full_above(rows, attempt.queue.path):
            return behind
        found = self._scheduler.policy.view().shortfall(attempt, self._now_ms)
        if found is None:
            return behind
        path = attempt.queue.path
        return (
            *behind,
            ObstacleRow(BELOW_SHARE, found.sentence, "QUEUE", "SKIPPED", subject=path, together=found.settings),
        )

    def priorities(self, number: int) -> list[int]:
        attempt = self._attempt(number)
        if attempt is None:
            return []
        groups = ((priority, attempt.groups[priority].anywhere) for priority in attempt.priorities)
        return [priority for priority, anywhere in groups if anywhere is not None and anywhere.count > 0]

    def is_served_at(self, number: int, priority: int | None) -> bool:
        return any(priority in (None, each.priority) for each in self._tasks(number))

    def is_served_beside(self, number: int, priority: int | None) -> bool:
        return any(each.priority != priority for each in self._tasks(number))

    def _tasks(self, number: int) -> Iterator[Container]:
        attempt = self._attempt(number)
        return (each for each in (attempt.live.values() if attempt is not None else ()) if not each.is_am)

    def without_room(self, numbers: Collection[int], others: Collection[int]) -> set[int]:
        beside = {node.id: (node.total_memory_mb, node.total_vcores) for node in self._cluster.nodes.values()}
        for number in others:
            attempt = self._attempt(number)
            for each in attempt.live.values() if attempt is not None else ():
                memory_mb, vcores = beside[each.node.id]
                beside[each.node.id] = memory_mb - each.memory_mb, vcores - each.vcores
        rooms = set(beside.values())
        return {
            number
            for number in numbers
            for memory_mb, vcores in self._sizes(number)
            if not any(memory_mb <= room[0] and vcores <= room[1] for room in rooms)
        }

    def _sizes(self, number: int) -> set[tuple[int, int]]:
        attempt = self._attempt(number)
        asked = (attempt.groups[priority].anywhere for priority in self.priorities(number)) if attempt else ()
        return {(each.memory_mb, each.vcores) for each in asked if each is not None}

    def is_merely_full(self, number: int) -> bool:
        attempt = self._waiting_attempt(number)
        if attempt is None:
            return True
        behind = obstacle_before_nodes(self._scheduler, attempt)
        if behind is not None:
            return behind.reason.name in PASSING
        away, policy = self._away, self._scheduler.policy
        some = (node for node in self._cluster.nodes.values() if node.id not in away)
        found = (policy.obstacle_on(attempt, node, self._now_ms) or FREE for node in some)
        return any(each.reason.name in PASSING for each in found)

    def is_too_large(self, number: int, priority: int | None = None) -> Incremental[bool]:
        attempt = self._attempt(number)
        if attempt is None:
            return False
        on_nodes = (yield from self._found(attempt, priority)).on_nodes
        return bool(on_nodes) and all(obstacle.reason is Reason.NODE_TOO_SMALL for _, obstacle in on_nodes)

    def holds(self, number: int, priority: int | None = None) -> Incremental[list[BlockingResources]]:
        attempt = self._waiting_attempt(number)
        if attempt is None:
            return []
        found = yield from self._found(attempt, priority)
        yield
        limits = [(each.reason, each.subject) for each in limits_in(found)]
        whose = (attempt.queue.path, attempt.user) if limits else ()
        key = (*limits, *whose, *[(each.reason, is_full(each)) for _, each in found.on_nodes])
        if key not in self._alike:
            self._alike[key] = yield from holders(self._scheduler, attempt, found)
        return self._alike[key]

    def other_settings(self, ask: Ask, row: ObstacleRow) -> Sequence[ObstacleRow]:
        attempt = self._attempt(ask[0])
        if attempt is None or row.decided_by is None or row.code not in Reason.__members__:
            return ()
        others = self._scheduler.policy.view().other_settings(attempt, Reason[row.code], row.decided_by)
        return [replace(row, decided_by=each) for each in others]

    def loose_values(self, row: ObstacleRow) -> Sequence[str]:
        return loose_values(row)

    def loosen(self, ask: Ask, row: ObstacleRow, value: str) -> None:
        attempt = self._attempt(ask[0])
        assert attempt is not None, "who asks for something has an attempt"
        LoosenedCopy(self._simulation, self._scheduler, attempt, ask).loosen(row, value)

    def drop_other_asks(self, number: int, priority: int | None) -> None:
        attempt = self._attempt(number)
        if attempt is None or priority is None:
            return
        others = [group for group in attempt.groups.values() if group.priority != priority]
        dropped = [copy(request) for group in others for request in group.by_name.values()]
        for request in dropped:
            request.count = 0
        if dropped:
            self._cluster.update_requests(attempt, dropped)

    def before(self, number: int) -> Collection[int]:
        attempt = self._attempt(number)
        earlier = before(self._scheduler, attempt) if attempt is not None else []
        return [each.application.number for each in earlier if each.pending]

    def waiting_in_queue(self, path: str) -> Iterator[WaiterReport]:
        for attempt in self._waiting():
            if is_under(attempt.queue.path, path):
                yield self._waiter(attempt, run_to_end(self._found(attempt)))

    def waiting_for_node(self, node: str) -> Iterator[WaiterReport]:
        for attempt in self._waiting():
            found = run_to_end(self._found(attempt))
            here = tuple(pair for pair in found.on_nodes if pair[0].id == node)
            yield self._waiter(attempt, AttemptObstacles(found.in_queue, here))

    def pattern(self, basis: SharedLookahead, number: int, verdict: Verdict) -> Incremental[str]:
        attempt = self._attempt(number)
        if attempt is None:
            return ""
        found = yield from self._found(attempt, verdict.priority)
        yield
        return (yield from pattern_of(Case(basis, self._scheduler, attempt, found, verdict)))

    def _found(self, attempt: Attempt, priority: int | None = None) -> Incremental[AttemptObstacles]:
        """The obstacles in the queue and on every node, with what a ResourceManager does not know of its nodes."""
        found = yield from obstacles_found(self._scheduler, attempt, self._now_ms, priority)
        if attempt.pending and not found.on_nodes:
            return AttemptObstacles(self._not_back or Obstacle(Reason.NO_NODE), ())
        away = self._away
        on_nodes = tuple((node, away.get(node.id, each)) for node, each in found.on_nodes)
        return AttemptObstacles(found.in_queue, on_nodes, self._not_back if attempt.pending else None)

    @property
    def _not_back(self) -> Obstacle | None:
        """Nodes that a ResourceManager which started again still waits for; None when it waits for none."""
        recovery = self._view.recovery()
        if recovery is None or recovery.is_down or recovery.nodes_back == recovery.nodes_known:
            return None
        return Obstacle(Reason.NODES_NOT_BACK, (recovery.nodes_known - recovery.nodes_back, recovery.nodes_known))

    @cached_property
    def _away(self) -> dict[str, Obstacle]:
        """Nodes believed alive that offer nothing: silent ones and drained ones."""
        world = self._world
        found = {node.id: Obstacle(Reason.NODE_DRAINING) for node in world.nodes if node.member and node.draining}
        silent = {node.index: node.id for node in world.nodes if node.member and not node.up}
        for event in world.clock.heap if silent else ():
            if event[3] == NODE_EXPIRES and event[2] in silent:
                left_ms = event[0] - self._now_ms
                numbers = ((world.ground.expiry_ms - left_ms) // 1000, left_ms // 1000)
                found[silent[event[2]]] = Obstacle(Reason.NODE_SILENT, numbers)
        return found

    def _attempt(self, number: int) -> Attempt | None:
        application = self._cluster.applications.get(number)
        return application.attempt if application is not None else None

    def _waiting_attempt(self, number: int) -> Attempt | None:
        attempt = self._attempt(number)
        return attempt if attempt is not None and (attempt.pending or attempt.recovered) else None

    def _waiting(self) -> list[Attempt]:
        attempts = [self._waiting_attempt(number) for number in self._cluster.applications]
        return sorted((each for each in attempts if each is not None), key=_since)

    def _waiter(self, attempt: Attempt, found: AttemptObstacles) -> WaiterReport:
        application = attempt.application
        return WaiterReport(
            application=self._view.application_id(application.number),
            name=application.name,
            queue=application.queue,
            waiting_since_ms=application.waiting_since_ms,
            pending=attempt.pending,
            reasons=tuple(map(without_setting, obstacle_rows(self._scheduler, attempt, found))),
        )


def _is_full(rows: Sequence[ObstacleRow]) -> bool:
    """Tell whether others fill the nodes, and no queue limit stands before that but a part of what is free."""
    says_no = [row for row in rows if row.level == "QUEUE" and not _is_part_of_nothing(row)]
    return not says_no and any(row.code in _FULL for row in rows)


def _is_full_above(rows: Sequence[ObstacleRow], path: str) -> bool:
    """Tell whether queues beside have what one above may use, so that containers of theirs may be taken."""
    limits = [row.subject for row in rows if row.level == "QUEUE" and row.code in _MAXIMA]
    return bool(limits) and path not in limits


def _is_part_of_nothing(row: ObstacleRow) -> bool:
    shares = (row.numbers.get("share_mb"), row.numbers.get("share_vcores"))
    return row.code == Reason.AM_SHARE_EXHAUSTED.name and 0 in shares


def _least_asked(attempt: Attempt, priority: int | None) -> tuple[int, int]:
    """The (MB, vcores) of the smallest container that an attempt asks for, or asks for at a priority; 0 for none."""
    asked = [group.anywhere for group in attempt.groups.values() if priority in (None, group.priority)]
    return min(((each.memory_mb, each.vcores) for each in asked if each is not None and each.count > 0), default=(0, 0))


def _since(attempt: Attempt) -> tuple[int, int]:
    return (attempt.application.waiting_since_ms or 0, attempt.application.number)
