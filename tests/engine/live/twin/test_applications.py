"""Applications of a picture as a twin takes them over: what they hold, ask for and have reserved."""

from typing import Any

import pytest

from engine.errors import ConfigError
from engine.live.twin.applications import CONCLUDED, NOT_BEGUN, NOTHING_MORE, Surroundings, assumed_of, recovered_of
from engine.live.twin.assumptions import AS_LONG_AGAIN, Assumptions, names_of, read_assumptions, span_words
from engine.live.twin.durations import Estimate
from engine.live.twin.holdings import HeldContainers, UnseenAsk
from engine.observe.snapshot import UNKNOWN, ApplicationRow, AskRow, ReservationRow
from engine.scenario import AskSpec, Assumption, RecoveredContainers, RecoveredReservation, RecoveredSpec
from tests.engine.live.rows import app, ask

NOW_MS = 100_000
NAME = "application_1_0001"


def surroundings(**changes: Any) -> Surroundings:
    """An application is seen before nothing else."""
    nothing = Surroundings(NOW_MS, frozenset({"n1", "n2"}), False, {}, {}, {}, {}, {}, frozenset(), Assumptions(), None)
    return nothing._replace(**changes)


def held(size: tuple[int, int] = (8, 1), count: int = 1, priority: int | None = None, **more: Any) -> HeldContainers:
    """Containers on a node."""
    fields = {"is_am": False, "since_ms": None, **more}
    return HeldContainers("n1:1", size, count, priority, **fields)


MASTER = held((2, 1), is_am=True)


def recovered(row: ApplicationRow, holds: tuple[HeldContainers, ...] = (), **changes: Any) -> RecoveredSpec:
    """One application as it is taken over."""
    return recovered_of(row, surroundings(holdings={row.id: holds}, **changes))


def spec(found: RecoveredSpec) -> Any:
    """Its application, of which a master is scripted."""
    return found.application


def test_an_application_that_runs_is_taken_over_with_what_it_holds_and_asks_for() -> None:
    """Times are counted from now, its containers answered an ask of their size, and its master ends with its work."""
    row = app(1, AskRow(20, 3, (8, 1)), submitted_ms=40_000, waiting_since_ms=90_000, name="etl", type="TEZ")
    found = recovered(row, (MASTER, held(count=2, since_ms=70_000)))
    span = (60_000, 60_000)

    assert found.registered
    assert (found.attempt, found.waiting_since_ms, found.reserved) == (1, -10_000, ())
    assert found.containers == (
        RecoveredContainers(
            node="n1:1", memory_mb=2, vcores=1, count=1, priority=0, ask=None, since_ms=-60_000, remaining_ms=(0, 0)
        ),
        RecoveredContainers(
            node="n1:1", memory_mb=8, vcores=1, count=2, priority=1, ask=0, since_ms=-30_000, remaining_ms=span
        ),
    )
    one = spec(found)
    assert (one.name, one.user, one.queue, one.at_ms, one.number) == ("etl", "ann", "root.q", -60_000, 1)
    assert (one.application_type, one.am.memory_mb, one.am.vcores, one.register_delay_ms) == ("TEZ", 2, 1, None)
    assert one.asks == (AskSpec(priority=20, memory_mb=8, vcores=1, count=5, relax=True, duration_ms=span),)


@pytest.mark.parametrize(
    ("changes", "more", "found"),
    [
        ({"user": ""}, {}, ("unknown", "root.q", 1)),
        ({}, {"short_queues": True}, ("ann", "q", 1)),
        ({"queue": ""}, {}, ("ann", None, 1)),
        ({}, {"doubled": frozenset({1})}, ("ann", "root.q", None)),
        ({}, {"doubled": frozenset({2})}, ("ann", "root.q", 1)),
    ],
)
def test_who_where_and_which_it_is(changes: dict[str, Any], more: dict[str, Any], found: object) -> None:
    """Unknown users have a name, queues may be called by their last part, and a number is of one application."""
    one = spec(recovered(app(1, **changes), (MASTER,), **more))

    assert (one.user, one.queue, one.number) == found


@pytest.mark.parametrize(
    ("start_ms", "since_ms", "delay_ms"), [(None, 95_000, None), (9_000, 95_000, 4_000), (9_000, 91_000, 0),
                                          (9_000, 80_000, 0), (9_001, None, 4_500)]
)  # fmt: skip
def test_a_master_registers_as_long_after_its_container_as_others(
    start_ms: int | None, since_ms: int | None, delay_ms: int | None
) -> None:
    """From now on; half of that where nobody knows since when it has it, and as all do where none were seen."""
    row = app(1, ask(2, 1), state="ACCEPTED")
    master = held((2, 1), is_am=True, since_ms=since_ms)
    found = recovered(row, (master,), master_start_ms=start_ms, unseen={NAME: UnseenAsk((8, 1), 3)})

    assert (spec(found).register_delay_ms, found.registered) == (delay_ms, False)


def test_one_that_has_other_containers_is_registered() -> None:
    """Whatever its state is called."""
    found = recovered(app(1, state="ACCEPTED"), (MASTER, held()), master_start_ms=9_000)

    assert (found.registered, spec(found).register_delay_ms) == (True, None)


def test_one_that_has_not_begun_asks_for_what_others_hold() -> None:
    """For its minute, or for as long as others took; its own ask is for its master."""
    row = app(1, ask(3, 2), state="ACCEPTED", submitted_ms=0)
    for ask_ms, span in ((None, 60_000), (7_000, 7_000)):
        found = recovered(row, (), unseen={NAME: UnseenAsk((8, 4), 3, ask_ms)}, master_start_ms=5)
        one = spec(found)

        assert one.asks == (AskSpec(priority=1, memory_mb=8, vcores=4, count=3, duration_ms=(span, span)),)
        assert (one.am.memory_mb, one.am.vcores, one.register_delay_ms, found.containers) == (3, 2, None, ())


@pytest.mark.parametrize(
    ("row", "size"),
    [
        (app(1), None),
        (app(1, ask(3, 2), state="ACCEPTED"), (3, 2)),
        (app(1, state="ACCEPTED"), None),
        (app(1, state="ACCEPTED", asks=UNKNOWN), (1024, 1)),
    ],
)
def test_a_master_that_has_no_container_is_as_large_as_its_ask(
    row: ApplicationRow, size: tuple[int, int] | None
) -> None:
    """It runs elsewhere where there is none."""
    one = spec(recovered(row, (), unseen={NAME: UnseenAsk((8, 4), 3)}))

    assert (one.am and (one.am.memory_mb, one.am.vcores)) == size


def test_the_master_of_the_latest_attempt_is_the_master() -> None:
    """Those before are containers like others; it comes first."""
    masters = (held((2, 1), is_am=True, attempt=1), held((4, 1), is_am=True, attempt=3), held((8, 1), attempt=2))
    found = recovered(app(1), masters)

    assert [(each.memory_mb, each.ask) for each in found.containers] == [(4, None), (2, 0), (8, 1)]
    assert (found.attempt, spec(found).am.memory_mb) == (3, 4)


def test_a_strict_ask_for_as_many_hosts_as_containers_is_for_one_on_each() -> None:
    """Others are asks for all their places."""
    strict = AskRow(1, 2, (8, 1), ("n1", "/r", "n2"), False)
    three = AskRow(2, 3, (8, 1), ("n1", "/r", "n2"), False)
    loose = AskRow(3, 2, (8, 1), ("n2", "n1", "/r"), True)
    asks = spec(recovered(app(1, strict, three, loose), (MASTER,))).asks

    assert [(each.count, each.hosts, each.racks, each.relax) for each in asks] == [
        (1, ("n1",), (), False),
        (1, ("n2",), (), False),
        (3, ("n1", "n2"), ("/r",), False),
        (2, ("n2", "n1"), ("/r",), True),
    ]


def test_containers_answered_an_ask_for_anywhere() -> None:
    """Of their priority and size; one is made where there is none, of the priority of an ask of that size."""
    rows = (AskRow(5, 1, (8, 1), ("n1",)), AskRow(6, 1, (9, 1), ("/r",)), AskRow(7, 1, (9, 2)))
    holds = (held(), held((9, 2), 2), held((9, 1), priority=4), held((9, 2), priority=7), held((3, 3)))
    found = recovered(app(1, *rows), holds)

    assert [each.ask for each in found.containers] == [3, 2, 4, 2, 5]
    assert [(each.priority, each.memory_mb, each.vcores, each.count) for each in spec(found).asks] == [
        (5, 8, 1, 1),
        (6, 9, 1, 1),
        (7, 9, 2, 4),
        (5, 8, 1, 1),
        (4, 9, 1, 1),
        (1, 3, 3, 1),
    ]
    assert [each.priority for each in found.containers] == [1, 1, 4, 7, 1]


def test_where_asks_are_not_known_only_what_is_reserved_is_asked_for() -> None:
    """One of each size."""
    sizes: list[Any] = [(8, 1), (8, 1), (9, 2), UNKNOWN]
    reserved = [ReservationRow(f"n{at}:1", NAME, "", size, (1, 1), (0, 0), 90_000) for at, size in enumerate(sizes)]
    found = recovered(app(1, asks=UNKNOWN), (MASTER,), reserved={NAME: reserved}, priorities={"n2:1": 7})

    assert [(each.priority, each.memory_mb, each.vcores, each.count) for each in spec(found).asks] == [
        (1, 8, 1, 1),
        (1, 9, 2, 1),
    ]
    assert [(each.memory_mb, each.vcores, each.priority, each.since_ms) for each in found.reserved] == [
        (8, 1, 1, -10_000),
        (8, 1, 1, -10_000),
        (9, 2, 7, -10_000),
        (1024, 1, 1, -10_000),
    ]


@pytest.mark.parametrize(
    ("asks", "size", "found"),
    [
        ((AskRow(5, 1, (9, 1)), AskRow(6, 1, (8, 1))), (8, 1), (8, 1, 6)),
        ((AskRow(5, 1, (9, 1)), AskRow(6, 1, (8, 1))), (7, 1), (7, 1, 5)),
        ((), (8, 1), (8, 1, 0)),
    ],
)
def test_a_reservation_is_for_the_ask_of_its_size(asks: Any, size: Any, found: tuple[int, int, int]) -> None:
    """Else for the first; since when is now where nobody says."""
    row = ReservationRow("n1:1", NAME, "", size, (1, 1), (0, 0), UNKNOWN)
    held_for = recovered(app(1, *asks), (MASTER,), reserved={NAME: [row]}).reserved

    memory_mb, vcores, priority = found
    assert held_for == (
        RecoveredReservation(node="n1:1", memory_mb=memory_mb, vcores=vcores, priority=priority, since_ms=0),
    )


@pytest.mark.parametrize(
    ("known", "estimate", "given", "found"),
    [
        (UNKNOWN, None, {}, ((60_000, 60_000), (60_000, 60_000))),
        (UNKNOWN, Estimate(9_000, 4_000), {}, ((9_000, 9_000), (4_000, 4_000))),
        (UNKNOWN, Estimate(9_000, 4_000), {"1": 7}, ((7, 7), (7, 7))),
        (UNKNOWN, None, {"0001": None}, (None, None)),
        (5_000, None, {}, ((60_000, 60_000), (5_000, 5_000))),
        (None, None, {}, ((60_000, 60_000), None)),
    ],
)
def test_how_long_containers_run_is_known_or_given_or_concluded(
    known: Any, estimate: Estimate | None, given: dict[str, int | None], found: object
) -> None:
    """Of an ask, and of a container from now on; else as long again as it has run."""
    row = app(1, AskRow(1, 1, (9, 1)), submitted_ms=40_000)
    done = recovered(
        row,
        (held(remaining_ms=known),),
        estimates={} if estimate is None else {NAME: estimate},
        assumptions=Assumptions(of_application=given),
    )

    assert (spec(done).asks[0].duration_ms, done.containers[0].remaining_ms) == found


@pytest.mark.parametrize(("asks", "more", "found"), [((), (), (60_000,) * 2), ((ask(8, 1),), (), (0, 0)),
                                                    ((), (held(),), (0, 0))])  # fmt: skip
def test_a_master_ends_with_its_work(asks: Any, more: Any, found: tuple[int, int]) -> None:
    """Where there is none, as long again as it has run."""
    done = recovered(app(1, *asks, submitted_ms=40_000), (MASTER, *more))

    assert done.containers[0].remaining_ms == found


@pytest.mark.parametrize(("time_ms", "found"), [(NOW_MS - 5, -5), (NOW_MS, 0), (NOW_MS + 5, 0)])
def test_nothing_began_after_the_start(time_ms: int, found: int) -> None:
    """Two clocks may differ by a little."""
    assert surroundings().before(time_ms) == found


def test_what_had_to_be_assumed_is_said_of_whom_it_is() -> None:
    """Each only where it is about somebody."""
    rows = [
        app(1),
        app(2),
        app(3, asks=UNKNOWN),
        app(4, state="ACCEPTED"),
        app(5),
    ]
    holds = {rows[0].id: [held()], rows[1].id: [MASTER], rows[4].id: [held()], rows[3].id: [held(remaining_ms=3)]}
    seen = surroundings(holdings=holds, estimates={rows[4].id: Estimate(1, 1)}, assumptions=Assumptions(90_000))

    assert list(assumed_of(rows, seen)) == [
        Assumption(
            what="remaining",
            sentence="containers whose end is not known run 1m30s",
            applications=(rows[0].id, rows[1].id),
        ),
        Assumption(what="durations", sentence=CONCLUDED, applications=(rows[4].id,)),
        Assumption(what="asks", sentence=NOTHING_MORE, applications=(rows[2].id,)),
        Assumption(what="asks", sentence=NOT_BEGUN, applications=(rows[3].id,)),
    ]
    assert list(assumed_of([app(1)], surroundings())) == []


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([], Assumptions()),
        (["5m"], Assumptions(300_000)),
        (["forever", "a b = 1s", "7= forever "], Assumptions(None, {"a b": 1_000, "7": None})),
        (["x=y=2s"], Assumptions(AS_LONG_AGAIN, {"x=y": 2_000})),
    ],
)
def test_how_long_containers_run_is_read_for_all_and_for_single_ones(texts: list[str], found: Assumptions) -> None:
    """The last equals sign parts a name from its time."""
    assert read_assumptions(texts) == found


def test_every_text_that_means_nothing_is_refused() -> None:
    """All at once."""
    with pytest.raises(ConfigError) as caught:
        read_assumptions(["soon", "1m", "a=later"])

    assert [(each.key, each.hint) for each in caught.value.problems] == [
        ("--remaining", "10m, forever, or APP=10m")
    ] * 2


@pytest.mark.parametrize(
    ("given", "ran_ms", "concluded_ms", "found"),
    [
        (AS_LONG_AGAIN, 999, None, 1_000),
        (AS_LONG_AGAIN, 1_001, None, 1_001),
        (AS_LONG_AGAIN, 5, 0, 0),
        (None, 5, None, None),
        (70, 5, None, 70),
        (70, 5, 80, 80),
    ],
)
def test_what_is_concluded_goes_before_what_holds_for_all(
    given: int | None, ran_ms: int, concluded_ms: int | None, found: int | None
) -> None:
    """As long again is a second at least."""
    assert Assumptions(given).remaining(("a",), ran_ms, concluded_ms) == found


def test_an_application_has_four_names() -> None:
    """The first of them that is given counts."""
    names = names_of(app(12, name="etl"))

    assert names == ("application_1_0012", "12", "0012", "etl")
    given = Assumptions(1, {"etl": 2, "0012": 3})
    assert (given.remaining(names, 0), given.remaining(("x",), 0)) == (3, 1)


def test_names_that_nobody_has_are_refused_with_a_way_out() -> None:
    """Each with the nearest, or with what is a name."""
    with pytest.raises(ConfigError) as caught:
        Assumptions(1, {"etx": 2, "12": 3, "qqqqqqqq": None}).check([app(12, name="etl")])

    (first, second) = caught.value.problems
    assert first.message == "no application is called 'etx'"
    assert first.hint == "did you mean etl?"
    assert (second.message, second.hint) == (
        "no application is called 'qqqqqqqq'",
        "an id, a number or a name of the list",
    )


@pytest.mark.parametrize(
    ("span", "words"),
    [(None, "for ever"), (AS_LONG_AGAIN, "as long again as their application has run"), (0, "0s"), (60_000, "1m")],
)
def test_a_span_has_words(span: int | None, words: str) -> None:
    """For people."""
    assert span_words(span) == words
