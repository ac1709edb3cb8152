"""An exam on screen: symptoms only, questions and pages below the panes, a clock that runs, self-assessment."""

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN
from engine.training.drill import Exam
from tests.engine.training.test_exam import exam
from tests.tui import fakes
from tests.tui.screen_text import screen_lines, screen_text
from tests.tui.test_drill import begin, briefed, press, shown
from tui.board.dialects import YARN, without_causes
from tui.drill_app import DrillApp
from tui.pages.exam import ExamSheet, exam_lines
from tui.panes.arrangement import SortFilter
from tui.panes.header import spans_of, symptom_line
from tui.panes.line import RenderContext, flat
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


@pytest.mark.parametrize(("pages", "end"), [(0, "78 waiting"), (1, "1 page"), (2, "2 pages")])
def test_the_header_of_an_exam_counts_the_pages_that_came(pages: int, end: str) -> None:
    assert flat(spans_of(symptom_line("78 waiting", pages, 80))).rstrip().endswith(end)


@pytest.mark.parametrize(("more", "words"), [("", ""), ("7 more, longest wait first", "7 more, longest wait first. ")])
def test_an_exam_says_what_is_shut_above_the_questions(more: str, words: str) -> None:
    lines = exam_lines(ExamSheet((), (), more), 80, 24)
    assert flat(lines[0]).strip() == f"{words}Cause, why and remedies are shut"


def test_whoever_waits_longest_comes_first_in_an_exam() -> None:
    noun = without_causes(YARN).panes["applications"][0]
    some = [("RUNNING", None), ("ACCEPTED", 2_000), ("RUNNING", 1_999), ("ACCEPTED", 2_001)]
    rows = [
        fakes.application_row(number, state=state, waiting_since_ms=since) for number, (state, since) in enumerate(some)
    ]
    order = SortFilter().order(rows, noun.criteria, RenderContext(fakes.NOW, (), ()))
    assert order == [2, 1, 3, 0]


def test_an_exam_does_not_say_who_could_release_a_reservation() -> None:
    row = fakes.reservation_row("n1")
    (shown_row,) = Exam().reported(fakes.FakeSnapshot(fakes.header(), 1, reservations=(row,)), 0).reservations()
    assert (row.released, shown_row.released) != (UNKNOWN, UNKNOWN)
    assert shown_row == msgspec.structs.replace(row, released=UNKNOWN)


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


@pytest.mark.parametrize(("size", "has_lines"), [((80, 23), False), ((80, 24), True)])
async def test_a_low_terminal_has_one_line_of_the_exam(size: tuple[int, int], has_lines: bool) -> None:
    play = DrillPlay(exam())
    app = DrillApp(play)
    async with app.run_test(size=size) as pilot:
        await shown(app, pilot, DrillBriefScreen)
        await begin(pilot, play)
        for _ in range(2):
            await app._look_on()
            await pilot.pause()
        text = screen_text(app)
    assert "0 of 2 answered" in text
    assert ("Is anything wrong?" in text) is has_lines


# A trainee with somebody beside: what is seen of the screen, and how messages come.


async def test_the_watch_sees_pane_row_filter_keys_and_what_is_on_top() -> None:
    async with briefed() as (app, pilot, play):
        brief, begun = play.screen().name, play.has_begun
        await begin(pilot, play)
        await press(pilot, "3", "j")
        await press(pilot, "slash", "n", "2", "enter")
        seen = play.screen()
        await press(pilot, "H")
        menu = play.screen().name
        lines = play.screen_lines()
        assert app.cluster is not None
        drawn = app.cluster.drawn_lines()

    assert (brief, begun, play.has_begun) == ("the brief", False, True)
    assert (seen.name, seen.pane, seen.words) == ("the cluster", "nodes", "n2")
    assert seen.selected.startswith("n2")
    assert seen.keys == ("enter", "3", "j", "/", "n", "2", "enter")
    assert menu == "a menu"
    assert list(lines) == drawn
    assert "Nodes" in "\n".join(lines)


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
