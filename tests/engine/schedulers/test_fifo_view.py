"""What observers are told of the FIFO scheduler."""

from engine.schedulers.interface import UNKNOWN
from tests.build import ask, attempt_of, heartbeat, resource_manager, submit, update


def test_fifo_reserves_and_preempts_nothing() -> None:
    rm = resource_manager("fifo", nodes=1)
    number = submit(rm)
    view = rm.scheduler.policy.view()

    assert (view.reserved(), view.preemption(), view.reservation_rule()) == ((0, 0), UNKNOWN, "")
    assert (view.settings(), view.is_first_come(attempt_of(rm, number))) == ((), True)


def test_its_one_queue_has_everything() -> None:
    rm = resource_manager("fifo", nodes=1)
    ask(rm, submit(rm), 2, 2048)
    update(rm)
    heartbeat(rm)
    (row,) = rm.scheduler.policy.view().queues()

    assert (row.path, row.used, row.containers, row.reserved) == ("default", (4096, 2), 2, (0, 0))
    assert (row.applications_running, row.applications_pending) == (0, 1)
