"""`schedlab tune -o screen`: a sweep in a terminal, played meanwhile; loads textual."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from threading import Event
from time import monotonic
from typing import Any, Final

from engine.compare import LETTERS, ComparisonCandidate, compared, partings_of
from engine.errors import EngineError, OutputError
from engine.formats.scenario_toml import loads
from engine.sweep import SweepSpec, varied
from engine.sweep.runner import FAILED
from tui.app import SchedlabApp
from tui.cli.compare import SHOWN
from tui.cli.compare_screen import look_at as compare_screen_look_at
from tui.cli.open import open_scenario
from tui.cli.play_output import Progress
from tui.cli.size_search import SizeSearch
from tui.cli.sweep_play import SweepPlay, report_of
from tui.pages.size_page import SizeView
from tui.pages.tune import SweepView, named
from tui.report import check_drawable
from tui.screens.compare import SizeChanged, SizeScreen
from tui.screens.sweep import SweepChanged, SweepChoice, SweepControls, SweepScreen
from tui.settings import UserSettings
from tui.terminal import format as text
from tui.terminal.saving import save

PART: Final = 0.1  # Of the time may be spent on views while it is played


class SweepApp(SchedlabApp):
    """One sweep in one terminal."""

    def __init__(self, view: SweepView, file: str, controls: SweepControls | None = None, **options: Any) -> None:
        """An app that shows what there is, and more as `take` is given it."""
        super().__init__(**options)
        self._controls = controls
        self._view: SweepView | None = view
        self._file = file
        self._sweep: SweepScreen | None = None
        self.opened: SweepChoice | None = None
        """The setting to open or compare; None to leave."""

    async def on_mount(self) -> None:
        """Show the sweep over the empty chooser, which the app opens by itself."""
        _ = self.call_later(self._begin)

    def _begin(self) -> None:
        if self._view is None:
            self.exit()
            return
        ascii_only = self.options.ascii_only
        self._sweep = SweepScreen(self._view, self._file, self._shared.styles, self._controls, ascii_only=ascii_only)
        _ = self.push_screen(self._sweep, self._end)

    def _end(self, chosen: SweepChoice | None) -> None:
        self.opened = chosen
        self.exit()

    def take(self, view: SweepView | None) -> None:
        """Show more, from any thread; None ends the app."""
        self._view = view
        if self._sweep is not None:
            _ = self._sweep.post_message(SweepChanged(view))


class SweepWatch:
    """A sweep that is played in a thread of its own, and the app that shows it."""

    def __init__(self, played: SweepPlay, settings: UserSettings) -> None:
        self._play, self._settings = played, settings
        self._view = played.view(is_running=True)
        self._stopped = Event()
        self._thread = ThreadPoolExecutor(1)
        self._played: Future[None] | None = None
        self._next_s = 0.0
        self._app: SweepApp | None = None

    def look(self) -> None:
        """Show it until the user leaves, which stops it; settings are opened in between."""
        resource_tracker.ensure_running()  # before textual takes stderr, whose number it would pass on
        with self._thread:
            try:
                self._begin()
                while (chosen := self._looked()) is not None:
                    _look_at(self._view.spec, chosen, self._settings)
            finally:
                self._stopped.set()
        if self._played is not None:
            self._played.result()

    def _begin(self) -> None:
        self._played = self._thread.submit(self._all_played)
        self._played.add_done_callback(self._ended)

    def _all_played(self) -> None:
        self._play.play(self._stopped.is_set, lambda: self._show(is_running=True))
        self._show(is_running=False)

    def _looked(self) -> SweepChoice | None:
        palette, ascii_only = self._settings.text("theme"), self._settings.is_on("ascii")
        self._app = SweepApp(self._view, self._play.file, self, palette=palette, ascii_only=ascii_only)
        if self._has_failed():
            return None
        self._app.run()
        return None if self._has_failed() else self._app.opened

    def _has_failed(self) -> bool:
        return self._played is not None and self._played.done() and self._played.exception() is not None

    def _ended(self, played: Future[None]) -> None:
        if played.exception() is not None and self._app is not None:
            self._app.take(None)

    def _show(self, *, is_running: bool) -> None:
        began = monotonic()
        if began < self._next_s and is_running:
            return
        self._view = self._play.view(is_running=is_running)
        self._next_s = monotonic() + (monotonic() - began) / PART
        if self._app is not None:
            self._app.take(self._view)

    def pause(self) -> str:
        """Begin no more points, or go on."""
        if not self._view.is_running:
            return "nothing is being played"
        self._play.is_paused = not self._play.is_paused
        self._view = self._view._replace(is_paused=self._play.is_paused)
        if self._app is not None:
            self._app.take(self._view)
        return "paused: no new points start; p resumes" if self._play.is_paused else "it goes on"

    def retry(self) -> str:
        """Play the failed points again, with twice the bounds."""
        failed = self._view.summary.counts.get(FAILED, 0)
        if not failed:
            return "no point has failed"
        if self._view.is_running:
            return "failed points are tried again when the others are done"
        self._play.forget_failed()
        self._begin()
        return f"{text.plural(failed, 'point')} tried again, with twice the limits"

    def more(self) -> str:
        """Play every setting with a further seed."""
        if self._view.is_running:
            return "a further seed is played when the others are done"
        if self._view.spec.trials is not None:
            return "an Optuna sweep cannot get more seeds"
        self._play.add_seed()
        self._begin()
        return f"every setting is played with seed {self._play.spec.seeds[-1]}, too"

    def report(self) -> str:
        """Write the report beside the sweep's file; one that is there stays, and this one gets the next number."""
        try:
            check_drawable("x")
            (target,) = save(self._play.folder, self._play.file, {"html": report_of(self._view)})
        except EngineError as error:
            return str(error)
        except OSError as error:
            return str(OutputError(str(self._play.folder), error))
        return f"the report is in {target}"


def _look_at(spec: SweepSpec, chosen: SweepChoice, settings: UserSettings) -> None:
    """Open a setting with one seed as a scenario of its own, or compare it with the scenario as it is."""
    base = loads(spec.scenario, spec.name)
    scenario = varied(base, chosen.settings, chosen.seed)
    if chosen.is_compared:
        runs = [
            ComparisonCandidate(LETTERS[0], "as it is", varied(base, {}, chosen.seed)),
            ComparisonCandidate(LETTERS[1], named(chosen.settings), scenario),
        ]
        with Progress(spec.until_ms or scenario.duration_ms, scenario) as progress:
            comparison = compared(runs, spec.until_ms or scenario.duration_ms, progressed=progress.show)
        compare_screen_look_at(runs, comparison, partings_of(runs, comparison.divergences[:SHOWN]), settings)
        return
    open_scenario(scenario, settings)


# `schedlab tune --limit … -o screen`: a search for a size in a terminal; loads textual.


class SizeApp(SchedlabApp):
    """One search in one terminal."""

    def __init__(self, view: SizeView, **options: Any) -> None:
        """An app that shows what there is, and more as `take` is given it."""
        super().__init__(**options)
        self._view = view
        self._shown: SizeScreen | None = None
        self.opened: int | None = None
        """The size to open; None to leave."""

    async def on_mount(self) -> None:
        """Show it over the empty chooser, which the app opens by itself."""
        _ = self.call_later(self._begin)

    def _begin(self) -> None:
        self._shown = SizeScreen(self._view, self._shared.styles, ascii_only=self.options.ascii_only)
        _ = self.push_screen(self._shown, self._end)

    def _end(self, size: int | None) -> None:
        self.opened = size
        self.exit()

    def take(self, view: SizeView | None) -> None:
        """Show more, from any thread; None ends the app."""
        self._view = view or self._view
        if self._shown is not None:
            _ = self._shown.post_message(SizeChanged(view))


def look_at(search: SizeSearch, is_interrupted: Callable[[], bool], settings: UserSettings) -> SizeView:
    """Show a search until the user leaves, which stops it; sizes are opened in between. Return what was found."""
    resource_tracker.ensure_running()  # before textual takes stderr, whose number it would pass on
    stopped, apps = Event(), list[SizeApp]()

    def shown(view: SizeView) -> None:
        if apps:
            apps[-1].take(view)

    def ended(found: Future[SizeView]) -> None:
        if found.exception() is not None and apps:
            apps[-1].take(None)

    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(search.answer, lambda: stopped.is_set() or is_interrupted(), shown)
        found.add_done_callback(ended)
        try:
            while not (found.done() and found.exception()):
                apps.append(SizeApp(search.view, palette=settings.text("theme"), ascii_only=settings.is_on("ascii")))
                apps[-1].run()
                if apps[-1].opened is None:
                    break
                chosen = {search.view.sizing.key: str(apps[-1].opened)}
                scenario = varied(loads(search.spec.scenario, search.spec.name), chosen, search.spec.seeds[0])
                open_scenario(scenario, settings)
        finally:
            stopped.set()
    return found.result()
