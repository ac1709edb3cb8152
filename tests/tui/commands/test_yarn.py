"""`schedlab yarn` writes as the `yarn` command of Hadoop 2.7.2, and a drill that is served records what it is asked."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.formats.scenario_overrides import parse
from engine.training.drill import DrillScenario, drill_of
from tests.engine.training.small_drill import TEXT, small_drill
from tests.invoke import said
from tests.tui.screen_text import transcript
from tui.cli.drill_serve import DrillServer, served_drill
from tui.session.drill import DrillPlay


class _Loop(httpx.BaseTransport):
    """Hands requests to an application on an event loop of their own."""

    def __init__(self, app: httpx.ASGITransport) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        async def answered() -> httpx.Response:
            response = await self._app.handle_async_request(request)
            return httpx.Response(response.status_code, content=await response.aread())

        return asyncio.run(answered())


class _Desk:
    """A drill that is served, and the command that asks it."""

    def __init__(self, server: DrillServer, play: DrillPlay) -> None:
        self.server, self.play = server, play
        self.transport = _Loop(httpx.ASGITransport(server.app(play)))

    def steps(self) -> list[str]:
        return [
            f"{step.do} {getattr(step, 'pane', getattr(step, 'application', ''))}" for step in self.play.recorder.steps
        ]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Desk]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with served_drill(small_drill(), 0, tmp_path / "rm.log") as server:
        play = DrillPlay(small_drill(), listeners=server.listeners)
        play.has_begun = True
        found = _Desk(server, play)
        client = httpx.Client
        monkeypatch.setattr(httpx, "Client", lambda **options: client(transport=found.transport, **options))
        yield found


def ask(desk: _Desk, *words: str) -> tuple[int, list[str]]:
    place = ("--rm", "http://127.0.0.1:1")
    done = said("drill yarn", [*words, *place], environment={"SCHEDLAB_TOKEN": desk.server.token})
    return done.exit_code, done.output.splitlines()


def test_an_application_is_told_of_and_killed_once(desk: _Desk) -> None:
    _, lines = ask(desk, "application", "-list")
    name = lines[2].split("\t")[0].strip()
    told = ask(desk, "application", "-status", name)[1]
    assert told[:2] == ["Application Report : ", f"\tApplication-Id : {name}"]
    assert ask(desk, "application", "-kill", name)[1] == [f"Killing application {name}"]
    assert ask(desk, "application", "-kill", name)[1] == [f"Application {name} has already finished "]
    code, lines = ask(desk, "application", "-kill", "application_1_0009")
    assert (code, lines) == (255, ["Application with id 'application_1_0009' doesn't exist in RM."])
    assert "kill" in " ".join(desk.steps())


def test_the_log_grows_with_the_drill(desk: _Desk, tmp_path: Path) -> None:
    before = (tmp_path / "rm.log").read_text()
    assert "State change from ACCEPTED to RUNNING" in before
    name = ask(desk, "application", "-list")[1][2].split("\t")[0].strip()
    ask(desk, "application", "-kill", name)
    assert f"{name} State change from" in (tmp_path / "rm.log").read_text().removeprefix(before)


def _status(drill: DrillScenario, queue: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    with served_drill(drill, 0, tmp_path / "rm.log") as server:
        transport = _Loop(httpx.ASGITransport(server.app(DrillPlay(drill, listeners=server.listeners))))
        client = httpx.Client
        monkeypatch.setattr(httpx, "Client", lambda **options: client(transport=transport, **options))
        done = said("drill yarn", ["queue", "-status", queue, "--rm", "http://127.0.0.1:1"])
    return done.output.splitlines()


@pytest.mark.parametrize(
    ("release", "lines"), [("2.7", []), ("3.4", ["\tPreemption : disabled", "\tIntra-queue Preemption : disabled"])]
)
def test_preemption_of_a_queue_is_told_since_hadoop_2_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str, lines: list[str]
) -> None:
    drill = small_drill("capacity-2.7", f"capacity-{release}")
    assert _status(drill, "default", tmp_path, monkeypatch)[8:] == lines


@pytest.mark.parametrize("release", ["2.7", "3.4"])
def test_a_fair_queue_has_its_own_form_since_hadoop_3_4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    settings = TEXT[TEXT.index("[settings]") : TEXT.index("[[workload]]")]
    queue = '<queue name="default"><minResources>1024 mb,2 vcores</minResources></queue>'
    rules = f"scheduler = \"fair-{release}\"\nallocations = '<allocations>{queue}</allocations>'"
    text = TEXT.replace(settings, "").replace('scheduler = "capacity-2.7"', rules)
    text = "\n".join(line for line in text.splitlines() if "maximum-am-resource-percent" not in line or "hints" in line)
    told = _status(drill_of(parse(text, "fair.toml")), "default", tmp_path, monkeypatch)
    amounts = [
        "Scheduler Name : FairScheduler",
        "Queue Name : root.default",
        "\tState : RUNNING",
        "\tMinResource : <memory : 1024, vCores:2>",
        "\tMaxResource : <memory : 16384, vCores:16>",
        "\tReservedResource : <memory : 0, vCores:0>",
        "\tSteadyFairShare : <memory : 8192, vCores:0>",
        "\tQueue Preemption : enabled",
    ]
    assert (told[1:] == amounts) is (release == "3.4")
    assert any(line.startswith("\tCapacity : ") for line in told) is (release == "2.7")


@pytest.mark.parametrize(("shows", "figures"), [("full", [8192, 0]), ("empty", [0, 8192]), ("nothing", [0, 0])])
def test_a_false_reading_of_an_exam_is_what_rest_and_log_say(tmp_path: Path, shows: str, figures: list[int]) -> None:
    reading = f'readings = [{{at = 0, until = 60, node = "n1", shows = "{shows}"}}]'
    drill = small_drill("[[drill.clues]]", f"[drill.exam]\n{reading}\n[[drill.clues]]").as_exam()
    with served_drill(drill, 0, tmp_path / "rm.log") as server:
        play = DrillPlay(drill, listeners=server.listeners)
        play.has_begun, run = True, play.session.driver.run
        transport = _Loop(httpx.ASGITransport(server.app(play)))
        asked = httpx.Client(base_url="http://127.0.0.1:1", transport=transport)

        def told() -> dict[str, list[int]]:
            rows = asked.get("/ws/v1/cluster/nodes").json()["nodes"]["node"]
            names = ("usedMemoryMB", "availMemoryMB")
            return {row["nodeHostName"]: [row[name] for name in names] for row in rows}

        assert told() == {"n1": figures, "n2": [0, 8192]}
        logged = (tmp_path / "rm.log").read_text()
        for row in asked.get("/ws/v1/cluster/apps").json()["apps"]["app"]:
            path, token = f"/ws/v1/cluster/apps/{row['id']}/state", {"Authorization": f"Bearer {server.token}"}
            asked.put(path, json={"state": "KILLED"}, headers=token)
        lines = (tmp_path / "rm.log").read_text().removeprefix(logged).splitlines()
        of_n1 = [line for line in lines if "n1:" in line and "available" in line]
        assert of_n1
        assert all(f"<memory:{figures[0]}, " in line and f"<memory:{figures[1]}, " in line for line in of_n1)
        run.advance(drill.drill.begins_ms + 60_000 - 1)
        assert told()["n1"] == figures
        run.advance(drill.drill.begins_ms + 60_000)
        assert told() == {"n1": [0, 8192], "n2": [0, 8192]}


# What `schedlab yarn` writes of the answers of a ResourceManager, line by line; the server is made up.

BASE = "/ws/v1/cluster"
URL = "http://rm1:8088"


def application(number: int, state: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"application_1_{number}", "name": f"app {number}", "applicationType": "MAPREDUCE", "user": "ann",
        "queue": "root.a", "state": state, "finalStatus": "UNDEFINED", "progress": 12.5, "trackingUI": "UNASSIGNED",
        "startedTime": 5, "finishedTime": 0, "memorySeconds": 70, "vcoreSeconds": 8, **fields,
    }  # fmt: skip


APPS = [
    application(1, "ACCEPTED"),
    application(2, "RUNNING", progress=100.0, trackingUI="ApplicationMaster", trackingUrl="http://x",
                applicationType="SPARK", amHostHttpAddress="n1:8042", diagnostics="fine"),
    application(3, "FINISHED", finalStatus="SUCCEEDED", progress=33.333),
    application(4, "SUBMITTED", progress=0),
]  # fmt: skip
IDLE = {
    "nodeHostName": "n", "rack": "/r", "lastHealthUpdate": 5, "usedMemoryMB": 0, "availMemoryMB": 0,
    "usedVirtualCores": 0, "availableVirtualCores": 0,
}  # fmt: skip
NODES = [
    {"id": "n1:8041", "state": "RUNNING", "numContainers": 3, "nodeHTTPAddress": "n1:8042", **IDLE},
    {"id": "n2:8041", "state": "LOST", "numContainers": 0, **IDLE},
]
CAPACITY: dict[str, Any] = {
    "type": "capacityScheduler", "queueName": "root", "capacity": 100.0, "usedCapacity": 0.25, "maxCapacity": 100.0,
    "queues": {"queue": [
        {"queueName": "a", "capacity": 40.0, "usedCapacity": 0.0, "maxCapacity": 75.0, "state": "STOPPED",
         "nodeLabels": ["x", "y"], "preemptionDisabled": True, "intraQueuePreemptionDisabled": False},
        {"queueName": "b", "queues": {"queue": [{"queueName": "c"}]}},
    ]},
}  # fmt: skip


class Server:
    """Answers what it is given."""

    def __init__(self, patch: pytest.MonkeyPatch, scheduler: dict[str, Any] = CAPACITY, release: str = "2.7.2") -> None:
        self.answers: dict[str, Any] = {
            f"{BASE}/apps": {"apps": {"app": APPS}},
            f"{BASE}/nodes": {"nodes": {"node": NODES}},
            f"{BASE}/scheduler": {"scheduler": {"schedulerInfo": scheduler}},
            f"{BASE}/info": {"clusterInfo": {"hadoopVersion": release}},
            **{f"{BASE}/apps/{one['id']}": {"app": one} for one in APPS},
        }
        self.changed: list[tuple[str, Any]] = []
        self.tokens: set[str | None] = set()
        client = httpx.Client
        transport = httpx.MockTransport(self.answer)
        patch.setattr(httpx, "Client", lambda **options: client(transport=transport, **options))

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.tokens.add(request.headers.get("Authorization"))
        path = request.url.path
        if request.method == "PUT":
            self.changed.append((path, json.loads(request.content)))
            return httpx.Response(202, json={})
        if path in self.answers:
            found = self.answers[path]
            return found if isinstance(found, httpx.Response) else httpx.Response(200, json=found)
        return httpx.Response(404, json={"RemoteException": {"message": "not there"}})


def ask_yarn_forms(*words: str, **environment: str) -> tuple[int, list[str]]:
    done = said("drill yarn", [*words, "--rm", f"{URL}/"], environment=environment)
    return done.exit_code, done.output.splitlines()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    return Server(monkeypatch)


LINES = """
application -list
application -list -appStates 'finished, lost'
application -list -appStates ALL
application -list -appTypes SPARK,TEZ
application -list -appTypes ' , '
application -status application_1_1
application -status application_1_2
application -status x
application -kill x
application -kill application_1_2
application -kill application_1_3
application -movetoqueue application_1_2 -queue c
application -movetoqueue application_1_2 -queue root.b.c
application -movetoqueue application_1_2 -queue nix
application -movetoqueue x -queue a
application -lsit
application -zzz
application -kill
node -list
node -list -all
node -list -states LOST
queue -status a
queue -status root.b.c
queue -status nix
queue -status
""".strip().splitlines()


def test_each_line_is_answered_as_stored(server: Server) -> None:
    """An application that has ended is left alone; a queue is known by its name or its path."""
    told, stored = transcript("yarn", [f"schedlab drill yarn {line} --rm {URL}/" for line in LINES])

    assert told == stored
    name = f"{BASE}/apps/application_1_2"
    assert server.changed == [
        (f"{name}/state", {"state": "KILLED"}),
        (f"{name}/queue", {"queue": "c"}),
        (f"{name}/queue", {"queue": "root.b.c"}),
    ]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(500, json={"RemoteException": {"exception": "Oops"}}), "Oops: the server gives no reason"),
        (httpx.Response(500, json=[]), "HTTP 500: the server gives no reason"),
        (httpx.Response(403, json={"error": "no token"}), "no token"),
        (httpx.Response(403, json={"RemoteException": {"message": "not yours"}}), "not yours"),
    ],
)
def test_a_refusal_is_told_in_the_words_of_the_server(answer: httpx.Response, words: str, server: Server) -> None:
    server.answers[f"{BASE}/nodes"] = answer

    assert ask_yarn_forms("node", "-list") == (255, [words])
