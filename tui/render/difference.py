"""What differs between two drawings of one line, so that nothing else is sent to the terminal."""

from rich.cells import cell_len

from tui.render.line import Spans, length


def difference(old: Spans, new: Spans) -> tuple[int, int] | None:
    """The cells from the first to behind the last that differ; None when none does.

    Spans are compared as wholes, so the answer may be wider than need be, never narrower.

    >>> difference([("a ", "x"), ("12", "x"), ("b", "y")], [("a ", "x"), ("13", "x"), ("b", "y")])
    (2, 4)
    """
    if old == new:
        return None
    shorter = min(len(old), len(new))
    same = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    begin = sum(cell_len(words) for words, _ in new[:same])
    old_width, new_width = length(old), length(new)
    if old_width != new_width:
        return begin, max(old_width, new_width)
    end = new_width
    for (words, style), other in zip(reversed(new[same:]), reversed(old[same:]), strict=False):
        if (words, style) != other:
            break
        end -= cell_len(words)
    return begin, end
