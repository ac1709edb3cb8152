"""The queues of a fair scheduler, by full name: who is in whose way, what comes from the parent, shares for display."""

import pytest

from engine.model.cluster import Cluster
from engine.model.java_values import INT_MAX
from engine.schedulers.fair.schedulable import FairParent, FairQueue
from engine.schedulers.fair.settings import FairAllocation
from engine.schedulers.fair.tree import QueueTree
from engine.schedulers.fair27.queue_manager import FAIR_27

PATHS = ("root.default", "root.a", "root.p.x", "root.p.q.y")


def tree_of(allocation: FairAllocation) -> QueueTree[FairAllocation]:
    """The leaves root.default, root.a, root.p.x and root.p.q.y, and what is above them."""
    tree = QueueTree(Cluster(1), allocation, FAIR_27, most=INT_MAX, keeps_arrival=False)
    for path in ("root.default", "root.a", "root.p", "root.p.x", "root.p.q", "root.p.q.y"):
        above = tree.queues[path.rpartition(".")[0]]
        assert isinstance(above, FairParent)
        tree.add(tree.new(path, above, 7, leaf=path in PATHS))
    return tree


def at(tree: QueueTree[FairAllocation], path: str) -> FairQueue:
    found = tree.get(path)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "leaf", "path"),
    [
        ("root", True, None),
        ("root.default.x", True, None),
        ("root.default", True, None),
        ("root.default", False, "root.default"),
        ("root.defaults", False, None),
        ("root.a", True, None),
        ("root.a", False, "root.a"),
        ("root.p", False, None),
        ("root.p", True, "root.p"),
        ("root.a.b", True, "root.a"),
        ("root.a.b.c", False, "root.a"),
        ("root.p.z", True, None),
        ("root.p.x.z.z", True, "root.p.x"),
    ],
)
def test_what_is_in_the_way_is_of_the_other_kind_or_a_leaf_above(name: str, leaf: bool, path: str | None) -> None:
    """Neither root nor what is below root.default is ever made, so nothing is in its way."""
    found = tree_of(FairAllocation()).in_the_way(name, leaf)
    assert (found.path if found is not None else None) == path


def inherited(allocation: FairAllocation, *paths: str) -> list[tuple[int, int, float]]:
    """(timeout of the minimum, timeout of the share, threshold) of queues, set from root down."""
    tree = tree_of(allocation)
    for queue in tree.queues.values():
        tree.inherit(queue)
    queues = [at(tree, path) for path in paths]
    return [(one.min_share_timeout_ms, one.fair_share_timeout_ms, one.threshold) for one in queues]


def test_timeouts_and_thresholds_come_from_the_parent() -> None:
    allocation = FairAllocation(
        min_share_timeouts_ms={"root": 1000, "root.p": 0, "root.p.q": 3000},
        fair_share_timeouts_ms={"root": 2000, "root.p.x": 0},
        fair_share_thresholds={"root": 0.5, "root.p": 0.0, "root.p.q.y": 0.25},
    )
    assert inherited(allocation, "root", "root.a", "root.p", "root.p.x", "root.p.q", "root.p.q.y") == [
        (1000, 2000, 0.5),
        (1000, 2000, 0.5),
        (0, 2000, 0.0),
        (0, 0, 0.0),
        (3000, 2000, 0.0),
        (3000, 2000, 0.25),
    ]


def test_shares_for_display_are_as_if_all_were_busy() -> None:
    tree = tree_of(FairAllocation())
    tree.root.steady_memory_mb, tree.root.steady_vcores = 8000, 80
    at(tree, "root.a").weight, at(tree, "root.default").weight = 2.0, 1.0
    tree.recompute_steady_shares(tree.root)
    shares = {path: (one.steady_memory_mb, one.steady_vcores) for path, one in tree.queues.items()}
    assert {path: memory_mb for path, (memory_mb, _) in shares.items()} == {
        "root": 8000,
        "root.default": 2000,
        "root.a": 4000,
        "root.p": 2000,
        "root.p.x": 1000,
        "root.p.q": 1000,
        "root.p.q.y": 1000,
    }
