"""The reservations of an attempt, in the order of the class's maps.

Source: SchedulerApplicationAttempt#reservedContainers, Hadoop 3.4.1.
"""

from engine.model.identity import hash_map_order, node_id_hash, request_key_hash
from engine.model.ledger import Container
from engine.schedulers.capacity34.queue import CapacityAttempt


def reservations_in_order(attempt: CapacityAttempt, priority: int) -> list[Container]:
    """An attempt's reservations of a priority, in the order of the class's map."""
    held = [container for container in attempt.reserved.values() if container.priority == priority]
    if len(held) < 2:
        return held
    return hash_map_order(held, [node_id_hash(each.node.host, each.node.port) for each in held])


def all_reservations_in_order(attempt: CapacityAttempt) -> list[Container]:
    """An attempt's reservations of all priorities, in the order of the class's maps."""
    priorities = list(dict.fromkeys(held.priority for held in attempt.reserved.values()))
    ordered = hash_map_order(priorities, [request_key_hash(each) for each in priorities])
    return [held for priority in ordered for held in reservations_in_order(attempt, priority)]


def reserved_for(attempt: CapacityAttempt, priority: int) -> int:
    """The number of nodes an attempt has reserved for a priority."""
    return sum(1 for held in attempt.reserved.values() if held.priority == priority) if attempt.reserved else 0
