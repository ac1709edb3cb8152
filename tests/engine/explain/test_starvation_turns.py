"""Who is asked about, when, in which turn and for how long, whatever the answers are."""

import msgspec
import pytest

from engine.explain import starvation_detector
from engine.explain.badge_rules import LONG_MS
from engine.explain.shared_lookahead import Basis
from engine.explain.starvation_detector import IMMINENT_MS, SCAN_MS, STALE_MS
from engine.explain.verdict import Proof, Verdict
from engine.explain.waits import Wait
from engine.run.player import WATCH_MS
from engine.scenario.acts import SetPreemption
from engine.schedulers.activity import Reason
from tests.engine.explain.asked import BLOCKED, HOLDER, MANY, THREE, WAITING, Asking
from tests.engine.explain.stuck import app

CYCLE = Verdict(
    "starving", None, Proof(0, 10, 0, None, still=True, cycle=(Wait(2, 1, Reason.DOES_NOT_FIT, ""),)), priority=1
)
BUSY = app("keeper", '{ memory = "6g", count = 2 }') + app("busy", '{ memory = "4g", count = 3 }', at=2, waits=False)
"""One that keeps six of ten GB on both nodes, and one that takes the rest and wants more."""


@pytest.mark.parametrize(("at_ms", "asked"), [(LONG_MS - 1, []), (LONG_MS, [2])])
def test_who_has_waited_for_a_minute_is_asked_about(
    monkeypatch: pytest.MonkeyPatch, at_ms: int, asked: list[int]
) -> None:
    """To the millisecond, where it is looked at for the first time then."""
    asking = Asking(monkeypatch, THREE)
    asking.look(at_ms)

    assert asking.asked() == asked


@pytest.mark.parametrize(("at_ms", "asked"), [(SCAN_MS - 1, []), (SCAN_MS, [2])])
def test_who_may_be_blocked_for_good_is_asked_about_at_the_first_look(
    monkeypatch: pytest.MonkeyPatch, at_ms: int, asked: list[int]
) -> None:
    """Which is not before it has waited for as long as a scan takes to come."""
    asking = Asking(monkeypatch, THREE)
    asking.suspects = {2}
    asking.look(at_ms)

    assert asking.asked() == asked


def test_two_new_waits_are_looked_at_in_one_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others in the next one."""
    asking = Asking(monkeypatch, THREE)
    asking.suspects = {2, 3, 4}
    asking.look(10_000)
    asking.look(10_000 + SCAN_MS - 1)
    assert asking.asked() == [2, 3]

    asking.look(10_000 + SCAN_MS)
    assert asking.asked() == [2, 3, 4]


def test_each_question_comes_when_the_wait_has_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short the wait was at the first one, the second comes a minute later."""
    asking = Asking(monkeypatch)
    asking.watch(480_000)
    assert asking.times() == [60_000, 120_000, 240_000, 480_000]

    early = Asking(monkeypatch)
    early.suspects = {2}
    early.watch(135_000)
    assert early.times() == [5_000, 65_000, 130_000]


@pytest.mark.parametrize(("start_ms", "next_ms"), [(115_000, 120_000), (300_000, 305_000), (300_001, 310_000)])
def test_who_is_to_be_served_is_not_asked_about_before_that(
    monkeypatch: pytest.MonkeyPatch, start_ms: int, next_ms: int
) -> None:
    """But a scan later than it should have been."""
    asking = Asking(monkeypatch)
    asking.found = msgspec.structs.replace(WAITING, expected_start_ms=asking.since_ms + start_ms)
    asking.watch(310_000)

    assert asking.times()[:2] == [60_000, next_ms]


def test_the_oldest_wait_comes_first_of_those_asked_about_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever was asked about less often comes before it."""
    asking = Asking(monkeypatch, THREE + app("late", '{ memory = "8g" }', at=60))
    asking.look(65_000)
    assert asking.asked() == [2, 3, 4]

    asking.look(130_000)
    assert asking.asked() == [2, 3, 4, 5, 2, 3, 4]


def test_whom_keepers_leave_no_room_comes_before_older_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody waits though keepers leave room, as others who wait take it."""
    asking = Asking(monkeypatch, BUSY + app("roomless", '{ memory = "9g" }', at=6))
    asking.look(70_000, of_any=0)
    assert (asking.asked(), asking.held.is_held_back, asking.held.idle) == ([3], True, True)

    asking.look(70_500)
    assert (asking.asked(), asking.held.is_held_back) == ([3, 2], False)


@pytest.mark.parametrize(("waited_ms", "asked"), [(LONG_MS - 1, [2]), (LONG_MS, [2, 3])])
def test_a_question_that_is_held_back_gives_way_to_whom_keepers_leave_no_room(
    monkeypatch: pytest.MonkeyPatch, waited_ms: int, asked: list[int]
) -> None:
    """Who has never been asked about, and waited for a minute; what is dropped counts as asked about."""
    asking = Asking(monkeypatch, BUSY + app("roomless", '{ memory = "9g" }', at=60))
    asking.pieces = 3
    asking.look(70_000, of_any=4)
    assert (asking.asked(), asking.held.is_held_back, asking.held.spent) == ([2], True, 1)

    asking.look(asking.since[3] + waited_ms - asking.since_ms, of_any=0)
    assert asking.asked() == asked
    assert asking.held.is_held_back == (asked == [2])
    asking.look(asking.since[3] + waited_ms + SCAN_MS - asking.since_ms)
    assert asking.asked() == [2, 3]


@pytest.mark.parametrize(("pieces", "is_judged"), [(32, True), (33, False)])
def test_a_question_is_given_up_when_it_takes_too_long(
    monkeypatch: pytest.MonkeyPatch, pieces: int, *, is_judged: bool
) -> None:
    """Where nobody else is to be asked about, after eight times as many pieces as else; not judged it is then."""
    monkeypatch.setattr(starvation_detector, "SLICE", 4)
    asking = Asking(monkeypatch)
    asking.pieces = pieces
    asking.look(60_000)

    assert (asking.asked(), asking.held.spent) == ([2], 32)
    assert asking.not_judged() == ([] if is_judged else [2])


def test_who_took_too_long_gets_twice_as_much_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """And who is asked about beside others an eighth."""
    monkeypatch.setattr(starvation_detector, "SLICE", 4)
    asking = Asking(monkeypatch, THREE)
    asking.pieces = MANY
    asking.look(70_000)
    assert (asking.asked(), asking.held.spent) == ([2, 3, 4], 4 + 4 + 32)

    asking.look(150_000)
    assert (asking.asked()[3:], asking.held.spent - 40) == ([2, 3, 4], 8 + 8 + 64)
    assert asking.not_judged() == [2, 3, 4]


@pytest.mark.parametrize(("later_ms", "asked"), [(STALE_MS - 1, [2, 3, 4]), (STALE_MS, [2])])
def test_the_others_of_a_scan_are_chosen_anew_after_a_minute(
    monkeypatch: pytest.MonkeyPatch, later_ms: int, asked: list[int]
) -> None:
    """As what was copied is too old then."""
    asking = Asking(monkeypatch, THREE)
    asking.pieces = 10
    asking.look(70_000, pieces=5)
    assert (asking.asked(), asking.held.idle, asking.held.leave_off()) == ([2], False, False)

    asking.look(70_000 + later_ms)
    assert asking.asked() == asked


def test_pieces_are_spent_on_choosing_and_on_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two on whom to ask about, the others on questions."""
    asking = Asking(monkeypatch)
    asking.pieces = 10
    for pieces in range(5):
        asking.look(60_000, pieces=1)
        assert asking.held.spent == max(0, pieces - 1)
        assert asking.held.copying == (pieces < 1)


def test_who_rests_forgets_what_it_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins with a new scan, when that is due."""
    asking = Asking(monkeypatch, THREE)
    asking.pieces = 10
    asking.look(70_000, pieces=5)
    asking.held.rest()
    assert (asking.held.idle, asking.held.copying, asking.held.urgent) == (True, False, False)

    asking.look(70_000 + SCAN_MS - 1)
    assert asking.asked() == [2]
    asking.look(70_000 + SCAN_MS)
    assert asking.asked() == [2, 2, 3, 4]


def test_after_a_freeze_the_longest_waits_are_asked_about_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many of them, whatever they wait for; that is urgent until it is done."""
    monkeypatch.setattr(starvation_detector, "SUSPECTED", 2)
    asking = Asking(monkeypatch, THREE)
    asking.look(20_000)
    asking.held.suspect(asking.here)
    assert (asking.held.urgent, asking.held.leave_off(), asking.asked()) == (True, False, [])

    asking.look(20_500)
    assert (asking.held.urgent, asking.asked()) == (False, [2, 3])


def test_after_a_freeze_nothing_is_urgent_where_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nobody to ask about."""
    asking = Asking(monkeypatch, HOLDER)
    asking.held.suspect(asking.here)

    assert not asking.held.urgent


def test_whom_an_alert_stands_for_is_asked_about_again_when_somebody_acted(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the next scan, due or not; without an act never."""
    asking = Asking(monkeypatch, found=BLOCKED)
    assert asking.watch(300_000) == [(60_000, "stuck")]
    assert (asking.times(), asking.not_judged()) == ([60_000], [])

    asking.here.act(SetPreemption(on=True))
    asking.found = WAITING
    assert asking.watch(320_000)[:1] == [(305_000, "over")]
    assert asking.times() == [60_000, 305_000]


def test_a_cycle_is_told_when_it_has_lasted_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before that it is looked at again a scan before the minute is over, and at the next ones."""
    asking = Asking(monkeypatch, found=CYCLE)
    asking.suspects = {2}

    assert asking.watch(130_000) == [(60_000, "stuck")]
    assert asking.times() == [5_000, 55_000, 60_000]


@pytest.mark.parametrize(
    ("still", "last_ms", "kinds"),
    [
        (True, IMMINENT_MS - 1, []),
        (True, IMMINENT_MS, ["stuck"]),
        (False, IMMINENT_MS - 1, ["stuck"]),
        (True, None, ["stuck"]),
    ],
)
def test_a_cycle_is_left_to_the_freeze_that_forms_soon(
    monkeypatch: pytest.MonkeyPatch, last_ms: int | None, kinds: list[str], *, still: bool
) -> None:
    """Within five minutes everything is to be still."""
    asking = Asking(monkeypatch, found=CYCLE)

    def freeze(basis: Basis) -> None:
        basis.ahead.still = still
        basis.ahead.last_ms = None if last_ms is None else basis.here.now_ms + last_ms

    asking.played = freeze

    assert [alert.kind for alert in asking.look(60_000)] == kinds


@pytest.mark.parametrize(("given", "kinds"), [({}, ["stuck"]), ({2: 5}, []), ({3: 5}, ["stuck"])])
def test_a_cycle_of_whom_has_something_is_told_when_nobody_in_it_is_given_anything(
    monkeypatch: pytest.MonkeyPatch, given: dict[int, int], kinds: list[str]
) -> None:
    """Those beside the cycle do not count."""
    half = app("half", '{ memory = "9g", hosts = ["n1"], relax = false }')
    asking = Asking(monkeypatch, half + app("more", '{ memory = "9g", count = 2 }', at=5), CYCLE)
    asking.played = lambda basis: basis.ahead.first.update(given)

    assert [alert.kind for alert in asking.look(60_000)] == kinds


@pytest.mark.parametrize("resumed_ms", range(14_000, 20_001, WATCH_MS))
def test_scans_come_as_if_no_look_had_been_left_out(monkeypatch: pytest.MonkeyPatch, resumed_ms: int) -> None:
    """While nobody waits none is needed, once one has been made."""
    times = []
    for is_left_out in (False, True):
        asking = Asking(monkeypatch, HOLDER + app("late", '{ memory = "8g" }', at=25))
        asking.suspects = {2}
        assert not asking.held.leave_off()
        for at_ms in range(0, 30_000, WATCH_MS):
            is_out = is_left_out and 1_000 < at_ms < resumed_ms
            if is_left_out and at_ms == 1_000:
                asking.look(at_ms)
                assert asking.held.leave_off()
            elif is_left_out and at_ms == resumed_ms:
                asking.held.resume(asking.since_ms + at_ms)
            if not is_out:
                asking.look(at_ms)
        times.append(asking.times())

    assert times[0]
    assert times[0] == times[1]


def test_who_is_given_something_waits_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked about a minute after that, in the turn of those asked about as often as it was."""
    holder = app("holder", '{ memory = "9g", count = 2, duration = "90s" }')
    asking = Asking(monkeypatch, holder + app("one", '{ memory = "9g", count = 3 }', at=5, waits=False))
    asking.watch(300_000)
    again_ms = asking.since[2] - asking.since_ms

    assert again_ms > 60_000
    assert asking.times()[:2] == [60_000, again_ms + LONG_MS + -(again_ms + LONG_MS) % SCAN_MS]
