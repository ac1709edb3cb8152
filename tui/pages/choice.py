"""The preview of a scenario or a drill: its size, what its run looked like, its story, what to watch and to try."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Final, NamedTuple

from engine.scenario.catalogue import NodePicture, Preview
from tui.pages import why as panel
from tui.pages.why import EDGES, Panel, PanelRow
from tui.panes import pulse
from tui.panes.fragments import (
    Fragment,
    Fragments,
    cell_width,
    flat,
    folded,
    highlight_line,
    merge_fragments,
    places_of,
)
from tui.panes.nodes import Block, node_bar
from tui.panes.plot import Window
from tui.terminal import format as text
from tui.terminal.format import CUT

# Scenarios and drills to choose from: the values the chooser draws, and its list, group by group.

IN_NAMES, IN_TEXTS = "found in the name", "found in a text"  # Headings of what is found
MOST_OF_NAME: Final = 28  # Cells of the column of names at most
LOOSE_FROM: Final = 30  # Lines from which on groups stand apart


class ScenarioFacts(NamedTuple):
    rules: str  # Scheduler and rule of reservations, in words
    start_ms: int
    offset_ms: int
    duration_ms: int
    expectations: int
    is_spark: bool
    preview: Preview | None  # What playing it showed; None where it was not played


class DrillFacts(NamedTuple):
    """The facts of a drill before it is played; nothing that tells its cause."""

    minutes: int  # How long it takes, by the wall clock
    difficulty: str

    @property
    def words(self) -> str:
        """Both, e.g. `5 min, first shift`."""
        return f"{self.minutes} min, {self.difficulty}"


class ScenarioEntry(NamedTuple):
    name: str
    title: str
    about: str  # What it shows and what to watch; may have several paragraphs
    group: str = ""  # Title of the group it stands in
    tag: str = ""  # Whose rules it shows, in a word or two
    brief: str = ""  # What it shows, in few words; empty takes the title
    story: str = ""  # What happens, where it is not `about`
    watch: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()
    varies: str = ""  # Name of the scenario of which it is a variant; empty for none
    facts: ScenarioFacts | None = None
    drill: DrillFacts | None = None  # None for a scenario; of a drill `about` is the brief

    @property
    def is_bare(self) -> bool:
        """True for a scenario of which only the catalogue has been read."""
        return self.facts is None and self.drill is None and not self.title

    @property
    def words(self) -> str:
        return f"{self.name} {self.title} {self.brief} {self.group} {self.tag} {self.about}"


class ChooserRow(NamedTuple):
    """One line of the list: a heading, a scenario, or nothing."""

    heading: str = ""
    entry: ScenarioEntry | None = None
    variants: int = 0  # How many are folded into it
    is_open: bool = False  # Whether these are listed below it
    is_context: bool = False  # Whether it has not the words that are sought, and only stands above a variant that has


def found(entries: Sequence[ScenarioEntry], words: str) -> list[tuple[str, list[ScenarioEntry]]]:
    """Entries that have all these words, under headings: those found in the name (of a drill: title), then in a text.

    An entry of exactly this name comes alone; a variant comes below what it varies.
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
    """The lines of the list; found ones with their variants. Groups stand apart where there are many lines, or few."""
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
        for entry in shown:
            row = ChooserRow("", entry, 0 if entry.varies else counts[entry.name], entry.name in unfolded)
            rows_of[entry.group].append(row)
    is_loose = height >= LOOSE_FROM or sum(len(some) + 2 for some in rows_of.values()) <= height + 1
    lines: list[ChooserRow] = []
    for heading, listed in rows_of.items():
        lines += [ChooserRow()] if is_loose and lines else []
        lines += [ChooserRow(heading)] if heading else []
        lines += listed
    return lines


_TAG = 8  # Cells of the tag and the number of variants
_DIFFICULTY = 11  # Cells of the difficulty of a drill


def list_line(row: ChooserRow, width: int, name_width: int, *, is_cursor: bool) -> Fragments:
    """One line of the list, `width` cells; a name longer than its column moves the rest, and is never cut."""
    one = row.entry
    if one is None:
        if not row.heading:
            return []
        head = f" {row.heading.upper()} "
        return [(head, "faint"), ("─" * max(0, width - cell_width([(head, "")])), "line")]
    if one.drill is not None:
        return _drill_line(one, one.drill, width, is_cursor=is_cursor)
    fold = " " if not row.variants else "▾" if row.is_open else "▸"
    name = ("  " if one.varies else "") + one.name
    tag = one.tag + (f" +{row.variants}" if row.variants else "")
    spans: Fragments = [
        (name.ljust(name_width), "bold strong" if is_cursor else "faint" if row.is_context else "text"),
        ("  ", "text"),
        (text.fit(tag, _TAG, mark="…"), "faint"),
        ("  ", "text"),
    ]
    room = max(0, width - 2 - cell_width(spans))
    spans.append((text.fit(text.plain(one.brief or one.title), room, mark="…"), "soft"))
    if not is_cursor:
        return [(f" {fold}", "faint"), *spans]
    return highlight_line([("▌", "accent"), (fold, "faint"), *spans], width)


def _drill_line(entry: ScenarioEntry, drill: DrillFacts, width: int, *, is_cursor: bool) -> Fragments:
    minutes = f"{drill.minutes} min"
    room = max(0, width - 6 - _TAG - _DIFFICULTY)
    spans: Fragments = [
        (text.fit(entry.title, room, mark="…"), "bold strong" if is_cursor else "text"),
        ("  ", "text"),
        (text.fit(minutes, _TAG), "faint"),
        ("  ", "text"),
        (text.fit(drill.difficulty, _DIFFICULTY, mark="…"), "soft"),
    ]
    return highlight_line([("▌", "accent"), (" ", "faint"), *spans], width) if is_cursor else [("  ", "faint"), *spans]


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


_DOT = " · "
_VARIANT_CELLS = 45  # Cells of a variant, where they stand beside each other
_NODES_FROM = 60  # Width from which nodes are drawn
_LEAST_PART = 4  # Lines from which a part is worth beginning
_MOST_STORY = 7  # Lines of the story
_SHORT_BRIEF = 3  # Lines of a drill's brief below the list
_SIDE = 9  # Cells of the words beside what to watch and try


def preview_lines(entry: ScenarioEntry, entries: Sequence[ScenarioEntry], width: int, height: int) -> list[Fragments]:
    """All that is said of one of `entries`, in at most `height` lines of `width` cells; the last parts go first."""
    facts = entry.facts
    if entry.drill is not None:
        return [[], [(entry.drill.words, "soft")], [], *_about_lines(entry, width)][:height]
    variants = [] if entry.varies else [each for each in entries if each.varies == entry.name]
    parts: list[list[Fragments]] = [[], _story(entry, width), _advice(entry, width), _variants(entry, variants, width)]
    if facts is not None:
        parts[0] = [[(line, "text")] for line in folded(_size_words(facts), width)]
        parts[0] += [[(line, "soft")] for line in folded(facts.rules, width)]
        if facts.preview is not None:
            tall, counted = 6 if height >= 45 else 2, "executors launched" if facts.is_spark else "containers allocated"
            parts.insert(1, [[(counted, "soft")], *pulse_lines(facts, facts.preview, width, tall)])
            parts.append(_nodes(facts, facts.preview, width))
    shown: list[Fragments] = []
    for part in (one for one in parts if one):
        room = height - len(shown) - 1
        if len(part) <= room or not shown:
            shown += [[], *part]
        elif room >= _LEAST_PART and part is not parts[-1]:
            shown += [[], *part[: room - 1], [(f"… {len(part) - room + 1} more", "faint")]]
    return shown[:height]


def short_lines(entry: ScenarioEntry, width: int) -> list[Fragments]:
    facts = entry.facts
    if entry.drill is not None:
        return [*_about_lines(entry, width)[:_SHORT_BRIEF], [(entry.drill.words, "faint")]]
    sentence = _sentences(_paragraphs(entry)[0])[0]
    lines: list[Fragments] = []
    if facts is not None and facts.preview is not None:
        begin, end = (_minute(facts, at_ms) for at_ms in (0, facts.duration_ms))
        (row,) = _pulse_rows(facts.preview, facts.duration_ms, width - len(begin) - len(end) - 2, 1)
        lines.append([(f"{begin} ", "faint"), *row, (f" {end}", "faint")])
    lines.append([(text.fit(text.plain(sentence), width, mark=CUT), "text")])
    lines += _advice(entry, width)[:1] or [[]]
    if facts is not None:
        expected = [f"{facts.expectations} expectations"] if facts.expectations else []
        some = [*_size_words(facts).split(_DOT), facts.rules.partition(",")[0], *expected]
        while len(some) > 1 and len(_DOT.join(some)) > width:
            some.pop(2 if len(some) > 3 else -1)
        lines.append([(_DOT.join(some), "faint")])
    return lines


def _size_words(facts: ScenarioFacts) -> str:
    found = facts.preview
    some = [] if found is None else [text.plural(found.nodes, "worker" if facts.is_spark else "node")]
    if found is not None and not facts.is_spark:
        some.append(text.plural(found.queues, "queue"))
    some += [] if found is None else [text.plural(found.applications, "application")]
    return _DOT.join([*some, text.duration(facts.duration_ms).replace("h00m", "h")])


def _minute(facts: ScenarioFacts, at_ms: int) -> str:
    near = text.near_minute if facts.duration_ms >= 3_600_000 else text.near_clock
    return near(facts.start_ms + at_ms, facts.start_ms, facts.offset_ms)


def _pulse_rows(preview: Preview, duration_ms: int, width: int, rows: int) -> list[Fragments]:
    edges = [at * len(preview.allocated) // (2 * width) for at in range(2 * width + 1)]
    samples = [sum(preview.allocated[begin : max(begin + 1, end)]) for begin, end in pairwise(edges)]
    drawn = pulse.curve(samples, rows, width)
    for freeze in preview.frozen:
        pulse.flat_line(drawn[-1], pulse.Freeze(*freeze), Window(0, duration_ms), width)
    return [merge_fragments(row) for row in drawn]


def pulse_lines(facts: ScenarioFacts, preview: Preview, width: int, rows: int) -> list[Fragments]:
    axis: list[Fragment] = [(" ", "faint")] * width
    marks = [(since_ms, _minute(facts, since_ms), "alarm") for since_ms, _ in preview.frozen]
    marks.append((0, _minute(facts, 0), "faint"))
    marks += [(at_ms, f"{_minute(facts, at_ms)} {what.replace('_', ' ')}", "faint") for at_ms, what in preview.acts]
    marks.append((facts.duration_ms, _minute(facts, facts.duration_ms), "faint"))
    for at_ms, words, style in marks:
        begin = min(at_ms * width // facts.duration_ms, width - len(words))
        if begin >= 0 and all(sign == " " for sign, _ in axis[max(0, begin - 1) : begin + len(words) + 1]):
            axis[begin : begin + len(words)] = [(sign, style) for sign in words]
    return [*_pulse_rows(preview, facts.duration_ms, width, rows), merge_fragments(axis)]


def wrap_paragraph(paragraph: str, width: int) -> list[Fragments]:
    words = " ".join(text.plain(paragraph).split())
    return [[(line, "text")] for line in wrap(words, max(10, width))]


def _paragraphs(entry: ScenarioEntry) -> list[str]:
    return re.split(r"\n\s*\n", entry.about.strip() or entry.title)


def _about_lines(entry: ScenarioEntry, width: int) -> list[Fragments]:
    lines: list[Fragments] = []
    for paragraph in _paragraphs(entry):
        lines += [*wrap_paragraph(paragraph, width), []]
    return lines[:-1]


def _sentences(paragraph: str) -> list[str]:
    return re.split(r"(?<=[.:;]) (?=[A-Z])", " ".join(paragraph.split()))


def _story(entry: ScenarioEntry, width: int) -> list[Fragments]:
    kept = [entry.story] if entry.story else [one for one in _paragraphs(entry) if not one.startswith("Watch ")]
    lines: list[Fragments] = []
    for paragraph in kept or [entry.title]:
        some = _sentences(paragraph)
        while len(some) > 1 and len(lines) + len(wrap_paragraph(" ".join(some), width)) > _MOST_STORY:
            some.pop()
        more = wrap_paragraph(" ".join(some), width)
        if lines and len(lines) + len(more) > _MOST_STORY:
            break
        lines += [*([[]] if lines else []), *more]
    return lines


def _advice(entry: ScenarioEntry, width: int) -> list[Fragments]:
    watch: Sequence[str] = entry.watch
    if not watch:
        found = next((one for one in _paragraphs(entry) if one.startswith("Watch ")), "")
        watch = [found.removeprefix("Watch ")] if found else []
    return [*_beside("watch", watch, width), *_beside("try", entry.attempts, width)]


def _beside(word: str, sentences: Sequence[str], width: int) -> list[Fragments]:
    lines = [flat(line) for one in sentences for line in wrap_paragraph(one, width - _SIDE)]
    return [[((word if not place else "").ljust(_SIDE), "faint"), (line, "text")] for place, line in enumerate(lines)]


def _variants(entry: ScenarioEntry, variants: Sequence[ScenarioEntry], width: int) -> list[Fragments]:
    if not variants:
        return []
    names = [one.name.removeprefix(entry.name) for one in variants]
    columns = 2 if width >= 2 * _VARIANT_CELLS else 1
    cells = width // columns
    side = min(max(map(len, names)), cells // 2)
    each = [
        [(text.fit(name, side, mark=CUT) + "  ", "text"), (text.fit(one.brief, cells - side - 2, mark=CUT), "soft")]
        for name, one in zip(names, variants, strict=True)
    ]
    tall = -(-len(each) // columns)
    return [[("change one thing", "soft")], *([span for row in each[at::tall] for span in row] for at in range(tall))]


def _nodes(facts: ScenarioFacts, preview: Preview, width: int) -> list[Fragments]:
    if not preview.pictures or width < _NODES_FROM:
        return []
    what = "workers, one block one executor" if facts.is_spark else "nodes, one block one container"
    lines: list[Fragments] = [[(f"at {_minute(facts, preview.pictured_ms)}: {what}", "soft")]]
    owners = sorted({_owner(block) for one in preview.pictures for block in one.blocks})
    hues = {owner: f"q{min(place, 6)}" for place, owner in enumerate(owners, start=1)}
    hosts = [one.host for one in preview.pictures]
    networks = {host.rpartition(".")[0] for host in hosts}
    common = len(min(networks)) if len(networks) == 1 else 0
    side = max(len(host) - common for host in hosts)
    for node in preview.pictures:
        name = node.host[common:].ljust(side)
        lines.append([(name, "soft"), (" ", "text"), *_blocks(node, hues, min(50, width - side - 1))])
    return lines


def _owner(block: tuple[str, int, int]) -> str:
    queue, application, _ = block
    return ".".join(queue.split(".")[:2]) if queue else f"{application:09d}"


def _blocks(picture: NodePicture, hues: dict[str, str], width: int) -> Fragments:
    blocks = (
        Block(owner := _owner(block), f"{block[1]:09d}", f"{place:06d}", block[2], hues[owner], owner)
        for place, block in enumerate(picture.blocks)
    )
    reserved = "somebody" if picture.is_reserved else ""
    return node_bar(width, max(1, picture.capacity), tuple(blocks), reserved=reserved)


def framed(title: str, side: str, lines: Sequence[Fragments], width: int, height: int) -> list[Fragments]:
    name = text.fit(title, min(len(title), width - 6), mark=CUT)
    more = [(f"  {side}", "soft")] if side and cell_width([(name + side, "")]) + 10 <= width else []
    rows = [PanelRow(line) for line in lines[: height - EDGES]]
    return list(panel.framed(Panel("", [(name, "strong"), *more], rows), width, height).lines)


def ruled(title: str, side: str, width: int) -> Fragments:
    return panel.ruled(
        Panel("", [(text.fit(title, min(len(title), width - 20), mark=CUT), "strong")], (), side), width
    ).lines[0]
