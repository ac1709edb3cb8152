"""Shows, once, how the expectations of a scenario came out when its run has ended."""

from typing import Final

from tui import format as text
from tui.picture import Judged, Picture
from tui.requests.context import Context
from tui.screens.page import PageScreen

_VERDICTS: Final = {"met": "met", "failed": "MISSED", "open": "open"}


class Ending:
    """Waits until the expectations are judged and nothing else is on top of the main screen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._shown: tuple[Judged, ...] = ()

    def seen(self, picture: Picture) -> None:
        """Show what was expected, what was met and what was missed; the missed first."""
        run, cluster = picture.run, self._context.cluster
        if run.judged == self._shown or cluster is None or cluster.is_covered:
            return
        self._shown = run.judged
        if not run.judged:
            return
        met = sum(one.verdict == "met" for one in run.judged)
        title = f"The scenario has ended: {met} of {len(run.judged)} expectations met"
        lines = [_line(one, run.offset_ms) for one in sorted(run.judged, key=lambda one: one.verdict == "met")]
        if met < len(run.judged):
            lines += ["", "What was done to the cluster on the way may be why one was missed."]
        page = PageScreen(
            title,
            "\n".join(lines),
            stem=f"{run.name}-expectations",
            ascii_only=self._context.options.ascii_only,
        )
        _ = self._context.app.push_screen(page)


def _line(one: Judged, offset_ms: int) -> str:
    """One expectation: met or missed, when, and in words; of a missed one also what came instead."""
    words = one.about if one.about and one.verdict == "met" else ": ".join(filter(None, (one.about, one.sentence)))
    when = "" if one.time_ms is None else text.clock(one.time_ms, offset_ms)
    return f"{_VERDICTS[one.verdict]:6}  {when:8}  {words}"
