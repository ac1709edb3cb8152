"""Settings of CapacityScheduler changed while it runs: they hold at once, or are refused and change nothing."""

import pytest

from engine.errors import RefusedError
from engine.formats.scenario_toml import load
from engine.scenario import Scenario
from engine.scenario.acts import SetPreemption, SetQueueSetting
from engine.schedulers.capacity.properties import as_properties
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.settings.capacity import CAPACITY_27
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation

ERAS = ["capacity-2.7", "capacity-3.4"]


def _at(name: str, era: str, seconds: int) -> Simulation:
    scenario: Scenario = load(name).model_copy(update={"scheduler": era})
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + seconds * 1000)
    return simulation


def _rows(simulation: Simulation) -> dict[str, CapacityQueueRow]:
    rows = simulation.control_plane.view().policy.queues()
    return {row.path: row for row in rows if isinstance(row, CapacityQueueRow)}


def _used(simulation: Simulation, path: str) -> int:
    return _rows(simulation)[path].used[0]


@pytest.mark.parametrize("era", ERAS)
def test_a_user_limit_is_lifted_while_the_user_waits(era: str) -> None:
    simulation = _at("capacity-user-limit", era, 60)
    before = _used(simulation, "root.adhoc")
    simulation.act(SetQueueSetting("root.adhoc", "user-limit-factor", "5"))
    simulation.run_until(simulation.now_ms + 10_000)

    assert (before, _used(simulation, "root.adhoc")) == (17 * 1024, 40 * 1024)


@pytest.mark.parametrize("era", ERAS)
def test_a_larger_share_for_masters_starts_those_that_wait(era: str) -> None:
    simulation = _at("capacity-am-limit", era, 60)
    simulation.act(SetQueueSetting("root.default", "maximum-am-resource-percent", "0.33"))
    simulation.run_until(simulation.now_ms + 20_000)

    assert _rows(simulation)["root.default"].applications_running == 5


@pytest.mark.parametrize("era", ERAS)
def test_the_capacity_of_a_queue_brings_its_siblings_with_it(era: str) -> None:
    simulation = _at("capacity-user-limit", era, 60)
    alone = simulation.act(SetQueueSetting("root.adhoc", "capacity", "40"))
    both = simulation.act(SetQueueSetting("root.adhoc", "capacity", "40 etl=60"))

    rows = _rows(simulation)
    assert (bool(alone.rejected), both.rejected) == (True, "")
    assert (rows["root.adhoc"].guaranteed, rows["root.etl"].guaranteed) == ((32768,), (49152,))


@pytest.mark.parametrize("era", ERAS)
def test_preemption_is_switched_while_a_queue_lacks_its_guarantee(era: str) -> None:
    simulation = _at("prod-dev-capacity-no-preemption", era, 150)
    assert simulation.control_plane.view().modes().preemption is False
    simulation.act(SetPreemption(on=True))
    simulation.run_until(simulation.now_ms + 60_000)
    taken = _used(simulation, "root.prod")
    simulation.act(SetPreemption(on=False))
    simulation.run_until(simulation.now_ms + 60_000)

    assert simulation.control_plane.view().modes().preemption is False
    assert taken > 25 * 1024
    assert _used(simulation, "root.prod") == taken


def test_the_order_of_a_leaf_is_changed_in_3_4_and_unknown_in_2_7() -> None:
    later = _at("head-of-line-capacity-3.4", "capacity-3.4", 30)
    later.act(SetQueueSetting("root.default", "ordering-policy", "fair"))
    later.run_until(later.now_ms + 30_000)
    earlier = _at("head-of-line-capacity", "capacity-2.7", 30)
    refusal = earlier.act(SetQueueSetting("root.default", "ordering-policy", "fair"))

    assert later.control_plane.view().application(2) is None
    assert "a queue has no setting ordering-policy" in refusal.detail


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("queue.root.eng.capacity", "there is no queue root.eng; did you mean root.dev.eng?"),
        ("queue.root.dev.eng.maximum-capasity", "a queue has no setting maximum-capasity; did you mean"),
        ("reservation.rule", "there is no setting reservation.rule"),
    ],
)
def test_an_unknown_setting_is_refused_with_the_nearest_name(key: str, words: str) -> None:
    """A queue by its path, a setting by the last part of its key."""
    with pytest.raises(RefusedError) as refusal:
        as_properties({key: "1"}, ["root", "root.dev", "root.dev.eng"], CAPACITY_27)

    assert words in str(refusal.value)


def test_a_setting_of_a_partition_belongs_to_its_queue() -> None:
    key = "accessible-node-labels.gpu.capacity"

    assert as_properties({f"queue.root.a.{key}": "50"}, ["root", "root.a"], CAPACITY_27) == {
        f"yarn.scheduler.capacity.root.a.{key}": "50"
    }


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_capacity_is_refused(era: str, value: str) -> None:
    simulation = _at("capacity-user-limit", era, 60)

    refusal = simulation.act(SetQueueSetting("root.adhoc", "capacity", value))

    assert f"{value!r} is not a number" in str(refusal)
