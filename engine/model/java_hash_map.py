"""The order in which Java's HashMap hands out its string keys.

Where Hadoop walks a HashMap of queues or pools, ties go by this order. Source: java.util.HashMap, JDK 8 and later.
Differs: a bucket of more than eight keys is a tree in Java. Java 6 and 7 spread hashes otherwise.
"""

from collections.abc import Collection

from engine.model.spark.hash_order import string_hash

FIRST_BUCKETS = 16
"""Buckets of an empty map."""


def buckets_for(keys: int) -> int:
    """Buckets of a map that got so many keys: doubled whenever more than three quarters are taken.

    >>> buckets_for(12), buckets_for(13)
    (16, 32)
    """
    buckets = FIRST_BUCKETS
    while keys > buckets * 3 // 4:
        buckets *= 2
    return buckets


def spread(text: str) -> int:
    """A key's hash with its upper half mixed into the lower. Source: HashMap#hash."""
    unsigned = string_hash(text) & 0xFFFFFFFF
    return unsigned ^ (unsigned >> 16)


def in_hash_order(keys: Collection[str]) -> list[str]:
    """Keys in the map's order, given in the order in which they were put; within a bucket that order stays.

    >>> in_hash_order(["qb", "qa", "default"])
    ['qa', 'qb', 'default']
    """
    buckets = buckets_for(len(keys))
    return sorted(keys, key=lambda key: spread(key) & (buckets - 1))
