"""The app driven by keys at fixed sizes; a fake door remembers what it was asked to do."""

import re
from typing import Any

import pytest

from tests.tui import fake_holders, fakes
from tests.tui.screen_text import golden, screen_text
from tui.app import SchedlabApp
from tui.screens.confirm import ConfirmScreen
from tui.screens.help import HelpScreen
from tui.screens.nouns import YARN
from tui.screens.submit import SubmitScreen

SIZES = [(80, 24), (120, 40), (200, 60)]


def _app(door: fakes.FakeDoor | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(door or fakes.FakeDoor(), ascii_only=True, **options)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pane", list(YARN.titles))
async def test_every_pane_looks_as_stored(pane: str, size: tuple[int, int]) -> None:
    """Each pane at the three sizes, letter by letter."""
    app = _app(fakes.FakeDoor(fake_holders.held_cluster()))
    async with app.run_test(size=size) as pilot:
        await pilot.press(str(list(YARN.titles).index(pane) + 1))
        actual = screen_text(app)

    assert actual == golden(f"{pane}-{size[0]}x{size[1]}", actual)


@pytest.mark.parametrize("size", [(200, 60), (60, 14), (40, 8), (20, 4), (1, 1)])
async def test_any_size_is_drawn(size: tuple[int, int]) -> None:
    """A huge and a tiny terminal both show something and no line leaves the screen."""
    app = _app()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        lines = screen_text(app).splitlines()

    assert (len(lines) <= size[1], all(len(line) <= size[0] for line in lines)) == (True, True)


async def test_block_characters_are_the_default() -> None:
    """Without `--ascii` bars are drawn with blocks."""
    app = SchedlabApp(fakes.FakeDoor())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        text = screen_text(app)

    assert ("█" in text, "▶ x10" in text) == (True, True)


async def test_ascii_means_ascii() -> None:
    """With `--ascii` no character is outside ASCII, whatever is open and whatever users call things."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        shown = [screen_text(app)]
        for key in ("2", "3", "4", "5", "f", "f", "1", "S", "escape", "K", "n", "question_mark"):
            await pilot.press(key)
            shown.append(screen_text(app))

    assert re.findall(r"[^\x00-\x7f]", "".join(shown)) == []


@pytest.mark.parametrize(
    ("key", "call"),
    [
        ("p", ("toggle_pause",)),
        ("t", ("step", "second")),
        ("full_stop", ("step", "event")),
        ("left_square_bracket", ("travel", "back")),
        ("right_square_bracket", ("travel", "on")),
        ("left_curly_bracket", ("travel", "mark.back")),
        ("right_curly_bracket", ("travel", "mark.on")),
        ("plus", ("change_speed", 1)),
        ("equals_sign", ("change_speed", 1)),
        ("minus", ("change_speed", -1)),
        ("P", ("preemption", True)),
        ("R", ("rule", "limited")),
    ],
)
async def test_a_key_asks_the_session_for_one_thing(key: str, call: tuple[Any, ...]) -> None:
    """Keys of the clock and the switches reach the session as one call."""
    door = fakes.FakeDoor()
    async with _app(door).run_test() as pilot:
        await pilot.press(key)
        await pilot.pause()
        calls = list(door.calls)

    assert calls == [call]


async def test_kill_names_the_application_and_holds_the_clock() -> None:
    """The dialog says id and what is freed; y kills exactly that one, and the clock goes on."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("1", *"jjjj", "K")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        words = dialog.words
        await pilot.press("y")
        await pilot.pause()

    number = 183331
    assert (f"application_{fakes.TIMESTAMP}_{number}" in words, "15 containers, 60G/15c" in words) == (True, True)
    assert door.calls[:3] == [("hold", True), ("kill", f"application_{fakes.TIMESTAMP}_{number}"), ("hold", False)]


@pytest.mark.parametrize("key", ["enter", "n", "escape", "q", "space"])
async def test_every_other_answer_kills_nothing(key: str) -> None:
    """The harmless answer has the focus: a hasty enter or space is harmless too."""
    door = fakes.FakeDoor()
    async with _app(door).run_test() as pilot:
        await pilot.press("K", key)
        await pilot.pause()
        calls = list(door.calls)

    assert calls == [("hold", True), ("hold", False)]


async def test_kill_follows_the_id_and_not_the_row() -> None:
    """While the question is open the rows move; what was named is killed."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("K")
        moved = fakes.FakeSnapshot(fakes.header(), 2, applications=(fakes.application_row(7),))
        door.change(moved)
        await pilot.pause()
        await pilot.press("y")
        await pilot.pause()

    assert ("kill", fakes.BIG) in door.calls


async def test_the_cursor_stays_with_its_application() -> None:
    """A row that appears above does not move the cursor to another application."""
    door = fakes.FakeDoor(paused=True)
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("1", *"jjjj")
        assert app.cluster is not None
        before = app.cluster.active.cursor_id
        rows = (fakes.application_row(1), *door.snapshot.applications())
        door.change(fakes.FakeSnapshot(fakes.header(), 2, applications=rows))
        await pilot.pause()
        after, place = app.cluster.active.cursor_id, app.cluster.active.cursor_row

    assert (after, place) == (before, 5)


async def test_until_somebody_moves_the_cursor_it_stays_on_top() -> None:
    """Whoever waits longest is under the cursor; a row that comes to wait longer takes its place."""
    door = fakes.FakeDoor(paused=True)
    app = _app(door)
    async with app.run_test() as pilot:
        assert app.cluster is not None
        before = app.cluster.active.cursor_id
        rows = (*door.snapshot.applications(), fakes.application_row(7, state="ACCEPTED", waiting_since_ms=1))
        door.change(fakes.FakeSnapshot(fakes.header(), 2, applications=rows))
        await pilot.pause()
        after, place = app.cluster.active.cursor_id, app.cluster.active.cursor_row

    assert (before, after, place) == (fakes.BIG, f"application_{fakes.TIMESTAMP}_0007", 0)


async def test_kill_from_a_reservation_means_its_application() -> None:
    """A reservation, a node and an event stand for the application they are about."""
    door = fakes.FakeDoor()
    async with _app(door).run_test() as pilot:
        for pane in ("4", "3", "5"):
            await pilot.press(pane, "home", "K", "y")
            await pilot.pause()

    assert [call for call in door.calls if call[0] == "kill"] == [("kill", fakes.BIG)] * 3


async def test_kill_without_an_application_says_what_to_do() -> None:
    """In the queues there is nothing to kill: a sentence, no dialog."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("2", "K")
        await pilot.pause()
        text = screen_text(app)

    assert ("K needs an application: press 1" in text, door.calls) == (True, [])


async def test_an_application_that_has_ended_is_not_killed_again() -> None:
    """The last row has ended: a sentence, no dialog."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("1", "G", "K")
        await pilot.pause()
        text = screen_text(app)

    assert ("has already ended (KILLED)" in text, door.calls) == (True, [])


async def test_a_refused_act_is_told() -> None:
    """What the engine answers stands on screen."""
    door = fakes.FakeDoor()
    door.refusal = "no such application"
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("K", "y")
        await pilot.pause()
        text = screen_text(app)

    assert "no such application" in text


async def test_drain_asks_and_return_does_not() -> None:
    """Taking a node out asks first; a drained one comes back at once."""
    nodes = (fakes.node_row("n1"), fakes.node_row("n2", state="DECOMMISSIONED"))
    door = fakes.FakeDoor(fakes.FakeSnapshot(fakes.header(), 1, nodes=nodes))
    async with _app(door).run_test() as pilot:
        await pilot.press("3", "D", "y", "j", "D")
        await pilot.pause()

    assert [call for call in door.calls if call[0] == "service"] == [
        ("service", "n1:45454", False),
        ("service", "n2:45454", True),
    ]


async def test_the_form_submits_what_it_shows() -> None:
    """Queue and user come from the row under the cursor; enter submits and closes."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("S", "x", "enter")
        await pilot.pause()
        closed = not isinstance(app.screen, SubmitScreen)

    fields = next(call[1] for call in door.calls if call[0] == "submit")
    assert (closed, fields["name"], fields["queue"], fields["user"]) == (True, "by-handx", "root.report", "mining")


async def test_the_form_names_every_problem_and_stays() -> None:
    """What is wrong stands in the form; esc gives up and the clock goes on."""
    door = fakes.FakeDoor()
    door.problems = ["memory: '2q' is not an amount of memory", "vcores: -1 is less than 0"]
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("S", "enter")
        await pilot.pause()
        text = screen_text(app)
        await pilot.press("escape")
        await pilot.pause()

    assert ("! memory: '2q'" in text, "! vcores: -1" in text, door.calls[-1]) == (True, True, ("hold", False))


async def test_capitals_do_nothing_in_read_only_mode() -> None:
    """No dialog opens and nothing is asked of the session; looking still works."""
    door = fakes.FakeDoor()
    app = _app(door, read_only=True)
    async with app.run_test() as pilot:
        await pilot.press("S", "K", "P", "R", "3", "D", "p")
        await pilot.pause()
        text = screen_text(app)

    assert (door.calls, "Kkill" in text) == ([("toggle_pause",)], False)


async def test_help_lists_every_key_and_goes_back() -> None:
    """Help opens on ?, and any of its keys returns to the same pane."""
    app = _app()
    async with app.run_test(size=(120, 90)) as pilot:
        await pilot.press("2", "question_mark")
        shown = app.screen
        assert isinstance(shown, HelpScreen)
        text = shown.text
        await pilot.press("escape")
        assert app.cluster is not None
        back = app.screen is app.cluster and app.cluster.active.noun.name == "queues"

    assert (back, "K F9" in text, "Kill the application under the cursor" in text) == (True, True, True)


async def test_a_long_reason_can_be_scrolled_sideways() -> None:
    """The key l shows the end of the reason, h goes back."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        before = screen_text(app)
        await pilot.press("l", "l", "l", "l")
        await pilot.pause()
        after = screen_text(app)
        await pilot.press("h", "h", "h", "h")
        await pilot.pause()
        back = screen_text(app)

    assert ("1 by 183354, 1 by 183342" in after.split("WHY  ")[0], back == before) == (True, True)


async def test_the_mouse_points_at_rows_panes_and_hints() -> None:
    """A click on a row, a tab and a hint does what the key does."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click("#applications", offset=(5, 4))
        assert app.cluster is not None
        row = app.cluster.active.cursor_row
        await pilot.click("#tabs", offset=(22, 0))
        pane = app.cluster.active.noun.name
        await pilot.click("#hints", offset=(32, 0))
        await pilot.pause()

    assert (row, pane, door.calls) == (2, "nodes", [("toggle_pause",)])


async def test_hidden_panes_and_unchanged_sections_are_not_built() -> None:
    """At 80x24 only the shown section is built, and not again while its version stays."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for _ in range(3):
            door.change()
            await pilot.pause()
        built = list(door.snapshot.built)

    assert built == ["applications"]


async def test_quitting_closes_the_session() -> None:
    """The key q ends the program and lets the engine go."""
    door = fakes.FakeDoor()
    app = _app(door)
    async with app.run_test() as pilot:
        await pilot.press("q")

    assert (door.closed, app.return_code) == (True, 0)


async def test_no_colour_leaves_weight_and_reverse_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR no style of ours names a colour."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        styles = [segment.style for strip in app.screen._compositor.render_strips() for segment in strip]
        coloured = [one for one in styles if one is not None and one.color and not one.color.is_default]

    assert coloured == []
