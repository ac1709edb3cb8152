"""Java's sort, TreeSet and PriorityQueue, where their results are not those of Python's.

A stable sort by a total order gives one result whoever makes it. Where a NaN equals everything, or ties go round in a
circle, the result hangs on which pairs are compared; `heapq` keeps the law of a heap but sifts otherwise, so equals
come out in another order. So every step here is that of Java.

Source: java.util.TimSort, OpenJDK 8 to 21; java.util.TreeMap#put, #deleteEntry, #fixAfterInsertion, #fixAfterDeletion,
java.util.PriorityQueue#siftUp, #siftDown (JDK 8 and later).
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Generic, TypeVar

from engine.state import Dropped, State

# Java's TreeSet, for comparisons that are no total order or that change while elements are in the set.
#
# Then the order depends on the shape of the tree, so the tree here is Java's.

_Item = TypeVar("_Item")

Comparison = Callable[[_Item, _Item], int]
"""Negative, 0 or positive, as the first is before, equal to or behind the second."""


class _Entry(Generic[_Item], metaclass=State):
    """A place in the tree; red entries have no red child."""

    item: _Item
    above: "_Entry[_Item] | None"
    left: "_Entry[_Item] | None" = None
    right: "_Entry[_Item] | None" = None
    is_black: bool = True

    def __init__(self, item: _Item, above: "_Entry[_Item] | None") -> None:
        self.item = item
        self.above = above

    def following(self) -> "_Entry[_Item] | None":
        """Return the next place in order; None after the last."""
        entry = self.right
        if entry is not None:
            while entry.left is not None:
                entry = entry.left
            return entry
        below, above = self, self.above
        while above is not None and below is above.right:
            below, above = above, above.above
        return above


class JavaTreeSet(Generic[_Item], metaclass=State):
    """A set in the order of a red-black tree; the comparison is given with each element."""

    _root: _Entry[_Item] | None = None
    _places: Dropped[dict[_Item, _Entry[_Item]] | None] = None  # Element → where it stands, once asked

    def __iter__(self) -> Iterator[_Item]:
        """The elements, first to last; as in Java, the set must not change on the way."""
        return (entry.item for entry in self._entries())

    def _entries(self) -> Iterator[_Entry[_Item]]:
        entry = self._first()
        while entry is not None:
            yield entry
            entry = entry.following()

    def add(self, item: _Item, compare: Comparison[_Item]) -> None:
        """Put in an element, unless it is equal to one it is compared with on its way down."""
        entry = self._root
        if entry is None:
            self._root, self._places = _Entry(item, None), None
            return
        while True:
            sign = compare(item, entry.item)
            if sign == 0:
                return
            below = entry.left if sign < 0 else entry.right
            if below is None:
                break
            entry = below
        fresh = _Entry(item, entry)
        if self._places is not None:
            self._places[item] = fresh
        if sign < 0:
            entry.left = fresh
        else:
            entry.right = fresh
        self._after_insertion(fresh)

    def remove(self, item: _Item) -> None:
        """Take out an element that is there, wherever it stands, as a Java iterator does."""
        if self._places is None:
            self._places = {each.item: each for each in self._entries()}
        entry = self._places.pop(item)
        if entry.left is not None and entry.right is not None:
            after = entry.right
            while after.left is not None:
                after = after.left
            self._places[after.item] = entry
            entry.item, entry = after.item, after
        below = entry.left or entry.right
        if below is not None:
            below.above = entry.above
            self._replace(entry, below)
            below.is_black = True  # an only child is red
        elif entry.above is None:
            self._root = None
        else:
            if entry.is_black:
                self._after_deletion(entry)
            self._replace(entry, None)

    def _first(self) -> _Entry[_Item] | None:
        entry = self._root
        if entry is not None:
            while entry.left is not None:
                entry = entry.left
        return entry

    def _replace(self, entry: _Entry[_Item], other: _Entry[_Item] | None) -> None:
        above = entry.above
        if above is None:
            self._root = other
        elif above.left is entry:
            above.left = other
        else:
            above.right = other

    def _after_insertion(self, entry: _Entry[_Item]) -> None:
        entry.is_black = False
        while entry.above is not None and not entry.above.is_black:
            above = entry.above
            top = above.above
            assert top is not None, "a red entry is not the root"
            is_left = above is top.left
            uncle = top.right if is_left else top.left
            if uncle is not None and not uncle.is_black:
                above.is_black = uncle.is_black = True
                top.is_black = False
                entry = top
                continue
            if entry is (above.right if is_left else above.left):
                entry = above
                self._rotate(entry, to_left=is_left)
                assert entry.above is not None, "it was just moved below another"
                above = entry.above
            above.is_black, top.is_black = True, False
            self._rotate(top, to_left=not is_left)
        assert self._root is not None, "something was put in"
        self._root.is_black = True

    def _after_deletion(self, entry: _Entry[_Item]) -> None:
        while entry.above is not None and entry.is_black:
            above, is_left = entry.above, entry is entry.above.left
            sibling = above.right if is_left else above.left
            if not _is_black(sibling):
                assert sibling is not None, "only an entry is red"
                sibling.is_black, above.is_black = True, False
                self._rotate(above, to_left=is_left)
                sibling = above.right if is_left else above.left
            assert sibling is not None, "a black entry has a sibling"
            near, far = (sibling.left, sibling.right) if is_left else (sibling.right, sibling.left)
            if _is_black(near) and _is_black(far):
                sibling.is_black = False
                entry = above
                continue
            if _is_black(far):
                assert near is not None, "only an entry is red"
                near.is_black, sibling.is_black = True, False
                self._rotate(sibling, to_left=not is_left)
                sibling, far = near, sibling
            sibling.is_black, above.is_black = above.is_black, True
            assert far is not None, "only an entry is red"
            far.is_black = True
            self._rotate(above, to_left=is_left)
            return
        entry.is_black = True

    def _rotate(self, entry: _Entry[_Item], *, to_left: bool) -> None:
        rising = entry.right if to_left else entry.left
        assert rising is not None, "only an entry rises"
        inner = rising.left if to_left else rising.right
        if to_left:
            entry.right, rising.left = inner, entry
        else:
            entry.left, rising.right = inner, entry
        if inner is not None:
            inner.above = entry
        self._replace(entry, rising)
        rising.above, entry.above = entry.above, rising


def _is_black(entry: _Entry[_Item] | None) -> bool:
    return entry is None or entry.is_black


def tree_set_order(items: Iterable[_Item], compare: Comparison[_Item]) -> list[_Item]:
    """The items in the iteration order of a TreeSet they were added to one by one; equals of earlier ones are left out.

    >>> tree_set_order([3, 1, 2, 3], lambda left, right: left - right)
    [1, 2, 3]
    """
    tree: JavaTreeSet[_Item] = JavaTreeSet()
    for item in items:
        tree.add(item, compare)
    return list(tree)


MIN_MERGE: Final = 32  # Shorter lists are not cut into runs
MIN_GALLOP: Final = 7  # So many in a row from one run, and the next ones are looked for in leaps


def java_sorted(items: Iterable[_Item], compare: Comparison[_Item]) -> list[_Item]:
    found = list(items)
    if len(found) < MIN_MERGE:
        _insert(found, _count_run(found, compare), compare)
        return found
    return _Runs(compare).sort(found)


def _count_run(items: list[_Item], compare: Comparison[_Item]) -> int:
    """Count how many at the front are in order; those in falling order are turned round."""
    if len(items) < 2:
        return len(items)
    falls, end = compare(items[1], items[0]) < 0, 2
    while end < len(items) and (compare(items[end], items[end - 1]) < 0) == falls:
        end += 1
    if falls:
        items[:end] = items[:end][::-1]
    return end


def _insert(items: list[_Item], begin: int, compare: Comparison[_Item]) -> None:
    for place in range(max(1, begin), len(items)):
        item = items.pop(place)
        low, high = 0, place
        while low < high:
            middle = (low + high) // 2
            if compare(item, items[middle]) < 0:
                high = middle
            else:
                low = middle + 1
        items.insert(low, item)


def _shortest_run(count: int) -> int:
    odd = 0
    while count >= MIN_MERGE:
        odd |= count & 1
        count >>= 1
    return count + odd


class _Runs(Generic[_Item]):
    def __init__(self, compare: Comparison[_Item]) -> None:
        self._compare = compare
        self._runs: list[list[_Item]] = []  # the runs that are not merged yet
        self._gallop = MIN_GALLOP

    def sort(self, items: list[_Item]) -> list[_Item]:
        shortest, begin = _shortest_run(len(items)), 0
        while begin < len(items):
            rest = items[begin:]
            length = _count_run(rest, self._compare)
            run = rest[: max(length, shortest)]
            _insert(run, length, self._compare)
            self._runs.append(run)
            self._collapse()
            begin += len(run)
        while len(self._runs) > 1:
            self._merge_at(self._left_of_shorter(len(self._runs) - 2))
        return self._runs[0]

    def _collapse(self) -> None:
        while len(self._runs) > 1:
            at = len(self._runs) - 2
            lengths = [len(run) for run in self._runs]
            is_uneven = (at > 0 and lengths[at - 1] <= lengths[at] + lengths[at + 1]) or (
                at > 1 and lengths[at - 2] <= lengths[at] + lengths[at - 1]
            )
            if is_uneven:
                at = self._left_of_shorter(at)
            elif lengths[at] > lengths[at + 1]:
                return
            self._merge_at(at)

    def _left_of_shorter(self, at: int) -> int:
        return at - 1 if at > 0 and len(self._runs[at - 1]) < len(self._runs[at + 1]) else at

    def _merge_at(self, at: int) -> None:
        left, right = self._runs[at : at + 2]
        first = self._after(right[0], left, 0)
        last = self._before(left[-1], right, len(right) - 1) if first < len(left) else 0
        if last:
            merge = self._merge_forwards if len(left) - first <= last else self._merge_backwards
            merged = left[:first] + merge(left[first:], right[:last]) + right[last:]
        else:
            merged = left + right
        self._gallop = max(1, self._gallop)
        self._runs[at : at + 2] = [merged]

    # Leaps.

    def _before(self, item: _Item, run: list[_Item], hint: int) -> int:
        """Return where an item goes in a run, in front of its equals; the search leaps away from `hint`."""
        compare = self._compare
        if compare(item, run[hint]) > 0:
            least, step = 0, 1
            while hint + step < len(run) and compare(item, run[hint + step]) > 0:
                least, step = step, 2 * step + 1
            low, high = hint + least + 1, min(hint + step, len(run))
        else:
            least, step = 0, 1
            while step <= hint and compare(item, run[hint - step]) <= 0:
                least, step = step, 2 * step + 1
            low, high = max(hint - step, -1) + 1, hint - least
        while low < high:
            middle = (low + high) // 2
            if compare(item, run[middle]) > 0:
                low = middle + 1
            else:
                high = middle
        return high

    def _after(self, item: _Item, run: list[_Item], hint: int) -> int:
        """Return where an item goes in a run, behind its equals; the search leaps away from `hint`."""
        compare = self._compare
        if compare(item, run[hint]) < 0:
            least, step = 0, 1
            while step <= hint and compare(item, run[hint - step]) < 0:
                least, step = step, 2 * step + 1
            low, high = max(hint - step, -1) + 1, hint - least
        else:
            least, step = 0, 1
            while hint + step < len(run) and compare(item, run[hint + step]) >= 0:
                least, step = step, 2 * step + 1
            low, high = hint + least + 1, min(hint + step, len(run))
        while low < high:
            middle = (low + high) // 2
            if compare(item, run[middle]) < 0:
                high = middle
            else:
                low = middle + 1
        return high

    # Merging.

    def _merge_forwards(self, left: list[_Item], right: list[_Item]) -> list[_Item]:
        """Merge where the left run is the shorter one; the first is the right run's."""
        out, taken = [right[0]], (0, 1)
        while len(left) - taken[0] > 1 and taken[1] < len(right):
            taken = self._pick_forwards(left, right, taken, out)
            if len(left) - taken[0] > 1 and taken[1] < len(right):
                taken = self._leap_forwards(left, right, taken, out)
        if len(left) - taken[0] == 1:
            return out + right[taken[1] :] + left[taken[0] :]
        # Differs: where comparisons contradict one another Java's sort may end with an IllegalArgumentException; here
        # it goes on.
        return out + left[taken[0] :] + right[taken[1] :]

    def _pick_forwards(
        self, left: list[_Item], right: list[_Item], taken: tuple[int, int], out: list[_Item]
    ) -> tuple[int, int]:
        one, two = taken
        in_a_row, was_right = 0, False
        while in_a_row < self._gallop and len(left) - one > 1 and two < len(right):
            is_right = self._compare(right[two], left[one]) < 0
            in_a_row = in_a_row + 1 if is_right == was_right else 1
            was_right = is_right
            if is_right:
                out.append(right[two])
                two += 1
            else:
                out.append(left[one])
                one += 1
        return one, two

    def _leap_forwards(
        self, left: list[_Item], right: list[_Item], taken: tuple[int, int], out: list[_Item]
    ) -> tuple[int, int]:
        one, two = taken
        while True:
            lefts = self._after(right[two], left[one:], 0)
            out += left[one : one + lefts]
            one += lefts
            if lefts and len(left) - one <= 1:
                return one, two
            out.append(right[two])
            two += 1
            if two == len(right):
                return one, two
            rights = self._before(left[one], right[two:], 0)
            out += right[two : two + rights]
            two += rights
            if two == len(right):
                return one, two
            out.append(left[one])
            one += 1
            if len(left) - one == 1:
                return one, two
            self._gallop -= 1
            if max(lefts, rights) < MIN_GALLOP:
                self._gallop = max(0, self._gallop) + 2
                return one, two

    def _merge_backwards(self, left: list[_Item], right: list[_Item]) -> list[_Item]:
        """Merge from the end where the right run is the shorter one; the last is the left run's."""
        out, rest = [left[-1]], (len(left) - 1, len(right))
        while rest[1] > 1 and rest[0] > 0:
            rest = self._pick_backwards(left, right, rest, out)
            if rest[1] > 1 and rest[0] > 0:
                rest = self._leap_backwards(left, right, rest, out)
        out.reverse()
        if rest[1] == 1:
            return right[:1] + left[: rest[0]] + out
        # The right run may be used up too early, as the left one in `_merge_forwards`.
        return left[: rest[0]] + right[: rest[1]] + out

    def _pick_backwards(
        self, left: list[_Item], right: list[_Item], rest: tuple[int, int], out: list[_Item]
    ) -> tuple[int, int]:
        one, two = rest
        in_a_row, was_left = 0, False
        while in_a_row < self._gallop and two > 1 and one > 0:
            is_left = self._compare(right[two - 1], left[one - 1]) < 0
            in_a_row = in_a_row + 1 if is_left == was_left else 1
            was_left = is_left
            if is_left:
                one -= 1
                out.append(left[one])
            else:
                two -= 1
                out.append(right[two])
        return one, two

    def _leap_backwards(
        self, left: list[_Item], right: list[_Item], rest: tuple[int, int], out: list[_Item]
    ) -> tuple[int, int]:
        one, two = rest
        while True:
            place = self._after(right[two - 1], left[:one], one - 1)
            lefts, one = one - place, place
            out += left[place : place + lefts][::-1]
            if one == 0:
                return one, two
            two -= 1
            out.append(right[two])
            if two == 1:
                return one, two
            place = self._before(left[one - 1], right[:two], two - 1)
            rights, two = two - place, place
            out += right[place : place + rights][::-1]
            if rights and two <= 1:
                return one, two
            one -= 1
            out.append(left[one])
            if one == 0:
                return one, two
            self._gallop -= 1
            if max(lefts, rights) < MIN_GALLOP:
                self._gallop = max(0, self._gallop) + 2
                return one, two


class JavaPriorityQueue(Generic[_Item], metaclass=State):
    """A heap; `items` is its array, whose first is before all others. The comparison is given with each call."""

    items: list[_Item] = []

    def add(self, item: _Item, compare: Comparison[_Item]) -> None:
        items, place = self.items, len(self.items)
        items.append(item)
        while place:
            above = (place - 1) // 2
            if compare(item, items[above]) >= 0:
                break
            items[place] = items[above]
            place = above
        items[place] = item

    def poll(self, compare: Comparison[_Item]) -> _Item:
        """Take out the first item of a queue that has some; the last one sinks from there."""
        items = self.items
        first, last = items[0], items.pop()
        size = len(items)
        if not size:
            return first
        place = 0
        while (child := 2 * place + 1) < size:
            if child + 1 < size and compare(items[child], items[child + 1]) > 0:
                child += 1
            if compare(last, items[child]) <= 0:
                break
            items[place] = items[child]
            place = child
        items[place] = last
        return first


def priority_queue_order(items: Iterable[_Item], compare: Comparison[_Item]) -> list[_Item]:
    """The items in the order in which a PriorityQueue they were added to one by one gives them out."""
    queue = JavaPriorityQueue[_Item]()
    for item in items:
        queue.add(item, compare)
    return [queue.poll(compare) for _ in range(len(queue.items))]


Keyed = tuple[int, int]  # (key, number)


def by_key(one: Keyed, other: Keyed) -> int:
    """The comparison of pairs by their first number alone."""
    return one[0] - other[0]
