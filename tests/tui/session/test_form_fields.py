"""Every kind of application in its form: what each field says, and where a changed one goes."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from engine.scenario import ApplicationSpec
from tui.form import MOST_CONTAINERS
from tui.session.templates import about, changed, fields_of

SMALL, LARGE = {"memory": "1500m", "vcores": 2}, {"memory": "3g", "vcores": 3}
STAGE = {"tasks": 8, "duration": "5s"}


def spec(kind: str, **fields: Any) -> ApplicationSpec:
    """An application of a kind."""
    adapter: TypeAdapter[ApplicationSpec] = TypeAdapter(ApplicationSpec)
    return adapter.validate_python({"type": kind, "name": "x", "user": "ann", **fields})


MAPREDUCE = spec(
    "mapreduce", queue="root.a", maps=7, map=SMALL, map_duration=["9s", "20s"], reduces=2, reduce=LARGE,
    reduce_duration="7s", am={"memory": "2g", "vcores": 3}, priority=3,
)  # fmt: skip
SPARK = spec("spark", executors=4, executor=LARGE, duration="90s")
STAGED = spec("spark", executors=4, executor=LARGE, stages=[STAGE])
TEZ = spec("tez", container=SMALL, dags=[{"stages": [STAGE]}])
SERVICE = spec("service", am="unmanaged", instances=2, instance=SMALL)
SCRIPTED = spec("scripted", queue="b", asks=[{**SMALL, "count": 5, "duration": "2m"}, {"memory": "1g"}])
STANDALONE = spec("spark-standalone", cores_max=6, executor_cores=2, executor_memory="4g", stages=[STAGE, STAGE])


def yarn(*fields: str, queue: str = "") -> dict[str, str]:
    """A form of YARN's: containers, memory, vcores, duration, master."""
    names = ("containers", "memory", "vcores", "duration", "master")
    return {"name": "x", "user": "ann", "queue": queue, **dict(zip(names, fields, strict=True))}


@pytest.mark.parametrize(
    ("one", "fields"),
    [
        (MAPREDUCE, yarn("7", "1500m", "2", "9s-20s", "2g", queue="root.a")),
        (SPARK, yarn("4", "3g", "3", "1m30s", "1g")),
        (STAGED, yarn("4", "3g", "3", "", "1g")),
        (SERVICE, yarn("2", "1500m", "2", "", "unmanaged")),
        (SCRIPTED, yarn("5", "1500m", "2", "2m", "1g", queue="b")),
        (TEZ, yarn("", "1500m", "2", "", "1g")),
        (
            STANDALONE,
            {"name": "x", "user": "ann", "cores_max": "6", "executor_cores": "2", "memory": "4g", "tasks": "8",
             "duration": "5s"},
        ),
        (
            spec("spark-standalone", executor_memory="4g", stages=[]),
            {"name": "x", "user": "ann", "cores_max": "", "executor_cores": "", "memory": "4g", "tasks": "0",
             "duration": ""},
        ),
    ],
)  # fmt: skip
def test_a_form_shows_each_kind_by_its_own_places(one: ApplicationSpec, fields: dict[str, str]) -> None:
    """Whole gigabytes as such, durations from the shortest to the longest; empty where a kind has no such thing."""
    assert fields_of(one) == fields


def test_a_form_of_a_jobtracker_shows_maps_reduces_and_a_priority() -> None:
    """It has no master and no vcores."""
    assert fields_of(MAPREDUCE, on_slots=True) == {
        "name": "x", "user": "ann", "queue": "root.a", "priority": "high", "maps": "7", "duration": "9s-20s",
        "memory": "1500m", "reduces": "2", "reduce_duration": "7s", "reduce_memory": "3g",
    }  # fmt: skip


@pytest.mark.parametrize(("priority", "word"), [(None, "normal"), (0, "very_low"), (4, "very_high"), (5, "very_high")])
def test_a_priority_is_one_of_five_words(priority: int | None, word: str) -> None:
    """The highest is the word for all above; none is normal."""
    one = MAPREDUCE.model_copy(update={"priority": priority})

    assert fields_of(one, on_slots=True)["priority"] == word


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
    """All else stays, also what the form does not show."""
    before = fields_of(one)
    data = {**one.model_dump(exclude_unset=True), **update}
    for new, old in (("map_duration", "map_duration_ms"), ("duration", "duration_ms")):
        if new in update:
            _ = data.pop(old, None)
    wanted: TypeAdapter[ApplicationSpec] = TypeAdapter(ApplicationSpec)

    assert changed(one, before, {**before, **fields}) == (wanted.validate_python(data, by_name=True), [])


def test_the_time_and_the_number_of_an_application_are_not_repeated() -> None:
    """What is submitted by hand comes now, once."""
    one = SCRIPTED.model_copy(update={"at_ms": 9_000, "number": 7})
    before = fields_of(one)
    made, _ = changed(one, before, before)

    assert made is not None
    assert (made.at_ms, made.number, made.repeat) == (0, None, None)


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
    """Each of them, and nothing is made."""
    before = fields_of(one)
    made, found = changed(one, before, {**before, **fields})

    assert (made, found[: len(problems)]) == (None, problems)


def test_slots_have_limits_of_their_own() -> None:
    """Of maps and of reduces."""
    before = fields_of(MAPREDUCE, on_slots=True)

    assert changed(MAPREDUCE, before, {**before, "maps": "100001", "reduces": "100001"}) == (
        None,
        ["maps: 100001 is more than 100000", "reduces: 100001 is more than 100000"],
    )


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (MAPREDUCE, "mapreduce, and 2 reduces of 3g"),
        (MAPREDUCE.model_copy(update={"reduces": 0}), "mapreduce"),
        (TEZ, "tez, 1 DAG"),
        (SPARK, "spark"),
        (STAGED, "spark, 1 stage"),
        (spec("spark", executors=1, executor=LARGE, jobs=[{"stages": [STAGE]}, {"stages": [STAGE]}]), "spark, 2 jobs"),
        (SCRIPTED, "scripted, the first of 2 asks is shown"),
        (spec("scripted", asks=[SMALL]), "scripted"),
        (STANDALONE, "spark-standalone, the first of 2 stages is shown"),
        (SERVICE, "service"),
    ],
)
def test_what_the_form_leaves_out_is_told_by_kind(one: ApplicationSpec, words: str) -> None:
    """How many there are of what it shows the first, or none, of."""
    assert about(one).lower() == words.lower()
