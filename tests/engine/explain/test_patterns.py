"""Every named pattern: where it is found, and a near-twin where it must not be."""

from typing import NamedTuple

import pytest

from engine.explain.inquiry import worst_verdict
from engine.explain.instant import LIVELOCK, SharedLookahead
from engine.formats.scenario_toml import load
from engine.incremental import run_to_end
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from tests.engine.explain.stuck import app, queue, scene, verdict_on


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
am = {{ memory = "{{am}}" }}
maps = 4
map = {{ memory = "2g" }}
"""
    for number in range(1, 5)
)
AM_SHARE = 'max_am_share = 1.0\nmax_resources = "20480 mb, 32 vcores"'
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
INSISTS = app("holder", '{ memory = "10g", hosts = ["n1"], relax = false }') + app(
    "picky", '{ memory = "2g", hosts = ["n1"], relax = false }', at=20
)
FILLED = app("filler", '{ memory = "1g", count = 40, duration = "40s" }', waits=False) + app(
    "behind", '{ memory = "1g", duration = "10s" }', at=10, waits=False
)
GREEDY = app("greedy", '{ memory = "1g", count = 40 }', queue="root.a", waits=False)

PAIRS = {
    "AM-only deadlock": Pair(
        scene(queue("a", AM_SHARE) + MASTERS.replace("{am}", "5g")),
        scene(queue("a", AM_SHARE) + MASTERS.replace("{am}", "3g")),
        1,
        120,
    ),
    "reservation deadlock": Pair(
        scene(RESERVING), scene(RESERVING, settings='"schedlab.reservation.rule" = "off"'), 1, 120
    ),
    "ask above every node": Pair(
        scene(app("huge", '{ memory = "12g" }'), memory="8g"),
        scene(app("holder", '{ memory = "8g", count = 2 }') + app("large", '{ memory = "8g" }', at=9), memory="8g"),
        1,
        30,
    ),
    "locality never relaxed": Pair(
        scene(INSISTS), scene(INSISTS.replace('memory = "2g", hosts = ["n1"], relax = false', 'memory = "2g"')), 2, 40
    ),
    "AM limit": Pair(
        scene(queue("a", "max_am_share = 0.3") + MASTERS.replace("{am}", "2g")),
        scene(queue("a", "max_am_share = 0.4") + MASTERS.replace("{am}", "2g")),
        4,
        20,
    ),
    "user limit": Pair(
        scene('\n[queue_defaults]\nuserMaxAppsDefault = "1"\n' + queue("a") + GREEDY + GREEDY, nodes=8),
        scene('\n[queue_defaults]\nuserMaxAppsDefault = "2"\n' + queue("a") + GREEDY + GREEDY, nodes=8),
        2,
        30,
    ),
    "queue limit": Pair(
        scene(queue("a", 'max_resources = "4096 mb, 8 vcores"') + GREEDY),
        scene(queue("a", 'max_resources = "40960 mb, 80 vcores"') + GREEDY),
        1,
        30,
    ),
    "FIFO head of line": Pair(
        scene(FILLED, top='scheduler = "fifo"'),
        scene(FILLED.replace("count = 40", "count = 20"), top='scheduler = "fifo"'),
        2,
        15,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_it_is_found(name: str) -> None:
    pair = PAIRS[name]

    assert verdict_on(pair.found, pair.seconds, pair.number)[1] == name


@pytest.mark.parametrize("name", PAIRS)
def test_its_near_twin_is_something_else(name: str) -> None:
    pair = PAIRS[name]

    assert verdict_on(pair.twin, pair.seconds, pair.number)[1] != name


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


TWO_QUEUES = """
[[queues]]
name = "poor"
min_resources = "4096 mb, 4 vcores"
min_share_preemption_timeout = 5
[[queues]]
name = "rich"
min_resources = "4096 mb, 4 vcores"
min_share_preemption_timeout = 5
"""
PREEMPTING = """
"yarn.scheduler.fair.preemption" = true
"yarn.scheduler.fair.preemption.cluster-utilization-threshold" = 0.1
"yarn.scheduler.fair.waitTimeBeforeKill" = 1000
"yarn.scheduler.fair.preemptionInterval" = 1000
"""
BOTH = "".join(
    app(name, '{ memory = "8g", count = 1, duration = "{lasts}" }', queue=f"root.{name}", waits=False, at=turn)
    for turn, name in enumerate(("poor", "rich"), start=1)
)


@pytest.mark.parametrize(("lasts", "is_found"), [("10m", True), ("5s", False)])
def test_a_preemption_livelock_is_found_and_its_near_twin_is_not(lasts: str, *, is_found: bool) -> None:
    """Two queues that need more than their share to run at all take it from each other, unless the work is short."""
    scenario = scene(TWO_QUEUES + BOTH.replace("{lasts}", lasts), nodes=1, settings=PREEMPTING, memory="8g")

    assert (LIVELOCK in {verdict_on(scenario, 40, number)[1] for number in (1, 2)}) is is_found
