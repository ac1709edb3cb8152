"""Every field of applications and their attempts, worked out anew from the simulation that is asked."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from engine.formats.scenario_toml import loads
from engine.model.identity import container_name
from engine.model.ledger import Application
from engine.serve.past import ApplicationPast
from tests.engine.serve.asked import Asked

TEXT = """
name = "fields"
duration = "10m"
scheduler = "{scheduler}"
[settings]
{settings}
[cluster]
nodes = [{{ host = "n1", memory = "6g", vcores = 8, rack = "/r1" }}, {{ host = "n2", memory = "6g", vcores = 8 }}]
{queues}
[[workload]]
type = "scripted"
name = "large"
user = "ann"
queue = "a"
at = 1
tags = ["x", "y"]
application_type = "TEZ"
am = {{ memory = "1g" }}
asks = [{{ memory = "1500m", vcores = 2, count = 5, duration = "20m" }}]
[[workload]]
type = "scripted"
name = "short"
user = "bob"
queue = "b"
at = 2
am = {{ memory = "512m" }}
asks = [{{ memory = "512m", duration = "3s" }}]
[[workload]]
type = "scripted"
name = "no master"
user = "bob"
queue = "b"
at = 60
am = "unmanaged"
waits = true
asks = [
    {{ memory = "4g", count = 2 }},
    {{ memory = "5g", vcores = 3, priority = 4, hosts = ["n1"], relax = false }},
]
[[workload]]
type = "scripted"
name = "crashes"
user = "eve"
queue = "b"
at = 3
outcome = "CRASHED"
am = {{ memory = "512m" }}
asks = [{{ memory = "512m", duration = "1s" }}]
[[workload]]
type = "scripted"
name = "killed"
user = "eve"
queue = "b"
at = 4
am = {{ memory = "512m" }}
waits = true
asks = [{{ memory = "512m" }}]
[[workload]]
type = "scripted"
name = "waits"
user = "eve"
queue = "b"
at = 300
am = {{ memory = "6g" }}
asks = [{{ memory = "1g" }}]
[[script]]
do = "kill"
application = "killed"
at = 40
"""
FAIR = '"yarn.scheduler.fair.preemption" = true\n"yarn.scheduler.fair.preemption.cluster-utilization-threshold" = 0'
POOLS = """
[[queues]]
name = "a"
[[queues]]
name = "b"
min_resources = "9216 mb, 9 vcores"
min_share_preemption_timeout = 5
"""
PREFIX = "yarn.scheduler.capacity.root"
CAPACITY = f"""
"yarn.resourcemanager.scheduler.monitor.enable" = true
"{PREFIX}.queues" = "a,b"
"{PREFIX}.a.capacity" = "20"
"{PREFIX}.b.capacity" = "80"
"{PREFIX}.a.user-limit-factor" = "5"
"{PREFIX}.b.maximum-am-resource-percent" = "1"
"""
SCENES = {
    "fair-2.7": TEXT.format(scheduler="fair-2.7", settings=FAIR, queues=POOLS),
    "fair-3.4": TEXT.format(scheduler="fair-3.4", settings=FAIR, queues=POOLS),
    "capacity-2.7": TEXT.format(scheduler="capacity-2.7", settings=CAPACITY, queues=""),
    "capacity-3.4": TEXT.format(scheduler="capacity-3.4", settings=CAPACITY, queues=""),
}
AT_MS = (30_000, 330_500)


@cache
def scene(scheduler: str, at_ms: int) -> Asked:
    """Applications in every state, some preempted."""
    return Asked(loads(SCENES[scheduler], "fields"), at_ms)


@pytest.fixture(params=[(name, at_ms) for name in SCENES for at_ms in AT_MS], ids=str)
def one(request: pytest.FixtureRequest) -> Asked:
    """Each of them early and late."""
    return scene(*request.param)


def rows(one: Asked) -> Iterator[tuple[dict[str, Any], Application]]:
    """Every answer with its application."""
    for row in one.json("/apps")["apps"]["app"]:
        app = one.served.application(int(row["id"].rpartition("_")[2]))
        assert app is not None
        yield row, app


def test_an_application_says_what_it_is(one: Asked) -> None:
    """Names, states and instants."""
    finals = {"FINISHED": "SUCCEEDED", "FAILED": "FAILED", "KILLED": "KILLED"}
    for row, app in rows(one):
        is_over = app.state in finals
        assert row["id"] == f"application_{one.served.cluster.cluster_timestamp}_{app.number:04d}"
        assert (row["user"], row["name"], row["state"]) == (app.user, app.name, app.state)
        assert row["finalStatus"] == finals.get(app.state, "UNDEFINED")
        assert (row["startedTime"], row["finishedTime"]) == (app.submitted_ms, app.finished_ms or 0)
        assert row["elapsedTime"] == (app.finished_ms or one.served.now_ms) - app.submitted_ms
        assert row["applicationTags"] == ("x,y" if app.name == "large" else "")
        assert row["applicationType"] == ("TEZ" if app.name == "large" else "YARN")
        assert row["trackingUI"] == (
            "History" if is_over else "ApplicationMaster" if app.state == "RUNNING" else "UNASSIGNED"
        )
        assert row["progress"] == (100.0 if is_over else 0.0)


def test_an_application_says_where_to_follow_it(one: Asked) -> None:
    """By the proxy once its master has registered, by a page when it failed, nowhere before."""
    for row, app in rows(one):
        link = {"RUNNING": f"proxy/{row['id']}/", "FINISHED": f"proxy/{row['id']}/", "ACCEPTED": None}
        path = link.get(app.state, f"cluster/app/{row['id']}")
        assert row.get("trackingUrl") == (None if path is None else f"http://rm1:8088/{path}")


def test_an_application_says_where_its_master_is(one: Asked) -> None:
    """One without a master has no such place, nor one that has no container yet."""
    past, timestamp = one.served.past, one.served.cluster.cluster_timestamp
    for row, app in rows(one):
        last = past.of(app.number).attempts[-1]
        if app.am is None or last.first is None:
            assert not {"amContainerLogs", "amHostHttpAddress", "amRPCAddress"} & row.keys()
            assert (row.get("masterNodeId", ""), row.get("launchTime", 0)) == ("", 0)
            continue
        host = last.node.partition(":")[0]
        logs = f"http://{host}:8042/node/containerlogs/{container_name(timestamp, last.first)}/{app.user}"
        assert (row["amHostHttpAddress"], row["amContainerLogs"]) == (f"{host}:8042", logs)
        if one.served.release.is_34:
            assert (row["masterNodeId"], row["launchTime"]) == (last.node, last.launched_ms)
            has_registered = app.state in {"RUNNING", "FINISHED"}
            assert row.get("amRPCAddress") == (f"{host}:40000" if has_registered else None)


def test_an_application_says_what_it_holds(one: Asked) -> None:
    """-1 where it has ended; what it held so far in whole MB-seconds."""
    text = one.ask("/apps").body.decode()
    for row, app in rows(one):
        live = app.attempt
        sizes = [(each.memory_mb, each.vcores, each.created_ms) for each in live.live.values()] if live else []
        memory, vcores = sum(each[0] for each in sizes), sum(each[1] for each in sizes)
        has = (memory, vcores, len(sizes)) if live else (-1, -1, -1)
        assert (row["allocatedMB"], row["allocatedVCores"], row["runningContainers"]) == has
        so_far = [one.served.now_ms - since_ms for *_, since_ms in sizes]
        mb_ms = app.memory_mb_ms + sum(size[0] * held for size, held in zip(sizes, so_far, strict=True))
        vcore_ms = app.vcore_ms + sum(size[1] * held for size, held in zip(sizes, so_far, strict=True))
        assert (row["memorySeconds"], row["vcoreSeconds"]) == (mb_ms // 1000, vcore_ms // 1000)
        if one.served.release.is_34:
            both = [("memory-mb", mb_ms // 1000), ("vcores", vcore_ms // 1000)]
            entries = ",".join(f'"entry":{{"key":"{key}","value":"{value}"}}' for key, value in both)
            assert f'"resourceSecondsMap":{{{entries}}}' in text
            assert row["clusterUsagePercentage"] == pytest.approx(memory * 100 / 12_288, rel=1e-6)
            assert (row["reservedMB"] > 0) == bool(live and live.reserved)


def test_an_application_says_what_was_taken_back(one: Asked) -> None:
    """Masters and others apart, with sizes and times."""
    for row, app in rows(one):
        past = one.served.past.of(app.number)
        masters = {each.first for each in past.attempts}
        taken = past.preempted
        of_masters = sum(each.id in masters for each in taken)
        assert (row["numAMContainerPreempted"], row["numNonAMContainerPreempted"]) == (
            of_masters,
            len(taken) - of_masters,
        )
        assert row["preemptedResourceMB"] == sum(each.memory_mb for each in taken)
        assert row["preemptedResourceVCores"] == sum(each.vcores for each in taken)
        if one.served.release.is_34:
            assert row["preemptedMemorySeconds"] == sum(each.memory_mb * each.held_ms for each in taken) // 1000
            assert row["preemptedVcoreSeconds"] == sum(each.vcores * each.held_ms for each in taken) // 1000
            assert bool(row["preemptedResourceSecondsMap"]) == bool(taken)


@pytest.mark.parametrize("scheduler", SCENES)
def test_something_is_preempted_in_the_scene(scheduler: str) -> None:
    """So that the sums above are of something."""
    past: ApplicationPast = scene(scheduler, AT_MS[1]).served.past
    states = {row["state"] for row, _ in rows(scene(scheduler, AT_MS[1]))}

    assert any(each.preempted for each in past.applications.values())
    assert states >= {"RUNNING", "ACCEPTED", "FINISHED", "KILLED", "FAILED"}


def test_an_application_says_what_it_asks_for(one: Asked) -> None:
    """2.7.2 lists what was met, too; 3.4.1 only what is left."""
    is_34 = one.served.release.is_34
    for row, app in rows(one):
        groups = app.attempt.groups if app.attempt is not None else {}
        asks = [each for group in groups.values() for each in group.by_name.values() if each.count > 0 or not is_34]
        found = sorted(
            (
                each["priority"] if is_34 else each["priority"]["priority"],
                each["resourceName"],
                each["numContainers"],
                each["relaxLocality"],
                each["capability"]["memory"],
                each["capability"]["vCores" if is_34 else "virtualCores"],
                each["nodeLabelExpression"],
            )
            for each in row.get("resourceRequests", [])
        )
        assert found == sorted(
            (
                each.priority,
                each.resource_name,
                each.count,
                each.relax_locality,
                each.memory_mb,
                each.vcores,
                each.partition,
            )
            for each in asks
        )
        assert ("resourceRequests" in row) == bool(asks)


@pytest.mark.parametrize("at_ms", AT_MS)
def test_a_capacity_scheduler_says_what_is_used_pending_and_its_master_s(at_ms: int) -> None:
    """In its partition; no other scheduler has it, nor an application that has ended."""
    one = scene("capacity-3.4", at_ms)
    for row, app in rows(one):
        live = app.attempt
        if live is None:
            assert "resourceInfo" not in row
            continue
        (usage,) = row["resourceInfo"]["resourceUsagesByPartition"]
        asks = [group.anywhere for group in live.groups.values() if group.anywhere is not None]
        pending = (sum(each.memory_mb * each.count for each in asks), sum(each.vcores * each.count for each in asks))
        master = live.live[live.master] if live.master is not None else None
        pairs = {
            "used": (live.used_memory_mb, live.used_vcores),
            "reserved": (live.reserved_memory_mb, live.reserved_vcores),
            "pending": pending,
            "amUsed": (master.memory_mb, master.vcores) if master is not None else (0, 0),
            "amLimit": (0, 0),
            "userAmLimit": (0, 0),
        }
        assert {name: (usage[name]["memory"], usage[name]["vCores"]) for name in pairs} == pairs
        assert usage["partitionName"] == ""
    assert not any("resourceInfo" in row for row, _ in rows(scene("fair-3.4", at_ms)))


@pytest.mark.parametrize("scheduler", ["fair-3.4", "capacity-3.4"])
def test_a_share_of_a_queue_is_of_its_fair_share_where_there_is_one(scheduler: str) -> None:
    """Else of the whole cluster."""
    one = scene(scheduler, AT_MS[1])
    for row, app in rows(one):
        live = app.attempt
        used = 0 if live is None else live.used_memory_mb
        of = 12_288 if live is None or scheduler != "fair-3.4" else getattr(live.queue, "fair_memory_mb", 0)
        assert row["queueUsagePercentage"] == pytest.approx(used * 100 / of if of else 0.0, rel=1e-6)


def test_every_attempt_is_listed(one: Asked) -> None:
    """With its master's container, its node, and when it began; the id is in both forms."""
    is_34, timestamp = one.served.release.is_34, one.served.cluster.cluster_timestamp
    for _, app in rows(one):
        path = f"/apps/{one.served.id_of(app)}/appattempts"
        listed = one.json(path)["appAttempts"]["appAttempt"]
        attempts = one.served.past.of(app.number).attempts
        assert [each["id"] for each in listed] == [each.number for each in attempts]
        for row, known in zip(listed, attempts, strict=True):
            has_master = known.first is not None and app.am is not None
            node = known.node if has_master else ""
            assert row["startTime"] == known.started_ms
            assert row["containerId"] == (container_name(timestamp, known.first) if known.first and has_master else "")
            assert (row["nodeId"], row["blacklistedNodes"]) == (node, "")
            assert row["nodeHttpAddress"] == (f"{node.partition(':')[0]}:8042" if node else "")
            assert bool(row["logsLink"]) == has_master
            if is_34:
                assert (row["finishedTime"], row["appAttemptState"]) == (known.finished_ms, known.state)
                assert row["exportPorts"] == ("null" if has_master else "")
                _check_one(one, f"{path}/{row['appAttemptId']}", row, has_master=has_master)


def _check_one(one: Asked, path: str, listed: dict[str, Any], *, has_master: bool) -> None:
    """An attempt by itself says the same as in the list."""
    alone = one.json(path)
    has_registered = has_master and listed["appAttemptState"] in {"RUNNING", "FINISHED"}
    assert alone["appAttemptId"] == listed["appAttemptId"]
    assert alone.get("amContainerId", "") == listed["containerId"]
    assert alone["host"] == (listed["nodeId"].partition(":")[0] if has_registered else "N/A")
    assert alone["rpcPort"] == ("40000" if has_registered else "-1")
    assert (alone["startedTime"], alone["finishedTime"]) == (str(listed["startTime"]), str(listed["finishedTime"]))


@pytest.mark.parametrize("scheduler", ["fair-3.4", "capacity-3.4"])
def test_the_containers_of_the_attempt_that_lives_are_listed(scheduler: str) -> None:
    """The latest first; none of one that ended, or of an attempt before the last."""
    one = scene(scheduler, AT_MS[1])
    for _, app in rows(one):
        attempts = one.served.past.of(app.number).attempts
        for each in attempts:
            name = f"appattempt_{one.served.cluster.cluster_timestamp}_{app.number:04d}_{each.number:06d}"
            listed = one.json(f"/apps/{one.served.id_of(app)}/appattempts/{name}/containers").get("container", [])
            live = list(app.attempt.live.values()) if app.attempt is not None and each is attempts[-1] else []
            assert [(row["allocatedMB"], row["allocatedVCores"], row["assignedNodeId"]) for row in listed] == [
                (str(known.memory_mb), str(known.vcores), known.node.id) for known in reversed(live)
            ]
            assert [(row["startedTime"], row["elapsedTime"], row["priority"]) for row in listed] == [
                (str(known.created_ms), str(one.served.now_ms - known.created_ms), str(known.priority))
                for known in reversed(live)
            ]
            assert [row["containerState"] for row in listed] == [
                "RUNNING" if known.state == "RUNNING" else "NEW" for known in reversed(live)
            ]
