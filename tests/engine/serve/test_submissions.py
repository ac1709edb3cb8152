"""Submissions, priorities, kills and moves by clients, each at the limits of what is taken."""

import json

import pytest

from engine.serve.bodies import INT_MAX
from tests.engine.serve.asked import Asked
from tests.engine.serve.test_nodes import small


@pytest.mark.parametrize(
    ("number", "status"), [("1", 202), (str(INT_MAX), 202), (str(INT_MAX + 1), 400), ("x", 400), ("", 400)]
)
def test_an_id_ends_with_a_number_that_java_has(number: str, status: int) -> None:
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
    one = Asked(small(), 5000)
    assert one.ask("/apps", "POST", body=json.dumps(fields)).status == 400
    assert one.served.application(1) is None


@pytest.mark.parametrize(
    ("priority", "told"),
    [("2", 2), (str(INT_MAX), 9), (str(INT_MAX + 1), None), ("-1", -1), ("--1", None), ("x", None)],
)
def test_a_priority_is_a_number_that_java_has(priority: str, told: int | None) -> None:
    """It may be below zero; the answer is the new one, at most the cluster's largest."""
    one = Asked(small("capacity-3.4"), 5000)
    path = f"/apps/application_{one.served.cluster.cluster_timestamp}_0003/priority"
    said = one.ask(path, "PUT", body=json.dumps({"priority": priority}))
    assert said.status == (400 if told is None else 200)
    if told is None:
        assert "the priority is not a number" in json.loads(said.body)["RemoteException"]["message"]
    else:
        assert json.loads(said.body) == {"priority": told}
