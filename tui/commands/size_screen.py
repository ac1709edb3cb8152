"""`schedlab size --screen`: a size that was found, in a terminal; loads textual."""

from typing import Any

from engine.formats.scenario_toml import loads
from engine.sweep import SweepSpec, varied
from tui.app import SchedlabApp
from tui.commands.sweep_screen import open_scenario
from tui.render.size_page import SizeView
from tui.screens.size import SizeScreen
from tui.settings import UserSettings


class SizeApp(SchedlabApp):
    """One answer in one terminal."""

    def __init__(self, view: SizeView, **options: Any) -> None:
        super().__init__(**options)
        self._view = view
        self.opened: int | None = None
        """The size to open; None to leave."""

    async def on_mount(self) -> None:
        """Show it over the empty chooser, which the app opens by itself."""
        _ = self.call_later(self._begin)

    def _begin(self) -> None:
        screen = SizeScreen(self._view, self._shared.styles, ascii_only=self.options.ascii_only)
        _ = self.push_screen(screen, self._end)

    def _end(self, size: int | None) -> None:
        self.opened = size
        self.exit()


def look_at(view: SizeView, spec: SweepSpec, settings: UserSettings) -> None:
    """Show an answer until the user leaves; sizes are opened in between."""
    while True:
        app = SizeApp(view, palette=settings.text("theme"), ascii_only=settings.is_on("ascii"))
        app.run()
        if app.opened is None:
            return
        chosen = {view.sizing.key: str(app.opened)}
        open_scenario(varied(loads(spec.scenario, spec.name), chosen, spec.seeds[0]), settings)
