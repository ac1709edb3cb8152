"""The tree of fair queues: what it inherits, shares, and the order of members."""

from functools import cmp_to_key

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import ApplicationSubmitted, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.java_collections import tree_set_order
from engine.model.java_values import INT_MAX
from engine.model.request import NONE, UNBOUNDED
from engine.schedulers.fair.order import FIFO, Key, MemberOrder, MemberSortKey, SharePolicy
from engine.schedulers.fair.schedulable import FairQueue
from engine.schedulers.fair.settings import FairAllocation, default_allocation
from engine.schedulers.fair.tree import fair_shares
from engine.schedulers.fair27.queue_manager import FAIR_27, Drf27
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.queue_manager import FAIR_34, Drf34
from tests.build import START_MS, resource_manager

# Fair shares by doubling and halving.

LIMITS = st.tuples(
    st.sampled_from([0.5, 1.0, 2.0, 3.0]), st.integers(0, 4096), st.sampled_from([1024, 8192, INT_MAX])
).map(lambda kind: (kind[0], min(kind[1], kind[2]), kind[2]))


@given(st.lists(LIMITS, min_size=1, max_size=8), st.integers(0, 100_000))
def test_shares_keep_to_minimums_and_maximums_and_use_up_what_is_there(
    limits: list[tuple[float, int, int]], total: int
) -> None:
    """Up to what truncation loses, one unit per member; minimums may take more than there is."""
    shares = fair_shares(limits, total)

    given_out = sum(shares[kind] for kind in limits)
    wanted = min(total, sum(maximum for _, _, maximum in limits))
    assert all(minimum <= shares[weight, minimum, maximum] <= maximum for weight, minimum, maximum in limits)
    assert given_out >= wanted - len(limits)
    assert given_out <= max(wanted, sum(minimum for _, minimum, _ in limits)) + len(limits)


@given(st.integers(1, 50), st.integers(0, 1_000_000))
def test_equals_share_equally(members: int, total: int) -> None:
    kind = (1.0, 0, INT_MAX)

    assert abs(fair_shares([kind] * members, total)[kind] - total // members) <= 1


def test_nobody_gets_nothing() -> None:
    assert fair_shares([], 4096) == {}


# The members of a queue in order: sorted in place as in 2.7, or beside their order of arrival as in 3.x.


class Member(MemberSortKey[str]):
    """Where a queue or an attempt stands."""

    used_memory_mb: int
    used_vcores: int
    demand_memory_mb: int
    min_memory_mb: int
    min_vcores: int
    weight: float
    is_wanting: bool

    def __init__(self, number: int, used_mb: int = 0, weight: float = 1.0) -> None:
        super().__init__(f"m{number:02}")
        self.used_memory_mb = used_mb
        self.used_vcores = 0
        self.demand_memory_mb = 0
        self.min_memory_mb = 0
        self.min_vcores = 0
        self.weight = weight
        self.is_wanting = True

    def key_now(self, policy: SharePolicy) -> Key:
        used, minimum = (self.used_memory_mb, self.used_vcores), (self.min_memory_mb, self.min_vcores)
        return policy.key(used, self.demand_memory_mb, minimum, self.weight, (0, self.member))

    def wants_more(self) -> bool:
        return self.is_wanting


AMOUNTS = st.integers(0, 6)
CHANGES = st.lists(
    st.tuples(st.integers(0, 11), AMOUNTS, AMOUNTS, AMOUNTS, st.sampled_from([0.0, 0.5, 1.0, 2.0])), max_size=4
)
POLICIES = st.sampled_from([FAIR_27, FIFO, Drf27(100, 10), Drf27(0, 0)])


def _java_sort(members: list[Member], policy: SharePolicy) -> list[Member]:
    def compare(left: Member, right: Member) -> int:
        return policy.compare(left.key_now(policy), right.key_now(policy))

    return sorted(members, key=cmp_to_key(compare))


@given(POLICIES, st.lists(CHANGES, max_size=8))
def test_moving_what_changed_equals_sorting_everything(
    policy: SharePolicy, rounds: list[list[tuple[int, ...]]]
) -> None:
    members = [Member(number) for number in range(12)]
    ordering: MemberOrder[str] = MemberOrder(keeps_arrival=False)
    for member in members:
        ordering.add(member)
    expected = list(members)

    for changes in rounds:
        for number, used, minimum, demand, weight in changes:
            member = members[number]
            member.used_memory_mb, member.used_vcores = used, used // 2
            member.min_memory_mb = member.min_vcores = minimum
            member.demand_memory_mb, member.weight = demand, weight
            ordering.touch(member)
        expected = _java_sort(expected, policy)
        assert ordering.sort(policy) == expected


def test_a_member_that_left_is_not_sorted_again() -> None:
    first, second = Member(1), Member(2)
    ordering: MemberOrder[str] = MemberOrder(keeps_arrival=False)
    ordering.add(second)
    ordering.add(first)
    ordering.sort(FAIR_27)
    first.used_memory_mb = 5
    ordering.touch(first)

    removed = [ordering.remove(first), ordering.remove(first)]

    assert removed == [True, False]
    assert ordering.sort(FAIR_27) == [second]


def _by_arrival(*members: Member) -> MemberOrder[str]:
    ordering: MemberOrder[str] = MemberOrder(keeps_arrival=True)
    for member in members:
        ordering.add(member)
    return ordering


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 9)), max_size=30),
)
def test_the_view_is_always_sorted(start: list[int], changes: list[tuple[int, int]]) -> None:
    members = [Member(place, used) for place, used in enumerate(start)]
    for member in members:
        member.demand_memory_mb = 10
    ordering = _by_arrival(*members)
    for place, used in changes:
        member = members[place % len(members)]
        member.used_memory_mb = used
        ordering.touch(member)
        assert ordering.sort(FAIR_34) == sorted(members, key=lambda member: member.key_now(FAIR_34))
    assert ordering.members == [member.member for member in members]


def test_a_member_that_left_is_gone_from_the_view() -> None:
    a, b, c, d = (Member(number, used) for number, used in enumerate((4, 3, 2, 1)))
    ordering = _by_arrival(a, b, c, d)
    assert ordering.sort(FAIR_34) == [d, c, b, a]
    ordering.touch(c)
    assert ordering.remove(c)
    assert not ordering.remove(c)
    assert ordering.sort(FAIR_34) == [d, b, a]


def test_shares_without_a_number_are_ordered_by_javas_tree() -> None:
    drf = Drf34(100, 10)
    few = [Member(1, 2), Member(2, 0, weight=0.0), Member(3, 1), Member(4, 0, weight=0.0)]
    few[3].is_wanting = False
    ordering = _by_arrival(*few)
    expected = tree_set_order(few[:3], lambda left, right: drf.compare(left.key_now(drf), right.key_now(drf)))
    assert ordering.sort(drf) == expected
    few[2].used_memory_mb = 3
    ordering.touch(few[2])
    assert len(ordering.sort(drf)) == 3


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
