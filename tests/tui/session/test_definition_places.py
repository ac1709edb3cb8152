"""Where definitions come from: the lines of queues, of nodes in groups, and of applications that are alike."""

from pathlib import Path

import pytest

from engine.formats.scenario_toml import load
from engine.run.player import Run
from engine.scenario.acts import Reload, SubmitApplication
from tui.picture import APPLICATION, NODE, QUEUE, Definition
from tui.session.definitions import Definitions

FILE = """start = 2017-11-11T08:30:00+08:00
duration = "10m"
[cluster]
nodes = [
  { host = "big", memory = "8g", vcores = 8 },
  { host = "huge", memory = "9g", vcores = 9 },
]
[[cluster.groups]]
count = 2
prefix = "n"
memory = "4g"
vcores = 4
[[cluster.groups]]
hosts = ["x", "y", "z"]
memory = "5g"
vcores = 5
[queue_defaults]
queueMaxAppsDefault = 7
[[queues]]
name = "a"
weight = 3
[[queues]]
name = "b"
min_resources = "1024 mb, 1 vcores"
[[workload]]
type = "service"
name = "web"
user = "ann"
queue = "root.a"
am = "unmanaged"
instances = 1
instance = { memory = "1g" }
number = 7
at = 5
[[workload]]
type = "service"
name = "web"
user = "ann"
queue = "root.a"
am = "unmanaged"
instances = 2
instance = { memory = "1g" }
at = 5
[[workload]]
type = "service"
name = "web"
user = "ann"
queue = "root.a"
am = "unmanaged"
instances = 3
instance = { memory = "1g" }
at = 6
"""


class World:
    """A run of the file, ten seconds old, and its definitions."""

    def __init__(self, folder: Path, text: str = FILE) -> None:
        path = folder / "f.toml"
        path.write_text(text)
        self.scenario = load(str(path))
        self.run = Run(self.scenario)
        self.run.advance(10_000)
        self._folder = f"{folder}/"
        self.definitions = Definitions(self.scenario, str(path), 8 * 3_600_000)

    def of(self, kind: str, name: str) -> Definition:
        found = self.definitions.of(kind, name, self.run.simulation)
        assert found is not None
        return Definition(found.name, tuple(line.replace(self._folder, "") for line in found.lines), found.ending)

    def places(self, kind: str, name: str) -> list[str]:
        return [line.removeprefix("# ") for line in self.of(kind, name).lines if "f.toml" in line]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("big", "f.toml:5"),
        ("huge", "f.toml:6"),
        ("n1", "f.toml:8, node 1 of a group of 2"),
        ("n2", "f.toml:8, node 2 of a group of 2"),
        ("x", "f.toml:13, node 1 of a group of 3"),
        ("z", "f.toml:13, node 3 of a group of 3"),
    ],
)
def test_a_node_stands_in_its_group(world: World, host: str, place: str) -> None:
    """Groups come after single nodes, each with as many as it counts or names."""
    assert world.places(NODE, f"{host}:8041") == [place]


def test_a_queue_is_told_with_the_line_of_each_setting(world: World) -> None:
    """Its own, then those of all queues; one that is not a leaf says so."""
    a, root = world.of(QUEUE, "root.a"), world.of(QUEUE, "root")

    assert (a.name, a.ending) == ("root.a", "xml")
    assert a.lines[0] == "<!-- root.a, a leaf queue, as Hadoop 2.7 has it in force -->"
    assert root.lines[0] == "<!-- root, a parent queue, as Hadoop 2.7 has it in force -->"
    words = {line.split("<!--")[0].strip(): line.partition("<!--")[2] for line in a.lines[1:]}
    assert words["<weight>3</weight>"] == " f.toml:21 -->"
    assert any(
        line.split() == ["maxRunningApps", "7", "from", "queueMaxAppsDefault", "(f.toml:18)"] for line in a.lines
    )
    minimum = next(line for line in world.of(QUEUE, "root.b").lines if "<minResources>" in line)
    assert minimum.endswith("<!-- f.toml:24 -->")


def test_of_several_files_the_one_loaded_last_counts(world: World) -> None:
    for weight in (5, 6):
        text = f"<allocations>\n\n<queue name='a'><weight>{weight}</weight></queue></allocations>"
        assert not world.run.simulation.act(Reload(text)).rejected

    [line] = [each for each in world.of(QUEUE, "root.a").lines if "<weight>" in each]
    assert line.split("<!--") == ["  <weight>6</weight>  ", " allocation file, line 3 -->"]


def test_what_was_submitted_at_another_instant_is_not_taken_for_it(world: World) -> None:
    spec = world.scenario.workload[0].model_copy(update={"number": None, "at_ms": 0, "instances": 9})
    assert not world.run.simulation.act(SubmitApplication.of(spec)).rejected
    row = max(world.run.snapshot().applications(why=False), key=lambda row: row.submitted_ms)
    lines = world.of(APPLICATION, row.id).lines

    assert lines[1] == "# submitted by hand or by the script"
    assert "instances = 9" in lines
