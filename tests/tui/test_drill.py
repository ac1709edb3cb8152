"""A drill on screen: brief, the key of the drill, hints, answers, the debrief, and the way back into the past."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from textual.pilot import Pilot

from engine.scenario.acts import SetQueueSetting
from engine.training.debrief import html, markdown
from engine.units import span
from tests.engine.training.small_drill import small_drill
from tests.tui.screen_text import screen_lines, screen_text
from tui.actions import DRILL
from tui.dialogs.forms import MenuScreen
from tui.drill_app import DrillApp
from tui.pages.drill import debrief_lines
from tui.screens.drill import DrillBriefScreen, DrillDebriefScreen
from tui.session.drill import DrillPlay

SIZES = [(80, 24), (120, 40), pytest.param((200, 60), marks=pytest.mark.long)]
ENOUGH = 200
"""Most turns of the event loop until a screen is there."""


RAISE = SetQueueSetting("root.default", "maximum-am-resource-percent", "0.9")


async def shown(app: DrillApp, pilot: Pilot[None], kind: type) -> None:
    """Wait, without a wall clock, until a screen of this kind is on top."""
    for _ in range(ENOUGH):
        if isinstance(app.screen, kind):
            break
        app._brief()
        await pilot.pause()
    assert isinstance(app.screen, kind)
    await pilot.pause()


@asynccontextmanager
async def briefed(
    size: tuple[int, int] = (120, 40), old: str = "", new: str = "", best: int | None = None
) -> AsyncIterator[tuple[DrillApp, Pilot[None], DrillPlay]]:
    play = DrillPlay(small_drill(old, new), best=best, place=(2, 29))
    app = DrillApp(play)
    async with app.run_test(size=size) as pilot:
        await shown(app, pilot, DrillBriefScreen)
        yield app, pilot, play


async def begin(pilot: Pilot[None], play: DrillPlay) -> None:
    """Begin, and let the clock stand: it is moved by hand."""
    await pilot.press("enter")
    await pilot.pause()
    play.session.driver.set(paused=True)
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when what the one before did is there."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
async def test_the_brief_says_what_is_asked_and_not_the_cause(size: tuple[int, int]) -> None:
    async with briefed(size, best=64) as (app, pilot, _):
        text = screen_text(app)
        await press(pilot, *["j"] * 40)
        end = screen_text(app)
    for part in ("Notebooks", "drill 2 of 29", "Monday, 09:05.", "The third notebook stays ACCEPTED.", "YOUR TASK"):
        assert part in text
    assert "masters" not in text + end
    assert "best so far 64" in end
    assert "╰" in end


async def test_hints_and_answers_are_taken_down() -> None:
    """With their instants; the clock stands in the menu and what it opens, and a question shows its answer."""
    async with briefed() as (app, pilot, play):
        await begin(pilot, play)
        play.session.driver.set(paused=False)
        for part in ("H", "2", "escape", "H", "h"):
            await press(pilot, part)
            assert play.session.driver.is_clock_stopped() is (part != "escape")
        hint = screen_text(app)
        play.session.driver.set(paused=True)
        await press(pilot, "escape", "H", "1", "y", "H", "2", "1", "H")
        menu = screen_text(app)
    assert "Look at `Queues`." in hint
    assert "Is anything wrong? (yes)" in menu
    assert "What is it? (masters)" in menu
    assert "a hint (1 left, costs 15 points)" in menu
    assert [step.do for step in play.recorder.steps if step.do != "observe"] == ["hint", "answer", "answer"]
    assert play.answers == {"fault": ("yes",), "cause": ("masters",)}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_key_of_the_drill_stands_in_footer_and_help(size: tuple[int, int]) -> None:
    async with briefed(size) as (app, pilot, play):
        await begin(pilot, play)
        assert app.cluster is not None
        await press(pilot, "j")
        footer, header = screen_lines(app)[-1], screen_lines(app)[0]
        await press(pilot, "question_mark", "slash", *"drill", "enter")
        found = screen_text(app)
        await press(pilot, "escape", "escape")
        app.cluster.perform(DRILL.call)
        await pilot.pause()
        await pilot.pause()
        assert isinstance(app.screen, MenuScreen)
        menu = screen_text(app)
    assert " DRILL 2/29  " in header
    assert "H drill" in footer
    assert "H F12" in found
    assert "a hint (" in menu


@pytest.mark.parametrize("size", SIZES)
async def test_the_debrief_tells_score_and_first_clue(size: tuple[int, int]) -> None:
    """What was done on screen is scored as a file of acts is; enter goes to the moment, H back."""
    async with briefed(size) as (app, pilot, play):
        await begin(pilot, play)
        assert (await play.session.acts.do(RAISE)).refusal == ""
        kept: list[int] = []
        play.on_end = lambda: kept.append(play.kept("now", None).score)
        await press(pilot, "H", "f")
        await shown(app, pilot, DrillDebriefScreen)
        debrief = play.finish()
        text = screen_text(app)
        assert len(screen_lines(app)) == size[1]
        await press(pilot, "tab")
        score = screen_text(app)
        await press(pilot, "tab")
        await press(pilot, "j", "enter")
        past = play.session.driver.travel.simulation
        assert past is not None
        assert past.now_ms == play.drill.begins_ms + debrief.rows[1].at_ms
        await press(pilot, "H")
        assert isinstance(app.screen, DrillDebriefScreen)
        await press(pilot, "n")
    assert app.chosen == "next"
    assert kept == [debrief.score.total]
    assert debrief.score.solved_ms is not None
    assert f"SOLVED in {span(debrief.score.solved_ms)}  {debrief.score.total} of 100" in text
    assert "A shorter way" not in text + score
    assert "one waits" in text
    assert "E" in next(line for line in text.splitlines() if line.startswith(" you"))


@pytest.mark.parametrize("size", SIZES)
async def test_the_debrief_says_what_would_have_been(size: tuple[int, int]) -> None:
    """From the chosen row on: par's act there, and the trainee's act left out; another row shows itself again."""
    async with briefed(size) as (app, pilot, play):
        await begin(pilot, play)
        play.session.driver.run.advance(play.drill.drill.begins_ms + 100_000)
        assert (await play.session.acts.do(RAISE)).refusal == ""
        await press(pilot, "H", "f")
        await shown(app, pilot, DrillDebriefScreen)
        rows = play.finish().rows
        act = next(place for place, row in enumerate(rows) if row.trainee.startswith("set maximum"))
        await press(pilot, *["j"] * act)
        row = screen_text(app)
        await press(pilot, "w")
        asked = screen_text(app)
        await press(pilot, "k")
        left = screen_text(app)
    assert "then: waiting 1 → 0" in row
    assert f"this run  {'':9}" in asked
    assert "not solved, " in asked
    assert asked.count(" points, 0m00s lost, ") == 3
    assert "this run  " not in left.split("Score")[0].replace("this run   ━", "")


@pytest.mark.parametrize(("later_ms", "offered"), [(1, True), (0, False), (-1, False)])
async def test_a_shorter_way_is_offered_to_whoever_solved_it_later_than_par(later_ms: int, offered: bool) -> None:
    """In every form of the debrief and by its key; at the same instant it is not shorter."""
    async with briefed() as (app, pilot, play):
        done = play.finish()
        solved_ms = (done.par.solved_ms or 0) + later_ms
        debrief = msgspec.structs.replace(done, run=msgspec.structs.replace(done.run, solved_ms=solved_ms))
        chosen: list[str | None] = []
        screen = DrillDebriefScreen(debrief, app._shared.styles, best=None, what_ifs=lambda at_ms: ())
        _ = app.push_screen(screen, chosen.append)
        await pilot.pause()
        text = screen_text(app)
        await press(pilot, "r")
    for words in (text, markdown(debrief), html(debrief), "\n".join(debrief_lines(debrief))):
        assert ("A shorter way" in words) is offered
    assert ("r par" in text) is offered
    assert chosen == ["replay"] * offered


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("resize n1", "'n1' is not key=value"),
        ("resise node=n1", "did you mean resize?"),
        ("hint", "hint is not an act"),
        ("reload file=/nowhere", "nowhere"),
        ("resize node=n9 memory=1g vcores=1", "there is no node n9"),
        ('reload "', "say what"),
    ],
)
async def test_a_wrong_act_is_refused_in_words(words: str, said: str) -> None:
    play = DrillPlay(small_drill())
    assert said in await play.act(words)
    assert play.recorder.steps == []
