"""Effective values of queues and where they came from."""

import pytest

from engine.formats.fair_files import read_fair_scheduler
from engine.formats.fair_listing import AllocationListing, QueueListing, list_allocation

FILE = """<allocations>
<queue name="b"><queue name="x"><weight>2</weight><maxAMShare>-1</maxAMShare></queue></queue>
<queue name="a">
<minSharePreemptionTimeout>30</minSharePreemptionTimeout>
<fairSharePreemptionThreshold>0.25</fairSharePreemptionThreshold>
<maxResources>2048 mb, 2 vcores</maxResources>
<schedulingPolicy>fifo</schedulingPolicy>
<aclSubmitApps>alice dev</aclSubmitApps>
<queue name="y"><maxRunningApps>5</maxRunningApps><aclSubmitApps>bob</aclSubmitApps></queue>
</queue>
<queueMaxAppsDefault>9</queueMaxAppsDefault>
<defaultFairSharePreemptionTimeout>60</defaultFairSharePreemptionTimeout>
<user name="carol"><maxRunningApps>3</maxRunningApps></user>
</allocations>"""
CLOSED = FILE.replace("\n<queue name", '\n<queue name="root"><aclSubmitApps> </aclSubmitApps><queue name', 1).replace(
    "<queueMax", "</queue><queueMax"
)


def view(text: str = FILE, file: str = "f") -> AllocationListing:
    return list_allocation(read_fair_scheduler(text, file=file), {}, file)


def queue(path: str, text: str = FILE) -> QueueListing:
    return next(queue for queue in view(text).queues if queue.path == path)


def value(path: str, name: str, text: str = FILE) -> tuple[str, str]:
    return next((value.text, value.origin) for value in queue(path, text).values if value.name == name)


@pytest.mark.parametrize(
    ("path", "name", "text", "origin"),
    [
        ("root.b.x", "weight", "2", "f:2"),
        ("root.a", "weight", "1", "default"),
        ("root.a", "maxResources", "2048 mb, 2 vcores", "f:6"),
        ("root.b", "maxResources", "no limit", "default"),
        ("root.b", "minResources", "none", "default"),
        ("root.a.y", "maxRunningApps", "5", "f:9"),
        ("root.b", "maxRunningApps", "9", "from queueMaxAppsDefault (f:11)"),
        ("root.b.x", "maxAMShare", "no limit", "f:2"),
        ("root.a.y", "maxAMShare", "0.5", "default"),
        ("root.a", "schedulingPolicy", "fair", "default, as fifo (f:7) is for leaf queues"),
        ("root.a.y", "schedulingPolicy", "fair", "default"),
        ("root.a.y", "minSharePreemptionTimeout", "30s", "from root.a (f:4)"),
        ("root.a", "minSharePreemptionTimeout", "30s", "f:4"),
        ("root.b", "minSharePreemptionTimeout", "never", "default"),
        ("root.b.x", "fairSharePreemptionTimeout", "1m", "from defaultFairSharePreemptionTimeout (f:12)"),
        ("root.a.y", "fairSharePreemptionThreshold", "0.25", "from root.a (f:5)"),
        ("root", "aclSubmitApps", "everybody", "default"),
        ("root.a.y", "aclSubmitApps", "everybody", "from root (default)"),
    ],
)
def test_what_counts_and_where_it_came_from(path: str, name: str, text: str, origin: str) -> None:
    assert value(path, name) == (text, origin)


def test_access_adds_up_on_the_way_to_a_closed_root() -> None:
    assert value("root.a.y", "aclSubmitApps", CLOSED) == ("bob; alice, group dev", "f:9, from root.a (f:8)")
    assert value("root.b", "aclSubmitApps", CLOSED) == ("nobody", "default")
    assert value("root", "aclSubmitApps", CLOSED) == ("nobody", "f:2")


def test_queues_that_are_not_made_are_counted() -> None:
    root = '<queue name="root"><schedulingPolicy>fifo</schedulingPolicy><queue name="a"/></queue>'
    file = f"<allocations>{root}</allocations>"
    shown = list_allocation(read_fair_scheduler(file, era="3.4"), {}, "f")
    assert shown.not_made == ("root.a",)
    assert view().not_made == ()


def test_limits_of_all_and_of_single_users() -> None:
    shown = view()

    assert [(value.name, value.text, value.origin) for value in shown.defaults] == [
        ("userMaxAppsDefault", "no limit", "default"),
        ("queueMaxAppsDefault", "9", "f:11"),
        ("queueMaxAMShareDefault", "0.5", "default"),
        ("defaultQueueSchedulingPolicy", "fair", "default"),
    ]
    assert [(value.name, value.text, value.origin) for value in shown.users] == [("carol", "3", "f:13")]


def test_placement_rules_in_words() -> None:
    own = FILE.replace(
        "</allocations>", '<queuePlacementPolicy><rule name="reject"/></queuePlacementPolicy></allocations>'
    )

    assert (view().rules, view().rules_origin) == (("specified", "user"), "from the settings")
    assert (view(own).rules, view(own).rules_origin) == (("reject",), "f:14")
