"""What is said of a cluster holds at the instant at which it is said, and is the same wherever it is said."""

import re
from collections.abc import Sequence
from typing import Final

import pytest

from engine.formats.scenario_toml import load
from engine.observe.history import History
from engine.observe.snapshot import ObstacleSummary
from engine.observe.snapshots import waits_of
from engine.run import Run
from engine.simulation.records import Record
from tests.tui.screen_text import screen_lines
from tui.app import SchedlabApp
from tui.session.opening import open_session

COUNTED: Final = (
    "capacity-user-limit",
    "delay-scheduling",
    "mr1-job-tracker-restart",
    "mr1-slots-of-the-wrong-kind",
    "node-labels-capacity",
    "pattern-preemption-livelock",
    "rm-restart-deadlock",
    "spark-one-executor-each",
    "spark-worker-lost",
    "three-schedulers-fair",
)


class _Compared:
    """A listener that sets the series of a history and the version of the rows beside the rows of the same instant."""

    def __init__(self, run: Run) -> None:
        self.history = History()
        self.run, self.differ = run, list[tuple[int, object, object]]()
        self.counts: dict[int, object] = {}

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.history.on_records(time_ms, records)
        snapshot = self.run.snapshot()
        latest, waits = self.history.latest(), waits_of(snapshot.applications(why=False))
        on_nodes = sum(row.containers for row in snapshot.nodes() if row.state != "DEAD")
        drawn = (latest["waiting_first"], latest["waiting"], on_nodes)
        counted = (waits.first, waits.number, snapshot.header.containers)
        if drawn != counted:
            self.differ.append((time_ms - self.run.scenario.start_ms, drawn, counted))
        if self.counts.setdefault(snapshot.version("applications"), counted) != counted:
            self.differ.append((time_ms - self.run.scenario.start_ms, "drawn as before", counted))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("capacity-user-limit", "user ann uses 17408 MB of a limit of 16384 MB in the queue"),
        ("node-labels-capacity", "4 of 6 nodes too full; 2 of 6 nodes in a partition its queue may not use"),
        ("pattern-am-only", "2 of 2 nodes barred by the maximum of its queue"),
    ],
)
def test_a_limit_is_named_whole_where_nodes_are_counted(name: str, sentence: str) -> None:
    """It holds wherever a node is, so that none is counted for it."""
    run = Run(load(name), until_ms=600_000)
    run.advance(300_000)
    refusals = [each.obstacle for each in run.snapshot().applications()]

    assert any(isinstance(each, ObstacleSummary) and each.sentence.startswith(sentence) for each in refusals)


@pytest.mark.parametrize("name", COUNTED)
def test_graphs_and_nodes_count_as_the_header_does(name: str) -> None:
    """At every instant, through restarts and losses; rows that change are drawn anew."""
    run = Run(load(name), until_ms=600_000)
    compared = _Compared(run)
    compared.history.follow(run.simulation.control_plane, run.simulation.now_ms)
    run.simulation.listeners.append(compared)

    run.advance(run.until_ms)

    assert compared.differ == []


@pytest.mark.parametrize(
    ("name", "at"), [("pattern-preemption-livelock", "+1m"), ("preemption-livelock-capacity", "+3m")]
)
async def test_a_livelock_is_known_again_where_the_run_is_taken_up_again(name: str, at: str) -> None:
    """Undo goes back to what was known then; nothing has to form again. None stands that was proved before an act."""
    session = open_session(name, at=at, paused=True)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        badges = [badge(app)]
        for keys in ("Ky", "u", "t"):
            await pilot.press(*keys)
            await pilot.pause(0.3)
            badges.append(badge(app))

    assert badges == ["^ PREEMPTION LIVELOCK", "o OK", "^ PREEMPTION LIVELOCK", "^ PREEMPTION LIVELOCK"]


def badge(app: SchedlabApp) -> str:
    return re.split(r" +\d|  ", screen_lines(app)[1].strip())[0]
