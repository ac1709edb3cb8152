"""What is known of a live cluster from all rounds so far."""

import ssl
from typing import Any

import httpx
import msgspec
import pytest
from prometheus_client import CollectorRegistry, generate_latest

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.errors import ConfigError
from engine.live.alarms import ELSEWHERE_MS, MEASURES, Alarms, Rule, parse_rules
from engine.live.rest_client import failure_words, status_words
from engine.live.watch_collector import WatchCollector, serve_metrics
from engine.live.watch_metrics import DOWN, Hearing, WatchedCluster, records_between
from engine.model.decision import ApplicationTransitioned
from engine.observe.documents import FixedSnapshot
from engine.observe.history import YARN
from engine.observe.snapshot import UNKNOWN, NodeRow, Snapshot
from engine.simulation.records import Record
from tests import PATIENCE_S
from tests.build.records import Kept
from tests.build.rows import app, ask, header, node, queue, snapshot
from tests.engine.live.recorded import rounds_of, snapshot_of

ROUNDS = rounds_of("2.7.2-fair-kill")


def test_applications_that_changed_their_state_are_records() -> None:
    kept = Kept()
    watched = WatchedCluster([], [kept])
    for answers in ROUNDS:
        watched.take(snapshot_of(answers))
    transitions = [each for _, each in kept.all if isinstance(each, ApplicationTransitioned)]

    assert (10, "KILLED") in {(each.application, each.state) for each in transitions}
    assert [at for at, _ in kept.all] == sorted(at for at, _ in kept.all)


def test_graphs_have_the_metrics_of_every_round() -> None:
    watched = WatchedCluster([])
    for answers in ROUNDS:
        watched.take(snapshot_of(answers))
    place, steps = YARN.index("used_memory_mb"), watched.history.cluster
    found = [steps.at(answers.time_ms) for answers in ROUNDS]

    assert [each and each[place] for each in found] == [each.metrics.allocated_mb for each in ROUNDS]


def test_an_alarm_is_an_alert_with_its_applications() -> None:
    watched = WatchedCluster(parse_rules(["all nodes reserved"]))
    for answers in ROUNDS:
        watched.take(snapshot_of(answers))

    first, over = watched.alarms.alerts[:2]
    assert (first.kind, over.kind) == ("alarm", "over")
    assert set(first.applications) == set(over.applications) == {10, 16}


def test_applications_are_told_by_number_with_their_words_on_one_line() -> None:
    before = snapshot(header(), applications=[app(1), app(3, state="ACCEPTED")])
    after = snapshot(
        header(), applications=[app(3, diagnostics=" a\n b "), app(2, state="ACCEPTED", queue="root.p"), app(1)]
    )

    assert list(records_between(before, after)) == [
        ApplicationTransitioned(2, "ACCEPTED", "root.p", ""),
        ApplicationTransitioned(3, "RUNNING", "root.q", "a b"),
    ]


@pytest.mark.parametrize("state", sorted(DOWN))
def test_a_node_that_comes_up_or_goes_down_is_told_once(state: str) -> None:
    """With what it has; one that goes from one such state to another, or is new and down, is not."""
    up, down = node("n", total=(7, 8), partition="gpu"), node("n", state=state)
    other = node("n", state="DECOMMISSIONED" if state != "DECOMMISSIONED" else "LOST")

    def told(before: list[NodeRow], after: list[NodeRow]) -> list[Record]:
        return list(records_between(snapshot(header(), nodes=before), snapshot(header(), nodes=after)))

    joined = NodeJoined("n:1", "/r", 7, 8, "gpu")
    assert told([up], [down]) == [NodeLost("n:1", state)]
    assert told([down], [up]) == told([], [up]) == [joined]
    assert (
        told([], [down]) == told([down], [other]) == told([down], [down]) == told([up], [up]) == told([down], []) == []
    )
    assert told([up], []) == [NodeLost("n:1", "LOST")]


def test_graphs_have_the_figures_of_the_header() -> None:
    """By the names of YARN; applications are all that live, and containers that came are counted up."""
    watched = WatchedCluster([])
    whole = header(3, (4, 5), nodes=6, nodes_down=7, used=(8, 9), total=(10, 11), containers=12, containers_pending=13)
    whole = msgspec.structs.replace(whole, applications_running=14, applications_pending=15)
    for containers in (5, 2, 6):
        watched.take(snapshot(whole, applications=[app(1, containers=containers)]))

    assert dict(zip(watched.history.names, watched.reading, strict=True)) == {
        "total_memory_mb": 10,
        "total_vcores": 11,
        "used_memory_mb": 8,
        "used_vcores": 9,
        "pending_containers": 13,
        "reserved_memory_mb": 4,
        "reservations": 3,
        "preempted_containers": 0,
        "allocated_containers": 4,
        "containers": 12,
        "applications_running": 14,
        "applications_pending": 15,
        "nodes": 6,
        "waiting_first": 0,
        "waiting": 1,
    }


# Alarms of a watched cluster: measures, sentences, remedies, freezes, and alerts of them.

RESERVED = "all nodes reserved"
FULL = header(2, (4, 5), nodes=2, used=(150, 9), total=(200, 20), applications_pending=3)


def at(ms: int, **changes: Any) -> FixedSnapshot:
    """A cluster of which every node is reserved, at an instant, with another header."""
    held = [app(7, ask(60, 1), name="big"), app(8, ask(99, 1), user="bob", queue="root.p")]
    return snapshot(
        msgspec.structs.replace(FULL, time_ms=ms, **changes),
        nodes=[node("a", (50, 5)), node("b", (0, 0))],
        applications=held,
    )


@pytest.mark.parametrize(
    ("measure", "changes", "value"),
    [
        ("containers", {"containers": 4}, 4),
        ("memory_reserved", {"reserved": (6, 7)}, 6),
        ("memory_reserved", {"reserved": UNKNOWN}, None),
        ("memory_used", {"used": (8, 9)}, 8),
        ("memory_used_percent", {"used": (3, 9), "total": (8, 10)}, 37.5),
        ("memory_used_percent", {"used": (0, 0), "total": (0, 0)}, None),
        ("nodes", {"nodes": 11}, 11),
        ("nodes_down", {"nodes_down": 12}, 12),
        ("nodes_reserved", {"nodes_reserved": 13}, 13),
        ("nodes_reserved", {"nodes_reserved": UNKNOWN}, None),
        ("waiting_first", {"applications_pending": 14}, 0),
        ("pending_containers", {"containers_pending": 15}, 15),
        ("pending_containers", {"containers_pending": UNKNOWN}, None),
        ("running_applications", {"applications_running": 16}, 16),
    ],
)
def test_a_measure_is_what_the_header_says(measure: str, changes: dict[str, Any], value: float | None) -> None:
    """None where it does not; a rule of what is not known never holds. Who has something waits for more."""
    assert MEASURES[measure](at(0, **changes)) == value
    if value is None:
        monitor = Alarms(parse_rules([f"{measure} < 1", f"{measure} flat"]))
        assert [monitor.take(at(ms, **changes)) for ms in (0, 1, 2)] == [[], [], []]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (RESERVED, Rule(RESERVED, "", "", 0, 0, False)),
        (" nodes >=3.5 for 2m ", Rule("nodes >=3.5 for 2m", "nodes", ">=", 3.5, 120_000, False)),
        (
            "memory_used flat for 1h while containers wait",
            Rule("memory_used flat for 1h while containers wait", "memory_used", "", 0, 3_600_000, True),
        ),
        (f"{RESERVED} while containers wait", Rule(f"{RESERVED} while containers wait", "", "", 0, 0, True)),
    ],
)
def test_a_rule_is_read_as_it_is_written(text: str, rule: Rule) -> None:
    assert parse_rules([text]) == [rule]


@pytest.mark.parametrize(
    ("sign", "holds"),
    [(">", [0, 0, 1]), (">=", [0, 1, 1]), ("<", [1, 0, 0]), ("<=", [1, 1, 0]), ("=", [0, 1, 0]), ("==", [0, 1, 0])],
)
def test_each_comparison_has_its_boundary(sign: str, holds: list[int]) -> None:
    rules = parse_rules([f"containers {sign} 5"])

    assert [len(Alarms(rules).take(at(0, containers=count))) for count in (4, 5, 6)] == holds


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x", "all nodes reserved for 4s, or waiting_first > 20 for 10m"),
        ("zzz > 1", ", ".join(MEASURES)),
        ("pending_applications > 1", "waiting_first"),
        ("nodes => 1", ">, >=, <, <=, =, =="),
        ("nodes > 1 for 5parsecs", "10m"),
    ],
)
def test_what_is_no_rule_is_refused_with_what_there_is(text: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_rules(["nodes > 1", text])

    assert [(problem.key, problem.hint) for problem in caught.value.problems] == [("--alarm", hint)]


# Rules of alarms: how they are read, and when they hold.

FROZEN = snapshot_of(rounds_of("2.7.2-fair-kill")[0])
SECOND = 1000


def rule_at(second: int, **changes: object) -> FixedSnapshot:
    changed = msgspec.structs.replace(FROZEN.header, time_ms=second * SECOND, **changes)
    rows = {"applications": FROZEN.applications(), "nodes": FROZEN.nodes()}
    return FixedSnapshot(FROZEN.dialect, changed, FROZEN.sections, rows, {})


def monitor(rule: str) -> Alarms:
    return Alarms(parse_rules([rule]))


def test_an_alarm_comes_once_when_its_rule_has_held_so_long() -> None:
    rule = monitor("all nodes reserved for 5s")
    found = [rule.take(rule_at(second)) for second in (0, 4, 5, 6)]

    assert [len(each) for each in found] == [0, 0, 1, 0]
    assert (found[2][0].since_ms, found[2][0].is_over) == (0, False)


def test_an_alarm_ends_once_and_may_come_again() -> None:
    rule = monitor("all nodes reserved for 5s")
    before = [rule.take(rule_at(second)) for second in (0, 5)]
    over = [rule.take(rule_at(second, nodes_reserved=11)) for second in (6, 7)]
    again = [rule.take(rule_at(second)) for second in (8, 12, 13)]

    assert [len(each) for each in (*before, *over, *again)] == [0, 1, 1, 0, 0, 0, 1]
    assert (over[0][0].is_over, over[0][0].sentence) == (True, f"over: {before[1][0].sentence}")
    assert again[2][0].since_ms == 8 * SECOND


def test_a_freeze_names_the_application_behind_it() -> None:
    found = monitor("all nodes reserved").take(rule_at(0))[0]

    assert [name.rpartition("_")[2] for name in found.applications] == ["0010"]
    assert "all 12 nodes are reserved, by application_" in found.sentence


@pytest.mark.parametrize(
    ("later_ms", "is_same"), [(ELSEWHERE_MS - 1, True), (ELSEWHERE_MS, False), (-ELSEWHERE_MS, False)]
)
def test_alarms_end_by_the_clock_of_their_cluster(later_ms: int, is_same: bool) -> None:
    """An answer of another one says nothing of when: they stood in the round before it."""
    alarms, first_ms = Alarms(parse_rules([RESERVED])), 3 * ELSEWHERE_MS
    alarms.take(at(first_ms))
    alarms.judge(at(first_ms).header, "nothing starts")
    alarms.take(at(first_ms + later_ms, nodes_reserved=0))

    ends = {each.found_ms for each in alarms.alerts if each.kind == "over"}
    assert ends == {first_ms + later_ms if is_same else first_ms}


def test_an_alarm_that_stands_says_what_is_so_now_and_ends_in_the_words_it_began_with() -> None:
    alarms = Alarms(parse_rules([RESERVED]))
    (begun,) = alarms.take(at(0))
    assert alarms.take(snapshot(at(1).header)) == []

    assert [each.sentence for each in alarms.active_alarms] == ["all 2 nodes are reserved; 0 waiting"]
    assert [each.sentence for each in alarms.take(at(2, nodes_reserved=0))] == [f"over: {begun.sentence}"]


def test_a_measure_is_flat_from_the_second_equal_value_on() -> None:
    rule = monitor("memory_used flat for 10s")
    used = [(5, 1), (5, 1), (6, 1), (6, 1), (6, 1), (6, 1)]
    found = [len(rule.take(rule_at(10 * place, used=each))) for place, each in enumerate(used)]

    assert found == [0, 0, 0, 0, 1, 0]


def test_a_cluster_without_anybody_waiting_may_be_flat() -> None:
    rule = monitor("memory_used flat while containers wait")
    busy = {"applications_pending": 0, "containers_pending": 1}
    idle = {"applications_pending": 0, "containers_pending": 0}

    assert [len(rule.take(rule_at(second, **idle))) for second in (0, 1)] == [0, 0]
    assert [len(rule.take(rule_at(second, **busy))) for second in (2, 3)] == [0, 1]


# Prometheus metrics of a live cluster, as a scrape gets them.

HEARD = Hearing(True, 40, 5)


def scraped(picture: Snapshot | None, hearing: Hearing = HEARD) -> dict[str, float]:
    watched = WatchedCluster(parse_rules(["all nodes reserved"]))
    if picture is not None:
        watched.take(picture)
    return collected(watched, hearing)


def collected(watched: WatchedCluster, hearing: Hearing = HEARD) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(WatchCollector(watched, lambda: hearing))
    lines = generate_latest(registry).decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[:1] != "#")}


def test_measures_queues_and_alarms_that_stand_are_said() -> None:
    found = scraped(FROZEN)

    assert found["schedlab_watch_nodes_reserved"] == 12
    assert found["schedlab_watch_memory_used"] == FROZEN.header.used[0]
    assert found['schedlab_watch_alarm{rule="all nodes reserved"}'] == 1
    assert sorted(value for name, value in found.items() if "alarm_nodes_held" in name and "root." in name) == [1, 11]
    assert found['schedlab_watch_queue_pending_applications{queue="root.adhoc"}'] == next(
        row.applications_pending for row in FROZEN.queues() if row.path == "root.adhoc"
    )
    assert (found["schedlab_watch_up"], found["schedlab_watch_answer_seconds"]) == (1, 0.04)
    assert found["schedlab_watch_cost_seconds"] == 0.005


def test_a_freeze_that_is_proved_is_told() -> None:
    watched = WatchedCluster(parse_rules(["nodes > 0", "all nodes reserved"]))
    watched.take(snapshot(header(1, nodes=1)))
    watched.alarms.judge(header(1, nodes=1), "nothing starts")

    assert collected(watched)["schedlab_watch_frozen"] == 1


def test_queues_are_told_with_what_they_use() -> None:
    watched = WatchedCluster([])
    watched.take(snapshot(header(), queues=[queue("root.a", used=(3, 4), applications_pending=5)]))
    found = collected(watched)

    assert found['schedlab_watch_queue_memory_used{queue="root.a"}'] == 3
    assert found['schedlab_watch_queue_pending_applications{queue="root.a"}'] == 5


def test_scrapes_are_answered_at_an_address_that_nobody_else_has() -> None:
    collector = WatchCollector(WatchedCluster([]), lambda: HEARD)
    address = serve_metrics(collector, 0)
    port = int(address.removeprefix("http://127.0.0.1:").removesuffix("/metrics"))

    assert "schedlab_watch_up 1.0" in httpx.get(address, trust_env=False, timeout=PATIENCE_S).text
    with pytest.raises(ConfigError) as caught:
        serve_metrics(collector, port)
    (problem,) = caught.value.problems
    expected = (f"port {port} is taken", "--listen", "0 takes any that is free")
    assert (problem.message, problem.key, problem.hint) == expected


# Why a server could not be asked, in a sentence each.


def caused(error: Exception, *, by: BaseException, how: str) -> Exception:
    setattr(error, how, by)
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx.ConnectTimeout("x"), "h cannot be reached: no connection in time"),
        (httpx.PoolTimeout("x"), "h cannot be reached: no connection in time"),
        (httpx.ReadTimeout("x"), "h does not answer in time"),
        (httpx.WriteTimeout("x"), "h does not answer in time"),
        (httpx.ConnectError("[Errno 111] Connection refused"), "h cannot be reached: connection refused"),
        (httpx.ConnectError("[Errno -5] No address"), "h cannot be reached: no address"),
        (httpx.ConnectError(""), "h cannot be reached: ConnectError"),
        (httpx.RemoteProtocolError("x"), "h broke off its answer"),
        (httpx.InvalidURL("Bad port"), "h: bad port"),
        (httpx.InvalidURL("[Errno] Bad"), "h: [Errno] Bad"),
    ],
)
def test_a_failure_is_said_by_its_kind(error: Exception, words: str) -> None:
    assert failure_words("h", error) == words


@pytest.mark.parametrize("how", ["__cause__", "__context__"])
def test_a_certificate_that_is_not_trusted_is_said_however_deep_it_is(how: str) -> None:
    deep = caused(OSError("x"), by=ssl.SSLCertVerificationError("unknown"), how=how)
    words = "h: its certificate is not trusted by this machine (--ca FILE names the authority)"

    assert failure_words("h", caused(httpx.ConnectError("Failed"), by=deep, how=how)) == words
    other = caused(httpx.ConnectError("Failed"), by=ssl.SSLError("x"), how=how)
    assert failure_words("h", other) == "h cannot be reached: failed"


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b"", "h wants a login (401); see --kerberos, and --token-file for acts"),
        (407, b"", "h wants a login (407); see --kerberos, and --token-file for acts"),
        (403, b"", "h forbids it (403)"),
        (404, b"<html>", "h answers 404"),
        (
            500,
            b'{"RemoteException": {"exception": "Full", "message": " no \\n room "}}',
            "h answers 500: Full: no room",
        ),
        (400, b'{"RemoteException": {"exception": "Full", "message": " "}}', "h answers 400: Full"),
    ],
)
def test_a_status_is_said_with_what_the_server_names(status: int, body: bytes, words: str) -> None:
    assert status_words("h", status, body) == words
