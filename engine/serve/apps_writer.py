"""A run written as its ResourceManager's answer to `/ws/v1/cluster/apps`, with every application there was.

A listener: an application is written as soon as it has ended, one that has not at the end of the run. Differs: all
applications are there, in order of their ends; a ResourceManager has another order and forgets old ones that ended.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from engine.control_plane.protocol import Answer
from engine.errors import ConfigError, Problem, RefusedError
from engine.model.decision import ApplicationTransitioned
from engine.model.ledger import Application
from engine.observe.new_file import NewFile
from engine.scenario import Scenario
from engine.scenario.acts import Act
from engine.serve.apps import app_document
from engine.serve.bodies import json_bytes
from engine.serve.past import ApplicationPast
from engine.serve.release import release_of
from engine.serve.served import ServedCluster
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

ADDRESS: Final = "localhost:8088"
"""Address of the ResourceManager, for links."""
SKIPPED: Final = ("resourceRequests",)
"""Fields left out: what a live application asks for, which is no part of what it was."""


class AppsWriter:
    """Writes the answer; a context manager that closes the file, which has its name only when it is whole."""

    def __init__(self, file: NewFile, scenario: Scenario) -> None:
        self._file = file
        self._past = ApplicationPast()
        self._simulation: Simulation | None = None
        self._served = ServedCluster(self._followed, _refuse, self._past, release_of(scenario.scheduler), ADDRESS)
        self._written: set[int] = set()

    @classmethod
    def to_file(cls, path: Path, scenario: Scenario, *, force: bool = False) -> Self:
        """A writer of a new file; arguments and errors as `NewFile.create`.

        Raises:
            ConfigError: The scenario has no ResourceManager, or the file is there already or cannot be opened.
        """
        if scenario.system != "yarn":
            raise ConfigError([Problem(f"{scenario.scheduler} has no ResourceManager", key="--apps-json")])
        return cls(NewFile.create(path, force=force), scenario)

    def follow(self, simulation: Simulation) -> None:
        """Say which simulation it listens to."""
        self._simulation = simulation

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Write the applications that ended at this instant.

        Raises:
            OutputError: The file cannot be written any more.
        """
        self._past.records(time_ms, records)
        if self._simulation is None:
            return  # what ends before the beginning is still known at the end
        for record in records:
            if isinstance(record, ApplicationTransitioned) and record.is_end:
                application = self._served.application(record.application)
                if application is not None:
                    self._write(application)

    def finish(self) -> None:
        """Write the applications that live, and give the file its name.

        Raises:
            ConfigError: The file cannot take its name.
            OutputError: It cannot be written any more.
        """
        for application in self._served.applications():
            self._write(application)
        self._file.write(b"\n]}}\n" if self._written else b'{"apps": null}\n')
        self._file.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, application: Application) -> None:
        if application.number in self._written:
            return
        before = b",\n" if self._written else b'{"apps": {"app": [\n'
        row = app_document(self._served, application, SKIPPED)
        self._file.write(before + json_bytes("", row, self._served.release))
        self._written.add(application.number)

    def _followed(self) -> Simulation:
        assert self._simulation is not None, "asked only after `follow`"
        return self._simulation


def _refuse(action: Act) -> Answer:
    """Nobody acts on what is only written down."""
    raise RefusedError("UnsupportedOperationException", type(action).__name__)
