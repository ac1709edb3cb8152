"""A mutant put into a running process is what every use of its function then runs."""

from pathlib import Path
from types import ModuleType

import pytest

from tests.gates.mutants.changes import mutants
from tests.gates.mutants.patching import exchange, functions_in_use


def _put(folder: Path, function: str, after: str) -> bool:
    (mutant,) = (one for one in mutants(folder, folder / "module.py") if (one.function, one.after) == (function, after))
    put = exchange(mutant, folder, functions_in_use(folder))
    if put is not None:
        put()
    return put is not None


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
