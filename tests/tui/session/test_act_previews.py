"""Acts of a session: what they would change, what refuses them, and what is offered after a submission."""

import pytest

from engine.formats.scenario_toml import loads
from engine.run.player import Run
from engine.scenario.acts import Act, KillApplication, SetQueueSetting
from tui.session.session import preview

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
