"""Applications as the form shows them, and with a field changed."""

import pytest

from engine.scenario import ApplicationSpec, MapReduceSpec, ScriptedSpec, ServiceSpec, SparkSpec
from tui.session.templates import about, changed, fields_of

GB = {"memory_mb": 2048, "vcores": 2}
MAPS = MapReduceSpec.model_validate(
    {"type": "mapreduce", "name": "etl", "user": "ann", "queue": "root.a", "maps": 7, "map": GB, "reduces": 0}
)
SPARK = SparkSpec.model_validate({"type": "spark", "name": "ml", "user": "bob", "executors": 3, "executor": GB})
SERVICE = ServiceSpec.model_validate({"type": "service", "name": "web", "user": "bob", "instances": 2, "instance": GB})
SCRIPTED = ScriptedSpec.model_validate(
    {"type": "scripted", "name": "x", "user": "bob", "asks": [{"memory_mb": 1536, "count": 4}]}
)


def _given(spec: ApplicationSpec, **fields: str) -> tuple[ApplicationSpec | None, list[str]]:
    before = fields_of(spec)
    return changed(spec, before, {**before, **fields})


@pytest.mark.parametrize(
    ("spec", "containers", "memory"),
    [(MAPS, "7", "2g"), (SPARK, "3", "2g"), (SERVICE, "2", "2g"), (SCRIPTED, "4", "1536m")],
)
def test_a_form_shows_how_many_containers_of_which_size(spec: ApplicationSpec, containers: str, memory: str) -> None:
    fields = fields_of(spec)

    assert (fields["containers"], fields["memory"], fields["user"]) == (containers, memory, spec.user)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [({"user": ""}, "user: nothing is given"), ({"containers": "x"}, "containers"), ({"memory": "much"}, "memory")],
)
def test_what_is_wrong_is_told_by_field(fields: dict[str, str], problem: str) -> None:
    spec, problems = _given(MAPS, **fields)

    assert spec is None
    assert [each for each in problems if each.startswith(problem)]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (MAPS, "mapreduce"),
        (MAPS.model_copy(update={"reduces": 1, "reduce": MAPS.map}), "and 1 reduce of 2g"),
        (MAPS.model_copy(update={"reduces": 2, "reduce": MAPS.map}), "and 2 reduces of 2g"),
        (SCRIPTED.model_copy(update={"asks": SCRIPTED.asks * 2}), "the first of 2 asks is shown"),
    ],
)
def test_what_a_form_does_not_show_is_told(spec: ApplicationSpec, words: str) -> None:
    assert about(spec).lower().endswith(words)


def test_a_job_of_a_jobtracker_is_shown_with_maps_and_reduces() -> None:
    before = fields_of(MAPS, on_slots=True)

    spec, problems = changed(MAPS, before, {**before, "reduces": "7", "priority": "low", "reduce_duration": "9s"})

    assert {"priority", "maps", "reduces", "memory", "reduce_memory", "duration", "reduce_duration"} <= set(before)
    assert before["priority"] == "normal"
    assert problems == []
    assert isinstance(spec, MapReduceSpec)
    assert (spec.reduces, spec.priority, spec.reduce_duration_ms, spec.maps) == (7, 1, (9_000, 9_000), MAPS.maps)
