"""What differs between two drawings of one line, so that nothing else is sent to the terminal."""

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
    first = 0
    while first < shorter and old[first] == new[first]:
        first += 1
    alike = 0
    while alike < shorter - first and old[-1 - alike] == new[-1 - alike]:
        alike += 1
    begin = length(new[:first])
    was, is_now = length(old[first : len(old) - alike]), length(new[first : len(new) - alike])
    if was == is_now:
        return begin, begin + is_now
    return begin, begin + max(was, is_now) + length(new[len(new) - alike :])
