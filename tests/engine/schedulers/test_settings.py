"""Hadoop settings as typed values."""

import pytest

from engine.errors import ConfigError
from engine.schedulers.fair.settings import fair_settings
from engine.schedulers.settings import MAXIMUM_MB, MINIMUM_MB, HadoopSettings, allocation_bounds


def test_defaults_are_those_of_the_releases_code() -> None:
    """Nothing set is 2.7.2's own."""
    settings = fair_settings({})

    assert (settings.minimum, settings.maximum, settings.increment) == ((1024, 1, ()), (8192, 32, ()), (1024, 1, ()))
    assert settings.ignores_locality
    assert settings.reservation_rule == "strict"


@pytest.mark.parametrize(("text", "value"), [("7", 7), (" 7 ", 7), ("0x10", 16), ("-3", -3), ("", 5)])
def test_whole_numbers_are_read_as_hadoop_reads_them(text: str, value: int) -> None:
    """Blanks around and hexadecimal are fine; nothing is the default."""
    settings = HadoopSettings({"k": text})

    assert (settings.integer("k", 5), settings.long("k", 5)) == (value, value)
    assert settings.problems == []


def test_every_unreadable_value_is_reported_at_once() -> None:
    """The problems name their keys."""
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
    """As the real scheduler refuses to start."""
    settings = HadoopSettings({MINIMUM_MB: "4096", MAXIMUM_MB: "2048"})

    allocation_bounds(settings)

    assert [problem.key for problem in settings.problems] == [MINIMUM_MB]


def test_anything_but_true_and_false_is_the_default() -> None:
    """As Configuration#getBoolean."""
    settings = HadoopSettings({"a": "TRUE", "b": "yes", "c": "false"})

    assert [settings.flag(key, default) for key, default in (("a", False), ("b", True), ("c", True))] == [
        True,
        True,
        False,
    ]


def test_a_negative_update_interval_means_the_default() -> None:
    """Source: FairScheduler#initScheduler."""
    assert fair_settings({"yarn.scheduler.fair.update-interval-ms": "-5"}).update_interval_ms == 500
