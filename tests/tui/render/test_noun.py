"""What rows name and where they lead, asked of their nouns; no screen."""

import pytest

from tests.tui import fakes
from tests.tui.fake_holders import container_row, held_cluster
from tui.actions import PANES
from tui.picture import Picture, RunState
from tui.render.noun import Lead, application_at, applications_at, into, nodes_at, owner, queue_at
from tui.render.scope import APPLICATION, NODE, QUEUE, Scope
from tui.screens.dialects import STANDALONE, YARN, Dialect

FROZEN = Picture(fakes.frozen_cluster(), RunState("frozen"), fakes.some_events(), 1)
HELD = Picture(held_cluster(), RunState("held"), (), 1)


@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
def test_every_pane_of_the_keymap_has_a_noun_in_every_dialect(dialect: Dialect) -> None:
    """In the order of the digits; views of one pane are told apart by name."""
    assert tuple(dialect.panes) == PANES
    assert all(dialect.panes.values())
    for views in dialect.panes.values():
        assert len({noun.view for noun in views}) == len(views)


@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
def test_tables_have_names_of_their_own(dialect: Dialect) -> None:
    """How rows are chosen is kept by table: a rack's filter is not its nodes'."""
    owners: dict[str, set[str]] = {}
    for views in dialect.panes.values():
        for noun in views:
            owners.setdefault(noun.table, set()).add(noun.name)

    assert [table for table, panes in owners.items() if not table or len(panes) > 1] == []


def test_a_reservation_is_about_its_application_and_its_node() -> None:
    noun, row = YARN.noun("reservations"), FROZEN.snapshot.reservations()[0]
    application, queue = application_at(noun, row, FROZEN), queue_at(noun, row, FROZEN)

    assert application is not None
    assert (application.id, [node.id for node in nodes_at(noun, [row], FROZEN)]) == (row.application, [row.node])
    assert queue is None or queue.path == application.queue


def test_what_several_rows_name_is_found_once() -> None:
    noun, rows = YARN.noun("reservations"), FROZEN.snapshot.reservations()
    gone = fakes.reservation_row("nowhere:1", application="application_1_9")

    there = {row.id for row in FROZEN.snapshot.applications()}
    named = dict.fromkeys(row.application for row in rows if row.application in there)

    assert [row.id for row in applications_at(noun, [gone, *rows], FROZEN)] == list(named)
    assert nodes_at(noun, [gone], FROZEN) == []


def test_a_container_leads_to_its_node_and_from_a_node_to_its_application() -> None:
    noun, row = YARN.noun("containers"), HELD.snapshot.containers()[0]

    assert into(noun, row, HELD) == Lead("nodes", row.node)
    assert into(noun, row, HELD, Scope(APPLICATION, row.application)) == Lead("nodes", row.node)
    led = into(noun, row, HELD, Scope(NODE, row.node))
    assert led == Lead("applications", row.application) or led == Lead("nodes", row.node)


def test_a_queue_leads_to_its_applications_unless_there_are_none() -> None:
    noun = YARN.noun("queues")
    used, empty, root = (fakes.queue_row(path) for path in ("root.etl", "root.nobody", "root"))

    assert into(noun, used, FROZEN) == Lead("applications", scope=Scope(QUEUE, "root.etl"))
    assert into(noun, empty, FROZEN) == "No application is in root.nobody."
    assert (owner(noun, used, FROZEN), owner(noun, root, FROZEN)) == (
        Lead("queues", "root"),
        "root belongs to no other queue.",
    )


def test_an_idle_node_leads_nowhere() -> None:
    noun = YARN.noun("nodes")
    idle = fakes.node_row("n1", containers=0, reserved_by=None)

    assert into(noun, idle, FROZEN) == f"Nothing is on {idle.id}."
    for busy in (fakes.node_row("n1", containers=1, reserved_by=None), fakes.node_row("n1", containers=0)):
        assert into(noun, busy, FROZEN) == Lead("containers", scope=Scope(NODE, busy.id))


def test_an_application_that_holds_nothing_leads_nowhere() -> None:
    noun = YARN.noun("applications")
    idle = fakes.application_row(1, containers=0, reservations=0)
    holds = [fakes.application_row(1, containers=1), fakes.application_row(1, containers=0, reservations=1)]

    assert into(noun, idle, FROZEN) == f"{idle.id} holds nothing."
    assert [into(noun, row, FROZEN) for row in holds] == [Lead("containers", scope=Scope(APPLICATION, idle.id))] * 2


def test_a_step_is_called_by_what_was_left() -> None:
    words = [YARN.noun(pane).crumb_of(row) for pane, row in (("queues", "root.a"), ("nodes", "n1:1"), ("events", "7"))]
    container = container_row(1, "n1").id

    assert words == ["queue:root.a", "node:n1", "event"]
    assert YARN.noun("containers").crumb_of(container).startswith("container:")
    assert STANDALONE.noun("containers").crumb_of("0003/1") == "executor:0003/1"
