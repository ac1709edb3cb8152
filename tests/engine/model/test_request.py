"""Requests and their groups."""

import pytest

from engine.model.request import (
    ANY,
    LOCALITY_NAMES,
    NODE_LOCAL,
    OFF_SWITCH,
    RACK_LOCAL,
    AskGroup,
    ResourceRequest,
)


def group_of(host: int, rack: int, anywhere: int) -> AskGroup:
    """A group with so many asked at host `n1`, rack `/r` and anywhere."""
    group = AskGroup(3)
    counts = {"n1": host, "/r": rack, ANY: anywhere}
    group.by_name = {name: ResourceRequest(3, name, 1024, 1, count) for name, count in counts.items()}
    group.anywhere = group.by_name[ANY]
    return group


def counts_of(group: AskGroup) -> dict[str, int]:
    """Resource name → count."""
    return {name: request.count for name, request in group.by_name.items()}


@pytest.mark.parametrize(
    ("locality", "left"),
    [
        (NODE_LOCAL, {"n1": 1, "/r": 2, ANY: 3}),
        (RACK_LOCAL, {"n1": 2, "/r": 2, ANY: 3}),
        (OFF_SWITCH, {"n1": 2, "/r": 3, ANY: 3}),
    ],
)
def test_a_container_is_counted_where_it_was_asked_for(locality: int, left: dict[str, int]) -> None:
    """Near the host at all three, in the rack at two, elsewhere only at `*`; the answered ones are returned."""
    group = group_of(2, 3, 4)
    names = ["n1", "/r", ANY][locality - 1 :]
    expected = [group.by_name[name] for name in names]

    answered = group.take("n1", "/r", locality)

    assert list(answered) == expected
    assert counts_of(group) == left


def test_a_places_request_that_reaches_nothing_goes() -> None:
    """That at `*` stays, with nothing left."""
    group = group_of(1, 1, 1)

    answered = group.take("n1", "/r", NODE_LOCAL)

    assert counts_of(group) == {ANY: 0}
    assert [(one.resource_name, one.count) for one in answered] == [("n1", 0), ("/r", 0), (ANY, 0)]


def test_a_group_without_any_has_nothing_to_give() -> None:
    """Asking for it all the same is a bug of ours."""
    with pytest.raises(AssertionError, match="a group without `\\*` has nothing to give"):
        AskGroup(1).take("n1", "/r", OFF_SWITCH)


def test_a_group_forgets_all_its_requests() -> None:
    """They are returned in order, and `*` is gone, too."""
    group = group_of(1, 2, 3)

    forgotten = group.forget()

    assert [one.resource_name for one in forgotten] == ["n1", "/r", ANY]
    assert (group.by_name, group.anywhere) == ({}, None)
    assert group.forget() == ()


def test_a_new_group_has_not_waited_for_locality() -> None:
    """It has missed nothing and was not looked at."""
    group = AskGroup(4)

    assert (group.priority, group.by_name, group.anywhere) == (4, {}, None)
    assert (group.missed_opportunities, group.allowed_locality, group.level_changed_ms) == (0, 0, None)


def test_a_request_of_another_count_is_otherwise_the_same() -> None:
    """The first one stays as it was."""
    request = ResourceRequest(3, "n1", 1024, 2, 5, relax_locality=False, partition="gpu", allocation_id=9)

    other = request.with_count(6)

    def fields(one: ResourceRequest) -> tuple[object, ...]:
        return (
            *(one.priority, one.resource_name, one.memory_mb, one.vcores),
            *(one.relax_locality, one.partition, one.allocation_id),
        )

    assert fields(other) == fields(request) == (3, "n1", 1024, 2, False, "gpu", 9)
    assert (other.count, request.count) == (6, 5)


def test_a_request_says_nothing_of_what_it_does_not_name() -> None:
    """It may be met elsewhere, in no partition, and has no id."""
    request = ResourceRequest(1, ANY, 1, 1, 1)

    assert (request.relax_locality, request.partition, request.allocation_id) == (True, "", -1)


def test_localities_are_named_by_their_number() -> None:
    """The nearer the smaller."""
    assert [LOCALITY_NAMES[one] for one in (NODE_LOCAL, RACK_LOCAL, OFF_SWITCH)] == [
        "NODE_LOCAL",
        "RACK_LOCAL",
        "OFF_SWITCH",
    ]
