"""What stands in the footer, and what goes first."""

import pytest

from tui.hints import PLACES, hints
from tui.keymap import ACTIONS, DRILL
from tui.render.footer import STAYS, FooterKey, footer
from tui.render.line import flat
from tui.screens.dialects import STANDALONE, YARN, Dialect


def _line(width: int, dialect: Dialect = YARN, **how: bool) -> str:
    groups = hints(dialect.offered(ACTIONS), greyed=dialect.greyed, **how)
    keys = [[FooterKey(*hint) for hint in group] for group in groups]
    parts = footer(keys, FooterKey("?", "keys", "program.help", STAYS), width)
    return "".join(flat(spans) for spans, _ in parts)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
def test_the_keys_that_help_always_fit(dialect: Dialect, width: int) -> None:
    """The line is never wider than the terminal, and help stands at its end."""
    line = _line(width, dialect)

    assert (len(line) <= width - 1, line.endswith("? keys"), "w why" in line) == (True, True, True)


def test_groups_stand_apart() -> None:
    """Looking, the clock, acting."""
    groups = [part.split()[:2] for part in _line(200).split("│")]

    assert groups == [["enter", "open"], ["p", "pause"], ["K", "kill"]]


def test_read_only_has_no_act() -> None:
    """What is left says what can be done."""
    assert ("K kill" in _line(200, read_only=True), "p pause" in _line(200, read_only=True)) == (False, True)


def test_the_past_has_no_act_but_to_branch() -> None:
    """In the present there is nothing to branch."""
    past, present = _line(200, is_past=True), _line(200)

    assert ("branch" in past, "kill" in past, "branch" in present) == (True, False, False)


def test_a_clock_that_stands_is_let_run_or_stepped() -> None:
    """One that runs is paused."""
    standing, running = _line(200, stands=True), _line(200)

    assert ("p run" in standing, "t tick" in standing, "p pause" in running, "tick" in running) == (
        True,
        True,
        True,
        False,
    )


def test_every_place_names_actions_there_are() -> None:
    """A misspelt one would vanish silently."""
    known = {action.id for action in (*ACTIONS, DRILL)}

    assert [name for place in PLACES for name in place.actions if name not in known] == []
