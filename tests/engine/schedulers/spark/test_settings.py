"""Spark property names become settings, and mistakes are all told at once."""

import pytest

from engine.errors import ConfigError
from engine.model.java_number import INT_MAX
from engine.schedulers.spark.settings import changed, parse_settings
from engine.settings.spark import SPARK


def test_defaults_are_sparks() -> None:
    """Without settings: spread out, no default cores, ten retries, most free cores first."""
    settings = parse_settings({})

    assert (settings.spread_out, settings.default_cores, settings.max_executor_retries) == (True, INT_MAX, 10)
    assert settings.policy == "CORES_FREE_DESC"


def test_the_older_name_of_spread_out_is_understood() -> None:
    """`spark.deploy.spreadOut` sets what `spark.deploy.spreadOutApps` sets."""
    assert parse_settings({"spark.deploy.spreadOut": "false"}) == parse_settings(
        {"spark.deploy.spreadOutApps": "FALSE"}
    )


def test_the_newer_name_of_spread_out_wins() -> None:
    """Where both are given, in whatever order."""
    both = {"spark.deploy.spreadOutApps": "true", "spark.deploy.spreadOut": "false"}

    assert parse_settings(both).spread_out


def test_seconds_become_ms() -> None:
    """The worker timeout is written in seconds."""
    assert parse_settings({"spark.worker.timeout": "30s"}).worker_timeout_ms == 30_000


def test_all_mistakes_are_told_with_the_nearest_key() -> None:
    """An unknown key and three unreadable values are four problems."""
    values = {
        "spark.deploy.spreadOutApp": "true",
        "spark.deploy.defaultCores": "0",
        "spark.deploy.spreadOutDrivers": "yes",
        "spark.deploy.workerSelectionPolicy": "RANDOM",
    }

    with pytest.raises(ConfigError) as caught:
        parse_settings(values)

    problems = caught.value.problems
    assert [problem.key for problem in problems] == list(values)
    assert problems[0].hint == "did you mean spark.deploy.spreadOutApps?"


def test_some_settings_only_hold_from_the_start() -> None:
    """A running Master refuses them, without a hint where nothing is near."""
    with pytest.raises(ConfigError):
        changed(parse_settings({}), {"schedlab.spark.seed": "1", "x": "1"}, SPARK.live)
