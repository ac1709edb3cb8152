"""Rules of alarms: how they are read, and when they hold."""

import msgspec

from engine.live.alarms import AlarmMonitor, parse_rules
from engine.observe.documents import FixedSnapshot
from tests.engine.live.recorded import rounds_of, snapshot_of

FROZEN = snapshot_of(rounds_of("2.7.2-fair-kill")[0])
SECOND = 1000


def at(second: int, **changes: object) -> FixedSnapshot:
    changed = msgspec.structs.replace(FROZEN.header, time_ms=second * SECOND, **changes)
    found = FixedSnapshot(FROZEN.dialect, changed, FROZEN.sections, {}, {})
    return found.with_rows("applications", FROZEN.applications()).with_rows("nodes", FROZEN.nodes())


def monitor(rule: str) -> AlarmMonitor:
    return AlarmMonitor(parse_rules([rule]))


def test_an_alarm_comes_once_when_its_rule_has_held_so_long() -> None:
    rule = monitor("all nodes reserved for 5s")
    found = [rule.look(at(second)) for second in (0, 4, 5, 6)]

    assert [len(each) for each in found] == [0, 0, 1, 0]
    assert (found[2][0].since_ms, found[2][0].is_over) == (0, False)


def test_an_alarm_ends_once_and_may_come_again() -> None:
    rule = monitor("all nodes reserved for 5s")
    before = [rule.look(at(second)) for second in (0, 5)]
    over = [rule.look(at(second, nodes_reserved=11)) for second in (6, 7)]
    again = [rule.look(at(second)) for second in (8, 12, 13)]

    assert [len(each) for each in (*before, *over, *again)] == [0, 1, 1, 0, 0, 0, 1]
    assert (over[0][0].is_over, over[0][0].sentence) == (True, f"over: {before[1][0].sentence}")
    assert again[2][0].since_ms == 8 * SECOND


def test_a_freeze_names_the_application_behind_it() -> None:
    found = monitor("all nodes reserved").look(at(0))[0]

    assert [name.rpartition("_")[2] for name in found.applications] == ["0010"]
    assert "all 12 nodes are reserved, by application_" in found.sentence


def test_a_measure_is_flat_from_the_second_equal_value_on() -> None:
    rule = monitor("memory_used flat for 10s")
    used = [(5, 1), (5, 1), (6, 1), (6, 1), (6, 1), (6, 1)]
    found = [len(rule.look(at(10 * place, used=each))) for place, each in enumerate(used)]

    assert found == [0, 0, 0, 0, 1, 0]


def test_a_cluster_without_anybody_waiting_may_be_flat() -> None:
    rule = monitor("memory_used flat while containers wait")
    busy = {"applications_pending": 0, "containers_pending": 1}
    idle = {"applications_pending": 0, "containers_pending": 0}

    assert [len(rule.look(at(second, **idle))) for second in (0, 1)] == [0, 0]
    assert [len(rule.look(at(second, **busy))) for second in (2, 3)] == [0, 1]
