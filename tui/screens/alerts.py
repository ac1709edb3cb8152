"""The alerts of a run as a list to choose from."""

from tui import format as text
from tui.screens.menu import Choice
from tui.view_state import Picture

_KEPT = 200
"""So many of the latest are listed."""


def alert_choices(picture: Picture) -> list[Choice]:
    """What was found up to the instant looked at, the latest first; a choice is the number of its application.

    What is about no application leads nowhere, but is listed.
    """
    now_ms, offset_ms = picture.snapshot.header.time_ms, picture.run.offset_ms
    found = [alert for alert in picture.run.alerts if alert.found_ms <= now_ms]
    return [
        Choice(
            str(place) if place < 10 else "",
            f"{text.clock(alert.since_ms, offset_ms)}  {text.plain(alert.sentence)}",
            str(alert.applications[0]) if alert.applications else "",
        )
        for place, alert in enumerate(reversed(found[-_KEPT:]), start=1)
    ]
