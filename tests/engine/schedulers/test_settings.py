"""Hadoop settings as typed values."""

import pytest
from msgspec.structs import replace

from engine.errors import ConfigError
from engine.model.ledger import Node
from engine.model.request import Resource
from engine.schedulers.fair.settings import fair_settings
from engine.schedulers.settings import HadoopSettings, allocation_bounds, maximum_at_start
from engine.settings.fair import CONTINUOUS_SLEEP, FAIR_27, NODE_DELAY, PREEMPTION, UNDECLARED_POOLS, USER_QUEUE
from engine.settings.site import MAXIMUM_MB, MINIMUM_MB, SCHEDULING_WAIT, YARN_27, YARN_34
from engine.settings.table import SettingTable


def test_defaults_are_those_of_the_releases_code() -> None:
    settings = fair_settings({})

    assert (settings.minimum, settings.maximum, settings.increment) == ((1024, 1, ()), (8192, 32, ()), (1024, 1, ()))
    assert settings.ignores_locality
    assert settings.reservation_rule == "strict"


@pytest.mark.parametrize(("text", "value"), [("7", 7), (" 7 ", 7), ("0x10", 16), ("-3", -3), ("", None)])
def test_whole_numbers_are_read_as_hadoop_reads_them(text: str, value: int | None) -> None:
    settings = HadoopSettings({CONTINUOUS_SLEEP.name: text, NODE_DELAY.name: text}, FAIR_27)
    wanted = (5, -1) if value is None else (value, value)

    assert (settings.value(CONTINUOUS_SLEEP), settings.value(NODE_DELAY)) == wanted
    assert settings.problems == []


def test_every_unreadable_value_is_reported_at_once() -> None:
    with pytest.raises(ConfigError) as refused:
        fair_settings(
            {
                "yarn.scheduler.increment-allocation-mb": "lots",
                "yarn.scheduler.fair.preemption.cluster-utilization-threshold": "80 %",
                "yarn.scheduler.fair.max.assign": "99999999999",
                "schedlab.reservation.rule": "sometimes",
            }
        )

    assert {problem.key for problem in refused.value.problems} == {
        "yarn.scheduler.increment-allocation-mb",
        "yarn.scheduler.fair.preemption.cluster-utilization-threshold",
        "yarn.scheduler.fair.max.assign",
        "schedlab.reservation.rule",
    }


def test_a_minimum_above_the_maximum_is_a_problem() -> None:
    settings = HadoopSettings({MINIMUM_MB.name: "4096", MAXIMUM_MB.name: "2048"}, YARN_27)

    allocation_bounds(settings)

    assert [problem.key for problem in settings.problems] == [MINIMUM_MB.name]


def test_anything_but_true_and_false_is_the_default() -> None:
    texts = {PREEMPTION.name: "TRUE", UNDECLARED_POOLS.name: "yes", USER_QUEUE.name: "false"}
    settings = HadoopSettings(texts, FAIR_27)

    assert [settings.value(key) for key in (PREEMPTION, UNDECLARED_POOLS, USER_QUEUE)] == [True, True, False]


def test_a_negative_update_interval_means_the_default() -> None:
    assert fair_settings({"yarn.scheduler.fair.update-interval-ms": "-5"}).update_interval_ms == 500


def test_the_start_up_period_of_a_release_is_its_tables() -> None:
    """Asked within it, the maximum is the configured one, though no node is that large; after it, the node's size."""
    entry = replace(YARN_34.whole[SCHEDULING_WAIT.name], default="5")
    largest = maximum_at_start({}, Resource(8, 8), 0, SettingTable("short", (entry,)), lags=False)
    largest.node_joined(Node("n1", 1, "/r", 4, 4, 0))

    assert [largest.ask(now_ms).memory_mb for now_ms in (5, 6)] == [8, 4]
