"""Queues that capacity-3.4 makes for applications: under which parents, how deep, how many."""

import pytest

from engine.control_plane.resource_manager import ResourceManager
from tests.build import resource_manager
from tests.engine.schedulers.capacity34.test_submissions_and_reloads import paths, submitted
from tests.engine.schedulers.test_capacity_view import PREFIX

CREATION = "root.d.auto-queue-creation-v2"
WEIGHTS = {"root.queues": "a,d", "root.a.capacity": "1w", "root.d.capacity": "1w", f"{CREATION}.enabled": "true"}


def manager(**more: str) -> ResourceManager:
    """A leaf a, and d, below which queues are made."""
    settings = {**WEIGHTS, **{f"{CREATION}.{key.replace('_', '-')}": value for key, value in more.items()}}
    return resource_manager("capacity-3.4", settings={f"{PREFIX}{key}": value for key, value in settings.items()})


def test_a_leaf_is_made_for_its_first_application() -> None:
    rm = manager()
    assert paths(rm) == ["root", "root.a", "root.d"]
    assert [submitted(rm, path) for path in ("root.d.x", "root.d.p.q", "root.d.x", "root.d.p.r")] == [""] * 4
    assert paths(rm)[3:] == ["root.d.p", "root.d.p.q", "root.d.p.r", "root.d.x"]
    weights = {row.path: row.weight for row in rm.scheduler.policy.view().queues()}
    assert {path: weights[path] for path in ("root.d.p", "root.d.x", "root.d.p.q")} == dict.fromkeys(
        ("root.d.p", "root.d.x", "root.d.p.q"), 1.0
    )


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("root.d.p.q", ""),
        ("root.d.p.q.r", "root.d.p.q.r is 3 levels below root.d"),
        ("root.d.p.q.r.s", "root.d.p.q.r.s is 4 levels below root.d"),
        ("root.a.x", "root.a is not a parent"),
        ("root.x", "queues are not created below root"),
        ("root.x.y", "queues are not created below root"),
        ("gone.x", "no parent of gone.x exists"),
    ],
)
def test_a_queue_needs_a_parent_that_makes_some(path: str, words: str) -> None:
    rm = manager()
    assert submitted(rm, path) == words
    assert (path in paths(rm)) == (not words)


def test_a_parent_makes_so_many_queues() -> None:
    rm = manager(max_queues="2")
    assert [submitted(rm, f"root.d.{name}") for name in ("x", "y", "z", "x")] == [
        "",
        "",
        "root.d has 2 queues, the most is 2",
        "",
    ]


@pytest.mark.parametrize(("depth", "path", "levels"), [("1", "root.d.p.q", 2), ("3", "root.d.p.q.r.s", 4)])
def test_the_depth_is_a_setting_of_the_parent(depth: str, path: str, levels: int) -> None:
    rm = manager(maximum_queue_depth=depth)
    assert submitted(rm, path) == f"{path} is {levels} levels below root.d"
    assert submitted(rm, path.rpartition(".")[0]) == ""
