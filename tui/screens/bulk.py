"""What an act on several rows would do in all, in words, before it is done.

Pure functions from rows and a picture. Of one row the question is the one of `choices` and `moving`.
"""

from collections import Counter
from collections.abc import Sequence

from engine.observe.snapshot import ApplicationRow, NodeRow
from engine.observe.spark_view import StandaloneRow
from tui import format as text
from tui.render.application import LIVE_STATES
from tui.render.node import is_out
from tui.screens import choices, moving
from tui.screens.choices import Question
from tui.view_state import Picture

NAMED = 5
"""So many are named in a question; of the others their number."""
STANDS = "The clock stands while this is open."


def live(rows: Sequence[ApplicationRow]) -> list[ApplicationRow]:
    """Those that have not ended."""
    return [row for row in rows if row.state in LIVE_STATES]


def kill_question(rows: Sequence[ApplicationRow], picture: Picture) -> Question | None:
    """What killing applications would do; None when all have ended."""
    if len(rows) == 1:
        return choices.kill_question(rows[0], picture)
    doomed = live(rows)
    if not doomed:
        return None
    is_spark = isinstance(doomed[0], StandaloneRow)
    held = {row.id for row in doomed}
    nodes = [text.short_node(one.node) for one in picture.snapshot.reservations() if one.application in held]
    count = sum(row.containers for row in doomed)
    frees = f"{text.plural(count, 'executor' if is_spark else 'container')}, {_used(doomed, picture)}"
    lines = [
        f"Kill {text.plural(len(doomed), 'application')}?",
        "",
        *_named([_told(row) for row in doomed]),
        "",
        f"frees  {frees}",
        *([] if is_spark else [f"lifts  {text.plural(len(nodes), 'reservation')}{_first(nodes)}"]),
        f"users  {_users(doomed)}",
        *_left_out(len(rows) - len(doomed), "ended already"),
        "",
        f"Their work is lost. {STANDS}",
    ]
    return Question("Kill applications", tuple(lines), f"Kill {len(doomed)}")


def other_queues(rows: Sequence[ApplicationRow], picture: Picture) -> list[str]:
    """Where any of the applications could be moved."""
    return [queue.path for queue in moving.leaves(picture) if any(queue.path != row.queue for row in rows)]


def move_problem(rows: Sequence[ApplicationRow], queue: str, picture: Picture) -> str:
    """Why none of them can be moved to a queue, as far as a screen knows; else nothing."""
    problems = [moving.problem(row, queue, picture) for row in rows]
    if not all(problems):
        return ""
    is_there = queue in {one.path for one in moving.leaves(picture)}
    return problems[0] if len(rows) == 1 or not is_there else f"All {len(rows)} have ended or are in {queue} already."


def move_question(rows: Sequence[ApplicationRow], queue: str, picture: Picture) -> Question:
    """What moving applications to a queue would do; at least one of them can go there."""
    if len(rows) == 1:
        return moving.question(rows[0], queue, picture)
    going = movable(rows, queue)
    origins = Counter(row.queue for row in going)
    lines = [
        f"Move {text.plural(len(going), 'application')}?",
        "",
        *_named([_told(row) for row in going]),
        "",
        f"from   {', '.join(f'{text.plain(path)} ({count})' for path, count in origins.most_common(3))}"
        + (" ..." if len(origins) > 3 else ""),
        f"to     {moving.queue_words(queue, picture)}",
        f"takes  {text.plural(sum(row.containers for row in going), 'container')}, {_used(going, picture)} with them",
        *_left_out(len(rows) - len(going), "ended or there already"),
        "",
        f"Their containers go on. {STANDS}",
    ]
    return Question("Move applications", tuple(lines), f"Move {len(going)}")


def movable(rows: Sequence[ApplicationRow], queue: str) -> list[ApplicationRow]:
    """Those that have not ended and are elsewhere."""
    return [row for row in live(rows) if row.queue != queue]


def in_service(rows: Sequence[NodeRow]) -> list[NodeRow]:
    """Those that can be taken out."""
    return [row for row in rows if not is_out(row)]


def drain_question(rows: Sequence[NodeRow], picture: Picture) -> Question | None:
    """What taking nodes out of service would do; None when all are out already (then they come back)."""
    if len(rows) == 1:
        return choices.drain_question(rows[0], picture)
    going = in_service(rows)
    if not going:
        return None
    dimensions = picture.snapshot.header.dimensions
    is_spark = going[0].state == "ALIVE"
    count = text.plural(sum(row.containers for row in going), "executor" if is_spark else "container")
    used = text.amounts(_sum([row.used for row in going]), dimensions)
    held = sum(isinstance(row.reserved_by, str) for row in going)
    what = [f"loses  {count}, {used}"] if is_spark else [f"keeps  {count}, {used}, until they end"]
    taken = text.amounts(_sum([row.total if is_spark else row.free for row in going]), dimensions)
    lines = [
        f"{'Decommission' if is_spark else 'Take'} {text.plural(len(going), 'node')}{'' if is_spark else ' out'}?",
        "",
        *_named([f"{row.id}  {text.plural(row.containers, 'container')}" for row in going]),
        "",
        *what,
        f"takes  {taken} from the cluster{'' if is_spark else ' at once, the rest as they end'}",
        f"leaves {picture.snapshot.header.nodes - len(going)} of {picture.snapshot.header.nodes} nodes",
        *([] if is_spark else [f"held   {text.plural(held, 'node')} of them by a reservation"]),
        *_left_out(len(rows) - len(going), "out of service already"),
        "",
        f"D on them later brings them back. {STANDS}",
    ]
    return Question("Drain nodes", tuple(lines), f"Drain {len(going)}")


def return_question(nodes: Sequence[str]) -> Question:
    """What bringing nodes back does."""
    whom = nodes[0] if len(nodes) == 1 else text.plural(len(nodes), "node")
    named = [] if len(nodes) == 1 else [*_named(nodes), ""]
    return Question("Return", (f"Bring {whom} back into service?", "", *named, STANDS), "Bring back")


def _told(row: ApplicationRow) -> str:
    return f"{row.id}  {text.plain(row.name) or '-'}, {text.plain(row.user)}"


def _named(names: Sequence[str]) -> list[str]:
    """The first few, and how many more there are."""
    shown = list(names) if len(names) <= NAMED + 1 else list(names[:NAMED])
    more = [] if len(shown) == len(names) else [f"  and {len(names) - len(shown)} more"]
    return [*(f"  {name}" for name in shown), *more]


def _first(names: Sequence[str]) -> str:
    return f": {', '.join(names[:3])}{' ...' if len(names) > 3 else ''}" if names else ""


def _users(rows: Sequence[ApplicationRow]) -> str:
    """Who loses work, those with the most applications first."""
    counted = Counter(row.user for row in rows).most_common()
    words = ", ".join(f"{text.plain(user)} ({count})" for user, count in counted[:5])
    return words + (f" and {len(counted) - 5} more" if len(counted) > 5 else "")


def _left_out(count: int, why: str) -> list[str]:
    return [f"not    {text.plural(count, 'other')}: {why}"] if count else []


def _used(rows: Sequence[ApplicationRow], picture: Picture) -> str:
    return text.amounts(_sum([row.used for row in rows]), picture.snapshot.header.dimensions)


def _sum(amounts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sum(one) for one in zip(*amounts, strict=True))
