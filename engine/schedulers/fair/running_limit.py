"""Limits on running applications: which may run at once, which are parked, which comes in when another leaves.

A parked application is ACCEPTED, its demand counts, and nothing is placed for it.

Source: MaxRunningAppsEnforcer, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.errors import RefusedError
from engine.model.ledger import Application, Container, change_queue
from engine.model.request import is_under
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.tree import QueueTree
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.yarn_scheduler import by_start
from engine.state import State


class RunningLimit(metaclass=State):
    """Counts running applications per user and parks those above a limit."""

    tree: QueueTree[Any]
    running_by_user: dict[str, int] = {}
    parked_by_user: dict[str, list[FairAttempt]] = {}

    def __init__(self, tree: QueueTree[Any]) -> None:  # Any: of either release's allocation
        self.tree = tree

    def allows(self, queue: FairQueue, user: str) -> bool:
        if self.running_by_user.get(user, 0) >= self.tree.allocation.user_max_apps(user):
            return False
        return all(above.runnable_count < above.max_apps for above in (queue, *queue.ancestors()))

    def begin(self, attempt: FairAttempt, kept: Iterable[Container], size_based: bool) -> None:
        """Put a new attempt into its queue, running or parked, with the size-based weight of no demand."""
        attempt.application.attempt = attempt
        attempt.take_over(kept)
        if size_based:
            attempt.weight = 0.0
        if self.allows(attempt.queue, attempt.user):
            self._enter(attempt)
        else:
            attempt.queue.parked.append(attempt)
            self.parked_by_user.setdefault(attempt.user, []).append(attempt)

    def withdraw(self, attempt: FairAttempt) -> None:
        """An attempt ends: take it out of its queue, and let others in when it was running."""
        was_running = attempt.runnable or attempt.orphaned
        if not attempt.orphaned:
            _take_off(attempt)
        if was_running:
            self._discount(attempt)
            self._left(attempt, attempt.queue)
        else:
            self.parked_by_user[attempt.user].remove(attempt)

    def obstacle_of(self, attempt: FairAttempt) -> Obstacle:
        for queue in (attempt.queue, *attempt.queue.ancestors()):
            if queue.runnable_count >= queue.max_apps:
                numbers = (queue.runnable_count, queue.max_apps)
                return Obstacle(Reason.QUEUE_NOT_RUNNING_IT, numbers, f"queue {queue.path}")
        of_user = (self.running_by_user.get(attempt.user, 0), self.tree.allocation.user_max_apps(attempt.user))
        return Obstacle(Reason.QUEUE_NOT_RUNNING_IT, of_user, f"user {attempt.user}")

    def move_27(self, application: Application, target: FairLeaf | None, name: str) -> None:
        """Move an application to another leaf, running or parked as the limits there have it.

        A running attempt is taken out of its leaf first and still counts everywhere else while the limits are asked;
        when they say no, it is left in no queue at all. Raises RefusedError with `YarnException`, or
        `IllegalStateException`; the attempt is, or was, orphaned then.

        Source: FairScheduler#executeMove, Hadoop 2.7.2.
        """
        attempt = _movable(application)
        target = _checked_target(attempt, target, name)
        if target is attempt.queue:
            return
        if attempt.orphaned:
            raise RefusedError("IllegalStateException", f"{attempt.name} is in no queue since an earlier move")
        self.tree.cluster.version += 1
        was_runnable = attempt.runnable
        _take_off(attempt)
        runnable = self.allows(target, attempt.user)
        if was_runnable and not runnable:
            used = (attempt.used_memory_mb, attempt.used_vcores)
            attempt.charge(-used[0], -used[1])
            # In no queue, yet counted by those above: as in 2.7.2, until the attempt ends.
            attempt.orphaned = True
            attempt.charge(*used)  # only its own: no queue pays for it from now on
            raise RefusedError(
                "IllegalStateException", f"{attempt.name} is left in no queue: it may not run in {target.path}"
            )
        self._change_leaf(attempt, target, was_runnable=was_runnable, runnable=runnable)

    def move_34(self, application: Application, target: FairLeaf | None, name: str) -> None:
        """Move an application to another leaf, running or parked as the limits there have it, which are asked first.

        Raises RefusedError with `YarnException`; nothing has changed then.

        Source: FairScheduler#executeMove, Hadoop 3.4.1.
        """
        attempt = _movable(application)
        target = _checked_target(attempt, target, name)
        if target is attempt.queue:
            return
        self.tree.cluster.version += 1
        was_runnable = attempt.runnable
        runnable = self.allows(target, attempt.user)
        if was_runnable and not runnable:
            raise RefusedError("YarnException", f"{attempt.name} would not be running in {target.path}")
        _take_off(attempt)
        self._change_leaf(attempt, target, was_runnable=was_runnable, runnable=runnable)

    def _change_leaf(self, attempt: FairAttempt, target: FairLeaf, *, was_runnable: bool, runnable: bool) -> None:
        former = attempt.queue
        if was_runnable:
            self._discount(attempt)
        elif runnable:
            self.parked_by_user[attempt.user].remove(attempt)
        used = (attempt.used_memory_mb, attempt.used_vcores)
        attempt.charge(-used[0], -used[1])
        former.reserve(-attempt.reserved_memory_mb, -attempt.reserved_vcores)
        change_queue(attempt, target)
        attempt.charge(*used)
        target.reserve(attempt.reserved_memory_mb, attempt.reserved_vcores)
        if runnable:
            self._enter(attempt)
        else:
            target.parked.append(attempt)
        if was_runnable:
            self._left(attempt, former)
        attempt.application.queue = target.path

    def _discount(self, attempt: FairAttempt) -> None:
        self.running_by_user[attempt.user] -= 1
        _count_up(attempt.queue, -1)

    def _left(self, attempt: FairAttempt, leaf: FairLeaf) -> None:
        """A running attempt has left this leaf: let others in, at most as many as there are lists of candidates.

        Only limits that were exactly reached open up; the highest queue of them is searched.
        """
        highest: FairQueue | None = None
        for queue in (leaf, *leaf.ancestors()):
            # Only a queue that was full a moment ago can have held an application up.
            if queue.runnable_count == queue.max_apps - 1:
                highest = queue
        candidates: list[Sequence[FairAttempt]] = list(_parked_below(highest)) if highest is not None else []
        user = attempt.user
        if self.running_by_user.get(user, 0) == self.tree.allocation.user_max_apps(user) - 1:
            candidates.append(self.parked_by_user.get(user, []))
        self._let_in(candidates, len(candidates))

    def reloaded(self) -> None:
        """Limits may have changed: let in all that may run now; none is sent out."""
        self._let_in(list(_parked_below(self.tree.root)), None)

    def _let_in(self, candidates: Sequence[Sequence[FairAttempt]], most: int | None) -> None:
        entered: list[FairAttempt] = []
        previous: FairAttempt | None = None
        for attempt in by_start(candidates):
            if attempt is previous:
                continue
            if self.allows(attempt.queue, attempt.user):
                self._enter(attempt)
                entered.append(attempt)
                # One that left makes room for one in each list; a reload has no such bound.
                if most is not None and len(entered) >= most:
                    break
            previous = attempt
        for attempt in entered:
            attempt.queue.parked.remove(attempt)
            self.parked_by_user[attempt.user].remove(attempt)

    def _enter(self, attempt: FairAttempt) -> None:
        attempt.runnable = True
        attempt.queue.order.add(attempt.standing)
        self.running_by_user[attempt.user] = self.running_by_user.get(attempt.user, 0) + 1
        _count_up(attempt.queue, 1)


def _movable(application: Application) -> FairAttempt:
    if not isinstance(application.attempt, FairAttempt):
        raise RefusedError("YarnException", "the application is unknown to the scheduler")
    return application.attempt


def _checked_target(attempt: FairAttempt, target: FairLeaf | None, name: str) -> FairLeaf:
    """The target of a move; refused where a running attempt would break a limit below the lowest queue above both.

    Source: FairScheduler#moveApplication, #verifyMoveDoesNotViolateConstraints, Hadoop 2.7.2.
    """
    if target is None:
        raise RefusedError("YarnException", f"{name} is not there or is not a leaf queue")
    if not attempt.runnable or target is attempt.queue:
        return target
    path, other = attempt.queue.path, target.path
    for queue in (target, *target.ancestors()):
        if is_under(path, queue.path):
            break
        if queue.runnable_count == queue.max_apps:
            raise RefusedError("YarnException", f"{other} would violate maxRunningApps of {queue.path}")
        if not queue.within_maximum(attempt.used_memory_mb, attempt.used_vcores):
            raise RefusedError("YarnException", f"{other} would violate maxResources of {queue.path}")
    return target


def _take_off(attempt: FairAttempt) -> None:
    """Take an attempt off its leaf's lists, with what its AM used. Source: FSLeafQueue#removeApp."""
    leaf = attempt.queue
    if not attempt.runnable:
        leaf.parked.remove(attempt)
        return
    leaf.order.remove(attempt.standing)
    attempt.runnable = False
    if attempt.am_running:
        leaf.am_memory_mb -= attempt.am_memory_mb
        leaf.am_vcores -= attempt.am_vcores


def _count_up(leaf: FairLeaf, by: int) -> None:
    for parent in leaf.ancestors():
        parent.count_runnable(by)


def _parked_below(queue: FairQueue) -> Iterator[Sequence[FairAttempt]]:
    if queue.runnable_count >= queue.max_apps:
        return
    if isinstance(queue, FairLeaf):
        yield list(queue.parked)
    elif isinstance(queue, FairParent):
        for child in queue.order.members:
            yield from _parked_below(child)
