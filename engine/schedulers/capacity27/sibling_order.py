"""The order of sibling queues: sorted when one is put in, and not again while keys change behind it.

The real class keeps siblings in a `TreeSet` whose comparator reads a queue's present usage. A queue is taken out and
put back when it was given something or when a container of it ended; the others stay where they were, even if their
usage has changed since, so the shape of the tree decides where a queue lands. The tree here is therefore Java's.

Source: java.util.TreeMap#put, #deleteEntry, #fixAfterInsertion, #fixAfterDeletion (JDK 8 and later).
"""

from collections.abc import Iterator
from typing import ClassVar, Generic, Protocol, TypeVar

from engine.state import REFERENCE, SHARED, Slots


class Sibling(Protocol):
    """What can be kept in order."""

    path: str
    """Its full name, unique among siblings."""

    def order_key(self) -> tuple[float, str]:
        """What it is ordered by at this moment."""


_Item = TypeVar("_Item", bound=Sibling)


class _Entry(Generic[_Item]):
    """A place in the tree; red entries have no red child."""

    STATE: ClassVar[Slots] = {
        "above": REFERENCE,
        "is_black": SHARED,
        "item": REFERENCE,
        "left": REFERENCE,
        "right": REFERENCE,
    }
    __slots__ = STATE

    def __init__(self, item: _Item, above: "_Entry[_Item] | None") -> None:
        self.item = item
        self.above = above
        self.left: _Entry[_Item] | None = None
        self.right: _Entry[_Item] | None = None
        self.is_black = True


class SiblingOrder(Generic[_Item]):
    """Siblings in the order of a red-black tree."""

    STATE: ClassVar[Slots] = {"_root": REFERENCE}
    __slots__ = STATE

    def __init__(self) -> None:
        self._root: _Entry[_Item] | None = None

    def __iter__(self) -> Iterator[_Item]:
        """The siblings, first to last, as they stand when it begins."""
        return iter([entry.item for entry in _in_order(self._root)])

    def add(self, item: _Item) -> None:
        """Put in a sibling that is not there, where its present key belongs."""
        key, entry = item.order_key(), self._root
        if entry is None:
            self._root = _Entry(item, None)
            return
        below: _Entry[_Item] | None = entry
        goes_left = False
        while below is not None:
            entry, goes_left = below, key < below.item.order_key()
            below = entry.left if goes_left else entry.right
        fresh = _Entry(item, entry)
        if goes_left:
            entry.left = fresh
        else:
            entry.right = fresh
        self._after_insertion(fresh)

    def put_back(self, item: _Item) -> None:
        """Take a sibling out and put it in again by its present key."""
        entry = next(entry for entry in _in_order(self._root) if entry.item is item)
        self._delete(entry)
        self.add(item)

    def _delete(self, entry: _Entry[_Item]) -> None:
        if entry.left is not None and entry.right is not None:
            after = entry.right
            while after.left is not None:
                after = after.left
            entry.item, entry = after.item, after
        below = entry.left or entry.right
        if below is not None:
            below.above = entry.above
            self._replace(entry, below)
            if entry.is_black:
                self._after_deletion(below)
        elif entry.above is None:
            self._root = None
        else:
            if entry.is_black:
                self._after_deletion(entry)
            self._replace(entry, None)

    def _replace(self, entry: _Entry[_Item], other: _Entry[_Item] | None) -> None:
        above = entry.above
        if above is None:
            self._root = other
        elif above.left is entry:
            above.left = other
        elif above.right is entry:
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
            break
        else:
            entry.is_black = True
            return
        assert self._root is not None, "something is left"
        self._root.is_black = True

    def _rotate(self, entry: _Entry[_Item], *, to_left: bool) -> None:
        rising = entry.right if to_left else entry.left
        if rising is None:
            return
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


def _in_order(entry: _Entry[_Item] | None) -> Iterator[_Entry[_Item]]:
    if entry is not None:
        yield from _in_order(entry.left)
        yield entry
        yield from _in_order(entry.right)
