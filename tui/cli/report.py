"""`schedlab get SOURCE picture [NAME]` and `report`: the screen at an instant, and the page about an incident."""

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from textual.pilot import Pilot
from textual.strip import Strip

from engine.errors import ConfigError, Problem, Problems, quoted
from engine.formats.named_problems import checked
from engine.formats.scenario_toml import dump_file
from engine.incremental import Budget
from engine.measures.postmortem import Incident, incident_in
from engine.scenario import Scenario
from engine.scenario.scenario import system_of
from engine.units import parse_instant_option
from tui.app import SchedlabApp
from tui.board.board import subject_named
from tui.cli.config import of_scenario
from tui.cli.grammar import seconds_of
from tui.cli.open import session_of
from tui.cli.opened import GetQuestion, instant_in, opened, series_of
from tui.cli.options import SIZE
from tui.cli.output import enveloped, json_text
from tui.cli.play import Progress
from tui.cli.source import LOG, POLLS, settings_of
from tui.cli.talk import announced
from tui.cli.verbs import KINDS
from tui.keymap import key_hint, key_name
from tui.protocol.picture import WhySubject
from tui.report.check_forms import sentence_of
from tui.report.incident import Postmortem, of_incident
from tui.report.page import ReportPart, ReportPicture
from tui.report.recorded_incident import of_record
from tui.session.opening import open_session
from tui.session.session import Session
from tui.terminal.edges import visible, visible_lines
from tui.terminal.format import RelativeTimeFormat

LEAST, MOST = (20, 8), (400, 150)  # Columns and lines of the smallest and the largest screen
REST_S: Final = 0.001  # Between two looks at whether the screen is complete [s]
PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body {{ margin: 0; background: #111 }} svg {{ display: block; max-width: 100%; height: auto }}</style>
{svg}</html>
"""


def get_picture(asked: GetQuestion) -> int:
    source, given, targets = asked.source, asked.given, asked.targets
    cells, settings = _cells(given.text("size") or SIZE), settings_of(given)
    if targets.has("png") and (find_spec("PIL") is None or find_spec("matplotlib") is None):
        hint = "install them with: pip install 'schedlab[report]'; svg, html and text need nothing"
        raise ConfigError.of("a PNG needs pillow and the font of matplotlib", key="-o", hint=hint)
    keys = _keys(given.many("press"))
    session = session_of(source, given, is_at_end=True)
    screen = SchedlabApp(session, **settings.screen_options())
    sitter = ScreenshotDriver(screen, session, asked.rest, keys)
    screen.run(headless=True, size=cells, auto_pilot=sitter.sit)
    if sitter.problem is not None:
        raise ConfigError([sitter.problem])
    if not sitter.svg:
        return screen.return_code or 1
    targets.write({form: partial(_content, form, sitter, source.name, cells) for form in KINDS["picture"]})
    return 0


def _keys(written: Sequence[str]) -> list[str]:
    problems, names = Problems(), [key_name(each) for each in written]
    for each, name in zip(written, names, strict=True):
        if name is None:
            problems.add(f"{quoted(each)} is not a key", key="--press", hint=key_hint(each))
    problems.check()
    return list(filter(None, names))


def _cells(size: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", size)
    if found is None:
        raise ConfigError.of(f"{size!r} is not a size", key="--size", hint="e.g. 120x40")
    width, height = int(found[1]), int(found[2])
    if not (LEAST[0] <= width <= MOST[0] and LEAST[1] <= height <= MOST[1]):
        raise ConfigError.of(f"{size} is not from {LEAST[0]}x{LEAST[1]} to {MOST[0]}x{MOST[1]}", key="--size")
    return width, height


class ScreenshotDriver:
    def __init__(self, app: SchedlabApp, session: Session, names: Sequence[str], keys: Sequence[str]) -> None:
        """Each of `names` is a pane, or an application, queue or node whose page is opened; `keys` come after them."""
        self._app, self._session = app, session
        self._names, self._keys = names, keys
        self.problem: Problem | None = None  # Why there is no picture
        self.svg = ""
        self.strips: Sequence[Strip] = ()  # The lines of the screen, cell by cell
        while session.driver.has_background_work:  # what it has to tell so far is not news
            _ = session.driver.slice()

    async def sit(self, pilot: Pilot[Any]) -> None:
        await self._settle(pilot)
        await self._go(pilot)
        self.svg = self._app.export_screenshot()
        self.strips = self._app.screen._compositor.render_strips()  # noqa: SLF001 -- as Textual's own screenshots are made
        self._app.exit()

    async def _go(self, pilot: Pilot[Any]) -> None:
        cluster = self._app.cluster
        if cluster is None:
            return
        for name in self._names:
            is_pane, picture = name in cluster.dialect.panes, cluster.state.picture
            is_there = isinstance(subject_named(name, picture), WhySubject)
            cluster.perform(f"navigation.show({name!r})" if is_pane else f"inspection.why_named({name!r})")
            await self._settle(pilot)
            if not is_pane and not is_there:
                hint = f"there are panes {', '.join(cluster.dialect.panes)}; get SOURCE apps lists applications"
                self.problem = Problem(f"nothing here is called {name}", key="picture", hint=hint)
        for key in self._keys:
            await pilot.press(key)
            await self._settle(pilot)

    async def _settle(self, pilot: Pilot[Any]) -> None:
        driver, questions = self._session.driver, self._session.questions
        await pilot.pause()
        while is_busy := driver.has_background_work or questions.is_working:
            while is_busy:
                if driver.has_background_work:
                    _ = driver.slice()
                await asyncio.sleep(REST_S)
                is_busy = driver.has_background_work or questions.is_working
            await pilot.pause()


def _content(ending: str, sitter: ScreenshotDriver, name: str, size: tuple[int, int]) -> bytes:
    if ending == "text":
        return visible_lines(strip.text.rstrip() for strip in sitter.strips).encode()
    if ending == "png":
        from tui.report.picture_png import png_of  # noqa: PLC0415 -- needs the extra `report`

        return png_of(sitter.strips, size)
    svg = visible(sitter.svg)
    if ending == "svg":
        return svg.encode()
    title = name.replace("&", "&amp;").replace("<", "&lt;")
    return PAGE.format(title=visible(title), svg=svg).encode()


# The page about an incident, with pictures of the screen.

BUDGET_S: Final = 60.0  # Longest time for each question, where nothing else is said


def get_report(asked: GetQuestion) -> None:
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
    from tui.cli.check import node_sizes_of  # noqa: PLC0415 -- it plays what a change does

    title = "Lint of the configuration"
    if system_of(scenario.scheduler) != "yarn":
        master = "Spark Master" if system_of(scenario.scheduler) == "spark" else "JobTracker"
        return ReportPart(title, f"Settings of a {master} are checked in its files alone: schedlab check reads them.")
    with TemporaryDirectory(prefix="schedlab-report-") as folder:
        held = of_scenario(scenario, name, Path(folder))
        found = checked(name, held.paths, held.release or "2.7", nodes=node_sizes_of(scenario))
    rows = tuple((each.severity, each.rule, sentence_of(each)) for each in found.problems if each.severity != "note")
    return ReportPart(title, "" if rows else "Nothing is found.", columns=("", "rule", "") if rows else (), rows=rows)


def _pictures(scenario: Scenario, incident: Incident) -> tuple[ReportPicture, ...]:
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
                screen.run(headless=True, size=_cells(SIZE), auto_pilot=sitter.sit)
                drawn.append(sitter.svg)
            if all(drawn):
                which = "when it was found" if at_ms == formed_ms else "judged"
                found.append(ReportPicture(f"{day.instant(at_ms)}, {which}", *drawn))
    return tuple(found)
