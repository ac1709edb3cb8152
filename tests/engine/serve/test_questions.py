"""Filters, attempts, containers, pages and refusals of the server, in both releases."""

import json

import pytest

from engine.serve.answers import answer
from engine.serve.wire import HttpQuestion, wanted_form
from tests.engine.serve.asked import Asked, asked

OLD, NEW = ("reservation-deadlock-recorded", 66_000), ("reservation-deadlock-recorded-3.4", 66_000)


def ids(one: Asked, query: str) -> list[int]:
    found = one.json(f"/apps?{query}")["apps"] or {}
    return sorted(int(app["id"].rpartition("_")[2]) for app in found.get("app", ()))


@pytest.mark.parametrize("scenario", [OLD, NEW])
def test_instants_bound_what_is_found(scenario: tuple[str, int]) -> None:
    one = asked(*scenario)
    app = one.served.application(4)
    assert app is not None
    assert app.finished_ms is not None

    assert ids(one, f"startedTimeBegin={app.submitted_ms}&startedTimeEnd={app.submitted_ms}") == [4]
    assert ids(one, f"finishedTimeBegin={app.finished_ms}&finishedTimeEnd={app.finished_ms}") == [4]
    assert ids(one, f"startedTimeBegin={app.submitted_ms + 1}&startedTimeEnd={app.submitted_ms + 1}") == []


@pytest.mark.parametrize(
    "query",
    [
        *("startedTimeBegin=-1", "startedTimeEnd=-1", "finishedTimeBegin=-1", "finishedTimeEnd=-1", "limit=0"),
        *("finishedTimeBegin=5&finishedTimeEnd=4", "startedTimeBegin=x"),
    ],
)
def test_bounds_that_cannot_be_are_refused(query: str) -> None:
    assert asked(*OLD).ask(f"/apps?{query}").status == asked(*NEW).ask(f"/apps?{query}").status == 400


def test_fields_are_left_out_when_deselected() -> None:
    fields = asked(*NEW).json("/apps?deSelects=resourceRequests,timeouts")["apps"]["app"]
    assert not any({"resourceRequests", "timeouts"} & row.keys() for row in fields)
    assert any("resourceRequests" in row for row in asked(*OLD).json("/apps?deSelects=resourceRequests")["apps"]["app"])


def test_attempts_say_where_the_master_is() -> None:
    for one in (asked(*OLD), asked(*NEW)):
        (row,) = one.json(f"/apps/{_id(one, 10)}/appattempts")["appAttempts"]["appAttempt"]
        assert row["containerId"].endswith("_0010_01_000001")
        assert row["logsLink"] == f"http://{row['nodeHttpAddress']}/node/containerlogs/{row['containerId']}/mina"
    (row,) = asked(*OLD).json(f"/apps/{_id(asked(*OLD), 12)}/appattempts")["appAttempts"]["appAttempt"]
    assert (row["id"], row["containerId"], row["nodeId"], row["logsLink"]) == (1, "", "", "")


def test_containers_of_an_attempt_are_those_it_holds() -> None:
    one = asked(*NEW)
    base = f"/apps/{_id(one, 1)}/appattempts/{_attempt(one, 1)}"
    rows = one.json(f"{base}/containers")["container"]
    app = one.served.application(1)
    assert app is not None
    assert app.attempt is not None

    assert [int(row["containerId"].rpartition("_")[2]) for row in rows] == sorted(app.attempt.live, reverse=True)
    assert one.json(f"{base}/containers/{rows[0]['containerId']}") == rows[0]
    assert one.json(base)["amContainerId"] == rows[-1]["containerId"]
    assert one.json(f"/apps/{_id(one, 4)}/appattempts/{_attempt(one, 4)}/containers") == {}


def test_attempts_and_containers_that_are_not_there() -> None:
    one = asked(*NEW)
    base = f"/apps/{_id(one, 1)}/appattempts"
    assert one.ask(f"{base}/{_attempt(one, 2)}").status == 404
    assert one.ask(f"{base}/nonsense").status == 400
    assert one.ask(f"{base}/{_attempt(one, 1)}/containers/container_1_0001_01_000001").status == 404
    old = asked(*OLD)
    assert old.ask(f"/apps/{_id(old, 1)}/appattempts/{_attempt(old, 1)}").content_type.startswith("text/html")


def test_a_sick_node_breaks_the_page_of_the_fifo_scheduler() -> None:
    for era, status in (("2.7", 500), ("3.4", 503)):
        one = Asked("three-schedulers-fifo", 10_000, era)
        assert one.json("/scheduler")["scheduler"]["schedulerInfo"]["type"] == "fifoScheduler"
        cluster = one.served.cluster
        cluster.remove_node(next(iter(cluster.nodes.values())), "SICKEN")
        said = one.ask("/scheduler")
        assert (said.status, json.loads(said.body)["RemoteException"]["exception"]) == (status, "NullPointerException")
        assert one.json("/metrics")["clusterMetrics"]["unhealthyNodes"] == 1


def test_pages_for_people_lead_to_the_answers() -> None:
    one = asked(*OLD)
    for path, status in (("/", 302), ("/cluster", 200), ("/nothing", 404)):
        assert _page(one, path) == status


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        *(("", "json"), ("application/*", "json"), ("application/json;q=0.1, application/xml", "xml")),
        *(("text/html", ""), ("application/json;q=x", "json"), ("*/*;q=0", "")),
    ],
)
def test_the_form_is_what_is_wanted_most(accept: str, form: str) -> None:
    assert wanted_form(accept) == form


def _page(one: Asked, path: str) -> int:
    return answer(one.served, HttpQuestion("GET", path)).status


def _id(one: Asked, number: int) -> str:
    return f"application_{one.served.cluster.cluster_timestamp}_{number:04d}"


def _attempt(one: Asked, number: int) -> str:
    return f"appattempt_{one.served.cluster.cluster_timestamp}_{number:04d}_000001"


def test_the_configuration_is_said_as_it_is_set() -> None:
    old, new = asked(*OLD), asked(*NEW)
    key = "yarn.resourcemanager.scheduler.class"
    one = answer(new.served, HttpQuestion("GET", "/conf", {"name": [key]}, "application/json"))
    none = answer(new.served, HttpQuestion("GET", "/conf", {"name": ["x"]}, "application/json"))
    every = read_settings_of(answer(old.served, HttpQuestion("GET", "/conf", {"format": ["json"]})).body)

    assert json.loads(one.body)["property"]["value"].endswith(".fair.FairScheduler")
    assert (none.status, none.body) == (404, b"Property x not found")
    assert every[key].endswith(".fair.FairScheduler")
    assert every.items() >= old.served.rm.configuration.settings.items()
    assert f"<name>{key}</name>".encode() in answer(old.served, HttpQuestion("GET", "/conf")).body


def read_settings_of(body: bytes) -> dict[str, str]:
    return {each["key"]: each["value"] for each in json.loads(body)["properties"]}
