"""`schedlab watch URL…`: a running cluster on the screens of a simulation, or as one line for each round."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem
from engine.live.spark_source import SparkSource
from engine.live.watch_metrics import WatchCollector, serve_metrics
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import Snapshot
from engine.recorded.polls_writer import PollsWriter
from engine.units import UnitError, parse_duration
from tui.app import SchedlabApp
from tui.commands import new_app, twin_options, watch_options
from tui.commands.cli_errors import needs_terminal, reported_errors
from tui.commands.keeping import KeptAs, Place, runs_root
from tui.commands.settings import Ascii, Config, SaveFolder, Theme
from tui.commands.token import TokenFile, token_given
from tui.commands.watch_lines import AlarmCommand, write_lines
from tui.commands.watch_options import WatchInput
from tui.commands.watch_source import acts_of, connector, live_twin, source_of
from tui.confirmation import ALWAYS
from tui.end_signals import listening
from tui.session.advice import advice_of
from tui.session.gc_tuning import settle
from tui.session.keeping import wall_time
from tui.session.live_acts import LiveActs
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.session.live_questions import LiveQuestions
from tui.session.series_place import PollKeeping
from tui.settings import UserSettings, resolve
from tui.terminal_edge import visible_line

KEEP_FOR: Final = "7d"
SHORTEST_MS: Final = 60_000

IsKept = Annotated[
    bool, typer.Option("--keep", help="Keep every poll: go back in it with [ and {; `schedlab runs open` shows it.")
]
KeepFor = Annotated[
    str | None, typer.Option("--keep-for", metavar="D", help=f"With --keep: how long polls are kept; else {KEEP_FOR}.")
]


@contextmanager
def kept_polls(
    where: Callable[[], str],
    offset_ms: int,
    *,
    is_kept: bool,
    kept_as: str | None,
    keep_for: str | None,
    place: Path | None,
) -> Iterator[PollKeeping | None]:
    """Keeps polls while the context lasts, and says under which name at its end; None where nothing is kept.

    Args:
        where: Answers `host:port` of the server.
        offset_ms: East of Greenwich, for times of day.
        kept_as: Its name; None for a free one. It implies that polls are kept, as does `keep_for`.
        keep_for: How long polls are kept, as the user wrote it.
        place: Directory of kept runs; None as settings say.

    Raises:
        ConfigError: The duration cannot be read.
    """
    if not is_kept and kept_as is None and keep_for is None:
        yield None
        return
    keep_for_ms, root = _duration(keep_for or KEEP_FOR), runs_root(place)

    def begin(first: Snapshot) -> PollsWriter:
        return PollsWriter(
            root, kept_as, first, where(), created=wall_time(), offset_ms=offset_ms, keep_for_ms=keep_for_ms
        )

    keeping = PollKeeping(begin)
    try:
        yield keeping
    finally:
        keeping.finish()
        if keeping.name:
            typer.echo(f"kept as {keeping.name}", err=True)
        if keeping.trouble:
            typer.echo(visible_line(f"schedlab: {keeping.trouble}"), err=True)


def _duration(text: str) -> int:
    try:
        found = parse_duration(text)
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--keep-for", hint="7d")]) from None
    if found < SHORTEST_MS:
        raise ConfigError([Problem(f"'{text}' is shorter than a minute", key="--keep-for", hint="7d")])
    return found


app = new_app()


@app.command()
def watch(
    urls: watch_options.Urls,
    rm_log: watch_options.RmLog = None,
    interval: watch_options.Interval = "2s",
    authority: watch_options.Authority = None,
    insecure: watch_options.Insecure = False,
    kerberos: watch_options.Kerberos = False,
    metrics: watch_options.Metrics = None,
    fair: twin_options.FairFile = None,
    capacity: twin_options.CapacityFile = None,
    site: twin_options.SiteFile = None,
    acts: watch_options.Acts = False,
    user: watch_options.User = None,
    token_file: TokenFile = None,
    alarm: watch_options.Alarms = None,
    on_alarm: watch_options.OnAlarm = None,
    headless: watch_options.Headless = False,
    every: watch_options.Every = "60s",
    rounds: watch_options.Rounds = None,
    is_kept: IsKept = False,
    kept_as: KeptAs = None,
    keep_for: KeepFor = None,
    runs: Place = None,
    ascii_only: Ascii = None,
    theme: Theme = None,
    save_folder: SaveFolder = None,
    config: Config = None,
) -> None:
    """Watch a running cluster: it is asked by REST, and only changed with --acts.

    Exit code 0: it ended as asked for; 1: the server could not be asked; 2: the input was refused; 3: with --headless,
    an alarm stands at the end; 130: interrupted.
    """
    if not headless:
        needs_terminal("schedlab watch --headless")
    with reported_errors():
        settings = resolve({"theme": theme, "ascii": ascii_only, "save_folder": save_folder}, config)
        asked = watch_options.checked(urls, interval, every, alarm or settings.rules(), on_alarm, rm_log)
        if insecure:
            typer.echo("schedlab: --insecure: any certificate is accepted; anybody in between can read along", err=True)
        files = twin_options.ClusterFiles(fair, capacity, site).checked()
        token = token_given(token_file)
        source = source_of(asked, connector(authority, insecure=insecure, kerberos=kerberos), rm_log)
        offset_ms = time.localtime().tm_gmtoff * 1000
        with kept_polls(
            lambda: source.client.where, offset_ms, is_kept=is_kept, kept_as=kept_as, keep_for=keep_for, place=runs
        ) as keeping:
            pictures = _pictures(source, asked, files, keeping)
            if metrics is not None:
                address = serve_metrics(WatchCollector(pictures.watched, lambda: pictures.hearing), metrics)
                typer.echo(f"schedlab: metrics at {address}", err=True)
            if headless:
                with listening() as interruption:
                    code = asyncio.run(write_lines(pictures, asked.every_ms / 1000, rounds, interruption))
                raise typer.Exit(code)
            asyncio.run(_first(pictures))
            allowed = acts_of(source, user or "", token) if acts else None
            _screen(_connection(pictures, source, files, allowed), settings)


def _pictures(
    source: YarnSource | SparkSource, asked: WatchInput, files: twin_options.ClusterFiles, keeping: PollKeeping | None
) -> LivePictures:
    pictures = LivePictures(
        source,
        asked.rules,
        on_alarm=AlarmCommand(asked.command),
        keeping=keeping,
        advice=advice_of(lambda: live_twin(source, pictures.whole, files)),
    )
    return pictures


def _connection(
    pictures: LivePictures,
    source: YarnSource | SparkSource,
    files: twin_options.ClusterFiles,
    allowed: LiveActs | None,
) -> LiveConnection:
    twin = live_twin(source, pictures.looked_at, files)
    questions = LiveQuestions(source, pictures.looked_at, lambda: pictures.is_present, twin=twin)
    return LiveConnection(pictures, questions, allowed, twin)


async def _first(pictures: LivePictures) -> None:
    """The first round; its connections belong to this loop and are let go."""
    try:
        await pictures.round()
    finally:
        await pictures.close()


def _screen(connection: LiveConnection, settings: UserSettings) -> None:
    screen = SchedlabApp(
        connection,
        palette=settings.text("theme"),
        ascii_only=settings.is_on("ascii"),
        read_only=connection.acts is None,
        confirm=ALWAYS,
        registry=settings.registry,
        save_folder=settings.folder("save_folder") or Path(),
    )
    settle()
    screen.run()
    raise typer.Exit(screen.return_code or 0)
