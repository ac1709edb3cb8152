"""Playing scenarios: the script is followed, expectations are judged, and a run can be stopped."""

from collections.abc import Sequence

import pytest

from engine.errors import ConfigError, RefusedError
from engine.formats.scenario_toml import loads
from engine.run import Outcome, Run, play
from engine.run.player import finders_in
from engine.scenario import Scenario, acts
from engine.scenario.acts import resolved
from engine.simulation.records import Acted, Record
from tests.engine.run.pictures import Picture

BASE = """
start = 2024-03-04T09:00:00Z
duration = "1m"
[cluster]
nodes = [{host = "n1", memory = "4g", vcores = 4, phase = 0.5}, {host = "n2", memory = "4g", vcores = 4, phase = 0.6}]
[[workload]]
type = "scripted"
name = "one"
user = "u"
queue = "a"
am = "unmanaged"
asks = [{memory = "1g", count = 2}]
"""


def scenario(more: str = "") -> Scenario:
    return loads(BASE + more, "small.toml")


class Diary:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.acted: list[tuple[int, object]] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.acted += [(time_ms, record.action) for record in records if isinstance(record, Acted)]


def played(more: str) -> tuple[Outcome, Diary]:
    """The outcome of the small scenario with more at its end."""
    diary = Diary()
    return play(scenario(more), listeners=[diary]), diary


def test_the_script_acts_at_its_instants_in_its_order() -> None:
    outcome, diary = played(
        '[[script]]\ndo = "kill"\nat = 30\napplication = "one"\n'
        '[[script]]\ndo = "preemption"\nat = 20\non = true\n'
        '[[script]]\ndo = "reservation-rule"\nat = 20\nrule = "off"\n'
    )
    start_ms = scenario().start_ms
    assert diary.acted == [
        (start_ms + 20_000, acts.SetPreemption(on=True)),
        (start_ms + 20_000, acts.SetReservationRule("off")),
        (start_ms + 30_000, acts.KillApplication(1)),
    ]
    assert outcome.mishaps == ()


def test_an_expectation_of_an_instant_sees_all_of_it() -> None:
    """Also where the script acts in it, and a heartbeat comes after the act."""
    outcome, _ = played(
        '[[script]]\ndo = "preemption"\nat = 1.5\non = true\n'
        '[[expectations]]\nof = "decisions"\nwhat = "allocated"\nat = 1.5\nequals = 1\n'
        '[[expectations]]\nof = "cluster"\nwhat = "containers"\nat = 1.5\nequals = 1\n'
    )
    assert [result.verdict for result in outcome.results] == ["met", "met"]


def test_a_step_that_comes_to_nothing_is_told() -> None:
    outcome, _ = played(
        '[[script]]\ndo = "kill"\nat = 30\napplication = "one"\n'
        '[[script]]\ndo = "move"\nat = 40\napplication = "one"\nqueue = "b"\n'
    )
    (mishap,) = outcome.mishaps
    assert (mishap.time_ms, mishap.step) == (40_000, "move")
    assert (outcome.ok, outcome.ended_ms) == (True, 60_000)


def test_a_refused_name_is_told() -> None:
    outcome, _ = played(
        '[[workload]]\ntype = "scripted"\nname = "one"\nuser = "u"\nqueue = "b"\n'
        'am = "unmanaged"\nasks = [{memory = 1}]\n'
        '[[script]]\ndo = "kill"\nat = 30\napplication = "one"\n'
    )
    assert "no application, or more than one," in outcome.mishaps[0].reason


def test_a_failed_expectation_makes_the_outcome_bad() -> None:
    outcome, _ = played(
        '[[expectations]]\nof = "queue"\nqueue = "a"\nwhat = "used_memory_mb"\nuntil = 30\nequals = 0\n'
    )
    (failed,) = outcome.failed
    assert (failed.verdict, failed.time_ms, failed.value) == ("failed", 1500, 1024)
    assert not outcome.ok


def test_shares_are_looked_at_between_records() -> None:
    outcome, _ = played(
        '[[expectations]]\nof = "queue"\nqueue = "a"\nwhat = "fair_share_mb"\nwithin = 2\nequals = 8192\n'
    )
    (result,) = outcome.results
    assert (result.verdict, result.time_ms) == ("met", 500)


def test_a_run_goes_in_pieces_as_in_one_piece() -> None:
    more = (
        '[[script]]\ndo = "kill"\nat = 30\napplication = "one"\n'
        '[[expectations]]\nof = "cluster"\nwhat = "containers"\nuntil = 29\nat_most = 2\n'
    )
    run = Run(scenario(more))
    for to_ms in range(0, 70_000, 777):
        run.advance(to_ms)
    assert run.ended
    assert run.outcome() == play(scenario(more))


def test_settings_the_scheduler_refuses_are_problems() -> None:
    with pytest.raises(ConfigError):
        play(scenario('[settings]\n"yarn.scheduler.minimum-allocation-mb" = "lots"\n'))


# Names in acts mean what the cluster calls so.


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        (acts.KillApplication("112"), acts.KillApplication(112)),
        (acts.KillContainer("container_7_0112_01_000003"), acts.KillContainer((112, 1, 3))),
        (acts.MoveApplication("12", "b"), acts.MoveApplication(12, "b")),
        (acts.SetPriority("12", 4), acts.SetPriority(12, 4)),
        (acts.LoseMaster("112", hangs=True), acts.LoseMaster("112", hangs=True)),
        (acts.LabelNode("n2", "gpu"), acts.LabelNode("n2:8041", "gpu")),
        (acts.DrainNode("n1"), acts.DrainNode("n1:8041")),
        (acts.ReturnNode("n1:8041"), acts.ReturnNode("n1:8041")),
        (acts.ResizeNode("n2", 1, 2), acts.ResizeNode("n2:8041", 1, 2)),
        (acts.SetHealth("n2", healthy=False), acts.SetHealth("n2:8041", healthy=False)),
        (acts.RestartNodeManager("n1", 500), acts.RestartNodeManager("n1:8041", 500)),
        (acts.AddNode("n9:8041", 1024, 2), acts.AddNode("n9:8041", 1024, 2)),
        (acts.KillApplication(7), acts.KillApplication(7)),
        (acts.ReturnNode("n9:8041"), acts.ReturnNode("n9:8041")),
    ],
)
def test_names_become_numbers_and_ids(named: acts.Act, meant: acts.Act) -> None:
    assert resolved(named, finders_in(Picture())) == meant


@pytest.mark.parametrize("named", [acts.KillApplication("99"), acts.KillContainer("7_x"), acts.LoseMaster("99")])
def test_a_name_that_is_not_there_is_refused(named: acts.Act) -> None:
    with pytest.raises(RefusedError):
        resolved(named, finders_in(Picture()))
