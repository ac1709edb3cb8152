"""The life-cycle tables are closed and illegal moves are refused."""

import pytest

from engine.errors import InvariantError
from engine.model.spark.application import (
    APPLICATION_MOVES,
    DRIVER_ENDS,
    DRIVER_MOVES,
    EXECUTOR_ENDS,
    EXECUTOR_MOVES,
    WORKER_MOVES,
    Moves,
    check_move,
)


@pytest.mark.parametrize("moves", [WORKER_MOVES, APPLICATION_MOVES, EXECUTOR_MOVES, DRIVER_MOVES])
def test_every_state_that_follows_is_in_the_table(moves: Moves) -> None:
    assert all(new in moves for following in moves.values() for new in following)


def test_ended_is_ended() -> None:
    assert all(not EXECUTOR_MOVES[state] for state in EXECUTOR_ENDS)
    assert all(not DRIVER_MOVES[state] for state in DRIVER_ENDS)


def test_an_illegal_move_is_refused() -> None:
    with pytest.raises(InvariantError, match="DEAD may not become ALIVE; allowed: nothing"):
        check_move(WORKER_MOVES, "DEAD", "ALIVE")
