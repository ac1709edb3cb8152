"""A small real run, with a wall clock that is moved by hand; nothing sleeps."""

import inspect
from collections.abc import Coroutine
from typing import Any, TypeVar

from engine.formats.scenario_toml import loads
from engine.run import Run
from engine.scenario import Scenario
from tui.protocol.picture import ActResult, WhySubject
from tui.session.alert_monitor import EventLog
from tui.session.opening import open_session
from tui.session.session import QuestionWork, Session

SMALL = """
name = "small"
start = 2017-11-11T08:30:00+08:00
duration = "10m"
seed = 4

[cluster]
groups = [{ count = 2, prefix = "n", memory_mb = 4096, vcores = 4 }]

[[workload]]
type = "scripted"
name = "holder"
user = "eve"
number = 7
at = "5s"
asks = [{ memory_mb = 1024, count = 2 }]

[[script]]
at = "30s"
do = "kill"
application = "holder"
"""


class Wall:
    """A wall clock that only moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def small_scenario() -> Scenario:
    """Two nodes and one application, which is killed at 30 s."""
    return loads(SMALL, "small.toml")


Answer = TypeVar("Answer")


def now(work: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer of something that never waits in this process."""
    try:
        work.send(None)
    except StopIteration as done:
        answer: Answer = done.value
        return answer
    raise AssertionError("it waits for something")


class ByHand:
    """A session whose methods of all protocols and of the driver are called without an event loop.

    What came of an act is told in words; of `submit` as a list of problems. Only `close` waits.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.pictures, self.clock, self.acts, self.questions = (
            session.pictures,
            session.clock,
            session.acts,
            session.questions,
        )
        self.driver, self.keeping = session.driver, session.keeping

    def __getattr__(self, name: str) -> Any:
        parts = (self.pictures, self.clock, self.acts, self.questions, self.driver)
        found = next(getattr(part, name) for part in parts if hasattr(part, name))
        if name == "close" or not inspect.iscoroutinefunction(found):
            return found

        def answered(*args: Any, **options: Any) -> Any:
            answer = now(found(*args, **options))
            if isinstance(answer, ActResult):
                return list(answer.problems) if name == "submit" else answer.refusal
            return answer

        return answered

    def why(self, subject: WhySubject) -> QuestionWork:
        """Ask; the work on it is done by hand, too."""
        return self.questions._open[now(self.questions.ask(subject)).number]


def by_hand(name: str, **options: Any) -> ByHand:
    """A session on a packaged scenario, or a file."""
    return ByHand(open_session(name, **options))


def small_session(**options: Any) -> tuple[ByHand, Run, Wall]:
    """A session on it, its run, and the wall clock."""
    wall, log = Wall(), EventLog()
    run = Run(small_scenario(), [log])
    return ByHand(Session(run, log, wall=wall, **options)), run, wall


def play(session: ByHand, wall: Wall, seconds: float) -> None:
    """Let wall time pass in slices of 1/64 s."""
    for _ in range(round(seconds * 64)):
        wall.now += 1 / 64
        session.slice()
