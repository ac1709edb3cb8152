"""Points played by a dask scheduler and two workers on this machine."""

import os
import signal
from typing import Any

import pytest

from engine.measures import RunMeasures
from engine.sweep import Point, PointOutcome, axis_of, grid, local_place, play_all
from tests.engine.sweep.test_sweeps import jobs


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_midway_loses_nothing_and_figures_are_those_of_this_machine() -> None:
    """The first of two workers is killed at the fifth outcome; all forty points are played."""
    from distributed import LocalCluster  # noqa: PLC0415 -- only this test starts a cluster

    from engine.sweep.dask_workers import dask_place  # noqa: PLC0415 -- only this test needs it

    points, found = grid([axis_of("nodes=2..6")], range(8)), dict[int, RunMeasures | None]()
    cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]  # dask has no types
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    )
    with cluster:

        def keep(point: Point, outcome: PointOutcome) -> None:
            found[point.number] = outcome.measures
            if len(found) == 5:
                os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

        play_all(jobs(points), dask_place(cluster.scheduler_address), keep)

    here = dict[int, RunMeasures | None]()
    play_all(jobs(points), local_place(2), lambda point, outcome: here.__setitem__(point.number, outcome.measures))
    assert found == here
    assert len(found) == 40
