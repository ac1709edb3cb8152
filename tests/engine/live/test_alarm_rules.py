"""Rules of alarms: how they are read, and when they hold."""

import msgspec
import pytest

from engine.errors import ConfigError
from engine.live.alarms import DEFAULT_RULES, AlarmMonitor, parse_rules
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


def test_the_rules_by_default_can_be_read() -> None:
    assert [rule.text for rule in parse_rules(DEFAULT_RULES)] == list(DEFAULT_RULES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("something", "is no rule"),
        ("pending_application > 20", "did you mean 'pending_applications'|pending_applications"),
        ("nodes => 3", "is no comparison"),
        ("nodes < 3 for ever", "duration|'ever'"),
        ("nodes < 3 for 10m while nothing", "is no rule"),
    ],
)
def test_what_is_no_rule_is_refused_with_a_way_out(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_rules([text])


def test_all_problems_are_said_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_rules(["x", "all nodes reserved", "y"])

    assert [problem.key for problem in caught.value.problems] == ["alarms[0]", "alarms[2]"]


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


@pytest.mark.parametrize(("pending", "count"), [(20, 0), (21, 1)])
def test_a_measure_is_compared_with_its_number(pending: int, count: int) -> None:
    assert len(monitor("pending_applications > 20").look(at(0, applications_pending=pending))) == count


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


def test_alarms_that_stand_are_known() -> None:
    rule = monitor("all nodes reserved")
    rule.look(at(0))
    during = len(rule.standing)
    rule.look(at(1, nodes_reserved=0))

    assert (during, rule.standing) == (1, [])
