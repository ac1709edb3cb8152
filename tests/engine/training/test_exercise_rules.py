"""An exercise, step by step: counts of time, clues, refusals, shortcuts, goals, and when it is solved."""

import json
from typing import Any

import pytest

from engine.observe.snapshot import Snapshot
from engine.training.acts_file import read_record
from engine.training.exercise import Done, Exercise, Sample
from engine.training.instructor_steps import RecordedStep
from engine.training.protocol import begins_at
from engine.training.stage import DrillStage, note_clues
from tests.engine.live.rows import app, header, snapshot
from tests.engine.training.small_drill import small_drill

GOALS = 'goals = [{about = "all run", of = "applications", state = "RUNNING", what = "count", at_least = 3}]'
RAISE = {"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9"}
YES = {"do": "answer", "question": "fault", "answer": ["yes"]}


def steps(*tables: dict[str, Any]) -> tuple[RecordedStep, ...]:
    """Steps of a record."""
    return read_record([json.dumps(table) for table in tables], begins_at(small_drill()))


def taken(stage: DrillStage, *tables: dict[str, Any]) -> Exercise:
    """An exercise in which these were taken."""
    exercise = Exercise(stage)
    for step in steps(*tables):
        exercise.take(step)
    return exercise


@pytest.fixture(scope="module")
def stage() -> DrillStage:
    """The small drill at its beginning."""
    return DrillStage(small_drill())


def test_who_waits_is_counted_every_five_seconds_and_where_time_stops(stage: DrillStage) -> None:
    """Counted from the drill's beginning; one of three waits, the others hold a master and an instance each."""
    exercise = Exercise(stage)
    for to_ms in (12_000, 12_000, 13_000, 20_000, 4_000):
        exercise.advance(to_ms)

    assert exercise.samples == [Sample(at, 1, 4, 0) for at in (5_000, 10_000, 12_000, 13_000, 15_000, 20_000)]
    assert (exercise.now_ms, exercise.is_over) == (20_000, False)
    assert exercise.harm.waiting_s == 20


def test_time_does_not_pass_beyond_the_end(stage: DrillStage) -> None:
    """Then it is over."""
    exercise = Exercise(stage)
    exercise.advance(10**9)

    assert (exercise.now_ms, exercise.is_over, exercise.samples[-1].at_ms) == (300_000, True, 300_000)


@pytest.mark.parametrize(
    ("at_ms", "step", "refused"),
    [
        (0, {"do": "answer", "question": "node", "answer": ["n"]}, "UnknownQuestion|no question about the node"),
        (0, {"do": "why", "application": "77"}, "no single application is meant by 77"),
        (0, {"do": "why", "application": "notebook"}, "no single application is meant by notebook"),
        (300_000, {"do": "hint"}, "the drill is over"),
        (299_999, {"do": "hint"}, ""),
    ],
)
def test_what_cannot_be_done_is_refused(stage: DrillStage, at_ms: int, step: dict[str, Any], refused: str) -> None:
    """With why; it is in the log all the same."""
    (done,) = taken(stage, {**step, "at": f"{at_ms}ms"}).log

    assert bool(done.refused) == bool(refused)
    assert any(words in done.refused for words in refused.split("|"))
    assert (done.at_ms, done.is_act, done.is_instructors) == (at_ms, False, False)


def test_who_ends_the_exercise_does_nothing_more(stage: DrillStage) -> None:
    """But may still say what it is worth."""
    exercise = taken(stage, {"do": "finish", "at": 5}, {"do": "hint"}, {"do": "assess", "points": 5})

    assert (exercise.finished_ms, exercise.is_over) == (5_000, True)
    assert [bool(done.refused) for done in exercise.log] == [False, True, False]


def test_hints_are_given_one_after_the_other(stage: DrillStage) -> None:
    """Then there are no more."""
    exercise = taken(stage, *[{"do": "hint", "at": 1}] * 3)

    assert [done.said for done in exercise.log] == [*stage.drill.drill.hints, ""]
    assert (exercise.hints, "no more hints" in exercise.log[-1].refused) == (2, True)


@pytest.mark.parametrize(
    ("answers", "worth"),
    [
        ([["masters"]], 1.0),
        ([["nodes"], ["masters"]], 0.5),
        ([["nodes"], ["users"], ["masters"]], 0.25),
        ([["masters"], ["nodes"]], 0),
        ([["masters", "nodes"]], 0.5),
    ],
)
def test_the_last_answer_counts_and_each_before_halves_it(
    stage: DrillStage, answers: list[list[str]], worth: float
) -> None:
    """Those to other questions do not."""
    tables = [{"do": "answer", "question": "cause", "answer": answer, "at": 3} for answer in answers]
    exercise = taken(stage, YES, *tables)

    assert (exercise.answers["cause"].worth, exercise.answers["cause"].at_ms) == (worth, 3_000)
    assert exercise.answers["cause"].answer == tuple(answers[-1])
    assert (exercise.log[-1].said, exercise.answers["fault"].worth) == ("noted", 1)


def test_acts_on_everything_are_logged_one_by_one(stage: DrillStage) -> None:
    """Then the step itself."""
    killed = taken(stage, {"do": "kill-everything", "at": 5})
    drained = taken(stage, {"do": "drain-everything", "at": 5})

    assert [done.step.do for done in killed.log] == ["kill"] * 3 + ["kill-everything"]
    assert {done.at_ms for done in killed.log} == {5_000}
    assert [done.step.do for done in drained.log] == ["drain"] * 2 + ["drain-everything"]


@pytest.mark.parametrize(
    ("rule", "tables", "used"),
    [
        ('do = ["kill"]', [{"do": "kill", "application": "2", "at": 4}], {"kill everything": 4_000}),
        ('do = ["drain"]', [{"do": "kill", "application": "2", "at": 4}], {}),
        ('do = ["*"]', [{**RAISE, "at": 4}], {"kill everything": 4_000}),
        ('do = ["*"]', [{**YES, "at": 4}, {"do": "hint"}], {}),
        ('do = ["kill"]\nat_most = 1', [{"do": "kill", "application": "2", "at": 4}], {}),
        (
            'do = ["kill"]\nat_most = 1',
            [{"do": "kill", "application": "2", "at": 4}, {"do": "kill", "application": "3", "at": 9}],
            {"kill everything": 9_000},
        ),
        ('do = ["kill"]\napplications = ["3"]', [{"do": "kill", "application": "2", "at": 4}], {}),
        (
            'do = ["kill"]\napplications = ["3"]',
            [{"do": "kill", "application": "3", "at": 4}, {"do": "hint", "at": 9}],
            {"kill everything": 4_000},
        ),
        ('do = ["kill"]', [{"do": "inject", "act": {"do": "kill", "application": "2"}, "at": 4}], {}),
    ],
)
def test_a_shortcut_is_used_where_more_is_done_than_allowed(
    rule: str, tables: list[dict[str, Any]], used: dict[str, int]
) -> None:
    """By the trainee, of those kinds, on those applications; when it was first so."""
    exercise = taken(DrillStage(small_drill('do = ["kill"]', rule)), *tables)

    assert exercise.used == used


def test_an_act_that_an_instructor_injects_is_the_instructors(stage: DrillStage) -> None:
    """It is done, and is no act of the trainee."""
    exercise = taken(stage, {"do": "inject", "act": {"do": "kill", "application": "2"}, "at": 4})
    exercise.advance(6_000)

    assert [(done.is_act, done.is_instructors, done.refused) for done in exercise.log] == [(False, True, "")]
    assert set(exercise.sacrificed) == {2}


def test_goals_are_told_with_when_they_were_met() -> None:
    """In words of their own, or in those of what was measured."""
    words = GOALS.replace("at_least = 3}", 'at_least = 3}, {of = "cluster", what = "nodes", at_least = 2}')
    exercise = taken(DrillStage(small_drill(GOALS, words)), {**RAISE, "at": 30})
    exercise.complete()
    (first, second), idle = exercise.goals_met(), Exercise(DrillStage(small_drill()))
    idle.complete()

    assert first[0] == "all run"
    assert first[1] is not None
    assert 30_000 < first[1] <= 40_000
    assert second[0]
    assert idle.goals_met() == (("all run", None),)


@pytest.mark.parametrize(
    ("goals", "tables", "solved_ms"),
    [
        (GOALS, [], None),
        ("", [YES], None),
        ("", [{"do": "answer", "question": "cause", "answer": ["masters"], "at": 7}], 7_000),
        ("", [{"do": "answer", "question": "cause", "answer": ["masters", "nodes"], "at": 7}], 7_000),
        ("", [{"do": "answer", "question": "cause", "answer": ["nodes"], "at": 7}], None),
        (
            'goals = [{of = "cluster", what = "nodes", at_least = 2, until = 60}]',
            [{"do": "answer", "question": "cause", "answer": ["masters"], "at": 7}, {**RAISE, "at": 9}],
            9_000,
        ),
        (
            'goals = [{of = "cluster", what = "nodes", at_least = 3, until = 60}]',
            [{"do": "answer", "question": "cause", "answer": ["masters"], "at": 7}],
            None,
        ),
    ],
)
def test_it_is_solved_when_the_last_of_all_is_right(
    goals: str, tables: list[dict[str, Any]], solved_ms: int | None
) -> None:
    """Every goal and every answer that must be; a limit that is kept counts from the last act."""
    must = "" if goals == GOALS else "must = true, "
    drill = small_drill(f"{GOALS}\nquestions = [{{", f"{goals}\nquestions = [{{{must}")
    exercise = taken(DrillStage(drill), *tables)
    exercise.complete()

    assert exercise.solved_ms() == solved_ms


def test_names_mean_one_application(stage: DrillStage) -> None:
    """By number or id; not by a name that several have."""
    exercise = Exercise(stage)
    row = exercise.named("2")

    assert row is not None
    assert exercise.named(row.id) == row
    assert (exercise.named("notebook"), exercise.named("9")) == (None, None)


def test_listeners_hear_what_happens_from_the_beginning_on(stage: DrillStage) -> None:
    """And a fork goes its own way."""
    heard: list[int] = []

    class Listener:
        """Notes instants."""

        def records(self, time_ms: int, records: Any) -> None:
            """Of records."""
            heard.append(time_ms)

    exercise = Exercise(stage, [Listener()])
    for step in steps({"do": "kill", "application": "2", "at": 5}):
        exercise.take(step)
    exercise.advance(9_000)

    assert heard
    assert min(heard) >= stage.drill.begins_ms
    assert exercise.fork().now_ms == stage.drill.begins_ms + 9_000


def waits(count: int) -> Snapshot:
    """So many applications are ACCEPTED."""
    return snapshot(header(), applications=[app(number, state="ACCEPTED") for number in range(count)])


def test_a_clue_is_noted_once_it_shows_and_once_it_is_gone() -> None:
    """The first time of both; without `gone` only that it shows."""
    clues = small_drill().drill.clues
    seen: dict[str, int] = {}
    gone: dict[str, int] = {}
    for now_ms, count in ((1, 0), (2, 1), (3, 1), (4, 0), (5, 1), (6, 0)):
        note_clues(clues, waits(count), now_ms, seen, gone)
    alone: dict[str, int] = {}
    for now_ms, count in ((1, 0), (2, 1), (3, 0), (4, 1)):
        note_clues(clues, waits(count), now_ms, alone)

    assert (seen, gone, alone) == ({"one waits": 2}, {"one waits": 4}, {"one waits": 2})


def test_a_drill_may_begin_with_its_scenario() -> None:
    """Clues of that instant are looked for, too, and goals count from there."""
    drill = small_drill('begins = "09:05"', "begins = 0")
    shown = drill.drill.clues[0].shown.model_copy(update={"state": "RUNNING", "at_least": 0})
    clue = drill.drill.clues[0].model_copy(update={"shown": shown})
    changed = drill.drill.model_copy(update={"clues": (clue,)})
    begun = DrillStage(drill.model_copy(update={"drill": changed}))

    assert begun.seen == {"one waits": 0}
    assert (begun.at_stake_s, DrillStage(drill).seen) == (0, {})
    assert [goal.within_ms for goal in begun.goals] == [300_000]


def test_the_stage_knows_what_was_seen_and_is_at_stake(stage: DrillStage) -> None:
    """One waits from ten seconds on; two masters and two instances have run for nearly five minutes."""
    assert stage.seen == {"one waits": -290_000}
    assert 4 * 280 < stage.at_stake_s < 4 * 300
    assert stage.simulation.now_ms == stage.drill.begins_ms
    moved = DrillStage(small_drill("at_least = 3}", "at_least = 3, at = 60}")).goals
    assert [goal.at_ms for goal in moved] == [360_000]


@pytest.mark.parametrize(
    ("step", "refused", "is_act", "is_instructors"),
    [
        (RAISE, "", True, False),
        (RAISE, "no", False, False),
        (YES, "", False, False),
        ({"do": "kill-everything"}, "", True, False),
        ({"do": "note", "words": "x"}, "", False, True),
    ],
)
def test_a_step_is_an_act_where_it_changed_the_cluster(
    step: dict[str, Any], refused: str, *, is_act: bool, is_instructors: bool
) -> None:
    """By the trainee."""
    done = Done(0, steps(step)[0], refused)

    assert (done.is_act, done.is_instructors) == (is_act, is_instructors)
