"""The project's own rules on classes and modules: names used once, shallow inheritance, no fragments.

Each rule has a list of what does not keep it yet; a list only gets shorter.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.test_architecture import ROOT, parsed, place, sources

DEPTH = 2
MODULE_LINES = 40

DEFINED_TWICE: frozenset[str] = frozenset()
"""Public class names that still stand for two things."""

TOO_DEEP = frozenset(["engine.schedulers.fair.schedulable.FairLeaf", "engine.schedulers.fair.schedulable.FairParent"])
"""Classes that still have more than one class of ours above them."""

SHORT = {
    "engine/grouping.py": "rooms without another neighbour share it",
}
"""Modules under 40 lines, and why."""


class Defined(NamedTuple):
    """A class as its module defines it."""

    name: str
    """Module and class."""
    bases: tuple[str, ...]
    """The same of its bases; names of other packages are as the module has them."""


def classes_of(module: str, tree: ast.Module) -> Iterator[Defined]:
    """The classes of a module, with their bases as far as imports at its top tell them."""
    names = {node.name: f"{module}.{node.name}" for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
            words = [ast.unparse(base) for base in bases]
            yield Defined(f"{module}.{node.name}", tuple(names.get(word, word) for word in words))


def depths(classes: list[Defined]) -> dict[str, int]:
    """Class → how many classes of ours its longest line of ancestors has, itself included."""
    bases = {each.name: each.bases for each in classes}

    def deep(name: str) -> int:
        return 1 + max((deep(base) for base in bases[name] if base in bases), default=0)

    return {name: deep(name) for name in bases}


def our_classes() -> list[Defined]:
    """Every class at the top of a module of the product."""
    return [
        found
        for path, tree in parsed("engine", "tui")
        for found in classes_of(path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"), tree)
    ]


def test_no_public_class_name_is_defined_twice() -> None:
    names = Counter(each.name.rpartition(".")[2] for each in our_classes())
    twice = {name for name, count in names.items() if count > 1 and not name.startswith("_")}

    assert twice - DEFINED_TWICE == set()


def test_no_class_is_more_than_two_deep() -> None:
    """A class of ours inherits from at most one class of ours, which inherits from none."""
    deep = {name for name, count in depths(our_classes()).items() if count > DEPTH}

    assert deep - TOO_DEEP == set()


def shared_defaults(tree: ast.Module) -> list[str]:
    """Lists, dicts and sets that all objects of a class without bases would share: no `ClassVar`, and no state."""
    return [
        f"{node.name}:{each.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.bases and not node.keywords
        for each in node.body
        if isinstance(each, ast.Assign | ast.AnnAssign) and isinstance(each.value, ast.List | ast.Dict | ast.Set)
        if not isinstance(each, ast.AnnAssign) or ast.unparse(each.annotation).startswith(("list", "dict", "set"))
    ]


def test_no_class_has_a_list_that_its_objects_share() -> None:
    assert [f"{path} {each}" for path, tree in parsed("engine", "tui") for each in shared_defaults(tree)] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("class A:\n    x: list[int] = []", ["A:2"]),
        ("class A:\n    x = {}", ["A:2"]),
        ("class A:\n    x: ClassVar[dict[str, int]] = {}\n    y: int = 0", []),
        ("class A:\n    x: Mapping[str, int] = {}", []),
        ("class A(metaclass=State):\n    x: list[int] = []", []),
    ],
)
def test_a_shared_list_is_found(source: str, found: list[str]) -> None:
    assert shared_defaults(ast.parse(source)) == found


def test_no_module_is_a_fragment() -> None:
    """A module under 40 lines is part of its neighbour, unless there is a reason."""
    short = {
        place(path)
        for path in sources("engine", "tui", "scenarios")
        if path.name not in ("__init__.py", "__main__.py") and len(path.read_bytes().splitlines()) < MODULE_LINES
    }

    assert short - SHORT.keys() == set()


def test_nothing_is_listed_that_is_gone() -> None:
    assert [path for path in SHORT if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    ("source", "deepest"),
    [
        ("class A: ...\nclass B(A): ...\nclass C(B): ...", 3),
        ("class A(Protocol): ...\nclass B(A[int]): ...", 2),
        ("from m import A\nclass B(A): ...", 1),
        ("class A: ...\nclass B: ...\nclass C(A, B): ...", 2),
    ],
)
def test_depth_counts_classes_of_ours(source: str, deepest: int) -> None:
    assert max(depths(list(classes_of("x", ast.parse(source)))).values()) == deepest
