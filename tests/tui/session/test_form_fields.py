"""Every kind of application in its form: what each field says, and where a changed one goes."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from engine.scenario import ApplicationSpec
from tui.form import MOST_CONTAINERS
from tui.session.templates import changed, fields_of

SMALL, LARGE = {"memory": "1500m", "vcores": 2}, {"memory": "3g", "vcores": 3}
STAGE = {"tasks": 8, "duration": "5s"}


def spec(kind: str, **fields: Any) -> ApplicationSpec:
    adapter: TypeAdapter[ApplicationSpec] = TypeAdapter(ApplicationSpec)
    return adapter.validate_python({"type": kind, "name": "x", "user": "ann", **fields})


MAPREDUCE = spec(
    "mapreduce", queue="root.a", maps=7, map=SMALL, map_duration=["9s", "20s"], reduces=2, reduce=LARGE,
    reduce_duration="7s", am={"memory": "2g", "vcores": 3}, priority=3,
)  # fmt: skip
STAGED = spec("spark", executors=4, executor=LARGE, stages=[STAGE])
TEZ = spec("tez", container=SMALL, dags=[{"stages": [STAGE]}])
SERVICE = spec("service", am="unmanaged", instances=2, instance=SMALL)
SCRIPTED = spec("scripted", queue="b", asks=[{**SMALL, "count": 5, "duration": "2m"}, {"memory": "1g"}])
STANDALONE = spec("spark-standalone", cores_max=6, executor_cores=2, executor_memory="4g", stages=[STAGE, STAGE])


CHANGES: list[tuple[ApplicationSpec, dict[str, str], dict[str, Any]]] = [
    (MAPREDUCE, {"containers": "9"}, {"maps": 9}),
    (MAPREDUCE, {"memory": "4g", "vcores": "5"}, {"map": {"memory": "4g", "vcores": 5}}),
    (MAPREDUCE, {"duration": "3s"}, {"map_duration": "3s"}),
    (MAPREDUCE, {"master": "3g"}, {"am": {"memory": "3g", "vcores": 3}}),
    (MAPREDUCE, {"master": "unmanaged"}, {"am": "unmanaged"}),
    (MAPREDUCE, {"name": "y", "user": "bob", "queue": ""}, {"name": "y", "user": "bob", "queue": None}),
    (SERVICE, {"master": "3g"}, {"am": {"memory": "3g", "vcores": 1}}),
    (SERVICE, {"containers": str(MOST_CONTAINERS)}, {"instances": MOST_CONTAINERS}),
    (STAGED, {"duration": "3s"}, {"stages": [], "duration": "3s"}),
    (STAGED, {"memory": "1g"}, {"executor": {"memory": "1g", "vcores": 3}}),
    (SCRIPTED, {"duration": ""}, {"asks": [{**SMALL, "count": 5}, {"memory": "1g"}]}),
    (STANDALONE, {"cores_max": "", "tasks": "9"}, {"cores_max": None, "stages": [{**STAGE, "tasks": 9}, STAGE]}),
]


@pytest.mark.parametrize(("one", "fields", "update"), CHANGES)
def test_a_field_that_was_changed_goes_to_its_place(
    one: ApplicationSpec, fields: dict[str, str], update: dict[str, Any]
) -> None:
    before = fields_of(one)
    data = {**one.model_dump(exclude_unset=True), **update}
    for new, old in (("map_duration", "map_duration_ms"), ("duration", "duration_ms")):
        if new in update:
            _ = data.pop(old, None)
    wanted: TypeAdapter[ApplicationSpec] = TypeAdapter(ApplicationSpec)

    assert changed(one, before, {**before, **fields}) == (wanted.validate_python(data, by_name=True), [])


@pytest.mark.parametrize(
    ("one", "fields", "problems"),
    [
        (SERVICE, {"containers": "100001"}, ["containers: 100001 is more than 100000"]),
        (STANDALONE, {"tasks": "100001"}, ["tasks: 100001 is more than 100000"]),
        (SERVICE, {"duration": "9s"}, ["duration: service has none to change"]),
        (TEZ, {"containers": "9"}, ["containers: tez, 1 DAG has none to change"]),
        (SERVICE, {"user": "", "vcores": ""}, ["user: nothing is given"]),
        (
            spec("scripted", asks=[]),
            {"containers": "3", "memory": "2g"},
            ["containers: scripted has none to change", "memory: scripted has none to change"],
        ),
    ],
)
def test_a_change_that_cannot_be_is_named(one: ApplicationSpec, fields: dict[str, str], problems: list[str]) -> None:
    before = fields_of(one)
    made, found = changed(one, before, {**before, **fields})

    assert (made, found[: len(problems)]) == (None, problems)
