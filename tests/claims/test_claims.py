"""Nothing claimed about random closed scenarios is wrong; the kinds of claims are those of the package."""

import pytest

from tests.claims.__main__ import claims_of


def _wrong(seed: int) -> list[str]:
    return [f"{claim.kind}: {claim.what}" for claim in claims_of(seed) if not claim.is_right]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(14))
def test_every_claim_about_a_scenario_holds(seed: int) -> None:
    """Of every kind, at four instants, under every policy."""
    assert _wrong(seed) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(14, 500))
def test_every_claim_about_five_hundred_scenarios_holds(seed: int) -> None:
    """As above, many times."""
    assert _wrong(seed) == []
