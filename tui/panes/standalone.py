"""Applications of Spark's standalone Master: cores wanted and got; the FIFO list that is its only queue."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from engine.observe.snapshot import Amounts, NodeRow, Unknown, column, lazy_rows, summed
from engine.observe.snapshots import ENDED, IDLE, LIVE_STATES, WAITS, service_of, services, waits_of
from engine.observe.spark_snapshot import StandaloneRow, left_over, left_over_words
from tui.panes import application, application_brief
from tui.panes.arrangement import SortFilter
from tui.panes.cause import ended_group, idle_group, waiters
from tui.panes.field import APPLICATION, Draw, RowFields, fixed_cell, text_cell
from tui.panes.fragments import Fragment, Fragments, RenderContext, hue_of_number, line_meter
from tui.panes.group import Grouping, RowGroup, by_key
from tui.panes.pane_view import NavigationTarget, PaneView, by_row, made_of, scope_crumb
from tui.panes.table import Column, figure
from tui.panes.waits import sum_words
from tui.protocol.picture import SessionState
from tui.terminal import format as text
from tui.terminal.format import DOT

NO_MAXIMUM: Final = "it sets no maximum: it is given every core that comes free"
_NAMED: Final = 2  # So many of those that may end first are named


def lines(row: StandaloneRow, picture: SessionState, look: RenderContext, height: int) -> list[Fragments]:
    """Describe an application in `height` lines, the most important first."""
    if row.state not in LIVE_STATES:
        return [[(row.state, "strong"), (f" {text.plain(row.diagnostics)}".rstrip(), "soft")], _who_line(row, look)]
    until = [_fact("until", each) for each in _until(row, picture)]
    if height < application_brief.LABELLED_FROM:
        return [_has_line(row, look), *why_lines(row), *until, *_kill_line(row)]
    lost = [_fact("lost", each) for each in _lost(row, picture)]
    return [_who_line(row, look), _has_line(row, look), *why_lines(row), *lost, *until, *_kill_line(row)]


def _fact(label: str, words: str) -> Fragments:
    return [(f"{label:<6}", "faint"), (words, "text")]


def _who_line(row: StandaloneRow, look: RenderContext) -> Fragments:
    state = f"{row.state} {application_brief.time_words(row, look)}"
    return [(f" {DOT} ".join((text.plain(row.user), state, text.plain(row.id))), "soft")]


def _has_line(row: StandaloneRow, look: RenderContext) -> Fragments:
    wants = _wanted(row)
    wants = look.total[1] if wants is None and len(look.total) > 1 else wants
    each = "any cores" if not isinstance(row.executor_cores, int) else text.plural(row.executor_cores, "core")
    executors = text.plural(row.containers, "executor")
    size = f" of {each}, {text.memory(row.executor_memory_mb)}"
    of = f"{row.used[1]} of {text.plural(wants or 0, 'core')}" if not isinstance(wants, Unknown) else ""
    return [(of or text.plural(row.used[1], "core"), "strong"), (f" in {executors}{size}", "text")]


def why_lines(row: StandaloneRow) -> list[Fragments]:
    """The line that tells why it has no more; none where it has all."""
    if row.obstacle is not None:
        return [_fact("why", text.plain(row.obstacle.sentence))]
    return [_fact("why", words)] if (words := _served_words(row)) else []


def _served_words(row: StandaloneRow) -> str:
    """Why one that does not wait has not more; empty where it has all."""
    if _wanted(row) is None:
        return NO_MAXIMUM
    return left_over_words(row.cores_wanted, row.executor_cores)


def _wanted(row: StandaloneRow) -> int | None | Unknown:
    """The cores it may have; without a maximum those it has, where its executor limit lets it ask for no more."""
    is_limited = row.cores_wanted is None and row.pending_containers == 0 and row.state in LIVE_STATES
    return row.used[1] if is_limited else row.cores_wanted


def _kill_line(row: StandaloneRow) -> list[Fragments]:
    cores, has_driver = row.used[1] + row.driver[1], any(row.driver)
    frees = text.plural(cores, "core") if cores else "nothing"
    parts = [text.plural(row.containers, "executor")] if row.containers else []
    loses = " and ".join([*parts, "its driver"] if has_driver else parts) or "nothing"
    return [[("K     ", "bold accent"), (f"kill it: frees {frees}, loses {loses}", "text")]]


def _lost(row: StandaloneRow, picture: SessionState) -> Iterator[str]:
    """The executors that went with workers that are gone, as far as the latest events tell."""
    gone = {node.id for node in picture.snapshot.nodes() if node.state == "DEAD"}
    killed = [event.fields for event in picture.events if event.kind == "Killed"]
    lost = Counter(
        str(fields["node"])
        for fields in killed
        if fields["cause"] == "LOST" and isinstance(whose := fields["container"], tuple) and whose[0] == row.number
    )
    for node in sorted(lost.keys() & gone):
        yield f"{text.plural(lost[node], 'executor')} with {text.plain(text.short_node(node))}"


def _until(row: StandaloneRow, picture: SessionState) -> Iterator[str]:
    if row.obstacle is None:
        return
    rows: Iterable[Any] = lazy_rows(picture.snapshot.applications(why=False))
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
    """The room one worker has to have, so that one of its executors fits after all before it in the list; None: any."""
    if isinstance(row.executor_cores, Unknown):
        return None
    need: Amounts = (row.executor_memory_mb, row.executor_cores or 1)
    for ahead in takewhile(lambda other: other.number != row.number, listed):
        if service_of(ahead.state, ahead.pending_containers, ahead.waiting_since_ms, ahead.containers) != WAITS:
            continue
        if not isinstance(ahead.cores_wanted, int) or isinstance(ahead.executor_cores, Unknown):
            return None
        missing = max(0, ahead.cores_wanted - left_over(ahead.cores_wanted, ahead.executor_cores) - ahead.used[1])
        executors = missing // (ahead.executor_cores or 1)
        need = summed((need, (executors * ahead.executor_memory_mb, missing)))
    return need


def _makes_room(held: Mapping[str, Amounts], nodes: Sequence[NodeRow], need: Amounts | None) -> bool:
    alive = (node for node in nodes if node.state == "ALIVE" and node.id in held)
    return any(_has_room(summed((node.free, held[node.id])), need) for node in alive)


def _has_room(amounts: Amounts, need: Amounts | None) -> bool:
    return need is not None and all(has >= needs for has, needs in zip(amounts, need, strict=True))


_KEEPS, _WANTS, _HAS = "keeps", "wants", "has"


def _by_cores(rows: Sequence[StandaloneRow], picture: SessionState, look: RenderContext) -> Grouping:
    served = services(rows)
    is_short = any(service == WAITS and _wanted(row) is not None for row, service in zip(rows, served, strict=True))
    places = by_key([_key(row, service, is_short=is_short) for row, service in zip(rows, served, strict=True)])
    words = {_KEEPS: _keeping, _WANTS: _wanting, _HAS: _having}
    groups = [
        RowGroup(key, some, words[key]([rows[place] for place in some], look))
        for key in (_KEEPS, _WANTS, _HAS)
        if (some := places.get(key))
    ]
    if IDLE in places:
        groups.append(idle_group(places[IDLE]))
    if ENDED in places:
        groups.append(ended_group(places[ENDED], waiters(rows, look)))
    return Grouping(groups, can_fold=True)


def _key(row: StandaloneRow, service: str, *, is_short: bool) -> str:
    if service in (ENDED, IDLE):
        return service
    if _wanted(row) is None and row.used[1] and is_short:
        return _KEEPS
    return _WANTS if service == WAITS else _HAS


def _keeping(some: Sequence[StandaloneRow], look: RenderContext) -> Fragments:
    total = look.total[1] if len(look.total) > 1 else 0
    has = sum(row.used[1] for row in some)
    one = len(some) == 1
    bold = f"{len(some)} {'keeps' if one else 'keep'} {has} of {text.plural(total, 'core')}"
    return [(bold, "strong"), (f" and {'sets' if one else 'set'} no maximum: others wait", "soft")]


def _wanting(some: Sequence[StandaloneRow], look: RenderContext) -> Fragments:
    one = len(some) == 1
    codes = {row.obstacle.code: row.obstacle.sentence for row in some if row.obstacle is not None}
    sentence = next(iter(codes.values())).partition(";")[0].partition(" (")[0]
    cause = f": {sentence}" if len(codes) == 1 else ""
    has = "has fewer than it asks for" if one else "have fewer than they ask for"
    return [(f"{len(some)} {'wants' if one else 'want'} cores", "strong"), (f" and {has}{cause}", "soft")]


def _having(some: Sequence[StandaloneRow], look: RenderContext) -> Fragments:
    runs, has_all = ("runs", "with all it asks for now") if len(some) == 1 else ("run", "with all they ask for now")
    is_known = not any(isinstance(row.cores_wanted, Unknown) for row in some)
    return [(f"{len(some)} {runs}{f' {has_all}' if is_known else ''}", "strong")]


def _is_live(row: StandaloneRow) -> bool:
    return row.state in LIVE_STATES


_id: Draw[StandaloneRow] = fixed_cell(lambda row, look: (text.short_id(row.id), "text" if _is_live(row) else "soft"))
_user: Draw[StandaloneRow] = fixed_cell(lambda row, look: (text.plain(row.user), "text" if _is_live(row) else "soft"))


_cores: Draw[StandaloneRow] = text_cell(lambda row, look: str(row.used[1] if _is_live(row) else 0))
_asks: Draw[StandaloneRow] = text_cell(lambda row, look: _known(_wanted(row), "all"))


def _known(number: int | None | Unknown, unlimited: str) -> str:
    return "?" if isinstance(number, Unknown) else unlimited if number is None else str(number)


_executors: Draw[StandaloneRow] = text_cell(lambda row, look: str(row.containers) if _is_live(row) else "")


def _each(row: StandaloneRow, look: RenderContext, width: int) -> Fragment:
    cores = _known(row.executor_cores, "any")
    return f"{text.memory(row.executor_memory_mb)}/{cores}{'c' if cores.isdigit() else ''}", "text"


def _why(row: StandaloneRow, look: RenderContext, width: int) -> Fragment:
    if row.obstacle is not None:
        return text.plain(row.obstacle.sentence), "soft"
    return _served_words(row) if _is_live(row) else "", "soft"


def _bar(row: StandaloneRow, look: RenderContext, width: int) -> Fragments:
    if not _is_live(row):
        return [(" " * width, "text")]
    scale = look.total[1] if len(look.total) > 1 else 0
    wanted = _wanted(row)
    wanted = scale if wanted is None else wanted
    wanted = 0 if isinstance(wanted, Unknown) else wanted
    return line_meter(width, row.used[1], scale, share=wanted, style=hue_of_number(row.number))


FIELDS: RowFields[Any] = application.FIELDS.drawn_as(
    app=Column("APP", 12, 0, _id, repeats=False),
    name=application.FIELDS.column("name", width=16, rank=0, least=10),
    user=Column("USER", 8, 4, _user),
    state=application.FIELDS.column("state", width=8),
    vcores=figure("CORES", 5, 0, _cores),
    asks=figure("ASKS", 4, 0, _asks, sorts="pending"),
    containers=figure("EXEC", 4, 2, _executors),
    executor_memory_mb=Column("EACH", 9, 2, _each),
    wait=figure("WAITS", 6, 0),
    share=Column("CORES OF ALL", 13, 1, _bar, grow=1, is_bar=True, legend=("HAS ━  ASKS │",), sorts="vcores"),
    memory=application.FIELDS.column("memory", rank=7),
    why=Column("WHY IT WAITS", 24, 0, _why, grow=1),
)
COLUMNS = FIELDS.columns("app name user state vcores asks containers executor_memory_mb wait share")  # By cause
SORTED_COLUMNS = FIELDS.columns("app name user state vcores asks containers executor_memory_mb wait why")
"""In another order: every row says itself why it waits."""
EVERY_COLUMN = FIELDS.columns(
    "app name user state vcores asks containers executor_memory_mb memory wait time share why"
)


_dotted: Draw[StandaloneRow] = fixed_cell(
    lambda row, look: [(f"{text.QUEUE_DOT} ", hue_of_number(row.number)), (text.plain(row.name), "text")]
)
FIFO_COLUMNS: tuple[Column[Any], ...] = (
    Column("APPLICATION", 18, 0, _dotted, least=11, repeats=False),
    FIELDS.column("share", width=12, legend=("has ━  asks │",)),
    FIELDS.column("vcores", title="HAS", width=3),
    FIELDS.column("asks", gap=1),
    FIELDS.column("containers", gap=1, rank=1),
)


def _fifo_details(row: StandaloneRow, look: RenderContext) -> list[Fragments]:
    rule = "Served from the top; one that does not fit is skipped and keeps its place."
    return [_has_line(row, look), *why_lines(row), [(rule, "soft")]]


def _count(rows: Sequence[StandaloneRow], picture: SessionState, arrangement: SortFilter) -> str:
    header = picture.snapshot.header
    every = rows if arrangement.is_plain else picture.snapshot.applications(why=False)
    waits = waits_of(every)
    ended = sum(state not in LIVE_STATES for state in column(every, "state"))
    counts = (
        (header.applications_running, "running"),
        (waits.number, f"waiting{sum_words(waits, header.dimensions, is_short=True)}"),
        (ended, "ended"),
        (0 if arrangement.is_plain else len(rows), "shown"),
    )
    return "  ".join(f"{number} {word}" for number, word in counts if number or word == "running")


VIEW: PaneView[StandaloneRow] = application.VIEW._replace(
    columns=COLUMNS,
    grouping=_by_cores,
    scales=lambda rows, look: {},
    sorted_columns=SORTED_COLUMNS,
    every_column=EVERY_COLUMN,
    details=lines,
    owner=lambda row, picture: NavigationTarget("queues", row.id),
    size=_count,
)


def _list_count(rows: Sequence[StandaloneRow], picture: SessionState, arrangement: SortFilter) -> str:
    spread_out = picture.snapshot.header.spread_out
    return "FIFO" if isinstance(spread_out, Unknown) else "FIFO, spread out" if spread_out else "FIFO, packed"


FIFO = PaneView(
    name="queues",
    title="Master",
    source=made_of(
        lambda snapshot: [row for row in snapshot.applications() if row.state in LIVE_STATES], "applications"
    ),
    columns=FIFO_COLUMNS,
    identity=lambda row: row.id,
    details=by_row(_fifo_details),
    criteria=application.CRITERIA._replace(order=None),
    facts=application.VIEW.facts,
    form_values=application.VIEW.form_values,
    is_linked=True,
    empty_text="No application is in the list.",
    crumb=scope_crumb(APPLICATION),
    subject=application.VIEW.subject,
    size=_list_count,
    caption=lambda look: f"cores of {look.total[1]}" if len(look.total) > 1 else "",
    refers_to=application.refers_to,
    enter=lambda row, picture, scope: NavigationTarget("applications", row.id),
    enter_help="Go to the application.",
    owner=lambda row, picture: "The list is the one queue there is.",
)  # The list of applications, which is the one queue
