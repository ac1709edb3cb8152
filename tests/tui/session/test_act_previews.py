"""Acts of a session: what they would change, what refuses them, and what is offered after a submission."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.formats.scenario_toml import loads
from engine.run.player import Run
from engine.scenario.acts import Act, KillApplication, SetQueueSetting, SetReservationRule
from tests.tui.small_run import now, small_session
from tui.protocol.picture import DONE, ActPreview
from tui.session.session import SessionActs, preview
from tui.session.time_travel import NOT_HERE

TWO = """
duration = "10m"
scheduler = "fair-2.7"
[cluster]
groups = [{ count = 2, prefix = "n", memory = "8g", vcores = 8 }]
[[queues]]
name = "a"
[[queues]]
name = "b"
[[workload]]
type = "service"
user = "ann"
queue = "root.a"
am = "unmanaged"
instances = 9
instance = { memory = "1g" }
[[workload]]
type = "service"
user = "ann"
queue = "root.b"
am = "unmanaged"
instances = 9
instance = { memory = "1g" }
"""


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (SetQueueSetting("root.nowhere", "weight", "3"), "root.nowhere"),
        (SetQueueSetting("root.a", "weight", "much"), "much"),
        (KillApplication(99), "99"),
    ],
)
def test_what_is_refused_is_refused_beforehand(act: Act, words: str) -> None:
    run = Run(loads(TWO, "x"))
    run.advance(10_000)
    found = preview(run.simulation, act)

    assert (words in found.refusal, found.shares) == (True, ())


def test_in_the_past_nothing_is_tried_or_done() -> None:
    session, run, _ = small_session()
    run.advance(10_000)
    session.travel("+5")
    entered = []

    @contextmanager
    def aside() -> Iterator[None]:
        entered.append("in")
        yield
        entered.append("out")

    visitor = SessionActs(session.driver, session.session.presets, aside)
    assert session.try_(SetReservationRule("off")) == ActPreview(refusal=NOT_HERE)
    assert session.do(SetReservationRule("off")) == NOT_HERE
    assert run.simulation.acts == []
    assert now(visitor.do(SetReservationRule("off"))) == DONE
    assert now(visitor.try_(SetReservationRule("off"))).refusal == ""
    assert (entered, len(run.simulation.acts)) == (["in", "out"], 1)
