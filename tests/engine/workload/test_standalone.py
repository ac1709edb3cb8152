"""What a Spark driver wishes of the Master."""

import pytest

from engine.scenario import DynamicAllocation, StageSpec, StandaloneSpec
from engine.workload.spark import NEVER
from engine.workload.stages import FOREVER
from engine.workload.standalone import DriverRequest, StandaloneDriver


def driver(tasks: int, dynamic: DynamicAllocation | None, each: int = 2) -> StandaloneDriver:
    stages = (StageSpec(tasks=tasks, duration_ms=(10_000, 10_000)),) if tasks else ()
    spec = StandaloneSpec(type="spark-standalone", user="u", executor_cores=each, stages=stages, dynamic=dynamic)
    return StandaloneDriver(1, spec, 0)


def wishes(player: StandaloneDriver, *times_ms: int) -> list[DriverRequest]:
    found = []
    for now_ms in times_ms:
        player.stages.hand_out()
        player.note_idle(now_ms)
        found.append(player.think(now_ms))
    return found


def test_it_ends_when_its_work_is_done_or_it_has_died() -> None:
    done, dead = driver(1, None), driver(1, None)
    done.joined(0, "a", 1, 0)
    (start,) = done.stages.hand_out()
    done.stages.end(start.task, start.turn)
    dead.dead = True

    assert [done.think(0), dead.think(0)] == [DriverRequest(done=True), DriverRequest(done=True)]


def test_waiting_tasks_make_it_ask_for_more_and_more() -> None:
    """After a second one more, then two, four, up to what its tasks need."""
    player = driver(20, DynamicAllocation())

    totals = [wish.total for wish in wishes(player, 0, 999, 1_000, 2_000, 3_000)]

    assert (totals, player.next_ms(3_000)) == ([0, None, 1, 3, 7], 4_000)
    assert ([wish.total for wish in wishes(player, 4_000)], player.next_ms(4_000)) == ([10], NEVER)


def test_time_outs_at_which_it_could_ask_for_no_more_are_left_out() -> None:
    """Those that follow come when they would have, and the growth starts over from one."""
    player = driver(20, DynamicAllocation(most=3))
    wishes(player, 0, 1_000, 2_000)
    assert player.allocation is not None
    player.allocation.spec = DynamicAllocation()

    totals = [wish.total for wish in wishes(player, 5_500, 6_000, 7_000)]

    assert totals == [None, 4, 6]


def test_it_asks_for_fewer_as_its_tasks_end() -> None:
    player = driver(4, DynamicAllocation(initial=2, least=1))
    player.think(0)
    player.joined(0, "a", 2, 0)
    player.joined(1, "b", 2, 0)
    starts = player.stages.hand_out()
    for start in starts[:3]:
        player.stages.end(start.task, start.turn)

    assert wishes(player, 10_000) == [DriverRequest(total=1)]


def test_idle_executors_are_given_back() -> None:
    """After the idle time, those beyond the total; the total is told again first."""
    player = driver(2, DynamicAllocation(initial=3, least=1, idle_ms=5_000))
    player.think(0)
    for executor in range(3):
        player.joined(executor, "a", 2, 0)
    wishes(player, 0)

    assert player.next_ms(0) == 5_000
    assert wishes(player, 5_000) == [DriverRequest(total=1, give_back=(2,))]
    player.left(2)
    player.left(9)
    assert player.next_ms(5_000) == NEVER


@pytest.mark.parametrize(("span", "lives"), [(None, {FOREVER}), ((0, 0), {0}), ((5, 7), {5, 6, 7})])
def test_an_executors_process_lives_as_long_as_is_drawn(span: tuple[int, int] | None, lives: set[int]) -> None:
    """For each executor by itself, the same for the same seed; without a span for ever."""
    spec = StandaloneSpec(type="spark-standalone", user="u", executor_cores=1, stages=(), exits_after_ms=span)
    one, same = (StandaloneDriver(1, spec, 3) for _ in range(2))

    drawn = [one.life_of(executor) for executor in range(60)]

    assert set(drawn) == lives
    assert [same.life_of(executor) for executor in range(60)] == drawn
