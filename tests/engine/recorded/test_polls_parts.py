"""Parts of kept polls: their index, when a new one begins, what a line holds, and what is said of damage."""

import errno
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.explain.alert import Alert
from engine.recorded.kept_polls import open_polls, polls_info
from engine.recorded.polls_file import (
    PlacedPoll,
    Poll,
    is_polls,
    part_path,
    parts_of,
    polls_from,
    read_ends,
    read_polls,
    repair_polls,
)
from engine.recorded.polls_index import Keyframe, PollsIndex
from engine.recorded.polls_writer import KEYFRAME_MS, LONGEST_PART_MS, PARTS, Happened
from engine.run.run_file import FILE, DamagedLineError
from tests.engine.recorded.polls import Kept, at_time, keep, polled

POLLS = polled()
FIRST_MS = POLLS[0].header.time_ms


def poll(time_ms: int, number: int = 0, **more: Any) -> Poll:
    """A poll with so many records before it."""
    return Poll(time_ms, more.pop("is_keyframe", False), b"", number, **more)


def index() -> PollsIndex:
    """Two parts: the first of three polls with two keyframes, the second of one."""
    found = PollsIndex("yarn")
    alert = Alert("alarm", 1, 2, "x")
    found.add(1, PlacedPoll(poll(10, is_keyframe=True, reading=(1,), queues={"q": 5}), 0, 50))
    found.add(1, PlacedPoll(poll(20, 1, queues={"q": 6, "p": 7}, alerts=(alert,)), 50, 90))
    found.add(1, PlacedPoll(poll(30, 1, is_keyframe=True, reading=(2,)), 90, 99))
    found.add(2, PlacedPoll(poll(40, 1, is_keyframe=True), 0, 50))
    return found


def test_an_index_knows_instants_keyframes_graphs_and_alerts() -> None:
    """Of every poll; what stays is told once."""
    found = index()

    assert list(found.times_ms) == [10, 20, 30, 40]
    assert found.keyframes == [Keyframe(10, 1, 0), Keyframe(30, 1, 90), Keyframe(40, 2, 0)]
    assert [found.history.cluster.at(ms) for ms in (10, 29, 30)] == [(1,), (1,), (2,)]
    assert [found.history.queues["q"].at(ms) for ms in (10, 20)] == [5, 6]
    assert found.history.queues["p"].at(20) == 7
    assert ([each.kind for each in found.alerts], found.records) == (["alarm"], 1)


@pytest.mark.parametrize(("time_ms", "keyframe"), [(0, 10), (10, 10), (29, 10), (30, 30), (39, 30), (40, 40), (99, 40)])
def test_the_last_keyframe_before_an_instant_is_found(time_ms: int, keyframe: int) -> None:
    """Before the first that one."""
    assert index().keyframe_before(time_ms).time_ms == keyframe


@pytest.mark.parametrize(("time_ms", "parts"), [(9, []), (10, [1]), (39, [1]), (40, [2, 1])])
def test_parts_are_told_up_to_an_instant_the_latest_first(time_ms: int, parts: list[int]) -> None:
    """Each once."""
    assert list(index().parts_before(time_ms)) == parts


def test_a_part_that_is_dropped_is_forgotten() -> None:
    """With its instants; of the last nothing is left."""
    found = index()
    found.drop(1)
    assert (list(found.times_ms), found.keyframes) == ([40], [Keyframe(40, 2, 0)])
    found.drop(2)
    assert (list(found.times_ms), found.keyframes) == ([], [])


def over(*instants: int) -> list[Any]:
    """Polls at some instants after the first [ms]."""
    return [at_time(POLLS[place % len(POLLS)], FIRST_MS + each) for place, each in enumerate(instants)]


@pytest.mark.parametrize(("second_ms", "parts"), [(LONGEST_PART_MS - 1, [1]), (LONGEST_PART_MS, [1, 2])])
def test_a_part_is_of_an_hour_at_most(tmp_path: Path, second_ms: int, parts: list[int]) -> None:
    """Where polls are kept for ever."""
    assert parts_of(keep(tmp_path, over(0, second_ms)).path) == parts


@pytest.mark.parametrize(("second_ms", "parts"), [(999, [1]), (1_000, [1, 2])])
def test_the_time_that_is_kept_has_so_many_parts(tmp_path: Path, second_ms: int, parts: list[int]) -> None:
    """At least."""
    assert parts_of(keep(tmp_path, over(0, second_ms), keep_for_ms=PARTS * 1_000).path) == parts


@pytest.mark.parametrize(("third_ms", "parts"), [(24_000, [1, 2, 3]), (24_001, [2, 3])])
def test_a_part_goes_whose_last_poll_is_older_than_what_is_kept(
    tmp_path: Path, third_ms: int, parts: list[int]
) -> None:
    """Not a millisecond before; the last one stays."""
    kept = keep(tmp_path, over(0, 20_000, third_ms), keep_for_ms=24_000)

    assert parts_of(kept.path) == parts
    assert kept.writer.series.polls == len(parts)
    assert parts_of(keep(tmp_path, over(0, 10**7), keep_for_ms=24_000).path) == [2]


@pytest.mark.parametrize(("second_ms", "count"), [(KEYFRAME_MS - 1, 1), (KEYFRAME_MS, 2)])
def test_a_keyframe_comes_every_two_minutes(tmp_path: Path, second_ms: int, count: int) -> None:
    """And with each part."""
    kept = keep(tmp_path, over(0, second_ms))
    with part_path(kept.path, 1).open("rb") as file:
        assert sum(each.poll.is_keyframe for each in read_polls(file)) == count


def test_a_line_tells_what_changed(tmp_path: Path) -> None:
    """The first all that graphs show; records are counted through."""
    kept = Kept(tmp_path, POLLS[0])
    alert = Alert("alarm", 1, 2, "x")
    for each, happened in (
        (POLLS[0], Happened((1, 2), {"q": 5, "p": 6}, [], [])),
        (POLLS[1], Happened((1, 2), {"q": 5, "p": 7}, [], [alert])),
        (POLLS[2], Happened((1, 3), {"q": 5, "p": 7}, [], [])),
    ):
        kept.writer.take(each, happened)
    with part_path(kept.path, 1).open("rb") as file:
        placed = list(read_polls(file))

    assert [(each.poll.reading, each.poll.queues, each.poll.alerts) for each in placed] == [
        ((1, 2), {"q": 5, "p": 6}, ()),
        ((), {"p": 7}, (alert,)),
        ((1, 3), {}, ()),
    ]
    assert [each.poll.time_ms for each in placed] == [each.header.time_ms for each in POLLS[:3]]
    assert (placed[0].begin, [each.begin for each in placed[1:]]) == (0, [each.end for each in placed[:-1]])
    with part_path(kept.path, 1).open("rb") as file:
        assert list(polls_from(file, placed[1].begin)) == placed[1:]


def test_the_beginning_tells_what_is_polled(tmp_path: Path) -> None:
    """And the end until when."""
    kept = keep(tmp_path, POLLS[:2], keep_for_ms=7)
    begun, end = read_ends(kept.path)
    series = kept.writer.series

    assert (begun.where, begun.dialect, begun.scheduler) == ("rm1:8088", "yarn", "FairScheduler 2.7.2")
    assert (begun.created, begun.start_ms, begun.offset_ms, begun.keep_for_ms) == (
        "2026-11-22",
        FIRST_MS,
        3_600_000,
        7,
    )
    assert (series.name, series.offset_ms, series.beginning, series.what) == ("rm1:8088", 3_600_000, begun, "polls")
    assert (begun.format, end) == (1, None)
    info = polls_info(tmp_path, kept.writer.name)
    assert (info.name, info.beginning, info.until_ms) == (kept.writer.name, begun, POLLS[1].header.time_ms)
    assert info.size_bytes == sum(each.stat().st_size for each in kept.path.iterdir())
    assert (kept.writer.trouble, kept.writer.failure) == ("", "")


def test_polls_of_which_none_was_kept_reach_to_their_beginning(tmp_path: Path) -> None:
    """By what is known of them."""
    kept = Kept(tmp_path, POLLS[0])

    assert polls_info(tmp_path, kept.writer.name).until_ms == FIRST_MS


def test_records_are_read_once_for_each_part_that_does_not_grow(tmp_path: Path) -> None:
    """Those of one that grows again with each poll."""
    kept = keep(tmp_path, POLLS[:6])
    series = kept.writer.series
    before = list(series.records_until(series.now_ms))
    kept.take(POLLS[-1])
    later = list(series.records_until(series.now_ms))

    assert later[: len(before)] == before
    assert len(later) > len(before)
    assert series.records_until(series.now_ms) == later
    part = part_path(kept.path, 1)
    kept.take(at_time(POLLS[0], FIRST_MS + LONGEST_PART_MS))
    whole = list(series.records_until(series.now_ms))
    assert whole[: len(later)] == later
    assert list(series.records_until(FIRST_MS + 10**6)) == later
    part.write_bytes(b"")
    assert list(series.records_until(FIRST_MS + 10**6)) == later


def damaged(kept: Kept) -> Path:
    """The part of kept polls, in the middle of which something is damaged."""
    part = part_path(kept.path, 1)
    data = bytearray(part.read_bytes())
    data[data.index(b"\n") + 5] ^= 1
    part.write_bytes(data)
    return part


def test_damage_of_the_last_part_is_said_with_its_file(tmp_path: Path) -> None:
    """By whoever asks what is there, and by whoever opens it."""
    kept = keep(tmp_path, POLLS[:4])
    part = damaged(kept)
    with pytest.raises(ConfigError) as caught:
        polls_info(tmp_path, kept.writer.name)
    assert [(each.file, each.message.startswith("line 2 is damaged")) for each in caught.value.problems] == [
        (str(part), True)
    ]
    with pytest.raises(ConfigError) as opened:
        open_polls(tmp_path, kept.writer.name)
    assert [each.hint for each in opened.value.problems] == [
        f"`schedlab runs repair {kept.writer.name}` keeps what is before and after it"
    ]


def test_a_repair_keeps_what_is_before_the_damage(tmp_path: Path) -> None:
    """And says how much was cut off."""
    kept = keep(tmp_path, POLLS[:4])
    kept.writer.finish()
    part = damaged(kept)
    size = part.stat().st_size
    done = repair_polls(tmp_path, kept.writer.name)

    assert (done.damaged, done.polls) == (("part-000001.jsonl",), 1)
    assert done.cut_bytes == size - part.stat().st_size
    assert open_polls(tmp_path, kept.writer.name).polls == 1


def test_a_repair_that_cannot_be_done_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With why."""
    kept = keep(tmp_path, POLLS[:4])
    kept.writer.finish()
    damaged(kept)

    def fail(number: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("engine.recorded.polls_file.os.fsync", fail)
    with pytest.raises(ConfigError, match=r"part-000001\.jsonl: it cannot be repaired: input/output error"):
        repair_polls(tmp_path, kept.writer.name)


def test_a_line_that_is_sealed_and_holds_no_poll_is_damaged(tmp_path: Path) -> None:
    """As of another program."""
    kept = keep(tmp_path, POLLS[:1])
    with (kept.path / FILE).open("rb") as file, pytest.raises(DamagedLineError, match="line 1 is damaged"):
        list(read_polls(file))


@pytest.mark.parametrize("where", ["gone", FILE])
def test_parts_that_cannot_be_listed_are_said(tmp_path: Path, where: str) -> None:
    """A directory that is gone, or is none."""
    kept = keep(tmp_path, POLLS[:1])
    with pytest.raises(ConfigError, match="cannot be read"):
        parts_of(kept.path / where)


def test_a_directory_that_takes_no_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first poll."""

    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("engine.recorded.polls_writer.create_file", fail)
    with pytest.raises(ConfigError, match="rm1-8088-1: the polls cannot be kept: no space left on device"):
        Kept(tmp_path, POLLS[0])


def test_other_files_beside_parts_are_left_alone(tmp_path: Path) -> None:
    """Parts are told by their whole name, in the order of their numbers."""
    kept = keep(tmp_path, POLLS[:1])
    for name in ("part-000012.jsonl", "part-000003.jsonl", "part-1.jsonl.bak", "xpart-000004.jsonl"):
        (kept.path / name).write_bytes(b"")

    assert parts_of(kept.path) == [1, 3, 12]
    assert part_path(kept.path, 7).name == "part-000007.jsonl"
    assert is_polls(tmp_path, kept.writer.name)
    assert kept.path.stat().st_mode & 0o77 == 0


def test_marks_before_the_first_poll_that_is_kept_are_gone(tmp_path: Path) -> None:
    """And steps go between the others."""
    kept = keep(tmp_path, POLLS)
    series = kept.writer.series
    marks = list(series.marks())
    other = Alert("over", 1, FIRST_MS - 1, "x")
    kept.writer.take(at_time(POLLS[0], series.now_ms + 1), Happened((), {}, [], [other]))

    assert list(series.marks()) == marks
    assert series.next_mark(marks[0]) == (marks[1] if len(marks) > 1 else None)
    assert series.previous_mark(marks[0]) is None
