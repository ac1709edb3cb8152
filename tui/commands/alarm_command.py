"""Runs the user's command for an alarm: never waited for, not too many at once, killed after a time."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from threading import Timer
from typing import Final

import msgspec
import typer

from engine.live.alarm_rules import Alarm

LONGEST_S: Final = 60.0
"""How long a command may run."""
MOST: Final = 8
"""Commands that run at once; alarms beyond are left out, and said."""


class AlarmCommand:
    """Begins a command for each alarm."""

    def __init__(self, command: Sequence[str], longest_s: float = LONGEST_S) -> None:
        """Begin nothing yet.

        Args:
            command: Program and arguments; empty for none.
            longest_s: How long it may run.
        """
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
