"""Remedies in words: when an application starts by each, what it frees, what it loses and which others it delays."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from engine.explain.alert import IF_RUNS_ON
from engine.explain.answer import ActReport, DelayReport, EndedReport, RemediesReport, RemedyReport, StartRemedyReport
from engine.explain.remedy import HARDWARE, NOW, PATCH, Remedy, Wording, remedy_sentence
from engine.explain.remedy_report import LOST_STATE, REFUSED_STATE, STARVED_STATE
from engine.observe.snapshots import YARN, terms_for
from engine.settings.tunable_yarn import Takes
from tui.panes.sensitivity_text import if_so, sensitivity_lines
from tui.panes.waits import SLOWEST, service_words
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

USELESS: Final = 6  # How many of those that do not help are named
ADDRESS_PARTS: Final = 4  # Numbers of an address
SO_FAR: Final = "smallest found so far"  # A smaller value may be enough
DELAYED: Final = 3  # How many of those that are delayed are named


GROUP_WORDS: Final = {
    NOW: "can be done now",
    PATCH: "need a patch and a restart, tried as if the scheduler had it",
    HARDWARE: "need hardware, tried as if it stood there",
}  # Group of remedies → its heading


TAKES_WORDS: Final[Mapping[Takes, str]] = {
    "refresh": GROUP_WORDS[NOW],
    "owner": "need their owner to submit again",
    "restart": "need a restart",
    "patch": "need another release or a patch, and a restart",
    "hardware": GROUP_WORDS[HARDWARE],
}  # What changes from the start take → their heading

ALL_OF_IT: Final = "gets the last {} it asks for"  # For one that gets containers one after another, slowly
LAST: Final = ", with this one container and no more"  # Follows the start of one that waits on for the rest

REFUSING: Final = "help, but others are refused or fail"
NEXT_TIME: Final = "can be set now, and help the next time"


class RemedyWords(NamedTuple):
    remedy: str
    starts: str
    frees: str
    loses: str
    delays: str


def remedy_words(entry: RemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> RemedyWords:
    """What a remedy is, starts, frees, loses and delays, each in a few words."""
    alike = f" ({len(entry.alike)} similar)" if entry.alike else ""
    least = "" if entry.is_least else f" ({SO_FAR})"
    return RemedyWords(
        f"{text.plain(remedy_sentence(entry.remedy))}{alike}{least}",
        _starts(entry, found, day),
        _frees(entry),
        lost_words(entry) + (" of work" if entry.loses.containers else ""),
        _delayed(entry.delays),
    )


def short_remedy(remedy: Remedy, *, is_named: bool = True) -> str:
    """A remedy in few words; where it `is_named`, with the names of applications and vcores.

    >>> from engine.scenario.acts import KillApplication
    >>> short_remedy(Remedy(KillApplication(183354), name="weekly model"))
    'kill 183354 weekly model'
    >>> short_remedy(Remedy(KillApplication(183354), name="weekly model"), is_named=False)
    'kill 183354'
    """
    return text.plain(remedy_sentence(remedy, _NAMED if is_named else _SHORT))


def _named(remedy: Remedy) -> str:
    return f"{text.short_number(remedy.application)} {remedy.name}".rstrip()


def _last_part(host: str) -> str:
    parts = host.split(".")
    return f".{parts[-1]}" if len(parts) == ADDRESS_PARTS and all(map(str.isdigit, parts)) else host


_NAMED: Final = Wording(
    application=_named,
    host=_last_part,
    size=text.amounts,
    setting=lambda name, value: f"{name.removeprefix('the ')} → {value}",
)


def _memory(amounts: tuple[int, int], dimensions: tuple[str, ...]) -> str:
    return text.memory(amounts[0]) if terms_for(dimensions) is YARN else text.amounts(amounts, dimensions)


_SHORT: Final = _NAMED._replace(application=lambda remedy: text.short_number(remedy.application), size=_memory)


def _starts(entry: RemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> str:
    if len(found.targets) == 1:
        (first,) = found.expected
        awaited = f"{text.plural(first.count, first.next)} by " if first.count > 1 else ""
        return f"{awaited}{day.instant(entry.first_ms)}{LAST if entry.is_last else ''}"
    least = "" if entry.is_whole or len(entry.starts) == len(found.targets) else "at least "
    return f"{least}{len(entry.starts)} of {len(found.targets)} by {day.instant(entry.last_ms)}"


def _frees(entry: RemedyReport) -> str:
    frees = entry.frees
    parts = []
    if frees.memory_mb or frees.vcores:
        parts.append(text.amounts((frees.memory_mb, frees.vcores), entry.remedy.dimensions))
    if frees.reservations:
        parts.append(text.plural(frees.reservations, "reservation"))
    return " and ".join(parts) or "nothing"


def lost_words(entry: RemedyReport) -> str:
    loses, things = entry.loses, terms_for(entry.remedy.dimensions)
    counts = ((loses.containers - loses.drivers, things.container), (loses.drivers, "driver"))
    parts = [text.plural(count, thing) for count, thing in counts if count]
    return f"{' and '.join(parts)}, {text.duration(loses.seconds * 1000)}" if parts else "nothing"


def _delayed(delays: Sequence[DelayReport]) -> str:
    if not delays:
        return "nothing"
    named = [
        f"{text.short_id(each.application)} by {'at least ' if each.is_least else ''}"
        f"{text.duration(each.seconds * 1000)}"
        for each in delays[:DELAYED]
    ]
    more = f" and {text.plural(len(delays) - DELAYED, 'other')}" if len(delays) > DELAYED else ""
    return f"{', '.join(named)}{more}"


def remedy_lines(found: RemediesReport, day: RelativeTimeFormat) -> list[str]:
    at = day.instant(found.at_ms)
    heading = f"for       {subject_words(found)} at {at}: {expected_words(found, day)}"
    lines = [heading, *sensitivity_lines(found.assumed, day)]
    group = ""
    from_start = () if found.from_start is msgspec.UNSET else found.from_start
    entries: list[RemedyReport | StartRemedyReport] = [*found.remedies, *from_start]
    for entry in sorted(entries, key=lambda entry: entry.number):
        heading = _group(entry, is_over=found.ended is not None) + ", but bring one container alone" * entry.is_last
        lines += [heading] if heading != group else []
        group = heading
        lines += _remedy(entry, found, day) if isinstance(entry, RemedyReport) else _from_start(entry, found, day)
    look = [] if entries else _log_words(found.ended)
    return [*lines, *(f"          {each}" for each in (*_rest_words(found, day), *look, *_tried_words(found)))]


_LOGS: Final = {
    "application_": "yarn logs -applicationId {id}",
    "app-": "stderr in the folder work/{id} of its workers",
    "job_": "the folder logs/userlogs/{id} of its trackers",
}  # Beginning of an id → what tells why an application failed


def _log_words(ended: EndedReport | None) -> list[str]:
    if ended is None or ended.state != "FAILED":
        return []
    logs = next((words for begin, words in _LOGS.items() if ended.application.startswith(begin)), "its logs")
    return [f"nothing that was tried keeps it from failing: look at {logs.format(id=ended.application)}"]


def _tried_words(found: RemediesReport) -> list[str]:
    if found.from_start is msgspec.UNSET:
        tried, of, lines = found.tried, found.of, []
    else:
        tried, of = found.tried_from_start, found.of_from_start
        lines = [f"tried from the start: {tried} of {of} values"] if of else []
    if tried < of or found.tried < found.of:
        lines.append("a larger --budget tries the rest")
    return lines


def _group(entry: RemedyReport | StartRemedyReport, *, is_over: bool) -> str:
    if isinstance(entry, RemedyReport):
        return GROUP_WORDS[entry.group]
    if entry.refuses:
        return REFUSING
    is_later = entry.takes == "refresh" and not (entry.is_now or is_over)
    return NEXT_TIME if is_later else TAKES_WORDS[entry.takes]


def _remedy(entry: RemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> list[str]:
    words = remedy_words(entry, found, day)
    first = found.expected[0]
    is_more = len(found.targets) == 1 and first.next
    comes = ("gets" if first.count > 1 else f"next {first.next}") if is_more else "starts"
    return [
        f"{entry.number:>8}  {words.remedy}",
        *(f"          {text.plain(line)}" for line in entry.lines),
        f"          {comes} {words.starts}; frees {words.frees}; loses {words.loses}; delays {words.delays}",
    ]


def _from_start(entry: StartRemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> list[str]:
    lines = [f"{entry.number:>8}  {text.plain(entry.sentence)}"]
    written = [text.plain(line) for change in entry.changes for line in change.lines]
    lines += [f"          {line}" for line in written]
    when = "set now" if entry.is_now else "set so from the start"
    lines.append(f"          {entry.after}; {when}, {_started(entry, found, day)}")
    risk = f"{entry.risk[:1].lower()}{entry.risk[1:]}".rstrip(".") or "none known"
    lines.append(f"          {_harm(entry)}; risk: {risk}")
    return lines


def _harm(entry: StartRemedyReport) -> str:
    if not entry.is_judged:
        return "there was no time to play what it costs others"
    things = text.plural(entry.loses.containers, terms_for(entry.dimensions).container)
    loses = f"{things}, {text.duration(entry.loses.seconds * 1000)} of work"
    lost = f"loses {loses if entry.loses.containers else 'nothing'}"
    refuses = f"refuses or fails {entry.refuses}; " if entry.refuses else ""
    return f"{refuses}{lost}; delays {_delayed(entry.delays)}"


def _started(entry: StartRemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> str:
    last_ms = entry.starts[-1].at_ms
    if len(found.targets) == 1:
        if found.ended is not None and found.ended.state == STARVED_STATE:
            return f"it runs all its tasks by {day.instant(last_ms)}"
        wanted = found.expected[0].next if found.expected else ""
        starts = ALL_OF_IT.format(wanted) if wanted and entry.has_all else service_words(wanted)["starts"]
        what = "still runs" if entry.runs_on else "ends well" if entry.ends_well else starts
        return f"it {what} at {day.instant(last_ms)}{LAST if entry.is_last else ''}"
    what = "end well" if entry.ends_well else "start"
    return f"{len(entry.starts)} of {len(found.targets)} {what} by {day.instant(last_ms)}"


def subject_words(found: RemediesReport) -> str:
    names = [text.short_id(each) for each in found.targets]
    return names[0] if len(names) == 1 else f"{len(names)} waiting, {names[0]} longest" if names else "nothing"


def expected_words(found: RemediesReport, day: RelativeTimeFormat) -> str:
    """Return when those asked about start by themselves."""
    if found.ended is not None:
        return _ended(found.ended, day)
    if not found.targets:
        return "there is nothing to do"
    return if_so(found.assumed) + _expected(found, day)


def _expected(found: RemediesReport, day: RelativeTimeFormat) -> str:
    first = found.expected[0]
    is_one, words = len(found.targets) == 1, service_words(first.next)
    when = "at"
    if first.count > 1:
        when, words = "by", {**words, "starts": f"gets {text.plural(first.count, f'more {first.next}')}"}
    if first.next and first.has_sooner_ask:
        words = {key: f"{SLOWEST} {service}" for key, service in words.items()}
    starts = [each.starts_ms for each in found.expected if each.starts_ms is not None]
    if found.never:
        assumed = f", {IF_RUNS_ON}" if day.mark else ""
        return f"{words['never'] if is_one else 'none starts'} without an act{assumed}"
    if len(starts) < len(found.targets):
        until = day.instant(found.looked_until_ms)
        return f"{words['starts_not'] if is_one else 'not all start'} by {until} without an act"
    service = f"{words['starts']} {when}" if is_one else "all start by"
    return f"{service} {day.instant(max(starts))} without an act"


_ENDS: Final = {
    REFUSED_STATE: "was refused",
    LOST_STATE: "was lost",
    STARVED_STATE: "is not waiting",
    "FAILED": "failed",
    "KILLED": "was killed",
    "FINISHED": "ended well",
    "SUCCEEDED": "ended well",
}  # State of an application that is not there → how it ended


def _ended(ended: EndedReport, day: RelativeTimeFormat) -> str:
    when = "" if ended.at_ms is None else f" at {day.instant(ended.at_ms)}"
    why = f": {text.plain(ended.diagnostics)}" if ended.diagnostics else ""
    return f"it {_ENDS.get(ended.state, 'ended')}{when}{why}"


def _rest_words(found: RemediesReport, day: RelativeTimeFormat) -> list[str]:
    lines = []
    useless = found.useless
    if useless:
        named = "; ".join(text.plain(remedy_sentence(each)) for each in useless[:USELESS])
        more = f"; and {text.plural(len(useless) - USELESS, 'other')}" if len(useless) > USELESS else ""
        lines.append(f"no help: {named}{more}")
    lines += [f"refused: {text.plain(remedy_sentence(each.remedy))}: {text.plain(each.why)}" for each in found.refused]
    left = found.of - found.tried
    if left:
        until = day.instant(found.looked_until_ms)
        lines.append(f"{left} of {found.of} remedies are not decided yet; looked until {until}")
    return lines


def applied_lines(answer: RemediesReport, day: RelativeTimeFormat) -> list[str]:
    """Return what came of the remedy that was applied; nothing when none was."""
    applied = answer.applied
    if applied is None:
        return []
    step = next(each.step for each in answer.remedies if each.number == applied.number)
    lines = [
        f"applied   {text.plain(remedy_sentence(applied.remedy))}",
        f"          script = [{{ {step_words(step)} }}]",
    ]
    for start in applied.starts:
        promised = day.instant(start.promised_ms)
        real = f"started {day.instant(start.at_ms)}" if start.at_ms is not None else "not started"
        lines.append(f"          {text.short_id(start.application)} {real}, promised {promised}")
    until = day.instant(applied.until_ms)
    return [*lines, f"          simulated until {until} with all submissions"]


def step_words(step: ActReport) -> str:
    return ", ".join(f"{key} = {_toml(value)}" for key, value in step.written(None).items())


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else f'"{value}"'
