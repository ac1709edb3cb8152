"""Submissions, priorities, kills and moves by clients, each at the limits of what is taken."""

import json
from typing import Any

import pytest

from engine.serve.acts import MOST_NUMBER
from tests.engine.serve.asked import Asked
from tests.engine.serve.test_nodes import small


def submitted(one: Asked, query: str = "", **fields: Any) -> Any:
    """What is answered to a submission."""
    number = fields.pop("number", 9)
    body = {"application-id": f"application_{one.served.cluster.cluster_timestamp}_{number:04d}", **fields}
    return one.ask(f"/apps{query}", "POST", body=json.dumps(body))


def test_a_submission_that_says_nothing_has_the_least_of_everything() -> None:
    """Its master has 1024 MB and one core, runs until it is killed, and belongs to nobody."""
    one = Asked(small("capacity-3.4"), 5000)
    assert submitted(one).status == 202
    one.run.advance(60_000)
    row = one.json(f"/apps/application_{one.served.cluster.cluster_timestamp}_0009")["app"]

    assert (row["user"], row["name"], row["applicationType"], row["applicationTags"]) == ("dr.who", "N/A", "YARN", "")
    assert (row["allocatedMB"], row["allocatedVCores"], row["state"], row["priority"]) == (1024, 1, "RUNNING", 0)


def test_a_submission_has_what_it_says() -> None:
    """Its size, priority, tags in any form, and user."""
    one = Asked(small("capacity-3.4"), 5000)
    said = submitted(
        one,
        "?user.name=eve",
        priority=1,
        resource={"memory": 2048, "vCores": 2},
        **{"application-tags": {"tag": "x"}, "max-app-attempts": 1},
    )
    assert said.status == 202, said.body
    one.run.advance(60_000)
    row = one.json(f"/apps/application_{one.served.cluster.cluster_timestamp}_0009")["app"]

    assert (row["user"], row["priority"], row["applicationTags"]) == ("eve", 1, "x")
    assert row["allocatedMB"] == 2048
    every: list[Any] = [["a", "b"], "a", {"tag": ["a", "b"]}, None]
    for tags in every:
        assert submitted(one, number=10, **{"application-tags": tags}).status == 202
    assert submitted(one, number=9).status == 202


@pytest.mark.parametrize(
    ("number", "status"), [("1", 202), (str(MOST_NUMBER), 202), (str(MOST_NUMBER + 1), 400), ("x", 400), ("", 400)]
)
def test_an_id_ends_with_a_number_that_java_has(number: str, status: int) -> None:
    """The words name it."""
    one = Asked(small(), 5000)
    app_id = f"application_{one.served.cluster.cluster_timestamp}_{number}"
    said = one.ask("/apps", "POST", body=json.dumps({"application-id": app_id}))
    assert said.status == status
    if status == 400:
        words = f"java.lang.Exception: Could not parse application id {app_id}"
        assert json.loads(said.body)["RemoteException"]["message"] == words


@pytest.mark.parametrize(
    "fields",
    [
        {"application-id": "app_1_0001"},
        {"application-id": "application_1_0001", "priority": "high"},
        {"application-id": "application_1_0001", "resource": {"memory": "much"}},
    ],
)
def test_what_is_no_submission_is_refused(fields: dict[str, object]) -> None:
    """400, and nothing is submitted."""
    one = Asked(small(), 5000)
    assert one.ask("/apps", "POST", body=json.dumps(fields)).status == 400
    assert one.served.application(1) is None


@pytest.mark.parametrize(
    ("priority", "told"),
    [("2", 2), (str(MOST_NUMBER), 9), (str(MOST_NUMBER + 1), None), ("-1", -1), ("--1", None), ("x", None)],
)
def test_a_priority_is_a_number_that_java_has(priority: str, told: int | None) -> None:
    """It may be below zero; the answer is the new one, at most the cluster's largest."""
    one = Asked(small("capacity-3.4"), 5000)
    path = f"/apps/application_{one.served.cluster.cluster_timestamp}_0003/priority"
    said = one.ask(path, "PUT", body=json.dumps({"priority": priority}))
    assert said.status == (400 if told is None else 200)
    if told is None:
        assert "the priority is no number" in json.loads(said.body)["RemoteException"]["message"]
    else:
        assert json.loads(said.body) == {"priority": told}


def test_an_application_may_only_be_killed() -> None:
    """A state that it has already is no act; one that ended stays as it is."""
    one = Asked(small(), 15_000)
    path = f"/apps/application_{one.served.cluster.cluster_timestamp}_0003/state"

    def put(state: str) -> tuple[int, Any]:
        said = one.ask(path, "PUT", body=json.dumps({"state": state}))
        return said.status, json.loads(said.body)

    assert put("RUNNING") == (200, {"state": "RUNNING"})
    refused = put("FINISHED")
    assert (refused[0], refused[1]["RemoteException"]["message"]) == (
        400,
        "java.lang.Exception: Only 'KILLED' is allowed as a target state.",
    )
    assert put("KILLED")[0] == 202
    assert put("KILLED") == (200, {"state": "KILLED"})


def test_an_application_that_is_where_it_should_be_is_not_moved() -> None:
    """By its path and by the name that clients know; else it is, or is refused."""
    one = Asked(small(), 15_000)
    path = f"/apps/application_{one.served.cluster.cluster_timestamp}_0003/queue"

    def put(queue: str) -> tuple[int, Any]:
        said = one.ask(path, "PUT", body=json.dumps({"queue": queue}))
        return said.status, json.loads(said.body).get("queue")

    assert put("root.ann") == (200, "root.ann")
    assert put("root.nowhere")[0] == 500
    assert put("root.default") == (200, "root.default")
