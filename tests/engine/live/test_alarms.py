"""Alarms of a watched cluster: measures, sentences, remedies, freezes, and alerts of them."""

from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.live.alarms import MEASURES, AlarmMonitor, Rule, parse_rules
from engine.observe.documents import FixedSnapshot
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
        ("waiting_first", {"applications_pending": 14}, 14),
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
        ("x", "all nodes reserved for 4s, or waiting_first > 20 for 10m"),
        ("zzz > 1", ", ".join(MEASURES)),
        ("nodes => 1", ">, >=, <, <=, =, =="),
        ("nodes > 1 for 5parsecs", "10m"),
    ],
)
def test_what_is_no_rule_is_refused_with_what_there_is(text: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_rules(["nodes > 1", text])

    assert [(problem.key, problem.hint) for problem in caught.value.problems] == [("alarms[1]", hint)]
