"""`schedlab serve`: its web server in process, without sockets, its clock stepped by hand."""

import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

import httpx
import msgspec
import pytest

from engine.formats.scenario_toml import load, packaged
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.model.java_values import INT_MAX
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of_simulation
from engine.run import Run
from engine.scenario.scenario import system_of
from engine.schedulers.interface import Unknown
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASE_27, RELEASES
from tests.invoke import said
from tui.serving.serve_app import ServedApp

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
    done = await client.put(CLOCK, content=content)

    assert done.status_code == 400
    assert done.json()["error"]
    assert (await client.get(CLOCK)).json() == before


async def test_dates_are_those_of_the_simulation(client: httpx.AsyncClient) -> None:
    await client.post(f"{CLOCK}/step", json={"for": "66s"})
    done = await client.get("/ws/v1/cluster/info")

    assert done.headers["date"] == "Sat, 21 Nov 2026 00:22:50 GMT"
    assert done.headers["content-type"] == "application/json"


async def test_long_answers_are_packed_when_asked(client: httpx.AsyncClient) -> None:
    packed = await client.get("/ws/v1/cluster/nodes")
    plain = await client.get("/ws/v1/cluster/nodes", headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


def test_a_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.listening.find_spec", lambda name: None)
    done = said("serve", ["reservation-deadlock"])

    assert done.exit_code == 2
    assert "pip install 'schedlab[server]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_said_in_our_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = said("serve", ["reservation-deadlock", "--listen", str(port)])

    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert f"--listen: port {port} of 127.0.0.1 is taken (--listen 0 takes any that is free)" in done.stderr


# `watch` on `serve`: what it shows of a simulation is what the simulation's own snapshot says.

SAMPLE = ("reservation-deadlock-recorded", "prod-dev-fair-3.4", "node-labels-capacity-3.4", "three-schedulers-fifo")
PARTS = (0.2, 0.5, 0.8)
"""Of a scenario's duration, after which is looked."""

GUESSED = "preemption-3.4"  # Several nodes could be the one that is reserved, and no server says which
RULE = "schedlab.reservation.rule"
NOT_CARRIED = {
    "applications": {
        "waiting_since_ms",
        "refusal",
        "lifespan",
        "jobs",
        "jobs_done",
        "idle_since_ms",
        "idle_containers",
    },
    "queues": {"weight"},
    "nodes": set[str](),
    "users": set[str](),
}
"""Fields that no answer carries; `watch` concludes some of them by itself."""
APPROXIMATE = {"guaranteed", "max_share", "used_capacity", "share", "partitions", "user_limit", "am_limit"}
"""Of CapacityScheduler: 2.7.2 says percentages of float32 where the scheduler rounds amounts."""


class Watched:
    """A scenario that is served and watched."""

    def __init__(self, name: str, era: str) -> None:
        past = ApplicationPast()
        self.run = Run(load(name), [past], is_judged=False)
        self.era = era
        pace = ServedPace(self.run, paused=True)
        served = ServedCluster(lambda: self.run.simulation, pace.act, past, RELEASES[era], "rm1:8088")
        app = ServedApp(served, pace, None).app()
        client = RestClient(
            ["http://rm1:8088"],
            lambda: httpx.AsyncClient(transport=httpx.ASGITransport(app)),
            wall=lambda: self.run.simulation.now_ms / 1000,
            steady=lambda: self.run.simulation.now_ms / 1000,
        )
        self.source = YarnSource(client, PollPace())

    @property
    def is_capacity(self) -> bool:
        return self.run.scenario.scheduler.startswith("capacity")

    async def look(self, part: float) -> list[str]:
        """In what `watch` and the simulation differ after a part of the scenario; nothing while nobody answers."""
        self.run.advance(int(self.run.until_ms * part))
        if not self.run.simulation.control_plane.answers:
            return []
        shown = await self.source.poll()
        return list(self.differences(shown, snapshot_of_simulation(self.run.simulation, has_drained=False)))

    def differences(self, shown: Snapshot, real: Snapshot) -> Iterator[str]:
        """Field by field of every row, and the order of rows."""
        yield from self._header(shown, real)
        for section in NOT_CARRIED:
            ours, theirs = _rows(shown, section), _rows(real, section)
            yield from (f"{section}: {name} is not there" for name in ours if name not in theirs)
            if section != "queues" or not self._loses_queues:
                live = [name for name, row in theirs.items() if row.get("finished_ms") is None]
                yield from (f"{section}: {name} is not shown" for name in live if name not in ours)
            for name in (name for name in ours if name in theirs):
                yield from self._row(section, name, ours[name], theirs[name])

    @property
    def _is_of_era(self) -> bool:
        return self.run.scenario.scheduler.endswith(self.era)

    @property
    def _loses_queues(self) -> bool:
        """2.7.2 writes one name for all queues below a parent that is not the root; readers keep the last."""
        return self.era == "2.7" and not self.is_capacity

    def _header(self, shown: Snapshot, real: Snapshot) -> Iterator[str]:
        ours, theirs = msgspec.structs.asdict(shown.header), msgspec.structs.asdict(real.header)
        partitions = any(node.partition for node in real.nodes())
        # Metrics are those of the default partition; the instant of an answer has whole seconds.
        skipped = {
            "time_ms",
            "scheduler",
            "recovery",
            "inferred",
            "master_start_ms",  # only who watches measures it
            *(("reserved", "nodes_reserved") if partitions else ()),
            *(("reservation_rule",) if RULE in self.run.scenario.settings or not self._is_of_era else ()),
        }
        if partitions:  # a node of 3.4.1 holds a container for a moment after nobody pays; `watch` adds up the nodes
            up = [node.used for node in real.nodes() if node.state == "RUNNING"]
            theirs["used"] = (sum(each[0] for each in up), sum(each[1] for each in up))
        yield from _fields("header", ours, theirs, skipped)
        if abs(shown.header.time_ms - real.header.time_ms) > 1_000:
            yield f"time: {shown.header.time_ms} for {real.header.time_ms}"

    def _row(self, section: str, name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
        skipped = set(NOT_CARRIED[section])
        if section == "nodes" and theirs["state"] != "RUNNING":
            skipped |= {"total", "free"}  # nothing is said of a node that the scheduler does not know
        if section == "nodes" and self.run.scenario.name == GUESSED:
            skipped |= {"reserved", "reserved_by"}
        if self.is_capacity:
            skipped |= APPROXIMATE | (set() if self.era == "3.4" and self._is_of_era else {"policy"})
            if section == "applications" and str(ours["queue"]).endswith(f".{theirs['queue']}"):
                skipped.add("queue")  # whoever is refused keeps the name it was submitted with
        if self._loses_queues:
            skipped.add("is_leaf")
        if section == "queues":
            theirs = {**theirs, "max_share": self._cut(theirs["max_share"]), **self._members(name)}
        yield from _fields(f"{section} {name}", ours, theirs, skipped)

    def _members(self, queue: str) -> dict[str, int]:
        """Who runs in a queue and who does not, by state, as `watch` counts; schedulers count whom they hold back."""
        states = [
            each.state
            for each in snapshot_of_simulation(self.run.simulation, has_drained=False).applications(why=False)
            if each.finished_ms is None and f"{each.queue}.".startswith(f"{queue}.")
        ]
        running = states.count("RUNNING")
        return {"applications_running": running, "applications_pending": len(states) - running}

    def _cut(self, most: Any) -> Any:  # Any: amounts, or none
        """A maximum as a server says it: cut down to the cluster, none where it limits nothing now."""
        if most is None or isinstance(most, Unknown):
            return most
        cluster = self.run.simulation.control_plane.view().figures().total
        found = tuple(min(one, INT_MAX, whole) for one, whole in zip(most, cluster, strict=False))
        return None if found == cluster else found


def _rows(snapshot: Snapshot, section: str) -> dict[str, dict[str, Any]]:
    found: Sequence[Any] = getattr(snapshot, section)()
    names = {"queues": "path", "users": "user"}
    return {getattr(row, names.get(section, "id")): _plain(row) for row in found}


def _plain(row: msgspec.Struct) -> dict[str, Any]:
    return dict(zip(row.__struct_encode_fields__, msgspec.structs.astuple(row), strict=True))


def _fields(place: str, ours: Mapping[str, Any], theirs: Mapping[str, Any], skipped: set[str]) -> Iterator[str]:
    for name, value in ours.items():
        real = theirs.get(name)
        if name in skipped or isinstance(value, Unknown) or isinstance(real, Unknown):
            continue
        if value != real and not (isinstance(value, str) and isinstance(real, str) and value.lower() == real.lower()):
            yield f"{place} {name}: {value!r} for {real!r}"


@pytest.mark.parametrize("era", RELEASES)
@pytest.mark.parametrize("name", SAMPLE)
async def test_watch_shows_what_a_simulation_says(name: str, era: str) -> None:
    assert await Watched(name, era).look(0.5) == []


@pytest.mark.parametrize("era", RELEASES)
async def test_who_waits_for_the_limit_of_a_user_is_told_so(era: str) -> None:
    """Both releases say the limits of users, the older one the last part of the path of their queue."""
    watched = Watched("capacity-user-limit", era)
    watched.run.advance(watched.run.until_ms // 2)
    row = (await watched.source.poll()).applications()[0]

    assert row.obstacle is not None
    assert (row.obstacle.code, row.obstacle.certainty) == ("USER_OVER_LIMIT", "inferred")


@pytest.mark.long
@pytest.mark.parametrize("era", RELEASES)
@pytest.mark.parametrize("name", packaged())
async def test_watch_shows_what_every_simulation_says(name: str, era: str) -> None:
    if system_of(load(name).scheduler) != "yarn":
        pytest.skip("no ResourceManager")
    watched = Watched(name, era)
    for part in PARTS:
        assert await watched.look(part) == [], part
