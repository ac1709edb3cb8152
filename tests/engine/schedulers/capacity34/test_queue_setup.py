"""How queues of capacity-3.4 are set up: their states, what their capacities may be together, their order."""

import pytest

from engine.control_plane.protocol import ApplicationFinished
from engine.control_plane.resource_manager import ResourceManager
from tests.build import START_MS, resource_manager, submit
from tests.engine.schedulers.capacity34.test_submissions_and_reloads import changed, manager, properties
from tests.engine.schedulers.test_capacity_view import PREFIX


def states(rm: ResourceManager) -> dict[str, str]:
    return {row.path: getattr(row, "state", "") for row in rm.scheduler.policy.view().queues()}


def test_a_queue_that_is_stopped_drains_while_it_has_applications() -> None:
    """With those below it; they stop with their last one, and run again when it does."""
    rm = manager()
    number = submit(rm, "x")
    assert states(rm) == {
        "root": "RUNNING",
        "root.a": "RUNNING",
        "root.p": "RUNNING",
        "root.p.x": "RUNNING",
        "root.p.y": "STOPPED",
    }
    assert changed(rm, root__p__state="STOPPED") == ("", "")
    assert [states(rm)[path] for path in ("root.p", "root.p.x", "root.p.y")] == ["DRAINING", "DRAINING", "STOPPED"]
    rm.handle(ApplicationFinished(number, "FINISHED"), START_MS)
    assert [states(rm)[path] for path in ("root.p", "root.p.x", "root.p.y")] == ["STOPPED"] * 3
    assert changed(rm, root__p__state="RUNNING", root__p__x__state="RUNNING") == ("", "")
    assert [states(rm)[path] for path in ("root.p", "root.p.x", "root.p.y")] == ["RUNNING", "RUNNING", "STOPPED"]


def test_a_queue_below_a_stopped_one_is_stopped() -> None:
    rm = manager(root__p__state="STOPPED")
    assert [states(rm)[path] for path in ("root.p", "root.p.x")] == ["STOPPED", "STOPPED"]
    refused, words = changed(rm, root__p__x__state="RUNNING")
    assert refused == "IOException"
    assert words == f"{PREFIX}root.p.x.state: a queue cannot run below one that is stopped"


LABELS = {"root__a__capacity": "[memory=12288,vcores=12]", "root__p__capacity": "[memory=12288,vcores=12]"}
BELOW = {
    "root__p__x__capacity": "[memory=6144,vcores=6]",
    "root__p__y__capacity": "[memory=6144,vcores=6]",
    "root__a__maximum_capacity": "[memory=12288,vcores=12]",
}


@pytest.mark.parametrize(
    ("more", "key", "words"),
    [
        ({"root__a__capacity": "1w"}, "root.queues", "its queues mix percent and weight"),
        (LABELS, "root.p.capacity", ""),
        (
            {**LABELS, **BELOW, "root__p__x__capacity": "[memory=6145,vcores=6]"},
            "root.p.capacity",
            "(12288, 12) is less than the (12289, 12) of its queues",
        ),
        (
            {**LABELS, **BELOW, "root__a__maximum_capacity": "[memory=12287,vcores=12]"},
            "root.a.maximum-capacity",
            "(12288, 12) is above its maximum (12287, 12)",
        ),
        (
            {
                **LABELS,
                **BELOW,
                "root__p__maximum_capacity": "[memory=12288,vcores=12]",
                "root__p__x__maximum_capacity": "[memory=12289,vcores=12]",
            },
            "root.p.x.maximum-capacity",
            "(12289, 12) is above its parent's maximum (12288, 12)",
        ),
        (
            {"root__p__x__capacity": "0", "root__p__y__capacity": "0"},
            "root.p.queues",
            "its queues have no capacity, but it has",
        ),
        (
            {"root__p__capacity": "0", "root__a__capacity": "100", "root__a__maximum_capacity": "100"},
            "root.p.queues",
            "its queues have capacity, but it has none",
        ),
        (
            {"root__p__x__capacity": "50.06"},
            "root.p.queues",
            "the capacities of its queues add up to 100.06 % instead of 100",
        ),
        ({"root__p__ordering_policy": "lifo"}, "root.p.ordering-policy", "there is no class 'lifo' that orders queues"),
        (
            {"root__a__reservable": "true", "root__a__maximum_capacity": "40"},
            "root.a.maximum-capacity",
            "",
        ),
    ],
)
def test_capacities_go_together(more: dict[str, str], key: str, words: str) -> None:
    """Of one kind among siblings, within maxima, and adding up; the place is named."""
    refused, found = changed(manager(), **more)
    assert refused == "IOException"
    assert f"{PREFIX}{key}" in found or not words
    assert words in found


@pytest.mark.parametrize(
    "more",
    [
        {**LABELS, **BELOW},
        {"root__p__x__capacity": "50.04"},
        {"root__p__x__capacity": "49.96"},
        {
            "root__p__x__capacity": "0",
            "root__p__y__capacity": "0",
            "root__p__allow_zero_capacity_sum": "true",
        },
        {"root__p__ordering_policy": "priority-utilization"},
        {
            "root__a__capacity": "1w",
            "root__p__capacity": "3w",
            "root__p__x__capacity": "2w",
            "root__p__y__capacity": "1w",
        },
    ],
)
def test_what_goes_together_is_taken(more: dict[str, str]) -> None:
    assert changed(manager(), **more) == ("", "")


def test_absolute_resources_are_what_a_queue_is_due() -> None:
    rm = resource_manager(
        "capacity-3.4",
        settings={
            **properties({"root__queues": "a,b"}),
            **properties(
                {"root__a__capacity": "[memory=6144,vcores=6]", "root__b__capacity": "[memory=12288,vcores=12]"}
            ),
        },
    )
    rows = {row.path: getattr(row, "guaranteed", ()) for row in rm.scheduler.policy.view().queues()}
    assert (rows["root.a"], rows["root.b"]) == ((6144,), (12288,))


def test_weights_divide_what_the_parent_has() -> None:
    rm = resource_manager(
        "capacity-3.4",
        settings=properties({"root__queues": "a,b", "root__a__capacity": "1w", "root__b__capacity": "3w"}),
    )
    rows = {row.path: getattr(row, "guaranteed", ()) for row in rm.scheduler.policy.view().queues()}
    assert (rows["root.a"], rows["root.b"]) == ((6144,), (18432,))
