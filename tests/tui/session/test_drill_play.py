"""A drill as it is played: its clock, hints, answers, looks and messages, and what is recorded of them."""

from typing import Any

import pytest

from engine.training.score import HINT_PRICE, LAST_HINT_PRICE
from tests.engine.training.small_drill import small_drill
from tests.engine.training.test_exam import exam
from tui.session.drill import REPLAY_SPEED, DrillPlay, ParReplay


def pass_to(play: DrillPlay, at_ms: int) -> None:
    driver = play.session.driver
    driver.travel.timeline.timed(lambda: driver.run.advance(play.drill.drill.begins_ms + at_ms))


def steps(play: DrillPlay) -> list[dict[str, Any]]:
    return [step.model_dump() for step in play.recorder.steps]


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
    play = DrillPlay(exam())

    assert (play.take_hint(), play.hints, steps(play)) == (None, 0, [])


def test_the_last_answer_to_a_question_counts() -> None:
    play = DrillPlay(small_drill())
    unanswered = play.answered_ms("cause")
    play.answer("cause", ("nodes",))
    pass_to(play, 5_000)
    play.answer("cause", ("masters",))
    play.answer("fault", ("yes",))

    assert (unanswered, play.answered_ms("cause")) == (None, 5_000)
    assert play.answers == {"cause": ("masters",), "fault": ("yes",)}
    assert steps(play)[0] == {"at_ms": 0, "do": "answer", "question": "cause", "answer": ("nodes",)}


@pytest.mark.parametrize(
    ("level", "refusal", "recorded"),
    [
        ("guided", "", [("why", "3")]),
        ("normal", "", [("why", "3")]),
        ("on your own", "Why is shut in this drill: you are on your own.", []),
    ],
)
def test_why_is_recorded_where_it_is_answered(level: str, refusal: str, recorded: list[tuple[str, str]]) -> None:
    play = DrillPlay(small_drill("minutes = 5", f'minutes = 5\nlevel = "{level}"'))

    assert play.ask_why("3") == refusal
    assert [(step["do"], step["application"]) for step in steps(play)] == recorded


def test_after_the_end_why_is_answered_and_costs_nothing() -> None:
    play = DrillPlay(small_drill("minutes = 5", 'minutes = 5\nlevel = "on your own"'))
    pass_to(play, 300_000)

    assert (play.ask_why("3"), steps(play)) == ("", [])


def test_what_the_trainee_expects_is_recorded_before_the_debrief() -> None:
    play = DrillPlay(small_drill())
    play.assess(80)
    _ = play.finish()
    play.assess(90)

    assert [(step["do"], step["points"]) for step in steps(play)] == [("assess", 80)]


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
