"""What would help, as lines to choose from, and what follows the one that was tried; of the document of an answer."""

from typing import Any, Final

from tui import format as text
from tui.answers import WhySubject
from tui.render.line import Spans, folded
from tui.render.remedy_text import expected_words, instant_words, remedy_words, rest_words

Document = dict[str, Any]
Line = tuple[Spans, WhySubject | None]

REMEDY: Final = "remedy"
"""The kind of subject that a line of a remedy leads to; its key is the number."""

BARS: Final = " .:-=+*#"
"""Least to most of what is allocated in a minute."""


def remedy_number(link: WhySubject | None) -> int | None:
    """The number of the remedy a line leads to; None where it leads elsewhere."""
    return int(link.key) if link is not None and link.kind == REMEDY else None


def entry_of(document: Document, number: int) -> Document | None:
    """The remedy of a number; None when there is none."""
    entries = (document.get("would_help") or {}).get("remedies", ())
    return next((entry for entry in entries if entry["number"] == number), None)


def remedy_list(document: Document, width: int, label: int) -> list[Line]:
    """The remedies, the best first, each with its effect below, then those that do not help, then what follows."""
    found = document["would_help"]
    beside = " " * label
    lines: list[Line] = [([("helps".ljust(label), "head"), (_summary(found), "plain")], None)]
    for entry in found["remedies"]:
        words, link = remedy_words(entry, found), WhySubject(REMEDY, str(entry["number"]))
        numbered: Spans = [(beside, "head"), (f"{entry['number']:>2}  ", "key"), (words.remedy, "good")]
        lines.append((numbered, link))
        effect = f"starts {words.starts}; frees {words.frees}; loses {words.loses}; delays {words.delays}"
        lines += [([(beside + "    ", "head"), (each, "plain")], None) for each in folded(effect, width - label - 4)]
    for words_left in rest_words(found):
        lines += [([(beside, "head"), (each, "dim")], None) for each in folded(words_left, width - label)]
    return [*lines, *_aftermath(document, width, label)]


def _summary(found: Document) -> str:
    helping = sum(1 + len(entry["alike"]) for entry in found["remedies"])
    return f"{helping} of {found['tried']} remedies tried, the least harm first; {expected_words(found)}"


def _aftermath(document: Document, width: int, label: int) -> list[Line]:
    """What follows the remedy that was tried last; nothing when none was."""
    after = document.get("aftermath")
    if after is None:
        return []
    head = f"{after['remedy']}, tried on a copy; nothing is changed here"
    lines: list[Line] = [
        ([(f"after {after['number']}".ljust(label), "head"), (each, "strong")], None)
        for each in folded(text.plain(head), width - label)[:1]
    ]
    for each in after["happenings"]:
        clock = instant_words(each["at"], document["at"])
        lines.append(([(" " * label, "head"), (f"{clock}  ", "key"), (text.plain(each["words"]), "plain")], None))
    most = max(after["allocated"], default=0)
    if most:
        bars = "".join(BARS[-(-count * (len(BARS) - 1) // most)] for count in after["allocated"])
        words = f"allocated per minute, {most} at most: [{bars}]"
        lines.append(([(" " * label, "head"), (words, "plain")], None))
    return lines


def apply_question(entry: Document, found: Document) -> tuple[str, ...]:
    """What is asked before a remedy is applied."""
    words = remedy_words(entry, found)
    return (
        f"{text.plain(entry['remedy'])}?",
        "",
        f"starts  {words.starts}",
        f"frees   {words.frees}",
        f"loses   {words.loses}",
        f"delays  {words.delays}",
        "",
        "As tried on a copy without arrivals. The clock stands while this is open.",
    )
