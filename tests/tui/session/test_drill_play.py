"""A drill as it is played: its clock, hints, answers, looks and messages, and what is recorded of them."""

from typing import Any

import pytest
from pydantic import ValidationError

from engine.scenario.acts import DrainNode
from engine.training.instructor_steps import SENDER, MessageStep
from engine.training.score import HINT_PRICE, LAST_HINT_PRICE
from tests.engine.training.small_drill import small_drill
from tests.engine.training.test_exam import exam
from tests.tui.small_run import now
from tui.session.drill_play import DrillPlay
from tui.session.drill_session import REPLAY_SPEED, SPEED, NoAlerts, ParReplay


def pass_to(play: DrillPlay, at_ms: int) -> None:
    """Let time pass."""
    driver = play.session.driver
    driver.travel.timeline.timed(lambda: driver.run.advance(play.drill.drill.begins_ms + at_ms))


def steps(play: DrillPlay) -> list[dict[str, Any]]:
    """The record as plain fields."""
    return [step.model_dump() for step in play.recorder.steps]


def test_a_drill_stands_where_it_begins() -> None:
    """At the speed of the wall clock; nothing is taken down yet, and all its time is left."""
    play = DrillPlay(small_drill(), best=7, place=(2, 9))
    state = play.session.driver.state

    assert (play.now_ms, play.left_ms, play.is_over, play.has_begun) == (0, 300_000, False, False)
    assert (state.paused, state.speed, SPEED) == (True, 1.0, 1.0)
    assert (play.best, play.place, steps(play)) == (7, (2, 9), [])
    assert [one.asks for one in play.questions] == ["fault", "cause"]


def test_a_drill_is_over_when_its_time_is() -> None:
    """Not a millisecond before; also when it is finished earlier."""
    play, early = DrillPlay(small_drill()), DrillPlay(small_drill())
    pass_to(play, 299_999)
    before = (play.left_ms, play.is_over)
    pass_to(play, 300_000)
    _ = early.finish()

    assert (before, play.left_ms, play.is_over) == ((1, False), 0, True)
    assert (early.left_ms, early.is_over) == (300_000, True)


def test_hints_are_taken_one_after_another() -> None:
    """The last one costs more; after it there is none, and nothing is recorded."""
    play = DrillPlay(small_drill())
    prices, hints = [], []
    for _ in range(3):
        prices.append(play.hint_price)
        hints.append(play.take_hint())

    assert hints == [*play.drill.drill.hints, None]
    assert prices[:2] == [HINT_PRICE, LAST_HINT_PRICE]
    assert (play.hints, [step["do"] for step in steps(play)]) == (2, ["hint", "hint"])


def test_an_exam_gives_no_hints() -> None:
    """None is recorded."""
    play = DrillPlay(exam())

    assert (play.take_hint(), play.hints, steps(play)) == (None, 0, [])


def test_the_last_answer_to_a_question_counts() -> None:
    """Its instant is that of the last one, too."""
    play = DrillPlay(small_drill())
    unanswered = play.answered_ms("cause")
    play.answer("cause", ("nodes",))
    pass_to(play, 5_000)
    play.answer("cause", ("masters",))
    play.answer("fault", ("yes",))

    assert (unanswered, play.answered_ms("cause")) == (None, 5_000)
    assert play.answers == {"cause": ("masters",), "fault": ("yes",)}
    assert steps(play)[0] == {"at_ms": 0, "do": "answer", "question": "cause", "answer": ("nodes",)}


def test_a_pane_is_looked_at_once_until_another_is() -> None:
    """Its name is written with a capital; after the end nothing is recorded."""
    play = DrillPlay(small_drill())
    for pane in ("queues", "queues", "nodes", "queues"):
        play.look(pane)
    pass_to(play, 300_000)
    play.look("events")

    assert [step["pane"] for step in steps(play)] == ["Queues", "Nodes", "Queues"]


def test_what_is_asked_from_another_terminal_counts_while_the_drill_runs() -> None:
    """Neither before the brief was read nor after the end."""
    play = DrillPlay(small_drill())
    play.asked("yarn queue")
    play.has_begun = True
    play.asked("yarn node")
    pass_to(play, 300_000)
    play.asked("yarn application")

    assert [step["pane"] for step in steps(play)] == ["yarn node"]


@pytest.mark.parametrize(
    ("level", "refusal", "recorded"),
    [
        ("guided", "", [("why", "3")]),
        ("normal", "", [("why", "3")]),
        ("on your own", "Why is shut in this drill: you are on your own.", []),
    ],
)
def test_why_is_recorded_where_it_is_answered(level: str, refusal: str, recorded: list[tuple[str, str]]) -> None:
    """On the highest level it is shut."""
    play = DrillPlay(small_drill("minutes = 5", f'minutes = 5\nlevel = "{level}"'))

    assert play.ask_why("3") == refusal
    assert [(step["do"], step["application"]) for step in steps(play)] == recorded


def test_after_the_end_why_is_answered_and_costs_nothing() -> None:
    """Also where it was shut."""
    play = DrillPlay(small_drill("minutes = 5", 'minutes = 5\nlevel = "on your own"'))
    pass_to(play, 300_000)

    assert (play.ask_why("3"), steps(play)) == ("", [])


def test_what_the_trainee_expects_is_recorded_before_the_debrief() -> None:
    """Not after it."""
    play = DrillPlay(small_drill())
    play.assess(80)
    _ = play.finish()
    play.assess(90)

    assert [(step["do"], step["points"]) for step in steps(play)] == [("assess", 80)]


async def test_an_act_can_be_written() -> None:
    """Done it is in the record; refused it says why, and a step that is no act is none."""
    play = DrillPlay(small_drill())
    pass_to(play, 1_000)

    assert await play.act("drain node=n2") == ""
    assert "n9" in await play.act("drain node=n9")
    assert await play.act("hint") == "hint is no act"
    assert "sing" in await play.act("sing")
    assert [(step["at_ms"], step["do"]) for step in steps(play)] == [(1_000, "drain")]


def test_messages_and_pages_stand_in_the_order_they_came() -> None:
    """A page of an exam comes at its instant; reading them is recorded once for each that is new."""
    play = DrillPlay(exam())
    pass_to(play, 59_999)
    message = play.receive("Ann", "Hurry.")
    before = play.read_messages()
    pass_to(play, 60_000)
    page = MessageStep(at_ms=60_000, do="message", sender="ines", words="it is late")
    after, unread = play.messages, list(play.unread)
    again = [play.read_messages(), play.read_messages()]

    assert (before, after, again) == ((message,), (message, page), [(message, page)] * 2)
    assert (unread, play.read) == ([], 2)
    assert [step["do"] for step in steps(play)] == ["message", "observe", "observe"]
    assert steps(play)[1]["pane"] == "Pages"


def test_a_practice_has_no_pages() -> None:
    """Those of the exam are not sent."""
    play = DrillPlay(small_drill("[[drill.forbidden]]", _PAGE + "[[drill.forbidden]]"))
    pass_to(play, 100_000)

    assert play.messages == ()


_PAGE = '[[drill.exam.pages]]\nat = 60\nsender = "ines"\nwords = "it is late"\n'


def test_a_message_has_words() -> None:
    """Up to two thousand letters; nothing is recorded of another one."""
    play = DrillPlay(small_drill())
    _ = play.receive(SENDER, "x" * 2000)
    for words in ("", "x" * 2001):
        with pytest.raises(ValidationError):
            _ = play.receive(SENDER, words)

    assert [len(one.words) for one in play.unread] == [2000]


async def test_going_back_keeps_what_was_done_by_then() -> None:
    """At that very instant, too; a pane that is looked at again is recorded again."""
    play = DrillPlay(small_drill())
    pass_to(play, 10_000)
    play.look("queues")
    _ = play.take_hint()
    play.answer("fault", ("yes",))
    pass_to(play, 20_000)
    play.answer("fault", ("no",))
    refusal = await play.go_back(10_000)
    play.look("queues")
    ahead = await play.go_back(20_001)

    assert (refusal, play.now_ms, play.hints, play.answers) == ("", 10_000, 1, {"fault": ("yes",)})
    assert "has not come yet" in ahead
    assert [(step["at_ms"], step["do"]) for step in steps(play)][3:] == [
        (20_000, "answer"), (10_000, "backtrack"), (10_000, "observe"),
    ]  # fmt: skip
    assert steps(play)[4]["from_ms"] == 20_000


def test_the_end_is_told_once() -> None:
    """First that the record closes, then that the debrief is there; both see the drill as it is then."""
    play = DrillPlay(small_drill())
    told: list[tuple[str, bool]] = []
    play.before_end = lambda: told.append(("before", play.debrief is not None))
    play.on_end = lambda: told.append(("after", play.debrief is not None))
    first, second = play.finish(), play.finish()

    assert (told, first is second) == ([("before", False), ("after", True)], True)


def test_what_would_have_been_is_known_after_the_end() -> None:
    """Of an instant of the exercise; before the end nothing is."""
    play = DrillPlay(small_drill())
    before = play.what_ifs(0)
    pass_to(play, 10_000)
    assert not now(play.session.acts.do(DrainNode("n2"))).refusal
    _ = play.finish()

    assert (before, len(play.what_ifs(0)) > 0) == ((), True)


def test_a_history_keeps_the_exercise_with_its_steps() -> None:
    """As lines that can be played again, when it was, and its seed."""
    play = DrillPlay(small_drill())
    play.answer("cause", ("masters",))
    kept = play.kept("2024-03-04", 7)

    assert (kept.when, kept.seed, kept.is_exam) == ("2024-03-04", 7, False)
    assert kept.steps == ('{"at": "0ms", "do": "answer", "question": "cause", "answer": ["masters"]}',)


def test_on_their_own_a_trainee_is_told_of_no_alert() -> None:
    """Nothing is found, and nothing is left to find."""
    alone = DrillPlay(small_drill("minutes = 5", 'minutes = 5\nlevel = "on your own"')).session.driver
    helped = DrillPlay(small_drill()).session.driver

    assert isinstance(alone.alerts, NoAlerts)
    assert not isinstance(helped.alerts, NoAlerts)
    assert (alone.alerts.look(alone.run.simulation), alone.alerts.idle(alone.run.simulation)) == ([], True)


def test_the_reference_is_shown_step_by_step() -> None:
    """Each step once, at its instant, with its acts done; it is over with the last."""
    par = ParReplay(small_drill())
    driver, begins_ms = par.session.driver, 300_000
    shown = []
    for at_ms in (9_999, 10_000, 29_999, 30_000, 40_000):
        driver.run.advance(begins_ms + at_ms)
        shown.append(([step.do for step in par.due()], par.is_over))

    assert (driver.state.speed, REPLAY_SPEED) == (5.0, 5.0)
    assert shown == [
        ([], False), (["answer"], False), (["answer"], False), (["queue-setting"], True), ([], True),
    ]  # fmt: skip
    driver.run.advance(begins_ms + 60_000)
    assert driver.run.snapshot().header.applications_pending == 0
