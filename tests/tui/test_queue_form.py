"""Changing a setting of a queue by a form, and the menu that says what applies."""

from typing import Any

import pytest

from engine.formats.scenario_toml import loads
from engine.run import Run
from engine.scenario.acts import SetQueueSetting
from tests.tui.fake_session import FakeSession, fake_app
from tests.tui.screen_text import press
from tests.tui.small_run import ByHand, by_hand
from tui.actions import ACTIONS
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import MenuScreen
from tui.dialogs.queue import QueueFormScreen
from tui.session.alert_monitor import EventLog
from tui.session.session import Session

CALLS = {action.id: action.call for action in ACTIONS}
BRANCH, DRAIN, SPREAD, KILL, MOVE, RESIZE, LABEL = (
    CALLS[name] for name in ("branch", "drain", "spread_out", "kill", "move", "node.resize", "node.label")
)


def _form(app: SchedlabApp) -> QueueFormScreen:
    assert isinstance(app.screen, QueueFormScreen)
    return app.screen


def _acts(session: FakeSession) -> list[tuple[Any, ...]]:
    return [call for call in session.calls if call[0] != "hold"]


async def test_a_queue_is_changed_by_keys_alone() -> None:
    """E on a queue, arrows to the setting, the value as it is; then shares before and after, then it is done."""
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "j", "E", "right")
        form = _form(app)
        begun = (form.form.chooser("queue").value, form.form.chooser("setting").value, form.form.texts()["value"])
        await press(pilot, "left", "down", "backspace", "3", "enter")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await press(pilot, "y")

    assert begun == ("root.etl", "minResources", "102400 mb, 32 vcores")
    assert ("400G ->    600G" in dialog.words, _acts(session)) == (
        True,
        [("do", SetQueueSetting("root.etl", "weight", "3"))],
    )
    assert [call[1] for call in session.calls if call[0] == "hold"] == [True, True, False, False]


async def test_the_form_takes_the_mouse() -> None:
    session = FakeSession()
    app = fake_app(session)
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
    session.refusal = "queue.root.etl.weight: 'x' is not a number"
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "2", "j", "E", "down", "backspace", "enter")
        empty = _form(app).form.problems
        await press(pilot, "x", "enter")
        wrong = _form(app).form.problems
        await press(pilot, "escape")

    assert (empty, wrong) == ("! value: nothing is given; as in 2.0", f"! {session.refusal}")
    assert (_acts(session), session.calls[-1]) == ([], ("hold", False))


async def test_the_real_scheduler_tells_its_shares_and_takes_the_value() -> None:
    session = by_hand("prod-dev-fair", paused=True)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "2", "j", "E", "down", "backspace", "5", "enter")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await press(pilot, "y")
        row = session.picture().snapshot.queues()[1]

    assert ("before and after" in dialog.words, row.weight) == (True, 5.0)


def _offered(app: SchedlabApp) -> set[str]:
    assert isinstance(app.screen, MenuScreen)
    return {choice.value for choice in app.screen.choices}


@pytest.mark.parametrize(
    ("keys", "absent"),
    [(("1",), {BRANCH, DRAIN, RESIZE}), (("2",), {BRANCH, DRAIN, RESIZE, KILL, MOVE}), (("3",), {BRANCH})],
)
async def test_the_menu_leaves_out_what_cannot_be_done_here(keys: tuple[str, ...], absent: set[str]) -> None:
    session = FakeSession()
    app = fake_app(session)
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


# The submit form, from text to an application that runs.

SMALL = """
name = "small"
start = 2017-11-11T08:30:00+08:00
duration = "10m"
[cluster]
groups = [{ count = 2, prefix = "n", memory_mb = 4096, vcores = 4 }]
"""


def _opened() -> tuple[ByHand, Run]:
    log = EventLog()
    run = Run(loads(SMALL, "small.toml"), [log])
    return ByHand(Session(run, log, paused=True)), run


def _row(run: Run, name: str) -> Any:
    return next(row for row in run.snapshot().applications() if row.name == name)


FORM = {
    "name": "by-hand",
    "user": "eve",
    "queue": "",
    "containers": "4",
    "memory": "2g",
    "vcores": "1",
    "duration": "2m",
    "master": "1g",
}


def test_a_form_becomes_a_scripted_application() -> None:
    """Sizes and durations are read in the units people write; the application runs to its end."""
    session, run = _opened()
    problems = session.submit({**FORM, "duration": "1m", "containers": "1"})
    run.advance(20_000)
    running = _row(run, "by-hand")
    run.advance(120_000)

    assert (problems, running.user, running.queue, running.used) == ([], "eve", "root.eve", (3072, 2))
    assert _row(run, "by-hand").state == "FINISHED"


def test_every_mistake_of_a_form_is_named_at_once() -> None:
    session, run = _opened()
    problems = session.submit({**FORM, "user": "", "containers": "four", "memory": "2q", "vcores": "", "duration": "x"})

    assert [problem.partition(":")[0] for problem in problems] == ["containers", "memory", "vcores", "duration", "user"]
    assert run.snapshot().applications() == []


STANDALONE = {
    "name": "by-hand",
    "user": "eve",
    "cores_max": "4",
    "executor_cores": "2",
    "memory": "512m",
    "tasks": "8",
    "duration": "20s",
}


def _spark() -> tuple[ByHand, Run]:
    log = EventLog()
    run = Run(loads(SMALL.replace("[cluster]", 'scheduler = "spark"\n[cluster]'), "small.toml"), [log])
    return ByHand(Session(run, log, paused=True)), run


def test_every_mistake_of_a_spark_form_is_named_at_once() -> None:
    """Words that are no numbers, too many tasks, nobody; and what only the model knows."""
    session, _ = _spark()
    wrong = {**STANDALONE, "user": "", "cores_max": "all", "memory": "2q", "tasks": "9999999", "duration": "x"}
    problems = session.submit(wrong)

    assert [problem.partition(":")[0] for problem in problems] == [
        "cores at most",
        "memory",
        "tasks",
        "duration",
        "user",
    ]
    assert [problem.partition(":")[0] for problem in session.submit({**STANDALONE, "executor_cores": "0"})] == [
        "cores each"
    ]
