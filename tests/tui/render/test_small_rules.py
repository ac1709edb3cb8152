"""Rules of lines, frames, windows of time, hues and folds, each with its boundaries."""

from typing import Any

import pytest

from engine.observe.snapshot import QueueRow
from tests.tui import fakes
from tui.render import queue
from tui.render.frame import thumb_of
from tui.render.hue import HueTable
from tui.render.line import Look, flat
from tui.render.noun import Noun
from tui.render.pulse import window_around
from tui.render.time_axis import Window


@pytest.mark.parametrize(
    ("top", "seen", "lines", "thumb"),
    [
        (0, 10, 10, None),
        (0, 0, 5, None),
        (0, 1, 5, (0, 1)),
        (4, 1, 5, (0, 1)),
        (0, 10, 11, (0, 9)),
        (1, 10, 11, (1, 9)),
        (0, 10, 40, (0, 2)),
        (15, 10, 40, (4, 2)),
        (30, 10, 40, (8, 2)),
        (0, 3, 100, (0, 1)),
        (97, 3, 100, (2, 1)),
    ],
)
def test_the_thumb_of_a_frame_shows_where_its_lines_are(
    top: int, seen: int, lines: int, thumb: tuple[int, int] | None
) -> None:
    """As long as the part that is seen, a line at least; at the end it is at the end. Without need there is none."""
    assert thumb_of(top, seen, lines) == thumb


@pytest.mark.parametrize(
    ("here_ms", "length_ms", "window"),
    [
        (100, None, (0, 100)),
        (100, 100, (0, 100)),
        (100, 99, (1, 100)),
        (100, 40, (60, 100)),
        (60, 40, (60, 100)),
        (59, 40, (39, 79)),
        (20, 40, (0, 40)),
        (21, 40, (1, 41)),
        (3, 40, (0, 40)),
    ],
)
def test_a_part_of_the_whole_time_is_its_end_or_around_an_instant_before(
    here_ms: int, length_ms: int | None, window: tuple[int, int]
) -> None:
    assert tuple(window_around(here_ms, Window(0, 100), length_ms)) == window


def test_hues_go_to_top_level_queues_in_their_order_and_stay() -> None:
    """The implicit one comes after the others; beyond the fifth, and for none, there is one for all."""
    paths = ["root", "root.default", *(f"root.{letter}" for letter in "abcd"), "root.a.b"]
    table = HueTable(lambda: paths)

    assert table["root.b"] == "q2"
    assert dict(table) == {"root.a": "q1", "root.b": "q2", "root.c": "q3", "root.d": "q4", "root.default": "q5"}
    paths += ["root.e", "root.f"]
    assert [table[path] for path in ("root.none", "root.e", "root.f", "root.a")] == ["q6", "q6", "q6", "q1"]


def tree() -> list[QueueRow]:
    paths = ("root", "root.a", "root.a.x", "root.a.y", "root.b", "root.b.z")
    leaves = {"root.a.x", "root.a.y", "root.b.z"}
    return [fakes.queue_row(path, is_leaf=path in leaves) for path in paths]


@pytest.mark.parametrize(
    ("folded", "paths", "said"),
    [
        ((), ["root", "root.a", "root.a.x", "root.a.y", "root.b", "root.b.z"], {}),
        (("root.a",), ["root", "root.a", "root.b", "root.b.z"], {"root.a": " • a ▸2"}),
        (("root.a", "root.b"), ["root", "root.a", "root.b"], {"root.a": " • a ▸2", "root.b": " • b ▸1"}),
        (("root",), ["root"], {"root": "root ▸5"}),
        (("root", "root.a"), ["root"], {"root": "root ▸5"}),
        (("root.a.x",), ["root", "root.a", "root.a.x", "root.a.y", "root.b", "root.b.z"], {"root.a.x": "   • x"}),
    ],
)
def test_a_folded_queue_hides_what_is_under_it_and_says_how_many(
    folded: tuple[str, ...], paths: list[str], said: dict[str, str]
) -> None:
    folds = queue.Folds()
    for path in (*folded, "root.none"):
        folds.fold(path)
    folds.unfold("root.none")
    rows = folds.visible(tree())
    noun: Noun[Any] = folds.shown(queue.NOUN)
    cell = noun.shape.columns[0].cell
    look = Look(fakes.NOW, ("memory_mb",), (1,))
    names = {row.path: cell(row, look, 24) for row in rows}

    assert [row.path for row in rows] == paths
    assert {path: flat(names[path]) for path in said} == said  # type: ignore[arg-type]  # the name of a queue is spans
    assert folds.shown(queue.LEAVES) is queue.LEAVES
