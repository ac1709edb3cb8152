"""fair-scheduler.xml as Hadoop 3.4.1 reads it: what is kept, and what is said about it."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError
from engine.formats.fair_files import LoadedAllocation, read_fair_scheduler
from engine.formats.fair_listing import list_allocation
from engine.formats.fair_placement import REFUSED, LoadedPools, read_pools
from tests.engine.formats.test_fair_lint import warnings

EVERYTHING = """<allocations>
<queueMaxResourcesDefault>50%</queueMaxResourcesDefault>
<userMaxAppsDefault>5</userMaxAppsDefault>
<queueMaxAppsDefault>50</queueMaxAppsDefault>
<queueMaxAMShareDefault>0.25</queueMaxAMShareDefault>
<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
<defaultMinSharePreemptionTimeout>30</defaultMinSharePreemptionTimeout>
<fairSharePreemptionTimeout>60</fairSharePreemptionTimeout>
<defaultFairSharePreemptionThreshold>0.75</defaultFairSharePreemptionThreshold>
<user name="alice"><maxRunningApps>9</maxRunningApps></user>
<queue name=" a ">
<minResources>memory-mb=1024</minResources>
<maxResources>40% memory, 60% cpu</maxResources>
<maxChildResources>vcores=4</maxChildResources>
<maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation>
<allowPreemptionFrom>false</allowPreemptionFrom>
<aclListReservations>*</aclListReservations>
<queue name="b"><maxAMShare>0.1</maxAMShare></queue>
</queue>
<queue name="r"><reservation/></queue>
<queue name="p" type="parent"><allowPreemptionFrom>true</allowPreemptionFrom></queue>
<queuePlacementPolicy>
<rule name="user"><rule name="primaryGroup" create="false"/></rule>
<rule name="default" queue="a.b"/>
</queuePlacementPolicy>
</allocations>"""


def load(body: str, file: str = "f") -> LoadedAllocation:
    return read_fair_scheduler(f"<allocations>\n{body}\n</allocations>", file=file, era="3.4")


def everything() -> Any:
    return read_fair_scheduler(EVERYTHING, era="3.4").allocation


def test_defaults_are_read() -> None:
    allocation = everything()

    assert (allocation.user_max_apps("bob"), allocation.user_max_apps("alice")) == (5, 9)
    assert (allocation.queue_max_apps("root.a"), allocation.max_am_share("root.x")) == (50, 0.25)
    assert (allocation.policy("root.a"), allocation.max_am_share("root.a.b")) == ("drf", 0.10000000149011612)
    assert (allocation.min_share_timeout_ms("root"), allocation.fair_share_timeout_ms("root")) == (30_000, 60_000)
    assert allocation.fair_share_threshold("root") == 0.75


def test_kinds_of_queues() -> None:
    allocation = everything()

    assert allocation.configured_leaves == ("root.a.b",)
    assert sorted(allocation.configured_parents) == ["root.a", "root.p", "root.r"]
    assert allocation.not_preemptable == {"root.a"}


def test_a_file_without_mistakes_has_no_warnings_but_of_the_old_name() -> None:
    assert [warning.key for warning in read_fair_scheduler(EVERYTHING, era="3.4").warnings] == [
        "fairSharePreemptionTimeout"
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<foo/>", "f:2: foo: unknown element <foo>: Hadoop ignores it"),
        ('<queue name="a"><maxChildResource/></queue>', "(did you mean maxChildResources?)"),
        ('<queue name="a"><minResources>5%</minResources></queue>', "a percentage counts as none here"),
        ('<queue name="a"><maxContainerAllocation>5%</maxContainerAllocation></queue>', "counts as no limit here"),
        ('<queue name="a"><allowPreemptionFrom>no</allowPreemptionFrom></queue>', "'no' counts as false"),
        ('<queue name="Root"/>', "Root.queue: becomes root.Root, without the values"),
        (
            '<queue name="a"><minResources>vcores=2</minResources><maxResources>vcores=1</maxResources></queue>',
            "root.a.minResources: 0 MB, 2 vcores is more than the maximum of",
        ),
        ("<user><maxRunningApps>1</maxRunningApps><x/></user>", "user: the user has no name"),
        ("<user name='u'><x/></user>", "user u.x: unknown element <x>"),
        ("<queuePlacementPolicy><specified/></queuePlacementPolicy>", '(<rule name="specified"/> is meant)'),
        ("<queuePlacementPolicy><x/></queuePlacementPolicy>", "a policy without rules changes nothing"),
        ("<queuePlacementPolicy><rule name='reject' create='no'/></queuePlacementPolicy>", 'create="no" counts as'),
        ("<queuePlacementPolicy><rule name='default' qeue='x'/></queuePlacementPolicy>", "qeue of rule default has no"),
        (
            "<queuePlacementPolicy><rule name='user'><rule name='user'/><rule name='default'/></rule>"
            "</queuePlacementPolicy>",
            "queuePlacementPolicy.user: <rule> inside this rule has no effect",
        ),
    ],
)
def test_what_is_said_of_accepted_files(body: str, said: str) -> None:
    warnings = [str(warning) for warning in load(body).warnings]

    assert any(said in warning for warning in warnings), warnings


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('<queue name=" "/>', "root.: the queue has no name"),
        (
            '<queue name="a"><maxAMShare>1</maxAMShare><queue name="b"/></queue>',
            "root.a.maxAMShare: a queue with child",
        ),
        ('<queue name="a" type="parent"><reservation/></queue>', "root.a.reservation: a queue with child queues or"),
        ("<defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy>", "fifo cannot be the default"),
        ("<queueMaxResourcesDefault>5</queueMaxResourcesDefault>", "queueMaxResourcesDefault: '5' is not of the form"),
        ('<queue name="a"><maxResources>50% memory, 6% vcore</maxResources></queue>', "is not of the form '50%"),
        ("<queuePlacementPolicy/>", "the queue placement policy is empty"),
        ("<queuePlacementPolicy><rule/></queuePlacementPolicy>", "a rule has no name"),
        ("<queuePlacementPolicy><rule name='usr'/></queuePlacementPolicy>", "no rule 'usr' (did you mean user?)"),
        ("<queuePlacementPolicy><rule name='nestedUserQueue'/></queuePlacementPolicy>", "needs a rule inside"),
        ("<queuePlacementPolicy><rule name='specified'/></queuePlacementPolicy>", "get past the last rule"),
        ("<queuePlacementPolicy><rule name='reject'/><rule name='user'/></queuePlacementPolicy>", "rule 1 (reject)"),
        (
            "<queuePlacementPolicy><rule name='user'><rule name='reject'/></rule></queuePlacementPolicy>",
            "reject cannot be the parent rule",
        ),
        (
            "<queuePlacementPolicy><rule name='user'><rule name='x'/></rule></queuePlacementPolicy>",
            "there is no rule 'x'",
        ),
        (
            "<queuePlacementPolicy><rule name='default'><rule name='user'/></rule></queuePlacementPolicy>",
            "default may have no parent rule",
        ),
        (
            "<queuePlacementPolicy><rule name='nestedUserQueue'><rule name='user'/></rule></queuePlacementPolicy>",
            "nestedUserQueue and its parent rule user are of the same kind",
        ),
        ("<user name='u'><maxRunningApps>x</maxRunningApps></user>", "user u.maxRunningApps: 'x' is not a whole"),
        ("<queueMaxAppsDefault/>", "queueMaxAppsDefault: has no value"),
        ('<queue name="a"><allowPreemptionFrom/></queue>', "root.a.allowPreemptionFrom: has no value"),
    ],
)
def test_what_is_refused(body: str, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(body)

    assert any(why in str(problem) for problem in caught.value.problems), caught.value.problems


@pytest.mark.parametrize(
    ("path", "text", "origin"),
    [
        ("root", "true", "default"),
        ("root.a", "false", "f:2"),
        ("root.a.x", "false", "from root.a (f:2)"),
        ("root.a.y", "false", "from root.a (f:2)"),
        ("root.a.y.z", "false", "f:4"),
        ("root.b", "true", "f:6"),
        ("root.b.w", "true", "default"),
    ],
)
def test_whether_containers_may_be_taken_is_inherited(path: str, text: str, origin: str) -> None:
    own = "<allowPreemptionFrom>{}</allowPreemptionFrom>".format
    file = (
        f'<allocations>\n<queue name="a">{own("false")}<queue name="x"/>\n'
        f'<queue name="y">{own("true")}<queue name="z">\n{own("false")}</queue></queue></queue>\n'
        f'<queue name="b">\n{own("true")}<queue name="w"/></queue></allocations>'
    )

    view = list_allocation(read_fair_scheduler(file, era="3.4"), {}, "f")

    shown = {
        queue.path: value for queue in view.queues for value in queue.values if value.name == "allowPreemptionFrom"
    }
    assert (shown[path].text, shown[path].origin) == (text, origin)


# What is said of the values of a fair-scheduler.xml: the words, the line and the way out, of both releases.

EVERYBODY = "is open to everyone, and its child queues inherit that"
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
            f"root.a.b.aclAdministerApps: keeps no user out: root {EVERYBODY} (give root an aclAdministerApps; one"
            " blank is no user)",
            f"root.a.aclSubmitApps: keeps no user out: root {EVERYBODY} (give root an aclSubmitApps and an"
            " aclAdministerApps; one blank is no user)",
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
            f"root.a.b.aclSubmitApps: keeps no user out: root.a {EVERYBODY} (give root.a an aclSubmitApps; one blank is"
            " no user)"
        ],
    ),
    (
        user("an", 1) + user("zed", 0) + user("ann", 1) + user("a", 1) + queue("root", acl("Administer", "ann")),
        [
            "user an.maxRunningApps: an appears in no ACL: the limit may apply to no user (did you mean ann?)",
            "user zed.maxRunningApps: 0: no application of zed is ever started",
        ],
    ),
    (
        user("an", 1) + user("zed", 1) + queue("root", acl("Submit", "ann") + queue("zed", "")),
        ["user an.maxRunningApps: an appears in no ACL: the limit may apply to no user (did you mean ann?)"],
    ),
    (
        user("zed", 1) + queue("root", acl("Submit", "ann")),
        ["user zed.maxRunningApps: zed appears in no ACL: the limit may apply to no user"],
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
        ["root.a.minResources: the minimums of its queues are 11 MB, 2 vcores, more than its own 10 MB, 2 vcores"],
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
    ("3.4", queue("a", "<maxContainerAllocation>memory-mb=5,vcores=0</maxContainerAllocation>"), []),
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


# Elements of the allocation file of MapReduce 1, one by one.


def loaded(inside: str) -> LoadedPools:
    return read_pools(f"<allocations>{inside}</allocations>", "f.xml")


def test_a_value_that_is_none_is_refused_with_its_place() -> None:
    inside = "<pool name='a'><weight>x</weight></pool>\n<user name='b'><maxRunningJobs>y</maxRunningJobs></user>\n"
    with pytest.raises(ConfigError) as refused:
        loaded(f"{inside}<poolMaxJobsDefault/>")

    assert [(one.file, one.line, one.key) for one in refused.value.problems] == [
        ("f.xml", 1, "weight"),
        ("f.xml", 2, "maxRunningJobs"),
        ("f.xml", 3, "poolMaxJobsDefault"),
    ]
    assert refused.value.kind == REFUSED


# fair-scheduler.xml texts that the classes of Hadoop 2.7.2 and 3.4.1 were asked about.

GOLDEN = Path(__file__).parents[2] / "cases" / "recorded"
RELEASES = {"2.7": "2.7.2", "3.4": "3.4.1"}


def recorded(era: str) -> list[dict[str, Any]]:
    text = (GOLDEN / f"fair-scheduler-files-{RELEASES[era]}.jsonl").read_text(encoding="utf-8")
    return [{"era": era, **json.loads(line)} for line in text.splitlines()]


def named(case: dict[str, Any]) -> str:
    return f"{case['era']}-{case['case']}"


CASES = [*recorded("2.7"), *recorded("3.4")]


@pytest.mark.parametrize("case", [case for case in CASES if case["refused"]], ids=named)
def test_refuses_what_hadoop_refuses(case: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        read_fair_scheduler(case["text"], file="f.xml", settings=case.get("settings", {}), era=case["era"])

    assert caught.value.kind == case["refused"]
    assert all(problem.file == "f.xml" and problem.line for problem in caught.value.problems)


@pytest.mark.parametrize("case", [case for case in CASES if not case["refused"]], ids=named)
def test_accepts_what_hadoop_accepts_and_makes_its_queues(case: dict[str, Any]) -> None:
    settings, era = case.get("settings", {}), case["era"]
    loaded = read_fair_scheduler(case["text"], settings=settings, era=era)
    manager = ResourceManager(
        settings, loaded.allocation, scheduler=f"fair-{era}", groups={}, cluster_timestamp=1, now_ms=0
    )
    manager.handle(NodeJoined("n1:1", "/r1", 102400, 64), 0)
    policy: Any = manager.scheduler.policy

    queues = policy.tree.queues

    assert {path: [queue.steady_memory_mb, queue.steady_vcores] for path, queue in queues.items()} == case["queues"]
