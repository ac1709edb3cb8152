"""Applications of Spark's Master by cause: who keeps cores from others, who wants cores, who has all, who has ended."""

from collections.abc import Sequence

from engine.observe.service import ENDED, WAITS, services
from engine.observe.snapshot import Unknown
from engine.observe.spark_snapshot import StandaloneRow
from tui import format as text
from tui.picture import Picture
from tui.render.cause import ended_group, waiters
from tui.render.group import Grouping, RowGroup, by_key
from tui.render.line import Look, Spans

_KEEPS, _WANTS, _HAS = "keeps", "wants", "has"


def by_cores(rows: Sequence[StandaloneRow], picture: Picture, look: Look) -> Grouping:
    """Applications by what they lack: cores, or nothing."""
    served = services(rows)
    is_short = any(service == WAITS and row.cores_wanted is not None for row, service in zip(rows, served, strict=True))
    places = by_key([_key(row, service, is_short=is_short) for row, service in zip(rows, served, strict=True)])
    words = {_KEEPS: _keeping, _WANTS: _wanting, _HAS: _having}
    groups = [
        RowGroup(key, some, words[key]([rows[place] for place in some], look))
        for key in (_KEEPS, _WANTS, _HAS)
        if (some := places.get(key))
    ]
    if ENDED in places:
        groups.append(ended_group(places[ENDED], waiters(rows, look)))
    return Grouping(groups, can_fold=True)


def _key(row: StandaloneRow, service: str, *, is_short: bool) -> str:
    if service == ENDED:
        return ENDED
    if row.cores_wanted is None and row.used[1] and is_short:
        return _KEEPS
    return _WANTS if service == WAITS else _HAS


def _keeping(some: Sequence[StandaloneRow], look: Look) -> Spans:
    total = look.total[1] if len(look.total) > 1 else 0
    has = sum(row.used[1] for row in some)
    one = len(some) == 1
    bold = f"{len(some)} {'keeps' if one else 'keep'} {has} of {text.plural(total, 'core')}"
    return [(bold, "strong"), (f" and {'sets' if one else 'set'} no maximum: others wait", "soft")]


def _wanting(some: Sequence[StandaloneRow], look: Look) -> Spans:
    one = len(some) == 1
    codes = {row.obstacle.code: row.obstacle.sentence for row in some if row.obstacle is not None}
    sentence = next(iter(codes.values())).partition(";")[0].partition(" (")[0]
    cause = f": {sentence}" if len(codes) == 1 else ""
    has = "has fewer than it asks for" if one else "have fewer than they ask for"
    return [(f"{len(some)} {'wants' if one else 'want'} cores", "strong"), (f" and {has}{cause}", "soft")]


def _having(some: Sequence[StandaloneRow], look: Look) -> Spans:
    runs, has_all = ("runs", "with all it asked for") if len(some) == 1 else ("run", "with all they asked for")
    is_known = not any(isinstance(row.cores_wanted, Unknown) for row in some)
    return [(f"{len(some)} {runs}{f' {has_all}' if is_known else ''}", "strong")]
