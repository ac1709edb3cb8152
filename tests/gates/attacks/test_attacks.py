"""A few attempts of every attack; all of them are `python -m tests.gates.attacks`."""

import pytest

from tests.gates.attacks.__main__ import ATTACKS
from tests.gates.attacks.tally import Tally

FEW = {"bombs": 2, "files": 1, "names": 1, "screens": 1, "typed": 10} | {
    "network": 30, "runs": 6, "stores": 24, "kills": 2, "interrupted": 5, "terminals": 1, "disk": 2, "descriptors": 2,
}  # fmt: skip

HANG_S = 20.0
"""An attempt that takes `PATIENCE` times as long hangs; `tests.gates.attacks` judges how long they may take."""


SLOW = ("bombs", "descriptors", "disk", "files", "interrupted", "names")
"""Attacks of which even one attempt takes seconds."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name in SLOW)) for name in ATTACKS])
def test_what_is_tried_is_refused_or_accepted_well(name: str) -> None:
    tally = ATTACKS[name][0](FEW.get(name, 60), 1, HANG_S)

    assert tally.wrong == []
    assert tally.tried == tally.refused + tally.accepted


def test_an_error_that_is_no_refusal_is_wrong() -> None:
    tally = Tally("x")

    tally.attempt("a", {}.popitem)

    assert (tally.tried, tally.refused, len(tally.wrong)) == (1, 0, 1)
