"""Snapshots as keyframes and differences: what is read is what was written."""

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN
from engine.recorded.frames import FrameReader, FrameWriter, SnapshotFrame
from tests.engine.recorded.polls import polled, rows_of

SERIES = ("2.7.2-fair-kill", "3.4.1-capacity-busy", "3.4.1-fifo-busy")


def passed_on(frame: SnapshotFrame) -> SnapshotFrame:
    """A frame that was written as bytes and read again."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(frame), type=SnapshotFrame)


@pytest.mark.parametrize("series", SERIES)
def test_what_is_read_is_what_was_written(series: str) -> None:
    reader, before = FrameReader(), None
    for number, snapshot in enumerate(polled(series)):
        writer = FrameWriter(snapshot)
        reader.take(passed_on(writer.keyframe() if before is None else writer.since(before)))
        found, before = reader.snapshot(number), writer

        assert (found.header, found.sections, found.dialect) == (snapshot.header, snapshot.sections, snapshot.dialect)
        assert rows_of(found) == rows_of(snapshot)
        assert found.version("nodes") == number


def test_only_the_fields_that_differ_are_written() -> None:
    """A number by how much it grew, what is not known any more by its place."""
    snapshot = polled()[0]
    nodes = list(snapshot.nodes())
    nodes[1] = msgspec.structs.replace(nodes[1], containers=nodes[1].containers + 2, state="LOST")
    nodes[2] = msgspec.structs.replace(nodes[2], last_heartbeat_ms=UNKNOWN)
    after = snapshot.with_rows("nodes", nodes)
    frame = FrameWriter(after).since(FrameWriter(snapshot))
    found = frame.differences["nodes"]

    assert (list(frame.differences), found.order) == (["nodes"], None)
    assert found.values == {"state": ([1], ["LOST"])}
    assert found.growths == {"containers": ([1], [2])}
    assert found.unknown == {"last_heartbeat_ms": [2]}


def test_what_becomes_known_is_read_again() -> None:
    snapshot = polled()[0]
    first = snapshot.with_rows("nodes", snapshot.nodes()[1:])
    shuffled = [*reversed(snapshot.nodes())]
    shuffled[0] = msgspec.structs.replace(shuffled[0], reserved_by="application_1_1")
    second = snapshot.with_rows("nodes", shuffled)
    reader, writer = FrameReader(), FrameWriter(first)
    reader.take(passed_on(writer.keyframe()))
    reader.take(passed_on(FrameWriter(second).since(writer)))

    assert list(reader.snapshot(1).nodes()) == shuffled
