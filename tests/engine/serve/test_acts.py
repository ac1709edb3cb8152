"""Kill, move, priority and submission, beside what real servers answered."""

import json
import re

import pytest

from tests.engine.serve.asked import CLUSTER, Asked, exchanges
from tests.engine.serve.test_nodes import small

CULPRIT = "application_1795220500481_0010"
CAPACITY = "prod-dev-capacity-preemption-3.4"


@pytest.fixture
def frozen() -> Asked:
    return Asked("reservation-deadlock-recorded", 66_000)


def test_a_kill_is_taken_and_then_done(frozen: Asked) -> None:
    """202 with a place to look at, then 200; the nodes it held are free."""
    first = frozen.ask(f"/apps/{CULPRIT}/state", "PUT", body='{"state":"KILLED"}')
    again = frozen.ask(f"/apps/{CULPRIT}/state", "PUT", body='{"state":"KILLED"}')

    assert (first.status, again.status) == (202, 200)
    assert first.headers == {"Location": f"http://rm1:8088{CLUSTER}/apps/{CULPRIT}/state"}
    assert json.loads(again.body) == {"state": "KILLED"}
    assert frozen.json("/metrics")["clusterMetrics"]["containersReserved"] == 1
    assert frozen.json(f"/apps/{CULPRIT}")["app"]["trackingUrl"].endswith(f"/cluster/app/{CULPRIT}")


def test_a_kill_may_be_asked_for_in_xml(frozen: Asked) -> None:
    body = "<appstate><state>KILLED</state></appstate>"
    said = frozen.ask(f"/apps/{CULPRIT}/state", "PUT", "application/xml", body, "application/xml")

    assert (said.status, said.content_type) == (202, "application/xml")
    assert said.body.endswith(b"<appstate><state>KILLED</state></appstate>")


@pytest.mark.parametrize(
    "label", ["not-allowed-state", "broken-json", "move", "move-nowhere", "empty-post", "bad-method"]
)
def test_acts_are_answered_as_by_the_real_server(frozen: Asked, label: str) -> None:
    real = next(each for each in exchanges("2.7.2-fair") if each.label == label)
    said = frozen.ask(real.path, real.method, body=real.body)

    assert (said.status, said.content_type, json.loads(said.body)) == (real.status, real.type, real.json)


@pytest.mark.parametrize("label", ["broken-json", "empty-post", "bad-method"])
def test_acts_are_refused_as_by_the_later_server(label: str) -> None:
    real = next(each for each in exchanges("3.4.1-fair-incident") if each.label == label)
    one = Asked("reservation-deadlock-recorded-3.4", 30_000)
    path = re.sub(r"application_\d+", f"application_{one.served.cluster.cluster_timestamp}", real.path)
    said = one.ask(path, real.method, body=real.body)

    assert said.status == real.status
    assert json.loads(said.body)["RemoteException"]["exception"] == real.json["RemoteException"]["exception"]


def test_a_changed_priority_is_told_at_once_and_as_capped() -> None:
    """By the answer, by the application, and alone; also when it is that of the submission again."""
    one = Asked(small("capacity-3.4"), 10_000)
    app = one.json("/apps?states=RUNNING")["apps"]["app"][0]["id"]
    for wanted, told in ((3, 3), (0, 0), (10, 9)):
        said = one.ask(f"/apps/{app}/priority", "PUT", body=f'{{"priority":{wanted}}}')

        assert json.loads(said.body) == one.json(f"/apps/{app}/priority") == {"priority": told}
        assert one.json(f"/apps/{app}")["app"]["priority"] == told


def test_a_priority_is_changed_where_there_is_one() -> None:
    one, other = Asked(CAPACITY, 60_000), Asked("reservation-deadlock-3.4", 60_000)
    app, fair = one.json("/apps?states=RUNNING")["apps"]["app"][0]["id"], other.json("/apps")["apps"]["app"][0]["id"]

    said = one.ask(f"/apps/{app}/priority", "PUT", body='{"priority":3}')
    assert (said.status, json.loads(said.body)) == (200, {"priority": one.json(f"/apps/{app}")["app"]["priority"]})
    assert other.ask(f"/apps/{fair}/priority", "PUT", body='{"priority":3}').status == 503
    assert one.ask(f"/apps/{app}/priority", "PUT", body='{"priority":"high"}').status == 400


def test_a_new_application_is_submitted_under_its_id(frozen: Asked) -> None:
    first, second = (json.loads(frozen.ask("/apps/new-application", "POST").body) for _ in range(2))
    assert first["application-id"] != second["application-id"]
    assert first["maximum-resource-capability"] == {"memory": 64000, "vCores": 32}

    work = {"type": "mapreduce", "maps": 3}
    body = {
        "application-id": second["application-id"],
        "application-name": "by a client",
        "queue": "root.etl",
        "application-type": "TEST",
        "application-tags": {"tag": ["one", "two"]},
        "resource": {"memory": 2048, "vCores": 1},
        "am-container-spec": {"environment": {"entry": [{"key": "SCHEDLAB_APPLICATION", "value": json.dumps(work)}]}},
    }
    said = frozen.ask("/apps?user.name=ann", "POST", body=json.dumps(body))
    assert said.status == 202, said.body
    app = frozen.json(f"/apps/{second['application-id']}")["app"]
    assert said.headers["Location"].endswith(second["application-id"])
    assert (app["user"], app["name"], app["queue"], app["applicationType"], app["applicationTags"]) == (
        "ann",
        "by a client",
        "root.etl",
        "TEST",
        "one,two",
    )
    assert app["resourceRequests"][0]["capability"] == {"memory": 2048, "virtualCores": 1}


@pytest.mark.parametrize("work", ["{", "[]", '{"type": "spark-standalone"}', '{"type": "nothing"}'])
def test_work_that_cannot_be_is_refused(frozen: Asked, work: str) -> None:
    before = frozen.json("/metrics")
    entry = {"key": "SCHEDLAB_APPLICATION", "value": work}
    body = {"application-id": "application_1795220500481_0900", "am-container-spec": {"environment": {"entry": entry}}}

    assert frozen.ask("/apps", "POST", body=json.dumps(body)).status == 400
    assert frozen.json("/metrics") == before
