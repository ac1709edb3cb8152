"""Settings of queues as they are, shares before and after, who is killed, kinds of clusters: no screen."""

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, QueueRow
from tests.tui import fake_holders, fakes
from tests.tui.render import dialect_pictures
from tui.actions import ACTIONS
from tui.picture import Picture, RunState, ShareChange
from tui.screens.act_questions import first_named, left_out, setting_question
from tui.screens.dialects import (
    CAPACITY_27,
    MAPREDUCE_1,
    STANDALONE,
    YARN,
    dialect_of,
    without_causes,
    without_model,
)
from tui.screens.kill_question import kill_question
from tui.screens.lookup import application_named
from tui.screens.queue_settings import value_now

PICTURE = Picture(fakes.frozen_cluster(), RunState("x"), (), 0)


# Settings of queues


YARN_DIMENSIONS = ("memory_mb", "vcores")
FAIR = fakes.queue_row("root.a", weight=2.5, min_share=(1024, 2), max_share=(4096, 8))
CAPACITY_ROW = dialect_pictures.capacity().snapshot.queues()[2]


@pytest.mark.parametrize(
    ("row", "key", "value"),
    [
        (FAIR, "weight", "2.5"),
        (msgspec.structs.replace(FAIR, weight=UNKNOWN), "weight", None),
        (FAIR, "schedulingPolicy", "fair"),
        (FAIR, "schedulingMode", "fair"),
        (FAIR, "minMaps", "1024"),
        (FAIR, "minReduces", "2"),
        (msgspec.structs.replace(FAIR, min_share=UNKNOWN), "minMaps", None),
        (FAIR, "minResources", "1024 mb, 2 vcores"),
        (FAIR, "maxResources", "4096 mb, 8 vcores"),
        (msgspec.structs.replace(FAIR, max_share=None), "maxResources", None),
        (msgspec.structs.replace(FAIR, max_share=UNKNOWN), "maxResources", None),
        (FAIR, "other", None),
        (CAPACITY_ROW, "state", "STOPPED"),
        (CAPACITY_ROW, "ordering-policy", "fifo"),
        (msgspec.structs.replace(CAPACITY_ROW, is_leaf=False), "ordering-policy", None),
        (CAPACITY_ROW, "capacity", None),
    ],
)
def test_a_setting_is_told_as_its_file_writes_it(row: QueueRow, key: str, value: str | None) -> None:
    """Nothing where a picture does not tell it."""
    assert value_now(row, key, YARN_DIMENSIONS) == value


def test_shares_of_other_amounts_than_memory_and_cores_are_not_told() -> None:
    """No file writes them so."""
    assert value_now(FAIR, "maxResources", ("map_slots", "reduce_slots")) is None


def change(number: int, after_mb: int, what: str = "fair share") -> ShareChange:
    """A share of 1 GB that becomes another."""
    return ShareChange(f"root.q{number}", 1024, after_mb, what)


HOLDS = ("", "It holds until the queues are loaded from their file again.")


@pytest.mark.parametrize(
    ("shares", "lines"),
    [
        ([], ()),
        ([change(1, 1024), change(2, 1024, "maximum")], ("No fair share or maximum changes by it now.",)),
        (
            [change(1, 1024), change(2, 2048), change(10, 512)],
            (
                "fair share of memory, before and after:",
                "  root.q2        1G ->      2G",
                "  root.q10       1G ->    512M",
            ),
        ),
        (
            [change(2, 2048), change(2, 3072, "maximum"), change(3, 2048)],
            (
                "fair share of memory, before and after:",
                "  root.q2       1G ->      2G",
                "  root.q3       1G ->      2G",
                "maximum of memory, before and after:",
                "  root.q2       1G ->      3G",
            ),
        ),
    ],
)
def test_a_setting_is_asked_about_with_the_shares_it_changes(shares: list[ShareChange], lines: tuple[str, ...]) -> None:
    """Of each kind under its heading; those that stay are left out."""
    question = setting_question("root.a", "weight", "2", shares)

    assert question.lines == ("Set weight of root.a to 2?", "", *lines, *HOLDS)
    assert (question.title, question.yes) == ("Change a queue", "Change it")


@pytest.mark.parametrize(("count", "more"), [(12, []), (13, ["  and 1 more"]), (20, ["  and 8 more"])])
def test_twelve_shares_are_listed(count: int, more: list[str]) -> None:
    """Of the others there is the number."""
    lines = setting_question("root.a", "weight", "2", [change(n, 2048) for n in range(count)]).lines

    assert sum("->" in line for line in lines) == 12
    assert [line for line in lines if line.startswith("  and")] == more


@pytest.mark.parametrize(("count", "words"), [(0, []), (1, ["not    1 other: gone"]), (2, ["not    2 others: gone"])])
def test_what_is_left_out_is_said_with_the_reason(count: int, words: list[str]) -> None:
    """Where there is any."""
    assert left_out(count, "gone") == words
    assert first_named([]) == []


# Who is killed


def test_a_kill_tells_where_the_work_is_that_is_lost() -> None:
    """On how many nodes, and how long it has run in all."""
    picture = Picture(fake_holders.held_cluster(), RunState("x"), (), 0)
    row = application_named("183330", picture)
    assert row is not None
    question = kill_question([row], YARN.terms, picture)

    assert question is not None
    assert question.lost == (("15 containers", "60G/15c on 3 nodes"), ("36m00s", "of work in them"))
    assert question.freed == (("60G", "of memory, 15 vcores"), ("etl", "480G → 420G of 400G"))


def test_a_kill_of_many_names_their_users() -> None:
    """Those with the most first, five of them."""
    rows = [fakes.application_row(n, user=f"u{n % 7}") for n in range(15)]
    question = kill_question(rows, YARN.terms, PICTURE)

    assert question is not None
    assert "u0 (3), u1 (2), u2 (2), u3 (2), u4 (2) and 2 more" in " ".join(question.lines)


# Kinds of clusters


@pytest.mark.parametrize(("scheduler", "dialect"), [("fair-2.7", YARN), ("capacity-2.7", CAPACITY_27), ("none", YARN)])
def test_a_scheduler_has_its_dialect(scheduler: str, dialect: object) -> None:
    """By its name, else by its queues, else by the kind of cluster."""
    snapshot = fakes.frozen_cluster(scheduler=scheduler)

    assert dialect_of(snapshot) is dialect
    assert (dialect_of(dialect_pictures.spark().snapshot), YARN.views("queues"), YARN.views("users")) == (
        STANDALONE, ["tree", "leaves"], [],
    )  # fmt: skip


def test_a_pane_has_its_digit_and_its_views() -> None:
    """The first view where there is no such one."""
    assert YARN.titles == {
        "applications": "1 Applications", "queues": "2 Queues", "nodes": "3 Nodes", "reservations": "4 Reservations",
        "events": "5 Events", "containers": "6 Containers", "users": "7 Users", "graphs": "8 Graphs",
    }  # fmt: skip
    assert [YARN.noun("nodes", view).view for view in ("", "racks", "none")] == ["list", "racks", "list"]
    assert all(action.call not in YARN.absent for action in YARN.offered(ACTIONS))
    assert len(YARN.offered(ACTIONS)) < len(ACTIONS)


def test_a_live_cluster_offers_only_the_acts_of_its_server() -> None:
    """Those that the dialect greys have their own reasons."""
    live = without_model(MAPREDUCE_1)
    changing = {action.call for action in ACTIONS if action.changes_cluster}

    assert set(MAPREDUCE_1.greyed.items()) <= set(live.greyed.items())
    assert set(live.greyed) - set(MAPREDUCE_1.greyed) <= changing
    assert set(live.greyed) > set(MAPREDUCE_1.greyed)


def test_an_exam_lists_applications_by_how_long_they_wait_without_a_reason() -> None:
    """Those that do not wait come last, in their own order."""
    noun = without_causes(YARN).panes["applications"][0]
    order = noun.criteria.order
    assert order is not None
    rows = [
        fakes.application_row(1, waiting_since_ms=None, submitted_ms=5),
        fakes.application_row(2, waiting_since_ms=20),
        fakes.application_row(3, waiting_since_ms=10),
        fakes.application_row(4, waiting_since_ms=None, submitted_ms=4),
        fakes.application_row(5, waiting_since_ms=0),
    ]
    keys = {row.number: order.key(*(getattr(row, name) for name in order.reads)) for row in rows}

    assert sorted(keys, key=keys.__getitem__) == [5, 3, 2, 4, 1]
    assert not any(column.title.startswith("WHY") for column in noun.shape.columns)
    assert (noun.shape.grouping, noun.shape.has_folds) == (None, False)
    assert without_causes(YARN).panes["queues"] == YARN.panes["queues"]
