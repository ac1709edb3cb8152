"""What yarn-site.xml says to the fair scheduler of 3.x."""

import pytest

from engine.errors import ConfigError, RefusedError
from engine.model.decision import Allocated
from engine.model.request import Resource
from engine.schedulers.fair34.settings import fair_settings_34
from engine.settings.site import MAXIMUM_MB
from tests.build import submit
from tests.engine.schedulers.fair34.build import ask_at, beat, cluster, scheduler, tick

FAIR = "yarn.scheduler.fair."
INCREMENT = "yarn.resource-types.memory-mb.increment-allocation"


def test_the_defaults_are_those_of_the_code() -> None:
    """Four vcores at most, unlike 2.7; the limited reservation rule; a node is held from two increments on."""
    settings = fair_settings_34({})
    assert settings.maximum == Resource(8192, 4)
    assert (settings.reservation_rule, round(settings.reservable_nodes, 6)) == ("limited", 0.05)
    assert settings.reservation_threshold == Resource(2048, 2)
    assert settings.dynamic_max_assign
    assert settings.am_preemption
    assert settings.next_check_ms == 25_000
    assert settings.kill_interval_ms == 500


def test_after_a_pick_continuous_scheduling_waits_ten_sleeps_more() -> None:
    values = {
        FAIR + "continuous-scheduling-enabled": "true",
        FAIR + "continuous-scheduling-sleep-ms": "7",
        FAIR + "waitTimeBeforeKill": "1300",
        FAIR + "waitTimeBeforeNextStarvationCheck": "200",
    }
    settings = fair_settings_34(values)
    assert settings.next_check_ms == 1300 + 70 + 200
    assert settings.kill_interval_ms == 100


@pytest.mark.parametrize(
    ("text", "memory_mb"), [("512", 512), ("2Gi", 2048), ("1048576 Ki", 1024), ("1073741824k", 1024000)]
)
def test_the_increment_may_have_a_unit(text: str, memory_mb: int) -> None:
    settings = fair_settings_34({INCREMENT: text, "yarn.scheduler.increment-allocation-mb": "7"})
    assert settings.increment.memory_mb == memory_mb


@pytest.mark.parametrize("text", ["much", "5 apples", "0", "-1"])
def test_an_increment_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        fair_settings_34({INCREMENT: text})


def test_masters_of_one_queue_may_be_spared() -> None:
    settings = fair_settings_34({FAIR + "am.preemption": "false", FAIR + "am.preemption.root.a": "true"})
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
