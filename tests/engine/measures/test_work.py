"""The containers of a run and the work that is lost with them."""

from collections.abc import Sequence

import pytest

from engine.measures import ApplicationTimes
from engine.measures.share_meter import ShareMeter, Work
from engine.model.decision import Allocated, Completed, Killed
from engine.observe.lost_work import Held

ONE, OTHER = (1, 1, 2), (1, 1, 3)


class Holds(ShareMeter):
    """Notes what is held instead of measuring it."""

    def __init__(self) -> None:
        super().__init__(2)
        self.noted: list[tuple[str, tuple[int, ...], int, int]] = []

    def hold(self, name: str, amounts: Sequence[int], sign: int, now_ms: int) -> None:
        """Note it."""
        self.noted.append((name, tuple(amounts), sign, now_ms))


class Scene:
    """One application of Ann in the queue `a`, and the containers of a run."""

    def __init__(self) -> None:
        self.users, self.queues = Holds(), Holds()
        self.application = ApplicationTimes(1, user="ann", queue="a")
        self.work = Work({1: self.application}, self.users, self.queues)

    def counts(self) -> tuple[int, int, int, int, int]:
        """Containers, those preempted with their time, those lost with theirs."""
        work = self.work
        return work.containers, work.preempted, work.preempted_ms, work.lost, work.lost_ms


def test_what_is_allocated_is_held_by_its_user_and_its_queue_until_it_ends() -> None:
    """Each with its memory and vcores."""
    scene = Scene()
    scene.work.allocated(Allocated(ONE, "n1:1", 1, 512, 3), 10)
    assert scene.work.held == {ONE: Held(10, 512, 3)}
    scene.work.ended(Completed(ONE, "n1:1", 0), 25)

    assert scene.users.noted == [("ann", (512, 3), 1, 10), ("ann", (512, 3), -1, 25)]
    assert scene.queues.noted == [("a", (512, 3), 1, 10), ("a", (512, 3), -1, 25)]
    assert scene.work.held == {}
    assert scene.counts() == (1, 0, 0, 0, 0)


def test_a_container_that_is_known_is_not_held_twice() -> None:
    """It stays with what was known first, and counts as allocated all the same."""
    scene = Scene()
    scene.work.take(ONE, Held(5, 512, 3), 10)
    scene.work.take(ONE, Held(6, 1024, 1), 11)
    scene.work.allocated(Allocated(ONE, "n1:1", 1, 1024, 1), 12)

    assert scene.work.held == {ONE: Held(5, 512, 3)}
    assert scene.users.noted == [("ann", (512, 3), 1, 10)]
    assert scene.work.containers == 1


@pytest.mark.parametrize(
    ("cause", "counts"),
    [
        ("PREEMPTED", (1, 1, 30, 1, 30)),
        ("LOST", (1, 0, 0, 1, 30)),
        ("RELABELLED", (1, 0, 0, 1, 30)),
        ("KILLED_BY_USER", (1, 0, 0, 1, 30)),
        ("ORPHANED", (1, 0, 0, 1, 30)),
        ("APPLICATION_ENDED", (1, 0, 0, 0, 0)),
        ("RELEASED", (1, 0, 0, 0, 0)),
        ("EXPIRED", (1, 0, 0, 0, 0)),
    ],
)
def test_a_cause_decides_whether_work_is_lost(cause: str, counts: tuple[int, int, int, int, int]) -> None:
    """The time since the container was allocated; only preemption counts as that."""
    scene = Scene()
    scene.work.allocated(Allocated(ONE, "n1:1", 1, 512, 3), 10)
    scene.work.ended(Killed(ONE, "n1:1", cause), 40)
    scene.work.ended(Killed(ONE, "n1:1", cause), 50)

    assert scene.counts() == counts


def test_losses_add_up_and_begin_anew_while_what_is_held_stays() -> None:
    """So that what came before a run is not in its figures."""
    scene = Scene()
    for number, cause in ((2, "PREEMPTED"), (3, "LOST"), (4, "PREEMPTED"), (5, "")):
        scene.work.allocated(Allocated((1, 1, number), "n1:1", 1, 1, 1), 0)
        if cause:
            scene.work.ended(Killed((1, 1, number), "n1:1", cause), 10 * number)
    assert scene.counts() == (4, 2, 60, 3, 90)
    scene.work.begin()

    assert scene.counts() == (0, 0, 0, 0, 0)
    assert list(scene.work.held) == [(1, 1, 5)]


def test_what_an_application_holds_goes_with_it_to_another_queue() -> None:
    """The sum over its containers; nothing is moved of one that holds none or never held any."""
    scene = Scene()
    scene.work.move(1, "a", 0)
    for container, size in ((ONE, (512, 3)), (OTHER, (100, 1))):
        scene.work.allocated(Allocated(container, "n1:1", 1, *size), 10)
    scene.work.ended(Completed(ONE, "n1:1", 0), 20)
    scene.application.queue = "b"
    scene.work.move(1, "a", 30)

    assert scene.queues.noted[3:] == [("a", (100, 1), -1, 30), ("b", (100, 1), 1, 30)]
    assert len(scene.users.noted) == 3


def test_a_container_of_nobody_known_is_held_by_nobody() -> None:
    """A Spark driver belongs to no application, yet it is held, and lost when it is."""
    scene = Scene()
    scene.work.allocated(Allocated((7, 0, 0), "n1:1", 1, 512, 3), 10)
    scene.work.ended(Killed((7, 0, 0), "n1:1", "LOST"), 15)

    assert scene.users.noted == scene.queues.noted == []
    assert scene.counts() == (1, 0, 0, 1, 5)
