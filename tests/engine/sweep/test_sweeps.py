"""Points played by an executor, kept in a file, summed up, and looked through for a size."""

import os
import signal
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import dump, load
from engine.measures import Meter, RunMeasures
from engine.observe.journal import program_version
from engine.run import Run
from engine.sweep import (
    Axis,
    Bounds,
    Point,
    PointOutcome,
    StoredPoint,
    SweepBase,
    SweepSpec,
    SweepStore,
    WorkPlace,
    axis_of,
    goal_named,
    grid,
    limit_of,
    local_place,
    play_all,
    play_point,
    summarised,
)
from engine.sweep.dask_workers import GONE_S, LOOK_S, WorkerWatch
from engine.sweep.tuning import tuned
from tests.engine.sweep.test_points import small

KEY = "yarn.scheduler.fair.assignmultiple"


class LostError(Exception):
    """A worker was lost."""


class AtOnce(Executor):
    """Does its work when it is handed in; loses what `loses` says, each time once."""

    def __init__(self, loses: list[int]) -> None:
        self.loses = loses

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if args[1].number in self.loses:
            self.loses.remove(args[1].number)
            future.set_exception(LostError())
        else:
            future.set_result(fn(*args, **kwargs))
        return future


class Paused(AtOnce):
    """Never comes to a point when it is handed in for the first time."""

    def __init__(self) -> None:
        super().__init__([])
        self.handed_in: list[int] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        number = args[1].number
        self.handed_in.append(number)
        return super().submit(fn, *args, **kwargs) if self.handed_in.count(number) > 1 else Future()


def here(*loses: int) -> WorkPlace:
    left = list(loses)
    return WorkPlace("here", 2, lambda: AtOnce(left), (LostError,))


def base(**more: Any) -> SweepBase:
    return SweepBase(dump(small()).encode(), program_version(), **more)


def rows(path: Path) -> str:
    """The sorted points of a sweep's file, without how long each took."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT number, settings, seed, status, words, measures FROM point ORDER BY number")
        return repr(list(found))


def measured() -> RunMeasures:
    meter = Meter()
    run = Run(small(), [meter], is_judged=False)
    meter.follow(run.simulation)
    run.advance(run.until_ms)
    return meter.measures(run.simulation.now_ms)


def stored(number: int, wait_ms: int, seed: int = 0, **settings: str) -> StoredPoint:
    found = measured()
    figures = msgspec.structs.replace(found, waits=msgspec.structs.replace(found.waits, p95=wait_ms))
    return StoredPoint(number, settings, seed, "done", "", figures, 0.0)


def test_a_point_is_played_to_the_figures_of_its_scenario() -> None:
    outcome = play_point(base(), Point(0, {}, 0))

    assert (outcome.status, outcome.measures) == ("done", measured())
    scene = load("rm-restart-deadlock")
    outcome = play_point(SweepBase(dump(scene).encode(), program_version()), Point(0, {}, scene.seed))
    assert outcome.measures is not None
    assert outcome.measures.frozen_ms == 3_309_453  # As `compare` says, to the ms


@pytest.mark.parametrize(
    ("settings", "more", "status", "words"),
    [
        ({"nodes": "1"}, {}, "refused", "besides the group"),
        ({"no-such": "1"}, {}, "refused", "no-such"),
        ({}, {"bounds": Bounds(seconds=0.0)}, "failed", "took more than 0 s"),
        ({}, {"bounds": Bounds(memory_mb=1)}, "failed", "took more than 1 MB"),
    ],
)
def test_what_a_class_refuses_or_a_bound_ends_is_an_outcome(
    settings: dict[str, str], more: dict[str, Any], status: str, words: str
) -> None:
    outcome = play_point(base(**more), Point(0, settings, 0))

    assert outcome.status == status
    assert words in outcome.words


@pytest.mark.parametrize(("losses", "status"), [(2, "done"), (3, "failed")])
def test_a_point_whose_worker_is_lost_is_played_again_twice(losses: int, status: str) -> None:
    kept: dict[int, PointOutcome] = {}

    def keep(point: Point, outcome: PointOutcome) -> None:
        kept[point.number] = outcome

    play_all(base(), grid([Axis(KEY, ("true", "false"))], [0]), here(*[1] * losses), keep)

    assert {number: outcome.status for number, outcome in kept.items()} == {0: "done", 1: status}


@pytest.mark.parametrize(("patience_s", "looks", "handed_in"), [(0.0, 9, [0, 1, 0, 1]), (60.0, 2, [0, 1])])
def test_a_point_that_is_late_is_handed_in_again(patience_s: float, looks: int, handed_in: list[int]) -> None:
    """And its first outcome counts; one that is not late stays where it is."""
    paused, kept, left = Paused(), list[int](), iter(range(looks))
    place = WorkPlace("here", 2, lambda: paused, (LostError,), patience_s=patience_s)
    play_all(
        base(), grid([], [0, 1]), place, lambda point, _: kept.append(point.number), lambda: next(left, None) is None
    )

    assert paused.handed_in == handed_in
    assert kept == handed_in[2:]


@pytest.mark.long
def test_a_sweep_that_is_stopped_keeps_what_is_done() -> None:
    kept: list[int] = []
    play_all(base(), grid([], range(9)), here(), lambda point, _: kept.append(point.number), lambda: len(kept) >= 4)

    assert len(kept) == 4


@pytest.mark.long
def test_while_it_is_paused_no_point_is_begun() -> None:
    """It is paused for two looks after the first four points were begun, and stopped then."""
    kept, looks = list[int](), iter(range(3))
    paused = [False]

    def keep(point: Point, _: PointOutcome) -> None:
        kept.append(point.number)
        paused[0] = True

    play_all(
        base(),
        grid([], range(9)),
        here(),
        keep,
        lambda: len(kept) >= 4 and next(looks, None) is None,
        lambda: paused[0],
    )

    assert kept == [0, 1, 2, 3]


@pytest.mark.long
def test_the_file_has_the_same_points_in_whatever_order_they_came(tmp_path: Path) -> None:
    points = grid([Axis(KEY, ("true", "false"))], [0, 1])
    texts = []
    for name, order in (("one", points), ("other", points[::-1])):
        with SweepStore.created(tmp_path / name, {}) as store:
            play_all(base(), order, here(), store.keep)
        texts.append(rows(tmp_path / name))

    assert texts[0] == texts[1]


def test_a_sweep_goes_on_from_its_file(tmp_path: Path) -> None:
    spec = SweepSpec(dump(small()), "small", (Axis(KEY, ("true",)),), (0,), limit_texts=("starved < 1",))
    with SweepStore.created(tmp_path / "s", spec.about()) as store:
        play_all(spec.base, grid(spec.axes, spec.seeds), here(), store.keep)
    with SweepStore.opened(tmp_path / "s") as store:
        assert SweepSpec.of(store.about(), "s") == spec
        assert store.numbers() == {0}
        assert [each.status for each in store.points()] == ["done"]
    with pytest.raises(ConfigError, match="there already"):
        SweepStore.created(tmp_path / "s", {})


def test_the_best_keeps_every_limit_and_the_front_is_beaten_by_nobody() -> None:
    """More nodes wait less; the one that breaks the limit comes last and is on no front."""
    points = [
        stored(0, 300, nodes="2"),
        stored(1, 100, nodes="3"),
        stored(2, 100, nodes="4"),
        stored(3, 900, nodes="1"),
    ]
    summary = summarised(
        points, [Axis("nodes", ("1", "2", "3", "4"))], goal_named("p95", "-"), [limit_of("p95_wait < 900ms", "-")]
    )

    assert [(each.settings["nodes"], each.is_front, bool(each.breaks)) for each in summary.settings] == [
        ("3", True, False),
        ("4", False, False),
        ("2", True, False),
        ("1", False, True),
    ]


def test_what_was_not_played_is_counted_with_its_words() -> None:
    refused = StoredPoint(1, {"k": "b"}, 0, "refused", "no", None, 0.0)
    summary = summarised([stored(0, 5, k="a"), refused], [Axis("k", ("a", "b"))], goal_named("p95_wait", "-"))

    assert (len(summary.settings), summary.counts, summary.errors) == (
        1,
        {"done": 1, "refused": 1},
        (("refused", "no", 1),),
    )


@pytest.mark.long
def test_tuning_asks_in_rounds_and_goes_on_with_its_study(tmp_path: Path) -> None:
    """Of thirty values, ten trials and six more; the whole in one go asks for the same."""
    axis, asked = Axis("k", tuple(map(str, range(30)))), list[str]()

    def played(points: list[Point]) -> Mapping[int, StoredPoint]:
        asked.extend(each.settings["k"] for each in points)
        return {each.number: stored(each.number, 10 * int(each.settings["k"]), k=each.settings["k"]) for each in points}

    for name, stops in (("parts", (8, 16)), ("whole", (16,))):
        for trials in stops:
            tuned(
                [axis],
                goal_named("p95_wait", "-"),
                [limit_of("starved < 1", "-")],
                trials,
                [0],
                tmp_path / name,
                played,
            )

    assert asked[:16] == asked[16:]
    assert len(asked) == 32


# Whether any worker of a dask cluster is left, by a clock that is set by hand.


HINT = "(tune FILE goes on when there are workers)"


class Cluster:
    """A client of a dask cluster, its clock, and how it answers."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.workers: dict[str, int] = {"w1": 1}
        self.looks = 0
        self.error: Exception | None = None
        self.watch = WorkerWatch(self, "tcp://there:1", lambda: self.now_s)

    def nthreads(self) -> dict[str, int]:
        """Threads by worker."""
        self.looks += 1
        if self.error is not None:
            raise self.error
        return self.workers


def test_workers_are_looked_at_every_two_seconds() -> None:
    """At once, and not before two seconds have passed."""
    cluster = Cluster()
    looks = []
    for now_s in (100.0, 100.0, 101.9, 100.0 + LOOK_S, 103.9, 104.0):
        cluster.now_s = now_s
        cluster.watch.check()
        looks.append(cluster.looks)

    assert looks == [1, 1, 1, 2, 2, 3]


def test_a_cluster_without_a_worker_is_waited_for_half_a_minute() -> None:
    """From when one was last seen; a worker that comes back ends the wait."""
    cluster = Cluster()

    def looked(now_s: float, *workers: str) -> None:
        cluster.now_s, cluster.workers = now_s, dict.fromkeys(workers, 1)
        cluster.watch.check()

    looked(100.0, "w1")
    looked(100.0 + GONE_S)
    looked(140.0 - LOOK_S, "w2")
    looked(138.0 + GONE_S)
    with pytest.raises(ConfigError) as error:
        looked(138.0 + GONE_S + LOOK_S)
    assert str(error.value) == f"--dask: the dask scheduler at tcp://there:1 has had no worker for 30 s {HINT}"


@pytest.mark.parametrize("error", [OSError("closed"), TimeoutError()])
def test_a_scheduler_that_does_not_answer_is_gone(error: Exception) -> None:
    """It is said at once."""
    cluster = Cluster()
    cluster.error = error

    with pytest.raises(ConfigError) as said:
        cluster.watch.check()
    assert str(said.value) == f"--dask: the dask scheduler at tcp://there:1 is gone {HINT}"


# Points played by a dask scheduler and two workers on this machine.


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


# How points are handed in: so many at once, alone after a loss, again when late. Futures are ended by hand.

DONE = PointOutcome("done", seconds=0.0)


class ByHand(Executor):
    """Keeps what is handed in until somebody ends it."""

    def __init__(self) -> None:
        self.handed_in: list[int] = []
        self.open: list[tuple[int, Future[Any]]] = []
        self.most = 0
        self.shut: list[bool] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.handed_in.append(args[1].number)
        self.open.append((args[1].number, future))
        self.most = max(self.most, len(self.open))
        return future

    def end(self, outcome: PointOutcome | Exception = DONE, place: int = 0) -> int:
        number, future = self.open.pop(place)
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
        return number

    def shutdown(self, wait: bool = True) -> None:  # type: ignore[override]  # as dask's
        self.shut.append(wait)


class Handing:
    """Plays points in a place of two workers; before each look something is done to its executor."""

    def __init__(self, count: int, step: Callable[["Handing"], object], patience_s: float = 1e9) -> None:
        self.executors: list[ByHand] = []
        self.kept: list[tuple[int, str]] = []
        self.looks = 0
        self.is_over = False
        self._step = step
        place = WorkPlace("here", 2, self._made, (LostError,), patience_s)
        play_all(base(), grid([], range(count)), place, self._keep, self._is_stopped)

    @property
    def executor(self) -> ByHand:
        return self.executors[-1]

    def _made(self) -> Executor:
        self.executors.append(ByHand())
        return self.executor

    def _keep(self, point: Point, outcome: PointOutcome) -> None:
        self.kept.append((point.number, outcome.status))

    def _is_stopped(self) -> bool:
        self.looks += 1
        if self.executors and self.executor.open and not self.executor.shut:
            self._step(self)
        return self.is_over


def test_after_a_loss_the_points_that_were_out_are_played_alone() -> None:
    """One at a time, by a new executor each; then all the others as before."""
    lost: list[int] = []

    def step(handing: Handing) -> None:
        lost.append(handing.executor.end(LostError() if not lost else DONE))

    found = Handing(7, step)

    assert found.executors[0].handed_in == [0, 1, 2, 3]
    alone = [each.handed_in for each in found.executors[1:-1]]
    assert sorted(alone) == [[0], [1], [2], [3]]
    assert found.executors[-1].handed_in == [4, 5, 6]
    assert sorted(found.kept) == [(number, "done") for number in range(7)]
    assert all(each.shut == [False] for each in found.executors)


def test_a_point_that_is_lost_every_time_fails_and_the_others_do_not() -> None:
    """After as many tries, with words of its own; those that were out beside it are played."""

    def step(handing: Handing) -> None:
        handing.executor.end(LostError() if handing.executor.open[0][0] == 0 else DONE)

    outcomes = Handing(2, step)

    assert sum(each.handed_in.count(0) for each in outcomes.executors) == 3
    assert sorted(outcomes.kept) == [(0, "failed"), (1, "done")]
