"""Scenarios and drills to choose from: the values the chooser draws, and its list, group by group."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from engine.scenario.catalogue import Preview
from tui import format as text
from tui.render.line import Spans, length, places_of, raised

IN_NAMES, IN_TEXTS = "found in the name", "found in a text"  # Headings of what is found
MOST_OF_NAME: Final = 28  # Cells of the column of names at most
LOOSE_FROM: Final = 30  # Lines from which on groups stand apart


class ScenarioFacts(NamedTuple):
    """The facts of a scenario before it is played."""

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
    """The facts of a drill before it is played; nothing that tells its cause."""

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
    def is_bare(self) -> bool:
        """True for a scenario of which only the catalogue has been read."""
        return self.facts is None and self.drill is None and not self.title

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
    is_context: bool = False
    """Whether it has not the words that are sought, and only stands above a variant that has."""


def found(entries: Sequence[ScenarioEntry], words: str) -> list[tuple[str, list[ScenarioEntry]]]:
    """Finds the entries that have all these words: headings with those found in the name, then those found in a text.

    A drill is named by its title. An entry of exactly this name comes alone; a variant comes below what it varies.
    """
    exact = [place for place, one in enumerate(entries) if one.name == words.strip()]
    named = exact or places_of(words, [one.title if one.drill else one.name for one in entries])
    texts = [] if exact else places_of(words, [one.words for one in entries])
    sections, seen = [], set(named)
    for heading, places in ((IN_NAMES, named), (IN_TEXTS, [place for place in texts if place not in seen])):
        chosen = [entries[place] for place in places]
        families = {one.varies for one in chosen} - {""}
        some = [one for one in entries if one in chosen or one.name in families]
        sections += [(heading, some)] if some else []
    return sections


def rows(entries: Sequence[ScenarioEntry], words: str, unfolded: Collection[str], height: int) -> list[ChooserRow]:
    """The lines of the list.

    Args:
        entries: All scenarios, those of a group one after the other, variants after what they vary.
        words: What is searched; what is found stands with its variants, unfolded.
        unfolded: Names of those whose variants are listed.
        height: Lines there are; groups stand apart where there are many, or all of them have room.
    """
    if words.strip():
        sections = found(entries, words)
        rows_of = {
            head: [
                ChooserRow("", one, is_context=one.name != words.strip() and not places_of(words, [one.words]))
                for one in some
            ]
            for head, some in sections
        }
    else:
        counts = Counter(one.varies for one in entries)
        shown = [one for one in entries if one.varies in {"", *unfolded}]
        rows_of = {one.group: [] for one in shown}
        for one in shown:
            row = ChooserRow("", one, 0 if one.varies else counts[one.name], one.name in unfolded)
            rows_of[one.group].append(row)
    is_loose = height >= LOOSE_FROM or sum(len(some) + 2 for some in rows_of.values()) <= height + 1
    lines: list[ChooserRow] = []
    for heading, some in rows_of.items():
        lines += [ChooserRow()] if is_loose and lines else []
        lines += [ChooserRow(heading)] if heading else []
        lines += some
    return lines


_TAG = 8  # Cells of the tag and the number of variants
_DIFFICULTY = 11  # Cells of the difficulty of a drill


def list_line(row: ChooserRow, width: int, name_width: int, *, is_cursor: bool) -> Spans:
    """One line of the list, `width` cells; a name longer than its column moves the rest, and is never cut."""
    one = row.entry
    if one is None:
        if not row.heading:
            return []
        head = f" {row.heading.upper()} "
        return [(head, "faint"), ("─" * max(0, width - length([(head, "")])), "line")]
    if one.drill is not None:
        return _drill_line(one, one.drill, width, is_cursor=is_cursor)
    fold = " " if not row.variants else "▾" if row.is_open else "▸"
    name = ("  " if one.varies else "") + one.name
    tag = one.tag + (f" +{row.variants}" if row.variants else "")
    spans: Spans = [
        (name.ljust(name_width), "bold strong" if is_cursor else "faint" if row.is_context else "text"),
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


def name_width(rows: Sequence[ChooserRow]) -> int:
    """Cells of the column of names; a drill has a line of its own kind."""
    entries = [row.entry for row in rows if row.entry is not None and row.entry.drill is None]
    return min(MOST_OF_NAME, max((len(one.name) + 2 * bool(one.varies) for one in entries), default=10))


def scrolled(first: int, cursor: int, total: int, height: int) -> int:
    """The first line to show, so that the cursor's is among them, as near to the former first as can be.

    >>> scrolled(0, 12, 40, 10), scrolled(8, 3, 40, 10), scrolled(35, 39, 40, 10), scrolled(5, 5, 6, 10)
    (3, 2, 30, 0)
    """
    first = min(max(first, cursor - height + 1), max(0, cursor - 1))  # a heading stands above the first
    return max(0, min(first, total - height))
