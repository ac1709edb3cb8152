"""An instructor at the desk: what is seen of the trainee, and what every key does in the trainee's run."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.scenario.acts import SetPreemption, SetReservationRule
from engine.training.score import RecordPlayer, Score
from tests.engine.training.small_drill import small_drill
from tests.stored import golden
from tests.tui import fakes
from tests.tui.fake_session import FakeSession, fake_app
from tests.tui.screen_text import screen_text
from tests.tui.sharing.visiting import TOKEN, Line, forever, link_to
from tui.board.dialects import YARN
from tui.instructor_app import NO_STEPS, NO_TRAVEL, InstructorApp
from tui.protocol.session import TraineeScreen
from tui.screens.drill import InstructorScreen
from tui.session.drill import DrillPlay
from tui.session.drill_seat import InstructorSession
from tui.sharing.link import INSTRUCTOR, VERSION, SharedDrill, Welcome
from tui.sharing.remote import RemoteSession
from tui.sharing.session_server import SessionServer

DRILL = small_drill()
TURNS = 60


class Beside:
    """A trainee's drill, a line to it, and the app of an instructor."""

    def __init__(self, folder: Path) -> None:
        self.play = DrillPlay(DRILL)
        self.play.has_begun = True
        self.play.screen = lambda: TraineeScreen("the cluster", "nodes", "n1:8041", keys=("3", "j"))
        self.play.screen_lines = lambda: ("what the trainee sees",)
        seat = InstructorSession(self.play)
        welcome = Welcome(VERSION, "small", "Notebooks", SharedDrill("small.toml"))
        self.line = Line(
            SessionServer(welcome, TOKEN, self.play.session.pictures, lambda role: seat.parts, met=seat.met)
        )
        self.play.session.driver._post = self.line.door.post
        player = RecordPlayer(DRILL)

        async def score(lines: Sequence[str]) -> Score:
            return player.score(lines)

        link = link_to(self.line, folder, INSTRUCTOR, sleep=forever)
        self.app = InstructorApp(RemoteSession(link), DRILL, score)

    def done(self) -> list[str]:
        return [step.do for step in self.play.recorder.steps]


@asynccontextmanager
async def seated(folder: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Beside, Pilot[None]]]:
    beside = Beside(folder)
    app = beside.app
    async with app.run_test(size=size) as pilot:
        for _ in range(TURNS):
            app.begin()
            await pilot.pause()
            if isinstance(app.screen, InstructorScreen):
                break
        assert isinstance(app.screen, InstructorScreen)
        await app.look()
        await pilot.pause()
        yield beside, pilot


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when what the one before did is there."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        await pilot.pause()


async def typed(pilot: Pilot[None], words: str) -> None:
    names = {" ": "space", "=": "equals_sign", ".": "full_stop", "-": "minus", "?": "question_mark", "+": "plus"}
    await press(pilot, *(names.get(letter, letter) for letter in words), "enter")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_desk_shows_the_trainee(tmp_path: Path, size: tuple[int, int]) -> None:
    async with seated(tmp_path, size) as (beside, pilot):
        beside.play.answer("cause", ("nodes",))
        await beside.app.look()
        await pilot.pause()
        await beside.app.look()
        await pilot.pause()
        text = screen_text(beside.app)

    for part in ("INSTRUCTOR", "Nodes, n1:8041", "3 j", "if nothing more is done", "answer cause: nodes"):
        assert part in text
    assert "m message" in text


async def test_a_message_is_sent(tmp_path: Path) -> None:
    async with seated(tmp_path) as (beside, pilot):
        await press(pilot, "m")
        await typed(pilot, "Hurry.")
        said = screen_text(beside.app).splitlines()[-2]
        await press(pilot, "m", "escape")

    assert [message.words for message in beside.play.unread] == ["Hurry."]
    assert "The message is on its way." in said


async def test_a_fault_is_chosen_and_its_node(tmp_path: Path) -> None:
    """It happens in the trainee's run and is in the record as the instructor's."""
    async with seated(tmp_path) as (beside, pilot):
        await press(pilot, "i", "s", "enter")
        await beside.app.look()
        await pilot.pause()
        text = screen_text(beside.app)

    assert beside.done() == ["inject"]
    assert "Injected: sick n1:8041." in text
    assert "instructor: health n1 off" in text


async def test_an_act_is_typed(tmp_path: Path) -> None:
    """What is none is refused in words, by the desk or by the run."""
    async with seated(tmp_path) as (beside, pilot):
        said = []
        for words in ("resize node=n1 memory=16g vcores=16", "resise node=n1", "hint", "kill application=9"):
            await press(pilot, "i", "o")
            await typed(pilot, words)
            said.append(screen_text(beside.app).splitlines()[-2].strip())
        await press(pilot, "i", "o", "escape")

    assert beside.done() == ["inject"]
    assert said[0] == "Injected: resize node=n1 memory=16g vcores=16."
    assert "'resise' is not one of answer" in said[1]
    assert said[2:] == ["hint is not an act", "no application, or more than one, matches 9"]


async def test_the_clock_is_frozen_and_let_go(tmp_path: Path) -> None:
    """F on the desk, p on the cluster; the state says who keeps it."""
    async with seated(tmp_path) as (beside, pilot):
        await press(pilot, "f")
        frozen, text = beside.play.session.driver.state.frozen, screen_text(beside.app)
        await press(pilot, "c", "p", "H")
        released = beside.play.session.driver.state.frozen

    assert (frozen, released) == ("the instructor", "")
    assert "frozen by you" in text
    assert "The trainee's clock is paused." in text
    assert beside.done() == ["freeze", "freeze"]


async def test_the_cluster_is_marked_and_esc_goes_back_to_the_desk(tmp_path: Path) -> None:
    async with seated(tmp_path) as (beside, pilot):
        await press(pilot, "c")
        header = screen_text(beside.app).splitlines()[0]
        await press(pilot, "escape")
        for _ in range(TURNS):
            if isinstance(beside.app.screen, InstructorScreen):
                break
            await pilot.pause()
        is_back = isinstance(beside.app.screen, InstructorScreen)

    assert " INSTRUCTOR " in header
    assert is_back


async def test_the_run_goes_back(tmp_path: Path) -> None:
    async with seated(tmp_path) as (beside, pilot):
        driver = beside.play.session.driver
        driver.run.advance(DRILL.drill.begins_ms + 60_000)
        said = []
        for words in ("20s", "5m", "soon"):
            await press(pilot, "b")
            await typed(pilot, words)
            said.append(screen_text(beside.app).splitlines()[-2].strip())

    assert beside.play.now_ms == 20_000
    assert beside.done() == ["backtrack"]
    assert said[0] == "The drill goes on from +0m20s."
    assert said[1] == "Between +0m00s and +0m20s there is something to go back to."
    assert "soon" in said[2]


async def test_the_trainees_screen_is_shown(tmp_path: Path) -> None:
    async with seated(tmp_path) as (beside, pilot):
        await press(pilot, "v")
        text = screen_text(beside.app)

    assert "what the trainee sees" in text


async def test_on_the_cluster_acts_are_injected_and_time_is_the_trainees(tmp_path: Path) -> None:
    """Its keys act as they do everywhere; those of time say whose it is. H goes back to the desk."""
    async with seated(tmp_path, (160, 40)) as (beside, pilot):
        await press(pilot, "c")
        said = []
        for key in ("t", "left_square_bracket", "B"):
            await press(pilot, key)
            said.append(screen_text(beside.app).splitlines()[-1])
        await press(pilot, "1", "K", "y")
        done = beside.done()
        await press(pilot, "slash", "H")
        typing = beside.app.screen is beside.app.cluster
        await press(pilot, "escape", "H")
        at_desk = isinstance(beside.app.screen, InstructorScreen)

    assert NO_STEPS in said[0]
    assert NO_TRAVEL in said[1]
    assert done == ["inject"]
    assert typing
    assert at_desk


async def test_a_lost_connection_is_said_on_the_desk(tmp_path: Path) -> None:
    async with seated(tmp_path) as (beside, pilot):
        beside.line.cut()
        await pilot.pause()
        await pilot.pause()
        await beside.app.look()
        await press(pilot, "m")
        await typed(pilot, "Hurry.")
        text = screen_text(beside.app)

    assert "connection lost" in text.splitlines()[0]
    assert "Connection lost " in text.splitlines()[-2]
    assert "Nodes, n1:8041" in text
    assert beside.done() == []


# The whole program before a fake cluster: what stands on screen at every size, and what keys ask of the session.

SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pane", list(YARN.titles))
async def test_every_pane_looks_as_stored(pane: str, size: tuple[int, int]) -> None:
    app = fake_app(FakeSession(fakes.held_cluster()))
    async with app.run_test(size=size) as pilot:
        digit = str(list(YARN.titles).index(pane) + 1)
        await pilot.press(*([digit] if digit != "1" else []))  # the first is there, and would say so
        await pilot.pause()
        actual = screen_text(app)

    assert actual == golden(f"{pane}-{size[0]}x{size[1]}", actual)


@pytest.mark.parametrize("size", [(200, 60), (60, 14), (40, 8), (20, 4), (1, 1)])
async def test_any_size_is_drawn(size: tuple[int, int]) -> None:
    """A huge and a tiny terminal both show something and no line leaves the screen."""
    app = fake_app()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        lines = screen_text(app).splitlines()

    assert (len(lines) <= size[1], all(len(line) <= size[0] for line in lines)) == (True, True)


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
        ("P", ("do", SetPreemption(on=True))),
        ("R", ("do", SetReservationRule("limited"))),
    ],
)
async def test_a_key_asks_the_session_for_one_thing(key: str, call: tuple[Any, ...]) -> None:
    session = FakeSession()
    async with fake_app(session, confirm="never").run_test() as pilot:
        await pilot.press(key)
        await pilot.pause()
        calls = list(session.calls)

    assert calls == [call]
