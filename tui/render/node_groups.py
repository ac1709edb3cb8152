"""Nodes in groups: those out of service by state, those that are reserved by who holds them, and the others."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from engine.observe.section import column
from engine.observe.snapshot import Amounts, Unknown
from tui import format as text
from tui.picture import Picture
from tui.render.group import Grouping, RowGroup, by_key
from tui.render.line import Look

_LOST: Final = {
    "LOST": ("no heartbeat", "; D brings it back"),
    "DEAD": ("no heartbeat", "; D brings it back as a new worker"),
    "UNHEALTHY": ("gets no container while its node says so", ""),
    "DECOMMISSIONING": ("gets no further container; what runs there ends by itself", ""),
    "DECOMMISSIONED": ("gets no container", "; D brings it back"),
}
"""State of a node out of service → what it means, and what a simulation lets one do."""
_SEEN: Final = 64  # So many nodes of a holder are looked at for the first instant it reserved one


def by_holder(rows: Sequence[Any], picture: Picture, look: Look) -> Grouping | None:
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
    parts = 1 if picture.run.is_watched else 2
    ordered = sorted(places.items(), key=lambda pair: (pair[0] not in _LOST, -len(pair[1])))
    groups = [
        RowGroup(key, some, [(f"{len(some)} {key}", "strong"), (f": {''.join(_LOST[key][:parts])}", "soft")])
        if key in _LOST
        else _held(key, some, rows, picture, look)
        for key, some in ordered
    ]
    if others:
        unsaid = sum(isinstance(rows[place].reserved_by, Unknown) for place in others)
        rest = ", for whom they may be reserved is not known" if unsaid else ", not reserved" if held else ""
        groups.append(RowGroup("others", others, [(f"{len(others)} in service", "text"), (rest, "soft")]))
    reserved = picture.snapshot.header.reserved
    if held and isinstance(reserved, tuple) and "nodes" in picture.snapshot.header.inferred:
        groups.append(_inferred_from(reserved, rows, look))
    return Grouping(groups)


def _inferred_from(reserved: Amounts, rows: Sequence[Any], look: Look) -> RowGroup:
    """A headline without rows: which sum let one conclude who holds nodes, and what it comes to."""
    sizes = Counter(size for size in column(rows, "reserved") if isinstance(size, tuple))
    parts = [text.times(count, text.amounts(size, look.dimensions)) for size, count in sizes.most_common()]
    known = [sum(count * size[at] for size, count in sizes.items()) for at in range(len(reserved))]
    rest = tuple(whole - part for whole, part in zip(reserved, known, strict=True))
    parts += [text.amounts(rest, look.dimensions)] if any(rest) else []
    words = f" from {text.amounts(reserved, look.dimensions)} reserved in all: {', '.join(parts)}"
    return RowGroup("inferred from", (), [("inferred", "watch"), (words, "soft")])


def _by_partition(rows: Sequence[Any], look: Look) -> Grouping | None:
    labels = column(rows, "partition")
    if len(set(labels)) < 2:
        return None
    places = by_key(labels)
    return Grouping([_partition(label, places[label], rows, look) for label in sorted(places)])


def _partition(label: str, places: Sequence[int], rows: Sequence[Any], look: Look) -> RowGroup:
    totals = [rows[place].total for place in places]
    used, free = (sum(getattr(rows[place], name)[0] for place in places) for name in ("used", "free"))
    each = f"{text.amounts(totals[0], look.dimensions)} each; " if len(set(totals)) == 1 else ""
    words = f"  {each}{text.memory(used)} used, {text.memory(free)} free"
    return RowGroup(f"partition {label}", places, [(text.plain(label) or "default", "strong"), (words, "soft")])


def _held(holder: str, places: Sequence[int], rows: Sequence[Any], picture: Picture, look: Look) -> RowGroup:
    sizes = {size for size in (rows[place].reserved for place in places[:_SEEN]) if isinstance(size, tuple)}
    each = " each" if len(places) > 1 else ""
    size = f", {text.amounts(sizes.pop(), look.dimensions)}{each}" if len(sizes) == 1 else ""
    since = _since([rows[place].id for place in places[:_SEEN]], picture)
    at = "" if since is None else f" since {text.near_clock(since, look.now_ms, look.offset_ms)}"
    return RowGroup(
        holder, places, [(f"{len(places)} reserved for {text.short_id(holder)}{size}", "text"), (at, "soft")]
    )


def _since(nodes: Sequence[str], picture: Picture) -> int | None:
    """Tells when the first of some nodes was reserved [epoch ms]; None where that is not known."""
    found = []
    for node in nodes:
        here = picture.snapshot.containers(node=node)
        last = here[-1] if len(here) else None  # what is reserved is the last there
        if last is not None and last.state == "RESERVED" and not isinstance(last.since_ms, Unknown):
            found.append(last.since_ms)
    return min(found, default=None)
