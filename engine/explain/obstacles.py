"""Finds the obstacles of an application in its queues and on every node, without changing anything."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.explain.remedy import Remedy, remedy_sentence
from engine.incremental import Incremental
from engine.model.identity import application_name
from engine.model.ledger import Attempt, Node
from engine.schedulers.interface import Setting
from engine.schedulers.obstacle_texts import (
    OBSTACLE_TEXTS,
    Obstacle,
    Reason,
    answer_of,
    binding_units,
    counted,
    noun_of,
    numbers_of,
    shortage_of,
)
from engine.schedulers.yarn_scheduler import YarnScheduler, obstacle_before_nodes
from engine.settings.site import NODE_MEMORY, NODE_VCORES
from engine.units import iso_text, plural

ROOM: Reason = Reason.OTHER_FIRST
"""Obstacle of a node that has room: it waits for the next heartbeat, or another comes first."""


class AttemptObstacles(NamedTuple):
    """The obstacles of one application attempt."""

    in_queue: Obstacle | None  # Obstacle in its queues, which holds on every node
    on_nodes: tuple[tuple[Node, Obstacle], ...]
    """Every node, in order of joining, with what stands in the way there; `OTHER_FIRST` where nothing does."""
    on_others: Obstacle | None = None  # Why there are not more nodes; None when there are no others


FREE: Final = Obstacle(ROOM)

Sizes = tuple[int, int, int, int, str]
"""Properties of a node that a probe sees: total and free memory and vcores, partition."""

LOOKS: Final = 1_000  # Nodes looked at in one piece of work


def obstacles_found(
    scheduler: YarnScheduler, attempt: Attempt, now_ms: int, priority: int | None = None
) -> Incremental[AttemptObstacles]:
    """Ask about every node, in pieces; the cluster must stand still until it is done.

    An attempt that asks for nothing meets no obstacle on nodes.

    With a priority, only asks of that priority count; a node that the attempt itself has reserved for another priority
    counts as reserved for it.
    """
    work = _obstacles_found(scheduler, attempt, now_ms)
    if priority is None:
        return (yield from work)
    found = yield from _asking_only_at(attempt, priority, work)
    name = application_name(scheduler.cluster.cluster_timestamp, attempt.application.number)
    on_nodes = ((node, _reserved_for_another(attempt, priority, node, name) or each) for node, each in found.on_nodes)
    return AttemptObstacles(found.in_queue, tuple(on_nodes))


def _reserved_for_another(attempt: Attempt, priority: int, node: Node, name: str) -> Obstacle | None:
    held = node.reserved
    if held is None or held.attempt is not attempt or held.priority == priority:
        return None
    return Obstacle(Reason.NODE_RESERVED, (held.memory_mb, node.free_memory_mb), name)


def _asking_only_at(
    attempt: Attempt, priority: int, work: Incremental[AttemptObstacles]
) -> Incremental[AttemptObstacles]:
    """Do the work with the attempt asking at one priority only; between two pieces it asks at all of them again."""
    priorities = attempt.priorities
    while True:
        attempt.priorities = [priority] if priority in attempt.groups else []
        try:
            next(work)
        except StopIteration as done:
            found: AttemptObstacles = done.value
            return found
        finally:
            attempt.priorities = priorities
        yield


def _obstacles_found(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> Incremental[AttemptObstacles]:
    in_queue = obstacle_before_nodes(scheduler, attempt)
    if not attempt.pending:
        return AttemptObstacles(in_queue, ())
    is_placeless = not attempt.blacklist and all(len(group.by_name) <= 1 for group in attempt.groups.values())
    by_size = scheduler.policy.probes_by_size and is_placeless
    known: dict[Sizes, Obstacle] = {}
    found: list[tuple[Node, Obstacle]] = []
    for number, node in enumerate(scheduler.cluster.nodes.values()):
        if number and number % LOOKS == 0:
            yield
        if not by_size or node.reserved is not None:
            found.append((node, scheduler.policy.obstacle_on(attempt, node, now_ms) or FREE))
            continue
        sizes = (node.total_memory_mb, node.total_vcores, node.free_memory_mb, node.free_vcores, node.partition)
        obstacle = known.get(sizes)
        if obstacle is None:
            obstacle = known[sizes] = scheduler.policy.obstacle_on(attempt, node, now_ms) or FREE
        found.append((node, obstacle))
    return AttemptObstacles(in_queue, tuple(found))


# Parts of answers, and the one way they are written as plain values for `--json`; schema 1.
#
# Every field is a key of the same name without `_ms`: instants are epoch ms in a part, and in what is written ISO 8601
# with ms and the offset of a place.

GIVEN_UP: Final = "GIVEN_UP"  # Code of a row about one that failed as often as it may
DRIVER_LOST: Final = "DRIVER_LOST"  # Code of a row about one that ended as its driver was lost with its worker
LEFT_OVER: Final = "CORES_LEFT_OVER"  # Code of a row: part of its maximum is never given
EXITED: Final = "EXECUTORS_EXITED"  # Code of a row: its executors ended with an error
STARVED: Final = "TASKS_STARVED"  # Code of a row: its tasks that never end have all its cores, and others wait
ALL_ITS_OWN: Final = "ALL_ITS_OWN"  # Code of a row: no other application has any of what it waits for
LOST_TO_PREEMPTION: Final = "LOST_TO_PREEMPTION"  # Code of a row: what it is given is preempted again and again
AT_MOST: Final = "AT_MOST"  # Code of a row: its tasks wait for its own cores, of which it may have no more
HOLDS_NOBODY: Final = frozenset({LEFT_OVER, EXITED, STARVED, AT_MOST})
"""Codes of rows about one that does not have to wait."""

SCHEMA: Final = 1  # Version of the form of an answer
INSTANT: Final = "_ms"


class ReportBase(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of an answer; a field that has its default is not written."""

    def written(self, zone: tzinfo | None) -> dict[str, object]:
        """The part as plain values, with instants of a place; None is this machine's."""
        return _written(self, zone)


def _written(struct: msgspec.Struct, zone: tzinfo | None) -> dict[str, object]:
    omits = struct.__struct_config__.omit_defaults
    found = {}
    for field in msgspec.structs.fields(struct):
        value = getattr(struct, field.name)
        if value is msgspec.UNSET or (omits and value == field.default):
            continue
        is_instant = field.name.endswith(INSTANT) and isinstance(value, int)
        found[field.encode_name.removesuffix(INSTANT)] = iso_text(value, zone) if is_instant else _value(value, zone)
    return found


def _value(value: object, zone: tzinfo | None) -> object:
    if isinstance(value, ReportBase):
        return value.written(zone)
    if isinstance(value, Remedy):
        return remedy_sentence(value)
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value) if value.__struct_config__.array_like else _written(value, zone)
    if isinstance(value, tuple):
        as_dict = getattr(value, "_asdict", None)  # a named tuple
        return as_dict() if as_dict is not None else [_value(each, zone) for each in value]
    return value


class OtherStart(ReportBase, frozen=True, kw_only=True):
    """When somebody starts where an assumption is otherwise."""

    application: str
    starts_ms: int | None  # None where not as far as was looked


class SensitivityReport(ReportBase, frozen=True, kw_only=True):
    """An assumption that an answer hangs on, and what comes where it is otherwise."""

    assumed: str  # The assumption, a sentence
    applications: tuple[str, ...] = ()  # The application it is about
    otherwise: str = ""
    """What they do otherwise, e.g. `runs on`; empty where that cannot be played, so that nothing is certain."""
    starts: tuple[OtherStart, ...] = ()  # The asks whose start changes with it
    never: bool = True  # True if asks without a start never start then; False if not within the time looked ahead
    looked: bool = True  # False where there was no time to play it


# Obstacles of an application attempt as rows: counted over nodes, with numbers, and the setting that decides each.

NODES_NAMED: Final = 20  # Number of nodes a row names

BELOW_SHARE: Final = "BELOW_SHARE"  # Code of the row of a queue that has not what it is due

BEHIND: Final = "BEHIND"  # Code of the row of applications that are served first in its queue

TRIED_TOGETHER: Final = frozenset({BELOW_SHARE, BEHIND})
"""Codes of rows whose settings are tried together, and named as far as all of them are needed."""

REDUCES_HOLD: Final = "REDUCES_HOLD"  # Code of a row that says that reduces which wait for maps hold what is needed

MASTERS_HOLD: Final = "MASTERS_HOLD"  # Code of the row of masters that hold everything, so that no work is done


class ObstacleRow(ReportBase, frozen=True, omit_defaults=False):
    """One reason, counted over all nodes where it holds; one about a queue has no nodes."""

    code: str  # A `schedulers.obstacle_texts.Reason` name
    answer: str  # In words, without how many nodes it holds on
    level: str
    state: str
    diagnostic: str = ""
    count: int = 0  # Nodes it holds on; 0 for a reason about a queue or the application
    of: int = 0  # Nodes there are
    nodes: tuple[str, ...] = ()  # Hosts, at most `NODES_NAMED`
    subject: str = ""  # The queue, user or application it is about; empty when none
    numbers: dict[str, int] = {}  # Numbers of the queue, or of the node that comes nearest
    decided_by: Setting | None = None  # The setting that decides it; None when none does
    certainty: str = "known"
    together: tuple[Setting, ...] = ()  # Settings of which no single one would help, but all of them would
    noun: str = ""  # `node` or `worker` where the sentence begins with how many of them it holds on

    @property
    def sentence(self) -> str:
        return counted(self.answer, self.count, self.of, self.noun)

    @property
    def is_of_scheduler(self) -> bool:
        """True if the scheduler has that reason, and it was not concluded beside it."""
        return self.code in Reason.__members__

    def written(self, zone: tzinfo | None) -> dict[str, object]:
        fields = super().written(zone)
        del fields["answer"], fields["noun"]
        return {"code": self.code, "sentence": self.sentence, **fields}


def own_row(taken: str) -> ObstacleRow:
    """The row that says: no other application has any of what it waits for; `taken` is how much there is of it."""
    return ObstacleRow(ALL_ITS_OWN, f"what is taken is its own: {taken}", "APP", "SKIPPED")


def idle_words(rows: Iterable[ObstacleRow]) -> str:
    """What is told of one that does not have to wait, behind a colon; empty for nothing."""
    told = [row.sentence for row in rows if row.code in HOLDS_NOBODY]
    return f": {'; '.join(told)}" if told else ""


def reduces_hold(held: Mapping[str, int], what: str, slow_start: Setting) -> ObstacleRow:
    """That reduces which wait for maps of their jobs hold what is needed, by the name of each job.

    The setting is that of the job that holds most.
    """
    most = max(held, key=held.__getitem__)
    others = f" and {plural(len(held) - 1, 'other job')}" if len(held) > 1 else ""
    sentence = (
        f"reduces of {most}{others} hold {plural(sum(held.values()), what)} with maps still to come: they may begin"
        f" once {100 * float(slow_start.value):g} % of the maps have ended"
    )
    return ObstacleRow(REDUCES_HOLD, sentence, "APP", "SKIPPED", subject=most, decided_by=slow_start)


def without_setting(row: ObstacleRow) -> ObstacleRow:
    """An obstacle of which it is not known what decides it."""
    if row.code in TRIED_TOGETHER:
        return msgspec.structs.replace(row, together=())
    return row if row.decided_by is None else msgspec.structs.replace(row, decided_by=None)


class _Group(NamedTuple):
    nodes: list[Node]  # In order of joining; none where they are not about nodes
    obstacles: list[Obstacle]  # Each once


def obstacle_rows(
    scheduler: YarnScheduler, attempt: Attempt, found: AttemptObstacles, gone: int = 0
) -> tuple[ObstacleRow, ...]:
    """All obstacles, the first reason first: that of the queue, then those of nodes by their number.

    `gone` nodes are out of service and count among all nodes.
    """
    rows, nodes = [], len(found.on_nodes) + gone
    if found.in_queue is not None:
        rows.append(_row(scheduler, attempt, _Group([], [found.in_queue]), nodes))
    kinds: dict[Obstacle, _Group] = {}
    groups: dict[tuple[object, ...], _Group] = {}
    for node, obstacle in found.on_nodes:  # many nodes say the same
        group = kinds.get(obstacle)
        if group is None:
            group = kinds[obstacle] = groups.setdefault(_kind(obstacle), _Group([], []))
            group.obstacles.append(obstacle)
        group.nodes.append(node)
    is_told = found.in_queue is not None and groups.keys() == {_kind(found.in_queue)}  # every node says the same
    by_size = [] if is_told else sorted(groups.values(), key=lambda group: len(group.nodes), reverse=True)
    on_nodes = [_row(scheduler, attempt, group, nodes) for group in by_size]
    missing = labels_asked(attempt) - {node.partition for node in scheduler.cluster.nodes.values()} - {""}
    if missing:
        words = f"; it asks for {' and '.join(sorted(missing))}, which no node in service has"
        on_nodes = [
            replace(row, answer=f"{row.answer}{words}") if row.code == Reason.NOT_IN_PARTITION.name else row
            for row in on_nodes
        ]
    if found.in_queue is not None:  # a limit keeps it from that room, and no turn
        on_nodes = [replace(row, answer="room for it") if row.code == ROOM.name else row for row in on_nodes]
    rows += on_nodes
    if found.on_others is not None:
        rows.append(_row(scheduler, attempt, _Group([], [found.on_others]), nodes))
    return tuple(rows)


def labels_asked(attempt: Attempt) -> set[str]:
    """The partitions in which an attempt still asks for something; empty of the default one."""
    asked = [group.anywhere for group in attempt.groups.values() if group.anywhere is not None]
    return {(ask.partition or "").strip() for ask in asked if ask.count > 0}


def _kind(obstacle: Obstacle) -> tuple[object, ...]:
    return (obstacle.reason, obstacle.subject, obstacle.partition, *binding_units(obstacle))


def _row(scheduler: YarnScheduler, attempt: Attempt, group: _Group, of: int) -> ObstacleRow:
    nodes, nearest = group.nodes, min(group.obstacles, key=shortage_of)
    text = OBSTACLE_TEXTS[nearest.reason]
    return ObstacleRow(
        code=nearest.reason.name,
        answer=answer_of(nearest),
        level=text.level,
        state="RE_RESERVED" if _is_held(attempt, nodes) else text.state,
        diagnostic=text.diagnostic,
        count=len(nodes),
        of=of,
        nodes=tuple(node.host for node in nodes[:NODES_NAMED]),
        subject=nearest.subject,
        numbers=numbers_of(nearest),
        decided_by=_setting_behind(scheduler, attempt, nearest, nodes),
        together=tuple(scheduler.policy.view().settings_needed(attempt, nearest)),
        noun=noun_of(nearest),
    )


def _is_held(attempt: Attempt, nodes: Sequence[Node]) -> bool:
    return any(node.reserved is not None and node.reserved.attempt is attempt for node in nodes)


def _setting_behind(
    scheduler: YarnScheduler, attempt: Attempt, obstacle: Obstacle, nodes: Sequence[Node]
) -> Setting | None:
    """Return the setting that decides an obstacle: of the application, of the policy, or of the nodes."""
    if obstacle.reason is Reason.LOCALITY_NOT_RELAXED:
        return Setting("relaxLocality", "false")
    if obstacle.reason is Reason.BLACKLISTED:
        return Setting("blacklist", ",".join(sorted(attempt.blacklist)))
    found = scheduler.policy.view().setting_behind(attempt, obstacle)
    return _of_nodes(obstacle, nodes) if found is None and obstacle.reason in _OF_NODES and nodes else found


_OF_NODES: Final = (Reason.DOES_NOT_FIT, Reason.NODE_TOO_SMALL)


def _of_nodes(obstacle: Obstacle, nodes: Sequence[Node]) -> Setting:
    """Return the size of the nodes in the dimension that binds; memory where both do."""
    if "mb" not in binding_units(obstacle):
        return Setting(NODE_VCORES.name, str(max(node.total_vcores for node in nodes)))
    return Setting(NODE_MEMORY.name, str(max(node.total_memory_mb for node in nodes)))
