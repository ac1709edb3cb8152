"""Settings of one queue by name."""

import pytest

from engine.model.request import Resource
from engine.schedulers.fair.queue_settings import (
    QUEUE_SETTINGS,
    parse_am_share,
    parse_policy,
    parse_resources,
    parse_threshold,
    parse_timeout,
    parse_weight,
    with_queue_setting,
)
from engine.schedulers.fair.settings import FairAllocation


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1024 mb, 2 vcores", Resource(1024, 2)),
        ("2VCORES 1024MB", Resource(1024, 2)),
        ("1 mb\n,\n2\tvcores", Resource(1, 2)),
        ("1024 mbytes and 2 vcoresx", Resource(1024, 2)),
        ("-5 mb, 1.5 vcores", Resource(5, 5)),
        ("1 mb, 2 mb, 3 vcores", Resource(1, 3)),
    ],
)
def test_amounts_hadoop_takes(text: str, amount: Resource) -> None:
    assert parse_resources(text) == amount


@pytest.mark.parametrize(
    "text", ["1024", "50%", "memory-mb=1024, vcores=2", "1024 mb, 2 vcore", "１ mb, 2 vcores", "1 vcores"]
)
def test_amounts_hadoop_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="has no number of"):
        parse_resources(text)


def test_amounts_end_at_32_bits() -> None:
    with pytest.raises(ValueError, match="32 bits"):
        parse_resources("2147483648 mb, 1 vcores")


def test_policies_by_name_and_class() -> None:
    package = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies"

    assert [parse_policy(text) for text in ("FAIR", "fifo", f"{package}.DominantResourceFairnessPolicy")] == [
        "fair",
        "fifo",
        "drf",
    ]
    with pytest.raises(ValueError, match="there are fair, fifo, drf"):
        parse_policy("fare")


def test_shares_are_cut() -> None:
    assert [parse_threshold("7"), parse_threshold("-7"), parse_am_share("7"), parse_am_share("-7")] == [
        1.0,
        0.0,
        1.0,
        -7.0,
    ]


def test_timeouts_are_seconds() -> None:
    assert [parse_timeout("10"), parse_timeout("9223372036854775807")] == [10_000, -1000]


def test_weights_are_float32_and_finite() -> None:
    assert [parse_weight("0.1"), parse_weight("-1")] == [0.10000000149011612, -1.0]
    for text in ("1e39", "NaN"):
        with pytest.raises(ValueError, match="not a finite weight"):
            parse_weight(text)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("minResources", " 1 mb, 2 vcores ", Resource(1, 2)),
        ("maxRunningApps", "3", 3),
        ("maxAMShare", "0.25", 0.25),
        ("weight", "2", 2.0),
        ("fairSharePreemptionTimeout", "2", 2000),
        ("schedulingPolicy", "DRF", "drf"),
    ],
)
def test_one_setting_is_changed_in_a_copy(name: str, text: str, value: object) -> None:
    original = FairAllocation()

    changed = with_queue_setting(original, "root.a", name, text)

    attribute = QUEUE_SETTINGS[name].attribute
    assert getattr(changed, attribute) == {"root.a": value}
    assert getattr(original, attribute) == {}
