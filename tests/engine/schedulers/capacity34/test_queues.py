"""Queues of the capacity scheduler of 3.4: set up, made by submissions, reloaded, managed."""

from typing import Any

import pytest

from engine.control_plane.protocol import ApplicationFinished, ApplicationSubmitted, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from tests.build import START_MS, resource_manager, submit
from tests.build.capacity import CAPACITY, changed
from tests.engine.schedulers.capacity34.test_limits import paths
from tests.engine.schedulers.capacity34.test_limits import submission_manager as manager
from tests.engine.schedulers.capacity34.test_limits import submission_submitted as submitted


def states(rm: ResourceManager) -> dict[str, str]:
    return {row.path: getattr(row, "state", "") for row in rm.scheduler.policy.view().queues()}


def test_a_queue_that_is_stopped_drains_while_it_has_applications() -> None:
    """With those below it; they stop with their last one, and run again when it does."""
    rm = manager()
    number = submit(rm, "x")
    assert states(rm) == {
        "root": "RUNNING",
        "root.a": "RUNNING",
        "root.p": "RUNNING",
        "root.p.x": "RUNNING",
        "root.p.y": "STOPPED",
    }
    assert changed(rm, root__p__state="STOPPED") == ("", "")
    assert [states(rm)[path] for path in ("root.p", "root.p.x", "root.p.y")] == ["DRAINING", "DRAINING", "STOPPED"]
    rm.handle(ApplicationFinished(number, "FINISHED"), START_MS)
    assert [states(rm)[path] for path in ("root.p", "root.p.x", "root.p.y")] == ["STOPPED"] * 3
    assert changed(rm, root__p__state="RUNNING", root__p__x__state="RUNNING") == ("", "")
    assert [states(rm)[path] for path in ("root.p", "root.p.x", "root.p.y")] == ["RUNNING", "RUNNING", "STOPPED"]


def test_a_queue_below_a_stopped_one_is_stopped() -> None:
    rm = manager(root__p__state="STOPPED")
    assert [states(rm)[path] for path in ("root.p", "root.p.x")] == ["STOPPED", "STOPPED"]
    refused, words = changed(rm, root__p__x__state="RUNNING")
    assert refused == "IOException"
    assert words == f"{CAPACITY}root.p.x.state: a queue cannot run below one that is stopped"


LABELS = {"root__a__capacity": "[memory=12288,vcores=12]", "root__p__capacity": "[memory=12288,vcores=12]"}
BELOW = {
    "root__p__x__capacity": "[memory=6144,vcores=6]",
    "root__p__y__capacity": "[memory=6144,vcores=6]",
    "root__a__maximum_capacity": "[memory=12288,vcores=12]",
}


@pytest.mark.parametrize(
    ("more", "key", "words"),
    [
        ({"root__a__capacity": "1w"}, "root.queues", "its queues mix percent and weight"),
        (LABELS, "root.p.capacity", ""),
        (
            {**LABELS, **BELOW, "root__p__x__capacity": "[memory=6145,vcores=6]"},
            "root.p.capacity",
            "(12288, 12) is less than the (12289, 12) of its queues",
        ),
        (
            {**LABELS, **BELOW, "root__a__maximum_capacity": "[memory=12287,vcores=12]"},
            "root.a.maximum-capacity",
            "(12288, 12) is above its maximum (12287, 12)",
        ),
        (
            {
                **LABELS,
                **BELOW,
                "root__p__maximum_capacity": "[memory=12288,vcores=12]",
                "root__p__x__maximum_capacity": "[memory=12289,vcores=12]",
            },
            "root.p.x.maximum-capacity",
            "(12289, 12) is above its parent's maximum (12288, 12)",
        ),
        (
            {"root__p__x__capacity": "0", "root__p__y__capacity": "0"},
            "root.p.queues",
            "its queues have no capacity, but it has",
        ),
        (
            {"root__p__capacity": "0", "root__a__capacity": "100", "root__a__maximum_capacity": "100"},
            "root.p.queues",
            "its queues have capacity, but it has none",
        ),
        (
            {"root__p__x__capacity": "50.06"},
            "root.p.queues",
            "the capacities of its queues add up to 100.06 % instead of 100",
        ),
        ({"root__p__ordering_policy": "lifo"}, "root.p.ordering-policy", "there is no class 'lifo' that orders queues"),
        ({"root__a__reservable": "true", "root__a__maximum_capacity": "40"}, "root.a.maximum-capacity", ""),
    ],
)
def test_capacities_go_together(more: dict[str, str], key: str, words: str) -> None:
    """Of one kind among siblings, within maxima, and adding up; the place is named."""
    refused, found = changed(manager(), **more)
    assert refused == "IOException"
    assert f"{CAPACITY}{key}" in found or not words
    assert words in found


@pytest.mark.parametrize(
    "more",
    [
        {**LABELS, **BELOW},
        {"root__p__x__capacity": "50.04"},
        {"root__p__x__capacity": "49.96"},
        {"root__p__x__capacity": "0", "root__p__y__capacity": "0", "root__p__allow_zero_capacity_sum": "true"},
        {"root__p__ordering_policy": "priority-utilization"},
        {
            "root__a__capacity": "1w",
            "root__p__capacity": "3w",
            "root__p__x__capacity": "2w",
            "root__p__y__capacity": "1w",
        },
    ],
)
def test_what_goes_together_is_taken(more: dict[str, str]) -> None:
    assert changed(manager(), **more) == ("", "")


# Queues that capacity-3.4 makes for applications: under which parents, how deep, how many.

CREATION = "root.d.auto-queue-creation-v2"
WEIGHTS = {"root.queues": "a,d", "root.a.capacity": "1w", "root.d.capacity": "1w", f"{CREATION}.enabled": "true"}


def dynamic_tree(**more: str) -> ResourceManager:
    """A leaf a, and d, below which queues are made."""
    settings = {**WEIGHTS, **{f"{CREATION}.{key.replace('_', '-')}": value for key, value in more.items()}}
    return resource_manager("capacity-3.4", settings={f"{CAPACITY}{key}": value for key, value in settings.items()})


def test_a_leaf_is_made_for_its_first_application() -> None:
    rm = dynamic_tree()
    assert paths(rm) == ["root", "root.a", "root.d"]
    assert [submitted(rm, path) for path in ("root.d.x", "root.d.p.q", "root.d.x", "root.d.p.r")] == [""] * 4
    assert paths(rm)[3:] == ["root.d.p", "root.d.p.q", "root.d.p.r", "root.d.x"]
    weights = {row.path: row.weight for row in rm.scheduler.policy.view().queues()}
    assert {path: weights[path] for path in ("root.d.p", "root.d.x", "root.d.p.q")} == dict.fromkeys(
        ("root.d.p", "root.d.x", "root.d.p.q"), 1.0
    )


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("root.d.p.q", ""),
        ("root.d.p.q.r", "root.d.p.q.r is 3 levels below root.d"),
        ("root.d.p.q.r.s", "root.d.p.q.r.s is 4 levels below root.d"),
        ("root.a.x", "root.a is not a parent"),
        ("root.x", "queues are not created below root"),
        ("root.x.y", "queues are not created below root"),
        ("gone.x", "no parent of gone.x exists"),
    ],
)
def test_a_queue_needs_a_parent_that_makes_some(path: str, words: str) -> None:
    rm = dynamic_tree()
    assert submitted(rm, path) == words
    assert (path in paths(rm)) == (not words)


def test_a_parent_makes_so_many_queues() -> None:
    rm = dynamic_tree(max_queues="2")
    assert [submitted(rm, f"root.d.{name}") for name in ("x", "y", "z", "x")] == [
        "",
        "",
        "root.d has 2 queues, the most is 2",
        "",
    ]


@pytest.mark.parametrize(("depth", "path", "levels"), [("1", "root.d.p.q", 2), ("3", "root.d.p.q.r.s", 4)])
def test_the_depth_is_a_setting_of_the_parent(depth: str, path: str, levels: int) -> None:
    rm = dynamic_tree(maximum_queue_depth=depth)
    assert submitted(rm, path) == f"{path} is {levels} levels below root.d"
    assert submitted(rm, path.rpartition(".")[0]) == ""


# Queues that capacity-3.4 made on submission, when the file is loaded anew: which stay, which are forgotten.


def made() -> ResourceManager:
    """With the queues a and d, and below d the made d.x, d.p and d.p.q."""
    rm = dynamic_tree()
    assert [submitted(rm, path) for path in ("root.d.x", "root.d.p.q")] == ["", ""]
    return rm


def reload_changed(rm: ResourceManager, values: dict[str, str]) -> str:
    return rm.handle(SettingsChanged({f"{CAPACITY}{key}": text for key, text in values.items()}), START_MS).detail


def names(rm: ResourceManager) -> list[str]:
    policy = rm.scheduler.policy
    assert isinstance(policy, CapacityScheduler34)
    return sorted(policy.tree.names.by_path)


ALL = ["root", "root.a", "root.d", "root.d.p", "root.d.p.q", "root.d.x"]


def test_made_queues_outlive_a_reload() -> None:
    rm = made()
    assert reload_changed(rm, {"root.a.capacity": "3w"}) == ""
    assert (paths(rm), names(rm)) == (ALL, ALL)
    assert submitted(rm, "root.d.p.q") == ""


def test_made_queues_are_due_what_the_new_weights_leave() -> None:
    rm = made()
    assert reload_changed(rm, {"root.a.capacity": "3w"}) == ""
    due = {row.path: getattr(row, "guaranteed", ()) for row in rm.scheduler.policy.view().queues()}
    assert {path: due[path] for path in ALL[1:]} == {
        "root.a": (18432,),
        "root.d": (6144,),
        "root.d.p": (3072,),
        "root.d.p.q": (3072,),
        "root.d.x": (3072,),
    }


def test_templates_are_applied_anew() -> None:
    rm = made()
    assert reload_changed(rm, {f"{CREATION}.template.capacity": "3w", f"{CREATION}.leaf-template.capacity": "2w"}) == ""
    weights = {row.path: row.weight for row in rm.scheduler.policy.view().queues()}
    assert (weights["root.d.x"], weights["root.d.p"]) == (2.0, 3.0)


def test_a_made_queue_that_the_file_names_is_one_of_the_file() -> None:
    rm = made()
    named = {"root.d.queues": "x", "root.d.x.capacity": "4w"}
    assert reload_changed(rm, named) == ""
    weights = {row.path: row.weight for row in rm.scheduler.policy.view().queues()}
    assert weights["root.d.x"] == 4.0
    assert paths(rm) == ALL
    assert reload_changed(rm, {"root.d.queues": ""}).endswith("it cannot be removed while RUNNING")


def test_made_queues_go_with_the_parent_that_makes_them() -> None:
    rm = made()
    assert reload_changed(rm, {"root.queues": "a", "root.d.state": "STOPPED"}) == ""
    assert (paths(rm), names(rm)) == (["root", "root.a"], ["root", "root.a"])
    assert submitted(rm, "root.d.x") == "queues are not created below root"


# Leaves that capacity-3.4 makes from a template: who gets its capacity, who gives it back, what a reload does.

TEMPLATE = "root.m.leaf-queue-template"
MONITOR = "yarn.resourcemanager.scheduler.monitor."
POLICIES = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueueManagementDynamicEditPolicy"
SETTINGS = {
    f"{MONITOR}enable": "true",
    f"{MONITOR}policies": POLICIES,
    f"{CAPACITY}queue-mappings": "u:%user:root.m.%user",
    f"{CAPACITY}queue-mappings-override.enable": "true",
    f"{CAPACITY}root.queues": "a,m",
    f"{CAPACITY}root.a.capacity": "50",
    f"{CAPACITY}root.m.capacity": "50",
    f"{CAPACITY}root.m.auto-create-child-queue.enabled": "true",
    f"{CAPACITY}{TEMPLATE}.capacity": "40",
    f"{CAPACITY}{TEMPLATE}.maximum-capacity": "75",
}
"""Of 24 GB m has the half; each of its leaves 40 % of that, which two of them can have, and at most 75 %."""
FULL_MB, MOST_MB = 4915, 9216 * 2


def managed_tree(**more: str) -> ResourceManager:
    """With further properties of m, by their names with `_` for dashes."""
    changed = {f"{CAPACITY}root.m.{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}
    return resource_manager("capacity-3.4", settings={**SETTINGS, **changed})


def users(rm: ResourceManager, *names: str) -> list[int]:
    return [submit(rm, "default", user=name) for name in names]


def leaves(rm: ResourceManager) -> list[Any]:
    return [row for row in rm.scheduler.policy.view().queues() if row.path.startswith("root.m.")]


def guaranteed(rm: ResourceManager) -> dict[str, int]:
    return {row.path.rpartition(".")[2]: row.guaranteed[0] for row in leaves(rm)}


def maxima(rm: ResourceManager) -> set[int]:
    return {row.max_share[0] for row in leaves(rm)}


def manage(rm: ResourceManager) -> dict[str, int]:
    """The memory of the leaves after the policy has looked."""
    rm.run_pass("manage_queues", START_MS)
    return guaranteed(rm)


def managed_changed(rm: ResourceManager, **more: str) -> str:
    """The words with which changed properties of root's queues are refused."""
    texts = {f"{CAPACITY}root.{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}
    return rm.handle(SettingsChanged(texts), START_MS).detail


def test_leaves_get_the_capacity_of_the_template_while_there_is_some() -> None:
    rm = managed_tree()
    users(rm, "ann", "bob", "cy")
    assert guaranteed(rm) == {"ann": FULL_MB, "bob": FULL_MB, "cy": 0}
    assert maxima(rm) == {MOST_MB}
    assert manage(rm) == {"ann": FULL_MB, "bob": FULL_MB, "cy": 0}


@pytest.mark.parametrize(("percent", "full"), [("50", 2), ("51", 1), ("100", 1), ("33.3", 3), ("25", 4)])
def test_the_last_one_that_fits_has_it_whole(percent: str, full: int) -> None:
    rm = managed_tree(leaf_queue_template__capacity=percent, leaf_queue_template__maximum_capacity="100")
    users(rm, *"abcde")
    assert [memory_mb > 0 for memory_mb in guaranteed(rm).values()] == [True] * full + [False] * (5 - full)


def test_a_leaf_without_applications_gives_its_capacity_to_one_that_waits() -> None:
    rm = managed_tree()
    numbers = users(rm, "ann", "bob", "cy", "dan")
    rm.handle(ApplicationFinished(numbers[1], "FINISHED"), START_MS)
    assert guaranteed(rm) == {"ann": FULL_MB, "bob": FULL_MB, "cy": 0, "dan": 0}
    assert manage(rm) == {"ann": FULL_MB, "bob": 0, "cy": FULL_MB, "dan": 0}
    rm.handle(ApplicationFinished(numbers[0], "FINISHED"), START_MS)
    assert manage(rm) == {"ann": 0, "bob": 0, "cy": FULL_MB, "dan": FULL_MB}
    users(rm, "ann", "bob")
    assert manage(rm) == {"ann": 0, "bob": 0, "cy": FULL_MB, "dan": FULL_MB}
    rm.handle(ApplicationFinished(numbers[2], "FINISHED"), START_MS)
    assert manage(rm) == {"ann": FULL_MB, "bob": 0, "cy": 0, "dan": FULL_MB}


@pytest.mark.parametrize(("most", "words"), [("2", "root.m has 2 queues already"), ("3", "")])
def test_a_parent_makes_so_many_leaves(most: str, words: str) -> None:
    rm = managed_tree(auto_create_child_queue__max_queues=most)
    users(rm, "ann", "bob")
    assert rm.handle(ApplicationSubmitted("cy", "default"), START_MS).detail == words
    assert ("cy" in guaranteed(rm)) == (not words)


def test_a_reload_gives_the_capacity_out_again() -> None:
    rm = managed_tree()
    ann, *_ = users(rm, "ann", "bob", "cy")
    rm.handle(ApplicationFinished(ann, "FINISHED"), START_MS)
    assert managed_changed(rm, m__leaf_queue_template__capacity="50") == ""
    assert guaranteed(rm) == {"ann": 0, "bob": 6144, "cy": 6144}
    assert maxima(rm) == {MOST_MB}
    assert managed_changed(rm, a__capacity="75", m__capacity="25") == ""
    assert guaranteed(rm) == {"ann": 0, "bob": 3072, "cy": 3072}


@pytest.mark.parametrize("switch", ["true", "false"])
def test_a_parent_stays_of_its_kind(switch: str) -> None:
    rm = managed_tree()
    users(rm, "ann")
    message = f"{CAPACITY}root.m.auto-create-child-queue.enabled: a parent cannot begin or cease to create queues"
    assert managed_changed(rm, m__auto_create_child_queue__enabled=switch) == ("" if switch == "true" else message)
    assert guaranteed(rm) == {"ann": FULL_MB}


@pytest.mark.parametrize("right", ["acl_submit_applications", "acl_administer_queue"])
def test_rights_to_a_made_leaf_stand_in_the_template(right: str) -> None:
    nobody = {"yarn.acl.enable": "true", f"{CAPACITY}root.acl_submit_applications": " "}
    closed = {**SETTINGS, **nobody, f"{CAPACITY}root.acl_administer_queue": " ", f"{CAPACITY}{TEMPLATE}.{right}": "ann"}
    rm = resource_manager("capacity-3.4", settings=closed)
    assert rm.handle(ApplicationSubmitted("ann", "default"), START_MS).rejected == ""
    assert rm.handle(ApplicationSubmitted("ann", "default"), START_MS).rejected == ""
    assert rm.handle(ApplicationSubmitted("bob", "default"), START_MS).rejected != ""


def test_leaves_of_absolute_resources_have_what_the_template_says() -> None:
    rm = resource_manager(
        "capacity-3.4",
        settings={
            **SETTINGS,
            f"{CAPACITY}root.a.capacity": "[memory=12288,vcores=12]",
            f"{CAPACITY}root.m.capacity": "[memory=12288,vcores=12]",
            f"{CAPACITY}root.m.maximum-capacity": "[memory=24576,vcores=24]",
            f"{CAPACITY}{TEMPLATE}.capacity": "[memory=5120,vcores=5]",
            f"{CAPACITY}{TEMPLATE}.maximum-capacity": "[memory=8192,vcores=8]",
        },
    )
    ann, *_ = users(rm, "ann", "bob", "cy")
    assert guaranteed(rm) == {"ann": 5120, "bob": 5120, "cy": 0}
    rm.handle(ApplicationFinished(ann, "FINISHED"), START_MS)
    assert manage(rm) == {"ann": 0, "bob": 5120, "cy": 5120}
