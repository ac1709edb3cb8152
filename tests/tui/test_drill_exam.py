"""An exam on screen: symptoms only, questions and pages below the panes, a clock that runs, self-assessment."""

from tests.engine.training.test_exam import exam
from tests.tui.screen_text import screen_lines, screen_text
from tests.tui.test_drill import begin, briefed, press, shown
from tui.drill_app import DrillApp
from tui.screens.drill import DrillAnswerScreen, DrillBriefScreen, DrillDebriefScreen
from tui.screens.page import PageScreen
from tui.session.drill import DrillPlay
from tui.session.drill_seat import ExamClock


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
    await clock.hold(held=True)
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
