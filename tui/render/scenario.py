"""Scenarios and drills to choose from: the values the chooser draws, and its list, group by group."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from engine.scenario.catalogue import Preview
from tui import format as text
from tui.render.line import Spans, length, places_of, raised

LOOSE_FROM: Final = 30
"""Lines from which on groups stand apart."""


class ScenarioFacts(NamedTuple):
    """What is known of a scenario before it is played."""

    rules: str
    """Scheduler and rule of reservations, in words."""
    start_ms: int
    offset_ms: int
    duration_ms: int
    expectations: int
    is_spark: bool
    preview: Preview | None
    """What playing it showed; None where nobody has."""


class DrillFacts(NamedTuple):
    """What is said of a drill before it is played; nothing that tells its cause."""

    minutes: int
    """How long it takes, by the wall clock."""
    difficulty: str

    @property
    def words(self) -> str:
        """Both, e.g. `5 min, first shift`."""
        return f"{self.minutes} min, {self.difficulty}"


class ScenarioEntry(NamedTuple):
    """One scenario of the chooser, or a drill."""

    name: str
    title: str
    about: str
    """What it shows and what to watch; may have several paragraphs."""
    group: str = ""
    """Title of the group it stands in."""
    label: str = ""
    """Its name without what the group's names have in common; empty takes the name."""
    tag: str = ""
    """Whose rules it shows, in a word or two."""
    brief: str = ""
    """What it shows, in few words; empty takes the title."""
    story: str = ""
    """What happens, where it is not `about`."""
    watch: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()
    varies: str = ""
    """Name of the scenario of which it is a variant; empty for none."""
    facts: ScenarioFacts | None = None
    drill: DrillFacts | None = None
    """None for a scenario; of a drill `about` is the brief."""

    @property
    def words(self) -> str:
        """All that is searched."""
        return f"{self.name} {self.title} {self.brief} {self.group} {self.tag} {self.about}"


class ChooserRow(NamedTuple):
    """One line of the list: a heading, a scenario, or nothing."""

    heading: str = ""
    entry: ScenarioEntry | None = None
    variants: int = 0
    """How many are folded into it."""
    is_open: bool = False
    """Whether these are listed below it."""


def found(entries: Sequence[ScenarioEntry], words: str) -> list[ScenarioEntry]:
    """Finds the entries that have all these words in name, title or text; an entry of exactly this name comes alone."""
    exact = [one for one in entries if one.name == words.strip()]
    return exact or [entries[place] for place in places_of(words, [one.words for one in entries])]


def rows(entries: Sequence[ScenarioEntry], words: str, unfolded: Collection[str], height: int) -> list[ChooserRow]:
    """The lines of the list.

    Args:
        entries: All scenarios, those of a group one after the other, variants after what they vary.
        words: What is searched; what is found stands with its variants, unfolded.
        unfolded: Names of those whose variants are listed.
        height: Lines there are; groups stand apart where there are many, or all of them have room.
    """
    shown = found(entries, words) if words.strip() else [one for one in entries if one.varies in {"", *unfolded}]
    counts: dict[str, int] = {}
    for one in entries:
        counts[one.varies] = counts.get(one.varies, 0) + 1
    groups = list(dict.fromkeys(one.group for one in shown))
    is_loose = height >= LOOSE_FROM or len(shown) + 2 * len(groups) <= height + 1
    lines: list[ChooserRow] = []
    for group in groups:
        lines += [ChooserRow()] if is_loose and lines else []
        lines += [ChooserRow(group)] if group else []
        lines += [
            ChooserRow("", one, 0 if words.strip() or one.varies else counts.get(one.name, 0), one.name in unfolded)
            for one in shown
            if one.group == group
        ]
    return lines


_TAG = 8
"""Cells of the tag and the number of variants."""
_DIFFICULTY = 11
"""Cells of the difficulty of a drill."""


def list_line(row: ChooserRow, width: int, label_width: int, *, is_cursor: bool) -> Spans:
    """One line of the list, `width` cells."""
    one = row.entry
    if one is None:
        if not row.heading:
            return []
        head = f" {row.heading.upper()} "
        return [(head, "faint"), ("─" * max(0, width - length([(head, "")])), "line")]
    if one.drill is not None:
        return _drill_line(one, one.drill, width, is_cursor=is_cursor)
    fold = " " if not row.variants else "▾" if row.is_open else "▸"
    label = ("  " if one.varies and row.variants == 0 and one.group else "") + label_of(one)
    tag = one.tag + (f" +{row.variants}" if row.variants else "")
    spans: Spans = [
        (text.fit(label, label_width, mark="…"), "bold strong" if is_cursor else "text"),
        ("  ", "text"),
        (text.fit(tag, _TAG, mark="…"), "faint"),
        ("  ", "text"),
    ]
    room = max(0, width - 2 - length(spans))
    spans.append((text.fit(text.plain(one.brief or one.title), room, mark="…"), "soft"))
    if not is_cursor:
        return [(f" {fold}", "faint"), *spans]
    return raised([("▌", "accent"), (fold, "faint"), *spans], width)


def _drill_line(entry: ScenarioEntry, drill: DrillFacts, width: int, *, is_cursor: bool) -> Spans:
    """A drill by its title: the name may tell the cause."""
    minutes = f"{drill.minutes} min"
    room = max(0, width - 6 - _TAG - _DIFFICULTY)
    spans: Spans = [
        (text.fit(entry.title, room, mark="…"), "bold strong" if is_cursor else "text"),
        ("  ", "text"),
        (text.fit(minutes, _TAG), "faint"),
        ("  ", "text"),
        (text.fit(drill.difficulty, _DIFFICULTY, mark="…"), "soft"),
    ]
    return raised([("▌", "accent"), (" ", "faint"), *spans], width) if is_cursor else [("  ", "faint"), *spans]


def label_of(entry: ScenarioEntry) -> str:
    """Tells how a scenario is called in the list."""
    return entry.label or entry.name


def label_width(rows: Sequence[ChooserRow]) -> int:
    """Cells of the names listed; a drill has a line of its own kind."""
    entries = [row.entry for row in rows if row.entry is not None and row.entry.drill is None]
    return min(36, max((len(label_of(one)) + 2 * bool(one.varies) for one in entries), default=10))


def scrolled(first: int, cursor: int, total: int, height: int) -> int:
    """The first line to show, so that the cursor's is among them, as near to the former first as can be.

    >>> scrolled(0, 12, 40, 10), scrolled(8, 3, 40, 10), scrolled(35, 39, 40, 10), scrolled(5, 5, 6, 10)
    (3, 2, 30, 0)
    """
    first = min(max(first, cursor - height + 1), max(0, cursor - 1))  # a heading stands above the first
    return max(0, min(first, total - height))
