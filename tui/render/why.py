"""The answer to why as one page of panels, arranged by the size of the screen; made of what `schedlab why` writes."""

from typing import Final, NamedTuple

from engine.observe.snapshot import Snapshot
from tui.answers import CLUSTER, WhyAnswer
from tui.render.fix import fix_page
from tui.render.line import Look, Spans
from tui.render.panel import EDGES, INSIDE, Page, Panel, beside, framed, height_of, ruled, stacked
from tui.render.why_after import after_panel
from tui.render.why_parts import CIRCLE, HOLDERS, REASONS, circle_panel, holders_panel, reasons_panel, waiters_panel
from tui.render.why_remedies import HELPS, place_of, remedies_of, remedies_panel, rest_panel, sorted_remedies
from tui.render.why_tasks import job_of

FRAMED_FROM: Final = 110  # Width from which panels have frames and stand beside each other
WIDE_FROM: Final = 170  # Width from which who holds what stands beside the circle
TABS: Final = (CIRCLE, REASONS, HOLDERS)  # Parts of which a narrow screen shows one at a time

_TITLES: Final = {CIRCLE: "Circle", REASONS: "Reasons", HOLDERS: "Holders"}
_NO_CIRCLE: Final = "Proof"  # What the first part is called where the answer has no circle


class WhyChoice(NamedTuple):
    """The user's view of an answer."""

    part: str = ""
    """Where the cursor is."""
    tab: str = CIRCLE
    """The part a narrow screen shows."""
    order: str = "soonest first"
    """The order of the remedies, one of `why_remedies.ORDERS`."""


def parts_by_key(width: int) -> tuple[str, ...]:
    """The parts that the keys from 1 on go to."""
    return TABS if width < FRAMED_FROM else (REASONS, HOLDERS, HELPS)


def why_page(
    answer: WhyAnswer, snapshot: Snapshot | None, look: Look, size: tuple[int, int], choice: WhyChoice
) -> Page:
    """All of an answer in `size` cells and lines, or more lines where it needs them.

    `snapshot` is of the instant asked about, for figures; None where there is none.
    """
    width, height = size
    if answer.subject.kind == CLUSTER:
        return fix_page(answer, look, size, choice.part)
    if answer.report is None:
        return Page([], [])
    inside = width - INSIDE if width >= FRAMED_FROM else width - 2
    if answer.place is not None:
        panel = waiters_panel(answer, inside)
        draw = framed if width >= FRAMED_FROM else ruled
        return draw(panel, width, has_focus=True)
    above = _above(answer, snapshot, look, width, choice)
    helps = remedies_panel(answer, inside, choice.order)
    after = answer.why.aftermath if answer.why is not None else None
    listed = sorted_remedies(remedies_of(answer.remedies), choice.order)
    place = place_of(listed, after.remedy) if after is not None else 0
    rest = rest_panel(answer, inside)
    lines_left = height - len(above.lines) - height_of(helps) - (height_of(rest) if rest else 0) - EDGES
    is_busy = "remedy" in answer.doing and place == 0
    follows = after_panel(after, answer.beside, place, look, (inside, lines_left), is_busy=is_busy)
    shown = [follows] if rest or after else []
    if width < FRAMED_FROM:
        below = [ruled(each, width) for each in (*shown, *([rest] if rest else []))]
        return stacked([above, ruled(helps, width, has_focus=choice.part == HELPS), *below])
    last = [framed(each, width) for each in (*shown, *([rest] if rest else []))]
    room = height - len(above.lines) - sum(len(page.lines) for page in last)
    middle = framed(_numbered(helps, 3, choice), width, room if last else 0, has_focus=choice.part == HELPS)
    return stacked([above, middle, *last])


def _numbered(panel: Panel, number: int, choice: WhyChoice) -> Panel:
    has_focus = panel.part == choice.part
    name, *facts = panel.title
    title: Spans = [(f"{number} ", "accent" if has_focus else "faint")]
    return panel._replace(title=[*title, (name[0], "strong" if has_focus else "text"), *facts])


def _above(answer: WhyAnswer, snapshot: Snapshot | None, look: Look, width: int, choice: WhyChoice) -> Page:
    if width < FRAMED_FROM:
        return _tab(answer, snapshot, look, width, choice)
    left = width * 56 // 100 if width >= WIDE_FROM else (width + 4) // 2
    right = width - left
    reasons = _numbered(reasons_panel(answer, snapshot, look, left - INSIDE), 1, choice)
    holders = _numbered(holders_panel(answer, snapshot, look, right - INSIDE), 2, choice)
    if width >= WIDE_FROM:
        circle = circle_panel(answer, snapshot, look, left - INSIDE)
        tall = max(height_of(circle) + height_of(reasons), height_of(holders))
        first = framed(circle, left, has_focus=choice.part == CIRCLE)
        rest = framed(reasons, left, tall - len(first.lines), has_focus=choice.part == REASONS)
        return beside(stacked([first, rest]), framed(holders, right, tall, has_focus=choice.part == HOLDERS), left)
    circle = circle_panel(answer, snapshot, look, width - INSIDE)
    tall = max(height_of(reasons), height_of(holders))
    pair = beside(
        framed(reasons, left, tall, has_focus=choice.part == REASONS),
        framed(holders, right, tall, has_focus=choice.part == HOLDERS),
        left,
    )
    return stacked([framed(circle, width, has_focus=choice.part == CIRCLE), pair])


def _tab(answer: WhyAnswer, snapshot: Snapshot | None, look: Look, width: int, choice: WhyChoice) -> Page:
    """One of three parts below a rule that names them all; before there is a verdict the first has the reasons too."""
    make = {CIRCLE: circle_panel, REASONS: reasons_panel, HOLDERS: holders_panel}[choice.tab]
    panel = make(answer, snapshot, look, width - 2)
    if choice.tab == CIRCLE and answer.why is not None and not answer.why.verdict:
        panel = panel._replace(rows=[*panel.rows, *reasons_panel(answer, snapshot, look, width - 2).rows])
    proof = answer.why.proof if answer.why is not None else None
    has_circle = proof is not None and bool(proof.cycle)
    title: Spans = []
    for number, part in enumerate(TABS, 1):
        title += [("   ", "text")] if title else []
        word = _TITLES[part]
        if part == CIRCLE and not has_circle:
            word = _NO_CIRCLE if answer.why is None or job_of(answer.why, snapshot) is None else "Tasks"
        title += [(f"{number} ", "faint"), (word, "strong" if part == choice.tab else "soft")]
    return ruled(panel._replace(title=title, right=""), width, has_focus=choice.part == choice.tab)
