"""What stands in the line of hints, and what goes first."""

import pytest

from tui.hints import PLACES, fitted, hints
from tui.keymap import ACTIONS, PANES
from tui.screens.dialects import STANDALONE, YARN, Dialect


def _line(width: int, dialect: Dialect = YARN, *, read_only: bool = False) -> str:
    short, reason = dialect.footer
    line = fitted(hints(read_only=read_only, greyed=dialect.greyed, reason=reason), width, {reason: short})
    return ("  " if line.is_loose else " ").join(hint.words(loose=line.is_loose) for hint in line.hints)


def test_at_80_columns_help_zoom_acts_and_quit_are_there() -> None:
    """With their words, in the order of the larger lines."""
    assert _line(80) == "?help :cmd /filter fzoom wwhy ppause ttick +-speed Ssubmit Kkill aacts qquit"


def test_at_120_columns_keys_stand_apart() -> None:
    """And both switches are there."""
    assert _line(120) == (
        "? help  : cmd  / filter  f zoom  w why  p pause  t tick  +- speed  S submit  K kill  P preempt  R resv  "
        "a acts  q quit"
    )


def test_at_200_columns_almost_all_are_there() -> None:
    """Panes, drilling, events, steps."""
    assert _line(200) == (
        f"? help  : cmd  / filter  1-{len(PANES)} pane  f zoom  enter in  w why  e events  ! problems  o sort  "
        "p pause  t tick  +- speed  [] step  {} mark  S submit  K kill  P preempt  R resv  D drain  a acts  q quit"
    )


def test_spark_says_why_keys_are_greyed() -> None:
    """At length where there is room, else in a word."""
    assert ("P R: Spark has neither" in _line(120, STANDALONE), "O" in _line(120, STANDALONE)) == (True, True)
    assert [("P R: none" in _line(width, STANDALONE), "qquit" in _line(width, STANDALONE)) for width in (80, 100)] == [
        (False, True),
        (True, True),
    ]


@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
def test_no_line_is_wider_than_its_room(dialect: Dialect) -> None:
    """Down to help and quit, which stay whatever the width."""
    widths = range(12, 240)

    assert [width for width in widths if len(_line(width, dialect)) > width - 1] == []
    assert _line(1, dialect) == "?help qquit"


def test_more_room_never_takes_away_what_is_more_important() -> None:
    """What is left out is never more important than all that stays of its length or longer."""
    for width in range(12, 240):
        line = fitted(hints(greyed=YARN.greyed), width)
        longest = {hint.importance: len(hint.words(loose=line.is_loose)) for hint in line.hints}
        for hint in hints(greyed=YARN.greyed):
            if hint not in line.hints:
                long = len(hint.words(loose=line.is_loose))
                assert [one for one, length in longest.items() if one > hint.importance and length >= long] == []


def test_read_only_has_no_hint_of_an_act() -> None:
    """What is left says what can be done."""
    assert _line(93, read_only=True) == (
        "? help  : cmd  / filter  f zoom  enter in  w why  p pause  t tick  +- speed  a acts  q quit"
    )


def test_every_place_names_an_action() -> None:
    """By its id."""
    ids = {action.id for action in ACTIONS}

    assert [one for place in PLACES for one in place.actions if one not in ids] == []
