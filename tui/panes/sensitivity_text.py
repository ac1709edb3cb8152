"""What an answer hangs on, in words: if an assumption is otherwise, who starts when."""

from collections.abc import Sequence
from typing import Final

from engine.explain.obstacles import SensitivityReport
from engine.explain.sensitivity import ENDS, RUNS_ON
from engine.scenario import Assumption
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

OF_SEVERAL: Final = {RUNS_ON: "run on", ENDS: "end after as long again as they have run"}
"""What one does otherwise → what several do."""
NAMED: Final = 3  # How many are named


def assumption_words(assumption: Assumption) -> str:
    """An assumption, and how many it is about where it is about several."""
    about = len(assumption.applications)
    return f"{assumption.sentence}{f' ({about} applications)' if about > 1 else ''}"


def sensitivity_lines(found: Sequence[SensitivityReport], day: RelativeTimeFormat) -> list[str]:
    """Return two lines for each assumption that the answer hangs on."""
    return [line for each in found for line in _lines(each, day)]


def _lines(one: SensitivityReport, day: RelativeTimeFormat) -> list[str]:
    assumed = f"          assumed: {text.plain(one.assumed)}"
    if not one.otherwise:
        return [f"if        that is so: {text.plain(one.assumed)}; otherwise there is no verdict"]
    does = one.otherwise if len(one.applications) == 1 else OF_SEVERAL.get(one.otherwise, one.otherwise)
    whom = f"{_names(one.applications)} {does}"
    if not one.looked:
        return [f"if        {whom}: not looked at in this time; a larger --budget does", assumed]
    return [f"if        {whom}: {_starts(one, day)}", assumed]


def _starts(one: SensitivityReport, day: RelativeTimeFormat) -> str:
    starting = {each.application: each.starts_ms for each in one.starts if each.starts_ms is not None}
    others = [each.application for each in one.starts if each.starts_ms is None]
    parts = []
    if starting:
        verb = "starts at" if len(starting) == 1 else "start by"
        parts.append(f"{_names([*starting])} {verb} {day.instant(max(starting.values()))}")
    if others and one.never:
        parts.append(f"{_names(others)} never start{'s' if len(others) == 1 else ''}")
    elif others:
        parts.append(f"{_names(others)} {'does' if len(others) == 1 else 'do'} not start within 24 h")
    return ", ".join(parts)


def _names(ids: Sequence[str]) -> str:
    names = [text.short_id(each) for each in ids]
    if len(names) <= NAMED:
        return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} others"
