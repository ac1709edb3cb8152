"""Reads kept runs: `KeptRun` checks all of one when it is opened, and reads it while others may write it.

The scenario, what came from outside, the journal with its hash, and samples of the series are there; whatever else is
wanted is rebuilt by replay (`replayed`).
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec
from pydantic import ValidationError

from engine.errors import ConfigError, InvariantError, Problem, RefusedError
from engine.observe.journal import Fingerprint, program_version
from engine.run.run_store import (
    FILE,
    DamagedLineError,
    RunBeginning,
    RunEnd,
    RunLine,
    Samples,
    check_format,
    check_there,
    decode_other,
    decode_record,
    hash_of,
    lock_file,
    open_regular,
    read_end,
    read_lines,
    seal,
)
from engine.scenario import Scenario
from engine.simulation.build import KeptAct, build_simulation, replay_on
from engine.simulation.records import Acted, Listener, Record
from engine.simulation.simulation import Simulation
from engine.units import moment_at, zone_of

# Goes through all lines of a kept run: how far they are as they were written, and what they come to.


class Survey:
    """The sums over the lines of a run, as far as they are good."""

    def __init__(self, file: BinaryIO) -> None:
        """Go through a file that begins as ours do. Raises DamagedLineError if its first line is damaged."""
        self.damage: DamagedLineError | None = None  # the first line that is damaged
        self.end: RunEnd | None = None  # the run's own end, when it has one
        self._acts = self._records = 0
        self._journal_hash = hashlib.sha256()
        lines = read_lines(file)
        first = next(lines, None)
        beginning = None if first is None else decode_other(first)
        if not isinstance(beginning, RunBeginning) or first is None:
            raise DamagedLineError(1)
        self.beginning = beginning
        self.last: RunLine = first  # the last good line other than the end
        self.until_ms = beginning.start_ms  # up to where the lines are good [epoch ms]
        try:
            for line in lines:
                self._take(line)
        except DamagedLineError as error:
            self.damage = error

    def sums(self, failure: str = "", file_hash: str = "") -> RunEnd:
        journal_hash = self._journal_hash.hexdigest()
        return RunEnd(self.until_ms, self._acts, self._records, journal_hash, file_hash, failure)

    def _take(self, line: RunLine) -> None:
        if self.end is not None:
            raise DamagedLineError(line.number, "it stands after the end")
        if line.is_journal:
            time_ms, record = decode_record(line)
            self._journal_hash.update(line.body + b"\n")
            self._records += 1
            self._acts += isinstance(record, Acted) and record.position is not None
            self.until_ms = max(self.until_ms, time_ms)
        else:
            other = decode_other(line)
            if isinstance(other, RunEnd):
                self.end = other
                return
            if not isinstance(other, Samples):
                raise DamagedLineError(line.number, "it stands in the middle")
        self.last = line


class Repair(NamedTuple):
    damaged_line: int  # 1-based; 0 when nothing was damaged and nothing done
    records: int  # Records that are kept
    cut_bytes: int  # How much was cut off


def repair(root: Path, name: str) -> Repair:
    """Cut a run off before its first damaged line; it then ends there, and says why.

    Raises ConfigError if there is no such run, it is being written or cannot be, or its first line is damaged already.
    """
    path = check_there(root, name)
    with lock_file(path, os.O_RDWR, "repaired") as file:
        check_format(file, path / FILE)
        try:
            survey = Survey(file)
        except DamagedLineError as error:
            words = f"{error}; nothing of it can be kept"
            raise ConfigError.of(words, file=str(path / FILE), hint=f"`schedlab runs rm {name}`") from None
        if survey.damage is None:
            return Repair(0, survey.sums().records, 0)
        size, good = file.seek(0, os.SEEK_END), survey.last
        number = survey.damage.number
        end = survey.sums(f"line {number:,} was damaged", hash_of(file, good.end))
        body = msgspec.json.encode(end)
        try:
            file.truncate(good.end)
            file.seek(good.end)
            file.write(body + b"\t" + seal(good.seal, body) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            words = f"it cannot be repaired: {(error.strerror or str(error)).lower()}"
            raise ConfigError.of(words, file=str(path / FILE)) from None
        return Repair(number, end.records, size - good.end)


class RunInfo(msgspec.Struct, frozen=True):
    name: str
    scenario: str  # Name of the scenario
    title: str
    scheduler: str
    seed: int
    created: str  # When it was made, as its maker wrote it
    program: str  # Version of the program that made it
    start_ms: int  # Start of the scenario [epoch ms]
    until_ms: int  # Up to where it is known [epoch ms]
    is_whole: bool
    """Whether it was ended properly; False while it goes on, when its program was killed or could not keep it."""
    acts: int
    records: int
    journal_hash: str  # SHA-256 of all journal lines, as of a `Fingerprint`
    size_bytes: int = 0
    parent: str = ""  # The run it goes on from; empty when it began by itself
    branched_ms: int = 0  # Up to where it is as its parent [epoch ms]; 0 without one
    failure: str = ""  # Why it was not kept to its end; empty when it was, or when it is not known


class KeptRun:
    """One kept run, opened to be read; a context manager that closes it."""

    def __init__(self, root: Path, name: str) -> None:
        """Open it and check all its lines.

        Raises ConfigError if there is no such run, or it is damaged, or of another version.
        """
        self._name = name
        self._path = check_there(root, name) / FILE
        self._file = open_regular(self._path)
        with ExitStack() as undo:
            undo.callback(self.close)
            try:
                check_format(self._file, self._path)
                self.info = self._info()
            except OSError as error:
                raise self._cannot(error) from None
            undo.pop_all()

    def __enter__(self) -> "KeptRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def scenario(self) -> Scenario:
        """Return the scenario that was played. Raises ConfigError if it is damaged."""
        try:
            return Scenario.model_validate(msgspec.json.decode(self._beginning.definition))
        except (ValidationError, ConfigError, msgspec.MsgspecError, RecursionError) as error:
            words = " ".join(str(error).split())[:200]
            raise ConfigError.of(f"the scenario of this run is damaged: {words}", file=str(self._path)) from None

    def acts(self) -> list[KeptAct]:
        """Return the acts from outside, as `Simulation.acts` keeps them. Raises ConfigError if it is damaged."""
        done = (record for _, _, record in self._journal() if isinstance(record, Acted))
        acts = [(each.position, each.action) for each in done if each.position is not None]
        if any(len(position) < 2 for position, _ in acts):  # an instant, and a place in it
            raise ConfigError.of("an act of this kept run has no place in its instant", file=str(self._path))
        return acts

    def journal(self, until_ms: int | None = None) -> Iterator[bytes]:
        """The journal's lines up to and including an instant [epoch ms], each with its newline; no header.

        Raises ConfigError if it is damaged.
        """
        end_ms = self.info.until_ms if until_ms is None else until_ms
        for line, time_ms, _ in self._journal():
            if time_ms > end_ms:
                return
            yield line + b"\n"

    def contents(self, until_ms: int) -> Iterator[tuple[int, Record] | Samples]:
        """Records and samples up to and including an instant [epoch ms], in the order of the file.

        Raises ConfigError if it is damaged.
        """
        for _, held in self._lines():
            if isinstance(held, tuple) and held[0] > until_ms:
                return
            if isinstance(held, tuple | Samples):
                yield held

    def hash_until(self, time_ms: int) -> str:
        """SHA-256 of the journal's lines up to and including an instant [epoch ms]."""
        hashed = hashlib.sha256()
        for line in self.journal(time_ms):
            hashed.update(line)
        return hashed.hexdigest()

    def series(self) -> dict[str, list[tuple[int, int]]]:
        """(epoch ms, value) of each series of the history, and of each queue's used memory by its path."""
        found: dict[str, dict[int, int]] = {}
        for _, held in self._lines():
            if isinstance(held, Samples):
                for name, value in held.values.items():
                    found.setdefault(name, {})[held.time_ms] = value
        return {name: list(values.items()) for name, values in found.items()}

    def _journal(self) -> Iterator[tuple[bytes, int, Record]]:
        return ((body, *held) for body, held in self._lines() if isinstance(held, tuple))

    def _lines(self) -> Iterator[tuple[bytes, tuple[int, Record] | RunBeginning | Samples | RunEnd]]:
        try:
            for line in read_lines(self._file):
                yield line.body, decode_record(line) if line.is_journal else decode_other(line)
        except DamagedLineError as error:
            raise self._damaged(error, self.info.until_ms) from None
        except OSError as error:
            raise self._cannot(error) from None

    def _info(self) -> RunInfo:
        end = read_end(self._file)
        try:
            if end is None:
                survey = Survey(self._file)
                self._beginning = survey.beginning
                if survey.damage is not None:
                    raise self._damaged(survey.damage, survey.until_ms)
                return self._about(survey.end or survey.sums(), is_ended=survey.end is not None)
            beginning = decode_other(next(read_lines(self._file)))
            assert isinstance(beginning, RunBeginning), "its kind was looked at with the format"
            self._beginning = beginning
        except DamagedLineError as error:
            words = f"{error}; nothing of it can be read"
            raise ConfigError.of(f"this kept run is damaged: {words}", file=str(self._path)) from None
        return self._about(end, is_ended=True)

    def _about(self, end: RunEnd, *, is_ended: bool) -> RunInfo:
        known = msgspec.structs.asdict(self._beginning) | msgspec.structs.asdict(end)
        known = {key: value for key, value in known.items() if key in RunInfo.__struct_fields__}
        size = self._file.seek(0, 2)
        return RunInfo(name=self._name, size_bytes=size, is_whole=is_ended and not end.failure, **known)

    def _cannot(self, error: OSError) -> ConfigError:
        return ConfigError([Problem(f"cannot be read: {error.strerror or error}", file=str(self._path))])

    def _damaged(self, error: DamagedLineError, until_ms: int) -> ConfigError:
        until = moment_at(until_ms, zone_of(self._beginning.offset_ms))
        hint = f"`schedlab runs repair {self._name}` keeps that part"
        return ConfigError([Problem(f"{error}; good up to {until:%H:%M:%S}", file=str(self._path), hint=hint)])


def replayed(
    run: KeptRun,
    time_ms: int,
    listeners: Sequence[Listener] = (),
    begun: Callable[[Simulation], None] | None = None,
) -> Simulation:
    """The run's simulation at the end of an instant [epoch ms].

    `time_ms` is not after its end; `listeners` get everything once more; `begun` is told the simulation before it is
    played. Raises ConfigError if this program does not replay the run as it was, or the run is damaged.
    """
    fingerprint = Fingerprint()
    with checked_replay(run):
        simulation = build_simulation(run.scenario(), [fingerprint, *listeners])
        if begun is not None:
            begun(simulation)
        replay_on(simulation, run.acts(), time_ms)
    check_replayed(run, time_ms, fingerprint)
    return simulation


@contextmanager
def checked_replay(run: KeptRun) -> Iterator[None]:
    """Return a replay of a run with its own acts. Raises ConfigError if they cannot be done where they were done."""
    try:
        yield
    except (InvariantError, RefusedError) as error:
        raise _replays_otherwise(run) from error


def check_replayed(run: KeptRun, time_ms: int, fingerprint: Fingerprint) -> None:
    """Compare what a replay up to the end of an instant [epoch ms] gave with what was kept.

    Raises ConfigError if it is something else.
    """
    # The last instant of a run that was cut off may be there in part.
    is_all_there = run.info.is_whole or time_ms < run.info.until_ms
    if is_all_there and fingerprint.hexdigest() != run.hash_until(time_ms):
        raise _replays_otherwise(run)


def _replays_otherwise(run: KeptRun) -> ConfigError:
    words = f"schedlab {program_version()} does not replay run {run.info.name} as schedlab {run.info.program} kept it"
    return ConfigError([Problem(words, hint="its journal can still be exported")])
