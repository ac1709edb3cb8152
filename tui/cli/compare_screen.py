"""`schedlab compare -o screen`: a comparison in a terminal; loads textual."""

from collections.abc import Sequence
from typing import Any

from engine.compare import Comparison, ComparisonCandidate, ExplainedDivergence, snapshots_at
from tui.app import SchedlabApp
from tui.screens.compare import CompareScreen, Opened
from tui.settings import UserSettings


class CompareApp(SchedlabApp):
    """One comparison in one terminal."""

    def __init__(
        self, comparison: Comparison, partings: Sequence[ExplainedDivergence], opened: Opened, **options: Any
    ) -> None:
        """An app for a comparison; `opened` plays its runs to an instant, `options` are those of `SchedlabApp`."""
        super().__init__(**options)
        self._compared = comparison, partings, opened

    async def on_mount(self) -> None:
        """Show the comparison over the empty chooser, which the app opens by itself."""
        _ = self.call_later(self._compare)

    def _compare(self) -> None:
        comparison, partings, opened = self._compared
        styles, ascii_only = self._shared.styles, self.options.ascii_only
        screen = CompareScreen(comparison, partings, styles, opened, ascii_only=ascii_only)
        _ = self.push_screen(screen, lambda _: self.exit())


def look_at(
    contestants: Sequence[ComparisonCandidate],
    comparison: Comparison,
    partings: Sequence[ExplainedDivergence],
    settings: UserSettings,
) -> None:
    """Show a comparison of runs until the user leaves."""
    app = CompareApp(
        comparison,
        partings,
        lambda time_ms: snapshots_at(contestants, time_ms),
        palette=settings.text("theme"),
        ascii_only=settings.is_on("ascii"),
    )
    app.run()
