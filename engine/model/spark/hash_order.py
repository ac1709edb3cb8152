"""The order in which a Scala hash map hands out its entries.

Spark kills the executors of an ended application, and relaunches the drivers of a lost worker, in the order of a
`scala.collection.mutable.HashMap`: by bucket, within a bucket by hash. The number of buckets only grows.
Source: scala.collection.mutable.HashMap, Scala 2.13 (16 buckets at first, doubled when the entry to be added
reaches three quarters). Differs: Spark 3.x built with Scala 2.12 kills in another order.
"""

from collections.abc import Iterable

FIRST_BUCKETS = 16
"""Buckets of an empty map."""


def buckets_after_adding(buckets: int, entries: int) -> int:
    """Buckets once one more entry has joined `entries` others.

    >>> buckets_after_adding(16, 10), buckets_after_adding(16, 11)
    (16, 32)
    """
    return buckets * 2 if entries + 1 >= buckets * 3 // 4 else buckets


def string_hash(text: str) -> int:
    """Java's hash of a string as a signed 32-bit int. Source: java.lang.String#hashCode.

    >>> string_hash("driver-20171111083000-0001")
    -1498525984
    """
    value = 0
    for unit in text.encode("ascii") if text.isascii() else _utf_16_units(text):
        value = (value * 31 + unit) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _utf_16_units(text: str) -> list[int]:
    data = text.encode("utf-16-be")
    return [data[at] << 8 | data[at + 1] for at in range(0, len(data), 2)]


def _improved(value: int) -> int:
    """The hash as the map spreads it, signed. Source: scala.collection.mutable.HashMap#improveHash."""
    unsigned = value & 0xFFFFFFFF
    mixed = unsigned ^ (unsigned >> 16)
    return mixed - (1 << 32) if mixed >= 1 << 31 else mixed


def in_int_order(keys: Iterable[int], buckets: int) -> list[int]:
    """Int keys in the map's order.

    >>> in_int_order([14, 15, 16, 17], 16)
    [16, 17, 14, 15]
    """
    return sorted(keys, key=lambda key: (_improved(key) & (buckets - 1), _improved(key)))


def in_string_order(keys: Iterable[str], buckets: int) -> list[str]:
    """String keys in the map's order; keys of equal hash keep the given order."""
    hashes = [(_improved(string_hash(key)), key) for key in keys]
    return [key for mixed, key in sorted(hashes, key=lambda pair: (pair[0] & (buckets - 1), pair[0]))]
