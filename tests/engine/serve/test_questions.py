"""Filters, attempts, containers, pages and refusals of the server, in both releases."""

import json
from functools import cache
from typing import Any

import pytest

from engine.formats.scenario_toml import loads
from engine.serve.answers import answer
from engine.serve.wire import HttpQuestion, wanted_form
from tests.engine.serve.asked import Asked, asked, exchanges, plain

OLD, NEW = ("reservation-deadlock-recorded", 66_000), ("reservation-deadlock-recorded-3.4", 66_000)


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
        assert answer(one.served, HttpQuestion("GET", path)).status == status


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        *(("", "json"), ("application/*", "json"), ("application/json;q=0.1, application/xml", "xml")),
        *(("text/html", ""), ("application/json;q=x", "json"), ("*/*;q=0", "")),
    ],
)
def test_the_form_is_what_is_wanted_most(accept: str, form: str) -> None:
    assert wanted_form(accept) == form


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


# Which applications a question is about: each parameter at its limits, and what is said of values that are none.

TEXT = """
name = "few"
duration = "5m"
start = 2024-01-01T00:00:00Z
scheduler = "{scheduler}"
[cluster]
nodes = [{{ host = "n1", memory = "8g", vcores = 8 }}]
[[workload]]
type = "scripted"
name = "done"
user = "ann"
queue = "a"
at = 1
number = 1
tags = ["One", "two"]
application_type = "TEZ"
am = "unmanaged"
asks = [{{ memory = "1g", duration = "2s" }}]
[[workload]]
type = "scripted"
name = "killed"
user = "bob"
queue = "b"
at = 3
number = 2
am = "unmanaged"
waits = true
asks = [{{ memory = "1g" }}]
[[workload]]
type = "scripted"
name = "runs"
user = "ann"
queue = "b"
at = 4
number = 3
application_type = "Spark"
am = "unmanaged"
waits = true
asks = [{{ memory = "1g" }}]
[[workload]]
type = "scripted"
name = "waits"
user = "bob"
queue = "a"
at = 5
number = 4
tags = ["two"]
am = {{ memory = "8g" }}
[[script]]
do = "kill"
application = "killed"
at = 20
"""


@cache
def few(scheduler: str = "fair-2.7") -> Asked:
    """Four applications: one that is done, one killed, one that runs, one that waits for its master."""
    return Asked(loads(TEXT.format(scheduler=scheduler), "few"), 30_000)


def found(query: str, scheduler: str = "fair-2.7") -> list[int]:
    return sorted(in_order(few(scheduler), query))


def in_order(one: Asked, query: str) -> list[int]:
    apps = one.json(f"/apps?{query}")["apps"] or {}
    return [int(each["id"].rpartition("_")[2]) for each in apps.get("app", [])]


def finished_ms(number: int) -> int:
    app = few().served.application(number)
    assert app is not None
    return app.finished_ms or 0


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("", [1, 2, 3, 4]),
        ("states=RUNNING", [3]),
        ("states=running,killed", [2, 3]),
        ("state=FINISHED&states=KILLED", [1, 2]),
        ("states=, accepted ,", [4]),
        ("user=ann", [1, 3]),
        ("user=nobody", []),
        ("applicationTypes=tez", [1]),
        ("applicationTypes=TEZ,spark", [1, 3]),
        ("applicationTypes=YARN", [2, 4]),
        ("applicationTags=one", [1]),
        ("applicationTags=TWO,three", [1, 4]),
        ("applicationTags=three", []),
        ("finalStatus=SUCCEEDED", [1]),
        ("finalStatus=KILLED", [2]),
        ("finalStatus=UNDEFINED", [3, 4]),
        ("user=bob&states=KILLED,ACCEPTED", [2, 4]),
        ("name=runs", [1, 2, 3, 4]),
        ("limit=4", [1, 2, 3, 4]),
    ],
)
def test_an_application_passes_every_parameter_that_is_there(query: str, numbers: list[int]) -> None:
    assert found(query) == numbers


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("startedTimeBegin={a}", [2, 3, 4]),
        ("startedTimeBegin={a1}", [3, 4]),
        ("startedTimeEnd={a0}", [1]),
        ("startedTimeEnd={a}", [1, 2]),
        ("startedTimeBegin={a}&startedTimeEnd={a}", [2]),
        ("finishedTimeBegin={b}", [2]),
        ("finishedTimeBegin={b1}", []),
        ("finishedTimeEnd={b0}", [1, 3, 4]),
        ("finishedTimeEnd={b}", [1, 2, 3, 4]),
        ("finishedTimeBegin={b}&finishedTimeEnd={b}", [2]),
        ("finishedTimeBegin=0&finishedTimeEnd=0", [3, 4]),
        ("startedTimeBegin=0", [1, 2, 3, 4]),
    ],
)
def test_both_ends_of_a_time_count(query: str, numbers: list[int]) -> None:
    app = few().served.application(2)
    assert app is not None
    at, end = app.submitted_ms, finished_ms(2)

    assert found(query.format(a=at, b=end, a1=at + 1, b1=end + 1, a0=at - 1, b0=end - 1)) == numbers


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("limit=0", "limit value must be greater then 0"),
        ("limit=-1", "limit value must be greater then 0"),
        ("startedTimeBegin=-1", "startedTimeBegin must be greater than 0"),
        ("startedTimeEnd=-1", "startedTimeEnd must be greater than 0"),
        ("finishedTimeBegin=-1", "finishTimeBegin must be greater than 0"),
        ("finishedTimeEnd=-1", "finishTimeEnd must be greater than 0"),
        ("startedTimeBegin=2&startedTimeEnd=1", "startedTimeEnd must be greater than startTimeBegin"),
        ("finishedTimeBegin=2&finishedTimeEnd=1", "finishTimeEnd must be greater than finishTimeBegin"),
        (
            "states=RUNNING,DONE",
            "Invalid application-state DONE specified. It should be one of [NEW, NEW_SAVING, SUBMITTED, ACCEPTED, "
            "RUNNING, FINISHED, FAILED, KILLED]",
        ),
    ],
)
def test_what_is_no_value_is_refused_in_words(query: str, words: str) -> None:
    said = few().ask(f"/apps?{query}")

    assert said.status == 400
    assert json.loads(said.body)["RemoteException"]["message"] == f"java.lang.Exception: {words}"


@pytest.mark.parametrize(
    ("scenario", "queues"),
    [
        (
            ("prod-dev-capacity", 120_000),
            {"eng": [1], "dev": [1], "prod": [2], "root": [1, 2], "root.dev.eng": [], "root.prod": [], "none": []},
        ),
        (
            ("prod-dev-capacity-preemption-3.4", 120_000),
            {"eng": [1], "dev": [1], "root.dev": [1], "root.dev.eng": [1], "root.prod": [2], "root.eng": [], "x": []},
        ),
        (("three-schedulers-fifo", 60_000), {"default": [1, 2], "root.default": [], "root": [], "x": []}),
    ],
)
def test_other_schedulers_have_their_own_names(scenario: tuple[str, int], queues: dict[str, list[int]]) -> None:
    """2.7.2's CapacityScheduler knows queues by their last name, 3.4.1's by the path, too; FIFO has one for all."""
    one = asked(*scenario)

    assert {queue: sorted(in_order(one, f"queue={queue}")) for queue in queues} == queues


@pytest.mark.parametrize("recording", ["3.4.1-capacity", "3.4.1-fair-incident", "3.4.1-fair", "3.4.1-fifo"])
def test_real_servers_of_the_later_release_find_by_the_same_rule(recording: str) -> None:
    """Recorded: a queue's whole name finds all that are called so, a short one those that the scheduler has."""
    every = {each.path.rpartition("?")[2]: each for each in exchanges(recording) if "/apps?queue=" in each.path}
    plain = next(each for each in exchanges(recording) if each.path.endswith("/cluster/apps") and not each.label)
    called = [each["id"] for each in plain.json["apps"]["app"] if each["queue"] == "root.adhoc"]
    assert filter_ids(every["queue=root.adhoc"].json) == called

    lives = {each["id"] for each in plain.json["apps"]["app"] if each["state"] in {"ACCEPTED", "RUNNING"}}
    scheduled = [each for each in called if each in lives]
    expected = {"3.4.1-capacity": called, "3.4.1-fifo": []}.get(recording, scheduled)
    assert filter_ids(every["queue=adhoc"].json) == expected


def filter_ids(body: Any) -> list[str]:  # Any: JSON
    return [each["id"] for each in (body["apps"] or {}).get("app", ())]


def test_statistics_count_by_state() -> None:
    """Every state in the order of a server, of any type; states and one type may be chosen."""

    def counted(query: str) -> list[tuple[str, str, int]]:
        items = few().json(f"/appstatistics{query}")["appStatInfo"]["statItem"]
        return [(each["state"], each["type"], each["count"]) for each in items]

    every = {"KILLED": 1, "NEW_SAVING": 0, "NEW": 0, "ACCEPTED": 1, "SUBMITTED": 0, "FAILED": 0}
    every |= {"RUNNING": 1, "FINISHED": 1}
    assert counted("") == [(state, "*", count) for state, count in every.items()]
    assert counted("?states=finished,RUNNING") == [("RUNNING", "*", 1), ("FINISHED", "*", 1)]
    assert counted("?applicationTypes=Tez&states=FINISHED,KILLED") == [("KILLED", "tez", 0), ("FINISHED", "tez", 1)]
    said = few().ask("/appstatistics?applicationTypes=a,b")
    words = "java.lang.Exception: # of applicationTypes = 2, we temporarily support at most one applicationType"
    assert json.loads(said.body)["RemoteException"]["message"] == words


# What a recorded run answers, beside what the real ResourceManager answered at that instant of the same script.

RECORDED = {"2.7.2-fair": ("reservation-deadlock-recorded", 62_200)}
"""Recording → the scenario of the same script, and when its plain questions were asked."""
SAME = ("/info", "/metrics", "/scheduler", "/appstatistics")
"""What is the same to the last figure."""
INEXACT = {
    "lastHealthUpdate",
    "elapsedTime",
    "startedTime",
    "finishedTime",
    "memorySeconds",
    "vcoreSeconds",
    "progress",
}
"""What differs by the milliseconds that the real one took, and how far masters are, which is not simulated."""


@pytest.mark.parametrize("recording", RECORDED)
@pytest.mark.parametrize("path", SAME)
def test_every_figure_is_that_of_the_real_server(recording: str, path: str) -> None:
    name, at_ms = RECORDED[recording]
    assert asked(name, at_ms).json(path) == plain(recording, path).json


@pytest.mark.parametrize("recording", RECORDED)
def test_nodes_are_those_of_the_real_server(recording: str) -> None:
    name, at_ms = RECORDED[recording]
    ours, theirs = asked(name, at_ms).json("/nodes"), plain(recording, "/nodes").json
    assert _without(ours, INEXACT) == _without(theirs, INEXACT)


@pytest.mark.parametrize("recording", RECORDED)
def test_applications_are_those_of_the_real_server(recording: str) -> None:
    """In its order; but for instants, for names numbered by the script, and for asks spread over priorities."""
    name, at_ms = RECORDED[recording]
    ours, theirs = asked(name, at_ms).json("/apps"), plain(recording, "/apps").json
    skipped = {*INEXACT, "name", "resourceRequests"}
    assert _without(ours, skipped) == _without(theirs, skipped)


@pytest.mark.parametrize("recording", RECORDED)
def test_errors_are_those_of_the_real_server(recording: str) -> None:
    name, at_ms = RECORDED[recording]
    one = asked(name, at_ms)
    labelled = [each for each in exchanges(recording) if each.label.startswith(("bad-", "unknown-", "two-"))]
    refused = [each for each in labelled if each.method == "GET" and each.accept == "application/json"]
    for each in refused:
        said = one.ask(each.path)
        assert (said.status, said.content_type) == (each.status, each.type), each.path
        assert not each.text or said.body.decode() == each.text, each.path
    assert len(refused) > 10


@pytest.mark.parametrize("recording", RECORDED)
def test_filters_find_what_the_real_server_finds(recording: str) -> None:
    """Ids of applications and nodes, for every filter that was asked at that time."""
    name, at_ms = RECORDED[recording]
    one = asked(name, at_ms)
    for each in exchanges(recording):
        is_filter = each.method == "GET" and each.status == 200 and "?" in each.path and not each.label
        if is_filter and "/apps?" in each.path and each.t < 64:
            assert filter_ids(one.json(each.path)) == filter_ids(each.json), each.path


def _without(value: Any, names: set[str]) -> Any:  # Any: JSON
    if isinstance(value, dict):
        return {name: _without(each, names) for name, each in value.items() if name not in names}
    return [_without(each, names) for each in value] if isinstance(value, list) else value
