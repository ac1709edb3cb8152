"""Timelines made by hand, as lines of a log would make them."""

from typing import Any

from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LogNode,
    LogReservation,
    ResourceManagerTimeline,
)


def app(number: int, *states: tuple[int, str], **more: Any) -> LogApplication:
    """An application whose first line is at 10."""
    fields: dict[str, Any] = {"id": f"application_7_{number:04d}", "first_ms": 10, "states": list(states)}
    return LogApplication(**{**fields, **more})


def container(number: int, since_ms: int, until_ms: int | None = None, of: int = 1, **more: Any) -> LogContainer:
    """A container of 100 MB and one vcore on a node, which completed."""
    fields: dict[str, Any] = {
        "id": f"container_7_{of:04d}_01_{number:06d}",
        "application": f"application_7_{of:04d}",
        "allocated_ms": since_ms,
        "ended_ms": until_ms,
        "node": "n1:1",
        "memory_mb": 100,
        "vcores": 1,
        "end": "" if until_ms is None else "COMPLETED",
    }
    return LogContainer(**{**fields, **more})


def held(
    since_ms: int, until_ms: int | None = None, of: int = 1, node: str | None = "n1:1", **more: Any
) -> LogReservation:
    """A reservation of a node for 300 MB and two vcores."""
    fields: dict[str, Any] = {"memory_mb": 300, "vcores": 2}
    return LogReservation(f"application_7_{of:04d}", node, since_ms, until_ms, **{**fields, **more})


def node(name: str, *states: tuple[int, str], **more: Any) -> LogNode:
    """A node of 1000 MB and eight vcores."""
    return LogNode(name, **{"memory_mb": 1000, "vcores": 8, "states": list(states), **more})


def timeline(*parts: LogApplication | LogContainer | LogReservation | LogNode, **more: Any) -> ResourceManagerTimeline:
    """A log of these, from 0 to 1000."""
    return ResourceManagerTimeline(
        **{
            "begin_ms": 0,
            "end_ms": 1_000,
            "applications": {each.id: each for each in parts if isinstance(each, LogApplication)},
            "containers": {each.id: each for each in parts if isinstance(each, LogContainer)},
            "reservations": [each for each in parts if isinstance(each, LogReservation)],
            "nodes": {each.id: each for each in parts if isinstance(each, LogNode)},
            **more,
        }
    )
