"""Settings of queues that are searched: from what is in force up to the largest that is tried, as they are written."""

from functools import cache

import pytest

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.queue_families import job_tracker_families, queue_families, user_families
from engine.explain.remedy import Family, remedy_sentence
from engine.formats.scenario_toml import loads
from engine.scenario.acts import SetQueueSetting, SetSetting
from tests.engine.explain.stuck import app, at, queue, scene

A = "root.a"
LIMITED = """weight = 2.5
max_resources = "4096 mb, 9 vcores"
min_resources = "1024 mb, 1 vcores"
max_running_apps = 3
max_am_share = 0.29
min_share_preemption_timeout = 30
"""
Row = tuple[str, tuple[int, ...], tuple[int, ...], str, str]
"""(setting, least and largest value, the sentence of each)."""


def rows(families: list[Family]) -> list[Row]:
    found = []
    for family in families:
        low, high = family.make(family.lows), family.make(family.highs)
        found.append((low.setting, family.lows, family.highs, remedy_sentence(low), remedy_sentence(high)))
    return found


@cache
def view(top: str, settings: str, text: str) -> YarnClusterView:
    """A cluster of 20 GB and 32 vcores with two applications."""
    apps = app("one", '{ memory = "1g", duration = "5m" }') + app("two", '{ memory = "1g", duration = "5m" }')
    found = at(scene(text + apps, top=top, settings=settings), 10).control_plane.view()
    assert isinstance(found, YarnClusterView)
    return found


def fair(text: str, settings: str = "") -> list[Row]:
    """The families of the pool `a` of a fair scheduler."""
    return rows(list(queue_families(view('scheduler = "fair-2.7"', settings, text), A)))


def pool(setting: str, lows: tuple[int, ...], highs: tuple[int, ...], low: str, high: str) -> Row:
    return setting, lows, highs, f"set {setting} of root.a to {low}", f"set {setting} of root.a to {high}"


def test_a_pool_may_be_given_more_of_everything_that_is_bounded() -> None:
    """Amounts up to the cluster, applications by as many as there are, shares in hundredths, weights in tenths."""
    assert fair(queue("a", LIMITED)) == [
        pool("maxResources", (4096, 9), (20_480, 32), "4096 mb, 9 vcores", "20480 mb, 32 vcores"),
        pool("maxRunningApps", (3,), (5,), "3", "5"),
        pool("maxAMShare", (28,), (100,), "0.28", "1"),
        pool("maxAMShare", (), (), "-1", "-1"),
        pool("minResources", (1024, 1), (20_480, 32), "1024 mb, 1 vcores", "20480 mb, 32 vcores"),
        pool("weight", (25,), (10_000,), "2.5", "1000"),
        pool("schedulingPolicy", (), (), "fifo", "fifo"),
        pool("schedulingPolicy", (), (), "drf", "drf"),
    ]


PREFIX = "yarn.scheduler.capacity"
CAPACITY = f'"{PREFIX}.root.queues" = "a,b"\n"{PREFIX}.root.a.capacity" = "40"\n"{PREFIX}.root.b.capacity" = "60"\n'


def capacity(scheduler: str, settings: str = "") -> list[Row]:
    """The families of the queue `a` of a capacity scheduler."""
    name = "a" if scheduler == "capacity-2.7" else A
    apps = "".join(app(each, '{ memory = "1g", duration = "5m" }', queue=name) for each in ("one", "two"))
    found = at(scene(apps, top=f'scheduler = "{scheduler}"', settings=CAPACITY + settings), 10).control_plane.view()
    assert isinstance(found, YarnClusterView)
    return rows(list(queue_families(found, A)))


@pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])
def test_a_capacity_queue_may_be_given_more(scheduler: str) -> None:
    """Its largest capacity, its masters' part, its users' limits; what is all already is left."""
    own = "".join(
        f'"{PREFIX}.root.a.{name}" = "{value}"\n'
        for name, value in (
            ("maximum-capacity", "70"),
            ("maximum-am-resource-percent", "0.25"),
            ("user-limit-factor", "1.5"),
            ("minimum-user-limit-percent", "20"),
        )
    )
    found = capacity(scheduler, own)
    orders = [pool("ordering-policy", (), (), "fair", "fair")] if scheduler == "capacity-3.4" else []

    assert found == [
        pool("maximum-capacity", (70,), (100,), "70", "100"),
        pool("maximum-am-resource-percent", (25,), (100,), "0.25", "1"),
        pool("user-limit-factor", (15,), (1000,), "1.5", "100"),
        pool("minimum-user-limit-percent", (20,), (100,), "20", "100"),
        *orders,
    ]


@pytest.mark.parametrize(
    ("value", "families"), [("3", [((3,), (5,))]), ("2147483646", [((2**31 - 2,), (2**31,))]), ("2147483647", [])]
)
def test_a_user_may_run_more_at_a_time(value: str, families: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    key = f"{PREFIX}.user.ann.max-parallel-apps"
    apps = "".join(app(each, '{ memory = "1g", duration = "5m" }', queue=A) for each in ("one", "two"))
    settings = CAPACITY + f'"{key}" = "{value}"\n'
    found = at(scene(apps, top='scheduler = "capacity-3.4"', settings=settings), 10).control_plane.view()
    assert isinstance(found, YarnClusterView)
    user = list(user_families(found, "ann"))

    assert [(each.lows, each.highs) for each in user] == families
    assert [each.make(each.highs).act for each in user] == [SetSetting(key, str(high)) for _, (high,) in families]
    assert {each.kind for each in user} <= {"setting"}


def test_limits_of_a_pool_of_a_job_tracker_may_be_raised() -> None:
    allocations = (
        '<allocations><pool name="gold"><maxMaps>1</maxMaps><maxRunningJobs>1</maxRunningJobs></pool></allocations>'
    )
    job = '[[workload]]\ntype = "mapreduce"\nname = "j"\nuser = "ann"\nqueue = "gold"\nmaps = 4\nmap_duration = "60s"\n'
    text = f"""
duration = "1h"
scheduler = "mr1-fair"
allocations = '{allocations}'
[cluster]
groups = [{{ prefix = "n", count = 2, memory = "8g", vcores = 8 }}]
{job}{job.replace('"j"', '"k"')}"""
    found = at(loads(text, "gold"), 20).control_plane.view()
    assert isinstance(found, JobTrackerView)
    raisable = list(found.task_scheduler.raisable("gold"))
    families = list(job_tracker_families(found, "gold"))

    assert raisable
    assert [(each.lows, each.highs) for each in families] == [((one.now,), (one.most,)) for one in raisable]
    assert [each.make((9,)).act for each in families] == [SetQueueSetting("gold", one.key, "9") for one in raisable]
