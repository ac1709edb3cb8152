"""`schedlab open`, `demo` and `tour`: SOURCE on the screen; what they open it with loads textual."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cache, partial
from math import inf
from pathlib import Path
from typing import Any, Final

import platformdirs

from engine.errors import ConfigError
from engine.formats.file_schema import catalogue, previews
from engine.formats.scenario_toml import dump_file, load, packaged
from engine.run.run_reader import KeptRun
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.scenario.catalogue import Preview
from engine.training.records import curriculum
from tui.app import SchedlabApp
from tui.board.board import UnavailableMessages
from tui.cli.grammar import Given
from tui.cli.opened import opened, series_of
from tui.cli.output import targets_of
from tui.cli.source import (
    DRILL,
    LIVE,
    LOG,
    POLLS,
    RUN,
    SCENARIO,
    NamedSource,
    keeper_of,
    named_source,
    report_kept,
    runs_folder,
    settings_of,
)
from tui.cli.talk import ProgressBar, hush, needs_terminal, note
from tui.pages.choice import DrillFacts, ScenarioEntry, ScenarioFacts
from tui.protocol.session import Connection
from tui.screens.lessons import DEADLOCK, DEMO, TOUR, Lesson
from tui.session.driving import settle, settle_again
from tui.session.opening import open_kept, open_session, session_on
from tui.session.series import SeriesConnection
from tui.session.session import Session
from tui.settings import UserSettings
from tui.sharing.session_server import SharedSession
from tui.sharing.socket_directory import default_folder, open_door
from tui.terminal.edges import is_dumb

ABSENT = UnavailableMessages(
    acts="This was recorded: nothing here can change a cluster.",
    copy="Not tried: this was recorded, and there is no copy of the cluster.",
)  # What is said where a recorded past has no acts


def open_source(given: Given) -> int | None:
    if not given.words:
        return _choose(given)
    source = named_source(given)
    if source.kind == LIVE:
        from tui.cli.watch import on_screen  # noqa: PLC0415 -- only a live cluster pays for what asks it

        return on_screen(source, given)
    if source.kind == DRILL:
        return _play_drill(source.file_name, given)
    needs_terminal(f"schedlab {'get' if source.kind in (LOG, POLLS) else 'play'} {source.name}")
    if is_dumb():
        return _as_lines(source, given)
    if source.kind in (LOG, POLLS):
        return _show_series(source, given)
    return _show_session(source, given)


def _as_lines(source: NamedSource, given: Given) -> int | None:
    if given.is_on("at") or source.kind != SCENARIO:
        raise ConfigError.of("this terminal has no screen", key="open", hint=f"schedlab get {source.name} --at T")
    note("schedlab: this terminal has no screen (TERM=dumb); events are written, as by `schedlab play`")
    from tui.cli.play import play_source  # noqa: PLC0415 -- a screen needs none of it

    return play_source(given._replace(verb="play", values={**given.values, "output": ()}))


# A scenario, a kept run, or the twin of something: a session.


def session_of(source: NamedSource, given: Given, *, is_at_end: bool = False) -> Session:
    at = given.text("at")
    if source.kind == RUN:
        with KeptRun(runs_folder(given), source.name) as kept:
            return open_kept(kept, at=at)
    with opened(source, given) as run:
        at = None if run.is_twin else at
        last = f"+{run.scenario.duration_ms / 1000:g}s" if is_at_end and at is None and not run.is_twin else at
        return session_on(run.scenario, source.name, at=last, paused=True)


@dataclass(frozen=True)
class Opener:
    given: Given
    settings: UserSettings
    at: str | None = None
    sessions: list[Session] = field(default_factory=list)  # The sessions opened so far

    def open(self, chosen: str) -> Session:
        return self._settled(open_session(chosen, at=self.at, **self._manner()))

    def open_scenario(self, scenario: Scenario, source: str) -> Session:
        with ProgressBar() as bar:
            progressed = partial(bar.count, words=f"{scenario.name} up to {self.at}")
            session = session_on(scenario, source, at=self.at, progressed=progressed, **self._manner())
        return self._settled(session)

    def _manner(self) -> dict[str, Any]:
        speed, targets = self.settings.number("speed"), targets_of(self.given, ("screen", "journal"))
        is_first = not self.sessions
        return {
            "speed": inf if speed == 0 else speed,
            "paused": self.settings.is_on("paused") or (is_first and self.at is not None and self.given.verb == "open"),
            "journal": targets.file_of("journal") if is_first else None,
            "replaces_journal": targets.force,
            "keep": self._keep if self.given.is_on("keep") else None,
        }

    def _settled(self, session: Session) -> Session:
        self.sessions.append(session)
        if len(self.sessions) == 1:
            settle()
        else:
            settle_again()
        return session

    def _keep(self, scenario: Scenario) -> RunWriter:
        return keeper_of(self.given, scenario, is_first=not self.sessions)


def _show_session(source: NamedSource, given: Given) -> int:
    settings = settings_of(given)
    opener = Opener(given, settings, given.text("at"))
    with ExitStack() as stack:
        if source.kind == RUN:
            session = _kept_session(source, given)
        else:
            run = stack.enter_context(opened(source, given))
            opener = Opener(given, settings, None if run.is_twin else opener.at)
            session = opener.open_scenario(run.scenario, source.name)
        shown: Connection = session
        if given.is_on("share"):
            state = session.driver.state
            shown = SharedSession(
                session, stack.enter_context(closing(open_door(default_folder(), state.name))), state.title
            )
        screen = _screen_of(shown, opener, settings, source=source.name)
        screen.run()
    return _ended(opener, session, screen)


def _kept_session(source: NamedSource, given: Given) -> Session:
    with KeptRun(runs_folder(given), source.name) as run:
        until_ms = run.info.until_ms

        def keep(scenario: Scenario) -> RunWriter:
            return keeper_of(given, scenario, parent=source.name, branched_ms=until_ms)

        session = open_kept(run, at=given.text("at"), keep=keep if given.is_on("keep") else None)
    settle()
    return session


def _ended(opener: Opener, session: Session | None, screen: SchedlabApp) -> int:
    sessions = opener.sessions if session is None or session in opener.sessions else [session, *opener.sessions]
    kept = [each.keeping for each in sessions]
    names = [name for one in kept for name in one.names]
    return report_kept(names, [trouble for one in kept for trouble in one.troubles], screen.return_code or 0)


def _screen_of(
    session: Connection | None, opener: Opener, settings: UserSettings, entries: Sequence[Any] = (), **options: Any
) -> SchedlabApp:
    hush()
    return SchedlabApp(
        session,
        entries=entries,
        open_session=opener.open,
        definition=definition,
        fill=described,
        **settings.screen_options(tries_remedies=True, **options),
    )


def open_scenario(scenario: Scenario, settings: UserSettings) -> None:
    opener = Opener(Given("open", (), {}), settings)
    _screen_of(opener.open_scenario(scenario, scenario.name), opener, settings).run()


def open_at(source: NamedSource, given: Given, subject: str | None) -> None:
    """Put a source on the screen, standing at `--at`, with the page of a subject open."""
    needs_terminal(f"schedlab {given.verb} {source.name}")
    settings, session = settings_of(given), session_of(source, given, is_at_end=True)
    settle()
    screen = _screen_of(session, Opener(given, settings), settings, source=source.name)

    async def ask(pilot: Any) -> None:
        await pilot.pause()
        if screen.cluster is not None and subject is not None:
            screen.cluster.perform(f"inspection.why_named({subject.removeprefix('app/')!r})")

    screen.run(auto_pilot=ask)


# The chooser: what it offers, from the catalogue and the packaged files, and what is chosen there.

_SCHEDULERS: Final = {"fair": "FairScheduler", "capacity": "CapacityScheduler", "fifo": "FifoScheduler"}
_RELEASES: Final = {"2.7": "2.7.2", "3.4": "3.4.1"}
_OTHERS: Final = "Others"  # The group of what the catalogue does not name
_DRILLS: Final = "Drills"  # The group of the drills


def offered() -> list[ScenarioEntry]:
    """Every packaged scenario, group by group, as the catalogue has it; of others, what their files say."""
    known, placed = packaged(), list(_placed())
    named = {one.name for one in placed}
    others = [described(ScenarioEntry(name, "", "", _OTHERS)) for name in known if name not in named]
    return [*(one for one in placed if one.name in known), *others]


def offered_drills() -> list[ScenarioEntry]:
    """Every packaged drill in the order they are best taken; nothing tells a cause. A broken one says so as title."""
    drills, unreadable = curriculum()
    entries = [
        ScenarioEntry(
            one.name, one.title, one.drill.brief, _DRILLS, drill=DrillFacts(one.drill.minutes, one.drill.difficulty)
        )
        for one in drills
    ]
    unknown = DrillFacts(0, "cannot be read")
    entries += [ScenarioEntry(name, name, why, _DRILLS, drill=unknown) for name, why in unreadable.items()]
    return entries


def definition(name: str) -> str:
    return dump_file(load(name))


def _placed() -> Iterator[ScenarioEntry]:
    for group in catalogue():
        for one in group.entries:
            plain = ScenarioEntry(one.name, "", "", group.title, one.tag, one.brief)
            yield plain._replace(story=one.story, watch=one.watch, attempts=one.attempts)
            for each in one.variants:
                tag = "3.4" if "-3.4" in each.name else one.tag
                yield ScenarioEntry(each.name, "", "", group.title, tag, each.brief, varies=one.name)


@cache
def _played() -> Mapping[str, Preview]:
    return previews()


def described(entry: ScenarioEntry) -> ScenarioEntry:
    """The entry with what its file says; one that cannot be read says so instead of what it shows."""
    try:
        scenario = load(entry.name)
    except ConfigError as error:
        words = os.linesep.join(str(one) for one in error.problems)
        return entry._replace(title="cannot be read", about=words, brief="cannot be read")
    facts = ScenarioFacts(
        _rules(scenario),
        scenario.start_ms,
        scenario.offset_ms,
        scenario.duration_ms,
        len(scenario.expectations),
        scenario.system == "spark",
        _played().get(entry.name),
    )
    return entry._replace(title=scenario.title, about=scenario.about or scenario.title, facts=facts)


def _rules(scenario: Scenario) -> str:
    if scenario.system == "spark":
        return "Spark standalone"
    if scenario.system == "mr1":
        return f"MapReduce 1, {scenario.scheduler.removeprefix('mr1-')}"
    policy, _, release = scenario.scheduler.partition("-")
    words = f"{_SCHEDULERS[policy]} {_RELEASES.get(release, _RELEASES['2.7'])}"
    rule = scenario.settings.get("schedlab.reservation.rule", "")
    return f"{words}, reservations {rule}" if rule else words


def _choose(given: Given) -> int:
    needs_terminal("schedlab play NAME")
    if given.is_on("share"):
        raise ConfigError.of("name the scenario that is shared", key="--share")
    if is_dumb():
        raise ConfigError.of("this terminal has no screen to choose on", key="SOURCE", hint="schedlab get")
    settings = settings_of(given)
    opener = Opener(given, settings, given.text("at"))
    drills = [] if settings.is_on("read_only") else offered_drills()
    screen = _screen_of(None, opener, settings, [*offered(), *drills])
    screen.run()
    if screen.chosen_drill:
        return _play_drill(screen.chosen_drill, given)
    return _ended(opener, None, screen)


def _play_drill(name: str, given: Given) -> int:
    needs_terminal(f"schedlab drill play {name} -o text")
    from engine.training.drill import load_drill  # noqa: PLC0415 -- only a drill pays for it
    from tui.cli.drill_screen import play_on_screen  # noqa: PLC0415 -- likewise, for its screens

    return play_on_screen(name, load_drill(name), given)


# What was recorded.


def _show_series(source: NamedSource, given: Given) -> int:
    from tui.cli.live import files_of  # noqa: PLC0415 -- only what is recorded pays for it
    from tui.session.opening import TwinOpener  # noqa: PLC0415 -- as the line above

    series, settings = series_of(source, given), settings_of(given)
    assert series is not None, "a log or polls are recorded"
    connection = SeriesConnection(series)
    configuration = files_of(given).configuration
    connection.twin = TwinOpener(series.name, connection.place.snapshot, configuration, offset_ms=series.offset_ms)
    at = given.text("at")
    if at is not None and (words := connection.place.travel(at)):
        raise ConfigError.of(words, key="--at")
    speed = settings.number("speed")
    if speed is not None:
        connection.place.speed = speed or inf
    hush()
    screen = SchedlabApp(connection, **settings.screen_options(read_only=True, absent=ABSENT))
    screen.run()
    return screen.return_code or 0


# `schedlab demo` and `schedlab tour`: the incident on screen, and what a newcomer may do there.


def demo(given: Given) -> int:
    is_hidden = not settings_of(given).is_chosen("hints") and _mark().exists()
    return _lesson(DEMO, given, is_hidden=is_hidden)


def tour(given: Given) -> int:
    return _lesson(TOUR, given, is_hidden=False)


def _mark() -> Path:
    return platformdirs.user_state_path("schedlab") / "demo-closed"


def _lesson(lesson: Lesson, given: Given, *, is_hidden: bool) -> int:
    needs_terminal(f"schedlab play {DEADLOCK}")
    settings = settings_of(given, paused=lesson.is_paused, speed=lesson.speed)
    opener = Opener(given, settings, lesson.at)
    lines: dict[str, Any] = {"lesson": lesson.name, "is_lesson_hidden": is_hidden, "lesson_mark": _mark()}
    screen = _screen_of(opener.open(DEADLOCK), opener, settings, **lines)
    screen.run()
    return screen.return_code or 0
