"""The lines on top, and the state they tell."""

from math import inf

import msgspec
import pytest

from engine.explain.alert import Alert
from engine.observe.snapshot import UNKNOWN
from engine.observe.snapshots import WaitTotal
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tui.panes import header
from tui.panes.header import (
    BUSY,
    DEAD,
    FINE,
    HARMED,
    Health,
    health_line,
    health_of,
    identity_line,
    meter_line,
    spans_of,
)
from tui.panes.line import flat, length
from tui.protocol.picture import LIVE, STALE, STANDBY, ConnectionStatus, RunState, SessionState, Track

OFFSET_MS = 8 * 3_600_000
RUN = RunState("reservation-deadlock", seed=4, speed=10.0, paused=False, offset_ms=OFFSET_MS)
ALERT = Alert("frozen", fakes.NOW - 30_000, fakes.NOW, "Nothing moves", "deadlocked", "reservation-deadlock", (183354,))
KEYS = (("w", "why", "inspection.why"), ("}", "next mark", "past.on_mark"))


def _identity(width: int, run: RunState = RUN, **changes: object) -> str:
    return flat(spans_of(identity_line(fakes.header(**changes), run, OFFSET_MS, width)))


@pytest.mark.parametrize(
    ("run", "mode"),
    [
        (msgspec.structs.replace(RUN, paused=True), "paused"),
        (msgspec.structs.replace(RUN, speed=inf), "► max"),
        (msgspec.structs.replace(RUN, ended=True), "ended"),
        (msgspec.structs.replace(RUN, failure="it broke"), "stopped"),
        (msgspec.structs.replace(RUN, present_ms=fakes.NOW + 60_000), "PAST of 09:02:00"),
    ],
)
def test_the_mode_of_the_clock_is_a_word(run: RunState, mode: str) -> None:
    assert mode in _identity(120, run)


@pytest.mark.parametrize(
    ("state", "words"),
    [(LIVE, "data 2s old, answers in 40 ms  Sat"), (STALE, "picture of  Sat"), (STANDBY, "picture of")],
)
def test_a_live_cluster_has_a_badge_and_the_age_of_its_data(state: str, words: str) -> None:
    heard = ConnectionStatus(state, fakes.NOW, "", fakes.NOW + 2000, 40)
    line = _identity(160, msgspec.structs.replace(RUN, reception=heard))

    assert (line.startswith(" schedlab  LIVE  reservation-deadlock "), words in line) == (True, True)


@pytest.mark.parametrize("width", [80, 120])
def test_a_round_that_takes_longer_than_its_interval_is_told_in_the_header(width: int) -> None:
    heard = ConnectionStatus(LIVE, fakes.NOW, "", fakes.NOW + 2000, 40, late="a round takes 7.1s, its interval is 5s")
    line = _identity(width, msgspec.structs.replace(RUN, reception=heard))

    assert "data 2s old, a round takes 7.1s, its interval is 5s" in line


def test_what_a_source_cannot_tell_is_left_out() -> None:
    line = _identity(160, preemption=UNKNOWN, reservation_rule="")

    assert ("preemption" in line, "reservations" in line) == (False, False)


@pytest.mark.parametrize("width", [20, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    health = Health(DEAD, "FROZEN", "183354 holds 11 of 12 nodes; 76 wait behind it", fakes.NOW - 60_000, 2)
    lines = [meter_line(fakes.header(), WaitTotal(2, 1), width), health_line(health, fakes.NOW, KEYS, width)]

    assert [length(spans_of(line)) <= width for line in lines] == [True, True]


def test_a_badge_is_filled_only_where_somebody_is_harmed() -> None:
    styles = [
        [style for _, style in spans_of(health_line(Health(level, "X", "y"), 0, (), 80))][1:4]
        for level in (FINE, BUSY, HARMED, DEAD)
    ]

    assert [found[0] for found in styles] == [
        "bold good",
        "bold data",
        "bold onbadge on watch",
        "bold onbadge on alarm",
    ]


@pytest.mark.parametrize(
    ("lasted_ms", "is_at_least", "words"),
    [(999, True, " ■ FROZEN "), (1_000, True, " ■ FROZEN 1s or more "), (999, False, " ■ FROZEN 0s ")],
)
def test_a_badge_says_how_long_it_has_been_so_at_least(lasted_ms: int, is_at_least: bool, words: str) -> None:
    health = Health(DEAD, "FROZEN", "who", 0, is_at_least=is_at_least)

    assert flat(spans_of(health_line(health, lasted_ms, (), 60))).startswith(f"{words} who")


async def _picture(**run: object) -> SessionState:
    picture = await FakeSession(fakes.frozen_cluster()).picture()
    return msgspec.structs.replace(picture, run=msgspec.structs.replace(picture.run, **run))


async def test_a_freeze_names_who_holds_the_nodes() -> None:
    found = health_of(await _picture(standing=(ALERT,), alerts=(ALERT,)))

    assert (found.level, found.word, found.since_ms) == (DEAD, "FROZEN", ALERT.since_ms)
    assert found.headline.startswith("183354 holds 11 of 12 nodes; ")


async def test_an_alert_that_is_over_is_no_state() -> None:
    found = health_of(await _picture(alerts=(ALERT,)))

    assert (found.level, found.word) == (BUSY, "BUSY")


@pytest.mark.parametrize(("over", "word"), [((), "FROZEN"), (("over",), "BUSY")])
async def test_in_the_past_an_act_since_has_ended_a_freeze(over: tuple[str, ...], word: str) -> None:
    alerts = (ALERT, *(Alert(kind, ALERT.since_ms, fakes.NOW, "somebody acted") for kind in over))
    track = Track(fakes.NOW - 60_000, fakes.NOW - 60_000)
    found = health_of(await _picture(alerts=alerts, present_ms=fakes.NOW + 60_000, track=track))

    assert found.word == word


def test_speed_is_said_in_few_words() -> None:
    assert [header.speed_words(msgspec.structs.replace(RUN, speed=speed)) for speed in (60.0, 0.5, inf)] == [
        "×60",
        "×0.5",
        "max",
    ]
