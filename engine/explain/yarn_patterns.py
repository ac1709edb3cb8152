"""Known ways in which a YARN cluster gets stuck, detected by name."""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.explain.badge_rules import TIMES_AS_MUCH
from engine.explain.obstacles import AttemptObstacles
from engine.explain.shared_lookahead import HEAD_OF_LINE, LIVELOCK, Basis
from engine.explain.verdict import Verdict
from engine.explain.waits import AM_LIMITS
from engine.incremental import Incremental
from engine.model.ledger import Attempt
from engine.schedulers.activity import Reason
from engine.schedulers.scheduler_view import subject_of
from engine.schedulers.yarn_scheduler import YarnScheduler

FULL: Final = (Reason.DOES_NOT_FIT, Reason.NODE_RESERVED, Reason.RESERVATION_LIMIT)


class Case(NamedTuple):
    """The facts from which a pattern is recognised."""

    basis: Basis
    """The instant asked about, and the closed world, at its end."""
    scheduler: YarnScheduler
    attempt: Attempt
    obstacles: AttemptObstacles
    """At the instant asked about."""
    verdict: Verdict

    @property
    def never(self) -> bool:
        """Tell whether the closed world never gives it anything."""
        return self.verdict.expected_start_ms is None


def _am_only(case: Case) -> bool:
    """Application masters alone fill the place, and each waits for its first task."""
    stuck = [_attempt(case.scheduler, step.application) for step in case.verdict.proof.cycle]
    return (
        case.never
        and bool(stuck)
        and all(one is not None and one.master is not None and tuple(one.live) == (one.master,) for one in stuck)
    )


def _reservation(case: Case) -> bool:
    """A cycle goes through a reservation that withholds what somebody who waits could use at once."""
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
    """(memory_mb, vcores) of every request with something left."""
    asks = (ask for group in attempt.groups.values() for ask in group.by_name.values())
    return [(ask.memory_mb, ask.vcores) for ask in asks if ask.count > 0]


def _user_limit(case: Case) -> bool:
    obstacle = case.obstacles.in_queue
    if obstacle is not None:
        return subject_of(obstacle, case.attempt)[1]
    return _is_bound_by(case, Reason.USER_OVER_LIMIT)


def _is_bound_by(case: Case, reason: Reason) -> bool:
    """Tell whether it is for this reason alone that no node with room for it takes it."""
    reasons = {each.reason for _, each in case.obstacles.on_nodes}
    return reason in reasons and reasons <= {reason, *FULL}


def _queue_limit(case: Case) -> bool:
    obstacle = case.obstacles.in_queue
    if obstacle is not None and obstacle.reason in (Reason.QUEUE_OVER_MAXIMUM, Reason.QUEUE_NOT_RUNNING_IT):
        return not _user_limit(case)
    reasons = [each.reason for _, each in case.obstacles.on_nodes]
    if reasons and all(reason is Reason.QUEUE_WOULD_EXCEED_MAXIMUM for reason in reasons):
        return True
    return _is_bound_by(case, Reason.QUEUE_OVER_MAXIMUM)


def _too_large(case: Case) -> bool:
    reasons = [each.reason for _, each in case.obstacles.on_nodes]
    return case.verdict.verdict == "impossible" and bool(reasons) and set(reasons) == {Reason.NODE_TOO_SMALL}


def _locality(case: Case) -> bool:
    """It insists on places, while others have room for it."""
    if not case.never:
        return False
    size = max(_asked_sizes(case.attempt), default=(0, 0))
    return any(
        obstacle.reason is Reason.LOCALITY_NOT_RELAXED
        and (node.free_memory_mb, node.free_vcores) >= size
        and node.reserved is None
        for node, obstacle in case.obstacles.on_nodes
    )


def _livelock(case: Case) -> Incremental[bool]:
    """Containers are taken back for it, and will be taken from it again, and none ever runs out.

    Looked for from the instant asked about; over as soon as everybody preempted before it started has had one run out.
    """
    start_ms, first_ms = case.verdict.expected_start_ms, case.basis.ahead.preempted_ms
    if first_ms is None or (start_ms is not None and first_ms > start_ms):
        return False
    return bool((yield from case.basis.livelocked()))


def _head_of_line(case: Case) -> bool:
    """Something much larger, earlier in a first-come-first-served order, takes everything; it would fit itself."""
    if case.verdict.verdict not in ("waiting", "starving", "blocked", "deadlocked"):
        return False
    own_mb, before_mb = _pending_mb(case.attempt), sum(map(_pending_mb, before(case.scheduler, case.attempt)))
    is_behind = 0 < own_mb * TIMES_AS_MUCH <= before_mb
    return is_behind and all(each.reason in (*FULL, Reason.OTHER_FIRST) for _, each in case.obstacles.on_nodes)


def _pending_mb(attempt: Attempt) -> int:
    """The memory that an attempt still asks for [MB]."""
    asks = (group.anywhere for group in attempt.groups.values())
    return sum(ask.memory_mb * ask.count for ask in asks if ask is not None and ask.count > 0)


def before(scheduler: YarnScheduler, attempt: Attempt) -> list[Attempt]:
    """Return who is before it where its queue serves first come, first served; else nobody."""
    if not scheduler.policy.view().is_first_come(attempt):
        return []
    number, path = attempt.application.number, attempt.queue.path
    attempts = [each.attempt for each in scheduler.cluster.applications.values() if each.number < number]
    return [one for one in attempts if one is not None and one.queue.path == path]


NAMES: Final[dict[str, Callable[[Case], bool]]] = {
    "AM-only deadlock": _am_only,
    "reservation deadlock": _reservation,
    "ask above every node": _too_large,
    "locality never relaxed": _locality,
    "AM limit": lambda case: (here := case.obstacles.in_queue) is not None and here.reason in AM_LIMITS,
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
