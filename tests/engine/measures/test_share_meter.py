"""How evenly a cluster is shared."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.meters import WHOLE, ShareMeter

STEPS = st.lists(
    st.tuples(
        st.sampled_from(("ann", "bob", "eve")),
        st.sampled_from(("enter", "leave", "take", "drop", "resize")),
        st.integers(0, 9),
        st.integers(1, 1000),
        st.booleans(),
    ),
    min_size=1,
    max_size=30,
)
"""(name, what it does, an amount, how long all stays so then [ms], whether somebody waits meanwhile)."""


def two_users() -> ShareMeter:
    """Ann and Bob, each with an application, on a cluster of (100, 10)."""
    holders = ShareMeter(2)
    holders.resize((100, 10), 0)
    for name in ("ann", "bob"):
        holders.enter(name, 1, 0)
    return holders


def test_no_index_without_contention() -> None:
    """Time in which nobody waits, one alone is active or nothing is held does not count."""
    holders = two_users()
    holders.pass_time(1000, is_waited=True)
    holders.hold("ann", (70, 1), 1, 0)
    holders.pass_time(1000, is_waited=False)
    holders.enter("bob", -1, 2000)
    holders.pass_time(1000, is_waited=True)
    assert holders.sharing(0, 3000).jain is None


def test_shares_follow_the_size_of_the_cluster() -> None:
    """A cluster twice as large halves a share from then on; its mean is over time."""
    holders = two_users()
    holders.hold("ann", (50, 0), 1, 0)
    holders.resize((200, 20), 500)
    holders.pass_time(1000, is_waited=True)
    assert holders.sharing(0, 1000).dominant_share["ann"] == 0.375


@given(STEPS)
def test_shares_and_index_are_those_of_their_definition(steps: list[tuple[str, str, int, int, bool]]) -> None:
    """Whatever is held, by however many: recomputed from each stretch of time by itself."""
    meter, total, now_ms = ShareMeter(2), (0, 0), 0
    held, active = {name: [0, 0] for name in ("ann", "bob", "eve")}, Counter[str]()
    known, share_ms, jain_ms, contended_ms = set[str](), Counter[str](), 0.0, 0
    for name, what, amount, elapsed_ms, is_waited in steps:
        sign = -1 if what in {"leave", "drop"} else 1
        if what == "resize":
            total = (10 * amount, amount)
            meter.resize(total, now_ms)
        elif what in {"enter", "leave"}:
            known.add(name)
            active[name] += sign
            meter.enter(name, sign, now_ms)
        else:
            known.add(name)
            held[name] = [held[name][0] + sign * amount, held[name][1] + sign]
            meter.hold(name, (amount, 1), sign, now_ms)
        meter.pass_time(elapsed_ms, is_waited=is_waited)
        now_ms += elapsed_ms

        shares = {
            each: max([0, *(mine * WHOLE // whole for mine, whole in zip(held[each], total, strict=True) if whole)])
            for each in known
        }
        rivals = [shares[each] for each in known if active[each] > 0]
        if is_waited and len(rivals) >= 2 and any(rivals):
            jain_ms += elapsed_ms * sum(rivals) ** 2 / (len(rivals) * sum(each * each for each in rivals))
            contended_ms += elapsed_ms
        for each, share in shares.items():
            share_ms[each] += elapsed_ms * share

    found = meter.sharing(0, now_ms)
    assert (found.jain is None, found.contended_ms) == (not contended_ms, contended_ms)
    assert (found.jain or 0.0) == pytest.approx(jain_ms / max(1, contended_ms))
    assert list(found.dominant_share) == sorted(known)
    assert found.dominant_share == {each: share_ms[each] / (WHOLE * now_ms) for each in known}
