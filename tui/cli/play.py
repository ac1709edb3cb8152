"""`schedlab play`: SOURCE without a screen; events on stdout, progress on stderr, expectations in the exit code."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, Self

import msgspec

from engine.explain.alert import Alert
from engine.explain.alerts import Alerts
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, Reserved, Unreserved
from engine.model.request import DIMENSIONS
from engine.observe.journal import JournalWriter
from engine.observe.rm_log import ResourceManagerLogWriter
from engine.observe.snapshots import terms_for
from engine.run import Outcome, Result, play
from engine.scenario import Assumption, Expectation, Scenario
from engine.serve.attempts import AppsWriter
from engine.simulation.records import AskChanged, Listener, Record, Started, Submitted
from engine.simulation.simulation import Simulation
from engine.units import format_duration
from tui.cli.grammar import Given
from tui.cli.opened import note_start, opened, until_of
from tui.cli.output import Stream, Targets, enveloped, json_text
from tui.cli.source import NamedSource, asked, keeper_of, report_kept, settings_of
from tui.cli.talk import WRONG, ProgressBar, announced
from tui.panes.events import event_text
from tui.panes.fragments import RenderContext
from tui.protocol.picture import EventRow
from tui.report.page import JunitCase, junit
from tui.session.alert_monitor import event_row
from tui.terminal import format as text
from tui.terminal.edges import Interruption, listening, visible_lines
from tui.terminal.palettes import take_colour_wish

STREAMED: Final[Mapping[str, Callable[..., AbstractContextManager[Listener]]]] = {
    "journal": JournalWriter.to_file,
    "rm-log": ResourceManagerLogWriter.to_file,
    "rest": AppsWriter.to_file,
}  # Form that is written while it is played → what begins to write it to a file


def play_source(given: Given) -> int:
    (source, targets), settings = asked(given), settings_of(given)
    take_colour_wish(settings.text("theme"))
    note_start(given, source)
    with ExitStack() as stack:
        with announced(f"reading {source.name}"):
            run = stack.enter_context(opened(source, given, is_whole=True))
        scenario = run.as_scenario()
        until_ms = until_of(given, scenario)
        interruption = stack.enter_context(listening())
        files = [(form, file) for form, file in targets.found if form in STREAMED and file is not None]
        if targets.on_stdout in STREAMED:  # in a file until it has ended
            files.append((targets.on_stdout, Path(stack.enter_context(TemporaryDirectory())) / targets.on_stdout))
        writers = [stack.enter_context(STREAMED[form](path, scenario, force=targets.force)) for form, path in files]
        apps = [each for each in writers if isinstance(each, AppsWriter)]
        keeper = stack.enter_context(keeper_of(given, scenario)) if given.is_on("keep") else None
        if keeper is not None:
            writers += [keeper, keeper.history]
        played = _Played(scenario, source, until_ms, given.is_on("quiet"), settings.is_on("alerts"))
        begun = [each.follow for each in (*apps, *([keeper] if keeper is not None else ()))]
        outcome = _play(played, interruption, writers, begun, targets)
        for each in apps:
            each.finish()
        if targets.on_stdout in STREAMED and files[-1][1].exists():
            sys.stdout.write(files[-1][1].read_text(encoding="utf-8"))
        code = interruption.code
        if keeper is not None:
            keeper.finish(scenario.start_ms + outcome.ended_ms)
            code = report_kept([keeper.name], [keeper.trouble] if keeper.failure else [], code)
    return code or (0 if outcome.ok else WRONG)


class _Played(NamedTuple):
    scenario: Scenario
    source: NamedSource
    until_ms: int
    is_quiet: bool
    alerts: bool


def _play(
    played: _Played,
    interruption: Interruption,
    writers: Sequence[Listener],
    begun: Sequence[Callable[[Simulation], None]],
    targets: Targets,
) -> Outcome:
    scenario, tally = played.scenario, Tally(played.scenario)
    listeners: list[Listener] = [tally, *writers]
    with Progress(played.until_ms, scenario) as progress, targets.streams(("text", "jsonl"), progress.clear) as streams:
        for stream in streams:
            if stream.form == "jsonl":
                stream.write(_line(enveloped("play/1", played.source.document(scenario.digest()), {})))
        listeners += [] if played.is_quiet else [EventStream(scenario, stream) for stream in streams]
        watch = AlertStream(scenario, streams) if played.alerts and (streams or targets.has("json")) else None
        if watch is not None:
            listeners.append(watch.alerts)
        outcome = play(
            scenario,
            played.until_ms,
            listeners,
            is_stopped=interruption.came,
            progressed=progress.show,
            watched=watch.look if watch is not None else None,
            begun=lambda simulation: [follow(simulation) for follow in begun],
        )
        not_judged = watch.not_judged() if watch is not None else None
        ended = {"outcome": outcome.verdict, **_outcome_object(outcome, not_judged, scenario.assumed)}
        closing = summary(scenario, outcome, tally) + (watch.closing_line() if watch is not None else "")
        for stream in streams:
            stream.write(closing if stream.form == "text" else _line(ended))
    source = played.source.document(scenario.digest())
    targets.write({"json": lambda: json_text(enveloped("play/1", source, ended)), "junit": lambda: _junit(outcome)})
    return outcome


def _line(document: Mapping[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":")) + "\n"


VERDICTS: Final = {"failed": "failure", "met": ""}  # Verdict → what JUnit calls it; `skipped` where there is none


def _junit(outcome: Outcome) -> str:
    cases = [
        JunitCase(
            outcome.scenario,
            each.expectation.about or each.sentence,
            VERDICTS.get(each.verdict, "skipped"),
            each.sentence if each.verdict == "failed" else each.verdict,
            each.sentence if each.verdict == "failed" else "",
        )
        for each in outcome.results
    ]
    return junit([(outcome.scenario, cases)])


# What is written while it is played: events as readable lines or JSON lines, and at the end a summary.

# Alerts among the events that `schedlab play` writes, and at the end the applications that were not judged.

NAMED: Final = 5  # How many of those that were not judged are named


class AlertStream:
    def __init__(self, scenario: Scenario, streams: Sequence[Stream]) -> None:
        self.alerts = Alerts()  # To be added to the run's listeners
        self._start_ms = scenario.start_ms
        self._offset_ms = scenario.offset_ms
        self._streams = streams
        self._seen: Simulation | None = None

    def look(self, simulation: Simulation) -> Callable[[], int]:
        """Write what is new; what tells when to look next [epoch ms]."""
        self._seen = simulation
        for alert in self.alerts.look(simulation):
            for stream in self._streams:
                if stream.form == "jsonl":
                    stream.write(self._json(alert))
                elif alert.kind != "refused":  # a refusal is an event of its own
                    stream.write(self._line(alert))
        return partial(self.alerts.next_look_ms, simulation)

    def not_judged(self) -> list[tuple[int, int]]:
        """Returns applications that wait at the end and were not judged, with since when [ms after the start]."""
        found = self.alerts.not_judged(self._seen) if self._seen is not None else []
        return [(number, since_ms - self._start_ms) for number, since_ms in found]

    def closing_line(self) -> str:
        found = self.not_judged()
        if not found:
            return ""
        start_ms, offset_ms = self._start_ms, self._offset_ms
        named = [
            f"{text.short_number(number)} since {text.near_instant(start_ms + since_ms, start_ms, offset_ms)}"
            for number, since_ms in found[:NAMED]
        ]
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        return f"not judged    {len(found)} waiting for over a minute: {', '.join(named)}{more}\n"

    def _line(self, alert: Alert) -> str:
        since = text.near_instant(alert.since_ms, self._start_ms, self._offset_ms)
        when = text.near_instant(alert.found_ms, self._start_ms, self._offset_ms)
        first = text.short_number(alert.applications[0]) if alert.applications else ""
        return f"{when}  {'ALERT':9} {first:>7}  {text.plain(alert.sentence)} (since {since})\n"

    def _json(self, alert: Alert) -> str:
        fields = {**msgspec.to_builtins(alert), "kind": "Alert", "alert": alert.kind}
        fields["since"] = fields.pop("since_ms") - self._start_ms
        fields["found"] = fields.pop("found_ms") - self._start_ms
        return msgspec.json.encode({"at": fields["found"], **fields}).decode() + "\n"


class Progress(ProgressBar):
    def __init__(self, until_ms: int, scenario: Scenario) -> None:
        super().__init__()
        self._until_ms = max(1, until_ms)
        self._start_ms = scenario.start_ms
        self._offset_ms = scenario.offset_ms

    def __enter__(self) -> Self:
        self.show(0)
        return self

    def show(self, now_ms: int) -> None:
        self.draw(now_ms / self._until_ms, text.clock(self._start_ms + now_ms, self._offset_ms))


COLOURS: Final = {"good": "32", "watch": "33", "alarm": "31", "held": "36"}  # Style of an event → colour of a terminal

UNTOLD: Final = (AskChanged, Started)  # Left out of the readable stream: as many as containers, and decide nothing


class EventStream:
    """Writes a line for each event, or a JSON object for each record: `at` [ms after the start], then its fields."""

    def __init__(self, scenario: Scenario, stream: Stream) -> None:
        nodes = scenario.cluster.all_nodes()
        total = (sum(node.memory_mb for node in nodes), sum(node.vcores for node in nodes))
        self._look = RenderContext(scenario.start_ms, DIMENSIONS[scenario.system], total, scenario.offset_ms)
        self._stream = stream

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        is_json = self._stream.form == "jsonl"
        told = [record for record in records if is_json or not isinstance(record, UNTOLD)]
        if told:
            self._stream.write("".join((self._json if is_json else self._line)(time_ms, record) for record in told))

    def _line(self, time_ms: int, record: Record) -> str:
        return event_line(event_row(0, time_ms, record), self._look, is_coloured=self._stream.is_coloured) + "\n"

    def _json(self, time_ms: int, record: Record) -> str:
        fields = {"at": time_ms - self._look.now_ms, **msgspec.to_builtins(record)}
        return msgspec.json.encode(fields).decode() + "\n"


def event_line(row: EventRow, look: RenderContext, *, is_coloured: bool = False) -> str:
    event = event_text(row, look)
    colour = COLOURS.get(event.style, "") if is_coloured else ""
    verb = f"\x1b[{colour}m{event.verb:9}\x1b[0m" if colour else f"{event.verb:9}"
    application = "" if event.application is None else text.short_number(event.application)
    when = text.near_instant(row.time_ms, look.now_ms, look.offset_ms)
    return f"{when}  {verb} {application:>7}  {text.plain(event.sentence)}"


def _outcome_object(
    outcome: Outcome, not_judged: Sequence[tuple[int, int]] | None, assumed: Sequence[Assumption] = ()
) -> dict[str, Any]:
    """How a run ended; `not_judged` has since when each waits [ms after the start], None without alerts."""
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
    found = {
        "kind": "Outcome",
        "scenario": outcome.scenario,
        "ended": outcome.ended_ms,
        "interrupted": outcome.interrupted,
        "ok": outcome.ok,
        "expectations": results,
        "mishaps": msgspec.to_builtins(outcome.mishaps),
    }
    if assumed:
        found["assumed"] = [each.model_dump(mode="json") for each in assumed]
    if not_judged is not None:
        found["not_judged"] = [{"application": number, "since": since_ms} for number, since_ms in not_judged]
    return found


class Tally:
    def __init__(self, scenario: Scenario) -> None:
        self._has_drivers = scenario.system == "spark"
        self.counts: Counter[str] = Counter()
        self.of_drivers: Counter[str] = Counter()  # The same of Spark's drivers, which are not executors
        self.states: dict[int, str] = {}  # Last state of each application

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
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
    counts = tally.counts
    states = Counter(tally.states.values())
    applications = [f"{counts['submitted']} submitted"] + [f"{states[state]} {state}" for state in sorted(states)]
    applications += [f"{counts['refused']} refused"] if counts["refused"] else []
    terms = terms_for(DIMENSIONS[scenario.system])
    met = sum(result.verdict == "met" for result in outcome.results)
    how = "interrupted" if outcome.interrupted else "ended"
    reservations = f"reservations  {counts['reserved']} made, {counts['unreserved']} dropped"
    lines = [
        "",
        f"{scenario.name}: {how} at {_clock(scenario, outcome.ended_ms)}, "
        f"{format_duration(outcome.ended_ms)} simulated",
        f"{f'{terms.application}s':12}  {', '.join(applications)}",
        f"{f'{terms.container}s':12}  {_given(counts, terms.application)}",
        *([f"drivers       {_given(tally.of_drivers, terms.application)}"] if tally.of_drivers else []),
        *([reservations] if scenario.system == "yarn" or counts["reserved"] else []),
        f"expectations  {met} of {len(outcome.results)} met",
        *(f"assumed       {each.words}" for each in scenario.assumed),
    ]
    lines += [_result_line(scenario, result) for result in outcome.results]
    lines += [
        f"  came to nothing: {mishap.step} at {_clock(scenario, mishap.time_ms)}: {mishap.reason}"
        for mishap in outcome.mishaps
    ]
    return visible_lines(lines)


def _given(counts: Counter[str], owner: str) -> str:
    ends = {end: end for end in ("preempted", "released", "lost", "killed by user", "application ended", "expired")}
    ends["application ended"] = f"ended with the {owner}"
    words = [f"{counts['allocated']} allocated", f"{counts['completed']} ended by themselves"]
    return ", ".join([*words, *(f"{counts[end]} {said}" for end, said in ends.items() if counts[end])])


def _result_line(scenario: Scenario, result: Result) -> str:
    one = result.expectation
    about = f"{one.about}: " if one.about else ""
    if result.verdict == "failed" and result.time_ms is not None:
        return f"  FAILED {_when(scenario, one)}: {about}{result.sentence} at {_clock(scenario, result.time_ms)}"
    return f"  {result.verdict:6} {_when(scenario, one)}: {about}{result.sentence}"


def _when(scenario: Scenario, one: Expectation) -> str:
    if one.at_ms is not None:
        return f"at {_clock(scenario, one.at_ms)}"
    since = _clock(scenario, one.since_ms)
    if one.within_ms is not None:
        return f"within {format_duration(one.within_ms)} of {since}"
    return f"from {since} to {_clock(scenario, one.until_ms or 0)}"


def _clock(scenario: Scenario, moment_ms: int) -> str:
    shown = text.near_instant(scenario.start_ms + moment_ms, scenario.start_ms, scenario.offset_ms)
    return shown.removesuffix(".000")
