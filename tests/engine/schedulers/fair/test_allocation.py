"""The loaded allocation file."""

from engine.model.request import NONE, UNBOUNDED, Resource
from engine.schedulers.fair.settings import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS, FairAllocation, default_allocation
from engine.schedulers.placement import AccessControlList


def test_what_is_not_stated_has_the_defaults_of_the_release() -> None:
    allocation = FairAllocation(queue_max_apps_default=7, user_max_apps_default=3)

    assert (allocation.min_share("q"), allocation.max_share("q"), allocation.weight("q")) == (NONE, UNBOUNDED, 1.0)
    assert (allocation.queue_max_apps("q"), allocation.user_max_apps("u")) == (7, 3)
    assert (allocation.max_am_share("q"), allocation.policy("q")) == (0.5, "fair")
    assert (allocation.min_share_timeout_ms("q"), allocation.fair_share_timeout_ms("q")) == (-1, -1)
    assert allocation.fair_share_threshold("q") == -1.0


def test_without_a_file_root_has_no_timeouts_either() -> None:
    allocation = default_allocation({"yarn.scheduler.fair.user-as-default-queue": "false"})

    assert allocation.min_share_timeout_ms("root") == -1
    assert allocation.placement.assign_application(None, "x", []) == "root.default"
    assert allocation.configured_leaves == ()


def test_a_right_on_any_queue_above_is_enough() -> None:
    """Access is looked for from the queue up to root, which is open unless it is closed."""
    closed = FairAllocation(
        acls={
            "root": {SUBMIT_APPLICATIONS: AccessControlList(" "), ADMINISTER_QUEUE: AccessControlList(" ")},
            "root.a": {SUBMIT_APPLICATIONS: AccessControlList("alice")},
        }
    )

    assert closed.has_access("root.a.b.c", SUBMIT_APPLICATIONS, "alice", [])
    assert not closed.has_access("root.a.b.c", ADMINISTER_QUEUE, "alice", [])
    assert not closed.has_access("root.x", SUBMIT_APPLICATIONS, "alice", [])
    assert FairAllocation().has_access("root.x", ADMINISTER_QUEUE, "alice", [])


def test_a_copy_is_independent() -> None:
    original = FairAllocation(weights={"root.a": 1.0}, max_resources={"root.a": Resource(1, 1)})

    changed = original.copy()
    changed.weights["root.a"] = 5.0

    assert (original.weight("root.a"), changed.weight("root.a")) == (1.0, 5.0)
    assert changed.max_share("root.a") == Resource(1, 1)
