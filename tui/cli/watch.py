"""`schedlab watch URL…`: a running cluster on the screens of a simulation, or as one line for each round."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import Annotated, Any, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem, SourceError
from engine.live.alarms import Alarm
from engine.live.inference import holders_of
from engine.live.spark import SparkSource
from engine.live.watch_metrics import WatchCollector, serve_metrics
from engine.live.yarn_source import YarnSource
from engine.observe.documents import row_object
from engine.observe.snapshot import SOME_NODE, Snapshot
from engine.recorded.polls_writer import PollsWriter
from engine.units import UnitError, parse_duration
from tui.app import SchedlabApp
from tui.cli import new_app
from tui.cli import watch_source as twin_options
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.options import KeptAs, Place, runs_root
from tui.cli.serve import TokenFile, token_given
from tui.cli.settings import Ascii, Config, SaveFolder, Theme
from tui.cli.watch_source import WatchInput, acts_of, connector, live_twin, source_of
from tui.protocol.form import ALWAYS
from tui.session.advice import LiveQuestions, advice_of
from tui.session.driving import settle
from tui.session.keeping import wall_time
from tui.session.live_acts import LiveActs
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.session.series import PollKeeping
from tui.settings import UserSettings, resolve
from tui.terminal.edges import Interruption, listening, visible_line

# A watch without a screen: one JSON line for each round on stdout, and an exit code for scripts.

LONGEST_S: Final = 60.0  # How long a command may run
MOST: Final = 8  # Commands that run at once; alarms beyond are left out, and said


class AlarmCommand:
    """Begins a command for each alarm."""

    def __init__(self, command: Sequence[str], longest_s: float = LONGEST_S) -> None:
        """Begin nothing yet. `command` is a program and its arguments; empty for none."""
        self._command, self._longest_s = command, longest_s
        self._running: list[subprocess.Popen[bytes]] = []

    def __call__(self, alarm: Alarm) -> subprocess.Popen[bytes] | None:
        """Begin the command, which reads the alarm as JSON from a file; None where it does not begin."""
        self._running = [each for each in self._running if each.poll() is None]
        if not self._command:
            return None
        if len(self._running) >= MOST:
            typer.echo(f"schedlab: --on-alarm: {MOST} commands run already; an alarm is left out", err=True)
            return None
        try:
            with TemporaryFile() as file:
                file.write(msgspec.json.encode(alarm))
                file.seek(0)
                process = subprocess.Popen(self._command, stdin=file, stdout=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            typer.echo(f"schedlab: --on-alarm: {self._command[0]}: {error.strerror}", err=True)
            return None
        self._running.append(process)
        end = Timer(self._longest_s, _kill, [process])
        end.daemon = True
        end.start()
        return process


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


LOOK_S: Final = 0.2  # How often a wait looks whether the program is to end

ALARMED: Final = 3  # Exit code of a watch that ends while an alarm stands


async def write_lines(pictures: LivePictures, every_s: float, rounds: int | None, interruption: Interruption) -> int:
    """One line for each round; the exit code. A first round that fails ends it.

    Raises:
        SourceError: The first round was not answered.
    """
    try:
        if not await _heeding(pictures, interruption):
            return 128 + interruption.signal
        for _ in count() if rounds is None else range(rounds - 1):
            await _wait(every_s, interruption)
            if interruption.came() or not await _try(pictures, interruption):
                return 128 + interruption.signal
    finally:
        await pictures.close()
    return ALARMED if pictures.watched.alarms.standing else 0


async def _try(pictures: LivePictures, interruption: Interruption) -> bool:
    """Another round, or why there is none; False where it was interrupted."""
    try:
        return await _heeding(pictures, interruption)
    except SourceError as error:
        typer.echo(f"schedlab: {visible_line(str(error))}", err=True)
        return True


async def _heeding(pictures: LivePictures, interruption: Interruption) -> bool:
    """Write a round, unless the program is to end before it is answered; whether it was."""
    task = asyncio.create_task(pictures.round())
    while not task.done() and not interruption.came():
        await asyncio.wait({task}, timeout=LOOK_S)
    if not task.done():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return False
    _write(task.result(), pictures)
    return True


def _write(snapshot: Snapshot, pictures: LivePictures) -> None:
    for note in filter(None, (*pictures.notes, pictures.late)):
        typer.echo(f"schedlab: {visible_line(note)}", err=True)
    sys.stdout.write(json.dumps(_line(snapshot, pictures), ensure_ascii=False) + "\n")
    sys.stdout.flush()


async def _wait(seconds: float, interruption: Interruption) -> None:
    while seconds > 0 and not interruption.came():
        await asyncio.sleep(min(LOOK_S, seconds))
        seconds -= LOOK_S


def _line(snapshot: Snapshot, pictures: LivePictures) -> dict[str, Any]:
    """A round as one object: the cluster, reservations and who holds them, alarms that stand, what it cost."""
    dimensions, hearing = snapshot.header.dimensions, pictures.hearing
    return {
        **row_object(snapshot.header, dimensions),
        "holders": list(holders_of(snapshot)),
        "held": {row.node: row.application for row in snapshot.reservations() if row.node != SOME_NODE},
        "held_somewhere": Counter(row.application for row in snapshot.reservations() if row.node == SOME_NODE),
        "alarms": [msgspec.to_builtins(alarm) for alarm in pictures.watched.alarms.standing],
        "answered_in_ms": hearing.took_ms,
        "cost_ms": hearing.cost_ms,
    }


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
    urls: twin_options.Urls,
    rm_log: twin_options.RmLog = None,
    interval: twin_options.Interval = "2s",
    authority: twin_options.Authority = None,
    insecure: twin_options.Insecure = False,
    kerberos: twin_options.Kerberos = False,
    metrics: twin_options.Metrics = None,
    fair: twin_options.FairFile = None,
    capacity: twin_options.CapacityFile = None,
    site: twin_options.SiteFile = None,
    acts: twin_options.Acts = False,
    user: twin_options.User = None,
    token_file: TokenFile = None,
    alarm: twin_options.Alarms = None,
    on_alarm: twin_options.OnAlarm = None,
    headless: twin_options.Headless = False,
    every: twin_options.Every = "60s",
    rounds: twin_options.Rounds = None,
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
        asked = twin_options.checked(urls, interval, every, alarm or settings.rules(), on_alarm, rm_log)
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
