"""The scenario as a whole, and the allocation file its queue tables stand for."""

from typing import Any

import pytest
from pydantic import ValidationError

from engine.formats.fair_files import read_fair_scheduler
from engine.scenario import ClusterSpec, NodeGroup, QueueSpec, Scenario
from engine.scenario.cluster import allocations_xml
from engine.scenario.scenario import family_of, flat_settings, system_of

CLUSTER = ClusterSpec(groups=(NodeGroup(count=2, memory_mb=1024, vcores=1),))


def test_a_start_is_epoch_milliseconds() -> None:
    scenario = Scenario.model_validate({"start": "2017-11-11T09:00:00+08:00", "cluster": {}})
    assert scenario.start_ms == scenario.timestamp == 1510362000000
    assert scenario.model_copy(update={"cluster_timestamp": 5}).timestamp == 5


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


def test_the_root_may_have_a_table() -> None:
    text = allocations_xml((QueueSpec(name="root", max_running_apps=3), QueueSpec(name="a&b")), {})
    assert text.index('<queue name="root">') < text.index('<queue name="a&amp;b">')
    assert read_fair_scheduler(text).allocation.max_running_apps == {"root": 3}


def test_a_scenario_without_queues_has_no_allocation_file() -> None:
    assert Scenario(cluster=CLUSTER).allocations_xml() is None
    assert Scenario(cluster=CLUSTER, allocations="<allocations/>").allocations_xml() == "<allocations/>"


def test_queues_come_from_one_source() -> None:
    with pytest.raises(ValidationError, match="queues are given twice"):
        Scenario(cluster=CLUSTER, allocations="<allocations/>", queues=(QueueSpec(name="a"),))


def test_settings_are_a_table() -> None:
    with pytest.raises(ValidationError):
        Scenario.model_validate({"cluster": {}, "settings": "all"})


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


def test_a_setting_is_no_list() -> None:
    assert flat_settings({"a": {"b": [1]}}) == {"a.b": [1]}
    with pytest.raises(ValidationError):
        Scenario.model_validate({"cluster": {}, "settings": {"a": [1]}})


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


@pytest.mark.parametrize("year", [1970, 2199])
def test_a_start_is_within_the_calendar(year: int) -> None:
    assert Scenario.model_validate({"cluster": {}, "start": f"{year}-01-01T00:00:00Z"}).start.year == year


@pytest.mark.parametrize("year", [1969, 2200])
def test_a_start_outside_the_calendar_is_refused(year: int) -> None:
    with pytest.raises(ValidationError, match="is not between 1970 and 2199"):
        Scenario.model_validate({"cluster": {}, "start": f"{year}-01-01T00:00:00Z"})


@pytest.mark.parametrize(("zone", "offset_ms"), [("Z", 0), ("+08:00", 28_800_000), ("-03:30", -12_600_000)])
def test_the_offset_is_how_far_east_the_clock_is(zone: str, offset_ms: int) -> None:
    assert Scenario.model_validate({"cluster": {}, "start": f"2017-11-11T09:00:00{zone}"}).offset_ms == offset_ms


def test_a_start_of_a_part_of_a_millisecond_is_rounded_down() -> None:
    assert Scenario.model_validate({"cluster": {}, "start": "1970-01-01T00:00:01.999900Z"}).start_ms == 1999


def test_a_cluster_timestamp_may_be_zero() -> None:
    assert Scenario(cluster=CLUSTER, cluster_timestamp=0).timestamp == 0


def test_elements_of_an_allocation_file_alone_make_one() -> None:
    defaults = Scenario(cluster=CLUSTER, queue_defaults={"queueMaxAppsDefault": "3"})
    queues = Scenario(cluster=CLUSTER, queues=(QueueSpec(name="a"),))
    assert defaults.allocations_xml() == allocations_xml((), {"queueMaxAppsDefault": "3"})
    assert queues.allocations_xml() == allocations_xml((QueueSpec(name="a"),), {})


def test_an_empty_text_is_an_allocation_file() -> None:
    assert Scenario(cluster=CLUSTER, allocations="", queues=()).allocations_xml() == ""
    with pytest.raises(ValidationError, match="queues are given twice: as an allocation file and here"):
        Scenario(cluster=CLUSTER, allocations="", queues=(QueueSpec(name="a"),))


def test_a_digest_is_the_same_in_every_process() -> None:
    one = Scenario(cluster=CLUSTER, settings={"a": "1", "b": "2"})
    other = Scenario(cluster=CLUSTER, settings={"b": "2", "a": "1"})
    assert one.digest() == other.digest()
    assert len(one.digest()) == 64
    assert one.digest() != Scenario(cluster=CLUSTER).digest()
