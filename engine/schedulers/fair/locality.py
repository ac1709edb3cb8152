"""Delay scheduling and matching: at which locality an ask may be placed on a node, and which request that is.

Pure functions, the same in both releases.

Source: FSAppAttempt#assignContainer, #getAllowedLocalityLevel(ByTime), Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Collection
from math import ceil

from engine.model.java_number import float32
from engine.model.ledger import Node
from engine.model.request import NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup, ResourceRequest
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.fair.settings import FairSettings


def next_locality(
    group: AskGroup, missed: int, settings: FairSettings, nodes: int, now_ms: int, started_ms: int
) -> int:
    """The locality level the group is allowed from now on; the level goes up one step at a time.

    `missed` are its missed opportunities, the present one included.
    """
    by_time = settings.continuous
    node_bound, rack_bound = settings.locality_delays if by_time else settings.locality_thresholds
    # A negative bound switches delays off.
    if node_bound < 0 or rack_bound < 0:
        return OFF_SWITCH
    level = group.allowed_locality
    # The first look begins at the node; the last level is never left.
    if level in (0, OFF_SWITCH):
        return level or NODE_LOCAL
    bound = node_bound if level == NODE_LOCAL else rack_bound
    if by_time:
        since_ms = started_ms if group.level_changed_ms is None else group.level_changed_ms
        waited_enough = now_ms - since_ms > bound
    else:
        waited_enough = missed > nodes * bound
    return level + 1 if waited_enough else level


def match(group: AskGroup, node: Node, allowed: int) -> int:
    """At which locality a group is placed on a node where one is allowed; 0 when it has to wait or insists."""
    by_name = group.by_name
    anywhere = group.anywhere
    assert anywhere is not None, "only a group that fits the node is matched"
    # Nobody named a host or rack, so there is nothing to wait for.
    if len(by_name) == 1:
        return OFF_SWITCH if anywhere.relax_locality else 0
    rack, host = by_name.get(node.rack), by_name.get(node.name)
    if rack is not None:
        if rack.count and host is not None and host.count:
            return NODE_LOCAL
        # The ask insists on hosts of this rack, and this is none of them.
        if not rack.relax_locality:
            return 0
        if rack.count and allowed >= RACK_LOCAL:
            return RACK_LOCAL
    return OFF_SWITCH if anywhere.relax_locality and allowed == OFF_SWITCH else 0


def matched(group: AskGroup, node: Node, locality: int) -> ResourceRequest:
    """The request that is placed on a node at a locality, as `match` found it; that of `*` for 0."""
    if locality == NODE_LOCAL:
        return group.by_name[node.name]
    if locality == RACK_LOCAL:
        return group.by_name[node.rack]
    anywhere = group.anywhere
    assert anywhere is not None, "only a group that fits the node is matched"
    return anywhere


def reservation_allowed(
    attempt: FairAttempt, node: Node, locality: int, settings: FairSettings, nodes: Collection[Node]
) -> bool:
    """Tell whether the reservation rule lets the attempt hold this node beside those it holds elsewhere.

    Differs: 2.7.2 knows only `strict` (always). `limited` is the rule of 3.x (FSAppAttempt#reservationExceedsThreshold,
    `yarn.scheduler.fair.reservable-nodes`) on the 2.7.2 policy, `off` never reserves; no real class decides these.
    """
    if settings.reservation_rule == "strict" or (settings.reservation_rule == "limited" and locality == NODE_LOCAL):
        return True
    if settings.reservation_rule == "off":
        return False
    if locality == RACK_LOCAL:
        held = sum(container.node.rack == node.rack for container in attempt.reserved.values())
        available = sum(other.rack == node.rack for other in nodes)
    else:
        held, available = len(attempt.reserved), len(nodes)
    # A node that is held already does not count against itself.
    held -= node.id in attempt.reserved
    return held < ceil(float32(available * settings.reservable_nodes))
