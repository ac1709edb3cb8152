"""Changing a setting of a queue by a form, and the menu that says what applies."""

from typing import Any

import pytest

from engine.scenario.acts import SetQueueSetting
from engine.schedulers.fair.queue_settings import QUEUE_SETTINGS as REAL_SETTINGS
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.small_run import by_hand
from tui.actions import ACTIONS
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import MenuScreen
from tui.dialogs.queue import QUEUE_SETTINGS, QueueFormScreen

CALLS = {action.id: action.call for action in ACTIONS}
BRANCH, DRAIN, SPREAD, KILL, MOVE, RESIZE, LABEL = (
    CALLS[name] for name in ("branch", "drain", "spread_out", "kill", "move", "node.resize", "node.label")
)


def _app(session: FakeSession | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(), ascii_only=True, **options)


def _form(app: SchedlabApp) -> QueueFormScreen:
    assert isinstance(app.screen, QueueFormScreen)
    return app.screen


def _acts(session: FakeSession) -> list[tuple[Any, ...]]:
    return [call for call in session.calls if call[0] != "hold"]


def test_the_form_knows_every_setting_of_a_queue() -> None:
    assert set(QUEUE_SETTINGS) == set(REAL_SETTINGS)
    for name, setting in QUEUE_SETTINGS.items():
        REAL_SETTINGS[name].parse(setting.example)


async def test_a_queue_is_changed_by_keys_alone() -> None:
    """E on a queue, arrows to the setting, the value as it is; then shares before and after, then it is done."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "j", "E", "right")
        form = _form(app)
        begun = (form.form.chooser("queue").value, form.form.chooser("setting").value, form.form.texts()["value"])
        await pilot.press("left", "down", "backspace", "3", "enter")
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await pilot.press("y")
        await pilot.pause()

    assert begun == ("root.etl", "minResources", "102400 mb, 32 vcores")
    assert ("400G ->    600G" in dialog.words, _acts(session)) == (
        True,
        [("do", SetQueueSetting("root.etl", "weight", "3"))],
    )
    assert [call[1] for call in session.calls if call[0] == "hold"] == [True, True, False, False]


async def test_the_form_takes_the_mouse() -> None:
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "j", "E")
        await pilot.click("#queue", offset=(4, 0))
        listed = app.screen
        assert isinstance(listed, MenuScreen)
        await pilot.click("MenuScreen OptionList", offset=(3, 3))
        await pilot.pause()
        await pilot.click("#setting", offset=(0, 0))
        await pilot.pause()
        form = _form(app)
        chosen = (form.form.chooser("queue").value, form.form.chooser("setting").value)
        form.form.fill({"value": "0.4"})
        await pilot.click("#yes")
        await pilot.pause()
        await pilot.click("ConfirmScreen #yes")
        await pilot.pause()

    assert [choice.words for choice in listed.choices] == ["root", "root.etl", "root.report", "root.adhoc"]
    assert chosen == ("root.adhoc", "fairSharePreemptionThreshold")
    assert _acts(session) == [("do", SetQueueSetting("root.adhoc", "fairSharePreemptionThreshold", "0.4"))]


async def test_a_value_that_is_refused_keeps_the_form_open() -> None:
    session = FakeSession()
    session.refusal = "queue.root.etl.weight: 'x' is no number"
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "j", "E", "down", "backspace", "enter")
        await pilot.pause()
        empty = _form(app).form.problems
        await pilot.press("x", "enter")
        await pilot.pause()
        wrong = _form(app).form.problems
        await pilot.press("escape")
        await pilot.pause()

    assert (empty, wrong) == ("! value: nothing is given; as in 2.0", f"! {session.refusal}")
    assert (_acts(session), session.calls[-1]) == ([], ("hold", False))


async def test_the_queue_of_an_application_can_be_changed() -> None:
    """E on an application opens the form on its queue; where there is none it says what it needs."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("E")
        queue = _form(app).form.chooser("queue").value
        await pilot.press("escape", "5", "G", "E")
        await pilot.pause()
        is_form = isinstance(app.screen, QueueFormScreen)

    assert (queue, is_form) == ("root.report", True)


async def test_without_questions_the_form_changes_at_once() -> None:
    session = FakeSession()
    app = _app(session, confirm="never")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "j", "E", "down", "enter")
        await pilot.pause()
        closed = app.screen is app.cluster

    assert (closed, _acts(session)) == (True, [("do", SetQueueSetting("root.etl", "weight", "1"))])


async def test_the_real_scheduler_tells_its_shares_and_takes_the_value() -> None:
    session = by_hand("prod-dev-fair", paused=True)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "j", "E", "down", "backspace", "5", "enter")
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await pilot.press("y")
        await pilot.pause()
        row = session.picture().snapshot.queues()[1]

    assert ("before and after" in dialog.words, row.weight) == (True, 5.0)


def _offered(app: SchedlabApp) -> set[str]:
    assert isinstance(app.screen, MenuScreen)
    return {choice.value for choice in app.screen.choices}


@pytest.mark.parametrize(
    ("keys", "absent"),
    [
        (("1",), {BRANCH, DRAIN, RESIZE}),
        (("2",), {BRANCH, DRAIN, RESIZE, KILL, MOVE}),
        (("3",), {BRANCH}),
    ],
)
async def test_the_menu_leaves_out_what_cannot_be_done_here(keys: tuple[str, ...], absent: set[str]) -> None:
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*keys, "a")
        found = _offered(app)
        await pilot.press("O")
        stays = isinstance(app.screen, MenuScreen)

    assert (found & {BRANCH, DRAIN, RESIZE, KILL, MOVE}, stays, session.calls) == (
        {BRANCH, DRAIN, RESIZE, KILL, MOVE} - absent,
        True,
        [],
    )


async def test_under_spark_the_menu_has_no_act_that_spark_has_not() -> None:
    """Preemption, reservations and queues; a row that an act needs is only a matter of choosing one."""
    app = SchedlabApp(by_hand("spark-spread-out", at="+5s", paused=True), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        offered = _offered(app)

    assert offered.isdisjoint({CALLS["preemption"], CALLS["reservation"], MOVE, CALLS["queue.set"], LABEL})
    assert {KILL, SPREAD} <= offered


async def test_in_the_past_the_menu_has_nothing_but_the_branch() -> None:
    app = _app(FakeSession(present_ms=fakes.NOW + 60_000))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        offered = _offered(app)

    assert offered == {BRANCH}
