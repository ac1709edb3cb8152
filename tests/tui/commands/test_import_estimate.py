"""How long playing an imported scenario takes: as its beginning, for each container."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from engine.formats.scenario_toml import loads
from engine.scenario import ApplicationSpec
from tests.tui.small_run import SMALL
from tui.commands import import_estimate
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


class Cpu:
    """CPU time that passes a step with each look."""

    def __init__(self, step_s: float) -> None:
        self.now_s, self.step_s = 0.0, step_s

    def process_time(self) -> float:
        """What it says."""
        self.now_s += self.step_s
        return self.now_s


@pytest.mark.parametrize(
    ("text", "step_s", "seconds"),
    [
        (SMALL, 0.01, 0.03),
        (SMALL.replace('at = "5s"', 'at = "9m"'), 0.01, 0.07),
    ],
)
def test_what_is_done_within_a_second_takes_as_long_as_it_took(
    text: str, step_s: float, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To its last application; steps of ten seconds grow while they are cheap."""
    monkeypatch.setattr(import_estimate, "time", Cpu(step_s))

    assert play_seconds(loads(text.replace("count = 2 }]", 'count = 2, duration = "1s" }]'), "x")) == pytest.approx(
        seconds
    )


def test_what_is_not_done_is_estimated_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the share of its containers; building it counts once."""
    monkeypatch.setattr(import_estimate, "time", Cpu(0.3))
    text = SMALL.partition("[[script]]")[0].replace("count = 2 }]", "count = 9 }]")
    found = play_seconds(loads(text, "x"))

    # 0.3 s to build, four steps of 0.3 s; eight of ten containers have room
    assert found == pytest.approx(0.3 + 4 * 0.3 / 0.8)
