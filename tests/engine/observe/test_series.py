"""What a history notes is what the control plane says at that instant, of every kind."""

import pytest

from engine.formats.scenario_toml import load
from engine.model.decision import Allocated, Killed
from engine.observe.history import History
from engine.observe.journal import Fingerprint
from engine.run.player import Run
from tests.engine.measures.by_definition import WholeRun

SCENES = {
    "reservation-deadlock-recorded": 90_000,
    "preemption-minshare": 60_000,
    "spark-worker-lost": 120_000,
    "mr1-slots-of-the-wrong-kind": 120_000,
}


def played(name: str) -> tuple[Run, History, WholeRun]:
    history, whole = History(), WholeRun()
    run = Run(load(name), [history, whole], is_judged=False)
    history.follow(run.simulation.control_plane, run.simulation.now_ms)
    whole.follow(run.simulation)
    run.advance(SCENES[name])
    return run, history, whole


@pytest.mark.parametrize("name", SCENES)
def test_the_last_reading_is_the_cluster_as_it_stands(name: str) -> None:
    run, history, whole = played(name)
    figures = run.simulation.control_plane.view().figures()
    latest = history.latest()
    expected: dict[str, object] = {
        "allocated_containers": sum(isinstance(each, Allocated) for _, each in whole.all()),
    }
    for prefix, amounts in (("total_", figures.total), ("used_", figures.used)):
        names = [each for each in history.names if each.startswith(prefix)]
        expected |= dict(zip(names, amounts, strict=True))
    if "preempted_containers" in history.names:
        killed = [each.cause for _, each in whole.all() if isinstance(each, Killed)]
        expected["preempted_containers"] = killed.count("PREEMPTED")
    pending = next((each for each in history.names if each.startswith("pending_")), None)
    if pending is not None:
        expected[pending] = figures.containers_pending
    running = next(each for each in history.names if each.endswith("_running"))
    waiting = next(each for each in history.names if each.endswith("_pending"))
    numbers = len(run.simulation.control_plane.view().numbers_running())
    expected |= {running: numbers, waiting: figures.applications - numbers}

    assert {name: latest[name] for name in expected} == expected
    assert {path: latest[path] for path in history.queues} == {
        path: run.simulation.control_plane.view().policy.used_memory_mb(path) for path in history.queues
    }
    assert set(latest) == {*history.names, *history.queues}
    assert history.reading(run.simulation.control_plane, run.simulation.now_ms) == history.cluster.values[-1]


def test_a_fingerprint_is_of_every_record() -> None:
    texts = []
    for name in ("preemption-minshare", "preemption-minshare", "preemption-minshare-3.4"):
        fingerprint = Fingerprint()
        run = Run(load(name), [fingerprint], is_judged=False)
        run.advance(5000)
        texts.append(fingerprint.hexdigest())

    assert texts[0] == texts[1] != texts[2]
    assert len(texts[0]) == 64
