"""Limits of the capacity scheduler of 3.4: parallel applications, users, leaves, submissions."""

import json
from typing import Any

import pytest

from engine.control_plane.protocol import (
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationSubmitted,
    Ask,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit
from tests.build.capacity import CAPACITY, SETTINGS, changed, properties

LIMIT = "max-parallel-apps"


def manager(**limits: str) -> ResourceManager:
    """With the queues a, p.x and p.y; limits by their keys with `__` for dots."""
    more = {f"{CAPACITY}{key.replace('__', '.')}.{LIMIT}": text for key, text in limits.items()}
    return resource_manager("capacity-3.4", settings={**SETTINGS, **more})


def submitted(rm: ResourceManager, *applications: str) -> list[int]:
    """Applications that ask for a container, a second after each other, from `user queue`."""
    numbers = []
    for place, each in enumerate(applications):
        user, _, queue = each.partition(" ")
        answer = rm.handle(ApplicationSubmitted(user, queue), START_MS + 1000 * place)
        assert answer.application is not None
        numbers.append(answer.application)
        ask(rm, answer.application, 1)
    return numbers


def running(rm: ResourceManager, numbers: list[int]) -> list[bool]:
    return [getattr(attempt_of(rm, number), "runnable", True) for number in numbers]


@pytest.mark.parametrize(
    ("limits", "numbers", "subject"),
    [
        ({"root__p__x": "1"}, (1, 1), "queue root.p.x"),
        ({"root__p": "1"}, (1, 1), "queue root.p"),
        ({"root__p": "1", "root": "1"}, (1, 1), "queue root.p"),
        ({"user__ann": "1"}, (1, 1), "user ann"),
        ({"user": "0"}, (0, 0), "user ann"),
    ],
)
def test_the_limit_that_parks_is_named(limits: dict[str, str], numbers: tuple[int, int], subject: str) -> None:
    rm = manager(**limits)
    _, parked = submitted(rm, "ann x", "ann x")
    found = rm.scheduler.policy.obstacle(attempt_of(rm, parked))
    assert found == Obstacle(Reason.QUEUE_NOT_RUNNING_IT, numbers, subject)


def test_the_masters_of_a_user_are_named_with_their_limit() -> None:
    limits = {"root__default__user_limit_factor": "0.25", "maximum_am_resource_percent": "0.5"}
    rm = resource_manager("capacity-3.4", settings=properties(limits))
    _, waiting = submit(rm, am_mb=2048), submit(rm, am_mb=2048)
    heartbeat(rm)
    found = rm.scheduler.policy.obstacle(attempt_of(rm, waiting))
    assert found == Obstacle(Reason.USER_AM_SHARE_EXHAUSTED, (2048, 3072, 2048), "ann")


@pytest.mark.parametrize(("node", "reason"), [(1, Reason.LOCALITY_NOT_RELAXED), (2, None)])
def test_an_ask_that_insists_on_a_host_is_turned_down_by_the_others(node: int, reason: Reason | None) -> None:
    rm = resource_manager("capacity-3.4")
    number = submit(rm)
    asks = tuple(Ask(1, name, 1024, 1, 1, relax_locality=False) for name in ("n2", "/r1", "*"))
    rm.handle(ApplicationMasterHeartbeat(number, asks), START_MS)
    found = rm.scheduler.policy.obstacle_on(attempt_of(rm, number), rm.cluster.nodes[f"n{node}:1"], START_MS)
    assert (found and found.reason) == reason


def test_whoever_came_first_has_the_next_turn() -> None:
    rm = manager(root__a="1")
    numbers = submitted(rm, "ann a", "bob a", "cy a")
    rm.handle(ApplicationFinished(numbers[0], "FINISHED"), START_MS + 9000)
    assert running(rm, numbers[1:]) == [True, False]
    rm.handle(ApplicationFinished(numbers[1], "FINISHED"), START_MS + 9000)
    assert running(rm, numbers[2:]) == [True]


@pytest.mark.parametrize(
    ("limit", "expected"), [("1", [True, False, False]), ("2", [True, True, False]), ("9", [True] * 3)]
)
def test_a_raised_limit_lets_as_many_go_on(limit: str, expected: list[bool]) -> None:
    rm = manager(root__a="1")
    numbers = submitted(rm, "ann a", "bob a", "cy a")
    assert rm.handle(SettingsChanged({f"{CAPACITY}root.a.{LIMIT}": limit}), START_MS + 9000).rejected == ""
    assert running(rm, numbers) == expected


# How long a cluster may look still before the preemption monitor acts.

POLICY = "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy"
MONITOR = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    "yarn.resourcemanager.scheduler.monitor.policies": POLICY,
    "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval": "2000",
    "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill": "7000",
}
BALANCE = "yarn.resourcemanager.monitor.capacity.preemption.preemption-to-balance-queue-after-satisfied."


@pytest.mark.parametrize(
    ("settings", "longest_ms"),
    [
        ({}, 0),
        (MONITOR, 2 * 7000 + 2000),
        ({**MONITOR, f"{BALANCE}enabled": "true", f"{BALANCE}max-wait-before-kill": "9000"}, 2 * 9000 + 2000),
    ],
)
def test_the_longest_wait_is_from_a_mark_to_a_kill(settings: dict[str, str], longest_ms: int) -> None:
    """Nothing waits for time without the monitor; with it, twice the longest wait before a kill and one interval."""
    rm = resource_manager("capacity-3.4", settings=settings)

    assert rm.scheduler.policy.longest_timer_ms() == longest_ms


# What capacity-3.4 refuses, with its words: submissions that no queue takes, and files that cannot be loaded anew.


def submission_manager(**more: str) -> ResourceManager:
    """A cluster of the queues a, p.x and p.y, which is stopped, with further properties of `root.…`."""
    return resource_manager("capacity-3.4", settings={**SETTINGS, **properties(more)})


def submission_submitted(rm: ResourceManager, queue: str, user: str = "ann") -> str:
    """The words with which a submission is refused; empty when it is taken."""
    answer = rm.handle(ApplicationSubmitted(user, queue), START_MS)
    assert answer.rejected in ("", "APP_REJECTED")
    return answer.detail


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        ("a", ""),
        ("x", ""),
        ("root.p.x", ""),
        ("gone", "there is no queue gone"),
        ("a..b", "there is no queue a..b"),
        (".a", "there is no queue .a"),
        ("root.gone", "queues are not created below root"),
        ("p", "root.p is not a leaf"),
        ("root.p", "root.p is not a leaf"),
        ("y", f"root.p.y is STOPPED ({CAPACITY}root.p.y.state = STOPPED)"),
    ],
)
def test_an_application_needs_a_leaf_that_runs(queue: str, words: str) -> None:
    assert submission_submitted(submission_manager(), queue) == words


def test_a_leaf_takes_so_many_applications() -> None:
    """And so many of one user: half of them, where a user may have half of the queue."""
    rm = submission_manager(root__a__maximum_applications="2")
    key = f"{CAPACITY}root.a.maximum-applications = 2"
    assert [submission_submitted(rm, "a", user) for user in ("ann", "ann", "bob", "cy")] == [
        "",
        f"ann has 1 applications in root.a already (1 by {key} and the user limit)",
        "",
        f"root.a has 2 applications already ({key})",
    ]


def paths(rm: ResourceManager) -> list[str]:
    return [row.path for row in rm.scheduler.policy.view().queues()]


@pytest.mark.parametrize(
    ("more", "key", "words"),
    [
        ({"root__queues": "p", "root__p__capacity": "100"}, "root.a.state", "it cannot be removed while RUNNING"),
        (
            {"root__a__queues": "z", "root__a__z__capacity": "100"},
            "root.a.state",
            "a leaf cannot become a parent while RUNNING",
        ),
        (
            {"root__p__auto_create_child_queue__enabled": "true"},
            "root.p.auto-create-child-queue.enabled",
            "a parent cannot begin or cease to create queues",
        ),
        (
            {"root__a__maximum_allocation_mb": "4096"},
            "root.a.maximum-allocation-mb",
            "the maximum (8192, 4) cannot be decreased to (4096, 4)",
        ),
        (
            {"root__a__maximum_allocation_vcores": "3"},
            "root.a.maximum-allocation-mb",
            "the maximum (8192, 4) cannot be decreased to (8192, 3)",
        ),
        ({"root__a__capacity": "60"}, "root.queues", "the capacities of its queues add up to 110 % instead of 100"),
    ],
)
def test_a_file_that_cannot_be_loaded_changes_nothing(more: dict[str, str], key: str, words: str) -> None:
    rm = submission_manager()
    before = rm.scheduler.policy.view().queues()
    assert changed(rm, **more) == ("IOException", f"{CAPACITY}{key}: {words}")
    assert rm.scheduler.policy.view().queues() == before


# Rules that place applications in the capacity scheduler of 3.4: what is refused when it starts, and why.


MAPPINGS, NAMES, FORMAT, JSON = (
    "queue-mappings",
    "yarn.scheduler.queue-placement-rules.app-name",
    "mapping-rule-format",
    "mapping-rule-json",
)

QUEUES = {
    f"{CAPACITY}{key}": value
    for key, value in {
        "root.queues": "a,p,m,d",
        "root.a.capacity": "25",
        "root.p.capacity": "25",
        "root.p.queues": "x",
        "root.p.x.capacity": "100",
        "root.m.capacity": "25",
        "root.m.auto-create-child-queue.enabled": "true",
        "root.m.leaf-queue-template.capacity": "10",
        "root.d.capacity": "25",
        "root.d.queues": "y",
        "root.d.y.capacity": "100",
    }.items()
}
"""Leaves a, p.x and d.y; below m leaves are made."""


def refused(more: dict[str, str]) -> tuple[str, list[tuple[str, str]]]:
    """The exception, and (key, message) of each problem; nothing where a scheduler starts."""
    try:
        resource_manager(
            "capacity-3.4",
            settings={
                **QUEUES,
                **{key if key.startswith("yarn") else f"{CAPACITY}{key}": text for key, text in more.items()},
            },
        )
    except ConfigError as error:
        return error.kind, [(one.key.removeprefix(CAPACITY), one.message) for one in error.problems]
    return "", []


def by_json(*rules: Any) -> dict[str, str]:
    return {FORMAT: "json", JSON: json.dumps({"rules": rules})}


def rule(**fields: Any) -> dict[str, Any]:
    return {"type": "user", "matches": "*", "policy": "user", "parentQueue": "root.m", **fields}


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        (MAPPINGS, "u:ann", "'u:ann' is not a mapping"),
        (MAPPINGS, "u:ann:a:b", "'u:ann:a:b' is not a mapping"),
        (MAPPINGS, "u: :a", "'u: :a' is not a mapping"),
        (MAPPINGS, "u:a: ", "'u:a:' is not a mapping"),
        (MAPPINGS, "x:ann:a", "'x' is neither u nor g"),
        (NAMES, "etl", "'etl' is not a mapping"),
        (NAMES, "etl:a:b", "'etl:a:b' is not a mapping"),
        (FORMAT, "xml", "'xml' is neither legacy nor json"),
    ],
)
def test_a_mapping_that_is_none_is_refused(key: str, text: str, message: str) -> None:
    assert refused({key: text}) == ("IllegalArgumentException", [(key, message)])


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (7, "a rule is not an object"),
        (rule(policy=""), "a rule has no policy"),
        ({"policy": "user", "matches": "*"}, "a rule has no type"),
        ({"policy": "user", "type": "user"}, "a rule has no matches"),
        (rule(policy="guess"), "there is no policy 'guess'"),
        (rule(type="host"), "'host' is not a type of rule"),
        (rule(type="group"), "a rule for groups cannot match *"),
        (rule(policy="custom"), "a custom rule has no customPlacement"),
        (rule(policy="setDefaultQueue"), "a setDefaultQueue rule has no value"),
        (rule(fallbackResult="wait"), "'wait' is not a fallbackResult"),
    ],
)
def test_a_rule_that_is_none_is_refused_alone(found: Any, message: str) -> None:
    one = rule(matches="ann")
    assert refused(by_json(one, found, one)) == ("IllegalArgumentException", [(JSON, message)])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"rules": [', "JsonEOFException"),
        ('{"rules": [}', "JsonParseException"),
        ('{"rules": NaN}', "JsonParseException"),
        ("[1]", "MismatchedInputException"),
    ],
)
def test_what_is_no_json_is_refused_as_by_the_parser(text: str, kind: str) -> None:
    found, problems = refused({FORMAT: "json", JSON: text})
    assert (found, [key for key, _ in problems]) == (kind, [JSON])


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("a", ""),
        ("root.p", "it is not a leaf"),
        ("", "the path is empty"),
        ("root..a", "a part is empty"),
        ("%user", ""),
        ("m.%user", ""),
        ("p.%user", ""),
        ("a.%user", "a leaf has no queues below it"),
        ("gone.%user", "its first part 'gone' does not exist"),
        ("m.new.%user", ""),
        ("p.new.%user", "no parent on the path could have such a queue"),
        ("p.new.other.%user", "no parent on the path could have such a queue"),
    ],
)
def test_a_target_has_to_be_one_that_could_be_there(target: str, problem: str) -> None:
    """As far as it has no variables; the key of the refusal is that of the rule's form."""
    found = rule(policy="custom", customPlacement=target, fallbackResult="skip")
    for key, more in ((MAPPINGS, {MAPPINGS: f"u:ann:{target}"}), (JSON, by_json(found))):
        if target or key == JSON:
            assert refused(more) == (("YarnException", [(key, f"{target!r}: {problem}")]) if problem else ("", []))
