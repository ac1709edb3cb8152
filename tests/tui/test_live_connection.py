"""A cluster without a clock, without acts or without questions: the screen shows it, and keys say what is missing."""

from typing import Any

import msgspec
import pytest

from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.picture import LIVE, Reception
from tui.requests.context import NO_ACTS, NO_CLOCK, NO_QUESTIONS
from tui.screens import pane_feed


class OnlyView(FakeSession):
    """What may be seen and nothing else."""

    @property
    def clock(self) -> None:
        """None."""

    @property
    def acts(self) -> None:
        """None."""

    @property
    def questions(self) -> None:
        """None."""


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (["p"], NO_CLOCK),
        (["t"], NO_CLOCK),
        (["plus"], NO_CLOCK),
        (["left_square_bracket"], NO_CLOCK),
        (["1", "w"], NO_QUESTIONS),
        (["P", "y"], NO_ACTS),
        (["1", "K", "y"], NO_ACTS),
    ],
)
async def test_a_key_of_what_is_missing_says_so_in_the_footer(keys: list[str], words: str) -> None:
    session: Any = OnlyView()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
        footer = screen_text(app).splitlines()[-1]

    assert words in footer
    assert session.calls == []


@pytest.mark.parametrize(("nodes", "at_once"), [(pane_feed.MANY - 1, True), (pane_feed.MANY, False)])
async def test_between_the_panes_of_a_large_live_cluster_keys_are_answered(
    nodes: int, *, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a small one all panes are drawn at once; of a large one each waits its turn, and all are drawn in the end."""
    monkeypatch.setattr(pane_feed, "BETWEEN_S", 0.0)
    session: Any = FakeSession(reception=Reception(LIVE, fakes.NOW))
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screen = app.cluster
        assert screen is not None
        picture, replace = await session.picture(), msgspec.structs.replace
        header = replace(picture.snapshot.header, nodes=nodes, applications_running=0, applications_pending=0)
        before = [screen.pane(name).version for name in ("applications", "nodes")]
        screen.show(replace(picture, snapshot=fakes.FakeSnapshot(header, 2)))
        then = [screen.pane(name).version for name in ("applications", "nodes")]
        await app.workers.wait_for_complete()
        last = [screen.pane(name).version for name in ("applications", "nodes")]

    assert [then != before, last != before] == [at_once, True]
