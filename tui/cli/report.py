"""`schedlab get SOURCE report`: the page about an incident, of a scenario, a kept run, a log or a live cluster."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from engine.errors import ConfigError
from engine.formats.named_problems import checked
from engine.formats.scenario_toml import dump_file
from engine.measures.postmortem import Incident, incident_in
from engine.scenario import Scenario
from engine.units import parse_instant_option
from tui.cli.budget import Budget, seconds_of
from tui.cli.check_sources import of_scenario
from tui.cli.opened import GetQuestion, instant_in, opened, series_of
from tui.cli.output import enveloped, json_text
from tui.cli.play_output import Progress
from tui.cli.source import LOG, POLLS
from tui.cli.talk import announced
from tui.report.check_forms import sentence_of
from tui.report.incident import Postmortem, of_incident
from tui.report.parts import ReportPart, ReportPicture
from tui.report.recorded_incident import of_record
from tui.terminal.format import RelativeTimeFormat

BUDGET_S: Final = 60.0  # Longest time for each question, where nothing else is said
SIZE: Final = (120, 40)


def get_report(asked: GetQuestion) -> None:
    """Write the page about an incident: what happened, why, who waited, what would have helped."""
    made = _postmortem(asked)
    document = enveloped("report/1", None, made.facts)
    asked.targets.write(
        {"html": made.html, "md": made.markdown, "text": made.markdown, "json": lambda: json_text(document)}
    )


def _postmortem(asked: GetQuestion) -> Postmortem:
    source, given = asked.source, asked.given
    at, seconds = given.text("at"), seconds_of(given) if given.is_on("budget") else BUDGET_S
    if source.kind in (LOG, POLLS) and not given.is_on("config"):
        series = series_of(source, given)
        assert series is not None, "what is recorded is a series"
        return of_record(series, source.name, instant_in(series, at), is_end_asked=at is not None)
    with opened(source, given) as run:
        scenario, is_twin = run.as_scenario(), run.is_twin
        at_ms = 0 if is_twin else None
        if at is not None and not is_twin:
            at_ms = parse_instant_option(at, scenario.start, "--at", last_ms=scenario.duration_ms)
        with Progress(scenario.duration_ms if at_ms is None else at_ms, scenario) as progress:
            incident = incident_in(scenario, at_ms, lambda: Budget(seconds).spend, progress.show)
        with announced("drawing"):
            pictures = _pictures(scenario, incident)
        lint = _lint(scenario, source.name)
        return of_incident(incident, scenario, source.name, lint, pictures, is_twin=is_twin)


def _lint(scenario: Scenario, name: str) -> ReportPart:
    from tui.cli.check_change import node_sizes_of  # noqa: PLC0415 -- it plays what a change does

    title = "Lint of the configuration"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="schedlab-report-")))
        try:
            held = of_scenario(scenario, name, folder)
        except ConfigError as error:
            return ReportPart(title, error.first_line)
        found = checked(name, held.paths, held.release or "2.7", nodes=node_sizes_of(scenario))
    rows = tuple((each.severity, each.rule, sentence_of(each)) for each in found.problems if each.severity != "note")
    return ReportPart(title, "" if rows else "Nothing is found.", columns=("", "rule", "") if rows else (), rows=rows)


def _pictures(scenario: Scenario, incident: Incident) -> tuple[ReportPicture, ...]:
    """The screen as it formed, and at the instant judged."""
    from tui.app import SchedlabApp  # noqa: PLC0415 -- only a page pays for the screen
    from tui.cli.picture import ScreenshotDriver  # noqa: PLC0415 -- as the line above
    from tui.session.opening import open_session  # noqa: PLC0415 -- as the line above

    day = RelativeTimeFormat(incident.at_ms, scenario.offset_ms)
    formed_ms = None if incident.episode is None else incident.episode.alert.found_ms
    instants = dict.fromkeys(filter(None, (formed_ms, incident.at_ms)))
    found = []
    with TemporaryDirectory(prefix="schedlab-report-") as folder:
        file = Path(folder) / "incident.toml"
        file.write_text(dump_file(scenario), encoding="utf-8")
        for at_ms in instants:
            drawn = []
            for theme in ("light", "dark"):
                seconds = f"{(at_ms - scenario.start_ms) / 1000:g}"
                session = open_session(str(file), at=seconds, paused=True)
                screen = SchedlabApp(session, palette=theme)
                sitter = ScreenshotDriver(screen, session, (), ())
                screen.run(headless=True, size=SIZE, auto_pilot=sitter.sit)
                drawn.append(sitter.svg)
            if all(drawn):
                which = "when it was found" if at_ms == formed_ms else "judged"
                found.append(ReportPicture(f"{day.instant(at_ms)}, {which}", *drawn))
    return tuple(found)
