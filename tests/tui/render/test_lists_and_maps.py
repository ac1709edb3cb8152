"""Lists at their limits: settings, containers, partitions, jobs that wait, an exam; maps of nodes."""

from typing import Any

import msgspec
import pytest

from engine.observe.snapshot import CapacityQueueRow, ObstacleSummary
from tests.engine.training.small_drill import small_drill
from tests.tui import fakes
from tests.tui.render import dialect_pictures
from tests.tui.render.drawing import stored
from tests.tui.render.swept import SETTINGS, SUMMARY, view
from tui.format import Beside
from tui.picture import Picture, RunState
from tui.render import capacity_queue, heat
from tui.render.container import short_id
from tui.render.drill import allowed, brief_screen
from tui.render.line import Look, Spans, flat
from tui.render.mapreduce1_jobs import by_slots
from tui.render.sweep_page import LINES, sweep_page

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
CORES = LOOK._replace(dimensions=("memory_mb", "cores"))
DAY = Beside(fakes.NOW, 8 * 3_600_000)


# Lists


@pytest.mark.parametrize(("count", "right"), [(59, ""), (60, ""), (61, "the 60 best")])
def test_sixty_settings_are_drawn_as_lines(count: int, right: str) -> None:
    """Of more it is said."""
    settings = tuple(msgspec.structs.replace(SETTINGS[at % 6], goal=1.0 + at) for at in range(count))
    shown = view(summary=msgspec.structs.replace(SUMMARY, settings=settings))
    head = flat(sweep_page(shown, (80, 24), LINES, 0).lines[0])

    assert ("the 60 best" if "the 60 best" in head else "") == right


@pytest.mark.parametrize(
    ("container", "words"),
    [
        ("container_1507795051888_0007_01_000002", "2"),
        ("container_1507795051888_0007_02_000015", "2/15"),
        ("container_1507795051888_0007_?_000002", "?"),
        ("container_1507795051888_0007_01_?", "container_1507795051888_0007_01_?"),
        ("a_b", "a_b"),
        ("a_b_1", "a_b_1"),
        ("a_1_b", "a_1_b"),
    ],
)
def test_a_container_is_called_by_its_number(container: str, words: str) -> None:
    """After its attempt's where that is not the first; what is no such id stays."""
    assert short_id(container) == words


def test_partitions_are_those_of_queues_of_capacity_scheduler() -> None:
    """Each with what it has in all."""
    snapshot: Any = dialect_pictures.capacity().snapshot
    snapshot.sections = {**snapshot.sections, "queues": CapacityQueueRow}

    assert capacity_queue.partitions_of(snapshot) == {"": (102400, 100), "gpu": (40960, 40)}
    assert capacity_queue.partitions_of(fakes.frozen_cluster()) == {}


@pytest.mark.parametrize(
    ("code", "count", "words"),
    [
        ("QUEUE_NOT_RUNNING_IT", 1, "1 waits for its turn in search"),
        ("QUEUE_NOT_RUNNING_IT", 2, "2 wait for their turn in search"),
        ("USER_OVER_LIMIT", 1, "1 waits at the limit of a user in search"),
        ("OTHER", 2, "2 wait for a reduce slot"),
    ],
)
def test_jobs_that_wait_have_their_headline(code: str, count: int, words: str) -> None:
    """With the reason where all have the same."""
    rows = [dialect_pictures.job(at, (0, 4, 4), (0, 0, 9), ObstacleSummary(code, "reason 0")) for at in range(count)]
    picture = Picture(fakes.FakeSnapshot(fakes.header(total=(48, 48), used=(48, 30))), RunState("x"), (), 0)
    (group,) = by_slots(rows, picture, LOOK._replace(dimensions=("map_slots", "reduce_slots"))).groups

    assert flat(group.words) == f"{words} reason 0"
    assert group.short is not None
    assert flat(group.short) == words
    other = [rows[0], msgspec.structs.replace(rows[0], obstacle=ObstacleSummary(code, "another"))]
    assert flat(by_slots(other, picture, LOOK).groups[0].words).endswith("search" if code != "OTHER" else "slot")


def test_an_exam_has_no_help_and_a_clock_on_the_wall() -> None:
    """A pause costs."""
    exam = small_drill().as_exam()
    lines = [flat(line).strip("│ ") for line in brief_screen(exam, (1, 1), None, 108)]

    assert allowed(exam) == ["no hints", "why and remedies are shut; pages come, some reports are wrong"]
    assert "you have 5m00s, by the clock on the wall; a pause costs 1 point each 10 s" in lines
    assert sum(line.startswith("COUNTS") for line in lines) == 1
    assert not any("a hint" in line for line in lines)


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
    told: list[Spans] = [[(f"{grain} {by_rack}", "text")], *([(line, "text")] for line in lines)]
    drawn, kept = stored(f"map-{len(racks)}-{width}-{height}", told)

    assert drawn == kept
    assert len(lines) <= height


def test_a_node_is_found_at_its_cell() -> None:
    """One that is not on the map is at its beginning."""
    found = heat.node_map(["/a"] * 5 + ["/b"] * 3, 30, 4)
    places = [found.place_of(at) for at in range(8)]

    assert len(set(places)) == 8
    assert [at in found.nodes_at(*place) for at, place in enumerate(places)] == [True] * 8
    assert found.place_of(99) == (0, 0)
