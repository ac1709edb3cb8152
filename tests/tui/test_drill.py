"""A drill on screen: brief, the key of the drill, hints, answers, the debrief, and the way back into the past."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
from textual.pilot import Pilot

from engine.scenario.acts import SetQueueSetting
from engine.training.drill import DrillScenario, load_drill
from engine.training.exercise import DrillStage
from engine.training.protocol import ProgramScreen, converse
from engine.training.unfinished import BegunExercise, UnfinishedFile
from engine.units import span
from tests.engine.training.small_drill import small_drill
from tests.engine.training.test_exam import exam
from tests.tui.screen_text import board_of, press, screen_lines, screen_text
from tests.tui.sharing.visiting import Visitor, door_of
from tui.actions import DRILL
from tui.cli.drill_serve import served_drill
from tui.dialogs.forms import MenuScreen
from tui.drill_app import DrillApp
from tui.pages.drill import debrief_lines
from tui.report.drill import debrief_markdown, debrief_page
from tui.screens.drill import DrillAnswerScreen, DrillBriefScreen, DrillDebriefScreen
from tui.screens.page import PageScreen
from tui.session.drill import DrillPlay
from tui.session.drill_seat import ExamClock, InstructorSession, session_of
from tui.sharing.link import SharedDrill

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
    await press(pilot, "enter")
    play.session.driver.set(paused=True)
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
        await press(pilot, "j")
        footer, header = screen_lines(app)[-1], screen_lines(app)[0]
        await press(pilot, "question_mark", "slash", *"drill", "enter")
        found = screen_text(app)
        await press(pilot, "escape", "escape")
        board_of(app).perform(DRILL.call)
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
        debrief = msgspec.structs.replace(done, score=msgspec.structs.replace(done.score, solved_ms=solved_ms))
        chosen: list[str | None] = []
        screen = DrillDebriefScreen(debrief, app._shared.options.styles, best=None, what_ifs=lambda at_ms: ())
        _ = app.push_screen(screen, chosen.append)
        await pilot.pause()
        text = screen_text(app)
        await press(pilot, "r")
    documents = debrief_markdown(debrief), debrief_page(debrief).html()
    for words in documents:
        told = (debrief.verdict, debrief.clues[0].sentence, debrief.text, "what if at +0m00s: set", "Beside par")
        assert all(each in words for each in (*told, debrief.rows[0].visible))
    assert [each for each in ("://", "<script") if each in documents[1]] == []
    for words in (text, *documents, "\n".join(debrief_lines(debrief))):
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


# An exam on screen: symptoms only, questions and pages below the panes, a clock that runs, self-assessment.


async def test_an_exam_shows_symptoms_and_takes_answers_below_the_panes() -> None:
    """Neither badge nor cause; `9` goes to the questions, an answer is saved and not graded."""
    play = DrillPlay(exam(), place=(2, 29))
    app = DrillApp(play)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(app, pilot, DrillBriefScreen)
        await begin(pilot, play)
        await app._look_on()
        await app._look_on()
        await pilot.pause()
        before = screen_text(app)
        await press(pilot, "9", "j", "enter", "1", "1", "w")
        play.session.driver.run.advance(play.drill.drill.begins_ms + 61_000)
        await app._look_on()
        await pilot.pause()
        after = screen_text(app)
        last = screen_lines(app)[-1]
        clock = app.options.drill
        assert clock is not None
        assert clock.pages is not None
        assert clock.pages() == 1
        await press(pilot, "I")
        page = screen_text(app)
    assert " EXAM 2/29 " in before
    assert "BUSY" not in before
    assert "WHY" not in before
    assert "Notebooks" in before
    assert "Cause, why and remedies are shut" in before
    assert "0 of 2 answered" in before
    assert "1 of 2 answered" in after
    assert "masters at +0m00s" in after
    assert "unread, 1s ago" in after
    assert "is shut" in last
    assert "ines, +1m00s: it is late" in page
    assert [step.do for step in play.recorder.steps] == ["observe", "answer", "observe"]


async def test_an_exam_is_handed_in_with_what_it_is_worth() -> None:
    play = DrillPlay(exam())
    app = DrillApp(play)
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(app, pilot, DrillBriefScreen)
        await begin(pilot, play)
        await press(pilot, "Q", "h", *"101", "enter")
        assert isinstance(app.screen, DrillAnswerScreen)
        await press(pilot, *"100", "enter")
        await shown(app, pilot, DrillDebriefScreen)
        text = screen_text(app)
    assert "100 points" in text
    assert play.kept("now", None).is_exam


async def test_a_question_before_an_act_stops_no_clock_of_an_exam() -> None:
    play = DrillPlay(exam())
    app = DrillApp(play)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(app, pilot, DrillBriefScreen)
        await begin(pilot, play)
        await press(pilot, "U")
        text = screen_text(app)
    assert "Restart" in text
    assert "clock paused" not in text


async def test_the_clock_of_an_exam_stands_for_p_alone() -> None:
    """No dialog, speed or step moves it; what a pause lasted is recorded when it ends."""
    play, now_s = DrillPlay(exam()), [10.0]
    clock = ExamClock(play, lambda: now_s[0])
    state = play.session.driver.state
    await clock.toggle_pause()
    await clock.suspend(held=True)
    await clock.change_speed(1)
    await clock.set_speed(60)
    await clock.step("second")
    refusals = [(await clock.travel("back")).refusal, (await clock.branch()).refusal]
    assert (play.session.driver.state.paused, play.session.driver.state.speed) == (False, state.speed)
    assert all(refusals)
    await clock.toggle_pause()
    now_s[0] = 31.0
    play.finish()
    assert [(step.do, getattr(step, "lasted_ms", None)) for step in play.recorder.steps] == [("pause", 21_000)]


# A trainee with somebody beside: what is seen of the screen, and how messages come.


async def test_a_message_opens_over_the_cluster_and_stays_in_the_menu() -> None:
    async with briefed() as (app, pilot, play):
        await begin(pilot, play)
        await press(pilot, "slash")
        _ = play.receive("the data team lead", "Is it back?")
        await app._look_on()
        while_typing = app.screen is app.cluster
        await press(pilot, "escape")
        await app._look_on()
        await pilot.pause()
        page, text = isinstance(app.screen, PageScreen), screen_text(app)
        await press(pilot, "escape", "H")
        _ = play.receive("Ann", "Hurry.")
        await app._look_on()
        over_menu = isinstance(app.screen, PageScreen)
        await press(pilot, "m")
        again = screen_text(app)

    assert (while_typing, page, over_menu) == (True, True, False)
    assert "From the data team lead" in text
    assert "Is it back?" in text
    assert "the data team lead, +0m00s: Is it back?" in again
    assert [message.words for message in play.unread] == ["Hurry."]


async def test_nothing_tells_the_answer_of_an_exam_before_its_end(tmp_path: Path) -> None:
    """Neither a file, an answer of REST, a frame of a socket, a reply to a program nor an argument of a process."""
    drill = load_drill("each-kills-the-other").as_exam()
    told = [json.dumps(reply) for reply in converse(ProgramScreen(DrillStage(drill)), ASKED)]
    with served_drill(drill, 0, tmp_path / "rm.log") as server:
        play = DrillPlay(drill, listeners=server.listeners)
        play.has_begun = True
        play.answer("fault", ("yes",))
        assert not await play.act("preemption on=false")
        play.session.driver.run.advance(drill.drill.begins_ms + 120_000)
        transport = httpx.ASGITransport(server.app(play))
        async with httpx.AsyncClient(base_url="http://127.0.0.1:1", transport=transport) as rest:
            told += [(await rest.get(f"/ws/v1/cluster/{path}")).text for path in ("", *PATHS)]
        with UnfinishedFile(tmp_path, BegunExercise("kim", drill.name, "now", is_exam=True), "exam") as file:
            file.keep(play.recorder.steps)
            told += written_below(tmp_path)
    visitor = Visitor(door_of(session_of(play), drill=SharedDrill(drill.name, None, is_exam=True)))
    visitor.hello()
    told += [repr(await visitor.next()), repr(await InstructorSession(play).trainee())]
    told.append(repr(await session_of(play).pictures.picture()))
    await visitor.leave()
    told += of_process(drill.name)

    assert all(told)
    assert [(secret, words) for secret in secrets(drill) for words in told if secret in words.casefold()] == []


def written_below(folder: Path) -> list[str]:
    return [path.read_text() for path in folder.rglob("*") if path.is_file()]


def of_process(drill: str) -> list[str]:
    """The first line of an exam played by a program, without the choices of a question, and what others see of it."""
    command = [sys.executable, "-m", "tui.cli.cli", "drill", "play", drill, "--exam", "--steps", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        brief = json.loads(program.stdout.readline())
        seen = [str(Path(f"/proc/{program.pid}/{what}").read_bytes()) for what in ("cmdline", "environ")]
        _ = program.communicate("")
    for question in brief["questions"]:
        question["choices"] = []
    assert brief["hints"] == 0
    return [json.dumps(brief), *seen]


ASKED = (
    *(f'{{"do": "observe", "pane": "{pane}"}}' for pane in ("Applications", "Nodes", "Queues", "Events", "Alerts")),
    *('{"do": "hint"}', '{"do": "why", "application": "1"}'),
    *('{"do": "answer", "question": "fault", "answer": ["yes"]}', '{"do": "preemption", "on": false}'),
    '{"do": "advance", "at": "13m"}',
)
PATHS = ("info", "metrics", "scheduler", "nodes", "apps", "apps?states=ACCEPTED", "appstatistics")


def secrets(drill: DrillScenario) -> list[str]:
    """What only somebody knows who has the solution, in small letters: its words, the cause, whether it is solved."""
    one = drill.drill
    goals, clues = [goal.about for goal in one.goals], [clue.about for clue in one.clues]
    words = [*one.hints, *one.debrief.split(". "), *goals, *clues, "preemption too eager", "preemption-livelock"]
    return [*map(str.casefold, words), '"solved":', '"score":', '"cost":']
