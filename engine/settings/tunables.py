"""What may be varied to end a wait: settings, fields of applications, sizes of nodes; the form of their tables.

A row says where its value is written, how it may be varied, which refusals it governs, and when it takes effect; the
indented sentence under it says what it risks. The search for remedies knows no setting by name but from here.
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

Where = Literal["whole", "queue", "leaf", "others", "partition", "user", "own", "holder", "nodes", "release", "root"]
"""The place of a value: of the whole scheduler; of the queue and those above it (`queue`), of it alone (`leaf`), of the
leaves of others; of the queue and those above it in a partition; of the user; of the application itself or of one that
holds what it wants; of all nodes; the release; the top of an allocation file (`root`)."""

Takes = Literal["refresh", "owner", "restart", "patch", "hardware"]
TAKES: Final[tuple[Takes, ...]] = ("refresh", "owner", "restart", "patch", "hardware")
"""When a value takes effect, the soonest first: after a refresh, with the next submission, after a restart, with
another release, on other machines."""

Way = Literal["up", "down", "sooner"]

_FULL: Final = (
    "DOES_NOT_FIT NODE_RESERVED RESERVATION_LIMIT QUEUE_WOULD_EXCEED_MAXIMUM OTHER_FIRST WAITS_FOR_EVENT MAPS_FIRST"
)
_MAX: Final = "QUEUE_OVER_MAXIMUM QUEUE_WOULD_EXCEED_MAXIMUM"
_AM: Final = "AM_SHARE_EXHAUSTED USER_AM_SHARE_EXHAUSTED"
_USER: Final = "USER_OVER_LIMIT"

REFUSED: Final = "REFUSED"
"""The application was not let in."""
LOST: Final = "LOST"
"""It had something, and ended without its work."""
PACE: Final = "PACE"
"""There is room, and still it is given only so much at a time."""

GROUPS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(codes.split())
    for name, codes in {
        "FULL": _FULL,
        "MAX": _MAX,
        "RUN": "QUEUE_NOT_RUNNING_IT",
        "AM": _AM,
        "USER": _USER,
        "HELD": f"{_FULL} {_MAX} {_USER} {_AM}",
        "DELAY": f"DELAY_SCHEDULING {PACE}",
        "STRICT": "LOCALITY_NOT_RELAXED",
        "LABEL": "NOT_IN_PARTITION LABEL_NOT_ACCESSIBLE",
        "SMALL": "NODE_TOO_SMALL",
        "AWAY": "NODE_SILENT NODES_NOT_BACK RECOVERY_WAIT MASTER_NOT_BACK NO_NODE",
    }.items()
}
"""Name of a group → the codes of obstacles in it, as of `schedulers.activity.Reason`."""

LIMITS: Final = GROUPS["MAX"] | GROUPS["RUN"] | GROUPS["AM"] | GROUPS["USER"] | GROUPS["LABEL"] | GROUPS["STRICT"]
"""Codes of limits: all of them in the way of an ask have to go before it starts."""


class Ladder(msgspec.Struct, frozen=True):
    """Numbers of which the bound helps most: a limit that may go up or down, or a time that may be shorter."""

    way: Way
    bound: str
    """A number, or the name of a figure of the cluster, as of `tunable_values`."""
    scale: int = 1
    """Steps in one: 10 for tenths; of a time its units in a second."""
    start: str = ""
    """The value to begin at where there is no limit."""


class ValueChoices(msgspec.Struct, frozen=True):
    """Some values, or the name of a figure of the cluster that lists them (`@leaves`)."""

    values: tuple[str, ...]


class Tunable(msgspec.Struct, frozen=True):
    """One value that may be varied."""

    key: str
    """A setting by its name of a queue, or its whole key; the field of an application."""
    where: Where
    vary: Ladder | ValueChoices
    governs: frozenset[str]
    """Codes of the obstacles that it may take away."""
    takes: Takes
    risk: str
    """What it may do to others, in a few words; empty where nothing is known."""
    needs: tuple[tuple[str, str], ...] = ()
    """Settings of the whole scheduler without which it has no effect, with their values; they are set with it."""
    schedulers: tuple[str, ...] = ()
    """Beginnings of the names of the schedulers that have it; empty for all."""
    is_blunt: bool = False
    """Whether it changes what was meant, or everything at once, so that it comes last of what takes effect as soon."""
    no_witness: str = ""
    """Why no scenario of a few lines shows its effect; empty where one has to."""

    @property
    def is_limit(self) -> bool:
        """Tell whether it only ever lets more through the looser it is, so that it may be loosened with others."""
        is_one_way = self.vary.way == "up" if isinstance(self.vary, Ladder) else len(self.vary.values) == 1
        is_list = isinstance(self.vary, ValueChoices) and self.vary.values[0].startswith("@")
        return is_one_way and not is_list and not self.needs and bool(self.governs & LIMITS)

    def is_of(self, scheduler: str) -> bool:
        """Tell whether a scheduler has it."""
        return not self.schedulers or scheduler.startswith(self.schedulers)


def tunables(schedulers: str, table: str, short: Mapping[str, str] | None = None) -> tuple[Tunable, ...]:
    """The rows of a table: `key | where | how | what it governs | takes | options`, and under it its risk.

    A row goes on in lines that begin with `    |`.
    Rows are of some schedulers, named by the beginnings of their names; `short` are beginnings of keys that the table
    writes as `$a`. Options are `needs=KEY=VALUE, KEY=VALUE`, `of=SCHEDULERS`, `blunt` and `witness=none: WHY`.
    """
    for sign, text in (short or {}).items():
        table = table.replace(sign, text)
    lines = table.strip("\n").split("\n")
    found: list[Tunable] = []
    while lines:
        row = lines.pop(0)
        while lines and lines[0].startswith("    |"):  # it goes on
            row += lines.pop(0)
        key, where, how, governs, takes, *more = map(str.strip, row.split("|"))
        risk = []
        while lines and lines[0].startswith("    "):
            risk.append(lines.pop(0).strip())
        options = {name: text for name, _, text in (one.partition("=") for one in more)}
        needs = tuple(tuple(one.strip().split("=")) for one in options.get("needs", "").split(",") if one)
        made = Tunable(
            key,
            msgspec.convert(where, Where),
            _way(how),
            frozenset[str]().union(*(GROUPS.get(each, frozenset({each})) for each in governs.split())),
            msgspec.convert(takes, Takes),
            " ".join(risk),
            msgspec.convert(needs, tuple[tuple[str, str], ...]),
            tuple(options.get("of", schedulers).split()),
            "blunt" in options,
            options.get("witness", "").removeprefix("none:").strip(),
        )
        found.append(made)
    return tuple(found)


def _way(how: str) -> Ladder | ValueChoices:
    """Read `up 100 /10`, `down 1 from apps`, `sooner 1 /1000`, `one true false` and `one` (the empty text)."""
    kind, *words = how.split()
    if kind == "one":
        return ValueChoices(tuple(words) or ("",))
    bound, *more = words
    scale = next((int(each[1:]) for each in more if each.startswith("/")), 1)
    start = more[more.index("from") + 1] if "from" in more else ""
    return Ladder(msgspec.convert(kind, Way), bound, scale, start)
