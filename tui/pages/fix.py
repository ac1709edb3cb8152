"""The page of `W`: what can be done now so that all that wait start, by what it takes, and what follows the chosen."""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec

from engine.explain.answer import RemediesReport
from engine.explain.change import after_words, change_of, written_lines
from engine.explain.impact import HappeningReport, ImpactReport
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import YARN, terms_for
from engine.scenario.acts import SetQueueSetting, SetSetting
from tui.pages.act_sheet import memory_meter
from tui.pages.remedy_table import HELPS, assumed_rows, remedy_rows, useless_rows
from tui.pages.remedy_text import expected_words, subject_words
from tui.pages.why import EDGES, INSIDE, Page, Panel, PanelRow, after_panel, beside, framed, height_of, ruled, stacked
from tui.panes.fragments import RenderContext, folded, line_meter
from tui.panes.header import Health
from tui.protocol.picture import WhyAnswer
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

FRAMED_FROM: Final = 100  # Width from which panels have frames
BESIDE_FROM: Final = 116  # Width from which it stands beside what follows how that was tried
SHORT: Final = 3  # How many of a group are listed where all would leave no room for what follows
FOLLOWS: Final = 6  # Lines for what follows a remedy
HOW: Final = 44  # Cells of the panel that tells how it was tried
AS_PLANNED, ABOVE = "tasks run as long as planned", "what is said above"  # What is assumed of a run, and of a twin
METER: Final = 12  # Cells of the meter of what is tried


class SearchProgress(NamedTuple):
    left_s: float | None = None  # How long it may still take; None where that is not known
    is_open: bool | None = None  # Whether remedies that start none are listed; None where there is room


def fix_page(
    answer: WhyAnswer,
    snapshot: Snapshot | None,
    look: RenderContext,
    size: tuple[int, int],
    part: str,
    search: SearchProgress,
) -> Page:
    """The remedies by group, what follows the one that was tried last, and how it was tried."""
    width, height = size
    is_framed = width >= FRAMED_FROM
    inside = width - INSIDE if is_framed else width - 2
    make = partial(_panel, answer, snapshot, look, inside, search)
    whole = make(None, is_open=is_framed if search.is_open is None else search.is_open)
    folded_up = make(None, is_open=bool(search.is_open))
    short = make(SHORT, is_open=bool(search.is_open))
    least = FOLLOWS + EDGES
    helps = next((each for each in (whole, folded_up) if height_of(each) + least <= height), short)
    draw = framed if is_framed else ruled
    found = answer.plan
    pages = [draw(helps, width, has_focus=part == HELPS)]
    if found is None or not found.remedies:
        return stacked(pages)
    room = height - height_of(helps)
    if width < BESIDE_FROM:
        return stacked([*pages, draw(_follows(answer, look, (inside, room - EDGES)), width)])
    left = width - HOW
    panel = _follows(answer, look, (left - INSIDE, room - EDGES))
    how = _how(answer, found, snapshot, HOW - INSIDE)
    tall = max(height_of(panel), height_of(how), room if room < 2 * FOLLOWS else 0)
    return stacked([*pages, beside(framed(panel, left, tall), framed(how, HOW, tall), left)])


def _panel(
    answer: WhyAnswer,
    snapshot: Snapshot | None,
    look: RenderContext,
    width: int,
    search: SearchProgress,
    most: int | None,
    *,
    is_open: bool,
) -> Panel:
    found, title = answer.plan, [("What to do now", "text")]
    if found is None:
        words = answer.note or ("looking for what would help …" if answer.doing else "not known")
        return Panel(HELPS, title, PanelRow.folded(words, width))
    if not found.targets:
        return Panel(HELPS, title, [PanelRow([("Nothing waits, so nothing is tried.", "soft")])])
    title.append((f"  {found.tried} of {found.of} tried on copies", "soft"))
    if answer.doing and found.tried < found.of:
        title += [("  ", "text"), *line_meter(METER, found.tried, max(1, found.of))]
        if search.left_s is not None:
            title.append((f"  about {text.duration(max(1, round(search.left_s)) * 1000)} to go", "soft"))
    rows = [
        *assumed_rows(found.assumed, answer.beside, width),
        *remedy_rows(found, answer.beside, look, width, most=most),
    ]
    return Panel(HELPS, title, [*rows, *useless_rows(found, snapshot, width, is_open=is_open)])


def _follows(answer: WhyAnswer, look: RenderContext, size: tuple[int, int]) -> Panel:
    after, (width, height) = answer.impact, size
    is_busy = "remedy" in answer.doing and after is None
    meters = _meters(after, answer.beside, width) if after is not None else []
    if after is not None:
        after = msgspec.structs.replace(after, happenings=_fitted(after.happenings, height - len(meters)))
    number = after.number if after is not None else 0
    panel = after_panel(after, answer.beside, number, look, (width, height - len(meters)), is_busy=is_busy)
    return panel._replace(rows=[*panel.rows, *meters])


def _fitted(happenings: Sequence[HappeningReport], most: int) -> tuple[HappeningReport, ...]:
    last = max((each.at_ms for each in happenings if each.is_target), default=0)
    single = [each for each in happenings if each.is_target and each.at_ms < last]
    gone = single[: max(0, len(happenings) - max(most, FOLLOWS))]
    return tuple(each for each in happenings if each not in gone)


def _meters(after: ImpactReport, day: RelativeTimeFormat, width: int) -> list[PanelRow]:
    memory, cells = after.memory, max(8, min(36, width - 36))
    if memory.before is None or memory.most is None:
        return []
    uses = {use.at_ms: use for use in (memory.most, memory.last) if use is not None and use.at_ms > day.now_ms}
    meters = [("memory now", memory.before), *((day.clock(at_ms), uses[at_ms]) for at_ms in sorted(uses))]
    return [PanelRow(memory_meter(name, use, cells)) for name, use in meters]


def _how(answer: WhyAnswer, found: RemediesReport, snapshot: Snapshot | None, width: int) -> Panel:
    day, note, left = answer.beside, answer.note, found.of - found.tried
    terms = YARN if snapshot is None else terms_for(snapshot.header.dimensions)
    without = "none of them starts without an act" if found.never else "some start without an act"
    facts = {
        "copy": f"of {day.clock(found.at_ms)}, as it stands",
        "played": f"with no new submissions to {day._replace(mark='').clock(found.looked_until_ms)}: {without}",
        "assumes": f"{note or (ABOVE if found.assumed else AS_PLANNED)}; later submissions change it",
        "harm": f"run time that {terms.container}s lose, and others are delayed",
        "left": f"{left} to try" if left else "nothing",
        **_written(answer, snapshot),
    }
    rows = [
        PanelRow([(f"{name if not place else '':<9}", "faint"), (line, "text")])
        for name, words in facts.items()
        for place, line in enumerate(folded(words, width - 9))
    ]
    return Panel("tried", [("How it was tried", "text")], rows)


def _written(answer: WhyAnswer, snapshot: Snapshot | None) -> dict[str, str]:
    remedy = answer.impact.remedy if answer.impact is not None else None
    if snapshot is None or remedy is None or not isinstance(remedy.act, SetQueueSetting | SetSetting):
        return {}
    change = change_of(remedy.act, snapshot.header.scheduler)
    return {"write": text.plain(" ".join(written_lines(change))), "then": after_words([change]).removeprefix("then ")}


def plan_words(answer: WhyAnswer) -> str:
    found = answer.plan
    if found is None:
        return text.plain(answer.note)
    if not found.targets:
        return "nothing waits: there is nothing to do"
    if found.never and len(found.targets) > 1:
        return f"for {len(found.targets)} that wait: none starts without an act"
    return f"{subject_words(found)}: {expected_words(found, answer.beside)}"


def proof_of_header(health: Health, day: RelativeTimeFormat) -> Sequence[tuple[str, str]]:
    if health.word != "FROZEN" or health.since_ms is None:
        return []
    return [("proof  ", "faint"), (f"the header's: FROZEN since {day.clock(health.since_ms)}, 0 allocated", "soft")]
