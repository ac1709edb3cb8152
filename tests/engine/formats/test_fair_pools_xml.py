"""The allocation file of MapReduce 1's FairScheduler."""

import pytest

from engine.errors import ConfigError
from engine.formats.fair_placement import read_pools
from engine.model.java_values import LONG_MAX
from engine.schedulers.mr1.fair_allocations import NO_MAXIMUM


def test_a_pool_has_what_the_file_says_and_defaults_for_the_rest() -> None:
    """Numbers, weight, mode and timeout [s, kept as ms]; a pool that is not named has no limits."""
    text = (
        "<allocations><pool name='a'><minMaps>3</minMaps><maxReduces>4</maxReduces><weight>2.5</weight>"
        "<schedulingMode>FIFO</schedulingMode><minSharePreemptionTimeout>7</minSharePreemptionTimeout></pool>"
        "<poolMaxJobsDefault>5</poolMaxJobsDefault></allocations>"
    )

    allocations = read_pools(text).allocations
    pool = allocations.pool("a")

    assert (pool.minimum, pool.maximum, pool.weight) == ((3, 0), (NO_MAXIMUM, 4), 2.5)
    assert (allocations.mode("a"), allocations.mode("b")) == ("fifo", "fair")
    assert (allocations.min_timeout_ms("a"), allocations.min_timeout_ms("b")) == (7_000, LONG_MAX)
    assert (allocations.max_running_jobs("a"), allocations.max_jobs_of("ann")) == (5, NO_MAXIMUM)


def test_every_mistake_is_told_at_once() -> None:
    """A number that is none and a mode that is none are both named with their lines."""
    text = (
        "<allocations><pool name='a'>\n<minMaps>x</minMaps>\n<schedulingMode>drf</schedulingMode></pool></allocations>"
    )

    with pytest.raises(ConfigError) as caught:
        read_pools(text, "fair-scheduler.xml")

    assert [(problem.line, problem.key) for problem in caught.value.problems] == [(2, "minMaps"), (3, "schedulingMode")]


def test_unknown_elements_are_ignored_with_a_warning() -> None:
    loaded = read_pools("<allocations><pool name='a'><minMap>3</minMap></pool></allocations>")

    assert [(warning.key, warning.hint) for warning in loaded.warnings] == [("minMap", "did you mean minMaps?")]
    assert list(loaded.allocations.pools) == ["a"]


def test_another_document_is_refused() -> None:
    with pytest.raises(ConfigError, match="configuration"):
        read_pools("<configuration/>")
