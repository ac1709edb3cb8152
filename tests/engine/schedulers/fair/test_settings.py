"""Settings of fair queues: their words, defaults, access, and changes while they run."""

import pytest

from engine.control_plane.protocol import ApplicationSubmitted, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.request import NONE, UNBOUNDED
from engine.schedulers.fair.schedulable import FairQueue
from engine.schedulers.fair.settings import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS, FairAllocation, default_allocation
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.placement import AccessControlList
from tests.build import START_MS, resource_manager

# The loaded allocation file.


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


# Access lists of queues in both releases of the fair scheduler, which ask them whatever `yarn.acl.enable` says.

RELEASES = pytest.mark.parametrize("policy", ["fair-2.7", "fair-3.4"])
SWITCH = pytest.mark.parametrize("settings", [{}, {"yarn.acl.enable": "false"}], ids=["unset", "off"])
CLOSED = "<aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>"


def _rejected(policy: str, settings: dict[str, str], queues: str) -> str:
    rm = resource_manager(policy, settings=settings, queues=queues)
    return rm.handle(ApplicationSubmitted("ann", "root.q"), START_MS).rejected


@RELEASES
@SWITCH
def test_a_closed_queue_below_a_closed_root_rejects(policy: str, settings: dict[str, str]) -> None:
    queues = f'<queue name="root">{CLOSED}<queue name="q">{CLOSED}</queue></queue>'

    assert _rejected(policy, settings, queues) == "APP_REJECTED"


@RELEASES
@SWITCH
def test_a_closed_queue_below_an_open_root_accepts(policy: str, settings: dict[str, str]) -> None:
    """A right on a queue holds for all below, and root is open where the file does not say otherwise."""
    assert _rejected(policy, settings, f'<queue name="q">{CLOSED}</queue>') == ""


@RELEASES
@SWITCH
@pytest.mark.parametrize("right", ["aclSubmitApps", "aclAdministerApps"])
def test_either_right_lets_an_application_in(policy: str, settings: dict[str, str], right: str) -> None:
    own = f"{CLOSED}<{right}>ann</{right}>"
    queues = f'<queue name="root">{CLOSED}<queue name="q">{own}</queue></queue>'

    assert _rejected(policy, settings, queues) == ""


# Settings that change while the scheduler runs.

QUEUES = '<queue name="a"/><queue name="b"/>'


def _queue(rm: ResourceManager, path: str) -> FairQueue:
    assert isinstance(rm.scheduler.policy, FairScheduler27)
    return rm.scheduler.policy.tree.queues[path]


@pytest.mark.parametrize(
    ("element", "text", "slot", "value"),
    [
        ("weight", "2.5", "weight", 2.5),
        ("minResources", "4096 mb, 4 vcores", "min_memory_mb", 4096),
        ("maxResources", "2048 MB,1 vcores", "max_vcores", 1),
        ("maxRunningApps", "3", "max_apps", 3),
        ("maxAMShare", "0.25", "max_am_share", 0.25),
        ("minSharePreemptionTimeout", "7", "min_share_timeout_ms", 7000),
        ("fairSharePreemptionTimeout", "9", "fair_share_timeout_ms", 9000),
        ("fairSharePreemptionThreshold", "0.75", "threshold", 0.75),
        ("fairSharePreemptionThreshold", "7", "threshold", 1.0),
        ("fairSharePreemptionThreshold", "-7", "threshold", 0.0),
        ("maxAMShare", "7", "max_am_share", 1.0),
        ("maxAMShare", "-7", "max_am_share", -7.0),
        ("weight", "0.1", "weight", 0.10000000149011612),
        ("minSharePreemptionTimeout", "9223372036854775807", "min_share_timeout_ms", -1000),
        ("minResources", "-5 mb, 1.5 vcores", "min_vcores", 5),
        ("minResources", "1 mb, 2 mb, 3 vcores", "min_memory_mb", 1),
        ("minResources", "1 mb\n,\n2\tvcores", "min_vcores", 2),
    ],
)
def test_a_queue_takes_a_new_value(element: str, text: str, slot: str, value: float) -> None:
    rm = resource_manager(queues=QUEUES)
    before = getattr(_queue(rm, "root.b"), slot)

    answer = rm.handle(SettingsChanged({f"queue.root.a.{element}": text}), START_MS)

    assert not answer.rejected
    assert getattr(_queue(rm, "root.a"), slot) == value
    assert getattr(_queue(rm, "root.b"), slot) == before


@pytest.mark.parametrize(
    "values",
    [
        {"preemption": "maybe"},
        {"reservation.rule": "now and then"},
        {"reservation.ratio": "half"},
        {"speed": "11"},
        {"queue.root.nowhere.weight": "1"},
        {"queue.root.a.colour": "red"},
        {"queue.root.a.weight": "heavy"},
        {"queue.root.a.weight": "1e39"},
        {"queue.root.a.weight": "NaN"},
        {"queue.root.a.schedulingPolicy": "fare"},
        *(
            {"queue.root.a.maxResources": text}
            for text in ("lots", "1024", "50%", "1024 mb, 2 vcore", "2147483648 mb, 1 vcores")
        ),
    ],
)
def test_what_cannot_be_set_is_refused_and_nothing_changes(values: dict[str, str]) -> None:
    rm = resource_manager(queues=QUEUES)

    answer = rm.handle(SettingsChanged({"preemption": "true", "queue.root.b.weight": "9", **values}), START_MS)

    assert answer.rejected == "IllegalArgumentException"
    assert isinstance(rm.scheduler.policy, FairScheduler27)
    assert not rm.scheduler.policy.settings.preemption
    assert _queue(rm, "root.b").weight == 1.0


def test_a_copy_keeps_its_own_settings() -> None:
    rm = resource_manager(queues=QUEUES)
    fork = forked(rm)

    fork.handle(SettingsChanged({"preemption": "true", "queue.root.a.weight": "4"}), START_MS)

    assert isinstance(rm.scheduler.policy, FairScheduler27)
    assert not rm.scheduler.policy.settings.preemption
    assert (_queue(rm, "root.a").weight, _queue(fork, "root.a").weight) == (1.0, 4.0)
