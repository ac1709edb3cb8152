"""Help: every key and command, found by key or word, those that do nothing here with the reason."""

import string
from collections import Counter

import pytest

from tests.tui import fakes
from tests.tui.fake_session import FakeSession, fake_app
from tests.tui.screen_text import press, screen_lines, screen_text
from tui.actions import ACT, ACTIONS, DRILL, EXAM
from tui.acts.command import VERBS
from tui.app import SchedlabApp
from tui.board.dialects import STANDALONE, YARN, Dialect
from tui.keymap import STAYS, FooterKey, actions, hints
from tui.pages.help import Entry, HelpSection, found, lines, of_actions, of_commands
from tui.panes.fragments import flat
from tui.panes.frame import footer, spans_of
from tui.screens.page import HelpScreen

SECTIONS = of_actions(ACTIONS, {})


def _help(app: SchedlabApp) -> HelpScreen:
    assert isinstance(app.screen, HelpScreen)
    return app.screen


def _words(sections: list[HelpSection]) -> list[str]:
    return [entry.words for section in sections for entry in section.entries]


@pytest.mark.parametrize(
    ("key", "action"),
    [("K", "kill"), ("k", "row.up"), ("F9", "kill"), ("esc", "leave"), ("+", "faster"), ("/", "filter")],
)
def test_a_key_finds_what_it_does(key: str, action: str) -> None:
    assert _words(found(SECTIONS, key)) == [one.help for one in ACTIONS if one.id == action]


@pytest.mark.parametrize("width", [20, 40, 76, 92])
def test_lines_fit_and_lose_no_word(width: int) -> None:
    section = HelpSection("here", (Entry(("q", "F10", "ctrl+q", "ctrl+c"), "Leave the program now. " * 5, "Because"),))
    drawn = ["".join(words for words, _ in line.spans) for line in lines([section], width)]

    assert max(len(line) for line in drawn) <= max(width, 32)
    assert (
        " ".join(" ".join(drawn).split()) == "HERE q F10 ctrl+q ctrl+c " + "Leave the program now. " * 5 + "(Because)"
    )


def test_every_command_is_in_help() -> None:
    section = of_commands([(verb.usage, verb.help) for verb in VERBS])

    assert [entry.keys[0] for entry in section.entries] == [f":{verb.usage}" for verb in VERBS]


def test_every_pane_says_where_enter_leads() -> None:
    views = [view for dialect in (YARN, STANDALONE) for views in dialect.panes.values() for view in views]

    assert [view.title for view in views if not view.enter_help] == []


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_all_keys_stand_on_one_screen_by_verb_and_enter_does_one(size: tuple[int, int]) -> None:
    """Nothing scrolls; a key that does nothing here tells why; the key under the cursor is done."""
    app = fake_app()
    async with app.run_test(size=size) as pilot:
        await press(pilot, "2", "question_mark")
        words, scrolls = " ".join(_help(app).text.split()), app.screen.query_one("VerticalScroll").max_scroll_y
        await press(pilot, "j", "j", "enter")
        is_open = app.screen is app.cluster

    assert [group for group in ("LOOK", "TIME", "ASK", "ACT", "FILES") if group not in words] == []
    assert ("undo: there was no act yet" in words, "drain, resize: on pane 3" in words) == (True, True)
    assert (scrolls, is_open) == (0, True)


async def test_a_small_terminal_has_the_keys_of_the_pane_first() -> None:
    app = fake_app()
    async with app.run_test(size=(40, 10)) as pilot:
        await press(pilot, "2", "question_mark")
        words = " ".join(_help(app).text.split())

    assert words.startswith("HERE: QUEUES enter Go to the applications of the queue.")


async def test_help_is_searched_while_one_types() -> None:
    """The key / opens a field; esc shows everything again, esc once more goes back."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "question_mark", "slash", "K")
        one = _help(app).text.split("\n")
        await press(pilot, "backspace", *"xyzzy")
        none = _help(app).text
        await press(pilot, "escape")
        everything = _help(app).text
        await press(pilot, "escape")
        is_closed = app.screen is app.cluster

    assert (one[0], one[1].split()[0], none) == ("ACT ON THE CLUSTER", "K", "Nothing here is about xyzzy.")
    assert (everything.startswith(" LOOK"), is_closed) == (True, True)


async def test_keys_without_use_say_why() -> None:
    app = fake_app(read_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "question_mark", "slash", "O")
        spread = " ".join(_help(app).text.split())
        await press(pilot, "backspace", "K")
        kill = " ".join(_help(app).text.split())

    assert spread.endswith("(Only Spark's Master spreads executors out or packs them; this is YARN)")
    assert kill.endswith("(Read-only: acts are off)")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ((), "C does nothing here; ? lists all keys"),
        (("w",), "C does nothing here; esc goes back"),
        (("8", "enter"), "C does nothing here; esc goes back"),
    ],
    ids=["board", "why", "large graph"],
)
async def test_a_key_without_a_meaning_is_answered_until_the_next_key(keys: tuple[str, ...], words: str) -> None:
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, *keys)
        usual = screen_lines(app)[-1].strip()
        await press(pilot, "C")
        said = screen_lines(app)[-1].strip()
        await press(pilot, "down")
        after = screen_lines(app)[-1].strip()

    assert (said, words in after, words in usual) == (words, False, False)


# What stands in the footer, and what goes first.


def _line(width: int, dialect: Dialect = YARN, **how: bool) -> str:
    groups = hints(dialect.offered(ACTIONS), idle=dict.fromkeys(dialect.greyed, ""), **how)
    keys = [[FooterKey(*hint[:4], is_idle=hint.is_idle) for hint in group] for group in groups]
    parts = footer(keys, FooterKey("?", "keys", "program.help", STAYS), width)
    return flat(spans_of(parts))


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
def test_the_keys_that_help_always_fit(dialect: Dialect, width: int) -> None:
    """The line is never wider than the terminal, and help stands at its end."""
    line = _line(width, dialect)

    assert (len(line) <= width - 1, line.endswith("? keys"), "w why" in line) == (True, True, True)


def test_read_only_has_no_act() -> None:
    assert ("K kill" in _line(200, read_only=True), "p pause" in _line(200, read_only=True)) == (False, True)


def test_a_key_that_does_nothing_in_the_past_says_so() -> None:
    """As far as there is room; there a step, and a branch."""
    line = _line(200, is_past=True)

    assert ("p not in the past" in line, "K not in the past" in line, "B branch" in line) == (True, True, True)
    assert ("p not in the past" in _line(80, is_past=True), "] step" in _line(200)) == (False, False)


def test_a_clock_that_stands_is_let_run_or_stepped() -> None:
    standing, running = _line(200, stands=True), _line(200)

    assert ("p run" in standing, "t tick" in standing, "p pause" in running, "tick" in running) == (
        True,
        True,
        True,
        False,
    )


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
    """Enter, w and K, as far as they work on what the cursor stands on; else there is the reason."""
    app = SchedlabApp(FakeSession(fakes.held_cluster()), ascii_only=True)
    async with app.run_test(size=(200, 30)) as pilot:
        await press(pilot, *keys)
        line = screen_text(app).splitlines()[-1]

    assert tuple(words in line for words in ("enter open", "w why", "K kill")) == has
    reasons = ("enter no row here", "w not of this row", "K nothing to kill here")
    assert not any(is_there and words in line for is_there, words in zip(has, reasons, strict=True))


def test_the_footer_of_an_exam_offers_acts_and_no_pause() -> None:
    """A pause costs points there, and its end is offered; the questions have their key above."""
    titles = {hint.title for group in hints((*ACTIONS, DRILL, *EXAM)) for hint in group}
    assert {"acts", "pages", "hand in"} <= titles
    assert not titles & {"pause", "drill", "questions"}
    paused = {hint.title for group in hints((*ACTIONS, DRILL, *EXAM), stands=True) for hint in group}
    assert paused & {"run", "tick"} == {"run"}


# The registry of actions.


def test_no_key_does_two_things() -> None:
    keys = Counter(key for action in ACTIONS for key in action.keys)

    assert [key for key, count in keys.items() if count > 1] == []


def test_capitals_act_and_lower_case_looks() -> None:
    """Every act is on a capital (or F9), and the only capitals that look are G and N, as in vi, and W beside w."""
    acting = {key for action in ACTIONS if action.group == ACT for key in action.keys}
    looking = {key for action in ACTIONS if action.group != ACT for key in action.keys if key in string.ascii_uppercase}

    assert (acting - set(string.ascii_uppercase), looking) == ({"f9"}, {"G", "N", "W", "X"})


def test_nothing_harmful_is_on_a_key_that_slips() -> None:
    acting = {key for action in ACTIONS if action.changes_cluster for key in action.keys}

    assert [key for key in acting if "ctrl" in key or key in {"delete", "backspace"}] == []


def test_the_keymap_of_read_only_has_no_act() -> None:
    titles = {hint.title for group in hints(read_only=True) for hint in group}

    assert ([a for a in actions(read_only=True) if a.changes_cluster], titles & {"kill", "submit"}) == ([], set())
