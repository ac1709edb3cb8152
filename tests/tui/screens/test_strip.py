"""When the strip looks for a circle."""

from types import SimpleNamespace
from typing import cast

import pytest
from textual.geometry import Size

from tests.tui import answered
from tests.tui.render.test_circle import frozen
from tui.board.board import ClusterScreenProtocol, ScreenOptions
from tui.panes.application import NOUN
from tui.panes.line import flat
from tui.panes.noun import look_at
from tui.protocol.picture import RunState, SessionState
from tui.screens.frame import LEAST_S, DetailPanel, Trying
from tui.terminal.theme import styles


class _Watched:
    """A strip that shows the one who waits, with a clock set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, is_read_only: bool = False) -> None:
        self.now_s = 0.0
        monkeypatch.setattr(DetailPanel, "wall", lambda _: self.now_s)
        options = ScreenOptions(styles("none"), read_only=is_read_only)
        board = SimpleNamespace(options=options, state=SimpleNamespace(remedies=None))
        self.strip = DetailPanel(cast("ClusterScreenProtocol", board), Trying(cast("ClusterScreenProtocol", board)))

    def shown(self, *others: int, version: int, height: int = 14, paused: bool = False) -> str:
        snapshot = frozen(183314, *others)
        snapshot._version = version
        picture = SessionState(snapshot, RunState("x", paused=paused), (), 1)
        row = next(row for row in snapshot.applications() if row.id == answered.name(183314))
        lines = self.strip.lines(NOUN, row, picture, look_at(picture), Size(110, height))
        return "\n".join(flat(line) for line in lines)


def test_a_circle_is_looked_for_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = _Watched(monkeypatch)

    first = watched.shown(version=1)
    watched.now_s = LEAST_S / 2
    soon = watched.shown(183315, version=2)
    paused = watched.shown(183315, version=2, paused=True)
    watched.now_s += LEAST_S
    later = watched.shown(version=3)

    assert ["2 applications" in words for words in (first, soon, paused, later)] == [False, False, True, False]


def test_a_strip_names_no_act_where_none_can_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [
        _Watched(monkeypatch, is_read_only=is_read_only).shown(version=1, height=4) for is_read_only in (False, True)
    ]

    assert ["kill it" in words for words in shown] == [True, False]


def test_a_low_strip_has_no_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [_Watched(monkeypatch).shown(version=1, height=height) for height in (11, 12)]

    assert ["The circle" in words for words in shown] == [False, True]
