"""Nodes before and after an act: a bar for each, and what is free."""

from typing import Any

import pytest

from engine.explain.aftermath_report import AftermathReport
from tests.reports import report_of
from tests.tui import answered
from tui.format import Beside
from tui.render.line import Look, flat
from tui.render.why_after import node_lines

LOOK = Look(answered.NOW, ("memory_mb", "vcores"), (1, 1), hues={"root.etl": "q1", "root.report": "q2"})
WIDTH = 160
DAY = Beside(answered.NOW, answered.OFFSET_MS)


def _after(**changes: Any) -> AftermathReport:
    return report_of(AftermathReport, {**answered.followed(), **changes})


def _lines(rows: int = 40, **changes: Any) -> list[str]:
    return [flat(each) for each in node_lines(_after(**changes), DAY, LOOK, WIDTH, rows)]


def test_every_node_stands_twice_with_what_is_free() -> None:
    """In the order of their numbers, without what all names begin with; the instants stand above."""
    lines = _lines()
    names = [line.split()[0] for line in lines[1:]]

    assert lines[0].split("  ")[0] == "NODES NOW"
    assert lines[0].endswith("NODES AT 09:01:20")
    assert names == [".84", ".85", ".86", *(f".{host}" for host in range(100, 109))]
    assert [lines[1].count(words) for words in ("44G free", "12G free")] == [1, 1]


@pytest.mark.parametrize(("rows", "shown"), [(3, 0), (4, 4), (12, 12), (13, 13)])
def test_nodes_are_left_out_where_there_are_too_few_rows(rows: int, shown: int) -> None:
    """From three on, with how many more there are; below that none is drawn."""
    lines = _lines(rows)

    assert len(lines) == shown
    assert [line for line in lines if "more" in line] == ([f"… {13 - rows + 1} more"] if 0 < shown < 13 else [])


def test_an_executor_has_the_hue_of_its_application() -> None:
    use = {**answered.node(84, 0, 0), "is_reserved": False, "blocks": [["", "2", 51200]]}
    nodes = {"now": [use], "then": [use]}
    (_, line) = node_lines(_after(nodes=nodes), DAY, LOOK, WIDTH, 4)

    assert {style for words, style in line if "▄" in words} == {"q2"}


def test_nothing_is_drawn_where_nothing_was_played() -> None:
    assert _lines(memory={"before": None, "most": None}) == []
