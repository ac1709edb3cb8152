"""A run as the answer of its ResourceManager about all its applications."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.run import play
from engine.scenario import Scenario
from engine.serve.attempts import AppsWriter

TEXT = """
name = "few"
duration = "5m"
scheduler = "{scheduler}"
[cluster]
nodes = [{{ host = "n1", memory = "8g", vcores = 8 }}]
[[workload]]
type = "mapreduce"
name = "sort"
user = "ann"
maps = 3
map_duration = ["20s", "20s"]
[[workload]]
type = "service"
name = "web"
user = "bob"
at = "10s"
instances = 1
instance = {{ memory = "1g", vcores = 1 }}
"""


def scene(scheduler: str = "fair-3.4") -> Scenario:
    """A job that ends and a service that does not."""
    return loads(TEXT.format(scheduler=scheduler))


def written(path: Path, scenario: Scenario, until_ms: int) -> Any:  # Any: JSON
    with AppsWriter.to_file(path, scenario) as writer:
        play(scenario, until_ms, [writer], begun=writer.follow)
        writer.finish()
    return json.loads(path.read_text())


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4", "fifo"])
def test_every_application_is_written_once(tmp_path: Path, scheduler: str) -> None:
    rows = written(tmp_path / "apps.json", scene(scheduler), 300_000)["apps"]["app"]

    assert [(row["name"], row["state"], row["runningContainers"]) for row in rows] == [
        ("sort", "FINISHED", -1),
        ("web", "RUNNING", 2),
    ]
    assert rows[0]["elapsedTime"] == rows[0]["finishedTime"] - rows[0]["startedTime"] > 20_000
    assert rows[0]["memorySeconds"] > 3 * 20 * 1024


def test_a_run_that_is_cut_off_leaves_no_file(tmp_path: Path) -> None:
    scenario = scene()
    with AppsWriter.to_file(tmp_path / "apps.json", scenario) as writer:
        play(scenario, 300_000, [writer], begun=writer.follow)

    assert list(tmp_path.iterdir()) == []


def test_what_has_no_resource_manager_has_no_answer(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="spark has no ResourceManager"):
        AppsWriter.to_file(tmp_path / "apps.json", scene().model_copy(update={"scheduler": "spark"}))

    assert list(tmp_path.iterdir()) == []
