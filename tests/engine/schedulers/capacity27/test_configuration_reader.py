"""Reading the properties of 2.7.2: what the real class would refuse, in its order."""

import pytest

from engine.schedulers.capacity27.configuration import read_configuration

PREFIX = "yarn.scheduler.capacity."
GOOD = {
    f"{PREFIX}root.queues": "a,b",
    f"{PREFIX}root.a.capacity": "40",
    f"{PREFIX}root.b.capacity": "60",
    f"{PREFIX}root.b.maximum-capacity": "75",
}


def _kinds(changes: dict[str, str]) -> list[str]:
    values = GOOD | {f"{PREFIX}{key}": value for key, value in changes.items()}
    return read_configuration(values, ["x"])[1].refusals.kinds


def test_a_good_configuration_is_read_whole() -> None:
    configuration, properties = read_configuration(GOOD, [])
    a, b = configuration.root.children

    assert properties.refusals.problems == []
    assert [queue.path for queue in (a, b)] == ["root.a", "root.b"]
    assert [round(queue.capacities[""].absolute, 4) for queue in (a, b)] == [0.4, 0.6]
    assert [queue.capacities[""].absolute_maximum for queue in (a, b)] == [1.0, 0.75]


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"root.queues": ""}, "IllegalStateException"),
        ({"root.a.capacity": "41"}, "IllegalArgumentException"),
        ({"root.a.capacity": "140"}, "IllegalArgumentException"),
        ({"root.a.capacity": "forty"}, "NumberFormatException"),
        ({"root.b.maximum-capacity": "59"}, "IllegalArgumentException"),
        ({"root.a.state": "running "}, "IllegalArgumentException"),
        ({"root.a.maximum-allocation-mb": "8193"}, "IllegalArgumentException"),
        ({"root.b.queues": "a", "root.b.a.capacity": "100"}, "IOException"),
        ({"queue-mappings": "u:jo:nowhere"}, "IOException"),
        ({"queue-mappings": "x:jo:a"}, "IllegalArgumentException"),
        ({"resource-calculator": "Nonsense"}, "ClassNotFoundException"),
        ({"root.a.default-node-label-expression": "x", "root.a.accessible-node-labels": "y"}, "IOException"),
    ],
)
def test_the_first_refusal_is_the_real_class_s(changes: dict[str, str], kind: str) -> None:
    assert _kinds(changes)[0] == kind


@pytest.mark.parametrize("changes", [{"root.a.capacity": "40.04"}, {"root.a.maximum-allocation-mb": "8192"}])
def test_what_is_just_inside_a_limit_is_accepted(changes: dict[str, str]) -> None:
    """Capacities may be off by 0.05 %; a queue's largest container may be the cluster's."""
    assert _kinds(changes) == []


def test_every_refusal_is_named_with_its_key() -> None:
    changes = {"root.a.capacity": "forty", "root.b.state": "gone"}
    values = GOOD | {f"{PREFIX}{key}": value for key, value in changes.items()}
    problems = read_configuration(values, [])[1].refusals.problems

    assert [problem.key for problem in problems[:2]] == [f"{PREFIX}root.a.capacity", f"{PREFIX}root.b.state"]


def test_the_smallest_container_is_not_above_the_largest() -> None:
    for minimum, kinds in (("8193", ["YarnRuntimeException"]), ("0", ["YarnRuntimeException"]), ("8192", [])):
        values = GOOD | {"yarn.scheduler.minimum-allocation-mb": minimum}
        assert read_configuration(values, [])[1].refusals.kinds == kinds


def test_a_calculator_that_is_blank_is_refused() -> None:
    values = GOOD | {f"{PREFIX}resource-calculator": " "}
    assert read_configuration(values, [])[1].refusals.kinds == ["ClassNotFoundException"]
    assert read_configuration(GOOD, [])[1].refusals.kinds == []


def test_the_interval_of_asynchronous_scheduling_is_a_number() -> None:
    key = f"{PREFIX}schedule-asynchronously.scheduling-interval-ms"
    assert read_configuration(GOOD | {key: "*"}, [])[1].refusals.kinds == ["NumberFormatException"]
    assert read_configuration(GOOD | {key: "7"}, [])[1].refusals.kinds == []


def test_a_capacity_that_is_no_number_passes_the_bounds() -> None:
    """The real class asks whether it is below 0 or above 100, and NaN is neither."""
    only = {f"{PREFIX}root.queues": "a", f"{PREFIX}root.a.capacity": "NaN"}
    assert read_configuration(only, [])[1].refusals.kinds == []


def test_a_limit_without_end_is_the_largest_number() -> None:
    values = GOOD | {f"{PREFIX}root.a.user-limit-factor": "Infinity"}
    leaf = next(each.leaf for each in read_configuration(values, [])[0].root.children if each.path == "root.a")
    assert leaf is not None
    assert leaf.maximum_applications_per_user == 2**31 - 1
