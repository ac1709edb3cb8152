"""Conditions of expectations: what meets them, when they are looked at, and their words."""

from typing import Any

import pytest

from engine.run.expectations import Measured, Watch, Watches, holds
from engine.scenario import Expectation
from engine.simulation.records import Record
from tests.engine.run.pictures import Picture

CLUSTER = {"of": "cluster", "what": "containers"}
DECISIONS = {"of": "decisions", "what": "allocated"}


def one(**fields: Any) -> Expectation:
    """An expectation of the cluster's containers at the start, but for what is given."""
    return Expectation.model_validate(
        {**CLUSTER, **({} if "until" in fields or "within" in fields else {"at": 0}), **fields}
    )


@pytest.mark.parametrize(
    ("condition", "value", "is_met"),
    [
        ({"equals": 3}, 3, True),
        ({"equals": 3}, 4, False),
        ({"equals": 0}, 0, True),
        ({"equals": 3}, None, False),
        ({"equals": "RUNNING"}, "RUNNING", True),
        ({"equals": "RUNNING"}, "LOST", False),
        ({"equals": ("b", "a")}, ("a", "b"), True),
        ({"equals": ("a",)}, ("a", "b"), False),
        ({"equals": ()}, (), True),
        ({"at_least": 3}, 2, False),
        ({"at_least": 3}, 3, True),
        ({"at_least": 3}, 4, True),
        ({"at_most": 3}, 2, True),
        ({"at_most": 3}, 3, True),
        ({"at_most": 3}, 4, False),
        ({"at_least": 2, "at_most": 3}, 1, False),
        ({"at_least": 2, "at_most": 3}, 2, True),
        ({"at_least": 2, "at_most": 3}, 3, True),
        ({"at_least": 2, "at_most": 3}, 4, False),
        ({"at_most": 0.5}, 0.5, True),
        ({"at_least": 0}, None, False),
        ({"at_least": 0}, "RUNNING", False),
        ({"at_most": 1}, ("a",), False),
    ],
)
def test_a_value_meets_a_condition(condition: dict[str, object], value: Measured, is_met: bool) -> None:
    assert holds(one(**condition), value) == is_met


@pytest.mark.parametrize(
    ("times", "first_ms", "end_ms"),
    [
        ({"at": 5}, 5000, 5000),
        ({"at": 5, "since": 3}, 5000, 5000),
        ({"until": 5}, 0, 5000),
        ({"until": 5, "since": 3}, 3000, 5000),
        ({"within": 5}, 0, 5000),
        ({"within": 5, "since": 3}, 3000, 8000),
    ],
)
def test_an_expectation_is_looked_at_in_its_stretch(times: dict[str, int], first_ms: int, end_ms: int) -> None:
    watch = Watch(one(**times, equals=1))
    watches = Watches([one(**times, equals=1)], 0)

    assert (watch.first_ms, watch.end_ms) == (first_ms, end_ms)
    assert watches.bounds() == sorted({first_ms, end_ms})
    assert [watches.is_watching(now_ms) for now_ms in (first_ms - 1, first_ms, end_ms)] == [False, True, True]


@pytest.mark.parametrize(
    ("times", "counting"),
    [
        ({"at": 2}, [2000]),
        ({"since": 1, "until": 2}, [1001, 1999, 2000]),
        ({"since": 1, "within": 1}, [1001, 1999, 2000]),
    ],
)
def test_decisions_count_after_the_begin_up_to_the_end(times: dict[str, int], counting: list[int]) -> None:
    watch = Watch(one(**times, **DECISIONS, equals=1))
    assert [now_ms for now_ms in (999, 1000, 1001, 1999, 2000, 2001) if watch.counts_at(now_ms)] == counting


@pytest.mark.parametrize(
    ("condition", "count", "is_final"),
    [
        ({"at_most": 2}, 2, False),
        ({"at_most": 2}, 3, True),
        ({"equals": 2}, 1, False),
        ({"equals": 2}, 2, False),
        ({"equals": 2}, 3, True),
        ({"at_least": 2}, 1, False),
        ({"at_least": 2, "at_most": 4}, 1, False),
        ({"at_least": 2, "at_most": 4}, 5, True),
    ],
)
def test_a_count_is_broken_once_it_is_beyond_its_most(condition: dict[str, int], count: int, is_final: bool) -> None:
    watch = Watch(one(**DECISIONS, until=9, **condition))
    watch.count = count
    watch.judge(8999, count)
    assert (watch.result is not None) == is_final


def count(records: list[Record], **fields: Any) -> int:
    """How many of some records an expectation of decisions counts."""
    watches = Watches([one(**{"of": "decisions", "at": 1, "equals": -1, **fields})], 10_000)
    watches.records(11_000, records)
    watches.judge(1000, Picture())
    found = watches.results()[0].value
    assert isinstance(found, int)
    return found
