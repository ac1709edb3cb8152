"""The scenario as a whole, and the allocation file its queue tables stand for."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.scenario import (
    ApplicationSpec,
    AskSpec,
    ClusterSpec,
    DynamicAllocation,
    NodeGroup,
    NodeSpec,
    RecoveredContainers,
    RecoveredSpec,
    Scenario,
    ScriptedSpec,
)
from engine.scenario.scenario import family_of, flat_settings, system_of

CLUSTER = ClusterSpec(groups=(NodeGroup(count=2, memory_mb=1024, vcores=1),))


def test_the_digest_tells_what_can_change_what_happens() -> None:
    scenario = Scenario(cluster=CLUSTER)
    assert scenario.digest() == scenario.model_copy(update={"title": "other", "about": "words"}).digest()
    assert scenario.digest() != scenario.model_copy(update={"seed": 1}).digest()


@pytest.mark.parametrize(
    ("settings", "flat"),
    [
        ({}, {}),
        ({"a": {}}, {}),
        ({"a": {"b": {"c": "x"}, "d.e": 1}, "f": "y"}, {"a.b.c": "x", "a.d.e": "1", "f": "y"}),
        ({"a": True, "b": {"c": False}}, {"a": "true", "b.c": "false"}),
        ({"a": 0, "b": 0.5, "c": -1}, {"a": "0", "b": "0.5", "c": "-1"}),
    ],
)
def test_settings_are_hadoops_texts_under_dotted_keys(settings: dict[str, Any], flat: dict[str, str]) -> None:
    """Tables within tables, truth values and numbers included; so are the elements of an allocation file."""
    assert flat_settings(settings) == flat
    scenario = Scenario.model_validate({"cluster": {}, "settings": settings, "queue_defaults": settings})
    assert scenario.settings == scenario.queue_defaults == flat


@pytest.mark.parametrize(
    ("policy", "family", "system", "era"),
    [
        ("fifo", "fifo", "yarn", "2.7"),
        ("fifo-3.4", "fifo", "yarn", "3.4"),
        ("capacity-2.7", "capacity", "yarn", "2.7"),
        ("capacity-3.4", "capacity", "yarn", "3.4"),
        ("fair-2.7", "fair", "yarn", "2.7"),
        ("fair-3.4", "fair", "yarn", "3.4"),
        ("spark", "spark", "spark", "2.7"),
        ("mr1-fifo", "mr1", "mr1", "2.7"),
        ("mr1-fair", "mr1", "mr1", "2.7"),
        ("mr1-capacity", "mr1", "mr1", "2.7"),
    ],
)
def test_a_policy_has_a_family_a_system_and_an_era(policy: str, family: str, system: str, era: str) -> None:
    scenario = Scenario.model_validate({"cluster": {}, "scheduler": policy})
    assert (family_of(policy), system_of(policy)) == (scenario.family, scenario.system) == (family, system)
    assert scenario.era == era


def test_a_digest_is_the_same_in_every_process() -> None:
    one = Scenario(cluster=CLUSTER, settings={"a": "1", "b": "2"})
    other = Scenario(cluster=CLUSTER, settings={"b": "2", "a": "1"})
    assert one.digest() == other.digest()
    assert len(one.digest()) == 64
    assert one.digest() != Scenario(cluster=CLUSTER).digest()


# The machines of a scenario.


def test_counted_nodes_are_numbered_alike_and_dealt_to_racks() -> None:
    nodes = NodeGroup(count=12, prefix="n", memory_mb=1024, vcores=1, racks=("/a", "/b")).nodes()
    assert [node.host for node in nodes[:2]] == ["n01", "n02"]
    assert nodes[11].id == "n12:8041"
    assert [node.rack for node in nodes[:3]] == ["/a", "/b", "/a"]


def test_two_nodes_of_one_name_are_refused() -> None:
    node = NodeSpec(host="a", memory_mb=1, vcores=1)
    with pytest.raises(ValidationError, match="more than one node is called a:8041"):
        ClusterSpec(nodes=(node, node))


def test_nodes_of_one_host_differ_by_their_port() -> None:
    first, second = (NodeSpec(host="a", port=port, memory_mb=1, vcores=1) for port in (1, 2))
    assert ClusterSpec(nodes=(first, second)).all_nodes() == (first, second)
    with pytest.raises(ValidationError, match="more than one node is called a:1, a:2"):
        ClusterSpec(nodes=(second, first, second, first))


def test_a_cluster_has_so_many_nodes_at_most() -> None:
    counted = {"count": 99_999, "memory": 1, "vcores": 1}
    named = {"hosts": ["x"], "memory": 1, "vcores": 1}
    single = {"host": "y", "memory": 1, "vcores": 1}
    with pytest.raises(ValidationError, match="has 100,001 nodes; at most 100,000 are simulated"):
        ClusterSpec.model_validate({"groups": [counted, named], "nodes": [single]})


@pytest.mark.parametrize(
    ("state", "is_down"),
    [("RUNNING", False), ("DECOMMISSIONING", False), ("UNHEALTHY", True), ("LOST", True), ("DECOMMISSIONED", True)],
)
def test_a_node_that_is_down_takes_no_part(state: str, is_down: bool) -> None:
    node = NodeSpec.model_validate({"host": "a", "memory": 1, "vcores": 1, "state": state})
    assert node.is_down == is_down


# What users submit: which parts of an application go together, and the order of its jobs.

READ: TypeAdapter[ApplicationSpec] = TypeAdapter(ApplicationSpec)
STAGES = ({"tasks": 1},)
JOBS = ({"stages": STAGES},)
DYNAMIC: dict[str, Any] = {"initial": 1}


def spark(**fields: Any) -> dict[str, Any]:
    """A Spark application on YARN as a file has it."""
    return {"type": "spark", "user": "u", "executor": {"memory": "1g"}, "executors": 1, **fields}


def tez(**fields: Any) -> dict[str, Any]:
    return {"type": "tez", "user": "u", "dags": JOBS, **fields}


def standalone(**fields: Any) -> dict[str, Any]:
    """A Spark application on the standalone Master as a file has it."""
    return {"type": "spark-standalone", "user": "u", **fields}


@pytest.mark.parametrize(
    "fields",
    [
        spark(),
        spark(duration=5),
        spark(duration="forever"),
        spark(stages=STAGES),
        spark(jobs=JOBS),
        spark(jobs=JOBS, stays=True),
        spark(stages=STAGES, dynamic=DYNAMIC),
        spark(jobs=JOBS, dynamic=DYNAMIC),
        spark(jobs=JOBS, dynamic=DYNAMIC, executors=0),
        spark(waits=True),
        spark(stages=STAGES, waits=True),
        tez(),
        tez(session=False),
        tez(reuse=False),
        tez(held=1),
        standalone(),
        standalone(dynamic=DYNAMIC),
        standalone(dynamic={"idle": "1s", "shuffle": "service"}),
    ],
)
def test_parts_that_go_together_are_taken(fields: dict[str, Any]) -> None:
    assert READ.validate_python(fields).type == fields["type"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (spark(duration=5, stages=STAGES), "it has both a duration and stages; its work is one or the other"),
        (spark(duration=0, jobs=JOBS), "it has both a duration and jobs; its work is one or the other"),
        (spark(stages=STAGES, jobs=JOBS), "it has both stages and jobs; its work is one or the other"),
        (spark(dynamic=DYNAMIC), "dynamic follows tasks that wait; it needs stages or jobs"),
        (spark(stages=STAGES, dynamic=DYNAMIC, waits=True), "waits goes with neither dynamic nor jobs"),
        (spark(jobs=JOBS, waits=True), "waits goes with neither dynamic nor jobs"),
        (spark(stays=True), "stays goes with jobs only"),
        (spark(stages=STAGES, stays=True), "stays goes with jobs only"),
        (spark(executors=0), "executors is missing or 0"),
        (tez(held=1, session=False), "held goes with a session that uses containers again"),
        (tez(held=1, reuse=False), "held goes with a session that uses containers again"),
        (standalone(dynamic={"cached_idle": 0}), "cached_idle and shuffle of dynamic go with type spark, on YARN"),
        (standalone(dynamic={"shuffle": "tracking"}), "cached_idle and shuffle of dynamic go with type spark, on YARN"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        READ.validate_python(fields)
    assert [error["msg"] for error in refused.value.errors()] == [f"Value error, {message}"]


def totals(*instants: int) -> list[dict[str, int]]:
    return [{"at": instant, "executors": 1} for instant in instants]


@pytest.mark.parametrize("instants", [(), (0,), (0, 1), (1, 2, 5)])
def test_totals_of_executors_are_in_order(instants: tuple[int, ...]) -> None:
    read = DynamicAllocation.model_validate({"totals": totals(*instants)})
    assert [total.at_ms for total in read.totals] == [1000 * instant for instant in instants]


@pytest.mark.parametrize("instants", [(1, 0), (1, 1), (0, 2, 1)])
def test_totals_out_of_order_are_refused(instants: tuple[int, ...]) -> None:
    with pytest.raises(ValidationError, match="totals: each instant is later than the one before"):
        DynamicAllocation.model_validate({"totals": totals(*instants)})


# Applications that are there when a scenario starts: what they may hold.

MASTER = RecoveredContainers(node="n1", memory_mb=1024)
ANSWER = RecoveredContainers(node="n1", memory_mb=512, ask=0)


def application(**fields: Any) -> ScriptedSpec:
    """One with an ask for two containers and one for a container on each node."""
    asks = (AskSpec(memory_mb=512, count=2), AskSpec(memory_mb=512, count=1, each_node=True))
    return ScriptedSpec(type="scripted", user="u", asks=asks, **fields)


def recovered(*containers: RecoveredContainers, registered: bool = True, **fields: Any) -> RecoveredSpec:
    return RecoveredSpec(application=application(**fields), containers=containers, registered=registered)


def counted(container: RecoveredContainers, count: int, **fields: Any) -> RecoveredContainers:
    return container.model_copy(update={"count": count, **fields})


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": (MASTER, counted(ANSWER, 2))},
        {"containers": (MASTER, ANSWER, ANSWER)},
        {"containers": (MASTER, counted(ANSWER, 5, ask=1))},
        {"containers": (MASTER,), "registered": False},
        {"containers": (ANSWER,), "am": None},
        {"at_ms": 0},
        {"at_ms": -1},
    ],
)
def test_what_fits_together_is_taken(spec: dict[str, Any]) -> None:
    """As many containers as an ask is for, or any number of one that is for each node."""
    containers = spec.pop("containers", ())
    assert recovered(*containers, **spec).containers == containers


@pytest.mark.parametrize(
    ("containers", "fields", "message"),
    [
        ((counted(MASTER, 2),), {}, "has 2 containers without an ask; only a master's has none, so at most 1"),
        ((MASTER, MASTER, MASTER), {}, "has 3 containers without an ask; only a master's has none, so at most 1"),
        ((MASTER,), {"am": None}, "has 1 containers without an ask; only a master's has none, so at most 0"),
        ((ANSWER,), {}, "holds containers that answer asks without a registered master"),
        ((MASTER, ANSWER), {"registered": False}, "holds containers that answer asks without a registered master"),
        ((ANSWER,), {"am": None, "registered": False}, "holds containers that answer asks without a registered master"),
        ((MASTER, counted(ANSWER, 1, ask=2)), {}, "a container answers ask 2; there are 2, counted from 0"),
        ((MASTER, ANSWER, counted(ANSWER, 2)), {}, "3 containers answer ask 0, which is for 2"),
        ((), {"at_ms": 1}, "its application is submitted after the start"),
        (
            (),
            {"repeat": {"times": 2, "every_ms": 1}},
            "its application has repeat or waits, which mean nothing of what runs already",
        ),
        ((), {"waits": True}, "its application has repeat or waits, which mean nothing of what runs already"),
    ],
)
def test_what_contradicts_itself_is_refused(
    containers: tuple[RecoveredContainers, ...], fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        recovered(*containers, **fields)
    assert [error["msg"] for error in refused.value.errors()] == [f"Value error, {message}"]
