"""The story of an alert: what was allocated, what was done and found, and a line a rule from since to until."""

from collections.abc import Sequence
from typing import Final

from tui import format as text
from tui.glyphs import CURSOR_LINE, CUT, METER_FULL, TRACK
from tui.picture import Picture
from tui.render import pulse as drawing
from tui.render.alert_row import Listed
from tui.render.line import Look, Span, Spans, folded, joined
from tui.render.mark import marks_of
from tui.render.panel import Panel, PanelRow
from tui.render.pulse import Freeze, Pulse
from tui.render.time_axis import Window

LABEL: Final = 14  # Cells of the names of lanes
PULSE_ROWS: Final = 2
MOST_RULES: Final = 5  # How many rules have a line


def story_panel(part: str, found: Sequence[Listed], one: Listed, picture: Picture, look: Look, width: int) -> Panel:
    """The whole way of the run up to the instant shown, and what the alert says."""
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
    rows += [[(each, "soft")] for each in folded(text.plain(text.with_short_ids(alert.sentence)), width)]
    rows.append([])
    for word in list(dict.fromkeys(each.word for each in found))[:MOST_RULES]:
        some = [each for each in found if each.word == word]
        name = (text.fit(word, LABEL - 1, mark=CUT), "strong" if word == one.word else "soft")
        rows.append([name, (" ", "text"), *_bars(some, pulse, cells)])
    begin, end = (text.near_minute(each, look.now_ms, look.offset_ms) for each in window)
    title: Spans = [("Story", "text"), (f"  {one.word}", "strong")]
    return Panel(part, title, [PanelRow(each) for each in rows], f"{begin} to {end}")


def _labelled(label: str, row: Spans) -> Spans:
    return [(label.ljust(LABEL), "soft"), *row]


def _lane(picture: Picture, pulse: Pulse, width: int) -> Spans:
    """What was done and found, at its time."""
    row: list[Span] = [(TRACK, "line")] * width
    for mark in marks_of(picture.run, pulse.here_ms):
        if pulse.window.since_ms <= mark.time_ms <= pulse.here_ms:
            row[drawing.cell_of(mark.time_ms, pulse, width)] = (mark.sign, mark.style)
    return joined(_here(row, pulse, width))


def _bars(some: Sequence[Listed], pulse: Pulse, width: int) -> Spans:
    """The times in which a rule held."""
    row: list[Span] = [(" ", "text")] * width
    for each in reversed(some):
        alert, until_ms = each.episode.alert, each.episode.until_ms or pulse.here_ms
        begin, end = (drawing.cell_of(time_ms, pulse, width) for time_ms in (alert.since_ms, until_ms))
        row[begin : end + 1] = [(METER_FULL, each.style)] * (end + 1 - begin)
    return joined(_here(row, pulse, width))


def _here(row: list[Span], pulse: Pulse, width: int) -> list[Span]:
    """With the instant shown."""
    row[drawing.cell_of(pulse.here_ms, pulse, width)] = (CURSOR_LINE, "accent")
    return row
