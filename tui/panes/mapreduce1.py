"""Trackers, pools, reservations and attempts of MapReduce 1: map slots and reduce slots side by side."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from engine.observe.mr1_snapshot import JobRow
from engine.observe.snapshot import ContainerRow, NodeRow, QueueRow, Unknown, UserRow, column
from engine.observe.snapshots import ENDED, LIVE_STATES, SERVED, WAITS, service_of, services
from tui.panes import application, container, queue, reservation, user
from tui.panes import nodes as node
from tui.panes.application_brief import LABELLED_FROM, time_words
from tui.panes.cause import ended_group, waiters
from tui.panes.field import Draw, fixed_cell, text_cell
from tui.panes.fragments import Fragment, Fragments, RenderContext, hue_of, line_meter
from tui.panes.group import Grouping, RowGroup, by_key
from tui.panes.misfit import KINDS, chore_of, kind_waiting, left, tasks_of
from tui.panes.nodes import letter_of
from tui.panes.pane_view import by_row
from tui.panes.table import Column, figure
from tui.protocol.picture import SessionState
from tui.terminal import format as text

SLOT: Final = 3  # Cells of a slot, where there is room
MOST: Final = "slots"  # The scale of a tracker's slots: the most of either kind on one tracker

_tracker, _pool, _attempt = node.FIELDS.column, queue.FIELDS.column, container.FIELDS.column


# Trackers


def _slots(kind: int) -> Draw[NodeRow]:
    def cell(row: NodeRow, look: RenderContext, width: int) -> Fragments:
        total, most = row.total[kind], max(1, look.scales.get(MOST, row.total[kind]))
        cells = max(1, min(SLOT, width // most))
        taken = [block for block in sorted(look.blocks(row.id)) if block.dimension == kind for _ in range(block.size)]
        shown = min(total, width // cells)
        spans: Fragments = []
        for place in range(shown):
            block = taken[place] if place < len(taken) else None
            sign = text.FREE if block is None else letter_of(block.name) if look.has_letters else text.BLOCK
            style = "room" if block is None or look.selected not in {"", block.application} else block.style
            style = "accent" if block is not None and block.application == look.selected else style
            spans.append((sign * max(1, cells - 1) + " " * (cells > 1), style))
        return [*spans, (" " * (width - cells * shown), "text")]

    return cell


def _taken(kind: int) -> Draw[NodeRow]:
    return text_cell(lambda row, look: f"{row.used[kind]}/{row.total[kind]}")


TRACKER_COLUMNS: Sequence[Column[NodeRow]] = (
    _tracker("node", title="TRACKER", width=12, least=7, repeats=True),
    Column("map slots", 12, 0, _slots(0), is_bar=True, legend=("map slots",)),
    Column("reduce slots", 12, 0, _slots(1), is_bar=True, legend=("reduce slots",)),
    Column("MAPS", 5, 1, _taken(0), right=True),
    Column("REDUCES", 7, 1, _taken(1), right=True),
    *node.FIELDS.columns("heard"),
)
EVERY_TRACKER_COLUMN = (*TRACKER_COLUMNS, *node.FIELDS.columns("state app rack"))

TRACKERS = node.VIEW._replace(
    title="Trackers",
    columns=TRACKER_COLUMNS,
    sorted_columns=None,
    every_column=EVERY_TRACKER_COLUMN,
    scales=lambda rows, look: {MOST: max((max(total) for total in column(rows, "total")), default=1)},
    is_tight=True,
    empty_text="No tracker has reported yet.",
    caption=lambda look: "one block = one task",
    size=lambda rows, picture, arrangement: f"{picture.snapshot.header.nodes} alive",
)

# Pools


def _share(row: QueueRow, kind: int) -> int | None:
    share = row.max_share
    return share[kind] if isinstance(share, tuple) and share[kind] < text.NO_LIMIT_FROM else None


def _pool_meter(kind: int) -> Draw[QueueRow]:
    return lambda row, look, width: line_meter(
        width, row.used[kind], look.total[kind], share=_share(row, kind), style=hue_of(row.path, look)
    )


def _used(kind: int) -> Draw[Any]:
    return text_cell(lambda row, look: str(row.used[kind]))


def _is_full(row: QueueRow, look: RenderContext) -> bool:
    return queue.waits(row, look).number > 0 and any(
        (most := _share(row, kind)) is not None and row.used[kind] >= most for kind in (0, 1)
    )


def _due(kind: int) -> Draw[QueueRow]:
    return text_cell(lambda row, look: str(row.fair_share[kind]) if isinstance(row.fair_share, tuple) else "-")


_MAPS: Final = Column("MAPS", 9, 3, _pool_meter(0), grow=1, is_bar=True)
_REDUCES: Final = Column("REDUCES", 9, 3, _pool_meter(1), grow=1, is_bar=True, legend=("REDUCES  max │",))
POOL_COLUMNS: Sequence[Column[QueueRow]] = (
    _pool("queue", title="POOL", width=10, least=6, cell=queue.path_cell, repeats=True),
    _MAPS,
    figure("", 3, 0, _used(0), gap=1),
    _REDUCES,
    figure("", 3, 0, _used(1), gap=1),
    _pool("running", rank=3, repeats=True),
    _pool("waiting", rank=2, repeats=True),
)
EVERY_POOL_COLUMN = (
    *POOL_COLUMNS,
    figure("DUE M", 5, 5, _due(0)),
    figure("DUE R", 5, 5, _due(1)),
    _pool("weight"),
    _pool("policy", width=8),
)

POOLS = queue.VIEW._replace(
    title="Pools",
    columns=POOL_COLUMNS,
    every_column=EVERY_POOL_COLUMN,
    sign=lambda row, look: (text.WATCH, "watch") if queue.is_starved(row) or _is_full(row, look) else None,
    caption=lambda look: f"of {' and '.join(map(str, dict.fromkeys(look.total)))} slots" if look.total else "",
    enter_help="Go to the jobs of the pool.",
)

# Users


def _of_slots(kind: int) -> Draw[UserRow]:
    return lambda row, look, width: line_meter(width, row.used[kind], look.total[kind])


def _wait(kind: int) -> Draw[UserRow]:
    return text_cell(lambda row, look: "?" if isinstance(row.pending, Unknown) else str(row.pending[kind]))


USER_COLUMNS: Sequence[Column[UserRow]] = (
    user.FIELDS.column("user", width=10),
    *(
        column
        for kind, title in enumerate(("MAPS", "REDUCES"))
        for column in (
            Column(title, 8, 3, _of_slots(kind), grow=1, is_bar=True),
            figure("RUN", 3, 0, _used(kind), gap=1),
            figure("WAIT", 4, 0, _wait(kind), gap=1),
        )
    ),
)


def _together(rows: Sequence[UserRow]) -> UserRow:
    used, asked = ([sum(each) for each in zip(*column(rows, name), strict=True)] for name in ("used", "pending"))
    return msgspec.structs.replace(rows[0], user="together", used=tuple(used), pending=tuple(asked))


def _user_lines(row: UserRow, look: RenderContext) -> list[Fragments]:
    asks = "nothing" if isinstance(row.pending, Unknown) else text.amounts(row.pending, look.dimensions) or "nothing"
    return [
        [(f"{row.applications_running} running{user.waiting_words(row, look)}", "strong")],
        [("has  ", "faint"), (text.amounts(row.used, look.dimensions), "text"), ("   asks ", "faint"), (asks, "text")],
        [("in   ", "faint"), (user.queue_words(row), "text")],
    ]


USERS = user.VIEW._replace(
    columns=USER_COLUMNS,
    total=_together,
    details=by_row(_user_lines),
    empty_text="No user has a live job.",
    caption=POOLS.caption,
    enter_help="Go to the jobs of the user.",
)

RESERVATIONS = reservation.VIEW._replace(
    columns=(reservation.FIELDS.column("node", title="TRACKER"), *reservation.COLUMNS[1:]),
    empty_text="No tracker is reserved.",
)

ATTEMPT_COLUMNS: Sequence[Column[ContainerRow]] = (
    _attempt("app", title="JOB", width=6),
    Column("ATTEMPT", 28, 0, text_cell(lambda row, look: row.id.removeprefix("attempt_")), grow=1),
    _attempt("node", title="TRACKER", width=14, grow=1, least=0),
    _attempt("memory", title="SLOTS", width=9),
    _attempt("age", repeats=True),
    _attempt("user"),
    _attempt("queue", title="POOL", width=10, grow=1),
)

ATTEMPTS = container.VIEW._replace(
    title="Attempts",
    columns=ATTEMPT_COLUMNS,
    empty_text="No attempt runs.",
    subject=lambda row: f"attempt {row.id.removeprefix('attempt_')}",
)


# Jobs of MapReduce 1: their maps and reduces side by side, maps always first; a waiting job stands by what holds it.

_job = application.FIELDS.column


def _meter(kind: int) -> Draw[JobRow]:
    return lambda row, look, width: line_meter(
        width, tasks_of(row, kind)[1], tasks_of(row, kind)[2], style=hue_of(row.queue, look)
    )


def _done(kind: int) -> Draw[JobRow]:
    return text_cell(lambda row, look: f"{tasks_of(row, kind)[1]}/{tasks_of(row, kind)[2]}")


def _running(kind: int) -> Draw[JobRow]:
    return text_cell(lambda row, look: str(tasks_of(row, kind)[0] or text.NONE))


def _serves(row: JobRow) -> str:
    return service_of(row.state, row.pending_containers, row.waiting_since_ms, row.containers)


def _wanted(row: JobRow, look: RenderContext) -> Fragment:
    service, kind, chore = _serves(row), kind_waiting(row), chore_of(row)
    if service == WAITS and chore:
        return f"its {chore}", "text"
    if service == WAITS:
        return text.plural(left(tasks_of(row, kind)), KINDS[kind]), "text"
    if service == SERVED and not chore and left(row.reduces):
        return f"not yet: {text.plural(row.maps[2] - row.maps[1], 'map')} left", "soft"
    return (text.NONE if service != ENDED else ""), "text"


_priority: Draw[JobRow] = fixed_cell(
    lambda row, look: (row.priority.lower().replace("_", " "), "faint" if row.priority == "NORMAL" else "text")
)
_failed: Draw[JobRow] = text_cell(lambda row, look: str(row.failed_attempts or ""), "watch")
_local: Draw[JobRow] = text_cell(lambda row, look: text.percent(row.local_maps[0], row.local_maps[2]))

_WHO: Final[Sequence[Column[Any]]] = (
    _job("app", title="JOB", width=6, repeats=True),
    _job("name", width=13, rank=3),
    _job("user", rank=6, width=6),
    _job("queue", title="POOL", width=10, rank=2, least=0),
)
_PROGRESS: Final[Sequence[Column[Any]]] = (
    Column("", 10, 4, _meter(0), grow=1, is_bar=True),
    figure("MAPS", 7, 0, _done(0), gap=1),
    figure("RUN", 3, 0, _running(0), gap=1),
    Column("", 10, 4, _meter(1), grow=1, is_bar=True),
    figure("REDUCES", 7, 0, _done(1), gap=1),
    figure("RUN", 3, 0, _running(1), gap=1),
)
JOB_COLUMNS: Sequence[Column[Any]] = (
    *_WHO,
    *_PROGRESS,
    Column("WAIT FOR A SLOT", 20, 1, fixed_cell(_wanted), least=12, repeats=False),
    _job("wait", width=6),
)  # By cause
SORTED_JOB_COLUMNS: Sequence[Column[Any]] = (
    *_WHO,
    _job("state", rank=1),
    _job("wait", width=6, rank=1, repeats=True),
    *_PROGRESS[1::3],
    _job("why", width=34, grow=4, least=20),
)  # In another order: every row says itself why it waits
EVERY_JOB_COLUMN: Sequence[Column[Any]] = (
    *_WHO,
    _job("state", rank=1),
    *_PROGRESS,
    Column("PRIORITY", 9, 7, _priority),
    Column("FAIL", 4, 8, _failed, right=True),
    Column("LOCAL", 5, 9, _local, right=True),
    *JOB_COLUMNS[-2:],
    _job("why", width=34, grow=4, least=20),
)

_LIMITS: Final = {
    "QUEUE_OVER_MAXIMUM": "{verb} at the maximum of {pool}",
    "USER_OVER_LIMIT": "{verb} at the limit of a user in {pool}",
    "QUEUE_NOT_RUNNING_IT": "{verb} for {whose} turn in {pool}",
}  # Code of an obstacle that is a pool's or queue's own → the headline of those that wait for it


def _by_slots(rows: Sequence[Any], picture: SessionState, look: RenderContext) -> Grouping:
    served = services(rows)
    keys = [_key(row, service) for row, service in zip(rows, served, strict=True)]
    places = by_key(keys)
    ended, runs = places.pop(ENDED, []), places.pop(SERVED, [])
    groups = []
    for key, members in sorted(
        places.items(), key=lambda pair: (pair[0].partition(" ")[0] not in _LIMITS, -len(pair[1]))
    ):
        here = [rows[place] for place in members]
        holder = _holder(key, here, rows)
        if holder is not None:
            groups.append(_fills(rows[holder], holder, kind_waiting(here[0]), picture))
            runs = [place for place in runs if place != holder]
        if others := [place for place in members if place != holder]:
            groups.append(_waiting(key, others, rows))
    if runs:
        verb = "runs and has what it asks for" if len(runs) == 1 else "run and have what they ask for"
        groups.append(RowGroup(SERVED, runs, [(f"{len(runs)} {verb}", "strong")]))
    if ended:
        groups.append(ended_group(ended, waiters(rows, look)))
    return Grouping(groups, can_fold=True)


def _key(row: JobRow, service: str) -> str:
    if service != WAITS:
        return ENDED if service == ENDED else SERVED
    code = "" if row.obstacle is None else row.obstacle.code
    wanted = chore_of(row) or kind_waiting(row)
    return f"{code} {row.queue} {wanted}" if code in _LIMITS else f"{code} {wanted}"


def _holder(key: str, here: Sequence[JobRow], rows: Sequence[JobRow]) -> int | None:
    """The place of the job that has more than half of what a full pool runs of the kind that waits."""
    if not key.startswith("QUEUE_OVER_MAXIMUM"):
        return None
    kind, pool = kind_waiting(here[0]), here[0].queue
    running = {place: tasks_of(row, kind)[0] for place, row in enumerate(rows) if row.queue == pool}
    most = max(running, key=running.__getitem__)
    return most if 2 * running[most] > sum(running.values()) and {row.id for row in here} - {rows[most].id} else None


def _fills(row: JobRow, place: int, kind: int, picture: SessionState) -> RowGroup:
    header = picture.snapshot.header
    idle = header.total[kind] - header.used[kind]
    more = (
        f"; {text.plural(idle, KINDS[kind] + ' slot')} of the cluster {'is' if idle == 1 else 'are'} idle"
        if idle
        else ""
    )
    words = f" with {text.plural(tasks_of(row, kind)[0], KINDS[kind])}{more}"
    return RowGroup(f"fills {row.id}", [place], [(f"1 fills {text.plain(row.queue)}", "strong"), (words, "soft")])


def _waiting(key: str, places: Sequence[int], rows: Sequence[JobRow]) -> RowGroup:
    one, count = rows[places[0]], len(places)
    code, verb = key.partition(" ")[0], "waits" if count == 1 else "wait"
    pattern = _LIMITS.get(
        code, "{verb} for a slot" if chore_of(one) else f"{{verb}} for a {KINDS[kind_waiting(one)]} slot"
    )
    bold = pattern.format(verb=verb, whose="its" if count == 1 else "their", pool=text.plain(one.queue))
    reasons = {"" if row.obstacle is None else row.obstacle.sentence for row in (rows[place] for place in places)}
    why = f": {text.plain(reasons.pop())}" if len(reasons) == 1 and any(reasons) else ""
    return RowGroup(key, places, [(f"{count} {bold}", "strong"), (why, "soft")], [(f"{count} {bold}", "strong")])


def _job_lines(row: JobRow, picture: SessionState, look: RenderContext, height: int) -> list[Fragments]:
    waits = f"waits {text.age(row.waiting_since_ms, look.now_ms)}" if _serves(row) == WAITS else ""
    parts = (text.plain(row.user), text.plain(row.queue), f"{row.state} {time_words(row, look)}", waits)
    who: Fragments = [(f" {text.DOT} ".join(filter(None, parts)), "soft")]
    kinds = [kind for kind in (0, 1) if tasks_of(row, kind)[2]]
    why = [[("why     ", "faint"), (text.plain(row.obstacle.sentence), "text")]] if row.obstacle and waits else []
    held = text.amounts(row.used, look.dimensions) if row.containers else "nothing"
    loses = text.plural(row.containers, "attempt") if row.containers else "nothing"
    kill = [[("K       ", "bold accent"), (f"frees {held}, loses {loses}", "text")]]
    kill = kill if row.state in LIVE_STATES else []
    if height < LABELLED_FROM:
        return [_task_line(row, kind_waiting(row) if waits else 0), *(why or [who]), *kill]
    return [who, *(_task_line(row, kind) for kind in kinds), *why, *kill]


def _task_line(row: JobRow, kind: int) -> Fragments:
    running, finished, every = tasks_of(row, kind)
    rest = left(tasks_of(row, kind))
    is_due = _serves(row) == WAITS and kind == kind_waiting(row)
    is_over = chore_of(row) == "cleanup" or row.state not in LIVE_STATES
    waits = "" if not rest or is_over else f", {rest} wait" if is_due else f", {rest} to come"
    return [(f"{KINDS[kind] + 's':<8}", "faint"), (f"{running} run, {finished} of {every} done{waits}", "text")]


JOBS = application.VIEW._replace(
    title="Jobs",
    columns=JOB_COLUMNS,
    grouping=_by_slots,
    scales=lambda rows, look: {},
    sorted_columns=SORTED_JOB_COLUMNS,
    every_column=EVERY_JOB_COLUMN,
    has_folds=True,
    is_tight=True,
    details=_job_lines,
    empty_text="No job is known.",
    enter_help="Go to the attempts it runs.",
)
