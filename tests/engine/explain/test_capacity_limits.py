"""The limits of CapacityScheduler: each is named with its property and value, and with its pattern."""

import pytest

from engine.explain.explainers import explainer_of
from engine.explain.remedy import remedy_sentence
from engine.explain.remedy_search import RemedySearch
from engine.formats.scenario_toml import load
from engine.incremental import run_to_end
from engine.scenario import Scenario
from engine.scenario.acts import MoveApplication
from engine.schedulers.interface import Setting
from tests.engine.explain.stuck import app, at, numbers, scene, why

P = "yarn.scheduler.capacity"
QUEUES = {"root.queues": "a,b", "root.a.capacity": "40", "root.b.capacity": "60"}
WIDE = app("wide", '{ memory = "1g", count = 30 }', queue="a", waits=False)
MASTER = app("small", '{ memory = "1g" }', queue="a", am='{ memory = "1g" }')
IDLE = MASTER.replace('asks = [{ memory = "1g" }', 'asks = [{ memory = "12g" }')
"""A master that is given nothing, as no node is so large."""


def capacity(era: str, workload: str, properties: dict[str, str]) -> Scenario:
    """Two nodes of 10 GB, the queues `a` with 40 % and `b`, and some properties more."""
    lines = "\n".join(f'"{P}.{key}" = "{value}"' for key, value in {**QUEUES, **properties}.items())
    return scene(workload, top=f'scheduler = "{era}"', settings=lines)


LIMITS: dict[str, tuple[str, dict[str, str], int, Setting, str]] = {
    "queue maximum": (
        WIDE,
        {"root.a.maximum-capacity": "50", "root.a.user-limit-factor": "10"},
        1,
        Setting(f"{P}.root.a.maximum-capacity", "50"),
        "queue limit",
    ),
    "user limit factor": (WIDE, {}, 1, Setting(f"{P}.root.a.user-limit-factor", "1"), "user limit"),
    "user limit percent": (
        WIDE + app("too large", '{ memory = "12g" }', queue="a", user="bob"),
        {"root.a.user-limit-factor": "10", "root.a.minimum-user-limit-percent": "20"},
        1,
        Setting(f"{P}.root.a.minimum-user-limit-percent", "20"),
        "user limit",
    ),
    "AM limit of the queue": (
        MASTER * 3,
        {"maximum-am-resource-percent": "0.05"},
        3,
        Setting(f"{P}.maximum-am-resource-percent", "0.05"),
        "AM limit",
    ),
    "AM limit of a user": (
        IDLE * 4,
        {"root.a.maximum-am-resource-percent": "0.5", "root.a.user-limit-factor": "0.5"},
        4,
        Setting(f"{P}.root.a.maximum-am-resource-percent", "0.5"),
        "AM limit",
    ),
}
"""Limit → workload, properties, the application that waits, the setting behind it, the pattern."""


@pytest.mark.parametrize("era", ["capacity-2.7", "capacity-3.4"])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_is_named_with_its_property_and_value(era: str, limit: str) -> None:
    workload, properties, number, setting, pattern = LIMITS[limit]
    answer = why(capacity(era, workload, properties), 20, number)

    assert setting in [row.decided_by for row in answer.reasons]
    assert answer.pattern == pattern


@pytest.mark.parametrize("name", ["node-labels-capacity", "node-labels-capacity-3.4"])
def test_a_partition_the_queue_may_not_use_is_named_with_its_property(name: str) -> None:
    """The list of labels of the queue, here an empty one; where the partition lends, nothing is in the way."""
    rows = run_to_end(explainer_of(at(load(name), 30)).obstacles(2))
    (row,) = [row for row in rows if row.code == "LABEL_NOT_ACCESSIBLE"]

    assert (row.count, row.subject) == (2, "root.office")
    assert row.decided_by == Setting(f"{P}.root.office.accessible-node-labels", "no label")
    assert why(load("node-labels-capacity-3.4-twin"), 30, 2).reasons == ()


def test_a_limit_on_parallel_applications_is_named_with_its_property() -> None:
    for key, subject in (("root.a.max-parallel-apps", "queue root.a"), ("user.max-parallel-apps", "user ann")):
        answer = why(capacity("capacity-3.4", MASTER * 2, {key: "1", "maximum-am-resource-percent": "1"}), 20, 2)

        assert (answer.reasons[0].subject, answer.reasons[0].decided_by) == (subject, Setting(f"{P}.{key}", "1"))


def test_who_shares_a_user_with_a_parked_application_would_start_alone() -> None:
    """The scheduler forgets the user of a parked application that is killed, so that one is left there."""
    held = app("held", '{ memory = "9g", count = 2 }', queue="b", user="bob")
    pair = app("some", '{ memory = "1g", count = 3 }', queue="a") + app("parked", '{ memory = "1g" }', queue="a", at=2)
    limits = {"root.a.max-parallel-apps": "1", "root.b.user-limit-factor": "10"}
    answer = why(capacity("capacity-3.4", held + pair, limits), 20, 2)

    assert (answer.verdict, numbers(holder.application for holder in answer.holders)) == ("blocked", [1])


def test_a_full_queue_above_its_own_says_what_the_application_needs() -> None:
    """Not what a smallest container takes, which is all the scheduler looks at there."""
    properties = {
        "root.a.queues": "x,y",
        "root.a.x.capacity": "50",
        "root.a.y.capacity": "50",
        "root.a.maximum-capacity": "40",
        "root.a.x.user-limit-factor": "10",
        "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
    }
    wide = app("wide", '{ memory = "1g", count = 30 }', queue="x", waits=False)
    late = app("late", '{ memory = "3g" }', queue="y", at=10, user="bob")
    answer = why(capacity("capacity-2.7", wide + late, properties), 20, 2)

    assert answer.reasons[0].sentence == ("queue root.a uses 8192 MB of its maximum 8192 MB, this one needs 3072 MB")


def test_a_queue_that_one_more_would_take_over_its_maximum_is_named_and_no_other() -> None:
    """What is reserved counts as used, so the root has no room for what the second node has; its own queue has."""
    places = 'hosts = ["n1"], relax = false'
    asks = f'{{ memory = "5g", {places} }}, {{ memory = "7g", priority = 2, {places} }}'
    late = app("late", '{ memory = "9g" }', queue="a", at=10, user="bob")
    properties = {
        "root.a.user-limit-factor": "10",
        "root.b.user-limit-factor": "10",
        "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
    }
    answer = why(capacity("capacity-3.4", app("held", asks, queue="b", waits=False) + late, properties), 20, 2)

    sentence = "queue root uses 12288 MB of its maximum 20480 MB, this one needs 9216 MB"
    assert sentence in [row.sentence for row in answer.reasons]


@pytest.mark.parametrize("era", ["capacity-2.7", "capacity-3.4"])
def test_amounts_leave_out_vcores_that_nobody_counts(era: str) -> None:
    answer = why(capacity(era, WIDE, {}), 20, 1)

    assert answer.reasons[0].sentence == "user ann uses 9216 MB of a limit of 8192 MB in the queue"
    assert answer.reasons[0].numbers == {"used_mb": 9216, "maximum_mb": 8192}


def test_who_is_held_back_by_the_user_limit_waits_for_the_users_own_applications() -> None:
    bob = app("other", '{ memory = "1g" }', queue="a", user="bob")
    second = app("second", '{ memory = "1g" }', queue="a", at=10)
    properties = {"root.a.user-limit-factor": "0.5", "maximum-am-resource-percent": "1"}
    answer = why(capacity("capacity-2.7", WIDE + bob + second, properties), 20, 3)

    assert answer.pattern == "user limit"
    assert numbers(holder.application for holder in answer.holders) == [1]


@pytest.mark.parametrize(
    ("name", "seconds", "number", "remedy"),
    [
        ("capacity-am-limit", 60, 4, "set maximum-am-resource-percent of root.default to 0.11"),
        ("head-of-line-capacity-3.4", 20, 2, "set ordering-policy of root.default to fair"),
    ],
)
def test_one_setting_is_a_remedy(name: str, seconds: int, number: int, remedy: str) -> None:
    """The least value of a limit that starts a master, and the other order of a leaf."""
    remedies = RemedySearch(at(load(name), seconds), (number,)).answer()

    assert remedy in [remedy_sentence(trial.remedy) for trial in remedies.ranked]


def test_a_queue_of_2_7_is_moved_to_by_the_name_it_has_there() -> None:
    """The last part of its path; the application starts in the other queue at once."""
    remedies = RemedySearch(at(load("capacity-user-limit"), 30), (1,)).answer()
    every = [trial.remedy for trial in (*remedies.ranked, *remedies.useless)]

    assert [each.act for each in every if each.kind == "move"] == [MoveApplication(1, "etl")]
