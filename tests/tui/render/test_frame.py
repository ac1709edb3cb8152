"""The frame of a pane: its edges, its thumb, and the titles of panes side by side."""

from math import inf

import msgspec
import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tui.keymap import FooterKey
from tui.panes.fragments import flat
from tui.panes.frame import BorderLabel, PaneFrame, footer, spans_of, upper
from tui.panes.header import health_of, identity_line, speed_words
from tui.protocol.picture import LIVE, STALE, STANDBY, ConnectionStatus, RunState, SessionState, Track
from tui.protocol.session import CUT_OFF

TITLE = (BorderLabel((("1 ", "accent"), ("Applications", "strong")), "one"),)


@pytest.mark.parametrize(
    ("is_sided", "is_doubled", "edge"), [(True, True, "╭═"), (True, False, "╭─"), (False, True, "─ ")]
)
def test_the_focus_is_told_without_colour(is_sided: bool, is_doubled: bool, edge: str) -> None:
    spans = upper(PaneFrame(TITLE, is_focused=True, is_sided=is_sided, is_doubled=is_doubled), 40)

    assert flat(spans)[:2] == edge


# The lines on top, and the state they tell.

OFFSET_MS = 8 * 3_600_000
RUN = RunState("reservation-deadlock", seed=4, speed=10.0, paused=False, offset_ms=OFFSET_MS)
ALERT = Alert("frozen", fakes.NOW - 30_000, fakes.NOW, "Nothing moves", "deadlocked", "reservation-deadlock", (183354,))


def _identity(width: int, run: RunState = RUN, **changes: object) -> str:
    return flat(spans_of(identity_line(fakes.header(**changes), run, OFFSET_MS, width)))


@pytest.mark.parametrize(
    ("run", "mode"),
    [
        (msgspec.structs.replace(RUN, paused=True), "paused"),
        (msgspec.structs.replace(RUN, speed=inf), "► max"),
        (msgspec.structs.replace(RUN, ended=True), "ended"),
        (msgspec.structs.replace(RUN, failure="it broke"), "stopped"),
        (msgspec.structs.replace(RUN, frozen="the instructor"), "frozen"),
        (msgspec.structs.replace(RUN, frozen=CUT_OFF), "not connected"),
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


async def _picture(**run: object) -> SessionState:
    picture = await FakeSession(fakes.frozen_cluster()).picture()
    return msgspec.structs.replace(picture, run=msgspec.structs.replace(picture.run, **run))


@pytest.mark.parametrize(("over", "word"), [((), "FROZEN"), (("over",), "BUSY")])
async def test_in_the_past_an_act_since_has_ended_a_freeze(over: tuple[str, ...], word: str) -> None:
    alerts = (ALERT, *(Alert(kind, ALERT.since_ms, fakes.NOW, "somebody acted") for kind in over))
    track = Track(fakes.NOW - 60_000, fakes.NOW - 60_000)
    found = health_of(await _picture(alerts=alerts, present_ms=fakes.NOW + 60_000, track=track))

    assert found.word == word


def test_speed_is_said_in_few_words() -> None:
    assert [speed_words(msgspec.structs.replace(RUN, speed=speed)) for speed in (60.0, 0.5, inf)] == [
        "×60",
        "×0.5",
        "max",
    ]


# The keys at the foot of a screen.

GROUPS = (
    (FooterKey("a", "first", "one", 2), FooterKey("b", "second", "two", 3)),
    (FooterKey("c", "third of all", "three", 2, "third"),),
    (FooterKey("esc", "back", "leave", 1),),
)
LAST = FooterKey("?", "keys", "help", 1)
WHOLE = "a first  b second  │ c third of all  │ esc back"


def _line(width: int) -> str:
    return flat(spans_of(footer(GROUPS, LAST, width)))


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (80, WHOLE),
        (57, WHOLE),
        (56, "a first  b second  │ c third  │ esc back"),
        (50, "a first  b second  │ c third  │ esc back"),
        (49, "a first  │ c third  │ esc back"),
        (40, "a first  │ c third  │ esc back"),
        (39, "a first  │ esc back"),
        (29, "a first  │ esc back"),
        (28, "esc back"),
        (4, "esc back"),
    ],
)
def test_keys_go_by_importance_and_the_last_ones_stay(width: int, expected: str) -> None:
    """Titles get shorter first; among equals the last goes; `esc` and `?` stay whatever the width."""
    assert _line(width).removesuffix("? keys").rstrip() == expected
