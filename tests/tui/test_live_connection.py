"""A cluster without a clock, without acts or without questions: the screen shows it, and keys say what is missing."""

from typing import Any

import pytest

from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.screens.requests import NO_ACTS, NO_CLOCK, NO_QUESTIONS


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
