"""The mutants of a piece of source are those the kinds of change say."""

import ast
from pathlib import Path

import pytest

from tests.gates.mutants.changes import Mutant, changed, mutants


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
