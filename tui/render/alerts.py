"""The page of alerts: those that stand and those that are over, the story of one, its rule, and whom it affects."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.explain.badge_rules import ALARM, rule_of, sentences
from engine.observe.snapshot import ApplicationRow
from tui import format as text
from tui.answers import WhySubject
from tui.glyphs import FROZEN, NONE, OPEN, QUEUE_DOT, WATCH
from tui.picture import Picture
from tui.render.alert_row import Listed, who_words, whom
from tui.render.alert_story import story_panel
from tui.render.columns import TextColumn, table
from tui.render.hue import hue_of
from tui.render.line import Look, Span, Spans, folded
from tui.render.meter import line_meter
from tui.render.panel import INSIDE, Page, Panel, PanelRow, beside, framed, height_of, ruled, stacked

FRAMED_FROM: Final = 100  # Width from which panels have frames and the story stands below the list
LIST, STORY = "alerts", "story"  # Parts of the page; a narrow one shows one of them
ALERT: Final = "alert"  # The kind of a link to an alert; its key is the place in the list
LEAST_ROWS: Final = 8  # Lines of the list below which it has the page for itself
BAR: Final = 20  # Cells of the bar of a queue


def alerts_page(
    found: Sequence[Listed],
    chosen: int,
    picture: Picture,
    look: Look,
    terms: Mapping[str, str],
    size: tuple[int, int],
    part: str,
) -> Page:
    """The list above the story of the chosen one, its rule and whom it affects; a narrow page has one part.

    Args:
        found: The alerts as listed.
        chosen: The place of the one the cursor is on.
        picture: The instant shown.
        look: For times and hues.
        terms: The system's words for what a rule names.
        size: Cells, and lines there are.
        part: `LIST` or `STORY`: what a narrow page shows.
    """
    width, height = size
    one = found[chosen]
    if width < FRAMED_FROM:
        inside = width - 2
        story = story_panel(STORY, found, one, picture, look, inside)
        return ruled(_list(found, picture, look, inside, terms) if part == LIST else story, width, has_focus=True)
    inside = width - INSIDE
    panel = _list(found, picture, look, inside, terms)
    left = (width + 8) // 2
    parts = _rule(one, terms, left - INSIDE), _affected(one, picture, look)
    rows = max(map(height_of, parts))
    below = beside(framed(parts[0], left, rows), framed(parts[1], width - left, rows), left)
    told = framed(story_panel(STORY, found, one, picture, look, inside), width)
    room = height - len(below.lines) - len(told.lines)
    if room < LEAST_ROWS:
        return framed(panel, width, has_focus=True)
    return stacked([framed(panel, width, room, has_focus=True), told, below])


def _list(found: Sequence[Listed], picture: Picture, look: Look, width: int, terms: Mapping[str, str]) -> Panel:
    now = sum(each.is_now for each in found)
    head, lines = table(_columns(found, picture, look, terms, is_wide=width >= FRAMED_FROM - INSIDE), width - 2)
    rows = [PanelRow([("  ", "text"), *head])]
    for place, (each, line) in enumerate(zip(found, lines, strict=True)):
        if place in {0, now}:
            rows.append(_group(now if each.is_now else len(found) - now, is_now=each.is_now))
        rows.append(PanelRow([("  ", "text"), *line], WhySubject(ALERT, str(place))))
    title: Spans = [("Alerts", "text"), (f"  {now} now  {len(found) - now} over", "soft")]
    return Panel(LIST, title, rows, "worst first, then newest")


def _group(count: int, *, is_now: bool) -> PanelRow:
    about = "" if is_now else " ended by themselves or by an act"
    words: Spans = [(f"{count} {'now' if is_now else 'over'}", "strong"), (about, "soft")]
    return PanelRow([(f"{OPEN} ", "faint"), *words])


def _columns(
    found: Sequence[Listed], picture: Picture, look: Look, terms: Mapping[str, str], *, is_wide: bool
) -> list[TextColumn]:
    now_ms = look.now_ms

    def near(time_ms: int | None) -> str:
        return NONE if time_ms is None else text.near_clock(time_ms, now_ms, look.offset_ms)

    alerts = [each.episode.alert for each in found]
    ends = [now_ms if each.is_now else each.episode.until_ms or now_ms for each in found]
    lasted = [text.duration(max(0, end - each.since_ms)) for each, end in zip(alerts, ends, strict=True)]
    affected = [len(whom(each, picture)) for each in found]
    columns = [
        TextColumn("  ALERT", [_signed(each) for each in found]),
        TextColumn("WHO", [(who_words(each, picture, is_named=is_wide), "text") for each in alerts]),
        TextColumn("SINCE", [(near(each.since_ms), "text") for each in alerts]),
        TextColumn("UNTIL", [(near(each.episode.until_ms), "text") for each in found], rank=2),
        TextColumn("LASTED", [(each, "text") for each in lasted], rank=1, right=True),
        TextColumn("AFFECTED", [(str(each) if each else NONE, "text") for each in affected], right=True),
    ]
    if not is_wide:
        return columns[:3] + columns[4:]
    briefs = [rule_of(each.kind).brief.format(**terms) for each in alerts]
    return [*columns, TextColumn("RULE", [(each, "soft") for each in briefs], rank=3)]


def _signed(each: Listed) -> Span:
    sign = FROZEN if rule_of(each.episode.alert.kind).level == ALARM else WATCH
    return f"{sign} {each.word}", each.style if each.is_now else "soft"


def _rule(one: Listed, terms: Mapping[str, str], width: int) -> Panel:
    rule = rule_of(one.episode.alert.kind)
    rows = []
    for words in sentences(rule, terms):
        label, _, said = words.partition(": ")
        name, said = (label.lower(), said) if label in {"Since", "Until", "From"} else ("means", words)
        for place, line in enumerate(folded(said.rstrip("."), width - 7)):
            rows.append(PanelRow([(f"{'' if place else name:<7}", "faint"), (line, "text")]))
    return Panel("rule", [("Its rule", "text")], rows)


def _affected(one: Listed, picture: Picture, look: Look) -> Panel:
    """Those affected by queue: a bar, how many, running and waiting for their master."""
    rows = whom(one, picture)
    running = sum(row.state == "RUNNING" for row in rows)
    queues: dict[str, list[ApplicationRow]] = {}
    for row in rows:
        queues.setdefault(row.queue, []).append(row)
    most = max(map(len, queues.values()), default=1)
    lines: list[Spans] = []
    for path, some in sorted(queues.items(), key=lambda item: (-len(item[1]), item[0])):
        began = sum(row.state == "RUNNING" for row in some)
        name = text.fit(text.plain(text.short_queue(path)), 12)
        bar = line_meter(BAR, len(some), most, style=hue_of(path, look))
        figures: Spans = [(f"{len(some):>5}", "text"), (f"{began}/{len(some) - began}".rjust(8), "soft")]
        lines.append([(f"{QUEUE_DOT} ", hue_of(path, look)), (f"{name} ", "text"), *bar, *figures])
    title: Spans = [(f"{len(rows)} affected", "text"), (f"  {running} running  {len(rows) - running} not", "soft")]
    empty = "none that is still there"
    return Panel("affected", title, [PanelRow(each) for each in lines[:5]] or [PanelRow([(empty, "soft")])])
