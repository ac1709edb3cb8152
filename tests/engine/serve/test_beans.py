"""What JMX and Prometheus are answered, beside a recorded server's beans."""

import json
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.engine.serve.asked import Asked, asked, exchanges

RECORDED = {"2.7.2-fair": "reservation-deadlock-recorded", "3.4.1-fair-incident": "reservation-deadlock-recorded-3.4"}
AT_MS = 65_500


def beans(one: Asked, query: str) -> dict[str, Any]:
    found = one.ask(f"/jmx?qry=Hadoop:service=ResourceManager,{query}")
    return {each["name"]: each for each in json.loads(found.body)["beans"]}


def recorded(recording: str, query: str) -> dict[str, Any]:
    found = next(each for each in exchanges(recording) if each.path.endswith(f"ResourceManager,{query}"))
    return {each["name"]: each for each in found.json["beans"]}


@pytest.mark.parametrize(("recording", "name"), RECORDED.items())
@pytest.mark.parametrize("query", ["name=QueueMetrics,*", "name=ClusterMetrics", "name=QueueMetrics,q0=root"])
def test_beans_have_the_fields_of_the_recorded_ones(recording: str, name: str, query: str) -> None:
    """The same beans, but those of users without an application; names of figures in the same order."""
    ours, theirs = beans(asked(name, AT_MS), query), recorded(recording, query)

    assert [each for each in ours if each not in theirs] == []
    assert {each for each in theirs if each not in ours} <= {
        "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,user=dr.who"
    }
    for each in ours:
        assert list(ours[each]) == list(theirs[each]), each


def test_figures_of_queues_and_users_are_those_of_the_real_server() -> None:
    ours = beans(asked("reservation-deadlock-recorded", AT_MS), "name=QueueMetrics,*")
    theirs = recorded("2.7.2-fair", "name=QueueMetrics,*")
    assert ours == {name: theirs[name] for name in ours}


def test_a_query_finds_by_pattern() -> None:
    """With `*` in a value, with `,*` for more, and nothing else without it."""
    one = asked("reservation-deadlock-recorded", AT_MS)
    assert len(beans(one, "name=QueueMetrics,q0=root")) == 1
    assert len(beans(one, "name=QueueMetrics,q0=root,q1=m*")) == 1
    assert beans(one, "name=Nothing") == {}
    assert len(json.loads(one.ask("/jmx").body)["beans"]) == len(beans(one, "*"))


def test_nodes_are_a_text_in_a_bean() -> None:
    (bean,) = beans(asked("reservation-deadlock-recorded", AT_MS), "name=RMNMInfo").values()
    ours, theirs = (
        json.loads(bean["LiveNodeManagers"]),
        json.loads(next(iter(recorded("2.7.2-fair", "name=RMNMInfo").values()))["LiveNodeManagers"]),
    )
    skipped = "LastHealthUpdate"
    assert [{**each, skipped: 0} for each in ours] == [{**each, skipped: 0} for each in theirs]


@pytest.mark.parametrize("name", [*RECORDED.values(), "node-labels-capacity-3.4", "three-schedulers-fifo"])
def test_prometheus_reads_the_figures(name: str) -> None:
    """As its own client parses them; the reserved memory of the whole cluster is there."""
    one = asked(name, AT_MS)
    families = {each.name: each for each in text_string_to_metric_families(one.ask("/prom").body.decode())}
    reserved = {
        sample.labels["queue"]: sample.value
        for sample in families["queue_metrics_reserved_mb"].samples
        if "user" not in sample.labels
    }

    root = next(iter(reserved))
    assert reserved[root] == one.json("/metrics")["clusterMetrics"]["reservedMB"]
    assert families["queue_metrics_apps_submitted"].type == "counter"
