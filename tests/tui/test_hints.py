"""What stands in the footer, and what goes first."""

import pytest

from tests.tui import fake_holders
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.actions import ACTIONS, DRILL, EXAM
from tui.app import SchedlabApp
from tui.board.dialects import STANDALONE, YARN, Dialect
from tui.keymap import ACTING, CLOCK, LOOKING, SCALE, hints
from tui.panes.frame import STAYS, FooterKey, footer
from tui.panes.line import flat


def _line(width: int, dialect: Dialect = YARN, **how: bool) -> str:
    groups = hints(dialect.offered(ACTIONS), idle=dialect.greyed, **how)
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
    groups = [part.split()[:2] for part in _line(200).split("│")]

    assert groups == [["enter", "open"], ["p", "pause"], ["K", "kill"]]


def test_read_only_has_no_act() -> None:
    assert ("K kill" in _line(200, read_only=True), "p pause" in _line(200, read_only=True)) == (False, True)


def test_the_past_has_no_act_but_to_branch() -> None:
    past, present = _line(200, is_past=True), _line(200)

    assert ("branch" in past, "kill" in past, "branch" in present) == (True, False, False)


def test_the_next_mark_is_offered_in_the_past_only() -> None:
    past, present = _line(200, is_past=True), _line(200)

    assert ("{ } marks" in past, "{ marks" in present) == (True, True)


def test_a_clock_that_stands_is_let_run_or_stepped() -> None:
    standing, running = _line(200, stands=True), _line(200)

    assert ("p run" in standing, "t tick" in standing, "p pause" in running, "tick" in running) == (
        True,
        True,
        True,
        False,
    )


def test_a_running_cluster_has_no_clock_to_drive() -> None:
    line = _line(200, has_clock=False)

    assert [words in line for words in ("p pause", "speed", "step", "marks", "< > scale")] == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("keys", "has"),
    [
        ((), (True, True, True)),
        (("2",), (True, True, False)),
        (("5",), (True, True, True)),
        (("8",), (True, False, False)),
        (("slash", "z", "q", "x", "enter"), (False, False, False)),
    ],
    ids=["application", "queue", "event", "graph", "no row"],
)
async def test_keys_that_need_a_row_stand_there_only_with_one(
    keys: tuple[str, ...], has: tuple[bool, bool, bool]
) -> None:
    """Enter, w and K, as far as they work on what the cursor stands on."""
    app = SchedlabApp(FakeSession(fake_holders.held_cluster()), ascii_only=True)
    async with app.run_test(size=(200, 30)) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        line = screen_text(app).splitlines()[-1]

    assert tuple(words in line for words in ("enter open", "w why", "K kill")) == has


def test_every_place_names_actions_there_are() -> None:
    known = {action.id for action in (*ACTIONS, DRILL, *EXAM)}

    assert [name for place in (*LOOKING, *CLOCK, *SCALE, *ACTING) for name in place.actions if name not in known] == []


def test_the_footer_of_an_exam_offers_acts_and_no_pause() -> None:
    """A pause costs points there, and its end is offered; the questions have their key above."""
    titles = {hint.title for group in hints((*ACTIONS, DRILL, *EXAM)) for hint in group}
    assert {"acts", "pages", "hand in"} <= titles
    assert not titles & {"pause", "drill", "questions"}
    paused = {hint.title for group in hints((*ACTIONS, DRILL, *EXAM), stands=True) for hint in group}
    assert paused & {"run", "tick"} == {"run"}
