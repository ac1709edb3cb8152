"""Help as data: what keys and commands do, those of the focused pane first, found by a word or by a key.

One thing has one word. A text that needs another word for a term of this table is wrong; `tests/tui/test_words.py`
forbids those that were in use.
"""

from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final, NamedTuple

from engine.explain.alert import BADGES, sentences
from engine.observe.snapshots import YARN, SystemTerms, translate_terms
from tui.actions import REDO, UNDO, Action
from tui.keymap import help_groups, spelled
from tui.panes.fragments import Fragments
from tui.panes.pane_view import PaneView
from tui.terminal.format import BLOCK, CURSOR_BAR, CUT, EVENT, FROZEN, METER_FULL, OK, WATCH, plural


class GlossaryEntry(NamedTuple):
    term: str
    meaning: str
    where: str  # Panes, pages and lines that use it


TERMS: Final = (
    GlossaryEntry("waits", "It asks for more than it has been given.", "header, Applications, w"),
    GlossaryEntry("without", "It waits and has no container, none yet or none any more.", "header, Queues, Users"),
    GlossaryEntry("for more", "It waits and keeps what it has.", "header, Queues, Users"),
    GlossaryEntry("asks", "The size and number of containers it still wants.", "Applications, strip, w"),
    GlossaryEntry("has", "The containers it holds, and their total.", "Applications, strip"),
    GlossaryEntry("holds", "It has containers, or nodes reserved, that others need.", "header, groups, w"),
    GlossaryEntry(
        "reserved for", "The node gives nothing to others until this much is free on it.", "Nodes, Reservations"
    ),
    GlossaryEntry("short", "Memory that a reservation still lacks on its node.", "Nodes, Reservations, groups"),
    GlossaryEntry("fair share", "Memory a queue is due, by weights and demand, at this instant.", "Queues"),
    GlossaryEntry("guarantee", "The part of the cluster a queue is promised.", "Queues"),
    GlossaryEntry(
        "proof", "A copy was simulated with no new submissions, until nothing can happen any more.", "w, W, alerts"
    ),
    GlossaryEntry("tried on a copy", "The act was done on a copy; the cluster itself is unchanged.", "w, W, questions"),
    GlossaryEntry("remedy", "An act that starts an application that waits.", "w, W, fix"),
    GlossaryEntry("similar", "Remedies that start the same applications at the same time.", "w, W, fix"),
    GlossaryEntry("so far", "The smallest value found so far: a smaller one may be enough.", "w, W, fix"),
    GlossaryEntry("inevitable", "Without an act the outcome cannot change from then on.", "w, why"),
    GlossaryEntry("affected", "Applications an alert names; in a freeze all that wait.", "alerts"),
    GlossaryEntry("past", "An earlier instant is shown; the run itself stays where it is.", "header"),
    GlossaryEntry("branch", "The run continues from a past instant; what came after is dropped.", "B, u"),
    GlossaryEntry("mark", "An alert or an act on the pulse.", "pulse, { and }"),
    GlossaryEntry("twin", "A simulation made from a cluster or a recording, which may be changed.", "watch, logs"),
    GlossaryEntry("inferred", "A reason derived from figures that a live cluster reports.", "watch, w"),
)


_KEYS_WIDTH = 10
_LEAST = 24  # Cells that a sentence needs beside its keys


class Entry(NamedTuple):
    keys: tuple[str, ...]  # As people write them; for a command, how it is written
    words: str
    reason: str = ""  # Why it does nothing here; empty when it does something
    more: str = ""  # What it is found by besides
    call: str = ""  # The action it is about; empty for a command, which wants words


class HelpSection(NamedTuple):
    title: str
    entries: tuple[Entry, ...]


def of_actions(registry: Sequence[Action], reasons: Mapping[str, str]) -> list[HelpSection]:
    """All keys by group; `reasons` says of the call of an action why it does nothing here."""
    return [
        HelpSection(
            title,
            tuple(
                Entry(
                    tuple(spelled(key) for key in one.keys),
                    one.help,
                    reasons.get(one.call, ""),
                    f"{one.id} {one.title}",
                    one.call,
                )
                for one in group
            ),
        )
        for title, group in help_groups(registry)
    ]


def of_pane(view: PaneView[Any], keys: Mapping[str, str]) -> HelpSection:
    """The help section of a pane: the target of `enter`, its filters, its sort keys; `keys` are the user's."""
    names = " ".join(f"{field.name}:" for field in view.criteria.fields)
    letters = ", ".join(f"{field.letter} {field.name}" for field in view.criteria.sortable)
    entries = [
        Entry((keys["follow"],), view.enter_help),
        Entry((keys["filter"],), f"Filter it by {names}" if names else ""),
        Entry((keys["sort"],), f"Sort it by {letters}" if letters else "", more="order column"),
    ]
    return HelpSection(f"here: {view.title}", tuple(entry for entry in entries if entry.words))


def of_commands(verbs: Sequence[tuple[str, str]]) -> HelpSection:
    return HelpSection("commands", tuple(Entry((f":{usage}",), f"{words}.".capitalize()) for usage, words in verbs))


def in_words(one: HelpSection, words: SystemTerms) -> HelpSection:
    """A section in the words of a system; what a user types stays."""
    entries = (each._replace(words=translate_terms(each.words, words)) for each in one.entries)
    return one._replace(entries=tuple(entries))


def of_badges(terms: Mapping[str, str]) -> HelpSection:
    entries = [
        Entry(
            (rule.word.format(**{name: word.upper() for name, word in terms.items()}),),
            " ".join(sentences(rule, terms)),
        )
        for rule in BADGES.values()
    ]
    return HelpSection("badges of the header", tuple(entries))


def of_terms() -> HelpSection:
    entries = [Entry((each.term,), each.meaning, more=each.where) for each in TERMS]
    return HelpSection("words of the screens", tuple(entries))


class HelpLine(NamedTuple):
    spans: Fragments
    call: str = ""  # The action it is about


# The keys on one screen, by what one wants to do; a key without effect here is faint, with its reason.


class VerbLine(NamedTuple):
    actions: tuple[str, ...]  # Ids
    words: str
    short: str = ""  # The same before a reason; empty for the words up to the first semicolon
    alone: tuple[str, ...] = ()  # The words of each action where a system has that one alone


OVERVIEW: Final[Mapping[str, tuple[VerbLine, ...]]] = {
    "LOOK": (
        VerbLine(("pane.applications", "pane.graphs", "pane.next"), "a pane; the next"),
        VerbLine(("row.down", "row.up", "row.last"), "a row down, up; the last"),
        VerbLine(("follow", "owner"), "into the row; up from it"),
        VerbLine(("filter", "match.next", "match.previous"), "filter; its matches"),
        VerbLine(("sort", "sort.reverse", "problems"), "sort; only what is wrong"),
        VerbLine(("zoom", "view", "pane.hide"), "zoom; another view; hide"),
        VerbLine(("mark", "mark.all"), "mark the row; all"),
        VerbLine(("row.events", "describe", "copy"), "its events; facts; id"),
        VerbLine(("command", "palette"), "a command; find an action"),
        VerbLine(("plans",), "steps of Spark's Master"),
        VerbLine(("partition",), "the next partition"),
        VerbLine(("whole",), "drop all filters", "filters"),
    ),
    "TIME": (
        VerbLine(("pause", "tick", "tick.event"), "run; a second; an event"),
        VerbLine(("past.back", "past.back_mark"), "a step, a mark back"),
        VerbLine(("past.on", "past.on_mark"), "a step, a mark on"),
        VerbLine(("faster", "slower"), "speed"),
        VerbLine(("scale.less", "scale.more"), "less, more time in pulse"),
    ),
    "ASK": (
        VerbLine(("why",), "why it waits", "why"),
        VerbLine(("fix",), "what starts all that wait"),
        VerbLine(("alerts",), "alerts, now and over"),
        VerbLine(("drill",), "the drill"),
    ),
    "ACT": (
        VerbLine(("kill",), "kill it", "kill"),
        VerbLine(("move",), "move it to another queue", "move"),
        VerbLine(("queue.set",), "set its queue"),
        VerbLine(("submit", "node.add"), "submit; a node joins"),
        VerbLine(("preemption",), "preemption on or off", "preemption"),
        VerbLine(("reservation",), "the next reservation rule", "rule"),
        VerbLine(("spread_out",), "spread executors or pack them"),
        VerbLine(("reload", "restart"), "allocation file; restart", alone=("allocation file", "restart")),
        VerbLine(
            ("drain", "node.resize"),
            "drain, resize the node",
            "drain, resize",
            alone=("drain the node", "resize the node"),
        ),
        VerbLine(("menu",), "all of these as a menu"),
        VerbLine(("branch",), "branch from here", "branch"),
        VerbLine((UNDO,), "undo the last act", "undo"),
        VerbLine((REDO,), "redo what was undone", "redo"),
    ),
    "FILES": (
        VerbLine(("table.save", "screen.save"), "save the table; the screen"),
        VerbLine(("quit", "theme"), "leave; colours"),
    ),
}  # What one wants to do → the lines about it
_LEGEND: Final = {
    "WORDS OF THE COUNTS": {
        "waiting": "asks for more than it has",
        "first": "has nothing yet",
        "more": "has some, asks for more",
        "affected": "waited while an alert was up",
    },
    "BADGES": {
        FROZEN: "FROZEN: nothing is given, with proof",
        WATCH: "in capitals: applications are harmed",
        OK: "THAWING, BUSY, OK",
    },
    "MARKS": {
        METER_FULL: "an amount",
        BLOCK: "a container",
        EVENT: "an event; a letter: an act",
        CURSOR_BAR: "the cursor, the present",
    },
    "MOUSE": {"click": "a row, title, tab, key, instant", "wheel": "rows"},
}  # What stands on a large screen besides: title → word or sign → its meaning
_LEFT: Final = 2  # Groups in the left column
_OVERVIEW_KEYS: Final = 9  # Cells of the keys of a line
_SHOWN_BETWEEN: Final = ("pane.applications", "pane.graphs")  # Keys that are a range


def overview(
    registry: Sequence[Action],
    reasons: Mapping[str, str],
    named: Mapping[str, str],
    width: int,
    height: int,
    *,
    terms: SystemTerms = YARN,
) -> list[list[HelpLine]]:
    """Two columns of lines, each at most `width` cells; `named` has other words for an action here, by its id.

    `reasons` says of the call of an action why it does nothing here; what a large screen has besides stands below.
    """
    known = {action.id: action for action in registry}
    columns: list[list[HelpLine]] = [[], []]
    for place, (title, lines_of) in enumerate(OVERVIEW.items()):
        column = columns[0 if place < _LEFT else 1]
        column += [HelpLine([])] if column else []
        column.append(HelpLine([(title, "bold soft")]))
        for line in lines_of:
            some = [known[name] for name in line.actions if name in known]
            if some:
                here = _of_one(line, some[0].id, named) if line.alone and len(some) == 1 else line
                here = here._replace(words=translate_terms(here.words, terms))
                column.append(_verb_line(some, here, reasons, named, width))
    for title, meanings in _LEGEND.items():
        column = min(columns, key=len)
        if len(column) + len(meanings) + 2 <= height:
            column += [HelpLine([]), HelpLine([(title, "bold soft")])]
            column += [
                HelpLine([(f"{sign:<{_OVERVIEW_KEYS}}", "bold"), (translate_terms(words, terms), "text")])
                for sign, words in meanings.items()
            ]
    return columns


def _of_one(line: VerbLine, action: str, named: Mapping[str, str]) -> VerbLine:
    words = named.get(action, line.alone[line.actions.index(action)])
    return line._replace(words=words, short=words.partition(" the ")[0])


def _verb_line(
    some: Sequence[Action], one: VerbLine, reasons: Mapping[str, str], named: Mapping[str, str], width: int
) -> HelpLine:
    keys = " ".join(min(map(spelled, action.keys), key=len) for action in some)
    if [action.id for action in some[:2]] == list(_SHOWN_BETWEEN):
        keys = f"{keys[0]}-{keys[2:]}"
    works = [action for action in some if action.call not in reasons]
    words = next((named[action.id] for action in some if action.id in named), one.words)
    if not works:
        words = f"{one.short or one.words.partition(';')[0]}: {reasons[some[0].call]}"
    room = max(1, width - _OVERVIEW_KEYS)
    shown = words if len(words) <= room else f"{words[: room - 1]}{CUT}"
    styles = ("bold accent", "text") if works else ("faint", "faint")
    return HelpLine([(f"{keys:<{_OVERVIEW_KEYS}}", styles[0]), (shown, styles[1])], works[0].call if works else "")


def alive(sections: Sequence[HelpSection]) -> list[HelpSection]:
    """The lines that do something here; of the others how many there are, and how to find them."""
    kept = _kept(sections, lambda entry: not entry.reason)
    left_out = sum(len(one.entries) for one in sections) - sum(len(one.entries) for one in kept)
    if not left_out:
        return kept
    verbs = "does nothing here and is" if left_out == 1 else "do nothing here and are"
    words = f"{plural(left_out, 'key')} {verbs} left out; finding one tells why."
    return [*kept, HelpSection("not here", (Entry(("/",), words),))]


def found(sections: Sequence[HelpSection], query: str) -> list[HelpSection]:
    """The lines a query finds: those with that key as help writes it, else those that have all its words."""
    query = query.strip()
    if not query:
        return list(sections)
    by_key = _kept(sections, lambda entry: query in entry.keys)
    words = query.lower().split()

    def has_words(entry: Entry) -> bool:
        searched = " ".join((*entry.keys, entry.words, entry.reason, entry.more)).lower()
        return all(word in searched for word in words)

    return by_key or _kept(sections, has_words)


def _kept(sections: Sequence[HelpSection], keeps: Callable[[Entry], bool]) -> list[HelpSection]:
    chosen = [HelpSection(one.title, tuple(entry for entry in one.entries if keeps(entry))) for one in sections]
    return [section for section in chosen if section.entries]


def lines(sections: Sequence[HelpSection], width: int) -> list[HelpLine]:
    """The sections as lines of at most `width` cells; a long sentence goes on under its beginning."""
    drawn: list[HelpLine] = []
    for section in sections:
        drawn += [HelpLine([])] if drawn else []
        drawn.append(HelpLine([(section.title.upper(), "bold soft")]))
        for entry in section.entries:
            drawn += [HelpLine(spans, entry.call) for spans in _entry_lines(entry, width)]
    return drawn


def _entry_lines(entry: Entry, width: int) -> list[Fragments]:
    keys = " ".join(entry.keys)
    column = min(_KEYS_WIDTH, width // 3) + 4
    room = max(_LEAST, width - column)
    parts = [(line, "faint" if entry.reason else "text") for line in wrap(entry.words, room)]
    parts += [(line, "faint") for line in wrap(f"({entry.reason})", room)] if entry.reason else []
    key_style = "faint" if entry.reason else "bold accent"
    head = f"  {keys}"
    if len(head) >= column:
        return [[(head, key_style)], *([(" " * column, "text"), part] for part in parts)]
    first, *rest = parts
    return [[(head.ljust(column), key_style), first], *([(" " * column, "text"), part] for part in rest)]
