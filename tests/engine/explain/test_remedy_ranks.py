"""Which remedies come first, which count as one, and when each is tried."""

from itertools import permutations

import msgspec
import pytest

from engine.explain.remedy import Remedy
from engine.explain.remedy_search import (
    folded,
    rank,
)
from engine.explain.remedy_trial import Start, Trial
from engine.scenario.acts import Act, AddNode, KillApplication, MoveApplication, SetReservationRule

KILL = KillApplication(3)
PLAIN = Trial(Remedy(KILL, family="kill"), starts=(Start(1, 5_000, None),))


def of(act: Act, *starts_ms: int, lost_ms: int = 0, family: str = "") -> Trial:
    starts = tuple(Start(number, time_ms, None) for number, time_ms in enumerate(starts_ms, start=1))
    return Trial(Remedy(act, family=family), starts=starts, lost_ms=lost_ms)


RANKED = (
    of(KILL, 9_000, 9_000, lost_ms=90_000),  # who starts two comes before what does less harm
    of(MoveApplication(4, "root.b"), 9_000),
    of(KILL, 8_999, lost_ms=1_000),  # what does less harm before what starts it sooner
    of(MoveApplication(4, "root.b"), 9_000, lost_ms=1_999),
    of(KillApplication(2), 9_000, lost_ms=1_000),
    of(KILL, 9_000, lost_ms=1_000),
    of(KILL, 9_001, lost_ms=1_000),
    of(SetReservationRule("off"), 1_000, 1_000),
    of(AddNode("n9", 1024, 1), 1_000, 1_000),
)
"""Remedies, the best first."""


def test_remedies_are_ranked_by_group_then_starts_then_harm_then_time_then_kind_then_number() -> None:
    for one, other in permutations(range(len(RANKED)), 2):
        assert (rank(RANKED[one]) < rank(RANKED[other])) == (one < other)
    early = of(KILL, 1_000, 9_000)
    assert rank(of(KILL, 2_000, 8_999)) < rank(early)


@pytest.mark.parametrize(
    ("other", "is_alike"),
    [
        (of(KillApplication(4), 5_999, lost_ms=59_999, family="kill"), True),
        (of(KillApplication(4), 6_000, family="kill"), False),
        (of(KillApplication(4), 4_999, family="kill"), False),
        (of(KillApplication(4), 5_000, lost_ms=60_000, family="kill"), False),
        (of(KillApplication(4), 5_000, family="other"), False),
        (of(KillApplication(4), 5_000), False),
        (of(MoveApplication(4, "root.b"), 5_000, family="kill"), False),
        (of(KillApplication(4), 5_000, 5_000, family="kill"), False),
        (msgspec.structs.replace(PLAIN, starts=(Start(2, 5_000, None),)), False),
    ],
)
def test_remedies_of_a_family_with_one_effect_count_as_one(other: Trial, *, is_alike: bool) -> None:
    """To the second of the first start and the minute of harm, of the same applications."""
    first = msgspec.structs.replace(PLAIN, alike=(other.remedy,))

    assert folded([PLAIN, other]) == ([first] if is_alike else [PLAIN, other])
