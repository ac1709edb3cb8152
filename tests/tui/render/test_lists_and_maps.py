"""Lists at their limits: settings, containers, partitions, jobs that wait, an exam; maps of nodes."""

import pytest

from tests.tui.render.drawing import stored
from tui.panes import heat
from tui.panes.line import Fragments

# Lists


def _map(racks: list[str], width: int, height: int) -> tuple[int, bool, list[str]]:
    found = heat.node_map(racks, width, height)
    lines = [" ".join(f"{run.x}:{run.first}-{run.end}" for run in line) for line in found.lines]
    return found.grain, found.by_rack, lines


@pytest.mark.parametrize(
    ("racks", "width", "height"),
    [
        (["/a"] * 5 + ["/b"] * 3, 30, 4),
        (["/a"] * 5 + ["/b"] * 3, 12, 4),
        (["/a"] * 5 + ["/b"] * 3, 6, 4),
        (["/a"] * 50 + ["/b"] * 30, 30, 4),
        (["/a"] * 50 + ["/b"] * 30, 9, 2),
        ([f"/r{n}" for n in range(40)], 30, 8),
        ([f"/r{n}" for n in range(40)], 8, 2),
        ([f"/rack-{n}" for n in range(4) for _ in range(40)], 80, 8),
        ([], 8, 2),
    ],
)
def test_nodes_are_placed_as_they_are_stored(racks: list[str], width: int, height: int) -> None:
    """In labelled blocks, else in blocks, else one after the other; as few share a cell as can be."""
    grain, by_rack, lines = _map(racks, width, height)
    told: list[Fragments] = [[(f"{grain} {by_rack}", "text")], *([(line, "text")] for line in lines)]
    drawn, kept = stored(f"map-{len(racks)}-{width}-{height}", told)

    assert drawn == kept
    assert len(lines) <= height
