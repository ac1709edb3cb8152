"""In which order the children of a parent are offered a node."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.schedulers.capacity34.capacities import charge_path
from engine.schedulers.capacity34.order import children_in_order
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from tests.build import resource_manager

PREFIX = "yarn.scheduler.capacity.root."
QUEUES = "abcd"
SETTINGS = {f"{PREFIX}queues": ",".join(QUEUES)} | {f"{PREFIX}{name}.capacity": "25" for name in QUEUES}

CHARGES = st.tuples(st.integers(0, 3), st.integers(-3, 3))
CHANGES = st.sampled_from((
    {f"{PREFIX}a.capacity": "10", f"{PREFIX}b.capacity": "40"},
    {f"{PREFIX}a.capacity": "0", f"{PREFIX}b.capacity": "50"},
    {f"{PREFIX}a.capacity": "25", f"{PREFIX}b.capacity": "25"},
    {"yarn.scheduler.capacity.root.ordering-policy": "priority-utilization", f"{PREFIX}c.priority": "2"},
))  # fmt: skip


@settings(max_examples=60)
@given(st.lists(st.tuples(CHARGES | CHANGES | st.none(), st.booleans()), max_size=30))
def test_the_kept_order_is_the_one_made_anew(
    events: list[tuple[tuple[int, int] | dict[str, str] | None, bool]],
) -> None:
    rm = resource_manager("capacity-3.4", nodes=1, settings=SETTINGS)
    policy = rm.scheduler.policy
    assert isinstance(policy, CapacityScheduler34)
    space = policy.space
    for event, looks in events:
        root = policy.tree.root
        if isinstance(event, tuple):
            charge_path(root.children[event[0]], "", (event[1] * 1024, event[1]), space)
        elif event is None:
            node = next(iter(policy.cluster.nodes.values()))
            rm.scheduler.resize_node(node, node.total_memory_mb + 1024, node.total_vcores)
        else:
            policy.change_settings(event)
        if looks:
            kept, orders, root.orders = list(children_in_order(root, "", space)), root.orders, None

            assert kept == list(children_in_order(root, "", space))
            root.orders = orders
