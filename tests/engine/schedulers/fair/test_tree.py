"""The queues of a fair scheduler, by full name: who is in whose way, what comes from the parent, shares for display."""

import pytest

from engine.model.cluster import Cluster
from engine.model.java_number import INT_MAX
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.schedulable import NEVER_MS, FairParent, FairQueue
from engine.schedulers.fair.tree import QueueTree
from engine.schedulers.fair27.policies import FAIR_27
from engine.schedulers.fair27.queue_manager import QueueManager27

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
    """The queue of a name, which there is."""
    found = tree.get(path)
    assert found is not None
    return found


def test_queues_are_found_by_their_names_with_and_without_root() -> None:
    """Leaves are kept in the order in which they were made."""
    tree = tree_of(FairAllocation())
    assert at(tree, "p.x") is at(tree, "root.p.x")
    assert (tree.get("x"), tree.get("root.gone")) == (None, None)
    assert [leaf.path for leaf in tree.leaves] == list(PATHS)


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


def test_a_queue_goes_with_all_below() -> None:
    """Its siblings stay."""
    tree = tree_of(FairAllocation())
    tree.remove(at(tree, "root.p"))
    assert list(tree.queues) == ["root", "root.default", "root.a"]
    assert [leaf.path for leaf in tree.leaves] == ["root.default", "root.a"]
    assert [child.path for child in tree.root.order.members] == ["root.default", "root.a"]
    assert tree.remove_if_empty(at(tree, "root.a"))
    assert list(tree.queues) == ["root", "root.default"]


def inherited(allocation: FairAllocation, *paths: str) -> list[tuple[int, int, float]]:
    """(timeout of the minimum, timeout of the share, threshold) of queues, set from root down."""
    tree = tree_of(allocation)
    for queue in tree.queues.values():
        tree.inherit(queue)
    queues = [at(tree, path) for path in paths]
    return [(one.min_share_timeout_ms, one.fair_share_timeout_ms, one.threshold) for one in queues]


def test_timeouts_and_thresholds_come_from_the_parent() -> None:
    """Each for itself; 0 is one of the queue's own."""
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


def test_root_has_what_the_file_says() -> None:
    """Even where it says nothing, which is then handed down; before a file is loaded nothing ever runs out."""
    assert inherited(FairAllocation(), "root", "root.a") == [(-1, -1, -1.0), (-1, -1, -1.0)]
    root = tree_of(FairAllocation()).root
    assert (root.min_share_timeout_ms, root.fair_share_timeout_ms, root.threshold) == (NEVER_MS, NEVER_MS, 0.5)


def test_all_orders_are_touched_as_one_change_of_the_cluster() -> None:
    """Whatever was decided before is looked at again."""
    tree = tree_of(FairAllocation())
    before = tree.cluster.version
    tree.touch_all()
    assert tree.cluster.version == before + 1


def test_shares_for_display_are_as_if_all_were_busy() -> None:
    """By weight, of the share of the parent, in both kinds of amounts."""
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


def test_a_queue_of_2_7_that_is_made_later_inherits_at_once() -> None:
    """From the parents that are made with it, which have the file's figures."""
    allocation = FairAllocation(
        min_share_timeouts_ms={"root": 1000, "root.n": 5000},
        fair_share_thresholds={"root": 0.5},
        weights={"root.n.x": 3.0},
        default_policy="fifo",
    )
    queues = QueueManager27(Cluster(1), FairAllocation(), 0)
    queues.load(allocation, 0)
    before = queues.cluster.version
    leaf = queues.leaf("n.x", 0, create=True)
    assert leaf is not None
    assert (leaf.path, leaf.min_share_timeout_ms, leaf.threshold, leaf.weight) == ("root.n.x", 5000, 0.5, 3.0)
    assert (leaf.policy.name, at(queues.tree, "root.n").policy.name) == ("fifo", "fair")
    assert queues.cluster.version == before + 1
    assert queues.leaf("n", 0, create=True) is None
    assert queues.leaf("n.x.y", 0, create=True) is None
    assert queues.leaf("m", 0, create=False) is None
