"""What rows name and where they lead, asked of their nouns; no screen."""

import pytest

from tests.tui import fakes
from tui.actions import PANES
from tui.board.dialects import STANDALONE, YARN, Dialect
from tui.panes.field import QUEUE, Scope
from tui.panes.noun import NavigationTarget, into, owner
from tui.protocol.picture import RunState, SessionState

FROZEN = SessionState(fakes.frozen_cluster(), RunState("frozen"), fakes.some_events(), 1)


@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
def test_every_pane_of_the_keymap_has_a_noun_in_every_dialect(dialect: Dialect) -> None:
    """In the order of the digits; views of one pane are told apart by name."""
    assert tuple(dialect.panes) == PANES
    assert all(dialect.panes.values())
    for views in dialect.panes.values():
        assert len({noun.view for noun in views}) == len(views)


def test_a_queue_leads_to_its_applications_unless_there_are_none() -> None:
    noun = YARN.noun("queues")
    used, empty, root = (fakes.queue_row(path) for path in ("root.etl", "root.nobody", "root"))

    assert into(noun, used, FROZEN) == NavigationTarget("applications", scope=Scope(QUEUE, "root.etl"))
    assert into(noun, empty, FROZEN) == "No application is in root.nobody."
    assert (owner(noun, used, FROZEN), owner(noun, root, FROZEN)) == (
        NavigationTarget("queues", "root"),
        "root belongs to no other queue.",
    )
