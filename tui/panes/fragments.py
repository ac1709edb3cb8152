"""Parts of every renderer: spans of (text, style name), the look they are drawn with, bars; nothing knows a widget."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from rich.cells import cell_len

from engine.observe.snapshot import Amounts
from engine.observe.snapshots import SystemTerms, WaitTotal, terms_for
from tui.terminal import format as text
from tui.terminal.palettes import HUES

Fragment = tuple[str, str]  # Text and the name of its style
Fragments = list[Fragment]


def nothing_there(node: str) -> tuple[Any, ...]:
    """Nothing that is known to run on a node."""
    return ()


class HeldNodes(NamedTuple):
    """The nodes one application has reserved."""

    short_on: Mapping[str, Amounts | None]  # Node → what is missing there; None where not stated
    since_ms: Sequence[int]  # When they were reserved, as far as that is known [epoch ms]
    best: str = ""  # The node where least is missing, of which the others tell; empty where none is stated
    size: Amounts = ()  # What is asked for there …
    free: Amounts = ()  # … and what is free

    @property
    def nodes(self) -> Sequence[str]:
        return tuple(self.short_on)

    @property
    def short(self) -> Amounts:
        """What is missing on the best node: nothing where it fits, or is not stated."""
        return self.short_on.get(self.best) or ()


class RenderContext(NamedTuple):
    """The values every cell may depend on besides its row."""

    now_ms: int
    dimensions: tuple[str, ...]
    total: Amounts  # The cluster's total; the scale of the queues' bars
    offset_ms: int = 0
    may_act: bool = True  # Whether keys change the cluster at the instant shown
    may_undo: bool = True  # Whether a key takes an act back
    shift: int = 0  # How many characters of the last, growing column are scrolled off to the left
    partitions: tuple[str, ...] = ()  # Labels of all partitions, that of the default one empty; none for one
    is_ascii: bool = False  # Whether glyphs become ASCII: what one character cannot tell is drawn in another way
    is_colourless: bool = False  # Whether there is no colour: what a hue would tell is drawn in another way
    hues: Mapping[str, str] = MappingProxyType({})  # Top-level queue → the token of its hue; `hue.hue_of` asks for it
    scales: Mapping[str, int] = MappingProxyType({})  # What the bars of a pane end at, by names of its view
    waits: Mapping[tuple[str, str], WaitTotal] = MappingProxyType({})  # Whom `waits.waits_in` asks for
    blocks: Callable[[str], tuple[Any, ...]] = nothing_there  # Id of a node → what runs on it, as `node_bar.Block`s
    selected: str = ""  # Id of the application that was selected in another pane; empty where none was
    pinned: tuple[Fragments, ...] = ()  # Stands in place of the pane's head line, the longest form first
    watched_from_ms: int | None = None  # When a live cluster was first asked: what was so may be older
    held: Mapping[str, HeldNodes] = MappingProxyType({})  # Id of an application → the nodes it has reserved
    coming: Mapping[int, int] = MappingProxyType({})  # Number of an application foretold to start → when [epoch ms]
    queue: str = "queue"  # What the scheduler calls a queue
    prefix: str = ""  # The common beginning of all node names, which rows leave out

    @property
    def terms(self) -> SystemTerms:
        return terms_for(self.dimensions)._replace(queue=self.queue)

    @property
    def has_letters(self) -> bool:
        """True where queues are told apart by letters in place of colours."""
        return self.is_ascii or self.is_colourless

    def node_name(self, node: str) -> str:
        """A node without its port, and without what all names begin with."""
        return text.plain(text.short_node(node)).removeprefix(self.prefix)


def highlight_line(spans: Fragments, width: int) -> Fragments:
    """The line of the cursor: what it says keeps its colours, and the background is another to the end.

    >>> highlight_line([("183354", "strong")], 8)
    [('183354', 'strong on raise'), ('  ', 'text on raise')]
    """
    line = [(words, f"{style} on raise") for words, style in spans]
    return [*line, (" " * max(0, width - cell_width(spans)), "text on raise")]


def cell_width(spans: Fragments) -> int:
    return sum([len(words) if words.isascii() else cell_len(words) for words, _ in spans])


def merge_fragments(spans: Sequence[Fragment]) -> Fragments:
    """The same with fewer spans: neighbours of one style are one, and none is empty.

    >>> merge_fragments([("a", "x"), (" ", "x"), ("", "y"), ("b", "x"), ("c", "y")])
    [('a b', 'x'), ('c', 'y')]
    """
    merged: Fragments = []
    words, style = "", ""
    for more, its_style in spans:
        if its_style == style or not more:
            words += more
        else:
            if words:
                merged.append((words, style))
            words, style = more, its_style
    if words:
        merged.append((words, style))
    return merged


def crop(spans: Fragments, width: int, mark: str = "~") -> Fragments:
    """Spans cut to a width; what is missing at the end is marked."""
    if cell_width(spans) <= width:
        return spans
    kept: Fragments = []
    for words, style in spans:
        room = width - cell_width(kept)
        if cell_len(words) > room - 1:
            kept.append((text.fit(words + " " * room, room, mark=mark), style))
            break
        kept.append((words, style))
    return kept


def justify_line(left: Fragments, right: Fragments, width: int, shorter: Fragments | None = None) -> Fragments:
    """One thing at the left edge and one at the right with a blank after it; without room it goes.

    >>> flat(justify_line([("left", "text")], [("right", "text")], 12))
    'left  right '
    >>> flat(justify_line([("left", "")], [("right", "")], 11))
    'left'
    """
    room = width - cell_width(left) - 1
    for ending in (right, shorter or []):
        gap = room - cell_width(ending)
        if ending and gap >= 2:
            return [*left, (" " * gap, "text"), *ending, (" ", "text")]
    return left


def flat(spans: Fragments) -> str:
    """Spans without their styles, for tests and plain output."""
    return "".join(words for words, _ in spans)


def difference(old: Fragments, new: Fragments) -> tuple[int, int] | None:
    """The cells from the first to behind the last that differ; None when none does.

    Spans are compared as wholes, so the answer may be wider than need be, never narrower.

    >>> difference([("a ", "x"), ("12", "x"), ("b", "y")], [("a ", "x"), ("13", "x"), ("b", "y")])
    (2, 4)
    """
    if old == new:
        return None
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and old[first] == new[first]:
        first += 1
    alike = 0
    while alike < shorter - first and old[-1 - alike] == new[-1 - alike]:
        alike += 1
    begin = cell_width(new[:first])
    was, is_now = cell_width(old[first : len(old) - alike]), cell_width(new[first : len(new) - alike])
    if was == is_now:
        return begin, begin + is_now
    return begin, begin + max(was, is_now) + cell_width(new[len(new) - alike :])


def folded(words: str, width: int) -> list[str]:
    """The lines of a sentence, at least one; a word longer than a line is broken.

    >>> folded("queue root.a uses all of it", 12), folded("application_15", 10)
    (['queue root.a', 'uses all of', 'it'], ['applicatio', 'n_15'])
    """
    lines = [""]
    for word in words.split():
        for piece in _pieces(word, max(2, width)):
            joined = f"{lines[-1]} {piece}" if lines[-1] else piece
            if cell_len(joined) <= width or not lines[-1]:
                lines[-1] = joined
            else:
                lines.append(piece)
    return lines


def _pieces(word: str, width: int) -> Iterator[str]:
    piece = ""
    for sign in word:
        if cell_len(piece + sign) > width:
            yield piece
            piece = ""
        piece += sign
    yield piece


def places_of(words: str, lines: Sequence[str]) -> list[int]:
    """The places of the lines that have all of some words, whatever their case; none when there are no words.

    >>> places_of("queue b", ["Queue root.b", "Node b", "queue b"])
    [0, 2]
    """
    wanted = words.casefold().split()
    if not wanted:
        return []
    return [place for place, line in enumerate(lines) if all(word in line.casefold() for word in wanted)]


# The hue of a queue: top-level queues have one each, and a queue below has its parent's.
#
# Spark's Master has no queues; there the hue is the application's.

OTHERS = HUES[-1]  # The hue of the root, and of top-level queues beyond the fifth
_ROOT = "root"  # The pools of a JobTracker have no root
_IMPLICIT = "default"  # A queue that is there without being configured; it takes a hue after the others


class HueTable(dict[str, str]):
    """Top-level queue → the token of its hue; it reads which queues there are when it is asked for one it lacks.

    Hues go to queues in their order, and once given stay: a queue that comes later takes the next one.

    >>> table = HueTable(lambda: ["root", "root.adhoc", "root.default", "root.etl", "root.etl.daily"])
    >>> table["root.etl"], table["root.default"], table["root.none"]
    ('q2', 'q3', 'q6')
    """

    def __init__(self, paths: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self._paths = paths

    def __missing__(self, top: str) -> str:
        tops = [path for path in self._paths() if path.count(".") <= 1 and path != _ROOT and path not in self]
        for path in (*sorted(tops, key=lambda path: path.rpartition(".")[2] == _IMPLICIT), top):
            if path not in self:
                self[path] = HUES[min(len(self), len(HUES) - 1)] if path in tops else OTHERS
        return self[top]


def hue_of(path: str, look: RenderContext) -> str:
    """The hue of a queue.

    >>> look = RenderContext(0, (), (), hues={"root.etl": "q2"})
    >>> hue_of("root.etl.daily", look), hue_of("root.etl", look), hue_of("root", look)
    ('q2', 'q2', 'q6')
    """
    if path in ("", _ROOT):
        return OTHERS
    try:
        return look.hues[".".join(path.split(".", 2)[:2])]
    except KeyError:
        return OTHERS


def hue_of_number(number: int) -> str:
    """The hue of one of Spark's applications, by its number from 1 on; the sixth has that of the first.

    >>> hue_of_number(1), hue_of_number(5), hue_of_number(6)
    ('q1', 'q5', 'q1')
    """
    return HUES[(number - 1) % (len(HUES) - 1)]


# Meters: an amount as a line of half cells, with marks on it.
#
# A meter says how much of a scale there is. Marks stand at a share and at a minimum; past a maximum the meter is
# blank.


def half_cells(width: int, value: int, scale: int) -> int:
    """Tells how many half cells of a line of `width` cells a value takes.

    What is more than nothing takes one; only the whole scale takes all.

    >>> [half_cells(10, value, 100) for value in (0, 1, 48, 99, 100, 130)]
    [0, 1, 10, 19, 20, 20]
    """
    if value <= 0 or scale <= 0 or width <= 0:
        return 0
    most = 2 * width - (1 if value < scale else 0)
    return min(most, max(1, (4 * width * value + scale) // (2 * scale)))


def line_meter(
    width: int,
    value: int,
    scale: int,
    *,
    share: int | None = None,
    minimum: int | None = None,
    maximum: int | None = None,
    style: str = "data",
) -> Fragments:
    """A meter of `width` cells on a scale from 0, up to a `maximum`; the mark of the share covers the minimum's."""
    filled = half_cells(width, value, scale)
    end = width if maximum is None or maximum >= scale else -(-width * max(0, maximum) // scale)
    cells = [_cell(filled - 2 * place, style, has_track=place < end) for place in range(width)]
    if minimum:
        _mark(cells, minimum, scale, filled, (text.MINIMUM, text.MINIMUM_ON_FILL))
    if share:
        _mark(cells, share, scale, filled, (text.SHARE, text.SHARE_ON_FILL))
    return merge_fragments(cells)


def _cell(halves: int, style: str, *, has_track: bool) -> Fragment:
    if halves >= 1:
        return (text.METER_FULL if halves >= 2 else text.METER_HALF), style
    return (text.TRACK, "line") if has_track else (" ", "text")


def _mark(cells: list[Fragment], value: int, scale: int, filled: int, signs: tuple[str, str]) -> None:
    """Draw a mark over the cell of a value: one sign on the track, another on what is filled."""
    if not cells or scale <= 0:
        return
    place = min(len(cells) - 1, (2 * len(cells) * value + scale) // (2 * scale))
    cells[place] = signs[filled > 2 * place], "strong"
