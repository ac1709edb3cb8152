"""What is away: control planes, nodes and application masters that do not call; alerts, verdicts and remedies."""

from collections.abc import Sequence

import pytest

from engine.explain.alert import Alert
from engine.explain.alerts import Alerts
from engine.explain.instant import instant_of
from engine.explain.recent_decisions import RecentDecisions
from engine.explain.remedy import remedy_sentence
from engine.explain.remedy_report import remedies_report
from engine.explain.remedy_search import RemedySearch
from engine.formats.scenario_toml import loads
from engine.run import Run
from engine.scenario.acts import KillContainer, RestartJobTracker, timed
from tests.engine.explain.test_why import asked, case, standing


def alerts_at(name: str, *seconds: float) -> list[Alert]:
    """The alerts of a case that is looked at each half second up to the last of some seconds."""
    scenario, alerts = case(name), Alerts()
    run, found = Run(scenario, [alerts]), []
    for half_s in range(int(seconds[-1] * 2) + 1):
        run.advance(half_s * 500)
        found += alerts.look(run.simulation)
    return found


def told(name: str, until_s: float) -> list[tuple[str, float, float | None]]:
    """Outages and their ends: kind, since when and until when [s after the start]."""
    start_ms = case(name).start_ms
    return [
        (each.kind, (each.since_ms - start_ms) / 1000, (each.ends_ms - start_ms) / 1000 if each.ends_ms else None)
        for each in alerts_at(name, until_s)
        if each.kind in ("outage", "over")
    ]


@pytest.mark.parametrize(
    ("name", "until_s", "expected"),
    [
        ("job-tracker-away", 700, [("outage", 30.0, 630.0), ("over", 30.0, None)]),
        ("resource-manager-lost", 300, [("outage", 30.0, None)]),
        ("tasks-on-silent-nodes", 600, [("outage", 19.571, None)]),
        ("tracker-returns", 600, [("outage", 9.571, 800.0)]),
        ("master-hangs", 1300, [("outage", 19.078, 1200.0), ("over", 19.078, None)]),
    ],
)
def test_an_outage_is_an_alert_with_its_end_where_that_is_known(
    name: str, until_s: float, expected: Sequence[tuple[str, float, float | None]]
) -> None:
    """Since the last call, until the start, return or expiry that is on the clock."""
    assert told(name, until_s) == list(expected)


def test_an_alert_says_what_is_blocked_and_what_a_restart_loses() -> None:
    (found,) = [each for each in alerts_at("resource-manager-lost", 31) if each.kind == "outage"]

    assert found.sentence == (
        "no ResourceManager answers: nothing is given to 1 application, and a restart loses every application: "
        "yarn.resourcemanager.recovery.enabled is not true; no start is planned"
    )
    assert found.applications == (1,)


@pytest.mark.parametrize(("name", "second"), [("tasks-on-silent-nodes", 300), ("tracker-returns", 300)])
def test_what_runs_on_silent_nodes_is_waited_for(name: str, second: float) -> None:
    answer = asked(name, "j", second)

    assert answer.reasons[0].code == "NODE_SILENT"
    assert ("silent for 4m" in answer.reasons[0].sentence, answer.verdict) == (True, "outage")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "second", "act", "start_s"),
    [
        ("job-tracker-away", 60, RestartJobTracker(1), 63.139),
        ("master-hangs", 120, KillContainer((1, 1, 1)), 123.571),
    ],
)
def test_the_remedy_of_an_outage_is_tried_and_starts_first(
    name: str, second: float, act: object, start_s: float
) -> None:
    found = RemedySearch(standing(name, second), [1]).answer()
    soonest = min(found.ranked, key=lambda trial: trial.start_ms)

    assert (soonest.remedy.act, (soonest.start_ms - case(name).start_ms) / 1000) == (act, start_s)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "lost", "words"),
    [
        ("resource-manager-lost", "", "start the ResourceManager, then submit application 1 again, which it loses"),
        ("job-tracker-away", "mapred.jobtracker.restart.recover", "start the JobTracker, then submit job 1 again"),
    ],
)
def test_what_a_start_loses_is_submitted_again(name: str, lost: str, words: str) -> None:
    """Without recovery the applications fail with the start; a second later they are there anew, and have begun."""
    scenario = case(name)
    scenario = scenario.model_copy(update={"settings": {**scenario.settings, **({lost: "false"} if lost else {})}})
    simulation = instant_of(scenario, 60_000).simulation
    trial = RemedySearch(simulation, [1]).answer().ranked[0]
    (start,) = trial.starts
    report = remedies_report(simulation.control_plane, RemedySearch(simulation, [1]).answer()).remedies[0]

    assert remedy_sentence(trial.remedy).startswith(words)
    steps = [timed(trial.remedy.act, 60_001), *(timed(each, 61_001) for each in trial.then)]
    assert [each.at_s for each in (report.step, *report.then)] == [60.001, 61.001]
    facts = RecentDecisions()
    run = Run(scenario.model_copy(update={"script": tuple(steps)}), [facts])
    run.advance(start.start_ms - scenario.start_ms)
    assert facts.allocated[-1][0] == start.start_ms
    assert (trial.numbers, facts.allocated[-1][1].container[0]) == ({1: trial.numbers[1]}, trial.numbers[1])


def test_a_submission_that_gets_no_answer_is_told() -> None:
    """It is in no list of applications until a ResourceManager starts; the alert that stands says so from then on."""
    late = '[[workload]]\ntype = "scripted"\nname = "late"\nuser = "ann"\nat = 40\nasks = [{ memory = "1g" }]\n'
    away = DIED_UNSEEN.partition("[[faults]]")[0] + '[[faults]]\ndo = "rm_restart"\nat = 20\ndown = 120\n' + late
    scenario, alerts = loads(away, "away"), Alerts()
    run, found = Run(scenario, [alerts]), []
    for second in (39, 41):
        run.advance(second * 1000)
        alerts.look(run.simulation)
        found += [each.sentence for each in alerts.active_alerts if each.kind == "outage"]

    begin, end = "no ResourceManager answers: nothing is given to 1 application", "; it starts again after 2m"
    assert found == [begin + end, f"{begin}, 1 submission is tried again{end}"]


DIED_UNSEEN = """
duration = "1h"
scheduler = "fair-3.4"
[settings]
"yarn.resourcemanager.recovery.enabled" = true
"yarn.resourcemanager.work-preserving-recovery.enabled" = true
[cluster]
nodes = [{ host = "n1", memory = "4g", vcores = 4 }, { host = "n2", memory = "512m", vcores = 4 }]
[[workload]]
type = "scripted"
name = "j"
user = "ann"
at = 1
am = { memory = "1g" }
asks = [{ memory = "4g" }]
[[faults]]
do = "rm_restart"
at = 20
down = 120
[[faults]]
do = "lose"
node = "n1"
at = 30
"""
