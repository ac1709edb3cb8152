"""A sweep in words: its state, its pulse, its pace."""

from typing import Any

import msgspec
import pytest

from engine.sweep import GOALS
from tests.tui.render.drawing import stored
from tests.tui.render.swept import EMPTY, SETTINGS, setting, view
from tui.render.line import flat, length
from tui.render.sweep_view import (
    goal_text,
    has_words,
    named,
    pulse_line,
    rate_words,
    short_key,
    spread_text,
    sweep_head,
)

BEST = "nodes 80, scheduler.fair.preemption true: 95 % wait for the first container asked for 1.5s"


@pytest.mark.parametrize(
    ("changes", "badge", "style", "said", "below"),
    [
        ({}, "DONE", "good", BEST, "14 of 14 points  11 done, 2 failed, 1 refused  on this process"),
        (
            {"is_running": True, "rate": "at work"},
            "RUNNING",
            "bold data",
            BEST,
            "at work  11 done, 2 failed, 1 refused  on this process",
        ),
        ({"is_running": True, "is_paused": True}, "PAUSED", "bold watch", BEST, None),
        ({"is_paused": True}, "DONE", "good", BEST, None),
        ({"done": 13}, "STOPPED", "bold watch", BEST, "13 of 14 points  11 done, 2 failed, 1 refused  on this process"),
        ({"done": 13, "is_running": True}, "RUNNING", "bold data", BEST, None),
        ({"summary": EMPTY}, "DONE", "good", "no point is played yet", "14 of 14 points"),
        (
            {"summary": msgspec.structs.replace(EMPTY, counts={"failed": 2})},
            "DONE",
            "good",
            "no point was played to its end",
            "14 of 14 points  2 failed  on this process",
        ),
    ],
)
def test_the_head_has_the_state_and_the_best_setting(
    changes: dict[str, Any], badge: str, style: str, said: str, below: str | None
) -> None:
    """Paused only while it runs; stopped where points are left."""
    first, second = sweep_head(view(**changes), 120)

    assert first[1] == (badge, style)
    assert flat(first) == f" {badge}  {said}"
    assert below is None or flat(second).lstrip(" ━╸─") == below


@pytest.mark.parametrize(
    ("width", "meter", "has_place"),
    [(120, 24, True), (88, 24, True), (87, 23, True), (69, 5, True), (68, 21, False), (49, 2, False), (40, 1, False)],
)
def test_the_meter_takes_what_words_leave_and_the_place_goes_first(width: int, meter: int, has_place: bool) -> None:
    """The words take 46 cells, the place 17; a meter with less than five cells left is better without the place."""
    line = sweep_head(view(), width)[1]

    assert "on this process" in flat(line) or not has_place
    assert "on this process" not in flat(line) or has_place
    assert length(line) - len(flat(line).lstrip(" ━╸─")) - 2 == meter


@pytest.mark.parametrize(("done", "filled"), [(0, 0), (7, 12), (14, 24)])
def test_the_meter_is_filled_by_the_points_done(done: int, filled: int) -> None:
    """Of all there are."""
    assert flat(sweep_head(view(done=done), 120)[1]).count("━") == filled


@pytest.mark.parametrize(
    ("key", "short"),
    [
        ("nodes", "nodes"),
        ("a." + "b" * 24, "a." + "b" * 24),
        ("a." + "b" * 25, "b" * 25),
        ("x.y." + "b" * 24, "y." + "b" * 24),
        ("b" * 30, "b" * 30),
    ],
)
def test_a_key_of_more_than_26_cells_loses_its_beginning(key: str, short: str) -> None:
    """Part by part; the last stays."""
    assert short_key(key) == short


@pytest.mark.parametrize(
    ("name", "value", "words"), [("unfinished", 2.6, "3"), ("p95_wait", 2600, "2.6s"), ("fairness", 0.96, "1.0")]
)
def test_a_goal_that_is_a_number_is_rounded(name: str, value: float, words: str) -> None:
    """Others have their unit."""
    assert goal_text(GOALS[name], value) == words


def test_a_spread_over_seeds_is_said_where_there_is_one() -> None:
    """From the least to the most."""
    goal = GOALS["p95_wait"]

    assert [spread_text(goal, each) for each in SETTINGS[1:3]] == ["22.5s to 1m07s", ""]


def test_a_setting_is_named_by_its_values() -> None:
    """Keys are short."""
    assert named(SETTINGS[0].settings) == "nodes 80, scheduler.fair.preemption true"


@pytest.mark.parametrize(
    ("words", "is_found"),
    [
        ("", True),
        ("nodes 40", True),
        ("NODES", True),
        ("fair 40", True),
        ("preemption", True),
        ("air", False),
        ("front", False),
        ("breaks", True),
        ("nodes 60", False),
    ],
)
def test_a_setting_is_found_by_how_its_words_begin(words: str, is_found: bool) -> None:
    """All of them; `front` and `breaks` where it is so."""
    assert has_words(SETTINGS[5], words) is is_found
    assert has_words(setting("1", "true", 1, is_front=True), "front")


@pytest.mark.parametrize(
    ("done", "whole", "counted", "seconds", "words"),
    [
        (30, 100, 20, 40.0, "30 of 100 points, 0.5 a second, 2m20s left"),
        (30, 100, 0, 40.0, "30 of 100 points, 0 a second"),
        (30, 100, 20, 0.0, "30 of 100 points, 0 a second"),
        (100, 100, 200, 60.0, "100 of 100 points, 3.3 a second, 0s left"),
    ],
)
def test_the_pace_tells_how_long_it_takes_yet(done: int, whole: int, counted: int, seconds: float, words: str) -> None:
    """By the points counted since it was begun or gone on with; before the first nothing is foreseen."""
    assert rate_words(done, whole, counted, seconds) == words


@pytest.mark.parametrize(
    ("name", "changes", "width"),
    [
        ("done", {"pulse": (1, 1, 2, 4), "seconds": 4.0}, 20),
        ("half", {"pulse": (1, 1, 2, 4), "seconds": 4.0, "is_running": True, "whole": 16}, 36),
        ("pauses", {"pulse": (0, 0, 2, 0, 0, 1), "seconds": 6.4, "is_running": True, "whole": 15}, 60),
        ("short", {"pulse": (3,) * 100, "seconds": 100.0, "is_running": True, "whole": 3000}, 12),
        ("none", {"pulse": (0, 0), "seconds": 2.0, "is_running": True, "whole": 15}, 24),
    ],
)
def test_the_pulse_has_the_pace_over_time(name: str, changes: dict[str, Any], width: int) -> None:
    """Stretches shorter than a column of dots have the pace before; while it runs a track stands for the time left."""
    drawn, kept = stored(f"sweep-pulse-{name}", [pulse_line(view(done=14, **changes), width)])

    assert drawn == kept


def test_the_track_of_the_pulse_stands_for_the_time_left() -> None:
    """Four seconds for eight of sixteen points: four more, so half of the cells."""
    spans = pulse_line(view(pulse=(1, 1, 2, 4), seconds=4.0, is_running=True, whole=16, done=8), 30)

    rest = [(words.strip(), style) for words, style in spans[2:]]
    assert rest == [("4s", "strong"), ("─" * 10, "line"), ("4s", "soft")]
    assert len(spans[1][0]) == 10


def test_the_pulse_of_no_time_is_one_cell() -> None:
    """The first look may come before the clock has moved."""
    spans = pulse_line(view(pulse=(1,), seconds=0.0, is_running=True, whole=16, done=1), 30)

    assert [length([span]) for span in spans[1:2]] == [1]
    assert spans[2] == (" 0s ", "strong")
