"""`/apps/{id}/appattempts`, and in 3.4.1 one attempt and its containers.

Source: AppAttemptInfo of the ResourceManager and of hadoop-yarn-server-common, ContainerInfo, Hadoop 2.7.2 and 3.4.1.
Differs: `containers` of an attempt lists none that has ended; masters of attempts that have ended are not listed.

A listener: an application is written as soon as it has ended, one that has not at the end of the run. Differs: a file
of `-o rest` has all applications in order of their ends; a ResourceManager has another order and forgets old ones.
"""

from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple, Self

from engine.control_plane.protocol import Answer
from engine.errors import ConfigError, RefusedError
from engine.model.decision import ApplicationTransitioned
from engine.model.identity import container_name
from engine.model.ledger import Application, Container
from engine.model.request import MEMORY_MB
from engine.observe.documents import Document
from engine.observe.journal import NewFile
from engine.scenario import Scenario
from engine.scenario.acts import Act
from engine.serve.apps import AppFacts, app_document, http_address, logs_link, tracking_url
from engine.serve.served import MASTER_PORT, ApplicationPast, PastAttempt, ServedCluster
from engine.serve.wire import Field, Table, bad_request, constant, json_bytes, not_found, release_of, written
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

# A run written as its ResourceManager's answer to `/ws/v1/cluster/apps`, with every application there was.

ADDRESS: Final = "localhost:8088"  # Address of the ResourceManager, for links
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
        """A writer of a new file, as of `NewFile.create`. Raises ConfigError if there is no ResourceManager."""
        if scenario.system != "yarn":
            raise ConfigError.of(f"{scenario.scheduler} has no ResourceManager", key="-o rest")
        return cls(NewFile.create(path, force=force), scenario)

    def follow(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Write the applications that ended at this instant. Raises OutputError if the file cannot be written."""
        self._past.on_records(time_ms, records)
        if self._simulation is None:
            return  # what ends before the beginning is still known at the end
        for record in records:
            if isinstance(record, ApplicationTransitioned) and record.is_end:
                application = self._served.application(record.application)
                if application is not None:
                    self._write(application)

    def finish(self) -> None:
        """Write those that live, and give the file its name; else it is a ConfigError or OutputError."""
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
    raise RefusedError("UnsupportedOperationException", type(action).__name__)


class AttemptFacts(NamedTuple):
    attempt: PastAttempt
    of: AppFacts

    @property
    def timestamp(self) -> int:
        return self.of.served.cluster.cluster_timestamp

    @property
    def id(self) -> str:
        return f"appattempt_{self.timestamp}_{self.of.app.number:04d}_{self.attempt.number:06d}"

    @property
    def has_master(self) -> bool:
        return self.attempt.first is not None and self.of.app.am is not None

    @property
    def has_registered(self) -> bool:
        return self.has_master and self.attempt.state in {"RUNNING", "FINISHED"}

    @property
    def container(self) -> str:
        first = self.attempt.first
        return container_name(self.timestamp, first) if first is not None and self.has_master else ""

    @property
    def node(self) -> str:
        return self.attempt.node if self.has_master else ""


def _blacklist(facts: AttemptFacts) -> str:
    live = facts.of.attempt
    return ",".join(sorted(live.blacklist)) if live is not None and facts.attempt is facts.of.last else ""


ATTEMPT: Final[Table[AttemptFacts]] = (
    Field("id", attrgetter("attempt.number")),
    Field("startTime", attrgetter("attempt.started_ms")),
    Field("finishedTime", attrgetter("attempt.finished_ms"), since_34=True),
    Field("containerId", attrgetter("container")),
    Field("nodeHttpAddress", lambda facts: http_address(facts.node)),
    Field("nodeId", attrgetter("node")),
    Field("logsLink", lambda facts: logs_link(facts.of, facts.attempt) if facts.has_master else ""),
    Field("blacklistedNodes", _blacklist),
    Field("nodesBlacklistedBySystem", lambda facts: "" if facts.has_master else None, since_34=True),
    Field("appAttemptId", attrgetter("id"), since_34=True),
    Field("exportPorts", lambda facts: "null" if facts.has_master else "", since_34=True),
    Field("appAttemptState", attrgetter("attempt.state"), since_34=True),
)

ONE: Final[Table[AttemptFacts]] = (
    Field("appAttemptId", attrgetter("id")),
    Field("host", lambda facts: facts.node.partition(":")[0] if facts.has_registered else "N/A"),
    Field("rpcPort", lambda facts: str(MASTER_PORT) if facts.has_registered else "-1"),
    Field(
        "trackingUrl", lambda facts: tracking_url(facts.of) or f"http://{facts.of.served.address}/proxy/{facts.of.id}/"
    ),
    Field("originalTrackingUrl", constant("N/A")),
    Field("diagnosticsInfo", attrgetter("of.app.diagnostics")),
    Field("appAttemptState", attrgetter("attempt.state")),
    Field("amContainerId", lambda facts: facts.container or None),
    Field("startedTime", lambda facts: str(facts.attempt.started_ms)),
    Field("finishedTime", lambda facts: str(facts.attempt.finished_ms)),
)


class ContainerFacts(NamedTuple):
    container: Container
    of: AppFacts

    @property
    def id(self) -> str:
        return container_name(self.of.served.cluster.cluster_timestamp, self.container.id)

    @property
    def http(self) -> str:
        return f"http://{http_address(self.container.node.id)}"


CONTAINER: Final[Table[ContainerFacts]] = (
    Field("containerId", attrgetter("id")),
    Field("allocatedMB", lambda facts: str(facts.container.memory_mb)),
    Field("allocatedVCores", lambda facts: str(facts.container.vcores)),
    Field("assignedNodeId", attrgetter("container.node.id")),
    Field("priority", lambda facts: str(facts.container.priority)),
    Field("startedTime", lambda facts: str(facts.container.created_ms)),
    Field("finishedTime", constant("0")),
    Field("elapsedTime", lambda facts: str(facts.of.served.now_ms - facts.container.created_ms)),
    Field("logUrl", lambda facts: f"{facts.http}/node/containerlogs/{facts.id}/{facts.of.app.user}"),
    Field("containerExitStatus", constant("0")),
    Field("containerState", lambda facts: "RUNNING" if facts.container.state == "RUNNING" else "NEW"),
    Field("nodeHttpAddress", attrgetter("http")),
    Field("nodeId", attrgetter("container.node.id")),
    Field(
        "allocatedResources",
        lambda facts: {
            "entry": [
                {"key": MEMORY_MB, "value": str(facts.container.memory_mb)},
                {"key": "vcores", "value": str(facts.container.vcores)},
            ]
        },
    ),
    Field("exposedPorts", constant("")),
)


def attempts(facts: AppFacts) -> Document:
    release = facts.served.release
    rows = [written(ATTEMPT, AttemptFacts(each, facts), release) for each in facts.past.attempts]
    return {"appAttempt": rows} if rows else {}


def attempt(facts: AppFacts, text: str) -> Document:
    """`/apps/{id}/appattempts/{attempt}` of 3.4.1. Raises RestError if there is none."""
    return written(ONE, AttemptFacts(_attempt_of(facts, text), facts), facts.served.release)


def containers(facts: AppFacts, text: str) -> Document:
    """The containers of an attempt in 3.4.1, the latest first. Raises RestError if there is no such attempt."""
    found = _containers_of(facts, _attempt_of(facts, text))
    rows = [written(CONTAINER, ContainerFacts(each, facts), facts.served.release) for each in reversed(found)]
    return {"container": rows} if rows else {}


def container(facts: AppFacts, attempt_text: str, text: str) -> Document:
    """`/apps/{id}/appattempts/{attempt}/containers/{container}` of 3.4.1. Raises RestError if there is none."""
    found = (ContainerFacts(each, facts) for each in _containers_of(facts, _attempt_of(facts, attempt_text)))
    for each in found:
        if each.id == text:
            return written(CONTAINER, each, facts.served.release)
    raise not_found(f"container with id: {text} not found")


def _containers_of(facts: AppFacts, one: PastAttempt) -> list[Container]:
    live = facts.attempt
    return list(live.live.values()) if live is not None and one is facts.last else []


def _attempt_of(facts: AppFacts, text: str) -> PastAttempt:
    if not text.startswith("appattempt_"):
        raise bad_request(f"Invalid AppAttemptId: {text}")
    for each in facts.past.attempts:
        if AttemptFacts(each, facts).id == text:
            return each
    raise not_found(f"app attempt with id: {text} not found")
