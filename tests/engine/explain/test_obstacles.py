"""What stands in the way on every node is what the probe says of each, however few it asks."""

from hypothesis import given

from engine.control_plane.protocol import Event
from engine.explain.obstacles import FREE, obstacle_rows, obstacles_found
from engine.incremental import run_to_end
from tests.build import START_MS, resource_manager
from tests.engine.schedulers.test_every_policy import POLICIES, QUEUES, SETTINGS, STATES


@given(POLICIES, STATES)
def test_alike_nodes_are_answered_alike(policy: str, events: list[Event]) -> None:
    """Asking once for nodes of one size gives what asking each would; and every answer becomes rows."""
    rm = resource_manager(policy, nodes=4, settings=SETTINGS, queues=QUEUES)
    for step, event in enumerate(events):
        rm.handle(event, START_MS + step * 500)
        for each in rm.passes():
            rm.run_pass(each.name, START_MS + step * 500)
    now_ms = START_MS + len(events) * 500
    attempts = [application.attempt for application in rm.cluster.applications.values()]
    for attempt in attempts:
        if attempt is None or not attempt.pending:
            continue
        found = run_to_end(obstacles_found(rm.scheduler, attempt, now_ms))

        one_by_one = [
            rm.scheduler.policy.obstacle_on(attempt, node, now_ms) or FREE for node in rm.cluster.nodes.values()
        ]
        assert [obstacle for _, obstacle in found.on_nodes] == one_by_one
        rows = obstacle_rows(rm.scheduler, attempt, found)
        assert sum(row.count for row in rows) == len(rm.cluster.nodes)
        assert all(row.sentence and "?" not in row.sentence for row in rows)
