"""A comparison of two or three runs made by hand, without an engine."""

from typing import Any

import msgspec

from engine.compare import ApplicationWaits, ComparedRun, Comparison, Divergence, ExplainedDivergence, SideReason
from engine.compare.comparison import ProvedFreeze, Series
from engine.measures import Evenness, Quantiles, RunMeasures

START_MS = 1510362060000
OFFSET_MS = 8 * 3_600_000
MINUTE_MS = 60_000
FREEZE = ProvedFreeze(START_MS + 10 * MINUTE_MS, START_MS + 25 * MINUTE_MS, "deadlocked", "reservation deadlock", (2,))


def figures(**changes: Any) -> RunMeasures:
    """The measures of a run of half an hour."""
    numbers: dict[str, Any] = {
        "until_ms": 30 * MINUTE_MS,
        "applications": 40,
        "refused": 0,
        "finished": 38,
        "failed": 1,
        "unfinished": 1,
        "makespan_ms": 29 * MINUTE_MS,
        "never_started": 0,
        "starved": 0,
        "waiting_most": 9,
        "containers": 1200,
        "preempted": 0,
        "preempted_s": 0,
        "lost": 4,
        "lost_s": 5400,
        "reserved_most": 3,
        "reserved_most_by_one": 2,
        "reserved_in_vain_s": 61,
        "standstill_ms": 4000,
    }
    found = RunMeasures(
        waits=Quantiles(40, 232, 59_940, 119_000),
        waits_of_queues={},
        waits_of_users={},
        slowdown=Quantiles(38, 1.04, 2.46, 7.0),
        used_share={"memory_mb": 0.564},
        held_s={},
        users=Evenness(0.9, 3, {}),
        queues=Evenness(None, 0, {"root.etl": 0.25}),
        **numbers,
    )
    return msgspec.structs.replace(found, **changes)


def run(letter: str, **changes: Any) -> ComparedRun:
    """One of the runs: what it allocates and holds falls with its letter."""
    less = "ABCDEF".index(letter)
    series = Series(
        used_share=tuple(min(1.0, place / 20) / (1 + less) for place in range(40)),
        waiting=tuple(place % 7 * (1 + less) for place in range(40)),
        allocated=tuple(0 if place % 5 else 12 - 4 * less for place in range(40)),
        queues={},
    )
    found = ComparedRun(letter, f"run {letter.lower()}", "fair-2.7", (), (), figures(), (), {}, (), "", series)
    return msgspec.structs.replace(found, **changes)


def side(letter: str, decided: str, rule: str = "", setting: str = "") -> SideReason:
    return SideReason(letter, decided, rule, setting, 2, 0)


PARTINGS = (
    ExplainedDivergence(
        START_MS + 95_000,
        183354,
        "weekly-pyspark",
        "mining",
        "root.report",
        "n7",
        "2 × 62.5G/4c",
        (
            side(
                "A", "reserves n7 for 62.5G/4c", "a node without room is reserved", "schedlab.reservation.rule = strict"
            ),
            side("B", "passes it by", "no node is reserved"),
        ),
        START_MS + 395_000,
    ),
    ExplainedDivergence(
        START_MS + 300_000, 7, "", "", "root.etl", "", "", (side("A", "starts it"), side("B", "passes it by")), None
    ),
)


def waits(number: int, **waits_ms: int | None) -> ApplicationWaits:
    """How long an application waited in each run."""
    return ApplicationWaits(number, f"etl-{number}", "etl", "root.etl", waits_ms, dict.fromkeys(waits_ms, "FINISHED"))


APPLICATIONS = (
    waits(7, A=90_000, B=400),
    waits(12, A=None, B=45_000),
    waits(183354, A=30_000, B=30_000),
    waits(9, B=0),
)


def comparison(*runs: ComparedRun, **changes: Any) -> Comparison:
    """Two runs that part twice, or those given."""
    slow = figures(waits=Quantiles(40, 500, 600_000, 1_100_000), starved=5, refused=2, used_share={"memory_mb": 0.25})
    found = Comparison(
        scenario="morning",
        start_ms=START_MS,
        until_ms=START_MS + 30 * MINUTE_MS,
        offset_ms=OFFSET_MS,
        seed=7,
        runs=runs or (run("A", measures=slow, frozen=(FREEZE,)), run("B")),
        refused={},
        divergences=tuple(Divergence(each.time_ms, each.application, {}, {}, each.alike_ms) for each in PARTINGS),
        first_trifle_ms=START_MS + 20_000,
        applications=APPLICATIONS,
    )
    return msgspec.structs.replace(found, **changes)
