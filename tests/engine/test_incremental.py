"""Work in pieces."""

from engine.incremental import Incremental, Task, finish


def _count(to: int) -> Incremental[int]:
    for _ in range(to):
        yield
    return to


def test_a_task_is_done_when_its_pieces_are() -> None:
    task = Task(_count(3))

    assert [task.advance(2), task.done, task.advance(5), task.advance(), task.result()] == [False, False, True, True, 3]


def test_the_rest_is_done_at_once_when_the_result_is_wanted() -> None:
    assert (Task(_count(9)).result(), finish(_count(9))) == (9, 9)
