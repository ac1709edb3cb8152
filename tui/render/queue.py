"""Queues: the tree with a bar each, on the scale of the whole cluster.

A bar reads from the left: used up to its fair share, used beyond it, room up to its max share; over it stand a mark
at the min share and one at the fair share. The amounts stand beside it in words.
"""

from collections.abc import Sequence

from engine.observe.section import glimpses
from engine.observe.snapshot import Amounts, QueueRow, Unknown
from tui import format as text
from tui.render.arrangement import Arrangement
from tui.render.facts import Group, grouped
from tui.render.field import COUNT, MEMORY, SPAN, TEXT, Criteria, RowField, at, since
from tui.render.filter import Filter
from tui.render.line import Column, Look, Span, Spans, bar
from tui.render.noun import Lead, Noun, Reference, Rows, Source, scope_crumb, section
from tui.render.scope import QUEUE, Scope, is_under
from tui.view_state import Picture

Share = Amounts | None | Unknown


def identity(row: QueueRow) -> str:
    """What the cursor holds on to."""
    return row.path


def is_starved(row: QueueRow) -> bool:
    """Whether it is known to be below its min share or fair-share threshold."""
    return isinstance(row.starved_since_ms, int)


def first(share: Share) -> int | None:
    """The first dimension; None when there is none or it is unlimited."""
    if share is None or isinstance(share, Unknown) or not share or share[0] >= text.NO_LIMIT_FROM:
        return None
    return share[0]


def _name(row: QueueRow, look: Look, width: int) -> Span:
    mark = "!" if is_starved(row) else " "
    name = row.path.rpartition(".")[2] or row.path
    style = "bad" if is_starved(row) else "plain" if row.is_leaf else "strong"
    return mark + "  " * row.depth + text.plain(name), style


def _bar(row: QueueRow, look: Look, width: int) -> Spans:
    used, fair, least, most = row.used[0], first(row.fair_share), first(row.min_share), first(row.max_share)
    scale = look.total[0] if look.total else 0
    within = used if fair is None else min(used, fair)
    room = scale if most is None else min(scale, most)
    signs = look.glyphs
    parts = [(within, signs.used, "bar.used"), (used, signs.over, "bar.over"), (room, signs.room, "bar.room")]
    marks = [(value, sign) for value, sign in ((least, signs.minimum), (fair, signs.share)) if value]
    return [("[", "dim"), *bar(width - 2, parts, marks, scale), ("]", "dim")]


def _used(row: QueueRow, look: Look, width: int) -> Span:
    fair = first(row.fair_share)
    return text.dimension(look.dimensions[0], row.used[0]), "warn" if fair is not None and row.used[
        0
    ] > fair else "plain"


def _share(share: Share, look: Look) -> Span:
    if isinstance(share, Unknown):
        return "?", "dim"
    return (text.dimension(look.dimensions[0], share[0]) if share else "-"), "plain"


def _fair(row: QueueRow, look: Look, width: int) -> Span:
    return _share(row.fair_share, look)


def _min(row: QueueRow, look: Look, width: int) -> Span:
    return _share(row.min_share, look)


def _max(row: QueueRow, look: Look, width: int) -> Span:
    return _share(row.max_share, look)


def _demand(row: QueueRow, look: Look, width: int) -> Span:
    return _share(row.demand, look)


def _applications(row: QueueRow, look: Look, width: int) -> Span:
    style = "warn" if row.applications_pending else "plain"
    return f"{row.applications_running}/{row.applications_pending}", style


def _vcores(row: QueueRow, look: Look, width: int) -> Span:
    if len(row.used) < 2:
        return "", "plain"
    share = row.fair_share
    fair = 0 if isinstance(share, Unknown) else share[1]
    return f"{row.used[1]}/{fair}" if fair else str(row.used[1]), "plain"


def _weight(row: QueueRow, look: Look, width: int) -> Span:
    return ("?", "dim") if isinstance(row.weight, Unknown) else (f"{row.weight:g}", "plain")


def _policy(row: QueueRow, look: Look, width: int) -> Span:
    return row.policy, "dim"


def _starved(row: QueueRow, look: Look, width: int) -> Span:
    return text.age(row.starved_since_ms, look.now_ms), "bad"


COLUMNS: tuple[Column[QueueRow], ...] = (
    Column("QUEUE", 12, 0, _name, grow=1),
    Column("MEMORY", 12, 3, _bar, grow=3),
    Column("USED", 5, 0, _used, right=True),
    Column("FAIR", 5, 1, _fair, right=True),
    Column("MIN", 5, 4, _min, right=True),
    Column("MAX", 5, 4, _max, right=True),
    Column("DEMAND", 6, 6, _demand, right=True),
    Column("RUN/WAIT", 8, 2, _applications, right=True),
    Column("VC/FAIR", 9, 8, _vcores, right=True),
    Column("WEIGHT", 6, 9, _weight, right=True),
    Column("POLICY", 6, 10, _policy),
    Column("STARVED", 7, 7, _starved, right=True),
)


class Folds:
    """Which queues of the tree are folded, and how many each of them hides."""

    def __init__(self) -> None:
        self.folded: set[str] = set()
        self._hidden: dict[str, int] = {}

    def fold(self, path: str) -> None:
        """Show a queue without those under it."""
        self.folded.add(path)

    def unfold(self, path: str) -> None:
        """Show what is under a queue."""
        self.folded.discard(path)

    def visible(self, rows: Sequence[QueueRow]) -> Sequence[QueueRow]:
        """The rows of a tree that no folded queue hides; parents come before their children."""
        if not self.folded:
            return rows
        shown: list[QueueRow] = []
        self._hidden = {}
        over: QueueRow | None = None
        for row in rows:
            if over is not None and row.depth > over.depth:
                self._hidden[over.path] = self._hidden.get(over.path, 0) + 1
                continue
            over = row if row.path in self.folded and not row.is_leaf else None
            shown.append(row)
        return shown

    def columns(self, columns: Sequence[Column[QueueRow]]) -> tuple[Column[QueueRow], ...]:
        """Columns whose first one says of a folded queue how many it hides."""
        return (columns[0]._replace(cell=self._name), *columns[1:])

    def _name(self, row: QueueRow, look: Look, width: int) -> Span:
        words, style = _name(row, look, width)
        if row.path in self.folded and not row.is_leaf:
            return f"{words} {look.glyphs.running}{self._hidden.get(row.path, 0)}", style
        return words, style


def details(row: QueueRow, look: Look) -> list[Spans]:
    """What the strip says about one queue."""
    shares = (("used", row.used), ("fair", row.fair_share), ("min", row.min_share), ("max", row.max_share))
    words: Spans = []
    for title, share in shares:
        words += [(f"{title} ", "head"), (amounts(share, look) + "   ", "plain")]
    lines = [summary(row), words]
    if is_starved(row):
        lines.append([("!    ", "bad"), (f"starved for {text.age(row.starved_since_ms, look.now_ms)}", "bad")])
    else:
        lines.append([(_reading(row, look), "dim")])
    return lines


def summary(row: QueueRow) -> Spans:
    """Its path and policy, and how much is in it."""
    return [
        (text.plain(row.path), "strong"),
        (f"  policy {row.policy}  ", "plain"),
        (f"{row.applications_running} running, {row.applications_pending} waiting", "plain"),
        (f", {text.plural(row.containers, 'container')}" if isinstance(row.containers, int) else "", "plain"),
    ]


def amounts(share: Share, look: Look) -> str:
    """A share in words; a policy that looks at memory only gives no vcores, which are left out."""
    if share is None or isinstance(share, Unknown) or any(share[1:]):
        return text.amounts(share, look.dimensions)
    return text.amounts(share[:1], look.dimensions[:1])


def _reading(row: QueueRow, look: Look) -> str:
    """How the bar is to be read, in the characters it is drawn with."""
    signs = look.glyphs
    return (
        f"{signs.used} used   {signs.over} beyond the fair share   {signs.share} fair share   "
        f"{signs.minimum} min   {signs.room} room up to max"
    )


# The pane

FIELDS = (
    RowField("queue", "q", TEXT, lambda row, look: row.path, "path"),
    RowField("policy", "p", TEXT, lambda row, look: row.policy, "policy"),
    RowField("memory", "m", MEMORY, lambda row, look: at(row.used, 0), "used memory"),
    RowField("vcores", "v", COUNT, lambda row, look: at(row.used, 1), "used vcores"),
    RowField("fair", "f", MEMORY, lambda row, look: at(row.fair_share, 0), "fair share"),
    RowField("demand", "d", MEMORY, lambda row, look: at(row.demand, 0), "demand"),
    RowField("running", "r", COUNT, lambda row, look: row.applications_running, "running applications"),
    RowField("waiting", "w", COUNT, lambda row, look: row.applications_pending, "waiting applications"),
    RowField("starved", "s", SPAN, lambda row, look: since(row.starved_since_ms, look), "how long it is starved"),
)


def is_problem(row: QueueRow, look: Look) -> bool:
    """Whether it is starved or an application waits in it."""
    return is_starved(row) or row.applications_pending > 0


def _enter(row: QueueRow, picture: Picture, scope: Scope | Filter | None) -> Lead | str:
    inside = any(is_under(one.queue, row.path) for one in glimpses(picture.snapshot.applications(why=False)))
    return Lead("applications", scope=Scope(QUEUE, row.path)) if inside else f"No application is in {row.path}."


def _owner(row: QueueRow, picture: Picture) -> Lead | str:
    parent = row.path.rpartition(".")[0]
    return Lead("queues", parent) if parent else f"{row.path} belongs to no other queue."


NOUN = Noun(
    "queues",
    "Queues",
    section("queues"),
    COLUMNS,
    identity,
    details,
    "No queue.",
    table="queues",
    criteria=Criteria(FIELDS, is_problem),
    about=lambda row, look: (Reference(QUEUE, row.path),),
    enter=_enter,
    enter_help="Go to the applications of the queue.",
    owner=_owner,
    crumb=scope_crumb(QUEUE),
    facts=grouped(
        Group("queue", ("path", "is_leaf", "policy", "weight")),
        Group("shares", ("used", "demand", "fair_share", "steady_share", "min_share", "max_share", "reserved")),
        Group("applications", ("applications_running", "applications_pending", "containers")),
        Group("state", ("starved_since_ms",)),
    ),
    fills=lambda row: {"queue": row.path} if row.is_leaf else {},
    view="tree",
    is_tree=True,
)


def _path(row: QueueRow, look: Look, width: int) -> Span:
    words, style = _name(row, look, width)
    return words[:1] + text.plain(row.path), style


def _leaves(picture: Picture, arrangement: Arrangement) -> Rows:
    return [row for row in picture.snapshot.queues() if row.is_leaf], arrangement


LEAVES = NOUN._replace(
    source=Source(_leaves, NOUN.source.version),
    columns=(COLUMNS[0]._replace(cell=_path), *COLUMNS[1:]),
    size=lambda rows, picture, arrangement: f"{len(rows)} leaves",
    view="leaves",
    is_tree=False,
)
"""The leaf queues alone, by path."""
