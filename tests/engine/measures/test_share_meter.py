"""How evenly a cluster is shared."""

from engine.measures.run_measures import Evenness
from engine.measures.share_meter import ShareMeter


def two_users() -> ShareMeter:
    """Ann and Bob, each with an application, on a cluster of (100, 10)."""
    holders = ShareMeter(2)
    holders.resize((100, 10), 0)
    for name in ("ann", "bob"):
        holders.enter(name, 1, 0)
    return holders


def test_equal_dominant_shares_have_index_one() -> None:
    """The dominant share counts: half the memory is as much as half the vcores."""
    holders = two_users()
    holders.hold("ann", (50, 1), 1, 0)
    holders.hold("bob", (10, 5), 1, 0)
    holders.pass_time(1000, is_waited=True)
    assert holders.sharing(0, 1000) == Evenness(1.0, 1000, {"ann": 0.5, "bob": 0.5})


def test_one_who_has_all_of_two_gives_one_half() -> None:
    """The least index of two users is one half."""
    holders = two_users()
    holders.hold("ann", (70, 1), 1, 0)
    holders.pass_time(1000, is_waited=True)
    assert holders.sharing(0, 2000) == Evenness(0.5, 1000, {"ann": 0.7, "bob": 0.0})


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
