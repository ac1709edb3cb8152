"""Why an act would come to nothing here and now, in words, before anybody tries it.

Pure functions of the pane, the rows it would be about and a picture.
"""

from collections.abc import Sequence
from typing import Any

from engine.observe.snapshot import QueueRow
from tui.render.application import LIVE_STATES
from tui.screens import choices
from tui.screens.nouns import Dialect
from tui.view_state import Picture

IN_THE_PAST = "this is the past; B acts here, esc goes back"


def why_not(call: str, pane: str, rows: Sequence[Any], picture: Picture, dialect: Dialect) -> str:
    """Why an act does not apply to rows of a pane; nothing where it does."""
    if call in dialect.greyed:
        return dialect.greyed[call]
    if picture.run.present_ms is not None and call != "branch":
        return IN_THE_PAST
    header = picture.snapshot.header
    if call in {"kill", "move"}:
        return _no_application(pane, rows, picture)
    if call == "drain" and not any(choices.node_at(pane, row, picture) for row in rows):
        return "needs a node: press 3 and choose one"
    if call == "edit_queue" and queue_at(pane, rows[0] if rows else None, picture) is None:
        return "needs a queue: press 2 and choose one"
    if call == "branch" and picture.run.present_ms is None:
        return "branches from the past: [ and { go there"
    if call == "toggle_preemption" and not isinstance(header.preemption, bool):
        return "this scheduler has no preemption to switch"
    if call == "cycle_reservation" and choices.next_rule(header.reservation_rule) is None:
        return "this scheduler has no reservation rule to change"
    return ""


def _no_application(pane: str, rows: Sequence[Any], picture: Picture) -> str:
    found = [choices.application_at(pane, row, picture) for row in rows]
    some = [row for row in found if row is not None]
    if not some:
        return "needs an application: press 1 and choose one"
    if any(row.state in LIVE_STATES for row in some):
        return ""
    return f"{some[0].id} has already ended" if len(some) == 1 else f"all {len(some)} have already ended"


def queue_at(pane: str, row: Any, picture: Picture | None) -> QueueRow | None:
    """The queue a row is about: itself, or that of its application; None where it is about none."""
    if isinstance(row, QueueRow):
        return row
    application = choices.application_at(pane, row, picture)
    if picture is None or application is None:
        return None
    return next((one for one in picture.snapshot.queues() if one.path == application.queue), None)
