"""Applications by cause, said once in a headline: holders of what others need, waits by cause, running ones."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from engine.explain.alert import SOON_MS
from engine.observe.snapshot import ObstacleSummary, Section, column, lazy_rows
from engine.observe.snapshots import ENDED, IDLE, LIVE_STATES, SERVED, STARTS, WAITS, services
from tui.panes.application_brief import RESERVED, passing_reservations
from tui.panes.fragments import Fragments, HeldNodes, RenderContext
from tui.panes.group import Grouping, RowGroup, by_key, held_nodes
from tui.panes.misfit import misfit_of
from tui.panes.table import Column
from tui.protocol.picture import SessionState
from tui.terminal import format as text

_LOOKED_AT: Final = 256  # So many that wait are asked why for their group; of the others the last answer counts
_FOLDED_FROM: Final = 6  # From so many ended applications on their group starts folded
_OWN_GROUP: Final = 3  # Up to so many holders have a group each
_HOLDS, _RUNS, _COMING, _RECOVERS = "holds", "runs", "coming", "recovers"
SILENT: Final = "MASTER_SILENT"  # Code of an obstacle: the first container is on a node that fell silent
TURN: Final = "OTHER_FIRST"  # Code of an obstacle: some node has room
_ROOM: Final = frozenset({"", TURN, "DOES_NOT_FIT", "RESERVATION_LIMIT", "NOT_COUNTED", "NOT_LOOKED_AT", "UNKNOWN_ASK"})
"""Codes of obstacles that go as soon as another application ends, or is served."""


class Cause(NamedTuple):
    many: str  # Of many that wait; empty where they wait for room
    one: str = ""  # Of one, in a narrow column; empty for its own sentence


CAUSES: Final = {
    RESERVED: Cause("every node is reserved", "every node is reserved"),
    "QUEUE_OVER_MAXIMUM": Cause("the queue is at its maximum", "its queue is at its maximum"),
    "QUEUE_WOULD_EXCEED_MAXIMUM": Cause("the queue is at its maximum", "its queue is at its maximum"),
    "QUEUE_NOT_RUNNING_IT": Cause("the limit on running applications is reached", "its queue runs no more"),
    "AM_SHARE_EXHAUSTED": Cause("the room for application masters is used up", "no room for its master"),
    "USER_AM_SHARE_EXHAUSTED": Cause("the user's room for application masters is used up", "no room for user's master"),
    "BLACKLISTED": Cause("it has blacklisted the nodes", "it blacklisted the nodes"),
    "NODE_TOO_SMALL": Cause("no node is large enough", "no node is large enough"),
    "LOCALITY_NOT_RELAXED": Cause("only certain nodes will do", "only certain nodes will do"),
    "DELAY_SCHEDULING": Cause("a nearer node may come free", "waits for a nearer node"),
    "USER_OVER_LIMIT": Cause("the user is at a limit", "its user is at a limit"),
    "NOT_IN_PARTITION": Cause("the nodes are in another partition", "nodes of other partitions"),
    "LABEL_NOT_ACCESSIBLE": Cause("the queue may not use the partition", "its queue has no access"),
    "NO_NODE": Cause("there is no node"),
    "NODE_SILENT": Cause("no node reports", "no node reports"),
    "NODES_NOT_BACK": Cause("nodes are not back"),
    "NODE_DRAINING": Cause("the nodes are being drained", "the nodes are drained"),
    "NO_RESOURCE_MANAGER": Cause("no ResourceManager answers"),
    "NO_JOB_TRACKER": Cause("no JobTracker answers"),
    "MASTER_NOT_BACK": Cause("its master is not back"),
    "MASTER_HANGS": Cause("its master hangs"),
    SILENT: Cause("its master is on a node that is silent", "its master's node is silent"),
    "RECOVERY_WAIT": Cause("the ResourceManager recovers"),
    TURN: Cause("", "waits for its turn"),
    "UNKNOWN_ASK": Cause("", "what it asks: not known"),
    "DOES_NOT_FIT": Cause("", "no node has that much free"),
    "RESERVATION_LIMIT": Cause("", "may reserve no more nodes"),
}  # Code of an obstacle → what it comes to
NO_CAUSE: Final = Cause("")  # Of a code that is not there


class CauseFacts(NamedTuple):
    state: str
    service: str  # As `service_of` tells
    waited_ms: int | None  # None where it does not wait, or since an unknown time
    code: str  # The code of its obstacle; empty where none is known
    reservations: int
    pending: int
    containers: int

    @property
    def runs(self) -> bool:
        """True for an application in the state RUNNING that has something: one that has none waits for its first."""
        return self.state == "RUNNING" and self.containers > 0


def waiters(rows: Sequence[Any], look: RenderContext) -> list[CauseFacts]:
    states, since = column(rows, "state"), column(rows, "waiting_since_ms")
    held, pending = column(rows, "reservations"), column(rows, "pending_containers")
    containers = column(rows, "containers")
    served = services(rows)
    codes = _codes(rows, [each in (WAITS, STARTS) for each in served])
    return [
        CauseFacts(
            state,
            service,
            None if at is None or service != WAITS else look.now_ms - at,
            code,
            count if isinstance(count, int) and state in LIVE_STATES else 0,
            wanted if isinstance(wanted, int) else 0,
            has,
        )
        for state, service, at, code, count, wanted, has in zip(
            states, served, since, codes, held, pending, containers, strict=True
        )
    ]


def _without_passing(some: Sequence[CauseFacts], ids: Sequence[str], picture: SessionState) -> Sequence[CauseFacts]:
    if not any(one.reservations or one.code == RESERVED for one in some):
        return some
    passing = passing_reservations(picture)
    return [
        one._replace(
            reservations=0 if name in passing.holders else one.reservations,
            code="" if passing.hides(one.code) else one.code,
        )
        for one, name in zip(some, ids, strict=True)
    ]


def _codes(rows: Sequence[Any], waits: Sequence[bool]) -> list[str]:
    """The code of each row's obstacle; the first that wait are asked, of the others it is the last that was heard."""
    codes = [_code(row.obstacle) if wait else "" for row, wait in zip(lazy_rows(rows), waits, strict=True)]
    if isinstance(rows, Section):
        ask = rows.fields["obstacle"]
        for place in islice((place for place, wait in enumerate(waits) if wait), _LOOKED_AT):
            codes[place] = _code(ask(rows.things[place]))
    return codes


def _code(obstacle: ObstacleSummary | None) -> str:
    return "" if obstacle is None else obstacle.code


def by_cause(
    rows: Sequence[Any],
    picture: SessionState,
    look: RenderContext,
    columns: Sequence[Column[Any]],
    calm: Sequence[Column[Any]],
) -> Grouping:
    """Applications of YARN by cause. `columns` are shown where an application is kept waiting, `calm` where none is."""
    some = _without_passing(waiters(rows, look), column(rows, "id"), picture)
    is_blocked = any(one.code == RESERVED for one in some)
    coming = [number in look.coming for number in column(rows, "number")] if look.coming else [False] * len(some)
    recovers = picture.snapshot.header.recovery is not None
    places = by_key(
        [_COMING if is_coming else _key(one, recovers) for one, is_coming in zip(some, coming, strict=True)]
    )
    foretold, back = places.pop(_COMING, []), places.pop(_RECOVERS, [])
    ended, runs, starts, idle, holds = (places.pop(key, []) for key in (ENDED, _RUNS, STARTS, IDLE, _HOLDS))
    holders = list(_holders(rows, some, holds, picture, look))
    waiting = sorted(places.items(), key=lambda pair: (_is_room(pair[0]), -len(pair[1])))
    closed = misfit_of(picture.snapshot) if look.partitions else None
    waits = [_waiting(key, of_key, some, "" if closed is None else closed.closed) for key, of_key in waiting]
    groups = [*holders, *waits] if is_blocked else [*waits, *holders]
    if foretold:
        last = text.near_clock(max(look.coming.values()), look.now_ms, look.offset_ms)
        verb = "has" if len(foretold) == 1 else "have"
        words: Fragments = [
            (f"{len(foretold)} foretold {verb} not come yet", "strong"),
            (f", all by {last}", "soft"),
        ]
        groups.insert(0, RowGroup(_COMING, foretold, words))
    if back:
        masters = "its master has" if len(back) == 1 else "their masters have"
        groups.append(
            RowGroup(
                _RECOVERS, back, [(_counted(back, "recover"), "strong"), (f": {masters} not registered since", "soft")]
            )
        )
    if starts:
        placed = "its first container is placed" if len(starts) == 1 else "their first containers are placed"
        groups.append(RowGroup(STARTS, starts, [(_counted(starts, "start"), "strong"), (f": {placed}", "soft")]))
    if runs:
        groups.append(RowGroup(_RUNS, runs, _running([some[place] for place in runs])))
    if idle:
        groups.append(idle_group(idle))
    if ended:
        groups.append(ended_group(ended, some))
    wrong = bool(foretold) or closed is not None or is_blocked or any(not _is_room(key) for key in places)
    return Grouping(groups, columns if wrong else calm, can_fold=True)


def _key(one: CauseFacts, recovers: bool) -> str:
    """The group of an application; `recovers` while its control plane does: one that asks for nothing came back."""
    if one.service == ENDED:
        return ENDED
    if recovers and one.state != "RUNNING" and not one.pending:
        return _RECOVERS
    if one.reservations:
        return _HOLDS
    if one.code == SILENT and not one.runs:
        return f"{SILENT} first"
    if one.service != WAITS:
        return _RUNS if one.service == SERVED else one.service
    if one.runs and one.code in _ROOM and (one.waited_ms or 0) < SOON_MS:
        return _RUNS
    return f"{one.code} {'RUNNING' if one.runs else 'first'}" if CAUSES.get(one.code, NO_CAUSE).many else "room"


def _running(here: Sequence[CauseFacts]) -> Fragments:
    count, asking = len(here), [one for one in here if one.service == WAITS]
    if not asking:
        words = " and gets what it asks for" if count == 1 else " and get what they ask for"
        return [(_counted(here, "run"), "strong"), (words, "soft")]
    who = "and" if count == len(asking) else f"and {len(asking)} of them"
    longest = text.duration(max(one.waited_ms or 0 for one in asking))
    words = f" {who} {_verb(len(asking), 'ask')} for more, longest {longest}"
    return [(_counted(here, "run"), "strong"), (words, "soft")]


def _counted(some: Sequence[object], verb: str) -> str:
    return f"{len(some)} {_verb(len(some), verb)}"


def _is_room(key: str) -> bool:
    return key == "room"


def _waiting(key: str, places: Sequence[int], some: Sequence[CauseFacts], closed: str) -> RowGroup:
    count, here = len(places), [some[place] for place in places]
    waited = [one.waited_ms or 0 for one in here]
    longest, least = text.duration(max(waited)), text.duration(min(waited))
    note = f"folded, {least} to {longest}" if count > 1 else f"folded, {longest}"
    if _is_room(key):
        has_room = all(one.code == TURN for one in here)
        what = f"{'its' if count == 1 else 'their'} turn" if has_room else "room"
        more = f": {closed}" if closed and not has_room else f", longest {longest}"
        words: Fragments = [(f"{count} {_verb(count, 'wait')} for {what}", "strong"), (more, "soft")]
        return RowGroup(key, places, words, note=note)
    code, _, state = key.partition(" ")
    cause = CAUSES[code].many
    if state == "RUNNING":
        more = "one container more" if all(one.pending == 1 for one in here) else "more containers"
        keeps = "keeps what it has" if count == 1 else "keep what they have"
        long = f" {_verb(count, 'wait')} for {more} and {keeps}"
        words = [(f"{count} RUNNING", "strong"), (f"{long}: {cause}" if code != RESERVED else long, "soft")]
        return RowGroup(key, places, words, [(f"{count} RUNNING", "strong"), (f": {cause}", "soft")], note)
    states = {one.state for one in here}
    bold = f"{count} {states.pop()}" if len(states) == 1 else f"{count}"
    if code == SILENT:
        has = "has its" if count == 1 else "have their"
        words = [(bold, "strong"), (f" {has} master on a node that is silent", "soft")]
        return RowGroup(key, places, words, note=note)
    words = [(bold, "strong"), (f" {_verb(count, 'wait')} for a container: {cause}", "soft")]
    return RowGroup(key, places, words, [(bold, "strong"), (f": {cause}", "soft")], note)


def _verb(count: int, verb: str) -> str:
    return f"{verb}s" if count == 1 else verb


def idle_group(places: Sequence[int]) -> RowGroup:
    free = f" nothing and {_verb(len(places), 'ask')} for nothing"
    return RowGroup(IDLE, places, [(_counted(places, "hold"), "strong"), (free, "soft")])


def ended_group(places: Sequence[int], some: Sequence[CauseFacts]) -> RowGroup:
    states = by_key([some[place].state for place in places])
    words = ", ".join(f"{len(of_state)} {state}" for state, of_state in states.items())
    folded = len(places) >= _FOLDED_FROM
    return RowGroup(ENDED, places, [(words, "text")], note="→ or enter unfolds", starts_folded=folded)


def _holders(
    rows: Sequence[Any], some: Sequence[CauseFacts], places: Sequence[int], picture: SessionState, look: RenderContext
) -> Iterator[RowGroup]:
    if not places:
        return
    held, ids = look.held or held_nodes(picture.snapshot), column(rows, "id")
    ordered = sorted(places, key=lambda place: -some[place].reservations)
    own = ordered if len(ordered) <= _OWN_GROUP else ordered[:1]
    for place in own:
        known = held.get(ids[place])
        if known is not None:
            yield _holder(ids[place], place, known, picture, look)
    rest = [place for place in ordered if place not in own or ids[place] not in held]
    if rest:
        nodes = sum(some[place].reservations for place in rest)
        held_words = f"{_counted(rest, 'hold')} {text.plural(nodes, 'node')}"
        words: Fragments = [(held_words, "strong"), (" between them" if len(rest) > 1 else "", "soft")]
        yield RowGroup(_HOLDS, rest, words)


def _holder(name: str, place: int, held: HeldNodes, picture: SessionState, look: RenderContext) -> RowGroup:
    count, header = len(held.nodes), picture.snapshot.header
    short = text.lacking(held.short, look.dimensions)
    others = header.nodes_reserved - count if isinstance(header.nodes_reserved, int) else 0
    bold = f"1 holds {look.node_name(held.nodes[0]) if count == 1 else f'{count} of {header.nodes} nodes'}"
    if not held.best:
        long = brief = ""
    elif count == 1:
        then = f"; the other {others} are reserved" if others and header.nodes_reserved == header.nodes else ""
        long = brief = f" and is {short} short there{then}" if short else f" and fits there now{then}"
    elif not short:
        long = brief = " and fits on one of them now"
    else:
        size, free = _lacking_words(held, look.dimensions)
        long = f" and has room on none: it asks for {size}, the most free is {free}"
        brief = f" and is {short} short on the best of them"
    return RowGroup(
        f"{_HOLDS} {name}", [place], [(bold, "strong"), (long, "soft")], [(bold, "strong"), (brief, "soft")]
    )


def _lacking_words(held: HeldNodes, dimensions: tuple[str, ...]) -> Sequence[str]:
    """What is asked for on the best node and what is free there, of what is missing first."""
    place = next(place for place, missing in enumerate(held.short) if missing)
    if place == 0:
        return text.apart(held.size[0], held.free[0])
    return [text.amounts((amounts[place],), (dimensions[place],)) for amounts in (held.size, held.free)]
