"""The containers of a run and the work that is lost with them."""

from collections.abc import Sequence

import pytest

from engine.measures import ApplicationTimes
from engine.measures.meters import ShareMeter, Work
from engine.model.decision import Allocated, Killed

ONE, OTHER = (1, 1, 2), (1, 1, 3)


class Holds(ShareMeter):
    """Notes what is held instead of measuring it."""

    def __init__(self) -> None:
        super().__init__(2)
        self.noted: list[tuple[str, tuple[int, ...], int, int]] = []

    def hold(self, name: str, amounts: Sequence[int], sign: int, now_ms: int) -> None:
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
    scene = Scene()
    scene.work.allocated(Allocated(ONE, "n1:1", 1, 512, 3), 10)
    scene.work.ended(Killed(ONE, "n1:1", cause), 40)
    scene.work.ended(Killed(ONE, "n1:1", cause), 50)

    assert scene.counts() == counts
