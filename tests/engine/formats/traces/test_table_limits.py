"""Numbers of tables of machines and jobs at their limits: Alibaba's, Google's, openb's, SWIM's."""

import pytest

from engine.formats.traces.application import MappingRules, TraceNode, TraceTasks
from tests.engine.formats.traces.samples import imported

RULES = MappingRules(machine_mb=1000, machine_vcores=10, container_mb=77, container_vcores=3)


def event(at_us: object, kind: object, task: int = 0, size: str = "0.25,0.1") -> str:
    return f"{at_us},,1,{task},,{kind},ann,2,9,{size},0.1,0"


@pytest.mark.parametrize(
    ("size", "found"),
    [
        ("1,1", (1000, 10)),
        ("0.11,0.0011", (2, 2)),
        ("0.1,0.001", (1, 1)),
        ("0.0001,0.0001", (1, 1)),
        ("1.1,1.1", (77, 3)),
        ("0,0", (77, 3)),
    ],
)
def test_a_task_of_google_has_parts_of_a_machine_rounded_up(size: str, found: tuple[int, int]) -> None:
    lines = [event(10**6, 0, size=size), event(2 * 10**6, 1), event(3 * 10**6, 4)]
    ((job,), _) = imported("\n".join(lines), "google", RULES)

    assert job.tasks == (TraceTasks("container", 1, (1000,), *found),)


@pytest.mark.parametrize(
    ("row", "node"),
    [
        ("5,0,plat,1,1", TraceNode("5", None, 1000, 10)),
        ("5,0,plat,0.29,0.0019", TraceNode("5", None, 1, 2)),
        ("5,0,plat,0.01,0.0001", TraceNode("5", None, 1, 1)),
        ("5,0,plat,1.1,1", None),
        ("5,0,plat,1,1.1", None),
        ("5,1,plat,1,1", None),
        ("5,2,plat,1,1", None),
    ],
)
def test_a_machine_of_google_is_added_once_with_a_size(row: str, node: TraceNode | None) -> None:
    text = f"time,machine id,event type,platform id,cpus,memory\n0,{row}\n"
    _, report = imported(text, "google-nodes", RULES)

    assert list(report.nodes.values()) == ([node] if node else [])
    assert report.faults == 0
