"""The queues of 3.x: dynamic ones, nesting of policies, maximums in every spelling, reload."""

import pytest

from engine.control_plane.protocol import (
    AllocationsReloaded,
    ApplicationFinished,
    ApplicationSubmitted,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError, RefusedError
from engine.formats.fair_files import read_fair_scheduler
from engine.model.decision import Allocated
from engine.model.request import Resource
from engine.settings.site import MAXIMUM_MB
from tests.build import START_MS, submit
from tests.engine.schedulers.fair34.build import ask_at, beat, cluster, queue, scheduler, tick


def _paths(rm: ResourceManager) -> set[str]:
    return set(scheduler(rm).tree.queues)


def _reload(rm: ResourceManager, queues: str) -> str:
    loaded = read_fair_scheduler(f"<allocations>{queues}</allocations>", era="3.4").allocation
    return rm.handle(AllocationsReloaded(loaded), START_MS).rejected


def test_an_empty_queue_that_is_not_in_the_file_goes() -> None:
    rm = cluster()
    number = submit(rm, "x.y.z")
    rm.run_pass("clean_queues", START_MS)
    assert {"root.x", "root.x.y", "root.x.y.z"} < _paths(rm)
    rm.handle(ApplicationFinished(number, "FINISHED"), START_MS)
    rm.run_pass("clean_queues", START_MS)
    assert _paths(rm) == {"root", "root.a", "root.b"}


def test_without_a_file_nobody_looks_for_empty_queues() -> None:
    assert "clean_queues" not in [each.name for each in cluster("").passes()]
    assert "clean_queues" in [each.name for each in cluster().passes()]


def test_a_queue_that_left_the_file_becomes_dynamic() -> None:
    rm = cluster()
    assert _reload(rm, '<queue name="b"/>') == ""
    assert "root.a" in _paths(rm)
    rm.run_pass("clean_queues", START_MS)
    assert _paths(rm) == {"root", "root.b"}


def test_a_queue_of_the_other_kind_waits_until_there_is_room() -> None:
    rm = cluster()
    number = submit(rm, "a")
    _reload(rm, '<queue name="a"><queue name="c"/></queue>')
    assert queue(rm, "root.a").is_leaf
    rm.handle(ApplicationFinished(number, "FINISHED"), START_MS)
    rm.run_pass("clean_queues", START_MS)
    assert not queue(rm, "root.a").is_leaf
    assert {"root.a.c"} <= _paths(rm)


def test_a_queue_below_one_that_was_removed_breaks_a_reload() -> None:
    rm = cluster('<queue name="a"><queue name="c"/></queue>')
    assert _reload(rm, '<queue name="a"/>') == "NullPointerException"
    assert queue(rm, "root.a").is_leaf


def test_an_application_of_such_a_queue_is_told_which_policies_are_in_the_way() -> None:
    rm = cluster('<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue><queue name="b" type="parent"/>')
    why = "schedulingPolicy drf of root.a is not allowed below fair of root; root needs drf"

    answers = [rm.handle(ApplicationSubmitted("ann", each), START_MS).detail for each in ("root.a", "root.b")]
    assert answers == [f"root.a is not a leaf queue: {why}", "root.b is not a leaf queue"]


def test_a_policy_that_breaks_the_rules_on_reload_is_left_out() -> None:
    rm = cluster()
    _reload(rm, '<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue><queue name="b"/>')
    assert queue(rm, "root.a").policy.name == "fair"
    _reload(rm, '<queue name="a"><schedulingPolicy>fifo</schedulingPolicy></queue><queue name="b"/>')
    assert queue(rm, "root.a").policy.name == "fifo"


@pytest.mark.parametrize(
    ("text", "most"), [("5000 mb, 5 vcores", (5000, 5)), ("50%", (12288, 12)), ("memory-mb=25%,vcores=50%", (6144, 12))]
)
def test_a_maximum_is_fixed_or_follows_the_cluster(text: str, most: tuple[int, int]) -> None:
    rm = cluster(f'<queue name="a"><maxResources>{text}</maxResources></queue>')
    assert (queue(rm, "root.a").max_memory_mb, queue(rm, "root.a").max_vcores) == most


def test_a_maximum_is_never_below_the_minimum() -> None:
    rm = cluster(
        '<queue name="a"><minResources>3000 mb, 1 vcores</minResources>'
        "<maxResources>2000 mb, 2 vcores</maxResources></queue>"
    )
    assert (queue(rm, "root.a").max_memory_mb, queue(rm, "root.a").max_vcores) == (3000, 2)


def test_queues_that_are_not_in_the_file_get_the_maximum_for_children() -> None:
    text = '<queue name="p" type="parent"><maxChildResources>{} mb, 9 vcores</maxChildResources></queue>'
    rm = cluster(text.format(2048))
    submit(rm, "p.adhoc")
    assert queue(rm, "root.p.adhoc").max_memory_mb == 2048
    _reload(rm, text.format(1024))
    assert queue(rm, "root.p.adhoc").max_memory_mb == 1024


def test_the_largest_container_is_that_of_the_nearest_queue_that_says_so() -> None:
    rm = cluster(
        '<queue name="p"><maxContainerAllocation>4096 mb, 2 vcores</maxContainerAllocation><queue name="c"/></queue>'
    )
    queues = scheduler(rm).queues
    assert queues.container_maximum("root.p.c").memory_mb == 4096
    assert queues.container_maximum("root.nowhere").memory_mb > 2**60


def test_nothing_is_preempted_from_a_queue_below_one_that_forbids_it() -> None:
    rm = cluster(
        '<queue name="p"><allowPreemptionFrom>false</allowPreemptionFrom>'
        '<queue name="c"><allowPreemptionFrom>true</allowPreemptionFrom></queue></queue><queue name="q"/>'
    )
    assert not scheduler(rm).queues.limits["root.p.c"].is_preemptable
    assert scheduler(rm).queues.limits["root.q"].is_preemptable


def test_an_operator_may_set_a_maximum_in_any_spelling() -> None:
    rm = cluster()
    assert not rm.handle(SettingsChanged({"queue.root.a.maxResources": "25%"}), START_MS).rejected
    assert queue(rm, "root.a").max_memory_mb == 6144
    assert not rm.handle(SettingsChanged({"queue.root.a.weight": "3"}), START_MS).rejected
    assert queue(rm, "root.a").weight == 3.0
    refused = rm.handle(SettingsChanged({"queue.root.a.maxResources": "much"}), START_MS)
    assert refused.rejected == "IllegalArgumentException"
    assert not rm.handle(SettingsChanged({"preemption": "true"}), START_MS).rejected
    assert scheduler(rm).settings.preemption


# What yarn-site.xml says to the fair scheduler of 3.x.

FAIR = "yarn.scheduler.fair."
INCREMENT = "yarn.resource-types.memory-mb.increment-allocation"


def test_after_a_pick_continuous_scheduling_waits_ten_sleeps_more() -> None:
    values = {
        FAIR + "continuous-scheduling-enabled": "true",
        FAIR + "continuous-scheduling-sleep-ms": "7",
        FAIR + "waitTimeBeforeKill": "1300",
        FAIR + "waitTimeBeforeNextStarvationCheck": "200",
    }
    settings = scheduler(cluster(settings=values)).settings
    assert settings.next_check_ms == 1300 + 70 + 200
    assert settings.kill_interval_ms == 100


@pytest.mark.parametrize(
    ("text", "memory_mb"), [("512", 512), ("2Gi", 2048), ("1048576 Ki", 1024), ("1073741824k", 1024000)]
)
def test_the_increment_may_have_a_unit(text: str, memory_mb: int) -> None:
    values = {INCREMENT: text, "yarn.scheduler.increment-allocation-mb": "7"}
    assert scheduler(cluster(settings=values)).settings.increment.memory_mb == memory_mb


@pytest.mark.parametrize("text", ["much", "5 apples", "0", "-1"])
def test_an_increment_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        cluster(settings={INCREMENT: text})


def test_masters_of_one_queue_may_be_spared() -> None:
    values = {FAIR + "am.preemption": "false", FAIR + "am.preemption.root.a": "true"}
    settings = scheduler(cluster(settings=values)).settings
    assert settings.preempts_masters_of("root.a")
    assert not settings.preempts_masters_of("root.b")


def test_a_smaller_maximum_holds_for_later_asks() -> None:
    """Of 3072 MB one waits already, which is served; a second one is refused."""
    rm = cluster(nodes=1)
    number = submit(rm, "root.a")
    _ = ask_at(rm, number, ("*", 1), memory_mb=3072)
    scheduler(rm).change_settings({MAXIMUM_MB.name: "2048"})
    tick(rm)

    assert [each.memory_mb for each in beat(rm) if isinstance(each, Allocated)] == [3072]
    assert ask_at(rm, number, ("*", 2), memory_mb=3072).rejected == "InvalidResourceRequestException"


def test_a_maximum_that_is_no_number_changes_nothing() -> None:
    rm = cluster()
    with pytest.raises(RefusedError):
        scheduler(rm).change_settings({MAXIMUM_MB.name: "much"})

    assert scheduler(rm).maximum.configured == Resource(8192, 4)
