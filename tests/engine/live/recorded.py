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

from engine.live.watch_metrics import with_since
from engine.live.yarn_answers import read_applications, read_info, read_metrics, read_nodes, read_scheduler
from engine.live.yarn_poll import Round, snapshot_of_round
from engine.observe.documents import FixedSnapshot

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
