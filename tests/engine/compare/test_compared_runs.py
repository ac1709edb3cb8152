"""What a comparison says of each of its runs: series, waits, freezes, and what was asked for."""

import pytest

from engine.compare import ApplicationWaits, Comparison, Contestant, apart_ms, compared
from engine.compare.comparison import POINTS, SLICE_MS
from engine.formats.scenario_toml import loads
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.observe.journal import Fingerprint
from engine.run import Run
from engine.scenario import Scenario
from tests.engine.explain.stuck import HALVES, scene
from tests.engine.measures.by_definition import WholeRun

TWO = """
name = "two"
duration = "5m"
start = 2024-01-01T00:00:00Z
scheduler = "{scheduler}"
seed = 7
[cluster]
nodes = [{{ host = "n1", memory = "4g", vcores = 8 }}]
[[queues]]
name = "a"
[[queues]]
name = "b"
[[workload]]
type = "scripted"
name = "large"
user = "ann"
queue = "a"
at = 1
am = "unmanaged"
asks = [{{ memory = "1g", count = 6, duration = "20s" }}]
[[workload]]
type = "scripted"
name = "small"
user = "bob"
queue = "b"
at = 8
am = "unmanaged"
asks = [{{ memory = "1g", count = 2, duration = "5s" }}]
"""
UNTIL_MS = 47_800


def two(scheduler: str) -> Scenario:
    """Two jobs that want more than there is."""
    return loads(TWO.format(scheduler=scheduler), "two")


def found() -> Comparison:
    """The two jobs under a fair scheduler and under FIFO."""
    return compared(
        [Contestant("A", "fair", two("fair-2.7"), ("this",), ("that",)), Contestant("B", "fifo", two("fifo"))], UNTIL_MS
    )


def recorded(scheduler: str) -> tuple[WholeRun, str]:
    """All that one of the runs records, and its fingerprint."""
    whole, fingerprint = WholeRun(), Fingerprint()
    run = Run(two(scheduler), [whole, fingerprint], is_judged=False)
    whole.follow(run.simulation)
    run.advance(UNTIL_MS)
    return whole, fingerprint.hexdigest()


def test_a_comparison_says_what_was_compared() -> None:
    """The scenario of the first run, its clock and seed, and each run's own names."""
    both, scenario = found(), two("fair-2.7")

    assert (both.scenario, both.seed, both.offset_ms) == ("two", 7, 0)
    assert (both.start_ms, both.until_ms) == (scenario.start_ms, scenario.start_ms + UNTIL_MS)
    assert [(run.letter, run.name, run.policy, run.mapped, run.dropped) for run in both.runs] == [
        ("A", "fair", "fair-2.7", ("this",), ("that",)),
        ("B", "fifo", "fifo", (), ()),
    ]
    assert both.refused == {}
    assert [run.journal for run in both.runs] == [recorded("fair-2.7")[1], recorded("fifo")[1]]


@pytest.mark.parametrize(("place", "scheduler"), [(0, "fair-2.7"), (1, "fifo")])
def test_series_are_what_stood_at_evenly_spaced_instants(place: int, scheduler: str) -> None:
    """Memory held in all and by queue, who waits, and what was allocated since the point before."""
    series, (whole, _) = found().runs[place].series, recorded(scheduler)
    start_ms = whole.instants[0].time_ms
    at = [start_ms + UNTIL_MS * point // (POINTS - 1) for point in range(POINTS)]

    def standing(time_ms: int) -> float:
        last = [each for each in whole.instants if each.time_ms <= time_ms][-1]
        return round(last.used[0] / last.total[0], 4)

    given = [sum(isinstance(each, Allocated) and time_ms <= end for time_ms, each in whole.all()) for end in at]
    assert series.used_share == tuple(map(standing, at))
    assert series.allocated == tuple(after - before for before, after in zip([0, *given], given, strict=False))
    submitted = [each.submitted_ms for each in whole.applications()]
    running = [
        time_ms
        for time_ms, each in whole.all()
        if isinstance(each, ApplicationTransitioned) and each.state == "RUNNING"
    ]
    assert series.waiting == tuple(
        sum(each <= end for each in submitted) - sum(each <= end for each in running) for end in at
    )
    assert list(series.queues) == (["root.a", "root.b"] if place == 0 else [])
    if place == 0:
        by_queue = [sum(each) for each in zip(*series.queues.values(), strict=True)]
        assert by_queue == pytest.approx(list(series.used_share), abs=0.0002)


def test_the_wait_that_differs_most_comes_first() -> None:
    """Under FIFO the small job waits for the large one to have all it asks for."""
    small, large = found().applications

    assert (small.name, small.user, small.number) == ("small", "bob", 2)
    assert (large.name, large.user, large.number, apart_ms(large)) == ("large", "ann", 1, 0)
    times = {letter: recorded(name)[0].applications() for letter, name in (("A", "fair-2.7"), ("B", "fifo"))}
    for row in (small, large):
        mine = {letter: some[row.number - 1] for letter, some in times.items()}
        assert row.waits_ms == {letter: each.wait_ms(found().until_ms) for letter, each in mine.items()}
        assert row.states == {letter: each.state for letter, each in mine.items()}
    assert apart_ms(small) == abs((small.waits_ms["A"] or 0) - (small.waits_ms["B"] or 0)) > 0


@pytest.mark.parametrize(
    ("waits", "apart"),
    [({}, 0), ({"A": None}, 0), ({"A": 5}, 0), ({"A": 5, "B": None, "C": 9}, 4), ({"A": 9, "B": 5}, 4)],
)
def test_waits_are_as_far_apart_as_the_longest_and_the_shortest(waits: dict[str, int | None], apart: int) -> None:
    """Where it has a wait at all."""
    assert apart_ms(ApplicationWaits(1, "", "", "", waits, {})) == apart


def test_runs_are_told_of_as_they_go_on() -> None:
    """After each slice and at the end; none is begun once it is stopped."""
    told: list[int] = []
    both = [Contestant("A", "", two("fair-2.7")), Contestant("B", "", two("fifo"))]
    compared(both, 2 * SLICE_MS + 1, progressed=told.append)
    assert told == [SLICE_MS, 2 * SLICE_MS, 2 * SLICE_MS + 1]

    stopped = compared(both, UNTIL_MS, is_stopped=lambda: True, progressed=told.append)
    assert (len(told), stopped.until_ms) == (3, stopped.start_ms)


def test_a_difference_at_the_very_end_is_a_divergence() -> None:
    """Nothing shows that it passes, however short it is."""
    both = [Contestant("A", "", two("fair-2.7")), Contestant("B", "", two("fifo"))]
    first = found().divergences[0]
    early = compared(both, first.time_ms - found().start_ms + 1)

    assert [each.application for each in early.divergences] == [first.application]
    assert found().first_trifle_ms == early.first_trifle_ms


def test_a_freeze_ends_when_it_is_over() -> None:
    """Or with the run; the verdict is that of the last alert about each application."""
    frozen = scene(HALVES)
    killed = scene(HALVES + '\n[[script]]\ndo = "kill"\napplication = "first"\nat = 120\n')
    found = compared([Contestant("A", "stays", frozen), Contestant("B", "killed", killed)], 240_000)
    stays, ends = (run.frozen for run in found.runs)

    assert [(each.verdict, each.applications) for each in stays] == [("deadlocked", (1, 2))]
    assert [(each.verdict, each.applications, each.pattern) for each in ends] == [
        (stays[0].verdict, stays[0].applications, stays[0].pattern)
    ]
    assert stays[0].since_ms == ends[0].since_ms < found.start_ms + 120_000
    assert stays[0].until_ms == found.until_ms
    assert 120_000 <= ends[0].until_ms - found.start_ms <= 120_000 + 2 * SLICE_MS
    assert found.runs[1].frozen_ms == ends[0].until_ms - ends[0].since_ms
    assert found.runs[0].stuck == dict.fromkeys((1, 2), "deadlocked")
