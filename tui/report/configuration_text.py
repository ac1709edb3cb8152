"""Configuration files as text: values with their origins, what the other release makes of them, warnings."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from engine.errors import Problem
from engine.formats.capacity_listing import CapacityListing, EraDifference, OtherEra
from engine.formats.configuration_files import ConfigurationListing
from engine.formats.fair_listing import AllocationListing, EffectiveValue, QueueListing
from engine.formats.finding import Finding
from engine.settings.capacity_scheduler import PREFIX
from tui.terminal.format import indented, plural

WIDTH: Final = 80
NOT_FOUND: Final[Mapping[Problem, Finding]] = MappingProxyType({})
_LONGEST_NAME: Final = 30
_LONGEST_TEXT: Final = 12
_STATED: Final = re.compile(r":\d+(?!\d)")
_LISTED: Final = 6  # Most queues named in one line; the rest is counted


def described(listing: ConfigurationListing) -> list[str]:
    """The files as text of 80 columns; values that nothing states are put together."""
    names = _FileNames(listing.files)
    lines = names.legend()
    if listing.settings:
        others = f"  and {plural(listing.other_keys, 'key')} of others" if listing.other_keys else ""
        lines += ["Settings", *_settings(listing.settings, names), *filter(None, [others]), ""]
    if listing.pools:
        lines += ["FairScheduler of MapReduce 1", "", *_queues(listing.pools, names)]
    elif listing.allocation is not None:
        title = (
            f"{names.short(listing.allocation_file)} as Hadoop {listing.era} reads it: {_counted(listing.allocation)}"
        )
        lines += [title, "", *_allocation(listing.allocation, names)]
    if listing.tasks:
        title = f"CapacityTaskScheduler of MapReduce 1: {plural(len(listing.tasks), 'queue')}"
        lines += [title, "", *_queues(listing.tasks, names)]
    if listing.capacity is not None:
        title = f"Capacity scheduler of Hadoop {listing.era}: {plural(len(listing.capacity.queues), 'queue')}"
        lines += [title, "", *_capacity(listing.capacity, names)]
    if listing.other_era is not None and listing.capacity is not None:
        lines += _other_era(listing.other_era, len(listing.capacity.queues), names)
    if listing.topology is not None:
        racks = listing.topology.racks.items()
        lines += ["Topology", *(f"  {host}  {rack}  line {listing.topology.lines[host]}" for host, rack in racks), ""]
    if not listing.warnings:
        return [*lines, "no warnings"]
    found = {finding.problem: finding for finding in listing.findings}
    return [*lines, plural(len(listing.warnings), "warning"), *_problems(listing.warnings, names, found)]


class _FileNames:
    """Names files without their folders where that leaves no doubt."""

    def __init__(self, files: Sequence[str]) -> None:
        bases = [file.rpartition("/")[2] for file in files]
        self._short = {file: base for file, base in zip(files, bases, strict=True) if bases.count(base) == 1}

    def legend(self) -> list[str]:
        """Tells which file each short name stands for; nothing where none has a folder."""
        shortened = [(short, file) for file, short in self._short.items() if short != file]
        return [*(f"{short} is {file}" for short, file in shortened), ""] if shortened else []

    def short(self, text: str) -> str:
        for file, name in self._short.items():
            text = text.replace(file, name)
        return text


def _settings(values: Sequence[EffectiveValue], names: _FileNames) -> list[str]:
    if all(value.origin == "default" for value in values):
        return ["  none is stated; -o json lists the defaults"]
    return _table(values, names)


def _counted(listing: AllocationListing) -> str:
    queues = plural(len(listing.queues), "queue")
    if not listing.not_made:
        return queues
    named = sum(queue.place not in ("default", "implied") for queue in listing.queues)
    return f"{queues}; {len(listing.not_made)} of {named + len(listing.not_made)} queues of the file not made"


def _allocation(listing: AllocationListing, names: _FileNames) -> list[str]:
    lines = _queues(listing.queues, names)
    lines += ["Defaults", *_table(listing.defaults, names), ""]
    if listing.users:
        lines += ["Most running applications of single users", *_table(listing.users, names), ""]
    rules = [
        line for number, rule in enumerate(listing.rules, 1) for line in indented(f"{number}. {rule}", WIDTH, 2, 5)
    ]
    return [*lines, f"Placement rules  ({names.short(listing.rules_origin)})", *rules, ""]


def _capacity(listing: CapacityListing, names: _FileNames) -> list[str]:
    lines = _queues(listing.queues, names)
    lines += ["Of the whole scheduler", *_table(listing.settings, names), ""]
    rules = [f"  {number}. {rule}" for number, rule in enumerate(listing.rules, 1)]
    return [*lines, *(["Queue mappings", *rules, ""] if rules else [])]


def _queues(queues: Sequence[QueueListing], names: _FileNames) -> list[str]:
    lines: list[str] = []
    for queue in queues:
        kind = "parent" if queue.parent else "leaf"
        lines += [f"{queue.path}  ({kind}, {names.short(queue.place)})", *_table(queue.values, names), ""]
    return lines


def _table(values: Sequence[EffectiveValue], names: _FileNames) -> list[str]:
    stated = [value for value in values if value.origin == "computed" or _STATED.search(value.origin)]
    name = min(max((len(value.name) for value in stated), default=0), _LONGEST_NAME)
    text = min(max((len(_short_class(value.text)) for value in stated), default=0), _LONGEST_TEXT)
    lines = [line for value in stated for line in _row(value, name, text, names)]
    defaults = [f"{value.name}={_short_class(value.text)}" for value in values if value not in stated and value.text]
    return [*lines, *(indented(f"by default: {', '.join(defaults)}", WIDTH, 2, 4) if defaults else ())]


def _row(value: EffectiveValue, name: int, text: int, names: _FileNames) -> list[str]:
    origin = names.short(value.origin).replace(PREFIX, "")
    shown = f"  {value.name:{name}}  {_short_class(value.text):{text}}"
    line = f"{shown}  {origin}"
    if len(line) <= WIDTH:
        return [line]
    first = indented(re.sub(r",(?=\S)", ", ", shown.strip()), WIDTH, 2 + len(value.name) - len(value.name.lstrip()), 6)
    return [*first, *indented(origin, WIDTH, 6, 8)]


def _short_class(text: str) -> str:
    return text.rpartition(".")[2] if text.startswith("org.apache.hadoop.") and "," not in text else text


def _other_era(other: OtherEra, queues: int, names: _FileNames) -> list[str]:
    if other.refused:
        return [f"Hadoop {other.era} refuses these files", *_problems(other.refused, names), ""]
    if not other.is_compared:
        return [
            f"Not compared with Hadoop {other.era}: too many queues; --release {other.era} reads them as it does",
            "",
        ]
    if not other.values:
        return []
    rows = [line for difference in other.values for line in _difference(difference, queues)]
    return [f"Otherwise in Hadoop {other.era}", *rows, ""]


def _difference(difference: EraDifference, all_queues: int) -> list[str]:
    here, there = (_short_class(text) or "nothing" for text in (difference.here, difference.there))
    queues, count = list(difference.queues[:_LISTED]), len(difference.queues)
    if count > _LISTED:
        queues.append(f"{count - _LISTED} more")
    where = f" ({', '.join(queues)})" if count else ""
    where = " (every queue)" if count == all_queues else where
    return list(indented(f"{difference.name} {there} instead of {here}{where}", WIDTH, 2, 4))


def _problems(
    problems: Sequence[Problem], names: _FileNames, found: Mapping[Problem, Finding] = NOT_FOUND
) -> list[str]:
    lines: list[str] = []
    for problem in problems:
        file = names.short(problem.file)
        place = f"{file}:{problem.line}" if problem.line else file
        key = problem.key.removeprefix(PREFIX)
        lines.append("  " + "  ".join(filter(None, (place, key))))
        hint = f" ({problem.hint})" if problem.hint else ""
        finding = found.get(problem)
        severity = f"{finding.severity}: " if finding is not None and finding.severity != "warning" else ""
        lines += indented(names.short(f"{severity}{problem.message}{hint}").replace(PREFIX, ""), WIDTH, 6, 6)
        lines += indented(f"Source: {finding.source}", WIDTH, 6, 6) if finding is not None else []
    return lines
