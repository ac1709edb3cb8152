"""Presets: from the kinds a workload submits to the form, and from the form to an application."""

from pathlib import Path
from typing import Any, Final

import pytest
from textual.widgets import Static

from engine.formats.scenario_toml import loads, packaged
from engine.recorded.log_series import LogSeries
from engine.run import Run
from engine.scenario import ApplicationSpec, MapReduceSpec, Scenario, ScriptedSpec, ServiceSpec, SparkSpec
from tests.engine.recorded.polls import series
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_text
from tests.tui.session.test_clock import LOG
from tests.tui.small_run import ByHand, by_hand
from tui.app import SchedlabApp
from tui.board.dialects import dialect_of
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.submit import FIELDS, SubmitScreen
from tui.protocol.picture import Notice, Preset, SessionChanged
from tui.session.alert_monitor import EventLog
from tui.session.series import SeriesConnection
from tui.session.session import Session
from tui.session.templates import LAST, Presets, about, changed, fields_of

MIXED: Final = Path(__file__).parents[2] / "cases" / "scenes" / "mixed.toml"


def _scenario() -> Scenario:
    return loads(MIXED.read_text(), "mixed.toml")


def _by_name(presets: Presets) -> dict[str, Preset]:
    return {preset.name: preset for preset in presets.offered()}


def test_the_kinds_of_a_workload_are_offered_most_frequent_first() -> None:
    """Numbers at the end of names do not make a kind; of several the one of middle size is typical."""
    presets = Presets(_scenario())

    assert [(preset.name, preset.about) for preset in presets.offered()] == [
        ("scripted", "scripted, the first of 2 asks is shown"),
        ("etl-step", "mapreduce, and 2 reduces of 1g"),
        ("weekly-model", "spark, 1 stage"),
        ("thriftserver", "service"),
    ]
    assert _by_name(presets)["etl-step"].fields == {
        "name": "etl step 1",
        "user": "etl",
        "queue": "root.etl",
        "containers": "8",
        "memory": "2g",
        "vcores": "1",
        "duration": "14s-30s",
        "master": "1g",
    }


@pytest.mark.parametrize("name", packaged())
def test_every_packaged_scenario_offers_what_the_form_can_show(name: str) -> None:
    """Each preset has all fields of its form and no other; unchanged it is an application, if its queue takes one."""
    session = by_hand(name, paused=True)
    picture = session.picture()
    names = {field.name for field in dialect_of(picture.snapshot).form.fields}

    assert picture.presets
    for preset in picture.presets:
        assert set(preset.fields) == names
        problems = session.submit({**preset.fields, "preset": preset.name})
        assert [problem for problem in problems if " is stopped" not in problem] == [], preset


def test_what_is_not_changed_is_as_in_the_preset() -> None:
    """Also what the form does not show: reduces, the spread of durations; but not its number and time."""
    presets = Presets(_scenario())
    fields = _by_name(presets)["etl-step"].fields
    spec, problems = presets.spec_of({**fields, "containers": "40", "queue": "", "preset": "etl-step"})

    assert (problems, isinstance(spec, MapReduceSpec)) == ([], True)
    assert isinstance(spec, MapReduceSpec)
    assert (spec.maps, spec.reduces, spec.map.memory_mb, spec.map_duration_ms) == (40, 2, 2048, (14_000, 30_000))
    assert (spec.queue, spec.number, spec.at_ms) == (None, None, 0)


def test_every_field_can_be_changed() -> None:
    presets = Presets(_scenario())
    some = _by_name(presets)
    spark, _ = presets.spec_of({
        **some["weekly-model"].fields, "memory": "3g", "vcores": "1", "duration": "2m", "preset": "weekly-model",
    })  # fmt: skip
    service, _ = presets.spec_of({**some["thriftserver"].fields, "master": "2g", "preset": "thriftserver"})
    scripted, _ = presets.spec_of({**some["scripted"].fields, "master": "unmanaged", "preset": "scripted"})

    assert isinstance(spark, SparkSpec)
    assert (spark.executor.memory_mb, spark.executor.vcores, spark.duration_ms, spark.stages) == (
        3072, 1, (120_000, 120_000), (),
    )  # fmt: skip
    assert isinstance(service, ServiceSpec)
    assert (service.am and service.am.memory_mb, some["thriftserver"].fields["master"]) == (2048, "unmanaged")
    assert isinstance(scripted, ScriptedSpec)
    assert (scripted.am, len(scripted.asks), scripted.repeat) == (None, 2, None)


def test_what_was_submitted_last_is_offered_first() -> None:
    log = EventLog()
    run = Run(_scenario(), [log])
    session = ByHand(Session(run, log, paused=True))
    form = {field.name: field.value for field in FIELDS}
    refused = session.submit({**form, "master": "99g"})
    before = session.picture().presets[0].name
    done = session.submit({**form, "name": "mine", "memory": "3g"})
    first = session.picture().presets[0]
    again = session.submit({**first.fields, "preset": LAST, "name": "mine too"})
    names = [preset.name for preset in session.picture().presets]

    assert (len(refused), before, done, again) == (1, "scripted", [], [])
    assert (first.name, first.fields["name"], first.fields["memory"]) == (LAST, "mine", "3g")
    assert (names.count(LAST), session.picture().presets[0].fields["name"]) == (1, "mine too")


PRESETS = (
    Preset("etl", "mapreduce", {field.name: "7" for field in FIELDS} | {"name": "etl", "queue": "root.etl"}),
    Preset("model", "spark", {field.name: "9" for field in FIELDS} | {"name": "model", "queue": "root.mining"}),
)


def _door() -> FakeSession:
    session = FakeSession()
    session.presets = PRESETS
    return session


def _form(app: SchedlabApp) -> SubmitScreen:
    assert isinstance(app.screen, SubmitScreen)
    return app.screen


def _submitted(session: FakeSession) -> dict[str, str]:
    return dict(next(call[1] for call in session.calls if call[0] == "submit"))


async def test_the_chooser_fills_the_form_by_keys() -> None:
    """Up from the first field, right to the second preset, enter in a field submits it with its name."""
    session = _door()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "S", "up", "right", "right")
        form, text = _form(app), screen_text(app)
        texts = form.form.texts()
        about = str(form.query_one("#about", Static).render())
        await press(pilot, "right", "left", "down", "x", "enter")

    assert (texts, about, "< model >  3/3" in text) == (dict(PRESETS[1].fields), "spark", True)
    assert _submitted(session) == {**PRESETS[1].fields, "name": "x", "preset": "model"}


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("submit preset=etl", {**PRESETS[0].fields, "preset": "etl"}),
        ("submit preset=etl n=40 queue=root.adhoc", {
            **PRESETS[0].fields, "preset": "etl", "containers": "40", "queue": "root.adhoc",
        }),
        ("submit app=etl n=40 mem=4G vc=1 queue=prod.etl", {
            **{field.name: field.value for field in FIELDS}, "name": "etl", "user": "mining", "containers": "40",
            "memory": "4G", "vcores": "1", "queue": "prod.etl",
        }),
        ("submit for= am=unmanaged user=eve", {
            **{field.name: field.value for field in FIELDS}, "duration": "", "master": "unmanaged", "user": "eve",
            "queue": "root.report",
        }),
    ],
)  # fmt: skip
async def test_a_command_submits(line: str, fields: dict[str, Any]) -> None:
    """What it does not say is as in the preset, else as the form begins."""
    session = _door()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "colon", *line, "enter")

    assert _submitted(session) == fields


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("submit etl", "'etl': there is preset=, app=, user="),
        ("submit cores=4", "'cores=4': there is preset=, app=, user="),
        ("submit n=4 n=5", "n is given twice"),
    ],
)
async def test_a_command_that_is_wrong_submits_nothing(line: str, words: str) -> None:
    session = _door()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "colon", *line, "enter")
        said = screen_text(app).splitlines()[-1]

    assert (words in said, session.calls) == (True, [])


async def test_a_command_is_completed_and_asks_where_every_act_does() -> None:
    session = _door()
    app = SchedlabApp(session, ascii_only=True, confirm="always")
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "colon", *"submit preset=e", "tab", *" queue=root.a", "tab", "enter")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await press(pilot, "y")

    assert "queue           root.adhoc" in dialog.words
    assert _submitted(session) == {**PRESETS[0].fields, "preset": "etl", "queue": "root.adhoc"}


# Which kinds of applications of a workload are offered, in which order, and what they are called.


# Applications as the form shows them, and with a field changed.

GB = {"memory_mb": 2048, "vcores": 2}
MAPS = MapReduceSpec.model_validate(
    {"type": "mapreduce", "name": "etl", "user": "ann", "queue": "root.a", "maps": 7, "map": GB, "reduces": 0}
)
SCRIPTED = ScriptedSpec.model_validate(
    {"type": "scripted", "name": "x", "user": "bob", "asks": [{"memory_mb": 1536, "count": 4}]}
)


def _given(spec: ApplicationSpec, **fields: str) -> tuple[ApplicationSpec | None, list[str]]:
    before = fields_of(spec)
    return changed(spec, before, {**before, **fields})


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


# Where each field of the form stands in each kind of application: as it is shown, and as it is changed.


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
