"""`schedlab serve` and clients that mean harm: over loopback, and in process where no wire is needed."""

import asyncio
import json
import logging
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import uvicorn

from engine.formats.scenario_toml import load
from engine.run import Run
from engine.scenario import Scenario
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASE_34
from tests import PATIENCE_S
from tests.invoke import said
from tui.serving.serve_app import CLOCK, ServedApp
from tui.serving.serve_limits import NEXT_S, PIECE, answering, rare_lines

APPS = "/ws/v1/cluster/apps"
SUBMITTED = {"application-id": "application_1_900", "am-container-spec": {}, "resource": {"memory": 1024, "vCores": 1}}


@pytest.fixture(scope="session")
def scene() -> Scenario:
    return load("reservation-deadlock-recorded-3.4")


@pytest.fixture
def served(scene: Scenario) -> ServedApp:
    past = ApplicationPast()
    pace = ServedPace(Run(scene, [past], is_judged=False))
    pace.advance(20_000)
    return ServedApp(
        ServedCluster(lambda: pace.played.simulation, pace.act, past, RELEASE_34, "rm1:8088"), pace, token=None
    )


@pytest.fixture
async def client(served: ServedApp) -> AsyncIterator[httpx.AsyncClient]:
    """Asks it without a wire; what it raises is raised."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(served.app()), base_url="http://rm1:8088") as one:
        yield one


@pytest.fixture
async def server(served: ServedApp) -> AsyncIterator[uvicorn.Server]:
    one = answering(served.app())
    one.config.host, one.config.port = "127.0.0.1", 0
    task = asyncio.create_task(one.serve())
    while not one.started:  # noqa: ASYNC110 -- uvicorn has no event for it
        await asyncio.sleep(0)
    yield one
    one.should_exit = True
    await task


def port_of(server: uvicorn.Server) -> int:
    return int(server.servers[0].sockets[0].getsockname()[1])


@pytest.mark.parametrize(
    "change",
    [
        {"application-name": "\ud800"}, {"queue": "\x1b"}, {"application-type": "\ufffe"}, {"resource": "8g"},
        {"application-tags": {"tag": ["a", "\udfff"]}}, {"application-tags": 5}, {"am-container-spec": []},
        {"application-id": "application_1_" + "9" * 5000}, {"application-id": "application_1_2147483648"},
        {"resource": {"memory": 2**70}}, {"priority": []}, {"application-name": ["x"]},
        {"am-container-spec": {"environment": {"entry": {"key": "SCHEDLAB_APPLICATION", "value": "[" * 100_000}}}},
        {"am-container-spec": {"environment": {"entry": [
            {"key": "SCHEDLAB_APPLICATION", "value": '{"name": "\\ud800"}'}]}}},
    ],
)  # fmt: skip
async def test_a_submission_that_would_stay_as_poison_is_refused(
    client: httpx.AsyncClient, change: dict[str, object]
) -> None:
    said = await client.post(APPS, content=json.dumps({**SUBMITTED, **change}))

    assert (said.status_code, "RemoteException" in said.json()) == (400, True)
    assert (await client.get(APPS)).status_code == 200


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b"[" * 100_000),
        ("application/json", b'{"state": []}'),
        ("application/json", b"\xff\xfe"),
        ("application/json", b'{"a":' * 50_000),
        ("application/xml", b"<a>" * 900 + b"</a>" * 900),
        ("application/xml", b"<?xml version='1.0' encoding='klingon'?><a/>"),
        ("application/xml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused_in_the_servers_form(
    client: httpx.AsyncClient, kind: str, body: bytes
) -> None:
    apps = (await client.get(APPS)).json()["apps"]["app"]

    said = await client.put(f"{APPS}/{apps[0]['id']}/state", content=body, headers={"Content-Type": kind})

    assert said.status_code == 400
    assert "RemoteException" in said.json()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("rm1:8088", 200), ("RM1", 200), ("localhost:1", 200), ("127.0.0.1:8088", 200), ("[::1]:8088", 200),
        ("evil.example", 421), ("127.0.0.1.evil.example:8088", 421), ("[::1", 421), ("", 421),
    ],
)  # fmt: skip
async def test_a_foreign_name_of_the_server_is_refused(client: httpx.AsyncClient, host: str, status: int) -> None:
    """An address is where the client went; a name may be resolved by anybody."""
    assert (await client.get(APPS, headers={"Host": host})).status_code == status
    assert (await client.put(CLOCK, json={}, headers={"Host": host})).status_code == status


@pytest.mark.parametrize(
    ("origin", "status"), [("http://rm1:8088", 200), ("http://rm1", 403), ("null", 403), ("https://evil.example", 403)]
)
async def test_a_page_of_another_server_may_neither_read_nor_act(
    client: httpx.AsyncClient, origin: str, status: int
) -> None:
    assert (await client.get(APPS, headers={"Origin": origin})).status_code == status
    assert (await client.put(CLOCK, json={}, headers={"Origin": origin})).status_code == status


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HT",
        b"PUT /schedlab/v1/clock HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc",
        b"GET /ws/v1/cluster/apps HTTP/1.1\r\nHost: localhost\r\n\r\n" * 150,
    ],
)
async def test_no_client_keeps_it_from_ending(server: uvicorn.Server, sent: bytes) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port_of(server), limit=1)
    writer.write(sent)
    await writer.drain()
    while not server.server_state.connections:  # noqa: ASYNC110 -- nor for that
        await asyncio.sleep(0)

    server.should_exit = True
    async with asyncio.timeout(PATIENCE_S):
        while server.server_state.connections or server.servers[0].is_serving():  # noqa: ASYNC110 -- nor for that
            await asyncio.sleep(0.01)
    writer.close()


async def test_an_exchange_that_does_not_end_is_ended(server: uvicorn.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.serving.serve_limits.EXCHANGE_S", 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
    writer.write(b"GET /ws/v1/cl")

    async with asyncio.timeout(PATIENCE_S):
        assert await reader.read() == b""
    writer.close()


async def test_who_waits_longest_leaves_where_there_are_too_many(server: uvicorn.Server) -> None:
    crowd = next(iter(server.config.http.args))  # type: ignore[union-attr]  # it is a partial
    crowd.most = 4
    waiting = [await asyncio.open_connection("127.0.0.1", port_of(server)) for _ in range(9)]
    address = f"http://127.0.0.1:{port_of(server)}"
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=PATIENCE_S) as client:
        said = await client.get("/ws/v1/cluster/info")

    assert said.status_code == 200
    assert await waiting[0][0].read() == b""
    for _, writer in waiting:
        writer.close()


def test_a_clock_that_dies_ends_the_server_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(pace: ServedPace) -> float:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(ServedPace, "slice", dies)
    with pytest.raises(ZeroDivisionError, match="oops"):
        said("serve", ["reservation-deadlock", "--listen", "127.0.0.1:0"])


def test_failures_are_a_line_a_second_and_those_between_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    with rare_lines():
        for now_s in (100.0, 100.5, 100.99, 101.0):
            logging.getLogger("uvicorn.error").error("bad \x1b[31m\nmore %s", now_s)

    first, second = capsys.readouterr().err.splitlines()
    assert first == "schedlab: bad \\u001b[31m"
    assert second == f"{first} (and 2 before)"


async def test_a_question_that_did_not_wait_for_its_answer_waits_for_others(
    server: uvicorn.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two that were sent at once is answered after the rest, and only then."""
    rests: list[float] = []
    loop = asyncio.get_running_loop()
    call_later = loop.call_later

    def later(delay: float, *rest: Any, **named: Any) -> asyncio.TimerHandle:
        rests.append(delay)
        return call_later(0 if delay == NEXT_S else delay, *rest, **named)

    monkeypatch.setattr(loop, "call_later", later)
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
    asked = b"GET /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\n"
    writer.write(asked + b"\r\n" + asked + b"Connection: close\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        answers = await reader.read()
    writer.close()

    assert (answers.count(b"HTTP/1.1 200"), rests.count(NEXT_S)) == (2, 1)


@pytest.mark.parametrize(("pieces", "status"), [(2, b"200"), (9, b"400")])
async def test_a_head_is_bounded(
    server: uvicorn.Server, caplog: pytest.LogCaptureFixture, pieces: int, status: bytes
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
    head = b"GET /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: "
    writer.write(head + b"x" * (pieces * PIECE - len(head) - 4) + b"\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()

    assert answer.split(b" ")[1] == status
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(
    ("bind", "name", "status"),
    [
        ("127.0.0.1", "127.0.0.1", 200),
        ("127.0.0.1", "localhost", 200),
        ("::1", "[::1]", 200),
        ("127.0.0.1", "evil.example", 421),
    ],
)
async def test_plain_requests_of_scripts_are_answered(served: ServedApp, bind: str, name: str, status: int) -> None:
    """As curl and yarn-api-client send them: a name and a port, no Origin, any Accept; a foreign name is refused."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    with socket.create_server((bind, 0), family=family) as listener:
        one, port = answering(served.app()), listener.getsockname()[1]
        task = asyncio.create_task(one.serve([listener]))
        for agent, accept in (("curl/8.14.1", "*/*"), ("python-requests/2.32.5", "application/json")):
            reader, writer = await asyncio.open_connection(bind, port)
            head = f"GET {APPS} HTTP/1.1\r\nHost: {name}:{port}\r\nUser-Agent: {agent}\r\nAccept: {accept}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            assert answer.startswith(b"HTTP/1.1 %d " % status)
        one.should_exit = True
        await task
