"""`schedlab serve`: its web server in process, without sockets, its clock stepped by hand."""

import socket
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from engine.formats.scenario_toml import load
from engine.run import Run
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASE_27
from tui.cli.serve import app
from tui.cli.serve_app import ServedApp

TOKEN = "secret-of-the-test"
CLOCK = "/schedlab/v1/clock"


class Wall:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def past() -> ApplicationPast:
    return ApplicationPast()


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def pace(past: ApplicationPast, wall: Wall) -> ServedPace:
    return ServedPace(Run(load("reservation-deadlock-recorded"), [past], is_judged=False), clock=wall)


@pytest.fixture
async def client(pace: ServedPace, past: ApplicationPast) -> AsyncIterator[httpx.AsyncClient]:
    served = ServedCluster(lambda: pace.played.simulation, pace.act, past, RELEASE_27, "rm1:8088")
    transport = httpx.ASGITransport(ServedApp(served, pace, TOKEN).app())
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://rm1:8088", headers=headers) as one:
        yield one


async def test_the_clock_is_stepped_by_its_own_address(client: httpx.AsyncClient) -> None:
    """By a duration, to an instant, and by a second when nothing is said."""
    begin_ms = (await client.get(CLOCK)).json()["now_ms"]

    assert (await client.post(f"{CLOCK}/step")).json()["now_ms"] == begin_ms + 1_000
    assert (await client.post(f"{CLOCK}/step", json={"for": "29s"})).json()["now_ms"] == begin_ms + 30_000
    assert (await client.post(f"{CLOCK}/step", json={"to": "60"})).json()["now_ms"] == begin_ms + 60_000
    metrics = (await client.get("/ws/v1/cluster/metrics")).json()
    assert metrics["clusterMetrics"]["containersReserved"] == 12


@pytest.mark.parametrize(
    "wishes",
    [
        {"speed": 0},
        {"speed": "fast"},
        {"speed": True},
        {"paused": 1},
        {"pace": 1},
        [1],
        {"speed": 1e400},
        {"speed": 1_000_001},
        {"speed": 0.0009},
    ],
)
async def test_wishes_that_no_clock_can_fulfil_are_refused(client: httpx.AsyncClient, wishes: Any) -> None:
    before = (await client.get(CLOCK)).json()
    content = str(wishes).replace("'", '"').replace("True", "true").replace("inf", "1e999")
    said = await client.put(CLOCK, content=content)

    assert said.status_code == 400
    assert said.json()["error"]
    assert (await client.get(CLOCK)).json() == before


@pytest.mark.parametrize("wishes", [{"for": "soon"}, {"to": "-5"}, {"for": "1s", "to": "5"}])
async def test_steps_that_cannot_be_made_are_refused(client: httpx.AsyncClient, wishes: Any) -> None:
    before = (await client.get(CLOCK)).json()

    assert (await client.post(f"{CLOCK}/step", json=wishes)).status_code == 400
    assert (await client.get(CLOCK)).json() == before


async def test_speed_decides_how_much_time_passes(client: httpx.AsyncClient, pace: ServedPace, wall: Wall) -> None:
    await client.put(CLOCK, json={"speed": 10})
    wall.now_s += 2.0
    while not pace.slice():
        pass
    assert pace.played.now_ms == 20_000

    await client.put(CLOCK, json={"paused": True})
    wall.now_s += 2.0
    pace.slice()
    assert pace.played.now_ms == 20_000


@pytest.mark.parametrize("header", [{"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Authorization": ""}])
async def test_acts_need_the_token(client: httpx.AsyncClient, header: dict[str, str]) -> None:
    assert (await client.put(CLOCK, json={"paused": True}, headers=header)).status_code == 401
    assert (await client.post(f"{CLOCK}/step", headers=header)).status_code == 401
    assert (await client.get(CLOCK, headers=header)).json()["paused"] is False


async def test_dates_are_those_of_the_simulation(client: httpx.AsyncClient) -> None:
    await client.post(f"{CLOCK}/step", json={"for": "66s"})
    said = await client.get("/ws/v1/cluster/info")

    assert said.headers["date"] == "Sat, 21 Nov 2026 00:22:50 GMT"
    assert said.headers["content-type"] == "application/json"


async def test_long_answers_are_packed_when_asked(client: httpx.AsyncClient) -> None:
    packed = await client.get("/ws/v1/cluster/nodes")
    plain = await client.get("/ws/v1/cluster/nodes", headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["spark-packing"], "spark-packing has no ResourceManager: its scheduler is spark"),
        (["reservation-deadlock", "--speed", "0"], "0 is no speed from 0.001 to 1,000,000"),
        (["reservation-deadlock", "--speed", "1e308"], "is no speed"),
        (["reservation-deadlock", "--token", ""], "a token is at least one ASCII letter"),
        (["reservation-deadlock", "--token", "a b"], "without blanks"),
        (["reservation-deadlock", "--token", "geheim\u00e4"], "ASCII"),
        (["reservation-deadlock", "--port", "65536"], "65536 is no port"),
        (["reservation-deadlock", "--at", "25:00"], "--at"),
        (["reservation-deadlok"], "reservation-deadlock"),
    ],
)
def test_input_is_refused_in_words(arguments: list[str], words: str) -> None:
    said = CliRunner().invoke(app, arguments)

    assert said.exit_code == 2
    assert words in said.stderr


def test_a_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.options.find_spec", lambda name: None)
    said = CliRunner().invoke(app, ["reservation-deadlock"])

    assert said.exit_code == 2
    assert "pip install 'schedlab[server]'" in said.stderr
    assert len(said.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_said_in_our_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = CliRunner().invoke(app, ["reservation-deadlock", "--port", str(port)])

    assert (said.exit_code, said.stderr.count("\n")) == (2, 1)
    assert f"--port: port {port} of 127.0.0.1 is taken (--port 0 takes any that is free)" in said.stderr
