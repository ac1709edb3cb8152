"""What an instructor does in a drill is in its record, is played again from there, and is none of the trainee's."""

import json
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.scenario.acts import DrainNode
from engine.training.debrief import debrief_of
from engine.training.exercise import DrillStage, Exercise
from engine.training.score import ScoreBaselines, played
from engine.training.steps import (
    InjectStep,
    RecordedStep,
    StepRecorder,
    injected,
    read_record,
    read_steps,
    surviving,
    written_steps,
)
from tests.engine.training.small_drill import small_drill

DRILL = small_drill()
STAGE = DrillStage(DRILL)
SICK = {"at": "1m", "do": "inject", "act": {"do": "health", "node": "n1", "healthy": False}}
SERVICE = {
    "type": "service",
    "name": "x",
    "user": "u",
    "queue": "default",
    "instances": 1,
    "instance": {"memory": "1g"},
}


def record(*tables: dict[str, Any]) -> tuple[RecordedStep, ...]:
    return read_record([json.dumps(table) for table in tables], DRILL.begins)


def back(to: str, start: str) -> dict[str, Any]:
    return {"at": to, "do": "backtrack", "from": start}


EVERY = record(
    SICK,
    {
        "at": "1m",
        "do": "inject",
        "act": {"do": "submit", "application": SERVICE},
    },
    {"at": "1m", "do": "inject", "act": {"do": "resize", "node": "n2", "memory": "16g", "vcores": 8}},
    {"at": "70s", "do": "message", "words": "Is it back?"},
    {"at": "80s", "do": "freeze", "on": True},
    {"at": "90s", "do": "hint"},
    back("75s", "90s"),
)


def test_a_record_comes_back_as_it_was_written() -> None:
    """Also what was injected, with sizes and applications, and where the run came back from."""
    assert read_record(written_steps(EVERY), DRILL.begins) == EVERY


@pytest.mark.parametrize("do", ["inject", "message", "freeze", "backtrack"])
def test_no_file_of_acts_holds_what_an_instructor_does(do: str) -> None:
    with pytest.raises(ConfigError, match=do):
        _ = read_steps([json.dumps({"at": "1m", "do": do})], "acts.jsonl", DRILL.begins)


def test_going_back_leaves_out_what_came_after() -> None:
    """What was done at the instant itself stays; going back stays, too, and what follows it."""
    steps = record(SICK, {"at": "61s", "do": "hint"}, back("1m", "65s"), {"at": "62s", "do": "observe"})

    assert [(step.at_ms, step.do) for step in surviving(steps)] == [
        (60_000, "inject"),
        (60_000, "backtrack"),
        (62_000, "observe"),
    ]


def test_a_fault_injected_happens_and_is_no_act_of_the_trainee() -> None:
    """It counts neither as a step nor as harm; one that cannot be done is refused."""
    nobody = {"at": "70s", "do": "inject", "act": {"do": "lose", "node": "n9"}}
    exercise = played(STAGE, record(SICK, nobody))
    score = ScoreBaselines(STAGE).score(exercise)

    assert [done.refused for done in exercise.log] == ["", "there is no node n9"]
    assert exercise.snapshot().header.nodes_down == 1
    assert [done.is_act for done in exercise.log] == [False] * 2
    assert ScoreBaselines(STAGE, injected(record(SICK, nobody))).unaccepted(exercise) == ()
    assert score.steps == 0


def test_the_debrief_shows_what_the_instructor_did() -> None:
    debrief = debrief_of(played(STAGE, EVERY), ScoreBaselines(STAGE, injected(EVERY)))
    rows = [row.cluster for row in debrief.rows if row.sign == "I"]

    assert rows == [
        "instructor: health n1 off",
        "instructor: submit x",
        "instructor: resize n2 to 16384 MB and 8 vcores",
        "the data team lead: Is it back?",
        "instructor: back to here from +1m30s",
    ]
    assert all(row.trainee == "" for row in debrief.rows if row.sign == "I")


def test_what_is_done_as_the_instructor_is_taken_down_so() -> None:
    recorder = StepRecorder(DRILL.begins_ms)
    exercise = Exercise(STAGE)
    simulation = exercise.fork()
    simulation.listeners.append(recorder)
    sick = record(SICK)[0]
    assert isinstance(sick, InjectStep)
    with recorder.by_instructor():
        _ = simulation.act(sick.act.act)
    _ = simulation.act(DrainNode("n2"))

    assert [step.do for step in recorder.steps] == ["inject", "drain"]
