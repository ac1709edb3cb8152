"""`schedlab play`: SOURCE without a screen; events on stdout, progress on stderr, expectations in the exit code."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from engine.observe.journal import JournalWriter
from engine.observe.rm_log import ResourceManagerLogWriter
from engine.run import Outcome, play
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.serve.attempts import AppsWriter
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.units import parse_instant_option
from tui.cli.grammar import Given
from tui.cli.opened import opened
from tui.cli.output import Targets, enveloped, json_text, targets_of
from tui.cli.play_output import AlertStream, EventStream, JsonStream, Progress, Tally, outcome_object, summary
from tui.cli.source import NamedSource, keeper_of, named_source, report_kept, settings_of
from tui.cli.talk import WRONG, announced
from tui.report.parts import JunitCase, junit
from tui.terminal.edges import Interruption, listening
from tui.terminal.palettes import take_colour_wish

STREAMED: Final[Mapping[str, Callable[..., AbstractContextManager[Listener]]]] = {
    "journal": JournalWriter.to_file,
    "rm-log": ResourceManagerLogWriter.to_file,
    "rest": AppsWriter.to_file,
}
"""Form that is written while it is played → what begins to write it to a file."""


def play_source(given: Given) -> int:
    """Play a source and check its expectations; the exit code."""
    targets, source, settings = targets_of(given), named_source(given), settings_of(given)
    take_colour_wish(settings.text("theme"))
    with ExitStack() as stack:
        with announced(f"reading {source.name}"):
            run = stack.enter_context(opened(source, given, is_whole=True))
        scenario, until = run.as_scenario(), given.text("until")
        until_ms = scenario.duration_ms if until is None else parse_instant_option(until, scenario.start, "--until")
        interruption = stack.enter_context(listening())
        files = _files(stack, targets)
        writers = _writers(stack, scenario, files, force=targets.force)
        apps = next((each for each in writers if isinstance(each, AppsWriter)), None)
        keeper = stack.enter_context(keeper_of(given, scenario)) if given.is_on("keep") else None
        writers += [] if keeper is None else [keeper, keeper.history]
        begun = [each.follow for each in (apps, keeper) if each is not None]
        played = _Played(scenario, source, until_ms, given.is_on("quiet"), settings.is_on("alerts"))
        outcome = _play(played, interruption, writers, begun, targets)
        if apps is not None:
            apps.finish()
        if targets.on_stdout in STREAMED and files[targets.on_stdout].exists():
            sys.stdout.write(files[targets.on_stdout].read_text(encoding="utf-8"))
        if keeper is not None:
            keeper.finish(scenario.start_ms + outcome.ended_ms)
    code = 128 + interruption.signal if interruption.signal else 0
    return _kept(keeper, code) or (0 if outcome.ok else WRONG)


def _kept(keeper: RunWriter | None, code: int) -> int:
    return code if keeper is None else report_kept([keeper.name], [keeper.trouble] if keeper.failure else [], code)


def _files(stack: ExitStack, targets: Targets) -> Mapping[str, Path]:
    """Form that is written while it is played → its file; one for a while where it goes to stdout in the end."""
    files = {form: file for form in STREAMED if (file := targets.file_of(form)) is not None}
    if targets.on_stdout in STREAMED:
        files[targets.on_stdout] = Path(stack.enter_context(TemporaryDirectory())) / targets.on_stdout
    return files


def _writers(stack: ExitStack, scenario: Scenario, files: Mapping[str, Path], *, force: bool) -> list[Listener]:
    """Opens the writers of the files asked for."""
    return [stack.enter_context(STREAMED[form](file, scenario, force=force)) for form, file in files.items()]


class _Played(NamedTuple):
    """What is played, and how it is told."""

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
    scenario, form = played.scenario, targets.on_stdout
    tally = Tally(scenario)
    listeners: list[Listener] = [tally, *writers]
    with ExitStack() as stack:
        progress = stack.enter_context(Progress(played.until_ms, scenario))
        if form == "jsonl":
            sys.stdout.write(_head(played))
        if form == "jsonl" and not played.is_quiet:
            listeners.append(JsonStream(scenario))
        elif form == "text" and not played.is_quiet:
            listeners.append(EventStream(scenario, progress.clear))
        is_told = form in ("text", "jsonl", "json")
        watch = AlertStream(scenario, progress.clear, form) if played.alerts and is_told else None
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
    ended = outcome_object(outcome, not_judged, scenario.assumed)
    targets.write(
        {
            "text": lambda: summary(scenario, outcome, tally) + (watch.closing_line() if watch is not None else ""),
            "jsonl": lambda: json.dumps({"outcome": _word(outcome), **ended}, separators=(",", ":")) + "\n",
            "json": lambda: json_text(
                enveloped("play/1", played.source.document(scenario.digest()), {"outcome": _word(outcome), **ended})
            ),
            "junit": lambda: _junit(outcome),
        }
    )
    return outcome


def _word(outcome: Outcome) -> str:
    return "interrupted" if outcome.interrupted else "met" if outcome.ok else "failed"


def _head(played: _Played) -> str:
    head = enveloped("play/1", played.source.document(played.scenario.digest()), {})
    return json.dumps(head, separators=(",", ":")) + "\n"


VERDICTS: Final = {"failed": "failure", "met": ""}  # Verdict → what JUnit calls it; `skipped` where there is none


def _junit(outcome: Outcome) -> str:
    """The expectations as a test suite, a case each."""
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
