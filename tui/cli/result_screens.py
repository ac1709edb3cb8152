"""`-o screen` of `compare` and `tune`: what was found in a terminal, a sweep played meanwhile; loads textual."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from multiprocessing import resource_tracker
from threading import Event
from time import monotonic
from typing import Any, Final

from rich.style import Style

from engine import compare
from engine.errors import EngineError, OutputError
from engine.formats.scenario_toml import loads
from engine.sweep import SweepSpec, varied
from engine.sweep.runner import FAILED
from tui.app import ResultApp
from tui.cli.open import open_scenario
from tui.cli.play import Progress
from tui.cli.sweep_play import SizeSearch, SweepPlay, report_of
from tui.pages.compare import SHOWN
from tui.pages.size_page import SizeView
from tui.pages.tune import SweepView, named
from tui.report.page import check_drawable
from tui.screens.compare import CompareScreen, SizeChanged, SizeScreen
from tui.screens.sweep import SweepChanged, SweepChoice, SweepScreen
from tui.settings import UserSettings
from tui.terminal import format as text
from tui.terminal.saving import save

PART: Final = 0.1  # Of the time may be spent on views while it is played


def look_at_comparison(
    contestants: Sequence[compare.ComparisonCandidate],
    comparison: compare.Comparison,
    partings: Sequence[compare.ExplainedDivergence],
    settings: UserSettings,
) -> None:

    def screen(styles: dict[str, Style]) -> CompareScreen:
        opened = partial(compare.snapshots_at, contestants)
        return CompareScreen(comparison, partings, styles, opened)

    ResultApp(screen, **settings.screen_options()).run()


class _Playing:
    """Work in a thread of its own, and the app that shows how far it is; a context that stops the work at its end."""

    def __init__(self, settings: UserSettings) -> None:
        resource_tracker.ensure_running()  # before textual takes stderr, whose number it would pass on
        self._settings, self._stopped = settings, Event()
        self._thread = ThreadPoolExecutor(1)
        self._work: Future[None] | None = None
        self.app: ResultApp | None = None

    def __enter__(self) -> "_Playing":
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.shutdown()

    def begin(self, work: Callable[[Callable[[], bool]], None]) -> None:
        self._work = self._thread.submit(work, self._stopped.is_set)
        self._work.add_done_callback(self._ended)

    def chosen(self, screen: Callable[[dict[str, Style]], SweepScreen | SizeScreen]) -> Any:  # as of `ResultApp`
        """Show the screen until something is chosen on it; None where the user leaves, or the work has failed."""
        self.app = ResultApp(screen, **self._settings.screen_options())
        if not self.has_failed:
            self.app.run()
        return None if self.has_failed else self.app.chosen

    @property
    def has_failed(self) -> bool:
        return self._work is not None and self._work.done() and self._work.exception() is not None

    def check(self) -> None:
        if self._work is not None:
            self._work.result()

    def _ended(self, work: Future[None]) -> None:
        if work.exception() is not None and self.app is not None:
            self.app.leave()


class SweepWatch:
    def __init__(self, played: SweepPlay, settings: UserSettings) -> None:
        self._play, self._settings = played, settings
        self._view = played.view(is_running=True)
        self._playing = _Playing(settings)
        self._next_s = 0.0

    def look(self) -> None:
        """Show it until the user leaves, which stops it; settings are opened in between."""
        with self._playing:
            self._playing.begin(self._all_played)
            while (chosen := self._playing.chosen(self._screen)) is not None:
                _look_at(self._view.spec, chosen, self._settings)
        self._playing.check()

    def _all_played(self, is_stopped: Callable[[], bool]) -> None:
        self._play.play(is_stopped, lambda: self._show(is_running=True))
        self._show(is_running=False)

    def _screen(self, styles: dict[str, Style]) -> SweepScreen:
        controls = {"pause": self.pause, "retry": self.retry, "more": self.more, "report": self.report}
        return SweepScreen(self._view, self._play.file, styles, controls)

    def _show(self, *, is_running: bool) -> None:
        began = monotonic()
        if began < self._next_s and is_running:
            return
        self._take(self._play.view(is_running=is_running))
        self._next_s = monotonic() + (monotonic() - began) / PART

    def _take(self, view: SweepView) -> None:
        self._view = view
        if self._playing.app is not None:
            self._playing.app.tell(SweepChanged(view))

    def pause(self) -> str:
        if not self._view.is_running:
            return "nothing is being played"
        self._play.is_paused = not self._play.is_paused
        self._take(self._view._replace(is_paused=self._play.is_paused))
        return "paused: no new points start; p resumes" if self._play.is_paused else "it goes on"

    def retry(self) -> str:
        failed = self._view.summary.counts.get(FAILED, 0)
        if not failed:
            return "no point has failed"
        if self._view.is_running:
            return "failed points are tried again when the others are done"
        self._play.forget_failed()
        self._playing.begin(self._all_played)
        return f"{text.plural(failed, 'point')} tried again, with twice the limits"

    def more(self) -> str:
        if self._view.is_running:
            return "a further seed is played when the others are done"
        if self._view.spec.trials is not None:
            return "an Optuna sweep cannot get more seeds"
        self._play.add_seed()
        self._playing.begin(self._all_played)
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
    base = loads(spec.scenario, spec.name)
    scenario = varied(base, chosen.settings, chosen.seed)
    if not chosen.is_compared:
        open_scenario(scenario, settings)
        return
    runs = [
        compare.ComparisonCandidate(compare.LETTERS[0], "as it is", varied(base, {}, chosen.seed)),
        compare.ComparisonCandidate(compare.LETTERS[1], named(chosen.settings), scenario),
    ]
    with Progress(spec.until_ms or scenario.duration_ms, scenario) as progress:
        comparison = compare.compared(runs, spec.until_ms or scenario.duration_ms, progressed=progress.show)
    partings = compare.partings_of(runs, comparison.divergences[:SHOWN], comparison.applications)
    look_at_comparison(runs, comparison, partings, settings)


def look_at_search(search: SizeSearch, is_interrupted: Callable[[], bool], settings: UserSettings) -> SizeView:
    """Show a search until the user leaves, which stops it; sizes are opened in between. Return what was found."""

    def shown(view: SizeView) -> None:
        if playing.app is not None:
            playing.app.tell(SizeChanged(view))

    def search_all(is_stopped: Callable[[], bool]) -> None:
        _ = search.answer(lambda: is_stopped() or is_interrupted(), shown)

    def screen(styles: dict[str, Style]) -> SizeScreen:
        return SizeScreen(search.view, styles)

    with _Playing(settings) as playing:
        playing.begin(search_all)
        while (size := playing.chosen(screen)) is not None:
            chosen = {search.view.sizing.key: str(size)}
            open_scenario(varied(loads(search.spec.scenario, search.spec.name), chosen, search.spec.seeds[0]), settings)
    playing.check()
    return search.view
