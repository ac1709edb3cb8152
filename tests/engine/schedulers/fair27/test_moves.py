"""Moves of applications under FairScheduler 2.7."""

import pytest

from engine.errors import RefusedError
from engine.schedulers.yarn_scheduler import move_to_queue
from tests.build import resource_manager, submit


def test_an_application_that_a_move_left_in_no_queue_is_refused_every_further_move() -> None:
    """It may not run in the target, as it still counts for its user's limit itself; after that no queue has it."""
    queues = '<queue name="a"/><queue name="b"/><userMaxAppsDefault>1</userMaxAppsDefault>'
    rm = resource_manager("fair-2.7", queues=queues)
    application = rm.cluster.applications[submit(rm, "root.a")]

    for target in ("root.b", "root.default"):
        with pytest.raises(RefusedError) as refused:
            move_to_queue(rm.scheduler, application, target)
        assert refused.value.kind == "IllegalStateException"
