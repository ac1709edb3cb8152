"""The strip's words about an application of YARN: what it has, asks and holds, until when, what its end would free.

In three lines the most important, in some more a label before each sentence, in many a verdict above the circle.
"""

from collections import Counter
from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from engine.explain.alert import SOON_MS
from engine.observe.snapshot import ApplicationRow, AskRow, Unknown, column
from engine.observe.snapshots import LIVE_STATES, terms_for
from tui.panes.fragments import Fragments, HeldNodes, RenderContext
from tui.panes.group import held_nodes
from tui.panes.header import frozen_of
from tui.protocol.picture import SessionState
from tui.terminal import format as text
from tui.terminal.format import DOT

# Reservations without harm: outside of a freeze, ones shorter than `SOON_MS` are part of any pass.
#
# Groups, the strip of a row and its text leave them out alike.

RESERVED = "NODE_RESERVED"  # Code of the obstacle of an application that waits for a reserved node


class Passing(NamedTuple):
    """The reservations of a picture that do not count."""

    holders: Set[str] = frozenset()  # Ids of applications whose reservations all are among them
    is_every: bool = False  # True where there is no other, so that none waits for a reserved node

    def hides(self, code: str) -> bool:
        return self.is_every and code == RESERVED


def passing_reservations(picture: SessionState) -> Passing:
    """Find the reservations that do not count at the instant of a picture."""
    if frozen_of(picture) is not None:
        return Passing()
    now_ms, rows = picture.snapshot.header.time_ms, picture.snapshot.reservations()
    are_old = [not isinstance(at, int) or now_ms - at >= SOON_MS for at in column(rows, "since_ms")]
    if all(are_old):
        return Passing()
    names = column(rows, "application")
    old = {name for name, is_old in zip(names, are_old, strict=True) if is_old}
    young = {*names} - old
    return Passing(young, bool(young) and not old)


CIRCLE_FROM: Final = 12  # Lines of a strip from which on it may show a circle

LABELLED_FROM: Final = 5  # Lines of a strip from which on sentences have labels
_CERTAINTY: Final = {"known": "", "inferred": " (inferred)", "unknown": " (not known here)"}


class _Held(NamedTuple):
    nodes: int
    words: str  # What is missing on them


def lines(row: ApplicationRow, picture: SessionState, look: RenderContext, height: int) -> list[Fragments]:
    """Describe an application in `height` lines; a sentence may be wider than its line."""
    held = _held(row, picture, look)
    if height < LABELLED_FROM:
        return _short(row, picture, look, held)
    if height < CIRCLE_FROM:
        return [[(_who(row, look), "soft")], *_labelled(row, picture, look, held)]
    facts = [_who(row, look), f"has {_has(row, look)}{_on_nodes(row, picture, look)}", f"asks {_asks_words(row, look)}"]
    first: Fragments = [(f" {DOT} ".join(facts), "soft")]
    bold, rest = _verdict(row, picture, look, held)
    return [first, [], [(bold, "strong"), (rest, "soft")], *_kill_line(row, look, held, label="K ", words="kill it: ")]


def _short(row: ApplicationRow, picture: SessionState, look: RenderContext, held: _Held) -> list[Fragments]:
    asks = _asks_words(row, look)
    if held.nodes:
        bold, rest = f"holds {text.plural(held.nodes, 'node')}", held.words
    elif row.state not in LIVE_STATES:
        ended = f": {_end(row)}" if _end(row) else ""
        bold, rest = row.state, f" after {time_words(row, look)}{ended}"
    elif row.waiting_since_ms is not None:
        bold, rest = f"waits {waited_words(row, look)}:", f" asks {asks}; has {_has(row, look)}"
    else:
        bold, rest = f"has {_has(row, look)}", "" if asks == "nothing" else f" and asks {asks}"
    why = _why(row, picture)
    second: Fragments = [(why or _who(row, look), "soft")]
    if _is_frozen(row, picture):
        second = [(f"{_when(picture, 'never allocated')}: ", "strong"), (_never(held, picture), "soft")]
    return [[(bold, "strong"), (rest, "soft")], second, *_kill_line(row, look, held, label="K ", words="kill it: ")]


def _labelled(row: ApplicationRow, picture: SessionState, look: RenderContext, held: _Held) -> list[Fragments]:
    found: list[Fragments] = [
        [("has   ", "faint"), (_has(row, look) + _on_nodes(row, picture, look), "text")],
        [("asks  ", "faint"), (_asks_words(row, look), "text")],
    ]
    if held.nodes:
        inferred = " (inferred)" if "reservations" in picture.snapshot.header.inferred else ""
        found.append([("holds ", "faint"), (f"{text.plural(held.nodes, 'node')}{inferred}{held.words}", "text")])
    elif why := _why(row, picture):
        found.append([("why   ", "faint"), (why, "text")])
    elif _end(row):
        found.append([("ended ", "faint"), (_end(row), "text")])
    if (comes_ms := look.coming.get(row.number)) is not None:
        at = text.near_clock(comes_ms, look.now_ms, look.offset_ms)
        found.append([("gets  ", "faint"), (f"what it asks for at {at}, as foretold", "text")])
        return [*found, [("wait  ", "faint"), (f"no act is needed: all {len(look.coming)} come without one", "text")]]
    if _is_frozen(row, picture):
        found.append([("ends  ", "faint"), (f"{_when(picture, 'never')}: ", "strong"), (_never(held, picture), "text")])
    return [*found, *_kill_line(row, look, held, label="K     ")]


def _verdict(row: ApplicationRow, picture: SessionState, look: RenderContext, held: _Held) -> tuple[str, str]:
    why = _why(row, picture)
    if _is_frozen(row, picture):
        never = f"{_when(picture, 'never allocated').capitalize()}: {_never(held, picture)}."
        return never, f" {_sentence(why)}" if why and not held.nodes else ""
    if row.state in LIVE_STATES and row.waiting_since_ms is not None:
        return f"Waits {waited_words(row, look)}.", f" {_sentence(why)}" if why else ""
    if row.state in LIVE_STATES:
        return "Gets what it asks for.", ""
    return f"{row.state}.", f" {_sentence(_end(row))}" if _end(row) else ""


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _who(row: ApplicationRow, look: RenderContext) -> str:
    life, state = life_words(row, look), f"{row.state} {time_words(row, look)}"
    parts = (text.plain(row.user), text.plain(row.queue), text.plain(row.type), state, life)
    return f" {DOT} ".join(part for part in parts if part)


def life_words(row: ApplicationRow, look: RenderContext) -> str:
    """The kind of life, then what it does; empty for an application that lives for one job."""
    if not row.lifespan:
        return ""
    words = [row.lifespan]
    if row.jobs and row.idle_since_ms is not None:
        words.append(f"idle since {text.age(row.idle_since_ms, look.now_ms)}")
    if row.jobs:
        words.append(f"{row.jobs_done} of {text.plural(row.jobs, 'job')} done")
    if row.jobs and row.idle_containers:
        words.append(f"{text.plural(row.idle_containers, 'container')} idle")
    return ", ".join(words)


def is_waiting_longer(state: str | None, since_ms: int | None, look: RenderContext) -> bool:
    """Whether one that runs may have waited before a live cluster was first looked at."""
    return state == "RUNNING" and since_ms is not None and since_ms == look.watched_from_ms


def waited_words(row: ApplicationRow, look: RenderContext) -> str:
    """How long one waits that does."""
    assert row.waiting_since_ms is not None, "it waits"
    more = ">" if is_waiting_longer(row.state, row.waiting_since_ms, look) else ""
    return more + text.age(row.waiting_since_ms, look.now_ms)


def time_words(row: ApplicationRow, look: RenderContext) -> str:
    """Tells how long it ran, or runs."""
    end_ms = look.now_ms if row.finished_ms is None else row.finished_ms
    return text.duration(end_ms - row.submitted_ms)


def _has(row: ApplicationRow, look: RenderContext) -> str:
    if not row.containers:
        return "nothing"
    master = " (its master)" if row.containers == 1 and row.state == "RUNNING" else ""
    return text.format_usage(row.containers, row.used, look.dimensions) + master


def _on_nodes(row: ApplicationRow, picture: SessionState, look: RenderContext) -> str:
    if row.containers < 2:
        return ""
    rows = picture.snapshot.containers(application=row.id)
    pairs = zip(column(rows, "node"), column(rows, "state"), strict=True)
    nodes = {node for node, state in pairs if state != "RESERVED"}
    inferred = " (inferred)" if "containers" in picture.snapshot.header.inferred else ""
    return f", on {text.plural(len(nodes), terms_for(look.dimensions).node)}{inferred}" if nodes else ""


def _asks_words(row: ApplicationRow, look: RenderContext) -> str:
    if isinstance(row.asks, Unknown):
        return "?"
    label = row.partition if isinstance(row.partition, str) and " " not in row.partition else ""
    wanted = [_ask(ask, label, look) for ask in row.asks if ask.count > 0]
    return ", ".join(wanted) or "nothing"


def _ask(ask: AskRow, label: str, look: RenderContext) -> str:
    words = text.times(ask.count, text.amounts(ask.size, look.dimensions))
    if not ask.places:
        return f"{words} on any {terms_for(look.dimensions).node}{label and f' of {label}'}"
    some = " ".join(text.short_node(place) for place in ask.places[:3])
    return f"{words} {'near' if ask.relax_locality else 'only on'} {some}{' ...' if len(ask.places) > 3 else ''}"


def _why(row: ApplicationRow, picture: SessionState) -> str:
    if row.obstacle is None:
        return ""
    if row.obstacle.code == RESERVED and passing_reservations(picture).hides(RESERVED):
        return ""
    return text.short_sentence(row.obstacle.sentence) + _CERTAINTY.get(row.obstacle.certainty, "")


def _end(row: ApplicationRow) -> str:
    return text.plain(row.diagnostics)


def _is_frozen(row: ApplicationRow, picture: SessionState) -> bool:
    return row.state in LIVE_STATES and row.waiting_since_ms is not None and frozen_of(picture) is not None


def _when(picture: SessionState, never: str) -> str:
    return "in the log" if picture.run.recorded == "log" else never  # which tells nothing of what comes after it


def _never(held: _Held, picture: SessionState) -> str:
    if picture.run.recorded == "log":
        return "nothing starts while all nodes are reserved"
    if picture.run.condition:
        return f"inferred, {picture.run.condition}"
    if not held.nodes:
        return "nothing is allocated any more"
    return f"{'nodes' if held.nodes > 1 else 'the node'} it holds must empty first"


def _held(row: ApplicationRow, picture: SessionState, look: RenderContext) -> _Held:
    if not isinstance(row.reservations, int) or not row.reservations:
        return _Held(0, "")
    if row.id in passing_reservations(picture).holders:
        return _Held(0, "")
    own = (look.held or held_nodes(picture.snapshot)).get(row.id)
    return _Held(row.reservations, "" if own is None else _missing_words(own, look))


def _missing_words(held: HeldNodes, look: RenderContext) -> str:
    missing = Counter(short for short in held.short_on.values() if short is not None)
    names = {short: look.node_name(node) for node, short in held.short_on.items()}
    if held.best and not any(held.short):
        return (
            f"; it fits on {text.plural(sum(count for short, count in missing.items() if not any(short)), 'node')} now"
        )
    if len(missing) > 2:
        return f"; {text.lacking(held.short, look.dimensions)} short on the best of them"
    parts = [
        f"{text.lacking(short, look.dimensions)}{'' if place else ' short'} on {names[short] if count == 1 else count}"
        for place, (short, count) in enumerate(missing.most_common())
    ]
    return f"; {', '.join(parts)}" if parts else ""


def _kill_line(
    row: ApplicationRow, look: RenderContext, held: _Held, *, label: str, words: str = ""
) -> Sequence[Fragments]:
    if row.state not in LIVE_STATES:
        return []
    one = text.plural(row.containers, terms_for(look.dimensions).container)
    memory = text.memory(row.used[0])
    frees = f"{text.plural(held.nodes, 'node')}" if held.nodes else memory if row.containers else "nothing"
    loses = f"{one}{' of' if row.containers == 1 else ','} {memory}" if row.containers else "nothing"
    return [[(label, "bold accent"), (f"{words}frees {frees}, loses {loses}", "text")]]
