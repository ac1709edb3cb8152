"""What differs by dialect on screen: CapacityScheduler, MapReduce 1 and Spark standalone, on packaged scenarios."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.stored import golden
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import board_of, press, screen_lines, screen_text, until
from tests.tui.small_run import ByHand, by_hand
from tui.actions import PANES
from tui.app import SchedlabApp
from tui.board.dialects import STANDALONE
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import MenuScreen
from tui.screens.page import HelpScreen


def keys(words: str) -> list[str]:
    names = {" ": "space", ".": "full_stop", "-": "minus", "=": "equals_sign", "_": "underscore"}
    return [names.get(sign, sign) for sign in words]


@asynccontextmanager
async def opened(
    name: str, at: str, size: tuple[int, int] = (120, 40), **options: Any
) -> AsyncIterator[tuple[SchedlabApp, Pilot[None]]]:
    app = SchedlabApp(by_hand(name, at=at, paused=True), ascii_only=True, **options)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def words_of(app: SchedlabApp) -> str:
    """What the question on screen says."""
    assert isinstance(app.screen, ConfirmScreen)
    return app.screen.words


async def test_the_reservation_rule_is_offered_nowhere() -> None:
    """A thing of FairScheduler: not in the hints, the menu of acts, the help or the commands; its key says why."""
    async with opened("prod-dev-capacity", "+1m", (200, 60)) as (app, pilot):
        hints = screen_text(app).splitlines()[-1]
        await pilot.press("a")
        menu = app.screen
        assert isinstance(menu, MenuScreen)
        offered = [choice.value for choice in menu.choices]
        await pilot.press("escape", "question_mark")
        shown = app.screen
        assert isinstance(shown, HelpScreen)
        helped = shown.text
        await press(pilot, "escape", "R")
        said = screen_text(app).splitlines()[-1]

    assert ("K kill" in hints, "resv" in hints) == (True, False)
    assert ("cluster_acts.toggle_preemption" in offered, "cluster_acts.cycle_reservation" in offered) == (True, False)
    assert ("reservation rule" in helped, "strict" in helped) == (False, False)
    assert "no reservation rule to change" in said


async def test_a_limit_is_tried_and_changed_by_a_command() -> None:
    async with opened("capacity-am-limit", "+1m") as (app, pilot):
        await press(pilot, "colon", *keys("set queue.root.default.maximum-am-resource-percent 0.5"), "enter")
        words = words_of(app)
        await press(pilot, "y")
        shown = screen_text(app)

    assert "AM limit of memory, before and after:" in words
    assert "root.default       7G ->     32G" in words
    assert "maximum-am-resource-percent of root.default is 0.5." in shown


async def test_the_form_takes_a_capacity_with_that_of_its_sibling() -> None:
    async with opened("capacity-user-limit", "+1m") as (app, pilot):
        await press(pilot, "2", "j", "E", "down", *keys("40"), "enter")
        alone = screen_text(app)
        await press(pilot, *keys(" etl=60"), "enter")
        words = words_of(app)

    assert "apacit" in alone
    assert "guaranteed of memory, before and after:" in words


async def test_queues_stand_in_each_partition_and_a_key_or_a_command_narrows_them() -> None:
    """The root of each is its head; a queue without access says so. `i` goes from one to the next, esc to all."""
    async with opened("node-labels-capacity", "+1m", (160, 40)) as (app, pilot):
        await press(pilot, "2", "f")
        every = _rows(screen_text(app))
        await press(pilot, "i", "i")
        gpu = screen_text(app)
        await press(pilot, "colon", *keys("partition none"), "enter")
        unknown = screen_text(app).splitlines()[-1]
        await press(pilot, "colon", *keys("partition default"), "enter")
        default = _rows(screen_text(app))
        await press(pilot, "escape", "escape", "f")
        back = _rows(screen_text(app))

    assert every == [
        ">default 32G 32G 32G 1 0+1", "office 32G 16G 32G 1 0+1", "research 0 16G 32G 0 0",
        "gpu 8G 16G 16G 1 0", "office no access", "research 8G 16G 16G 1 0",
    ]  # fmt: skip
    assert ("partition:gpu" in gpu, _rows(gpu)) == (True, [f">{every[3]}", *every[4:]])
    assert "There is no partition none; there is default, gpu." in unknown
    assert (default, back) == (every[:3], every)


async def test_a_driver_is_freed_with_its_application_and_every_field_has_a_name() -> None:
    """It is none of the executors that a kill loses; the sort menu names fields without help, too."""
    async with opened("spark-worker-lost", "+1m") as (app, pilot):
        await press(pilot, "i")
        assert "Only CapacityScheduler knows partitions of nodes." in screen_text(app)
        await press(pilot, "j", "j", "K")
        asked = " ".join(screen_text(app).split())
        await press(pilot, "escape", "o")
        menu = screen_text(app)

    assert ("1 driver 1G/1c" in asked, "2 cores for the list" in asked, "s      state" in menu) == (True, True, True)


async def test_every_figure_says_of_which_partition_it_is() -> None:
    """A meter for each, nodes below the name of theirs with its sums, the strip of a queue with each partition."""
    async with opened("node-labels-capacity", "+1m") as (app, pilot):
        await press(pilot, "2", "down")
        office = screen_text(app)
        await press(pilot, "3", "end")
        node = screen_text(app)

    meters = " ".join(office.splitlines()[2].split())
    assert meters.startswith(f"default {'=' * 16} 100% 32G of 32G gpu {'=' * 8}{'-' * 8} 50% 8G of 16G running 2")
    assert "default  8G/8c each; 32G used, 0 free" in office
    assert "gpu  8G/8c each; 8G used, 8G free" in office
    assert ("3 Nodes  4 default  2 gpu" in office, "in gpu   no access" in office) == (True, True)
    assert "partition gpu" in node


def _rows(screen: str) -> list[str]:
    """The rows of the pane of queues, without what its meters are drawn with."""
    inside = screen.splitlines()[6:]
    lines = [
        re.sub(r"[|*]|[-=]{2,}[-=|]*", " ", line)
        for line in inside[: next(n for n, x in enumerate(inside) if not x.strip("| "))]
    ]
    return [" ".join(line.split()) for line in lines]


# The app before a JobTracker: jobs, trackers and pools in their own words.


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


@pytest.fixture(scope="module")
def slots() -> ByHand:
    """Played once: who looks changes nothing."""
    return by_hand("mr1-slots-of-the-wrong-kind", at="+6m40s", paused=True)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_pane_is_as_stored(slots: ByHand, size: tuple[int, int]) -> None:
    """Jobs, pools, trackers, events, attempts and users, while reduces wait beside idle map slots."""
    app = SchedlabApp(slots)
    async with app.run_test(size=size) as pilot:
        for pane in ("applications", "queues", "nodes", "events", "containers", "users"):
            await press(pilot, str(PANES.index(pane) + 1))
            actual = screen_text(app)
            assert actual == golden(f"mr1-{pane}-{size[0]}x{size[1]}", actual)


async def test_the_form_asks_for_maps_reduces_queue_and_priority(scenario: str) -> None:
    """As a JobTracker knows them; a master or cores it does not ask for."""
    async with opened(scenario, "+2m") as (app, pilot):
        await press(pilot, "S")
        text = screen_text(app)

    assert all(word in text for word in ("a queue", "priority", "maps", "a reduce runs", "reduce memory"))
    assert "master memory" not in text


async def test_a_restart_of_the_job_tracker_is_asked_for_and_shown(scenario: str) -> None:
    """The question speaks of jobs and attempts; then the header says that nobody answers."""
    async with opened(scenario, "+2m") as (app, pilot):
        await press(pilot, "U")
        words = words_of(app)
        await press(pilot, "y")
        text = screen_text(app)
        await press(pilot, "U")
        again = words_of(app)

    assert "The JobTracker stops, and starts again" in words
    assert "The JobTracker starts after five seconds." in again
    assert "loses  2 jobs with 8 attempts: mapred.jobtracker.restart.recover is not true" in words
    assert "no JobTracker answers, nothing is decided" in text


async def test_a_pool_is_changed_by_its_form_and_by_a_command() -> None:
    """The form has the eight elements of pools; the command asks first, then the file of pools has the value."""
    async with opened("mr1-slots-of-the-wrong-kind", "+2m") as (app, pilot):
        await press(pilot, "2")
        await press(pilot, "E")
        form = screen_text(app)
        await press(pilot, "escape", "colon", *"set queue.etl.minMaps 3", "enter")
        words = words_of(app)
        await press(pilot, "y")

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
    async with opened(str(path), "+2m", (80, 24)) as (app, pilot):
        await press(pilot, "w")
        tasks = [line.split() for line in screen_text(app).splitlines()]
        await press(pilot, "3")
        shown = screen_text(app)

    assert ["reduces", "--------", "0/4", "-", "4", *why.split()] in [[*line[:5], *line[6:]] for line in tasks]
    assert [shown.find(each) > 0 for each in limits] == [True] * len(limits)
    assert sorted(limits, key=shown.find) == limits


# The app before Spark's standalone Master, on packaged scenarios with the clock standing.


SIZES = [(80, 24), (120, 40), (200, 60)]


def step_of(app: SchedlabApp) -> tuple[int | str, ...]:
    """The step and the round of the plan on screen, and who got cores in it."""
    text = screen_text(app)
    numbers = dict(re.findall(r"(round|step) (\d+)", text))
    return int(numbers.get("step", 0)), int(numbers.get("round", 0)), *re.findall(r"(worker\d+) .* got ", text)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pane", list(STANDALONE.titles))
async def test_every_pane_looks_as_stored(pane: str, size: tuple[int, int]) -> None:
    """Each pane at the two sizes, letter by letter: one application holds what another waits for."""
    async with opened("spark-cores-hoarded", "+10m", size) as (app, pilot):
        digit = str(list(STANDALONE.titles).index(pane) + 1)
        await pilot.press(*([digit] if digit != "1" else []))  # the first is there, and would say so
        await pilot.pause()
        actual = screen_text(app)

    assert actual == golden(f"spark-{pane}-{size[0]}x{size[1]}", actual)


@pytest.mark.parametrize("size", SIZES)
async def test_a_step_looks_as_stored(size: tuple[int, int]) -> None:
    async with opened("spark-spread-out", "+5s", size) as (app, pilot):
        await press(pilot, "s", "right", "right", "right", "right", "right")
        actual = screen_text(app)

    assert actual == golden(f"spark-step-{size[0]}x{size[1]}", actual)


@pytest.mark.parametrize("size", [(200, 60), (60, 14), (20, 4), (1, 1)])
async def test_any_size_is_drawn(size: tuple[int, int]) -> None:
    async with opened("spark-spread-out", "+5s", size) as (app, pilot):
        board = screen_text(app).splitlines()
        await press(pilot, "s", "right")
        step = screen_text(app).splitlines()

    assert all(len(lines) <= size[1] and all(len(line) <= size[0] for line in lines) for lines in (board, step))


async def test_spread_out_is_toggled_for_the_next_pass() -> None:
    """O packs, O again spreads; the header shows the mode, and what has been given stays."""
    async with opened("spark-spread-out", "+5s") as (app, pilot):
        seen = []
        for _ in range(2):
            await press(pilot, "O", "y")
            seen.append(screen_text(app))
        held = [row.used[1] for row in board_of(app).pane("nodes").members]

    assert ("packing" in seen[0], "FIFO, packed" in seen[0]) == (True, True)
    assert ("spread out" in seen[1], held) == (True, [6, 4, 2, 0, 0])


@pytest.mark.parametrize(
    ("scenario", "pane", "line", "absent"),
    [
        ("spark-spread-out", "3", "D        decommission the worker", "resize"),
        ("spark-spread-out", "1", "D        decommission: on pane 3", "resize"),
        ("capacity-am-limit", "3", "U        restart", "allocation file"),
        ("mr1-job-tracker-restart", "3", "D        exclude the tracker", "resize"),
        ("mr1-job-tracker-restart", "1", "D        exclude: on pane 3", "resize"),
    ],
)
async def test_help_offers_the_acts_that_a_system_has(scenario: str, pane: str, line: str, absent: str) -> None:
    async with opened(scenario, "+5s", (80, 24)) as (app, pilot):
        await press(pilot, pane, "question_mark")
        text = screen_text(app)

    assert (line in text, absent in text) == (True, False)


@pytest.mark.parametrize(
    ("key", "reason"), [("P", "Spark's Master preempts nothing"), ("R", "Spark's Master reserves nothing")]
)
async def test_what_spark_does_not_have_is_refused_with_the_reason(key: str, reason: str) -> None:
    async with opened("spark-spread-out", "+5s") as (app, pilot):
        named = f"{key} " in screen_text(app).splitlines()[-1]
        await press(pilot, key)
        text = screen_text(app)

    assert (named, reason in text) == (False, True)


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("O", "Only Spark's Master spreads executors out or packs them; this is YARN."),
        ("s", "Only Spark's Master hands out cores step by step; this is YARN."),
    ],
)
async def test_what_only_spark_has_is_refused_under_yarn(key: str, reason: str) -> None:
    session = FakeSession()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, key)
        text = screen_text(app)

    assert (reason in text, session.calls) == (True, [])


async def test_stepping_shows_who_got_cores_and_leaving_changes_nothing() -> None:
    """Steps, rounds and the last; the clock is paused meanwhile, and the board is as before."""
    async with opened("spark-spread-out", "+5s") as (app, pilot):
        before = screen_text(app)
        await pilot.press("s")
        seen = []
        for key in ("right", "right", "left", "n", "n", "G", "right", "g"):
            await press(pilot, key)
            seen.append(step_of(app))
        await press(pilot, "escape")
        after = screen_text(app)

    assert seen == [
        (1, 1, "worker1"),
        (2, 1, "worker2"),
        (1, 1, "worker1"),
        (3, 1, "worker3"),
        (5, 2, "worker2"),
        (6, 3, "worker1"),
        (6, 3, "worker1"),
        (0, 0),
    ]
    assert after == before


async def test_steps_begin_with_the_application_under_the_cursor() -> None:
    """Of one that waits: why nobody can give it anything; tab goes on to the next plan, which is the first."""
    async with opened("spark-cores-hoarded", "+10m") as (app, pilot):
        await press(pilot, "j", "s")
        first = screen_text(app)
        await press(pilot, "tab")
        then = screen_text(app)
        await press(pilot, "shift+tab", "j", "j", "k")
        foot = screen_lines(app)[-4:]

    for words in ("what a pass would do now", "bob-report", "0 cores free, an executor needs 4"):
        assert words in first
    for words in ("pass after", "ann-shell", "before the first step"):
        assert words in then
    assert any("worker2: 0 cores free" in line for line in foot)


async def test_enter_leads_from_the_list_to_the_application_to_its_executor_and_worker() -> None:
    seen = []
    async with opened("spark-spread-out", "+5s") as (app, pilot):
        for keys in (("2", "enter"), ("enter",), ("enter",)):
            await pilot.press(*keys)
            seen.append((board_of(app).active.view.name, board_of(app).active.cursor.id))

    assert seen == [("applications", "app-20170913160000-0001"), ("containers", "0001/0"), ("nodes", "worker1:7078")]


async def test_killing_says_what_comes_free() -> None:
    async with opened("spark-cores-hoarded", "+10m") as (app, pilot):
        await pilot.press("K")
        words = screen_text(app)
        await press(pilot, "y")
        after = screen_text(app)

    assert ("4 executors  8G/32c on 4 workers" in words, "0002  bob-report" in after) == (True, True)


async def test_the_form_submits_a_spark_application() -> None:
    async with opened("spark-cores-hoarded", "+10m") as (app, pilot):
        await pilot.press("S")
        form = screen_text(app)
        await press(pilot, "enter")
        text = screen_text(app)

    assert ("cores at most" in form, "containers" in form) == (True, False)
    assert ("Submitted by-hand" in text, "0003  by-hand" in text) == (True, True)


async def test_attempts_of_a_job_that_was_killed_end_as_foretold_once_their_trackers_hear_of_it() -> None:
    """The job itself, which waits for its cleanup then, is nobody that gets more by it."""
    async with opened("mr1-slots-of-the-wrong-kind", "+440s") as (app, pilot):
        await press(pilot, "1", "K")
        await until(pilot, lambda: "else waits now" in words_of(app))
        await press(pilot, "y")
        at_once = screen_text(app)
        await press(pilot, "t")
        await until(pilot, lambda: "48 attempts, as foretold" in screen_text(app))

    assert "0 attempts so far, foretold 48" in at_once


async def test_a_worker_that_is_decommissioned_loses_its_executors_and_is_not_called_lost() -> None:
    """Its driver runs on, and the headline is as it was before."""
    async with opened("spark-worker-lost", "+70s") as (app, pilot):
        await press(pilot, "3", "D")
        words = words_of(app)
        await press(pilot, "y")
        text = screen_text(app)
        await press(pilot, "D")
        back = " ".join(words_of(app).split())

    assert "loses 2 executors, 8G/8c keeps 1 driver, which runs on takes" in " ".join(words.split())
    assert ("3 alive  1 down" in text, "LOST" in text, "gets no executor" in text) == (True, False, True)
    assert "loses 1 driver, which ends with the old worker" in back
