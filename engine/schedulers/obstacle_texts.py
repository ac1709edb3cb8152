"""Obstacles in words: what each reason is called in Hadoop, what its numbers are, and the sentence.

A policy that knows a further reason adds it to `activity.Reason` and its text here; lists, explanations and documents
follow.

Source: ActivityLevel, ActivityState and ActivityDiagnosticConstant of Hadoop 3.4.1 (names; the sentences are ours),
QUEUE_AM_RESOURCE_LIMIT_EXCEED of CSAMContainerLaunchDiagnosticsConstants; the levels and states of
o.a.h.yarn.server.resourcemanager.scheduler.activities (3.x), carried back to 2.7.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple, Protocol

from engine.model.ledger import Attempt, Node

# Obstacles: why a scheduler gave an application nothing, as reasons with numbers, and their recorder.
#
# A reason is a value, not an exception. Schedulers report obstacles to a recorder only when there is one, so a run
# without one pays nothing.


class Reason(Enum):
    NODE_RESERVED = "the node is reserved by another application"
    NOT_COUNTED = "no update pass has counted what the application asks for"
    QUEUE_OVER_MAXIMUM = "the queue uses more than its maximum"
    QUEUE_WOULD_EXCEED_MAXIMUM = "a reservation would take the queue over its maximum"
    QUEUE_NOT_RUNNING_IT = "a limit on running applications holds it back"
    AM_SHARE_EXHAUSTED = "the queue's share for application masters is used up"
    USER_AM_SHARE_EXHAUSTED = "the user's share for application masters in the queue is used up"
    BLACKLISTED = "the application has blacklisted the node"
    NOTHING_ASKED = "the application asks for nothing"
    NODE_TOO_SMALL = "the ask is larger than the whole node"
    LOCALITY_NOT_RELAXED = "the ask insists on other hosts or racks"
    DELAY_SCHEDULING = "the application waits for a better place"
    DOES_NOT_FIT = "not enough is free on the node"
    RESERVATION_LIMIT = "the reservation rule lets it hold no more nodes"
    USER_OVER_LIMIT = "the user uses more than their limit in the queue"
    NOT_IN_PARTITION = "the ask is for another partition"
    LABEL_NOT_ACCESSIBLE = "the queue may not use the node's partition"
    NO_CAPACITY = "the queue has no capacity in the node's partition"
    OTHER_FIRST = "another application came first"
    NO_NODE = "the cluster has no node"
    NODE_SILENT = "the node is not heard of any more"
    NO_RESOURCE_MANAGER = "no ResourceManager answers"
    NO_JOB_TRACKER = "no JobTracker answers"
    MASTER_NOT_BACK = "its master has not registered since the ResourceManager started"
    RECOVERY_WAIT = "the ResourceManager recovers and allocates nothing yet"
    NODES_NOT_BACK = "nodes have not registered since the ResourceManager started"
    MAPS_FIRST = "reduces come after their job's maps"
    NODE_DRAINING = "the node is being drained"


class Obstacle(NamedTuple):
    reason: Reason
    numbers: tuple[int, ...] = ()  # In the reason's own order, e.g. wanted and free memory [MB].
    subject: str = ""  # The queue, user or application it is about; empty when none
    partition: str = ""  # The partition whose limit it is; empty for the default one


class Recorder(Protocol):
    """Takes the obstacles that offers meet."""

    def passed_over(self, attempt: Attempt, node: Node, obstacle: Obstacle) -> None:
        """An offer of a node gave an application nothing."""


class ObstacleText(NamedTuple):
    level: str  # `QUEUE`, `APP`, `REQUEST` or `NODE`
    state: str  # `REJECTED` or `SKIPPED`; of a node it holds reserved, `RE_RESERVED`
    diagnostic: str  # The constant of Hadoop 3.4.1 for the same thing; empty where it has none
    numbers: tuple[str, ...]
    """Names of the obstacle's numbers, in its order; those of a resource end in `_mb` and `_vcores`."""
    sentence: str
    """A template over `subject` and the numbers, those of the node that comes nearest. A name without its ending is
    the amount in the dimensions that bind: `{wanted}` is `2 vcores` where memory would do."""
    on_nodes: str = ""  # After "3 of 4 nodes", in a list; of `subjects`. Empty for a reason that is not about nodes.
    is_counted: bool = False  # True where the sentence begins with how many of all nodes it holds on


_FIT = ("wanted_mb", "free_mb", "wanted_vcores", "free_vcores")
_LIMITS = ("free", "total", "maximum", "share")  # Amounts that what is used and wanted together must not exceed

OBSTACLE_TEXTS: Final[Mapping[Reason, ObstacleText]] = {
    Reason.NOTHING_ASKED: ObstacleText("REQUEST", "SKIPPED", "REQUEST_DO_NOT_NEED_RESOURCE", (), "it asks for nothing"),
    Reason.NO_RESOURCE_MANAGER: ObstacleText("QUEUE", "REJECTED", "", (), "no ResourceManager answers"),
    Reason.NO_JOB_TRACKER: ObstacleText("QUEUE", "REJECTED", "", (), "no JobTracker answers"),
    Reason.MAPS_FIRST: ObstacleText("APP", "SKIPPED", "", (), "its reduces come after its maps"),
    Reason.MASTER_NOT_BACK: ObstacleText(
        "APP", "SKIPPED", "", (), "its master has not registered since the ResourceManager started again"
    ),
    Reason.RECOVERY_WAIT: ObstacleText(
        "QUEUE",
        "REJECTED",
        "",
        (),
        "the ResourceManager has started again and waits for its nodes before it allocates anything",
    ),
    Reason.NOT_COUNTED: ObstacleText("APP", "SKIPPED", "", (), "the next update pass has to count what it asks for"),
    Reason.QUEUE_OVER_MAXIMUM: ObstacleText(
        "QUEUE",
        "REJECTED",
        "QUEUE_HIT_MAX_CAPACITY_LIMIT",
        ("used_mb", "maximum_mb", "wanted_mb", "used_vcores", "maximum_vcores", "wanted_vcores"),
        "queue {subject} uses {used} of its maximum {maximum}{within}{needs}",
    ),
    Reason.QUEUE_NOT_RUNNING_IT: ObstacleText(
        "QUEUE", "SKIPPED", "", ("running", "limit"), "{subject} already runs {running} of {limit} applications"
    ),
    Reason.AM_SHARE_EXHAUSTED: ObstacleText(
        "QUEUE",
        "REJECTED",
        "QUEUE_AM_RESOURCE_LIMIT_EXCEED",
        ("used_mb", "share_mb", "wanted_mb", "used_vcores", "share_vcores", "wanted_vcores"),
        "application masters use {used} of {share} in {subject}{within}{needs}",
    ),
    Reason.USER_AM_SHARE_EXHAUSTED: ObstacleText(
        "QUEUE",
        "REJECTED",
        "USER_AM_RESOURCE_LIMIT_EXCEED",
        ("used_mb", "share_mb", "wanted_mb", "used_vcores", "share_vcores", "wanted_vcores"),
        "application masters of {subject} use {used} of {share} in the queue{within}{needs}",
    ),
    Reason.USER_OVER_LIMIT: ObstacleText(
        "QUEUE",
        "REJECTED",
        "QUEUE_HIT_USER_MAX_CAPACITY_LIMIT",
        ("used_mb", "maximum_mb", "used_vcores", "maximum_vcores"),
        "user {subject} uses {used} of a limit of {maximum} in the queue{within}",
    ),
    Reason.NOT_IN_PARTITION: ObstacleText(
        "NODE",
        "REJECTED",
        "NODE_DO_NOT_MATCH_PARTITION_OR_PLACEMENT_CONSTRAINTS",
        (),
        "in {elsewhere}",
        "in another partition",
        is_counted=True,
    ),
    Reason.LABEL_NOT_ACCESSIBLE: ObstacleText(
        "QUEUE",
        "REJECTED",
        "NOT_ABLE_TO_ACCESS_PARTITION",
        (),
        "in a partition that queue {subject} may not use",
        "in a partition its queue may not use",
        is_counted=True,
    ),
    Reason.NO_CAPACITY: ObstacleText(
        "QUEUE",
        "REJECTED",
        "QUEUE_HIT_MAX_CAPACITY_LIMIT",
        (),
        "queue {subject} has no capacity in the partition {partition}",
    ),
    Reason.NODE_RESERVED: ObstacleText(
        "NODE",
        "REJECTED",
        "",
        ("held_mb", "free_mb", "held_vcores", "free_vcores"),
        "reserved by {subject} for {held}, nothing for others",
        "reserved by {subjects}",
        is_counted=True,
    ),
    Reason.NODE_TOO_SMALL: ObstacleText(
        "NODE",
        "REJECTED",
        "NODE_TOTAL_RESOURCE_INSUFFICIENT_FOR_REQUEST",
        ("wanted_mb", "total_mb", "wanted_vcores", "total_vcores"),
        "too small, {wanted} wanted and the largest has {total}",
        "too small",
        is_counted=True,
    ),
    Reason.DOES_NOT_FIT: ObstacleText(
        "NODE",
        "SKIPPED",
        "NODE_DO_NOT_HAVE_SUFFICIENT_RESOURCE",
        _FIT,
        "too full, {wanted} wanted and the freest has {free}",
        "too full",
        is_counted=True,
    ),
    Reason.RESERVATION_LIMIT: ObstacleText(
        "NODE",
        "SKIPPED",
        "REQUEST_SKIPPED_BECAUSE_OF_RESERVATION",
        _FIT,
        "{wanted} wanted and {free} free, and it may reserve no more",
        "too full, and it may reserve no more",
        is_counted=True,
    ),
    Reason.QUEUE_WOULD_EXCEED_MAXIMUM: ObstacleText(
        "NODE",
        "SKIPPED",
        "QUEUE_HIT_MAX_CAPACITY_LIMIT",
        _FIT,
        "{more} would take queue {subject} over its maximum",
        "barred by the maximum of its queue",
        is_counted=True,
    ),
    Reason.DELAY_SCHEDULING: ObstacleText(
        "NODE",
        "SKIPPED",
        "NODE_SKIPPED_BECAUSE_OF_OFF_SWITCH_DELAY",
        ("missed", "level"),
        "waiting for locality, {missed} scheduling opportunities missed so far",
        "passed over while it waits for locality",
        is_counted=True,
    ),
    Reason.LOCALITY_NOT_RELAXED: ObstacleText(
        "NODE",
        "REJECTED",
        "NODE_SKIPPED_BECAUSE_OF_RELAX_LOCALITY",
        (),
        "not where it insists to run",
        "not where it insists to run",
        is_counted=True,
    ),
    Reason.BLACKLISTED: ObstacleText(
        "NODE", "REJECTED", "NODE_IS_BLACKLISTED", (), "on its blacklist", "blacklisted by it", is_counted=True
    ),
    Reason.NO_NODE: ObstacleText("APP", "REJECTED", "", (), "there is no node"),
    Reason.NODE_SILENT: ObstacleText(
        "NODE",
        "SKIPPED",
        "",
        ("silent_s", "expires_s"),
        "silent for {silent_s} s, believed alive for {expires_s} s more",
        "silent",
        is_counted=True,
    ),
    Reason.NODES_NOT_BACK: ObstacleText(
        "APP",
        "SKIPPED",
        "",
        ("missing", "known"),
        "{missing} of {known} nodes not back yet since the ResourceManager started again",
    ),
    Reason.NODE_DRAINING: ObstacleText("NODE", "REJECTED", "", (), "being drained", "being drained", is_counted=True),
    Reason.OTHER_FIRST: ObstacleText(
        "APP", "SKIPPED", "", (), "room for it; it waits for a heartbeat, or another comes first", is_counted=True
    ),
}
"""Reason → its text."""


def part_of(count: int, of: int, noun: str = "node") -> str:
    """Return how many of all nodes, in words.

    >>> part_of(3, 4), part_of(1, 1), part_of(1, 1, "worker")
    ('3 of 4 nodes', 'the only node', 'the only worker')
    """
    return f"the only {noun}" if count == of == 1 else f"{count} of {of} {noun}s"


def counted(answer: str, count: int, of: int, noun: str) -> str:
    """An answer after how many nodes give it; as it is where it has no `noun`.

    >>> counted("too small", 3, 4, "node"), counted("there is no node", 0, 0, "")
    ('3 of 4 nodes: too small', 'there is no node')
    """
    return f"{part_of(count, of, noun)}: {answer}" if noun else answer


def noun_of(obstacle: Obstacle) -> str:
    """The noun of the nodes that are counted; empty where none are."""
    return "node" if OBSTACLE_TEXTS[obstacle.reason].is_counted else ""


def answer_of(obstacle: Obstacle) -> str:
    """An obstacle in words with its numbers; a number that the policy did not give is `?`."""
    numbers, units = numbers_of(obstacle), binding_units(obstacle)
    values: dict[str, object] = {"subject": short_id(obstacle.subject), **numbers}
    for stem in ("used", "wanted", "held", *_LIMITS):
        values[stem] = amount_of(numbers, stem, units)
    values["partition"] = obstacle.partition
    values["elsewhere"] = f"the partition {obstacle.partition}" if obstacle.partition else "another partition"
    values["within"] = f" in the partition {obstacle.partition}" if obstacle.partition else ""
    values["more"] = "too full, and to reserve one" if shortage_of(obstacle) > 0 else "one more"
    is_needed = any(numbers.get(f"wanted_{unit}") for unit in units)
    values["needs"] = f", this one needs {values['wanted']}" if is_needed else ""
    return OBSTACLE_TEXTS[obstacle.reason].sentence.format_map(_Numbers(values))


def numbers_of(obstacle: Obstacle) -> dict[str, int]:
    """The numbers of an obstacle by name; of what is wanted only where something is."""
    named = zip(OBSTACLE_TEXTS[obstacle.reason].numbers, obstacle.numbers, strict=False)
    return {name: value for name, value in named if value or not name.startswith("wanted")}


def binding_units(obstacle: Obstacle) -> tuple[str, ...]:
    """The units (`mb`, `vcores`) in which an obstacle stands in the way; none where it is not about amounts."""
    shortages = _shortages(obstacle)
    return tuple(unit for unit, (short, _) in shortages.items() if short > 0) or tuple(shortages)[:1]


def shortage_of(obstacle: Obstacle) -> float:
    """Return the missing part of a wanted amount, in the dimension that lacks most [fraction]; 0 where nothing is."""
    return max((short / max(wanted, 1) for short, wanted in _shortages(obstacle).values()), default=0.0)


def amount_of(numbers: Mapping[str, int], stem: str, units: Sequence[str]) -> str:
    """An amount in some units.

    >>> amount_of({"free_mb": 512, "free_vcores": 1}, "free", ("mb", "vcores"))
    '512 MB and 1 vcore'
    """
    return " and ".join(_amount(numbers.get(f"{stem}_{unit}"), unit) for unit in units)


def _amount(value: int | None, unit: str) -> str:
    number = "?" if value is None else str(value)
    return f"{number} MB" if unit == "mb" else f"{number} vcore{'' if value == 1 else 's'}"


def _shortages(obstacle: Obstacle) -> dict[str, tuple[int, int]]:
    """Unit → (what is short, what is wanted), of the units whose limit the obstacle tells."""
    numbers, found = numbers_of(obstacle), {}
    for unit in ("mb", "vcores"):
        limit = next((value for stem in _LIMITS if (value := numbers.get(f"{stem}_{unit}")) is not None), None)
        wanted = numbers.get(f"wanted_{unit}", numbers.get(f"held_{unit}", 0))
        if limit is not None:
            found[unit] = (numbers.get(f"used_{unit}", 0) + wanted - limit, wanted)
    return found


def short_id(subject: str) -> str:
    """The number alone of an application's id; anything else as it is."""
    return subject.rpartition("_")[2] if subject.startswith("application_") else subject


class _Numbers(dict[str, object]):
    """Gives `?` for a number that is not there."""

    def __missing__(self, key: str) -> str:
        return "?"
