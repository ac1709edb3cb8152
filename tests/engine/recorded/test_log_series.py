"""A ResourceManager's log as a past: what its panes show beside what the ResourceManager answered at the same time."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.formats.traces.rm_log import timeline_of
from engine.live.live_why import why_application
from engine.observe.history import LOGGED
from engine.observe.snapshot import UNKNOWN, AskRow, ObstacleSummary, Snapshot
from engine.recorded.log_series import LogSeries, after, before
from engine.recorded.polls_writer import open_polls
from engine.simulation.records import kind_of
from tests.engine.formats.traces.samples import source
from tests.engine.live.recorded import START_S, rounds_of, snapshot_of
from tests.engine.recorded.polls import (
    ACCEPTED,
    ASSIGNED,
    CLASS,
    POLLED_FROM_MS,
    RESERVED,
    STATE,
    app,
    container,
    held,
    incident,
    keep,
    node,
    polled,
    second,
    series,
    timeline,
)

INCIDENT = incident()
POLLS = [
    (each.time_ms - START_S * 1000 + POLLED_FROM_MS, snapshot_of(each))
    for name in ("2.7.2-fair-onset", "2.7.2-fair-kill")
    for each in rounds_of(name)
]
CULPRIT = "application_1795220500481_0010"


def node_cells(snapshot: Snapshot) -> set[tuple[object, ...]]:
    return {(row.id, row.state, row.total, row.used, row.free, row.containers) for row in snapshot.nodes()}


def application_cells(snapshot: Snapshot) -> dict[str, tuple[object, ...]]:
    rows = [row for row in snapshot.applications(why=False) if row.finished_ms is None]
    return {row.id: (row.state, row.queue, row.user, row.used, row.containers) for row in rows}


def test_every_poll_is_what_the_log_shows_at_its_instant() -> None:
    for time_ms, poll in POLLS:
        shown = INCIDENT.snapshot_at(time_ms)
        header = shown.header

        assert (header.total, header.used, header.nodes) == (poll.header.total, poll.header.used, 12)
        assert header.nodes_reserved == poll.header.nodes_reserved
        assert node_cells(shown) == node_cells(poll)
        assert application_cells(shown) == application_cells(poll)
    assert len(POLLS) == 60


def test_in_the_freeze_the_log_names_who_holds_the_nodes() -> None:
    snapshot = INCIDENT.snapshot_at(POLLED_FROM_MS + 60_000)
    holders = {row.node: row.application for row in snapshot.reservations()}
    waiting = [row for row in snapshot.applications() if row.state == "ACCEPTED"]

    assert sorted(holders.values()) == [CULPRIT] * 11 + ["application_1795220500481_0016"]
    assert {row.size for row in snapshot.reservations()} == {(64000, 4), (44032, 8)}
    certain = {row.asks != UNKNOWN: row.obstacle and row.obstacle.certainty for row in waiting}
    assert certain == {True: "known", False: "inferred"}
    assert {row.obstacle and row.obstacle.code for row in waiting} == {"NODE_RESERVED"}


def test_the_freeze_is_an_alert_that_begins_and_ends() -> None:
    last = INCIDENT.alerts[-3:]

    assert [alert.kind for alert in last] == ["frozen", "over", "over"]
    assert [alert.applications[0] for alert in last] == [10, 10, 10]
    assert INCIDENT.marks()[-2:] == [last[0].since_ms, last[1].found_ms]
    assert last[0].found_ms - last[0].since_ms >= 5_000


def test_graphs_show_what_snapshots_count() -> None:
    for time_ms, _ in POLLS[::10]:
        header, reading = INCIDENT.snapshot_at(time_ms).header, INCIDENT.history.cluster.at(time_ms)
        assert reading is not None
        values = dict(zip(LOGGED, reading, strict=True))

        assert (values["used_memory_mb"], values["used_vcores"]) == header.used
        assert (values["total_memory_mb"], values["nodes"]) == (header.total[0], header.nodes)
        assert (values["applications_running"], values["applications_pending"], values["containers"]) == (
            header.applications_running,
            header.applications_pending,
            header.containers,
        )
        assert values["reservations"] == header.nodes_reserved
        if isinstance(header.reserved, tuple):
            assert values["reserved_memory_mb"] == header.reserved[0]


def test_what_happened_is_told_in_the_words_of_a_simulation() -> None:
    small = series(
        STATE.format("0001", "NEW_SAVING", "SUBMITTED"),
        STATE.format("0001", "SUBMITTED", "ACCEPTED"),
        ASSIGNED.format("0001", 1, 1024),
        STATE.format("0001", "ACCEPTED", "RUNNING"),
        RESERVED.format("n1", "0001"),
    )
    kinds = [kind_of(each.record) for each in small.records_until(second(3))]

    assert kinds == ["NodeJoined", *["ApplicationTransitioned"] * 3, "Allocated", "ApplicationTransitioned"]
    assert kind_of(small.records_until(second(4))[-1].record) == "Reserved"


def test_an_application_that_waits_for_its_master_asks_for_what_it_later_got() -> None:
    small = series(
        STATE.format("0001", "SUBMITTED", "ACCEPTED"), "rmapp.RMAppImpl: nothing", ASSIGNED.format("0001", 1, 1024)
    )
    row = small.snapshot_at(second(1)).applications()[0]
    values = dict(zip(LOGGED, small.history.cluster.at(small.now_ms) or (), strict=True))

    assert (row.state, row.asks, row.pending_containers) == ("ACCEPTED", (AskRow(0, 1, (1024, 1)),), 1)
    assert values["allocated_containers"] == 1


def test_quoted_lines_of_reservations_alone_are_enough() -> None:
    small = series(
        *(RESERVED.format(f"10.0.0.{host}", "0354") for host in range(11)), RESERVED.format("10.0.0.11", "0358")
    )
    snapshot = small.snapshot_at(small.now_ms)

    assert (snapshot.header.nodes, snapshot.header.nodes_reserved) == (12, 12)
    assert [(row.size, row.short_by) for row in snapshot.reservations()] == [(UNKNOWN, UNKNOWN)] * 12
    assert {row.state for row in snapshot.applications()} == {"RUNNING"}
    assert {row.obstacle for row in snapshot.applications()} == {
        ObstacleSummary("UNKNOWN_ASK", "what it asks for is not known", "unknown")
    }
    assert why_application(snapshot, 354).verdict == "live"
    assert any("size of nodes" in note for note in small.notes)


def test_a_queue_of_the_fair_scheduler_is_named_by_its_whole_path() -> None:
    small = series(
        "ResourceManager: Using Scheduler: a.b.FairScheduler",
        ACCEPTED.format("0001", "etl"),
        STATE.format("0001", "SUBMITTED", "ACCEPTED"),
    )

    assert [row.path for row in small.snapshot_at(second(2)).queues()] == ["root", "root.etl"]


# A log as a past: its ends, its steps and marks, its alerts, and when it stands still.


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 20)).map(sorted), st.integers(-1, 21))
def test_steps_are_those_of_a_plain_search(times: list[int], time_ms: int) -> None:
    assert before(times, time_ms) == max((each for each in times if each < time_ms), default=None)
    assert after(times, time_ms) == min((each for each in times if each > time_ms), default=None)


def full(*more: object, until_ms: int | None = None, end_ms: int = 60_000) -> LogSeries:
    parts = (app(1, first_ms=0), node("n1:1", (0, "RUNNING")), container(1, 0), held(10_000, until_ms), *more)
    return LogSeries("x.log", timeline(*parts, end_ms=end_ms))  # type: ignore[arg-type]  # any of its parts


def kinds(found: LogSeries) -> list[tuple[str, int, int]]:
    return [(each.kind, each.since_ms, each.found_ms) for each in found.alerts]


@pytest.mark.parametrize(
    ("more", "until_ms", "frozen"),
    [
        ((), 30_000, True),
        ((container(2, 40_000),), None, False),
        ((container(2, 40_000),), 30_000, True),
        ((node("n2:1", (30_000, "NEW")), container(2, 40_000)), None, True),
    ],
)
def test_it_is_frozen_where_nothing_starts_before_some_node_is_free(
    more: tuple[object, ...], until_ms: int | None, *, frozen: bool
) -> None:
    found = full(*more, until_ms=until_ms)

    assert (("frozen", 10_000, 15_000) in kinds(found)) == frozen
    assert kinds(found)[0] == ("alarm", 10_000, 15_000)


# Whatever is in a log or in the files of kept polls: it is shown, or refused in a sentence.

NUMBERS = ("0001", "0002")
NODES = ("n1", "n2")
STATES = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINAL_SAVING", "FINISHING", "FINISHED", "KILLED")
ENDED = "rmcontainer.RMContainerImpl: container_17_{}_01_{:06d} Container Transitioned from RUNNING to COMPLETED"
JOINED = (
    "ResourceTrackerService: NodeManager from node n1(cmPort: 1 httpPort: 2) registered with capability:"
    " <memory:8192, vCores:4>, assigned nodeId n1:1"
)
MESSAGES = st.one_of(
    st.builds(STATE.format, st.sampled_from(NUMBERS), st.sampled_from(STATES), st.sampled_from(STATES)),
    st.builds(ACCEPTED.format, st.sampled_from(NUMBERS), st.sampled_from(["root.etl", "adhoc"])),
    st.builds(ASSIGNED.format, st.sampled_from(NUMBERS), st.integers(1, 3), st.integers(0, 4096)),
    st.builds(ENDED.format, st.sampled_from(NUMBERS), st.integers(1, 3)),
    st.builds(RESERVED.format, st.sampled_from(NODES), st.sampled_from(NUMBERS)),
    st.just(JOINED),
    st.sampled_from(["rmnode.RMNodeImpl: n1:1 Node Transitioned from RUNNING to LOST", "ResourceManager: Using"]),
    st.just("ResourceManager: Transitioning to active state"),
)


@given(st.lists(MESSAGES, min_size=1, max_size=25))
@settings(max_examples=40, deadline=None)
def test_graphs_and_snapshots_of_any_log_agree(messages: list[str]) -> None:
    """At every instant at which a line stands, in whichever order what lines come."""
    text = "\n".join(f"2017-11-11 09:00:{n:02d},000 {CLASS}.{words}" for n, words in enumerate(messages))
    try:
        series = LogSeries("any.log", timeline_of([source(text)]))
    except ConfigError:
        return
    for time_ms in range(series.first_ms, series.now_ms + 1, 1000):
        header, reading = series.snapshot_at(time_ms).header, series.history.cluster.at(time_ms)
        values = dict(zip(LOGGED, reading or (0,) * len(LOGGED), strict=True))

        assert (values["used_memory_mb"], values["containers"], values["nodes"]) == (
            header.used[0],
            header.containers,
            header.nodes,
        )
        assert (values["applications_running"], values["applications_pending"]) == (
            header.applications_running,
            header.applications_pending,
        )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[Path, bytes]]:
    """The directory of runs, the name of kept polls, and the bytes of their files."""
    root = tmp_path_factory.mktemp("runs")
    found = keep(root, polled()[:8])
    found.writer.finish()
    return root, found.writer.name, {each: each.read_bytes() for each in sorted(found.path.iterdir())}


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_are_refused_in_a_sentence(
    kept: tuple[Path, str, dict[Path, bytes]], data: st.DataObject
) -> None:
    root, name, files = kept
    for path, content in files.items():
        path.write_bytes(content)
    path = data.draw(st.sampled_from(sorted(files)))
    whole = files[path]
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, len(whole)))
    path.write_bytes(whole[:begin] + data.draw(st.binary(max_size=40)) + whole[end:])
    with suppress(ConfigError):
        polls = open_polls(root, name)
        for time_ms in (polls.first_ms, polls.now_ms):
            assert polls.snapshot_at(time_ms).header.nodes == 12
            assert polls.records_until(time_ms) is not None
