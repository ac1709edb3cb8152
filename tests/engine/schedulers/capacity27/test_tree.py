"""The tree of queues of 2.7.2: found by short names, loaded anew, kept where a file would take something away."""

import pytest

from engine.control_plane.protocol import SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit
from tests.engine.schedulers.test_capacity_view import PREFIX, SETTINGS

ALL = ["root", "root.a", "root.p", "root.p.x", "root.p.y"]


def manager(**more: str) -> ResourceManager:
    """A cluster of 24 GB with the queues a, p.x and p.y, which is stopped."""
    return resource_manager("capacity-2.7", settings={**SETTINGS, **properties(more)})


def properties(more: dict[str, str]) -> dict[str, str]:
    """Properties by names that have `__` for dots and `_` for dashes."""
    return {f"{PREFIX}{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}


def changed(rm: ResourceManager, **more: str) -> tuple[str, str]:
    """(refusal, its words) of properties that are changed while it runs."""
    answer = rm.handle(SettingsChanged(properties(more)), START_MS)
    return answer.rejected, answer.detail


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        ("a", ""),
        ("x", ""),
        ("root.p.x", "there is no queue root.p.x; 2.7.2 knows it as x"),
        ("root.gone", "there is no queue root.gone"),
        ("gone", "there is no queue gone"),
        ("p", "p is not a leaf queue"),
        ("root", "root is not a leaf queue"),
    ],
)
def test_a_leaf_is_known_by_its_short_name(queue: str, words: str) -> None:
    policy = manager().scheduler.policy
    assert isinstance(policy, CapacityScheduler27)
    if not words:
        assert policy.tree.leaf(queue).path.rpartition(".")[2] == queue
        return
    with pytest.raises(RefusedError) as refused:
        policy.tree.leaf(queue)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"root__queues": "p", "root__p__capacity": "100"},
            "the queue root.a is missing; a reload cannot remove queues",
        ),
        (
            {
                "root__queues": "p",
                "root__p__capacity": "100",
                "root__p__queues": "x,y,a",
                "root__p__x__capacity": "25",
                "root__p__y__capacity": "25",
                "root__p__a__capacity": "50",
            },
            "a reload cannot move the queue root.a to root.p.a",
        ),
        (
            {"root__a__queues": "z", "root__a__z__capacity": "100"},
            "the queue root.a cannot become another kind of queue",
        ),
        (
            {"root__a__maximum_allocation_mb": "8191"},
            "the maximum allocation of root.a cannot become smaller",
        ),
        (
            {"root__a__maximum_allocation_vcores": "31"},
            "the maximum allocation of root.a cannot become smaller",
        ),
    ],
)
def test_a_reload_takes_nothing_away(more: dict[str, str], words: str) -> None:
    rm = manager()
    assert changed(rm, **more) == ("IOException", words)
    assert [row.path for row in rm.scheduler.policy.view().queues()] == ALL


@pytest.mark.parametrize(("maximum", "live"), [("100", 2), ("75", 1)])
def test_the_limit_of_a_queue_follows_a_reload(maximum: str, live: int) -> None:
    rm = resource_manager(
        "capacity-2.7", nodes=1, settings={**SETTINGS, **properties({"root__a__user_limit_factor": "9"})}
    )
    assert changed(rm, root__a__maximum_capacity=maximum) == ("", "")
    number = submit(rm, "a")
    ask(rm, number, 2, 4096)
    heartbeat(rm)
    heartbeat(rm)
    assert len(attempt_of(rm, number).live) == live
