"""Writes the output of `schedlab play`: events as readable lines or JSON lines, and the closing summary."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, Reserved, Unreserved
from engine.model.resource import DIMENSIONS
from engine.observe.system_words import words_of
from engine.run import Outcome, Result
from engine.scenario import Assumption, Expectation, Scenario
from engine.simulation.records import AskChanged, Record, Started, Submitted
from engine.units import format_duration
from tui import format as text
from tui.render.event_words import event_text
from tui.render.line import Look
from tui.render.sensitivity_text import assumption_words
from tui.session.event_log import event_row
from tui.terminal_edge import is_dumb, visible_lines, write_controls

COLOURS: Final = {"good": "32", "watch": "33", "alarm": "31", "held": "36"}
"""Style of an event → colour of a terminal."""

UNTOLD: Final = (AskChanged, Started)
"""Records that are left out of the readable stream: they are as many as containers and decide nothing."""


class EventStream:
    """A listener that writes one readable line per event."""

    def __init__(self, scenario: Scenario, before_write: Callable[[], None]) -> None:
        nodes = scenario.cluster.all_nodes()
        total = (sum(node.memory_mb for node in nodes), sum(node.vcores for node in nodes))
        self._look = Look(scenario.start_ms, DIMENSIONS[scenario.system], total, scenario.offset_ms)
        self._before_write = before_write
        self._is_coloured = sys.stdout.isatty() and not is_dumb() and not os.environ.get("NO_COLOR")

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Write what happened at an instant."""
        lines = [self._line(time_ms, record) for record in records if not isinstance(record, UNTOLD)]
        if lines:
            self._before_write()
            write_controls(sys.stdout, "".join(lines))

    def _line(self, time_ms: int, record: Record) -> str:
        event = event_text(event_row(0, time_ms, record), self._look)
        colour = COLOURS.get(event.style, "") if self._is_coloured else ""
        verb = f"\x1b[{colour}m{event.verb:9}\x1b[0m" if colour else f"{event.verb:9}"
        application = "" if event.application is None else f"{event.application:04d}"
        when = text.near_instant(time_ms, self._look.now_ms, self._look.offset_ms)
        return f"{when}  {verb} {application:>7}  {text.plain(event.sentence)}\n"


class JsonStream:
    """A listener that writes one JSON object per record: `at` [ms after the start], then the record's fields."""

    def __init__(self, scenario: Scenario) -> None:
        self._start_ms = scenario.start_ms
        self._encoder = msgspec.json.Encoder()

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Write what happened at an instant."""
        for record in records:
            line = {"at": time_ms - self._start_ms, **msgspec.to_builtins(record)}
            sys.stdout.write(self._encoder.encode(line).decode() + "\n")

    @staticmethod
    def outcome(
        outcome: Outcome, not_judged: Sequence[tuple[int, int]] | None, assumed: Sequence[Assumption] = ()
    ) -> str:
        """The closing line.

        `not_judged` are applications that wait and were not judged, with since when [ms after the start]; None when
        nobody looked for alerts. `assumed` is what the scenario assumes of a cluster.
        """
        results = [
            {
                "about": result.expectation.about,
                "expected": result.sentence,
                "verdict": result.verdict,
                "at": result.time_ms,
                "value": result.value,
            }
            for result in outcome.results
        ]
        line = {
            "kind": "Outcome",
            "scenario": outcome.scenario,
            "ended": outcome.ended_ms,
            "interrupted": outcome.interrupted,
            "ok": outcome.ok,
            "expectations": results,
            "mishaps": msgspec.to_builtins(outcome.mishaps),
        }
        if assumed:
            line["assumed"] = [each.model_dump(mode="json") for each in assumed]
        if not_judged is not None:
            line["not_judged"] = [{"application": number, "since": since_ms} for number, since_ms in not_judged]
        return msgspec.json.encode(line).decode() + "\n"


class Tally:
    """A listener that counts for the summary."""

    def __init__(self, scenario: Scenario) -> None:
        self._has_drivers = scenario.system == "spark"
        self.counts: Counter[str] = Counter()
        self.of_drivers: Counter[str] = Counter()
        """The same of Spark's drivers, which are not executors."""
        self.states: dict[int, str] = {}
        """Last state of each application."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Count what happened."""
        for record in records:
            if isinstance(record, ApplicationTransitioned):
                self.states[record.application] = record.state
            elif isinstance(record, Allocated | Completed | Killed):
                is_driver = self._has_drivers and not record.container[1]
                cause = record.cause.lower().replace("_", " ") if isinstance(record, Killed) else ""
                (self.of_drivers if is_driver else self.counts)[cause or type(record).__name__.lower()] += 1
            elif isinstance(record, Reserved | Unreserved | Submitted):
                is_refused = isinstance(record, Submitted) and bool(record.rejected)
                self.counts["refused" if is_refused else type(record).__name__.lower()] += 1


def summary(scenario: Scenario, outcome: Outcome, tally: Tally) -> str:
    """The closing lines of a run."""
    counts = tally.counts
    states = Counter(tally.states.values())
    applications = [f"{counts['submitted']} submitted"] + [f"{states[state]} {state}" for state in sorted(states)]
    applications += [f"{counts['refused']} refused"] if counts["refused"] else []
    held = words_of(DIMENSIONS[scenario.system]).container
    met = sum(result.verdict == "met" for result in outcome.results)
    how = "interrupted" if outcome.interrupted else "ended"
    lines = [
        "",
        f"{scenario.name}: {how} at {_clock(scenario, outcome.ended_ms)}, "
        f"{format_duration(outcome.ended_ms)} simulated",
        f"applications  {', '.join(applications)}",
        f"{f'{held}s':12}  {_given(counts)}",
        *([f"drivers       {_given(tally.of_drivers)}"] if tally.of_drivers else []),
        *_reservations(scenario, counts),
        f"expectations  {met} of {len(outcome.results)} met",
        *(f"assumed       {assumption_words(each)}" for each in scenario.assumed),
    ]
    lines += [_result_line(scenario, result) for result in outcome.results]
    lines += [
        f"  came to nothing: {mishap.step} at {_clock(scenario, mishap.time_ms)}: {mishap.reason}"
        for mishap in outcome.mishaps
    ]
    return visible_lines(lines)


def _given(counts: Counter[str]) -> str:
    """Return the number of containers that were allocated, and how they ended."""
    ends = ("preempted", "released", "lost", "killed by user", "application ended", "expired")
    words = [f"{counts['allocated']} allocated", f"{counts['completed']} ended by themselves"]
    return ", ".join([*words, *(f"{counts[end]} {end}" for end in ends if counts[end])])


def _reservations(scenario: Scenario, counts: Counter[str]) -> list[str]:
    """The line about reservations; none for Spark's Master, which has no reservations."""
    if scenario.system == "spark":
        return []
    return [f"reservations  {counts['reserved']} made, {counts['unreserved']} dropped"]


def _result_line(scenario: Scenario, result: Result) -> str:
    one = result.expectation
    about = f"{one.about}: " if one.about else ""
    if result.verdict == "failed" and result.time_ms is not None:
        return f"  FAILED {_when(scenario, one)}: {about}{result.sentence} at {_clock(scenario, result.time_ms)}"
    return f"  {result.verdict:6} {_when(scenario, one)}: {about}{result.sentence}"


def _when(scenario: Scenario, one: Expectation) -> str:
    """The time of an expectation in words."""
    if one.at_ms is not None:
        return f"at {_clock(scenario, one.at_ms)}"
    since = _clock(scenario, one.since_ms)
    if one.within_ms is not None:
        return f"within {format_duration(one.within_ms)} of {since}"
    return f"from {since} to {_clock(scenario, one.until_ms or 0)}"


def _clock(scenario: Scenario, moment_ms: int) -> str:
    """Time of day, with milliseconds where there are any."""
    shown = text.near_instant(scenario.start_ms + moment_ms, scenario.start_ms, scenario.offset_ms)
    return shown.removesuffix(".000")
