"""Answers why applications wait, for a screen: little by little, and remembers the answers.

One answer looks at every node, so on a large cluster the answers for all that is on a screen would stop it for seconds.
A picture gets some of them at once; for the others it gets the last answer, or none yet; the owner works them off
between two slices of the engine, some nodes at a time. Work is counted in nodes looked at, so that it is the same
everywhere.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from engine.control_plane.resource_manager import ResourceManager
from engine.incremental import Incremental, Task, run_to_end
from engine.model.ledger import Attempt
from engine.observe.snapshot import ObstacleSummary
from engine.schedulers.obstacle_texts import (
    OBSTACLE_TEXTS,
    Obstacle,
    Reason,
    amount_of,
    answer_of,
    binding_units,
    numbers_of,
    part_of,
    short_id,
    shortage_of,
)
from engine.schedulers.yarn_scheduler import YarnScheduler, obstacle_before_nodes

LOOKS: Final = 500  # Nodes looked at in one piece of work


def obstacle_summary(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> ObstacleSummary | None:
    """An attempt's obstacles in one sentence: those in its queues, else on all nodes; None: it asks for nothing."""
    return run_to_end(_summarising(scheduler, attempt, now_ms))


def _summarising(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> Incremental[ObstacleSummary | None]:
    # When the cluster goes on meanwhile, nodes are of different instants
    obstacle = obstacle_before_nodes(scheduler, attempt)
    if obstacle is not None:
        if obstacle.reason is Reason.NOTHING_ASKED:
            return None
        return ObstacleSummary(obstacle.reason.name, answer_of(obstacle))
    nodes = list(scheduler.cluster.nodes.values())
    if not nodes:
        return ObstacleSummary(Reason.NO_NODE.name, "there is no node")
    tally = NodeTally()
    for begin in range(0, len(nodes), LOOKS):
        if begin:
            yield
            if not attempt.pending:
                return None
        for node in nodes[begin : begin + LOOKS]:
            tally.add(node.host, scheduler.policy.obstacle_on(attempt, node, now_ms))
    return tally.sum_up()


class NodeTally:
    """Counts obstacles on nodes; it keeps none of them, as that would take longer."""

    def __init__(self) -> None:
        self._free = 0
        self._counts: Counter[Reason] = Counter()
        self._limits: dict[Reason, Obstacle] = {}  # the last obstacle of each reason that is not about nodes
        self._holders: Counter[str] = Counter()  # applications that hold reservations, by how many of the nodes
        self._nearest: tuple[float, str, Obstacle] | None = None
        """The node with the least shortage: how much is short there, its host, its obstacle."""

    def add(self, host: str, obstacle: Obstacle | None) -> None:
        if obstacle is None:
            self._free += 1
            return
        reason = obstacle.reason
        self._counts[reason] += 1
        if not OBSTACLE_TEXTS[reason].on_nodes:
            self._limits[reason] = obstacle
        elif reason is Reason.NODE_RESERVED:
            self._holders[obstacle.subject] += 1
        elif reason in (Reason.DOES_NOT_FIT, Reason.RESERVATION_LIMIT) and obstacle.numbers:
            short = shortage_of(obstacle)
            if self._nearest is None or short < self._nearest[0]:
                self._nearest = (short, host, obstacle)

    def sum_up(self, certainty: str = "known") -> ObstacleSummary:
        total = self._free + self._counts.total()
        if self._free:
            room = f"{part_of(self._free, total)} {'has' if self._free == 1 else 'have'} room"
            return ObstacleSummary(Reason.OTHER_FIRST.name, f"{room}: waits for its turn", certainty)
        names = [short_id(name) for name, _ in self._holders.most_common(2)]
        more = len(self._holders) - len(names)
        subjects = " and ".join(names) + (f" and {more} more" if more > 0 else "")
        parts = [
            answer_of(self._limits[reason])
            if reason in self._limits
            else f"{part_of(count, total)} {OBSTACLE_TEXTS[reason].on_nodes.format(subjects=subjects)}"
            for reason, count in self._counts.most_common()
        ]
        if self._nearest is not None:
            _, host, obstacle = self._nearest
            numbers, units = numbers_of(obstacle), binding_units(obstacle)
            free, wanted = (amount_of(numbers, stem, units) for stem in ("free", "wanted"))
            parts.append(f"best {host}: {free} free of {wanted} wanted")
        return ObstacleSummary(self._counts.most_common(1)[0][0].name, "; ".join(parts), certainty)


AT_ONCE: Final = 2_000  # Nodes one picture may look at
KEPT: Final = 4_096  # Answers remembered
NOT_YET: Final = ObstacleSummary("NOT_LOOKED_AT", "not looked at yet", "unknown")


class _Answer(NamedTuple):
    version: int  # The cluster's, when it was answered
    refusal: ObstacleSummary | None


class _Doing(NamedTuple):
    key: object
    version: int  # The cluster's, when it was begun
    task: Task[ObstacleSummary | None]


class ObstacleCache:
    """Answers about the attempts of one ResourceManager at a time."""

    def __init__(self, at_once: int = AT_ONCE, wanted: Callable[[], object] = lambda: None) -> None:
        """Know nothing yet; `wanted` is called when something is asked that is to be worked off."""
        self.answered = 0  # number of answers worked out; a screen redraws when it grows
        self.at_once = at_once  # nodes one picture may look at
        self._left = self._owed = 0
        self._tell = wanted
        self._rm: ResourceManager | None = None
        self._now_ms = 0
        self._known: dict[object, _Answer] = {}
        self._wanted: dict[object, Attempt] = {}
        self._doing: _Doing | None = None  # the answer in work: of those wanted, the one asked for longest ago

    @property
    def is_behind(self) -> bool:
        return bool(self._wanted)

    def begin(self, rm: ResourceManager, now_ms: int) -> None:
        """A picture is taken: some may be answered at once; what the one before still wanted is asked again."""
        if rm is not self._rm:
            self._known.clear()
            self._doing = None
        self._rm, self._now_ms, self._left = rm, now_ms, self.at_once
        self._wanted.clear()

    def answer(self, attempt: Attempt) -> ObstacleSummary | None:
        """The obstacle of an application, as far as it is known; None when it does not wait."""
        rm = self._rm
        if rm is None or not (attempt.pending or attempt.recovered):
            return None
        key = alike(attempt) or attempt
        known = self._known.get(key)
        if known is not None and known.version == rm.version:
            return known.refusal
        if self._left >= len(rm.cluster.nodes):
            self._left -= max(1, len(rm.cluster.nodes))
            found = obstacle_summary(rm.scheduler, attempt, self._now_ms) if attempt.pending else None
            self._keep(key, _Answer(rm.version, found))
            return found
        if not self._wanted:
            self._tell()
        self._wanted.setdefault(key, attempt)
        return NOT_YET if known is None else known.refusal

    def known(self, attempt: Attempt | None) -> ObstacleSummary | None:
        """The last answer, without looking; None also when there is none."""
        if attempt is None or not (attempt.pending or attempt.recovered):
            return None
        found = self._known.get(alike(attempt) or attempt)
        return None if found is None else found.refusal

    def work(self, looks: int, now_ms: int) -> bool:
        """Answer what is wanted, the longest wanted first, while there are looks left; whether anything was answered.

        It goes on in the middle of an answer; what was looked at too much is missing the next time.
        """
        rm, self._now_ms, before = self._rm, now_ms, self.answered
        looks += min(self._owed, 0)
        while rm is not None and self._wanted and looks > 0:
            self._go_on(rm)
            looks -= max(1, min(LOOKS, len(rm.cluster.nodes)))
        self._owed = looks
        return self.answered > before

    def _go_on(self, rm: ResourceManager) -> None:
        doing = self._doing
        if doing is None or doing.key not in self._wanted:
            key, attempt = next(iter(self._wanted.items()))
            doing = self._doing = _Doing(key, rm.version, Task(_summarising(rm.scheduler, attempt, self._now_ms)))
        if doing.task.advance():
            self._doing = None
            del self._wanted[doing.key]
            self._keep(doing.key, _Answer(doing.version, doing.task.result()))
            self.answered += 1

    def _keep(self, key: object, answer: _Answer) -> None:
        _ = self._known.pop(key, None)
        while len(self._known) >= KEPT:
            self._known.pop(next(iter(self._known)))
        self._known[key] = answer


def alike(attempt: Attempt) -> tuple[object, ...] | None:
    """Key that attempts share which are refused for the same reason; None for one that is like no other."""
    if attempt.reserved or attempt.blacklist:
        return None
    sizes: list[tuple[int, int]] = []
    for priority in attempt.priorities:
        group = attempt.groups[priority]
        if len(group.by_name) > 1:
            return None
        if group.anywhere is not None and group.anywhere.count > 0:
            sizes.append((group.anywhere.memory_mb, group.anywhere.vcores))
    am = (attempt.am_memory_mb, attempt.am_vcores) if not attempt.live and not attempt.unmanaged else None
    return (attempt.queue.path, attempt.user, am, tuple(sizes))
