"""The closing lines of a run, and its events as lines, from what is made by hand."""

import json
from typing import Any

import msgspec
import pytest

from engine.formats.scenario_toml import loads
from engine.run import Outcome, Result
from engine.run.player import Mishap
from engine.scenario import Expectation, Scenario
from tui.commands.stream import JsonStream, Tally, summary

TEXT = """
start = 2024-03-04T09:00:00Z
duration = "5m"
[cluster]
groups = [{ prefix = "n", count = 1, memory = "4g", vcores = 4 }]
"""
SCENARIO = loads(TEXT, "scene").model_copy(update={"name": "scene"})
OUTCOME = Outcome("scene", 300_000, False, (), ())
ENDS = ("preempted", "released", "lost", "killed by user", "application ended", "expired")


def lines(tally: Tally | None = None, scenario: Scenario = SCENARIO, **changes: Any) -> list[str]:
    """The closing lines."""
    found = summary(scenario, msgspec.structs.replace(OUTCOME, **changes), tally or Tally(scenario))
    return found.splitlines()


def tally(states: tuple[str, ...] = (), **counts: int) -> Tally:
    """What was counted."""
    found = Tally(SCENARIO)
    found.counts.update({name.replace("_", " "): count for name, count in counts.items()})
    found.states.update(enumerate(states, 1))
    return found


def test_a_run_of_nothing_has_five_lines() -> None:
    """After an empty one."""
    assert lines() == [
        "",
        "scene: ended at 09:05:00, 5m simulated",
        "applications  0 submitted",
        "containers    0 allocated, 0 ended by themselves",
        "reservations  0 made, 0 dropped",
        "expectations  0 of 0 met",
    ]


@pytest.mark.parametrize(
    ("ended_ms", "interrupted", "words"),
    [
        (300_000, True, "interrupted at 09:05:00, 5m simulated"),
        (60_000, False, "ended at 09:01:00, 1m simulated"),
        (1_500, False, "ended at 09:00:01.500, 1s500ms simulated"),
    ],
)
def test_the_first_line_says_how_it_ended(ended_ms: int, interrupted: bool, words: str) -> None:
    """With milliseconds where there are any."""
    assert lines(ended_ms=ended_ms, interrupted=interrupted)[1] == f"scene: {words}"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (tally(submitted=3), "3 submitted"),
        (tally(("RUNNING", "FINISHED", "RUNNING"), submitted=3), "3 submitted, 1 FINISHED, 2 RUNNING"),
        (tally(submitted=1, refused=1), "1 submitted, 1 refused"),
        (tally(("KILLED",), submitted=1, refused=2), "1 submitted, 1 KILLED, 2 refused"),
    ],
)
def test_applications_are_counted_by_their_last_state(found: Tally, words: str) -> None:
    """By name; those refused last, where there are any."""
    assert lines(found)[2] == f"applications  {words}"


def test_containers_are_counted_by_how_they_ended() -> None:
    """In one order; an end that none had is left out."""
    counts = {end.replace(" ", "_"): number for number, end in enumerate(ENDS, 1)}
    given = "9 allocated, 4 ended by themselves"
    ended = ", ".join(f"{number} {end}" for number, end in enumerate(ENDS, 1))

    assert lines(tally((), allocated=9, completed=4, **counts))[3] == f"containers    {given}, {ended}"
    assert lines(tally(allocated=9, completed=4, lost=1))[3] == f"containers    {given}, 1 lost"


def test_reservations_are_counted() -> None:
    """Those made and those dropped."""
    assert lines(tally(reserved=3, unreserved=2))[4] == "reservations  3 made, 2 dropped"


def test_drivers_have_a_line_of_their_own() -> None:
    """Where there are any."""
    found = tally(allocated=2)
    found.of_drivers.update({"allocated": 3, "completed": 1, "lost": 1})

    assert lines(found)[4] == "drivers       3 allocated, 1 ended by themselves, 1 lost"
    assert len(lines(found)) == len(lines()) + 1


def expected(**fields: Any) -> Expectation:
    """One expectation."""
    return Expectation.model_validate({"of": "applications", "what": "count", "equals": 2, **fields})


WHEN = (
    ({"at": "60s"}, "at 09:01:00"),
    ({"within": "30s"}, "within 30s of 09:00:00"),
    ({"within": "30s", "since": "60s"}, "within 30s of 09:01:00"),
    ({"until": "2m"}, "from 09:00:00 to 09:02:00"),
    ({"until": "2m", "since": "61s"}, "from 09:01:01 to 09:02:00"),
)


@pytest.mark.parametrize(("fields", "when"), WHEN)
@pytest.mark.parametrize(
    ("verdict", "time_ms", "begins", "ends"),
    [
        ("met", 5_000, "  met    ", "applications count = 2"),
        ("open", None, "  open   ", "applications count = 2"),
        ("failed", 5_000, "  FAILED ", "at 09:00:05"),
        ("failed", None, "  failed ", ""),
    ],
)
def test_an_expectation_is_told_with_when_it_had_to_hold(
    fields: dict[str, Any], when: str, verdict: str, time_ms: int | None, begins: str, ends: str
) -> None:
    """And, where it failed, when it did."""
    line = lines(results=(Result(expected(**fields), verdict, time_ms, 1),))[-1]

    assert line.startswith(f"{begins}{when}: applications count = 2")
    assert line.endswith(ends)


def test_what_an_expectation_is_about_comes_first() -> None:
    """Before what was expected; those that are met are counted."""
    results = tuple(Result(expected(at="1s", about="two"), verdict, 1_000, 2) for verdict in ("met", "met", "open"))
    found = lines(results=results)

    assert found[5:7] == ["expectations  2 of 3 met", "  met    at 09:00:01: two: applications count = 2"]


def test_steps_that_came_to_nothing_are_last() -> None:
    """With their instant and reason."""
    found = lines(mishaps=(Mishap(61_000, "kill", "no 2"), Mishap(61_001, "kill", "no 3")))

    assert found[-2:] == [
        "  came to nothing: kill at 09:01:01: no 2",
        "  came to nothing: kill at 09:01:01.001: no 3",
    ]


@pytest.mark.parametrize(
    ("not_judged", "found"),
    [(None, None), ((), []), (((2, 5_000),), [{"application": 2, "since": 5_000}])],
)
def test_the_last_json_line_has_the_whole_outcome(not_judged: Any, found: Any) -> None:
    """And those that were not judged, where somebody looked."""
    outcome = msgspec.structs.replace(
        OUTCOME,
        interrupted=True,
        results=(Result(expected(at="1s", about="two"), "open"), Result(expected(at="2s"), "met", 2_000, 2)),
        mishaps=(Mishap(61_000, "kill", "no 2"),),
    )
    text = JsonStream.outcome(outcome, not_judged)
    line = json.loads(text)

    assert text.endswith("}\n")
    assert line.pop("not_judged", None) == found
    assert line == {
        "kind": "Outcome",
        "scenario": "scene",
        "ended": 300_000,
        "interrupted": True,
        "ok": True,
        "expectations": [
            {"about": "two", "expected": "applications count = 2", "verdict": "open", "at": None, "value": None},
            {"about": "", "expected": "applications count = 2", "verdict": "met", "at": 2_000, "value": 2},
        ],
        "mishaps": [{"time_ms": 61_000, "step": "kill", "reason": "no 2"}],
    }
