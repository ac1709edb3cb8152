"""The users of a leaf of capacity-3.4: their weights, who is active, what they use together, limits of the weighted."""

import pytest

from engine.schedulers.capacity34.calculators import MemoryCalculator
from engine.schedulers.capacity34.share import Share
from engine.schedulers.capacity34.space import Space
from engine.schedulers.capacity34.users import PartitionUsage, Users, UserVerdicts


class Leaf:
    """A queue with one share."""

    def __init__(self) -> None:
        self.only = Share()

    def share(self, label: str) -> Share:
        """Return the only one."""
        return self.only


def space_of(total: tuple[int, int] = (10240, 10)) -> Space:
    """A cluster of ten gigabytes, in steps of one."""
    space = Space(MemoryCalculator(), (1024, 1), (8192, 4), None)
    space.add_to("", total)
    return space


def used(users: Users, name: str) -> tuple[int, int]:
    """What a user uses of the default partition."""
    return users.by_name[name].used_in("")


def together(users: Users) -> tuple[int, int]:
    """What active users use of the default partition."""
    use = users.together.get("", PartitionUsage())
    return use.memory_mb, use.vcores


def working(*names: str) -> Users:
    """Users with one activated application each, numbered from 1, that wants something."""
    users = Users()
    for number, name in enumerate(names, 1):
        users.get(name).active = 1
        users.activate(name, number)
    return users


def test_weights_of_all_and_of_active_users_are_sums() -> None:
    """One for each without a configured weight."""
    users = working("ann", "bob")
    users.get("cy")
    assert (users.active_weights, users.all_weights) == (2.0, 3.0)
    users.set_weights({"ann": 2.5, "cy": 0.25})
    assert (users.active_weights, users.all_weights) == (3.5, 3.75)
    assert {name: user.weight for name, user in users.by_name.items()} == {"ann": 2.5, "bob": 1.0, "cy": 0.25}
    users.get("dan")
    assert (users.active_weights, users.all_weights) == (3.5, 4.75)


def test_a_user_who_comes_has_the_configured_weight() -> None:
    """At once."""
    users = Users()
    users.set_weights({"ann": 2.5})
    assert (users.get("ann").weight, users.all_weights, users.active_weights) == (2.5, 2.5, 0.0)


def test_a_user_who_is_forgotten_has_no_weight() -> None:
    """Neither among all nor among the active; an unknown one may be forgotten, too."""
    users = working("ann", "bob")
    users.remove("ann")
    assert (users.active_weights, users.all_weights, list(users.by_name), users.active) == (1.0, 1.0, ["bob"], {"bob"})
    users.remove("gone")
    assert (users.active_weights, users.all_weights) == (1.0, 1.0)


def test_new_weights_are_a_new_version() -> None:
    """By one."""
    users = Users()
    before = users.version
    users.set_weights({})
    assert users.version == before + 1


@pytest.mark.parametrize(("active", "counts"), [(0, False), (1, True)])
def test_only_an_activated_application_makes_its_user_active(active: int, counts: bool) -> None:
    """Wishes of one that waits for activation do not."""
    users = Users()
    users.get("ann").active = active
    users.activate("ann", 7)
    assert ("ann" in users.active, "ann" in users.applications, users.number_active) == (counts, counts, int(counts))


def test_a_user_is_active_until_their_last_application_wants_nothing() -> None:
    """The version changes with the first and the last alone."""
    users = working("ann")
    first = users.version
    users.activate("ann", 2)
    users.deactivate("ann", 1)
    assert (users.version, users.active, users.applications) == (first, {"ann"}, {"ann": {2: None}})
    users.deactivate("ann", 2)
    assert (users.version, users.active, users.applications) == (first + 1, set(), {})
    assert users.active_weights == 0.0
    users.deactivate("ann", 2)
    assert users.version == first + 1


def test_what_active_users_use_follows_them() -> None:
    """It comes and goes with a user, and changes by what an active one is charged."""
    users, space = working("ann"), space_of()
    users.charge("ann", "", (2048, 2), space)
    users.charge("bob", "", (1024, 3), space)
    assert (together(users), used(users, "bob")) == ((2048, 2), (1024, 3))
    users.get("bob").active = 1
    users.activate("bob", 9)
    assert together(users) == (3072, 5)
    users.deactivate("ann", 1)
    assert together(users) == (1024, 3)
    users.charge("bob", "", (-512, -1), space)
    assert (together(users), used(users, "bob"), used(users, "ann")) == ((512, 2), (512, 2), (2048, 2))


def test_partitions_are_counted_apart() -> None:
    """A user who uses nothing of one has nothing there."""
    users, space = working("ann"), space_of()
    space.add_to("x", (4096, 4))
    ann = users.charge("ann", "x", (1024, 1), space)
    assert (ann.used_in(""), ann.used_in("x"), ann.used_in("y")) == ((0, 0), (1024, 1), (0, 0))
    assert users.together["x"].ratio == 0.25


def test_ratios_of_all_users_add_up() -> None:
    """Whether they are active or not; they follow the total when they are computed anew."""
    users, space = working("ann"), space_of((8192, 8))
    before = users.version
    users.charge("ann", "", (2048, 0), space)
    users.charge("bob", "", (1024, 0), space)
    assert (users.together[""].ratio, users.version) == (0.375, before + 2)
    space.add_to("", (8192, 8))
    users.refresh_ratios("", space)
    assert (users.together[""].ratio, users.by_name["ann"].used[""].ratio) == (0.1875, 0.125)


def test_a_limit_is_computed_once_for_each_version() -> None:
    """Until then the one that was computed holds, whatever the queue is due."""
    users, space, leaf = working("ann"), space_of(), Leaf()
    leaf.only.effective_minimum = leaf.only.effective_maximum = (4096, 4)
    assert users.limit("ann", "", True, leaf, space)[0] == 4096
    leaf.only.effective_minimum = (2048, 4)
    assert users.limit("ann", "", True, leaf, space)[0] == 4096
    users.version += 1
    assert users.limit("ann", "", True, leaf, space)[0] == 2048


def test_a_weight_multiplies_a_limit() -> None:
    """Rounded down to steps; whoever has the weight one, or is unknown, has the limit itself."""
    users, space, leaf = working("ann", "bob"), space_of(), Leaf()
    leaf.only.effective_minimum = leaf.only.effective_maximum = (4096, 4)
    users.minimum_percent = 50.0
    users.set_weights({"bob": 1.8})
    limits = [users.limit(name, "", True, leaf, space)[0] for name in ("ann", "bob", "gone")]
    assert limits == [2048, 3072, 2048]


def test_users_whose_applications_all_wait_count_for_masters() -> None:
    """As they were when a limit was last computed."""
    users, space = working("ann"), space_of()
    for name, pending, active in (("bob", 1, 0), ("cy", 0, 0), ("dan", 2, 1)):
        users.get(name).pending, users.get(name).active = pending, active
    assert users.number_active == 1
    users.version += 1
    users.limit("ann", "", True, Leaf(), space)
    assert (users.only_pending, users.number_active) == (1, 2)


def test_verdicts_hold_for_one_version() -> None:
    """By partition and kind of walk."""
    verdicts = UserVerdicts()
    verdicts.of_walk("", True, 3)["ann"] = ((1, 1), (0, 0))
    assert verdicts.of_walk("", True, 3) == {"ann": ((1, 1), (0, 0))}
    assert (verdicts.of_walk("", False, 3), verdicts.of_walk("x", True, 3)) == ({}, {})
    assert verdicts.peek("", True, 3, "ann") == ((1, 1), (0, 0))
    assert [verdicts.peek(*where) for where in (("", True, 4, "ann"), ("", False, 3, "ann"), ("", True, 3, "bob"))] == [
        None,
        None,
        None,
    ]
    assert verdicts.of_walk("", True, 4) == {}
