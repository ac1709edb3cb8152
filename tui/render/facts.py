"""All fields of one row as text: in groups, amounts with units, instants as a clock shows them.

A noun names the groups of its fields; a field that no group names stands at the end, so nothing is left out.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final, NamedTuple

from engine.observe.snapshot import AskRow, ObstacleSummary, PartitionUse, Release, Unknown
from tui import format as text
from tui.render.line import Look
from tui.render.release import release_lines


class Group(NamedTuple):
    """Fields that belong together."""

    title: str
    names: tuple[str, ...]


_HIDDEN: Final = frozenset({"depth", "sequence"})  # Fields that only say how a row is drawn
_LABELS: Final = {
    "applications_running": "running",
    "applications_pending": "not running yet",
    "asks": "each",
    "cores_wanted": "cores at most",
    "executor_memory_mb": "executor memory",
    "id": "id",
    "is_am": "runs the master",
    "is_leaf": "holds applications",
    "last_heartbeat_ms": "last heartbeat",
    "launched_ms": "launched",
    "am_limit": "at most",
    "am_used": "used",
    "marked_ms": "to be preempted",
    "memory_mb": "memory",
    "partition": "node label",
    "pending_containers": "containers",
    "obstacle": "reason",
    "released": "freed",
    "reservations": "nodes reserved",
    "since_ms": "since",
    "starved_since_ms": "starved since",
    "steady_share": "steady fair share",
    "submitted_ms": "submitted",
    "finished_ms": "ended",
    "waiting_since_ms": "waits since",
}
_NEVER: Final = {
    "waiting_since_ms": "it does not wait",
    "finished_ms": "it has not",
    "starved_since_ms": "it is not starved",
    "marked_ms": "no",
    "max_share": "no limit",
    "user_limit": "has no applications of its own",
    "am_limit": "has no applications of its own",
    "am_used": "has no applications of its own",
    "cores_wanted": "no limit",
    "executor_cores": "all it is given on a worker",
    "reserved_by": "nobody",
    "reserved": "nothing",
    "obstacle": "it does not wait",
}
"""What None means."""
_AMOUNTS: Final = frozenset(
    {"used", "total", "free", "demand", "size", "short_by", "reserved", "pending", "fair_share", "steady_share"}
    | {"min_share", "max_share", "guaranteed", "user_limit", "am_used", "am_limit"}
)
_UNITS: Final = {"memory_mb": "memory", "map_slots": "map slots", "reduce_slots": "reduce slots"}
_KEPT_EMPTY: Final = {"partition": "none"}  # What no text at all means where that says something
_BY_POLICY: Final = frozenset({"fair_share", "steady_share"})
"""Shares of which a policy that looks at memory only computes the first part."""
_COLUMN: Final = 23
_LEAST: Final = 24  # Cells that a value gets at least


def fact_lines(facts: Sequence[str], width: int = 108) -> list[str]:
    """Facts as lines of at most `width` cells."""
    room = max(_LEAST, width - _COLUMN)
    return [line for fact in facts for line in _broken(fact, room)]


def _broken(line: str, room: int) -> list[str]:
    head, value = line[:_COLUMN], line[_COLUMN:]
    if len(value) <= room:
        return [line]
    first, *rest = wrap(value, room, break_long_words=False, break_on_hyphens=False)
    return [head + first, *(" " * _COLUMN + more for more in rest)]


def grouped(*groups: Group, absent: Collection[str] = ()) -> Callable[[Any, Look], list[str]]:
    """Facts of rows whose fields are in these groups; a field that no group names stands at the end.

    `absent` fields mean nothing for these rows.
    """
    named = {name for group in groups for name in group.names}
    hidden = _HIDDEN.union(absent)

    def facts(row: Any, look: Look) -> list[str]:
        values = {name: getattr(row, name) for name in row.__struct_fields__ if name not in hidden}
        values = {name: value for name, value in values.items() if value != "" or name in _KEPT_EMPTY}
        rest = Group("also", tuple(name for name in values if name not in named))
        blocks = [_block(group, values, look) for group in (*groups, rest)]
        return joined([block for block in blocks if len(block) > 1])

    return facts


def joined(blocks: Sequence[Sequence[str]]) -> list[str]:
    """Blocks of lines, with an empty line between two."""
    lines = [line for block in blocks for line in ("", *block)]
    return lines[1:]


def _block(group: Group, values: Mapping[str, Any], look: Look) -> list[str]:
    lines = [group.title.upper()]
    for name in group.names:
        if name in values:
            lines += pair(label(name), value_lines(name, values[name], look))
    return lines


def pair(name: str, value: Sequence[str]) -> list[str]:
    """A field with its value, further lines of which stand under the first."""
    return [f"  {name if place == 0 else '':<20} {words}".rstrip() for place, words in enumerate(value or [""])]


def label(name: str) -> str:
    """The label of a field.

    >>> label("waiting_since_ms"), label("fair_share")
    ('waits since', 'fair share')
    """
    return _LABELS.get(name, name.removesuffix("_ms").replace("_", " "))


def value_lines(name: str, value: Any, look: Look) -> list[str]:
    """A value in words; several where there are several asks."""
    if isinstance(value, Unknown):
        return ["not known here"]
    if value is None:
        return [_NEVER.get(name, "none")]
    if isinstance(value, ObstacleSummary):
        return [text.plain(value.sentence), f"{value.code}, {value.certainty}"]
    if isinstance(value, Release):
        return list(release_lines(value, look))
    if name == "asks":
        return [_ask(ask, look) for ask in value] or ["nothing"]
    if name == "partitions":
        return [_partition(each, look) for each in value]
    if name in _BY_POLICY and not any(value[1:]):
        value = value[:1]
    if name in _AMOUNTS and isinstance(value, tuple):
        return [amounts_words(value, look.dimensions)]
    return [_plain(name, value, look)]


def _partition(use: PartitionUse, look: Look) -> str:
    name = text.plain(use.label) or "without label"
    used = amounts_words(use.used, look.dimensions)
    return f"{name}: {100 * use.capacity:g} %, at most {100 * use.maximum:g} %; uses {used}"


def _plain(name: str, value: Any, look: Look) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.endswith("_ms") and isinstance(value, int):
        return moment(value, look)
    if name.endswith("_mb") and isinstance(value, int):
        return text.memory(value)
    if name == "share" and isinstance(value, float):
        return f"{100 * value:.1f}% of the cluster, in what it uses most"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(text.plain(str(one)) for one in value) or "none"
    return text.plain(str(getattr(value, "value", value))) or _KEPT_EMPTY.get(name, "-")


def moment(time_ms: int, look: Look) -> str:
    """An instant as a clock shows it, and how long ago that was."""
    clock = text.clock(time_ms, look.offset_ms)
    ago_ms = look.now_ms - time_ms
    return f"{clock}, {text.duration(ago_ms)} ago" if ago_ms >= 0 else f"{clock}, in {text.duration(-ago_ms)}"


def amounts_words(values: Sequence[int], dimensions: Sequence[str]) -> str:
    """Amounts with the name of each.

    >>> amounts_words((24576, 8), ("memory_mb", "vcores"))
    '24G memory, 8 vcores'
    """
    if values and all(value >= text.NO_LIMIT_FROM for value in values):
        return "no limit"
    parts = zip(dimensions, values, strict=False)
    return ", ".join(
        f"{_amount(name, value)} {_UNITS.get(name, name).removesuffix('s' if value == 1 else '')}"
        for name, value in parts
    )


def _amount(name: str, value: int) -> str:
    return "any" if value >= text.NO_LIMIT_FROM else text.dimension(name, value)


def _ask(ask: AskRow, look: Look) -> str:
    where = "anywhere"
    if ask.places:
        where = f"{'near' if ask.relax_locality else 'only on'} {' '.join(map(text.plain, ask.places))}"
    return f"{ask.count} x {amounts_words(ask.size, look.dimensions)}; priority {ask.priority}, {where}"
