"""The command line and the mouse: a line, a click and a key are the call of one action."""

from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual import events
from textual.command import CommandPalette
from textual.widget import Widget
from textual.widgets import Input, OptionList

from engine.scenario.acts import KillApplication, SetPreemption, SetReservationRule
from tests.tui import fakes
from tests.tui.fake_session import FakeSession, fake_app
from tests.tui.fakes import HOSTS, held_cluster
from tests.tui.screen_text import board_of, edge_cell, press, screen_lines, screen_text, way_of
from tui.actions import ACTIONS
from tui.acts.command import CommandError, Names, completions, parse, titles
from tui.app import SchedlabApp
from tui.board.dialects import MAPREDUCE_1_FAIR, STANDALONE, YARN
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import MenuList, MenuScreen
from tui.dialogs.submit import SubmitScreen
from tui.screens.page import HelpScreen, PageScreen

PANES = {"apps": "applications", "applications": "applications", "nodes": "nodes"}
NAMES = Names(PANES, ("183354", "183360"), ("root.a", "root.b"), ("n1:45454",), ("user:", "queue:"))


def saved(folder: Path) -> dict[str, str]:
    """Name → text of what is in a folder."""
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("kill 183354", "application_acts.kill_named('183354')"),
        ("preempt on", "cluster_acts.choose_preemption('on')"),
        ("rule limited", "cluster_acts.choose_rule('limited')"),
        ("speed 60", "clock.choose_speed(60.0)"),
        ("speed max", "clock.choose_speed(0.0)"),
        ("speed 0", "clock.choose_speed(0.0)"),
        ("apps user:alice", "filtering.show('applications', 'user:alice')"),
        ("nodes", "filtering.show('nodes', '')"),
        ("goto 12:00", "clock.travel('12:00')"),
        ("play +10m", "clock.play_to('+10m')"),
        ("play", "clock.play_to('')"),
        ("set queue.root.a.weight 3", "cluster_acts.set_queue('root.a', 'weight', '3')"),
        ("move 183354 root.b", "application_acts.move_to('183354', 'root.b')"),
        ("zoom", "navigation.zoom"),
        ("kill", "application_acts.kill"),
        ("user bob", "filtering.show('applications', 'user:bob')"),
        ("why root.a", "inspection.why_named('root.a')"),
        ("fix", "inspection.fix"),
        ("fix 183354", "inspection.why_named('183354')"),
        ("compare fair-3.4", "program.compare('fair-3.4')"),
        ("get apps state:ACCEPTED", "shell_verbs.get('apps', 'state:ACCEPTED', '')"),
        ("get apps -o csv:x.csv", "shell_verbs.get('apps', '', 'csv:x.csv')"),
        ("get picture -ox.svg", "shell_verbs.get('picture', '', 'x.svg')"),
        ("check conf", "shell_verbs.shell('check', 'conf')"),
        ("open monday", "shell_verbs.shell('open', 'monday')"),
        ("as", "shell_verbs.shown()"),
        ("set yarn.scheduler.fair.preemption=true", "cluster_acts.choose_preemption('on')"),
        ("set rule=limited", "cluster_acts.choose_rule('limited')"),
        ("set spread=off", "cluster_acts.choose_spread_out('off')"),
        ("set queue.root.a.weight=3", "cluster_acts.set_queue('root.a', 'weight', '3')"),
        ("settings theme=light", "program.choose_theme('light')"),
        ("help keys", "program.help"),
    ],
)
def test_a_command_is_the_call_of_an_action(line: str, call: str) -> None:
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
        ("get", "one of picture, queues, nodes, apps"),
        ("get apps -o", "-o takes a file"),
    ],
)
def test_a_wrong_command_is_told_in_words(line: str, problem: str) -> None:
    with pytest.raises(CommandError) as told:
        parse(line, ACTIONS, NAMES)

    assert problem in str(told.value)


def test_commands_are_completed_word_by_word() -> None:
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
    """Kill asks first, and a switch that drops reservations; tab completes and up recalls."""
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "colon", *"kill 183341", "enter")
        asked = isinstance(app.screen, ConfirmScreen)
        await press(pilot, "y", "colon", *"rul", "tab", *" off", "enter")
        await pilot.press("y", "colon", *"speed 60", "enter")
        await pilot.press("colon", "up")
        recalled = app.screen.query_one("#prompt Input", Input).value
        await press(pilot, "escape")

    assert (asked, recalled) == (True, "speed 60")
    assert [call for call in session.calls if call[0] != "hold"] == [
        ("do", KillApplication(f"application_{fakes.TIMESTAMP}_183341")),
        ("do", SetReservationRule("off")),
        ("speed", 60.0),
    ]


async def test_what_a_command_names_wrongly_is_told() -> None:
    app = fake_app()
    said = []
    async with app.run_test(size=(120, 40)) as pilot:
        for line in ("kill 7", "drain nowhere", "move 183354 root.repord", "move 183354 root.report"):
            await press(pilot, "colon", *line, "enter")
            said.append(screen_text(app).splitlines()[-1].strip())

    assert said == [
        "! There is no application 7.",
        "! There is no node nowhere.",
        "! There is no leaf queue root.repord; did you mean root.report?",
        f"! {fakes.BIG} is in root.report already.",
    ]


# Acts whose words are typed: another size, a new node, another partition, another allocation file.


async def asked(*keys: str, confirm: str = "never") -> tuple[list[Any], str, str]:
    """(what the session was asked, the last line, the whole screen) after keys."""
    session = FakeSession()
    app = SchedlabApp(session, ascii_only=True, confirm=confirm)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("3", "home")
        for key in keys:
            await press(pilot, key)
        lines = screen_lines(app)
    return session.calls, lines[-1], "\n".join(lines)


async def test_a_key_begins_the_command_with_what_there_is() -> None:
    """The host and the size of the row; what is changed is done with enter."""
    calls, line, _ = await asked("Z")
    assert calls == []
    assert line.startswith(f": resize {HOSTS[0]} 100g 32 ")


async def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    calls, line, _ = await asked("F", "x", "enter")
    assert calls == []
    assert "x" in line


async def test_a_question_says_from_what_to_what() -> None:
    calls, _, screen = await asked("Z", "enter", confirm="always")
    assert calls == [("hold", True)]
    assert f"Resize {HOSTS[0]}" in screen
    assert "What runs there runs on." in screen


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("resize n1 16g 8", "node_acts.resize_to('n1', 16384, 8)"),
        ("resize n1 512 0", "node_acts.resize_to('n1', 512, 0)"),
        ("add n9 1.5g 2", "node_acts.add_named('n9', 1536, 2, '')"),
        ("add n9 1g 2 /r1", "node_acts.add_named('n9', 1024, 2, '/r1')"),
        ("label n1 gpu", "node_acts.label_as('n1', 'gpu')"),
        ("label n1", "node_acts.label_as('n1', '')"),
        ("label n1 default", "node_acts.label_as('n1', '')"),
        ("reload a b.xml", "cluster_acts.reload_from('a b.xml')"),
    ],
)
def test_what_is_typed_is_read(line: str, call: str) -> None:
    assert parse(line, (), Names()) == call


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("resize n1 16g", "a node, its memory and its vcores are wanted"),
        ("resize n1 16q 8", "is not an amount of memory"),
        ("resize n1 16g -1", "a number of vcores is wanted"),
        (f"resize n1 16g {2**31}", "a number of vcores is wanted"),
        ("add n9 1g", "a host, its memory and its vcores are wanted"),
        ("add n9 1g 2 /r1 x", "a host, its memory and its vcores are wanted"),
        ("label", "a node and a partition are wanted"),
        ("label n1 gpu x", "a node and a partition are wanted"),
        ("reload", "the path of a fair-scheduler.xml is wanted"),
    ],
)
def test_what_is_wrong_is_said_with_the_usage(line: str, problem: str) -> None:
    with pytest.raises(CommandError, match=problem):
        parse(line, (), Names())


async def test_the_verbs_of_the_shell_show_save_and_say_what_the_shell_does(tmp_path: Path) -> None:
    app = fake_app(save_folder=tmp_path, source="day.toml")
    said = []
    async with app.run_test(size=(120, 40)) as pilot:
        for line in (
            "get apps user:mina -o csv:x.csv",
            "as",
            "get picture -o x.svg",
            "get picture -o ../x.svg",
            "get report",
            "check",
        ):
            await press(pilot, "colon", *line, "enter")
            said.append(screen_text(app).splitlines()[-1].strip())

    assert sorted(saved(tmp_path)) == ["x.csv", "x.svg"]
    assert saved(tmp_path)["x.csv"].startswith("id,")
    at = "--at 09:01:00.000"
    assert said[1] == f"schedlab get day.toml apps user:mina {at}"
    assert said[3:] == [
        "! -o takes FORM:NAME or NAME.FORM, of svg, txt; the setting save_folder is where.",
        f"In a shell: schedlab get day.toml report {at}",
        "In a shell: schedlab check day.toml",
    ]


# Whatever a key does, the mouse can do too: rows, heads, titles, header, strip, dialogs, wheel.


def _header(app: SchedlabApp, line: int, words: str) -> tuple[int, int]:
    return screen_lines(app)[line].index(words), line


async def test_two_clicks_on_a_row_are_enter() -> None:
    app = fake_app(FakeSession(held_cluster()))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2")
        await pilot.click("#queues", offset=(5, 2))
        row = board_of(app).active.cursor.at
        await pilot.double_click("#queues", offset=(5, 2))
        await pilot.pause()
        pane = board_of(app).pane_name

    assert (row, pane) == (1, "applications")


async def test_a_click_on_a_head_sorts_and_another_turns_it_round() -> None:
    app = fake_app()
    async with app.run_test(size=(200, 40)) as pilot:
        pane = board_of(app).pane("applications")
        said = []
        for title in ("USER", "QUEUE", "WAITS", "STATE", "NAME"):
            line = pane.visible_text()[0]
            await pilot.click("#applications", offset=(line.index(title) + 1, 0))
            await pilot.pause()
            said.append(way_of(app, "applications"))

    firsts = {"USER": "A", "QUEUE": "A", "WAITS": "longest", "STATE": "A", "NAME": "A"}
    assert said == [f"by {title}, {first} first" for title, first in firsts.items()]


async def test_a_click_on_the_way_goes_back_to_there() -> None:
    """The title over a pane shows the steps; each leads back to where it was taken."""
    app = fake_app(FakeSession(held_cluster()))
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.press("2", "enter", "enter")
        deep = board_of(app).pane_name
        await pilot.click(offset=edge_cell(app, "detail", "app:"))
        await pilot.pause()
        middle = board_of(app).pane_name
        await pilot.click(offset=edge_cell(app, "detail", "queue:"))
        await pilot.pause()
        top = board_of(app).pane_name

    assert (deep, middle, top) == ("containers", "applications", "queues")


@pytest.mark.parametrize(
    ("line", "words", "call"),
    [
        (0, "x10", ("toggle_pause",)),
        (0, "preemption", ("do", SetPreemption(on=True))),
        (0, "reservations strict", ("do", SetReservationRule("limited"))),
    ],
)
async def test_the_header_takes_clicks(line: int, words: str, call: tuple[Any, ...]) -> None:
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        await pilot.click("#header", offset=_header(app, line, words))
        await pilot.pause()
        if isinstance(app.screen, ConfirmScreen):
            await press(pilot, "y")

    assert call in session.calls


@pytest.mark.parametrize(("line", "words", "pane"), [(2, "memory", "nodes"), (2, "running ", "applications")])
async def test_counts_in_the_header_lead_to_their_panes(line: int, words: str, pane: str) -> None:
    app = fake_app(FakeSession(held_cluster()))
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "5")
        await pilot.click("#header", offset=_header(app, line, words))
        await pilot.pause()
        found = board_of(app).pane_name

    assert found == pane


@pytest.mark.parametrize(
    ("key", "kind"), [("d", PageScreen), ("question_mark", HelpScreen), ("o", MenuScreen), ("K", ConfirmScreen)]
)
async def test_a_click_on_the_lower_edge_leaves_a_dialog(key: str, kind: type[Widget]) -> None:
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, key)
        opened = isinstance(app.screen, kind)
        box = app.screen.children[0].region
        await pilot.click(offset=(box.x + 3, box.bottom - 1))
        await pilot.pause()
        is_closed = app.screen is app.cluster

    assert (opened, is_closed, [call for call in session.calls if call[0] == "do"]) == (True, True, [])


async def test_a_click_beside_a_dialog_leaves_it_but_no_form() -> None:
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "d")
        await pilot.click(offset=(1, 1))
        await pilot.pause()
        is_closed = app.screen is app.cluster
        await press(pilot, "S")
        await pilot.click(offset=(1, 1))
        await pilot.pause()
        stays = isinstance(app.screen, SubmitScreen)

    assert (is_closed, stays) == (True, True)


async def test_the_wheel_scrolls_rows_and_sideways_the_reason() -> None:
    app = fake_app()
    async with app.run_test(size=(80, 16)) as pilot:
        await press(pilot, "o", "p")
        pane = board_of(app).active
        pane.go_to(0)
        for kind in (events.MouseScrollDown, events.MouseScrollRight):
            pane.post_message(kind(pane, 5, 5, 0, 0, 0, False, False, False))
            await pilot.pause()
        scrolled, shift = pane.scroll_offset.y, pane.look.shift if pane.look else 0

    assert (scrolled > 0, shift > 0, pane.number) == (True, True, 1)


# Every act is found in the menu of acts and in the palette.

ACTS = [action for action in ACTIONS if action.changes_cluster]
CALLS = {action.id: action.call for action in ACTS}


@pytest.mark.parametrize("action", ACTS, ids=[action.id for action in ACTS])
def test_every_act_has_a_key_a_command_and_a_place_in_palette_and_menu(action: Any) -> None:
    """Whatever the hand is at: the key, `:id`, the palette, which begins with the key, and the mouse's menu."""
    assert action.keys
    assert parse(action.id, ACTIONS, NAMES) == action.call
    assert [words.split()[0] for words, one in titles(ACTIONS) if one is action] == [action.keys[0]]


def test_the_palette_has_what_the_system_has_in_its_words() -> None:
    """Panes under their names there, none that stays empty, no act that is refused; both names are commands."""
    pools, spark = (dict(titles(dialect.at_work(ACTIONS))) for dialect in (MAPREDUCE_1_FAIR, STANDALONE))
    registry, names = MAPREDUCE_1_FAIR.offered(ACTIONS), Names(MAPREDUCE_1_FAIR.pane_words)

    assert [words.split("  ")[-1] for words in pools if words[0] == "2"] == ["Go to the pools pane (:pane.queues)"]
    assert {each.call for each in spark.values()}.isdisjoint({*STANDALONE.greyed, "navigation.show('reservations')"})
    assert parse("pools", registry, names) == parse("queues", registry, names)


async def test_the_menu_lists_every_act_for_the_mouse() -> None:
    """The key a, or a click on its hint, on an application and on a node; what the cluster never does is left out."""
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        calls = {CALLS["branch"]}
        for pane in "13":
            await pilot.press(pane, "a")
            assert isinstance(app.screen, MenuScreen)
            calls |= {choice.value for choice in app.screen.choices}
            await pilot.press("escape")

    assert calls == {action.call for action in ACTS} - YARN.greyed.keys()


async def test_what_is_chosen_before_a_menu_is_narrowed_is_what_is_done() -> None:
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o")
        menu, listed = app.screen, app.screen.query_one(OptionList)
        chosen = OptionList.OptionSelected(listed, listed.get_option_at_index(1), 1)
        await press(pilot, "slash", *"zqx")
        listed.post_message(chosen)
        await pilot.pause()

        assert app.screen is not menu


@pytest.mark.parametrize(("past", "is_drawn"), [(0, True), (1, True), (0, False)])
async def test_a_click_on_a_line_that_is_not_seen_or_listed_no_more_chooses_nothing(past: int, is_drawn: bool) -> None:
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o")
        menu, listed = app.screen, app.screen.query_one(MenuList)
        await pilot.press("slash", *"memory")
        await pilot.pause()
        if not is_drawn:
            listed.list_anew(listed.options)
        click = events.Click(listed, 0, 0, 0, 0, 1, shift=False, meta=False, ctrl=False)
        click.style = Style(meta={"option": listed.option_count - 1 + past})
        listed.post_message(click)
        await pilot.pause()

        assert (app.screen is menu) is (past == 1 or not is_drawn)


async def test_a_palette_is_closed_once_and_not_for_want_of_room() -> None:
    app = fake_app()
    async with app.run_test(size=(80, 3)) as pilot:
        await press(pilot, "ctrl+p")
        await pilot.app.workers.wait_for_complete()
        await press(pilot, "pagedown", "pageup")

        palette = app.screen
        assert isinstance(palette, CommandPalette)
        _ = palette.dismiss()
        _ = palette.dismiss()
        await pilot.pause()

        assert app.screen is app.cluster


async def test_the_palette_runs_what_is_chosen() -> None:
    session = FakeSession()
    app = fake_app(session, confirm="never")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        is_open = isinstance(app.screen, CommandPalette)
        await pilot.press(*"switch preemption")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    assert (is_open, session.calls) == (True, [("do", SetPreemption(on=True))])
