"""Debriefs, recorded steps and drafts."""

import pytest

from engine.formats.scenario_overrides import parse
from engine.formats.scenario_toml import loads
from engine.scenario import acts as family
from engine.scenario.acts import timed
from engine.simulation.records import Acted
from engine.training.debrief import Debrief, debrief_of, rows_of
from engine.training.drill import drill_of
from engine.training.drill_check import check_drill, draft_drill
from engine.training.exercise import DrillStage, Exercise, Sample, TakenStep
from engine.training.score import ScoreBaselines, played
from engine.training.steps import LookStep, StepRecorder, read_steps, written_steps
from tests.engine.training.small_drill import TEXT, clumsy, small_drill


@pytest.fixture(scope="module")
def yardstick() -> ScoreBaselines:
    return ScoreBaselines(DrillStage(small_drill()))


@pytest.fixture(scope="module")
def debrief(yardstick: ScoreBaselines) -> Debrief:
    return debrief_of(played(yardstick.stage, clumsy(yardstick.stage.drill), foretells=True), yardstick)


def test_it_names_the_first_clue_and_how_long_it_was_there(debrief: Debrief) -> None:
    """Somebody is ACCEPTED from 10 s on; the drill begins at 300 s, the trainee looks at once."""
    assert debrief.clues[0].sentence == "one waits: visible in Queues for 4m50s before you looked"


def test_who_looks_nowhere_in_the_steps_is_not_said_to_have_missed_it(yardstick: ScoreBaselines) -> None:
    elsewhere = LookStep(at_ms=0, do="observe", pane="Nodes")
    found = [debrief_of(played(yardstick.stage, steps), yardstick).clues[0].sentence for steps in ((), (elsewhere,))]
    since = "one waits: visible in Queues since 4m50s before the drill"
    assert found == [since, f"{since}, never looked at"]


def test_what_happened_stands_beside_what_was_done(debrief: Debrief) -> None:
    times = [one.at_ms for one in debrief.rows]
    assert times == sorted(times)
    done = [one.told for one in debrief.rows if one.trainee]
    assert "answer cause: nodes (wrong; accepted: masters)" in done
    assert "answer cause: masters (right)" in done
    assert any(one.cluster == "all run" for one in debrief.rows)
    assert "set maximum-am-resource-percent of root.default to 0.9" in [one.trainee for one in debrief.par_rows]
    effects = [one.effect for one in debrief.rows if one.effect]
    assert effects
    assert all(", as foretold" in effect or "; foretold: " in effect for effect in effects)


def test_acts_are_taken_down_as_steps() -> None:
    """Acts from outside after the beginning, not faults; what is written reads back the same."""
    recorder = StepRecorder(begins_ms=1_000_000)
    kill = family.KillApplication(7)
    recorder.on_records(999_999, [Acted(kill, (1,))])
    recorder.on_records(1_005_000, [Acted(kill, (1,)), Acted(kill, None)])
    _ = recorder.add(1_006_500, do="answer", question="cause", answer=["masters"])
    assert [(step.at_ms, step.do) for step in recorder.steps] == [(5_000, "kill"), (6_500, "answer")]
    drill = small_drill()
    steps = [*recorder.steps, *drill.drill.reference, timed(family.AddNode("n9:8041", 4096, 4), 9)]
    assert list(read_steps(written_steps(steps), "", drill.begins)) == steps


def test_a_draft_passes_the_check() -> None:
    """What is drafted around an instant at which somebody waits is a drill, solution and all."""
    scenario = loads(TEXT[: TEXT.index("[drill]")], "small")
    text = draft_drill(scenario, "small", 300_000)
    own = text.replace('extends = "small"\n', "").replace("expectations = []\n", "")
    title, _, rest = own.partition("[drill]")
    base = TEXT[: TEXT.index("[drill]")].replace('title = "Notebooks"\n', "")
    layers = parse(f"{title}{base}[drill]{rest}", "draft.toml")
    drill = drill_of(layers)
    assert "EDIT: " in text
    assert [line for line in check_drill(ScoreBaselines(DrillStage(drill))) if not line.ok] == []
    assert Exercise(DrillStage(drill)).drill.questions[-1].answers == ("AM limit",)


# The rows of a debrief: changes of counts, effects of acts, what stood on the screen, steps in words.


STAGE = DrillStage(small_drill())


def exercise(
    *log: TakenStep, samples: list[Sample] | None = None, seen: dict[str, int] | None = None, **more: dict[str, int]
) -> Exercise:
    found = Exercise(STAGE)
    found.log, found.samples = list(log), samples or []
    found.seen, found.gone = seen or {}, more.get("gone", {})
    return found


def test_counts_are_shown_where_they_change_much() -> None:
    """Beside the largest: who waits by a fifth, containers by three tenths, reservations by half of it."""
    samples = [
        Sample(0, 10, 10, 0),
        Sample(5_000, 8, 7, 1),
        Sample(10_000, 7, 6, 2),
        Sample(15_000, 10, 6, 0),
    ]
    rows = rows_of(exercise(samples=samples))

    assert [(row.at_ms, row.cluster, row.sign) for row in rows] == [
        (0, "10 waiting, 10 containers", ""),
        (10_000, "10 → 7 waiting", "◆"),
        (10_000, "10 → 6 containers", "◆"),
        (10_000, "0 → 2 nodes reserved", "◆"),
        (15_000, "7 → 10 waiting", "◆"),
        (15_000, "2 → 0 nodes reserved", "◆"),
    ]
    assert rows_of(exercise()) == ()
