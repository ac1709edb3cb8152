"""What an answer hangs on, in words: which applications start when if an assumption is otherwise."""

from collections.abc import Sequence
from typing import Final

from engine.explain.obstacles import SensitivityReport
from engine.explain.sensitivity import ENDS, IF_SO, RUNS_ON
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

OF_SEVERAL: Final = {RUNS_ON: "run on", ENDS: "end after as long again as they have run"}
"""What one does otherwise → what several do."""
NAMED: Final = 3  # How many are named
ASSUMED: Final = "assumed: "
IF_ASSUMED: Final = "If the cluster is as assumed:"  # Begins an answer that hangs on what is not known


def sensitivity_lines(found: Sequence[SensitivityReport], day: RelativeTimeFormat) -> list[str]:
    """Return for each assumption that the answer hangs on what comes otherwise, and what is assumed."""
    lines = []
    for otherwise, assumed in (hangs_on(each, day) for each in found):
        lines += [f"if        {otherwise}"] if otherwise else []
        lines.append(f"          {assumed}")
    return lines


def hangs_on(one: SensitivityReport, day: RelativeTimeFormat) -> tuple[str, str]:
    """Which applications start when if an assumption is otherwise (empty where not known), and the assumption."""
    assumed = f"assumed: {text.plain(one.assumed)}"
    if not one.otherwise:
        return "", f"{assumed}; what happens otherwise is not known"
    does = one.otherwise if len(one.applications) == 1 else OF_SEVERAL.get(one.otherwise, one.otherwise)
    starts = _starts(one, day) if one.looked else "not looked at in this time; a larger --budget does"
    return f"{_names(one.applications)} {does}: {starts}", assumed


def if_so(found: Sequence[SensitivityReport]) -> str:
    """What stands before an answer that holds in the assumed world alone, as another cannot be played; else nothing."""
    return f"{IF_SO}: " if any(not each.otherwise for each in found) else ""


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
    if len(names) > NAMED:
        names[NAMED:] = [text.plural(len(names) - NAMED, "other")]
    return text.listed(names)
