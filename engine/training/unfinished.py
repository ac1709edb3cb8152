"""Exercises that are being played, step by step in a file each: a program that is killed loses none."""

import fcntl
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Self, TextIO

import msgspec

from engine.errors import ConfigError, EngineError, OutputError
from engine.training.drill import load_drill
from engine.training.records import keep_played, played_of
from engine.training.score import RecordPlayer
from engine.training.steps import RecordedStep, written_steps
from engine.training.variation import as_played
from engine.units import span

FOLDER: Final = "unfinished"  # Below that of the histories


class BegunExercise(msgspec.Struct, frozen=True):
    """The first line of such a file."""

    trainee: str
    drill: str  # Packaged name, or absolute path of its file
    when: str  # ISO 8601, the wall clock
    seed: int | None = None
    is_exam: bool = False


class UnfinishedFile:
    """The file of one exercise, locked while its program lives; a context manager that removes it."""

    def __init__(self, folder: Path, begun: BegunExercise, name: str) -> None:
        """Begin a file below the folder of the histories. Raises OutputError if it cannot be written."""
        self._path = folder / FOLDER / f"{name}.jsonl"
        self._kept = 0
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._file = self._path.open("wb", buffering=0)
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError as error:
            raise OutputError(str(self._path), error) from None
        self._write(msgspec.json.encode(begun).decode())

    def keep(self, steps: Sequence[RecordedStep]) -> None:
        """Write the steps that came since the last call. Raises OutputError if they cannot be written."""
        for line in written_steps(steps[self._kept :]):
            self._write(line)
        self._kept = len(steps)

    def _write(self, line: str) -> None:
        try:
            _ = self._file.write(f"{line}\n".encode())
        except OSError as error:
            raise OutputError(str(self._path), error) from None

    def remove(self) -> None:
        """Remove it, as the exercise is kept or nothing was done; nothing may be written to it any more."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def recover(folder: Path) -> Iterator[str]:
    """Add every exercise whose program was killed to its trainee's history; a sentence about each."""
    for path in sorted((folder / FOLDER).glob("*.jsonl")):
        try:
            with path.open("r+", encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                said = _recovered(folder, file)
        except BlockingIOError:
            continue  # it is still played
        except (EngineError, OSError, ValueError, msgspec.MsgspecError) as error:
            yield f"{path} cannot be read: {error.first_line if isinstance(error, ConfigError) else error}"
            continue
        path.unlink(missing_ok=True)
        if said:
            yield said


def _recovered(folder: Path, file: TextIO) -> str:
    """Keep the exercise of a file as if it had ended with its last step; empty where nothing was done."""
    first, *lines = file.read().splitlines()
    begun = msgspec.json.decode(first, type=BegunExercise)
    if not lines:
        return ""
    drill = as_played(load_drill(begun.drill), begun.seed, is_exam=begun.is_exam)
    exercise, yardstick = RecordPlayer(drill).play(lines)
    score = yardstick.score(exercise)
    keep_played(folder, begun.trainee, played_of(drill, score, begun.when, lines, begun.seed))
    verdict = f"exam {score.verdict}" if drill.is_exam else score.verdict
    return f"{drill.name} of {begun.trainee} was cut off at +{span(exercise.log[-1].at_ms)}; it is kept: {verdict}"
