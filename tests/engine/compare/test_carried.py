"""A scenario carried over to another policy."""

import pytest

from engine.compare import carried_over
from engine.errors import ConfigError
from engine.formats.scenario_toml import load
from engine.scenario import Scenario
from engine.simulation.build import build_simulation

CAPACITY = "yarn.scheduler.capacity.root"


def capacities(scenario: Scenario) -> dict[str, float]:
    ends = {key: value for key, value in scenario.settings.items() if key.endswith(".capacity")}
    return {key.removeprefix(f"{CAPACITY}.").removesuffix(".capacity"): float(value) for key, value in ends.items()}


def test_weights_become_capacities() -> None:
    """Children share all of their parent by weight; the pool nobody uses is left out."""
    carried = carried_over(load("reservation-deadlock"), "capacity-3.4")
    found = capacities(carried.scenario)
    assert found == {"adhoc": 14.286, "etl": 42.857, "mining": 28.571, "reports": 14.286}
    assert any(each.startswith("minimum shares of root.etl") for each in carried.dropped)
    assert any("4 queues" in each for each in carried.mapped)


def test_capacities_become_weights_and_largest_capacities_limits() -> None:
    carried = carried_over(load("three-schedulers-capacity"), "fair-3.4")
    long, short = sorted(carried.scenario.queues, key=lambda each: each.name)
    assert (long.name, short.name) == ("long", "short")
    assert long.weight == pytest.approx(4 * (short.weight or 0))
    assert long.max_resources == "81920 mb, 80 vcores"
    assert short.max_resources is None


def test_a_release_keeps_all_but_the_rule_of_reservations() -> None:
    before = load("reservation-deadlock")
    carried = carried_over(before, "fair-3.4")
    assert carried.scenario.queues == before.queues
    assert "schedlab.reservation.rule" not in carried.scenario.settings
    assert len(carried.dropped) == 1


def test_preemption_goes_with_the_family() -> None:
    carried = carried_over(load("preemption-minshare"), "capacity-2.7")
    assert carried.scenario.settings["yarn.resourcemanager.scheduler.monitor.enable"] == "true"


def test_queues_of_the_other_family_hold_where_the_scenario_has_them() -> None:
    before = load("three-schedulers-fifo")
    carried = carried_over(before, "capacity-3.4")
    assert carried.scenario.settings == before.settings
    assert carried.scenario.workload == before.workload


def test_nested_queues_are_named_as_each_release_knows_them() -> None:
    """2.7 knows queues by their last name, 3.4 by the path, and FIFO has one."""
    before = load("prod-dev-fair")
    queues = {policy: {spec.queue for spec in carried_over(before, policy).scenario.workload} for policy in POLICIES}
    assert all("." not in (queue or "") for queue in queues["capacity-2.7"])
    assert "root.dev.eng" in queues["capacity-3.4"]
    assert queues["fifo"] == {spec.queue for spec in before.workload}


POLICIES = ("fair-2.7", "fair-3.4", "fifo", "fifo-3.4", "capacity-2.7", "capacity-3.4")


@pytest.mark.parametrize("name", ["prod-dev-fair", "node-labels-capacity-3.4", "lifespans-session"])
def test_every_policy_of_yarn_takes_it(name: str) -> None:
    before = load(name)
    for policy in POLICIES:
        _ = build_simulation(carried_over(before, policy).scenario)


def test_an_unknown_policy_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no policy capcity-3.4.*did you mean capacity-3.4"):
        carried_over(load("fair-order"), "capcity-3.4")


def test_other_control_planes_are_not_compared() -> None:
    with pytest.raises(ConfigError, match="do not run the same applications"):
        carried_over(load("fair-order"), "spark")
    with pytest.raises(ConfigError, match="do not run the same applications"):
        carried_over(load("mr1-slots-of-the-wrong-kind"), "fair-2.7")
