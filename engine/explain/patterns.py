"""Known ways to get stuck, recognised by name."""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_master import SparkMaster
from engine.explain.lookahead import Ahead, ahead_of
from engine.explain.obstacles import Standing, standing_found, subject_of
from engine.explain.shared_lookahead import Basis
from engine.explain.verdict import Inquiry, Verdict
from engine.incremental import Incremental
from engine.model.application import Attempt
from engine.model.resource import INT_MAX
from engine.observe.spark_waits import refusal_of
from engine.schedulers.activity import Reason
from engine.schedulers.interface import YarnScheduler
from engine.simulation.simulation import Simulation

PREEMPTIONS: Final = 3
"""Containers preempted from one application that never ends any, before it is called a livelock."""

LIVELOCK_MS: Final = 1_800_000
"""How far is looked for them [ms]."""

FULL: Final = (Reason.DOES_NOT_FIT, Reason.NODE_RESERVED, Reason.RESERVATION_LIMIT)
NEVER: Final = ("deadlocked", "blocked", "starving", "impossible")


class Case(NamedTuple):
    """What a pattern looks at."""

    here: Simulation
    """The instant asked about."""
    scheduler: YarnScheduler
    attempt: Attempt
    standing: Standing
    """At the instant asked about."""
    verdict: Verdict
    ahead: Ahead
    """The closed world, at its end."""

    @property
    def never(self) -> bool:
        """Whether the closed world never gives it anything."""
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
    sizes = [(ask.memory_mb, ask.vcores) for ask in attempt.asks()] if attempt is not None else []
    return any(
        node.reserved is not None
        and node.reserved.attempt is not attempt
        and any(memory_mb <= node.free_memory_mb and vcores <= node.free_vcores for memory_mb, vcores in sizes)
        for node in scheduler.cluster.nodes.values()
    )


def _user_limit(case: Case) -> bool:
    obstacle = case.standing.in_queue
    return obstacle is not None and subject_of(obstacle, case.attempt)[1]


def _queue_limit(case: Case) -> bool:
    obstacle = case.standing.in_queue
    limits = (Reason.QUEUE_OVER_MAXIMUM, Reason.QUEUE_NOT_RUNNING_IT, Reason.AM_SHARE_EXHAUSTED)
    if obstacle is not None and obstacle.reason in limits:
        return not _user_limit(case)
    reasons = [each.reason for _, each in case.standing.on_nodes]
    return bool(reasons) and all(reason is Reason.QUEUE_WOULD_EXCEED_MAXIMUM for reason in reasons)


def _too_large(case: Case) -> bool:
    reasons = [each.reason for _, each in case.standing.on_nodes]
    return case.verdict.verdict == "impossible" and bool(reasons) and set(reasons) == {Reason.NODE_TOO_SMALL}


def _locality(case: Case) -> bool:
    """It insists on places, while others have room for it."""
    if not case.never:
        return False
    size = max((ask.memory_mb, ask.vcores) for ask in case.attempt.asks()) if case.attempt.asks() else (0, 0)
    return any(
        obstacle.reason is Reason.LOCALITY_NOT_RELAXED
        and (node.free_memory_mb, node.free_vcores) >= size
        and node.reserved is None
        for node, obstacle in case.standing.on_nodes
    )


def _livelock(case: Case) -> Incremental[bool]:
    """Containers are taken back for it, and will be taken from it again, and none ever runs out.

    Looked for from the instant asked about; over as soon as everybody preempted before it started has had one run out.
    """
    start_ms, first_ms = case.verdict.expected_start_ms, case.ahead.preempted_ms
    if first_ms is None or (start_ms is not None and first_ms > start_ms):
        return False
    return bool((yield from goes_round(case.here)))


def goes_round(simulation: Simulation, parties: int = 1) -> Incremental[tuple[int, ...]]:
    """Applications that in the closed world have containers preempted again and again, and none that ever runs out.

    Args:
        simulation: Where it begins; while it is copied it must stand still.
        parties: How many there are to be found at least; none are when there are fewer.
    """
    later = yield from ahead_of(simulation, LIVELOCK_MS)
    while later.preempted_ms is None and not later.advance():
        yield
    while len(found := _going_round(later)) < parties:
        if all(map(later.completed.get, later.preempted)) or later.advance():
            return ()
        yield
    return found


def _going_round(ahead: Ahead) -> tuple[int, ...]:
    return tuple(
        number for number, count in ahead.preempted.items() if count >= PREEMPTIONS and not ahead.completed.get(number)
    )


def _head_of_line(case: Case) -> bool:
    """Something earlier in a first-come-first-served order takes everything, though it would fit somewhere itself."""
    if case.verdict.verdict not in ("waiting", "starving", "blocked", "deadlocked"):
        return False
    is_behind = most_pending_before(case.here, case.attempt) > 0
    return is_behind and all(each.reason in (*FULL, Reason.OTHER_FIRST) for _, each in case.standing.on_nodes)


def most_pending_before(simulation: Simulation, attempt: Attempt) -> int:
    """Most containers that somebody before it in the first-come-first-served order of its queue still asks for.

    0 where there is no such order.
    """
    control_plane = simulation.control_plane
    assert isinstance(control_plane, ResourceManager), "an attempt is a ResourceManager's"
    scheduler, queue, number = control_plane.scheduler, attempt.queue, attempt.application.number
    policy = getattr(getattr(queue, "policy", None), "name", scheduler.name)
    if not policy.startswith("fifo"):
        return 0
    attempts = [each.attempt for each in scheduler.cluster.applications.values() if each.number < number]
    return max((one.pending for one in attempts if one is not None and one.queue.path == queue.path), default=0)


HEAD_OF_LINE: Final = "FIFO head of line"

LIVELOCK: Final = "preemption livelock"
"""The one pattern that takes playing on to tell."""

NAMES: Final[dict[str, Callable[[Case], bool]]] = {
    "AM-only deadlock": _am_only,
    "reservation deadlock": _reservation,
    "ask above every node": _too_large,
    "locality never relaxed": _locality,
    "user limit": _user_limit,
    "queue limit": _queue_limit,
    HEAD_OF_LINE: _head_of_line,
}
"""Name → what tells it, the more particular first; `LIVELOCK` comes before them all."""

SPARK_NAMES: Final = ("no worker large enough", "cores hoarded", "ask above maximum")


def pattern_of(basis: Basis, number: int, verdict: Verdict) -> Incremental[str]:
    """The name of the first pattern found for an application; empty when none is.

    Args:
        basis: The instant asked about, and the closed world the verdict rests on.
        number: The application.
        verdict: The verdict on it.
    """
    here = basis.here
    control_plane = here.control_plane
    if isinstance(control_plane, SparkMaster):
        return _spark_pattern(control_plane, number)
    if not isinstance(control_plane, ResourceManager):
        return ""
    attempt = _attempt(control_plane.scheduler, number)
    if attempt is None:
        return ""
    found = yield from standing_found(control_plane.scheduler, attempt, here.now_ms)
    case = Case(here, control_plane.scheduler, attempt, found, verdict, basis.ahead)
    yield
    if (yield from _livelock(case)):
        return LIVELOCK
    return next((name for name, is_found in NAMES.items() if is_found(case)), "")


def judged(inquiry: Inquiry, number: int) -> Incremental[tuple[Verdict, str]]:
    """The verdict on an application, and the pattern it is in."""
    while not inquiry.advance():
        yield
    return inquiry.verdict(), (yield from pattern_of(inquiry.basis, number, inquiry.verdict()))


def _attempt(scheduler: YarnScheduler, number: int) -> Attempt | None:
    application = scheduler.cluster.applications.get(number)
    return application.attempt if application is not None else None


def _spark_pattern(master: SparkMaster, number: int) -> str:
    application = master.cluster.applications.get(number)
    refusal = refusal_of(application, master.cluster) if application is not None else None
    if refusal is None:
        return ""
    if refusal.code == "NODE_TOO_SMALL":
        return "no worker large enough"
    hoards = any(
        other.number != number and other.cores_wanted == INT_MAX and other.executors
        for other in master.cluster.applications.values()
    )
    return "cores hoarded" if refusal.code == "DOES_NOT_FIT" and hoards else ""
