"""Every act of the registry, by every way there is: it reaches the run's journal, or is refused where it has to be."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandInput, CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input

from engine.formats.scenario_toml import loads
from engine.run import Run
from engine.scenario.acts import (
    AddNode,
    DrainNode,
    KillApplication,
    LabelNode,
    MoveApplication,
    Reload,
    ResizeNode,
    RestartResourceManager,
    SetPreemption,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
    SubmitApplication,
)
from engine.simulation.records import Acted, Record
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import board_of, press, screen_lines
from tests.tui.small_run import ByHand
from tui.actions import ACTIONS, Action
from tui.acts.command import VERBS
from tui.app import SchedlabApp
from tui.board.dialects import YARN as BOARD_OF_YARN
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import MenuScreen
from tui.dialogs.queue import QueueFormScreen
from tui.dialogs.submit import SubmitScreen
from tui.screens.cluster import ClusterScreen
from tui.session.alert_monitor import EventLog
from tui.session.session import Session

ACTS = {action.id: action for action in ACTIONS if action.changes_cluster}
YARN_ACTS: dict[str, type] = {
    "submit": SubmitApplication,
    "kill": KillApplication,
    "preemption": SetPreemption,
    "reservation": SetReservationRule,
    "drain": DrainNode,
    "move": MoveApplication,
    "queue.set": SetQueueSetting,
    "node.resize": ResizeNode,
    "node.add": AddNode,
    "reload": Reload,
    "restart": RestartResourceManager,
}
"""Act → what stands in the journal when it was done to a YARN cluster."""
SPARK_ACTS: dict[str, type] = {
    "submit": SubmitApplication,
    "kill": KillApplication,
    "drain": DrainNode,
    "spread_out": SetSetting,
    "node.add": AddNode,
}
CAPACITY_ACTS: dict[str, type] = {"node.label": LabelNode}
PANES = {"drain": "3", "node.resize": "3", "node.label": "3", "queue.set": "2"}
"""Act → the pane whose rows it is about; else that of the applications."""

CLUSTER = """
name = "small"
start = 2017-11-11T08:30:00+08:00
duration = "10m"
[cluster]
groups = [{ count = 3, prefix = "n", memory = "8g", vcores = 8 }]
"""
YARN = f"""{CLUSTER}
[[queues]]
name = "a"
[[queues]]
name = "b"
[[workload]]
type = "scripted"
name = "holder"
user = "eve"
queue = "root.a"
asks = [{{ memory = "1g", count = 2 }}]
repeat = {{ times = 3, every = "1s" }}
"""
SPARK = f"""{CLUSTER.replace("[cluster]", 'scheduler = "spark"' + chr(10) + "[cluster]")}
[[workload]]
type = "spark-standalone"
name = "shell"
user = "eve"
cores_max = 4
repeat = {{ times = 3, every = "1s" }}
"""


CAPACITY = f"""{CLUSTER.replace("[cluster]", 'scheduler = "capacity-3.4"' + chr(10) + "[cluster]")}
[settings]
"yarn.scheduler.capacity.root.queues" = "a"
"yarn.scheduler.capacity.root.a.capacity" = "100"
[[workload]]
type = "scripted"
name = "holder"
user = "eve"
queue = "a"
asks = [{{ memory = "1g", count = 2 }}]
"""
ALLOCATIONS = "<allocations><queue name='a'/><queue name='b'/></allocations>"


class Recorder:
    """A listener that keeps the outside actions of a run, as a journal does."""

    def __init__(self) -> None:
        self.acts: list[Any] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.acts += [record.action for record in records if isinstance(record, Acted)]


def opened(text: str, **options: Any) -> tuple[SchedlabApp, ByHand, Run, Recorder]:
    """An app on a run that was played for half a minute and stands."""
    recorder, log = Recorder(), EventLog()
    run = Run(loads(text, "small.toml"), [log, recorder])
    session = ByHand(Session(run, log, paused=True))
    run.advance(30_000)
    return SchedlabApp(session, ascii_only=True, **options), session, run, recorder


async def by_key(pilot: Pilot[None], action: Action) -> None:
    await pilot.press(action.keys[0])


async def by_command(pilot: Pilot[None], action: Action) -> None:
    await pilot.press("colon")
    board = pilot.app.screen
    assert isinstance(board, ClusterScreen)
    board.prompt.query_one(Input).value = action.id
    await pilot.press("enter")


async def by_palette(pilot: Pilot[None], action: Action) -> None:
    await pilot.press("ctrl+p")
    pilot.app.screen.query_one(CommandInput).value = f"(:{action.id})"
    for _ in range(30):  # what cannot be done here is not listed
        await pilot.pause(0.01)
        if "\n".join(screen_lines(pilot.app)).count(f"(:{action.id})") > 1:
            break
    await pilot.press("enter")
    await pilot.app.workers.wait_for_complete()
    if isinstance(pilot.app.screen, CommandPalette):
        await pilot.press("escape")


async def by_mouse(pilot: Pilot[None], action: Action) -> None:
    """Click the row with the right button, then the line of the act; an act that cannot be done has no line."""
    board = pilot.app.screen
    assert isinstance(board, ClusterScreen)
    await pilot.click(f"#{board.pane_name}", offset=(5, 1 + board.active.cursor.at), button=3)
    await pilot.pause()
    menu = pilot.app.screen
    if not isinstance(menu, MenuScreen):
        return
    begin = f"{action.keys[0]:<6} "
    lines = screen_lines(pilot.app)
    row = next((place for place, line in enumerate(lines) if f"| {begin}" in line), None)
    if row is None:
        await pilot.press("escape")
        return
    await pilot.click(offset=(lines[row].index(f"| {begin}") + 4, row))
    await pilot.pause()
    if pilot.app.screen is menu:
        await pilot.press("escape")


WAYS = (by_key, by_command, by_palette, by_mouse)


async def finish(pilot: Pilot[None], rest: str = "") -> None:
    """Answer whatever an act asks with yes, the first choice, what the form begins with, or `rest` where it types."""
    await pilot.pause()
    for _ in range(3):
        match pilot.app.screen:
            case ClusterScreen() as cluster if cluster.prompt.is_open:
                await pilot.press(*({"/": "slash", ".": "full_stop"}.get(key, key) for key in rest), "enter")
            case ConfirmScreen():
                await pilot.press("y")
            case MenuScreen():
                await pilot.press("1")
            case SubmitScreen():
                await pilot.press("enter")
            case QueueFormScreen():
                await pilot.press("down", "2", "enter")
            case _:
                return
        await pilot.pause()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    ("scenario", "acts"),
    [(YARN, YARN_ACTS), (SPARK, SPARK_ACTS), (CAPACITY, CAPACITY_ACTS)],
    ids=["yarn", "spark", "capacity"],
)
async def test_every_act_reaches_the_journal(
    way: Any, scenario: str, acts: dict[str, type], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fair.xml").write_text(ALLOCATIONS)
    rest = {"reload": "fair.xml", "node.label": "gpu"}
    app, _, _, recorder = opened(scenario)
    async with app.run_test(size=(80, 24)) as pilot:
        for act in acts:
            await pilot.press(PANES.get(act, "1"), "home", *("j" if act == "queue.set" else ""))
            await way(pilot, ACTS[act])
            await finish(pilot, rest.get(act, ""))

    assert [type(one) for one in recorder.acts] == list(acts.values())


@pytest.mark.parametrize(
    ("keys", "kind", "count"),
    [(("1", "asterisk", "M", "2"), MoveApplication, 3), (("1", "asterisk", "K"), KillApplication, 3),
     (("3", "asterisk", "D"), DrainNode, 3)],
)  # fmt: skip
async def test_what_is_done_to_many_is_in_the_journal_one_by_one(keys: tuple[str, ...], kind: type, count: int) -> None:
    app, _, _, recorder = opened(YARN)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*keys)
        await finish(pilot)

    assert [type(one) for one in recorder.acts] == [kind] * count
    assert len(set(recorder.acts)) == count


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_the_past_is_branched_by_every_way(way: Any) -> None:
    """And nothing but the branch is done there; then the run goes on from the instant looked at."""
    app, session, run, recorder = opened(YARN)
    present_ms = run.simulation.now_ms
    async with app.run_test(size=(80, 24)) as pilot:
        assert session.travel("+10s") == ""
        await press(pilot, "1")
        for act in YARN_ACTS:
            await way(pilot, ACTS[act])
            await finish(pilot)
        before = run.simulation.now_ms
        await way(pilot, ACTS["branch"])
        await finish(pilot)

    assert (before, recorder.acts) == (present_ms, [])
    assert run.simulation.now_ms == run.scenario.start_ms + 10_000


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    ("scenario", "places"),
    [
        pytest.param(YARN, ("live",), id="yarn"),
        pytest.param(SPARK, ("+10s",), id="spark"),
        pytest.param(YARN, ("+10s", "live"), id="yarn-past", marks=pytest.mark.long),
        pytest.param(SPARK, ("live", "+10s"), id="spark-live", marks=pytest.mark.long),
    ],
)
async def test_read_only_refuses_every_act_by_every_way(way: Any, scenario: str, places: tuple[str, ...]) -> None:
    app, session, run, recorder = opened(scenario, read_only=True)
    before = run.simulation.now_ms
    opened_screens = []
    async with app.run_test(size=(80, 24)) as pilot:
        for where in places:
            _ = session.travel(where)
            for act in ACTS.values():
                await pilot.press(PANES.get(act.id, "1"))
                await way(pilot, act)
                await pilot.pause()
                if app.screen is not app.cluster:
                    opened_screens.append((act.id, app.screen))
                    await pilot.press("escape")
                await pilot.press("escape")

    assert (recorder.acts, opened_screens, run.simulation.now_ms) == ([], [], before)


@pytest.mark.parametrize(
    ("options", "run"), [({"read_only": True}, {}), ({}, {"present_ms": fakes.NOW + 60_000})], ids=["read-only", "past"]
)
async def test_what_commands_call_is_refused_too(options: dict[str, Any], run: dict[str, Any]) -> None:
    session = FakeSession(**run)
    app = SchedlabApp(session, ascii_only=True, **options)
    lines = {
        "move": "183360 root.adhoc",
        "set": "queue.root.etl.weight 3",
        "submit": "n=4",
        "priority": "183360 3",
        "preempt": "off",
        "rule": "off",
        "spread": "on",
        "resize": "n1 4g 4",
        "add": "n9 4g 4",
        "reload": "fair.xml",
        "fault": "rm_restart",
    }
    async with app.run_test(size=(120, 40)) as pilot:
        for verb in [verb for verb in VERBS if verb.changes_cluster]:
            board_of(app).perform(verb.call(lines.get(verb.name, "183360").split()))
            await pilot.pause()
        stands = app.screen is app.cluster

    assert (session.calls, stands) == ([], True)


async def test_the_menu_of_acts_is_a_hint_that_can_be_clicked() -> None:
    """Also on a small terminal the left button reaches every act that can be done on the row."""
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.click("#hints", offset=(screen_lines(app)[-1].index("a acts"), 0))
        await pilot.pause()
        menu = app.screen
        assert isinstance(menu, MenuScreen)

    of_nodes = {ACTS[name].call for name in ("branch", "drain", "node.resize", "node.label")}
    assert [choice.value for choice in menu.choices] == [
        each.call for each in ACTS.values() if each.call not in BOARD_OF_YARN.greyed.keys() | of_nodes
    ]
