"""Which copies a timeline keeps of a run: when one is due, which goes first, and what a branch forgets.

The copy that a seek begins from is the one whose instant its log begins in.
"""

from functools import partial

import pytest

from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.record_log import RecordLog
from engine.simulation.timeline import COST_RATIO, LONGEST_S, NEAR_S, Timeline
from tests.engine.simulation.scenes import BUSY, SPARK, Log, scenario

SCENE = scenario(SPARK, count=2)
START_MS = SCENE.start_ms


class Work:
    """A clock of work on which each look takes so long."""

    def __init__(self, look_s: float = 0.0) -> None:
        self.done_s, self.look_s = 0.0, look_s

    def __call__(self) -> float:
        """So much later than at the last look."""
        self.done_s += self.look_s
        return self.done_s


def timeline(look_s: float = 0.0, **rooms: int) -> Timeline:
    """The timeline of a small run at its start, with a copy due after a second of work."""
    return Timeline(build_simulation(SCENE), work=Work(look_s), spacing_s=1.0, **rooms)


def lived(one: Timeline, *steps: tuple[int, float]) -> None:
    """Let a run go on to some seconds after its start, each time with so much work."""
    for second, done_s in steps:
        one.live.run_until(START_MS + second * 1000)
        one.grow(done_s)


def begun_from(one: Timeline, second: float) -> float:
    """The copy from which an instant is sought, both in seconds after the start."""
    log = RecordLog()
    assert one.at(START_MS + int(second * 1000), log).now_ms == START_MS + int(second * 1000)
    return (log.begin_ms - START_MS) / 1000


def copies(one: Timeline) -> list[float]:
    """The instants [s after the start] of all copies before the present."""
    seconds = range((one.now_ms - START_MS) // 1000)
    return sorted({begun_from(one, second) for second in seconds})


def test_a_copy_is_due_after_so_much_work() -> None:
    """Counted from the last one."""
    one = timeline()
    lived(one, (1, 0.5), (2, 0.25), (3, 0.25), (4, 0.99), (5, 0.01), (6, 0.5))
    assert (len(one), copies(one)) == (3, [0, 3, 5])


def test_no_instant_is_copied_twice() -> None:
    """However much work was done in it; the work counts on."""
    one = timeline()
    lived(one, (0, 5.0), (1, 0.0), (1, 5.0), (2, 0.0))
    assert (len(one), copies(one)) == (3, [0, 1])
    lived(one, (2, 5.0))
    assert len(one) == 3


def test_copies_that_cost_much_are_made_seldom() -> None:
    """The work between two is a multiple of what the last one cost."""
    one = timeline(look_s=0.5)
    least_s = COST_RATIO * 0.5
    lived(one, (1, least_s - 0.01), (2, 0.01), (3, least_s - 0.01), (4, 0.01))
    assert copies(one) == [0, 2]
    assert len(one) == 3


def test_what_plays_a_run_is_timed() -> None:
    """From the look at the clock before it to the one after it; its answer is given."""
    one = timeline(look_s=0.125)

    def play(second: int) -> int:
        one.live.run_until(START_MS + second * 1000)
        return second

    for second in range(1, 17):
        assert one.timed(partial(play, second)) == second
    assert len(one) == 3
    assert copies(one) == [0, 8]


def test_played_on_a_run_is_copied_on_the_way() -> None:
    """To the end of the instant; it is the same run."""
    scene, log, again = scenario(BUSY, count=6), Log(), Log()
    one = Timeline(build_simulation(scene, [log]), work=Work(0.03), spacing_s=0.1)
    one.play(scene.start_ms + 60_000)
    build_simulation(scene, [again]).run_until(scene.start_ms + 60_000)
    assert log.journal == again.journal
    assert (one.now_ms, len(one) > 2) == (scene.start_ms + 60_000, True)


def test_the_copy_with_the_least_work_around_it_goes_first() -> None:
    """Never the first nor the last; what was between it and the one before falls to the one after."""
    one = timeline(room_bytes=0, most_bytes=0)
    lived(one, (1, 3.0), (2, 2.0))
    assert copies(one) == [0]
    roomy = timeline()
    lived(roomy, (1, 3.0), (2, 2.0), (3, 1.0), (4, 5.0), (5, 1.0))
    assert copies(roomy) == [0, 1, 2, 3, 4]
    tight = timeline(room_bytes=roomy.bytes - 1, most_bytes=0)
    lived(tight, (1, 3.0), (2, 2.0), (3, 1.0), (4, 5.0), (5, 1.0), (6, 0.0))
    assert copies(tight) == [0, 1, 3, 4, 5]
    lived(tight, (7, 1.0), (8, 0.0))
    assert copies(tight)[:3] == [0, 1, 3]


@pytest.mark.parametrize(("work_s", "count"), [(LONGEST_S / 2, 3), (LONGEST_S / 2 + 0.01, 4)])
def test_no_copy_goes_before_a_seek_would_take_long(work_s: float, count: int) -> None:
    """Until the most room is taken."""
    one = Timeline(build_simulation(SCENE), work=Work(), spacing_s=0.1, room_bytes=0)
    lived(one, (1, work_s), (2, work_s), (3, work_s))
    assert len(one) == count


def test_the_size_of_copies_is_their_sum() -> None:
    """What goes is taken off; after a branch to its beginning a run is as it began."""
    one = timeline()
    first = one.bytes
    lived(one, (10, 1.0))
    second = one.bytes - first
    assert first > 0
    assert second > 0
    bounded = timeline(room_bytes=0, most_bytes=0)
    lived(bounded, (5, 1.0), (10, 1.0))
    assert (len(bounded), bounded.bytes) == (2, first + second)
    _ = one.branch(START_MS)
    assert (len(one), one.bytes) == (1, first)


def test_work_before_a_branch_does_not_count_after_it() -> None:
    """Nor does a copy that was being made."""
    one = timeline()
    lived(one, (10, 1.0), (20, 0.9))
    _ = one.branch(START_MS + 15_000)
    lived(one, (16, 0.9))
    assert len(one) == 2
    lived(one, (17, 0.1))
    assert len(one) == 3
    assert copies(one) == [0, 10]

    one.in_pieces = True
    lived(one, (18, 1.0))
    assert one.copying
    _ = one.branch(START_MS + 12_000)
    assert (one.copying, one.copy_on()) == (False, True)


def test_marks_of_a_branch_are_those_up_to_its_instant() -> None:
    """That instant included."""
    one = timeline()
    lived(one, (20, 0.0))
    for second in (12, 8, 10, 11):
        one.mark(START_MS + second * 1000)
    _ = one.branch(START_MS + 11_000)
    assert one.marks() == [START_MS + second * 1000 for second in (8, 10, 11)]


def test_marks_are_gone_to_in_order() -> None:
    """The nearest one after or before an instant, never the one there."""
    one = timeline()
    for time_ms in (5, 3, 9):
        one.mark(START_MS + time_ms)
    found = [(one.previous_mark(START_MS + each), one.next_mark(START_MS + each)) for each in (3, 4, 5, 9)]
    assert [tuple(each and each - START_MS for each in pair) for pair in found] == [
        (None, 5),
        (3, 5),
        (3, 9),
        (5, None),
    ]


def test_steps_back_keep_copies_near_to_where_they_lead() -> None:
    """So that the next one takes less; a copy is kept after so much work on the way, but not of the instant itself."""
    one = Timeline(build_simulation(scenario(BUSY, count=6)), work=Work(), spacing_s=1e9)
    one.live.run_until(START_MS + 60_000)
    assert begun_from(one, 59) == 0
    near = Timeline(build_simulation(scenario(BUSY, count=6)), work=Work(NEAR_S), spacing_s=1e9)
    near.live.run_until(START_MS + 60_000)
    found = near.previous_record(START_MS + 59_000)
    assert found is not None
    assert found < START_MS + 59_000
    assert 0 < begun_from(near, 58.999) < 58.999
    _ = near.branch(START_MS + 1_000)
    assert begun_from(near, 0.5) == 0


def test_a_run_follows_the_acts_of_another() -> None:
    """Up to the end of an instant, that one included."""
    scene = scenario(BUSY, count=6)
    first, again = Log(), Log()
    simulation = build_simulation(scene, [first])
    for second in (3, 5, 7):
        simulation.run_until(scene.start_ms + second * 1000)
        simulation.act(SetPreemption(on=second == 5))
    simulation.run_until(scene.start_ms + 20_000)
    one = Timeline(build_simulation(scene, [again]), work=Work())
    one.follow(simulation.acts, scene.start_ms + 5_000)
    assert (one.live.acts, one.now_ms) == (simulation.acts[:2], scene.start_ms + 5_000)
    one.follow(simulation.acts[2:], scene.start_ms + 20_000)
    assert again.journal == first.journal


def test_a_copy_is_played_on_as_the_run_went() -> None:
    """Not beyond the present."""
    one = timeline()
    lived(one, (60, 0.0))
    copy = one.at(START_MS + 10_000)
    for _ in one.replay(copy, START_MS + 20_000):
        pass
    assert copy.now_ms == START_MS + 20_000
    for _ in one.replay(copy, START_MS + 99_000):
        pass
    assert copy.now_ms == START_MS + 60_000


def test_a_log_that_listens_from_the_start_numbers_from_zero() -> None:
    """Every record of a run has its number."""
    scene, log, rows = scenario(BUSY, count=6), Log(), RecordLog()
    build_simulation(scene, [log, rows]).run_until(scene.start_ms + 10_000)
    assert [tuple(row) for row in rows.rows] == [(number, *entry) for number, entry in enumerate(log.entries)]
    assert hash(rows.rows[3]) == hash(3)
