"""Groups: rows that have something in common stand together under a headline that says it once, and may be folded."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, NamedTuple, overload

from engine.grouping import grouped
from engine.observe.snapshot import Amounts, Snapshot, Unknown, column, lazy_rows, rows_at
from engine.observe.snapshots import terms_for, translate_terms
from tui.panes.fragments import Fragments, HeldNodes, RenderContext
from tui.panes.table import Column
from tui.protocol.picture import SessionState
from tui.terminal import format as text

PREFIX: Final = "group "  # What the id of a headline begins with; no row's does


class RowGroup(NamedTuple):
    key: str  # The same for the same group in every picture
    places: Sequence[int]  # The places of its rows, in order
    words: Fragments  # What they have in common
    short: Fragments | None = None  # The same where there is little room; None is the long form
    note: str = ""  # What a folded group adds
    starts_folded: bool = False


class Headline(NamedTuple):
    group: RowGroup
    is_folded: bool
    can_fold: bool

    @property
    def id(self) -> str:
        return PREFIX + self.group.key


class Grouping(NamedTuple):
    groups: Sequence[RowGroup]
    columns: Sequence[Column[Any]] | None = None  # None are those of the view
    can_fold: bool = False

    def in_order(self, keys: Sequence[str]) -> "Grouping":
        places = {key: place for place, key in enumerate(keys)}
        return self._replace(groups=sorted(self.groups, key=lambda group: places.get(group.key, len(places))))


class GroupedRows(Sequence[Any]):
    """Rows under headlines; makes a row only when it is asked for."""

    def __init__(self, rows: Sequence[Any], grouping: Grouping, folds: Mapping[str, bool]) -> None:
        """Stand rows in groups; `folds` says of a group's key whether it is folded, else the group does."""
        self._rows = rows
        self.grouping = grouping
        self._entries: list[Headline | int] = []
        self._headlines: list[tuple[int, Headline]] = []  # The headlines and their places
        for group in grouping.groups:
            is_folded = grouping.can_fold and folds.get(group.key, group.starts_folded)
            headline = Headline(group, is_folded, grouping.can_fold)
            self._headlines.append((len(self._entries), headline))
            self._entries.append(headline)
            self._entries += () if is_folded else group.places

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        entry = self._entries[index]
        return entry if isinstance(entry, Headline) else self._rows[entry]

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def headline_at(self, place: int) -> Headline | None:
        """The headline at a place; None where a row stands."""
        entry = self._entries[place]
        return entry if isinstance(entry, Headline) else None

    def can_stand(self, place: int) -> bool:
        """True where the cursor can stand on a place; the headline of an open group is skipped."""
        entry = self._entries[place]
        return isinstance(entry, int) or entry.is_folded

    @property
    def first(self) -> int:
        return next((place for place in range(len(self)) if self.can_stand(place)), 0)

    @cached_property
    def members(self) -> Sequence[Any]:
        """All rows without the headlines, also those of folded groups."""
        return rows_at(self._rows, [place for group in self.grouping.groups for place in group.places])

    def members_of(self, headline: Headline) -> Sequence[Any]:
        return rows_at(self._rows, headline.group.places)

    def headline_over(self, place: int) -> Headline:
        return [headline for at, headline in self._headlines if at <= place][-1]

    def number_of(self, place: int) -> int:
        """Tells which row stands at a place, counted from 1; headlines do not count, rows of folded groups do."""
        before = [headline for at, headline in self._headlines if at <= place]
        folded = sum(len(headline.group.places) for headline in before if headline.is_folded)
        return place + 1 - len(before) + folded

    def place_of(self, row_id: str, identity: Callable[[Any], str]) -> int | None:
        """Tells where the row or the headline with an id stands; None where it is not shown."""
        if row_id.startswith(PREFIX):
            wanted: object = row_id
        else:
            wanted = next((place for place, row in enumerate(lazy_rows(self._rows)) if identity(row) == row_id), None)
        names = (entry.id if isinstance(entry, Headline) else entry for entry in self._entries)
        return next((place for place, name in enumerate(names) if name == wanted), None)


def headline_at(rows: Sequence[Any], place: int) -> Headline | None:
    """The headline at a place of rows, which may stand in groups; None where a row stands."""
    return rows.headline_at(place) if isinstance(rows, GroupedRows) else None


def members(rows: Sequence[Any]) -> Sequence[Any]:
    """Rows without headlines, whether or not they stand in groups."""
    return rows.members if isinstance(rows, GroupedRows) else rows


def by_key(keys: Sequence[str]) -> dict[str, list[int]]:
    """The places of each key, in the order keys come first.

    >>> by_key(["b", "a", "b"])
    {'b': [0, 2], 'a': [1]}
    """
    return grouped((key, place) for place, key in enumerate(keys))


# Nodes in groups: those out of service by state, reserved ones by holder, and the others.

_LOST: Final = {
    "LOST": ("no heartbeat", "; D brings it back"),
    "DEAD": ("no heartbeat", "; D brings it back as a new worker"),
    "UNHEALTHY": ("gets no container while its node says so", ""),
    "DECOMMISSIONING": ("gets no further container; what runs there ends by itself", ""),
    "DECOMMISSIONED": ("gets no container", "; D brings it back"),
}  # State of a node out of service → what it means, and what a simulation lets one do


def by_holder(rows: Sequence[Any], picture: SessionState, look: RenderContext) -> Grouping | None:
    """Nodes by what is wrong with them, else by partition; None where nothing is and there is one partition only."""
    holders = [holder if isinstance(holder, str) else "" for holder in column(rows, "reserved_by")]
    pairs = list(zip(column(rows, "state"), holders, strict=True))
    key_of = {(state, holder): state if state in _LOST else holder for state, holder in set(pairs)}
    places = by_key([key_of[pair] for pair in pairs])
    others = places.pop("", [])
    out = sum(len(some) for key, some in places.items() if key in _LOST)
    held = sum(len(some) for key, some in places.items() if key not in _LOST)
    if not out and 2 * held < len(rows):
        return _by_partition(rows, look)
    parts, terms = 1 if picture.run.is_watched else 2, terms_for(look.dimensions)
    ordered = sorted(places.items(), key=lambda pair: (pair[0] not in _LOST, -len(pair[1])))
    groups = [
        RowGroup(
            key,
            some,
            [(f"{len(some)} {key}", "strong"), (f": {translate_terms(''.join(_LOST[key][:parts]), terms)}", "soft")],
            [(f"{len(some)} {key}", "strong")],
        )
        if key in _LOST
        else _held(key, some, rows, picture, look)
        for key, some in ordered
    ]
    if others:
        unsaid = sum(isinstance(rows[place].reserved_by, Unknown) for place in others)
        whom = f"whether {'it is' if len(others) == 1 else 'they are'} reserved"
        rest = f", {whom} is not known" if unsaid else ", not reserved" if held else ""
        groups.append(RowGroup("others", others, [(f"{len(others)} in service", "text"), (rest, "soft")]))
    reserved = picture.snapshot.header.reserved
    if held and isinstance(reserved, tuple) and "nodes" in picture.snapshot.header.inferred:
        groups.append(_inferred_from(reserved, rows, look))
    return Grouping(groups)


def _inferred_from(reserved: Amounts, rows: Sequence[Any], look: RenderContext) -> RowGroup:
    sizes = Counter(size for size in column(rows, "reserved") if isinstance(size, tuple))
    parts = [text.times(count, text.amounts(size, look.dimensions)) for size, count in sizes.most_common()]
    known = [sum(count * size[at] for size, count in sizes.items()) for at in range(len(reserved))]
    rest = tuple(whole - part for whole, part in zip(reserved, known, strict=True))
    parts += [text.amounts(rest, look.dimensions)] if any(rest) else []
    words = f" from {text.amounts(reserved, look.dimensions)} reserved in all: {', '.join(parts)}"
    return RowGroup("inferred from", (), [("inferred", "watch"), (words, "soft")])


def _by_partition(rows: Sequence[Any], look: RenderContext) -> Grouping | None:
    labels = column(rows, "partition")
    if len(set(labels)) < 2:
        return None
    places = by_key(labels)
    return Grouping([_partition(label, places[label], rows, look) for label in sorted(places)])


def _partition(label: str, places: Sequence[int], rows: Sequence[Any], look: RenderContext) -> RowGroup:
    totals = [rows[place].total for place in places]
    used, free = (sum(getattr(rows[place], name)[0] for place in places) for name in ("used", "free"))
    each = f"{text.amounts(totals[0], look.dimensions)} each; " if len(set(totals)) == 1 else ""
    words = f"  {each}{text.memory(used)} used, {text.memory(free)} free"
    return RowGroup(f"partition {label}", places, [(text.plain(label) or "default", "strong"), (words, "soft")])


def _held(
    holder: str, places: Sequence[int], rows: Sequence[Any], picture: SessionState, look: RenderContext
) -> RowGroup:
    sizes = {size for size in column(rows_at(rows, places), "reserved") if isinstance(size, tuple)}
    each = " each" if len(places) > 1 else ""
    size = f", {text.amounts(sizes.pop(), look.dimensions)}{each}" if len(sizes) == 1 else ""
    own = (look.held or held_nodes(picture.snapshot)).get(holder)
    at = since_words(() if own is None else own.since_ms, look)
    return RowGroup(
        holder, places, [(f"{len(places)} reserved for {text.short_id(holder)}{size}", "text"), (at, "soft")]
    )


class _HeldNode(NamedTuple):
    id: str
    reserved: Amounts | Unknown | None
    free: Amounts


def held_nodes(snapshot: Snapshot) -> dict[str, HeldNodes]:
    """Id of an application → the nodes it has reserved."""
    nodes, held = snapshot.nodes(), snapshot.reservations()
    about = zip(column(held, "short_by"), column(held, "since_ms"), strict=True)
    there = dict(zip(column(held, "node"), about, strict=True))
    some = map(_HeldNode, column(nodes, "id"), column(nodes, "reserved"), column(nodes, "free"))
    holders = zip(column(nodes, "reserved_by"), some, strict=True)
    found = grouped((holder, node) for holder, node in holders if isinstance(holder, str))
    return {holder: _held_by(each, there) for holder, each in found.items()}


def _held_by(nodes: Sequence[_HeldNode], there: Mapping[str, tuple[Any, Any]]) -> HeldNodes:
    """What is known of nodes; `there` has what each is short by, and since when it is reserved [epoch ms]."""
    known = [there.get(node.id, (None, None)) for node in nodes]
    short_on = {node.id: _short_on(node, short_by) for node, (short_by, _) in zip(nodes, known, strict=True)}
    since_ms = [at for _, at in known if isinstance(at, int)]
    short = [(short, node) for node in nodes if (short := short_on[node.id]) is not None]
    if not short:
        return HeldNodes(short_on, since_ms)
    _, best = min(short, key=itemgetter(0))
    return HeldNodes(short_on, since_ms, best.id, best.reserved if isinstance(best.reserved, tuple) else (), best.free)


def _short_on(node: _HeldNode, short_by: Any) -> Amounts | None:
    if isinstance(short_by, tuple):
        return short_by
    if not isinstance(node.reserved, tuple):
        return None
    return tuple(max(0, size - free) for size, free in zip(node.reserved, node.free, strict=True))


def since_words(times_ms: Collection[int], look: RenderContext) -> str:
    """Since when some things are so [epoch ms]; where that differs the first is told. Nothing where it is not known.

    >>> since_words([61_000, 1_000], RenderContext(90_000, ("memory_mb",), (0,)))
    ', first since 00:00:01'
    """
    if not times_ms:
        return ""
    first, last = (text.near_clock(at, look.now_ms, look.offset_ms) for at in (min(times_ms), max(times_ms)))
    return f"{', first' if first != last else ''} since {first}"
