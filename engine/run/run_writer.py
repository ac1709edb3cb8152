"""Writes a run to disk while it goes on: a listener that writes what `run_reader` reads.

The records of an instant are handed to the operating system before the next one begins, so a program that is killed
loses nothing. `sync` waits until all of it is on disk.
"""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Final, Self

import msgspec

from engine.errors import ConfigError, Problem
from engine.observe.history import History
from engine.observe.journal import program_version
from engine.run.run_reader import KeptRun
from engine.run.run_store import (
    FILE,
    FORMAT,
    MAX_LINE,
    RunBeginning,
    RunEnd,
    Samples,
    SealedFile,
    create_file,
    free_names,
    make_directory,
)
from engine.scenario import Scenario
from engine.simulation.records import Acted, Record
from engine.simulation.simulation import Simulation

SAMPLES: Final = 2000  # Samples of each series over the scenario's duration, at most

_ENCODE: Final = msgspec.json.Encoder().encode


class RunWriter:
    """Writes one run; a context manager that closes the file.

    When the disk does not take it any more it is kept no longer: `failure` says why, and what was written stays. Series
    are sampled from `history`, which is a listener after this one.
    """

    def __init__(
        self, root: Path, name: str | None, scenario: Scenario, *, created: str, parent: str = "", branched_ms: int = 0
    ) -> None:
        """Begin a new run.

        Args:
            root: Directory of all runs; made when it is not there.
            name: Its name; None for the first free one after the scenario's.
            created: When, for people to read.
            parent: The run it goes on from, whose records this one must get, too.
            branched_ms: Up to where it is as its parent [epoch ms].

        Raises:
            ConfigError: There is a run of this name, or nothing can be written there.
        """
        self._file: SealedFile | None = None
        self.failure = ""  # why it is no longer kept; empty as long as it is
        self._root, self._scenario = root, scenario
        self._every_ms = max(1, scenario.duration_ms // SAMPLES)
        self.history = History()  # what the cluster was; without a control plane to follow there are no series
        self._sampled: dict[str, int] = {}
        self._journal_hash = hashlib.sha256()
        self._acts = self._records = 0
        self._until_ms = scenario.start_ms
        first = _ENCODE(_beginning(scenario, created, parent, branched_ms))
        if len(first) > MAX_LINE // 2:
            raise ConfigError.of("the scenario is too large for its run to be kept", key="--keep")
        self._path = make_directory(root, free_names(scenario.name) if name is None else [name])
        self.name = self._path.name
        try:
            self._file = SealedFile(create_file(self._path))
            self._append([first])
        except OSError as error:
            self._give_up()
            raise self._cannot(error.strerror or str(error)) from None
        if self.failure:
            self._give_up()
            raise self._cannot(self.failure)

    def follow(self, simulation: Simulation) -> None:
        """Sample the series of a simulation that others drive, with `history` among its listeners."""
        self.history.follow(simulation.control_plane, simulation.now_ms)

    @property
    def trouble(self) -> str:
        """Return which run is kept no longer, and why; empty as long as it is."""
        return self.failure and f"the run {self.name} is no longer kept: {self.failure}"

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        if self.failure:
            return
        samples = self._changes() if time_ms // self._every_ms != self._until_ms // self._every_ms else []
        begin, bodies, acts = b"[%d," % time_ms, [], 0
        for record in records:
            bodies.append(begin + _ENCODE(record) + b"]")
            if type(record) is Acted and record.position is not None:
                acts += 1
        if not self._append(samples + bodies):
            return
        self._journal_hash.update(b"\n".join([*bodies, b""]))
        self._until_ms = max(time_ms, self._until_ms)
        self._records += len(records)
        self._acts += acts

    def sync(self) -> None:
        if not self.failure:
            try:
                self._sealed.sync()
            except OSError as error:
                self._fail(error.strerror or str(error))

    def branch(self, time_ms: int, *, created: str) -> "RunWriter":
        """Begin to keep another run that is this one up to the end of an instant [epoch ms], under a free name.

        When this returns all of it is on disk. Raises ConfigError if it cannot be written.
        """
        with KeptRun(self._root, self.name) as run:
            other = RunWriter(self._root, None, self._scenario, created=created, parent=self.name, branched_ms=time_ms)
            for at_ms, group in groupby(run.contents(time_ms), key=_instant):
                held = list(group)
                if records := [each[1] for each in held if isinstance(each, tuple)]:
                    other.on_records(at_ms, records)
                for samples in held:
                    if isinstance(samples, Samples):
                        other._append(other._sampling(samples))
        other.history = self.history
        other.sync()
        if other.failure:
            other._give_up()
            raise other._cannot(other.failure)
        return other

    def finish(self, until_ms: int) -> None:
        """The run has ended properly at an instant [epoch ms]."""
        if not self.failure:
            self._until_ms = until_ms
            self._append(self._changes())
        if not self.failure:
            try:
                self._write_end()
            except OSError as error:
                self._fail(error.strerror or str(error))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not self._records:
            self._give_up()  # refused before anything happened
        self.close()

    def _append(self, bodies: Iterable[bytes]) -> bool:
        try:
            self._sealed.append(bodies)
        except OSError as error:
            self._fail(error.strerror or str(error))
            return False
        return True

    @property
    def _sealed(self) -> SealedFile:
        assert self._file is not None, "it was created with the run"
        return self._file

    def _fail(self, reason: str) -> None:
        """Keep no more: the end, for which there is room, takes the place of what was cut off, and says why."""
        self.failure = reason.lower()
        with suppress(OSError):  # without its end the run is not whole either
            self._write_end()

    def _write_end(self) -> None:
        """Write the last line, and nothing after it. Raises OSError if it cannot be written."""
        hashes = self._journal_hash.hexdigest(), self._sealed.file_hash
        self._sealed.end(_ENCODE(RunEnd(self._until_ms, self._acts, self._records, *hashes, self.failure)))

    def _changes(self) -> list[bytes]:
        """The line of the series that have changed since they were sampled last; none when none has."""
        return self._sampling(Samples(self._until_ms, self.history.latest()))

    def _sampling(self, samples: Samples) -> list[bytes]:
        changed = {name: value for name, value in samples.values.items() if self._sampled.get(name, 0) != value}
        self._sampled |= changed
        return [_ENCODE(Samples(samples.time_ms, changed))] if changed else []

    def _give_up(self) -> None:
        self.close()
        with suppress(OSError):
            (self._path / FILE).unlink(missing_ok=True)
            self._path.rmdir()

    def _cannot(self, reason: str) -> ConfigError:
        return ConfigError([Problem(f"the run cannot be kept: {reason.lower()}", file=str(self._path))])


def _instant(held: tuple[int, Record] | Samples) -> int:
    return held.time_ms if isinstance(held, Samples) else held[0]


def _beginning(scenario: Scenario, created: str, parent: str, branched_ms: int) -> RunBeginning:
    return RunBeginning(
        format=FORMAT,
        scenario=scenario.name,
        title=scenario.title,
        scheduler=scenario.scheduler,
        seed=scenario.seed,
        created=created,
        program=program_version(),
        start_ms=scenario.start_ms,
        offset_ms=scenario.offset_ms,
        definition=msgspec.Raw(_ENCODE(scenario.model_dump(mode="json"))),
        parent=parent,
        branched_ms=branched_ms,
    )
