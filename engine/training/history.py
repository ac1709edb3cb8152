"""What each trainee scored, kept on this machine: a file of JSON lines for each, added to and never changed.

A line that was cut off, by a full disk for example, is passed over.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from engine.errors import ConfigError, OutputError, Problem, quoted
from engine.training.debrief import Debrief
from engine.training.drill import DrillScenario

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class PlayedDrill(msgspec.Struct, frozen=True):
    """One exercise, as kept."""

    drill: str
    when: str
    """ISO 8601, the wall clock."""
    score: int
    solved_s: float | None
    """Seconds of the cluster's time; None: not solved."""
    steps: tuple[str, ...] = ()
    """What was done, as JSON lines; `drill replay` takes them."""
    seed: int | None = None
    """Of `--vary`; None: the drill's own."""


def history_file(folder: Path, trainee: str) -> Path:
    """The file of a trainee.

    Raises:
        ConfigError: It cannot be the name of a trainee.
    """
    if NAME.fullmatch(trainee) is None:
        hint = "letters, digits, points, dashes and underlines, at most 64"
        raise ConfigError([Problem(f"{quoted(trainee)} cannot name a trainee", key="--trainee", hint=hint)])
    return folder / f"{trainee}.jsonl"


def keep_played(folder: Path, trainee: str, played: PlayedDrill) -> None:
    """Add an exercise to a trainee's file, which only its owner can read.

    Raises:
        ConfigError: It cannot be the name of a trainee.
        OutputError: It cannot be written.
    """
    path = history_file(folder, trainee)
    line = msgspec.json.encode(played) + b"\n"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        with path.open("ab") as file:
            file.write(line)
    except OSError as error:
        raise OutputError(str(path), error) from None


def read_history(folder: Path, trainee: str) -> tuple[PlayedDrill, ...]:
    """What a trainee played, oldest first; nothing when there is no file.

    Raises:
        ConfigError: The file cannot be read.
    """
    path = history_file(folder, trainee)
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise ConfigError([Problem(f"cannot be read: {(error.strerror or '').lower()}", str(path))]) from None
    return tuple(played for line in lines if (played := _read(line)) is not None)


def _read(line: bytes) -> PlayedDrill | None:
    try:
        return msgspec.json.decode(line, type=PlayedDrill)
    except msgspec.DecodeError:
        return None


def played_of(debrief: Debrief, when: str, steps: Sequence[str], seed: int | None = None) -> PlayedDrill:
    """An exercise as it is kept."""
    solved_ms = debrief.score.solved_ms
    solved_s = None if solved_ms is None else solved_ms / 1000
    return PlayedDrill(debrief.name, when, debrief.score.total, solved_s, tuple(steps), seed)


def best(history: Sequence[PlayedDrill], drill: str) -> PlayedDrill | None:
    """The best exercise of a drill, the first of equal ones; None when it was never played."""
    return max((one for one in history if one.drill == drill), key=lambda one: one.score, default=None)


def next_drill(history: Sequence[PlayedDrill], ordered: Sequence[str]) -> str | None:
    """The drill to take next: the first, in the order they are best taken, that was not solved; None after the last."""
    solved = {one.drill for one in history if one.solved_s is not None}
    return next((name for name in ordered if name not in solved), None)


def in_order(drills: list[DrillScenario]) -> list[DrillScenario]:
    """Drills by difficulty, each after the one to take before it."""
    ranks = {"first shift": 0, "practised": 1, "expert": 2}
    waiting = sorted(drills, key=lambda drill: (ranks[drill.drill.difficulty], drill.drill.minutes, drill.name))
    names = {drill.name for drill in drills}
    ordered: list[DrillScenario] = []
    while waiting:
        taken = {drill.name for drill in ordered}
        free = [one for one in waiting if one.drill.before is None or one.drill.before in taken - {one.name}]
        free = free or [one for one in waiting if one.drill.before not in names] or waiting
        ordered.append(free[0])
        waiting.remove(free[0])
    return ordered
