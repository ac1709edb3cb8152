"""Nothing that was watched is lost, whatever the network and the server do; no clock but the simulation's is read."""

from pathlib import Path
from random import Random

import httpx
import pytest

from tests.gates.live_faults.proxy import BAD, GOOD, KINDS, FaultyTransport
from tests.gates.live_faults.replay import SCENARIO, Outcome, replayed

DAY_HOURS = 24
GROWTH_MB = 8
"""What may come on top of the first hours."""


def right(outcome: Outcome) -> bool:
    """Whether every end was seen, time only went on, nothing of ours broke, and the server was heard at the end."""
    return (outcome.lost, outcome.backwards, outcome.mistakes, outcome.live) == (set(), 0, [], True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "a-day.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


@pytest.mark.long
def test_half_an_hour_of_faults_loses_nothing(path: Path) -> None:
    outcome = replayed(path, 0.5, seed=4)

    assert right(outcome), outcome
    assert outcome.ended > 20
    assert sum(outcome.met.values()) > outcome.met[""]


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_a_day_of_faults_loses_nothing_and_memory_stays(path: Path, seed: int) -> None:
    outcome = replayed(path, DAY_HOURS, seed)

    assert right(outcome), outcome
    assert {kind for kind in KINDS if outcome.met.get(kind, 0) > 10} == set(KINDS)
    assert outcome.memory_mb[-1] <= outcome.memory_mb[2] + GROWTH_MB


async def test_the_same_seed_meets_the_same_faults() -> None:
    met = [await _kinds(7), await _kinds(7)]

    assert met[0] == met[1]
    longest = max(len(part) for part in "".join("x" if kind else " " for kind in met[0]).split())
    assert longest <= BAD[1]
    assert GOOD[1] < len(met[0])


async def _kinds(seed: int) -> list[bool]:
    server = httpx.MockTransport(lambda request: httpx.Response(200, text="x" * 100))
    transport = FaultyTransport(server, Random(seed), lambda seconds: None)
    found = []
    for _ in range(3_000):
        try:
            response = await transport.handle_async_request(httpx.Request("GET", "http://rm1:8088/"))
            found.append(response.text != "x" * 100)
        except httpx.HTTPError:
            found.append(True)
    return found
