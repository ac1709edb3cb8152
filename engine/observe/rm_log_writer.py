"""A run written as the log of its ResourceManager, in the words Hadoop's classes print at INFO.

A listener: `rm_log_words` turns each record into messages, this module gives them their time and writes them. What the
log of a real ResourceManager would say of its start-up, its tokens and its state store is left out.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Self

from engine.errors import ConfigError, Problem
from engine.instants import moment_at
from engine.observe.new_file import NewFile
from engine.observe.rm_log_nodes import NodeFigures
from engine.observe.rm_log_words import LogWords
from engine.scenario import Scenario
from engine.simulation.records import Record

PACKAGE: Final = "org.apache.hadoop.yarn.server.resourcemanager."


class ResourceManagerLogWriter:
    """Writes the log; a context manager that closes it."""

    def __init__(
        self,
        file: NewFile,
        scenario: Scenario,
        reported: Callable[[str, NodeFigures], NodeFigures] = lambda node, figures: figures,
    ) -> None:
        """Write the first line.

        Args:
            scenario: What is being run, on YARN.
            reported: What is said of a node (`host:port`) and its figures.
        """
        self._file = file
        self._offset_ms = scenario.offset_ms
        self._words = LogWords(scenario, reported)
        self._write(scenario.start_ms, self._words.started())

    @classmethod
    def to_file(cls, path: Path, scenario: Scenario, *, force: bool = False) -> Self:
        """A writer of a new file; arguments and errors as `NewFile.create`.

        Raises:
            ConfigError: The scenario has no ResourceManager, or the file is there already or cannot be opened.
            OutputError: It cannot be written.
        """
        if scenario.system != "yarn":
            raise ConfigError([Problem(f"{scenario.scheduler} has no ResourceManager", key="--rm-log")])
        return cls(NewFile.create(path, force=force), scenario)

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Write what the ResourceManager says of the records of one instant.

        Raises:
            ConfigError: The file cannot take its name.
            OutputError: It cannot be written any more.
        """
        self._write(time_ms, [line for record in records for line in self._words.of(record, time_ms)])
        self._file.take_name()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, time_ms: int, messages: Sequence[str]) -> None:
        if not messages:
            return
        moment = moment_at(time_ms + self._offset_ms)
        when = f"{moment:%Y-%m-%d %H:%M:%S},{time_ms % 1000:03d}"
        self._file.write("".join(f"{when} INFO {PACKAGE}{message}\n" for message in messages).encode())
