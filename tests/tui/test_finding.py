"""Finding things: filter, sort, problems, matches, commands, palette, menu, drilling down, all by keys."""

from typing import Any

import pytest
from textual.command import CommandPalette
from textual.widgets import Input, OptionList

from tests.tui import fakes
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.keymap import ACTIONS
from tui.screens.cluster import ClusterScreen
from tui.screens.command import CommandError, Names, completions, parse
from tui.screens.confirm import ConfirmScreen
from tui.screens.menu import MenuScreen
from tui.screens.page import PageScreen
from tui.screens.palette import titles

NAMES = Names(("applications", "nodes"), ("183354", "183360"), ("root.a", "root.b"), ("n1:45454",), ("user:", "queue:"))
ACTS = [action for action in ACTIONS if action.changes_cluster]


def _app(door: fakes.FakeDoor | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(door or fakes.FakeDoor(), ascii_only=True, **options)


def _board(app: SchedlabApp) -> ClusterScreen:
    assert app.cluster is not None
    return app.cluster


def _numbers(app: SchedlabApp) -> list[int]:
    return [row.number for row in _board(app).pane("applications").rows]


async def test_a_filter_is_seen_while_it_is_typed_and_stays_in_the_title() -> None:
    """Every letter filters; enter keeps it, esc drops it, and the keys of the panes work again."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"user:min")
        typed = _numbers(app)
        await pilot.press("enter")
        title = _board(app).active.border_title
        await pilot.press("escape")
        after = len(_numbers(app))
        await pilot.press("2")
        pane = _board(app).pane_name

    assert (typed, "/user:min" in str(title), after, pane) == ([183354], True, 16, "queues")


async def test_a_filter_given_up_leaves_the_one_before() -> None:
    """Esc while typing restores what was."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"state:pend", "enter", "slash", *" u:min", "escape")
        numbers = _numbers(app)

    assert numbers == [183354, 183360, 183361]


async def test_a_mistake_in_a_filter_is_told_and_keeps_the_prompt_open() -> None:
    """In words, beside what is typed."""
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("slash", *"usr:bob", "enter")
        text, is_open = screen_text(app), _board(app).prompt.is_open

    assert ("no field 'usr' here; did you mean user?" in text, is_open) == (True, True)


@pytest.mark.parametrize("pane", ["1", "2", "3", "4", "5"])
async def test_every_pane_can_be_filtered(pane: str) -> None:
    """A word that nothing has leaves no row, another leaves some; 0 brings all back."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(pane)
        everything = len(_board(app).active.rows)
        await pilot.press("slash", *"xyzzy", "enter")
        none = len(_board(app).active.rows)
        await pilot.press("0")
        again = len(_board(app).active.rows)

    assert (none, again, everything > 0) == (0, everything, True)


async def test_next_match_goes_round() -> None:
    """The keys n and N find what the last filter matched, also after it was dropped."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"state:pend", "enter", "escape", "n")
        first = _board(app).active.cursor_row
        await pilot.press("n", "n")
        third = _board(app).active.cursor_row
        await pilot.press("N")
        back = _board(app).active.cursor_row

    assert (first, third, back) == (1, 0, 2)


async def test_this_user_and_problems_only() -> None:
    """The key u filters by the row's user; ! keeps what waits or failed."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("u")
        mine = _numbers(app)
        await pilot.press("escape", "3", "exclamation_mark")
        nodes = len(_board(app).active.rows)
        title = str(_board(app).active.border_title)

    assert (mine, nodes, "!problems" in title) == ([183354], 12, True)


async def test_the_sort_menu_takes_letters_of_yarn_top() -> None:
    """The key o then m sorts by memory, again reverses; > and < go through the fields; r turns round."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o", "r")
        by_reserved = _numbers(app)[0]
        words = [_board(app).arrangement("applications").words()]
        for keys in (("o", "r"), ("greater_than_sign",), ("less_than_sign",), ("r",), ("o", "minus")):
            await pilot.press(*keys)
            words.append(_board(app).arrangement("applications").words())

    assert by_reserved == 183354
    assert words == [
        "sort reserved v", "sort reserved ^", "sort vcores v", "sort reserved v", "sort reserved ^", "",
    ]  # fmt: skip


async def test_the_sort_menu_takes_the_mouse() -> None:
    """A click on an entry sorts by it."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o")
        await pilot.click(OptionList, offset=(3, 1))
        await pilot.pause()

    assert _board(app).arrangement("applications").sort == "user"


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("kill 183354", "kill_named('183354')"),
        ("preempt on", "choose_preemption('on')"),
        ("rule limited", "choose_rule('limited')"),
        ("speed 60", "choose_speed(60.0)"),
        ("speed max", "choose_speed(0.0)"),
        ("apps user:alice", "show_filtered('applications', 'user:alice')"),
        ("nodes", "show_filtered('nodes', '')"),
        ("goto 12:00", "go_to_time('12:00')"),
        ("set queue.root.a.weight 3", "set_queue('root.a', 'weight', '3')"),
        ("move 183354 root.b", "move_to('183354', 'root.b')"),
        ("zoom", "zoom"),
        ("kill", "kill"),
        ("user bob", "show_filtered('applications', 'user:bob')"),
    ],
)
def test_a_command_is_the_call_of_an_action(line: str, call: str) -> None:
    """Verbs with words, panes with a filter, and every action by its id."""
    assert parse(line, ACTIONS, NAMES) == call


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("kil 1", "no command 'kil'; did you mean kill?"),
        ("preempt maybe", "preempt on|off: one of on, off is wanted"),
        ("speed fast", "speed N|max: a speed is wanted"),
        ("set weight 3", "queue.PATH.KEY and a value are wanted"),
        ("move 1", "an application and a queue are wanted"),
        ("zoom now", "zoom takes no words"),
        ("", "no command ''"),
    ],
)
def test_a_wrong_command_is_told_in_words(line: str, problem: str) -> None:
    """With the usage, or the nearest name."""
    with pytest.raises(CommandError) as told:
        parse(line, ACTIONS, NAMES)

    assert problem in str(told.value)


@pytest.mark.parametrize("line", ["kill 183354", "preempt off", "submit", "set queue.root.a.weight 2", "drain n1"])
def test_read_only_refuses_acts_by_command(line: str) -> None:
    """In words."""
    with pytest.raises(CommandError, match="read-only"):
        parse(line, ACTIONS, NAMES, read_only=True)


def test_commands_are_completed_word_by_word() -> None:
    """Verbs, then what the verb takes."""
    assert [
        completions("preem", ACTIONS, NAMES),
        completions("kill 1833", ACTIONS, NAMES),
        completions("move 183354 root.", ACTIONS, NAMES),
        completions("applications us", ACTIONS, NAMES),
        completions("set queue.root.b.w", ACTIONS, NAMES),
    ] == [
        ["preempt", "preemption"],
        ["kill 183354", "kill 183360"],
        ["move 183354 root.a", "move 183354 root.b"],
        ["applications user:"],
        ["set queue.root.b.weight"],
    ]


async def test_a_command_acts_as_the_key_does() -> None:
    """Kill asks first; a switch is switched; tab completes and up recalls."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("colon", *"kill 183341", "enter")
        await pilot.pause()
        asked = isinstance(app.screen, ConfirmScreen)
        await pilot.press("y", "colon", *"rul", "tab", *" off", "enter", "colon", *"speed 60", "enter")
        await pilot.press("colon", "up")
        recalled = app.screen.query_one("#prompt Input", Input).value
        await pilot.press("escape")
        await pilot.pause()

    assert (asked, recalled) == (True, "speed 60")
    assert [call for call in door.calls if call[0] != "hold"] == [
        ("kill", f"application_{fakes.TIMESTAMP}_183341"), ("rule", "off"), ("speed", 60.0),
    ]  # fmt: skip


async def test_what_a_command_names_wrongly_is_told() -> None:
    """No application, no node, no queue of that name."""
    app = _app()
    said = []
    async with app.run_test(size=(120, 40)) as pilot:
        for line in ("kill 7", "drain nowhere", "move 183354 root.repord", "move 183354 root.report"):
            await pilot.press("colon", *line, "enter")
            await pilot.pause()
            said.append(screen_text(app).splitlines()[-1].strip())

    assert said == [
        "! There is no application 7.",
        "! There is no node nowhere.",
        "! There is no leaf queue root.repord; did you mean root.report?",
        f"! {fakes.BIG} is in root.report already.",
    ]


@pytest.mark.parametrize("action", ACTS, ids=[action.id for action in ACTS])
def test_every_act_has_a_key_a_command_and_a_place_in_palette_and_menu(action: Any) -> None:
    """Whatever the hand is at: the key, `:id`, the palette, and the menu that the mouse can click."""
    assert action.keys
    assert parse(action.id, ACTIONS, NAMES) == action.call
    assert action in [one for _, one in titles(ACTIONS)]


async def test_the_menu_lists_every_act_for_the_mouse() -> None:
    """The key a, or a click on its hint; what does not apply is dimmed."""
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("a")
        menu = app.screen
        assert isinstance(menu, MenuScreen)
        calls = {choice.value for choice in menu.choices}
        await pilot.press("R")
        await pilot.pause()

    assert calls == {action.call for action in ACTS}


async def test_the_palette_runs_what_is_chosen() -> None:
    """ctrl+p, some letters, enter."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        is_open = isinstance(app.screen, CommandPalette)
        await pilot.press(*"switch preemption")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    assert (is_open, door.calls) == (True, [("preemption", True)])


async def test_copy_and_describe_are_about_the_row() -> None:
    """The id goes to the terminal's clipboard; the page has every field."""
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "d")
        page = app.screen
        assert isinstance(page, PageScreen)
        await pilot.press("escape")

    assert (app.clipboard, "weekly-pyspark" in page.text, "WHY IT WAITS" in page.text) == (fakes.BIG, True, True)


async def test_moving_asks_with_both_queues_and_their_shares() -> None:
    """The key M, a queue, yes."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("M", "1")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await pilot.press("y")
        await pilot.pause()

    assert ("from   root.report" in dialog.words, "to     root.etl" in dialog.words) == (True, True)
    assert [call for call in door.calls if call[0] != "hold"] == [("move", fakes.BIG, "root.etl")]


async def test_a_queue_setting_shows_shares_before_and_after() -> None:
    """What changes is listed; yes changes it; a refusal is told instead."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("colon", *"set queue.root.etl.weight 3", "enter")
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await pilot.press("y")
        await pilot.pause()
        door.refusal = "no such queue"
        await pilot.press("colon", *"set queue.root.x.weight 3", "enter")
        await pilot.pause()
        text = screen_text(app)

    assert ("400G ->    600G" in dialog.words, "no such queue" in text) == (True, True)
    assert ("queue", "root.etl", "weight", "3") in door.calls


async def test_what_is_typed_fast_goes_into_the_prompt() -> None:
    """Keys that were there already when `/` was pressed are text, not actions; none of them acts."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("/", *"KPRfree"):
            app.simulate_key("slash" if key == "/" else key)
        await pilot.pause()
        await pilot.pause()
        typed = app.screen.query_one("#prompt Input", Input).value

    assert (typed, door.calls) == ("KPRfree", [])


async def test_a_second_yes_in_one_breath_does_nothing_more() -> None:
    """Dialogs close once: the board stays, the act is done once and the clock goes on."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("K")
        for _ in range(3):
            app.simulate_key("y")  # the later ones reach the board, where y only looks
        await pilot.pause()
        await pilot.press("escape", "a")
        for _ in range(3):
            app.simulate_key("R")
        await pilot.pause()
        stands = app.screen is app.cluster

    assert (stands, door.calls.count(("kill", fakes.BIG)), door.calls.count(("hold", False))) == (True, 1, 1)
