"""The mutants of a piece of source are those the kinds of change say."""

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.gates.mutants.changes import PROBE, Mutant, changed, mutants, probed
from tests.gates.mutants.patching import exchange, functions_in_use


def _mutants(folder: Path, source: str) -> list[Mutant]:
    path = folder / "module.py"
    path.write_text(source, encoding="utf-8")
    return mutants(folder, path)


@pytest.mark.parametrize(
    ("statement", "changes"),
    [
        ("return a < b", ["return None", "return a <= b"]),
        ("return a is b", ["return None", "return a is not b"]),
        ("return a and b", ["return None", "return a or b"]),
        ("return not a", ["return None", "return a"]),
        ("return a - b", ["return None", "return a + b"]),
        ("return any(a)", ["return None", "return all(a)"]),
        ("return max(a, b)", ["return None", "return min(a, b)"]),
        ("if a == 2:\n        b()", ["if a != 2:", "if a == 3:", "if a == 1:", "pass"]),
        ("return 0", ["return None", "return 1"]),
        ("return True", ["return None", "return False"]),
        ("a -= b", ["pass", "a += b"]),
        ("a.b = b", ["pass"]),
        ("for b in a:\n        continue", ["pass"]),
        ("return 'word'", ["return None"]),
        ("return None", []),
        ("b = a", []),
    ],
)
def test_a_statement_has_the_mutants_of_its_kinds(tmp_path: Path, statement: str, changes: list[str]) -> None:
    """Each changes one thing; a statement with statements in it is shown by its first line."""
    found = _mutants(tmp_path, f"def f(a, b):\n    {statement}\n")

    assert [one.after for one in found] == changes


@pytest.mark.parametrize(
    ("annotation", "empty"), [("bool", "False"), ("list[int]", "[]"), ("int", "0"), ("Row | None", "None")]
)
def test_what_is_returned_becomes_empty_by_its_annotation(tmp_path: Path, annotation: str, empty: str) -> None:
    found = _mutants(tmp_path, f"def f(a) -> {annotation}:\n    return a\n")

    assert [one.after for one in found] == [f"return {empty}"]


def test_the_changed_module_is_the_function_in_its_classes(tmp_path: Path) -> None:
    source = (
        "from __future__ import annotations\nimport os\n\nclass A:\n    x = 1\n\n    def f(self):\n        return 1\n"
    )
    found = _mutants(tmp_path, source)[1]
    tree, function = changed(source, found)

    expected = "from __future__ import annotations\n\nclass A:\n\n    def f(self):\n        return 2"
    assert (ast.unparse(tree), function.lineno) == (expected, 7)


def test_a_probe_stands_before_the_statement_of_each_mutant(tmp_path: Path) -> None:
    source = "def f(a):\n    for b in a:\n        if b > 1:\n            return b\n    return 0\n"
    found = [one for one in _mutants(tmp_path, source) if one.after in {"if b >= 1:", "return 1"}]
    tree, _ = probed(source, dict(enumerate(found)))

    assert ast.unparse(tree) == (
        f"def f(a):\n    for b in a:\n        {PROBE}(0)\n        if b > 1:\n"
        f"            return b\n    {PROBE}(1)\n    return 0"
    )


# A mutant put into a running process is what every use of its function then runs.


SOURCE = '''
"""Functions of every kind."""
from functools import cached_property

class A:
    @property
    def plain(self):
        return 1

    @cached_property
    def cached(self):
        return 1

    def inner(self):
        def add(a):
            return a + 1
        return add(0)

    async def later(self):
        return 1

class B(A):
    def inner(self):
        return super().inner() + 1

def default(a=1, *, b=2):
    return a, b

def adder(a):
    def add(b):
        return a + b
    return add

ADDS = adder(5)
'''


@pytest.fixture(name="module")
def _module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "module.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("module", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _put(folder: Path, function: str, after: str) -> bool:
    (mutant,) = (one for one in mutants(folder, folder / "module.py") if (one.function, one.after) == (function, after))
    put = exchange(mutant, folder, functions_in_use(folder))
    if put is not None:
        put()
    return put is not None


def _coroutine_result(coroutine: Iterator[object]) -> object:
    with pytest.raises(StopIteration) as ended:
        coroutine.send(None)  # type: ignore[attr-defined]  # a coroutine is sent to as a generator is
    return ended.value.value


@pytest.mark.parametrize(
    ("function", "after", "expected"),
    [
        ("A.plain", "return 2", (2, 1, 1, 2)),
        ("A.cached", "return 2", (1, 2, 1, 2)),
        ("A.inner", "return a - 1", (1, 1, -1, 0)),
        ("A.inner", "return add(1)", (1, 1, 2, 3)),
        ("B.inner", "return super().inner() - 1", (1, 1, 1, 0)),
    ],
)
def test_methods_of_every_kind_can_be_exchanged(
    module: ModuleType, tmp_path: Path, function: str, after: str, expected: tuple[int, ...]
) -> None:
    assert _put(tmp_path, function, after)

    assert (module.A().plain, module.A().cached, module.A().inner(), module.B().inner()) == expected


def test_a_coroutine_can_be_exchanged(module: ModuleType, tmp_path: Path) -> None:
    assert _put(tmp_path, "A.later", "return 2")

    assert _coroutine_result(module.A().later()) == 2


@pytest.mark.parametrize(
    ("after", "expected"), [("def default(a=2, *, b=2):", (2, 2)), ("def default(a=1, *, b=3):", (1, 3))]
)
def test_defaults_are_exchanged(module: ModuleType, tmp_path: Path, after: str, expected: tuple[int, int]) -> None:
    assert _put(tmp_path, "default", after)

    assert module.default() == expected


def test_what_a_function_made_before_is_exchanged_with_it(module: ModuleType, tmp_path: Path) -> None:
    """As a module does that is loaded; what is made later has the change, too."""
    assert _put(tmp_path, "adder", "return a - b")

    assert (module.ADDS(2), module.adder(1)(2)) == (3, -1)


def test_what_leaves_out_an_outer_variable_cannot_be_put(module: ModuleType, tmp_path: Path) -> None:
    """Python exchanges code only for code with the same outer variables; the function stays as it is."""
    assert not _put(tmp_path, "B.inner", "return None")

    assert module.B().inner() == 2


def test_what_nothing_imports_cannot_be_put(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("def f():\n    return 1\n", encoding="utf-8")

    assert not _put(tmp_path, "f", "return 2")
