"""Polls on disk: all of them come back, a program that is killed loses at most the last, damage is refused in words."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.live.watch_metrics import WatchedCluster
from engine.observe.documents import FixedSnapshot
from engine.recorded.polls_file import part_path, parts_of, repair_polls
from engine.recorded.polls_writer import KeptPolls, open_polls, polls_info
from engine.run.run_store import FILE, delete, names
from tests.engine.recorded.polls import Kept, at_time, keep, polled, rows_of
from tests.small_disk import small_disk

POLLS = polled()
MINUTE_MS = 60_000


def over(minutes: int, per_minute: int = 1) -> list[FixedSnapshot]:
    begin_ms = POLLS[0].header.time_ms
    count = minutes * per_minute
    return [at_time(POLLS[place % 24], begin_ms + place * MINUTE_MS // per_minute) for place in range(count)]


def same_graphs(polls: KeptPolls, watched: WatchedCluster) -> bool:
    """Whether graphs of kept polls show what those of the watch did."""
    one, other = polls.history, watched.history
    queues = [{path: (s.times, s.values) for path, s in each.queues.items()} for each in (one, other)]
    return (one.cluster.times, one.cluster.values) == (other.cluster.times, other.cluster.values) and (
        queues[0] == queues[1]
    )


def test_every_poll_comes_back(tmp_path: Path) -> None:
    """In any order, while it is kept and when it is opened; a moment between two shows the one before."""
    kept = keep(tmp_path, POLLS)
    for polls in (kept.writer.series, open_polls(tmp_path, kept.writer.name)):
        for each in (*reversed(POLLS), *POLLS):
            found = polls.snapshot_at(each.header.time_ms + 300)
            assert (found.header, rows_of(found)) == (each.header, rows_of(each))
        assert polls.snapshot_at(0).header == POLLS[0].header
        assert (polls.first_ms, polls.now_ms, polls.polls) == (
            POLLS[0].header.time_ms,
            POLLS[-1].header.time_ms,
            len(POLLS),
        )
        assert same_graphs(polls, kept.watched)


def test_alerts_records_and_marks_come_back(tmp_path: Path) -> None:
    kept = keep(tmp_path, POLLS)
    polls = open_polls(tmp_path, kept.writer.name)
    records = polls.records_until(polls.now_ms)
    until_ms = POLLS[10].header.time_ms

    assert list(polls.alerts) == kept.watched.alarms.alerts
    assert [alert.kind for alert in polls.alerts] == ["alarm", "over", "alarm", "over"][: len(polls.alerts)]
    assert list(polls.marks()) == sorted({
        alert.found_ms if alert.kind == "over" else alert.since_ms for alert in polls.alerts
    })  # fmt: skip
    assert [each.number for each in records] == list(range(len(records)))
    assert polls.records_until(until_ms) == [each for each in records if each.time_ms <= until_ms]
    assert records == kept.writer.series.records_until(polls.now_ms)
    assert len(records) > 10


def test_a_program_that_is_killed_loses_at_most_the_last_poll(tmp_path: Path) -> None:
    kept = keep(tmp_path, POLLS[:6])
    part = part_path(kept.path, 1)
    whole = part.read_bytes().rstrip(b" ")
    last = whole[:-1].rfind(b"\n") + 1
    for size in (last, last + 1, (last + len(whole)) // 2, len(whole) - 1):
        part.write_bytes(whole[:size])
        polls = open_polls(tmp_path, kept.writer.name)
        assert polls.polls == 5
        assert rows_of(polls.snapshot_at(polls.now_ms)) == rows_of(POLLS[4])
    assert polls_info(tmp_path, kept.writer.name).end is None


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_damaged_part_is_refused_and_repaired(tmp_path: Path, place: float) -> None:
    kept = keep(tmp_path, POLLS)
    kept.writer.finish()
    part = part_path(kept.path, 1)
    data = bytearray(part.read_bytes())
    at = int(len(data) * place)
    data[at] ^= 1
    part.write_bytes(data)

    with pytest.raises(ConfigError, match=r"line \d+ is damaged.*runs repair rm1-8088-1"):
        open_polls(tmp_path, kept.writer.name)
    done = repair_polls(tmp_path, kept.writer.name)

    assert done.damaged == ("part-000001.jsonl",)
    assert done.cut_bytes > 0
    if done.polls:
        assert open_polls(tmp_path, kept.writer.name).polls == done.polls
    assert repair_polls(tmp_path, kept.writer.name).damaged == ()


def test_kept_polls_are_deleted_with_their_parts(tmp_path: Path) -> None:
    kept = keep(tmp_path, POLLS[:2])
    kept.writer.finish()
    assert names(tmp_path) == [kept.writer.name]
    delete(tmp_path, kept.writer.name)

    assert list(tmp_path.iterdir()) == []


def test_a_proper_end_is_known(tmp_path: Path) -> None:
    kept = keep(tmp_path, POLLS)
    kept.writer.finish()
    end = polls_info(tmp_path, kept.writer.name).end

    assert end is not None
    assert (end.until_ms, end.polls, end.failure) == (POLLS[-1].header.time_ms, len(POLLS), "")


def test_old_parts_go_and_the_rest_stays_readable(tmp_path: Path) -> None:
    """Of an hour at least one is there, and at most a part of it more."""
    polls = over(100)
    kept = keep(tmp_path, polls, keep_for_ms=60 * MINUTE_MS)
    now_ms, series = kept.writer.series.now_ms, kept.writer.series
    opened = open_polls(tmp_path, kept.writer.name)

    assert 60 * MINUTE_MS <= now_ms - series.first_ms <= 64 * MINUTE_MS
    assert parts_of(kept.path)[0] > 10
    assert opened.first_ms == series.first_ms
    assert rows_of(opened.snapshot_at(series.first_ms)) == rows_of(series.snapshot_at(series.first_ms))


def test_a_full_disk_ends_it_in_words(tmp_path: Path) -> None:
    kept = Kept(tmp_path, POLLS[0])
    kept.take(POLLS[0])
    with small_disk(part_path(kept.path, 1).stat().st_size + 3_000):
        for each in POLLS[1:]:
            kept.take(each)
    end = polls_info(tmp_path, kept.writer.name).end

    assert "file too large" in kept.writer.trouble
    assert kept.writer.trouble.startswith("the polls rm1-8088-1 are no longer kept: ")
    assert end is not None
    assert end.failure == "file too large"
    assert open_polls(tmp_path, kept.writer.name).polls == end.polls > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((b'"format":1', b'"format":7'), "it has format 7, this program .* reads 1"),
        ((b'"where"', b'"wherE"'), "its beginning is damaged: line 1 is damaged"),
    ],
)
def test_another_form_is_refused(tmp_path: Path, change: tuple[bytes, bytes], words: str) -> None:
    kept = keep(tmp_path, POLLS[:1])
    place = kept.path / FILE
    place.write_bytes(place.read_bytes().replace(*change))

    with pytest.raises(ConfigError, match=words):
        open_polls(tmp_path, kept.writer.name)


def test_polls_without_any_are_refused(tmp_path: Path) -> None:
    kept = Kept(tmp_path, POLLS[0])

    with pytest.raises(ConfigError, match="no poll was kept in it"):
        open_polls(tmp_path, kept.writer.name)


def test_a_part_that_went_meanwhile_is_a_sentence(tmp_path: Path) -> None:
    kept = keep(tmp_path, POLLS)
    polls = open_polls(tmp_path, kept.writer.name)
    part_path(kept.path, 1).write_bytes(b"[1,true,\n" * 20)

    with pytest.raises(ConfigError, match="cannot be read"):
        polls.snapshot_at(polls.now_ms)
    with pytest.raises(ConfigError, match="cannot be read"):
        polls.records_until(polls.now_ms)


# Parts of kept polls: their index, when a new one begins, what a line holds, and what is said of damage.


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
