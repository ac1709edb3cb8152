"""capacity-scheduler.xml: effective values with their origins, and what is refused."""

from pathlib import Path

import pytest

from engine.formats.configuration_files import ConfigurationView, read_files, summary
from tests.engine.formats.capacity_files import CLASS, PREFIX, TWO_QUEUES, read, refusals, write

NESTED = (("root.a.queues", "x"), ("root.a.x.capacity", "50"), ("root.a.queues", "x,y"), ("root.a.y.capacity", "50"))
"""Lines 5 to 8: two queues below root.a."""


def value(view: ConfigurationView, path: str, name: str, occurrence: int = 0) -> tuple[str, str]:
    """The text and the origin of a value of a queue, without the folder."""
    assert view.capacity is not None
    queue = next(queue for queue in view.capacity.queues if queue.path == path)
    found = [each for each in queue.values if each.name.strip() == name][occurrence]
    return found.text, found.origin.replace(view_folder(found.origin), "")


def view_folder(origin: str) -> str:
    """The folder in the first place that an origin names."""
    start = origin.find("/")
    return origin[start : origin.rfind("/") + 1] if start >= 0 else "/"


def test_absolute_capacities_are_multiplied_down_the_tree(tmp_path: Path) -> None:
    """Half of 40 % is 20 % of the cluster, and 50 % of at most 80 % is 40 %."""
    limits = (("root.a.maximum-capacity", "80"), ("root.a.x.maximum-capacity", "50"))
    view = read(tmp_path, *NESTED, *limits)
    assert value(view, "root.a.x", "absolute capacity") == ("20 %", "computed")
    assert value(view, "root.a.x", "absolute maximum-capacity") == ("40 %", "computed")


def test_a_stated_value_has_its_file_and_line(tmp_path: Path) -> None:
    """The capacity of root.b is on line 4."""
    assert value(read(tmp_path), "root.b", "capacity") == ("60", "cs.xml:4")


def test_a_value_that_nothing_states_is_the_default(tmp_path: Path) -> None:
    """A maximum of the whole cluster."""
    assert value(read(tmp_path), "root.b", "maximum-capacity") == ("100", "default")


def test_root_has_everything(tmp_path: Path) -> None:
    """A capacity of root is not read."""
    view = read(tmp_path, ("root.capacity", "50"))
    assert value(view, "root", "capacity") == ("100", "always")


def test_leaves_fall_back_to_the_limit_of_all_queues(tmp_path: Path) -> None:
    """Unless they state their own."""
    view = read(tmp_path, ("maximum-am-resource-percent", "0.2"), ("root.a.maximum-am-resource-percent", "0.3"))
    assert value(view, "root.a", "maximum-am-resource-percent") == ("0.3", "cs.xml:6")
    text, origin = value(view, "root.b", "maximum-am-resource-percent")
    assert text == "0.2"
    assert origin == "from yarn.scheduler.capacity.maximum-am-resource-percent, cs.xml:5"


def test_preemption_is_inherited_from_the_parent(tmp_path: Path) -> None:
    """With the queue that states it."""
    view = read(tmp_path, *NESTED, ("root.a.disable_preemption", "true"))
    assert value(view, "root.a.x", "disable_preemption") == ("true", "from root.a, cs.xml:9")
    assert value(view, "root.b", "disable_preemption") == ("false", "default")


def test_the_largest_container_of_27_is_that_of_the_cluster(tmp_path: Path) -> None:
    """Not the parent's: 2.7.2 inherits none."""
    view = read(
        tmp_path, *NESTED, ("root.a.maximum-allocation-mb", "2048"), ("yarn.scheduler.maximum-allocation-mb", "4096")
    )
    assert value(view, "root.a", "maximum-allocation-mb") == ("2048", "cs.xml:9")
    text, origin = value(view, "root.a.x", "maximum-allocation-mb")
    assert (text, origin) == ("4096", "from yarn.scheduler.maximum-allocation-mb, cs.xml:10")


def test_rights_of_a_queue_include_those_of_the_queues_above(tmp_path: Path) -> None:
    """What root gives alice and root.a gives bob, both have in root.a."""
    acl = "acl_submit_applications"
    view = read(tmp_path, (f"root.{acl}", "alice"), (f"root.a.{acl}", "bob"))
    text, origin = value(view, "root.a", acl)
    assert text == "bob; alice"
    assert origin.endswith("cs.xml:5")
    assert value(view, "root.b", acl) == ("alice", "from root, cs.xml:5")


def test_an_open_root_opens_every_queue(tmp_path: Path) -> None:
    """Root's rights are everybody's where nothing states them."""
    acl = "acl_submit_applications"
    assert value(read(tmp_path, (f"root.a.{acl}", "bob")), "root.a", acl) == ("*", "from root, default")


def test_rights_that_nobody_has_are_said(tmp_path: Path) -> None:
    """A closed root, and a queue that states nothing."""
    acl = "acl_submit_applications"
    assert value(read(tmp_path, (f"root.{acl}", " ")), "root.a", acl) == ("nobody", "from root, cs.xml:5")


def test_parents_have_no_values_of_leaves(tmp_path: Path) -> None:
    """No user limit on root."""
    view = read(tmp_path)
    assert view.capacity is not None
    names = {queue.path: [each.name for each in queue.values] for queue in view.capacity.queues}
    assert "user-limit-factor" in names["root.a"]
    assert "user-limit-factor" not in names["root"]


def test_queue_mappings_are_listed_in_order(tmp_path: Path) -> None:
    """One a rule."""
    view = read(tmp_path, ("queue-mappings", "u:bob:b, g:ops:a"))
    assert view.capacity is not None
    assert view.capacity.rules == ("u:bob:b", "g:ops:a")


def test_settings_of_the_fair_scheduler_are_not_shown(tmp_path: Path) -> None:
    """It is not the one that reads these queues."""
    keys = [each.name for each in read(tmp_path).settings]
    assert "yarn.scheduler.minimum-allocation-mb" in keys
    assert not [key for key in keys if "fair" in key or "increment" in key]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            ("root.b.capacity", "59"),
            "cs.xml:2: root.queues: the capacities of its queues add up to 99 %",
        ),
        (
            ("root.b.maximum-capacity", "59"),
            "cs.xml:5: root.b.maximum-capacity: its capacity of 60 % is above its maximum of 59 %",
        ),
        (
            ("root.a.state", "STOP"),
            "cs.xml:5: root.a.state: 'STOP' is neither RUNNING nor STOPPED",
        ),
        (
            ("root.a.user-limit-factor", "x"),
            "cs.xml:5: root.a.user-limit-factor: 'x' is not a number",
        ),
        (
            ("root.a.minimum-user-limit-percent", "33.3"),
            "cs.xml:5: root.a.minimum-user-limit-percent: '33.3' is not a whole number",
        ),
    ],
)
def test_what_the_class_refuses_is_refused_with_its_place(
    tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    """Once, at the line of the property; sums at the list of the queues."""
    kept = [pair for pair in TWO_QUEUES if pair[0] != change[0]]
    assert [each.replace(PREFIX, "") for each in refusals(tmp_path, *kept, change)] == [problem]


@pytest.mark.parametrize(
    "change",
    [("root.b.maximum-capacity", "60"), ("root.a.state", "stopped"), ("root.a.user-limit-factor", "0")],
)
def test_what_the_class_accepts_is_accepted(tmp_path: Path, change: tuple[str, str]) -> None:
    """A maximum that equals the capacity, a state in small letters, a factor of zero."""
    assert refusals(tmp_path, *TWO_QUEUES, change) == []


def test_a_queue_without_a_capacity_is_refused_at_its_list(tmp_path: Path) -> None:
    """There is no property to point to."""
    expected = "cs.xml:2: yarn.scheduler.capacity.root.b.capacity: the queue is given no capacity"
    assert expected in refusals(tmp_path, *TWO_QUEUES[:2])


def test_queues_without_a_list_are_refused(tmp_path: Path) -> None:
    """The real class does not start without root's queues."""
    problem = "cs.xml:2: yarn.scheduler.capacity.root.queues: root has no queues"
    assert refusals(tmp_path, ("root.a.capacity", "100")) == [problem]


def test_settings_without_queues_are_no_capacity_scheduler(tmp_path: Path) -> None:
    """A yarn-site.xml may name the calculator."""
    view = read_files([write(tmp_path, ("maximum-applications", "5"))])
    assert view.capacity is None


def test_queues_of_a_scheduler_that_is_not_chosen_are_not_read(tmp_path: Path) -> None:
    """So nothing in them is refused."""
    view = read(tmp_path, ("root.a.state", "STOP"), (CLASS, "org.example.FifoScheduler"))
    assert view.capacity is None


def test_one_line_counts_the_queues(tmp_path: Path) -> None:
    """With root."""
    assert summary(write(tmp_path, *TWO_QUEUES)) == "Hadoop configuration, 3 queues, 0 warnings"
