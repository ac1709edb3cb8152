"""Draws what an act would do, as lines of the dialog that asks: applications, what is lost and freed, what follows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from engine.explain.impact import BegunReport, ImpactReport, MemoryReport, StayReport
from engine.observe.snapshots import WaitTotal
from engine.scenario.acts import Act
from tui.panes.fragments import Fragments, cell_width, folded, line_meter
from tui.panes.waits import served_words
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

Fact = tuple[str, str]  # A figure, and what it means

LEAST_METER: Final = 12
MOST_METER: Final = 52  # Cells of the meters of memory
GAP: Final = 2  # Cells between lost and freed at least
NEAR: Final = 24  # Cells of the words beside a meter

NO_ACTS: Final[Mapping[str, Act]] = MappingProxyType({})


class ActQuestion(NamedTuple):
    title: str
    lines: tuple[str, ...]  # Lines about those concerned; the first line is the headline
    yes: str  # The answer that does it
    lost: tuple[Fact, ...] = ()
    freed: tuple[Fact, ...] = ()
    acts: Mapping[str, Act] = NO_ACTS  # The acts tried on a copy, by the ids they are about
    alone: str = ""  # What is said where no applications wait, beside the ones it ends


class Trying(NamedTuple):
    aftermath: ImpactReport | None = None  # None while that is not known
    beside: RelativeTimeFormat = RelativeTimeFormat(0, 0)  # Writes instants beside the act
    words: str = ""  # The work that is done, or why nothing is known


def sheet_lines(question: ActQuestion, trying: Trying | None, width: int) -> list[Fragments]:
    """The lines of a dialog in `width` cells; without `trying` nothing is said of what follows."""
    lines: list[Fragments] = []
    for place, words in enumerate(question.lines):
        style = "soft" if place else "strong"
        lines += [[(each, style)] for each in (folded(words, width) if len(words) > width else [words])]
    if question.lost or question.freed:
        lines += [[], *_columns(question, width)]
    if trying is not None:
        lines += [[], [("WHAT FOLLOWS", "faint")], *_follows(trying, width, question.alone)]
    return lines


def _columns(question: ActQuestion, width: int) -> list[Fragments]:
    left = [[("LOST", "faint")], *(_fact(each) for each in question.lost)]
    right = [[("FREED", "faint")], *(_fact(each) for each in question.freed)]
    half = max(width // 2, max(map(cell_width, left)) + GAP)
    if half + max(map(cell_width, right)) > width:
        return [*left, [], *right]
    rows = max(len(left), len(right))
    left, right = ([*each, *[[]] * (rows - len(each))] for each in (left, right))
    return [[*one, (" " * (half - cell_width(one)), "text"), *other] for one, other in zip(left, right, strict=True)]


def _fact(fact: Fact) -> Fragments:
    return [(fact[0], "strong"), (f"  {fact[1]}", "soft")] if fact[1] else [(fact[0], "strong")]


def _follows(trying: Trying, width: int, alone: str) -> list[Fragments]:
    after = trying.aftermath
    if after is None:
        return [[(each, "soft")] for each in folded(trying.words, width)]
    if after.refused:
        return [[(each, "soft")] for each in folded(f"It is refused: {text.plain(after.refused)}", width)]
    begun = _begun(after, trying.beside) if after.begun or not alone else [("nothing", alone)]
    gone = [(f"{after.preempted} killed", "containers are preempted within half an hour")] if after.preempted else []
    facts = [*begun, *gone, *_stays(after, trying.beside)]
    wide = max(len(figure) for figure, _ in facts) + 2
    lines: list[Fragments] = []
    for figure, words in facts:
        more = folded(words, max(20, width - wide))
        lines.append([(figure.ljust(wide), "strong"), (more[0], "soft")])
        lines += [[(" " * wide, "text"), (each, "soft")] for each in more[1:]]
    lines += _memory(after, trying.beside, width)
    note = "Tried on a copy with the work that waits now; later arrivals change it."
    return [*lines, [], *([(each, "soft")] for each in folded(note, width))]


def _begun(after: ImpactReport, day: RelativeTimeFormat) -> list[Fact]:
    begun = after.begun
    if not begun:
        return [("nothing", "that waits now gets anything within half an hour")]
    started, running = ([each for each in begun if each.ran is ran] for ran in (False, True))
    found = [_served(started, served_words(WaitTotal(first=len(started))), day)] if started else []
    return [*found, _served(running, served_words(WaitTotal(more=len(running))), day)] if running else found


def _served(some: Sequence[BegunReport], verb: str, day: RelativeTimeFormat) -> Fact:
    first, last = (day.clock(each.at_ms) for each in (some[0], some[-1]))
    return f"{len(some)} {verb}", f"at {first}" if len(some) == 1 else f"the first at {first}, the last at {last}"


def _stays(after: ImpactReport, day: RelativeTimeFormat) -> list[Fact]:
    facts = []
    ends = {each: each.until_ms for each in after.stays if each.until_ms is not None}
    if ends:
        last = day.clock(max(ends.values()))
        facts.append((f"{len(ends)} {'ends' if len(ends) == 1 else 'end'}", f"{_owners([*ends])}, by {last}"))
    kept = [each for each in after.stays if each.until_ms is None]
    if kept:
        facts.append((f"{len(kept)} {'stays' if len(kept) == 1 else 'stay'}", _owners(kept)))
    return facts


def _owners(stays: Sequence[StayReport]) -> str:
    held = Counter(each.application for each in stays)
    owner, count = held.most_common(1)[0]
    where = text.short_node(stays[0].node) if len(stays) == 1 else text.plural(count, "node")
    others = f" and {text.plural(len(held) - 1, 'other')}" if len(held) > 1 else ""
    return f"the reservation of {where} by {text.short_id(owner)}{others}"


def _memory(after: ImpactReport, day: RelativeTimeFormat, width: int) -> list[Fragments]:
    now, most = after.memory.before, after.memory.most
    if now is None or most is None:
        return []
    later = day.clock(most.at_ms)
    cells = max(LEAST_METER, min(MOST_METER, width - NEAR - 12))
    meters = [("memory now", now)] + ([(later, most)] if most.percent > now.percent else [])
    return [[], *(memory_meter(name, each, cells) for name, each in meters)]


def memory_meter(name: str, use: MemoryReport, cells: int) -> Fragments:
    """The memory in use at an instant: a meter, per cent, amounts."""
    total = max(1, use.total_mb)
    figures = f"  {text.part_of('memory_mb', use.used_mb, use.total_mb)}"
    meter = line_meter(cells, use.used_mb, total)
    percent = text.percent(use.used_mb, total) or "0%"
    return [(f"{name:<11}", "soft"), *meter, (f" {percent:>4}", "strong"), (figures, "soft")]
