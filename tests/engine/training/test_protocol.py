"""The protocol of a program: panes, remedies, refusals, and agents that talk it."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.training.drill import load_drill
from engine.training.exercise import DrillStage
from engine.training.protocol import ProgramScreen, brief_of, converse
from engine.training.score import ScoreBaselines
from tests.engine.training.reference_agent import play
from tests.engine.training.small_drill import small_drill

FIRST = """
bad-disks comes-and-goes cpu-nobody-counts executor-too-large guarantee-that-comes-late half-a-cluster
idle-and-not-returned killed-again-and-again lands-in-the-wrong-place lent-and-not-returned long-work-never-ends
masters-only nightly-is-not-there no-node-with-that-label notebooks-wait nothing-starts-twice nothing-starts
one-user-idle-cluster only-there queue-full quiet-shift second-job-waits shell-with-every-core since-the-reload
small-behind-large the-neighbour too-large-for-any two-at-once wide-waits
"""


@pytest.fixture(scope="module")
def stage() -> DrillStage:
    return DrillStage(small_drill())


def told(screen: ProgramScreen, **step: object) -> Any:
    (reply,) = converse(screen, [json.dumps(step)])
    return reply


@pytest.mark.parametrize("pane", ["Applications", "Queues", "Nodes", "Reservations", "Events", "Containers", "Users",
                                  "Graphs", "Settings", "Alerts", "Racks", "Workers"])  # fmt: skip
def test_every_pane_is_answered(stage: DrillStage, pane: str) -> None:
    """With the cluster as a whole and the rows of the pane, whose lists of numbers have names."""
    screen = ProgramScreen(stage)
    told(screen, do="advance", at=20)
    reply = told(screen, do="observe", pane=pane)
    assert reply["ok"]
    rows = reply["nodes" if pane == "Workers" else pane.lower()]
    assert not any(
        isinstance(part, list) and part and isinstance(part[0], int) for row in rows for part in row.values()
    )


@pytest.mark.parametrize(
    ("pane", "words"),
    [("Executors", "this cluster has no executors"), ("Why", "ask why with"), ("Qeues", "did you mean queues")],
)
def test_what_is_no_pane_is_refused(stage: DrillStage, pane: str, words: str) -> None:
    reply = told(ProgramScreen(stage), do="observe", pane=pane)
    assert (reply["ok"], words in reply["problems"][0]) == (False, True)


def test_on_your_own_alerts_are_shut() -> None:
    screen = ProgramScreen(
        DrillStage(small_drill('difficulty = "first shift"', 'difficulty = "expert"\nlevel = "on your own"'))
    )
    assert "alerts are shut" in told(screen, do="observe", pane="alerts")["problems"][0]


def test_remedies_are_told_when_asked_for(stage: DrillStage) -> None:
    screen = ProgramScreen(stage)
    why = told(screen, do="why", application="3", remedies=True)["why"]
    assert {"setting", "kill"} <= {one["step"]["do"] for one in why["would_help"]["remedies"]}
    assert set(why["application"]["asks"][0]["size"]) == {"memory_mb", "vcores"}
    assert told(screen, do="why", application="3")["why"]["would_help"] is None
    assert not told(screen, do="why", application="77")["ok"]
    assert told(screen, do="why", about="all")["problems"] == ["only a screen answers this: name an application"]


def test_an_answer_of_very_many_names_is_refused_in_few_words(stage: DrillStage) -> None:
    """A thousand are taken, one more is not; what is said of 200,000 names as few of them."""
    screen = ProgramScreen(stage)
    said = [told(screen, do="answer", question="cause", answer=["x"] * many) for many in (1_000, 1_001, 200_000)]
    assert [one["ok"] for one in said] == [True, False, False]
    assert said[1]["problems"] == [words.replace("200000", "1001") for words in said[2]["problems"]]


@pytest.mark.long
def test_rules_solve_twenty_of_the_first_drills() -> None:
    assert len(Path(__file__).with_name("reference_agent.py").read_text().splitlines()) < 150
    assert sum(solves(name) for name in FIRST.split()) >= 20


def solves(name: str) -> bool:
    screen = ProgramScreen(DrillStage(load_drill(name)))
    steps = play(brief_of(screen.exercise.stage.drill))
    step: dict[str, Any] | None = next(steps)
    while step is not None and (replies := list(converse(screen, [json.dumps(step)]))):
        try:
            step = steps.send(replies[0])
        except StopIteration:
            step = None
    return ScoreBaselines(screen.exercise.stage).score(screen.exercise).solved_ms is not None
