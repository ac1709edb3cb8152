"""Remedies as every screen lists them: grouped by what they take, in the order found, each with the number it keeps."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.explain.answer import RemediesReport, RemedyReport
from engine.explain.obstacles import SensitivityReport
from engine.explain.remedy import GROUPS, HARDWARE, NOW, PATCH, Remedy
from engine.observe.snapshot import Amounts, Snapshot
from engine.observe.snapshots import MAPREDUCE_1, terms_for
from engine.scenario.acts import KillApplication
from tui.pages.remedy_text import lost_words, short_remedy
from tui.pages.why import GAP, PanelRow, TextColumn, table
from tui.panes.fragments import Fragments, RenderContext
from tui.panes.sensitivity_text import hangs_on
from tui.protocol.picture import WhySubject
from tui.terminal import format as text
from tui.terminal.format import CUT, FOLDED, METER_FULL, NONE, OPEN, RelativeTimeFormat

HELPS: Final = "helps"  # The part of a page that lists those that help
REMEDY: Final = "remedy"  # Kind of subject that a line of a remedy leads to; its act tells which
USELESS: Final = "useless"  # The kind of subject of the line that folds remedies that start none
NAMED_FROM: Final = 96  # Width from which applications have their names beside their numbers
LEAST_BAR: Final = 7  # A bar of fewer cells is not drawn
MOST_BAR: Final = 27  # And one of more neither
AT_ONCE_MS: Final = 10_000
BRIEF_FROM: Final = 60  # Width of a strip from which on it tells what a remedy loses and what it needs
LEAST_NAME: Final = 12  # Cells of a remedy in a strip at least
LONGEST_PIECE: Final = 6  # Cells of a piece of a word that goes with what is cut off
SO_FAR: Final = ", so far"  # Behind a size that may not be the least


class GroupWords(NamedTuple):
    one: str
    many: str
    needs: str = ""  # What a remedy of it needs besides, in a word
    note: str = ""


GROUP_HEADS: Final = {
    NOW: GroupWords("acts from here", "act from here", note="K or A does it now"),
    PATCH: GroupWords(
        "needs a restart", "need a restart", "restart", "and a scheduler that has the rule; tried as if it had"
    ),
    HARDWARE: GroupWords("needs hardware", "need hardware", "hardware", "tried as if it stood there"),
}  # Group of remedies → its words on a screen


def best_remedy(found: RemediesReport | None) -> RemedyReport | None:
    """The first of those that act from here; None where none is known."""
    return None if found is None else next((entry for entry in found.remedies if entry.group == NOW), None)


def _best_remedies(found: RemediesReport, most: int) -> list[RemedyReport]:
    heads = [next((entry for entry in found.remedies if entry.group == group), None) for group in GROUPS]
    kept = [entry for entry in heads if entry is not None][:most]
    kept += [entry for entry in found.remedies if entry not in kept][: most - len(kept)]
    return sorted(kept, key=lambda entry: entry.number)


def started_words(entry: RemedyReport, found: RemediesReport) -> str:
    """How many a remedy starts, and how many running ones it gives more; `+` where others may be later."""
    running = sum(each.application in found.running for each in entry.starts)
    more, started = "" if entry.is_whole else "+", len(entry.starts) - running
    parts = [f"starts {started}{more}"] if started or not running else []
    return " and ".join([*parts, f"gives more to {running}{more}"] if running else parts)


def effect_words(entry: RemedyReport, found: RemediesReport) -> str:
    return f"{started_words(entry, found)}, loses {entry.loses.containers or 'nothing'}"


def _of_words(entry: RemedyReport, of: int) -> str:
    more = "" if entry.is_whole or len(entry.starts) == of else "+"
    return f"{len(entry.starts)}{more} of {of}"


def progress_words(found: RemediesReport) -> str:
    """`12 of 39 tried`, at the end `all 39 tried`."""
    return f"all {found.of} tried" if found.tried == found.of else f"{found.tried} of {found.of} tried"


def _frees_words(entry: RemedyReport) -> str:
    frees = entry.frees
    if frees.reservations:
        return text.plural(frees.reservations, "node")
    amounts, dimensions = (frees.memory_mb, frees.vcores), entry.remedy.dimensions
    if terms_for(dimensions) is MAPREDUCE_1:
        return text.amounts(amounts, dimensions) if any(amounts) else NONE
    return text.memory(frees.memory_mb) if frees.memory_mb else NONE


def listed_remedy(entry: RemedyReport, *, is_named: bool) -> str:
    """A remedy as a list has it; where it `is_named`, with how many are alike."""
    alike = f" ({len(entry.alike)} similar)" if entry.alike and is_named else ""
    least = "" if entry.is_least else SO_FAR
    return f"{short_remedy(entry.remedy, is_named=is_named)}{alike}{least}"


class RemedySubject(NamedTuple):
    """An application that a list of remedies for many is looked at for."""

    id: str
    number: str

    def start_words(self, entry: RemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> str:
        """When it starts by a remedy; `lost` where that ends it, `never` only where no other starts by it later."""
        if isinstance(entry.remedy.act, KillApplication) and entry.application == self.id:
            return "lost"
        at_ms = next((each.at_ms for each in entry.starts if each.application == self.id), None)
        if at_ms is not None:
            return day.clock(at_ms)
        return "never" if found.never and entry.is_whole else NONE

    def others_words(self, entry: RemedyReport, found: RemediesReport) -> str:
        """How many others start by a remedy; of the others it is for, where it is for more than this one."""
        if found.targets == (self.id,):
            return str(entry.also_start or NONE)
        count = sum(each.application != self.id for each in entry.starts)
        return f"{count}{'' if entry.is_whole else '+'} of {len(found.targets) - (self.id in found.targets)}"


def columns_of(
    entries: Sequence[RemedyReport],
    found: RemediesReport,
    day: RelativeTimeFormat,
    width: int,
    subject: RemedySubject | None,
) -> list[TextColumn]:
    """The columns of a list; with a `subject` they tell apart when that starts, and how many others do."""
    of = len(found.targets)
    names = [listed_remedy(entry, is_named=width >= NAMED_FROM) for entry in entries]
    starts = [TextColumn("STARTS", [(_of_words(entry, of), "text") for entry in entries], right=True)]
    if subject is not None:
        own = [(subject.start_words(entry, found, day), "text") for entry in entries]
        counts = [(subject.others_words(entry, found), "text") for entry in entries]
        starts = [TextColumn(subject.number, own), TextColumn("OTHERS", counts, right=True)]
    harm = [(text.duration(entry.harm_s * 1000) if entry.harm_s else "none", "text") for entry in entries]
    return [
        TextColumn("#", [(str(entry.number), "bold accent") for entry in entries], right=True),
        TextColumn("REMEDY", [(name, "text") for name in names]),
        *starts,
        TextColumn("BY", [(day.clock(entry.last_ms), "text") for entry in entries]),
        TextColumn("AFTER", [(after_words(entry, found), "text") for entry in entries], rank=3, right=True),
        TextColumn("FREES", [(_frees_words(entry), "text") for entry in entries], rank=2),
        *([] if subject is not None else [TextColumn("HARM", harm, rank=4, right=True)]),
        TextColumn("LOSES", [(lost_words(entry), "text") for entry in entries], rank=1),
    ]


def after_words(entry: RemedyReport, found: RemediesReport) -> str:
    """How long after the instant the last of those it is for starts."""
    delay_ms = entry.last_ms - found.at_ms
    return "at once" if delay_ms < AT_ONCE_MS else f"in {text.duration(delay_ms)}"


def remedy_rows(
    found: RemediesReport,
    day: RelativeTimeFormat,
    look: RenderContext,
    width: int,
    subject: RemedySubject | None = None,
    most: int | None = None,
) -> list[PanelRow]:
    """Remedies under the headings of their groups; `most` bounds how many a group lists."""
    groups = [(group, [entry for entry in found.remedies if entry.group == group]) for group in GROUPS]
    shown = [entry for _, some in groups for entry in some[:most]]
    if not shown:
        words = "nothing that was tried starts anything" if found.tried else "nothing is tried yet"
        return [PanelRow([(words, "soft")])]
    columns = columns_of(shown, found, day, width, subject)
    head, lines = table(columns, width)
    spare = width - max(sum(len(part) for part, _ in line) for line in [head, *lines])
    if width >= NAMED_FROM and spare >= LEAST_BAR + 2:
        place = next(place for place, column in enumerate(columns) if column.title == "AFTER") + 1
        columns.insert(place, TextColumn("", _bars(shown, found, min(MOST_BAR, spare - 2))))
        head, lines = table(columns, width)
    of_shown = iter(zip(shown, lines, strict=True))
    rows = [PanelRow(head)]
    for group, entries in groups:
        called = GROUP_HEADS.get(group, GroupWords(group, group))
        if group == NOW and (look.may_undo or not look.may_act):
            called = called._replace(note=f"{called.note}, u takes it back" if look.may_act else "")
        rows += _group(called, entries, most, of_shown) if entries else []
    return rows


def _group(
    words: GroupWords, some: Sequence[RemedyReport], most: int | None, lines: Iterator[tuple[RemedyReport, Fragments]]
) -> list[PanelRow]:
    count = sum(1 + len(entry.alike) for entry in some)
    notes = [words.note, f"the best {most}" if most is not None and len(some) > most else ""]
    about: Fragments = [(f"{count} {words.one if count == 1 else words.many}", "strong")]
    about += [(f" {'; '.join(filter(None, notes))}".rstrip(), "soft")]
    rows = [PanelRow([(f"{OPEN} ", "faint"), *about])]
    for _ in some[:most]:
        entry, line = next(lines)
        rows.append(PanelRow(line, WhySubject(REMEDY, "", (entry.remedy.act,))))
    return rows


def _bars(entries: Sequence[RemedyReport], found: RemediesReport, cells: int) -> list[tuple[str, str]]:
    delays = [max(0, entry.last_ms - found.at_ms) for entry in entries]
    longest = max(delays)
    return [
        (METER_FULL * (max(1, delay * cells // longest) if delay >= AT_ONCE_MS else 0), "data") if longest else ("", "")
        for delay in delays
    ]


def assumed_rows(found: Sequence[SensitivityReport], day: RelativeTimeFormat, width: int) -> list[PanelRow]:
    """What an answer about a twin hangs on: which applications start when if it is otherwise, and what is assumed."""
    rows = []
    for otherwise, assumed in (hangs_on(each, day) for each in found):
        rows += PanelRow.folded(f"if {otherwise}", width, "watch") if otherwise else []
        rows += PanelRow.folded(assumed, width)
    return rows


# Remedies that start none, by kind: each kind once, with its reason.

_KINDS: Final = {
    "kill": ("kill another", "what it frees starts nothing"),
    "kill-master": ("kill a master", "what it frees starts nothing"),
    "move": ("move to another queue", "moved there, nothing starts"),
    "priority": ("change a priority", "in another order nothing starts"),
    "label": ("move a {node} to another partition", "with it there nothing starts"),
    "drain": ("drain a {node}", "with one {node} less nothing starts"),
    "return": ("bring a {node} back", "with it nothing starts either"),
    "add-node": ("add a {node}", "with it nothing starts either"),
    "resize": ("enlarge a {node}", "with it nothing starts either"),
    "preemption": ("switch preemption", "with it nothing starts either"),
    "start": ("restart the {master}", "once it is back nothing starts"),
}  # Kind of a remedy → what is done, and what came of it on the copy; nothing is said of why
_SETTING: Final = ("change a setting", "with the largest value tried nothing starts")
_IDLE: Final = ("kill one that has nothing", "it holds no {container} and no {node}")


def useless_rows(found: RemediesReport, snapshot: Snapshot | None, width: int, *, is_open: bool) -> list[PanelRow]:
    """A line with the number of remedies that start none; open, a line for each kind with its reason."""
    if not found.useless and not found.refused:
        return []
    count, link = len(found.useless), WhySubject(USELESS, "")
    verb = "starts" if count == 1 else "start"
    refused = f" {len(found.refused)} {'was' if len(found.refused) == 1 else 'were'} refused" if found.refused else ""
    more = "" if is_open else f"{';' if refused else ''} enter tells why, by kind"
    head: Fragments = [(f"{OPEN if is_open else FOLDED} ", "faint"), (f"{count} {verb} nothing", "strong")]
    rows = [PanelRow([*head, (f"{refused}{more}", "soft")], link)]
    if not is_open:
        return rows
    holders = {} if snapshot is None else _holders(snapshot)
    most = _most([remedy for remedy in found.useless if remedy.kind == "kill"], holders)
    alike = Counter(_useless_words(each, holders if snapshot is not None else None, most) for each in found.useless)
    alike.update(
        (short_remedy(trial.remedy, is_named=False), f"refused: {text.plain(trial.why)}") for trial in found.refused
    )
    columns = [
        TextColumn("", [("  ", "text")] * len(alike)),
        TextColumn("", [(f"{what} ({number})" if number > 1 else what, "soft") for (what, _), number in alike.items()]),
        TextColumn("", [(why, "faint") for _, why in alike]),
    ]
    return [*rows, *map(PanelRow, table(columns, width)[1])]


def _holders(snapshot: Snapshot) -> dict[int, Amounts]:
    rows = snapshot.applications(why=False)
    reserving = {row.application for row in snapshot.reservations()} if snapshot.header.nodes_reserved else set()
    return {row.number: row.used for row in rows if any(row.used) or row.id in reserving}


def _most(kills: Sequence[Remedy], holders: Mapping[int, Amounts]) -> str:
    freed = [holders[each.application] for each in kills if each.application in holders]
    largest = tuple(map(max, zip(*freed, strict=True)))
    return text.amounts(largest, kills[0].dimensions) if any(largest) else ""


def _useless_words(remedy: Remedy, holders: Mapping[int, Amounts] | None, most: str) -> tuple[str, str]:
    words = _SETTING if remedy.is_setting and remedy.kind not in _KINDS else _KINDS.get(remedy.kind, _SETTING)
    if remedy.kind == "kill" and holders is not None:
        freed = f"frees {most} at most, and nothing starts" if most else words[1]
        words = (words[0], freed) if remedy.application in holders else _IDLE
    things = terms_for(remedy.dimensions)
    names = {"node": things.node, "container": things.container, "master": things.master}
    return words[0].format(**names), words[1].format(**names)


# The best of each group, for the strip of the main screen.


def brief_rows(found: RemediesReport, day: RelativeTimeFormat, width: int, most: int) -> list[Fragments]:
    """A head and the best remedies of each group, in at most `most` lines; where there are three, without a head."""
    entries = _best_remedies(found, most - 1 if most > 3 else most)
    if not entries:
        return []
    of, is_narrow = len(found.targets), width < BRIEF_FROM
    starts = [_of_words(entry, of) for entry in entries]
    if is_narrow:
        starts = [words.partition(" of ")[0] for words in starts]
    first = TextColumn("", [(str(entry.number), "bold accent") for entry in entries], right=True)
    rest = [
        TextColumn("STARTS", [(words, "text") for words in starts], right=True),
        TextColumn("BY", [(day.clock(entry.last_ms), "text") for entry in entries]),
        TextColumn("NEEDS" if is_narrow else "LOSES; NEEDS", [(_price(each, is_narrow), "soft") for each in entries]),
    ]
    cells = max(LEAST_NAME, width - sum(column.width + GAP for column in (first, *rest)))
    names = _shortened([listed_remedy(entry, is_named=width >= NAMED_FROM) for entry in entries], cells)
    head, lines = table([first, TextColumn("REMEDY", [(name, "text") for name in names]), *rest], width)
    return [*([head] if len(lines) < most else []), *lines]


def _shortened(names: Sequence[str], cells: int) -> list[str]:
    """Remedies in so many cells: what one sets or adds stands at the end, and stays, unless another ends so, too."""
    whole = [name if len(name) <= cells else name.removesuffix(SO_FAR) for name in names]
    short = []
    for name in whole:
        end = name[len(name) + 1 - cells :]
        end = end[max(0, end.find(" ", 0, LONGEST_PIECE)) :]
        cut = f"{CUT}{end}" if sum(other.endswith(end) for other in whole) == 1 else f"{name[: cells - 1]}{CUT}"
        short.append(name if len(name) <= cells else cut)
    return short


def _price(entry: RemedyReport, is_narrow: bool) -> str:
    lost, needs = entry.loses.containers, GROUP_HEADS.get(entry.group, GroupWords("", "")).needs
    if is_narrow:
        return needs or (f"loses {lost}" if lost else "nothing")
    words = f"loses {text.plural(lost, terms_for(entry.remedy.dimensions).container)}" if lost else "nothing"
    return f"{words}; {needs}" if needs else words


def whole_rows(found: RemediesReport, day: RelativeTimeFormat, look: RenderContext, width: int) -> list[Fragments]:
    """Every remedy that starts an application, under its group, then how many start none."""
    useless = len(found.useless)
    refused = f" and {len(found.refused)} were refused" if found.refused else ""
    left = found.of - found.tried
    rest = f"{useless} start nothing{refused}; W says why" + (f"; {left} are still to be tried" if left else "")
    return [*(row.spans for row in remedy_rows(found, day, look, width)), [(f"  {rest}", "soft")]]
