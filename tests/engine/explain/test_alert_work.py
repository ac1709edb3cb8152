"""How much work alerts spend on who is stuck: so much in any run, more the longer it goes on, a part kept for some."""

from collections.abc import Iterator

import pytest

from engine.explain import alerts as module
from engine.explain import starvation_detector
from engine.explain.alerts import KEPT, PLAYED_MS, SHARE, Alerts
from engine.run import play
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import app, queue, scene

CALM = app("calm", '{ memory = "1g", count = 2000, duration = "15s" }', queue="root.calm", waits=False)
LIMITED = queue("a", "max_running_apps = 1") + app("first", '{ memory = "1g" }') + app("second", '{ memory = "1g" }')
ROOMLESS = app("keeper", '{ memory = "6g", count = 2 }') + app("large", '{ memory = "9g" }', at=5)
ALLOWANCE = 40


class Spending:
    """Alerts whose questions never end, and the pieces of work that go into them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, text: str, *, is_roomless: bool) -> None:
        self.spent = 0
        self.at_looks: list[tuple[int, int]] = []
        """Spent by a look, and what may be."""
        self._is_roomless = is_roomless
        self._alerts = Alerts()
        monkeypatch.setattr(module, "ALLOWANCE", ALLOWANCE)
        monkeypatch.setattr(starvation_detector, "judged", self._endless)
        monkeypatch.setattr(starvation_detector, "SLICE", 10**6)
        settings = '"schedlab.reservation.rule" = "off"\n"yarn.scheduler.fair.assignmultiple" = true'
        play(scene(text + CALM, settings=settings), 300_000, [self._alerts], watched=self._look)

    def _endless(self, *_: object) -> Iterator[None]:
        while True:
            self.spent += 1
            yield

    def _look(self, simulation: Simulation) -> None:
        self._alerts.look(simulation)
        played_ms = simulation.now_ms - simulation.world.ground.start_ms
        earned = ALLOWANCE + simulation.world.heartbeats // SHARE + played_ms // PLAYED_MS
        self.at_looks.append((self.spent, earned if self._is_roomless else earned - earned // KEPT))


@pytest.mark.parametrize(("text", "is_roomless"), [(LIMITED, False), (ROOMLESS, True)])
def test_all_that_may_be_spent_is_spent_and_no_more(
    monkeypatch: pytest.MonkeyPatch, text: str, *, is_roomless: bool
) -> None:
    """But for what it takes to choose whom to ask about; half is kept for those whom keepers leave no room."""
    spending = Spending(monkeypatch, text, is_roomless=is_roomless)
    asked = [(spent, most) for spent, most in spending.at_looks if spent]

    assert len(asked) > 100
    assert len({most for _, most in asked}) > 5
    assert all(spent <= most for spent, most in asked)
    assert sum(spent == most for spent, most in asked) > len(asked) * 9 // 10
