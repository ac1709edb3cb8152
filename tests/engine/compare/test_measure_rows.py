"""Measures of runs side by side, and what counts as worse."""

from typing import Any

import pytest

from engine.compare import ComparedRun, Comparison, MeasureRow, measure_rows
from engine.compare.comparison import ProvedFreeze, Series
from engine.measures import Evenness, Quantiles, RunMeasures


def figures(base: int, slowdown: float, queue: str) -> RunMeasures:
    """A run each of whose figures is another number."""
    numbers: dict[str, Any] = {
        name: base + place
        for place, name in enumerate(
            (
                *("until_ms", "applications", "refused", "finished", "failed", "unfinished", "makespan_ms"),
                *("never_started", "starved", "waiting_most", "containers", "preempted", "preempted_s", "lost"),
                *("lost_s", "reserved_most", "reserved_most_by_one", "reserved_in_vain_s", "standstill_ms"),
            )
        )
    }
    return RunMeasures(
        waits=Quantiles(3, base + 50, base + 51, base + 52),
        waits_of_queues={},
        waits_of_users={},
        slowdown=Quantiles(3, slowdown, 2 * slowdown, 3 * slowdown),
        used_share={"memory_mb": base / 1000, "vcores": base / 2000},
        held_s={},
        users=Evenness(base / 300, 1, {}),
        queues=Evenness(None, 0, {queue: base / 400}),
        **numbers,
    )


def run(letter: str, measures: RunMeasures, frozen: tuple[ProvedFreeze, ...] = ()) -> ComparedRun:
    """One of the runs."""
    return ComparedRun(letter, letter, "fifo", (), (), measures, frozen, {}, (), "", Series((), (), (), {}))


def test_every_measure_has_its_row() -> None:
    """Its group, name, unit, what is worse of it, and its value in each run."""
    freezes = (ProvedFreeze(0, 30, "", "", ()), ProvedFreeze(50, 61, "", "", ()))
    runs = (run("A", figures(100, 1.5, "root.a"), freezes), run("B", figures(200, 0, "root.b.c")))
    rows = measure_rows(Comparison("scene", 0, 1, 0, 0, runs, {}, (), None, ()))

    waits, done, fair = "Waits for the first container asked for", "Work done", "Fairness"
    reserved, harm = "Reservations", "Starving, deadlocked, lost"
    assert [(each.group, each.name, each.unit, each.worse, each.values) for each in rows] == [
        (waits, "median", "ms", "more", (150, 250)),
        (waits, "95 %", "ms", "more", (151, 251)),
        (waits, "worst", "ms", "more", (152, 252)),
        (waits, "slowdown, median", "ratio", "more", (1.5, None)),
        (waits, "slowdown, 95 %", "ratio", "more", (3.0, None)),
        (waits, "applications waiting at once, most", "", "more", (109, 209)),
        (done, "applications FINISHED", "", "less", (103, 203)),
        (done, "not ended", "", "more", (105, 205)),
        (done, "makespan", "ms", "more", (106, 206)),
        (done, "containers allocated", "", "", (110, 210)),
        (done, "memory held, mean", "share", "", (0.1, 0.2)),
        (done, "vcores held, mean", "share", "", (0.05, 0.1)),
        (fair, "Jain's index of users", "share", "less", (100 / 300, 200 / 300)),
        (fair, "Jain's index of queues", "share", "less", (None, None)),
        (fair, "a, dominant share, mean", "share", "", (0.25, None)),
        (fair, "b.c, dominant share, mean", "share", "", (None, 0.5)),
        (reserved, "nodes reserved at once, most", "", "more", (115, 215)),
        (reserved, "for one application, most", "", "more", (116, 216)),
        (reserved, "reserved in vain", "s", "more", (117, 217)),
        (harm, "deadlocked, proved", "ms", "more", (41, 0)),
        (harm, "longest standstill", "ms", "more", (118, 218)),
        (harm, "waited over ten minutes", "", "more", (108, 208)),
        (harm, "never started", "", "more", (107, 207)),
        (harm, "refused, failed or killed", "", "more", (206, 406)),
        (harm, "containers preempted", "", "more", (111, 211)),
        (harm, "their work", "s", "more", (112, 212)),
        (harm, "work lost in all", "s", "more", (114, 214)),
    ]


@pytest.mark.parametrize(
    ("values", "is_alike", "spread"),
    [
        ((), True, 0.0),
        ((None, None), True, 0.0),
        ((3,), True, 0.0),
        ((3, None, 3), True, 0.0),
        ((0, 0), True, 0.0),
        ((4, 3), False, 0.25),
        ((1, None, 4, 2), False, 0.75),
        ((0, 5), False, 1.0),
        ((-4, 1), False, 0.75),
    ],
)
def test_a_spread_is_from_none_to_one_who_has_all(
    values: tuple[int | None, ...], is_alike: bool, spread: float
) -> None:
    """In relation to the largest; runs without a value do not count."""
    row = MeasureRow("", "", "", "", values)

    assert (row.is_alike, row.spread) == (is_alike, spread)


@pytest.mark.parametrize(
    ("worse", "values", "badness"),
    [
        ("more", (2, 8, None, 0), [0.25, 1.0, 0.0, 0.0]),
        ("less", (2, 8, None, 0), [0.75, 0.0, 0.0, 1.0]),
        ("", (2, 8), [0.0, 0.0]),
        ("more", (0, 0), [0.0, 0.0]),
        ("less", (0, None), [0.0, 0.0]),
        ("more", (None, None), [0.0, 0.0]),
        ("more", (), []),
    ],
)
def test_a_bar_is_as_long_as_there_is_of_what_is_bad(
    worse: str, values: tuple[int | None, ...], badness: list[float]
) -> None:
    """In relation to the largest; nothing where neither is worse, or a run has no value."""
    assert MeasureRow("", "", "", worse, values).badness() == badness
