"""Points played by a dask scheduler and two workers on this machine."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from engine.sweep import Point, PointOutcome, SweepStore, axis_of, grid, local_place, play_all
from tests.engine.sweep.test_sweeps import base, rows


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_one_worker_killed_and_one_paused_lose_nothing_and_the_file_is_that_of_this_machine(tmp_path: Path) -> None:
    """All points come once, though the second worker goes on only when one of forty is left."""
    from distributed import LocalCluster  # noqa: PLC0415 -- only this test starts a cluster

    from engine.sweep.dask_workers import dask_place  # noqa: PLC0415 -- only this test needs it

    points, came = grid([axis_of("nodes=2..6")], range(8)), list[int]()
    cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]  # dask has no types
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    )
    with cluster, SweepStore.created(tmp_path / "there", {}) as there:
        first, second = (nanny.pid for nanny in cluster.workers.values())
        signals = {3: (second, signal.SIGSTOP), 8: (first, signal.SIGKILL), 39: (second, signal.SIGCONT)}

        def keep(point: Point, outcome: PointOutcome) -> None:
            there.keep(point, outcome)
            came.append(point.number)
            if len(came) in signals:
                os.kill(*signals[len(came)])

        try:
            play_all(base(), points, dask_place(cluster.scheduler_address), keep)
        finally:
            os.kill(second, signal.SIGCONT)

    with SweepStore.created(tmp_path / "here", {}) as here:
        play_all(base(), points, local_place(2), here.keep)
    assert sorted(came) == list(range(40))
    assert rows(tmp_path / "there") == rows(tmp_path / "here")
