"""Since when a live cluster stands still, and when its twin is asked about that."""

import msgspec

from engine.explain.alert import STILL_MS
from engine.live.alarms import LiveFreezeDetector
from engine.observe.snapshot import Header
from tests.engine.live.recorded import rounds_of, snapshot_of

FULL = snapshot_of(rounds_of("2.7.2-fair-kill")[0]).header
FREED = msgspec.structs.replace(FULL, used=(FULL.used[0] - 1, FULL.used[1]))


def looked(*rounds: tuple[int, Header]) -> LiveFreezeDetector:
    """After rounds, each at a time [ms] of the steady clock."""
    found = LiveFreezeDetector()
    for steady_ms, header in rounds:
        found.look(msgspec.structs.replace(header, time_ms=steady_ms), steady_ms)
    return found


def test_the_twin_is_asked_when_nothing_has_started_or_ended_for_so_long() -> None:
    assert not looked((0, FULL), (STILL_MS - 1, FULL)).is_due(FULL)
    assert looked((0, FULL), (STILL_MS, FULL)).is_due(FULL)
    assert not looked((0, FREED), (STILL_MS - 1, FULL), (STILL_MS, FULL)).is_due(FULL)


def test_a_twin_of_another_state_proves_nothing() -> None:
    found = looked((0, FULL), (STILL_MS, FULL))
    found.judge(FREED, "proved")

    assert (found.is_due(FREED), found.freeze) == (False, None)


def test_a_freeze_lasts_until_something_ends() -> None:
    found = looked((0, FULL), (STILL_MS, FULL))
    found.judge(FULL, "proved")
    freeze = found.freeze
    found.look(FREED, STILL_MS + 1)

    assert freeze is not None
    assert (freeze.since_ms, freeze.sentence, found.freeze) == (0, "proved", None)
