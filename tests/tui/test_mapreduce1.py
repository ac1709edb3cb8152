"""The app before a JobTracker: jobs, trackers and pools in their own words."""

from pathlib import Path

import pytest

from tests.stored import golden
from tests.tui.screen_text import screen_text
from tests.tui.small_run import by_hand
from tui.actions import PANES
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen

SLOTS = """
start = 2010-03-04T09:00:00Z
duration = "10m"
scheduler = "mr1-fifo"
[cluster]
groups = [{ count = 4, memory = "8g", vcores = 8 }]
[[workload]]
type = "mapreduce"
name = "scan"
user = "ann"
maps = 4
reduces = 8
map_duration = "10s"
reduce_duration = "5m"
[[workload]]
type = "mapreduce"
name = "join"
user = "bob"
at = "09:00:30"
maps = 1
reduces = 4
map_duration = "5s"
reduce_duration = "10s"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    """Two jobs: the reduces of the first have all reduce slots."""
    file = tmp_path / "slots.toml"
    file.write_text(SLOTS, encoding="utf-8")
    return str(file)


async def test_the_board_speaks_of_slots_jobs_and_trackers(scenario: str) -> None:
    """Both kinds of slots are metered, and why a job waits is said in their words."""
    app = SchedlabApp(by_hand(scenario, at="+2m", paused=True), ascii_only=True)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        text = screen_text(app)

    assert "reduce slots" in text
    assert "Jobs" in text
    assert "Trackers" in text
    assert "all 8 reduce slots are taken" in text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_pane_is_as_stored(size: tuple[int, int]) -> None:
    """Jobs, pools, trackers, events, attempts and users, while reduces wait beside idle map slots."""
    app = SchedlabApp(by_hand("mr1-slots-of-the-wrong-kind", at="+6m40s", paused=True))
    async with app.run_test(size=size) as pilot:
        for pane in ("applications", "queues", "nodes", "events", "containers", "users"):
            await pilot.press(str(PANES.index(pane) + 1))
            await pilot.pause()
            actual = screen_text(app)
            assert actual == golden(f"mr1-{pane}-{size[0]}x{size[1]}", actual)


async def test_the_form_asks_for_maps_reduces_pool_and_priority(scenario: str) -> None:
    """As a JobTracker knows them; a master or cores it does not ask for."""
    app = SchedlabApp(by_hand(scenario, at="+2m", paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("S")
        await pilot.pause()
        text = screen_text(app)

    assert all(word in text for word in ("pool", "priority", "maps", "a reduce runs", "reduce memory"))
    assert "master memory" not in text


async def test_a_restart_of_the_job_tracker_is_asked_for_and_shown(scenario: str) -> None:
    """The question speaks of jobs and attempts; then the header says that nobody answers."""
    app = SchedlabApp(by_hand(scenario, at="+2m", paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("U")
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        words = dialog.words
        await pilot.press("y")
        await pilot.pause()
        text = screen_text(app)

    assert "loses  2 jobs with 8 attempts: mapred.jobtracker.restart.recover is not true" in words
    assert "no JobTracker answers, nothing is decided" in text


async def test_a_pool_is_changed_by_its_form_and_by_a_command() -> None:
    """The form has the eight elements of pools; the command asks first, then the file of pools has the value."""
    app = SchedlabApp(by_hand("mr1-slots-of-the-wrong-kind", at="+2m", paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2")
        await pilot.pause()
        await pilot.press("E")
        await pilot.pause()
        form = screen_text(app)
        await pilot.press("escape", "colon", *"set queue.etl.minMaps 3", "enter")
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        words = dialog.words
        await pilot.press("y")
        await pilot.pause()

    assert "< weight > 1/8" in " ".join(form.split())
    assert "Set minMaps of etl to 3?" in words
    assert "memory" not in words


POOLS = '<allocations><pool name="bob"><maxReduces>0</maxReduces></pool></allocations>'


@pytest.mark.parametrize(
    ("top", "why", "limits"),
    [
        ('scheduler = "mr1-fifo"', "no free slot", ["trackers  reduce slots  8 of 8  ========  full: decides"]),
        (
            f"scheduler = 'mr1-fair'\nallocations = '{POOLS}'",
            "limit of the pool",
            [
                "pool bob  maxReduces    0 of 0  --------  full: decides",
                "trackers  reduce slots  8 of 8  ========  not in",
            ],
        ),
    ],
)
async def test_why_a_job_waits_is_a_table_of_tasks_and_one_of_limits(
    tmp_path: Path, top: str, why: str, limits: list[str]
) -> None:
    """Its tasks of each kind, with what those wait for; the limit that decides comes first, with its figures."""
    path = tmp_path / "limits.toml"
    path.write_text(SLOTS.replace('scheduler = "mr1-fifo"', top))
    app = SchedlabApp(by_hand(str(path), at="+2m", paused=True), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("w")
        await pilot.pause()
        tasks = [line.split() for line in screen_text(app).splitlines()]
        await pilot.press("2")
        await pilot.pause()
        shown = screen_text(app)

    assert ["reduces", "--------", "0/4", "-", "4", "-", *why.split()] in tasks
    assert [shown.find(each) > 0 for each in limits] == [True] * len(limits)
    assert sorted(limits, key=shown.find) == limits
