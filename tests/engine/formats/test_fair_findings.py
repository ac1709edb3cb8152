"""What is said of the values of a fair-scheduler.xml: the words, the line and the way out, of both releases."""

import pytest

from tests.engine.formats.test_fair_scheduler_lint import PREEMPTION, warnings

EVERYBODY = "is open to everybody, and so is every queue below"
NEVER = "where nothing else is stated no application is ever started"
MASTERS = "0: no application master may start, so nothing runs (-1 is no limit)"


def queue(name: str, fields: str, kind: str = "") -> str:
    return f'<queue name="{name}"{kind}>{fields}</queue>'


def amount(name: str, memory_mb: int, vcores: int) -> str:
    return f"<{name}Resources>{memory_mb} mb, {vcores} vcores</{name}Resources>"


def user(name: str, most: int) -> str:
    return f'<user name="{name}"><maxRunningApps>{most}</maxRunningApps></user>'


def acl(name: str, text: str) -> str:
    return f"<acl{name}Apps>{text}</acl{name}Apps>"


BOTH = [
    (
        queue("a", amount("min", 10, 2) + amount("max", 9, 2)),
        ["root.a.minResources: 10 MB, 2 vcores is more than the maximum of 9 MB, 2 vcores"],
    ),
    (queue("a", amount("min", 9, 2) + amount("max", 9, 2)), []),
    (queue("a", amount("min", 9, 2)), []),
    (
        queue("a", amount("min", 1, 1) + amount("max", 0, 0)),
        ["root.a.minResources: 1 MB, 1 vcores is more than the maximum of 0 MB, 0 vcores"],
    ),
    (
        queue("a", acl("Submit", "x") + queue("b", acl("Administer", "x"))),
        [
            f"root.a.b.aclAdministerApps: keeps nobody out: root {EVERYBODY} (give root an aclAdministerApps; one blank"
            " is nobody)",
            f"root.a.aclSubmitApps: keeps nobody out: root {EVERYBODY} (give root an aclSubmitApps and an"
            " aclAdministerApps; one blank is nobody)",
        ],
    ),
    (
        queue(
            "root",
            acl("Submit", " ")
            + acl("Administer", "ann")
            + queue("a", acl("Submit", "*") + queue("b", acl("Submit", "bob"))),
        ),
        [
            f"root.a.b.aclSubmitApps: keeps nobody out: root.a {EVERYBODY} (give root.a an aclSubmitApps; one blank is"
            " nobody)"
        ],
    ),
    (
        user("an", 1) + user("zed", 0) + user("ann", 1) + user("a", 1) + queue("root", acl("Administer", "ann")),
        [
            "user an.maxRunningApps: no list of rights names an: the limit may count for nobody (did you mean ann?)",
            "user zed.maxRunningApps: 0: no application of zed is ever started",
        ],
    ),
    (
        user("an", 1) + user("zed", 1) + queue("root", acl("Submit", "ann") + queue("zed", "")),
        ["user an.maxRunningApps: no list of rights names an: the limit may count for nobody (did you mean ann?)"],
    ),
    (
        user("zed", 1) + queue("root", acl("Submit", "ann")),
        ["user zed.maxRunningApps: no list of rights names zed: the limit may count for nobody"],
    ),
    (user("zed", 1) + queue("root", acl("Submit", "ann staff")), []),
    (user("zed", 1), []),
    (
        "<queueMaxAppsDefault>0</queueMaxAppsDefault><userMaxAppsDefault>0</userMaxAppsDefault>"
        "<queueMaxAMShareDefault>0</queueMaxAMShareDefault>"
        + queue("a", "<maxRunningApps>0</maxRunningApps><maxAMShare>0</maxAMShare>"),
        [
            "root.a.maxRunningApps: 0: no application of the queue is ever started",
            f"queueMaxAppsDefault: 0: {NEVER}",
            f"userMaxAppsDefault: 0: {NEVER}",
            f"root.a.maxAMShare: {MASTERS}",
            f"queueMaxAMShareDefault: {MASTERS}",
        ],
    ),
    (
        "<queueMaxAppsDefault>1</queueMaxAppsDefault><userMaxAppsDefault>1</userMaxAppsDefault>"
        "<queueMaxAMShareDefault>-1</queueMaxAMShareDefault>" + queue("a", "<maxAMShare>0.1</maxAMShare>"),
        [],
    ),
    (
        queue("a", amount("min", 10, 2) + queue("b", amount("min", 10, 2)) + queue("c", amount("min", 1, 0))),
        [
            "root.a.minResources: the minimums of its queues are 11 MB, 2 vcores, more than its own 10 MB, 2 vcores",
        ],
    ),
    (queue("a", amount("min", 11, 2) + queue("b", amount("min", 10, 2)) + queue("c", amount("min", 1, 0))), []),
    (
        queue("root", "<weight>2</weight>" + queue("a", "<weight>0</weight>")),
        [
            "root.weight: a weight of root has no effect, as it has no siblings",
            "root.a.weight: weight 0: the queue gets no fair share",
        ],
    ),
]


@pytest.mark.parametrize("era", ["2.7", "3.4"])
@pytest.mark.parametrize(("body", "expected"), BOTH)
def test_a_value_without_effect_is_said(body: str, expected: list[str], era: str) -> None:
    assert sorted(warnings(body, era)) == sorted(f"f:2: {each}" for each in expected)


FIFO = "<schedulingPolicy>fifo</schedulingPolicy>"
OF_ERA = [
    (
        "2.7",
        "<defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy>" + queue("a", FIFO + queue("b", FIFO)),
        [
            "root.a.schedulingPolicy: fifo is for leaf queues; Hadoop keeps the policy the queue had",
            "defaultQueueSchedulingPolicy: fifo is for leaf queues; parent queues keep fair",
        ],
    ),
    (
        "2.7",
        queue("root", FIFO),
        ["root.schedulingPolicy: fifo is for leaf queues; Hadoop keeps the policy the queue had"],
    ),
    (
        "2.7",
        queue("a", "<maxAMShare>0.2</maxAMShare>", ' type="parent"') + queue("default", queue("x", "")),
        [
            "root.a.maxAMShare: has no effect on a parent queue; a queue's share is not inherited",
            "root.default.x.queue: is never made: root.default stays a leaf",
        ],
    ),
    (
        "3.4",
        queue(
            "a",
            "<maxResources>memory-mb=5</maxResources><maxChildResources>memory-mb=5</maxChildResources>"
            "<maxContainerAllocation>memory-mb=5</maxContainerAllocation>",
        ),
        [
            f"root.a.{name}: names no vcores: Hadoop takes -1 and refuses every request (vcores=N)"
            for name in ("maxResources", "maxChildResources", "maxContainerAllocation")
        ],
    ),
    (
        "3.4",
        queue("a", "<maxContainerAllocation>memory-mb=5,vcores=0</maxContainerAllocation>"),
        [],
    ),
    (
        "3.4",
        queue("a", queue("b", "<schedulingPolicy>drf</schedulingPolicy>")),
        [
            "root.a.b.queue: is never made: its policy drf may not stand there, or a queue above it is not made"
            " (drf may not stand below fair, and nothing below fifo)"
        ],
    ),
]


@pytest.mark.parametrize(("era", "body", "expected"), OF_ERA)
def test_a_value_that_one_release_cannot_use_is_said(era: str, body: str, expected: list[str]) -> None:
    assert warnings(body, era) == [f"f:2: {each}" for each in expected]


@pytest.mark.parametrize("era", ["2.7", "3.4"])
@pytest.mark.parametrize("name", ["fairSharePreemptionTimeout", "minSharePreemptionTimeout"])
def test_preemption_that_is_off_is_said_once(era: str, name: str) -> None:
    other = "<fairSharePreemptionThreshold>0.2</fairSharePreemptionThreshold>"
    body = f"{queue('b', '')}\n{queue('a', f'<{name}>1</{name}>')}\n{queue('c', other)}"
    expected = [f"f:3: root.a.{name}: has no effect: {PREEMPTION} is not true"]

    assert warnings(body, era, {PREEMPTION: "false"}) == expected
    assert warnings(body, era, {"yarn.x": "y"}) == expected
    assert warnings(body, era, {PREEMPTION: "true"}) == []
    assert warnings(body, era, {}) == []
    threshold = [f"f:2: root.c.fairSharePreemptionThreshold: has no effect: {PREEMPTION} is not true"]
    assert warnings(queue("c", other), era, {PREEMPTION: "false"}) == threshold
