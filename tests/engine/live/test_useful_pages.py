"""Pages beside the REST interface proper: settings, beans of queues, what a scheduler recorded."""

import json
from typing import Any

import pytest

from engine.live.yarn_answers import (
    KEPT,
    AnswerError,
    Modes,
    modes_of,
    read_activities,
    read_queue_reservations,
    read_settings,
)
from engine.observe.snapshot import UNKNOWN
from tests.engine.live.recorded import lines_of

PAGES = list(lines_of("useful-pages"))


def page(recording: str, words: str) -> bytes:
    found = next(each for each in PAGES if each["recording"] == recording and words in each["name"])
    return json.dumps(found["body"]).encode()


def test_what_is_reserved_in_queues_stands_among_the_beans() -> None:
    found = read_queue_reservations(page("2.7.2-fair", "jmx"))

    assert found["root.mining"] == (704_000, 44)
    assert found["root"] == (sum(found[f"root.{name}"][0] for name in ("mining", "etl", "adhoc")), 52)
    assert not [path for path in found if "mina" in path]


def test_a_scheduler_that_records_says_which_nodes_passed_an_application_by() -> None:
    found = read_activities(page("3.4.1-capacity", "application_0018_maxTime=20--2nd"))

    assert [node for node, _ in found.passed] == [f"node{number:02d}:45454" for number in (13, 10, 9, 7, 16)]
    assert {words for _, words in found.passed} == {"Queue hits max-capacity limit"}


@pytest.mark.parametrize(
    ("recording", "words", "diagnostic"),
    [
        ("3.4.1-capacity", "0018_maxTime=20--1st", "waiting for display"),
        ("3.4.1-fair", "0001", "Not Capacity Scheduler"),
    ],
)
def test_a_scheduler_that_has_recorded_nothing_says_why(recording: str, words: str, diagnostic: str) -> None:
    found = read_activities(page(recording, words))

    assert (found.diagnostic, found.passed) == (diagnostic, ())


def test_the_innermost_words_count_with_all_their_nodes() -> None:
    """A request of 3.3 and later has nodes below it, alone or several; those that were given something are left out."""
    inner = [
        {"allocationState": "SKIPPED", "diagnostic": "too\n full", "nodeIds": ["a:1", "b:1"]},
        {"allocationState": "ALLOCATED", "diagnostic": "given", "nodeId": "c:1"},
        {"allocationState": "SKIPPED", "diagnostic": "held", "nodeId": "d:1"},
    ]
    outer = {"nodeId": "x:1", "allocationState": "SKIPPED", "diagnostic": "outer", "children": inner}
    found = read_activities(json.dumps({"appActivities": {"allocations": [outer]}}).encode())

    assert found.passed == (("a:1", "too full"), ("b:1", "too full"), ("d:1", "held"))


def conf(**values: str) -> bytes:
    found = [{"key": key.replace("__", ".").replace("_", "-"), "value": value} for key, value in values.items()]
    return json.dumps({"properties": [*found, {"key": "secret.password", "value": "x"}, {"key": "empty"}]}).encode()


def test_only_settings_that_are_used_are_kept() -> None:
    found = read_settings(conf(yarn__scheduler__maximum_allocation_mb="64000"))

    assert found == {"yarn.scheduler.maximum-allocation-mb": "64000"}
    assert set(found) <= KEPT


RECOVERY = {"yarn.resourcemanager.recovery.enabled": "true"}
PRESERVING = {**RECOVERY, "yarn.resourcemanager.work-preserving-recovery.enabled": "True "}


@pytest.mark.parametrize(
    ("settings", "scheduler", "modes"),
    [
        ({}, "FairScheduler", Modes(UNKNOWN, UNKNOWN, UNKNOWN)),
        ({"yarn.scheduler.fair.preemption": "true"}, "FairScheduler", Modes(True, "strict", "nothing")),
        ({"yarn.scheduler.fair.preemption": "true"}, "CapacityScheduler", Modes(False, "", "nothing")),
        ({"yarn.resourcemanager.scheduler.monitor.enable": "true"}, "CapacityScheduler", Modes(True, "", "nothing")),
        ({"yarn.resourcemanager.scheduler.monitor.enable": "true"}, "FifoScheduler", Modes(False, "", "nothing")),
        (RECOVERY, "FifoScheduler", Modes(False, "", "applications")),
        (PRESERVING, "FairScheduler", Modes(False, "strict", "containers")),
    ],
)
def test_modes_follow_from_the_settings_of_the_scheduler(
    settings: dict[str, str], scheduler: str, modes: Modes
) -> None:
    assert modes_of(settings, scheduler) == modes


@pytest.mark.parametrize("read", [read_settings, read_queue_reservations, read_activities])
def test_a_page_that_is_something_else_is_refused(read: Any) -> None:
    with pytest.raises(AnswerError):
        read(b"<html>")
