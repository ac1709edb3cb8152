"""fair-scheduler.xml as Hadoop 3.4.1 reads it: what is kept, and what is said about it."""

import pytest

from engine.errors import ConfigError
from engine.formats.fair_files import LoadedAllocation, read_fair_scheduler
from engine.formats.fair_listing import list_allocation
from engine.model.request import Resource
from engine.schedulers.fair34.placement import Rule34
from engine.schedulers.fair34.resources import UNBOUNDED_34, UNLIMITED, Amount34
from engine.schedulers.fair34.settings import FairAllocation34

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


def everything() -> FairAllocation34:
    allocation = read_fair_scheduler(EVERYTHING, era="3.4").allocation
    assert isinstance(allocation, FairAllocation34)
    return allocation


def test_amounts_may_be_parts_or_names() -> None:
    """Parts stay parts; what a named amount leaves out is nothing for a minimum and unlimited for a maximum."""
    allocation = everything()

    assert allocation.min_share("root.a") == Resource(1024, 0)
    assert allocation.maximum_of("root.a") == Amount34(None, (0.4, 0.6))
    assert allocation.maximum_of("root.a.b") == Amount34(None, (0.5, 0.5))
    assert allocation.child_maximums == {"root.a": Amount34(Resource(UNBOUNDED_34.memory_mb, 4))}
    assert allocation.container_maximum("root.a") == Resource(2048, 2)


def test_defaults_are_read() -> None:
    allocation = everything()

    assert (allocation.user_max_apps("bob"), allocation.user_max_apps("alice")) == (5, 9)
    assert (allocation.queue_max_apps("root.a"), allocation.max_am_share("root.x")) == (50, 0.25)
    assert (allocation.policy("root.a"), allocation.max_am_share("root.a.b")) == ("drf", 0.10000000149011612)
    assert (allocation.min_share_timeout_ms("root"), allocation.fair_share_timeout_ms("root")) == (30_000, 60_000)
    assert allocation.fair_share_threshold("root") == 0.75


def test_kinds_of_queues() -> None:
    """A reservable queue and a typed one are parents; preemption is allowed unless it is forbidden."""
    allocation = everything()

    assert allocation.configured_leaves == ("root.a.b",)
    assert sorted(allocation.configured_parents) == ["root.a", "root.p", "root.r"]
    assert allocation.not_preemptable == {"root.a"}
    assert allocation.reservable == {"root.r"}


def test_rules_may_have_parent_rules() -> None:
    assert everything().placement_34.rules == (
        Rule34("user", parent=Rule34("primaryGroup", create=False)),
        Rule34("default", queue="root.a.b"),
    )


def test_without_a_policy_the_settings_place() -> None:
    settings = {"yarn.scheduler.fair.user-as-default-queue": "false"}
    for body in ("", "<queuePlacementPolicy> </queuePlacementPolicy>"):
        text = f"<allocations>{body}</allocations>"
        allocation = read_fair_scheduler(text, settings=settings, era="3.4").allocation
        assert isinstance(allocation, FairAllocation34)
        assert [rule.name for rule in allocation.placement_34.rules] == ["specified", "default"]
        assert allocation.maximum_default == UNLIMITED


def test_defaults_that_do_not_count_are_not_read() -> None:
    body = """<queue name="root">
    <minSharePreemptionTimeout>1</minSharePreemptionTimeout>
    <fairSharePreemptionTimeout>2</fairSharePreemptionTimeout>
    <fairSharePreemptionThreshold>0.5</fairSharePreemptionThreshold>
    </queue>
    <defaultMinSharePreemptionTimeout>x</defaultMinSharePreemptionTimeout>
    <defaultFairSharePreemptionTimeout>x</defaultFairSharePreemptionTimeout>
    <defaultFairSharePreemptionThreshold>x</defaultFairSharePreemptionThreshold>"""

    allocation = load(body).allocation

    assert (allocation.min_share_timeout_ms("root"), allocation.fair_share_timeout_ms("root")) == (1000, 2000)


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
        (
            '<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue>',
            "root.a.queue: is never made: its policy drf",
        ),
        ('<queue name="Root"/>', "Root.queue: becomes root.Root, without the values"),
        ('<queue name="a"><weight>0</weight></queue>', "weight 0: the queue gets no fair share"),
        ('<queue name="root"><weight>2</weight></queue>', "a weight of root has no effect"),
        (
            '<queue name="a"><minResources>vcores=2</minResources><maxResources>vcores=1</maxResources></queue>',
            "root.a.minResources: 0 MB, 2 vcores is more than the maximum of",
        ),
        (
            '<queue name="a"><maxResources>memory-mb=1</maxResources></queue>',
            "root.a.maxResources: names no vcores: Hadoop",
        ),
        (
            '<queue name="a"><maxContainerAllocation>memory-mb=1</maxContainerAllocation></queue>',
            "root.a.maxContainerAllocation: names no vcores: Hadoop takes -1",
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


def test_a_minimum_lifts_a_maximum_without_vcores() -> None:
    warnings = load(
        '<queue name="a"><minResources>vcores=2</minResources><maxResources>memory-mb=1</maxResources></queue>'
    ).warnings

    assert [warning.key for warning in warnings] == ["root.a.minResources"]


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
        ("<queuePlacementPolicy/>", "the queue placement policy is empty"),
        ("<queuePlacementPolicy><rule/></queuePlacementPolicy>", "a rule has no name"),
        ("<queuePlacementPolicy><rule name='usr'/></queuePlacementPolicy>", "no rule 'usr' (did you mean user?)"),
        ("<queuePlacementPolicy><rule name='nestedUserQueue'/></queuePlacementPolicy>", "needs a rule inside"),
        ("<queuePlacementPolicy><rule name='specified'/></queuePlacementPolicy>", "get past the last rule"),
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


def test_a_document_type_is_refused() -> None:
    with pytest.raises(ConfigError, match="f:1: has a document type; Hadoop 3 refuses it"):
        read_fair_scheduler("<!DOCTYPE allocations><allocations/>", file="f", era="3.4")


def test_the_view_shows_what_came_later() -> None:
    view = list_allocation(read_fair_scheduler(EVERYTHING, era="3.4"), {}, "f")

    values = {queue.path: {value.name: (value.text, value.origin) for value in queue.values} for queue in view.queues}
    assert values["root.a"]["maxResources"] == ("40% memory, 60% cpu", "f:13")
    assert values["root.a"]["maxContainerAllocation"] == ("2048 mb, 2 vcores", "f:15")
    assert values["root.a"]["allowPreemptionFrom"] == ("false", "f:16")
    assert values["root.a"]["maxChildResources"] == ("any memory, 4 vcores", "f:14")
    assert values["root.a.b"]["maxResources"] == ("50%", "from queueMaxResourcesDefault (f:2)")
    assert values["root.p"]["allowPreemptionFrom"] == ("true", "f:21")
    assert view.rules == ("user below (primaryGroup, only into queues of the file)", "default: root.a.b")
    assert [value.text for value in view.defaults][-1] == "50%"


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
    """A queue below one that forbids preemption is safe too, even where it says true itself."""
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
