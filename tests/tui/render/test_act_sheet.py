"""The dialog that asks before an act: lost and freed."""

import msgspec
import pytest

from engine.explain.aftermath_report import AftermathReport, BegunReport, MemoryReport, StayReport
from tests.reports import report_of
from tests.tui import answered
from tests.tui.render.drawing import stored
from tui.format import Beside
from tui.render.act_sheet import ActQuestion, Trying, sheet_lines
from tui.render.line import flat


@pytest.mark.parametrize(("width", "is_beside"), [(28, True), (27, False)])
def test_lost_stands_beside_freed_where_both_fit(width: int, is_beside: bool) -> None:
    question = ActQuestion("Kill", ("one",), "Kill it", lost=(("1", "container of 1G"),), freed=(("2", "nodes"),))

    heads = [flat(line) for line in sheet_lines(question, None, width) if "LOST" in flat(line)]

    assert ("FREED" in heads[0]) is is_beside


AFTER = report_of(AftermathReport, answered.followed())
DAY = Beside(answered.NOW, answered.OFFSET_MS)
KILL = ActQuestion(
    "Kill", ("Kill 183342 etl-183342?", "It has run for an hour and a half and holds fifteen containers."), "Kill it",
    lost=(("15", "containers"), ("1h30m", "")), freed=(("60G/15c", "on 12 nodes"),),
)  # fmt: skip


def _stay(number: int, node: str, until_ms: int | None = None) -> StayReport:
    return StayReport(application=answered.name(number), node=node, until_ms=until_ms)


STAYS = (
    _stay(1, "n1:1", answered.NOW + 60_000),
    _stay(1, "n2:1", answered.NOW + 90_000),
    _stay(2, "n3:1", answered.NOW + 30_000),
    _stay(3, "n4:1"),
    _stay(4, "n5:1"),
)


@pytest.mark.parametrize(
    ("name", "trying", "width"),
    [
        ("followed", Trying(AFTER, DAY), 80),
        ("narrow", Trying(AFTER, DAY), 40),
        ("wide", Trying(msgspec.structs.replace(AFTER, stays=STAYS, preempted=3), DAY), 120),
        ("refused", Trying(msgspec.structs.replace(AFTER, refused="there is\nno such node"), DAY), 60),
        ("working", Trying(words="trying it on a copy, which takes a moment or two"), 30),
        (
            "nobody",
            Trying(
                msgspec.structs.replace(
                    AFTER, begun=(), stays=(), memory=msgspec.structs.replace(AFTER.memory, before=None)
                ),
                DAY,
            ),
            60,
        ),
    ],
)
def test_what_follows_is_drawn_as_it_is_stored(name: str, trying: Trying, width: int) -> None:
    """Who starts and when, what is preempted, whose reservations stay, memory now and at most."""
    drawn, kept = stored(f"act-{name}", sheet_lines(KILL, trying, width))

    assert drawn == kept


@pytest.mark.parametrize(
    ("begun", "words"),
    [
        ([(1, False)], ["1 starts", "at 09:01:01"]),
        ([(1, True), (2, True)], ["2 start", "the first at 09:01:01, the last at 09:01:02; 2 running"]),
        (
            [(1, False), (5, True), (9, False)],
            ["3 start", "the first at 09:01:01, the last at 09:01:09; 2 waiting, 1 running"],
        ),
    ],
)
def test_who_starts_is_counted_by_whether_it_ran(begun: list[tuple[int, bool]], words: list[str]) -> None:
    some = tuple(
        BegunReport(application=answered.name(second), at_ms=answered.NOW + 1000 * second, ran=ran)
        for second, ran in begun
    )
    lines = sheet_lines(KILL, Trying(msgspec.structs.replace(AFTER, begun=some), DAY), 100)

    assert flat(lines[8]).split(None, 2)[:2] == words[0].split()
    assert flat(lines[8]).split("  ", 1)[1].strip() == words[1]


@pytest.mark.parametrize(
    ("stays", "facts"),
    [
        (STAYS[:1], ["1 ends", "the reservation of n1 by 1, by 09:02:00"]),
        (STAYS[:3], ["3 end", "the reservation of 2 nodes by 1 and 1 other, by 09:02:30"]),
        (STAYS[3:4], ["1 stays", "the reservation of n4 by 3"]),
        (STAYS[3:], ["2 stay", "the reservation of 1 node by 3 and 1 other"]),
    ],
)
def test_reservations_that_stay_are_told_apart_from_those_that_end(
    stays: tuple[StayReport, ...], facts: list[str]
) -> None:
    lines = [flat(line) for line in sheet_lines(KILL, Trying(msgspec.structs.replace(AFTER, stays=stays), DAY), 100)]

    found = next(line for line in lines if line.startswith(facts[0])).removeprefix(facts[0]).strip()
    assert found == facts[1]


@pytest.mark.parametrize(
    ("used", "total", "filled", "half"),
    [
        (0, 100, 0, 0),
        (1, 100, 0, 1),
        (50, 100, 10, 0),
        (52, 100, 10, 1),
        (99, 100, 19, 1),
        (100, 100, 20, 0),
        (5, 0, 20, 0),
    ],
)
def test_a_meter_of_memory_has_half_cells(used: int, total: int, filled: int, half: int) -> None:
    before = MemoryReport(at_ms=answered.NOW, used_mb=used, total_mb=total, percent=50)
    memory = msgspec.structs.replace(AFTER.memory, before=before, most=before)
    lines = sheet_lines(KILL, Trying(msgspec.structs.replace(AFTER, memory=memory), DAY), 56)
    meter = next(flat(line) for line in lines if flat(line).startswith("memory now"))

    assert (meter.count("━"), meter.count("╸"), meter.count("─")) == (filled, half, 20 - filled - half)


@pytest.mark.parametrize(("percent", "count"), [(60, 1), (61, 2)])
def test_memory_later_is_drawn_where_there_is_more_of_it(percent: int, count: int) -> None:
    most = MemoryReport(at_ms=answered.NOW, used_mb=61, total_mb=100, percent=percent)
    after = msgspec.structs.replace(AFTER, memory=msgspec.structs.replace(AFTER.memory, most=most))
    lines = [flat(line) for line in sheet_lines(KILL, Trying(after, DAY), 80)]

    assert sum("%" in line for line in lines) == count


def test_without_lost_or_freed_or_trial_only_the_question_is_left() -> None:
    """A line that is too long is folded, a short one kept as it is."""
    question = ActQuestion("Sure", ("Stop  it?", "Whatever it does"), "Stop it")

    assert [flat(line) for line in sheet_lines(question, None, 16)] == ["Stop  it?", "Whatever it does"]
    assert [flat(line) for line in sheet_lines(question, None, 15)] == ["Stop  it?", "Whatever it", "does"]
