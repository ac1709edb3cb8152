"""With `--ascii` the terminal gets nothing else than ASCII."""

import pytest
from textual.app import App

from tests.tui.fake_session import FakeSession
from tests.tui.test_spark import opened
from tui.app import SchedlabApp
from tui.board.dialects import STANDALONE, YARN


def _strangers(app: App[None]) -> str:
    strips = app.screen._compositor.render_strips()
    return "".join(sign for strip in strips for sign in strip.text if not sign.isascii())


@pytest.mark.long
@pytest.mark.parametrize("size", [(40, 8), (80, 24), (120, 40), (200, 60)])
async def test_every_pane_of_a_yarn_cluster(size: tuple[int, int]) -> None:
    """At every arrangement, zoomed, with dialogs, and with users who write in other letters."""
    app = SchedlabApp(FakeSession(), ascii_only=True)
    found = ""
    keys = [*(str(number) for number in range(1, len(YARN.titles) + 1)), "f", "S", "escape", "K", "n", "question_mark"]
    async with app.run_test(size=size) as pilot:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
            found += _strangers(app)

    assert found == ""


async def test_every_pane_of_a_spark_cluster() -> None:
    found = ""
    keys = [*(str(number) for number in range(1, len(STANDALONE.titles) + 1)), "s", "escape", "question_mark"]
    async with opened("spark-cores-hoarded", "+10m") as (app, pilot):
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
            found += _strangers(app)

    assert found == ""
