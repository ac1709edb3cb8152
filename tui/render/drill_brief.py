"""The brief of a drill as a screen: situation, task, what counts, what is allowed, in one frame."""

from textwrap import wrap
from typing import Final

from engine.training.drill import Drill, DrillScenario
from engine.training.protocol import begins_at
from engine.training.score import HINT_PRICE, LAST_HINT_PRICE, PATCH_PRICE, SHORTCUT_PRICE, most_points
from tui import format as text
from tui.glyphs import CRUMB, FRAME
from tui.render.drill import allowed
from tui.render.line import Spans, length

MOST: Final = 104  # Widest frame
HEAD: Final = 12  # Width of the heads of the parts


def brief_screen(drill: DrillScenario, place: tuple[int, int], best: int | None, width: int) -> list[Spans]:
    """The lines of the brief, the frame centred where there is room."""
    inside = min(width, MOST) - 4
    margin = " " * max(0, (width - inside - 4) // 2)
    edge, side, corners = FRAME[0], FRAME[1], FRAME[2:]
    title = f" {drill.title} "
    about = f" {drill.drill.minutes} minutes, {drill.drill.difficulty} "
    calming = f"{about.rstrip()}, nothing can break outside the simulator "
    space = max(0, inside - len(title))
    about = calming if len(calming) <= space else text.fit(about, space).rstrip() + " "
    rest = edge * max(0, inside - len(title) - len(about) + 1)
    top: Spans = [(margin, "text"), (corners[0] + edge, "line"), (title, "strong"), (about, "faint")]
    lines = [_crumbs(drill, place, width), [], [*top, (rest + corners[1], "line")]]
    for spans in _body(drill, best, inside):
        room = " " * max(0, inside - length(spans))
        lines.append([(margin, "text"), (side + " ", "line"), *spans, (room, "text"), (" " + side, "line")])
    lines.append([(margin, "text"), (corners[2] + edge * (inside + 2) + corners[3], "line")])
    return lines


def _crumbs(drill: DrillScenario, place: tuple[int, int], width: int) -> Spans:
    left: Spans = [(f" Drills {CRUMB} ", "soft"), (drill.title, "strong")]
    right = f"drill {place[0]} of {place[1]} "
    return [*left, (" " * max(1, width - length(left) - len(right)), "text"), (right, "soft")]


def _body(drill: DrillScenario, best: int | None, width: int) -> list[Spans]:
    one = drill.drill
    begins = begins_at(drill)
    lines: list[Spans] = [[]]
    when = f"{begins:%A, %H:%M}. "
    paragraphs = one.brief.strip().removeprefix(when.strip()).strip().split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        first = when if not number and not paragraph.startswith(f"{begins:%A}") else ""
        wrapped = wrap(first + paragraph, width)
        for row, line in enumerate(wrapped):
            has_head = first and not row
            lines.append([(first, "strong"), (line[len(first) :], "text")] if has_head else [(line, "text")])
        lines.append([])
    lines += _part("YOUR TASK", [f"{number}  {task}" for number, task in enumerate(one.task, 1)], width)
    lines += _part("ASKED", [question.text for question in drill.drill.all_questions()], width)
    lines += _part("COUNTS", _counts(one), width)
    lines += _part("ALLOWED", [f"every key; {allowed(drill)[0]}; {allowed(drill)[1]}", _clock(drill)], width)
    lines += _part("FORBIDDEN", [f"{each.name}: {each.reason}" for each in one.forbidden], width)
    start: Spans = [
        (" enter  Start ", "onbadge on accent"),
        ("  ", "text"),
        ("esc", "bold accent"),
        (" not now", "soft"),
    ]
    words = "not played yet" if best is None else f"best so far {best}"
    return [*lines, [*start, (" " * max(1, width - length(start) - len(words)), "text"), (words, "faint")], []]


def _counts(drill: Drill) -> list[str]:
    named = ", ".join(f"{name} {most}" for name, most in most_points(drill).items())
    hints = f"a hint -{HINT_PRICE}, the last -{LAST_HINT_PRICE}"
    return [named, f"{hints}, a forbidden shortcut -{SHORTCUT_PRICE}, what takes a patch -{PATCH_PRICE}"]


def _clock(drill: DrillScenario) -> str:
    lasts = text.duration(drill.drill.lasts_ms)
    return f"you have {lasts} of the cluster's time; it runs {chr(215)}1 at first and stands in dialogs"


def _part(head: str, items: list[str], width: int) -> list[Spans]:
    wrapped = [line for item in items for line in wrap(item, max(20, width - HEAD), subsequent_indent="   ")]
    lines: list[Spans] = [
        [(f"{head:{HEAD}}" if not row else " " * HEAD, "faint"), (line, "text")] for row, line in enumerate(wrapped)
    ]
    return [*lines, []]
