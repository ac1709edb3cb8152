"""The strip while rows are marked: which they are and what they have together; acts are about all of them."""

from collections.abc import Sequence
from typing import Any, Final

from engine.observe.section import column, glimpses
from engine.observe.service import WAITS, services
from engine.observe.snapshot import summed
from engine.observe.system_words import words_of
from tui import format as text
from tui.render.line import Look, Spans

NAMED: Final = 8  # Marked rows that are named; of more there is the number


def marked_applications(rows: Sequence[Any], look: Look) -> list[Spans]:
    """Marked applications: their ids, what they hold together, how many wait, what an end of them frees."""
    held = sum(column(rows, "containers"))
    used = text.amounts(summed(column(rows, "used")), look.dimensions)
    waits = services(rows).count(WAITS)
    since = min((at for at in column(rows, "waiting_since_ms") if at is not None), default=None)
    longest = f", longest {text.age(since, look.now_ms)}" if since is not None else ""
    what = text.held(held, summed(column(rows, "used")), look.dimensions) if held else "nothing"
    loses = text.plural(held, words_of(look.dimensions).container) if held else "nothing"
    return [
        _who([text.short_id(row_id) for row_id in column(rows, "id")]),
        [("together they have ", "soft"), (what, "text"), (f"; {waits} wait{longest}" if waits else "", "text")],
        [("K ", "bold accent"), (f"kill them: frees {used if held else 'nothing'}, loses {loses}", "text")],
    ]


def marked_nodes(rows: Sequence[Any], look: Look) -> list[Spans]:
    """Marked nodes: their names, what they have together, what a drain of them does."""
    words = words_of(look.dimensions)
    held = sum(column(rows, "containers"))
    total, used, free = (
        text.amounts(summed(column(rows, name)), look.dimensions) for name in ("total", "used", "free")
    )
    names = [look.node_name(row.host or row.id) for row in glimpses(rows)]
    return [
        _who(names),
        [(f"together {text.plural(held, words.container)}, {used} of {total}; {free} free", "text")],
        [("D ", "bold accent"), (f"drain them, or bring back {words.node}s that are out", "text")],
    ]


def _who(names: Sequence[str]) -> Spans:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [(f"{len(names)} ", "strong"), (f"marked: {', '.join(names[:NAMED])}{more}", "text")]
