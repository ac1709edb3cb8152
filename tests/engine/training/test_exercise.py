"""Exercises: what a trainee does is taken, watched and scored."""

import json
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_overrides import parse
from engine.training.drill import DrillScenario, drill_of
from engine.training.exercise import DrillStage, Exercise, TakenStep
from engine.training.protocol import ProgramScreen, brief_of, converse, score_of
from engine.training.score import Score, ScoreBaselines, played
from engine.training.steps import RecordedStep, injected, read_record, read_steps
from tests.engine.training.small_drill import TEXT, small_drill

RAISE = '{"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9"%s}'


@pytest.fixture(scope="module")
def stage() -> DrillStage:
    return DrillStage(small_drill())


@pytest.fixture(scope="module")
def yardstick(stage: DrillStage) -> ScoreBaselines:
    return ScoreBaselines(stage)


def scored(yardstick: ScoreBaselines, *lines: str) -> Score:
    drill: DrillScenario = yardstick.stage.drill
    return yardstick.score(played(yardstick.stage, read_steps(lines, "", drill.begins)))


def points(score: Score) -> dict[str, float]:
    return {line.what: line.points for line in score.lines}


def test_the_protocol_answers_each_line(stage: DrillStage, yardstick: ScoreBaselines) -> None:
    """Brief, rows of a pane, a verdict, problems of a wrong line, an act, the end, the score."""
    screen = ProgramScreen(stage)
    exercise = screen.exercise
    lines = [
        '{"do": "observe", "pane": "Applications"}',
        '{"do": "why", "application": "2", "at": 5}',
        '{"do": "kil"}',
        RAISE % "",
        '{"do": "advance", "at": "1m"}',
        '{"do": "finish"}',
        '{"do": "hint"}',
    ]
    replies = [json.loads(json.dumps(reply)) for reply in converse(screen, lines)]
    assert [reply["ok"] for reply in replies] == [True, True, False, True, True, True]
    assert len(replies[0]["applications"]) == 3
    assert replies[1]["why"]["verdict"]
    assert "did you mean kill" in replies[2]["problems"][0]
    assert not any("solved" in reply for reply in replies)
    assert replies[-1]["at_s"] == 60
    assert brief_of(stage.drill)["lasts_s"] == 300
    assert score_of(exercise, yardstick)["solved"] is True


def test_a_file_of_steps_reports_all_mistakes(stage: DrillStage) -> None:
    with pytest.raises(ConfigError) as raised:
        read_steps(
            ['{"do": "kill"}', "x", '{"do": "kill", "application": "1", "at": "soon"}'],
            "a.jsonl",
            stage.drill.begins,
        )
    assert sorted(problem.line for problem in raised.value.problems) == [1, 2, 3]


ACT = next(line.strip() for line in TEXT.splitlines() if "at = 30" in line).rstrip(",")
KILLING = '{"do": "kill", "application": "1", "at": %s}'


def killing_drill() -> DrillScenario:
    """The drill whose reference kills a notebook after 30 s, which then makes room for the third."""
    text = TEXT.replace(ACT, '{at = 30, do = "kill", application = "1"}').replace(
        'what = "count", at_least = 3}]', 'what = "count", at_least = 2}]'
    )
    return drill_of(parse(text, "killing.toml"))


def test_an_end_that_par_brings_too_costs_nothing_when_it_comes_earlier() -> None:
    """Neither work nor waiting at the instant of par or before; later than par the longer run is lost."""
    killing = ScoreBaselines(DrillStage(killing_drill()))
    lines = [points(scored(killing, KILLING % at)) for at in (0, 29, 30, 290)]
    assert [(one["work kept"], one["waiting"]) for one in lines[:3]] == [(10, 10)] * 3
    assert lines[3]["work kept"] < 10


def test_an_act_that_no_release_has_costs_as_a_patch() -> None:
    settings = TEXT[TEXT.index("[settings]") : TEXT.index("[[workload]]")]
    text = TEXT.replace(settings, "").replace("capacity-2.7", "fair-2.7").replace(f"  {ACT},\n", "")
    text = text.replace("teaches =", 'may = ["patch"]\nteaches =')
    fair = ScoreBaselines(DrillStage(drill_of(parse(text, "fair.toml"))))
    rule = '{"do": "reservation-rule", "rule": "%s", "at": 1}'
    assert points(scored(fair, rule % "limited", rule % "off"))["patch: reservation-rule"] == -10
    assert "patch: reservation-rule" not in points(scored(fair))


# An exercise, step by step: counts of time, clues, refusals, shortcuts, goals, and when it is solved.

GOALS = 'goals = [{about = "all run", of = "applications", state = "RUNNING", what = "count", at_least = 3}]'
EXERCISE_RULES_RAISE = {
    "do": "queue-setting",
    "queue": "root.default",
    "key": "maximum-am-resource-percent",
    "value": "0.9",
}
YES = {"do": "answer", "question": "fault", "answer": ["yes"]}


def steps(*tables: dict[str, Any]) -> tuple[RecordedStep, ...]:
    return read_record([json.dumps(table) for table in tables], small_drill().begins)


def taken(stage: DrillStage, *tables: dict[str, Any]) -> Exercise:
    exercise = Exercise(stage)
    for step in steps(*tables):
        exercise.take(step)
    return exercise


@pytest.mark.parametrize(
    ("at_ms", "step", "refused"),
    [
        (0, {"do": "answer", "question": "node", "answer": ["n"]}, "UnknownQuestion|no question about the node"),
        (0, {"do": "why", "application": "77"}, "no application, or more than one, matches 77"),
        (0, {"do": "why", "application": "notebook"}, "no application, or more than one, matches notebook"),
        (300_000, {"do": "hint"}, "the drill is over"),
        (299_999, {"do": "hint"}, ""),
    ],
)
def test_what_cannot_be_done_is_refused(stage: DrillStage, at_ms: int, step: dict[str, Any], refused: str) -> None:
    (done,) = taken(stage, {**step, "at": f"{at_ms}ms"}).log

    assert bool(done.refused) == bool(refused)
    assert any(words in done.refused for words in refused.split("|"))
    assert (done.at_ms, done.is_act, done.is_instructors) == (at_ms, False, False)


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
    tables = [{"do": "answer", "question": "cause", "answer": answer, "at": 3} for answer in answers]
    exercise = taken(stage, YES, *tables)

    assert (exercise.answers["cause"].worth, exercise.answers["cause"].at_ms) == (worth, 3_000)
    assert exercise.answers["cause"].answer == tuple(answers[-1])
    assert (exercise.log[-1].said, exercise.answers["fault"].worth) == ("noted", 1)


NO_SUBMIT = "nothing may be submitted for others in this drill"
NO_HARDWARE = "there is no hardware to be had in this drill"
OFFER = '[[drill.hardware]]\ndo = "add-node"\nmemory = "8g"\nvcores = 8\nat = 30\nprice = 250\n'
ADD = {"do": "add-node", "host": "n3", "memory": "8g", "vcores": 8}


@pytest.mark.parametrize(
    ("drill", "table", "refused"),
    [
        ("", {"do": "lose", "node": "n1"}, "lose breaks something: no operator does it"),
        ("", {"do": "master_lost", "application": "1"}, "master_lost breaks something: no operator does it"),
        ("", {"do": "rm_lost"}, "rm_lost breaks something: no operator does it"),
        ("", {"do": "health", "node": "n1", "healthy": False}, "health breaks something: no operator does it"),
        ("", {"do": "health", "node": "n1", "healthy": True}, ""),
        ("", {"do": "rm_restart"}, "nothing may be restarted in this drill"),
        ('may = ["restart"]', {"do": "rm_restart"}, ""),
        ("", {"do": "submit", "application": {"type": "scripted", "name": "x", "user": "y"}}, NO_SUBMIT),
        ("", {"do": "resize", "node": "n1", "memory": "9g", "vcores": 8}, NO_HARDWARE),
        ("", {"do": "resize", "node": "n1", "memory": "8g", "vcores": 4}, ""),
        (OFFER, {**ADD, "at": 29}, "the hardware is there at +0m30s"),
        (OFFER, {**ADD, "at": 30}, ""),
        (OFFER, {**ADD, "at": 30, "memory": "9g"}, "the hardware offered has 8192 MB and 8 vcores a node"),
        ("", {"do": "inject", "act": {"do": "lose", "node": "n1"}}, ""),
    ],
)
def test_a_trainee_does_what_an_operator_can(drill: str, table: dict[str, Any], refused: str) -> None:
    """What breaks something is the instructor's; restarts, submissions and hardware take the drill's permission."""
    old = "[[drill.clues]]" if drill == OFFER else "teaches ="
    new = f"{drill}\n{old}"
    exercise = taken(DrillStage(small_drill(old, new)), table)

    assert exercise.log[-1].refused == refused


def test_hardware_is_counted_and_has_a_price() -> None:
    yardstick = ScoreBaselines(DrillStage(small_drill("[[drill.clues]]", f"{OFFER}[[drill.clues]]")))
    exercise = taken(yardstick.stage, {**ADD, "at": 30}, {**ADD, "host": "n4"})
    lines = {line.what: (line.measured, line.points) for line in yardstick.score(exercise).lines}

    assert exercise.log[-1].refused == "no more than 1 can be had"
    assert lines["hardware"] == ("250 spent", -2)


@pytest.mark.parametrize(
    ("accepts", "tables", "beyond"),
    [
        ("ended = 0", [{"do": "kill", "application": "2", "at": 4}], ["applications ended"]),
        ("ended = 1", [{"do": "kill", "application": "2", "at": 4}], []),
        ("work_lost = 40", [{"do": "kill", "application": "2", "at": 4}], ["work lost", "applications ended"]),
        ("", [{"do": "drain", "node": "n1", "at": 4}], []),
        ("", [{**EXERCISE_RULES_RAISE, "at": 4}], []),
        ("", [{"do": "inject", "act": {"do": "kill", "application": "2"}, "at": 4}], []),
    ],
)
def test_harm_is_judged_by_what_the_cluster_suffers(
    accepts: str, tables: list[dict[str, Any]], beyond: list[str]
) -> None:
    """Whatever was done, and beyond what happens when nothing is; what an instructor does is nobody's."""
    limits = "\n".join(("[drill.accepts]", *["work_lost = 100"] * ("lost" not in accepts), accepts))
    stage = DrillStage(small_drill("[[drill.clues]]", f"{limits}\n[[drill.clues]]"))
    record = steps(*tables)
    yardstick = ScoreBaselines(stage, injected(record))

    assert [name for name, _ in yardstick.unaccepted(played(stage, record))] == beyond


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
            [{"do": "answer", "question": "cause", "answer": ["masters"], "at": 7}, {**EXERCISE_RULES_RAISE, "at": 9}],
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

    assert exercise.put_right_ms() == solved_ms


@pytest.mark.parametrize(
    ("step", "refused", "is_act", "is_instructors"),
    [
        (EXERCISE_RULES_RAISE, "", True, False),
        (EXERCISE_RULES_RAISE, "no", False, False),
        (YES, "", False, False),
        ({"do": "note", "words": "x"}, "", False, True),
    ],
)
def test_a_step_is_an_act_where_it_changed_the_cluster(
    step: dict[str, Any], refused: str, *, is_act: bool, is_instructors: bool
) -> None:
    done = TakenStep(0, steps(step)[0], refused)

    assert (done.is_act, done.is_instructors) == (is_act, is_instructors)
