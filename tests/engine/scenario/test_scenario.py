"""The scenario as a whole, and the allocation file its queue tables stand for."""

from typing import Any

import pytest

from engine.formats.fair_files import read_fair_scheduler
from engine.scenario import ClusterSpec, NodeGroup, QueueSpec, Scenario
from engine.scenario.cluster import allocations_xml
from engine.scenario.scenario import family_of, flat_settings, system_of

CLUSTER = ClusterSpec(groups=(NodeGroup(count=2, memory_mb=1024, vcores=1),))


def test_the_digest_tells_what_can_change_what_happens() -> None:
    scenario = Scenario(cluster=CLUSTER)
    assert scenario.digest() == scenario.model_copy(update={"title": "other", "about": "words"}).digest()
    assert scenario.digest() != scenario.model_copy(update={"seed": 1}).digest()


def test_queue_tables_stand_for_an_allocation_file() -> None:
    """Children sit inside their parents, also those that have no table of their own."""
    queues = (
        QueueSpec(name="prod", weight=40, policy="fifo"),
        QueueSpec(name="root.dev.eng", min_resources="1024 mb, 1 vcores"),
        QueueSpec(name="dev.science", max_am_share=0.5),
    )
    loaded = read_fair_scheduler(allocations_xml(queues, {"queueMaxAMShareDefault": "0.3"})).allocation
    assert loaded.weights == {"root.prod": 40.0}
    assert loaded.policies["root.prod"] == "fifo"
    assert loaded.min_resources["root.dev.eng"].memory_mb == 1024
    assert "root.dev.science" in loaded.configured_leaves


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
