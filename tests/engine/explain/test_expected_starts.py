"""Expected starts: exact as long as nothing comes from outside."""

import pytest

from tests.gates.bench.starts import starts


@pytest.mark.parametrize("cases", [10, pytest.param(200, marks=pytest.mark.long)])
def test_they_are_exact_in_every_closed_case(cases: int) -> None:
    """Random clusters under every policy, each stopped at a random instant after which nothing arrives."""
    found = [(case, start) for case in range(cases) for start in starts(case, is_closed=True)]

    assert len(found) > 2 * cases
    assert [(case, start) for case, start in found if not start.is_exact] == []


@pytest.mark.long
def test_some_are_never() -> None:
    never = [start for case in range(12) for start in starts(case, is_closed=True) if start.expected_ms is None]

    assert all(start.actual_ms is None for start in never)
