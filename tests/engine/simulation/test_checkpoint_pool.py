"""What checkpoints share: kept once, found by its place; a branch forgets which applications had ended."""

from engine.model.ledger import Application
from engine.simulation.checkpoint_pool import FEW, CheckpointPool


def ended(number: int, user: str) -> Application:
    application = Application(number, user, "root.q", None, 0)
    application.state = "FINISHED"
    return application


def test_an_ended_application_is_kept_once_under_its_number() -> None:
    """Copies of one run have the same application under a number, whichever object it is."""
    pool = CheckpointPool()
    places = [pool.place(ended(7, "ann")), pool.place(ended(7, "ann")), pool.place(ended(8, "ann"))]

    assert (places, len(pool.items)) == ([0, 0, 1], 2)


def test_after_a_branch_another_application_may_end_under_the_same_number() -> None:
    """Ended applications are forgotten, and their numbers free; what is known by identity stays."""
    pool, shared = CheckpointPool(), object()
    before = (pool.place(shared), pool.place(ended(7, "ann")))
    pool.branch()
    after = (pool.place(shared), pool.place(ended(7, "bob")))

    assert after[0] == before[0]
    assert after[1] != before[1]
    assert [pool.items[place].user for place in (before[1], after[1])] == ["ann", "bob"]


def test_a_column_that_stays_alike_is_kept_in_the_pool() -> None:
    """From the second checkpoint on only its place is written; once it differed it never is again."""
    pool, key = CheckpointPool(), (int, 0)
    alike = tuple(range(FEW))
    other = tuple(range(1, FEW + 1))

    assert pool.column(key, alike) == alike
    assert pool.column(key, alike) == 0
    assert pool.items[0] == alike
    assert pool.column(key, other) == other
    assert pool.column(key, alike) == alike


def test_equal_values_of_many_objects_are_written_once() -> None:
    """Fewer than `FEW` values, values that may change, and values of two types are written as they are."""
    pool = CheckpointPool()

    assert pool.column((int, 0), (5,) * FEW) == (5,)
    assert pool.column((int, 1), (5,) * (FEW - 1)) == (5,) * (FEW - 1)
    assert pool.column((int, 2), ([],) * FEW) == ([],) * FEW
    assert pool.column((int, 3), (*(1,) * FEW, "1")) == (*(1,) * FEW, "1")
