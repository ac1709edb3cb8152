"""Obstacles as reasons: counted over nodes, with YARN's level, state and diagnostic, numbers, and what decides it.

Source: ActivityLevel, ActivityState and ActivityDiagnosticConstant of Hadoop 3.4.1 (names; the sentences are ours),
QUEUE_AM_RESOURCE_LIMIT_EXCEED of CSAMContainerLaunchDiagnosticsConstants.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from engine.explain.deciders import Decider, decider_of
from engine.explain.obstacles import Standing
from engine.model.application import Attempt
from engine.model.node import Node
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.interface import YarnScheduler

NODES_NAMED: Final = 20
"""How many nodes a reason names."""


class Words(NamedTuple):
    """How a reason is told."""

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


_FIT = ("wanted_mb", "free_mb", "wanted_vcores", "free_vcores")

WORDS: Final[dict[Reason, Words]] = {
    Reason.NOTHING_ASKED: Words("REQUEST", "SKIPPED", "REQUEST_DO_NOT_NEED_RESOURCE", (), "it asks for nothing"),
    Reason.NOT_COUNTED: Words("APP", "SKIPPED", "", (), "the next update pass has to count what it asks for"),
    Reason.QUEUE_OVER_MAXIMUM: Words(
        "QUEUE",
        "REJECTED",
        "QUEUE_HIT_MAX_CAPACITY_LIMIT",
        ("used_mb", "maximum_mb"),
        "queue {subject} uses {used_mb} MB of its maximum {maximum_mb} MB",
    ),
    Reason.QUEUE_NOT_RUNNING_IT: Words(
        "QUEUE", "SKIPPED", "", ("running", "limit"), "{subject} already runs {running} of {limit} applications"
    ),
    Reason.AM_SHARE_EXHAUSTED: Words(
        "QUEUE",
        "REJECTED",
        "QUEUE_AM_RESOURCE_LIMIT_EXCEED",
        ("used_mb", "share_mb", "wanted_mb"),
        "application masters use {used_mb} of {share_mb} MB in {subject}, this one needs {wanted_mb} MB",
    ),
    Reason.NODE_RESERVED: Words(
        "NODE",
        "REJECTED",
        "",
        ("held_mb", "free_mb"),
        "{count} of {of} nodes: reserved by {subject} for {held_mb} MB, nothing for others",
    ),
    Reason.NODE_TOO_SMALL: Words(
        "NODE",
        "REJECTED",
        "NODE_TOTAL_RESOURCE_INSUFFICIENT_FOR_REQUEST",
        ("wanted_mb", "total_mb"),
        "{count} of {of} nodes: too small, {wanted_mb} MB wanted and the largest has {total_mb} MB",
    ),
    Reason.DOES_NOT_FIT: Words(
        "NODE",
        "SKIPPED",
        "NODE_DO_NOT_HAVE_SUFFICIENT_RESOURCE",
        _FIT,
        "{count} of {of} nodes: too full, {wanted_mb} MB wanted and the freest has {free_mb} MB",
    ),
    Reason.RESERVATION_LIMIT: Words(
        "NODE",
        "SKIPPED",
        "REQUEST_SKIPPED_BECAUSE_OF_RESERVATION",
        _FIT,
        "{count} of {of} nodes: too full, {wanted_mb} MB wanted and {free_mb} MB free, and it may reserve no more",
    ),
    Reason.QUEUE_WOULD_EXCEED_MAXIMUM: Words(
        "NODE",
        "SKIPPED",
        "QUEUE_HIT_MAX_CAPACITY_LIMIT",
        _FIT,
        "{count} of {of} nodes: too full, and to reserve one would take queue {subject} over its maximum",
    ),
    Reason.DELAY_SCHEDULING: Words(
        "NODE",
        "SKIPPED",
        "NODE_SKIPPED_BECAUSE_OF_OFF_SWITCH_DELAY",
        ("missed", "level"),
        "{count} of {of} nodes: not near enough yet, {missed} offers let pass so far",
    ),
    Reason.LOCALITY_NOT_RELAXED: Words(
        "NODE",
        "REJECTED",
        "NODE_SKIPPED_BECAUSE_OF_RELAX_LOCALITY",
        (),
        "{count} of {of} nodes: not where it insists to run",
    ),
    Reason.BLACKLISTED: Words("NODE", "REJECTED", "NODE_IS_BLACKLISTED", (), "{count} of {of} nodes: on its blacklist"),
    Reason.OTHER_FIRST: Words(
        "APP", "SKIPPED", "", (), "{count} of {of} nodes: room for it; it waits for a heartbeat, or another comes first"
    ),
}
"""Every reason, told."""


class ReasonRow(msgspec.Struct, frozen=True):
    """One reason, counted over all nodes where it holds; one about a queue has no nodes."""

    code: str
    """A `schedulers.activity.Reason` name, or one of Spark's own, see `document`."""
    sentence: str
    level: str
    state: str
    diagnostic: str
    count: int
    """Nodes it holds on; 0 for a reason about a queue or the application."""
    of: int
    """Nodes there are."""
    nodes: tuple[str, ...]
    """Hosts, at most `NODES_NAMED`."""
    subject: str
    """The queue, user or application it is about; empty when none."""
    numbers: dict[str, int]
    """Of the queue, or of the node that comes nearest."""
    decider: Decider | None
    """The setting that decides it; None when none does."""
    certainty: str = "known"


def reason_rows(scheduler: YarnScheduler, attempt: Attempt, found: Standing) -> tuple[ReasonRow, ...]:
    """All that stands in the way, the first reason first: that of the queue, then those of nodes by their number."""
    rows = []
    if found.in_queue is not None:
        rows.append(_row(scheduler, attempt, [(None, found.in_queue)], len(found.on_nodes)))
    alike: dict[int, list[tuple[Node | None, Obstacle]]] = {}
    for pair in found.on_nodes:  # one obstacle often serves many nodes
        key = id(pair[1])
        if key in alike:
            alike[key].append(pair)
        else:
            alike[key] = [pair]
    groups: dict[tuple[Reason, str], list[tuple[Node | None, Obstacle]]] = {}
    for group in alike.values():
        obstacle = group[0][1]
        groups.setdefault((obstacle.reason, obstacle.subject), []).extend(group)
    rows += [_row(scheduler, attempt, group, len(found.on_nodes)) for group in sorted(groups.values(), key=_fewness)]
    return tuple(rows)


def _fewness(group: list[tuple[Node | None, Obstacle]]) -> int:
    return -len(group)


def _row(scheduler: YarnScheduler, attempt: Attempt, group: list[tuple[Node | None, Obstacle]], of: int) -> ReasonRow:
    nearest = max((obstacle for _, obstacle in group), key=_nearness)
    words = WORDS[nearest.reason]
    numbers = dict(zip(words.numbers, nearest.numbers, strict=False))
    nodes = [node for node, _ in group if node is not None]
    told = {"subject": _short(nearest.subject), "count": len(nodes), "of": of, **numbers}
    return ReasonRow(
        code=nearest.reason.name,
        sentence=words.sentence.format_map(_Numbers(told)),
        level=words.level,
        state="RE_RESERVED" if _is_held(attempt, nodes) else words.state,
        diagnostic=words.diagnostic,
        count=len(nodes),
        of=of,
        nodes=tuple(node.host for node in nodes[:NODES_NAMED]),
        subject=nearest.subject,
        numbers=numbers,
        decider=decider_of(scheduler, attempt, nearest, nodes),
    )


def _is_held(attempt: Attempt, nodes: Sequence[Node]) -> bool:
    """Whether it holds one of these nodes reserved, and is offered it again and again."""
    return any(node.reserved is not None and node.reserved.attempt is attempt for node in nodes)


def _short(subject: str) -> str:
    return subject.rpartition("_")[2] if subject.startswith("application_") else subject


def _nearness(obstacle: Obstacle) -> int:
    return obstacle.numbers[1] if len(obstacle.numbers) > 1 else 0


class _Numbers(dict[str, object]):
    """Tells a number that the policy did not give as `?`."""

    def __missing__(self, key: str) -> str:
        return "?"
