"""`schedlab open [NAME|FILE|LOG…]`: a scenario or a log on screen; the only verb that loads textual."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import typer

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import is_a_file
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from tui.app import SchedlabApp
from tui.cli import new_app
from tui.cli import watch_source as twin_options
from tui.cli.attach import Share, shared_as
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.options import Assignments, IsKept, Journal, KeptAs, Place, Trust, keeper_of, report_kept, scenario_names
from tui.cli.settings import Ascii, Config, Confirm, Force, Paused, ReadOnly, SaveFolder, Speed, Theme
from tui.pages.choice import ScenarioEntry
from tui.protocol.session import Connection
from tui.screens.lessons import DEADLOCK, DEMO, TOUR, Lesson
from tui.session.driving import settle, settle_again
from tui.session.opening import open_session
from tui.session.session import Session
from tui.settings import Given, UserSettings, resolve
from tui.sharing.door import SharedSession
from tui.terminal.edges import is_dumb

app = new_app()


Chosen = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME|FILE|LOG…]",
        help="A packaged scenario, a TOML file, or the files of a ResourceManager's log.",
        show_default=False,
        autocompletion=scenario_names,
    ),
]
Begin = Annotated[str | None, typer.Option("--at", metavar="T", help="Begin at this time: 09:00, +30m or seconds.")]


@app.command("open")
def open_scenario(
    names: Chosen = None,
    at: Begin = None,
    speed: Speed = None,
    paused: Paused = None,
    assignments: Assignments = None,
    trust: Trust = False,
    journal: Journal = None,
    force: Force = False,
    is_kept: IsKept = False,
    kept_as: KeptAs = None,
    runs: Place = None,
    ascii_only: Ascii = None,
    read_only: ReadOnly = None,
    confirm: Confirm = None,
    theme: Theme = None,
    save_folder: SaveFolder = None,
    share: Share = False,
    fair: twin_options.FairFile = None,
    capacity: twin_options.CapacityFile = None,
    site: twin_options.SiteFile = None,
    scheduler: twin_options.Policy = None,
    config: Config = None,
) -> None:
    """Open a scenario on screen; without a name, choose one, or a drill, which is played as by `drill play`.

    The files of a log are shown as they say the cluster was; nothing is changed there, and B makes a simulation of it.
    In the screen, ? lists all keys and q leaves. With --keep all that happens is kept, each act before it is answered;
    a branch is kept as a run of its own. A terminal without a screen (TERM=dumb) gets the events instead.
    """
    needs_terminal("schedlab play")
    flags = {"theme": theme, "ascii": ascii_only, "read_only": read_only, "confirm": confirm, "speed": speed}
    flags |= {"paused": paused, "save_folder": save_folder, "runs": None if runs is None else str(runs)}
    if _is_shown_as_log(names or (), at, twin_options.ClusterFiles(fair, capacity, site, scheduler), flags, config):
        return
    name = names[0] if names else None
    if is_dumb():
        _events_player(name, at)(
            name or "",
            assignments=assignments,
            trust=trust,
            journal=journal,
            force=force,
            is_kept=is_kept,
            kept_as=kept_as,
            runs=runs,
            config=config,
        )
        return
    with ExitStack() as stack, reported_errors():
        settings, is_kept = resolve(flags, config), is_kept or kept_as is not None
        opened = Opener(settings, at, assignments or (), trust, journal, force, is_kept, kept_as)
        screen = _chosen_screen(name, opened, stack, is_shared=share)
        screen.run()
    if screen.chosen_drill:
        _play_drill(screen.chosen_drill, settings)
        return
    _report(opened.sessions, screen.return_code or 0)


def _is_shown_as_log(
    names: Sequence[str],
    at: str | None,
    files: twin_options.ClusterFiles,
    flags: Mapping[str, Given | None],
    config: Path | None,
) -> bool:
    """Show the files of a log if such are named; return True when that is done."""
    with reported_errors():
        if len(names) > 1 or any(is_a_file(Path(name)) and not name.endswith(".toml") for name in names):
            from tui.cli.open_log import open_log  # noqa: PLC0415 -- only a log pays for it
            from tui.cli.source import is_a_log  # noqa: PLC0415 -- likewise, for all formats

            if not is_a_log(names):
                return False
            open_log([Path(each) for each in names], at, resolve(flags, config), files)
            return True
        files.refuse_beside("the files of a log")
    return False


def _chosen_screen(name: str | None, opened: "Opener", stack: ExitStack, *, is_shared: bool) -> SchedlabApp:
    """The app on a scenario, else on the chooser.

    Args:
        name: The scenario; None lets the user choose.
        opened: Opens it.
        stack: What ends sharing.
        is_shared: True where others may look on.
    """
    session = None if name is None else opened.open(name)
    entries = [] if name is not None else _offered(read_only=opened.settings.is_on("read_only"))
    shown = _shared(session, stack) if is_shared else session
    return screen_of(shown, entries, opened.open, opened.settings)


def _offered(*, read_only: bool) -> list[ScenarioEntry]:
    from tui.cli.offers import offered, offered_drills  # noqa: PLC0415 -- only the chooser pays for them

    return [*offered(), *([] if read_only else offered_drills())]


def _described(entry: ScenarioEntry) -> ScenarioEntry:
    from tui.cli.offers import described  # noqa: PLC0415 -- only the chooser pays for it

    return described(entry)


def _definition(name: str) -> str:
    from tui.cli.offers import definition  # noqa: PLC0415 -- only the chooser pays for it

    return definition(name)


def _shared(session: Session | None, stack: ExitStack) -> SharedSession:
    """A session that others may look at until the stack ends."""
    if session is None:
        raise ConfigError([Problem("name the scenario that is shared", key="--share")])
    run = session.driver.state
    return SharedSession(session, stack.enter_context(shared_as(run.name)), run.title)


def _report(sessions: Sequence[Session], code: int) -> None:
    kept = [session.keeping for session in sessions]
    names = [name for one in kept for name in one.names]
    report_kept(names, [trouble for one in kept for trouble in one.troubles], code)


def _play_drill(name: str, settings: UserSettings) -> None:
    from engine.training.drill import load_drill  # noqa: PLC0415 -- only a drill pays for it
    from tui.cli.drill_play import history_folder, this_trainee  # noqa: PLC0415 -- likewise, for what plays one
    from tui.cli.drill_screen import play_on_screen  # noqa: PLC0415 -- likewise, for its screens

    with reported_errors():
        play_on_screen(load_drill(name), history_folder(None), this_trainee(None), settings)


def _events_player(name: str | None, at: str | None) -> Callable[..., None]:
    problem = None
    if name is None:
        problem = Problem("this terminal has no screen to choose on", key="NAME", hint="schedlab scenario list")
    elif at is not None:
        problem = Problem("this terminal has no screen", key="--at", hint="schedlab snapshot --at")
    with reported_errors():
        if problem is not None:
            raise ConfigError([problem])
    typer.echo("schedlab: this terminal has no screen (TERM=dumb); events are written, as by `schedlab play`", err=True)
    from tui.cli.play import play_scenario  # noqa: PLC0415 -- a screen needs none of it

    return play_scenario


@dataclass(frozen=True)
class Opener:
    """Opens sessions as the command line says."""

    settings: UserSettings
    at: str | None
    overrides: Sequence[str] = ()
    is_trusted: bool = False
    journal: Path | None = None
    replaces_journal: bool = False
    is_kept: bool = False  # Whether they are kept
    keep_as: str | None = None  # Name under which the first is; None for a free one
    sessions: list[Session] = field(default_factory=list)  # The sessions opened so far

    def open(self, chosen: str) -> Session:
        """A session on a scenario by packaged name or path."""
        speed = self.settings.number("speed")
        session = open_session(
            chosen,
            at=self.at,
            speed=inf if speed == 0 else speed,
            paused=self.settings.is_on("paused"),
            overrides=self.overrides,
            is_trusted=self.is_trusted,
            journal=self.journal,
            replaces_journal=self.replaces_journal,
            keep=self._keep if self.is_kept else None,
        )
        self.sessions.append(session)
        if len(self.sessions) == 1:
            settle()
        else:
            settle_again()
        return session

    def _keep(self, scenario: Scenario) -> RunWriter:
        name = None if self.sessions else self.keep_as
        return keeper_of(scenario, name, self.settings.folder("runs"))


def screen_of(
    session: Connection | None,
    entries: list[ScenarioEntry],
    opened: Callable[[str], Session],
    settings: UserSettings,
    **options: Any,
) -> SchedlabApp:
    """The app on a session, else on the chooser, as the settings say; further `options` as of the app's."""
    return SchedlabApp(
        session,
        entries=entries,
        open_session=opened,
        definition=_definition,
        fill=_described,
        palette=settings.text("theme"),
        ascii_only=settings.is_on("ascii"),
        read_only=settings.is_on("read_only"),
        registry=settings.registry,
        save_folder=settings.folder("save_folder") or Path(),
        confirm=settings.text("confirm"),
        tries_remedies=True,
        **options,
    )


# `schedlab demo` and `schedlab tour`: the incident on screen, and what a newcomer may do there.

demo = new_app()
tour = new_app()
Again = Annotated[bool, typer.Option("--again", help="Say what to try, also if it was hidden.")]


@demo.command("demo")
def show_demo(
    again: Again = False,
    speed: Speed = None,
    ascii_only: Ascii = None,
    theme: Theme = None,
    save_folder: SaveFolder = None,
    config: Config = None,
) -> None:
    """Watch a cluster freeze.

    It begins a minute before, stops when nothing is allocated any more, and says in three lines what to try; esc does
    not show these again.
    """
    _open(DEMO, speed, ascii_only, theme, save_folder, config, is_hidden=not again and _mark().exists())


@tour.command("tour")
def show_tour(
    ascii_only: Ascii = None, theme: Theme = None, save_folder: SaveFolder = None, config: Config = None
) -> None:
    """Learn the screen in five minutes: eight steps on a frozen cluster, each waits for your own key."""
    _open(TOUR, None, ascii_only, theme, save_folder, config)


def _mark() -> Path:
    return platformdirs.user_state_path("schedlab") / "demo-closed"


def _open(
    lesson: Lesson,
    speed: float | None,
    ascii_only: bool | None,
    theme: str | None,
    save_folder: str | None,
    config: Path | None,
    *,
    is_hidden: bool = False,
) -> None:
    needs_terminal("schedlab play")
    flags = {
        "theme": theme,
        "ascii": ascii_only,
        "paused": lesson.is_paused,
        "speed": lesson.speed if speed is None else speed,
        "save_folder": save_folder,
    }
    with reported_errors():
        settings = resolve(flags, config)
        opener = Opener(settings, lesson.at)
        lines = {"lesson": lesson.name, "is_lesson_hidden": is_hidden, "lesson_mark": _mark()}
        screen = screen_of(opener.open(DEADLOCK), [], opener.open, settings, **lines)
    screen.run()
    raise typer.Exit(screen.return_code or 0)
