"""What masters of a recorded run did with which call, and in which heartbeat their containers ended."""

import gzip
from pathlib import Path
from typing import Final

import pytest

from engine.formats.traces.rm_timeline import LogApplication, LogContainer, ResourceManagerTimeline
from tests.gates.fidelity.log_text import LogText
from tests.gates.fidelity.masters import Masters
from tests.gates.fidelity.rhythm import Rhythm
from tests.gates.fidelity.script import PlayedAsk, Script, Submission

REGISTERED_MS: Final = 10_000
ASK: Final = PlayedAsk(10, 5, 9, {"memory": 4096, "at": 6})
SUBMISSION: Final = Submission("etl", 0, {"asks": [{"memory": 4096, "priority": 10, "at": 6}]})
NUMBERED: Final = "container_1_0003_01_{:06}"


def masters_of(folder: Path, lines: tuple[str, ...] = (), *others: LogContainer, state_ms: int = 0) -> Masters:
    """Of one application, number 3, whose master's container ran on node01 from 7.1 s to 17.1 s."""
    (folder / "rm-info.log.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    name = "application_1_0003"
    master = LogContainer(NUMBERED.format(1), name, 7_112, "node01:1", is_master=True, ended_ms=17_105, end="COMPLETED")
    application = LogApplication(name, 0, registered_ms=REGISTERED_MS)
    if state_ms:
        application.states = [(state_ms, "FINAL_SAVING")]
    containers = {each.id: each for each in (master, *others)}
    timeline = ResourceManagerTimeline(applications={name: application}, containers=containers)
    return Masters(LogText(folder), timeline, {"node01": Rhythm(0, 100), "node02": Rhythm(0, 900)}, 0)


def asked_at(second: float) -> str:
    return (
        f"1970-01-01 00:00:{second:06.3f}".replace(".", ",") + " INFO x: Available resource value after conversion: 1"
    )


@pytest.mark.parametrize(("line_s", "call"), [(16.001, 6), (17.001, 7)])
def test_an_ask_comes_with_the_call_that_the_log_has_a_line_of(tmp_path: Path, line_s: float, call: int) -> None:
    assert masters_of(tmp_path, (asked_at(line_s),)).asks_after_s(3, SUBMISSION, ASK) == call


@pytest.mark.parametrize(("allocated_ms", "call"), [(16_999, 6), (17_000, 7)])
def test_an_ask_came_before_it_was_served(tmp_path: Path, allocated_ms: int, call: int) -> None:
    """Where the log has no lines about asks, with the last call before its first container."""
    served = LogContainer(NUMBERED.format(2), "application_1_0003", allocated_ms, "node01:1", memory_mb=4096)

    assert masters_of(tmp_path, (), served).asks_after_s(3, SUBMISSION, ASK) == call


def test_an_application_ends_with_the_call_that_unregistered_it(tmp_path: Path) -> None:
    assert masters_of(tmp_path, state_ms=16_002).ends_after_s(3, 5) == 6


def test_a_crash_is_before_the_heartbeat_that_tells_of_it(tmp_path: Path) -> None:
    """The node's heartbeats are 100 ms after the calls, so the last call before 17.1 s crashed."""
    assert masters_of(tmp_path).ends_after_s(3, 5) == 7


def test_a_masters_process_begins_after_the_heartbeat_that_allocated_its_container(tmp_path: Path) -> None:
    """That was due at 7.1 s, and the process registers two seconds after it began."""
    assert masters_of(tmp_path).latencies_ms == {3: 900}


@pytest.mark.parametrize(("node", "ended_ms", "ran_s"), [("node01", 19_105, 7.91), ("node02", 18_905, 7.899)])
def test_a_container_ends_in_the_heartbeat_it_was_recorded_in(
    tmp_path: Path, node: str, ended_ms: int, ran_s: float
) -> None:
    """As long as it was drawn to run, fetched at 11 s; a ms before the heartbeat that it just made."""
    path = tmp_path / "script.json"
    path.write_text('{"seed": 42, "apps": []}', encoding="utf-8")
    each = LogContainer(
        NUMBERED.format(2), "application_1_0003", 10_100, f"{node}:1", 4096, ended_ms=ended_ms, end="COMPLETED"
    )
    acquired = f"1970-01-01 00:00:11,000 INFO x: {each.id} Container Transitioned from ALLOCATED to ACQUIRED"
    submission = Submission("etl", 0, {"asks": [{"memory": 4096, "priority": 10, "seconds": [5, 9]}]})

    ran = masters_of(tmp_path, (acquired,), each).durations_s(Script(path), {3: submission})

    assert ran == {3: {10: [ran_s]}}
