"""The lines on top, and the state they tell."""

from math import inf

import msgspec
import pytest

from engine.explain.alert import Alert
from engine.observe.service import WaitTotal
from engine.observe.snapshot import UNKNOWN
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tui.picture import LIVE, STALE, STANDBY, Picture, Reception, RunState, Track
from tui.render import header
from tui.render.header import DrillClock, call_of, health_line, identity_line, meter_line, spans_of
from tui.render.health import BUSY, DEAD, FINE, HARMED, Health, health_of
from tui.render.line import flat, length

OFFSET_MS = 8 * 3_600_000
RUN = RunState("reservation-deadlock", seed=4, speed=10.0, paused=False, offset_ms=OFFSET_MS)
ALERT = Alert("frozen", fakes.NOW - 30_000, fakes.NOW, "Nothing moves", "deadlocked", "reservation-deadlock", (183354,))
KEYS = (("w", "why", "inspection.why"), ("}", "next mark", "past.on_mark"))


def _identity(width: int, run: RunState = RUN, **changes: object) -> str:
    return flat(spans_of(identity_line(fakes.header(**changes), run, OFFSET_MS, width)))


@pytest.mark.parametrize(("nodes", "words"), [(3, "?  0 of ?"), (0, "-  0 of 0")])
def test_the_amount_of_nodes_whose_size_nobody_says_is_unknown(nodes: int, words: str) -> None:
    """And that of no nodes is nothing."""
    one = fakes.header(nodes=nodes, total=(0, 0), used=(0, 0))

    assert words in flat(spans_of(meter_line(one, WaitTotal(2, 1), 160)))


def test_the_first_line_tells_what_is_looked_at_and_when() -> None:
    """Name, scheduler, rules, seed; the clock at the right end."""
    assert _identity(160).split() == [
        "schedlab", "reservation-deadlock", "FairScheduler", "2.7.2", "·", "reservations", "strict", "·", "no",
        "preemption", "·", "seed", "4", "►", "×10", "Sat", "2017-11-11", "09:01:00",
    ]  # fmt: skip


@pytest.mark.parametrize(("width", "seed", "rule"), [(140, True, True), (85, False, True), (60, False, False)])
def test_the_clock_goes_last(width: int, seed: bool, rule: bool) -> None:
    """First the seed, then preemption, the rule, the scheduler."""
    line = _identity(width)

    assert ("seed 4" in line, "strict" in line, line[-8:], len(line)) == (seed, rule, "09:01:00", width - 1)


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
    """Running, paused, ended, stopped and past look different without colour."""
    assert mode in _identity(120, run)


@pytest.mark.parametrize(("ends_ms", "left"), [(fakes.NOW + 61_000, "1m01s"), (fakes.NOW - 1, "0s")])
def test_a_drill_has_its_number_and_the_time_that_is_left(ends_ms: int, left: str) -> None:
    """As a badge before the name, which opens the drill."""
    line = identity_line(fakes.header(), RUN, OFFSET_MS, 160, drill=DrillClock("DRILL 2/29", ends_ms))

    assert flat(spans_of(line)).startswith(f" schedlab  DRILL 2/29  {left} left  reservation-deadlock ")
    assert call_of(line, 12) == "program.drill"


@pytest.mark.parametrize(
    ("state", "words"),
    [(LIVE, "data 2s old, answers in 40 ms  Sat"), (STALE, "picture of  Sat"), (STANDBY, "picture of")],
)
def test_a_live_cluster_has_a_badge_and_the_age_of_its_data(state: str, words: str) -> None:
    """Where it is not heard, the instant is that of the last picture."""
    heard = Reception(state, fakes.NOW, "", fakes.NOW + 2000, 40)
    line = _identity(160, msgspec.structs.replace(RUN, reception=heard))

    assert (line.startswith(" schedlab  LIVE  reservation-deadlock "), words in line) == (True, True)


@pytest.mark.parametrize("width", [80, 120])
def test_a_round_that_takes_longer_than_its_interval_is_told_in_the_header(width: int) -> None:
    """In place of how long answers take."""
    heard = Reception(LIVE, fakes.NOW, "", fakes.NOW + 2000, 40, late="a round takes 7.1s, its interval is 5s")
    line = _identity(width, msgspec.structs.replace(RUN, reception=heard))

    assert "data 2s old, a round takes 7.1s, its interval is 5s" in line


def test_what_a_source_cannot_tell_is_left_out() -> None:
    """A cluster without preemption and reservation rule shows no switches."""
    line = _identity(160, preemption=UNKNOWN, reservation_rule="")

    assert ("preemption" in line, "reservations" in line) == (False, False)


@pytest.mark.parametrize("width", [20, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Whatever has no room goes."""
    health = Health(DEAD, "FROZEN", "183354 holds 11 of 12 nodes; 76 wait behind it", fakes.NOW - 60_000, 2)
    lines = [meter_line(fakes.header(), WaitTotal(2, 1), width), health_line(health, fakes.NOW, KEYS, width)]

    assert [length(spans_of(line)) <= width for line in lines] == [True, True]


def test_meters_tell_shares_and_amounts_and_counts_stand_at_the_end() -> None:
    """At length where there is room, else in short."""
    wide, narrow = (flat(spans_of(meter_line(fakes.header(), WaitTotal(2, 1), width))) for width in (120, 80))

    assert wide.split() == [
        "memory", "━━━━━━━━━╸──────", "60%", "720G", "of", "1.2T", "vcores", "━━━━━━━╸────────", "46%",
        "waiting", "3", "=", "2", "first", "+", "1", "more",
    ]  # fmt: skip
    assert narrow.split() == [
        "mem", "━━━━━━────", "60%", "vc", "━━━━╸─────", "46%",
        "wait", "3", "=", "2", "first", "+", "1", "more", "nodes", "12",
    ]  # fmt: skip


def test_a_badge_is_filled_only_where_somebody_is_harmed() -> None:
    """The worst two states; the headline is bold with them."""
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
    """What a watch finds in its first second has no time: it may have lasted for hours."""
    health = Health(DEAD, "FROZEN", "who", 0, is_at_least=is_at_least)

    assert flat(spans_of(health_line(health, lasted_ms, (), 60))).startswith(f"{words} who")


def test_words_of_the_header_stand_for_actions() -> None:
    """The state for the alerts, a key for what it does, the room between for nothing."""
    line = health_line(Health(DEAD, "FROZEN", "who"), 0, KEYS, 60)
    words = flat(spans_of(line))

    assert [call_of(line, words.index(part)) for part in ("FROZEN", "who", "   ", "w why", "} next")] == [
        "program.alerts",
        "program.alerts",
        "",
        "inspection.why",
        "past.on_mark",
    ]


async def _picture(**run: object) -> Picture:
    picture = await FakeSession(fakes.frozen_cluster()).picture()
    return msgspec.structs.replace(picture, run=msgspec.structs.replace(picture.run, **run))


async def test_a_freeze_names_who_holds_the_nodes() -> None:
    """And how many wait behind."""
    found = health_of(await _picture(standing=(ALERT,), alerts=(ALERT,)))

    assert (found.level, found.word, found.since_ms) == (DEAD, "FROZEN", ALERT.since_ms)
    assert found.headline.startswith("183354 holds 11 of 12 nodes; ")


async def test_an_alert_that_is_over_is_no_state() -> None:
    """The session says which stands."""
    found = health_of(await _picture(alerts=(ALERT,)))

    assert (found.level, found.word) == (BUSY, "BUSY")


@pytest.mark.parametrize(("over", "word"), [((), "FROZEN"), (("over",), "BUSY")])
async def test_in_the_past_an_act_since_has_ended_a_freeze(over: tuple[str, ...], word: str) -> None:
    """Also one at the instant it was found: the alert of its end comes after it."""
    alerts = (ALERT, *(Alert(kind, ALERT.since_ms, fakes.NOW, "somebody acted") for kind in over))
    track = Track(fakes.NOW - 60_000, fakes.NOW - 60_000)
    found = health_of(await _picture(alerts=alerts, present_ms=fakes.NOW + 60_000, track=track))

    assert found.word == word


def test_speed_is_said_in_few_words() -> None:
    """As a factor, or as fast as it goes."""
    assert [header.speed_words(msgspec.structs.replace(RUN, speed=speed)) for speed in (60.0, 0.5, inf)] == [
        "×60",
        "×0.5",
        "max",
    ]
