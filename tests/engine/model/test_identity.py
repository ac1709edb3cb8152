"""Java's hashes and the orders that follow from them; expected values were printed by a JVM."""

import msgspec
import pytest

from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    Decision,
    Killed,
    Reserved,
    Unreserved,
    Warned,
)
from engine.model.identity import (
    ConcurrentHashOrder,
    application_id_hash,
    application_name,
    attempt_id_hash,
    container_id_hash,
    container_name,
    container_of_name,
    epoch_and_count,
    hash_map_order,
    java_hash_order,
    node_id_hash,
    priority_hash,
    request_key_hash,
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


@pytest.mark.parametrize(
    ("host", "port", "expected"),
    [
        ("n1", 0, 1037919448),
        ("n1", 45454, 1037964902),
        ("a-long-host-name.example", 1, 1325007037),
        ("a-long-host-name.example", 45454, 1325052490),
    ],
)
def test_nodes_hash_by_host_and_port(host: str, port: int, expected: int) -> None:
    assert node_id_hash(host, port) == expected


@pytest.mark.parametrize(
    ("timestamp", "number", "application", "attempt"),
    [
        (1, 1, -655235529, -1219638208),
        (1, 183354, -655052176, -1897626785),
        (1510360200000, 1, -776957811, 2080591354),
        (1510360200000, 183354, -776774458, 1402602777),
        (2**40 + 3, 1, -559456383, -469615130),
    ],
)
def test_applications_and_attempts_hash_by_timestamp_and_number(
    timestamp: int, number: int, application: int, attempt: int
) -> None:
    assert application_id_hash(timestamp, number) == application
    assert attempt_id_hash(timestamp, number, 2) == attempt


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, 1402602808), (7, 1402602994), (2**40 + 7, 1402610930), (5 * 2**40 + 123456, 1406469593)],
)
def test_containers_hash_by_attempt_and_number(number: int, expected: int) -> None:
    assert container_id_hash(1510360200000, (183354, 2, number)) == expected


@pytest.mark.parametrize(
    ("priority", "expected", "key"),
    [(0, 630408675, 232347939), (1, 630408676, 232348900), (20, 630408695, 232367159), (-1, 630408674, 232346978)],
)
def test_priorities_hash_by_their_number(priority: int, expected: int, key: int) -> None:
    assert (priority_hash(priority), request_key_hash(priority)) == (expected, key)


QUEUES_OF_12 = [433, 919, 595, 352, 838, 271, 0, 757, 109, 514, 190, 676]
QUEUES_OF_13 = [919, 838, 0, 757, 109, 514, 676, 433, 595, 352, 28, 271, 190]
QUEUES_OF_24 = [
    *(919, 838, 704, 947, 0, 757, 218, 109, 623, 514, 866, 676),
    *(137, 542, 433, 785, 595, 299, 461, 352, 28, 380, 271, 190),
]
QUEUES_OF_25 = [
    *(919, 838, 757, 218, 514, 676, 137, 433, 595, 299, 352, 28),
    *(271, 190, 704, 947, 0, 109, 623, 866, 542, 785, 461, 380, 56),
]


@pytest.mark.parametrize("expected", [QUEUES_OF_12, QUEUES_OF_13, QUEUES_OF_24, QUEUES_OF_25])
def test_a_hash_set_is_walked_as_javas_is(expected: list[int]) -> None:
    """Its table doubles with the 13th and the 25th name; names that come again change nothing."""
    names = [f"root.q{number * 7919 % 1000}" for number in range(len(expected))]

    assert java_hash_order([*names, *names[::-1]]) == [f"root.q{number}" for number in expected]


def hashes_of(count: int) -> list[int]:
    return [number * 5000011 for number in range(count)]


@pytest.mark.parametrize(
    "expected", [[0, 10, 3, 1, 5, 8, 6, 7, 4, 9, 2, 11], [0, 3, 1, 5, 6, 9, 2, 10, 12, 8, 7, 4, 11]]
)
def test_a_hash_map_is_walked_as_javas_is(expected: list[int]) -> None:
    """The upper half of a hash counts; the table doubles with the 13th key."""
    keys = range(len(expected))

    assert hash_map_order(keys, hashes_of(len(expected))) == expected


def test_a_table_that_has_grown_does_not_shrink() -> None:
    """The most entries a map ever held decide its number of bins, unless it holds more."""
    keys = range(9, 13)
    hashes = [number * 5 + 16 * (number % 2) for number in keys]
    assert hash_map_order(keys, hashes, most=13) == [11, 10, 12, 9]

    keys, hashes = range(13), hashes_of(13)
    assert hash_map_order(keys, hashes, most=1) == hash_map_order(keys, hashes)
    assert hash_map_order([], []) == []


def test_a_concurrent_map_turns_part_of_a_bin_around_when_it_grows() -> None:
    order = ConcurrentHashOrder()
    for name, hash_code in (("a", 0), ("b", 32), ("c", 64), ("d", 16)):
        order.add(name, hash_code)
    for filler in range(1, 9):
        order.add(f"f{filler}", filler)

    assert [key for key in order.keys() if key in "abcd"] == ["c", "b", "a", "d"]  # noqa: SIM118  # no dict


WALK_OF_21 = [8, 11, 19, 16, 20, 13, 18]
WALK_OF_61 = [27, 47, 29, 45, 58, 35, 52, 53, 39, 44, 33, 32, 56, 60, 8, 36, 50, 48, 59, 42, 34, 43, 13]
WALK_OF_200 = [
    *(112, 193, 132, 167, 171, 52, 173, 118, 141, 149, 184, 119, 100, 151, 73, 123, 90, 189, 158),
    *(87, 162, 47, 75, 45, 79, 129, 152, 187, 85, 72, 80, 163, 130, 160, 137, 147, 95, 76),
    *(172, 197, 142, 110, 192, 103, 174, 104, 131, 39, 175, 121, 183, 179, 97, 145, 48, 198, 143),
    *(148, 113, 34, 195, 27, 155, 107, 117, 139, 144, 159, 178, 188, 138, 44, 168, 140, 177, 182),
]


@pytest.mark.parametrize(("steps", "expected"), [(21, WALK_OF_21), (61, WALK_OF_61), (200, WALK_OF_200)])
def test_a_concurrent_map_is_walked_as_javas_is(steps: int, expected: list[int]) -> None:
    """After a run of puts and removes, through several sizes of its table, with hashes of either sign."""
    draw, order, there = 1, ConcurrentHashOrder(), list[tuple[str, int]]()
    for number in range(steps):
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        if (draw >> 8) % 10 < 7 or not there:
            there.append((str(number), (draw >> 4) * (-1 if number % 2 else 1)))
            order.add(*there[-1])
        else:
            order.remove(*there.pop((draw >> 12) % len(there)))

    assert [int(key) for key in order.keys()] == expected  # noqa: SIM118  # no dict


def test_ids_are_written_as_yarn_writes_them() -> None:
    assert [application_name(1, number) for number in (7, 9999, 10000)] == [
        "application_1_0007",
        "application_1_9999",
        "application_1_10000",
    ]
    assert container_name(1, (183_354, 2, 11)) == "container_1_183354_02_000011"
    assert container_name(1, (7, 100, 1_000_000)) == "container_1_0007_100_1000000"
    assert container_name(5, (7, 1, (12 << 40) + 2)) == "container_e12_5_0007_01_000002"


@pytest.mark.parametrize("number", [1, 2**40 - 1, 2**40, (3 << 40) + 7])
def test_a_containers_number_is_its_epoch_and_its_count(number: int) -> None:
    epoch, count = epoch_and_count(number)

    assert (epoch * 2**40 + count, count < 2**40) == (number, True)


@pytest.mark.parametrize(
    ("name", "container"),
    [
        ("container_1510360200000_0007_01_000002", (7, 1, 2)),
        ("container_e01_1510360200000_0007_01_000002", (7, 1, 2**40 + 2)),
        ("e12_7_1_2", (7, 1, (12 << 40) + 2)),
        ("7_1_2", (7, 1, 2)),
        ("7_1", None),
        ("container_1", None),
        ("7_1_x", None),
        ("7_x_2", None),
        ("x_1_2", None),
        ("ex_1_7_1_2", None),
        ("", None),
    ],
)
def test_a_container_is_known_by_its_name(name: str, container: tuple[int, int, int] | None) -> None:
    """Or by the end of it; all three numbers are needed, and an epoch is one, too."""
    assert container_of_name(name) == container


@pytest.mark.parametrize("container", [(7, 1, 2), (183_354, 2, (1 << 40) + 11)])
def test_a_containers_name_is_read_as_it_was_written(container: tuple[int, int, int]) -> None:
    assert container_of_name(container_name(1510360200000, container)) == container


# Decisions are values that survive the journal.

CONTAINER = (7, 1, 3)
ONE_OF_EACH: list[Decision] = [
    Allocated(CONTAINER, "a:1", 1, 1024, 1, "NODE_LOCAL"),
    Reserved(CONTAINER, "a:1", 1, 1024, 1),
    Unreserved(CONTAINER, "a:1", 1, 1024, 1),
    Warned(CONTAINER, "a:1", "root.a", 1024),
    Killed(CONTAINER, "a:1", "PREEMPTED"),
    Completed(CONTAINER, "a:1", 0),
    ApplicationTransitioned(7, "ACCEPTED", "root.a"),
]


@pytest.mark.parametrize("decision", ONE_OF_EACH, ids=lambda decision: type(decision).__name__)
def test_a_decision_comes_back_from_json_as_it_went(decision: Decision) -> None:
    """Its kind is in the text, so that a journal can be read without knowing what comes next."""
    text = msgspec.json.encode(decision)

    assert msgspec.json.decode(text, type=Decision) == decision
    assert f'"kind":"{type(decision).__name__}"'.encode() in text
