"""`schedlab sweep --screen`: a sweep in a terminal, played meanwhile; loads textual."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from typing import Any, Final

from engine.formats.scenario_toml import dump, loads
from engine.sweep import SettingFigures, SweepSpec, varied
from tui.app import SchedlabApp
from tui.commands.open import Opener, screen_of
from tui.render.sweep_page import SweepView
from tui.screens.sweep import SweepChanged, SweepScreen
from tui.settings import UserSettings

Show = Callable[[Callable[[], SweepView], bool], None]
"""Takes what makes the view, made only as often as there is time for, and whether it is the last one."""
Play = Callable[[Show, Callable[[], bool]], None]
"""Plays all points, shows what there is, and looks whether to stop."""
PART: Final = 0.1  # Of the time may be spent on views while it is played


class SweepApp(SchedlabApp):
    """One sweep in one terminal."""

    def __init__(self, view: SweepView, file: str, **options: Any) -> None:
        """An app that shows what there is, and more as `take` is given it."""
        super().__init__(**options)
        self._view: SweepView | None = view
        self._file = file
        self._sweep: SweepScreen | None = None
        self.opened: SettingFigures | None = None
        """The setting to open; None to leave."""

    async def on_mount(self) -> None:
        """Show the sweep over the empty chooser, which the app opens by itself."""
        _ = self.call_later(self._begin)

    def _begin(self) -> None:
        if self._view is None:
            self.exit()
            return
        ascii_only = self.options.ascii_only
        self._sweep = SweepScreen(self._view, self._file, self._shared.styles, ascii_only=ascii_only)
        _ = self.push_screen(self._sweep, self._end)

    def _end(self, chosen: SettingFigures | None) -> None:
        self.opened = chosen
        self.exit()

    def take(self, view: SweepView | None) -> None:
        """Show more, from any thread; None ends the app."""
        self._view = view
        if self._sweep is not None:
            _ = self._sweep.post_message(SweepChanged(view))


class SweepWatch:
    """A sweep that is played in a thread of its own, and the app that shows it."""

    def __init__(self, play: Play, first: SweepView, file: str, settings: UserSettings) -> None:
        self._play, self._view, self._file, self._settings = play, first, file, settings
        self._stopped = Event()
        self._played: Future[None] | None = None
        self._next_s = 0.0
        self._app: SweepApp | None = None

    def look(self) -> None:
        """Show it until the user leaves, which stops it; settings are opened in between.

        Raises:
            ConfigError: What ended the playing.
        """
        resource_tracker.ensure_running()  # before textual takes stderr, whose number it would pass on
        with ThreadPoolExecutor(1) as thread:
            try:
                self._played = thread.submit(self._play, self._show, self._stopped.is_set)
                self._played.add_done_callback(self._ended)
                while (chosen := self._looked()) is not None:
                    _open(self._view.spec, chosen, self._settings)
            finally:
                self._stopped.set()
        self._played.result()

    def _looked(self) -> SettingFigures | None:
        options: dict[str, Any] = {
            "palette": self._settings.text("theme"),
            "ascii_only": self._settings.is_on("ascii"),
        }
        self._app = SweepApp(self._view, self._file, **options)
        if self._has_failed():
            return None
        self._app.run()
        return None if self._has_failed() else self._app.opened

    def _has_failed(self) -> bool:
        return self._played is not None and self._played.done() and self._played.exception() is not None

    def _ended(self, played: Future[None]) -> None:
        if played.exception() is not None and self._app is not None:
            self._app.take(None)

    def _show(self, made: Callable[[], SweepView], is_last: bool) -> None:
        began = monotonic()
        if began < self._next_s and not is_last:
            return
        self._view = made()
        self._next_s = monotonic() + (monotonic() - began) / PART
        if self._app is not None:
            self._app.take(self._view)


def _open(spec: SweepSpec, chosen: SettingFigures, settings: UserSettings) -> None:
    """Open a setting with its first seed as a scenario of its own."""
    scenario = varied(loads(spec.scenario, spec.name), chosen.settings, spec.seeds[0])
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{spec.name}.toml"
        file.write_text(dump(scenario), encoding="utf-8")
        opened = Opener(settings, None, is_trusted=True)
        screen_of(opened.open(str(file)), [], opened.open, settings).run()
