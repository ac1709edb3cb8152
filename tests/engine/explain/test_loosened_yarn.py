"""Settings of YARN made loose on a copy: what each of them changes there, and nothing else."""

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.obstacle_rows import ObstacleRow
from engine.explain.yarn_explainer import YarnExplainer
from engine.explain.yarn_loosening import LARGE_MB, LARGE_VCORES
from engine.model.java_number import INT_MAX
from engine.model.ledger import Attempt
from engine.model.request import OFF_SWITCH
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.scheduler_view import Setting
from engine.settings.fair import RESERVATION_RULE
from engine.settings.site import NODE_MEMORY, NODE_VCORES
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import app, at, scene

TEXT = app("holder", '{ memory = "9g", count = 2 }') + app(
    "picky",
    '{ memory = "9g", hosts = ["n1"], relax = false }, { priority = 2, memory = "8g", hosts = ["n2"], relax = false }',
    at=5,
)


@pytest.fixture
def copy() -> Simulation:
    """Two nodes that are full, and one that is picky about them."""
    return at(scene(TEXT), 30)


def loosen(copy: Simulation, key: str, value: str = "", *, priority: int | None = None, host: str = "n1") -> Attempt:
    """Loosen a setting for the second; its attempt."""
    view = copy.control_plane.view()
    assert isinstance(view, YarnClusterView)
    row = ObstacleRow("DOES_NOT_FIT", "", "NODE", "SKIPPED", "", 1, 2, (host,), "", {}, Setting(key, "1"))
    YarnExplainer(view, copy).loosen((2, priority), row, value)
    return attempt_of(copy)


def attempt_of(copy: Simulation) -> Attempt:
    """The attempt of the second."""
    assert isinstance(copy.control_plane, ResourceManager)
    attempt = copy.control_plane.cluster.applications[2].attempt
    assert attempt is not None
    return attempt


def version(copy: Simulation) -> int:
    """The version of the ledger, by which what was found before is known to be old."""
    assert isinstance(copy.control_plane, ResourceManager)
    return copy.control_plane.cluster.version


def sizes(copy: Simulation) -> list[tuple[str, int, int]]:
    """Hosts with memory [MB] and vcores."""
    return [(node.host, node.memory_mb, node.vcores) for node in copy.world.nodes]


@pytest.mark.parametrize(
    ("key", "memory_mb", "vcores"), [(NODE_MEMORY.name, LARGE_MB, 0), (NODE_VCORES.name, 0, LARGE_VCORES)]
)
@pytest.mark.parametrize("host", ["n1", "n2"])
def test_nodes_of_the_obstacle_alone_grow_in_one_dimension(
    copy: Simulation, key: str, memory_mb: int, vcores: int, host: str
) -> None:
    """By more than anybody can ask for."""
    loosen(copy, key, host=host)

    assert sizes(copy) == [
        (name, 10_240 + memory_mb * (name == host), 16 + vcores * (name == host)) for name in ("n1", "n2")
    ]


@pytest.mark.parametrize(("priority", "relaxed"), [(None, {1, 2}), (1, {1}), (2, {2}), (3, set())])
def test_what_an_ask_wants_is_taken_anywhere(copy: Simulation, priority: int | None, relaxed: set[int]) -> None:
    """Of all its asks, or of one."""
    before = version(copy)
    groups = loosen(copy, "relaxLocality", priority=priority).groups

    assert {
        each for each, group in groups.items() if all(one.relax_locality for one in group.by_name.values())
    } == relaxed
    assert version(copy) == before + 1


def test_no_node_is_shunned(copy: Simulation) -> None:
    """The blacklist is empty, and what was found with it is old."""
    attempt_of(copy).blacklist.add("n1")
    before = version(copy)

    assert loosen(copy, "blacklist").blacklist == set()
    assert version(copy) == before + 1


def test_every_node_is_as_good_as_another(copy: Simulation) -> None:
    """Offers passed are counted as if there had been enough of them."""
    before = version(copy)
    groups = loosen(copy, "yarn.scheduler.fair.locality.threshold.node").groups

    assert [(each.missed_opportunities, each.allowed_locality) for each in groups.values()] == [
        (LARGE_VCORES, OFF_SWITCH)
    ] * 2
    assert version(copy) == before + 1


def test_nothing_is_reserved_any_more(copy: Simulation) -> None:
    """By the rule that reserves nothing."""
    loosen(copy, RESERVATION_RULE.name)

    assert copy.control_plane.view().modes().reservation_rule == "off"


def allocation(copy: Simulation) -> FairAllocation:
    """The allocation in force."""
    view = copy.control_plane.view()
    assert isinstance(view, YarnClusterView)
    found = view.policy.allocation()
    assert isinstance(found, FairAllocation)
    return found


def test_a_user_may_run_any_number(copy: Simulation) -> None:
    """Others are limited as before."""
    loosen(copy, "user ann.lee.maxRunningApps")

    assert allocation(copy).user_max_running_apps == {"ann.lee": INT_MAX}


def test_a_setting_of_a_queue_is_that_queues(copy: Simulation) -> None:
    """The key ends with the name of the setting; the queue is what comes before."""
    loosen(copy, "root.a.maxRunningApps", str(INT_MAX - 1))

    assert allocation(copy).queue_max_apps("root.a") == INT_MAX - 1
    assert allocation(copy).queue_max_apps("root.b") == INT_MAX
