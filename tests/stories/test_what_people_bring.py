"""People bring what they have: it is imported, and what was read, inferred and dropped is told."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.invoke import said

CASES = sorted((Path(__file__).parents[1] / "cases" / "import").glob("*/expect.toml"))
"""Beside the files, which are named together: what has to be told or written, and what must not be."""


@pytest.mark.parametrize("expect", CASES, ids=[each.parent.name for each in CASES])
def test_it_is_imported_and_told_of(expect: Path) -> None:
    expected = tomllib.loads(expect.read_text(encoding="utf-8"))
    files = sorted(str(each) for each in expect.parent.iterdir() if each != expect)
    result = said("import", [*files, "-o", "-"])

    assert result.exit_code == 0, result.output
    assert [each for each in expected["named"] if not re.search(each, result.output)] == []
    assert [each for each in expected.get("absent", []) if each in result.output] == []
