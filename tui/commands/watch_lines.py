"""A watch without a screen: one JSON line for each round on stdout, and an exit code for scripts."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from tempfile import TemporaryFile
from threading import Timer
from typing import Any, Final

import msgspec
import typer

from engine.errors import SourceError
from engine.live.alarm_rules import Alarm
from engine.live.scene import holders_of
from engine.observe.snapshot import SOME_NODE, Snapshot
from engine.observe.snapshot_document import row_object
from tui.end_signals import Interruption
from tui.session.live_pictures import LivePictures
from tui.terminal_edge import visible_line

LONGEST_S: Final = 60.0
"""How long a command may run."""
MOST: Final = 8
"""Commands that run at once; alarms beyond are left out, and said."""


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
    """End a command and what it began, if it has not ended."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


LOOK_S: Final = 0.2
"""How often a wait looks whether the program is to end."""

ALARMED: Final = 3
"""Exit code of a watch that ends while an alarm stands."""


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
