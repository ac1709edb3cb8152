"""The shape of answers of simulations beside recorded ones: names, order, types. Differences are listed."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.serve.asked import asked, differences, exchanges, plain

PAIRS = {
    ("reservation-deadlock-recorded", 62_200): "2.7.2-fair",
    ("reservation-deadlock-recorded-3.4", 62_200): "3.4.1-fair-incident",
    ("prod-dev-fair-3.4", 120_000): "3.4.1-fair",
    ("node-labels-capacity-3.4", 60_000): "3.4.1-capacity",
    ("prod-dev-capacity-preemption-3.4", 120_000): "3.4.1-capacity",
}
"""(scenario, instant) → a recording of the same scheduler."""

DIFFERENCES = {
    ("node-labels-capacity-3.4", "/scheduler"): [
        ".scheduler.schedulerInfo.queues.queue[].nodeLabels: not there",
    ],
}
"""What may differ: a queue without partitions lists none."""

ROWS = {"/nodes": ("nodes", "node"), "/apps": ("apps", "app")}


@pytest.mark.parametrize(("scenario", "recording"), PAIRS.items())
@pytest.mark.parametrize("path", ["/info", "/metrics", "/scheduler"])
def test_documents_have_the_shape_of_the_recorded_one(scenario: tuple[str, int], recording: str, path: str) -> None:
    """Every object of every queue, too: each is like some recorded one of its kind."""
    ours, theirs = asked(*scenario).json(path), plain(recording, path).json
    if path == "/scheduler":
        queues = list(_queues(theirs))
        found = [each for queue in _queues(ours) for each in _nearest(queue, queues)]
        assert sorted(set(found)) == [each.rpartition("[]")[2] for each in DIFFERENCES.get((scenario[0], path), ())]
    else:
        assert differences(ours, theirs) == DIFFERENCES.get((scenario[0], path), [])


@pytest.mark.parametrize(("scenario", "recording"), PAIRS.items())
@pytest.mark.parametrize("path", ROWS)
def test_rows_have_the_shape_of_a_recorded_one_in_their_state(
    scenario: tuple[str, int], recording: str, path: str
) -> None:
    """Of every application and node there is a recorded one of the same state with the same fields.

    None was recorded of an application that has no master of its own.
    """
    outer, inner = ROWS[path]
    theirs = [
        row
        for each in exchanges(recording)
        if each.method == "GET" and each.status == 200 and each.path.startswith(f"/ws/v1/cluster{path}") and each.text
        if each.text.startswith("{")
        for row in (each.json.get(outer) or {}).get(inner, ())
        if "deSelects" not in each.path
    ]
    for row in asked(*scenario).json(path)[outer][inner]:
        alike = [each for each in theirs if _kind(each) == _kind(row)]
        assert not alike or row.get("unmanagedApplication") or _nearest(row, alike) == [], row["id"]


def _kind(row: Any) -> tuple[str, bool]:  # Any: JSON
    return row["state"], "nodeLabels" in row


def _queues(body: Any) -> Iterator[Any]:  # Any: JSON
    """Every queue of a scheduler, without those below it; the whole scheduler first."""
    info = body["scheduler"]["schedulerInfo"]
    yield from _tree(info.get("rootQueue", info))


def _tree(queue: Any) -> Iterator[Any]:  # Any: JSON
    under = queue.get("childQueues") or queue.get("queues") or []
    yield {name: value for name, value in queue.items() if name not in {"childQueues", "queues"}}
    for each in under if isinstance(under, list) else under.get("queue", [under]):
        yield from _tree(each)


def _nearest(row: Any, recorded: list[Any]) -> list[str]:  # Any: JSON
    """In what a row differs from the recorded one that it is most like."""
    return min((differences(row, each) for each in recorded), key=len)
