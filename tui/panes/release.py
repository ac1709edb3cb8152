"""Names what could free a reserved node, and when: in the words of a column, and in sentences."""

from collections.abc import Sequence

from engine.observe.snapshot import NodeHolder, Release, Unknown
from tui.panes.fragments import Fragment, RenderContext
from tui.terminal import format as text
from tui.terminal.format import CUT

_NAMED = 3  # Applications a sentence names; of more it tells how many
_WITH_SECONDS = 15  # Cells an application of six digits takes with a time to the second
_WITH_DAY = 16  # Cells it takes with the day before a time to the minute


def release_span(release: Release | Unknown, look: RenderContext, width: int = 0) -> Fragment:
    """A few words: the application and the time of day, `next beat`, `drops` and the time, `never`.

    The time has seconds where there is room; of another day than today's there is little room for more than the day.
    """
    if isinstance(release, Unknown):
        return "?", "faint"
    outcome, time = release.outcome, _time(release, look, width)
    if outcome in {"ends", "preempted"}:
        first = (
            "killed" if outcome == "preempted" else "".join(text.short_id(one.application) for one in release.by[:1])
        )
        return f"{first} {time}".strip(), "held"
    spans = {
        "": (CUT, "faint"),
        "fits": ("next beat", "good"),
        "never": ("never", "watch"),
        "later": (f">{time}", "watch"),
    }
    return spans.get(outcome, (f"drops {time}", "text"))


def _time(release: Release, look: RenderContext, width: int) -> str:
    """The time of day, to the minute or the second; of another day the day, and the time where there is room."""
    if release.time_ms is None:
        return ""
    minute = text.near_minute(release.time_ms, look.now_ms, look.offset_ms)
    day, _, _ = minute.rpartition(" ")
    if day:
        return minute if width >= _WITH_DAY else day[-len("11-18") :]
    return text.near_clock(release.time_ms, look.now_ms, look.offset_ms) if width >= _WITH_SECONDS else minute


def release_words(release: Release | Unknown, look: RenderContext) -> str | None:
    """The key for sort and filter: fits already, then by time of release, never released last."""
    if isinstance(release, Unknown) or not release.outcome:
        return None
    if release.outcome == "fits":
        return " next beat, fits"
    by = " ".join(text.short_id(one.application) for one in release.by) if release.outcome != "never" else ""
    when = ""
    if release.time_ms is not None:
        when = text.moment(release.time_ms, look.offset_ms)
    return f"{when} {by} {release_span(release, look)[0]} {release.outcome}".strip()


def release_lines(release: Release | Unknown, look: RenderContext) -> Sequence[str]:
    """The same in sentences: what happens when, then what is on the node."""
    if isinstance(release, Unknown):
        return ("what frees the node is not known here",)
    if not release.outcome:
        return ("looking for what frees the node, and when",)
    if release.outcome == "fits":
        return ("the node has room already: it starts with the node's next heartbeat",)
    at = ""
    if release.time_ms is not None:
        clock = text.near_clock(release.time_ms, look.now_ms, look.offset_ms)
        at = f"{clock}, in {text.duration(release.time_ms - look.now_ms)}"
    sentence = _sentence(release, at)
    if release.from_ms is not None and release.from_ms != look.now_ms:
        sentence += f" (as seen at {text.instant(release.from_ms, look.offset_ms)[:8]})"
    return (sentence, *(_holder(one, look) for one in release.by))


def _sentence(release: Release, at: str) -> str:
    names = _names(release.by)
    sentences = {
        "ends": f"the node has room from {at}" + (f": what {names} had there has ended by then" if names else ""),
        "preempted": f"the node has room from {at}" + (f": containers of {names} are preempted" if names else ""),
        "dropped": f"the reservation is dropped at {at}",
        "given_elsewhere": f"the reservation is dropped at {at}: its container starts on another node",
        "ended": f"the reservation is dropped at {at}, when its application ends",
        "later": f"not before {at}, as far as was looked",
        "never": "never: " + _keepers(release.by, names),
    }
    return sentences[release.outcome]


def _keepers(by: Sequence[NodeHolder], names: str) -> str:
    if not by:
        return "nothing is allocated any more"
    if not all(one.waits for one in by):
        return f"no container of {names} there ends any more"
    return f"{names} {'keeps it and waits itself' if len(by) == 1 else 'keep it and wait themselves'}; w tells why"


def _names(by: Sequence[NodeHolder]) -> str:
    numbers = [text.short_id(one.application) for one in by]
    if len(numbers) > _NAMED:
        numbers[_NAMED - 1 :] = [f"{len(numbers) - _NAMED + 1} more"]
    return text.listed(numbers)


def _holder(one: NodeHolder, look: RenderContext) -> str:
    waits = ", waits itself" if one.waits else ""
    has = f"{text.plural(one.containers, 'container')}, {text.amounts(one.size, look.dimensions)}"
    return f"{text.short_id(one.application)}: {has}{waits}"
