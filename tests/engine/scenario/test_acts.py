"""One family of acts: a file, a journal and a message hold the same struct."""

from typing import Any

import msgspec
import pytest
from pydantic import TypeAdapter, ValidationError

from engine.scenario import TimedAct, acts
from engine.scenario.acts import ScriptedAct, ScriptedFault, timed, written

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
