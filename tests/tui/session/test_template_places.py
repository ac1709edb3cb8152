"""Where each field of the form stands in each kind of application: as it is shown, and as it is changed."""

from typing import Any

import pytest

from engine.recorded.log_series import LogSeries
from engine.scenario import (
    ApplicationSpec,
    MapReduceSpec,
    ScriptedSpec,
    ServiceSpec,
    SparkSpec,
    StandaloneSpec,
    TezSpec,
)
from tests.engine.recorded.logs import series
from tests.tui.session.test_clock import LOG
from tui.protocol.picture import Notice, SessionChanged
from tui.session.series import SeriesConnection
from tui.session.templates import changed, fields_of

SIZE = {"memory_mb": 3072, "vcores": 5}
MASTER = {"memory_mb": 1500, "vcores": 4}
STAGE = {"tasks": 8, "duration_ms": [20_000, 20_000]}


def spec(kind: type[ApplicationSpec], **fields: Any) -> ApplicationSpec:
    return kind.model_validate({"name": "x", "user": "ann", "am": MASTER, **fields})


MAPS = spec(MapReduceSpec, type="mapreduce", maps=7, map=SIZE, map_duration_ms=[10_000, 30_000])
SPARK = spec(SparkSpec, type="spark", executors=3, executor=SIZE, duration_ms=[60_000, 60_000])
TEZ = spec(TezSpec, type="tez", dags=[{"stages": [STAGE]}], container=SIZE)
SERVICE = spec(ServiceSpec, type="service", instances=2, instance=SIZE)
ASK = {"count": 4, **SIZE, "duration_ms": [5000, 5000]}
SCRIPTED = spec(ScriptedSpec, type="scripted", asks=[ASK])
STANDALONE = spec(
    StandaloneSpec, type="spark-standalone", cores_max=6, executor_cores=2, executor_memory_mb=1025, stages=[STAGE]
)


def given(one: ApplicationSpec, **fields: str) -> tuple[ApplicationSpec | None, list[str]]:
    before = fields_of(one)
    return changed(one, before, {**before, **fields})


@pytest.mark.parametrize(
    ("one", "field", "text", "place", "value"),
    [
        (MAPS, "containers", "8", ("maps",), 8),
        (MAPS, "memory", "1g", ("map", "memory_mb"), 1024),
        (MAPS, "vcores", "1", ("map", "vcores"), 1),
        (MAPS, "duration", "9s", ("map_duration_ms",), [9000, 9000]),
        (MAPS, "master", "2g", ("am", "memory_mb"), 2048),
        (MAPS, "name", "y", ("name",), "y"),
        (MAPS, "user", "bob", ("user",), "bob"),
        (MAPS, "queue", "root.a", ("queue",), "root.a"),
        (SPARK, "containers", "4", ("executors",), 4),
        (SPARK, "vcores", "2", ("executor", "vcores"), 2),
        (SPARK, "duration", "2m", ("duration_ms",), [120_000, 120_000]),
        (TEZ, "memory", "2g", ("container", "memory_mb"), 2048),
        (TEZ, "vcores", "2", ("container", "vcores"), 2),
        (SERVICE, "containers", "5", ("instances",), 5),
        (SERVICE, "memory", "1g", ("instance", "memory_mb"), 1024),
        (SCRIPTED, "containers", "1", ("asks", 0, "count"), 1),
        (SCRIPTED, "memory", "1g", ("asks", 0, "memory_mb"), 1024),
        (SCRIPTED, "duration", "1s", ("asks", 0, "duration_ms"), [1000, 1000]),
        (STANDALONE, "cores_max", "9", ("cores_max",), 9),
        (STANDALONE, "executor_cores", "1", ("executor_cores",), 1),
        (STANDALONE, "memory", "2g", ("executor_memory_mb",), 2048),
        (STANDALONE, "tasks", "9", ("stages", 0, "tasks"), 9),
        (STANDALONE, "duration", "1s", ("stages", 0, "duration_ms"), [1000, 1000]),
    ],
)
def test_a_changed_field_goes_to_its_place(
    one: ApplicationSpec, field: str, text: str, place: tuple[str | int, ...], value: Any
) -> None:
    found, problems = given(one, **{field: text})
    expected: Any = one.model_dump(mode="json")
    holder = expected
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value

    assert problems == []
    assert found is not None
    assert found.model_dump(mode="json") == expected


# A place in a recorded past: where it goes, what is seen from there, and how polls become such a past.


async def test_a_recording_is_opened_with_what_was_inferred() -> None:
    connection, posted = SeriesConnection(series(*LOG)), list[SessionChanged | Notice]()
    await connection.pictures.start(posted.append)
    notes = [Notice(note) for note in connection.place.series.notes]

    assert posted == [SessionChanged(), *notes]
    assert notes
    assert isinstance(connection.place.series, LogSeries)
    picture = await connection.pictures.picture()
    assert (picture.run.name, picture.run.recorded) == ("small.log", "log")
    assert (connection.acts, connection.twin) == (None, None)
