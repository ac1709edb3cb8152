"""Explains waits under a JobTracker: why a job gets no slot, which jobs hold slots of its kind, patterns.

Source: as `observe.mr1_snapshot`.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, cast

from engine.control_plane.cluster_view import asking
from engine.control_plane.job_tracker_parts import node_of
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.explain.answer import WaiterReport, waiter_report
from engine.explain.counterfactuals import Ask
from engine.explain.explainer import Explainer
from engine.explain.instant import SharedLookahead
from engine.explain.obstacles import (
    BEHIND,
    BELOW_SHARE,
    GIVEN_UP,
    NODES_NAMED,
    REDUCES_HOLD,
    ObstacleRow,
    own_row,
    reduces_hold,
)
from engine.explain.verdict import Verdict
from engine.explain.waits import BlockingResources, weight
from engine.grouping import grouped
from engine.incremental import Incremental
from engine.model.mr1.job import PREP, JobInProgress
from engine.model.mr1.task_in_progress import PRIORITIES
from engine.model.mr1.tracker import CHORE, FAILED, MAP, REDUCE, RUNNING
from engine.model.request import MAPREDUCE_1_DIMENSIONS
from engine.observe.mr1_snapshot import HOARDED, ask_obstacle, due_asks, first_of, hoarded_by, usable_trackers
from engine.schedulers.interface import Setting
from engine.schedulers.mr1.capacity_view import WORDS, JobObstacle
from engine.schedulers.obstacle_texts import Reason
from engine.settings.mapreduce1 import MAP_ATTEMPTS, REDUCE_ATTEMPTS, SLOTS, SLOW_START
from engine.settings.mapreduce1 import PRIORITIES as SUPPORTS_PRIORITY
from engine.simulation.job_tracker_world import JobTrackerWorld
from engine.simulation.simulation import Simulation
from engine.units import plural

LIMITS = (
    Reason.NO_JOB_TRACKER,
    Reason.QUEUE_OVER_MAXIMUM,
    Reason.QUEUE_NOT_RUNNING_IT,
    Reason.USER_OVER_LIMIT,
)
"""Obstacles of a pool, a queue or a user rather than of trackers."""

MANY_SLOTS: Final = 10**6  # Slots a tracker is given to see whether slots decide


class JobTrackerExplainer(Explainer):
    """Explains a JobTracker; what a job asks for has no priorities of its own."""

    def __init__(self, view: JobTrackerView, simulation: Simulation) -> None:
        self._view = view
        self._cluster = view.cluster
        self._world = simulation.world

    def obstacles(self, number: int, priority: int | None = None) -> Incremental[tuple[ObstacleRow, ...]]:
        yield
        if number not in self._cluster.live:
            return self._failures(number)
        rows = (*self._rows(number, priority), *self._due(number, priority), *self._hoarded(number, priority))
        return (*rows, *self._own(number, priority))

    def _own(self, number: int, ask: int | None) -> tuple[ObstacleRow, ...]:
        found = self._found(number, ask)
        if found is None or found.reason is not Reason.DOES_NOT_FIT:
            return ()
        kind = ask if ask in (MAP, REDUCE) else _kind(self._cluster.live[number])
        nodes, live = {node_of(each.name) for each in usable_trackers(self._cluster)}, self._view.containers.live
        held = [(key[0], each.slots) for key, each in live.items() if each.kind == kind and each.node in nodes]
        if {owner for owner, _ in held} != {number}:
            return ()
        return (own_row(plural(sum(slots for _, slots in held), f"{WORDS[kind]} slot")),)

    def _failures(self, number: int) -> tuple[ObstacleRow, ...]:
        job = self._cluster.jobs.get(number)
        if job is None or job.state != FAILED:
            return ()
        rows = []
        for kind, noun, key in ((MAP, "map", MAP_ATTEMPTS), (REDUCE, "reduce", REDUCE_ATTEMPTS)):
            failed, percent = job.failed_tasks[kind], job.settings.failure_percents[kind]
            if failed * 100 > percent * job.wanted(kind):
                words = f"{failed} of {plural(job.wanted(kind), noun)} failed as often as one may"
                words += f", and no more than {percent} % of them may fail" if percent else ""
                most = Setting(key.name, str(job.settings.max_attempts[kind]))
                rows.append(ObstacleRow(GIVEN_UP, words, "APP", "SKIPPED", decided_by=most))
        return tuple(rows)

    def _due(self, number: int, ask: int | None) -> Iterator[ObstacleRow]:
        found, scheduler = self._found(number, ask), self._view.task_scheduler
        if found is None or found.reason not in (Reason.DOES_NOT_FIT, Reason.USER_OVER_LIMIT):
            return
        job = self._cluster.live[number]
        kind = ask if ask in (MAP, REDUCE) else _kind(job)
        if first := scheduler.served_first(job, kind):
            code, subject, setting = first.reason.name, first.subject, first.setting
            yield ObstacleRow(code, first.sentence, "QUEUE", "SKIPPED", subject=subject, decided_by=setting)
        if job.state == RUNNING:  # tasks that set up come first
            yield from self._behind(job, kind, job.description.user if found.reason is Reason.USER_OVER_LIMIT else "")
        if due := scheduler.shortfall(job, kind):
            yield ObstacleRow(BELOW_SHARE, due.sentence, "QUEUE", "SKIPPED", together=due.settings)

    def _behind(self, job: JobInProgress, kind: int, user: str) -> Iterator[ObstacleRow]:
        """The jobs before it, of any user or of one, with tasks to run, where its queue serves one after another."""
        scheduler = self._view.task_scheduler
        turn, queue = scheduler.turn(job, kind), scheduler.queue_of(job)
        if turn is None:
            return
        alike = [each for each in self._cluster.live.values() if scheduler.queue_of(each) == queue]
        due = [each for each in alike if each.state == RUNNING and each.unlaunched(kind)]
        due = [each for each in due if user in ("", each.description.user)]
        before = {place: each for each in due if (place := scheduler.turn(each, kind) or turn) < turn}
        if not before:
            return
        place, others = min(before), len(before) - 1
        first = before[place]
        whose = f"{scheduler.noun} {queue}" if scheduler.is_named else "the JobTracker"
        higher = f"higher priorities first ({PRIORITIES[first.priority]} before {PRIORITIES[job.priority]})"
        is_equal = job.priority >= first.priority
        in_order = (
            "in order of submission" if is_equal else f"in order of submission, as {SUPPORTS_PRIORITY.name} is not true"
        )
        what = higher if place[0] < turn[0] else in_order
        more = plural(first.unlaunched(kind), f"more {WORDS[kind]}") + (
            f", and {plural(others, 'other')}" if others else ""
        )
        sentence = f"{whose} serves {what}: {first.number:04d} {first.description.name} is before it with {more}"
        yield ObstacleRow(BEHIND, sentence, "APP", "SKIPPED", subject=queue)

    def _hoarded(self, number: int, ask: int | None) -> tuple[ObstacleRow, ...]:
        """A row where reduces of other jobs hold slots while they wait for maps: their slow start let them begin."""
        found = self._found(number, ask)
        if found is None or found.pattern != HOARDED:
            return ()
        jobs = [job for job in self._cluster.live.values() if hoarded_by(job) and job.number != number]
        if not jobs:
            return ()
        held = {f"{self._view.application_id(job.number)} {job.description.name}": hoarded_by(job) for job in jobs}
        share = max(jobs, key=hoarded_by).settings.slow_start
        return (reduces_hold(held, "slot", Setting(str(SLOW_START), f"{share:g}")),)

    def _found(self, number: int, ask: int | None = None) -> JobObstacle | None:
        asks = self._asks(number)
        if not asks:
            return None
        return ask_obstacle(self._cluster.live[number], self._view, first_of(asks) if ask is None else ask)

    def _rows(self, number: int, ask: int | None = None) -> tuple[ObstacleRow, ...]:
        found = self._found(number, ask)
        if found is None:
            return ()
        level = "QUEUE" if found.reason in LIMITS else "NODE"
        trackers = () if level == "QUEUE" else tuple(self._cluster.trackers.values())
        hosts, count = tuple(each.host for each in trackers[:NODES_NAMED]), len(trackers)
        code, subject = found.reason.name, found.subject
        return (
            ObstacleRow(code, found.sentence, level, "SKIPPED", "", count, count, hosts, subject, {}, found.setting),
        )

    def priorities(self, number: int) -> list[int]:
        """Return the priorities of `_asks`; none while no JobTracker answers, as a job may then set up again."""
        return self._asks(number) if self._view.answers else []

    def _asks(self, number: int) -> list[int]:
        job = self._cluster.live.get(number)
        if job is None:
            return []
        later = [REDUCE] if job.state == RUNNING and job.unlaunched(REDUCE) > 0 else []
        return list(due_asks(job)) or later

    def is_due(self, number: int, priority: int) -> bool:
        job = self._cluster.live.get(number)
        return job is not None and priority in due_asks(job)

    def is_served_at(self, number: int, priority: int | None) -> bool:
        return any(priority in (None, CHORE, kind) for kind in self._kinds(number))

    def is_served_beside(self, number: int, priority: int | None) -> bool:
        return any(kind != priority for kind in self._kinds(number))

    def _kinds(self, number: int) -> Iterator[int]:
        return (one.kind for container, one in self._view.containers.live.items() if container[0] == number)

    def without_room(self, numbers: Collection[int], others: Collection[int]) -> set[int]:
        used = [0, 0]
        for container, live in self._view.containers.live.items():
            if container[0] in others:
                used[live.kind] += live.slots
        jobs = [self._cluster.live[number] for number in numbers if number in self._cluster.live]
        return {
            job.number
            for job in jobs
            if used[_kind(job)] + job.slots_per_task[_kind(job)] > self._cluster.slots[_kind(job)]
        }

    def is_too_large(self, number: int, priority: int | None = None) -> Incremental[bool]:
        yield
        job = self._cluster.live.get(number)
        trackers = self._cluster.trackers.values()
        if job is None or not trackers:
            return False
        return any(
            job.unlaunched(kind) > 0 and all(job.slots_per_task[kind] > one.slots[kind] for one in trackers)
            for kind in (MAP, REDUCE)
            if priority in (None, kind)
        )

    def holds(self, number: int, priority: int | None = None) -> Incremental[list[BlockingResources]]:
        """Return the jobs with slots of the kind a job waits for, most first; a job that ended holds nothing up."""
        yield
        found = self._found(number, priority)
        if found is None or found.reason is Reason.MAPS_FIRST:
            return []
        kind = priority if priority in (MAP, REDUCE) else _kind(self._cluster.live[number])
        held = grouped(
            (container[0], (container, live.node, live.slots))
            for container, live in self._view.containers.live.items()
            if live.kind == kind and container[0] != number and container[0] in self._cluster.live
        )
        return sorted((_hold(other, kind, attempts) for other, attempts in held.items()), key=weight)

    def loosen(self, ask: Ask, row: ObstacleRow, value: str) -> None:
        """Loosen a limit in the scheduler, or give every tracker more slots with its next report."""
        assert row.decided_by is not None, "there is a setting to loosen"
        key = row.decided_by.key
        if row.code == REDUCES_HOLD:
            self._end_early_reduces()
            return
        if key == str(SLOW_START):
            self._cluster.live[ask[0]].reduces_after = 0
            return
        if key not in map(str, SLOTS):
            self._view.task_scheduler.loosen(key)
            return
        for process in cast("JobTrackerWorld", self._world).trackers.values():
            slots = list(process.slots)
            slots[MAP if key == str(SLOTS[MAP]) else REDUCE] += MANY_SLOTS
            process.slots = (slots[MAP], slots[REDUCE])

    def _end_early_reduces(self) -> None:
        for job in filter(hoarded_by, self._cluster.live.values()):
            job.reduces_after = job.wanted(MAP)
            for task in job.search.running_tasks(REDUCE):
                for attempt in sorted(task.active):
                    _ = task.ask_to_kill(attempt, counts=False)

    def before(self, number: int) -> Collection[int]:
        job = self._cluster.live.get(number)
        if job is None:
            return ()
        own, others = (job.priority, job.start_ms), self._cluster.live.values()
        return [each.number for each in others if self._view.pending(each) and (each.priority, each.start_ms) < own]

    def waiting_in_queue(self, path: str) -> Iterator[WaiterReport]:
        return (waiter for waiter in self._waiters() if waiter.queue == path)

    def waiting_for_node(self, node: str) -> Iterator[WaiterReport]:
        """All jobs that wait, longest first: a job takes a slot of any tracker."""
        return self._waiters()

    def _waiters(self) -> Iterator[WaiterReport]:
        for summary in asking(self._view):
            pending = self._view.pending(self._cluster.live[summary.number])
            yield waiter_report(self._view, summary, pending, self._rows(summary.number), MAPREDUCE_1_DIMENSIONS)

    def pattern(self, basis: SharedLookahead, number: int, verdict: Verdict) -> Incremental[str]:
        yield
        found = self._found(number, verdict.priority)
        return found.pattern if found is not None else ""


def _kind(job: JobInProgress) -> int:
    return REDUCE if job.state != PREP and not job.unlaunched(MAP) else MAP


def _hold(number: int, kind: int, attempts: Sequence[tuple[tuple[int, int, int], str, int]]) -> BlockingResources:
    slots = sum(slots for _, _, slots in attempts)
    return BlockingResources(
        application=number,
        because=Reason.DOES_NOT_FIT,
        containers=tuple(container for container, _, _ in attempts),
        memory_mb=slots if kind == MAP else 0,
        vcores=slots if kind == REDUCE else 0,
        reservations=(),
        nodes=tuple(dict.fromkeys(node for _, node, _ in attempts)),
    )
