"""An application moves to another leaf with all it holds.

Source: CapacityScheduler#preValidateMoveApplication, #moveApplication, Hadoop 3.4.1.
"""

from engine.errors import RefusedError
from engine.model.ledger import Application
from engine.schedulers.capacity.space import NOTHING, minus
from engine.schedulers.capacity34.admission import check_submission
from engine.schedulers.capacity34.commit import Commit
from engine.schedulers.capacity34.leaf import remove, submit
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue
from engine.schedulers.capacity34.share import wishes_of
from engine.schedulers.capacity34.space import Space
from engine.schedulers.capacity34.tree import CapacityTree
from engine.state import State


def enter(queue: CapacityQueue, now_ms: int) -> None:
    """A leaf and those above it have one application more."""
    queue.last_submitted_ms = now_ms
    above = queue.parent
    while above is not None:
        above.application_count += 1
        above = above.parent


def leave(queue: CapacityQueue) -> None:
    """Queues that drain stop when the last application has left. Source: #finishApplication, #appFinished."""
    if queue.state == "DRAINING" and not queue.number_of_applications():
        queue.state = "STOPPED"
    above = queue.parent
    while above is not None:
        above.application_count -= 1
        if above.state == "DRAINING" and not above.application_count:
            above.state = "STOPPED"
        above = above.parent


class Moving(metaclass=State):
    """Checks and carries out moves."""

    tree: CapacityTree
    space: Space
    commit: Commit

    def __init__(self, tree: CapacityTree, space: Space, commit: Commit) -> None:
        self.tree = tree
        self.space = space
        self.commit = commit

    def move(self, application: Application, queue: str) -> None:
        """Move an application; raises `RefusedError` where it may not."""
        target = self.tree.names.get(queue)
        if target is None or target.leaf is None:
            raise RefusedError("YarnException", f"{queue} is no leaf" if target else f"there is no queue {queue}")
        attempt = application.attempt
        assert isinstance(attempt, CapacityAttempt), "attempts of this scheduler"
        self._check_move(attempt, target, queue)
        source = attempt.queue
        assert source.leaf is not None, "applications are in leaves"
        enter(target, application.submitted_ms)
        for container in [*attempt.live.values(), *attempt.reserved.values()]:
            self.commit.release_in(source.leaf, attempt, container, container.node.partition)
            self.commit.take_in(target.leaf, attempt, container, container.node.partition)
        remove(source.leaf, attempt, self.space)
        attempt.queue = target
        self._submit_moved(attempt, source, target)
        leave(source)
        application.queue = target.path

    def _check_move(self, attempt: CapacityAttempt, target: CapacityQueue, requested: str) -> None:
        if self.space.exclusive is not None:
            accessible = target.settings.accessible
            # #checkQueuePartition takes it out of the application's own set, which headroom is summed up over.
            attempt.labels.discard("")
            missing = [label for label in attempt.labels if not target.is_accessible(label)]
            if missing and "*" not in accessible:
                raise RefusedError("YarnException", f"{target.path} may not use {', '.join(sorted(missing))}")
        try:
            check_submission(target, attempt.user, requested)
        except RefusedError as error:
            raise RefusedError("AccessControlException", str(error)) from error

    def _submit_moved(self, attempt: CapacityAttempt, source: CapacityQueue, target: CapacityQueue) -> None:
        """The new leaf takes the attempt; what it asks for counts there from now on."""
        assert source.leaf is not None, "applications are in leaves"
        assert target.leaf is not None, "applications move to leaves"
        submit(target.leaf, attempt, self.space)
        for label, pending in wishes_of(attempt.groups.values()).items():
            source.wish(label, minus(NOTHING, pending))
            target.wish(label, pending)
        source.leaf.users.deactivate(attempt.user, attempt.application.number)
        if attempt.pending:
            target.leaf.users.activate(attempt.user, attempt.application.number)
        self.commit.move_charge(attempt, source, target)
