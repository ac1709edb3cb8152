"""How many applications wait, in words: `78 waiting = 63 without a container + 15 for more`, everywhere alike."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import MAPREDUCE_1, WaitTotal, terms_for, waits_below, waits_by, waits_of
from tui.panes.field import COUNT, QUEUE, USER, RowField, text_cell
from tui.panes.fragments import RenderContext
from tui.panes.table import Column, figure

CLUSTER = "cluster"  # Whose waits a look knows beside those of a queue and a user


def sum_words(waits: WaitTotal, dimensions: Sequence[str], *, is_short: bool = False) -> str:
    """Say behind their number what so many wait for; empty where none waits.

    >>> sum_words(WaitTotal(63, 15), ("memory_mb", "vcores"))
    ' = 63 without a container + 15 for more'
    >>> sum_words(WaitTotal(63, 15), (), is_short=True), sum_words(WaitTotal(0, 15), ())
    (' = 63 without + 15 more', ' for more')
    """
    words = terms_for(dimensions)
    noun = "slot" if words is MAPREDUCE_1 else words.container
    none = f"without {'an' if noun[0] == 'e' else 'a'} {noun}"
    if waits.first and waits.more:
        return f" = {waits.first} {'without' if is_short else none} + {waits.more} {'more' if is_short else 'for more'}"
    return f" {none}" if waits.first else " for more" if waits.more else ""


_FIRST: Final = {"starts": "starts", "starts_not": "does not start", "never": "never starts"}
_NEXT: Final = {
    "starts": "gets its next {container}",
    "starts_not": "gets no further {container}",
    "never": "never gets another {container}",
}


SLOWEST: Final = "its slowest ask"  # What a verdict is about where another ask of the same application fares better


def service_words(container: str) -> Mapping[str, str]:
    """What one by itself waits for: its start or, where it runs, its next `container`; `served_words` is of many."""
    return {key: words.format(container=container) for key, words in _NEXT.items()} if container else _FIRST


def served_words(waits: WaitTotal, *, is_over: bool = False) -> str:
    """Say behind their number what so many get, or `is_over`: one that runs already does not start, but gets more.

    >>> [served_words(WaitTotal(*counts)) for counts in ((1, 0), (2, 0), (0, 1), (0, 2), (1, 1))]
    ['starts', 'start', 'gets more', 'get more', 'start or get more']
    >>> [served_words(WaitTotal(*counts), is_over=True) for counts in ((1, 0), (2, 0), (0, 1), (1, 1))]
    ['has started', 'have started', 'has got more', 'have started or got more']
    """
    first, more, auxiliary = "start", "get more", ""
    if is_over:
        first, more, auxiliary = "started", "got more", "has " if waits.number == 1 else "have "
    elif waits.number == 1:
        first, more = "starts", "gets more"
    if not waits.more:
        return auxiliary + first
    return auxiliary + (f"{first} or {more}" if waits.first else more)


def cell_words(waits: WaitTotal) -> str:
    """The same in a cell.

    >>> [cell_words(WaitTotal(first, more)) for first, more in ((20, 3), (20, 0), (0, 3), (0, 0))]
    ['20+3', '20', '0+3', '0']
    """
    return f"{waits.first}+{waits.more}" if waits.more else str(waits.first)


def count_fields(waits: Callable[[Any, RenderContext], WaitTotal], *ranks: int) -> tuple[RowField[Any], ...]:
    """The fields for how many applications of a row run and how many wait; `ranks` are those of their columns."""
    waiting = text_cell(lambda row, look: cell_words(waits(row, look)))
    run: Column[Any] = figure("RUN", 4, ranks[0])
    wait: Column[Any] = figure("WAIT", 5, ranks[1], waiting)
    return (
        RowField("running", "applications_running", COUNT, "r", "running applications", run, "applications"),
        RowField(
            "waiting",
            "applications_pending",
            COUNT,
            "w",
            "waiting applications",
            wait,
            "applications",
            own=lambda row, look: waits(row, look).number,
        ),
    )


def waits_in(kind: str, key: str, look: RenderContext) -> WaitTotal:
    """Applications that wait in a queue or below it, of a user, or all; `key` is its path or name, empty for all."""
    return look.waits.get((kind, key), WaitTotal())


def with_waits(look: RenderContext, snapshot: Snapshot) -> RenderContext:
    rows = snapshot.applications(why=False)
    found = {(USER, name): waits for name, waits in waits_by(rows, "user").items()}
    found[CLUSTER, ""] = waits_of(rows)
    found |= {(QUEUE, path): waits for path, waits in waits_below(rows).items()}
    return look._replace(waits=found)
