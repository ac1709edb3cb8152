"""`java.util.Collections#sort`, for comparisons that are no order.

A stable sort by a total order gives one result whoever makes it. Where a NaN equals everything, or ties go round in a
circle, the result hangs on which pairs are compared: so every step here is that of Java.

Source: java.util.TimSort, OpenJDK 8 to 21.
"""

from collections.abc import Iterable
from typing import Final, Generic, TypeVar

from engine.model.java_tree_set import Comparison

_Item = TypeVar("_Item")

MIN_MERGE: Final = 32
"""Shorter lists are not cut into runs."""

MIN_GALLOP: Final = 7
"""So many in a row from one run, and the next ones are looked for in leaps."""


def java_sorted(items: Iterable[_Item], compare: Comparison[_Item]) -> list[_Item]:
    """Return the items as Java sorts them."""
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
    """Insert each from `begin` on among those before it, behind its equals."""
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
    """Return the length up to which runs are lengthened."""
    odd = 0
    while count >= MIN_MERGE:
        odd |= count & 1
        count >>= 1
    return count + odd


class _Runs(Generic[_Item]):
    """Sorts a long list run by run."""

    def __init__(self, compare: Comparison[_Item]) -> None:
        self._compare = compare
        self._runs: list[list[_Item]] = []
        """The runs that are not merged yet."""
        self._gallop = MIN_GALLOP

    def sort(self, items: list[_Item]) -> list[_Item]:
        """Return the items in order."""
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
        """Merge while runs are not much longer than those behind them."""
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
        """Return which of the last but one runs is merged with its right neighbour."""
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
        """Take one by one, until one run gives many in a row or has no more to give."""
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
        """Take many at once, until neither run gives many."""
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
