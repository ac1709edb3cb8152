"""What `schedlab yarn` writes of the answers of a ResourceManager, line by line; the server is made up."""

import json
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from tui.cli import yarn

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
NODES = [
    {"id": "n1:8041", "state": "RUNNING", "numContainers": 3, "nodeHTTPAddress": "n1:8042"},
    {"id": "n2:8041", "state": "LOST", "numContainers": 0},
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


def ask(*words: str, **environment: str) -> tuple[int, list[str]]:
    done = CliRunner(env=environment).invoke(yarn.app, [*words, "--rm", f"{URL}/"])
    return done.exit_code, done.output.splitlines()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    return Server(monkeypatch)


@pytest.mark.parametrize(
    ("options", "states", "types", "numbers"),
    [
        ([], "SUBMITTED, ACCEPTED, RUNNING", "", [1, 2, 4]),
        (["-appStates", "finished, lost"], "FINISHED, LOST", "", [3]),
        (["-appStates", "ALL"], "ALL", "", [1, 2, 3, 4]),
        (["-appTypes", "SPARK,TEZ"], "SUBMITTED, ACCEPTED, RUNNING", "SPARK, TEZ", [2]),
        (["-appTypes", " , "], "SUBMITTED, ACCEPTED, RUNNING", "", [1, 2, 4]),
    ],
)
def test_applications_are_chosen_by_state_and_type(
    options: list[str], states: str, types: str, numbers: list[int], server: Server
) -> None:
    code, lines = ask("application", "-list", *options)

    head = f"Total number of applications (application-types: [{types}] and states: [{states}]):{len(numbers)}"
    assert (code, lines[0]) == (0, head)
    assert [line.split("\t")[0].strip() for line in lines[2:]] == [f"application_1_{number}" for number in numbers]


def test_an_application_is_a_row_of_nine_columns(server: Server) -> None:
    _, lines = ask("application", "-list", "-appStates", "ALL")
    rows = [[cell.strip() for cell in line.split("\t")] for line in lines[1:]]

    assert rows[0] == [
        "Application-Id", "Application-Name", "Application-Type", "User", "Queue", "State", "Final-State", "Progress",
        "Tracking-URL",
    ]  # fmt: skip
    first = ["application_1_1", "app 1", "MAPREDUCE", "ann", "root.a", "ACCEPTED", "UNDEFINED", "12.5%", "N/A"]
    assert rows[1] == first
    assert [row[7:] for row in rows[2:]] == [["100%", "http://x"], ["33.33%", "N/A"], ["0%", "N/A"]]
    assert [len(cell) for cell in lines[2].split("\t")] == [30, 20, 20, 10, 10, 18, 18, 15, 35]


def test_an_application_is_told_line_by_line(server: Server) -> None:
    lines = ask("application", "-status", "application_1_2")[1]

    assert lines == [
        "Application Report : ",
        "\tApplication-Id : application_1_2",
        "\tApplication-Name : app 2",
        "\tApplication-Type : SPARK",
        "\tUser : ann",
        "\tQueue : root.a",
        "\tStart-Time : 5",
        "\tFinish-Time : 0",
        "\tProgress : 100%",
        "\tState : RUNNING",
        "\tFinal-State : UNDEFINED",
        "\tTracking-URL : http://x",
        "\tRPC Port : -1",
        "\tAM Host : n1",
        "\tAggregate Resource Allocation : 70 MB-seconds, 8 vcore-seconds",
        "\tDiagnostics : fine",
    ]
    assert "\tAM Host : N/A" in ask("application", "-status", "application_1_1")[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-status", "x"], "Application with id 'x' doesn't exist in RM or Timeline Server."),
        (["-kill", "x"], "Application with id 'x' doesn't exist in RM."),
        (["-movetoqueue", "x", "-queue", "a"], "Application with id 'x' doesn't exist in RM."),
    ],
)
def test_an_application_that_is_not_there_ends_with_255(options: list[str], words: str, server: Server) -> None:
    assert ask("application", *options) == (255, [words])
    assert server.changed == []


def test_an_application_is_killed_and_moved(server: Server) -> None:
    """One that has ended is left alone; a queue is known by its name or its path."""
    name = "application_1_2"
    assert ask("application", "-kill", name) == (0, [f"Killing application {name}"])
    for queue in ("c", "root.b.c"):
        assert ask("application", "-movetoqueue", name, "-queue", queue) == (
            0, [f"Moving application {name} to queue {queue}", "Successfully completed move."],
        )  # fmt: skip
    assert ask("application", "-kill", "application_1_3") == (0, ["Application application_1_3 has already finished "])

    assert server.changed == [
        (f"{BASE}/apps/{name}/state", {"state": "KILLED"}),
        (f"{BASE}/apps/{name}/queue", {"queue": "c"}),
        (f"{BASE}/apps/{name}/queue", {"queue": "root.b.c"}),
    ]


@pytest.mark.parametrize(
    ("options", "names"),
    [([], ["n1:8041"]), (["-states", "lost"], ["n2:8041"]), (["-all"], ["n1:8041", "n2:8041"]),
     (["-states", "LOST, RUNNING"], ["n1:8041", "n2:8041"])],
)  # fmt: skip
def test_nodes_are_listed_by_state(options: list[str], names: list[str], server: Server) -> None:
    _, lines = ask("node", "-list", *options)

    assert lines[0] == f"Total Nodes:{len(names)}"
    assert [line.split("\t")[0].strip() for line in lines[2:]] == names
    row = {line.split("\t")[0].strip(): line for line in lines[2:]}.get("n1:8041")
    assert row in (None, f"{'n1:8041':>16}\t{'RUNNING':>15}\t{'n1:8042':>17}\t{3:>28}")


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (["application", "-lsit"], "schedlab: there is no option -lsit (did you mean list?)"),
        (["application", "-zzz"], "schedlab: there is no option -zzz (-list, -appStates, -appTypes, -status, -kill, "
         "-movetoqueue, -queue)"),
        (["application", "-kill"], "schedlab: -kill: wants a value"),
        (["queue", "-status"], "schedlab: -status: wants a value"),
    ],
)  # fmt: skip
def test_an_option_that_means_nothing_is_refused(words: list[str], refused: str, server: Server) -> None:
    done = CliRunner().invoke(yarn.app, words)

    assert (done.exit_code, done.output.splitlines()) == (2, [refused])


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

    assert ask("node", "-list") == (255, [words])
