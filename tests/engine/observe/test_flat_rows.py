"""Rows as cells and objects: nested parts, partitions, lists, and what the source cannot tell."""

from typing import Any

import msgspec
import pytest

from engine.observe.snapshot import (
    UNKNOWN,
    AskRow,
    ObstacleSummary,
    PartitionUse,
    QueueRow,
    Release,
    ReservationRow,
    UserRow,
)
from engine.observe.snapshot_document import csv_line, header_cells, row_cells, row_object, table_csv
from engine.observe.system_words import MAPREDUCE_1, SPARK, YARN, SystemWords, in_words_of, words_of
from engine.schedulers.capacity.view import CapacityQueueRow
from tests.engine.observe.test_snapshot_document import DIMENSIONS, queue
from tests.engine.run.pictures import application


def named(row: msgspec.Struct, *labels: str) -> dict[str, Any]:
    """The cells of a row by the names over them."""
    return dict(zip(header_cells(type(row), DIMENSIONS, labels), row_cells(row, DIMENSIONS, labels), strict=True))


def partition(label: str, part: int) -> PartitionUse:
    """A queue's part of a partition, each figure another number."""
    return PartitionUse(label, part + 0.25, part + 0.5, (part, 1), (part, 2), (part, 3))


def labelled(*uses: PartitionUse) -> CapacityQueueRow:
    """A capacity queue with these parts."""
    fields = {name: getattr(queue(), name) for name in QueueRow.__struct_fields__}
    return CapacityQueueRow(
        **fields | {"weight": UNKNOWN},
        guaranteed=(10, 1),
        used_capacity=0.5,
        state="RUNNING",
        user_limit=None,
        am_used=None,
        am_limit=None,
        partitions=uses,
    )


def test_a_queue_has_cells_for_each_partition_and_empty_ones_for_the_others() -> None:
    """The one without a label is called so; nothing is unknown of it."""
    cells = named(labelled(partition("x", 30), partition("", 10)), "", "x", "y")
    parts = {name: value for name, value in cells.items() if name.startswith("partition_")}
    fields = header_cells(PartitionUse, DIMENSIONS)[1:-1]

    assert list(parts) == [f"partition_{label}_{field}" for label in ("default", "x", "y") for field in fields]
    for label, use in (("default", partition("", 10)), ("x", partition("x", 30))):
        own = [parts[f"partition_{label}_{field}"] for field in fields]
        assert own == row_cells(use, DIMENSIONS)[1:-1]
        assert None not in own
    assert {value for name, value in parts.items() if name.startswith("partition_y_")} == {None}
    assert len(named(labelled(), "", "x")) == len(named(labelled(partition("", 1)), "", "x"))


def test_a_table_of_queues_has_every_partition_that_some_queue_has() -> None:
    """The default one first, then by name, under the names of the rows' own type."""
    rows = [labelled(partition("x", 30)), labelled(partition("", 10), partition("a", 20))]
    head, first, second = table_csv(rows, QueueRow, DIMENSIONS).split("\r\n")[:3]
    names = head.split(",")
    labels = list(dict.fromkeys(name.split("_")[1] for name in names if name.startswith("partition_")))

    assert labels == ["default", "a", "x"]
    assert names == header_cells(CapacityQueueRow, DIMENSIONS, ["", "a", "x"])
    assert len(first.split(",")) == len(second.split(",")) == len(names)


def test_a_row_object_has_its_parts_as_objects() -> None:
    """In lists, too; lists of amounts are not amounts."""
    use = row_object(labelled(partition("x", 30)), DIMENSIONS)["partitions"]
    assert use == [row_object(partition("x", 30), DIMENSIONS)]
    assert use[0]["label"] == "x"


def test_a_release_has_a_cell_for_each_of_its_fields() -> None:
    """None of them where it is not known."""
    row = ReservationRow("n1", "a", "q", (3, 1), (2, 0), (1, 1), 5)
    empty = {name: value for name, value in named(row).items() if name.startswith("released_")}
    assert set(empty.values()) == {None}
    fields = Release.__struct_fields__
    told = Release(*(None if place else "free" for place, _ in enumerate(fields)))  # type: ignore[arg-type]  # any value
    cells = named(msgspec.structs.replace(row, released=told))

    assert list(empty) == [f"released_{field}" for field in fields]
    assert cells["released_outcome"] == "free"
    assert (cells["size_memory_mb"], cells["size_vcores"], cells["since_ms"]) == (3, 1, 5)


def test_an_obstacle_has_a_cell_for_each_of_its_fields() -> None:
    """As `refusal`; the names of unknown fields are one cell."""
    row = msgspec.structs.replace(
        application(1), obstacle=ObstacleSummary("CODE", "words", "likely"), reserved=UNKNOWN, type=UNKNOWN
    )
    cells = named(row)

    assert [cells[f"refusal_{name}"] for name in ("code", "sentence", "certainty")] == ["CODE", "words", "likely"]
    assert {"reserved", "type"} <= set(str(cells["unknown"]).split())
    assert (cells["reserved_memory_mb"], cells["reserved_vcores"], cells["type"]) == (None, None, None)


def test_an_amount_of_fewer_dimensions_is_filled_up() -> None:
    """With empty cells; an object has only what is there."""
    row = ReservationRow("n1", "a", "q", (3,), (2, 0), (1, 1), 5)

    assert (named(row)["size_memory_mb"], named(row)["size_vcores"]) == (3, None)
    assert row_object(row, DIMENSIONS)["size"] == {"memory_mb": 3}


def test_lists_are_json_where_their_parts_are_rows() -> None:
    """As asks are; other lists are words."""
    asks = (AskRow(1, 2, (512, 1), ("n1",)),)
    assert str(named(msgspec.structs.replace(application(1), asks=asks))["asks"]).startswith('[{"priority": 1')
    user = UserRow("ann", (), 1, 0, 1, (1024, 1), (0, 0), 3, (0, 0), 0.25)
    assert named(user)["queues"] == ""


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        ([], "\r\n"),
        ([None, True, False], ",true,false\r\n"),
        ([1, 1.5, -2], "1,1.5,-2\r\n"),
        (["a b", 'a"b', "a,b", "a\nb", "a\rb"], 'a b,"a""b","a,b","a\nb","a\rb"\r\n'),
        (["=1", "+1", "-1", "@a", "\ta"], '"\'=1","\'+1","\'-1","\'@a","\'\ta"\r\n'),
        (["", "1=", "a-"], ",1=,a-\r\n"),
    ],
)
def test_a_line_is_quoted_where_it_must_be(cells: list[object], line: str) -> None:
    """And what a spreadsheet would run is a text."""
    assert csv_line(cells) == line


@pytest.mark.parametrize(
    ("dimensions", "words"),
    [
        (("memory_mb", "vcores"), YARN),
        (("memory_mb", "cores"), SPARK),
        (("map_slots", "reduce_slots"), MAPREDUCE_1),
        ((), YARN),
    ],
)
def test_a_system_is_known_by_its_dimensions(dimensions: tuple[str, ...], words: SystemWords) -> None:
    """It has nouns of its own."""
    assert words_of(dimensions) == words


@pytest.mark.parametrize(
    ("sentence", "words", "said"),
    [
        ("containers of an application on nodes", SPARK, "executors of an application on workers"),
        ("Kill a container", SPARK, "Kill an executor"),
        ("Kill an application", MAPREDUCE_1, "Kill a job"),
        ("no ResourceManager or JobTracker answers", MAPREDUCE_1, "no JobTracker answers"),
        ("the ResourceManager starts", SPARK, "the Master starts"),
        ("nodes and nodey things in a containerized world", SPARK, "workers and nodey things in a containerized world"),
        ("a node of an application", YARN, "a node of an application"),
    ],
)
def test_a_sentence_has_the_nouns_of_its_system(sentence: str, words: SystemWords, said: str) -> None:
    """With the right article, in the plural, too; other words stay."""
    assert in_words_of(sentence, words) == said
