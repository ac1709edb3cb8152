"""The check of a drill: each promise, held and broken, with what is said of it; and what a drill file refuses."""

import tomllib
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_layers import parse
from engine.formats.scenario_toml import load, loads
from engine.training.draft import EDIT, draft_drill
from engine.training.drill_check import CheckLine, check_drill, known_names
from engine.training.drill_file import drill_of, find_drill, load_drill, packaged_drills
from engine.training.stage import DrillStage
from tests.engine.training.small_drill import TEXT, small_drill

ALL_WELL = [
    CheckLine("nothing is done: unsolved", True),
    CheckLine("reference: solved", True, "100 points"),
    CheckLine("shortcut: kill everything: unsolved", True),
    CheckLine("answers: fault", True),
    CheckLine("answers: cause", True),
    CheckLine("hints name what is there", True),
    CheckLine("clue: one waits", True),
    CheckLine("brief names symptoms only", True),
]


def line(what: str, old: str = "", new: str = "") -> CheckLine:
    """What the check says of one promise of a changed drill."""
    return next(each for each in check_drill(small_drill(old, new)) if each.what == what)


def test_a_drill_that_keeps_its_promises_passes() -> None:
    """Each of them is a line."""
    assert list(check_drill(small_drill())) == ALL_WELL


HINT = "Raise maximum-am-resource-percent of `root.default`."
CAUSE = 'answers = ["masters"], choices = ["masters", "nodes", "users"]'
TRIED = 'tried = [{at = 0, do = "kill-everything"}]'
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
            "forbidden: kill everything",
        ),
        (
            "shortcut: kill everything: unsolved",
            TRIED,
            'tried = [{at = 0, do = "hint"}]',
            "is not noticed: hint",
        ),
        ("hints name what is there", "`Queues`", "`Quues`", "not on the screen: Quues"),
        ("clue: one waits", 'pane = "Queues"', 'pane = "Screen"', "Screen is no pane"),
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
    """With how."""
    assert line(what, old, new) == CheckLine(what, False, detail)


@pytest.mark.parametrize("brief", ["a mastersman", "the master", "remasters"])
def test_only_whole_words_give_an_answer_away(brief: str) -> None:
    """In the brief."""
    assert line("brief names symptoms only", "stays ACCEPTED", brief).ok


@pytest.mark.parametrize(
    ("hints", "detail"),
    [
        ('["no name", "nor here"]', "name nothing in backquotes"),
        ('["`n1` `n1:8041` `/default-rack` `ann` `ACCEPTED` `notebook` `default`", "`root.default`"]', ""),
        ('["`maxResources` `am-share` `yarn.a.b-c` `spark.x` `schedlab.y`", "x"]', ""),
        ('["`Max` `n3`", "`x_y`"]', "not on the screen: Max, n3, x_y"),
    ],
)
def test_hints_name_things_panes_and_settings(hints: str, detail: str) -> None:
    """That are there, or are spelt as keys are."""
    found = line("hints name what is there", f'["Look at `Queues`.", "{HINT}"]', hints)

    assert (found.ok, found.detail) == (not detail, detail)


def test_known_names_are_those_on_the_screen() -> None:
    """Of nodes, applications and queues, of panes and settings."""
    drill = small_drill()
    names = known_names(DrillStage(drill), drill)

    assert {"n1", "n1:8041", "/default-rack", "notebook", "ann", "1", "RUNNING", "ACCEPTED", "root.default"} <= names
    assert {"Applications", "Why", "yarn.scheduler.capacity.root.queues", "default", "root"} <= names
    assert "application_1709542800000_0003" in names


def test_an_exam_is_checked_beside_the_drill() -> None:
    """Its lines come last; its pages name no answer."""
    pages = '[[drill.exam.pages]]\nat = 60\nsender = "ines"\nwords = "the masters are late"\n[[drill.forbidden]]'
    found = list(check_drill(small_drill("[[drill.forbidden]]", pages)))

    assert found[: len(ALL_WELL)] == ALL_WELL
    assert found[len(ALL_WELL) :] == [
        CheckLine("exam: nothing is done: unsolved", True),
        CheckLine("exam: reference: solved", True, "100 points"),
        CheckLine("exam: brief names symptoms only", False, "names masters"),
        CheckLine("exam: readings are of nodes", True),
    ]


def problems(old: str, new: str) -> list[str]:
    """What is refused of a drill."""
    with pytest.raises(ConfigError) as caught:
        small_drill(old, new)
    return [str(each) for each in caught.value.problems]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('lasts = "5m"', 'lasts = "15m1s"', "small.toml:30: drill.lasts: ends after the scenario does"),
        (
            "{at = 30,",
            '{at = "300001ms",',
            "small.toml:41: drill.reference.2.at: is after the end",
        ),
        (
            '"fault", answer = ["yes"]',
            '"node", answer = ["yes"]',
            "small.toml:39: drill.reference.0.question: there is no question about the node",
        ),
        (
            'do = ["kill"]',
            'do = ["kill", "klil"]',
            "small.toml:52: drill.forbidden.0.do: 'klil' is no act (did you mean kill?)",
        ),
        ("minutes = 5", 'minutes = 5\nbefore = "nowhere"', "small.toml:32: drill.before: there is no drill nowhere"),
    ],
)
def test_parts_that_do_not_fit_are_named_by_their_place(old: str, new: str, said: str) -> None:
    """File, line and key."""
    assert problems(old, new) == [said]


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
    ],
)
def test_a_drill_that_cannot_be_one_is_refused(old: str, new: str, said: str) -> None:
    """Whatever else is wrong."""
    assert any(said in each for each in problems(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("goals = [", "fault = false\ngoals = []\nx = ["),
        ('{asks = "cause",', '{must = true, asks = "cause",'),
    ],
)
def test_a_drill_without_goals_needs_an_answer_that_must_be(old: str, new: str) -> None:
    """A quiet one has that question by itself."""
    text = TEXT.replace(old, new, 1)
    if "x = [" in new:
        text = "\n".join(each for each in text.splitlines() if not each.startswith("x = ["))
    else:
        text = "\n".join(each for each in text.splitlines() if not each.startswith("goals = "))

    assert drill_of(parse(text, "s.toml")).drill.goals == ()


@pytest.mark.parametrize(("begins", "found"), [("300", 300_000), ('"5m"', 300_000), ("300.5", 300_500), ("0", 0)])
def test_a_drill_begins_at_an_instant(begins: str, found: int) -> None:
    """In seconds, as a duration, or by the clock."""
    assert small_drill('begins = "09:05"', f"begins = {begins}").drill.begins_ms == found


def test_drills_are_found_by_name_and_by_path(tmp_path: Any) -> None:
    """Packaged ones first; what is not there is said."""
    name = packaged_drills()[0]
    path = tmp_path / "mine.toml"
    path.write_text(TEXT)

    assert list(packaged_drills()) == sorted(packaged_drills())
    assert find_drill(name).name == f"{name}.toml"
    assert load_drill(str(path)).name == "mine"
    assert find_drill("other.toml").name == "other.toml"
    with pytest.raises(ConfigError, match="there is no drill called"):
        find_drill("no-such-drill-at-all")


BASE = TEXT[: TEXT.index("[drill]")]


def drafted(around_ms: int, base: str = BASE) -> dict[str, Any]:
    """A draft around an instant, as a table."""
    return tomllib.loads(draft_drill(loads(base, "small"), "small", around_ms))


def test_a_draft_around_one_who_waits_asks_for_it() -> None:
    """Whole, but for the solution that was found."""
    found = drafted(300_000)
    drill = found["drill"]
    steps = drill.pop("reference")

    assert {key: found[key] for key in ("extends", "title", "expectations")} == {
        "extends": "small",
        "title": f"{EDIT}a title",
        "expectations": [],
    }
    assert drill == {
        "brief": "Monday, 09:05. Applications wait; 25 % of the memory is used on 2 nodes.\n\n"
        f"{EDIT}who reports what; no cause.",
        "task": [f"{EDIT}what is to be reached"],
        "begins": "300000ms",
        "lasts": "10m",
        "minutes": 10,
        "difficulty": "practised",
        "teaches": f"{EDIT}one sentence",
        "hints": ["Ask why `3` waits, in `Applications`.", drill["hints"][1]],
        "debrief": f"{EDIT}the cause, and what there is to learn.",
        "goals": [
            {
                "about": "notebook gets what it waits for",
                "of": "application",
                "application": "3",
                "what": "containers",
                "at_least": 1,
            }
        ],
        "questions": drill["questions"],
        "clues": [
            {
                "pane": "Applications",
                "about": "notebook waits",
                "shown": {"of": "application", "application": "3", "what": "state", "equals": "ACCEPTED"},
            }
        ],
        "forbidden": [
            {
                "name": "kill everything",
                "reason": "the users' work is what the cluster is for",
                "do": ["kill"],
                "at_most": sum(step["do"] == "kill" for step in steps),
                "tried": [{"at": 0, "do": "kill-everything"}],
            }
        ],
    }
    assert steps[0] == {"at": 15, "do": "answer", "question": "fault", "answer": ["yes"]}
    assert steps[-1]["at"] == 60
    causes = [each for each in drill["questions"] if each["asks"] == "cause"]
    assert [(each["answers"], each["choices"]) for each in causes] == [
        (["AM limit"], ["AM limit", "lost nodes", "queue limit", "user limit"])
    ]
    assert {step["at"] for step in steps if step["do"] == "answer"} <= {15, 30, 45}


def test_a_draft_around_a_quiet_instant_asks_for_nothing() -> None:
    """Nobody waits, and nothing is to be done."""
    quiet = BASE.replace("times = 3", "times = 2")
    drill = drafted(60_000, quiet)["drill"]

    assert drill["brief"].startswith("Monday, 09:01. Nobody waits; 25 % of the memory is used on 2 nodes.")
    assert (drill["goals"], drill["clues"], drill["questions"]) == ([], [], [])
    assert drill["hints"] == [f"{EDIT}the answer."]
    assert [step["do"] for step in drill["reference"]] == ["answer"]
    empty = drafted(0, quiet)["drill"]
    assert " 0 % of the memory is used on" in empty["brief"]


def test_a_draft_where_nodes_are_reserved_names_how_many_and_who_holds_them() -> None:
    """Of the recorded deadlock: twelve of them."""
    drill = tomllib.loads(draft_drill(load("reservation-deadlock-recorded"), "x", 65_000))["drill"]

    assert drill["clues"][0] == {
        "pane": "Reservations",
        "about": "12 nodes are reserved",
        "shown": {"of": "cluster", "what": "nodes_reserved", "at_least": 12},
    }
    (question,) = [each for each in drill["questions"] if each["asks"] == "application"]
    assert question["text"] == "Who holds what the others wait for?"
    assert drill["hints"][-1] == f"{EDIT}the answer: it is `{question['answers'][0]}`."
    assert len(drill["goals"]) == 1
