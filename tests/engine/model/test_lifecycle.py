"""Life-cycle tables."""

import pytest

from engine.errors import InvariantError
from engine.model.lifecycle import APPLICATION, CONTAINER, FINAL_APPLICATION_STATES, NODE, Table, move


@pytest.mark.parametrize("table", [CONTAINER, APPLICATION, NODE])
def test_every_move_ends_in_a_state_of_its_table(table: Table) -> None:
    """No happening leads out of the table."""
    assert {state for moves in table.values() for state in moves.values()} <= table.keys()


def test_a_move_follows_the_table() -> None:
    """A reserved container that is started is allocated."""
    assert move(CONTAINER, "RESERVED", "START") == "ALLOCATED"


def test_an_illegal_move_is_a_bug_of_ours() -> None:
    """What has completed cannot be launched."""
    with pytest.raises(InvariantError, match="COMPLETED can LAUNCH"):
        move(CONTAINER, "COMPLETED", "LAUNCH")


def test_nothing_leads_out_of_a_final_state() -> None:
    """An application that has ended stays so."""
    assert all(not APPLICATION[state] for state in FINAL_APPLICATION_STATES)
