"""The instructor's seat: what is done there happens in the trainee's run and is in its record."""

from typing import Any

import pytest

from engine.scenario.acts import DrainNode, SetHealth, SetQueueSetting
from engine.training.debrief import step_words
from engine.training.exercise import DrillStage
from engine.training.score import HINT_PRICE, LAST_HINT_PRICE, played
from engine.training.steps import SENDER, read_record
from tests.engine.training.small_drill import small_drill
from tests.tui.small_run import now
from tui.protocol.picture import DONE, Notice, WhySubject
from tui.session.drill import REPLAY_SPEED, DrillPlay, NoAlerts, ParReplay
from tui.session.drill_seat import InstructorSession

SICK = SetHealth("n1", healthy=False)


class Seat:
    """A drill that stands at its beginning, its seat, and what the trainee reads; time passes by hand."""

    def __init__(self, **drill: str) -> None:
        self.play = DrillPlay(small_drill(**drill))
        self.seat = InstructorSession(self.play)
        self.driver = self.play.session.driver
        self.read: list[Any] = []
        self.driver._post = self.read.append

    def pass_to(self, at_ms: int) -> None:
        self.driver.travel.timeline.timed(lambda: self.driver.run.advance(self.play.drill.drill.begins_ms + at_ms))

    def do(self) -> list[tuple[int, str]]:
        return [(step.at_ms, step.do) for step in self.play.recorder.steps]

    def notices(self) -> list[str]:
        return [one.words for one in self.read if isinstance(one, Notice)]


def test_an_act_of_the_instructor_is_taken_down_as_injected() -> None:
    """Also while the trainee looks at the past; the trainee's own is an act."""
    one = Seat()
    one.pass_to(60_000)
    assert now(one.play.session.clock.travel("+1m")).refusal == ""
    assert now(one.seat.acts.do(SICK)).refusal == ""
    assert now(one.play.session.acts.do(SICK)).refusal != ""
    assert now(one.play.session.clock.travel("live")).refusal == ""
    assert now(one.play.session.acts.do(DrainNode("n2"))).refusal == ""
    setting = now(one.seat.acts.try_(SetQueueSetting("root.default", "capacity", "50")))

    assert one.do() == [(60_000, "inject"), (60_000, "drain")]
    assert isinstance(setting.refusal, str)


def test_a_message_waits_until_it_is_opened() -> None:
    """It stands in the footer at once; who it is from may be left out."""
    one = Seat()
    assert now(one.seat.send_message("", " Is it back? ")).refusal == ""
    assert now(one.seat.send_message("Ann", "Hurry.")).refusal == ""
    refusal = now(one.seat.send_message("Ann", "  ")).refusal

    assert [(message.sender, message.words) for message in one.play.unread] == [
        (SENDER, "Is it back?"),
        ("Ann", "Hurry."),
    ]
    assert one.play.messages == tuple(one.play.unread)
    assert one.notices() == [f"Message from {SENDER}: Is it back?", "Message from Ann: Hurry."]
    assert refusal == "A message has between 1 and 2000 characters."
    assert one.do() == [(0, "message"), (0, "message")]


def test_a_frozen_clock_stands_whatever_the_trainee_presses() -> None:
    """Pause and steps say who stopped it; asking twice for the same changes nothing."""
    one = Seat()
    one.driver.set(paused=False)
    for _ in range(2):
        assert now(one.seat.freeze(on=True)).refusal == ""
    stood = one.driver.is_clock_stopped()
    now(one.play.session.clock.toggle_pause())
    for unit in ("second", "event", "decision"):
        now(one.play.session.clock.step(unit))
    at_ms = one.play.now_ms
    assert now(one.seat.freeze(on=False)).refusal == ""

    assert (stood, at_ms, one.driver.is_clock_stopped()) == (True, 0, False)
    assert one.notices().count("Clock paused: the instructor stopped it.") == 4
    assert one.do() == [(0, "freeze"), (0, "freeze")]


def test_going_back_takes_back_what_was_done_since() -> None:
    """Acts, answers and hints; the run goes on from there, is taken down on, and the alerts keep their kind."""
    one = Seat(old="minutes = 5", new='minutes = 5\nlevel = "on your own"')
    one.driver.set(paused=False)
    one.pass_to(30_000)
    one.play.answer("fault", ("yes",))
    one.pass_to(60_000)
    assert now(one.seat.acts.do(SICK)).refusal == ""
    one.play.answer("cause", ("nodes",))
    _ = one.play.take_hint()
    one.pass_to(90_000)
    assert now(one.seat.backtrack(45_000)).refusal == ""
    back = (one.play.now_ms, one.play.answers, one.play.hints, one.driver.state.paused)
    one.pass_to(50_000)
    assert now(one.play.session.acts.do(DrainNode("n2"))).refusal == ""

    assert back == (45_000, {"fault": ("yes",)}, 0, False)
    assert one.do() == [
        (30_000, "answer"),
        (60_000, "inject"),
        (60_000, "answer"),
        (60_000, "hint"),
        (45_000, "backtrack"),
        (50_000, "drain"),
    ]
    assert isinstance(one.driver.alerts, NoAlerts)
    assert one.notices()[-1] == "The instructor went back to +0m45s; the drill goes on from there."


@pytest.mark.parametrize("to_ms", [0, 59_999])
def test_there_is_something_to_go_back_to_between_both_ends(to_ms: int) -> None:
    one = Seat()
    one.pass_to(60_000)

    assert now(one.seat.backtrack(to_ms)) == DONE
    assert one.play.now_ms == to_ms


def test_what_was_played_is_what_is_scored() -> None:
    """The cluster at the end of the run is the same as when its record is played again, also after going back."""
    one = Seat()
    one.pass_to(40_000)
    assert now(one.seat.acts.do(DrainNode("n2"))).refusal == ""
    one.pass_to(80_000)
    assert now(one.seat.backtrack(20_000)).refusal == ""
    one.pass_to(60_000)
    assert now(one.seat.acts.do(SICK)).refusal == ""
    one.pass_to(one.play.drill.drill.lasts_ms)
    live = one.driver.run.snapshot()
    debrief = one.play.finish()
    kept = one.play.kept("now", None)
    again = played(DrillStage(one.play.drill), one.play.recorder.steps)

    assert [row.cluster for row in debrief.rows if row.sign == "I"] == [
        "instructor: back to here from +1m20s",
        "instructor: health n1 off",
    ]
    assert [step.do for step in read_record(kept.steps, one.play.drill.begins)] == ["inject", "backtrack", "inject"]
    assert live.header.nodes_down == 1
    assert again.snapshot().header == live.header


def test_the_trainee_reads_who_comes_and_goes() -> None:
    one = Seat()
    one.driver.set(paused=False)
    for role, is_there in (("reader", True), ("instructor", True)):
        one.seat.met(role, is_there)
    _ = now(one.seat.freeze(on=True))
    one.seat.met("reader", False)
    still = one.driver.is_clock_stopped()
    one.seat.met("instructor", False)

    assert (still, one.driver.is_clock_stopped()) == (True, False)
    assert one.notices() == [
        "Another screen looks on.",
        "The instructor has taken the seat.",
        "The instructor has stopped the clock.",
        "The other screen looks on no longer.",
        "The instructor is gone; the drill goes on.",
    ]


# A drill as it is played: its clock, hints, answers, looks and messages, and what is recorded of them.


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
        ("guided", "", ["ask why 0003 waits", "ask what waits at root.a", "ask what starts all that wait"]),
        ("normal", "", ["ask why 0003 waits", "ask what waits at root.a", "ask what starts all that wait"]),
        ("on your own", "Why is shut in this drill: you are on your own.", []),
    ],
)
def test_why_is_recorded_where_it_is_answered(level: str, refusal: str, recorded: list[str]) -> None:
    play = DrillPlay(small_drill("minutes = 5", f'minutes = 5\nlevel = "{level}"'))

    for subject in (("application", "3"), ("queue", "root.a"), ("cluster", "")):
        assert play.ask_why(WhySubject(*subject)) == refusal
    assert [step_words(step) for step in play.recorder.steps] == recorded


def test_what_the_trainee_expects_is_recorded_before_the_debrief() -> None:
    play = DrillPlay(small_drill())
    play.assess(80)
    _ = play.finish()
    play.assess(90)

    assert [(step["do"], step["points"]) for step in steps(play)] == [("assess", 80)]


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
