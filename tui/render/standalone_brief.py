"""The strip about an application of Spark's Master: what it has and asks, why not more, what it lost, until when."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from engine.observe.section import glimpses
from engine.observe.service import LIVE_STATES, WAITS, service_of
from engine.observe.snapshot import Amounts, NodeRow, Unknown, summed
from engine.observe.spark_snapshot import StandaloneRow
from tui import format as text
from tui.glyphs import DOT
from tui.picture import EventField, Picture
from tui.render.line import Look, Spans

LABELLED_FROM: Final = 5  # Lines of a strip from which on there is room for every fact
NO_MAXIMUM: Final = "it sets no maximum: it is given every core that comes free"
_NAMED: Final = 2  # So many of those that may end first are named


def lines(row: StandaloneRow, picture: Picture, look: Look, height: int) -> list[Spans]:
    """Describe an application in `height` lines, the most important first."""
    if row.state not in LIVE_STATES:
        return [[(row.state, "strong"), (f" {text.plain(row.diagnostics)}".rstrip(), "soft")], who_line(row, look)]
    until = [_fact("until", each) for each in _until(row, picture)]
    if height < LABELLED_FROM:
        return [has_line(row, look), *why_lines(row), *until, *_kill_line(row)]
    lost = [_fact("lost", each) for each in _lost(row, picture)]
    return [who_line(row, look), has_line(row, look), *why_lines(row), *lost, *until, *_kill_line(row)]


def _fact(label: str, words: str) -> Spans:
    return [(f"{label:<6}", "faint"), (words, "text")]


def who_line(row: StandaloneRow, look: Look) -> Spans:
    """The line with its user, its state and for how long, its id."""
    end_ms = look.now_ms if row.finished_ms is None else row.finished_ms
    age = text.duration(end_ms - row.submitted_ms)
    return [(f" {DOT} ".join((text.plain(row.user), f"{row.state} {age}", text.plain(row.id))), "soft")]


def has_line(row: StandaloneRow, look: Look) -> Spans:
    """The line with the cores it has of those it asks for."""
    wants = look.total[1] if row.cores_wanted is None and len(look.total) > 1 else row.cores_wanted
    each = "any cores" if not isinstance(row.executor_cores, int) else text.plural(row.executor_cores, "core")
    executors = text.plural(row.containers, "executor")
    size = f" of {each}, {text.memory(row.executor_memory_mb)}"
    of = f"{row.used[1]} of {text.plural(wants or 0, 'core')}" if not isinstance(wants, Unknown) else ""
    return [(of or text.plural(row.used[1], "core"), "strong"), (f" in {executors}{size}", "text")]


def why_lines(row: StandaloneRow) -> list[Spans]:
    """The line that tells why it has no more; none where it has all."""
    if row.obstacle is not None:
        return [_fact("why", text.plain(row.obstacle.sentence))]
    return [_fact("why", NO_MAXIMUM)] if row.cores_wanted is None else []


def _kill_line(row: StandaloneRow) -> list[Spans]:
    frees = text.plural(row.used[1], "core") if row.used[1] else "nothing"
    loses = text.plural(row.containers, "executor") if row.containers else "nothing"
    return [[("K     ", "bold accent"), (f"kill it: frees {frees}, loses {loses}", "text")]]


def _lost(row: StandaloneRow, picture: Picture) -> Iterator[str]:
    """The executors that went with workers that are gone, as far as the latest events tell."""
    gone = {node.id for node in picture.snapshot.nodes() if node.state == "DEAD"}
    killed = [event.fields for event in picture.events if event.kind == "Killed"]
    lost = Counter(
        str(fields["node"]) for fields in killed if fields["cause"] == "LOST" and _owner(fields) == row.number
    )
    for node in sorted(lost.keys() & gone):
        yield f"{text.plural(lost[node], 'executor')} with {text.plain(text.short_node(node))}"


def _owner(fields: Mapping[str, EventField]) -> int | None:
    container = fields["container"]
    return container[0] if isinstance(container, tuple) else None


def _until(row: StandaloneRow, picture: Picture) -> Iterator[str]:
    """The ends that make room for one of its executors for sure: a worker returns, an application ends."""
    if row.obstacle is None:
        return
    rows: Iterable[Any] = glimpses(picture.snapshot.applications(why=False))
    listed: list[StandaloneRow] = [one for one in rows if one.state in LIVE_STATES]
    nodes = picture.snapshot.nodes()
    returns = [
        f"{text.plain(text.short_node(node.host or node.id))} returns"
        for node in nodes
        if node.state == "DEAD" and _has_room(node.total, _need(row, listed))
    ]
    held: dict[int, dict[str, Amounts]] = defaultdict(dict)
    for executor in picture.snapshot.executors():
        here = held[executor.application]
        here[executor.worker] = summed((here.get(executor.worker, (0, 0)), (executor.memory_mb, executor.cores)))
    ends = [
        f"{one.number:04d} ends"
        for one in listed
        if one.number != row.number and held[one.number]
        if _makes_room(held[one.number], nodes, _need(row, [other for other in listed if other is not one]))
    ]
    found = (returns + ends)[:_NAMED]
    if found:
        yield ", or ".join(found)


def _need(row: StandaloneRow, listed: Sequence[StandaloneRow]) -> Amounts | None:
    """The room one worker has to have, so that one of its executors fits after all who come before it in the list.

    None where one of these takes whatever comes.
    """
    if isinstance(row.executor_cores, Unknown):
        return None
    need: Amounts = (row.executor_memory_mb, row.executor_cores or 1)
    for one in listed[: next(place for place, other in enumerate(listed) if other.number == row.number)]:
        if service_of(one.state, one.pending_containers, one.waiting_since_ms, one.containers) != WAITS:
            continue
        if not isinstance(one.cores_wanted, int) or isinstance(one.executor_cores, Unknown):
            return None
        missing = max(0, one.cores_wanted - one.used[1])
        executors = -(-missing // (one.executor_cores or 1))
        need = summed((need, (executors * one.executor_memory_mb, missing)))
    return need


def _makes_room(held: Mapping[str, Amounts], nodes: Sequence[NodeRow], need: Amounts | None) -> bool:
    """True where one worker has room once what is held there is free."""
    alive = (node for node in nodes if node.state == "ALIVE" and node.id in held)
    return any(_has_room(summed((node.free, held[node.id])), need) for node in alive)


def _has_room(amounts: Amounts, need: Amounts | None) -> bool:
    return need is not None and all(has >= needs for has, needs in zip(amounts, need, strict=True))
