"""The directory of kept runs: a directory for each with its file, made for its user only, found, deleted."""

import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from engine.errors import ConfigError, Problem
from engine.observe.history import History
from engine.observe.snapshots import keep_plans_of
from engine.run.player import Run
from engine.run.run_file import FILE, PART, open_regular
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.simulation.timeline import Timeline

# A run whose past is kept: its timeline, its history for graphs, and the plans of a Spark Master.

SLICE_MS: Final = 10_000  # How much is played between two copies for the timeline, at most [simulated ms]
PLANS_UP_TO: Final = 200
"""Workers up to which the passes of a Spark Master are remembered; on a large cluster that would cost much."""
PLANS_KEPT: Final = 100  # How many of the latest passes are
Progressed = Callable[[int, int], object]  # Told how far a run is, and where it is played to [ms after the start]


class RecordedRun(NamedTuple):
    """A run and what is kept of its past, from where it stood when it was recorded first."""

    run: Run
    timeline: Timeline
    history: History

    @classmethod
    def begin(
        cls,
        scenario: Scenario,
        listeners: Sequence[Listener] = (),
        until_ms: int | None = None,
        history: History | None = None,
    ) -> "RecordedRun":
        """A run that has not begun, without expectations: whoever looks sees what happens.

        `until_ms` is its end after the start, None the scenario's own; `history` keeps its past for graphs, and begins
        with nothing; None makes one. Raises ConfigError if the scheduler refuses the scenario's settings.
        """
        history = history or History()
        return cls._of(Run(scenario, [*listeners, history], until_ms, is_judged=False), history)

    @classmethod
    def of(cls, run: Run) -> "RecordedRun":
        """A run that others drive, recorded from where it stands."""
        history = History()
        run.simulation.listeners.append(history)
        return cls._of(run, history)

    @classmethod
    def _of(cls, run: Run, history: History) -> "RecordedRun":
        simulation = run.simulation
        history.follow(simulation.control_plane, simulation.now_ms)
        if len(simulation.world.nodes) <= PLANS_UP_TO:
            keep_plans_of(simulation.control_plane, PLANS_KEPT)
        return cls(run, Timeline(simulation), history)

    def advance(self, to_ms: int) -> None:
        """Play one slice, not beyond an instant [ms after the start]."""
        self.timeline.timed(partial(self.run.advance, min(self.run.now_ms + SLICE_MS, to_ms)))


NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def directory(root: Path, name: str) -> Path:
    """The directory of a run. Raises ConfigError if it cannot be a run's name."""
    if NAME.fullmatch(name) is None:
        hint = "letters, digits, points, dashes and underlines, at most 64"
        raise ConfigError([Problem(f"{name!r} cannot name a run", hint=hint)])
    return root / name


def names(root: Path) -> list[str]:
    """The runs below a directory, oldest first; none when it is not there. Raises ConfigError if it cannot be read."""
    try:
        found = [path for path in root.iterdir() if NAME.fullmatch(path.name) and os.path.lexists(path / FILE)]
        return [path.name for path in sorted(found, key=lambda path: (path.lstat().st_mtime_ns, path.name))]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _failed("cannot be read", error, root) from None


def check_there(root: Path, name: str) -> Path:
    """The directory of a run that is there. Raises ConfigError if there is none of this name."""
    path = directory(root, name)
    if not os.path.lexists(path / FILE):
        known = names(root)
        hint = f"there is {', '.join(known)}" if known else f"no run is kept in {root}"
        raise ConfigError([Problem(f"there is no run {name}", hint=hint)])
    return path


def make_directory(root: Path, candidates: Iterable[str]) -> Path:
    """Make the directory of a new run, under the first of some names that is free.

    `root` is the directory of all runs, made when it is not there; `candidates` are tried in their order. Raises
    ConfigError if all are taken, or nothing can be made there.
    """
    path = root
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        root.mkdir(mode=0o700, exist_ok=True)
        for name in candidates:
            path = directory(root, name)
            try:
                path.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return path
    except OSError as error:
        raise _failed("cannot be made", error, path) from None
    hint = "choose another name, or delete that run"
    raise ConfigError([Problem(f"there is a run {path.name} already", file=str(path), hint=hint)])


def free_names(scenario: str) -> Iterable[str]:
    """Names for another run of a scenario, in the order they are tried."""
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", scenario)[:56].lstrip("._-") or "run"
    return (f"{stem}-{number}" for number in count(1))


def create_file(path: Path) -> int:
    """Create the file of a new run in its directory, locked as long as it is open; its handle.

    Raises OSError if it cannot be created.
    """
    handle = os.open(path / FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    lock(handle)
    return handle


def lock(handle: int) -> bool:
    """Take a run's file for oneself; False when somebody else is writing it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True


def lock_file(path: Path, mode: int, what: str) -> BinaryIO:
    """Open a run's file for oneself. `what` is about to be done, for the refusal.

    Raises ConfigError if it is being written, or is no regular file.
    """
    file = open_regular(path / FILE, mode)
    if not lock(file.fileno()):
        file.close()
        raise ConfigError([Problem(f"it is being written and cannot be {what}", file=str(path), hint="end it first")])
    return file


def check_deletable(root: Path, name: str) -> Path:
    """The directory of a run, also a damaged one, that can be deleted.

    Raises ConfigError if there is no such run, it is being written, it is a link, or its directory holds other files.
    """
    path = check_there(root, name)
    if path.is_symlink():
        raise ConfigError([Problem("it is a link and not deleted", file=str(path), hint="delete the link by hand")])
    try:
        others = sorted(
            other.name for other in path.iterdir() if other.name != FILE and PART.fullmatch(other.name) is None
        )
        is_file = stat.S_ISREG((path / FILE).lstat().st_mode)
    except OSError as error:
        raise _failed("cannot be deleted", error, path) from None
    if others:
        words = f"it cannot be deleted: there are other files in its directory, {', '.join(others[:5])}"
        raise ConfigError([Problem(words, file=str(path))])
    if not is_file:
        raise ConfigError([Problem("it cannot be deleted: it is not a regular file", file=str(path / FILE))])
    lock_file(path, os.O_RDONLY, "deleted").close()
    return path


def delete(root: Path, name: str) -> None:
    """Delete a run, also a damaged one, and nothing else.

    Raises ConfigError as `check_deletable`, or it cannot be deleted.
    """
    path = check_deletable(root, name)
    try:
        for part in [each for each in path.iterdir() if PART.fullmatch(each.name) is not None]:
            part.unlink()
        (path / FILE).unlink()
        path.rmdir()
    except OSError as error:
        raise _failed("cannot be deleted", error, path) from None


def _failed(what: str, error: OSError, path: Path) -> ConfigError:
    return ConfigError([Problem(f"it {what}: {(error.strerror or str(error)).lower()}", file=str(path))])
