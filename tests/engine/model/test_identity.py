"""Java's hashes and the orders that follow from them; expected values were printed by a JVM."""

import pytest

from engine.fork import fork
from engine.model.identity import (
    ConcurrentHashOrder,
    application_id_hash,
    application_name,
    container_id_hash,
    container_name,
    hash_map_order,
    java_hash_order,
    node_id_hash,
    string_hash,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("a", 97),
        ("root.default", 497640757),
        ("driver-20171111083000-0001", -1498525984),
        ("\xe4\u20ac", 15432),
        ("\N{GRINNING FACE}", 1772899),
        ("\ud83d", 0xD83D),
    ],
)
def test_strings_hash_by_utf_16_unit(text: str, expected: int) -> None:
    """A character outside the basic plane counts as its two surrogates; a lone one counts as it is."""
    assert string_hash(text) == expected


def test_hashes_stay_signed_32_bit_numbers() -> None:
    """Every hash wraps as Java's int does."""
    hashes = [
        node_id_hash("a-long-host-name.example", 45454),
        application_id_hash(1_510_360_200_000, 183_354),
        container_id_hash(1_510_360_200_000, (183_354, 1, 2**40 + 7)),
        string_hash("x" * 1000),
    ]

    assert all(-(2**31) <= value < 2**31 for value in hashes)


def test_a_hash_set_is_walked_by_bin_and_in_a_bin_by_insertion() -> None:
    """Names fall into the bins of a table that grows as Java's does; doubles count once."""
    names = ["root.a", "root.b", "root.c", "root.a"]

    ordered = java_hash_order(names)

    bins = [(string_hash(name) ^ (string_hash(name) & 0xFFFFFFFF) >> 16) & 15 for name in ordered]
    assert bins == sorted(bins)
    assert sorted(ordered) == ["root.a", "root.b", "root.c"]


def test_a_table_that_has_grown_does_not_shrink() -> None:
    """The most entries a map ever held decide its number of bins."""
    keys, hashes = ["x", "y"], [17, 1]

    assert hash_map_order(keys, hashes) == ["x", "y"]
    assert hash_map_order(keys, hashes, most=13) == ["y", "x"]


def test_a_concurrent_map_turns_part_of_a_bin_around_when_it_grows() -> None:
    """Entries in front of the longest common tail are prepended one by one."""
    order = ConcurrentHashOrder()
    for name, hash_code in (("a", 0), ("b", 32), ("c", 64), ("d", 16)):
        order.add(name, hash_code)
    for filler in range(1, 9):
        order.add(f"f{filler}", filler)

    assert [key for key in order.keys() if key in "abcd"] == ["c", "b", "a", "d"]  # noqa: SIM118  # no dict


def test_a_copied_order_goes_its_own_way() -> None:
    """Adding to and removing from a copy leaves the original alone."""
    order = ConcurrentHashOrder()
    order.add("a", 1)
    copy = fork(order)

    copy.add("b", 2)
    copy.remove("a", 1)

    assert (order.keys(), copy.keys()) == (["a"], ["b"])


def test_ids_are_written_as_yarn_writes_them() -> None:
    """Numbers are padded, and longer ones are not cut."""
    assert application_name(1, 7) == "application_1_0007"
    assert container_name(1, (183_354, 2, 11)) == "container_1_183354_02_000011"
