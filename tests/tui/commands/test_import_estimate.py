"""How long playing an imported scenario takes: as its beginning, for each container."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from engine.formats.scenario_toml import loads
from engine.scenario import ApplicationSpec
from tui.commands.import_estimate import _containers, play_seconds

SIZE = {"memory": "1g", "vcores": 1}
STAGES = {"stages": [{"tasks": 8, "duration": 1}, {"tasks": 3, "duration": 1}]}


@pytest.mark.parametrize(
    ("fields", "count"),
    [
        ({"type": "mapreduce", "maps": 7, "reduces": 2}, 10),
        ({"type": "scripted", "asks": [{**SIZE, "count": 3}, SIZE]}, 5),
        ({"type": "scripted", "am": "unmanaged", "asks": [{**SIZE, "count": 3}]}, 3),
        ({"type": "spark", "executors": 4, "executor": SIZE, **STAGES}, 5),
        ({"type": "tez", "dags": [STAGES, {"stages": [{"tasks": 9, "duration": 1}]}]}, 10),
        ({"type": "spark-standalone", "executor_memory": "1g", **STAGES, "executor_limit": 3}, 3),
        ({"type": "spark-standalone", "executor_memory": "1g", **STAGES}, 1),
        ({"type": "service", "instances": 5, "instance": SIZE}, 1),
    ],
)
def test_containers_are_counted_by_kind(fields: dict[str, Any], count: int) -> None:
    """With that of its master where it has one; of tasks the largest stage."""
    adapter: TypeAdapter[ApplicationSpec] = TypeAdapter(ApplicationSpec)

    assert _containers(adapter.validate_python({"name": "x", "user": "ann", **fields})) == count


def test_alerts_are_part_of_the_estimate() -> None:
    """They are looked for as long as somebody waits, so that a long wait costs more than a short one."""
    text = """
name = "x"
duration = "{hours}h"
scheduler = "fifo"
cluster = {{ groups = [{{ count = 1, memory = "1g", vcores = 1 }}] }}
[[workload]]
type = "scripted"
name = "a"
user = "u"
am = "unmanaged"
asks = [{{ memory = "1g", vcores = 1, duration = "{run}h" }}]
[[workload]]
type = "scripted"
name = "b"
user = "u"
am = "unmanaged"
asks = [{{ memory = "1g", vcores = 1, duration = "1h" }}]
"""
    short, long = (play_seconds(loads(text.format(hours=run + 2, run=run), "x")) for run in (1, 60))

    assert long > 4 * short
