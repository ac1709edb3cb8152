"""Figures of JMX, worked out from the applications of each queue and user; queries; the words of Prometheus."""

import json
from collections import Counter
from typing import Any

import pytest

from engine.model.ledger import Attempt
from tests.engine.serve.asked import Asked
from tests.engine.serve.test_app_fields import AT_MS, SCENES, scene

CASES = [(name, at_ms) for name in SCENES for at_ms in AT_MS]


def beans(one: Asked) -> list[Any]:
    found: list[Any] = json.loads(one.ask("/jmx").body)["beans"]
    return found


def queue_beans(one: Asked) -> list[Any]:
    return [each for each in beans(one) if "QueueMetrics" in each["name"]]


def attempts(one: Asked, bean: dict[str, Any]) -> list[Attempt]:
    """Those in the queue of a bean or below it, of its user."""
    path, user = bean["tag.Queue"], bean.get("tag.User")
    return [
        app.attempt
        for app in one.served.cluster.applications.values()
        if app.attempt is not None and f"{app.queue}.".startswith(f"{path}.") and user in {None, app.user}
    ]


@pytest.mark.parametrize(("scheduler", "at_ms"), CASES)
def test_beans_add_up_their_applications(scheduler: str, at_ms: int) -> None:
    """What they hold, have reserved and ask for, and how many wait for their first container."""
    one = scene(scheduler, at_ms)
    for bean in queue_beans(one):
        mine = attempts(one, bean)
        waiting = [each for each in mine if each.master is None and not each.live]
        asks = [group.anywhere for each in mine for group in each.groups.values() if group.anywhere is not None]
        expected = {
            "AppsRunning": len(mine) - len(waiting),
            "AppsPending": len(waiting),
            "AllocatedMB": sum(each.used_memory_mb for each in mine),
            "AllocatedVCores": sum(each.used_vcores for each in mine),
            "AllocatedContainers": sum(len(each.live) for each in mine),
            "PendingMB": sum(each.memory_mb * each.count for each in asks),
            "PendingVCores": sum(each.vcores * each.count for each in asks),
            "PendingContainers": sum(each.pending for each in mine),
            "ReservedMB": sum(each.reserved_memory_mb for each in mine),
            "ReservedVCores": sum(each.reserved_vcores for each in mine),
            "ReservedContainers": sum(len(each.reserved) for each in mine),
        }
        assert {name: bean[name] for name in expected} == expected, bean["name"]


@pytest.mark.parametrize(("scheduler", "at_ms"), CASES)
def test_beans_count_what_ended_there_and_below(scheduler: str, at_ms: int) -> None:
    one = scene(scheduler, at_ms)
    for bean in queue_beans(one):
        counted = Counter[str]()
        for (what, queue, user), count in one.served.past.counts.items():
            if f"{queue}.".startswith(f"{bean['tag.Queue']}.") and bean.get("tag.User") in {None, user}:
                counted[what] += count
        names = [name for name in bean if name.startswith(("Apps", "Aggregate")) and name in counted]
        assert {name: bean[name] for name in names} == {name: counted[name] for name in names}
