"""What an instructor does in a drill is in its record, is played again from there, and is none of the trainee's."""

import json
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.scenario.acts import DrainNode
from engine.training.debrief import debrief_of
from engine.training.exercise import DrillStage, Exercise
from engine.training.protocol import begins_at
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
    return read_record([json.dumps(table) for table in tables], begins_at(DRILL))


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
    assert read_record(written_steps(EVERY), begins_at(DRILL)) == EVERY


@pytest.mark.parametrize("do", ["inject", "message", "freeze", "backtrack"])
def test_no_file_of_acts_holds_what_an_instructor_does(do: str) -> None:
    with pytest.raises(ConfigError, match=do):
        _ = read_steps([json.dumps({"at": "1m", "do": do})], "acts.jsonl", begins_at(DRILL))


def test_going_back_leaves_out_what_came_after() -> None:
    """What was done at the instant itself stays; going back stays, too, and what follows it."""
    steps = record(SICK, {"at": "61s", "do": "hint"}, back("1m", "65s"), {"at": "62s", "do": "observe"})

    assert [(step.at_ms, step.do) for step in surviving(steps)] == [
        (60_000, "inject"),
        (60_000, "backtrack"),
        (62_000, "observe"),
    ]


def test_going_back_twice_keeps_what_is_before_the_earlier_instant() -> None:
    steps = record(SICK, back("90s", "2m"), back("30s", "100s"))

    assert [(step.at_ms, step.do) for step in surviving(steps)] == [(30_000, "backtrack")]
    assert injected(steps) == ()
    assert [step.do for step in injected(record(SICK))] == ["inject"]


def test_a_fault_injected_happens_and_is_no_act_of_the_trainee() -> None:
    """It counts neither as a step nor as a shortcut; one that cannot be done is refused."""
    nobody = {"at": "70s", "do": "inject", "act": {"do": "lose", "node": "n9"}}
    exercise = played(STAGE, record(SICK, nobody))
    score = ScoreBaselines(STAGE).score(exercise)

    assert [done.refused for done in exercise.log] == ["", "there is no node n9"]
    assert exercise.snapshot().header.nodes_down == 1
    assert [done.is_act for done in exercise.log] == [False] * 2
    assert exercise.used == {}
    assert score.steps == 0


def test_messages_and_a_clock_that_stands_change_nothing() -> None:
    words = record({"at": "1m", "do": "message", "words": "Hurry."}, {"at": "1m", "do": "freeze", "on": True})

    assert played(STAGE, words).harm == played(STAGE, ()).harm


def test_par_has_the_same_faults() -> None:
    faults = record(SICK)
    alone, alike = ScoreBaselines(STAGE), ScoreBaselines(STAGE, injected(faults))

    assert alone.par.harm.lost_s < alike.par.harm.lost_s
    assert alike.idle.harm.lost_s > 0


def test_the_debrief_shows_what_the_instructor_did() -> None:
    debrief = debrief_of(played(STAGE, EVERY), ScoreBaselines(STAGE, injected(EVERY)))
    rows = [row.cluster for row in debrief.rows if row.sign == "I"]

    assert rows == [
        "instructor: health n1 off",
        "instructor: submit x",
        "instructor: resize n2 16384 8",
        "the data team lead: Is it back?",
        "instructor: back to here from +1m30s",
    ]
    assert all(row.trainee == "" for row in debrief.rows if row.sign == "I")


def test_a_clock_that_stands_is_in_the_debrief() -> None:
    steps = record({"at": "1m", "do": "freeze", "on": True}, {"at": "1m", "do": "freeze", "on": False})
    rows = [row.cluster for row in debrief_of(played(STAGE, steps), ScoreBaselines(STAGE)).rows if row.sign == "I"]

    assert rows == ["instructor: the clock stands", "instructor: the clock goes on"]


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


def test_steps_that_were_taken_back_leave_no_trace() -> None:
    taken_back = record({"at": "50s", "do": "inject", "act": {"do": "lose", "node": "n2"}}, back("40s", "55s"))
    without = record(back("40s", "55s"))

    assert played(STAGE, (*taken_back, *record(SICK))).harm == played(STAGE, (*without, *record(SICK))).harm
