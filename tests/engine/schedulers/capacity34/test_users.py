"""The users of a leaf of capacity-3.4: their weights, who is active, what they use together, limits of the weighted."""

from engine.schedulers.capacity34.calculators import MemoryCalculator
from engine.schedulers.capacity34.space import Space
from engine.schedulers.capacity34.users import PartitionUsage, Users


def space_of(total: tuple[int, int] = (10240, 10)) -> Space:
    space = Space(MemoryCalculator(), (1024, 1), (8192, 4), None)
    space.add_to("", total)
    return space


def used(users: Users, name: str) -> tuple[int, int]:
    return users.by_name[name].used_in("")


def together(users: Users) -> tuple[int, int]:
    use = users.together.get("", PartitionUsage())
    return use.memory_mb, use.vcores


def working(*names: str) -> Users:
    """Users with one activated application each, numbered from 1, that wants something."""
    users = Users()
    for number, name in enumerate(names, 1):
        users.get(name).active = 1
        users.activate(name, number)
    return users


def test_a_user_is_active_until_their_last_application_wants_nothing() -> None:
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
