"""Nothing claimed about random closed scenarios is wrong; the kinds of claims are those of the package."""

import pytest

from tests.gates.claims import edges, harder, lives
from tests.gates.claims.__main__ import KINDS, claims_of
from tests.gates.claims.scenarios import scenario_of

CHEAP = tuple(kind for kind in KINDS if kind != "remedies")
"""Kinds of claims that take no other run of the scenario each."""


def _wrong(seed: int, kinds: tuple[str, ...] = KINDS) -> list[str]:
    return [f"{claim.kind}: {claim.what}" for claim in claims_of(scenario_of(seed), kinds) if not claim.is_right]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(7), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(7, 14))])
def test_every_claim_about_a_scenario_holds(seed: int) -> None:
    assert _wrong(seed, CHEAP) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [10_001, 10_002, 10_004, 10_005, 10_025, 10_031, 20_092])
def test_every_claim_about_a_limit_at_its_boundary_holds(seed: int) -> None:
    """A step less than what is asked for, that, or a step more, under six schedulers."""
    assert _wrong(seed, CHEAP) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 20_445)), 5, 10_005])
def test_remedies_keep_their_promises(seed: int) -> None:
    assert _wrong(seed, ("remedies",)) == []


@pytest.mark.long
@pytest.mark.parametrize("first", [lives.FIRST, harder.FIRST, edges.FIRST])
@pytest.mark.parametrize("place", range(100))
def test_every_claim_about_harder_lives_and_limits_holds(first: int, place: int) -> None:
    """Of each kind of seeds: other lives and restarts, outages and hung masters, limits at their boundary."""
    assert _wrong(first + place) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(14, 500))
def test_every_claim_about_five_hundred_scenarios_holds(seed: int) -> None:
    assert _wrong(seed) == []
