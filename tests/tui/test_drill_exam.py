"""An exam on screen: symptoms only, questions and pages below the panes, a clock that runs, self-assessment."""

import json
import subprocess
import sys
from pathlib import Path

import httpx

from engine.training.drill import DrillScenario, load_drill
from engine.training.exercise import DrillStage
from engine.training.protocol import ProgramScreen, converse
from engine.training.unfinished import BegunExercise, UnfinishedFile
from tests.engine.training.test_exam import exam
from tests.tui.screen_text import screen_lines, screen_text
from tests.tui.sharing.visiting import Visitor, door_of
from tests.tui.test_drill import begin, briefed, press, shown
from tui.cli.drill_serve import served_drill
from tui.drill_app import DrillApp
from tui.screens.drill import DrillAnswerScreen, DrillBriefScreen, DrillDebriefScreen
from tui.screens.page import PageScreen
from tui.session.drill import DrillPlay
from tui.session.drill_seat import ExamClock, InstructorSession, session_of
from tui.sharing.link import SharedDrill


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
