"""Answers of real ResourceManagers, as they were recorded, and a server that gives them."""

import gzip
import json
from collections.abc import Callable
from email.utils import formatdate
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import httpx
import msgspec

from engine.live.watch_metrics import with_since
from engine.live.yarn_answers import read_applications, read_info, read_metrics, read_nodes, read_scheduler
from engine.live.yarn_picture import Round, snapshot_of_round
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    Amounts,
    ApplicationRow,
    AskRow,
    CapacityQueueRow,
    Header,
    NodeRow,
    QueueRow,
    Unknown,
)

FOLDER = Path(__file__).parents[2] / "cases" / "recorded" / "live"
RECORDINGS = ("2.7.2-fair", "2.7.2-fair-busy", "3.4.1-fair", "3.4.1-fair-incident", "3.4.1-capacity", "3.4.1-fifo")
SERIES = ("2.7.2-fair-onset", "2.7.2-fair-kill", "3.4.1-fair-busy", "3.4.1-capacity-busy", "3.4.1-fifo-busy")
START_S = 1_795_220_500
CLUSTER = "/ws/v1/cluster"


class Recorded(NamedTuple):
    """One recorded answer."""

    path: str
    label: str
    """What was special about the request; empty for the plain one."""
    status: int
    body: bytes


@cache
def lines_of(name: str) -> tuple[Any, ...]:
    """What each line says, read once: nobody changes it."""
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@cache
def answers_of(recording: str) -> tuple[Recorded, ...]:
    return tuple(
        Recorded(each["path"], each["label"], each["status"], json.dumps(each["body"]).encode())
        for each in lines_of(f"{recording}-answers")
    )


def round_of(recording: str) -> Round:
    """The plain answers of a recording as one round."""
    bodies = {each.path: each.body for each in answers_of(recording) if not each.label}
    return Round(
        int((START_S + 66) * 1000),
        read_info(bodies[f"{CLUSTER}/info"]),
        read_metrics(bodies[f"{CLUSTER}/metrics"]),
        read_scheduler(bodies[f"{CLUSTER}/scheduler"]),
        read_nodes(bodies[f"{CLUSTER}/nodes"]),
        read_applications(bodies[f"{CLUSTER}/apps"]),
    )


@cache
def rounds_of(series: str) -> tuple[Round, ...]:
    """A round a second, as they were polled."""
    info = next(each for each in answers_of(series.rpartition("-")[0]) if each.path == f"{CLUSTER}/info")
    return tuple(
        Round(
            int((START_S + each["t"]) * 1000),
            read_info(info.body),
            read_metrics(json.dumps(each["metrics"]).encode()),
            read_scheduler(json.dumps(each["scheduler"]).encode()),
            read_nodes(json.dumps(each["nodes"]).encode()),
            read_applications(json.dumps(each["apps"]).encode()),
        )
        for each in lines_of(series)
        if "scheduler" in each["scheduler"]  # the FIFO scheduler answers with an error once a node is sick
    )


def snapshot_of(answers: Round) -> FixedSnapshot:
    """A round as a snapshot, without any before it."""
    return snapshot_of_round(answers, 1, with_since(answers, {}))


class FakeServer:
    """A ResourceManager that answers from a recorded series; its clock is moved by hand."""

    def __init__(self, series: str = "2.7.2-fair-onset", host: str = "rm1:8088") -> None:
        self.host = host
        self.rounds = lines_of(series)
        self.place = 0
        self.asked: list[str] = []
        """Paths, with what was asked of them, in order."""
        self.started_on = START_S * 1000
        self.ha_state = "ACTIVE"
        self.ahead_s = 0.0
        """Of its clock."""
        self.fails: Callable[[httpx.Request], httpx.Response | None] = lambda request: None
        """What it answers instead; None for the recorded answer."""

    @property
    def now_s(self) -> float:
        """Now, by the clock of whoever asks."""
        return float(START_S + self.rounds[self.place]["t"])

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.raw_path.decode())
        instead = self.fails(request)
        if instead is not None:
            return instead
        return httpx.Response(
            200, json=self._body(request), headers={"Date": formatdate(self.now_s + self.ahead_s, usegmt=True)}
        )

    def _body(self, request: httpx.Request) -> Any:
        recorded = self.rounds[self.place]
        match request.url.path.removeprefix(CLUSTER):
            case "/info":
                version = {"startedOn": self.started_on, "haState": self.ha_state, "resourceManagerVersion": "2.7.2"}
                return {"clusterInfo": version}
            case "/metrics":
                return recorded["metrics"]
            case "/scheduler":
                return recorded["scheduler"]
            case "/nodes":
                return recorded["nodes"]
            case "/apps":
                return self._applications(parse_qs(request.url.query.decode())["states"][0].split(","))
        return {}

    def _applications(self, states: list[str]) -> Any:
        found = [each for each in self.rounds[self.place]["apps"]["apps"]["app"] if each["state"] in states]
        return {"apps": {"app": found} if found else None}


def connected(*servers: FakeServer) -> Callable[[], httpx.AsyncClient]:
    """Makes clients that reach these servers and no others."""

    def answer(request: httpx.Request) -> httpx.Response:
        for server in servers:
            if request.url.netloc.decode() == server.host:
                return server.answer(request)
        raise httpx.ConnectError("Connection refused", request=request)

    return lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer))


# Rows of a small cluster of YARN, as tests make them.


NOW_MS = 1_000


def header(count: int | Unknown = 0, reserved: Amounts | Unknown = (0, 0), **changes: Any) -> Header:
    """So many nodes are reserved, for so much."""
    found = Header(
        time_ms=NOW_MS,
        scheduler="FairScheduler 2.7.2",
        dimensions=("memory", "vcores"),
        total=(0, 0),
        used=(0, 0),
        reserved=reserved,
        nodes=0,
        nodes_down=0,
        nodes_reserved=count,
        applications_running=0,
        applications_pending=0,
        containers=0,
        containers_pending=0,
        preemption=UNKNOWN,
        reservation_rule=UNKNOWN,
    )
    return msgspec.structs.replace(found, **changes)


def node(name: str, free: Amounts = (0, 0), total: Amounts = (100, 10), **changes: Any) -> NodeRow:
    """A node that has so much free."""
    found = NodeRow(
        id=f"{name}:1",
        host=name,
        rack="/r",
        state="RUNNING",
        partition="",
        total=total,
        used=(total[0] - free[0], total[1] - free[1]),
        free=free,
        containers=1,
        reserved_by=UNKNOWN,
        reserved=UNKNOWN,
        last_heartbeat_ms=0,
    )
    return msgspec.structs.replace(found, **changes)


def app(number: int, *asks: AskRow, **changes: Any) -> ApplicationRow:
    """An application that runs and asks for something."""
    found = ApplicationRow(
        id=f"application_1_{number:04d}",
        number=number,
        name="job",
        user="ann",
        queue="root.q",
        type="TEZ",
        state="RUNNING",
        submitted_ms=0,
        waiting_since_ms=0,
        finished_ms=None,
        used=(0, 0),
        containers=1,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=asks,
        pending_containers=1,
        obstacle=None,
    )
    return msgspec.structs.replace(found, **changes)


def ask(*size: int, places: tuple[str, ...] = (), relax: bool = True) -> AskRow:
    return AskRow(1, 1, size, places, relax)


def queue(path: str, reserved: Amounts | Unknown = UNKNOWN, **changes: Any) -> QueueRow:
    """A leaf in which so much is reserved."""
    found = QueueRow(
        path=path,
        depth=1,
        is_leaf=True,
        policy="fair",
        used=(0, 0),
        max_share=None,
        reserved=reserved,
        applications_running=0,
        applications_pending=0,
        containers=0,
    )
    return msgspec.structs.replace(found, **changes)


def capacity_queue(path: str, **changes: Any) -> CapacityQueueRow:
    plain = msgspec.structs.asdict(queue(path))
    limits = {"guaranteed": (0, 0), "used_capacity": 0.0, "state": "RUNNING", "user_limit": None}
    return CapacityQueueRow(**{**plain, **limits, "am_used": None, "am_limit": None, "partitions": (), **changes})


def snapshot(whole: Header, **rows: list[Any]) -> FixedSnapshot:
    """A picture with these sections; others are empty."""
    names = ("queues", "nodes", "applications", "reservations", "users")
    sections = {name: SECTIONS[name] for name in names}
    return FixedSnapshot("yarn", whole, sections, {name: rows.get(name, []) for name in names}, dict.fromkeys(names, 1))
