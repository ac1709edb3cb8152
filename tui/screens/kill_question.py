"""Words the question before applications are killed: what is lost and freed."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from engine.observe.snapshot import ApplicationRow, Snapshot, summed
from engine.observe.system_words import in_words_of, words_of
from tui import format as text
from tui.picture import Picture
from tui.render.act_sheet import ActQuestion, Fact
from tui.screens.act_questions import first_named, left_out, live
from tui.screens.dialects import Terms

NOTHING: Final = (("nothing", ""),)
LOOKED_AT: Final = 40
"""Most applications whose work in containers is added up."""


def kill_question(rows: Sequence[ApplicationRow], terms: Terms, picture: Picture) -> ActQuestion | None:
    """Ask whether to kill applications; None when all have ended."""
    doomed, snapshot = live(rows), picture.snapshot
    if not doomed:
        return None
    words = words_of(snapshot.header.dimensions)
    title = in_words_of("Kill an application" if len(rows) == 1 else "Kill applications", words)
    if len(rows) == 1:
        lines, whom = _who(doomed[0], terms, snapshot), text.short_id(doomed[0].id)
    else:
        whom = str(len(doomed))
        users = f"of {_users(doomed)}"
        names = first_named([f"{row.id}  {text.plain(row.name) or '-'}, {text.plain(row.user)}" for row in doomed])
        lines = [
            f"{len(doomed)} {words.application}s  {users}",
            *names,
            *left_out(len(rows) - len(doomed), "ended already"),
        ]
    lost, freed = _lost(doomed, terms, snapshot), _freed(doomed, terms, snapshot)
    return ActQuestion(title, tuple(lines), f"Kill {whom}", lost or NOTHING, freed or NOTHING)


def _who(row: ApplicationRow, terms: Terms, snapshot: Snapshot) -> list[str]:
    parts = [text.plain(row.user), text.plain(row.queue) if terms.has_queues else "", row.state]
    age = text.duration(snapshot.header.time_ms - row.submitted_ms)
    return [f"{text.short_id(row.id)} {text.plain(row.name)}   {', '.join(filter(None, parts))} {age}", row.id]


def _users(rows: Sequence[ApplicationRow]) -> str:
    """Name the users who lose work, those with the most applications first."""
    counted = Counter(row.user for row in rows).most_common()
    words = ", ".join(f"{text.plain(user)} ({count})" for user, count in counted[:5])
    return words + (f" and {len(counted) - 5} more" if len(counted) > 5 else "")


def _lost(rows: Sequence[ApplicationRow], terms: Terms, snapshot: Snapshot) -> tuple[Fact, ...]:
    """Containers, and the work in them."""
    count = sum(row.containers for row in rows)
    if not count:
        return ()
    used = text.amounts(summed([row.used for row in rows]), snapshot.header.dimensions)
    facts = [(text.plural(count, terms.container), used)]
    if len(rows) > LOOKED_AT:
        return tuple(facts)
    now_ms, ids = snapshot.header.time_ms, {row.id for row in rows}
    held = [one for each in ids for one in snapshot.containers(application=each) if one.state != "RESERVED"]
    if "containers" in snapshot.header.inferred:
        held = []
    begins = [one.since_ms for one in held if isinstance(one.since_ms, int)]
    nodes = {one.node for one in held}
    if not held:
        numbers = {row.number for row in rows}
        executors = [one for one in snapshot.executors() if one.application in numbers]
        begins, nodes = [one.launched_ms for one in executors], {one.worker for one in executors}
    if len(nodes) == 1:
        facts[0] = (facts[0][0], f"{used} on {text.short_node(next(iter(nodes)))}")
    elif nodes:
        facts[0] = (facts[0][0], f"{used} on {text.plural(len(nodes), terms.node)}")
    if begins:
        facts.append((text.duration(sum(now_ms - each for each in begins)), "of work in them"))
    return tuple(facts)


def _freed(rows: Sequence[ApplicationRow], terms: Terms, snapshot: Snapshot) -> tuple[Fact, ...]:
    """Nodes it has reserved, memory and cores, and what that leaves its queue."""
    ids, dimensions = {row.id for row in rows}, snapshot.header.dimensions
    facts: list[Fact] = []
    if terms.reserves:
        held = [one for one in snapshot.reservations() if one.application in ids]
        free = text.memory(sum(one.free[0] for one in held))
        facts += (
            [(text.plural(len(held), "node"), f"{free} free on {'it' if len(held) == 1 else 'them'}")] if held else []
        )
    used = summed([row.used for row in rows])
    if "map_slots" in dimensions:
        facts += [(text.amounts(used, dimensions), "of slots")] if any(used) else []
        return tuple(facts)
    cores = f"{used[1]} {dimensions[1].removesuffix('s') if used[1] == 1 else dimensions[1]}"
    if terms.counts_cores:
        facts.append((cores, "for the list from the top"))
    elif any(used):
        facts.append((text.memory(used[0]), f"of memory, {cores}"))
    paths = {row.queue for row in rows}
    queue = next((one for one in snapshot.queues() if paths == {one.path}), None) if terms.has_queues else None
    if queue is not None and any(used):
        before, after = text.memory(queue.used[0]), text.memory(queue.used[0] - used[0])
        fair = text.memory(queue.fair_share[0]) if isinstance(queue.fair_share, tuple) else "?"
        facts.append((text.short_queue(text.plain(queue.path)), f"{before} → {after} of {fair}"))
    return tuple(facts)
