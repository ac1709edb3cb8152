"""FROZEN on a live screen is true: of a simulation that is served and watched, nothing starts before something ends."""

import asyncio

import pytest

from engine.explain.counterfactuals import Lookahead
from engine.formats.scenario_toml import load, packaged
from engine.live.alarms import DEFAULT_RULES, parse_rules
from engine.scenario.scenario import system_of
from engine.serve.wire import RELEASES, release_of
from engine.simulation.simulation import Simulation
from tests.tui.serving.test_serve import Watched
from tui.cli.live import ClusterFiles, live_twin
from tui.panes.header import health_of
from tui.session.advice import advice_of
from tui.session.live_pictures import LivePictures

TURNS = 60
"""Turns of the event loop in which the twin surely is asked: nothing in it waits for anything else."""
POLLS_MS = (4_000, 2_000, 0)
"""Polls before an instant."""
FROZEN = "FROZEN if"
PARTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Of a scenario's duration, after which is looked."""


def starts_before_an_end(simulation: Simulation) -> bool:
    """Tell whether a container starts while all that run stay."""
    ahead = Lookahead(simulation)
    while ahead.last_ms is None and not ahead.ended and not ahead.advance():
        pass
    first_ms = min(ahead.ended.values(), default=ahead.end_ms)
    return any(served.time_ms < first_ms for served in ahead.served.values())


async def badges(name: str, parts: tuple[float, ...]) -> list[tuple[str, bool]]:
    """The badge at each instant, and whether something starts there before anything ends."""
    release = release_of(load(name).scheduler)
    watched = Watched(name, next(era for era, each in RELEASES.items() if each is release))
    run, source = watched.run, watched.source
    pictures = LivePictures(
        source,
        parse_rules(DEFAULT_RULES),
        wall=lambda: run.simulation.now_ms / 1000,
        advice=advice_of(lambda: live_twin(source, pictures.whole, ClusterFiles(None, None, None))),
    )
    found = []
    for part in parts:
        for before_ms in POLLS_MS:
            run.advance(max(int(run.until_ms * part) - before_ms, run.now_ms))
            if run.simulation.control_plane.answers:
                await pictures.round()
        for _ in range(TURNS):
            await asyncio.sleep(0)
        if run.simulation.control_plane.answers:
            word = health_of(await pictures.picture()).word
            found.append((word, word == FROZEN and starts_before_an_end(run.simulation)))
    await pictures.close()
    return found


async def test_a_standstill_is_frozen_within_three_polls() -> None:
    """And not while the twin, by what it concludes of what ran before, sees a start."""
    assert await badges("reservation-deadlock", (0.2, 0.4)) == [("ALARM", False), (FROZEN, False)]


@pytest.mark.parametrize("name", ["reservation-deadlock-recorded", "reservation-deadlock-3.4-all-nodes"])
async def test_nothing_starts_before_an_end_where_a_live_cluster_is_frozen(name: str) -> None:
    found = await badges(name, PARTS)

    assert (FROZEN, False) in found
    assert (FROZEN, True) not in found


@pytest.mark.long
@pytest.mark.parametrize("name", packaged())
async def test_no_live_cluster_is_frozen_where_something_starts_before_an_end(name: str) -> None:
    if system_of(load(name).scheduler) != "yarn":
        pytest.skip("no ResourceManager")
    assert (FROZEN, True) not in await badges(name, PARTS)
