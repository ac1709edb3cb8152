"""Playing scenarios: the script is followed, expectations are judged, and a run can be stopped."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from engine.errors import ConfigError, RefusedError
from engine.formats.scenario_toml import loads
from engine.model.decision import Allocated, Killed, Reserved, Unreserved
from engine.observe.snapshot import UNKNOWN, Amounts, AskRow
from engine.run import Outcome, Result, Run, play
from engine.run.expectations import Measured, Watches, describe, find_application, holds, measure
from engine.run.player import finders_in
from engine.scenario import Expectation, Scenario, acts
from engine.scenario.acts import resolved
from engine.simulation.records import Acted, Record, Submitted
from tests.engine.run.pictures import application, picture

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
    small = scenario(
        '[[script]]\ndo = "preemption"\nat = 1.5\non = true\n'
        '[[expectations]]\nof = "decisions"\nwhat = "allocated"\nat = 1.5\nequals = 1\n'
        '[[expectations]]\nof = "cluster"\nwhat = "containers"\nat = 1.5\nequals = 1\n'
    )
    assert [result.verdict for result in play(small).results] == ["met", "met"]
    assert [play(small, until_ms).verdict for until_ms in (1_499, 1_500)] == ["open", "met"]


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
    assert (outcome.ok, outcome.verdict) == (False, "failed")


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
    assert resolved(named, finders_in(picture())) == meant


@pytest.mark.parametrize("named", [acts.KillApplication("99"), acts.KillContainer("7_x"), acts.LoseMaster("99")])
def test_a_name_that_is_not_there_is_refused(named: acts.Act) -> None:
    with pytest.raises(RefusedError):
        resolved(named, finders_in(picture()))


# Expectations watched over time: when they are met, when they fail, and in which words.


START = 1_000_000


def watch(**fields: object) -> Watches:
    """Watches of one expectation; a bare number of seconds is a time."""
    return Watches([Expectation.model_validate(fields)], START)


CONTAINERS = {"of": "cluster", "what": "containers"}


def counted(records: Sequence[tuple[int, Record]], **fields: object) -> Result:
    """The result of counting records [ms after the start] by an expectation of decisions."""
    watches = watch(of="decisions", **fields)
    for time_ms, record in records:
        watches.on_records(START + time_ms, [record])
        watches.judge(time_ms, picture())
    for time_ms in watches.bounds():
        watches.judge(time_ms, picture())
    return watches.results()[0]


GIVEN = Allocated((12, 1, 3), "n1:8041", 1, 1024, 1)
OTHER = Allocated((7, 1, 3), "n2:8041", 1, 1024, 1)


def test_a_count_that_has_passed_its_maximum_fails_at_once() -> None:
    result = counted([(1000, GIVEN), (2000, GIVEN)], what="allocated", until=9, at_most=1)
    assert (result.verdict, result.time_ms, result.value) == ("failed", 2000, 2)


@pytest.mark.parametrize(
    ("which", "count"),
    [
        ({"application": "12"}, 1),
        ({"application": "application_7_0012"}, 1),
        ({"application": "weekly"}, 1),
        ({"node": "n2"}, 1),
        ({"node": "n1:8041"}, 1),
        ({"node": "n3"}, 0),
        ({}, 2),
    ],
)
def test_decisions_may_be_narrowed_down(which: dict[str, str], count: int) -> None:
    records: list[tuple[int, Record]] = [(1, Submitted(12, "weekly", "u", "prod", "SPARK")), (2, GIVEN), (2, OTHER)]
    assert counted(records, what="allocated", until=1, equals=count, **which).verdict == "met"


@pytest.mark.parametrize(
    ("what", "record"),
    [
        ("reserved", Reserved((1, 1, 2), "n1:8041", 1, 1024, 1)),
        ("unreserved", Unreserved((1, 1, 2), "n1:8041", 1, 1024, 1)),
        ("preempted", Killed((1, 1, 2), "n1:8041", "PREEMPTED")),
        ("killed", Killed((1, 1, 2), "n1:8041", "LOST")),
        ("submitted", Submitted(1, "a", "u", "prod", "SPARK")),
        ("rejected", Submitted(0, "a", "u", "prod", "SPARK", rejected="APP_REJECTED")),
    ],
)
def test_each_kind_of_decision_is_counted(what: str, record: Record) -> None:
    assert counted([(1, record), (1, GIVEN)], what=what, until=1, equals=1).verdict == "met"


def test_a_failure_says_what_came_instead() -> None:
    watches = watch(**CONTAINERS, at=5, at_least=5)
    watches.judge(5000, picture())
    assert watches.results()[0].sentence == "cluster containers at least 5; it was 4"


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ({"of": "queue", "queue": "gone", "what": "demand_mb"}, "queue gone demand_mb = 0; there was no queue gone"),
        ({"of": "cluster", "what": "used_cores"}, "cluster used_cores = 0; this cluster has no used_cores"),
    ],
)
def test_a_failure_says_when_there_was_nothing(measured: dict[str, str], words: str) -> None:
    watches = watch(**measured, at=0, equals=0)
    watches.judge(0, picture())
    assert watches.results()[0].sentence == words


def test_an_expectation_is_described_in_words() -> None:
    one = Expectation(at_ms=0, of="reservations", application="12", what="nodes", equals=("n1", "n2"))
    assert describe(one) == "reservations application 12 nodes = n1, n2"
    assert describe(one.model_copy(update={"equals": ()})).endswith("= none")


# Conditions of expectations: what meets them, when they are looked at, and their words.

CLUSTER = {"of": "cluster", "what": "containers"}


def one(**fields: Any) -> Expectation:
    """An expectation of the cluster's containers at the start, but for what is given."""
    return Expectation.model_validate(
        {**CLUSTER, **({} if "until" in fields or "within" in fields else {"at": 0}), **fields}
    )


@pytest.mark.parametrize(
    ("condition", "value", "is_met"),
    [
        ({"equals": 3}, 3, True),
        ({"equals": 3}, 4, False),
        ({"equals": 0}, 0, True),
        ({"equals": 3}, None, False),
        ({"equals": "RUNNING"}, "RUNNING", True),
        ({"equals": "RUNNING"}, "LOST", False),
        ({"equals": ("b", "a")}, ("a", "b"), True),
        ({"equals": ("a",)}, ("a", "b"), False),
        ({"equals": ()}, (), True),
        ({"at_least": 3}, 2, False),
        ({"at_least": 3}, 3, True),
        ({"at_least": 3}, 4, True),
        ({"at_most": 3}, 2, True),
        ({"at_most": 3}, 3, True),
        ({"at_most": 3}, 4, False),
        ({"at_least": 2, "at_most": 3}, 1, False),
        ({"at_least": 2, "at_most": 3}, 2, True),
        ({"at_least": 2, "at_most": 3}, 3, True),
        ({"at_least": 2, "at_most": 3}, 4, False),
        ({"at_most": 0.5}, 0.5, True),
        ({"at_least": 0}, None, False),
        ({"at_least": 0}, "RUNNING", False),
        ({"at_most": 1}, ("a",), False),
    ],
)
def test_a_value_meets_a_condition(condition: dict[str, object], value: Measured, is_met: bool) -> None:
    assert holds(one(**condition), value) == is_met


# What measures are worth in a picture of a cluster.

SUBJECTS = {"queue": {"queue": "prod"}, "node": {"node": "n1"}, "application": {"application": "12"}}

SLOTS = ("slots_share", "wrong_kind_slots")


def of(subject: str, what: str, **which: str) -> object:
    fields = {"of": subject, "what": what, "at": 0, "equals": 0, **which}
    return measure(Expectation.model_validate(fields), picture())


@pytest.mark.parametrize(
    ("subject", "what", "value"),
    [
        ("cluster", "used_memory_mb", 4096),
        ("cluster", "used_vcores", 2),
        ("cluster", "used_cores", None),
        ("cluster", "used_map_slots", None),
        ("cluster", "memory_share", 0.5),
        ("cluster", "vcores_share", 0.25),
        ("cluster", "reserved_memory_mb", 3072),
        ("cluster", "nodes", 2),
        ("cluster", "nodes_reserved", 2),
        ("cluster", "containers", 4),
        ("queue", "used_memory_mb", 2048),
        ("queue", "used_vcores", 4),
        ("queue", "memory_share", 0.25),
        ("queue", "vcores_share", 0.5),
        ("queue", "fair_share_mb", 4096),
        ("queue", "steady_share_mb", None),
        ("queue", "demand_mb", 3072),
        ("queue", "applications_running", 2),
        ("queue", "applications_pending", 1),
        ("node", "used_memory_mb", 3072),
        ("node", "used_vcores", 3),
        ("node", "used_cores", None),
        ("node", "free_memory_mb", 1024),
        ("node", "containers", 3),
        ("node", "reserved_by", "0012"),
        ("node", "state", "RUNNING"),
        ("application", "state", "RUNNING"),
        ("application", "queue", "root.prod"),
        ("application", "used_memory_mb", 1024),
        ("application", "used_vcores", 3),
        ("application", "memory_share", 0.125),
        ("application", "vcores_share", 0.375),
        ("application", "refusal", ""),
        ("application", "containers", 1),
        ("application", "reservations", 2),
        ("application", "pending_containers", 3),
        ("application", "jobs_done", None),
        ("application", "idle_containers", None),
        ("applications", "count", 4),
        ("reservations", "count", 2),
        ("reservations", "nodes", ("n1", "n2")),
        ("reservations", "memory_mb", 3072),
    ],
)
def test_a_measure_reads_the_picture(subject: str, what: str, value: object) -> None:
    """Memory is MB, shares are of the cluster, what the source cannot tell is None."""
    assert of(subject, what, **SUBJECTS.get(subject, {})) == value


@pytest.mark.parametrize("which", [{"queue": "nowhere"}, {"node": "n9"}, {"application": "99"}])
def test_what_is_not_there_has_no_value(which: dict[str, str]) -> None:
    (subject,) = which
    assert of(subject, "used_memory_mb", **which) is None


def test_a_source_that_cannot_tell_has_no_value() -> None:
    unknown = Expectation(at_ms=0, of="cluster", what="nodes_reserved", equals=0)
    share = Expectation(at_ms=0, of="cluster", what="memory_share", equals=0)
    assert measure(unknown, picture(reserved=UNKNOWN)) is None
    assert measure(share, picture(total=(0, 0))) is None


@pytest.mark.parametrize(
    ("name", "number"),
    [("application_7_0112", 112), ("112", 112), ("0012", 12), ("12", 12), ("weekly", 12), ("2", 2), ("99", None)],
)
def test_an_application_is_found_by_id_end_of_its_number_or_name(name: str, number: int | None) -> None:
    """The whole number wins over the end of another; a live one over one that has ended."""
    row = find_application(picture().applications(), name)
    assert (row.number if row else None) == number


@pytest.mark.parametrize(
    ("used", "size", "share", "idle"),
    [((8, 2), (1, 0), 0.625, 6), ((8, 2), (0, 1), 0.625, 0), ((7, 8), (0, 1), 15 / 16, 1), ((8, 8), (1, 0), 1.0, 0)],
)
def test_slots_of_the_wrong_kind_are_idle_ones_that_waiting_tasks_cannot_use(
    used: Amounts, size: Amounts, share: float, idle: int
) -> None:
    """They count only while every slot of the kind that is waited for is taken."""
    whole, waiting = picture(total=(8, 8)), replace(application(1), asks=(AskRow(0, 3, size),))
    header = replace(whole.header, dimensions=("map_slots", "reduce_slots"), used=used)
    slots = whole.with_section(header, "applications", [waiting], 2)
    measured = [Expectation.model_validate({"of": "cluster", "what": what, "at": 0, "equals": 0}) for what in SLOTS]

    assert [measure(one, slots) for one in measured] == [share, idle]


@pytest.mark.parametrize("queue", ["prod", "root.prod"])
def test_a_queue_is_found_with_and_without_root(queue: str) -> None:
    assert of("queue", "used_vcores", queue=queue) == 4
    assert of("applications", "count", queue=queue) == of("applications", "count", queue="root.prod") == 3
