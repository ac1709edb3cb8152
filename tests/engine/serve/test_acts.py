"""Kill, move, priority and submission, beside what real servers answered."""

import json
import re
from typing import Any

import pytest

from engine.serve.wire import (
    INT_MAX,
    RELEASES,
    HttpQuestion,
    Repeated,
    RestError,
    body_of,
    checked,
    java_number,
    json_bytes,
    xml_bytes,
)
from tests.engine.serve.asked import CLUSTER, Asked, asked, exchanges
from tests.engine.serve.test_beans import small

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


# Submissions, priorities, kills and moves by clients, each at the limits of what is taken.


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


# Documents and bodies as bytes, numbers in the form of Java, and the form that a client wants.


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(
            ("0", 0),
            ("007", 7),
            ("+5", 5),
            ("-1", -1),
            ("٣", 3),
            (str(2**63 - 1), 2**63 - 1),
            (str(-(2**63)), -(2**63)),
        ),
        *((str(2**63), None), ("9" * 26, None), ("", None), ("1_0", None), (" 1", None), ("1\x01", None), ("x", None)),
    ],
)
def test_a_number_is_what_java_reads(text: str, number: int | None) -> None:
    assert java_number(text) == number


@pytest.mark.parametrize("body", [{"a": "\x01"}, {"\x01": 1}, {"a": [{"b": ["\ud800"]}]}])
def test_texts_that_xml_cannot_say_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(RestError):
        checked(body)
    assert checked({"a": ["\t", 1, None]}) == {"a": ["\t", 1, None]}


@pytest.mark.parametrize(
    ("content", "body", "found"),
    [
        ("application/xml", b"<a><b>x</b><c><d> y </d></c><e/></a>", {"b": "x", "c": {"d": "y"}}),
        ("", b'{"a": 1}', {"a": 1}),
        ("", b"", {}),
    ],
)
def test_a_body_is_read_as_what_it_is(content: str, body: bytes, found: dict[str, Any]) -> None:
    assert body_of(HttpQuestion("PUT", "/", body=body, content_type=content)) == found


def test_documents_are_written_in_both_forms() -> None:
    body = {"@type": "t", "e": Repeated([{"k": "a"}, {"k": "b"}]), "in": {"@type": "u", "n": None}, "l": [{}, {"x": 1}]}

    assert json_bytes("r", body, RELEASES["3.4"]) == (
        b'{"r":{"type":"t","e":{"k":"a"},"e":{"k":"b"},"in":{"type":"u","n":null},"l":[{},{"x":1}]}}'
    )
    assert xml_bytes("r", body).decode().partition("?>")[2] == (
        '<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="t"><e><k>a</k></e><e><k>b</k></e>'
        '<in xsi:type="u"></in><l/><l><x>1</x></l></r>'
    )


# Answers as XML, beside those a real server wrote at that instant.

AT_MS = 65_600
INEXACT = re.compile(
    r"<(lastHealthUpdate|elapsedTime|startedTime|finishedTime|memorySeconds|vcoreSeconds|name|progress)>[^<]*<"
)
REQUESTS = re.compile(r"(<resourceRequests>.*?</resourceRequests>)+")


@pytest.mark.parametrize("path", ["/info", "/metrics", "/scheduler", "/nodes", "/apps?states=RUNNING"])
def test_xml_is_that_of_the_real_server(path: str) -> None:
    real = next(each for each in exchanges("2.7.2-fair") if each.path.endswith(path) and each.label == "xml")
    said = asked("reservation-deadlock-recorded", AT_MS).ask(path, accept="application/xml")

    assert said.content_type == real.type
    assert _exact(said.body.decode()) == _exact(real.text)


def _exact(text: str) -> str:
    return REQUESTS.sub("", INEXACT.sub(r"<\1><", text))


@pytest.mark.parametrize(
    ("path", "words"), [("/metrics", "3.4.1-fair-incident"), ("/scheduler", "3.4.1-fair-incident")]
)
def test_elements_are_those_of_the_later_server(path: str, words: str) -> None:
    real = next(each for each in exchanges(words) if each.path.endswith(path) and each.label == "xml")
    said = asked("reservation-deadlock-recorded-3.4", AT_MS).ask(path, accept="application/xml")

    assert said.content_type == real.type
    assert re.findall(r"<[^/][^>]*>", said.body.decode()) == re.findall(r"<[^/][^>]*>", real.text)


def test_texts_are_escaped_and_nothing_is_an_empty_element() -> None:
    written = xml_bytes("app", {"name": "<a & b>", "tags": "", "labels": {}, "is": True, "many": [1, 2]})
    assert written.endswith(
        b"<app><name>&lt;a &amp; b&gt;</name><tags></tags><labels/><is>true</is><many>1</many><many>2</many></app>"
    )
