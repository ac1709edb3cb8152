"""The submit form, from text to an application that runs."""

from typing import Any

from engine.formats.scenario_toml import loads
from engine.run import Run
from engine.scenario import MapReduceSpec
from tests.tui.small_run import ByHand
from tui.protocol.form import spec_of
from tui.session.alert_monitor import EventLog
from tui.session.session import Session

SMALL = """
name = "small"
start = 2017-11-11T08:30:00+08:00
duration = "10m"
[cluster]
groups = [{ count = 2, prefix = "n", memory_mb = 4096, vcores = 4 }]
"""


def _opened() -> tuple[ByHand, Run]:
    log = EventLog()
    run = Run(loads(SMALL, "small.toml"), [log])
    return ByHand(Session(run, log, paused=True)), run


def _row(run: Run, name: str) -> Any:
    return next(row for row in run.snapshot().applications() if row.name == name)


FORM = {
    "name": "by-hand",
    "user": "eve",
    "queue": "",
    "containers": "4",
    "memory": "2g",
    "vcores": "1",
    "duration": "2m",
    "master": "1g",
}


def test_a_form_becomes_a_scripted_application() -> None:
    """Sizes and durations are read in the units people write; the application runs to its end."""
    session, run = _opened()
    problems = session.submit({**FORM, "duration": "1m", "containers": "1"})
    run.advance(20_000)
    running = _row(run, "by-hand")
    run.advance(120_000)

    assert (problems, running.user, running.queue, running.used) == ([], "eve", "root.eve", (3072, 2))
    assert _row(run, "by-hand").state == "FINISHED"


def test_an_unmanaged_application_without_an_end() -> None:
    session, run = _opened()
    session.submit({**FORM, "master": "unmanaged", "duration": "", "containers": "1", "memory": "1024"})
    run.advance(600_000)

    assert _row(run, "by-hand").used == (1024, 1)


def test_a_form_the_cluster_refuses_says_why() -> None:
    """A container larger than the maximum allocation is refused by the control plane, in its words."""
    session, run = _opened()
    problems = session.submit({**FORM, "master": "64g"})

    assert (len(problems), "by-hand" in [row.name for row in run.snapshot().applications()]) == (1, False)


def test_every_mistake_of_a_form_is_named_at_once() -> None:
    session, run = _opened()
    problems = session.submit({**FORM, "user": "", "containers": "four", "memory": "2q", "vcores": "", "duration": "x"})

    assert [problem.partition(":")[0] for problem in problems] == ["containers", "memory", "vcores", "duration", "user"]
    assert run.snapshot().applications() == []


def test_too_many_containers_are_a_slip() -> None:
    session, _ = _opened()

    assert session.submit({**FORM, "containers": "9999999"}) == ["containers: 9999999 is more than 100000"]


STANDALONE = {
    "name": "by-hand",
    "user": "eve",
    "cores_max": "4",
    "executor_cores": "2",
    "memory": "512m",
    "tasks": "8",
    "duration": "20s",
}


def _spark() -> tuple[ByHand, Run]:
    log = EventLog()
    run = Run(loads(SMALL.replace("[cluster]", 'scheduler = "spark"\n[cluster]'), "small.toml"), [log])
    return ByHand(Session(run, log, paused=True)), run


def test_a_form_with_tasks_becomes_a_spark_application() -> None:
    session, run = _spark()
    problems = session.submit(STANDALONE)
    run.advance(20_000)
    running = _row(run, "by-hand")
    run.advance(120_000)

    assert (problems, running.used, running.containers) == ([], (1024, 4), 2)
    assert _row(run, "by-hand").state == "FINISHED"


def test_an_idle_shell_takes_all_there_is() -> None:
    session, run = _spark()
    session.submit({**STANDALONE, "cores_max": "", "executor_cores": "", "tasks": "0", "duration": ""})
    run.advance(600_000)

    assert _row(run, "by-hand").used == (1024, 8)


def test_every_mistake_of_a_spark_form_is_named_at_once() -> None:
    """Words that are no numbers, too many tasks, nobody; and what only the model knows."""
    session, _ = _spark()
    wrong = {**STANDALONE, "user": "", "cores_max": "all", "memory": "2q", "tasks": "9999999", "duration": "x"}
    problems = session.submit(wrong)

    assert [problem.partition(":")[0] for problem in problems] == [
        "memory",
        "cores at most",
        "tasks",
        "duration",
        "user",
    ]
    assert [problem.partition(":")[0] for problem in session.submit({**STANDALONE, "executor_cores": "0"})] == [
        "cores each"
    ]


JOB = {
    "name": "scan",
    "user": "ann",
    "queue": "etl",
    "priority": "high",
    "maps": "40",
    "duration": "20s",
    "memory": "2g",
    "reduces": "4",
    "reduce_duration": "1m",
    "reduce_memory": "512m",
}


def test_a_form_of_maps_and_reduces_is_a_job() -> None:
    """Each kind of task has its number, memory and duration; the priority is a word."""
    spec, problems = spec_of(JOB)

    assert problems == []
    assert isinstance(spec, MapReduceSpec)
    assert (spec.maps, spec.map.memory_mb, spec.map_duration_ms) == (40, 2048, (20_000, 20_000))
    assert (spec.reduces, spec.reduce.memory_mb, spec.reduce_duration_ms) == (4, 512, (60_000, 60_000))
    assert (spec.queue, spec.priority) == ("etl", 3)


def test_every_mistake_of_a_job_is_named() -> None:
    spec, problems = spec_of({**JOB, "user": "", "priority": "urgent", "maps": "100001", "reduce_memory": ""})

    assert spec is None
    assert [problem.partition(":")[0] for problem in problems] == ["maps", "reduce memory", "priority", "user"]
