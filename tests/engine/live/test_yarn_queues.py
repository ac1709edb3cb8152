"""Queues of a scheduler's answer as rows."""

from typing import Final

import msgspec
import pytest

from engine.live.yarn_answers import AnswerError, SchedulerAnswer
from engine.live.yarn_queues import ClusterFacts, queue_rows
from engine.observe.snapshot import UNKNOWN, QueueRow

NOTHING: Final = ClusterFacts((0, 0), (), {})


def _queue(name: str, below: str = "") -> str:
    amounts = ", ".join(f'"{part}Resources": {{"memory": 1, "vCores": 1}}' for part in ("min", "max", "used", "fair"))
    whole = f'"queueName": "{name}", {amounts}, "clusterResources": {{"memory": 2, "vCores": 2}}'
    return f"{{{whole}, {below}}}" if below else f"{{{whole}}}"


def _paths(below: str) -> list[tuple[str, int, bool]]:
    body = f'{{"rootQueue": {_queue("root", below)}}}'
    rows = queue_rows(SchedulerAnswer("fairScheduler", msgspec.Raw(body.encode())), NOTHING)
    return [(row.path, row.depth, row.is_leaf) for row in rows]


@pytest.mark.parametrize(
    "below",
    [
        f'"childQueues": {_queue("root.a.x")}, "childQueues": {_queue("root.a.y")}',
        f'"childQueues": [{_queue("root.a.y")}, {_queue("root.a.x")}]',
        f'"childQueues": {{"queue": [{_queue("root.a.x")}, {_queue("root.a.y")}]}}',
    ],
    ids=["repeated", "list", "object"],
)
def test_every_form_of_children_is_read(below: str) -> None:
    """2.7.2 repeats the name below any queue but the root; 3.x puts a list in an object."""
    assert _paths(f'"childQueues": [{_queue("root.a", below)}, {_queue("root.b")}]') == [
        ("root", 0, False),
        ("root.a", 1, False),
        ("root.a.x", 2, True),
        ("root.a.y", 2, True),
        ("root.b", 1, True),
    ]


def test_an_only_child_is_no_list() -> None:
    assert _paths(f'"childQueues": {_queue("root.default")}') == [("root", 0, False), ("root.default", 1, True)]


@pytest.mark.parametrize("below", ['"childQueues": 3', '"childQueues": [null]', '"childQueues": {"queue": {}}', "["])
def test_what_is_no_queue_is_refused(below: str) -> None:
    with pytest.raises(AnswerError):
        _paths(below)


def _fair_row(queue: str, reserved: dict[str, tuple[int, int]] | None = None) -> QueueRow:
    answer = SchedulerAnswer("fairScheduler", msgspec.Raw(f'{{"rootQueue": {queue}}}'.encode()))
    return queue_rows(answer, ClusterFacts((9, 9), (), reserved or {}))[0]


def _amounts(**values: tuple[int, int]) -> str:
    return ", ".join(f'"{name}": {{"memory": {each[0]}, "vCores": {each[1]}}}' for name, each in values.items())


LEAST: Final = {
    "minResources": (1, 2),
    "maxResources": (90, 80),
    "usedResources": (3, 4),
    "fairResources": (5, 6),
    "clusterResources": (90, 81),
}


def test_a_fair_queue_of_2_7_has_what_it_says_and_what_others_say_is_reserved_in_it() -> None:
    row = QueueRow(
        path="root.a",
        depth=0,
        is_leaf=True,
        policy="drf",
        used=(3, 4),
        demand=UNKNOWN,
        fair_share=(5, 6),
        steady_share=UNKNOWN,
        min_share=(1, 2),
        max_share=(90, 80),
        reserved=(7, 8),
        applications_running=0,
        applications_pending=0,
        containers=0,
    )
    queue = f'{{"queueName": "root.a", "schedulingPolicy": "drf", {_amounts(**LEAST)}}}'

    assert _fair_row(queue, {"root.a": (7, 8)}) == row
    assert _fair_row(queue, {"root.b": (7, 8)}) == msgspec.structs.replace(row, reserved=UNKNOWN)


def test_a_fair_queue_of_3_x_says_more() -> None:
    more = {"steadyFairResources": (11, 12), "demandResources": (13, 14), "reservedResources": (0, 0)}
    row = _fair_row(f'{{"queueName": "root.a", {_amounts(**LEAST, **more)}}}', {"root.a": (7, 8)})

    assert (row.steady_share, row.demand, row.reserved) == ((11, 12), (13, 14), (0, 0))


def test_a_maximum_of_the_whole_cluster_is_none() -> None:
    """A server cuts a maximum down to that; less in one dimension is a limit."""
    whole = {**LEAST, "maxResources": (90, 81)}

    assert _fair_row(f'{{"queueName": "root.a", {_amounts(**whole)}}}').max_share is None
    assert _fair_row(f'{{"queueName": "root.a", {_amounts(**LEAST)}}}').max_share == (90, 80)
