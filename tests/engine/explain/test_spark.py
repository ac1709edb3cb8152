"""Spark's standalone Master asked in the same words: reasons worker by worker, holders, verdicts, the freeze alert."""

import json

import pytest

from engine.errors import ConfigError
from engine.explain.alerts import Alerts, FreezeDetector
from engine.explain.answer import WhyReport
from engine.explain.explainers import explainer_of
from engine.explain.remedy import remedy_sentence
from engine.explain.remedy_search import RemedySearch
from engine.explain.why_question import WhyQuestion
from engine.formats.scenario_toml import load, loads
from engine.incremental import run_to_end
from engine.observe.snapshots import snapshot_of
from engine.run import play
from engine.scenario import Scenario
from engine.scenario.acts import DrainNode
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import at, numbers, why
from tests.invoke import said

HEAD = """
name = "workers"
duration = "1h"
scheduler = "spark"
[cluster]
launch_delay = "1s"
groups = [{ prefix = "w", count = 3, port = 7078, memory = "16g", vcores = 8 }]
"""
SHELL = 'executor_memory = "2g"'
REPORT = 'cores_max = 8\nexecutor_cores = 4\nexecutor_memory = "4g"\nstages = [{ tasks = 16, duration = "30s" }]'


def workers(*applications: tuple[str, float, str], more: str = "") -> Scenario:
    text = "".join(
        f'[[workload]]\ntype = "spark-standalone"\nname = "{name}"\nuser = "{name}"\nat = {second}\n{keys}\n'
        for name, second, keys in applications
    )
    return loads(HEAD + text + more, "workers")


def told(answer: WhyReport) -> list[tuple[str, int, str]]:
    return [
        (row.code, row.count, f"{row.decided_by.key} = {row.decided_by.value}" if row.decided_by else "")
        for row in answer.reasons
    ]


def test_too_few_cores_are_told_of_every_worker() -> None:
    """With the hoarder's missing maximum, and that it comes first whenever something is free."""
    answer = why(workers(("shell", 0, SHELL), ("report", 10, REPORT)), 30, 2)

    assert told(answer) == [("DOES_NOT_FIT", 3, "spark.deploy.defaultCores = unset"), ("OTHER_FIRST", 0, "")]
    assert answer.reasons[0].numbers == {"wanted_cores": 4, "free_cores": 0}
    assert (answer.verdict, answer.pattern) == ("blocked", "cores hoarded")


def test_too_little_memory_is_told_apart_from_too_few_cores() -> None:
    large = 'cores_max = 3\nexecutor_cores = 1\nexecutor_memory = "12g"'
    answer = why(workers(("large", 0, large), ("report", 10, REPORT.replace("4g", "8g"))), 30, 2)

    assert told(answer) == [("DOES_NOT_FIT", 3, "spark.executor.memory = 8192m")]
    assert answer.reasons[0].numbers == {"wanted_mb": 8192, "free_mb": 4096}


def test_what_is_never_given_of_a_maximum_is_told_though_it_does_not_wait() -> None:
    answer = why(workers(("ten", 0, REPORT.replace("cores_max = 8", "cores_max = 10"))), 30, 1)

    rows = [("AT_MOST", 0, "spark.cores.max = 10"), ("CORES_LEFT_OVER", 0, "")]
    assert (answer.verdict, told(answer)) == ("none", rows)


def test_workers_that_are_gone_or_going_are_counted_apart() -> None:
    lost = '[[faults]]\ndo = "lose"\nnode = "w1"\nat = 5\n'
    simulation = at(workers(("shell", 0, SHELL), ("report", 10, REPORT), more=lost), 300)
    simulation.act(DrainNode("w2"))
    answer = WhyQuestion(simulation, 2).answer()

    assert {(code, count) for code, count, _ in told(answer)} >= {
        ("DOES_NOT_FIT", 1),
        ("NODE_DEAD", 1),
        ("NODE_DECOMMISSIONED", 1),
    }


@pytest.mark.parametrize(
    ("keys", "code", "decider"),
    [
        ('cores_max = 3\nexecutor_cores = 4\nexecutor_memory = "4g"', "MAXIMUM_TOO_SMALL", "spark.cores.max = 3"),
        ('cores_max = 12\nexecutor_cores = 12\nexecutor_memory = "4g"', "NODE_TOO_SMALL", "spark.executor.cores = 12"),
        ('executor_memory = "20g"', "NODE_TOO_SMALL", "spark.executor.memory = 20480m"),
    ],
)
def test_what_could_never_start_is_impossible(keys: str, code: str, decider: str) -> None:
    """However empty the cluster is, and it is known without looking ahead where workers say so."""
    simulation = at(workers(("huge", 1, keys)), 30)
    answer = WhyQuestion(simulation, 1).answer()

    assert (answer.verdict, *told(answer)[0]) == ("impossible", code, answer.reasons[0].count, decider)
    assert run_to_end(explainer_of(simulation).is_too_large(1)) is (code == "NODE_TOO_SMALL")


@pytest.mark.parametrize(
    ("dynamic", "decider"),
    [
        ("initial = 6, least = 6", "spark.dynamicAllocation.minExecutors = 6"),
        ('idle = "1h"', "spark.dynamicAllocation.executorIdleTimeout = 3600s"),
    ],
)
def test_who_keeps_idle_executors_is_named_with_the_key_that_has_it_keep_them(dynamic: str, decider: str) -> None:
    stages = 'stages = [{ tasks = 24, duration = "20s" }, { tasks = 1, duration = "forever" }]'
    shell = f'executor_cores = 4\nexecutor_memory = "4g"\ndynamic = {{ {dynamic} }}\n{stages}'
    found = told(why(workers(("shell", 0, shell), ("report", 120, REPORT)), 180, 2))

    assert ("IDLE_HELD", 0, decider) in found


@pytest.mark.parametrize(
    ("driver", "decider", "together"),
    [
        ('{ memory = "20g", vcores = 1 }', "spark.driver.memory = 20480m", []),
        ('{ memory = "1g", vcores = 9 }', "spark.driver.cores = 9", []),
        ('{ memory = "20g", vcores = 9 }', "", ["spark.driver.cores", "spark.driver.memory"]),
    ],
)
def test_of_a_driver_too_is_named_what_would_let_it_start(driver: str, decider: str, together: list[str]) -> None:
    """Its memory or its cores; both where both are more than any worker has."""
    answer = why(workers(("large", 1, f"{REPORT}\ndriver = {driver}")), 30, -1)

    assert told(answer) == [("NODE_TOO_SMALL", 3, decider)]
    assert [each.key for each in answer.reasons[0].together] == together


def test_who_waits_for_a_job_that_ends_knows_until_when() -> None:
    busy = REPORT.replace("cores_max = 8", "cores_max = 24")
    answer = why(workers(("busy", 0, busy), ("report", 10, REPORT)), 20, 2)

    (holder,) = answer.holders
    assert (answer.verdict, holder.name) == ("waiting", "busy")
    assert ("CORES_HELD", 0, "spark.cores.max = 24") in told(answer)
    assert holder.until_ms == answer.expected_start_ms


def test_who_holds_nothing_is_nobodys_holder() -> None:
    """An earlier one that merely waits as well is a reason, and no holder."""
    simulation = at(workers(("shell", 0, SHELL), ("first", 10, REPORT), ("second", 20, REPORT)), 30)

    assert [hold.application for hold in run_to_end(explainer_of(simulation).holds(3))] == [1]
    assert WhyQuestion(simulation, 3).so_far().reasons[-1].numbers == {"earlier": 2}


def test_who_never_ends_whatever_it_is_given_is_no_deadlock() -> None:
    """Two shells with a maximum that neither can reach each want what the other keeps."""
    want = 'cores_max = 20\nexecutor_cores = 4\nexecutor_memory = "{}"'
    scenario = workers(("one", 0, want.format("10g")), ("other", 1, want.format("5g")), ("report", 10, REPORT))
    answer = why(scenario, 60, 3)

    assert answer.proof is not None
    assert (answer.verdict, numbers(answer.proof.for_ever)) == ("blocked", [1])


def _alerts(scenario: Scenario) -> list[tuple[str, str, str, int]]:
    alerts = Alerts()
    play(scenario, scenario.duration_ms, [alerts], watched=alerts.watch)
    return [(each.kind, each.verdict, each.pattern, each.since_ms - scenario.start_ms) for each in alerts.all]


def test_a_cluster_whose_cores_are_kept_for_ever_is_told_as_frozen() -> None:
    assert _alerts(load("spark-cores-hoarded")) == [
        ("frozen", "blocked", "cores hoarded", 300_000),
        ("over", "", "", 300_000),
    ]


@pytest.mark.parametrize(
    "name", ["spark-locality", "spark-worker-lost", "spark-failing-executors", "spark-one-executor-each"]
)
def test_clusters_that_go_on_are_silent(name: str) -> None:
    assert _alerts(load(name)) == []


def test_ids_are_those_of_spark() -> None:
    asked = ["spark-cores-hoarded", "--app", "bob-report", "--at", "09:10", "--budget", "0", "--json"]
    answer = json.loads(said("why", asked).stdout)

    assert answer["application"]["id"] == "app-20240304090500-0002"
    assert [each["application"] for each in answer["holders"]] == ["app-20240304090000-0001"]
    assert answer["holders"][0]["containers"][0].startswith("app-20240304090000-0001/")


def test_the_first_reason_is_the_one_its_row_is_told_with() -> None:
    simulation = at(workers(("shell", 0, SHELL), ("report", 10, REPORT)), 30)
    question = WhyQuestion(simulation, 2)
    (refusal,) = [row.obstacle for row in snapshot_of(simulation).applications() if row.number == 2]

    assert refusal is not None
    assert refusal.code == question.so_far().reasons[0].code


WORKER = """
name = "drivers"
duration = "20m"
scheduler = "spark"
[cluster]
groups = [{ prefix = "w", count = 1, port = 7078, memory = "4g", vcores = 2 }]
"""


def _case(*workload: str) -> Simulation:
    """A Master with one worker of 4 GB and 2 cores after a minute."""
    simulation = build_simulation(loads(WORKER + "".join(workload), "drivers"), [])
    simulation.run_until(simulation.now_ms + 60_000)
    return simulation


def _standalone(name: str, second: int, memory_gb: int, driver: str = "") -> str:
    return (
        f'[[workload]]\ntype = "spark-standalone"\nname = "{name}"\nuser = "u"\nat = {second}\ncores_max = 1\n'
        f'executor_memory = "{memory_gb}g"\nstages = [{{ tasks = 1, duration = "5m" }}]\n{driver}'
    )


def test_a_worker_as_large_as_the_driver_that_waits_is_a_remedy() -> None:
    simulation = _case(_standalone("big", 1, 1, 'driver = { memory = "6g", vcores = 1 }\n'))

    sentences = [remedy_sentence(each.remedy) for each in RemedySearch(simulation, [-1]).answer().ranked]

    assert sentences == ["add a worker of 6144 MB and 1 core"]


def test_a_kill_frees_the_driver_of_the_application_and_loses_its_work() -> None:
    """Its executors are larger than the worker, so that the driver is all that runs."""
    driver = 'driver = { memory = "2g", vcores = 2 }\n'
    simulation = _case(_standalone("driver only", 1, 12, driver), _standalone("needs two", 10, 1))

    kill = RemedySearch(simulation, [2]).answer().ranked[0]

    assert remedy_sentence(kill.remedy) == "kill application 1 (driver only)"
    assert (kill.frees_mb, kill.frees_vcores, kill.lost_containers, kill.lost_ms) == (2048, 2, 1, 59_001)
    assert kill.lost_drivers == 1


def test_a_driver_that_is_submitted_ends_a_freeze() -> None:
    """It waits for room that a driver's application gives back, so something will be allocated again."""
    first = _standalone("first", 1, 8)
    runs = _standalone("runs", 5, 1, 'driver = { memory = "1g", vcores = 1 }\n')
    later = _standalone("later", 90, 1, 'driver = { memory = "2g", vcores = 2 }\n')
    simulation, outlook = _case(first, runs, later), FreezeDetector()
    simulation.listeners.append(outlook)

    outlook.look(simulation)
    before = outlook.formed_ms
    simulation.run_until(simulation.now_ms + 40_000)
    outlook.look(simulation)

    assert (before is not None, outlook.formed_ms) == (True, None)


@pytest.mark.parametrize(
    ("id_", "is_known"),
    [
        ("app-20240101000001-0001", True),
        ("app-20240101000001-0002", False),
        ("driver-20240101000001-0000", True),
        ("driver-20240101000001-0001", False),
    ],
)
def test_a_printed_kill_is_a_step_that_a_script_may_have(id_: str, is_known: bool) -> None:
    """Remedies print the ids of a Spark Master; one that no application is given is reported."""
    text = f'{WORKER}{_standalone("one", 1, 1)}[[script]]\ndo = "kill"\napplication = "{id_}"\nat = 60\n'

    if is_known:
        assert len(loads(text, "printed").script) == 1
    else:
        with pytest.raises(ConfigError, match="no application has the name or number"):
            loads(text, "printed")
