"""Scala's hash maps, as far as their order shows."""

from engine.model.spark.application import buckets_after_adding, in_int_order, in_string_order


def test_ints_come_by_bucket() -> None:
    assert in_int_order(range(12, 20), 16) == [16, 17, 18, 19, 12, 13, 14, 15]
    assert in_int_order(range(12, 20), 32) == list(range(12, 20))


def test_the_table_doubles_at_three_quarters() -> None:
    buckets, history = 16, []
    for entries in range(25):
        buckets = buckets_after_adding(buckets, entries)
        history.append(buckets)

    assert (history.index(32), history.index(64)) == (11, 23)


def test_strings_come_by_bucket() -> None:
    names = ["driver-20171111003000-0000", "driver-20171111003000-0001", "driver-20171111003000-0002"]

    assert sorted(in_string_order(names, 16)) == names
    assert in_string_order(reversed(names), 16) == in_string_order(names, 16)
