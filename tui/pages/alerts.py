"""The page of alerts: those that stand and those that are over, and of one the story, the rule and its applications."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Final, NamedTuple

from engine.explain.alert import ALARM, ONCE, Alert, Episode, QueueWaits, episodes_of, rule_of, sentences, word_of
from engine.observe.snapshot import ApplicationRow, lazy_rows
from engine.observe.snapshots import WAITS, WaitTotal, services, waits_by
from tui.pages.why import INSIDE, Page, Panel, PanelRow, TextColumn, beside, framed, height_of, ruled, stacked, table
from tui.panes import pulse as drawing
from tui.panes.fragments import Fragment, Fragments, RenderContext, folded, hue_of, line_meter, merge_fragments
from tui.panes.pane_view import application_of
from tui.panes.plot import Window
from tui.panes.pulse import LETTERS, Freeze, Pulse, marks_of
from tui.panes.waits import cell_words, sum_words
from tui.protocol.picture import SessionState, WhySubject
from tui.terminal import format as text
from tui.terminal.format import CURSOR_LINE, CUT, EVENT, FROZEN, METER_FULL, NONE, OPEN, QUEUE_DOT, TRACK, WATCH


class Listed(NamedTuple):
    episode: Episode
    word: str  # Its badge
    is_now: bool
    is_muted: bool = False  # Whether the header leaves its badge out

    @property
    def badge(self) -> str:
        """Return what the table of rules calls it, or the name of its pattern; by this it is muted."""
        return word_of(self.episode.alert.kind, self.episode.alert.pattern)

    @property
    def style(self) -> str:
        if not self.is_now or self.is_muted:
            return "room"
        return "alarm" if rule_of(self.episode.alert.kind).level == ALARM else "watch"


def listed(picture: SessionState, terms: Mapping[str, str], muted: Collection[str] = ()) -> list[Listed]:
    """The alerts up to the instant shown: those that stand before those that are over, the worst and newest first."""
    now_ms = picture.snapshot.header.time_ms
    episodes = episodes_of([each for each in picture.run.alerts if each.found_ms <= now_ms])
    upper = {name: word.upper() for name, word in terms.items()}
    words = [word_of(each.alert.kind, each.alert.pattern) for each in episodes]
    found = [
        Listed(each, word.format(**upper), each.until_ms is None, word in muted)
        for each, word in zip(episodes, words, strict=True)
    ]
    starved = rule_of("starved").word
    found += [Listed(each, starved, each.until_ms is None, starved in muted) for each in _starved(picture, now_ms)]
    return sorted(
        found,
        key=lambda each: (
            not each.is_now,
            rule_of(each.episode.alert.kind).level != ALARM,
            -each.episode.alert.since_ms,
        ),
    )


def _starved(picture: SessionState, now_ms: int) -> Iterator[Episode]:
    for row in picture.snapshot.queues():
        if row.is_leaf and isinstance(row.starved_since_ms, int):
            yield Episode(_starved_alert(row.path, row.starved_since_ms, "has"), None)
    for queue, since_ms, until_ms, waiting in () if picture.graphs is None else picture.graphs.history.starved:
        if until_ms <= now_ms:
            waits = (QueueWaits(queue, waiting.first, waiting.more),) if waiting.number else ()
            yield Episode(_starved_alert(queue, since_ms, "had"), until_ms, waits)


def _starved_alert(queue: str, since_ms: int, verb: str) -> Alert:
    sentence = f"queue {queue} {verb} less than its minimum or half its fair share"
    return Alert("starved", since_ms, since_ms, sentence, topic=queue)


def _who_words(alert: Alert, picture: SessionState, terms: Mapping[str, str], *, is_named: bool) -> str:
    if alert.kind == "outage" and alert.topic.startswith("no"):  # of the control plane, or of all nodes
        return terms["master"] if terms["master"] in alert.topic else f"every {terms['node']}"
    if alert.node:
        return text.short_node(alert.node)
    if alert.kind == "starved":
        return text.plain(text.short_queue(alert.topic))
    if not alert.applications:
        return text.plain(alert.topic or alert.sentence)
    number = alert.applications[0]
    row = application_of(number, picture)
    name = text.short_number(number)
    return f"{name} {text.plain(row.name)}".rstrip() if row is not None and is_named else name


def whom(each: Listed, picture: SessionState) -> list[ApplicationRow]:
    """The applications affected that are still there: those that wait in what stands still, or that it names."""
    rows, alert = list(lazy_rows(picture.snapshot.applications(why=False))), each.episode.alert
    if each.is_now and alert.kind in {"frozen", "starved"}:
        waiting = [row for row, each in zip(rows, services(rows), strict=True) if each == WAITS]
        return [row for row in waiting if alert.kind == "frozen" or row.queue == alert.topic]
    return [row for row in rows if row.number in alert.applications]


def affected(each: Listed, picture: SessionState) -> dict[str, WaitTotal] | None:
    """Return by queue the applications that wait in a freeze or starve, or waited meanwhile; None of other alerts."""
    if each.is_now and each.episode.alert.kind in {"frozen", "starved"}:
        return waits_by(whom(each, picture), "queue")
    some = each.episode.waiting
    return {one.queue: WaitTotal(one.first, one.more) for one in some} if some else None


class LatestAct(NamedTuple):
    time_ms: int  # [epoch ms]
    words: str  # Its key's letter, whom it was about, and whether a scenario's script did it


def _last_act(one: Listed, picture: SessionState) -> LatestAct | None:
    episode, track = one.episode, picture.run.track
    until_ms = picture.snapshot.header.time_ms if episode.until_ms is None else episode.until_ms
    times = () if track is None else [each for each in track.acts if episode.alert.found_ms <= each <= until_ms]
    if track is None or not times:
        return None
    at_ms = max(times)
    rows = (row for row in reversed(picture.events) if row.kind == "Acted" and row.time_ms == at_ms)
    action = next((row.fields.get("action") for row in rows), None)
    whom = f" {_object(action)}".rstrip() if isinstance(action, dict) else ""
    who = "script" if at_ms in track.scripted else "by hand"
    return LatestAct(at_ms, f"{LETTERS.get(track.acts[at_ms], EVENT)}{whom}, {who}")


def _object(action: Mapping[str, Any]) -> str:
    match action.get("application"):
        case int(number):
            return text.short_number(number)
        case str(name):
            return text.plain(text.short_id(name))
        case {"queue": str(queue)}:  # a submission
            return text.plain(text.short_queue(queue))
    return text.plain(text.short_node(action.get("host") or "") or text.short_queue(action.get("queue") or ""))


def _done_words(one: Listed, found: Sequence[Listed], picture: SessionState) -> str:
    done, alert, until_ms = _last_act(one, picture), one.episode.alert, one.episode.until_ms
    if done is not None:
        return done.words
    if until_ms is None:
        return "none" if alert.ends_ms is None else "none; comes"
    if alert.kind in ONCE:
        return NONE
    worse = (each for each in found if each is not one and rule_of(each.episode.alert.kind).level == ALARM)
    there = (each for each in worse if each.episode.alert.since_ms <= until_ms <= (each.episode.until_ms or inf))
    became = next((each.word for each in there), "")
    return f"became {became}" if became else "none; ended"


LABEL: Final = 14  # Cells of the names of lanes
PULSE_ROWS: Final = 2
MOST_RULES: Final = 5  # How many rules have a line


def _story_panel(found: Sequence[Listed], one: Listed, picture: SessionState, look: RenderContext, width: int) -> Panel:
    track, graphs = picture.run.track, picture.graphs
    since_ms = min(each.episode.alert.since_ms for each in found)
    window = Window(since_ms if track is None else track.first_ms, max(look.now_ms, since_ms + 1))
    freezes = [each.episode for each in found if each.episode.alert.kind == "frozen"]
    pulse = Pulse(
        window,
        look.now_ms,
        lambda parts: [None] * parts if graphs is None else drawing.allocated(graphs.history, window, parts),
        (),
        [Freeze(each.alert.since_ms, each.until_ms or look.now_ms) for each in freezes],
        look.offset_ms,
    )
    cells = max(10, width - LABEL)
    *above, lowest = drawing.lines(pulse, cells, PULSE_ROWS)
    rows = [*(_labelled("", row) for row in above), _labelled("allocated", lowest)]
    rows += [_labelled("", drawing.axis(pulse, cells)), _labelled("acts, alerts", _lane(picture, pulse, cells))]
    alert = one.episode.alert
    said = f"{text.near_clock(alert.found_ms, look.now_ms, look.offset_ms)} {text.short_sentence(alert.sentence)}"
    rows += [[(each, "soft")] for each in folded(text.plain(said), width)]
    rows.append([])
    for word in list(dict.fromkeys(each.word for each in found))[:MOST_RULES]:
        some = [each for each in found if each.word == word]
        name = (text.fit(word, LABEL - 1, mark=CUT), "strong" if word == one.word else "soft")
        rows.append([name, (" ", "text"), *_bars(some, pulse, cells)])
    begin, end = (text.near_minute(each, look.now_ms, look.offset_ms) for each in window)
    title: Fragments = [("Story", "text"), (f"  {one.word}", "strong")]
    return Panel(STORY, title, [PanelRow(each) for each in rows], f"{begin} to {end}")


def _labelled(label: str, row: Fragments) -> Fragments:
    return [(label.ljust(LABEL), "soft"), *row]


def _lane(picture: SessionState, pulse: Pulse, width: int) -> Fragments:
    row = _here([(TRACK, "line")] * width, pulse, width)
    for mark in marks_of(picture.run, pulse.here_ms):
        if pulse.window.since_ms <= mark.time_ms <= pulse.here_ms:
            row[drawing.cell_of(mark.time_ms, pulse, width)] = (mark.sign, mark.style)
    return merge_fragments(row)


def _bars(some: Sequence[Listed], pulse: Pulse, width: int) -> Fragments:
    row: list[Fragment] = [(" ", "text")] * width
    for entry in reversed(some):
        alert, until_ms = entry.episode.alert, entry.episode.until_ms or pulse.here_ms
        begin, end = (drawing.cell_of(time_ms, pulse, width) for time_ms in (alert.since_ms, until_ms))
        row[begin : end + 1] = [(METER_FULL, entry.style)] * (end + 1 - begin)
    return merge_fragments(_here(row, pulse, width))


def _here(row: list[Fragment], pulse: Pulse, width: int) -> list[Fragment]:
    row[drawing.cell_of(pulse.here_ms, pulse, width)] = (CURSOR_LINE, "accent")
    return row


FRAMED_FROM: Final = 100  # Width from which panels have frames and the story stands below the list
LIST, STORY = "alerts", "story"  # Parts of the page; a narrow one shows one of them
ALERT: Final = "alert"  # The kind of a link to an alert; its key is the place in the list
LEAST_ROWS: Final = 8  # Lines of the list below which it has the page for itself
BAR: Final = 20  # Cells of the bar of a queue at most
BESIDE_BAR: Final = 30  # Cells of what stands beside it
WIDE_TITLE: Final = 60  # Width from which on the title says at length what those affected wait for


def alerts_page(
    found: Sequence[Listed],
    chosen: int,
    picture: SessionState,
    look: RenderContext,
    terms: Mapping[str, str],
    size: tuple[int, int],
    part: str,
) -> Page:
    """The list above the story of the chosen one, its rule and its applications; a narrow page has the one `part`."""
    width, height = size
    one = found[chosen]
    if width < FRAMED_FROM:
        inside = width - 2
        story = _story_panel(found, one, picture, look, inside)
        return ruled(_list(found, picture, look, inside, terms) if part == LIST else story, width, has_focus=True)
    inside = width - INSIDE
    panel = _list(found, picture, look, inside, terms)
    left = (width + 8) // 2
    parts = _rule(one, picture, terms, look, left - INSIDE), _affected(one, picture, look, width - left - INSIDE)
    rows = max(map(height_of, parts))
    below = beside(framed(parts[0], left, rows), framed(parts[1], width - left, rows), left)
    told = framed(_story_panel(found, one, picture, look, inside), width)
    room = height - len(below.lines) - len(told.lines)
    if room < LEAST_ROWS:
        return framed(panel, width, has_focus=True)
    return stacked([framed(panel, width, room, has_focus=True), told, below])


def _list(
    found: Sequence[Listed], picture: SessionState, look: RenderContext, width: int, terms: Mapping[str, str]
) -> Panel:
    now = sum(each.is_now for each in found)
    head, lines = table(_columns(found, picture, look, terms, is_wide=width >= FRAMED_FROM - INSIDE), width - 2)
    rows = [PanelRow([("  ", "text"), *head])]
    for place, (entry, line) in enumerate(zip(found, lines, strict=True)):
        if place in {0, now}:
            rows.append(_group(now if entry.is_now else len(found) - now, is_now=entry.is_now))
        rows.append(PanelRow([("  ", "text"), *line], WhySubject(ALERT, str(place))))
    title: Fragments = [("Alerts", "text"), (f"  {now} now  {len(found) - now} over", "soft")]
    return Panel(LIST, title, rows, "worst first, then newest")


def _group(count: int, *, is_now: bool) -> PanelRow:
    about = "" if is_now else " ended by themselves or by an act"
    words: Fragments = [(f"{count} {'now' if is_now else 'over'}", "strong"), (about, "soft")]
    return PanelRow([(f"{OPEN} ", "faint"), *words])


def _columns(
    found: Sequence[Listed], picture: SessionState, look: RenderContext, terms: Mapping[str, str], *, is_wide: bool
) -> list[TextColumn]:
    now_ms = look.now_ms

    def near(time_ms: int | None) -> str:
        return NONE if time_ms is None else text.near_clock(time_ms, now_ms, look.offset_ms)

    alerts = [each.episode.alert for each in found]
    ends = [now_ms if each.is_now else each.episode.until_ms or now_ms for each in found]
    lasted = [text.duration(max(0, end - each.since_ms)) for each, end in zip(alerts, ends, strict=True)]
    affected = [_count(each, picture) for each in found]
    signs = [FROZEN if rule_of(each.kind).level == ALARM else WATCH for each in alerts]
    named = [
        (f"{sign} {each.word}{', muted' if each.is_muted else ''}", each.style if each.is_now else "soft")
        for sign, each in zip(signs, found, strict=True)
    ]
    columns = [
        TextColumn("  ALERT", named),
        TextColumn("WHO", [(_who_words(each, picture, terms, is_named=is_wide), "text") for each in alerts]),
        TextColumn("SINCE", [(near(each.since_ms), "text") for each in alerts]),
        TextColumn("UNTIL", [(near(each.episode.until_ms), "text") for each in found], rank=2),
        TextColumn("LASTED", [(each, "text") for each in lasted], rank=1, right=True),
        TextColumn("AFFECTED", [(str(each) if each else NONE, "text") for each in affected], right=True),
    ]
    if not is_wide:
        return columns[:3] + columns[4:]
    briefs = [rule_of(each.kind).brief.format(**terms) for each in alerts]
    done = [(_done_words(each, found, picture), "text") for each in found]
    return [
        *columns,
        TextColumn("RULE", [(each, "soft") for each in briefs], rank=3),
        TextColumn("LAST ACT", done, rank=2),
    ]


def _count(each: Listed, picture: SessionState) -> int:
    waits = affected(each, picture)
    return len(whom(each, picture)) if waits is None else sum(one.number for one in waits.values())


def _rule(one: Listed, picture: SessionState, terms: Mapping[str, str], look: RenderContext, width: int) -> Panel:
    rule = rule_of(one.episode.alert.kind)
    rows = []
    for words in sentences(rule, terms):
        label, _, said = words.partition(": ")
        name, said = (label.lower(), said) if label in {"Since", "Until", "From"} else ("means", words)
        for place, line in enumerate(folded(said.rstrip("."), width - 7)):
            rows.append(PanelRow([(f"{'' if place else name:<7}", "faint"), (line, "text")]))
    if one.episode.alert.kind != "starved":  # which the list alone tells
        muted = "; muted, the header has no badge" if one.is_muted else ""
        sent = f"{text.near_clock(one.episode.alert.found_ms, look.now_ms, look.offset_ms)} to this screen{muted}"
        rows.append(PanelRow([("sent   ", "faint"), (sent, "text")]))
    if (done := _last_act(one, picture)) is not None:
        at = text.near_clock(done.time_ms, look.now_ms, look.offset_ms)
        rows.append(PanelRow([("act    ", "faint"), (f"{done.words} at {at}", "text")]))
    return Panel("rule", [("Its rule", "text")], rows)


def _affected(one: Listed, picture: SessionState, look: RenderContext, width: int) -> Panel:
    waits = affected(one, picture)
    rows = whom(one, picture) if waits is None else []
    queues = {} if waits is None else {path: (each.number, cell_words(each)) for path, each in waits.items()}
    for path in dict.fromkeys(row.queue for row in rows):
        states = [row.state for row in rows if row.queue == path]
        queues[path] = (len(states), f"{states.count('RUNNING')} running")
    most = max((count for count, _ in queues.values()), default=1)
    lines: list[Fragments] = []
    for path, (count, words) in sorted(queues.items(), key=lambda item: (-item[1][0], item[0])):
        name = text.fit(text.plain(text.short_queue(path)), 12)
        bar = line_meter(min(BAR, width - BESIDE_BAR), count, most, style=hue_of(path, look))
        figures: Fragments = [(f"{count:>5}", "text"), (words.rjust(10), "soft")]
        lines.append([(f"{QUEUE_DOT} ", hue_of(path, look)), (f"{name} ", "text"), *bar, *figures])
    count = _count(one, picture)
    apart = "" if waits is None else sum_words(_all(waits), look.dimensions, is_short=width < WIDE_TITLE)
    title: Fragments = [(f"{count} affected", "text"), (apart or "", "soft")]
    empty = "none is live any more"
    return Panel("affected", title, [PanelRow(each) for each in lines[:5]] or [PanelRow([(empty, "soft")])])


def _all(waits: Mapping[str, WaitTotal]) -> WaitTotal:
    return WaitTotal(sum(one.first for one in waits.values()), sum(one.more for one in waits.values()))
