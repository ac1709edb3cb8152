"""What users submit: which parts of an application go together, and the order of its jobs."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.scenario import (
    ApplicationSpec,
    DynamicAllocation,
)

READ: TypeAdapter[ApplicationSpec] = TypeAdapter(ApplicationSpec)
STAGES = ({"tasks": 1},)
JOBS = ({"stages": STAGES},)
DYNAMIC: dict[str, Any] = {"initial": 1}


def spark(**fields: Any) -> dict[str, Any]:
    """A Spark application on YARN as a file has it."""
    return {"type": "spark", "user": "u", "executor": {"memory": "1g"}, "executors": 1, **fields}


def tez(**fields: Any) -> dict[str, Any]:
    return {"type": "tez", "user": "u", "dags": JOBS, **fields}


def standalone(**fields: Any) -> dict[str, Any]:
    """A Spark application on the standalone Master as a file has it."""
    return {"type": "spark-standalone", "user": "u", **fields}


@pytest.mark.parametrize(
    "fields",
    [
        spark(),
        spark(duration=5),
        spark(duration="forever"),
        spark(stages=STAGES),
        spark(jobs=JOBS),
        spark(jobs=JOBS, stays=True),
        spark(stages=STAGES, dynamic=DYNAMIC),
        spark(jobs=JOBS, dynamic=DYNAMIC),
        spark(jobs=JOBS, dynamic=DYNAMIC, executors=0),
        spark(waits=True),
        spark(stages=STAGES, waits=True),
        tez(),
        tez(session=False),
        tez(reuse=False),
        tez(held=1),
        standalone(),
        standalone(dynamic=DYNAMIC),
        standalone(dynamic={"idle": "1s", "shuffle": "service"}),
    ],
)
def test_parts_that_go_together_are_taken(fields: dict[str, Any]) -> None:
    assert READ.validate_python(fields).type == fields["type"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (spark(duration=5, stages=STAGES), "it has both a duration and stages; its work is one or the other"),
        (spark(duration=0, jobs=JOBS), "it has both a duration and jobs; its work is one or the other"),
        (spark(stages=STAGES, jobs=JOBS), "it has both stages and jobs; its work is one or the other"),
        (spark(dynamic=DYNAMIC), "dynamic follows tasks that wait; it needs stages or jobs"),
        (spark(stages=STAGES, dynamic=DYNAMIC, waits=True), "waits goes with neither dynamic nor jobs"),
        (spark(jobs=JOBS, waits=True), "waits goes with neither dynamic nor jobs"),
        (spark(stays=True), "stays goes with jobs only"),
        (spark(stages=STAGES, stays=True), "stays goes with jobs only"),
        (spark(executors=0), "executors is missing or 0"),
        (tez(held=1, session=False), "held goes with a session that uses containers again"),
        (tez(held=1, reuse=False), "held goes with a session that uses containers again"),
        (standalone(dynamic={"cached_idle": 0}), "cached_idle and shuffle of dynamic go with type spark, on YARN"),
        (standalone(dynamic={"shuffle": "tracking"}), "cached_idle and shuffle of dynamic go with type spark, on YARN"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        READ.validate_python(fields)
    assert [error["msg"] for error in refused.value.errors()] == [f"Value error, {message}"]


def totals(*instants: int) -> list[dict[str, int]]:
    return [{"at": instant, "executors": 1} for instant in instants]


@pytest.mark.parametrize("instants", [(), (0,), (0, 1), (1, 2, 5)])
def test_totals_of_executors_are_in_order(instants: tuple[int, ...]) -> None:
    read = DynamicAllocation.model_validate({"totals": totals(*instants)})
    assert [total.at_ms for total in read.totals] == [1000 * instant for instant in instants]


@pytest.mark.parametrize("instants", [(1, 0), (1, 1), (0, 2, 1)])
def test_totals_out_of_order_are_refused(instants: tuple[int, ...]) -> None:
    with pytest.raises(ValidationError, match="totals: each instant is later than the one before"):
        DynamicAllocation.model_validate({"totals": totals(*instants)})
