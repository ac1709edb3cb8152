"""Pages beside the REST interface proper: settings, beans of queues, what a scheduler recorded."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.live.yarn_answers import (
    AnswerError,
    Modes,
    modes_of,
    read_activities,
    read_queue_reservations,
    read_settings,
)
from engine.observe.snapshot import UNKNOWN
from tests.engine.live.recorded import FOLDER, lines_of
from tests.gates.answers.__main__ import check
from tests.gates.answers.reading import NOT_ASKED, READ, REFUSED, outcome

PAGES = list(lines_of("useful-pages"))


def page(recording: str, words: str) -> bytes:
    found = next(each for each in PAGES if each["recording"] == recording and words in each["name"])
    return json.dumps(found["body"]).encode()


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


# One page of every kind that real servers of both releases and a Spark Master answered, read as a watch reads them.

RECORDED_PAGES_PAGES = list(lines_of("pages"))


@pytest.mark.parametrize("found", [READ, REFUSED])
def test_every_page_is_read_or_refused_as_it_should_be(found: str) -> None:
    """An answer is a value; an error, XML and HTML are refused in words."""
    pages = [page for page in RECORDED_PAGES_PAGES if page["outcome"] == found]
    outcomes = {page["name"]: outcome(page["name"], page["text"].encode(), page["status"]) for page in pages}

    assert len(pages) > 40
    assert {name: words for name, (came, words) in outcomes.items() if came != found} == {}
    assert [name for name, (_, words) in outcomes.items() if found == REFUSED and not words] == []


def test_series_and_logs_are_read_line_by_line(tmp_path: Path) -> None:
    """Of a folder as it was recorded; what no server answered is passed over."""
    series = (FOLDER / "2.7.2-fair-onset.jsonl.gz").read_bytes()
    (tmp_path / "series-onset.jsonl.gz").write_bytes(series)
    (tmp_path / "rm-info.log.gz").write_bytes((FOLDER / "2.7.2-fair-rm.log.gz").read_bytes())
    (tmp_path / "index.json").write_text(json.dumps([{"file": None}]), encoding="utf-8")

    assert outcome("series-onset.jsonl.gz", series) == (READ, "36 rounds, 0 without an answer")
    assert check(tmp_path) == {READ: 2, NOT_ASKED: 1}
