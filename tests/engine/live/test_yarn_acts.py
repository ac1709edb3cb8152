"""Acts on a running cluster through its ResourceManager, and what it answers instead."""

import json
from typing import Any

import httpx
import pytest

from engine.errors import EngineError, RefusedError, SourceError
from engine.live.rest_client import RestClient
from engine.live.yarn_source import YarnActs
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    MoveApplication,
    ReturnNode,
    SetPreemption,
    SetPriority,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
)
from tests.engine.live.recorded import CLUSTER, answers_of
from tui.session.live_acts import NOT_BY_REST, LiveActs

APPLICATION = json.loads(next(each.body for each in answers_of("2.7.2-fair") if each.path == f"{CLUSTER}/apps"))
ONE = APPLICATION["apps"]["app"][0]
NAME: str = ONE["id"]


def remote(exception: str, message: str = "") -> dict[str, Any]:
    return {"RemoteException": {"exception": exception, **({"message": message} if message else {})}}


class PutServer:
    """A ResourceManager of one application; it answers a PUT with what it is given."""

    def __init__(self, state: str = "RUNNING", status: int = 202, body: Any = None, queue: str = "root.adhoc") -> None:
        self.state, self.status, self.body, self.queue = state, status, body, queue
        self.changed: list[tuple[str, Any]] = []
        """Paths with their query, and what was put there."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            path = request.url.raw_path.decode().removeprefix(f"{CLUSTER}/apps/")
            self.changed.append((path, json.loads(request.content)))
            return httpx.Response(self.status, json=self.body)
        if request.url.path != f"{CLUSTER}/apps/{NAME}":
            words = f"java.lang.Exception: app with id: {request.url.path.rpartition('/')[2]} not found"
            return httpx.Response(404, json=remote("NotFoundException", words))
        return httpx.Response(200, json={"app": {**ONE, "state": self.state, "queue": self.queue}})

    def acts(self, user: str = "") -> YarnActs:
        client = RestClient(["http://rm1:8088"], lambda: httpx.AsyncClient(transport=httpx.MockTransport(self.answer)))
        return YarnActs(client, user)


async def test_an_act_is_put_by_id() -> None:
    server = PutServer()
    acts = server.acts()
    await acts.kill(NAME)
    await acts.move(NAME, "root.etl")
    await acts.set_priority(NAME, 7)

    assert server.changed == [
        (f"{NAME}/state", {"state": "KILLED"}),
        (f"{NAME}/queue", {"queue": "root.etl"}),
        (f"{NAME}/priority", {"priority": 7}),
    ]


async def test_a_server_that_says_the_last_part_of_queues_is_told_that() -> None:
    server = PutServer(queue="adhoc")
    await server.acts().move(NAME, "root.a.etl")

    assert server.changed == [(f"{NAME}/queue", {"queue": "etl"})]


async def test_who_acts_is_said_where_a_name_is_believed() -> None:
    server = PutServer()
    await server.acts("mina & co").kill(NAME)

    assert server.changed[0][0] == f"{NAME}/state?user.name=mina%20%26%20co"


@pytest.mark.parametrize("state", ["FINISHED", "FAILED", "KILLED"])
async def test_what_has_ended_meanwhile_is_left_alone(state: str) -> None:
    server = PutServer(state)
    with pytest.raises(RefusedError, match=f"has ended meanwhile \\({state}\\)"):
        await server.acts().kill(NAME)

    assert server.changed == []


async def test_what_is_not_there_is_refused_in_the_servers_words() -> None:
    with pytest.raises(RefusedError, match="app with id: application_1_0001 not found"):
        await PutServer().acts().kill("application_1_0001")


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (403, None, "rm1:8088 forbids it"),
        (401, None, "wants a login"),
        (400, remote("BadRequestException", "only KILLED"), "answers 400: BadRequestException: only KILLED"),
        (500, remote("UndeclaredThrowableException"), "answers 500: UndeclaredThrowableException"),
    ],
)
async def test_a_refusal_is_in_the_servers_words(status: int, body: Any, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        await PutServer(status=status, body=body).acts().move(NAME, "root.nowhere")


async def test_a_server_that_is_gone_is_said() -> None:
    acts = YarnActs(RestClient(["http://rm1:8088"], lambda: httpx.AsyncClient(transport=httpx.MockTransport(gone))))
    with pytest.raises(SourceError, match="cannot be reached") as caught:
        await acts.kill(NAME)

    assert not isinstance(caught.value, RefusedError)
    assert isinstance(caught.value, EngineError)


def gone(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("Connection refused")


@pytest.mark.parametrize(
    ("act", "what"),
    [
        (KillApplication(NAME), "state"),
        (MoveApplication(NAME, "root.etl"), "queue"),
        (SetPriority(NAME, 1), "priority"),
    ],
)
async def test_acts_that_a_server_knows_are_done(act: Act, what: str) -> None:
    server = PutServer()
    result = await LiveActs(server.acts()).do(act)

    assert (result.refusal, [path for path, _ in server.changed]) == ("", [f"{NAME}/{what}"])


async def test_everything_else_is_refused_without_asking_the_server() -> None:
    server = PutServer()
    acts = LiveActs(server.acts())
    results = [
        await acts.do(DrainNode("n1")),
        await acts.submit({}),
        await acts.do(SetPreemption(on=True)),
        await acts.do(SetReservationRule("off")),
        await acts.do(SetSetting("spark.deploy.spreadOutApps", "true")),
        await acts.do(SetQueueSetting("root", "weight", "1")),
        await acts.do(ReturnNode("n1")),
    ]
    preview = await acts.try_(SetQueueSetting("root", "weight", "1"))

    assert {preview.refusal, *(each.refusal for each in results)} == {NOT_BY_REST}
    assert server.changed == []


async def test_a_refusal_is_an_answer_on_the_screen() -> None:
    result = await LiveActs(PutServer(status=403).acts()).do(KillApplication(NAME))

    assert result.problems == ("rm1:8088 forbids it (403)",)
