"""What can be named in a command, and what moving an application or changing a queue would do, in words."""

from collections.abc import Sequence

from engine.errors import nearest
from engine.observe.snapshot import ApplicationRow, NodeRow, QueueRow
from tui import format as text
from tui.render.application import LIVE_STATES
from tui.screens.choices import Question
from tui.view_state import Picture, ShareChange


def application_named(name: str, picture: Picture) -> ApplicationRow | None:
    """The application of an id or a number."""
    rows = picture.snapshot.applications(why=False)
    number = int(name) if name.isascii() and name.isdigit() else None
    return next((row for row in rows if row.id == name or row.number == number), None)


def node_named(name: str, picture: Picture) -> NodeRow | None:
    """The node of an id or a host."""
    return next((row for row in picture.snapshot.nodes() if name in (row.id, row.host)), None)


def leaves(picture: Picture) -> list[QueueRow]:
    """The queues that hold applications."""
    return [row for row in picture.snapshot.queues() if row.is_leaf]


def other_queues(row: ApplicationRow, picture: Picture) -> list[str]:
    """Where an application could be moved."""
    return [queue.path for queue in leaves(picture) if queue.path != row.queue]


def problem(row: ApplicationRow, queue: str, picture: Picture) -> str:
    """Why an application cannot be moved to a queue, as far as a screen knows; else nothing."""
    if row.state not in LIVE_STATES:
        return f"{row.id} has already ended ({row.state})."
    paths = [one.path for one in leaves(picture)]
    if queue == row.queue:
        return f"{row.id} is in {queue} already."
    if queue not in paths:
        hint = nearest(queue, paths)
        return f"There is no leaf queue {queue}" + (f"; {hint}" if hint else ".")
    return ""


def question(row: ApplicationRow, queue: str, picture: Picture) -> Question:
    """What moving an application does."""
    dimensions = picture.snapshot.header.dimensions
    lines = [
        f"Move {row.id}?",
        "",
        f"name   {text.plain(row.name) or '-'}",
        f"user   {text.plain(row.user)}    state {row.state}",
        f"from   {queue_words(row.queue, picture)}",
        f"to     {queue_words(queue, picture)}",
        f"takes  {text.plural(row.containers, 'container')}, {text.amounts(row.used, dimensions)} with it",
        "",
        "Its containers go on. The clock stands while this is open.",
    ]
    return Question("Move an application", tuple(lines), "Move it")


def queue_words(path: str, picture: Picture) -> str:
    """A leaf queue with what it uses of its share."""
    row = next((one for one in leaves(picture) if one.path == path), None)
    if row is None:
        return text.plain(path)
    dimensions = picture.snapshot.header.dimensions
    used, fair = text.amounts(row.used, dimensions), text.amounts(row.fair_share, dimensions)
    return f"{text.plain(path)}  used {used} of fair share {fair}"


def setting_question(queue: str, key: str, value: str, shares: Sequence[ShareChange]) -> Question:
    """What a changed setting would do: fair shares of memory [MB] before and after, those that change first."""
    changed = [one for one in shares if one.before_mb != one.after_mb]
    lines = [f"Set {key} of {queue} to {value}?", ""]
    if changed:
        width = max(len(one.queue) for one in changed[:12])
        lines.append("fair share of memory, before and after:")
        lines += [
            f"  {one.queue.ljust(width)}  {text.memory(one.before_mb):>7} -> {text.memory(one.after_mb):>7}"
            for one in changed[:12]
        ]
        lines += [f"  and {len(changed) - 12} more"] if len(changed) > 12 else []
    else:
        lines.append("No fair share changes by it now.")
    lines += ["", "It holds until the allocation file is loaded again. The clock stands while this is open."]
    return Question("Change a queue", tuple(lines), "Change it")
