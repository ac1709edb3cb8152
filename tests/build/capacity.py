"""A capacity scheduler of both releases: a few queues, and its properties while it runs."""

from collections.abc import Mapping

import pytest

from engine.control_plane.protocol import SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from tests.build import START_MS

CAPACITY = "yarn.scheduler.capacity."
SETTINGS = {
    f"{CAPACITY}{key}": value
    for key, value in {
        "root.queues": "p,a",
        "root.a.capacity": "50",
        "root.a.maximum-capacity": "75",
        "root.a.user-limit-factor": "0.5",
        "root.p.capacity": "50",
        "root.p.queues": "y,x",
        "root.p.x.capacity": "50",
        "root.p.y.capacity": "50",
        "root.p.y.state": "STOPPED",
        "node-locality-delay": "3",
        "maximum-am-resource-percent": "0.5",
    }.items()
}
"""Of three nodes of 8 GB: a is guaranteed 12 GB, x and y 6 GB each."""
BOTH = pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])


def properties(more: Mapping[str, str]) -> dict[str, str]:
    """Properties by names that have `__` for dots and `_` for dashes."""
    return {f"{CAPACITY}{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}


def changed(rm: ResourceManager, **more: str) -> tuple[str, str]:
    """(refusal, its words) of properties that are changed while it runs."""
    answer = rm.handle(SettingsChanged(properties(more)), START_MS)
    return answer.rejected, answer.detail
