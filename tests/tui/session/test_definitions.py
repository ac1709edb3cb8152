"""Definitions of a small real run: queues, nodes and applications, and where each comes from."""

from pathlib import Path

import pytest

from engine.formats.scenario_toml import load
from engine.run import Run
from engine.scenario import Scenario, ScriptedSpec
from engine.scenario.acts import SetQueueSetting, SubmitApplication
from tui.protocol.picture import APPLICATION, NODE, QUEUE
from tui.session.definitions import Definitions

FILE = """# What is shown.
start = 2017-11-11T08:30:00+08:00
duration = "10m"

[cluster]
nodes = [{ host = "big", memory = "8g", vcores = 8, rack = "/r1", partition = "gpu" }]
[[cluster.groups]]
count = 2
prefix = "n"
memory = "4g"
vcores = 4

[[queues]]
name = "etl"
weight = 3

[[running]]
application = { type = "scripted", name = "old", user = "eve", am = "unmanaged", asks = [{ memory = "1g" }] }
placed = [{ node = "big", memory = "1g" }]

[[workload]]
type = "scripted"
name = "hourly"
user = "ann"
queue = "etl"
at = "5s"
asks = [{ memory = "1g", count = 2, duration = "2s" }]
repeat = { times = 3, every = "20s" }

[[workload]]
type = "scripted"
name = "hourly"
user = "ann"
queue = "etl"
at = "5s"
asks = [{ memory = "2g" }]
"""


class _World:
    """A run of a file, and its definitions."""

    def __init__(self, path: Path | None = None, scenario: Scenario | None = None) -> None:
        scenario = scenario or load(str(path))
        self.run = Run(scenario, [])
        self._folder = f"{path.parent}/" if path is not None else "/nowhere/"
        self.definitions = Definitions(scenario, "" if path is None else str(path), 8 * 3_600_000)

    def lines(self, kind: str, name: str) -> list[str]:
        found = self.definitions.of(kind, name, self.run.simulation)
        assert found is not None
        return [line.replace(self._folder, "") for line in found.lines]


@pytest.fixture
def world(tmp_path: Path) -> _World:
    path = tmp_path / "small.toml"
    _ = path.write_text(FILE)
    world = _World(path)
    world.run.advance(30_000)
    return world


def _ids(world: _World) -> list[str]:
    rows = world.run.snapshot().applications(why=False)
    return [row.id for row in sorted(rows, key=lambda row: row.number)]


def test_an_application_is_the_entry_that_submitted_it(world: _World) -> None:
    """Twins of one instant are told apart by their order, turns of a repeated one are counted."""
    ids = _ids(world)
    found = [world.lines(APPLICATION, one) for one in ids]
    places = [next(line for line in lines if "small.toml:" in line) for lines in found]
    asks = [next(line for line in lines if "asks" in line) for lines in found]

    assert places == [
        "# small.toml:17: it runs when the scenario starts",
        "# small.toml:21, number 1 of 3",
        "# small.toml:30",
        "# small.toml:21, number 2 of 3",
    ]
    assert asks[1:] == [
        'asks = [{ memory = "1g", count = 2, duration = ["2s", "2s"] }]',
        'asks = [{ memory = "2g" }]',
        'asks = [{ memory = "1g", count = 2, duration = ["2s", "2s"] }]',
    ]
    assert found[2][0] == f"# {ids[2]}, submitted Sat 08:30:05 to root.etl"


def test_an_application_by_hand_says_so(world: _World) -> None:
    spec = ScriptedSpec.model_validate({"type": "scripted", "name": "mine", "user": "zoe", "asks": [{"memory": "3g"}]})
    _ = world.run.simulation.act(SubmitApplication.of(spec))
    lines = world.lines(APPLICATION, _ids(world)[-1])

    assert "# submitted by hand or by the script" in lines
    assert 'asks = [{ memory = "3g" }]' in lines


@pytest.mark.parametrize(
    ("node", "place"), [("big:8041", "small.toml:6"), ("n2:8041", "small.toml:7, node 2 of a group of 2")]
)
def test_a_node_is_its_entry(world: _World, node: str, place: str) -> None:
    lines = world.lines(NODE, node)
    memory = {"big:8041": 8192, "n2:8041": 4096}[node]

    assert f"# yarn-site.xml: yarn.nodemanager.resource.memory-mb = {memory}" in lines
    assert [line for line in lines if "small.toml" in line] == [f"# {place}"]
    assert f'memory = "{memory // 1024}g"' in lines


def test_a_queue_names_the_lines_of_the_scenario(world: _World) -> None:
    _ = world.run.simulation.act(SetQueueSetting("root.etl", "maxRunningApps", "9"))
    lines = world.lines(QUEUE, "root.etl")

    assert lines[0] == "<!-- root.etl, a leaf queue, as Hadoop 2.7 has it in force -->"
    weight = next(line for line in lines if "<weight>" in line)
    assert weight.split() == ["<weight>3</weight>", "<!--", "small.toml:15", "-->"]
    assert [line.split("<!--")[1] for line in lines if "<maxRunningApps>" in line] == [" changed while it ran -->"]


def test_a_queue_of_capacity_scheduler_is_its_properties() -> None:
    """Its own and not those of queues below it; what was changed while it ran says so."""
    run = Run(load("prod-dev-capacity"))
    run.simulation.run_until(run.scenario.start_ms + 1000)
    run.simulation.act(SetQueueSetting("root.dev", "maximum-capacity", "80"))
    definition = Definitions(run.scenario, "prod-dev-capacity", 0).of(QUEUE, "root.dev", run.simulation)
    assert definition is not None
    lines = definition.lines

    assert [line.partition("<name>")[2].partition("</name>")[0].rpartition(".")[2] for line in lines[1:]] == [
        "queues",
        "capacity",
        "maximum-capacity",
    ]
    assert "<value>80</value></property> <!-- changed while it ran -->" in lines[3]
    assert "prod-dev-capacity.toml:" in lines[2]
