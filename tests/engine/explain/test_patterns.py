"""Named patterns beside those of `tests.scenarios.test_patterns`: where each is found, and not in a near-twin."""

from typing import NamedTuple

import pytest

from engine.explain.instant import SharedLookahead
from engine.explain.verdict_search import worst_verdict
from engine.formats.scenario_toml import load
from engine.incremental import run_to_end
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from tests.engine.explain.stuck import app, queue, scene, why


class Pair(NamedTuple):
    """A pattern's scenario, its near-twin, and who is asked when."""

    found: Scenario
    twin: Scenario
    number: int
    seconds: float


MASTERS = "".join(
    f"""
[[workload]]
type = "mapreduce"
name = "job {number}"
user = "ann"
queue = "root.a"
at = {number}
am = {{ memory = "2g" }}
maps = 4
map = {{ memory = "2g" }}
"""
    for number in range(1, 5)
)
RESERVING = (
    app(
        "left",
        '{ memory = "3g", count = 2, duration = "9m" }, { at = 30, priority = 2, memory = "3g", duration = "1m" }',
    )
    + app(
        "right",
        '{ memory = "3g", count = 2, duration = "9m" }, { at = 30, priority = 2, memory = "3g", duration = "1m" }',
    )
    + app("large", '{ memory = "8g", duration = "1m" }', at=20)
)
PAIRS = {
    "reservation deadlock": Pair(
        scene(RESERVING), scene(RESERVING, settings='"schedlab.reservation.rule" = "off"'), 1, 120
    ),
    "AM limit": Pair(
        scene(queue("a", "max_am_share = 0.3") + MASTERS), scene(queue("a", "max_am_share = 0.4") + MASTERS), 4, 20
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_it_is_found_and_its_near_twin_is_something_else(name: str) -> None:
    pair = PAIRS[name]

    assert why(pair.found, pair.seconds, pair.number).pattern == name
    assert why(pair.twin, pair.seconds, pair.number).pattern != name


def _named(scenario: str, number: int, seconds: float) -> str:
    """The pattern an application of a packaged scenario is in."""
    simulation = build_simulation(load(scenario))
    simulation.run_until(simulation.world.ground.start_ms + int(seconds * 1000))
    return run_to_end(worst_verdict(SharedLookahead(simulation), number))[1]


SPARK = {
    "no worker large enough": ("spark-no-worker-large-enough", (1, 60), (2, 60)),
    "cores hoarded": ("spark-cores-hoarded", (2, 600), (1, 600)),
}
"""Pattern → scenario, who is in it after how many seconds, and who in the same scenario is served."""


@pytest.mark.parametrize("name", SPARK)
def test_spark_has_its_own(name: str) -> None:
    scenario, found, twin = SPARK[name]

    assert _named(scenario, *found) == name
    assert _named(scenario, *twin) != name
