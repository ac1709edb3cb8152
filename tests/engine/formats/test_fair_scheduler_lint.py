"""Values of a fair-scheduler.xml that are read and then hardly do what is wanted."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.formats.configuration_files import read_files
from engine.formats.fair_files import read_fair_scheduler

PREEMPTION = "yarn.scheduler.fair.preemption"


def warnings(body: str, era: str = "2.7", settings: Mapping[str, str] | None = None) -> list[str]:
    """What is said of a body, which begins on line 2."""
    loaded = read_fair_scheduler(f"<allocations>\n{body}\n</allocations>", file="f", era=era, settings=settings)
    return [str(each) for each in loaded.warnings]


def queue(fields: str) -> str:
    return f'<queue name="a">{fields}</queue>'


@pytest.mark.parametrize("era", ["2.7", "3.4"])
def test_a_list_below_an_open_root_is_said(era: str) -> None:
    expected = (
        "f:2: root.a.aclSubmitApps: keeps nobody out: root is open to everybody, and so is every queue below "
        "(give root an aclSubmitApps and an aclAdministerApps; one blank is nobody)"
    )
    assert warnings(queue("<aclSubmitApps>bob</aclSubmitApps>"), era) == [expected]


def test_a_list_below_a_closed_root_is_not_said() -> None:
    below = queue("<aclSubmitApps>bob</aclSubmitApps>")
    closed = "<aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>"
    assert warnings(f'<queue name="root">{closed}{below}</queue>') == []
    assert len(warnings(f'<queue name="root"><aclSubmitApps> </aclSubmitApps>{below}</queue>')) == 1
    assert warnings(queue("<aclSubmitApps>*</aclSubmitApps>")) == []


@pytest.mark.parametrize(("era", "effect"), [("2.7", "runs one container at a time"), ("3.4", "runs no container")])
def test_a_maximum_without_vcores_is_said(era: str, effect: str) -> None:
    expected = f"f:2: root.a.maxResources: 1024 MB, 0 vcores: the queue {effect}"
    assert warnings(queue("<maxResources>1024 mb, 0 vcores</maxResources>"), era) == [expected]
    assert warnings(queue("<maxResources>1024 mb, 1 vcores</maxResources>"), era) == []


@pytest.mark.parametrize(("count", "warned"), [("0", True), ("1", False)])
def test_a_queue_for_no_applications_is_said(count: str, warned: bool) -> None:
    expected = ["f:2: root.a.maxRunningApps: 0: no application of the queue is ever started"]
    assert warnings(queue(f"<maxRunningApps>{count}</maxRunningApps>")) == (expected if warned else [])


@pytest.mark.parametrize(("count", "warned"), [("0", True), ("1", False)])
def test_limits_of_users_and_defaults_for_no_applications_are_said(count: str, warned: bool) -> None:
    user = f'<user name="bob"><maxRunningApps>{count}</maxRunningApps></user>'
    body = f"{user}\n<queueMaxAppsDefault>{count}</queueMaxAppsDefault>"
    expected = [
        "f:2: user bob.maxRunningApps: 0: no application of bob is ever started",
        "f:3: queueMaxAppsDefault: 0: where nothing else is stated no application is ever started",
    ]
    assert warnings(body) == (expected if warned else [])


@pytest.mark.parametrize(("share", "warned"), [("0", True), ("0.01", False), ("-1", False)])
def test_a_queue_without_room_for_masters_is_said(share: str, warned: bool) -> None:
    expected = [
        "f:2: root.a.maxAMShare: 0: no application master may start, so nothing runs (-1 is no limit)",
        "f:3: queueMaxAMShareDefault: 0: no application master may start, so nothing runs (-1 is no limit)",
    ]
    body = queue(f"<maxAMShare>{share}</maxAMShare>") + f"\n<queueMaxAMShareDefault>{share}</queueMaxAMShareDefault>"
    assert warnings(body) == (expected if warned else [])


@pytest.mark.parametrize(("memory_mb", "warned"), [(512, False), (513, True)])
def test_minimums_of_children_above_the_parents_are_said(memory_mb: int, warned: bool) -> None:
    children = "".join(
        f'<queue name="{name}"><minResources>{most} mb, 1 vcores</minResources></queue>'
        for name, most in (("x", 512), ("y", memory_mb))
    )
    expected = [
        "f:2: root.a.minResources: "
        "the minimums of its queues are 1025 MB, 2 vcores, more than its own 1024 MB, 2 vcores"
    ]
    found = warnings(queue(f"<minResources>1024 mb, 2 vcores</minResources>{children}"))
    assert found == (expected if warned else [])


def test_preemption_that_is_off_is_said_once() -> None:
    body = queue("<minSharePreemptionTimeout>5</minSharePreemptionTimeout>") + (
        "\n<defaultFairSharePreemptionTimeout>9</defaultFairSharePreemptionTimeout>"
    )
    expected = f"f:2: root.a.minSharePreemptionTimeout: has no effect: {PREEMPTION} is not true"
    assert warnings(body, settings={"yarn.acl.enable": "true"}) == [expected]
    assert warnings(body, settings={PREEMPTION: "true"}) == []
    assert warnings(body) == []


def test_a_fair_file_beside_another_scheduler_is_said(tmp_path: Path) -> None:
    site, fair = tmp_path / "site.xml", tmp_path / "fair.xml"
    key = "yarn.resourcemanager.scheduler.class"
    text = "<configuration>\n<property><name>{}</name><value>org.example.{}</value></property></configuration>"
    fair.write_text("<allocations/>")
    for name, messages in (
        ("CapacityScheduler", [f"CapacityScheduler is chosen; it does not read {fair}"]),
        ("FairScheduler", []),
    ):
        site.write_text(text.format(key, name))
        assert [each.message for each in read_files([site, fair]).warnings] == messages


def test_a_home_folder_in_a_path_is_said(tmp_path: Path) -> None:
    site = tmp_path / "site.xml"
    key = "yarn.scheduler.fair.allocation.file"
    site.write_text(f"<configuration><property><name>{key}</name><value>~/fair.xml</value></property></configuration>")
    found = [each.message for each in read_files([site]).warnings]
    assert found == ["Hadoop takes the ~ of ~/fair.xml as it stands: there is no such file"]


@pytest.mark.parametrize(("user", "warns"), [("alcie", True), ("zoe", False), ("team", False)])
def test_where_all_may_submit_only_a_name_nearly_alike_is_said(*, user: str, warns: bool) -> None:
    """Not a user whom no list needs to name, nor one with a queue of his name."""
    body = (
        '<queue name="a"><aclSubmitApps>alice,teams</aclSubmitApps></queue><queue name="team"/>\n'
        f'<user name="{user}"><maxRunningApps>3</maxRunningApps></user>'
    )
    assert any("no list of rights" in each for each in warnings(body)) is warns


@pytest.mark.parametrize(("user", "hint"), [("alcie", " (did you mean alice?)"), ("zoe", ""), ("alice", None)])
def test_a_limit_of_a_user_whom_no_list_names_is_said(user: str, hint: str | None) -> None:
    body = (
        '<queue name="root"><aclSubmitApps>alice</aclSubmitApps></queue>\n'
        f'<user name="{user}"><maxRunningApps>3</maxRunningApps></user>'
    )
    text = f"f:3: user {user}.maxRunningApps: no list of rights names {user}: the limit may count for nobody"
    assert warnings(body) == ([] if hint is None else [text + hint])


@pytest.mark.parametrize("people", ["*", "alice staff"])
def test_a_user_whom_a_list_may_mean_is_not_said(people: str) -> None:
    body = (
        f'<queue name="root"><aclSubmitApps>{people}</aclSubmitApps></queue>'
        '<user name="zoe"><maxRunningApps>3</maxRunningApps></user>'
    )
    assert warnings(body) == []
