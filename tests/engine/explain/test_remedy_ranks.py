"""Which remedies come first, which count as one, and when each is tried."""

from itertools import permutations

import msgspec
import pytest

from engine.explain.remedy import Remedy
from engine.explain.remedy_search import (
    FIRST_GROUP,
    FIRST_PIECES,
    ROUNDS,
    asks_of,
    folded,
    late,
    limit_of,
    rank,
    sorted_out,
)
from engine.explain.remedy_trial import Delay, Start, Trial
from engine.scenario.acts import Act, AddNode, KillApplication, MoveApplication, SetReservationRule
from tests.engine.explain.stuck import app, at, scene

KILL = KillApplication(3)
PLAIN = Trial(Remedy(KILL, family="kill"), starts=(Start(1, 5_000, None),))


def of(act: Act, *starts_ms: int, lost_ms: int = 0, family: str = "") -> Trial:
    """A remedy by which applications start at these instants."""
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
    """Of harm seconds count; of those it starts the last one."""
    for one, other in permutations(range(len(RANKED)), 2):
        assert (rank(RANKED[one]) < rank(RANKED[other])) == (one < other)
    early = of(KILL, 1_000, 9_000)
    assert rank(of(KILL, 2_000, 8_999)) < rank(early)


def test_remedies_are_sorted_by_what_came_of_them() -> None:
    """The helping ones ranked, the others in their order."""
    useless, refused = Trial(Remedy(KILL)), Trial(Remedy(KILL), refused="no")

    assert sorted_out([refused, *reversed(RANKED), useless]) == (RANKED, (useless,), (refused,))


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


def test_remedies_without_a_family_stay_apart() -> None:
    """Also where they do the same; the first of several of a family has the others."""
    lone = of(KILL, 5_000)
    assert folded([lone, lone]) == [lone, lone]

    kills = [of(KillApplication(number), 5_000, family="kill") for number in (3, 4, 5)]
    assert folded([kills[0], lone, *kills[1:]]) == [
        msgspec.structs.replace(kills[0], alike=(kills[1].remedy, kills[2].remedy)),
        lone,
    ]


@pytest.mark.parametrize(("lost_ms", "by_ms", "harm_s"), [(0, 0, 0), (500, 499, 0), (500, 500, 1), (60_000, 1_999, 61)])
def test_harm_is_what_is_lost_and_delayed(lost_ms: int, by_ms: int, harm_s: int) -> None:
    """In whole seconds."""
    trial = Trial(Remedy(KILL), lost_ms=lost_ms, delays=(Delay(1, by_ms, is_least=False),))

    assert (trial.harm_s, trial.helps) == (harm_s, False)


def test_each_group_is_twice_as_large_and_a_round_later() -> None:
    """Counted by hand: the first eight, then sixteen, then thirty-two."""
    rounds = [turn for turn in range(4) for _ in range(FIRST_GROUP << turn)]

    assert [late(place) for place in range(len(rounds))] == rounds


@pytest.mark.parametrize("place", [0, FIRST_GROUP, 3 * FIRST_GROUP])
def test_each_remedy_is_played_twice_as_far_in_each_round(place: int) -> None:
    """In as many rounds, from the one on at which it joins in."""
    own = [FIRST_PIECES * 2**turn for turn in range(ROUNDS)]
    limits = [limit_of(place, turn) for turn in range(ROUNDS + 4)]

    assert limits == ([0] * late(place) + own + [0] * 4)[: len(limits)]


def test_the_asks_of_those_named_or_of_all_that_wait_are_meant() -> None:
    """The longest waiting first, those that are given something after those given nothing; each ask by itself."""
    text = app("holder", '{ memory = "9g", count = 2 }')
    text += app("some", '{ memory = "1g" }, { memory = "9g", priority = 2 }', at=2, waits=False)
    text += app("late", '{ memory = "8g" }', at=9)
    text += app("two", '{ memory = "8g" }, { memory = "9g", priority = 3 }', at=6)
    here = at(scene(text, settings='"schedlab.reservation.rule" = "off"'), 30)

    assert asks_of(here, [4, 1]) == [[(4, 1)], [(1, None)]]
    waits = {each.number: each.waiting_since_ms for each in here.control_plane.view().applications() if each.waits}
    order = sorted(waits, key=lambda number: (waits[number] is None, waits[number] or 0, number))
    asks = {2: [(2, 2)], 3: [(3, 1), (3, 3)], 4: [(4, 1)]}
    assert set(order) <= {2, 3, 4}
    assert asks_of(here, []) == [asks[number] for number in order]
