"""Shows kept polls of a live cluster in `schedlab runs`: kept runs without a simulation."""

from pathlib import Path
from typing import Any

import msgspec

from engine.recorded.kept_polls import PollsInfo, open_polls, polls_info
from engine.recorded.polls_file import repair_polls
from engine.units import format_duration
from tui import format as text


def polls_row(info: PollsInfo, width: int) -> str:
    """Kept polls in the list of runs."""
    begun = info.beginning
    lasts = format_duration(max(0, (info.until_ms - begun.start_ms) // 1000 * 1000))
    created = begun.created[:16].replace("T", " ")
    return f"{info.name:{width}}  {created}  polls of {begun.where}, {begun.scheduler}, {lasts}{_state(info)}"


def polls_object(info: PollsInfo) -> dict[str, Any]:
    """The same for programs."""
    return {
        "name": info.name,
        **msgspec.to_builtins(info.beginning),
        "until_ms": info.until_ms,
        "is_whole": info.end is not None and not info.end.failure,
        "failure": "" if info.end is None else info.end.failure,
        "size_bytes": info.size_bytes,
    }


def polls_lines(root: Path, name: str) -> list[str]:
    """A summary of kept polls; reads every poll.

    Raises:
        ConfigError: They are damaged.
    """
    info, polls = polls_info(root, name), open_polls(root, name)
    begun, offset_ms = info.beginning, info.beginning.offset_ms
    keeps = format_duration(begun.keep_for_ms) if begun.keep_for_ms else "for ever"
    lines = [
        f"{name}: polls of {begun.where}",
        f"scheduler  {begun.scheduler}",
        f"kept       {begun.created} by schedlab {begun.program}, {keeps}",
        f"from       {text.moment(polls.first_ms, offset_ms)}",
        f"to         {text.moment(polls.now_ms, offset_ms)}{_state(info)}",
        f"polls      {polls.polls:,}",
        f"size       {info.size_bytes / 2**20:.1f} MB",
        f"alerts     {len(polls.alerts)}",
    ]
    return [*lines, *(f"  {text.moment(alert.found_ms, offset_ms)}  {alert.sentence}" for alert in polls.alerts)]


def repaired_words(root: Path, name: str) -> str:
    """Repair kept polls, and say what was done.

    Raises:
        ConfigError: They cannot be repaired.
    """
    done = repair_polls(root, name)
    if not done.damaged:
        return f"nothing of {name} is damaged"
    kept = f"kept {text.plural(done.polls, 'poll')} of {name}"
    return f"{kept}; cut off {text.plural(done.cut_bytes, 'byte')} of {', '.join(done.damaged)}"


def _state(info: PollsInfo) -> str:
    if info.end is None:
        return "  (not ended)"
    return f"  (cut off: {info.end.failure})" if info.end.failure else ""
