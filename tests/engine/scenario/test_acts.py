"""One family of acts: a file, a journal and a message hold the same struct."""

from typing import Any

import msgspec
import pytest
from pydantic import TypeAdapter, ValidationError

from engine.scenario import Expectation, ScriptedSpec, TimedAct, acts
from engine.scenario.acts import Finders, ScriptedAct, ScriptedFault, fields_of, resolved, timed, written

READ: TypeAdapter[TimedAct] = TypeAdapter(ScriptedAct)
READ_FAULT: TypeAdapter[TimedAct] = TypeAdapter(ScriptedFault)

SAMPLES: tuple[tuple[dict[str, Any], acts.Act], ...] = (
    (
        {"do": "submit", "application": {"type": "scripted", "user": "u"}},
        acts.SubmitApplication({"type": "scripted", "user": "u"}),
    ),
    ({"do": "kill", "application": "etl"}, acts.KillApplication("etl")),
    ({"do": "kill-container", "container": "0012_01_000003"}, acts.KillContainer("0012_01_000003")),
    ({"do": "move", "application": "12", "queue": "b"}, acts.MoveApplication("12", "b")),
    ({"do": "priority", "application": "12", "priority": 4}, acts.SetPriority("12", 4)),
    ({"do": "master_lost", "application": "12", "hangs": True}, acts.LoseMaster("12", hangs=True)),
    ({"do": "add-node", "host": "n9", "memory": "2g", "vcores": 2}, acts.AddNode("n9:8041", 2048, 2)),
    ({"do": "label", "node": "n2", "partition": "gpu"}, acts.LabelNode("n2", "gpu")),
    ({"do": "drain", "node": "n1"}, acts.DrainNode("n1")),
    ({"do": "return", "node": "n1"}, acts.ReturnNode("n1")),
    ({"do": "lose", "node": "n1"}, acts.LoseNode("n1")),
    ({"do": "resize", "node": "n1", "memory": 5, "vcores": 2}, acts.ResizeNode("n1", 5, 2)),
    ({"do": "health", "node": "n1", "healthy": False}, acts.SetHealth("n1", healthy=False)),
    ({"do": "node_manager_restart", "node": "n1"}, acts.RestartNodeManager("n1", 10_000)),
    ({"do": "rm_restart", "down": "1m"}, acts.RestartResourceManager(60_000)),
    ({"do": "rm_failover", "orderly": True}, acts.FailOverResourceManager(orderly=True)),
    ({"do": "rm_lost"}, acts.LoseResourceManager()),
    ({"do": "job_tracker_restart", "down": 0.5}, acts.RestartJobTracker(500)),
    ({"do": "preemption", "on": True}, acts.SetPreemption(on=True)),
    ({"do": "reservation-rule", "rule": "off"}, acts.SetReservationRule("off")),
    ({"do": "queue-setting", "queue": "a", "key": "weight", "value": "2"}, acts.SetQueueSetting("a", "weight", "2")),
    ({"do": "setting", "key": "k", "value": "v"}, acts.SetSetting("k", "v")),
    ({"do": "reload", "allocations": "<allocations/>"}, acts.Reload("<allocations/>")),
)


@pytest.mark.parametrize(("table", "act"), SAMPLES)
def test_a_table_of_a_file_is_read_as_the_act_and_written_again(table: dict[str, Any], act: acts.Act) -> None:
    step = READ.validate_python({"at": "2m", **table})

    assert (step.at_ms, step.act) == (120_000, act)
    assert READ.validate_python({"at": "2m", **written(step)}) == step
    assert timed(act, 120_000) == step


@pytest.mark.parametrize("act", [act for _, act in SAMPLES])
def test_a_journal_holds_the_struct_itself(act: acts.Act) -> None:
    text = msgspec.json.encode(act)

    assert msgspec.json.decode(text)["kind"] == type(act).__name__
    assert msgspec.json.decode(text, type=acts.Act) == act


def test_only_faults_may_stand_among_faults() -> None:
    assert READ_FAULT.validate_python({"at": 0, "do": "lose", "node": "n1"}).act == acts.LoseNode("n1")
    with pytest.raises(ValidationError):
        READ_FAULT.validate_python({"at": 0, "do": "kill", "application": "1"})


# Acts with their instants: names that are looked up, and what a file leaves out.

FINDERS: Finders = {"application": lambda name: {"etl": 7}[name], "node": lambda host: f"{host}:8041"}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (acts.KillApplication("etl"), acts.KillApplication(7)),
        (acts.KillApplication(3), acts.KillApplication(3)),
        (acts.MoveApplication("etl", "b"), acts.MoveApplication(7, "b")),
        (acts.DrainNode("n1"), acts.DrainNode("n1:8041")),
        (acts.ResizeNode("n1", 5, 2), acts.ResizeNode("n1:8041", 5, 2)),
        (acts.SetHealth("n1", healthy=True, also=("n2",)), acts.SetHealth("n1:8041", healthy=True, also=("n2:8041",))),
        (acts.LoseMaster("etl"), acts.LoseMaster("etl")),
    ],
)
def test_names_are_looked_up_where_there_is_a_finder(given: acts.Act, found: acts.Act) -> None:
    assert resolved(given, FINDERS) == found


def test_an_application_is_its_type_and_what_differs_from_the_defaults() -> None:
    """So that a file reads as it was written; the act gives the whole model back."""
    spec = ScriptedSpec(type="scripted", user="u", queue="a", at_ms=0, waits=True)
    act = acts.SubmitApplication.of(spec)

    assert fields_of(spec) == act.application == {"type": "scripted", "user": "u", "queue": "a", "waits": True}
    assert act.spec() == spec
    with pytest.raises(ValidationError):
        acts.SubmitApplication({"type": "scripted"}).spec()


# What an expectation may ask, of what, and when.

GOOD = {"of": "queue", "queue": "prod", "what": "used_memory_mb", "equals": 1, "at": 1}


def test_a_whole_expectation_is_taken() -> None:
    assert Expectation.model_validate(GOOD).at_ms == 1000


@pytest.mark.parametrize(
    "change",
    [
        {"at": 0},
        {"at": None, "within": 0},
        {"at": None, "until": 0},
        {"at": None, "until": 2, "since": 2},
        {"equals": 0},
        {"equals": False},
        {"equals": None, "at_least": 0},
        {"equals": None, "at_most": 0},
        {"equals": None, "at_least": 0, "at_most": 1},
        {"of": "cluster", "queue": None},
        {"of": "node", "queue": None, "node": "a"},
        {"of": "application", "queue": None, "application": "1"},
        {"of": "applications", "what": "count", "state": "RUNNING", "name": "x"},
        {"of": "applications", "what": "count", "queue": None},
        {"of": "reservations", "what": "count", "queue": None, "application": "1"},
        {"of": "decisions", "what": "killed", "queue": None, "application": "1", "node": "a"},
        {"of": "decisions", "what": "killed", "queue": None},
    ],
)
def test_what_goes_together_is_taken(change: dict[str, object]) -> None:
    assert Expectation.model_validate({**GOOD, **change}).of == change.get("of", "queue")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at": None}, "needs exactly one of at, within and until, has none"),
        ({"until": 3}, "needs exactly one of at, within and until, has at and until"),
        ({"within": 3}, "needs exactly one of at, within and until, has at and within"),
        ({"at": None, "until": 1, "since": 2}, "until is before since"),
        ({"equals": None}, "needs either equals, or at_least and / or at_most"),
        ({"at_least": 0}, "needs either equals, or at_least and / or at_most"),
        ({"at_most": 0}, "needs either equals, or at_least and / or at_most"),
        ({"of": "applications", "what": "containres"}, "'containres' is not a measure of applications; there is count"),
        (
            {"of": "reservations", "queue": None, "what": "counts"},
            "'counts' is not a measure of reservations; there is count, nodes, memory_mb",
        ),
        ({"node": "a"}, "node does not go with queue"),
        ({"node": "a", "application": "1"}, "application does not go with queue"),
        ({"state": "x"}, "state does not go with queue"),
        ({"name": "x"}, "name does not go with queue"),
        ({"of": "cluster"}, "queue does not go with cluster"),
        ({"queue": None}, "the queue is missing: queue = ..."),
        ({"of": "node", "queue": None}, "the node is missing: node = ..."),
        ({"of": "application", "queue": None}, "the application is missing: application = ..."),
    ],
)
def test_a_faulty_expectation_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Expectation.model_validate({**GOOD, **change})
    assert [error["msg"] for error in refused.value.errors()] == [f"Value error, {message}"]
