"""Alarms of a watched cluster: measures, sentences, remedies, freezes, and alerts of them."""

from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.explain.alert import Alert
from engine.explain.badge_rules import STILL_MS
from engine.live.alarm_rules import MEASURES, Alarm, AlarmHolder, AlarmMonitor, Rule, parse_rules
from engine.live.alarms import Alarms
from engine.live.standstill import LiveFreeze
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, Header
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
    assert parse_rules([text]) == [rule]


@pytest.mark.parametrize(
    ("sign", "holds"),
    [(">", [0, 0, 1]), (">=", [0, 1, 1]), ("<", [1, 0, 0]), ("<=", [1, 1, 0]), ("=", [0, 1, 0]), ("==", [0, 1, 0])],
)
def test_each_comparison_has_its_boundary(sign: str, holds: list[int]) -> None:
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
    with pytest.raises(ConfigError) as caught:
        parse_rules(["nodes > 1", text])

    assert [(problem.key, problem.hint) for problem in caught.value.problems] == [("alarms[1]", hint)]


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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (RESERVED, "all 2 nodes are reserved; 3 applications pending"),
        ("memory_used_percent >70", "memory_used_percent is 75, > 70"),
        ("memory_used flat for 2m", "memory_used has been 150 for 2m"),
    ],
)
def test_each_kind_of_rule_has_its_sentence(text: str, sentence: str) -> None:
    monitor = AlarmMonitor(parse_rules([text]))
    found = [alarm for ms in (0, 1_000, 121_000) for alarm in monitor.look(at(ms).with_rows("applications", []))]

    assert [alarm.sentence for alarm in found] == [sentence]


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
    return [(each.kind, each.since_ms, each.found_ms, each.sentence) for each in alerts]


def test_a_freeze_is_an_alert_beside_its_alarm() -> None:
    alarms = frozen()
    alarm = alarms.standing[0].sentence

    assert words(alarms.alerts) == [
        ("alarm", 10, 10, alarm),
        ("alarm", 10, 10, "nodes is 2, > 1"),
        ("frozen", 10, 20, f"{alarm}; nothing starts"),
    ]
    assert [each.applications for each in alarms.alerts] == [(7, 8), (7, 8), (7, 8)]
    assert alarms.news == alarms.alerts
