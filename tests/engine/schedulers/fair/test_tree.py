"""The tree of fair queues: what it inherits, shares, and the order of members."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import ApplicationMasterHeartbeat, ApplicationSubmitted, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.decision import Allocated
from engine.model.request import NONE, UNBOUNDED
from engine.schedulers.fair.schedulable import FairQueue
from engine.schedulers.fair.settings import FairAllocation, default_allocation
from engine.schedulers.fair27.scheduler import FairScheduler27
from tests.build import START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit, update

# Fair shares by doubling and halving.

LIMITS = st.tuples(
    st.sampled_from([0.5, 1.0, 2.0, 3.0]), st.integers(0, 4096), st.sampled_from([1024, 8192, 2**31 - 1])
).map(lambda kind: (kind[0], min(kind[1], kind[2]), kind[2]))


@given(st.sampled_from(["fair-2.7", "fair-3.4"]), st.lists(LIMITS, min_size=1, max_size=8), st.integers(1, 100_000))
def test_shares_keep_to_minimums_and_maximums_and_use_up_what_is_there(
    policy: str, limits: list[tuple[float, int, int]], total_mb: int
) -> None:
    """Up to what truncation loses, one unit per queue; minimums may take more than there is; equals share equally."""
    queues = "".join(
        f'<queue name="q{at}"><weight>{weight}</weight><minResources>{minimum} mb, 0 vcores</minResources>'
        f"<maxResources>{maximum} mb, 9 vcores</maxResources></queue>"
        for at, (weight, minimum, maximum) in enumerate(limits)
    )
    rm = resource_manager(policy, nodes=1, memory_mb=total_mb, queues=queues)
    for at in range(len(limits)):
        ask(rm, submit(rm, f"q{at}"), 1)
    update(rm)
    found = {row.path: row.fair_share for row in rm.scheduler.policy.view().queues()}
    shares = [share[0] for at in range(len(limits)) if isinstance(share := found[f"root.q{at}"], tuple)]

    wanted = min(total_mb, sum(maximum for _, _, maximum in limits))
    pairs = list(zip(limits, shares, strict=True))
    assert all(minimum <= share <= maximum for (_, minimum, maximum), share in pairs)
    assert wanted - len(limits) <= sum(shares) <= max(wanted, sum(minimum for _, minimum, _ in limits)) + len(limits)
    assert len(dict(pairs)) == len(set(pairs))


# The members of a queue in order.

EVENTS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(("ask", "end", "offer", "offer"))), min_size=20, max_size=60
)


@given(st.sampled_from(["fair-2.7", "fair-3.4"]), EVENTS)
def test_the_next_container_goes_to_whoever_uses_least(policy: str, events: list[tuple[int, str]]) -> None:
    """Of those that wait; of equals to the first. Their containers are of three sizes, and come and go."""
    rm = resource_manager(policy, nodes=1, memory_mb=2**20, vcores=512, queues='<queue name="q"/>')
    wants = {submit(rm, "q"): 0 for _ in range(6)}
    for place, event in events:
        number = list(wants)[place]
        attempt = attempt_of(rm, number)
        if event == "ask":
            wants[number] += 2
            ask(rm, number, wants[number], 1024 * (1 + place % 3))
        elif event == "end" and attempt.live:
            fetch(rm, number)  # else it is asked for again
            released = next(iter(attempt.live.values())).id
            rm.handle(ApplicationMasterHeartbeat(number, releases=(released,)), START_MS)
        else:
            update(rm)
            waiting = [(attempt_of(rm, each).used_memory_mb, each) for each in wants if wants[each]]
            given_to = [each.container[0] for each in heartbeat(rm).decisions if isinstance(each, Allocated)]
            assert given_to == [each for _, each in sorted(waiting)[:1]]
            for each in given_to:
                wants[each] -= 1


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
