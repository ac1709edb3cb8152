"""Loosened settings: whether each decides is found out once for all obstacles that name it."""

import pytest

from engine.explain import setting_counterfactual
from engine.explain.counterfactual import Ask
from engine.explain.obstacle_rows import ObstacleRow
from engine.explain.setting_counterfactual import with_confirmed_settings
from engine.incremental import Incremental, finish
from engine.schedulers.scheduler_view import Setting
from engine.settings.fair import RESERVATION_RULE
from engine.settings.site import NODE_MEMORY
from tests.engine.explain.stuck import HALVES, at, scene


def row(key: str, *nodes: str) -> ObstacleRow:
    return ObstacleRow("DOES_NOT_FIT", "it waits", "NODE", "SKIPPED", "", 1, 2, nodes, "", {}, Setting(key, "1"))


@pytest.mark.parametrize(
    ("rows", "worlds"),
    [
        ((row(RESERVATION_RULE.name, "a"), row(RESERVATION_RULE.name, "b")), 1),
        ((row(NODE_MEMORY.name, "a"), row(NODE_MEMORY.name, "b")), 2),
        ((row(NODE_MEMORY.name, "a"), row(NODE_MEMORY.name, "a")), 1),
    ],
)
def test_one_loosening_is_played_once(
    monkeypatch: pytest.MonkeyPatch, rows: tuple[ObstacleRow, ...], worlds: int
) -> None:
    """Of obstacles on other nodes it is the same loosening, unless the nodes themselves are changed."""
    played: list[Ask] = []

    def starts_sooner(_here: object, ask: Ask, _change: object, _expected_ms: int | None) -> Incremental[bool]:
        played.append(ask)
        yield
        return True

    monkeypatch.setattr(setting_counterfactual, "starts_sooner", starts_sooner)

    assert finish(with_confirmed_settings(at(scene(HALVES), 60), (1, None), rows, None)) == rows
    assert len(played) == worlds
