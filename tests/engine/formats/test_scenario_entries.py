"""Parts of a scenario written as entries of a file, keys changed in one that was read, and the chooser's catalogue."""

from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.catalogue import catalogue, previews
from engine.formats.scenario_files import packaged
from engine.formats.scenario_toml import changed, defaults, entry, loads, value_of
from engine.scenario import AskSpec, MapReduceSpec, NodeSpec, ScriptedSpec, Size
from tests.engine.formats.test_scenario_toml import SMALL


@pytest.mark.parametrize(("end", "lines"), [("x", 1), ("xx", 3)])
def test_a_line_has_a_hundred_characters(end: str, lines: int) -> None:
    """A text is not broken."""
    name = "h" * 87 + end
    (head, memory, *rest) = entry("asks", AskSpec(memory_mb=1024, hosts=(name,)))
    assert (head, memory) == ("[[asks]]", 'memory = "1g"')
    assert len(f'hosts = ["{name}"]') == 99 + len(end)
    assert rest == ([f'hosts = ["{name}"]'] if lines == 1 else ["hosts = [", f'  "{name}",', "]"])
    assert len(entry("cluster.nodes", NodeSpec(host="h" * 200, memory_mb=1, vcores=1))) == 4


def test_what_an_entry_is_goes_first() -> None:
    """Tables behind values, inline; what is empty is an empty table."""
    ask = AskSpec(memory_mb=100, count=2, duration_ms=(1000, 90_000))
    spec = ScriptedSpec(type="scripted", user="u", name="n", at_ms=-1500, am=None, asks=(ask,))

    assert entry("workload", spec) == [
        "[[workload]]",
        'type = "scripted"',
        'name = "n"',
        'user = "u"',
        'at = "-1s500ms"',
        'am = "unmanaged"',
        'asks = [{ memory = "100m", count = 2, duration = ["1s", "1m30s"] }]',
    ]


VALUES: list[tuple[str, Any, Any]] = [
    ("am", None, "unmanaged"),
    ("duration_ms", None, "forever"),
    ("memory_mb", 2048, "2g"),
    ("at_ms", 1500, "1s500ms"),
    ("at_ms", -1500, "-1s500ms"),
    ("at_ms", 0, "0s"),
    ("count", 3, 3),
    ("durations_ms", (1000, 2000), ["1s", "2s"]),
    ("am", Size(memory_mb=1024, vcores=2), {"memory": "1g", "vcores": 2}),
]


@pytest.mark.parametrize(("name", "value", "written"), VALUES)
def test_a_value_is_written_with_its_unit(name: str, value: Any, written: Any) -> None:
    """As its field's name tells it."""
    assert value_of(name, value) == written


def test_the_keys_an_entry_leaves_out_are_told() -> None:
    """With what they are then; not those that are then nothing."""
    spec = MapReduceSpec(type="mapreduce", user="u", maps=1, slow_start=0.5)
    found = defaults(spec)

    keys = [line.partition(" = ")[0] for line in found]
    assert "slow_start" not in keys
    assert "maps" not in keys
    assert found[-3:] == ['map_duration = ["30s", "30s"]', 'reduce_duration = ["30s", "30s"]', 'task_timeout = "10m"']
    assert not any(line.endswith(('""', "false", "[]")) for line in found)
    assert defaults(spec, without=keys) == []
    assert defaults(spec, without=keys[1:]) == found[:1]


def test_keys_of_a_scenario_are_changed() -> None:
    """All faults are told, with the name of the scenario."""
    scenario = loads(SMALL, "a.toml")
    assert changed(scenario, []) is scenario
    found = changed(scenario, ["queues.prod.weight=7", "workload.weekly.user=ann", "yarn.acl.enable=true"])
    assert (found.queues[0].weight, found.workload[0].user, found.settings["yarn.acl.enable"]) == (7, "ann", "true")
    assert (found.about, found.name) == (scenario.about, scenario.name)
    assert scenario.queues[0].weight == 2
    with pytest.raises(ConfigError) as refused:
        changed(scenario, ["nope", "queues.x.weight=1"])
    assert [one.file for one in refused.value.problems] == ["--set nope", "--set queues.x.weight=1"]


def test_the_chooser_knows_packaged_scenarios() -> None:
    """Each once, and what playing it showed."""
    names = [each.name for group in catalogue() for each in group.entries]

    assert len(names) == len(set(names)) > 0
    assert set(names) <= set(packaged())
    assert set(names) <= previews().keys()
