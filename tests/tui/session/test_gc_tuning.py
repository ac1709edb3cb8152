"""The garbage collector beside a screen."""

import gc
import sys
import weakref
from collections.abc import Iterator

import pytest

from tui.session.driving import SWITCH_S, THRESHOLD, settle, settle_again


class Ring:
    """Holds itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    threshold, switch_s = gc.get_threshold(), sys.getswitchinterval()
    gc.unfreeze()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)
    sys.setswitchinterval(switch_s)


def test_what_is_there_is_not_walked_again() -> None:
    """It is set aside, and the collector looks at few objects at a time."""
    settle()

    assert (gc.get_freeze_count() > 1000, gc.get_threshold()) == (True, THRESHOLD)
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)


def test_what_was_let_go_is_found_when_another_run_goes_on() -> None:
    ring = Ring()
    left = weakref.ref(ring)
    settle()
    del ring
    gc.collect()
    was_there = left() is not None
    settle_again()

    assert (was_there, left()) == (True, None)


def test_where_nothing_was_settled_nothing_is() -> None:
    settle_again()

    assert gc.get_freeze_count() == 0
