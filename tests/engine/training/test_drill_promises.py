"""The check of a drill: each promise, held and broken, with what is said of it; and what a drill file refuses."""

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_overrides import parse
from engine.training.drill import DrillScenario, drill_of
from engine.training.drill_check import CheckLine, check_drill, check_tactics
from engine.training.exercise import DrillStage
from engine.training.score import ScoreBaselines
from engine.training.tactics import at_once
from tests.engine.training.small_drill import TEXT, small_drill

ALL_WELL = [
    CheckLine("nothing is done: unsolved", True),
    CheckLine("reference: solved", True, "100 points"),
    CheckLine("answers: fault", True),
    CheckLine("answers: cause", True),
    CheckLine("hints name what is there", True),
    CheckLine("clue: one waits", True),
    CheckLine("brief names symptoms only", True),
]


def baselines(drill: DrillScenario) -> ScoreBaselines:
    return ScoreBaselines(DrillStage(drill))


def line(what: str, old: str = "", new: str = "") -> CheckLine:
    """What the check says of one promise of a changed drill."""
    return next(each for each in check_drill(baselines(small_drill(old, new))) if each.what == what)


def test_a_drill_that_keeps_its_promises_passes() -> None:
    assert list(check_drill(baselines(small_drill()))) == ALL_WELL


CAUSE = 'answers = ["masters"], choices = ["masters", "nodes", "users"]'
RAISED = (
    '  {at = 30, do = "queue-setting", queue = "root.default", key = "maximum-am-resource-percent", value = "0.9"},\n'
)


@pytest.mark.parametrize(
    ("what", "old", "new", "detail"),
    [
        ("nothing is done: unsolved", "at_least = 3}", "at_least = 1}", "it is solved"),
        ("reference: solved", RAISED, "", "not met: all run"),
        ("reference: solved", 'answer = ["masters"]', 'answer = ["nodes"]', "not answered right: cause"),
        ("reference: solved", '"fault", answer = ["yes"]', '"fault", answer = ["no"]', "not answered right: fault"),
        (
            "reference: solved",
            RAISED,
            f'{RAISED}  {{at = 200, do = "kill", application = "1"}},\n',
            "not accepted: applications ended, 1 application",
        ),
        (
            "kill one: solved",
            "[[drill.clues]]",
            '[[drill.ways]]\nname = "kill one"\nsteps = [{at = 30, do = "kill", application = "1"}]\n[[drill.clues]]',
            "-15 points; not accepted: work lost 56 %; not accepted: applications ended 1 application",
        ),
        ("hints name what is there", "`Queues`", "`Quues`", "not on the screen: Quues"),
        ("clue: one waits", 'pane = "Queues"', 'pane = "Screen"', "Screen is not a pane here"),
        ("clue: one waits", 'what = "count", at_least = 1', 'what = "count", at_least = 9', "never shows"),
        ("brief names symptoms only", "stays ACCEPTED", "waits for Masters", "names masters"),
        (
            "answers: queue",
            f"{CAUSE}}}",
            f'{CAUSE}}}, {{asks = "queue", text = "?", answers = ["root.nowhere"]}}',
            "not there: root.nowhere",
        ),
        (
            "answers: queue",
            f"{CAUSE}}}",
            f'{CAUSE}}}, {{asks = "queue", text = "?", answers = ["default"], choices = ["default", "root.default"]}}',
            "taken, too: root.default",
        ),
    ],
)
def test_what_is_broken_is_said(what: str, old: str, new: str, detail: str) -> None:
    assert line(what, old, new) == CheckLine(what, False, detail)


@pytest.mark.parametrize(
    ("accepts", "cheats"),
    [("", []), ("[drill.accepts]\nended = 3\nwork_lost = 1000\n", ["tactic: kill all"])],
)
def test_a_blunt_tactic_that_solves_a_drill_is_found(accepts: str, cheats: list[str]) -> None:
    """A goal that killing everybody meets takes a limit on who is killed."""
    text = TEXT.replace('"RUNNING", what = "count", at_least = 3', '"RUNNING", what = "count", at_most = 1')
    drill = drill_of(parse(text.replace("[[drill.clues]]", f"{accepts}[[drill.clues]]"), "s.toml"))

    assert [line.what for line in check_tactics(baselines(drill)) if not line.ok] == cheats
    returning = next(each for each in at_once(baselines(drill).stage) if each.name == "drain and return")
    assert [step.at_ms for step in returning.steps] == [10_000] * 2 + [40_000] * 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('asks = "cause", text', 'asks = "fault", text', "asks twice about the fault"),
        (
            f"{CAUSE}}}]",
            f'{CAUSE}}}, {{asks = "cause", text = "?", answers = ["x"]}}]',
            "asks twice about the cause",
        ),
        ("goals = [", "goals = []\n# [", "has neither goals nor a question that must be answered"),
        (
            '"applications", state = "ACCEPTED", what = "count"',
            '"decisions", what = "allocated"',
            "the clue 'one waits' is about decisions, which no pane shows: name what stands there",
        ),
        (CAUSE, 'answers = ["x"], choices = ["y"]', "the answer 'x' is not among the choices"),
        ('begins = "09:05"', 'begins = "soon"', "drill.begins"),
        ('lasts = "5m"', "lasts = 0", "drill.lasts"),
        ('lasts = "5m"', 'lasts = "15m1s"', "ends after the scenario does"),
        ('lasts = "5m"', 'lasts = "5m"\nmay = ["start"]', "did you mean restart?"),
        ('question = "cause"', 'question = "node"', "there is no question about the node"),
        ("{at = 30,", '{at = "5m1s",', "is after the end"),
        ('teaches = "the', 'before = "nothing-start"\nteaches = "the', "did you mean nothing-starts?"),
    ],
)
def test_a_drill_that_cannot_be_one_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        small_drill(old, new)
    assert any(said in str(each) for each in caught.value.problems)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("goals = [", "fault = false\ngoals = []\nx = ["),
        ('{asks = "cause",', '{must = true, asks = "cause",'),
    ],
)
def test_a_drill_without_goals_needs_an_answer_that_must_be(old: str, new: str) -> None:
    text = TEXT.replace(old, new, 1)
    if "x = [" in new:
        text = "\n".join(each for each in text.splitlines() if not each.startswith("x = ["))
    else:
        text = "\n".join(each for each in text.splitlines() if not each.startswith("goals = "))

    assert drill_of(parse(text, "s.toml")).drill.goals == ()
