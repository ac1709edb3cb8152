"""Leaves that capacity-3.4 makes from a template: who gets its capacity, who gives it back, what a reload does."""

from typing import Any

import pytest

from engine.control_plane.protocol import ApplicationFinished, ApplicationSubmitted, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.capacity34.settings import MANAGEMENT
from tests.build import START_MS, resource_manager, submit
from tests.engine.schedulers.test_capacity_view import PREFIX

TEMPLATE = "root.m.leaf-queue-template"
MONITOR = "yarn.resourcemanager.scheduler.monitor."
SETTINGS = {
    f"{MONITOR}enable": "true",
    f"{MONITOR}policies": MANAGEMENT,
    f"{PREFIX}queue-mappings": "u:%user:root.m.%user",
    f"{PREFIX}queue-mappings-override.enable": "true",
    f"{PREFIX}root.queues": "a,m",
    f"{PREFIX}root.a.capacity": "50",
    f"{PREFIX}root.m.capacity": "50",
    f"{PREFIX}root.m.auto-create-child-queue.enabled": "true",
    f"{PREFIX}{TEMPLATE}.capacity": "40",
    f"{PREFIX}{TEMPLATE}.maximum-capacity": "75",
}
"""Of 24 GB m has the half; each of its leaves 40 % of that, which two of them can have, and at most 75 %."""
FULL_MB, MOST_MB = 4915, 9216 * 2


def manager(**more: str) -> ResourceManager:
    """With further properties of m, by their names with `_` for dashes."""
    changed = {f"{PREFIX}root.m.{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}
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


def changed(rm: ResourceManager, **more: str) -> str:
    """The words with which changed properties of root's queues are refused."""
    texts = {f"{PREFIX}root.{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}
    return rm.handle(SettingsChanged(texts), START_MS).detail


def test_leaves_get_the_capacity_of_the_template_while_there_is_some() -> None:
    rm = manager()
    users(rm, "ann", "bob", "cy")
    assert guaranteed(rm) == {"ann": FULL_MB, "bob": FULL_MB, "cy": 0}
    assert maxima(rm) == {MOST_MB}
    assert manage(rm) == {"ann": FULL_MB, "bob": FULL_MB, "cy": 0}


@pytest.mark.parametrize(("percent", "full"), [("50", 2), ("51", 1), ("100", 1), ("33.3", 3), ("25", 4)])
def test_the_last_one_that_fits_has_it_whole(percent: str, full: int) -> None:
    rm = manager(leaf_queue_template__capacity=percent, leaf_queue_template__maximum_capacity="100")
    users(rm, *"abcde")
    assert [memory_mb > 0 for memory_mb in guaranteed(rm).values()] == [True] * full + [False] * (5 - full)


def test_a_leaf_without_applications_gives_its_capacity_to_one_that_waits() -> None:
    rm = manager()
    numbers = users(rm, "ann", "bob", "cy", "dan")
    rm.handle(ApplicationFinished(numbers[1], "FINISHED"), START_MS)
    assert guaranteed(rm) == {"ann": FULL_MB, "bob": FULL_MB, "cy": 0, "dan": 0}
    assert manage(rm) == {"ann": FULL_MB, "bob": 0, "cy": FULL_MB, "dan": 0}
    rm.handle(ApplicationFinished(numbers[0], "FINISHED"), START_MS)
    assert manage(rm) == {"ann": 0, "bob": 0, "cy": FULL_MB, "dan": FULL_MB}


@pytest.mark.parametrize(("most", "words"), [("2", "root.m has 2 queues already"), ("3", "")])
def test_a_parent_makes_so_many_leaves(most: str, words: str) -> None:
    rm = manager(auto_create_child_queue__max_queues=most)
    users(rm, "ann", "bob")
    assert rm.handle(ApplicationSubmitted("cy", "default"), START_MS).detail == words
    assert ("cy" in guaranteed(rm)) == (not words)


def test_a_reload_gives_the_capacity_out_again() -> None:
    rm = manager()
    ann, *_ = users(rm, "ann", "bob", "cy")
    rm.handle(ApplicationFinished(ann, "FINISHED"), START_MS)
    assert changed(rm, m__leaf_queue_template__capacity="50") == ""
    assert guaranteed(rm) == {"ann": 0, "bob": 6144, "cy": 6144}
    assert maxima(rm) == {MOST_MB}
    assert changed(rm, a__capacity="75", m__capacity="25") == ""
    assert guaranteed(rm) == {"ann": 0, "bob": 3072, "cy": 3072}


@pytest.mark.parametrize("switch", ["true", "false"])
def test_a_parent_stays_of_its_kind(switch: str) -> None:
    rm = manager()
    users(rm, "ann")
    message = f"{PREFIX}root.m.auto-create-child-queue.enabled: a parent cannot begin or cease to create queues"
    assert changed(rm, m__auto_create_child_queue__enabled=switch) == ("" if switch == "true" else message)
    assert guaranteed(rm) == {"ann": FULL_MB}


@pytest.mark.parametrize("right", ["acl_submit_applications", "acl_administer_queue"])
def test_rights_to_a_made_leaf_stand_in_the_template(right: str) -> None:
    nobody = {"yarn.acl.enable": "true", f"{PREFIX}root.acl_submit_applications": " "}
    closed = {**SETTINGS, **nobody, f"{PREFIX}root.acl_administer_queue": " ", f"{PREFIX}{TEMPLATE}.{right}": "ann"}
    rm = resource_manager("capacity-3.4", settings=closed)
    assert rm.handle(ApplicationSubmitted("ann", "default"), START_MS).rejected == ""
    assert rm.handle(ApplicationSubmitted("ann", "default"), START_MS).rejected == ""
    assert rm.handle(ApplicationSubmitted("bob", "default"), START_MS).rejected != ""


def test_leaves_of_absolute_resources_have_what_the_template_says() -> None:
    rm = resource_manager(
        "capacity-3.4",
        settings={
            **SETTINGS,
            f"{PREFIX}root.a.capacity": "[memory=12288,vcores=12]",
            f"{PREFIX}root.m.capacity": "[memory=12288,vcores=12]",
            f"{PREFIX}root.m.maximum-capacity": "[memory=24576,vcores=24]",
            f"{PREFIX}{TEMPLATE}.capacity": "[memory=5120,vcores=5]",
            f"{PREFIX}{TEMPLATE}.maximum-capacity": "[memory=8192,vcores=8]",
        },
    )
    users(rm, "ann", "bob", "cy")
    assert guaranteed(rm) == {"ann": 5120, "bob": 5120, "cy": 0}
