"""Queues that capacity-3.4 made on submission, when the file is loaded anew: which stay, which are forgotten."""

from engine.control_plane.protocol import SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from tests.build import START_MS
from tests.engine.schedulers.capacity34.test_dynamic_queues import CREATION, manager
from tests.engine.schedulers.capacity34.test_submissions_and_reloads import paths, submitted
from tests.engine.schedulers.test_capacity_view import PREFIX


def made() -> ResourceManager:
    """With the queues a and d, and below d the made d.x, d.p and d.p.q."""
    rm = manager()
    assert [submitted(rm, path) for path in ("root.d.x", "root.d.p.q")] == ["", ""]
    return rm


def changed(rm: ResourceManager, values: dict[str, str]) -> str:
    return rm.handle(SettingsChanged({f"{PREFIX}{key}": text for key, text in values.items()}), START_MS).detail


def names(rm: ResourceManager) -> list[str]:
    policy = rm.scheduler.policy
    assert isinstance(policy, CapacityScheduler34)
    return sorted(policy.tree.names.by_path)


ALL = ["root", "root.a", "root.d", "root.d.p", "root.d.p.q", "root.d.x"]


def test_made_queues_outlive_a_reload() -> None:
    rm = made()
    assert changed(rm, {"root.a.capacity": "3w"}) == ""
    assert (paths(rm), names(rm)) == (ALL, ALL)
    assert submitted(rm, "root.d.p.q") == ""


def test_made_queues_are_due_what_the_new_weights_leave() -> None:
    rm = made()
    assert changed(rm, {"root.a.capacity": "3w"}) == ""
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
    assert changed(rm, {f"{CREATION}.template.capacity": "3w", f"{CREATION}.leaf-template.capacity": "2w"}) == ""
    weights = {row.path: row.weight for row in rm.scheduler.policy.view().queues()}
    assert (weights["root.d.x"], weights["root.d.p"]) == (2.0, 3.0)


def test_a_made_queue_that_the_file_names_is_one_of_the_file() -> None:
    rm = made()
    named = {"root.d.queues": "x", "root.d.x.capacity": "4w"}
    assert changed(rm, named) == ""
    weights = {row.path: row.weight for row in rm.scheduler.policy.view().queues()}
    assert weights["root.d.x"] == 4.0
    assert paths(rm) == ALL
    assert changed(rm, {"root.d.queues": ""}).endswith("it cannot be removed while RUNNING")


def test_made_queues_go_with_the_parent_that_makes_them() -> None:
    rm = made()
    assert changed(rm, {"root.queues": "a", "root.d.state": "STOPPED"}) == ""
    assert (paths(rm), names(rm)) == (["root", "root.a"], ["root", "root.a"])
    assert submitted(rm, "root.d.x") == "queues are not created below root"
