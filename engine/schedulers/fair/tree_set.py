"""The order of a Java TreeSet whose comparison is not a total order.

Under drf a weight or a minimum of 0 makes shares NaN, which equal everything; then the order hangs on how the tree
was built.

Source: java.util.TreeMap#put, #fixAfterInsertion (JDK 8 and later).
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

_Item = TypeVar("_Item")


class _Node(Generic[_Item]):
    __slots__ = ("item", "left", "parent", "red", "right")

    def __init__(self, item: _Item, parent: "_Node[_Item] | None") -> None:
        self.item = item
        self.parent = parent
        self.left: _Node[_Item] | None = None
        self.right: _Node[_Item] | None = None
        self.red = True


def tree_set_order(items: Iterable[_Item], compare: Callable[[_Item, _Item], int]) -> list[_Item]:
    """The items in the iteration order of a TreeSet they were added to one by one; equals of earlier ones are left out.

    >>> tree_set_order([3, 1, 2, 3], lambda left, right: left - right)
    [1, 2, 3]
    """
    tree = _Tree(compare)
    for item in items:
        tree.add(item)
    return list(tree)


class _Tree(Generic[_Item]):
    def __init__(self, compare: Callable[[_Item, _Item], int]) -> None:
        self._compare = compare
        self._root: _Node[_Item] | None = None

    def __iter__(self) -> Iterator[_Item]:
        stack: list[_Node[_Item]] = []
        node = self._root
        while stack or node is not None:
            while node is not None:
                stack.append(node)
                node = node.left
            node = stack.pop()
            yield node.item
            node = node.right

    def add(self, item: _Item) -> None:
        if self._root is None:
            self._root = _Node(item, None)
            self._root.red = False
            return
        node = self._root
        while True:
            sign = self._compare(item, node.item)
            if sign == 0:
                return
            below = node.left if sign < 0 else node.right
            if below is None:
                break
            node = below
        new = _Node(item, node)
        if sign < 0:
            node.left = new
        else:
            node.right = new
        self._balance(new)

    def _balance(self, node: _Node[_Item]) -> None:
        while node.parent is not None and node.parent.red and node.parent.parent is not None:
            parent, above = node.parent, node.parent.parent
            on_left = parent is above.left
            uncle = above.right if on_left else above.left
            if uncle is not None and uncle.red:
                parent.red = uncle.red = False
                above.red = True
                node = above
                continue
            if node is (parent.right if on_left else parent.left):
                self._rotate(parent, to_left=on_left)
                parent = node
            parent.red = False
            above.red = True
            self._rotate(above, to_left=not on_left)
            break
        assert self._root is not None, "something was added"
        self._root.red = False

    def _rotate(self, node: _Node[_Item], *, to_left: bool) -> None:
        up = node.right if to_left else node.left
        assert up is not None, "a rotation lifts a child"
        middle = up.left if to_left else up.right
        if to_left:
            node.right, up.left = middle, node
        else:
            node.left, up.right = middle, node
        if middle is not None:
            middle.parent = node
        up.parent = node.parent
        if node.parent is None:
            self._root = up
        elif node.parent.left is node:
            node.parent.left = up
        else:
            node.parent.right = up
        node.parent = up
