"""A sweep on screen while it is played: what its keys answer, what is shown again, and what a choice opens."""

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump, loads
from engine.sweep import Axis, SweepSpec, summarised
from engine.sweep.playing import FAILED
from tests.tui.small_run import SMALL
from tui.commands import compare_screen, sweep_screen
from tui.commands.compare import SHOWN
from tui.commands.sweep_play import SweepPlay
from tui.commands.sweep_screen import SweepApp, SweepWatch
from tui.render.sweep_view import SweepView
from tui.screens.sweep import SweepChoice
from tui.settings import resolve

SCENE = loads(SMALL, "small.toml")
SPEC = SweepSpec(dump(SCENE), "small", (Axis("seed", ("4", "5")),), (1, 2), until_ms=10_000)
CHOICE = SweepChoice({"cluster.heartbeat_ms": "500"}, 9, is_compared=False)


class FakePlay(SweepPlay):
    """A sweep that is played as a test says."""

    def __init__(self, failed: int = 0, error: Exception | None = None, *, tuned: bool = False) -> None:
        self.spec = msgspec.structs.replace(SPEC, trials=3) if tuned else SPEC
        self.is_paused = False
        self.calls: list[str] = []
        self._failed, self._error = failed, error

    @property
    def file(self) -> str:
        """Its name."""
        return "x.sweep"

    @property
    def folder(self) -> Path:
        """No folder can be made there."""
        return Path(os.devnull) / "nowhere"

    def play(self, is_stopped: Any, shown: Any) -> None:
        """Done at once."""
        self.calls.append("play")
        shown()
        shown()
        if self._error is not None:
            raise self._error

    def forget_failed(self) -> None:
        """Take note."""
        self.calls.append("forget")

    def add_seed(self) -> None:
        """Take note, and one seed more."""
        self.calls.append("seed")
        self.spec = msgspec.structs.replace(self.spec, seeds=(*self.spec.seeds, 3))

    def view(self, *, is_running: bool) -> SweepView:
        """As many failed as it was made with."""
        self.calls.append(f"view {'on' if is_running else 'done'}")
        summary = summarised([], self.spec.axes, self.spec.goal, self.spec.limits)
        counts = {**summary.counts, **({FAILED: self._failed} if self._failed else {})}
        return SweepView(self.spec, msgspec.structs.replace(summary, counts=counts), 0, 4, "", "here", is_running)


class Looked:
    """A watch whose apps are never drawn: each is left with the next choice."""

    def __init__(self, patch: pytest.MonkeyPatch, play: FakePlay, *choices: SweepChoice | None) -> None:
        self.play = play
        self.watch = SweepWatch(play, resolve({"theme": "light", "ascii": True}))
        self.apps: list[SweepApp] = []
        self.taken: list[SweepView | None] = []
        self.opened: list[SweepChoice] = []
        left = list(choices)

        def run(app: SweepApp) -> None:
            self.apps.append(app)
            app.opened = left.pop(0)

        patch.setattr(SweepApp, "run", run)
        patch.setattr(SweepApp, "take", lambda app, view: self.taken.append(view))
        patch.setattr(sweep_screen, "_look_at", lambda spec, chosen, settings: self.opened.append(chosen))


def test_choices_are_opened_until_the_user_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each app is new, as the settings want it, and the sweep is played once."""
    looked = Looked(monkeypatch, FakePlay(), CHOICE, CHOICE._replace(is_compared=True), None)
    looked.watch.look()

    assert looked.opened == [CHOICE, CHOICE._replace(is_compared=True)]
    assert [app.options.ascii_only for app in looked.apps] == [True] * 3
    assert looked.play.calls.count("play") == 1
    assert looked.play.calls[-1] == "view done"


def test_what_ends_the_playing_is_raised_when_the_app_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app on screen is told to end; what was chosen meanwhile is not opened."""
    error = ConfigError([Problem("the disk is full")])
    looked = Looked(monkeypatch, FakePlay(error=error), CHOICE, CHOICE, CHOICE)

    with pytest.raises(ConfigError, match="the disk is full"):
        looked.watch.look()


def test_pictures_are_made_for_a_tenth_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next comes after ten times as long as the last took; the last of all always."""
    now = iter((100.0, 101.0, 101.0, 110.9, 111.0, 111.0, 112.0, 112.1, 112.2, 112.3))
    looked = Looked(monkeypatch, FakePlay())
    monkeypatch.setattr(sweep_screen, "monotonic", lambda: next(now))
    shown = []
    for is_running in (True, True, True, False):
        before = len(looked.play.calls)
        looked.watch._show(is_running=is_running)
        shown.append(looked.play.calls[before:])

    assert shown == [["view on"], [], ["view on"], ["view done"]]


def test_a_pause_begins_no_more_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second one goes on; where nothing is played it says so."""
    looked = Looked(monkeypatch, FakePlay(), None)
    said = [looked.watch.pause(), looked.watch.pause()]
    states = looked.play.is_paused
    looked.watch.look()

    assert said == ["no more points are begun; p goes on", "it goes on"]
    assert (states, looked.watch.pause(), looked.play.is_paused) == (False, "nothing is being played", False)
    assert [view.is_paused for view in looked.taken if view is not None] == [False] * len(looked.taken)


@pytest.mark.parametrize(("failed", "words"), [(0, "no point has failed"), (1, "1 point"), (2, "2 points")])
def test_failed_points_are_tried_again_when_the_others_are_done(
    failed: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With twice the limits."""
    looked = Looked(monkeypatch, FakePlay(failed), None)
    early = looked.watch.retry()
    looked.watch._show(is_running=False)
    late = looked.watch.retry()
    looked.watch._thread.shutdown()

    if not failed:
        assert (early, late) == (words, words)
        return
    assert early == "failed points are tried again when the others are done"
    assert late == f"{words} tried again, with twice the limits"
    assert looked.play.calls.count("forget") == looked.play.calls.count("play") == 1


def test_a_further_seed_is_played_when_the_others_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep that is tuned has the seeds it began with."""
    looked, tuned = Looked(monkeypatch, FakePlay(), None), Looked(monkeypatch, FakePlay(tuned=True), None)
    early = looked.watch.more()
    for one in (looked, tuned):
        one.watch._show(is_running=False)
    late = [looked.watch.more(), tuned.watch.more()]
    looked.watch._thread.shutdown()

    assert early == "a further seed is played when the others are done"
    assert late == ["every setting is played with seed 3, too", "a sweep that is tuned has the seeds it began with"]
    assert (looked.play.calls.count("seed"), tuned.play.calls.count("seed")) == (1, 0)
    assert looked.play.calls.count("play") == 1


def test_a_report_that_cannot_be_written_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """In words."""
    looked = Looked(monkeypatch, FakePlay())
    monkeypatch.setattr(sweep_screen, "report_of", lambda view: "<html>")

    assert looked.watch.report() == "/dev/null/nowhere: cannot be written: not a directory"


async def test_an_app_without_a_view_ends_at_once() -> None:
    """As when the playing failed before it was drawn."""
    app = SweepApp(FakePlay().view(is_running=True), "x.sweep")
    app.take(None)
    async with app.run_test() as pilot:
        await pilot.pause()

    assert (app.is_running, app.opened) == (False, None)


def test_a_setting_is_opened_as_a_scenario_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its seed, in a file that is gone afterwards."""
    seen: list[tuple[str, int, int, bool]] = []
    files: list[Path] = []

    class Screen:
        """Nothing is drawn."""

        def run(self) -> None:
            """The file is there meanwhile."""
            seen[-1] = (*seen[-1][:3], files[-1].exists())

    def screen_of(session: Any, entries: list[Any], opened: Any, settings: Any) -> Screen:
        scenario = session.driver.run.scenario
        files.append(Path(session.pictures._definitions._source))
        seen.append((scenario.name, scenario.seed, scenario.cluster.heartbeat_ms, False))
        return Screen()

    monkeypatch.setattr(sweep_screen, "screen_of", screen_of)
    sweep_screen._look_at(SPEC, CHOICE, resolve({}))

    assert seen == [("small", 9, 500, True)]
    assert not files[0].exists()


def test_a_setting_is_compared_with_the_scenario_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both with its seed, as long as the sweep plays."""
    seen: list[Any] = []
    monkeypatch.setattr(sweep_screen, "look_at", lambda *shown: seen.append(shown))
    sweep_screen._look_at(SPEC, CHOICE._replace(is_compared=True), resolve({}))
    (runs, comparison, partings, _) = seen[0]

    assert [(run.letter, run.scenario.seed, run.scenario.cluster.heartbeat_ms) for run in runs] == [
        ("A", 9, SCENE.cluster.heartbeat_ms), ("B", 9, 500),
    ]  # fmt: skip
    assert (runs[0].name, "500" in runs[1].name) == ("as it is", True)
    assert comparison.until_ms - comparison.start_ms == 10_000
    assert len(partings) == len(comparison.divergences[:SHOWN])


def test_a_comparison_is_shown_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its runs can be played to an instant."""
    shown: list[Any] = []

    def run(app: compare_screen.CompareApp) -> None:
        shown.append(app)

    monkeypatch.setattr(compare_screen.CompareApp, "run", run)
    seen: list[Any] = []
    monkeypatch.setattr(sweep_screen, "look_at", lambda *given: seen.append(given))
    sweep_screen._look_at(SPEC, CHOICE._replace(is_compared=True), resolve({}))
    runs, comparison, partings, _ = seen[0]
    compare_screen.look_at(runs, comparison, partings, resolve({"ascii": True}))
    (app,) = shown
    compared, told, opened = app._compared

    assert (compared, told, app.options.ascii_only) == (comparison, partings, True)
    assert [each.header.time_ms for each in opened(comparison.start_ms + 7_000)] == [comparison.start_ms + 7_000] * 2
