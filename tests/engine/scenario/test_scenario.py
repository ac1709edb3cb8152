"""The scenario as a whole, and the allocation file its queue tables stand for."""

import pytest
from pydantic import ValidationError

from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.scenario import ClusterSpec, NodeGroup, QueueSpec, Scenario
from engine.scenario.queues import allocations_xml

CLUSTER = ClusterSpec(groups=(NodeGroup(count=2, memory_mb=1024, vcores=1),))


def test_a_start_is_epoch_milliseconds() -> None:
    """The engine's own time; the cluster timestamp follows it unless given."""
    scenario = Scenario.model_validate({"start": "2017-11-11T09:00:00+08:00", "cluster": {}})
    assert scenario.start_ms == scenario.timestamp == 1510362000000
    assert scenario.model_copy(update={"cluster_timestamp": 5}).timestamp == 5


def test_the_digest_tells_what_can_change_what_happens() -> None:
    """Words do not count, the seed does."""
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


def test_the_root_may_have_a_table() -> None:
    """Its children are those without a dot and those below it."""
    text = allocations_xml((QueueSpec(name="root", max_running_apps=3), QueueSpec(name="a&b")), {})
    assert text.index('<queue name="root">') < text.index('<queue name="a&amp;b">')
    assert read_fair_scheduler(text).allocation.max_running_apps == {"root": 3}


def test_a_scenario_without_queues_has_no_allocation_file() -> None:
    """Hadoop's own behaviour without a file is something else than an empty file."""
    assert Scenario(cluster=CLUSTER).allocations_xml() is None
    assert Scenario(cluster=CLUSTER, allocations="<allocations/>").allocations_xml() == "<allocations/>"


def test_queues_come_from_one_source() -> None:
    """A file and tables contradict each other."""
    with pytest.raises(ValidationError, match="queues are given twice"):
        Scenario(cluster=CLUSTER, allocations="<allocations/>", queues=(QueueSpec(name="a"),))


def test_settings_are_a_table() -> None:
    """A plain value is refused."""
    with pytest.raises(ValidationError):
        Scenario.model_validate({"cluster": {}, "settings": "all"})
