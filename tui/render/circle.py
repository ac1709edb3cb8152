"""A circle of applications that wait for each other, drawn as boxes with arrows, or as a list where there is no room.

Pure functions from `CirclePart`s to lines; `circle_parts` makes the parts.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui import format as text
from tui.render.line import Spans, crop, folded, length

BOX_ROWS: Final = 5  # Rows of a box: its frame, who, the name, what it holds
MARGIN: Final = 4  # Cells left of the first box at most
WORDS: Final = 22  # Cells that a box has for words at least, where its words need as many
ROOMY_WORDS: Final = 30  # What it has at most, where there is room
LEAST_ARROW: Final = 16  # Cells between two of three boxes at least


class CirclePart(NamedTuple):
    """One application of a circle, or several alike."""

    number: str
    """The short id of the first."""
    name: str
    others: int
    """How many there are beside the first."""
    holds: str
    """What it holds of what the part before it needs: `holds 11 nodes`."""
    needs: str
    """What it needs of the next part: `needs 18.5G more on one of its 11 nodes`."""


def circle_lines(parts: Sequence[CirclePart], width: int, *, is_proven: bool = True) -> list[Spans]:
    """A circle in at most `width` cells: boxes in a row for two or three parts, else a list.

    Each of the `parts` needs something of the next, the last of the first; `is_proven` where it is known that it never
    ends.
    """
    if len(parts) == 2 and (drawn := _two_boxes(parts, width)):
        return drawn
    if len(parts) == 3 and (drawn := _three_boxes(parts, width)):
        return drawn
    return [crop(line, width, "…") for line in circle_list(parts, width, is_proven=is_proven)]


def circle_list(parts: Sequence[CirclePart], width: int, *, is_proven: bool = True) -> list[Spans]:
    """A circle as a list: each part, what it needs, and a line that comes back to the first; nothing without parts."""
    lines: list[Spans] = []
    for place, part in enumerate(parts):
        who: Spans = [(part.number, "strong"), (f" {_named(part)}", "text")]
        holds: Spans = [(f" {part.holds}", "soft")]
        lines += [[*who, *holds]] if length([*who, *holds]) <= width else [who, [("  │   ", "line"), *holds]]
        more = folded(part.needs, width - 6)
        lines += [[("  │   ", "line"), (words, "soft")] for words in more]
        if place == len(parts) - 1:
            ending = " again, and so on for ever" if is_proven else " again"
            lines.append([("  ╰─→ ", "line"), (parts[0].number, "strong"), (ending, "soft")])
    return lines


def _named(part: CirclePart) -> str:
    if not part.others:
        return part.name
    return f"{part.name} and {part.others} {'other' if part.others == 1 else 'others'}"


def _box_words(part: CirclePart) -> tuple[str, str, str]:
    if part.others:
        return f"{part.others + 1} applications", f"{part.number} {part.name} …", part.holds
    return part.number, part.name, part.holds


def _box(part: CirclePart, words: int) -> list[Spans]:
    """Five rows of `words + 4` cells."""
    inside = zip(_box_words(part), ("strong", "text", "soft"), strict=True)
    rows: list[Spans] = [
        [("│ ", "line"), (text.fit(each, words, mark="…"), style), (" │", "line")] for each, style in inside
    ]
    edge = "─" * (words + 2)
    return [[(f"╭{edge}╮", "line")], *rows, [(f"╰{edge}╯", "line")]]


def _longest(parts: Sequence[CirclePart]) -> int:
    return max(length([(words, "")]) for part in parts for words in _box_words(part))


def _two_boxes(parts: Sequence[CirclePart], width: int) -> list[Spans]:
    """One arrow there and one back, each with what is needed beside it; nothing where that does not fit."""
    label = max(length([(part.needs, "")]) for part in parts)
    words = min(_longest(parts), max(WORDS, min(ROOMY_WORDS, (width - label - 12) // 2)))
    between = width - 2 * (words + 4)
    if between < label + 4:
        return []
    margin = min(MARGIN, (between - label - 4) // 2)
    between -= 2 * margin
    left, right = (_box(part, words) for part in parts)
    line = "─" * (between - 3)
    middle: list[Spans] = [
        [(parts[0].needs.center(between), "soft")],
        [(f" {line}→ ", "line")],
        [(" " * between, "text")],
        [(f" ←{line} ", "line")],
        [(parts[1].needs.center(between), "soft")],
    ]
    return [
        [(" " * margin, "text"), *one, *arrow, *other] for one, arrow, other in zip(left, middle, right, strict=True)
    ]


def _three_boxes(parts: Sequence[CirclePart], width: int) -> list[Spans]:
    """Two arrows on, and a line below that comes back; nothing where what is needed does not fit."""
    words = min(_longest(parts), WORDS)
    between = (width - 3 * (words + 4)) // 2
    if between < LEAST_ARROW or length([(parts[2].needs, "")]) > width - words - 8:
        return []
    labels = [folded(part.needs, between - 2) for part in parts[:2]]
    if max(map(len, labels)) > BOX_ROWS - 1:
        return []
    boxes = [_box(part, words) for part in parts]
    arrows = [_arrow(lines, between) for lines in labels]
    rows: list[Spans] = [
        [*boxes[0][row], *arrows[0][row], *boxes[1][row], *arrows[1][row], *boxes[2][row]] for row in range(BOX_ROWS)
    ]
    half = words // 2 + 2
    inside = 3 * (words + 4) + 2 * between - 2 * half - 1
    rows.append([(" " * half, "text"), ("↑", "line"), (" " * (inside - 1), "text"), ("│", "line")])
    back = f" {parts[2].needs} "
    before = max(1, (inside - 1 - length([(back, "")])) // 2)
    after = inside - 1 - before - length([(back, "")])
    return [*rows, [(" " * half, "text"), ("╰" + "─" * before, "line"), (back, "soft"), ("─" * after + "╯", "line")]]


def _arrow(label: Sequence[str], between: int) -> list[Spans]:
    """An arrow in the second row, the first line of its label above it and the others below."""
    rows: list[Spans] = [[(each.center(between), "soft")] for each in [*label, *[""] * (BOX_ROWS - 1 - len(label))]]
    return [rows[0], [(f" {'─' * (between - 3)}→ ", "line")], *rows[1:]]
