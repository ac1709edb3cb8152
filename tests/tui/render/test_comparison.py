"""A comparison in words: values, what a run came to, the headline, where the runs part."""

from typing import Any

import msgspec
import pytest

from engine.compare import REFUSED, ComparedRun, Loss
from engine.compare.comparison import ProvedFreeze
from engine.compare.measure_rows import Value
from engine.measures import Quantiles
from tests.tui.render.compared import (
    FREEZE,
    MINUTE_MS,
    OFFSET_MS,
    PARTINGS,
    START_MS,
    comparison,
    figures,
    run,
)
from tui.render.comparison import alike_until, badge, harm, headline, parting_lines, value_text, wait_text


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (None, "ms", "–"),
        (0, "ms", "0s"),
        (1, "ms", "0.0s"),
        (50, "ms", "0.1s"),
        (59_999, "ms", "60.0s"),
        (60_000, "ms", "1m00s"),
        (59, "s", "59s"),
        (3599.4, "s", "59m59s"),
        (3600, "s", "1h00m"),
        (3659, "s", "1h00m"),
        (3660, "s", "1h01m"),
        (360_060, "s", "100h01m"),
        (0.5644, "share", "56.4%"),
        (1.0, "share", "100.0%"),
        (1.25, "ratio", "1.2"),
        (1.26, "ratio", "1.3"),
        (1234567, "", "1,234,567"),
        (0, "", "0"),
    ],
)
def test_a_value_has_its_unit(value: Value, unit: str, words: str) -> None:
    """Waits under a minute have tenths, work from an hour on has hours and minutes."""
    assert value_text(value, unit) == words


@pytest.mark.parametrize(
    ("milliseconds", "words"), [(-1, "0s"), (59_999.4, "60.0s"), (60_499.6, "1m00s"), (61_000, "1m01s")]
)
def test_a_wait_has_tenths_under_a_minute(milliseconds: float, words: str) -> None:
    """One of none has not."""
    assert wait_text(milliseconds) == words


@pytest.mark.parametrize(
    ("frozen", "starved", "refused", "mark", "words"),
    [
        ((FREEZE,), 3, 0, ("alarm", "FROZEN 15m00s"), "3 of 40 wait ten minutes or longer"),
        ((), 1, 2, ("alarm", "REFUSED 2"), "1 of 40 wait ten minutes or longer, 2 refused"),
        ((), 1, 0, ("watch", "STARVED 1"), "1 of 40 wait ten minutes or longer"),
        ((FREEZE,), 0, 0, ("alarm", "FROZEN 15m00s"), "39 of 40 applications end"),
        ((), 0, 0, ("good", "OK"), "40 applications, the longest wait is 1m59s"),
    ],
)
def test_a_run_came_to_its_worst(
    frozen: tuple[ProvedFreeze, ...], starved: int, refused: int, mark: tuple[str, str], words: str
) -> None:
    """A freeze is worse than a refusal, that than starving, and that than waiting."""
    one = run("A", frozen=frozen, measures=figures(starved=starved, refused=refused))

    assert (badge(one), harm(one)) == (mark, words)


def _waiting(letter: str, p95: float, worst: float = 119_000, **changes: Any) -> ComparedRun:
    return run(letter, measures=figures(waits=Quantiles(40, 1, p95, worst)), **changes)


LONGER = msgspec.structs.replace(FREEZE, since_ms=FREEZE.since_ms - MINUTE_MS)


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (
            (run("A", frozen=(FREEZE,)), _waiting("B", 1, 59_000)),
            "run a freezes at 09:11:00 (reservation deadlock) and allocates nothing for 15m00s, "
            "39 of 40 applications end; "
            "under run b 39 of 40 applications end",
        ),
        (
            (run("A", frozen=(FREEZE,)), run("B", frozen=(LONGER,)), _waiting("C", 1, 1000)),
            "run a freezes at 09:11:00 (reservation deadlock) and allocates nothing for 15m00s, "
            "39 of 40 applications end; "
            "run b freezes at 09:10:00 (reservation deadlock) and allocates nothing for 16m00s, "
            "39 of 40 applications end; "
            "under run c 39 of 40 applications end",
        ),
        (
            (_waiting("A", 5000), _waiting("B", 2000, losses=(Loss(REFUSED, "no queue x.", (2,)),))),
            "1 of 40 applications is refused under run b: no queue x; "
            "under run b 95 % of applications wait at most 2.0s, under run a 5.0s",
        ),
        (
            (_waiting("A", 5000), run("B", measures=figures(never_started=1))),
            "Under run a every application has begun to work, "
            "under run b 39 of 40 applications have begun to work by the end",
        ),
        (
            (_waiting("A", 5000), _waiting("B", 4000), _waiting("C", 6000)),
            "Under run b 95 % of applications wait at most 4.0s, under run c 6.0s",
        ),
        (
            (_waiting("A", 5000), _waiting("B", 5000), _waiting("C", 5000)),
            "95 % of applications wait at most 5.0s under run a, run b and run c alike",
        ),
        (
            (run("A", frozen=(FREEZE,)), run("B", frozen=(FREEZE,))),
            "run a and run b freeze at 09:11:00 (reservation deadlock) and allocate nothing for 15m00s alike; "
            "39 of 40 applications end",
        ),
    ],
)
def test_the_headline_says_who_freezes_else_who_waits(runs: tuple[ComparedRun, ...], words: str) -> None:
    """Waits are compared only where nothing freezes and all begin to work."""
    assert headline(comparison(*runs)) == words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"divergences": ()}, "no lasting difference: every application soon has the same again"),
        ({"first_trifle_ms": None}, "alike for 1m35s"),
        ({"first_trifle_ms": START_MS + 95_000}, "alike for 1m35s"),
        (
            {},
            "alike for 1m35s except nodes and exact times: containers are on other nodes from 09:01:20",
        ),
    ],
)
def test_it_says_how_long_the_runs_are_alike(changes: dict[str, Any], words: str) -> None:
    """What only puts a container elsewhere is no difference, and is told."""
    assert alike_until(comparison(**changes)).removesuffix(".000") == words


@pytest.mark.parametrize(
    ("place", "lines"),
    [
        (
            0,
            [
                (
                    "",
                    "09:02:35.000  183354 weekly-pyspark (mining, report) asks for 2 × 62.5G/4c, node n7",
                ),
                ("A", "reserves n7 for 62.5G/4c"),
                ("", "  a node without room is reserved (schedlab.reservation.rule = strict)"),
                ("B", "passes it by"),
                ("", "  no node is reserved"),
            ],
        ),
        (1, [("", "09:06:00.000  0007 (etl)"), ("A", "starts it"), ("B", "passes it by")]),
    ],
)
def test_a_parting_tells_whom_it_is_about_and_what_each_run_decides(place: int, lines: list[tuple[str, str]]) -> None:
    """What is not known, and a rule that no run has, takes no room."""
    assert list(parting_lines(PARTINGS[place], OFFSET_MS)) == lines
