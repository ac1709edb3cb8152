"""Rows that only Spark or MapReduce 1 have."""

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from engine.observe.mr1_snapshot import JobRow
from engine.observe.snapshot import UNKNOWN, NodeRow, ObstacleSummary
from engine.observe.spark_snapshot import StandaloneRow
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.fakes import header
from tests.tui.render.dialect_pictures import FULL, job, spark_row
from tests.tui.small_run import by_hand, now
from tui.board.dialects import MAPREDUCE_1, STANDALONE, YARN, Dialect
from tui.panes.fragments import Fragments, RenderContext, flat
from tui.panes.header import health_of
from tui.panes.pane_view import default_render_context
from tui.protocol.picture import RunState, SessionState

LOOK = RenderContext(600_000, ("memory_mb", "cores"), (65_536, 32))


def application(number: int = 7, **changes: Any) -> StandaloneRow:
    return spark_row(number, submitted_ms=0, **changes)


def node(state: str) -> NodeRow:
    return NodeRow("w:7078", "w", "/r", state, "", (10_240, 10), (1536, 6), (8704, 4), 3, None, None, UNKNOWN)


def words(lines: list[Fragments]) -> str:
    return "\n".join(flat(spans) for spans in lines)


def strip(row: StandaloneRow, *others: StandaloneRow, height: int = 9, **sections: Any) -> str:
    """The strip about an application, which is in the list with others before it."""
    picture = now(FakeSession(fakes.FakeSnapshot(fakes.header(), applications=[*others, row], **sections)).picture())
    return words(STANDALONE.view("applications").details(row, picture, LOOK, height))


def test_a_pane_without_a_digit_has_a_dot() -> None:
    toy = STANDALONE.view("nodes")._replace(name="toys", title="Toys")
    titles = STANDALONE._replace(panes={**STANDALONE.panes, "toys": (toy,)}).titles

    assert (titles["nodes"], titles["toys"]) == ("3 Workers", "· Toys")


def test_a_lost_worker_is_named_with_what_went_and_what_is_wanted() -> None:
    """In the headline: its cores, and how many cores those that wait want more. In the strip: executors, until when."""
    session = by_hand("spark-worker-lost", at="182s", paused=True)
    picture = session.picture()
    look = default_render_context(picture)
    rows = picture.snapshot.applications()
    said = {row.number: words(STANDALONE.view("applications").details(row, picture, look, 9)) for row in rows}

    assert health_of(picture).headline == "worker1 took 9 cores with it; 2 want 12 cores more"
    assert ["lost  1 executor with worker1" in said[number] for number in (1, 2)] == [True, True]
    assert "until worker1 returns, or 0002 ends" in said[1]
    assert "until worker1 returns, or 0001 ends" in said[2]
    assert ["until" in said[number] or "lost" in said[number] for number in (3, 4)] == [False, False]


@pytest.mark.parametrize(
    ("wanted", "cores", "until"),
    [
        (14, 4, "until w returns"),
        (14, 3, ""),
        (15, 4, "until w returns"),
        (None, 4, ""),
        (12, 2, "until w returns"),
        (12, 1, ""),
    ],
)
def test_an_end_is_named_where_who_comes_before_has_room_too(wanted: int | None, cores: int, until: str) -> None:
    """Two cores are missing before it and two are its own; who sets no maximum takes whatever comes."""
    before = application(cores_wanted=wanted, pending_containers=0 if wanted == 12 else 1, waiting_since_ms=1)
    row = application(8, used=(0, 0), containers=0, obstacle=ObstacleSummary("X", "no worker"))
    lost = msgspec.structs.replace(node("DEAD"), total=(10_240, cores))

    assert ("until w returns" in strip(row, before, nodes=[lost])) == bool(until)


# Applications of Spark's Master by what they lack.

PICTURE = SessionState(fakes.FakeSnapshot(fakes.header()), RunState("x"), (), 0)
NO_CORE = ObstacleSummary("NO_CORE", "no worker has a core free; 12 are used (all)")


def _row(cores: int, wanted: int | None, obstacle: ObstacleSummary | None = NO_CORE, **more: Any) -> StandaloneRow:
    """With a maximum what is pending is known; without one it waits while it has no executor."""
    pending = UNKNOWN if wanted is None else wanted - cores if obstacle is not None else 0
    since_ms = None if wanted is None and cores else 0
    some = {"pending_containers": pending, "waiting_since_ms": since_ms, "containers": cores, **more}
    return application(used=(1024, cores), cores_wanted=wanted, obstacle=obstacle, **some)


def _groups(dialect: Dialect, pane: str, rows: Any, picture: Any, look: RenderContext) -> list[tuple[Any, ...]]:
    """Key, headline and places of each group of a pane's rows, in order; none where it is one list."""
    grouping = dialect.view(pane).grouping
    found = grouping(rows, picture, look) if grouping is not None else None
    return [(group.key, flat(group.words), list(group.places)) for group in (found.groups if found is not None else ())]


@pytest.mark.parametrize(
    ("row", "key"),
    [
        (_row(3, 4), "wants"),
        (_row(4, 4), "has"),
        (_row(3, 4, None), "has"),
        (_row(0, None), "wants"),
        (_row(0, 4, state="WAITING"), "wants"),
        (_row(0, 4, state="FAILED"), "ended"),
        (_row(0, None, None, state="WAITING", pending_containers=0, waiting_since_ms=None), "idle"),
        (_row(3, None, None, pending_containers=0), "has"),
        (_row(4, 5, None), "has"),
    ],
)
def test_who_has_fewer_cores_than_asked_for_wants_some(row: StandaloneRow, key: str) -> None:
    """Who has or asks for none because of its executor limit takes no more: nobody says it sets no maximum."""
    assert "sets no maximum" not in strip(row)
    assert ("1 of its 5 cores is never given" in strip(row)) == (row.cores_wanted == 5)
    assert [each for each, *_ in _groups(STANDALONE, "applications", [row], PICTURE, LOOK)] == [key]


# Nodes by what is wrong with them: out of service, reserved, or neither.

NODE_GROUPS_LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _node(host: str, holder: str | None = None, **changes: Any) -> NodeRow:
    size = (64000, 1) if holder else None
    return fakes.node_row(host, **{"reserved_by": holder, "reserved": size, **changes})


def test_groups_stand_with_the_worst_first() -> None:
    rows = [
        _node("n1"), _node("h1", fakes.OTHER), _node("h2", fakes.BIG), _node("h3", fakes.BIG),
        _node("l1", fakes.BIG, state="LOST"),
    ]  # fmt: skip
    groups = _groups(YARN, "nodes", rows, PICTURE, NODE_GROUPS_LOOK)

    assert [(key, places) for key, _, places in groups] == [
        ("LOST", [4]),
        (fakes.BIG, [2, 3]),
        (fakes.OTHER, [1]),
        ("others", [0]),
    ]
    assert groups[-1][1] == "1 in service, not reserved"


# Jobs of MapReduce 1 by what their tasks wait for, and the slots of trackers.

MAPREDUCE_LOOK = RenderContext(60_000, ("map_slots", "reduce_slots"), (48, 48))


def _job(number: int, maps: Any, reduces: Any, obstacle: ObstacleSummary | None = None, **more: Any) -> JobRow:
    since_ms = 0 if obstacle else None
    fields = {"name": "n", "submitted_ms": 0, "waiting_since_ms": since_ms, "local_maps": (0, 0, 0), **more}
    return job(number, maps, reduces, obstacle, **fields)


def _mapreduce_groups(rows: list[JobRow]) -> list[tuple[str, list[int]]]:
    picture: Any = SimpleNamespace(snapshot=SimpleNamespace(header=header(total=(48, 48), used=(48, 30))))
    return [(words, places) for _, words, places in _groups(MAPREDUCE_1, "applications", rows, picture, MAPREDUCE_LOOK)]


def test_who_fills_a_pool_stands_over_those_that_wait_for_it() -> None:
    """It has more than half of what the pool runs; idle slots of the kind are told."""
    rows = [_job(18, (0, 64, 64), (12, 8, 60), FULL), _job(21, (0, 40, 40), (0, 0, 16), FULL)]

    assert _mapreduce_groups(rows) == [
        ("1 fills search with 12 reduces; 18 reduce slots of the cluster are idle", [0]),
        ("1 waits at the maximum of search: pool search runs 12 reduces, its maximum is 12", [1]),
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (_job(1, (2, 0, 9), (0, 0, 4), FULL), "7 maps"),
        (_job(1, (0, 9, 9), (1, 2, 4), FULL), "1 reduce"),
        (_job(1, (1, 8, 9), (0, 0, 4)), "not yet: 1 map left"),
        (_job(1, (1, 8, 9), (4, 0, 4)), "–"),
        (_job(1, (0, 9, 9), (4, 2, 60), FULL, asks=(), pending_containers=1), "its cleanup"),
    ],
)
def test_what_waits_for_a_slot_is_counted_maps_first(row: JobRow, words: str) -> None:
    """Reduces come once no map waits; before their slow start the maps left are counted."""
    column = next(each for each in MAPREDUCE_1.view("applications").columns if each.title == "WAIT FOR A SLOT")

    assert column.cell(row, MAPREDUCE_LOOK, 20)[0] == words
