"""Reads what a CapacityScheduler of 3.x recorded of one application: which nodes passed it by, in its own words.

The first request has the server begin to record, a later one has what it recorded since.

Source: AppActivitiesInfo, AppAllocationInfo, ActivityNodeInfo, Hadoop 3.1 to 3.4.1.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.live.json_answers import many, read
from engine.live.yarn_answers import RestAnswer

GIVEN: Final = frozenset({"ALLOCATED", "ALLOCATED_FROM_RESERVED", "ACCEPTED"})
"""States that are no reason to wait."""


class Activities(NamedTuple):
    """The recorded activities."""

    diagnostic: str
    """Why there is nothing; empty where there is."""
    passed: tuple[tuple[str, str], ...]
    """Node and the server's words, each pair once; the node is empty where it is not about one."""


class _Activity(RestAnswer, frozen=True, kw_only=True):
    allocation_state: str = ""
    diagnostic: str = ""
    node_id: str = ""
    node_ids: tuple[str, ...] | str | None = None
    children: "tuple[_Activity, ...] | _Activity | None" = None


class _AppActivities(RestAnswer, frozen=True, kw_only=True):
    diagnostic: str = ""
    allocations: tuple[_Activity, ...] | _Activity | None = None


class _Body(RestAnswer, frozen=True, kw_only=True):
    app_activities: _AppActivities


def read_activities(body: bytes) -> Activities:
    """`/ws/v1/cluster/scheduler/app-activities/ID`.

    Raises:
        AnswerError: It is something else.
    """
    found = read(body, _Body).app_activities
    pairs = [pair for each in many(found.allocations) for pair in _passed(each, each.node_id)]
    return Activities(found.diagnostic, tuple(dict.fromkeys(pairs)))


def _passed(activity: _Activity, node: str) -> Iterator[tuple[str, str]]:
    """Innermost refusals, with the node that each is about."""
    under = many(activity.children)
    for child in under:
        yield from _passed(child, child.node_id or node)
    if under or activity.allocation_state in GIVEN or not activity.diagnostic:
        return
    words = " ".join(activity.diagnostic.split())
    for each in many(activity.node_ids) or (node,):
        yield each, words
