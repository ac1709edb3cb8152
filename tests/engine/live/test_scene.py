"""What stands in the way of an ask of a live cluster: on nodes, in queues, and who holds nodes."""

from typing import Any

import pytest

from engine.live.scene import LiveScene, Marked, holders_of
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, AskRow, Header, PartitionUse, ReservationRow
from engine.schedulers.activity import Obstacle, Reason
from tests.engine.live.rows import app, ask, capacity_queue, header, node, queue, snapshot

ASKER = app(1, ask(50, 2))
HOLDER = app(2, ask(60, 3), ask(70, 1))
FREE: Amounts = (100, 10)


def held(name: str, by: ApplicationRow) -> ReservationRow:
    """A reservation of a node."""
    return ReservationRow(f"{name}:1", by.id, by.queue, (60, 3), (0, 0), (60, 3), 0)


def on(found: FixedSnapshot, wanted: AskRow = ASKER.listed_asks[0], asker: str = "") -> list[Marked | None]:
    """What each node says to an ask."""
    scene = LiveScene(found)
    return [scene.on_node(asker, wanted, each) for each in scene.nodes]


@pytest.mark.parametrize(
    ("scheduler", "free", "total", "found"),
    [
        ("FairScheduler 2.7.2", (50, 2), FREE, None),
        ("FairScheduler 2.7.2", (49, 2), FREE, Obstacle(Reason.DOES_NOT_FIT, (50, 49, 2, 2))),
        ("FairScheduler 2.7.2", (50, 1), FREE, Obstacle(Reason.DOES_NOT_FIT, (50, 50, 2, 1))),
        ("FairScheduler 2.7.2", (0, 0), (50, 1), Obstacle(Reason.NODE_TOO_SMALL, (50, 50, 2, 1))),
        ("CapacityScheduler 2.7.2", (50, 1), FREE, None),
        ("CapacityScheduler 2.7.2", (49, 2), FREE, Obstacle(Reason.DOES_NOT_FIT, (50, 49))),
        ("FifoScheduler 3.4.1", (0, 0), (49, 9), Obstacle(Reason.NODE_TOO_SMALL, (50, 49))),
        ("FifoScheduler 3.4.1", (0, 0), (50, 1), Obstacle(Reason.DOES_NOT_FIT, (50, 0))),
    ],
)
def test_only_fair_scheduler_is_known_to_count_vcores(
    scheduler: str, free: Amounts, total: Amounts, found: Obstacle | None
) -> None:
    """What does not fit is known, by the node's whole size first."""
    said = on(snapshot(header(scheduler=scheduler), nodes=[node("n", free, total)]))

    assert said == [found and Marked(found, "known")]


@pytest.mark.parametrize(
    ("places", "found"), [(("n",), None), (("/r",), None), (("n:1",), None), (("m",), Reason.LOCALITY_NOT_RELAXED)]
)
def test_an_ask_that_insists_on_places_is_refused_elsewhere(places: tuple[str, ...], found: Reason | None) -> None:
    """Also where the node had no room."""
    nodes = [node("n", FREE), node("m", state="LOST")]
    said = on(snapshot(header(), nodes=nodes), ask(50, 2, places=places, relax=False))
    full = on(snapshot(header(), nodes=[node("n")]), ask(50, 2, places=("/s",), relax=False))

    assert said == [found and Marked(Obstacle(found), "known")]
    assert full == [Marked(Obstacle(Reason.LOCALITY_NOT_RELAXED), "known")]


@pytest.mark.parametrize(("scheduler", "is_other"), [("CapacityScheduler 3.4.1", True), ("FairScheduler 3.4.1", False)])
def test_a_node_of_a_partition_is_closed_to_asks_where_there_are_partitions(scheduler: str, *, is_other: bool) -> None:
    """CapacityScheduler alone has them."""
    said = on(snapshot(header(scheduler=scheduler), nodes=[node("n", FREE, partition="gpu")]))

    assert said == [Marked(Obstacle(Reason.NOT_IN_PARTITION), "inferred") if is_other else None]


@pytest.mark.parametrize(
    ("inferred", "asker", "found"),
    [
        ((), "", Marked(Obstacle(Reason.NODE_RESERVED, (70, 100), HOLDER.id), "known")),
        (("nodes",), "", Marked(Obstacle(Reason.NODE_RESERVED, (70, 100), HOLDER.id), "inferred")),
        ((), HOLDER.id, None),
    ],
)
def test_a_node_that_is_held_is_closed_to_others(inferred: tuple[str, ...], asker: str, found: Marked | None) -> None:
    """For the largest ask of who holds it; as sure as its row."""
    nodes = [node("n", FREE, reserved_by=HOLDER.id)]
    picture = snapshot(header(1, nodes=2, inferred=inferred), nodes=nodes, applications=[ASKER, HOLDER])

    assert on(picture, asker=asker) == [found]


@pytest.mark.parametrize(
    ("count", "asker", "found"),
    [
        (1, "", Marked(Obstacle(Reason.NODE_RESERVED, (70, 60), HOLDER.id), "inferred")),
        (1, HOLDER.id, None),
        (2, "", None),
    ],
)
def test_where_every_node_is_reserved_the_only_holder_has_them(count: int, asker: str, found: Marked | None) -> None:
    """Whoever it is, of those that no node has room for."""
    nodes = [node("n", (60, 9))]
    picture = snapshot(header(1, nodes=count), nodes=nodes, applications=[HOLDER])

    assert on(picture, ask(10, 1), asker) == [found]


@pytest.mark.parametrize(
    ("nodes", "by", "asker", "found"),
    [
        (2, UNKNOWN, "", Marked(Obstacle(Reason.NODE_RESERVED, (), "others"), "inferred")),
        (2, UNKNOWN, HOLDER.id, None),
        (2, None, "", None),
        (3, UNKNOWN, "", None),
    ],
)
def test_where_some_holders_are_named_others_hold_the_rest(
    nodes: int, by: object, asker: str, found: Marked | None
) -> None:
    """If every node is reserved; who holds some may hold those too."""
    rows = [node("n", FREE, reserved_by=by), node("m", reserved_by=HOLDER.id)]
    picture = snapshot(
        header(2, nodes=nodes),
        nodes=rows,
        applications=[HOLDER],
        reservations=[held("m", HOLDER)],
    )

    assert on(picture, ask(10, 1), asker)[0] == found


def test_nodes_that_do_not_run_are_left_out() -> None:
    """They are given nothing; `at` leaves one alone."""
    scene = LiveScene(snapshot(header(), nodes=[node("a"), node("b", state="LOST"), node("c")]))

    assert [each.host for each in scene.nodes] == ["a", "c"]
    assert [each.host for each in scene.at("c:1").nodes] == ["c"]
    assert [each.host for each in scene.nodes] == ["a", "c"]


@pytest.mark.parametrize(("count", "some"), [(0, False), (1, True), (UNKNOWN, True)])
def test_it_is_known_whether_the_server_counts_reservations(count: Any, *, some: bool) -> None:
    """Where nobody says there may be some."""
    assert LiveScene(snapshot(header(count))).are_some_reserved == some


@pytest.mark.parametrize(
    ("nodes", "holders", "found"),
    [
        (
            [node("a"), node("b")],
            [HOLDER],
            (Marked(Obstacle(Reason.NODE_RESERVED, (), HOLDER.id), "inferred"), "2 of 2 nodes are reserved for 0002"),
        ),
        (
            [node("a")],
            [HOLDER, app(3, ask(90, 1))],
            (Marked(Obstacle(Reason.NODE_RESERVED), "inferred"), "the only node is reserved"),
        ),
        (
            [node("a")],
            [ASKER],
            (Marked(Obstacle(Reason.OTHER_FIRST), "unknown"), "what it asks for is not known"),
        ),
    ],
)
def test_of_an_ask_of_unknown_size_only_that_all_is_reserved_can_be_said(
    nodes: list[Any], holders: list[ApplicationRow], found: tuple[Marked, str]
) -> None:
    """For whom, where one alone holds them; not of who holds nodes itself."""
    scene = LiveScene(snapshot(header(len(nodes), nodes=len(nodes)), nodes=nodes, applications=holders))
    marked, words = scene.of_unknown_ask(ASKER.id)

    assert (marked, words) == found


def test_nothing_is_all_reserved_in_a_cluster_without_nodes() -> None:
    """None of none is no standstill."""
    assert LiveScene(snapshot(header(0))).of_unknown_ask("x")[0].certainty == "unknown"


def limits(row: ApplicationRow, *queues: Any, total: Amounts = (1000, 100), **more: Any) -> list[Marked]:
    """What the queues of an application say to its first ask."""
    whole: Header = header(scheduler=more.pop("scheduler", "CapacityScheduler 3.4.1"), total=total, **more)
    picture = snapshot(whole, queues=list(queues), applications=[row])

    return list(LiveScene(picture).in_queues(row, row.listed_asks[0]))


@pytest.mark.parametrize(("used", "over"), [((450, 0), False), ((451, 7), True)])
def test_an_ask_over_the_maximum_of_its_queue_is_said_with_all_amounts(used: Amounts, *, over: bool) -> None:
    """Used, maximum and wanted, of memory and then of vcores; just as much as there is may be used."""
    found = limits(ASKER, capacity_queue("root.q", used=used, max_share=(500, 5)))
    said = Marked(Obstacle(Reason.QUEUE_OVER_MAXIMUM, (451, 500, 50, 7, 5, 2), "root.q"), "inferred")

    assert found == [said] * over


@pytest.mark.parametrize(("scheduler", "over"), [("FairScheduler 2.7.2", True), ("CapacityScheduler 2.7.2", False)])
def test_vcores_of_a_queue_bind_where_they_are_known_to_count(scheduler: str, *, over: bool) -> None:
    """The ask wants two, one is left."""
    found = limits(ASKER, queue("root.q", used=(0, 4), max_share=(500, 5)), scheduler=scheduler)

    assert bool(found) == over


@pytest.mark.parametrize(("most", "over"), [((1000, 100), False), ((999, 100), True), (UNKNOWN, False), (None, False)])
def test_a_maximum_of_the_whole_cluster_limits_nothing(most: Any, *, over: bool) -> None:
    """A smaller one does."""
    assert bool(limits(ASKER, capacity_queue("root.q", used=(990, 0), max_share=most))) == over


def test_of_partitions_the_default_one_counts() -> None:
    """Not what is used in others."""
    default = PartitionUse(label="", capacity=0, maximum=0, guaranteed=(0, 0), limit=(100, 9), used=(60, 1))
    gpu = PartitionUse(label="gpu", capacity=0, maximum=0, guaranteed=(0, 0), limit=(1, 1), used=(1, 1))
    found = limits(ASKER, capacity_queue("root.q", used=(0, 0), max_share=(999, 9), partitions=(gpu, default)))

    assert [each.obstacle.numbers for each in found] == [(60, 100, 50, 1, 9, 2)]


def test_limits_are_said_from_the_leaf_up() -> None:
    """Of the queues that are there."""
    rows = [queue("root", max_share=(10, 9)), queue("root.q", max_share=(20, 9)), queue("root.p", max_share=(1, 1))]
    found = limits(ASKER, *rows)

    assert [each.obstacle.subject for each in found] == ["root.q", "root"]


@pytest.mark.parametrize(("make", "count"), [(capacity_queue, 0), (queue, 1)])
def test_capacity_scheduler_has_counted_what_one_holds_reserved(make: Any, count: int) -> None:
    """As used in its queue already; the others have not."""
    holder = app(1, ask(50, 2))
    whole = header(1, nodes=1, scheduler="CapacityScheduler 3.4.1", total=(1000, 100))
    rows = [make("root.q", used=(480, 0), max_share=(500, 5))]
    picture = snapshot(whole, queues=rows, applications=[holder], nodes=[node("n", reserved_by=holder.id)])

    assert len(list(LiveScene(picture).in_queues(holder, holder.listed_asks[0]))) == count


@pytest.mark.parametrize(
    ("state", "limit", "over"), [("ACCEPTED", 149, True), ("ACCEPTED", 150, False), ("RUNNING", 149, False)]
)
def test_one_that_waits_for_its_master_is_bound_by_the_share_of_masters(state: str, limit: int, *, over: bool) -> None:
    """By memory; with all amounts."""
    row = app(1, ask(50, 2), state=state)
    found = limits(row, capacity_queue("root.q", am_used=(100, 7), am_limit=(limit, 8)))
    said = Marked(Obstacle(Reason.AM_SHARE_EXHAUSTED, (100, limit, 50, 7, 8, 2), "root.q"), "inferred")

    assert found == [said] * over


@pytest.mark.parametrize("missing", [{"am_used": None}, {"am_limit": None}])
def test_a_share_of_masters_that_is_not_said_binds_nobody(missing: dict[str, Any]) -> None:
    """Either of both."""
    row = app(1, ask(50, 2), state="ACCEPTED")

    assert limits(row, capacity_queue("root.q", **{"am_used": (9, 9), "am_limit": (1, 1), **missing})) == []


@pytest.mark.parametrize(("limit", "over"), [((99, 9), True), ((100, 0), False), ((0, 0), False), (None, False)])
def test_a_user_that_has_more_than_its_limit_in_the_queue_is_given_nothing(limit: Any, *, over: bool) -> None:
    """All its applications there count, in no other queue; 0 is not computed yet."""
    mine = [app(1, ask(50, 2), used=(40, 1)), app(2, used=(60, 1))]
    others = [app(3, used=(900, 9), user="bob"), app(4, used=(900, 9), queue="root.p")]
    whole = header(scheduler="CapacityScheduler 3.4.1")
    picture = snapshot(whole, queues=[capacity_queue("root.q", user_limit=limit)], applications=[*mine, *others])
    said = Marked(Obstacle(Reason.USER_OVER_LIMIT, (100, 99), "ann"), "inferred")

    assert list(LiveScene(picture).in_queues(mine[0], mine[0].listed_asks[0])) == [said] * over


RESERVES = app(3, reserved=(0, 1))


@pytest.mark.parametrize(
    ("count", "rows", "named", "found"),
    [
        (0, [HOLDER], [held("a", HOLDER)], []),
        (UNKNOWN, [HOLDER], [held("a", HOLDER)], []),
        (1, [ASKER, RESERVES], [held("b", HOLDER), held("a", HOLDER), held("a", ASKER)], [HOLDER, ASKER]),
        (1, [HOLDER, RESERVES, app(4, reserved=(0, 0))], [], [RESERVES]),
        (1, [HOLDER, ASKER], [], [HOLDER, ASKER]),
    ],
)
def test_holders_are_who_is_named_else_who_reserves_else_who_finds_no_room(
    count: Any, rows: list[Any], named: list[ReservationRow], found: list[ApplicationRow]
) -> None:
    """Each once; nobody where nothing is reserved, or nobody says."""
    picture = snapshot(header(count), nodes=[node("a", (49, 9))], applications=rows, reservations=named)

    assert holders_of(picture) == tuple(each.id for each in found)


@pytest.mark.parametrize(
    ("nodes", "holds"),
    [
        ([((49, 0), (50, 1))], True),
        ([((50, 0), (50, 1))], False),
        ([((49, 0), (49, 1))], False),
        ([((10, 0), (49, 1)), ((49, 0), (50, 1))], True),
        ([((50, 0), (50, 1)), ((10, 0), (60, 1))], False),
    ],
)
def test_no_room_is_memory_of_a_node_that_is_large_enough(nodes: list[tuple[Amounts, Amounts]], *, holds: bool) -> None:
    """Of those that run: one has the size, and none so much free."""
    rows = [node(f"n{at}", free, total) for at, (free, total) in enumerate(nodes)]
    lost = node("x", FREE, state="LOST")
    picture = snapshot(header(1), nodes=[*rows, lost], applications=[app(1, ask(70, 1), ask(50, 1)), app(2)])

    assert bool(holders_of(picture)) == holds
