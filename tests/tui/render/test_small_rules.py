"""Rules of lines, frames, windows of time, hues and folds, each with its boundaries."""

from typing import Any

import pytest

from engine.observe.snapshot import QueueRow
from tests.tui import fakes
from tui.panes import queue
from tui.panes.line import RenderContext, flat
from tui.panes.noun import PaneView


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
    folds = queue.FoldState()
    for path in (*folded, "root.none"):
        folds.fold(path)
    folds.unfold("root.none")
    rows = folds.visible(tree())
    noun: PaneView[Any] = folds.shown(queue.NOUN)
    cell = noun.shape.columns[0].cell
    look = RenderContext(fakes.NOW, ("memory_mb",), (1,))
    names = {row.path: cell(row, look, 24) for row in rows}

    assert [row.path for row in rows] == paths
    assert {path: flat(names[path]) for path in said} == said  # type: ignore[arg-type]  # the name of a queue is spans
    assert folds.shown(queue.LEAVES) is queue.LEAVES
