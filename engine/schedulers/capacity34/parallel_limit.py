"""Limits the applications of a queue or user that run at once; the others are parked and get their turn.

Source: CSMaxRunningAppsEnforcer, Hadoop 3.4.1.
"""

from engine.model.java_priority_queue import JavaPriorityQueue, Keyed, by_key
from engine.schedulers.capacity34.leaf import submit
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.schedulers.capacity34.space import Space
from engine.state import Shared, State

NEVER = 2**63 - 1


class ParallelLimit(metaclass=State):
    """Counts applications that run, by user; queues count their own."""

    settings: Shared[CapacitySettings]
    running: dict[str, int] = {}
    """By user."""
    parked: dict[str, list[CapacityAttempt]] = {}
    """By user, in order of arrival."""

    def __init__(self, settings: CapacitySettings) -> None:
        self.settings = settings

    def check(self, attempt: CapacityAttempt) -> bool:
        """Tell whether an attempt may run now; noted in it."""
        attempt.runnable = self._user_may(attempt.user) and self._queues_may(attempt.queue)
        return attempt.runnable

    def most_of(self, user: str) -> int:
        """A user's limit."""
        return self.settings.max_parallel_of_user.get(user, self.settings.max_parallel_of_users)

    def _user_may(self, user: str) -> bool:
        return self.running.get(user, 0) < self.most_of(user)

    @staticmethod
    def _queues_may(leaf: CapacityQueue) -> bool:
        queue: CapacityQueue | None = leaf
        while queue is not None:
            if queue.number_of_runnable() >= queue.settings.max_parallel:
                return False
            queue = queue.parent
        return True

    def limit_on(self, attempt: CapacityAttempt) -> tuple[int, int, str]:
        """Return the limit that parks an attempt, with what runs; its user's where no queue is at its limit."""
        queue: CapacityQueue | None = attempt.queue
        while queue is not None:
            if queue.number_of_runnable() >= queue.settings.max_parallel:
                return queue.number_of_runnable(), queue.settings.max_parallel, f"queue {queue.path}"
            queue = queue.parent
        return self.running.get(attempt.user, 0), self.most_of(attempt.user), f"user {attempt.user}"

    def track(self, attempt: CapacityAttempt) -> None:
        """Count an attempt that was checked."""
        if not attempt.runnable:
            self.parked.setdefault(attempt.user, []).append(attempt)
            return
        queue = attempt.queue.parent
        while queue is not None:
            queue.runnable_below += 1
            queue = queue.parent
        self.running[attempt.user] = self.running.get(attempt.user, 0) + 1

    def untrack(self, attempt: CapacityAttempt) -> None:
        """An attempt has left its leaf."""
        if not attempt.runnable:
            self._forget_parked(attempt)
            return
        self.running[attempt.user] -= 1
        if not self.running[attempt.user]:
            del self.running[attempt.user]
        queue = attempt.queue.parent
        while queue is not None:
            queue.runnable_below -= 1
            queue = queue.parent

    def _forget_parked(self, attempt: CapacityAttempt) -> None:
        parked = self.parked.get(attempt.user, [])
        if attempt in parked:
            parked.remove(attempt)
        if not parked:
            self.parked.pop(attempt.user, None)

    # ---------------------------------------------------------------- whose turn it is

    def after_removal(self, attempt: CapacityAttempt, space: Space) -> None:
        """One that ran has left: others may have their turn."""
        leaf, highest = attempt.queue, None
        queue: CapacityQueue | None = leaf
        while queue is not None:
            if queue.number_of_runnable() == queue.settings.max_parallel - 1:
                highest = queue
            queue = queue.parent
        lists = _parked_below(highest) if highest is not None else []
        if self.running.get(attempt.user, 0) == self.most_of(attempt.user) - 1:
            mine = self.parked.get(attempt.user)
            if mine is not None:
                lists.append(mine)
        self._run(lists, len(lists), space)

    def after_reload(self, root: CapacityQueue, space: Space) -> None:
        """Limits may have changed."""
        self._run(_parked_below(root), NEVER, space)

    def _run(self, lists: list[list[CapacityAttempt]], most: int, space: Space) -> None:
        """Let parked attempts run, earliest start first, at most some. Source: #updateAppsRunnability."""
        now_running: list[CapacityAttempt] = []
        previous = None
        for attempt in _by_start(lists):
            if attempt is previous:
                continue
            if self.check(attempt):
                self.track(attempt)
                assert attempt.queue.leaf is not None, "parked in a leaf"
                submit(attempt.queue.leaf, attempt, space)
                now_running.append(attempt)
                if len(now_running) >= most:
                    break
            previous = attempt
        for attempt in now_running:
            assert attempt.queue.leaf is not None, "parked in a leaf"
            if attempt in attempt.queue.leaf.parked:
                attempt.queue.leaf.parked.remove(attempt)
            self._forget_parked(attempt)


def _parked_below(queue: CapacityQueue) -> list[list[CapacityAttempt]]:
    """The parked attempts of each leaf at which nothing above or in it stands at its limit."""
    if queue.number_of_runnable() >= queue.settings.max_parallel:
        return []
    if queue.leaf is not None:
        return [list(queue.leaf.parked)]
    return [parked for child in queue.children for parked in _parked_below(child)]


def _by_start(lists: list[list[CapacityAttempt]]) -> list[CapacityAttempt]:
    """The members of lists by the start of each list's next one, as a Java heap of the lists gives them."""
    heap, positions = JavaPriorityQueue[Keyed](), [0] * len(lists)
    for index, members in enumerate(lists):
        heap.add((members[0].started_ms if members else NEVER, index), by_key)
    found: list[CapacityAttempt] = []
    while heap.items and heap.items[0][0] != NEVER:
        _, index = heap.poll(by_key)
        members = lists[index]
        found.append(members[positions[index]])
        positions[index] += 1
        is_left = positions[index] < len(members)
        heap.add((members[positions[index]].started_ms if is_left else NEVER, index), by_key)
    return found
