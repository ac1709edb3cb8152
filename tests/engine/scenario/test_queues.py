"""The text of the allocation file that tables of queues stand for."""

import pytest
from pydantic import ValidationError

from engine.scenario import QueueSpec
from engine.scenario.queues import MAX_QUEUE_DEPTH, allocations_xml

WHOLE = QueueSpec(
    name="whole",
    min_resources="1024 mb, 1 vcores",
    max_resources="2048 mb, 2 vcores",
    max_running_apps=0,
    max_am_share=-1,
    weight=2.5,
    policy="drf",
    min_share_preemption_timeout=1,
    fair_share_preemption_timeout=2,
    fair_share_preemption_threshold=0.5,
    acl_submit_apps="a,b c&d",
    acl_administer_apps=" ",
)
WHOLE_TEXT = """\
<?xml version="1.0"?>
<allocations>
  <queue name="whole">
    <minResources>1024 mb, 1 vcores</minResources>
    <maxResources>2048 mb, 2 vcores</maxResources>
    <maxRunningApps>0</maxRunningApps>
    <maxAMShare>-1.0</maxAMShare>
    <weight>2.5</weight>
    <schedulingPolicy>drf</schedulingPolicy>
    <minSharePreemptionTimeout>1</minSharePreemptionTimeout>
    <fairSharePreemptionTimeout>2</fairSharePreemptionTimeout>
    <fairSharePreemptionThreshold>0.5</fairSharePreemptionThreshold>
    <aclSubmitApps>a,b c&amp;d</aclSubmitApps>
    <aclAdministerApps> </aclAdministerApps>
  </queue>
</allocations>
"""

NESTED_TEXT = """\
<?xml version="1.0"?>
<allocations>
  <queue name="a">
    <weight>1.0</weight>
    <queue name="b">
      <queue name="c">
      </queue>
    </queue>
    <queue name="d">
    </queue>
  </queue>
  <queue name="e">
  </queue>
  <queueMaxAppsDefault>&lt;3&gt;</queueMaxAppsDefault>
</allocations>
"""

ROOT_TEXT = """\
<?xml version="1.0"?>
<allocations>
  <queue name="root">
    <maxRunningApps>3</maxRunningApps>
    <queue name="a">
    </queue>
    <queue name="b">
    </queue>
  </queue>
</allocations>
"""


def test_every_field_of_a_queue_is_an_element() -> None:
    """Also those whose value is 0; what is not given is left out."""
    assert allocations_xml((WHOLE,), {}) == WHOLE_TEXT


def test_children_are_indented_inside_their_parents() -> None:
    """In the order of the tables; the elements of the whole file come last."""
    queues = (
        QueueSpec(name="a.b.c"),
        QueueSpec(name="root.e"),
        QueueSpec(name="root.a.d"),
        QueueSpec(name="a", weight=1),
    )
    assert allocations_xml(queues, {"queueMaxAppsDefault": "<3>"}) == NESTED_TEXT


def test_roots_table_holds_all_others() -> None:
    """Wherever it stands among them."""
    queues = (QueueSpec(name="a"), QueueSpec(name="root", max_running_apps=3), QueueSpec(name="root.b"))
    assert allocations_xml(queues, {}) == ROOT_TEXT


@pytest.mark.parametrize(
    ("name", "path"), [("root", "root"), ("root.a", "a"), ("a.b", "a.b"), ("root.root.a", "root.a")]
)
def test_a_path_is_below_root(name: str, path: str) -> None:
    """`root.` may be written or not."""
    assert QueueSpec(name=name).path == path


def test_a_queue_is_at_most_so_deep() -> None:
    """Each dot is a level."""
    assert QueueSpec(name="a" + ".b" * MAX_QUEUE_DEPTH).name.count(".") == MAX_QUEUE_DEPTH
    with pytest.raises(ValidationError, match="has more than 100 levels"):
        QueueSpec(name="a" + ".b" * (MAX_QUEUE_DEPTH + 1))
