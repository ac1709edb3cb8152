"""The header: clock and switches, meters, counts; alerts are the last to be cut."""

from math import inf

from engine.observe.snapshot import Header, Unknown
from tui import format as text
from tui.render.line import Glyphs, Look, Spans, bar, crop, length
from tui.view_state import RunState

METER_NAMES = {
    "memory_mb": ("mem", "memory"),
    "vcores": ("vc", "vcores"),
    "cores": ("co", "cores"),
    "map_slots": ("maps", "map slots"),
    "reduce_slots": ("reds", "reduce slots"),
}
"""Dimension → (short, long) title of its meter."""


def speed_words(run: RunState) -> str:
    """The clock's speed, as `x60` or `max`."""
    return "max" if run.speed == inf else f"x{run.speed:g}"


def _mode(run: RunState, glyphs: Glyphs) -> tuple[str, str]:
    if run.present_ms is not None:
        return "<< PAST", "bad"
    if run.failure:
        return f"{glyphs.ended} STOPPED", "bad"
    if run.ended:
        return f"{glyphs.ended} END", "warn"
    if run.paused:
        return f"{glyphs.paused} PAUSED {speed_words(run)}", "warn"
    return f"{glyphs.running} {speed_words(run)}", "good"


def _switches(header: Header, wide: bool) -> Spans:
    preemption, rule = header.preemption, header.reservation_rule
    spans: Spans = []
    if not isinstance(preemption, Unknown):
        words = ("preemption " if wide else "P ") + ("ON" if preemption else "off")
        spans += [(words, "info" if preemption else "plain")]
    if not isinstance(rule, Unknown) and rule:
        spans += [("  " if spans else "", "plain"), (("reservation " if wide else "R ") + rule, "info")]
    if not isinstance(header.spread_out, Unknown):
        long, short = ("spread-out ON", "spread") if header.spread_out else ("spread-out off: packing", "packing")
        words = long if wide else f"O {short}"
        spans.append((words, "info" if header.spread_out else "warn"))
    return spans


def clock_line(header: Header, run: RunState, look: Look, width: int, *, read_only: bool = False) -> Spans:
    """Whether one only looks, how the clock runs, what it says, which scheduler decides, what it is called."""
    wide = width >= 110
    now = text.clock(header.time_ms, look.offset_ms)
    moment = f"{text.date(header.time_ms, look.offset_ms)} {now}" if wide else now
    spans: Spans = [
        (" ", "plain"),
        _mode(run, look.glyphs),
        (" | ", "dim"),
        (moment, "strong"),
        (" | ", "dim"),
        (header.scheduler, "plain"),
    ]
    if run.present_ms is not None:
        spans[4:4] = [(f" (present {text.clock(run.present_ms, look.offset_ms)}: esc; branch: B)", "warn")]
    if read_only:
        spans[1:1] = [("READ-ONLY", "warn"), (" | ", "dim")]
    switches = _switches(header, wide)
    spans += [(" | ", "dim"), *switches] if switches else []
    spans += [(" | ", "dim"), (text.plain(run.name), "plain")]
    if wide:
        spans.append((f"  seed {run.seed}", "dim"))
    return crop(spans, width, look.glyphs.cut)


def meter_line(header: Header, look: Look, width: int) -> Spans:
    """One meter per dimension: used, then free; the share in per cent and in amounts."""
    meters = list(zip(header.dimensions, header.total, header.used, strict=False))
    wide = width >= 110
    spans: Spans = []
    room = width // max(1, len(meters))
    for name, total, used in meters:
        title = METER_NAMES.get(name, (name, name))[1 if wide else 0]
        share = text.percent(used, total) or "-"
        words = f" {share} {text.dimension(name, used)}/{text.dimension(name, total)}"
        size = max(4, room - len(title) - len(words) - 5)
        parts = [(used, look.glyphs.used, "bar.used"), (total, look.glyphs.room, "bar.room")]
        spans += [(f" {title} [", "head"), *bar(size, parts, [], total), ("]", "head"), (words + " ", "strong")]
    return crop(spans, width, look.glyphs.cut)


def counts_line(header: Header, run: RunState, look: Look, width: int) -> Spans:
    """Nodes, applications, containers; alerts come first."""
    spans: Spans = [(" ", "plain")]
    for words in alerts(header, run):
        spans += [(f"! {words}", "bad"), ("   ", "plain")]
    pending = header.containers_pending
    waiting = f" +{pending} wait" if isinstance(pending, int) and pending else ""
    down = f" {header.nodes_down} down" if header.nodes_down else ""
    spans += [
        ("apps ", "head"),
        (f"{header.applications_running} run ", "plain"),
        (f"{header.applications_pending} wait", "warn" if header.applications_pending else "plain"),
        ("  nodes " if isinstance(header.spread_out, Unknown) else "  workers ", "head"),
        (f"{header.nodes}", "plain"),
        (down, "bad"),
        ("  cont " if isinstance(header.spread_out, Unknown) else "  exec ", "head"),
        (f"{header.containers}{waiting}", "plain"),
    ]
    held = header.nodes_reserved
    if isinstance(held, int) and (held < header.nodes or not held):
        spans += [("  reserved ", "head"), (f"{held}/{header.nodes} nodes", "warn" if held else "plain")]
    return crop(spans, width, look.glyphs.cut)


def alerts(header: Header, run: RunState) -> list[str]:
    """What an operator must know now, worst first; empty when nothing is wrong."""
    found = [words for words in (run.failure, run.alert) if words]
    held = header.nodes_reserved
    if isinstance(held, int) and held >= header.nodes > 0:
        found.append("the only node is reserved" if held == 1 else f"all {held} nodes reserved")
    return found


def lines(
    header: Header, run: RunState, look: Look, width: int, height: int, *, read_only: bool = False
) -> list[Spans]:
    """The header at a width; with less height the clock line, then the counts, stay."""
    clock, meters = clock_line(header, run, look, width, read_only=read_only), meter_line(header, look, width)
    counts = counts_line(header, run, look, width)
    chosen = {1: [clock], 2: [clock, counts]}.get(height, [clock, meters, counts])
    return [spans if length(spans) <= width else crop(spans, width) for spans in chosen]
