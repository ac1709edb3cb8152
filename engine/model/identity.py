"""Real ids and Java's hash orders.

Logs, REST answers and some decisions hang on them: a ConcurrentHashMap of NodeIds decides which of two equally free
nodes a continuous pass visits first, a HashSet of queue names decides in which order Fair 2.7 creates its queues. All
arithmetic is Java int32 with wraparound.

Source: String#hashCode, NodeId#hashCode, ApplicationId#hashCode, ContainerId#hashCode, HashMap, ConcurrentHashMap
(JDK 8 and later), Hadoop 2.7.2.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeVar

from engine.model.decision import ContainerId
from engine.model.java_values import int32
from engine.state import State

_Key = TypeVar("_Key")

_MASK = 0xFFFFFFFF


def string_hash(text: str) -> int:
    """Java's `String#hashCode` over UTF-16 units, as a signed int32.

    >>> string_hash("root.default")
    497640757
    """
    result = 0
    for unit in text.encode("ascii") if text.isascii() else _utf_16_units(text):
        result = (31 * result + unit) & _MASK
    return int32(result)


def _utf_16_units(text: str) -> Sequence[int]:
    encoded = text.encode("utf-16-be", "surrogatepass")
    return [encoded[index] << 8 | encoded[index + 1] for index in range(0, len(encoded), 2)]


@lru_cache(maxsize=2**17)  # the order of a node's reservations asks for it again and again
def node_id_hash(host: str, port: int) -> int:
    """Hash of a NodeId. Source: NodeId#hashCode, Hadoop 2.7.2."""
    return int32((8501 * 493217 + string_hash(host)) * 493217 + port)


def application_id_hash(cluster_timestamp: int, number: int) -> int:
    """Hash of an ApplicationId. Source: ApplicationId#hashCode, Hadoop 2.7.2."""
    folded = cluster_timestamp ^ (cluster_timestamp >> 32)
    return int32((6521 * 371237 + folded) * 371237 + number)


def attempt_id_hash(cluster_timestamp: int, application: int, attempt: int) -> int:
    """Hash of an ApplicationAttemptId. Source: ApplicationAttemptId#hashCode, Hadoop 2.7.2."""
    return int32((5501 * 347671 + application_id_hash(cluster_timestamp, application)) * 347671 + attempt)


def container_id_hash(cluster_timestamp: int, container: ContainerId) -> int:
    """Hash of a ContainerId. Source: ContainerId#hashCode, ApplicationAttemptId#hashCode, Hadoop 2.7.2."""
    application, attempt, number = container
    attempt_hash = attempt_id_hash(cluster_timestamp, application, attempt)
    return int32(31 * int32(number ^ (number >> 32)) + attempt_hash)


def priority_hash(priority: int) -> int:
    """Hash of a Priority. Source: Priority#hashCode, Hadoop 2.7.2."""
    return int32(517861 * 9511 + priority)


def request_key_hash(priority: int) -> int:
    """Hash of a SchedulerRequestKey whose allocation id is 0. Source: SchedulerRequestKey#hashCode, Hadoop 3.4.1."""
    return int32(31 * 31 * priority_hash(priority))


def _spread(hash_code: int) -> int:
    unsigned = hash_code & _MASK
    return unsigned ^ (unsigned >> 16)


def _table_size(count: int) -> int:
    capacity = 16
    while count > capacity * 3 // 4:
        capacity *= 2
    return capacity


def java_hash_order(names: Iterable[str]) -> list[str]:
    """The names in the iteration order of a `HashSet<String>` grown from its default size by adding them in turn.

    Duplicates count once. Bins are lists; a bin of 8 or more (a tree in Java) keeps its insertion order here.
    `Differs:` names stand in the order of Java 8 and later; a ResourceManager on Java 6 or 7 has another order.
    """
    unique = list(dict.fromkeys(names))
    mask = _table_size(len(unique)) - 1
    return sorted(unique, key=lambda name: _spread(string_hash(name)) & mask)


def hash_map_order(keys: Sequence[_Key], hashes: Sequence[int], most: int | None = None) -> list[_Key]:
    """Distinct keys, in order of insertion, in the iteration order of a HashMap that once held `most` entries."""
    mask = _table_size(max(most or 0, len(keys))) - 1
    order = sorted(range(len(keys)), key=lambda index: _spread(hashes[index]) & mask)
    return [keys[index] for index in order]


class ConcurrentHashOrder(metaclass=State):
    """The iteration order, `keys`, of a `ConcurrentHashMap`, which resizing may turn around within a bin."""

    _bins: list[tuple[tuple[int, str], ...]]
    _count: int = 0

    def __init__(self) -> None:
        self._bins = [()] * 16

    def add(self, key: str, hash_code: int) -> None:
        spread = _spread(hash_code) & 0x7FFFFFFF
        self._bins[spread & (len(self._bins) - 1)] += ((spread, key),)
        self._count += 1
        while self._count >= len(self._bins) - len(self._bins) // 4:
            self._grow()

    def remove(self, key: str, hash_code: int) -> None:
        spread = _spread(hash_code) & 0x7FFFFFFF
        at = spread & (len(self._bins) - 1)
        self._bins[at] = tuple(entry for entry in self._bins[at] if entry != (spread, key))
        self._count -= 1

    def keys(self) -> list[str]:
        return [key for entries in self._bins for _, key in entries]

    def _grow(self) -> None:
        size = len(self._bins)
        bins: list[tuple[tuple[int, str], ...]] = [()] * (size * 2)
        for index, entries in enumerate(self._bins):
            if not entries:
                continue
            # Java keeps the longest tail that goes to one side as it is and prepends the others one by one.
            tail = len(entries) - 1
            while tail > 0 and (entries[tail - 1][0] & size) == (entries[-1][0] & size):
                tail -= 1
            sides: tuple[list[tuple[int, str]], list[tuple[int, str]]] = ([], [])
            sides[1 if entries[-1][0] & size else 0].extend(entries[tail:])
            for entry in entries[:tail]:
                sides[1 if entry[0] & size else 0].insert(0, entry)
            bins[index], bins[index + size] = map(tuple, sides)
        self._bins = bins


@lru_cache(maxsize=2**14)  # a picture of a large cluster names the holder of each reserved node
def application_name(cluster_timestamp: int, number: int) -> str:
    """`application_<timestamp>_<number, at least four digits>`.

    >>> application_name(1510360200000, 183354)
    'application_1510360200000_183354'
    """
    return f"application_{cluster_timestamp}_{number:04d}"


EPOCH_BITS: Final = 40
"""A container's number is its count, with the ResourceManager's epoch above so many bits. Source: ContainerId."""


def epoch_and_count(number: int) -> tuple[int, int]:
    """The two parts of a container's number.

    >>> epoch_and_count(5), epoch_and_count((1 << 40) + 5)
    ((0, 5), (1, 5))
    """
    return number >> EPOCH_BITS, number & ((1 << EPOCH_BITS) - 1)


def container_name(cluster_timestamp: int, container: ContainerId) -> str:
    """`container_<timestamp>_<number>_<attempt, two digits>_<container, six digits>`; of a later life with its epoch.

    >>> container_name(1, (7, 1, 2)), container_name(1, (7, 1, (1 << 40) + 2))
    ('container_1_0007_01_000002', 'container_e01_1_0007_01_000002')
    """
    application, attempt, number = container
    epoch, count = epoch_and_count(number)
    life = f"e{epoch:02d}_" if epoch else ""
    return f"container_{life}{cluster_timestamp}_{application:04d}_{attempt:02d}_{count:06d}"


def container_of_name(name: str) -> ContainerId | None:
    """The container of an id or of its last three numbers, an epoch before them included; None when it is none.

    >>> container_of_name("container_e01_1_0007_01_000002") == (7, 1, (1 << 40) + 2), container_of_name("7_1_2")
    (True, (7, 1, 2))
    """
    parts = name.removeprefix("container_").split("_")
    epoch = parts[0][1:] if parts[0].startswith("e") else "0"
    if len(parts) < 3 or not all(part.isdecimal() for part in (epoch, *parts[-3:])):
        return None
    application, attempt, count = map(int, parts[-3:])
    return application, attempt, (int(epoch) << EPOCH_BITS) + count
