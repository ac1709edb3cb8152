"""CapacityScheduler of 2.7.2, of which nothing was recorded, beside the scheduler's own view; preemption."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from engine.model.ledger import Attempt
from engine.model.request import Resource
from engine.schedulers.fair.schedulable import FairLeaf
from tests.engine.serve.asked import CLUSTER, Asked, asked, differences, exchanges, plain
from tests.engine.serve.test_applications import AT_MS, SCENES, scene
from tests.engine.serve.test_beans import small

OLD = ("prod-dev-capacity", 60_000)
PREEMPTING = ("prod-dev-capacity-preemption", 180_000)


def leaves(queue: Any) -> Iterator[Any]:  # Any: JSON
    under = queue.get("queues", {}).get("queue", [])
    yield from [queue] if "users" in queue else []
    for each in under:
        yield from leaves(each)


@pytest.mark.parametrize("scenario", [OLD, PREEMPTING])
def test_leaves_say_what_the_scheduler_counts(scenario: tuple[str, int]) -> None:
    """Used, limits of masters, capacities, applications and users."""
    one = asked(*scenario)
    rows = {row.path: row for row in one.served.view.policy.queues() if row.is_leaf}
    found = list(leaves(one.json("/scheduler")["scheduler"]["schedulerInfo"]))

    assert {queue["queuePath"] for queue in found} == rows.keys()
    for queue in found:
        row: Any = rows[queue["queuePath"]]
        assert (queue["resourcesUsed"]["memory"], queue["resourcesUsed"]["vCores"]) == row.used
        assert queue["usedAMResource"]["memory"] == row.am_used[0]
        assert queue["AMResourceLimit"]["memory"] == row.am_limit[0]
        assert queue["usedCapacity"] == pytest.approx(row.used_capacity * 100, rel=1e-6)
        assert queue["numActiveApplications"] + queue["numPendingApplications"] == queue["numApplications"]
        users = queue["users"].get("user", [])
        assert sum(each["resourcesUsed"]["memory"] for each in users) == row.used[0]
        assert isinstance(queue["userLimit"], int)


def test_preempted_containers_are_counted_where_they_were_taken() -> None:
    one = asked(*PREEMPTING)
    apps = one.json("/apps")["apps"]["app"]
    taken = sum(app["numNonAMContainerPreempted"] + app["numAMContainerPreempted"] for app in apps)
    counts = one.served.past.counts.items()

    assert taken > 0
    assert taken == sum(count for (what, _, _), count in counts if what == "AggregateContainersPreempted")
    assert sum(app["preemptedResourceMB"] for app in apps) >= taken


# Figures of capacity queues in answers, worked out from their applications, and numbers in the servers' form.


def queues(one: Asked) -> Iterator[tuple[str, dict[str, Any]]]:
    left = list(one.json("/scheduler")["scheduler"]["schedulerInfo"]["queues"]["queue"])
    while left:
        queue = left.pop()
        yield queue["queuePath"], queue
        left += (queue.get("queues") or {}).get("queue", [])


def attempts(one: Asked, path: str, user: str = "") -> list[Attempt]:
    return [
        app.attempt
        for app in one.served.cluster.applications.values()
        if app.attempt is not None and f"{app.queue}.".startswith(f"{path}.") and user in {"", app.user}
    ]


def masters_of(attempts: list[Attempt]) -> tuple[int, int]:
    """What masters need, whether they have it yet or not: the least container where one is unmanaged."""
    sizes = [each.application.am or Resource(1024, 1) for each in attempts]
    return sum(each.memory_mb for each in sizes), sum(each.vcores for each in sizes)


@pytest.mark.parametrize("at_ms", AT_MS)
def test_usage_of_the_default_partition_is_that_of_the_queue(at_ms: int) -> None:
    """With what its applications ask for, hold as masters and have reserved; leaves say limits, too."""
    one = scene("capacity-3.4", at_ms)
    for path, queue in queues(one):
        mine = attempts(one, path)
        (usage,) = queue["resources"]["resourceUsagesByPartition"]
        asks = [group.anywhere for each in mine for group in each.groups.values() if group.anywhere is not None]
        pending = (sum(each.memory_mb * each.count for each in asks), sum(each.vcores * each.count for each in asks))
        amounts = {
            "used": (sum(each.used_memory_mb for each in mine), sum(each.used_vcores for each in mine)),
            "reserved": (sum(each.reserved_memory_mb for each in mine), sum(each.reserved_vcores for each in mine)),
            "pending": pending,
            "amUsed": masters_of(mine),
        }
        assert {name: (usage[name]["memory"], usage[name]["vCores"]) for name in amounts} == amounts
        assert (queue["mode"], queue["usedAMResource"]) == ("percentage", usage["amUsed"])
        assert queue["AMResourceLimit"] == usage["amLimit"]
        (capacity,) = queue["capacities"]["queueCapacitiesByPartition"]
        for name in ("capacity", "usedCapacity", "maxCapacity", "absoluteCapacity", "absoluteUsedCapacity"):
            assert capacity[name] == queue[name]
        assert queue["absoluteUsedCapacity"] == pytest.approx(amounts["used"][0] * 100 / 12_288, rel=1e-6)
        guaranteed_mb = queue["minEffectiveCapacity"]["memory"]
        assert queue["usedCapacity"] == pytest.approx(amounts["used"][0] * 100 / guaranteed_mb, rel=1e-6)


# Every figure of fair queues in answers, and of the cluster as a whole, worked out from applications and nodes.

FAIR = [(name, at_ms) for name in ("fair-2.7", "fair-3.4") for at_ms in AT_MS]


def rows(queue: Any, is_34: bool) -> Iterator[Any]:  # Any: JSON
    """A queue and all below it; of a repeated name 2.7.2's readers keep the last."""
    yield queue
    under: Any = queue.get("childQueues") or []
    children: list[Any] = under["queue"] if is_34 and under else under if isinstance(under, list) else [under]
    for each in children:
        yield from rows(each, is_34)


def fair_attempts(one: Asked, path: str) -> list[Attempt]:
    return [
        app.attempt
        for app in one.served.cluster.applications.values()
        if app.attempt is not None and f"{app.queue}.".startswith(f"{path}.")
    ]


@pytest.mark.parametrize(("scheduler", "at_ms"), FAIR)
def test_leaves_count_who_waits_for_a_first_container(scheduler: str, at_ms: int) -> None:
    """Those that are held back wait, too; all others are active. Only leaves count masters."""
    one = scene(scheduler, at_ms)
    policy, is_34 = one.served.fair, scheduler == "fair-3.4"
    assert policy is not None
    for row in rows(one.json("/scheduler")["scheduler"]["schedulerInfo"]["rootQueue"], is_34):
        queue = policy.tree.queues[row["queueName"]]
        mine = fair_attempts(one, row["queueName"])
        if isinstance(queue, FairLeaf):
            waiting = sum(each.master is None and not each.live for each in mine)
            assert (row["numPendingApps"], row["numActiveApps"]) == (waiting, len(mine) - waiting)
        else:
            assert not {"numPendingApps", "numActiveApps"} & row.keys()
        if is_34:
            assert row["pendingContainers"] == sum(each.pending for each in mine)
            assert row["allocatedContainers"] == sum(len(each.live) for each in mine)
            assert row["reservedContainers"] == sum(len(each.reserved) for each in mine)
            masters = [each.live[each.master] for each in mine if each.master is not None]
            held = sum(each.memory_mb for each in masters) if isinstance(queue, FairLeaf) else 0
            assert row["amUsedResources"]["memory"] == held
            assert row["amMaxResources"]["memory"] == policy.max_am_resource(queue)[0]


@pytest.mark.parametrize("scheduler", SCENES)
@pytest.mark.parametrize("at_ms", AT_MS)
def test_the_cluster_is_summed_up(scheduler: str, at_ms: int) -> None:
    """What is available, allocated, reserved and asked for adds up to what there is."""
    one = scene(scheduler, at_ms)
    found = one.json("/metrics")["clusterMetrics"]
    cluster = one.served.cluster
    living = [app.attempt for app in cluster.applications.values() if app.attempt is not None]
    used = (sum(each.used_memory_mb for each in living), sum(each.used_vcores for each in living))
    reserved = (sum(each.reserved_memory_mb for each in living), sum(each.reserved_vcores for each in living))
    is_capacity = scheduler.startswith("capacity")
    taken = reserved if is_capacity else (0, 0)
    apart = reserved if scheduler == "capacity-2.7" else (0, 0)

    assert (found["allocatedMB"], found["allocatedVirtualCores"]) == used
    assert (found["reservedMB"], found["reservedVirtualCores"]) == reserved
    assert found["availableMB"] == cluster.total_memory_mb - used[0] - taken[0]
    assert found["availableVirtualCores"] == cluster.total_vcores - used[1] - taken[1]
    assert found["totalMB"] == cluster.total_memory_mb - apart[0]
    assert found["totalVirtualCores"] == cluster.total_vcores - apart[1]
    assert found["containersAllocated"] == sum(len(each.live) for each in living)
    assert found["containersReserved"] == sum(len(each.reserved) for each in living)
    assert found["containersPending"] == sum(each.pending for each in living)
    waiting = sum(each.master is None and not each.live for each in living)
    assert (found["appsPending"], found["appsRunning"]) == (waiting, len(living) - waiting)
    assert (found["totalNodes"], found["activeNodes"], found["lostNodes"]) == (2, 2, 0)
    counts = one.served.past.counts
    for field, what in (("appsSubmitted", "AppsSubmitted"), ("appsKilled", "AppsKilled"), ("appsFailed", "AppsFailed")):
        assert found[field] == sum(count for (name, _, _), count in counts.items() if name == what)


# The shape of answers of simulations beside recorded ones: names, order, types. Differences are listed.

PAIRS = {
    ("reservation-deadlock-recorded", 62_200): "2.7.2-fair",
    ("reservation-deadlock-recorded-3.4", 62_200): "3.4.1-fair-incident",
    ("prod-dev-fair-3.4", 120_000): "3.4.1-fair",
    ("node-labels-capacity-3.4", 60_000): "3.4.1-capacity",
    ("prod-dev-capacity-preemption-3.4", 120_000): "3.4.1-capacity",
}
"""(scenario, instant) → a recording of the same scheduler."""

DIFFERENCES = {
    ("node-labels-capacity-3.4", "/scheduler"): [".scheduler.schedulerInfo.queues.queue[].nodeLabels: not there"]
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


# Kill, move, priority and submission, beside what real servers answered.


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


# Answers as XML, beside those a real server wrote at that instant.

ACT_MS = 65_600
INEXACT = re.compile(
    r"<(lastHealthUpdate|elapsedTime|startedTime|finishedTime|memorySeconds|vcoreSeconds|name|progress)>[^<]*<"
)
REQUESTS = re.compile(r"(<resourceRequests>.*?</resourceRequests>)+")


@pytest.mark.parametrize("path", ["/info", "/metrics", "/scheduler", "/nodes", "/apps?states=RUNNING"])
def test_xml_is_that_of_the_real_server(path: str) -> None:
    real = next(each for each in exchanges("2.7.2-fair") if each.path.endswith(path) and each.label == "xml")
    said = asked("reservation-deadlock-recorded", ACT_MS).ask(path, accept="application/xml")

    assert said.content_type == real.type
    assert _exact(said.body.decode()) == _exact(real.text)


def _exact(text: str) -> str:
    return REQUESTS.sub("", INEXACT.sub(r"<\1><", text))


@pytest.mark.parametrize(
    ("path", "words"), [("/metrics", "3.4.1-fair-incident"), ("/scheduler", "3.4.1-fair-incident")]
)
def test_elements_are_those_of_the_later_server(path: str, words: str) -> None:
    real = next(each for each in exchanges(words) if each.path.endswith(path) and each.label == "xml")
    said = asked("reservation-deadlock-recorded-3.4", ACT_MS).ask(path, accept="application/xml")

    assert said.content_type == real.type
    assert re.findall(r"<[^/][^>]*>", said.body.decode()) == re.findall(r"<[^/][^>]*>", real.text)
