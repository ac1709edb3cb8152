"""The order in which a Scala hash map hands out its entries.

Spark kills the executors of an ended application, and relaunches the drivers of a lost worker, in the order of a
`scala.collection.mutable.HashMap`: by bucket, within a bucket by hash. The number of buckets only grows.
Source: scala.collection.mutable.HashMap, Scala 2.13 (16 buckets at first, doubled when the entry to be added
reaches three quarters). Differs: Spark 3.x built with Scala 2.12 kills in another order.
"""

from collections.abc import Iterable

from engine.model.identity import string_hash
from engine.model.java_number import int32

FIRST_BUCKETS = 16
"""Buckets of an empty map."""


def buckets_after_adding(buckets: int, entries: int) -> int:
    """Buckets once one more entry has joined `entries` others.

    >>> buckets_after_adding(16, 10), buckets_after_adding(16, 11)
    (16, 32)
    """
    return buckets * 2 if entries + 1 >= buckets * 3 // 4 else buckets


def _improved(value: int) -> int:
    """The hash as the map spreads it, signed. Source: scala.collection.mutable.HashMap#improveHash."""
    unsigned = value & 0xFFFFFFFF
    return int32(unsigned ^ (unsigned >> 16))


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
