"""The same jobs as slots of MapReduce 1 and as containers of YARN differ in nothing but the control plane."""

from engine.formats.scenario_toml import load


def test_slots_and_containers_have_the_same_jobs_and_machines() -> None:
    """Workload, cluster, seed and start are those of the other; the scheduler is another."""
    slots, containers = load("mr1-slots-of-the-wrong-kind"), load("mr1-as-containers")

    assert (slots.workload, slots.cluster, slots.seed, slots.start) == (
        containers.workload,
        containers.cluster,
        containers.seed,
        containers.start,
    )
    assert (slots.system, containers.system) == ("mr1", "yarn")
