"""Java's TreeSet, for comparisons that are no total order or that change while elements are in the set.

Then the order depends on the shape of the tree, so the tree here is Java's.

Source: java.util.TreeMap#put, #deleteEntry, #fixAfterInsertion, #fixAfterDeletion (JDK 8 and later).
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from engine.state import State

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

    def __iter__(self) -> Iterator[_Item]:
        """The elements, first to last; as in Java, the set must not change on the way."""
        entry = self._first()
        while entry is not None:
            yield entry.item
            entry = entry.following()

    def add(self, item: _Item, compare: Comparison[_Item]) -> None:
        """Put in an element, unless it is equal to one it is compared with on its way down."""
        entry = self._root
        if entry is None:
            self._root = _Entry(item, None)
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
        if sign < 0:
            entry.left = fresh
        else:
            entry.right = fresh
        self._after_insertion(fresh)

    def remove(self, item: _Item) -> None:
        """Take out an element that is there, wherever it stands, as a Java iterator does."""
        entry = self._place_of(item)
        if entry.left is not None and entry.right is not None:
            after = entry.right
            while after.left is not None:
                after = after.left
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

    def _place_of(self, item: _Item) -> _Entry[_Item]:
        entry = self._first()
        while entry is not None:
            if entry.item is item:
                return entry
            entry = entry.following()
        raise KeyError(item)

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
