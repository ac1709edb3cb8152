"""Queues: their names and what is reserved in them."""

import pytest

from engine.model.queue import Queue, full_name, is_under, queue_named, upwards


def test_a_queue_is_named_by_the_end_of_its_path() -> None:
    """It begins with nothing used and nothing reserved."""
    root = Queue("root", None)
    leaf = Queue("root.etl.daily", root)

    assert (root.name, root.parent, leaf.name, leaf.parent) == ("root", None, "daily", root)
    assert (leaf.used_memory_mb, leaf.used_vcores, leaf.reserved_memory_mb, leaf.reserved_vcores) == (0, 0, 0, 0)


def test_what_is_reserved_counts_in_all_queues_above() -> None:
    """Not in those beside; taking it away leaves nothing."""
    root = Queue("root", None)
    parent = Queue("root.etl", root)
    leaf, beside = Queue("root.etl.a", parent), Queue("root.etl.b", parent)
    queues = (leaf, parent, root, beside)

    leaf.reserve(1024, 2)
    beside.reserve(512, 1)
    assert [(each.reserved_memory_mb, each.reserved_vcores) for each in queues] == [
        (1024, 2),
        (1536, 3),
        (1536, 3),
        (512, 1),
    ]

    leaf.reserve(-1024, -2)
    assert [(each.reserved_memory_mb, each.reserved_vcores) for each in queues] == [(0, 0), *[(512, 1)] * 3]


@pytest.mark.parametrize(
    ("path", "above", "expected"),
    [
        ("root.a", "root", True),
        ("root.a", "root.a", True),
        ("root.a.b", "root.a", True),
        ("root.ab", "root.a", False),
        ("root", "root.a", False),
        ("rooted", "root", False),
    ],
)
def test_a_queue_is_under_itself_and_those_above(path: str, above: str, expected: bool) -> None:
    """Not under one whose name its own only begins with."""
    assert is_under(path, above) is expected


@pytest.mark.parametrize(
    ("path", "expected"), [("root.a.b", ["root.a.b", "root.a", "root"]), ("root", ["root"]), ("", [])]
)
def test_upwards_ends_at_the_root(path: str, expected: list[str]) -> None:
    """The queue itself comes first."""
    assert list(upwards(path)) == expected


@pytest.mark.parametrize(
    ("name", "full"), [("a", "root.a"), ("root.a", "root.a"), ("root", "root"), ("rooted", "root.rooted")]
)
def test_a_full_name_begins_at_the_root(name: str, full: str) -> None:
    """It is not put in front twice."""
    assert full_name(name) == full


def test_a_queue_is_meant_with_or_without_the_root() -> None:
    """A path itself goes before one below the root; no path, no queue."""
    paths = ["root.a", "a", "root.b"]

    assert [queue_named(name, paths) for name in ("root.a", "a", "b", "c", "root.c")] == [
        "root.a",
        "a",
        "root.b",
        None,
        None,
    ]
