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


@pytest.mark.parametrize(("era", "effect"), [("2.7", "runs one container at a time"), ("3.4", "runs no container")])
def test_a_maximum_without_vcores_is_said(era: str, effect: str) -> None:
    expected = f"f:2: root.a.maxResources: 1024 MB, 0 vcores: the queue {effect}"
    assert warnings(queue("<maxResources>1024 mb, 0 vcores</maxResources>"), era) == [expected]
    assert warnings(queue("<maxResources>1024 mb, 1 vcores</maxResources>"), era) == []


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
    assert any("appears in no ACL" in each for each in warnings(body)) is warns
