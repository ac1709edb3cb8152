"""Acts of a session: what they would change, what refuses them, and what is offered after a submission."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.formats.scenario_toml import load, loads
from engine.run.player import Run
from engine.scenario.acts import Act, KillApplication, SetQueueSetting, SetReservationRule
from tests.tui.small_run import now, small_session
from tui.form import MOST_CONTAINERS
from tui.picture import DONE, ActPreview, ShareChange
from tui.screens.submit import FIELDS
from tui.session.acts import SETTLE_MS, SessionActs, preview
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


def shares(run: Run, act: Act) -> list[tuple[str, int, int, str]]:
    """What would change."""
    found = preview(run.simulation, act)
    assert found.refusal == ""
    return [(one.queue, one.before_mb, one.after_mb, one.what) for one in found.shares]


def test_fair_shares_are_told_as_they_settle() -> None:
    """They are computed twice a second; the run itself stays as it is."""
    run = Run(loads(TWO, "x"))
    run.advance(10_000)
    before = run.simulation.world.clock.position
    found = shares(run, SetQueueSetting("root.a", "weight", "3"))

    assert [each for each in found if each[0] != "root.default"] == [
        ("root", 16_384, 16_384, "fair share"),
        ("root.a", 8_192, 12_288, "fair share"),
        ("root.b", 8_192, 4_096, "fair share"),
    ]
    assert (run.simulation.world.clock.position, run.simulation.acts, SETTLE_MS) == (before, [], 1000)


def test_limits_of_capacity_scheduler_follow_at_once() -> None:
    """Of the queue and of those below it: 75 and 80 % of 100 GB."""
    run = Run(load("prod-dev-capacity"))
    run.advance(1_000)
    found = shares(run, SetQueueSetting("root.dev", "maximum-capacity", "80"))

    assert [each for each in found if each[1] != each[2]] == [
        (queue, 76_800, 81_920, "maximum") for queue in ("root.dev", "root.dev.eng", "root.dev.science")
    ]
    assert [what for path, _, _, what in found if path == "root.prod"] == [
        "guaranteed", "maximum", "user limit", "AM limit",
    ]  # fmt: skip


def test_of_slots_no_shares_are_told() -> None:
    """A JobTracker has no memory to share."""
    run = Run(load("mr1-job-tracker-restart"))
    run.advance(1_000)

    assert preview(run.simulation, KillApplication(99)).shares == ()


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (SetQueueSetting("root.nowhere", "weight", "3"), "root.nowhere"),
        (SetQueueSetting("root.a", "weight", "much"), "much"),
        (KillApplication(99), "99"),
    ],
)
def test_what_is_refused_is_refused_beforehand(act: Act, words: str) -> None:
    """In the words of the act itself; no shares are told."""
    run = Run(loads(TWO, "x"))
    run.advance(10_000)
    found = preview(run.simulation, act)

    assert (words in found.refusal, found.shares) == (True, ())


def test_names_are_looked_up_before_an_act_is_tried() -> None:
    """A queue by the name that commands use, an application by its name."""
    session, run, _ = small_session()
    run.advance(10_000)
    tried = session.try_(KillApplication("holder"))
    unknown = session.try_(KillApplication("nobody"))

    assert isinstance(tried, ActPreview)
    assert (tried.refusal, "nobody" in unknown.refusal, len(run.simulation.acts)) == ("", True, 0)
    assert tried.shares[0] == ShareChange("root", tried.shares[0].before_mb, tried.shares[0].after_mb, "fair share")


def test_in_the_past_nothing_is_tried_or_done() -> None:
    """Except by a visitor, whose acts go to the present."""
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


def test_an_act_on_what_is_not_there_is_told_and_not_kept() -> None:
    """By the name that was given."""
    session, run, _ = small_session()
    run.advance(10_000)

    assert "nobody" in session.do(KillApplication("nobody"))
    assert run.simulation.acts == []


def test_a_form_is_submitted_and_offered_again() -> None:
    """With every mistake at once where there are some."""
    session, run, _ = small_session()
    form = {field.name: field.value for field in FIELDS}
    wrong = session.submit({**form, "user": "", "containers": str(MOST_CONTAINERS + 1)})
    before = len(run.simulation.acts)
    right = session.submit({**form, "name": "mine"})

    assert (wrong, before) == (["user: nothing is given", "containers: 100001 is more than 100000"], 0)
    assert (right, len(run.simulation.acts)) == ([], 1)
    assert session.picture().presets[0].fields["name"] == "mine"
