"""Obstacles in words: what each reason is called in Hadoop, what its numbers are, and the sentence.

A policy that knows a further reason adds it to `activity.Reason` and its text here; lists, explanations and documents
follow.

Source: ActivityLevel, ActivityState and ActivityDiagnosticConstant of Hadoop 3.4.1 (names; the sentences are ours),
QUEUE_AM_RESOURCE_LIMIT_EXCEED of CSAMContainerLaunchDiagnosticsConstants.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from engine.schedulers.activity import Obstacle, Reason


class ObstacleText(NamedTuple):
    """How a reason is put into words."""

    level: str
    """`QUEUE`, `APP`, `REQUEST` or `NODE`."""
    state: str
    """`REJECTED` or `SKIPPED`; of a node it holds reserved, `RE_RESERVED`."""
    diagnostic: str
    """The constant of Hadoop 3.4.1 for the same thing; empty where it has none."""
    numbers: tuple[str, ...]
    """Names of the obstacle's numbers, in its order."""
    sentence: str
    """Of `subject`, `count`, `of` and the numbers, those of the node that comes nearest."""
    on_nodes: str = ""
    """After "3 of 4 nodes", in a list; of `subjects`. Empty for a reason that is not about nodes."""


_FIT = ("wanted_mb", "free_mb", "wanted_vcores", "free_vcores")

OBSTACLE_TEXTS: Final[Mapping[Reason, ObstacleText]] = {
    Reason.NOTHING_ASKED: ObstacleText("REQUEST", "SKIPPED", "REQUEST_DO_NOT_NEED_RESOURCE", (), "it asks for nothing"),
    Reason.NOT_COUNTED: ObstacleText("APP", "SKIPPED", "", (), "the next update pass has to count what it asks for"),
    Reason.QUEUE_OVER_MAXIMUM: ObstacleText(
        "QUEUE",
        "REJECTED",
        "QUEUE_HIT_MAX_CAPACITY_LIMIT",
        ("used_mb", "maximum_mb"),
        "queue {subject} uses {used_mb} MB of its maximum {maximum_mb} MB",
    ),
    Reason.QUEUE_NOT_RUNNING_IT: ObstacleText(
        "QUEUE", "SKIPPED", "", ("running", "limit"), "{subject} already runs {running} of {limit} applications"
    ),
    Reason.AM_SHARE_EXHAUSTED: ObstacleText(
        "QUEUE",
        "REJECTED",
        "QUEUE_AM_RESOURCE_LIMIT_EXCEED",
        ("used_mb", "share_mb", "wanted_mb"),
        "application masters use {used_mb} of {share_mb} MB in {subject}, this one needs {wanted_mb} MB",
    ),
    Reason.NODE_RESERVED: ObstacleText(
        "NODE",
        "REJECTED",
        "",
        ("held_mb", "free_mb"),
        "{count} of {of} nodes: reserved by {subject} for {held_mb} MB, nothing for others",
        "reserved by {subjects}",
    ),
    Reason.NODE_TOO_SMALL: ObstacleText(
        "NODE",
        "REJECTED",
        "NODE_TOTAL_RESOURCE_INSUFFICIENT_FOR_REQUEST",
        ("wanted_mb", "total_mb"),
        "{count} of {of} nodes: too small, {wanted_mb} MB wanted and the largest has {total_mb} MB",
        "too small",
    ),
    Reason.DOES_NOT_FIT: ObstacleText(
        "NODE",
        "SKIPPED",
        "NODE_DO_NOT_HAVE_SUFFICIENT_RESOURCE",
        _FIT,
        "{count} of {of} nodes: too full, {wanted_mb} MB wanted and the freest has {free_mb} MB",
        "too full",
    ),
    Reason.RESERVATION_LIMIT: ObstacleText(
        "NODE",
        "SKIPPED",
        "REQUEST_SKIPPED_BECAUSE_OF_RESERVATION",
        _FIT,
        "{count} of {of} nodes: too full, {wanted_mb} MB wanted and {free_mb} MB free, and it may reserve no more",
        "too full, and no more may be reserved",
    ),
    Reason.QUEUE_WOULD_EXCEED_MAXIMUM: ObstacleText(
        "NODE",
        "SKIPPED",
        "QUEUE_HIT_MAX_CAPACITY_LIMIT",
        _FIT,
        "{count} of {of} nodes: too full, and to reserve one would take queue {subject} over its maximum",
        "too full, and the queue's maximum forbids to reserve",
    ),
    Reason.DELAY_SCHEDULING: ObstacleText(
        "NODE",
        "SKIPPED",
        "NODE_SKIPPED_BECAUSE_OF_OFF_SWITCH_DELAY",
        ("missed", "level"),
        "{count} of {of} nodes: not near enough yet, {missed} offers let pass so far",
        "not near enough yet",
    ),
    Reason.LOCALITY_NOT_RELAXED: ObstacleText(
        "NODE",
        "REJECTED",
        "NODE_SKIPPED_BECAUSE_OF_RELAX_LOCALITY",
        (),
        "{count} of {of} nodes: not where it insists to run",
        "not where it insists to run",
    ),
    Reason.BLACKLISTED: ObstacleText(
        "NODE", "REJECTED", "NODE_IS_BLACKLISTED", (), "{count} of {of} nodes: on its blacklist", "blacklisted by it"
    ),
    Reason.OTHER_FIRST: ObstacleText(
        "APP", "SKIPPED", "", (), "{count} of {of} nodes: room for it; it waits for a heartbeat, or another comes first"
    ),
}
"""Reason → its text."""


def sentence_of(obstacle: Obstacle, count: int = 0, of: int = 0) -> str:
    """The sentence of an obstacle with its numbers; a number that the policy did not give is `?`.

    Args:
        obstacle: That of the node that comes nearest, where it is about nodes.
        count: Nodes it holds on.
        of: Nodes there are.
    """
    return OBSTACLE_TEXTS[obstacle.reason].sentence.format_map(
        _Numbers({"subject": short_id(obstacle.subject), "count": count, "of": of, **numbers_of(obstacle)})
    )


def numbers_of(obstacle: Obstacle) -> dict[str, int]:
    """The numbers of an obstacle by name."""
    return dict(zip(OBSTACLE_TEXTS[obstacle.reason].numbers, obstacle.numbers, strict=False))


def short_id(subject: str) -> str:
    """The number alone of an application's id; anything else as it is."""
    return subject.rpartition("_")[2] if subject.startswith("application_") else subject


class _Numbers(dict[str, object]):
    """Gives `?` for a number that is not there."""

    def __missing__(self, key: str) -> str:
        return "?"
