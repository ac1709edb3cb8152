"""The screen of a sweep."""

from collections.abc import Callable, Mapping
from functools import partial

import msgspec
import pytest
from textual.pilot import Pilot

from engine.formats.scenario_toml import dump, load
from engine.sweep import GOALS, Axis, SizeStep, Sizing, StoredPoint, SweepSpec, grid, play_point, stored, summarised
from tests.tui.screen_text import press, screen_lines, screen_text
from tui.app import ResultApp
from tui.pages.size_page import SizeView
from tui.pages.tune import SweepView, WorkerFigures
from tui.screens.compare import SizeChanged, SizeScreen
from tui.screens.sweep import SweepChanged, SweepChoice, SweepScreen


@pytest.fixture(scope="module")
def view() -> SweepView:
    """Two policies on one and two nodes, for a minute each; a third number of nodes is refused."""
    axes = (Axis("policy", ("capacity-2.7", "fair-2.7")), Axis("nodes", ("1", "2", "99999999")))
    scene = load("head-of-line-capacity")
    spec = SweepSpec(dump(scene), scene.name, axes, (1, 2), until_ms=60_000, limit_texts=("p95_wait < 2s",))
    points = [stored(each, play_point(spec.base, each)) for each in grid(axes, spec.seeds)]
    return SweepView(spec, summarised(points, axes, spec.goal, spec.limits), 12, 12, "", "this process", False)


def sweep_app(view: SweepView, controls: Mapping[str, Callable[[], str]] | None = None) -> ResultApp:
    return ResultApp(lambda styles: SweepScreen(view, "x.sweep", styles, controls))


async def shown(pilot: Pilot[None]) -> SweepScreen:
    await pilot.pause()
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, SweepScreen)
    return screen


async def test_it_shows_the_best_settings_the_front_what_matters_and_what_was_refused(view: SweepView) -> None:
    """A setting that breaks a limit says which; a refusal stands in its own words and in no figure."""
    async with sweep_app(view).run_test(size=(120, 60)) as pilot:
        await shown(pilot)
        lines, text = screen_lines(pilot.app), screen_text(pilot.app)
        assert "policy (2) × nodes (3)" in lines[0]
        assert "kept in x.sweep" in lines[0]
        assert lines[1].split()[0] == "DONE"
        assert "12 of 12 points  8 done, 4 refused" in lines[2]
        assert "1 Best settings  4 of 4" in text
        assert "2 p95_wait against nodes" in text
        assert "4 Every setting" in text
        assert "refused 4 points" in text
        assert "cannot be" in text
        assert "p95_wait < 2s" in text


async def test_the_setting_under_the_cursor_is_set_off_in_the_plots_and_enter_answers_it(view: SweepView) -> None:
    app = sweep_app(view)
    async with app.run_test(size=(120, 60)) as pilot:
        screen = await shown(pilot)
        before = screen_text(app)
        await pilot.press("j")
        assert screen.chosen == 1
        assert screen_text(app) != before
        await press(pilot, "enter")
    assert app.chosen == SweepChoice(view.summary.settings[1].settings, 1, is_compared=False)


@pytest.mark.parametrize(
    ("key", "words"), [("1", "Best settings"), ("2", "against nodes"), ("3", "What matters"), ("4", "Every setting")]
)
async def test_a_narrow_screen_shows_one_part_at_a_time(view: SweepView, key: str, words: str) -> None:
    async with sweep_app(view).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await pilot.press(key)
        assert words in screen_text(pilot.app)
        await pilot.press("escape")
        assert "Best settings" in screen_text(pilot.app)


async def test_a_sweep_that_runs_grows_on_screen_and_its_failure_ends_it(view: SweepView) -> None:
    nothing = view._replace(summary=summarised((), view.spec.axes, view.spec.goal), done=0, is_running=True)
    app = sweep_app(nothing)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        await pilot.press("enter")
        assert app.screen is screen
        assert "RUNNING" in screen_text(app)
        app.tell(SweepChanged(view))
        await shown(pilot)
        assert "DONE" in screen_text(app)
        app.leave()
        await pilot.pause()
    assert app.chosen is None


async def test_keys_pause_retry_and_report_and_what_came_of_it_is_said(view: SweepView) -> None:
    asked: list[str] = []

    def control(name: str) -> str:
        asked.append(name)
        return f"{name}: done"

    app = sweep_app(view, {name: partial(control, name) for name in ("pause", "retry", "more", "report")})
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for key in ("p", "R", "+", "x"):
            await pilot.press(key)
            await app.workers.wait_for_complete()
        await pilot.pause()
        assert asked == ["pause", "retry", "more", "report"]
        assert "report: done" in screen_text(app)


@pytest.mark.parametrize(
    ("width", "is_running", "keys"),
    [
        (120, True, "jk enter space 1-6 o / f p + x esc"),
        (120, False, "jk enter space 1-6 o / f + x esc"),
        (80, True, "enter space o / p x esc"),
        (80, False, "enter space o / + x esc"),
    ],
)
async def test_the_foot_names_the_keys_that_do_something(
    view: SweepView, width: int, *, is_running: bool, keys: str
) -> None:
    """No pause where nothing runs, no retry where nothing has failed; all else there is room for."""
    running = view._replace(is_running=is_running, place="2 local processes", rate="12 of 12 points")
    async with sweep_app(running).run_test(size=(width, 30)) as pilot:
        await shown(pilot)
        lines = screen_lines(pilot.app)
        foot = lines[-1].replace("j k", "jk").split()

    assert [
        word for word in foot if word in {*["jk", "enter", "space", "1-6", "o", "/", "f", "p", "R", "+", "x", "esc"]}
    ] == keys.split()
    assert lines[2].rstrip().endswith("on 2 local processes")


async def test_failed_points_stand_one_by_one_and_enter_answers_the_one_under_the_cursor(view: SweepView) -> None:
    failed = tuple(
        StoredPoint(number, {"policy": "fair-2.7", "nodes": "2"}, seed, "failed", "took more than 1 s", None, 1.0)
        for number, seed in ((4, 1), (10, 2))
    )
    app = sweep_app(view._replace(summary=msgspec.structs.replace(view.summary, failed=failed)))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await pilot.press("6")
        text = screen_text(app)
        assert text.index("nodes 2, seed 1") < text.index("nodes 2, seed 2") < text.index("refused 4 points")
        assert text.count("took more than 1 s") == 2
        assert "more failed" not in text
        await press(pilot, "j", "enter")
    assert app.chosen == SweepChoice({"policy": "fair-2.7", "nodes": "2"}, 2, is_compared=False)


async def test_workers_the_pulse_and_a_pause_are_on_the_screen(view: SweepView) -> None:
    """Each worker has its points and memory; the badge says that no point is begun."""
    workers = (WorkerFigures("host:1", 3, 1.5, 120, 4.0), WorkerFigures("host:2", 2, 1.0, 110, 5.0))
    running = view._replace(
        done=5, is_running=True, is_paused=True, workers=workers, pulse=(1, 2, 0, 1, 1), seconds=5.0
    )
    async with sweep_app(running).run_test(size=(120, 50)) as pilot:
        await shown(pilot)
        text = screen_text(pilot.app)
    assert "PAUSED" in text
    assert "Workers  2" in text
    assert "120M" in text
    assert " 5s " in text.splitlines()[3]


async def test_a_size_is_shown_with_its_steps_and_curve_and_enter_answers_the_size() -> None:
    """The first step is under the cursor; a part stands alone by its number."""
    sizing = Sizing("nodes", (SizeStep(4, (1000.0, 3000.0), 2), SizeStep(3, (9000.0, 9000.0), 0)), 4, 2)
    others = {"with a rack lost": SizeStep(4, (), 0, "x: cluster.groups.racks: has 1 rack; a lost rack leaves no node")}
    view = SizeView("x", GOALS["p95_wait"], "p95_wait < 5s", 5000.0, sizing, others, "x.sweep")
    app = ResultApp(lambda styles: SizeScreen(view, styles))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.pause()
        text = screen_text(app)
        assert "4 nodes keep p95_wait < 5s with every one of 2 seeds" in text
        assert "1.0s to 3.0s" in text
        assert "not with 4 nodes" in text
        assert "has 1 rack" in text
        assert "p95_wait against nodes" in text
        await pilot.press("2")
        assert "p95_wait against nodes" not in screen_text(app)
        await press(pilot, "escape", "enter")
    assert app.chosen == 4


async def test_a_size_is_shown_while_it_is_searched_and_its_failure_ends_it() -> None:
    """Before a size is played none can be opened; the steps come one by one."""
    nothing = Sizing("nodes", (), None, 1)
    view = SizeView("x", GOALS["p95_wait"], "p95_wait < 5s", 5000.0, nothing, {}, "", is_running=True, doing="nodes 8")
    app = ResultApp(lambda styles: SizeScreen(view, styles))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.pause()
        assert "looking for the least nodes that keep p95_wait < 5s: nodes 8" in screen_text(app)
        await pilot.press("enter")
        assert "no size is played yet" in screen_text(app)
        app.tell(SizeChanged(view._replace(sizing=Sizing("nodes", (SizeStep(8, (1000.0,), 1),), None, 1))))
        await pilot.pause()
        assert "1 of 1" in screen_text(app)
        app.leave()
        await pilot.pause()
    assert app.chosen is None
