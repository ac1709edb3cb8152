"""What capacity-3.4 refuses, with its words: submissions that no queue takes, and files that cannot be loaded anew."""

import pytest

from engine.control_plane.protocol import ApplicationSubmitted, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from tests.build import START_MS, resource_manager
from tests.engine.schedulers.test_capacity_view import PREFIX, SETTINGS


def manager(**more: str) -> ResourceManager:
    """A cluster of the queues a, p.x and p.y, which is stopped, with further properties of `root.…`."""
    return resource_manager("capacity-3.4", settings={**SETTINGS, **properties(more)})


def properties(more: dict[str, str]) -> dict[str, str]:
    """Properties by names that have `__` for dots and `_` for dashes."""
    return {f"{PREFIX}{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}


def submitted(rm: ResourceManager, queue: str, user: str = "ann") -> str:
    """The words with which a submission is refused; empty when it is taken."""
    answer = rm.handle(ApplicationSubmitted(user, queue), START_MS)
    assert answer.rejected in ("", "APP_REJECTED")
    return answer.detail


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        ("a", ""),
        ("x", ""),
        ("root.p.x", ""),
        ("gone", "there is no queue gone"),
        ("a..b", "there is no queue a..b"),
        (".a", "there is no queue .a"),
        ("root.gone", "queues are not created below root"),
        ("p", "root.p is not a leaf"),
        ("root.p", "root.p is not a leaf"),
        ("y", f"root.p.y is STOPPED ({PREFIX}root.p.y.state = STOPPED)"),
    ],
)
def test_an_application_needs_a_leaf_that_runs(queue: str, words: str) -> None:
    assert submitted(manager(), queue) == words


def test_a_leaf_takes_so_many_applications() -> None:
    """And so many of one user: half of them, where a user may have half of the queue."""
    rm = manager(root__a__maximum_applications="2")
    key = f"{PREFIX}root.a.maximum-applications = 2"
    assert [submitted(rm, "a", user) for user in ("ann", "ann", "bob", "cy")] == [
        "",
        f"ann has 1 applications in root.a already (1 by {key} and the user limit)",
        "",
        f"root.a has 2 applications already ({key})",
    ]


def changed(rm: ResourceManager, **more: str) -> tuple[str, str]:
    """(refusal, its words) of properties that are changed while it runs."""
    answer = rm.handle(SettingsChanged(properties(more)), START_MS)
    return answer.rejected, answer.detail


def paths(rm: ResourceManager) -> list[str]:
    return [row.path for row in rm.scheduler.policy.view().queues()]


@pytest.mark.parametrize(
    ("more", "key", "words"),
    [
        (
            {"root__queues": "p", "root__p__capacity": "100"},
            "root.a.state",
            "it cannot be removed while RUNNING",
        ),
        (
            {"root__a__queues": "z", "root__a__z__capacity": "100"},
            "root.a.state",
            "a leaf cannot become a parent while RUNNING",
        ),
        (
            {"root__p__auto_create_child_queue__enabled": "true"},
            "root.p.auto-create-child-queue.enabled",
            "a parent cannot begin or cease to create queues",
        ),
        (
            {"root__a__maximum_allocation_mb": "4096"},
            "root.a.maximum-allocation-mb",
            "the maximum (8192, 4) cannot be decreased to (4096, 4)",
        ),
        (
            {"root__a__maximum_allocation_vcores": "3"},
            "root.a.maximum-allocation-mb",
            "the maximum (8192, 4) cannot be decreased to (8192, 3)",
        ),
        (
            {"root__a__capacity": "60"},
            "root.queues",
            "the capacities of its queues add up to 110 % instead of 100",
        ),
    ],
)
def test_a_file_that_cannot_be_loaded_changes_nothing(more: dict[str, str], key: str, words: str) -> None:
    rm = manager()
    before = rm.scheduler.policy.view().queues()
    assert changed(rm, **more) == ("IOException", f"{PREFIX}{key}: {words}")
    assert rm.scheduler.policy.view().queues() == before
