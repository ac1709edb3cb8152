"""`schedlab size --screen`: a search for a size in a terminal; loads textual."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from threading import Event
from typing import Any

from engine.formats.scenario_toml import loads
from engine.sweep import varied
from tui.app import SchedlabApp
from tui.commands.size_search import SizeSearch
from tui.commands.sweep_screen import open_scenario
from tui.render.size_page import SizeView
from tui.screens.size import SizeChanged, SizeScreen
from tui.settings import UserSettings


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
    """Show a search until the user leaves, which stops it; sizes are opened in between. Return what was found.

    Raises:
        ConfigError: What ended the search.
    """
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
