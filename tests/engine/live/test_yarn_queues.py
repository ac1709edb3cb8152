"""Queues of a scheduler's answer as rows."""

from typing import Final

import msgspec
import pytest

from engine.live.json_answers import AnswerError
from engine.live.yarn_answers import SchedulerAnswer
from engine.live.yarn_queues import ClusterFacts, queue_rows

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
    """2.7.2 gives the queue itself."""
    assert _paths(f'"childQueues": {_queue("root.default")}') == [("root", 0, False), ("root.default", 1, True)]


@pytest.mark.parametrize("below", ['"childQueues": 3', '"childQueues": [null]', '"childQueues": {"queue": {}}', "["])
def test_what_is_no_queue_is_refused(below: str) -> None:
    """A number, nothing, an object without a name, and what is no JSON."""
    with pytest.raises(AnswerError):
        _paths(below)
