"""Definitions of a small real run: queues, nodes and applications, and where each comes from."""

import asyncio
from pathlib import Path

import pytest

from engine.formats.scenario_toml import load, loads
from engine.run import Run
from engine.scenario import Scenario, ScriptedSpec
from engine.scenario.acts import KillApplication, SetQueueSetting, SubmitApplication
from tui.protocol.picture import APPLICATION, NODE, QUEUE
from tui.session.definitions import ComparisonRequest, Definitions, contestants_of
from tui.session.opening import open_session

FILE = """# What is shown.
start = 2017-11-11T08:30:00+08:00
duration = "10m"

[cluster]
nodes = [{ host = "big", memory = "8g", vcores = 8, rack = "/r1", partition = "gpu" }]
groups = [
  { count = 2, prefix = "n", memory = "4g", vcores = 4 },
  { count = 1, prefix = "m", memory = "2g", vcores = 2 },
]

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
        "# small.toml:16: it runs when the scenario starts",
        "# small.toml:20, number 1 of 3",
        "# small.toml:29",
        "# small.toml:20, number 2 of 3",
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
    ("node", "memory", "place"),
    [
        ("big:8041", 8192, "small.toml:6"),
        ("n2:8041", 4096, "small.toml:8, node 2 of a group of 2"),
        ("m1:8041", 2048, "small.toml:9, node 1 of a group of 1"),
    ],
)
def test_a_node_is_its_entry(world: _World, node: str, memory: int, place: str) -> None:
    lines = world.lines(NODE, node)

    assert f"# yarn-site.xml: yarn.nodemanager.resource.memory-mb = {memory}" in lines
    assert [line for line in lines if "small.toml" in line] == [f"# {place}"]
    assert f'memory = "{memory // 1024}g"' in lines


def test_a_queue_names_the_lines_of_the_scenario(world: _World) -> None:
    _ = world.run.simulation.act(SetQueueSetting("root.etl", "maxRunningApps", "9"))
    lines = world.lines(QUEUE, "root.etl")

    assert lines[0] == "<!-- root.etl, a leaf queue, as Hadoop 2.7 has it in force -->"
    weight = next(line for line in lines if "<weight>" in line)
    assert weight.split() == ["<weight>3</weight>", "<!--", "small.toml:14", "-->"]
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


def test_a_definition_has_the_words_of_its_system() -> None:
    slots, spark = (_World(scenario=load(name)) for name in ("mr1-slots-of-the-wrong-kind", "spark-packing"))
    slots.run.advance(1000)
    spark.run.advance(1000)
    tracker, worker = slots.lines(NODE, "node01:8041"), spark.lines(NODE, "worker1:7078")

    assert "# mapred-site.xml: mapred.tasktracker.map.tasks.maximum = 4" in tracker
    assert [each for each in (*tracker, *worker) if "yarn" in each or "resized" in each or "label" in each] == []
    assert slots.lines(QUEUE, "default")[0].endswith(" pool of mr1-fair; no file defines it -->")


# A session's run beside the same under other policies.


def test_what_was_done_is_done_under_every_policy() -> None:
    """The acts so far come at their times, and the run of the session is not touched."""
    session = open_session("three-schedulers-capacity", at="+10", paused=True, overrides=["duration=40"])
    assert not asyncio.run(session.acts.do(KillApplication(1))).refusal
    found = asyncio.run(session.compare("fifo fair-2.7"))
    assert [run.name for run in found.comparison.runs] == ["capacity-2.7", "fifo", "fair-2.7"]
    assert [run.measures.failed for run in found.comparison.runs] == [1, 1, 1]
    assert session.driver.run.now_ms == 10_000
    snapshots = found.opened(found.comparison.start_ms + 5_000)
    assert [each.header.scheduler for each in snapshots] == ["capacity-2.7", "fifo", "fair-2.7"]


# The runs that are compared: which there are, what they are called, and what each differs in.

TEXT = """
name = "two queues"
duration = "10m"
scheduler = "fair-2.7"
[cluster]
groups = [{ count = 2, prefix = "n", memory = "8g", vcores = 8 }]
[[queues]]
name = "a"
weight = 3
[[queues]]
name = "b"
"""
MEMORY = "yarn.scheduler.minimum-allocation-mb"


def scenario(scheduler: str = "fair-2.7") -> Scenario:
    return loads(TEXT.replace("fair-2.7", scheduler), "x")


def properties(**values: str) -> str:
    rows = "".join(f"<property><name>{key}</name><value>{value}</value></property>" for key, value in values.items())
    return f"<configuration>{rows}</configuration>"


@pytest.mark.parametrize(
    ("words", "policy", "value"),
    [
        (f"{MEMORY}=512", "fair-2.7", "512"),
        (f"fair-3.4,{MEMORY}=512", "fair-3.4", "512"),
        (f" fair-3.4 ,{MEMORY}=512", "fair-3.4", "512"),
    ],
)
def test_settings_are_set_on_top_of_a_policy(words: str, policy: str, value: str) -> None:
    _, other = contestants_of(scenario(), ComparisonRequest([words]))

    assert (other.name, other.scenario.scheduler, other.scenario.settings) == (words, policy, {MEMORY: value})


@pytest.mark.parametrize(
    ("values", "era", "policy"),
    [
        ({"yarn.scheduler.capacity.root.queues": "a", "yarn.scheduler.capacity.root.a.capacity": "100"}, "2.7",
         "capacity-2.7"),
        ({"yarn.scheduler.capacity.root.queues": "a", "yarn.scheduler.capacity.root.a.capacity": "100"}, "3.4",
         "capacity-3.4"),
        ({MEMORY: "512"}, "2.7", "fair-2.7"),
        ({"yarn.resourcemanager.scheduler.class": "org.apache.x.FifoScheduler"}, "2.7", "fifo"),
        ({"yarn.resourcemanager.scheduler.class": " org.apache.x.FairScheduler "}, "3.4", "fair-3.4"),
        ({"yarn.resourcemanager.scheduler.class": "FairScheduler"}, "2.7", "fair-2.7"),
    ],
)  # fmt: skip
def test_a_configuration_says_which_policy_it_is_for(
    values: dict[str, str], era: str, policy: str, tmp_path: Path
) -> None:
    """By its class, else by the queues it configures, else it is the scenario's; in the scenario's release."""
    path = tmp_path / "yarn-site.xml"
    path.write_text(properties(**values))
    _, other = contestants_of(scenario(f"fair-{era}"), ComparisonRequest([path]))

    assert other.scenario.scheduler == policy
    assert {key: other.scenario.settings.get(key) for key in values} == values


def test_what_a_configuration_of_another_policy_takes_over_is_told(tmp_path: Path) -> None:
    site = tmp_path / "site.xml"
    told = []
    for policy in ("FifoScheduler", "FairScheduler"):
        site.write_text(properties(**{"yarn.resourcemanager.scheduler.class": policy}))
        _, other = contestants_of(scenario(), ComparisonRequest([site]))
        told.append((other.scenario.scheduler, other.mapped, other.dropped))

    assert told[1] == ("fair-2.7", (), ())
    assert told[0][0] == "fifo"
    text = properties(**{"yarn.scheduler.capacity.root.queues": "b", "yarn.scheduler.capacity.root.b.capacity": "100"})
    site.write_text(text)
    _, capacity = contestants_of(scenario(), ComparisonRequest([site]))
    _, named = contestants_of(scenario(), ComparisonRequest(["capacity-2.7"]))
    assert capacity.mapped == () != named.mapped  # its queues are its own


def test_queues_of_a_configuration_replace_those_of_the_scenario(tmp_path: Path) -> None:
    """Settings of CapacityScheduler that it does not name do not stay; without queues in it they do."""
    prefix = "yarn.scheduler.capacity.root"
    text = TEXT.partition("[[queues]]")[0].replace("fair-2.7", "capacity-2.7")
    base = loads(f'{text}[settings]\n"{prefix}.queues" = "a"\n"{prefix}.a.capacity" = "100"\n"{MEMORY}" = "512"\n', "x")
    path = tmp_path / "site.xml"
    path.write_text(properties(**{f"{prefix}.queues": "b", f"{prefix}.b.capacity": "100", "io.x": "1"}))
    _, queues = contestants_of(base, ComparisonRequest([path]))
    path.write_text(properties(**{MEMORY: "256"}))
    _, site = contestants_of(base, ComparisonRequest([path]))

    assert dict(queues.scenario.settings) == {f"{prefix}.queues": "b", f"{prefix}.b.capacity": "100", MEMORY: "512"}
    assert dict(site.scenario.settings) == {f"{prefix}.queues": "a", f"{prefix}.a.capacity": "100", MEMORY: "256"}
