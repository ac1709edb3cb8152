"""When applications were submitted, given their first container, and ended."""

from engine.control_plane.cluster_view import ApplicationSummary
from engine.measures import ApplicationTimes
from engine.measures.application_log import ApplicationLog
from engine.measures.share_meter import ShareMeter
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.simulation.records import Submitted


class Entries(ShareMeter):
    """Notes who enters and leaves instead of measuring it."""

    def __init__(self) -> None:
        super().__init__(2)
        self.noted: list[tuple[str, int, int]] = []

    def enter(self, name: str, sign: int, now_ms: int) -> None:
        """Note it."""
        self.noted.append((name, sign, now_ms))


class Scene:
    """A log, and who was told."""

    def __init__(self) -> None:
        self.users, self.queues = Entries(), Entries()
        self.log = ApplicationLog(self.users, self.queues)

    def submitted(self, number: int, time_ms: int, rejected: str = "") -> None:
        """Ann hands one in for the queue `a`."""
        self.log.submitted(Submitted(number, "one", "ann", "a", "YARN", rejected), time_ms)


def adopted(number: int, submitted_ms: int = 0) -> ApplicationSummary:
    """An application that is there when the run begins."""
    return ApplicationSummary(number, "one", "ann", "root.a", submitted_ms, None, waits=False, works=False)


def test_a_submission_is_an_application_of_its_user_in_the_queue_that_was_named() -> None:
    """It sits in no queue before the control plane names one."""
    scene = Scene()
    scene.submitted(4, 10)

    assert scene.log.all == {4: ApplicationTimes(4, "one", "ann", "a", 10)}
    assert (scene.users.noted, scene.queues.noted) == ([("ann", 1, 10)], [])
    assert (scene.log.refused, scene.log.waiting_most) == (0, 1)


def test_a_submission_that_is_refused_is_only_counted() -> None:
    """And one of a known number is the same application."""
    scene = Scene()
    scene.submitted(0, 10, "no such queue")
    scene.submitted(0, 11, "no such queue")
    scene.submitted(1, 12)
    scene.submitted(1, 13)

    assert (scene.log.refused, list(scene.log.all)) == (2, [1])
    assert scene.log.all[1].submitted_ms == 12
    assert scene.users.noted == [("ann", 1, 12)]


def test_the_first_container_ends_the_wait() -> None:
    """The second changes nothing, and a container of nobody known is passed over."""
    scene = Scene()
    for number in (1, 2):
        scene.submitted(number, 0)
    for number, time_ms in ((1, 5), (1, 9), (7, 9)):
        scene.log.given(Allocated((number, 1, 1), "n1:8041", 0, 1024, 1), time_ms)
    scene.submitted(3, 10)

    assert [each.first_ms for each in scene.log.all.values()] == [5, None, None]
    assert scene.log.waiting_most == 2


def test_a_queue_is_entered_when_it_is_named_and_left_for_another() -> None:
    """The name that a client gave is replaced; a queue said again, and none at all, change nothing."""
    scene = Scene()
    scene.submitted(1, 0)
    left = [
        scene.log.transitioned(ApplicationTransitioned(1, state, queue), time_ms)
        for time_ms, (state, queue) in enumerate(
            [("SUBMITTED", ""), ("ACCEPTED", "root.a"), ("RUNNING", "root.a"), ("RUNNING", "root.b")]
        )
    ]

    assert left == ["", "", "", "root.a"]
    assert scene.queues.noted == [("root.a", 1, 1), ("root.a", -1, 3), ("root.b", 1, 3)]
    assert (scene.log.all[1].state, scene.log.all[1].queue) == ("RUNNING", "root.b")


def test_an_end_is_once_and_leaves_user_and_queue() -> None:
    """It has a state; what ended without a container waits no longer."""
    scene = Scene()
    scene.submitted(1, 0)
    scene.log.transitioned(ApplicationTransitioned(1, "ACCEPTED", "root.a"), 1)
    assert scene.log.transitioned(ApplicationTransitioned(1, "FAILED", "root.b"), 7) == ""
    assert scene.log.transitioned(ApplicationTransitioned(1, "KILLED"), 8) == ""
    scene.submitted(2, 9)

    assert (scene.log.all[1].state, scene.log.all[1].ended_ms, scene.log.all[1].queue) == ("KILLED", 7, "root.a")
    assert scene.users.noted == [("ann", 1, 0), ("ann", -1, 7), ("ann", 1, 9)]
    assert scene.queues.noted == [("root.a", 1, 1), ("root.a", -1, 7)]
    assert scene.log.waiting_most == 1


def test_one_that_ends_before_it_sits_anywhere_leaves_no_queue() -> None:
    """And a transition of nobody known is passed over."""
    scene = Scene()
    scene.submitted(1, 0)
    scene.log.transitioned(ApplicationTransitioned(1, "FAILED"), 3)
    assert scene.log.transitioned(ApplicationTransitioned(9, "RUNNING", "root.a"), 4) == ""

    assert scene.queues.noted == []
    assert scene.log.all[1].ended_ms == 3


def test_what_runs_at_the_start_has_no_wait_and_what_waits_then_does() -> None:
    """Those that are known stay as they are; who holds a container without being known is passed over."""
    scene = Scene()
    scene.submitted(1, -5)
    scene.log.adopt([adopted(1, -9), adopted(2, -3), adopted(3, -2)], [2, 8], 0)

    assert scene.log.all == {
        1: ApplicationTimes(1, "one", "ann", "a", -5),
        2: ApplicationTimes(2, "one", "ann", "root.a", -3, ran_at_start=True),
        3: ApplicationTimes(3, "one", "ann", "root.a", -2),
    }
    assert scene.log.waiting_most == 2
    assert scene.users.noted == [("ann", 1, -5), ("ann", 1, 0), ("ann", 1, 0)]
    assert scene.queues.noted == [("root.a", 1, 0), ("root.a", 1, 0)]
    scene.log.given(Allocated((2, 1, 1), "n1:8041", 0, 1024, 1), 4)
    scene.submitted(4, 5)
    assert scene.log.waiting_most == 3


def test_a_log_begins_with_nothing() -> None:
    """No application, no refusal, nobody who waits."""
    log = Scene().log

    assert (log.all, log.refused, log.waiting_most) == ({}, 0, 0)
