"""Alarms of a watched cluster: measures, sentences, remedies, freezes, and alerts of them."""

from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.explain.alert import Alert
from engine.explain.badge_rules import STILL_MS
from engine.live.alarm_rules import MEASURES, Alarm, AlarmHolder, AlarmMonitor, Rule, parse_rules
from engine.live.alarms import ENDED, MOST_ALERTS, Alarms
from engine.live.standstill import AGAIN_MS, LiveFreeze
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, Header, ReservationRow
from tests.engine.live.rows import app, ask, header, node, snapshot

RESERVED = "all nodes reserved"
FULL = header(2, (4, 5), nodes=2, used=(150, 9), total=(200, 20), applications_pending=3)


def at(ms: int, **changes: Any) -> FixedSnapshot:
    """A cluster of which every node is reserved, at an instant, with another header."""
    held = [app(7, ask(60, 1), name="big"), app(8, ask(99, 1), user="bob", queue="root.p")]
    return snapshot(
        msgspec.structs.replace(FULL, time_ms=ms, **changes),
        nodes=[node("a", (50, 5)), node("b", (0, 0))],
        applications=held,
    )


@pytest.mark.parametrize(
    ("measure", "changes", "value"),
    [
        ("containers", {"containers": 4}, 4),
        ("memory_reserved", {"reserved": (6, 7)}, 6),
        ("memory_reserved", {"reserved": UNKNOWN}, None),
        ("memory_used", {"used": (8, 9)}, 8),
        ("memory_used_percent", {"used": (3, 9), "total": (8, 10)}, 37.5),
        ("memory_used_percent", {"used": (0, 0), "total": (0, 0)}, None),
        ("nodes", {"nodes": 11}, 11),
        ("nodes_down", {"nodes_down": 12}, 12),
        ("nodes_reserved", {"nodes_reserved": 13}, 13),
        ("nodes_reserved", {"nodes_reserved": UNKNOWN}, None),
        ("pending_applications", {"applications_pending": 14}, 14),
        ("pending_containers", {"containers_pending": 15}, 15),
        ("pending_containers", {"containers_pending": UNKNOWN}, None),
        ("running_applications", {"applications_running": 16}, 16),
    ],
)
def test_a_measure_is_what_the_header_says(measure: str, changes: dict[str, Any], value: float | None) -> None:
    """None where it does not; a rule of what is not known never holds."""
    whole: Header = msgspec.structs.replace(FULL, **changes)

    assert MEASURES[measure](whole) == value
    if value is None:
        monitor = AlarmMonitor(parse_rules([f"{measure} < 1", f"{measure} flat"]))
        assert [monitor.look(at(ms, **changes)) for ms in (0, 1, 2)] == [[], [], []]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (RESERVED, Rule(RESERVED, "", "", 0, 0, False)),
        (" nodes >=3.5 for 2m ", Rule("nodes >=3.5 for 2m", "nodes", ">=", 3.5, 120_000, False)),
        (
            "memory_used flat for 1h while containers wait",
            Rule("memory_used flat for 1h while containers wait", "memory_used", "", 0, 3_600_000, True),
        ),
        (f"{RESERVED} while containers wait", Rule(f"{RESERVED} while containers wait", "", "", 0, 0, True)),
    ],
)
def test_a_rule_is_read_as_it_is_written(text: str, rule: Rule) -> None:
    """Blanks around it aside."""
    assert parse_rules([text]) == [rule]


@pytest.mark.parametrize(
    ("sign", "holds"),
    [(">", [0, 0, 1]), (">=", [0, 1, 1]), ("<", [1, 0, 0]), ("<=", [1, 1, 0]), ("=", [0, 1, 0]), ("==", [0, 1, 0])],
)
def test_each_comparison_has_its_boundary(sign: str, holds: list[int]) -> None:
    """Beside one less, as many, and one more."""
    rules = parse_rules([f"containers {sign} 5"])

    assert [len(AlarmMonitor(rules).look(at(0, containers=count))) for count in (4, 5, 6)] == holds


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x", "all nodes reserved for 4s, or pending_applications > 20 for 10m"),
        ("zzz > 1", ", ".join(MEASURES)),
        ("nodes => 1", ">, >=, <, <=, =, =="),
        ("nodes > 1 for 5parsecs", "10m"),
    ],
)
def test_what_is_no_rule_is_refused_with_what_there_is(text: str, hint: str) -> None:
    """By its place."""
    with pytest.raises(ConfigError) as caught:
        parse_rules(["nodes > 1", text])

    assert [(problem.key, problem.hint) for problem in caught.value.problems] == [("alarms[1]", hint)]


@pytest.mark.parametrize(("nodes", "reserved", "holds"), [(2, 2, 1), (2, 1, 0), (0, 0, 0), (2, UNKNOWN, 0)])
def test_all_nodes_are_reserved_where_there_are_any(nodes: int, reserved: Any, holds: int) -> None:
    """And all of them."""
    assert len(AlarmMonitor(parse_rules([RESERVED])).look(at(0, nodes=nodes, nodes_reserved=reserved))) == holds


@pytest.mark.parametrize(
    ("applications", "containers", "holds"), [(0, 0, 0), (1, 0, 1), (0, 1, 1), (0, UNKNOWN, 0), (1, UNKNOWN, 1)]
)
def test_somebody_waits_where_an_application_or_a_container_is_pending(
    applications: int, containers: Any, holds: int
) -> None:
    """An unknown number is none."""
    monitor = AlarmMonitor(parse_rules([f"{RESERVED} while containers wait"]))

    assert len(monitor.look(at(0, applications_pending=applications, containers_pending=containers))) == holds


def test_an_alarm_says_who_holds_the_nodes() -> None:
    """Those that no node has room for are inferred; how many nodes each holds nobody says then."""
    found = AlarmMonitor(parse_rules([RESERVED])).look(at(5))[0]
    first = "by application_1_0007 (big, ann in root.q, inferred)"
    second = "by application_1_0008 (job, bob in root.p, inferred)"

    assert found == Alarm(
        RESERVED,
        5,
        5,
        False,
        f"all 2 nodes are reserved, {first} and {second}; 3 applications pending",
        ("application_1_0007", "application_1_0008"),
        (
            AlarmHolder("application_1_0007", "big", "ann", "root.q", None, True),
            AlarmHolder("application_1_0008", "job", "bob", "root.p", None, True),
        ),
    )


@pytest.mark.parametrize(("inferred", "is_inferred"), [((), False), (("reservations",), True)])
def test_who_is_named_holds_so_many_most_first(inferred: tuple[str, ...], *, is_inferred: bool) -> None:
    """Known, unless the names are inferred."""
    rows = [ReservationRow(f"{at}:1", f"application_1_{by:04d}", "", (1, 1), (1, 1), (0, 0), 0) for at, by in
            enumerate((7, 8, 8))]  # fmt: skip
    picture = at(0, inferred=inferred).with_rows("reservations", rows)
    found = AlarmMonitor(parse_rules([RESERVED])).look(picture)[0]

    assert [(each.nodes, each.application[-1], each.inferred) for each in found.holders] == [
        (2, "8", is_inferred),
        (1, "7", is_inferred),
    ]
    assert found.holders[0].words == f"2 by application_1_0008 (job, bob in root.p{', inferred' * is_inferred})"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (RESERVED, "all 2 nodes are reserved; 3 applications pending"),
        ("memory_used_percent >70", "memory_used_percent is 75, > 70"),
        ("memory_used flat for 2m", "memory_used has been 150 for 2m"),
    ],
)
def test_each_kind_of_rule_has_its_sentence(text: str, sentence: str) -> None:
    """With its numbers."""
    monitor = AlarmMonitor(parse_rules([text]))
    found = [alarm for ms in (0, 1_000, 121_000) for alarm in monitor.look(at(ms).with_rows("applications", []))]

    assert [alarm.sentence for alarm in found] == [sentence]


def test_a_rule_of_reserved_nodes_also_counts_by_a_clock_that_goes_on() -> None:
    """The cluster's may stand; other rules count by the cluster's."""
    monitor = AlarmMonitor(parse_rules([f"{RESERVED} for 5s", "nodes > 1 for 5s"]))
    found = [[each.rule for each in monitor.look(at(7), steady_ms)] for steady_ms in (1_000, 5_999, 6_000)]

    assert found == [[], [], [f"{RESERVED} for 5s"]]


def test_an_alarm_that_is_over_says_since_when_it_held() -> None:
    """With the time of its end; then it stands no more."""
    monitor = AlarmMonitor(parse_rules(["containers > 1"]))
    monitor.look(at(3, containers=2))
    over = monitor.look(at(9, containers=1))

    assert [(each.since_ms, each.time_ms, each.is_over, each.sentence) for each in over] == [
        (3, 9, True, "over: containers is 2, > 1")
    ]
    assert monitor.standing == []


def test_news_come_by_the_order_of_rules() -> None:
    """Of those that have any."""
    monitor = AlarmMonitor(parse_rules(["nodes > 1", "nodes > 5", RESERVED]))

    assert [each.rule for each in monitor.look(at(0))] == ["nodes > 1", RESERVED]
    assert [each.rule for each in monitor.standing] == ["nodes > 1", RESERVED]


def test_a_remedy_stands_with_its_alarm() -> None:
    """Not with that of another rule, nor with a later one of the same."""
    monitor = AlarmMonitor(parse_rules(["nodes > 1", RESERVED]))
    first, second = monitor.look(at(0))
    found = monitor.add_remedy(second, "kill 7")

    assert found == msgspec.structs.replace(second, remedy="kill 7")
    assert monitor.standing == [first, found]
    gone = msgspec.structs.replace(second, since_ms=1)
    assert monitor.add_remedy(gone, "kill 8").remedy == "kill 8"
    assert monitor.standing == [first, found]
    monitor.look(at(1, nodes=0))
    assert monitor.add_remedy(second, "kill 9").remedy == "kill 9"
    assert monitor.standing == []


@pytest.mark.parametrize(
    ("rules", "knows"), [([RESERVED], True), (["nodes > 1"], False), (["nodes > 1", RESERVED], True)]
)
def test_only_an_alarm_of_reserved_nodes_knows_of_them(rules: list[str], *, knows: bool) -> None:
    """While it stands."""
    monitor = AlarmMonitor(parse_rules(rules))
    before = monitor.knows_reserved
    monitor.look(at(0))

    assert (before, monitor.knows_reserved) == (False, knows)


def frozen() -> Alarms:
    """Of a cluster that is proved to be frozen; it has stood still since its first picture, at 10 ms."""
    alarms = Alarms(parse_rules([RESERVED, "nodes > 1"]))
    alarms.take(at(10), 0)
    alarms.take(at(20), STILL_MS)
    assert alarms.is_to_judge(at(20).header)
    found = alarms.judge(at(20).header, "nothing starts")
    assert [(each.rule, each.freeze) for each in found] == [(RESERVED, LiveFreeze(10, 20, "nothing starts"))]
    return alarms


def words(alerts: list[Alert]) -> list[tuple[str, int, int, str]]:
    """What alerts say, without applications."""
    return [(each.kind, each.since_ms, each.found_ms, each.sentence) for each in alerts]


def test_a_freeze_is_an_alert_beside_its_alarm() -> None:
    """It names the applications of the alarm, and says both."""
    alarms = frozen()
    alarm = alarms.standing[0].sentence

    assert words(alarms.alerts) == [
        ("alarm", 10, 10, alarm),
        ("alarm", 10, 10, "nodes is 2, > 1"),
        ("frozen", 10, 20, f"{alarm}; nothing starts"),
    ]
    assert [each.applications for each in alarms.alerts] == [(7, 8), (7, 8), (7, 8)]
    assert alarms.news == alarms.alerts


def test_it_is_judged_only_where_an_alarm_says_that_all_is_reserved() -> None:
    """And when it is time."""
    alarms = Alarms(parse_rules(["nodes > 1"]))
    alarms.take(at(10), 0)
    alarms.take(at(20), STILL_MS)
    early = Alarms(parse_rules([RESERVED]))
    early.take(at(10), 0)

    assert (alarms.is_to_judge(at(20).header), early.is_to_judge(at(10).header)) == (False, False)


def test_where_something_starts_nothing_is_said() -> None:
    """The alarm stands as it stood."""
    alarms = Alarms(parse_rules([RESERVED]))
    alarms.take(at(10), 0)

    assert (alarms.judge(at(10).header, ""), len(alarms.alerts)) == ([], 1)


def test_a_freeze_that_nothing_proves_any_more_is_over_before_its_alarm() -> None:
    """By what is in use; nobody hears of it as an alarm."""
    alarms = frozen()
    count = len(alarms.alerts)
    found = alarms.take(at(30, used=(149, 9)), STILL_MS + 1)

    assert (found, words(alarms.alerts)[count:]) == ([], [("over", 10, 30, ENDED)])
    assert [each.freeze for each in alarms.standing] == [None, None]


def test_a_freeze_that_is_proved_anew_ends_and_begins() -> None:
    """With its new sentence; the same one again is no news."""
    alarms = frozen()
    alarms.take(at(40), STILL_MS + AGAIN_MS)
    count = len(alarms.alerts)
    found = alarms.judge(at(40).header, "still nothing")
    alarm = alarms.standing[0].sentence

    assert [each.freeze for each in found] == [LiveFreeze(10, 40, "still nothing")]
    assert words(alarms.alerts)[count:] == [("over", 10, 40, ENDED), ("frozen", 10, 40, f"{alarm}; still nothing")]
    assert alarms.take(at(50), STILL_MS + AGAIN_MS) == []


def test_the_end_of_an_alarm_ends_its_freeze() -> None:
    """Both are over, with the applications they were about."""
    alarms = frozen()
    count, sentence = len(alarms.alerts), alarms.standing[0].sentence
    alarms.take(at(60, nodes_reserved=1), STILL_MS + 1)

    assert words(alarms.alerts)[count:] == [("over", 10, 60, f"over: {sentence}")] * 2
    assert {each.applications for each in alarms.alerts[count:]} == {(7, 8)}


def test_a_remedy_is_added_to_an_alarm_that_stands() -> None:
    """As the rules have it."""
    alarms = Alarms(parse_rules([RESERVED]))
    (alarm,) = alarms.take(at(10), 0)

    assert alarms.standing == [alarm]
    assert alarms.add_remedy(alarm, "kill 7").remedy == "kill 7"
    assert alarms.standing[0].remedy == "kill 7"


def test_only_the_latest_alerts_are_kept() -> None:
    """A thousand, also of those that nobody has taken."""
    alarms = Alarms(parse_rules(["containers > 0"]))
    for ms in range(MOST_ALERTS + 1):
        alarms.take(at(ms, containers=(ms + 1) % 2), ms)

    assert (len(alarms.alerts), alarms.alerts[0].found_ms, alarms.alerts[-1].found_ms) == (MOST_ALERTS, 1, MOST_ALERTS)
    assert alarms.news == alarms.alerts
