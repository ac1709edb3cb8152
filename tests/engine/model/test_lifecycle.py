"""Life-cycle tables."""

import pytest

from engine.errors import InvariantError
from engine.model.lifecycle import (
    APPLICATION,
    CONTAINER,
    CONTROL_PLANE,
    ENDED_APPLICATION_STATES,
    FINAL_APPLICATION_STATES,
    FINAL_CONTAINER_STATES,
    NODE,
    Table,
    move,
)

EVERY_TABLE = pytest.mark.parametrize("table", [CONTAINER, APPLICATION, NODE, CONTROL_PLANE])


@EVERY_TABLE
def test_a_move_is_legal_just_where_the_table_has_it(table: Table) -> None:
    """What the table says follows; all else is a bug of ours, and so is a state that it lacks."""
    for happening in sorted({each for moves in table.values() for each in moves}):
        for state in (*table, "NOWHERE"):
            following = table.get(state, {}).get(happening)
            if following is not None:
                assert move(table, state, happening) == following
                continue
            with pytest.raises(InvariantError, match=f"^nothing in state {state} can {happening}$"):
                move(table, state, happening)


def test_nothing_leads_out_of_a_final_state() -> None:
    """What has ended stays so; a Spark Master may also leave an application unknown."""
    assert set(FINAL_APPLICATION_STATES) == {"FINISHED", "FAILED", "KILLED"}
    assert set(FINAL_CONTAINER_STATES) == {"COMPLETED", "EXPIRED", "RELEASED", "KILLED"}
    assert (*FINAL_APPLICATION_STATES, "UNKNOWN") == ENDED_APPLICATION_STATES
    assert all(not APPLICATION[state] for state in FINAL_APPLICATION_STATES)
