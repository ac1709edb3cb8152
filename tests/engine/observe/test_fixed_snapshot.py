"""Snapshots that stay, and those written as plain values and made again."""

from functools import cache
from typing import Any

import msgspec
import pytest

from engine.formats.scenario_toml import load
from engine.observe.fixed_snapshot import FixedSnapshot, plain_snapshot, row_of_plain, snapshot_of_plain
from engine.observe.snapshot import SECTIONS, UNKNOWN, NodeRow, ReservationRow, Snapshot
from engine.observe.snapshot_document import section_rows
from engine.run.player import Run

SCENES = {
    "reservation-deadlock-recorded": 70_000,
    "prod-dev-capacity-preemption-3.4": 180_000,
    "node-labels-capacity-3.4": 60_000,
    "spark-packing": 60_000,
    "mr1-slots-of-the-wrong-kind": 60_000,
}


@cache
def played(name: str) -> Snapshot:
    """A scenario at an instant."""
    run = Run(load(name), is_judged=False)
    run.advance(SCENES[name])
    return run.snapshot()


@pytest.mark.parametrize("name", SCENES)
def test_a_snapshot_comes_back_whole_from_plain_values(name: str) -> None:
    """Every row of every section with its type, and the versions; also from bytes."""
    before = played(name)
    plain = plain_snapshot(before)
    again = snapshot_of_plain(msgspec.msgpack.decode(msgspec.msgpack.encode(plain)))

    assert (again.dialect, again.header) == (before.dialect, before.header)
    assert dict(again.sections) == dict(before.sections)
    for section in SECTIONS:
        rows = list(section_rows(before, section))
        assert list(section_rows(again, section)) == rows
        assert [type(row) for row in section_rows(again, section)] == [type(row) for row in rows]
    assert {name: again.version(name) for name in before.sections} == {
        name: before.version(name) for name in before.sections
    }
    assert (again.version("nothing"), plain_snapshot(again)) == (0, plain)


def test_what_cannot_be_told_is_left_out_and_comes_back() -> None:
    """A value of another type is refused."""
    fields = {"id": "a", "host": "b"}
    row = row_of_plain(NodeRow, fields)

    assert (row.id, row.host, row.total, row.reserved_by) == ("a", "b", UNKNOWN, UNKNOWN)
    with pytest.raises(msgspec.ValidationError):
        row_of_plain(NodeRow, {"id": 5})
    with pytest.raises(KeyError):
        snapshot_of_plain({"sections": {}})


def fixed(name: str = "reservation-deadlock-recorded") -> FixedSnapshot:
    """The same as a snapshot that stays."""
    return snapshot_of_plain(plain_snapshot(played(name)))


def test_containers_are_found_by_application_and_node() -> None:
    """Of an application in order of their ids, of a node in the order given, of both, and none of what is not there."""
    snapshot = fixed()
    rows = snapshot.containers()
    one = rows[len(rows) // 2]

    for _ in range(2):
        assert snapshot.containers(node=one.node) == [row for row in rows if row.node == one.node]
    of_one = [row for row in rows if row.application == one.application]
    assert snapshot.containers(application=one.application) == sorted(of_one, key=lambda row: row.id)
    assert snapshot.containers(application=one.application, node=one.node) == sorted(
        (row for row in of_one if row.node == one.node), key=lambda row: row.id
    )
    assert list(snapshot.containers(node="none")) == list(snapshot.containers(application="none")) == []
    assert len({row.node for row in rows}) > 1


def test_applications_may_be_asked_for_without_their_obstacles() -> None:
    """They are made once; where the source has both, the plain ones stay."""
    snapshot = fixed()
    rows, plain = snapshot.applications(), snapshot.applications(why=False)
    assert any(row.obstacle is not None for row in rows)
    assert list(plain) == [msgspec.structs.replace(row, obstacle=None) for row in rows]
    assert snapshot.applications(why=False) is plain

    bare = snapshot.with_rows("applications", plain)
    explained = bare.with_obstacles(rows)
    assert explained.applications() is rows
    assert explained.applications(why=False) is plain
    assert bare.applications() is plain


def test_other_rows_leave_all_else_as_it_is() -> None:
    """The versions, too; the first snapshot stays."""
    snapshot = fixed()
    nodes = list(snapshot.nodes())[:2]
    other = snapshot.with_rows("nodes", nodes)

    assert (other.nodes(), len(snapshot.nodes())) == (nodes, 12)
    assert (other.header, other.dialect, other.sections) == (snapshot.header, snapshot.dialect, snapshot.sections)
    assert [other.version(name) for name in SECTIONS] == [snapshot.version(name) for name in SECTIONS]
    assert all(
        list(section_rows(other, name)) == list(section_rows(snapshot, name)) for name in SECTIONS if name != "nodes"
    )


def test_a_section_more_has_its_rows_and_its_version() -> None:
    """With another header; what was there stays, the applications without obstacles too."""
    rows = [ReservationRow("n1", "a", "q", (1, 1), (0, 0), (1, 1), 5)]
    before = FixedSnapshot("yarn", fixed().header, {"nodes": NodeRow}, {}, {"nodes": 3}).with_obstacles([])
    header = msgspec.structs.replace(before.header, time_ms=7)
    after = before.with_section(header, "reservations", rows, 9)

    assert dict(after.sections) == {"nodes": NodeRow, "reservations": ReservationRow}
    assert (after.header.time_ms, after.reservations(), after.version("reservations"), after.version("nodes")) == (
        7,
        rows,
        9,
        3,
    )
    assert (before.reservations(), dict(before.sections)) == ((), {"nodes": NodeRow})


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_that_the_source_does_not_know_has_no_rows(section: str) -> None:
    """And never changes."""
    nothing: dict[str, Any] = {}
    snapshot = FixedSnapshot("yarn", fixed().header, {}, nothing, {})

    assert list(section_rows(snapshot, section)) == []
    assert snapshot.version(section) == 0
