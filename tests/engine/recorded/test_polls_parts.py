"""Parts of kept polls: their index, when a new one begins, what a line holds, and what is said of damage."""

from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.recorded.kept_polls import open_polls, polls_info
from engine.recorded.polls_file import (
    part_path,
    parts_of,
    read_polls,
    repair_polls,
)
from engine.recorded.polls_writer import KEYFRAME_MS, LONGEST_PART_MS
from tests.engine.recorded.polls import Kept, at_time, keep, polled

POLLS = polled()
FIRST_MS = POLLS[0].header.time_ms


def over(*instants: int) -> list[Any]:
    return [at_time(POLLS[place % len(POLLS)], FIRST_MS + each) for place, each in enumerate(instants)]


@pytest.mark.parametrize(("third_ms", "parts"), [(24_000, [1, 2, 3]), (24_001, [2, 3])])
def test_a_part_goes_whose_last_poll_is_older_than_what_is_kept(
    tmp_path: Path, third_ms: int, parts: list[int]
) -> None:
    kept = keep(tmp_path, over(0, 20_000, third_ms), keep_for_ms=24_000)

    assert parts_of(kept.path) == parts
    assert kept.writer.series.polls == len(parts)
    assert parts_of(keep(tmp_path, over(0, 10**7), keep_for_ms=24_000).path) == [2]


@pytest.mark.parametrize(("second_ms", "count"), [(KEYFRAME_MS - 1, 1), (KEYFRAME_MS, 2)])
def test_a_keyframe_comes_every_two_minutes(tmp_path: Path, second_ms: int, count: int) -> None:
    kept = keep(tmp_path, over(0, second_ms))
    with part_path(kept.path, 1).open("rb") as file:
        assert sum(each.poll.is_keyframe for each in read_polls(file)) == count


def test_records_are_read_once_for_each_part_that_does_not_grow(tmp_path: Path) -> None:
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
    kept = keep(tmp_path, POLLS[:4])
    kept.writer.finish()
    part = damaged(kept)
    size = part.stat().st_size
    done = repair_polls(tmp_path, kept.writer.name)

    assert (done.damaged, done.polls) == (("part-000001.jsonl",), 1)
    assert done.cut_bytes == size - part.stat().st_size
    assert open_polls(tmp_path, kept.writer.name).polls == 1
