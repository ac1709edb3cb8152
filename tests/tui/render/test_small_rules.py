"""Rules of lines, frames, windows of time, hues and folds, each with its boundaries."""

from typing import Any

import pytest

from engine.observe.snapshot import QueueRow
from tests.tui import fakes
from tui.render import queue
from tui.render.frame import EdgeWords, PaneFrame, lower, side, thumb_of, upper
from tui.render.hue import HueTable, hue_of, hue_of_number
from tui.render.line import Look, flat, opposite, places_of, raised, together
from tui.render.noun import Noun
from tui.render.pulse import window_around
from tui.render.scope import Scope, belongs
from tui.render.table import Column, column_at, figure, place
from tui.render.time_axis import Window
from tui.render.trace import next_window, window_words

HOUR_MS = 3_600_000


def test_neighbours_of_one_style_become_one_span() -> None:
    """What is empty goes, whatever its style."""
    assert together([("a", "x"), (" ", "x"), ("", "y"), ("b", "x"), ("c", "y")]) == [("a b", "x"), ("c", "y")]
    assert together([("", "x"), ("a", "y"), ("b", "x"), ("", "")]) == [("a", "y"), ("b", "x")]
    assert together([("", "x")]) == []


@pytest.mark.parametrize(
    ("width", "line"),
    [(15, "left     right "), (12, "left  right "), (11, "left    rg "), (9, "left  rg "), (8, "left")],
)
def test_what_stands_opposite_is_said_shorter_before_it_goes(width: int, line: str) -> None:
    """Two blanks at least stand between, and one behind."""
    assert flat(opposite([("left", "text")], [("right", "soft")], width, [("rg", "soft")])) == line


def test_without_a_shorter_form_it_goes() -> None:
    """So does an empty one."""
    assert opposite([("left", "text")], [("right", "soft")], 11) == [("left", "text")]
    assert opposite([("left", "text")], [], 40) == [("left", "text")]


@pytest.mark.parametrize(("width", "rest"), [(8, 2), (7, 1), (6, 0), (5, 0)])
def test_the_line_of_the_cursor_is_raised_to_its_end(width: int, rest: int) -> None:
    """Its words keep their colours."""
    assert raised([("183354", "strong")], width) == [
        ("183354", "strong on raise"), (" " * rest, "text on raise"),
    ]  # fmt: skip


def test_lines_are_found_by_all_words_whatever_their_case() -> None:
    """By no word none is."""
    lines = ["Queue root.b", "Node b", "queue b"]

    assert [places_of(words, lines) for words in ("QUEUE b", "b", "", "c")] == [[0, 2], [0, 1, 2], [], []]


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


def words(said: str, short: str = "") -> EdgeWords:
    """Words in an edge."""
    return EdgeWords(((said, "soft"),), "call", ((short, "soft"),) if short else ())


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (44, "╭─ Nodes ────────── twelve nodes  by name ─╮"),
        (35, "╭─ Nodes ─ twelve nodes  by name ─╮"),
        (34, "╭─ Nodes ────── twelve  by name ─╮"),
        (29, "╭─ Nodes ─ twelve  by name ─╮"),
        (28, "╭─ Nodes ──────── by name ─╮"),
        (21, "╭─ Nodes ─ by name ─╮"),
        (20, "╭─ Nodes ──────────╮"),
        (11, "╭─ Nodes ─╮"),
        (9, "╭─ Nod~─╮"),
    ],
)
def test_words_in_an_edge_are_said_shorter_then_go_from_the_left(width: int, line: str) -> None:
    """The title is cut last."""
    frame = PaneFrame((words("Nodes"),), (words("twelve nodes", "twelve"), words("by name")))

    assert flat(upper(frame, width)).rstrip() in {line, line[:width]}


@pytest.mark.parametrize(
    ("foot", "width", "line"),
    [
        ("", 8, "╰──────╯"),
        ("3 more", 14, "╰─── 3 more ─╯"),
        ("3 more", 12, "╰─ 3 more ─╯"),
        ("3 more", 11, "╰─────────╯"),
    ],
)
def test_the_lower_edge_has_a_foot_where_there_is_room(foot: str, width: int, line: str) -> None:
    """A cell of the edge stays on either side of it."""
    assert flat(lower(PaneFrame((words("a"),), (), foot=foot), width)) == line


@pytest.mark.parametrize(("y", "is_thumb"), [(1, False), (2, True), (4, True), (5, False)])
def test_the_right_side_has_the_thumb(y: int, is_thumb: bool) -> None:
    """From its first line on, so many lines."""
    left, right = side(PaneFrame((words("a"),), (), thumb=(2, 3)), y)

    assert (left[0] != right[0]) is is_thumb


@pytest.mark.parametrize(
    ("length_ms", "longer", "shorter"),
    [
        (600_000, HOUR_MS, 600_000),
        (599_999, 600_000, 599_999),
        (900_000, HOUR_MS, 600_000),
        (HOUR_MS, 6 * HOUR_MS, 600_000),
        (6 * HOUR_MS, None, HOUR_MS),
        (None, None, 6 * HOUR_MS),
    ],
)
def test_a_window_has_a_longer_and_a_shorter_one(
    length_ms: int | None, longer: int | None, shorter: int | None
) -> None:
    """At an end it stays; the longest is the whole run."""
    assert (next_window(length_ms, 1), next_window(length_ms, -1)) == (longer, shorter)


@pytest.mark.parametrize(
    ("length_ms", "said"),
    [
        (60_000, "last 1m"),
        (90_000, "last 1m30s"),
        (3_599_000, "last 59m59s"),
        (HOUR_MS, "last 1h"),
        (HOUR_MS + 60_000, "last 1h01m"),
        (None, "the run so far"),
    ],
)
def test_a_window_is_called_by_its_length(length_ms: int | None, said: str) -> None:
    """Full minutes and hours without the rest."""
    assert window_words(length_ms) == said


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
    """It never begins before the whole does."""
    assert tuple(window_around(here_ms, Window(0, 100), length_ms)) == window


def test_hues_go_to_top_level_queues_in_their_order_and_stay() -> None:
    """The implicit one comes after the others; beyond the fifth, and for none, there is one for all."""
    paths = ["root", "root.default", *(f"root.{letter}" for letter in "abcd"), "root.a.b"]
    table = HueTable(lambda: paths)

    assert table["root.b"] == "q2"
    assert dict(table) == {"root.a": "q1", "root.b": "q2", "root.c": "q3", "root.d": "q4", "root.default": "q5"}
    paths += ["root.e", "root.f"]
    assert [table[path] for path in ("root.none", "root.e", "root.f", "root.a")] == ["q6", "q6", "q6", "q1"]


def test_a_pool_without_a_root_has_a_hue() -> None:
    """As a queue of the first level has."""
    assert HueTable(lambda: ["etl", "default", "search"])["search"] == "q2"


@pytest.mark.parametrize(
    ("path", "hue"),
    [("root.etl", "q2"), ("root.etl.daily.x", "q2"), ("root", "q6"), ("", "q6"), ("root.none", "q6"), ("etl", "q3")],
)
def test_a_queue_has_the_hue_of_its_first_level(path: str, hue: str) -> None:
    """The root has that of others."""
    assert hue_of(path, Look(0, (), (), hues={"root.etl": "q2", "etl": "q3"})) == hue


@pytest.mark.parametrize(("number", "hue"), [(1, "q1"), (5, "q5"), (6, "q1"), (10, "q5"), (11, "q1")])
def test_every_fifth_application_has_the_same_hue(number: int, hue: str) -> None:
    """That of others is none's."""
    assert hue_of_number(number) == hue


@pytest.mark.parametrize(
    ("kind", "value", "key", "is_in"),
    [
        ("queue", "root.a.b", "root.a", True),
        ("queue", "root.ab", "root.a", False),
        ("app", 7, "app-20240304090000-0007", True),
        ("app", 7, "app-20240304090000-0017", False),
        ("app", "a_7", "a_7", True),
        ("user", "ann", "bo", False),
    ],
)
def test_a_row_belongs_to_a_thing(kind: str, value: Any, key: str, is_in: bool) -> None:
    """A queue has all under it; an application may be told by its number."""
    assert belongs(kind, value, key) is is_in


def test_a_scope_is_named_without_what_is_alike_in_all() -> None:
    """The number of an application, a node without its port."""
    scopes = (Scope("app", "application_1507795051888_0007"), Scope("node", "n1:45454"), Scope("queue", "root.a"))

    assert [each.text for each in scopes] == ["app:0007", "node:n1", "queue:root.a"]


COLUMNS: tuple[Column[Any], ...] = (Column("A", 3, 0), figure("B", 2, 0), Column("C", 4, 0, gap=1))


@pytest.mark.parametrize(
    ("cell", "title"), [(-1, ""), (0, "A"), (2, "A"), (3, "B"), (6, "B"), (7, "C"), (11, "C"), (12, "")]
)
def test_a_cell_belongs_to_the_column_it_is_in_or_before(cell: int, title: str) -> None:
    """Beside all columns to none."""
    found = column_at(place(COLUMNS, 12), cell)

    assert (found.title if found is not None else "") == title
    assert (COLUMNS[1].right, COLUMNS[1].repeats) == (True, False)


def tree() -> list[QueueRow]:
    """A tree of three levels."""
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
    """A leaf has nothing to hide."""
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
