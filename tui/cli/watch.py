"""`schedlab watch URL`: a running cluster on the screens of a simulation, or as one line for each round."""

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
from typing import Any, Final

import msgspec

from engine.errors import ConfigError, SourceError
from engine.live.alarms import Alarm
from engine.live.inference import holders_of
from engine.live.watch_collector import WatchCollector, serve_metrics
from engine.observe.documents import row_object
from engine.observe.snapshot import SOME_NODE, Snapshot
from engine.observe.snapshots import waits_of
from engine.recorded.polls_writer import PollsWriter
from engine.units import parse_duration
from tui.app import SchedlabApp
from tui.cli.grammar import Given
from tui.cli.listening import port_of, token_given
from tui.cli.live import acts_of, live_cluster, live_twin
from tui.cli.source import AUTO, NamedSource, asked, runs_folder, settings_of
from tui.cli.talk import hush, needs_terminal, note, warn
from tui.protocol.session import cancel_all
from tui.report.snapshot_text import counts_words
from tui.session.advice import LiveQuestions, advice_of
from tui.session.driving import settle
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.session.run_saver import wall_time
from tui.session.series import PollKeeping
from tui.settings import ALWAYS
from tui.terminal.edges import Interruption, listening
from tui.terminal.format import clock

LINES: Final = ("rounds", "on-alarm", "output")  # Options that are for a watch without a screen


def watch(given: Given) -> int:
    source, targets = asked(given)
    if any(each.file is not None for each in targets.found):
        raise ConfigError.of("lines go to stdout", key="-o", hint="-o jsonl > FILE")
    by_lines = not sys.stdout.isatty() or any(given.is_on(each) for each in LINES)
    if not by_lines or given.text("output") == "screen":
        return on_screen(source, given)
    form = "jsonl" if targets.on_stdout == "screen" else targets.on_stdout
    return _watched(source, given, form)


def on_screen(source: NamedSource, given: Given) -> int:
    needs_terminal(f"schedlab watch {source.name} -o jsonl")
    return _watched(source, given, "")


def _watched(source: NamedSource, given: Given, form: str) -> int:
    settings = settings_of(given)
    live = live_cluster(source.urls, given, source.cluster, given.many("alarm") or settings.rules())
    own = source.cluster
    token = token_given(
        given.path("token-file") or (Path(own.token_file).expanduser() if own and own.token_file else None)
    )
    server = live.source()
    offset_ms = time.localtime().tm_gmtoff * 1000
    with _kept_polls(lambda: server.client.where, offset_ms, given) as keeping:
        pictures = LivePictures(
            server,
            live.rules,
            on_alarm=AlarmCommand(live.command),
            keeping=keeping,
            advice=advice_of(lambda: live_twin(server, pictures.whole, live.files)),
        )
        if given.is_on("listen"):
            address = serve_metrics(WatchCollector(pictures.watched, lambda: pictures.hearing), port_of(given, 0))
            note(f"schedlab: metrics at {address}")
        if form:
            with listening() as interruption:
                every_s = live.every_ms / 1000
                return asyncio.run(_write_lines(pictures, every_s, given.whole("rounds"), interruption, form))
        asyncio.run(_first(pictures))
        user = given.text("user") or (own.user if own else "")
        allowed = acts_of(server, user, token) if given.is_on("acts") else None
        twin = live_twin(server, pictures.looked_at, live.files)
        questions = LiveQuestions(server, pictures.looked_at, lambda: pictures.is_present, twin=twin)
        connection = LiveConnection(pictures, questions, allowed, twin)
        screen = SchedlabApp(connection, **settings.screen_options(read_only=allowed is None, confirm=ALWAYS))
        settle()
        hush()
        screen.run()
        return screen.return_code or 0


async def _first(pictures: LivePictures) -> None:
    try:
        await pictures.round()
    finally:
        await pictures.close()


# A watch without a screen: one JSON line for each round on stdout, and an exit code for scripts.

LONGEST_S: Final = 60.0  # How long a command may run
MOST: Final = 8  # Commands that run at once; alarms beyond are left out, and said


class AlarmCommand:
    def __init__(self, command: Sequence[str], longest_s: float = LONGEST_S) -> None:
        self._command, self._longest_s = command, longest_s
        self._running: list[subprocess.Popen[bytes]] = []

    def __call__(self, alarm: Alarm) -> subprocess.Popen[bytes] | None:
        self._running = [each for each in self._running if each.poll() is None]
        if not self._command:
            return None
        if len(self._running) >= MOST:
            warn(f"schedlab: --on-alarm: {MOST} commands run already; an alarm is left out")
            return None
        try:
            with TemporaryFile() as file:
                file.write(msgspec.json.encode(alarm))
                file.seek(0)
                process = subprocess.Popen(self._command, stdin=file, stdout=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            warn(f"schedlab: --on-alarm: {self._command[0]}: {error.strerror}")
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

ALARMED: Final = 1  # Exit code of a watch that ends while an alarm stands


async def _write_lines(
    pictures: LivePictures, every_s: float, rounds: int | None, interruption: Interruption, form: str = "jsonl"
) -> int:
    """One line for each round; the exit code. A first round that fails ends it."""
    try:
        if not await _heeding(pictures, interruption, form):
            return interruption.code
        for _ in count() if rounds is None else range(rounds - 1):
            await _wait(every_s, interruption)
            if interruption.came() or not await _try(pictures, interruption, form):
                return interruption.code
    finally:
        await pictures.close()
    return ALARMED if pictures.watched.alarms.active_alarms else 0


async def _try(pictures: LivePictures, interruption: Interruption, form: str) -> bool:
    try:
        return await _heeding(pictures, interruption, form)
    except SourceError as error:
        warn(f"schedlab: {error}")
        return True


async def _heeding(pictures: LivePictures, interruption: Interruption, form: str) -> bool:
    task = asyncio.create_task(pictures.round())
    while not task.done() and not interruption.came():
        await asyncio.wait({task}, timeout=LOOK_S)
    if not task.done():
        await cancel_all(task)
        return False
    _write(task.result(), pictures, form)
    return True


def _write(snapshot: Snapshot, pictures: LivePictures, form: str) -> None:
    for each in filter(None, (*pictures.notes, pictures.late)):
        warn(f"schedlab: {each}")
    line = json.dumps(_line(snapshot, pictures), ensure_ascii=False) if form == "jsonl" else _words(snapshot, pictures)
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _wait(seconds: float, interruption: Interruption) -> None:
    while seconds > 0 and not interruption.came():
        await asyncio.sleep(min(LOOK_S, seconds))
        seconds -= LOOK_S


def _line(snapshot: Snapshot, pictures: LivePictures) -> dict[str, Any]:
    dimensions, hearing = snapshot.header.dimensions, pictures.hearing
    return {
        **row_object(snapshot.header, dimensions),
        "holders": list(holders_of(snapshot)),
        "held": {row.node: row.application for row in snapshot.reservations() if row.node != SOME_NODE},
        "held_somewhere": Counter(row.application for row in snapshot.reservations() if row.node == SOME_NODE),
        "alarms": [msgspec.to_builtins(alarm) for alarm in pictures.watched.alarms.active_alarms],
        "answered_in_ms": hearing.took_ms,
        "cost_ms": hearing.cost_ms,
    }


def _words(snapshot: Snapshot, pictures: LivePictures) -> str:
    when = clock(snapshot.header.time_ms, time.localtime().tm_gmtoff * 1000)
    alarms = "".join(f"  ALARM {each.rule}" for each in pictures.watched.alarms.active_alarms)
    return f"{when} {counts_words(snapshot.header, waits_of(snapshot.applications(why=False)))}{alarms}"


@contextmanager
def _kept_polls(where: Callable[[], str], offset_ms: int, given: Given) -> Iterator[PollKeeping | None]:
    if not given.is_on("keep"):
        yield None
        return
    keep_for_ms, root = parse_duration(settings_of(given).text("keep_for")), runs_folder(given)
    kept_as = None if given.text("keep") == AUTO else given.text("keep")

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
            warn(f"kept as {keeping.name}")
        if keeping.trouble:
            warn(f"schedlab: {keeping.trouble}")
