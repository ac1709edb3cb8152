"""The text of `yarn application -list`: a line of names, then an application a line, in columns between tabs.

It has neither times nor sizes, so that each application is one container of the usual size beside its master.

A terminal makes blanks of the tabs, and breaks long lines. So a line is read from its right end: of progress, final
state and state the words are known, and before them stand queue, user and type; what is left is the name.

Source: ApplicationCLI#listApplications (APPLICATIONS_PATTERN), YarnApplicationState, FinalApplicationStatus, Hadoop 2.7
to 3.4.
"""

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

from engine.formats.traces.application import TraceApplication, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource

_STATES: Final = "NEW|NEW_SAVING|SUBMITTED|ACCEPTED|RUNNING|FINISHED|FAILED|KILLED"
_FINAL: Final = "UNDEFINED|SUCCEEDED|FAILED|KILLED|ENDED"
_ID: Final = r"application_(\d{1,15})_(\d{1,10})"
_ROW: Final = re.compile(
    rf"\s*(?P<id>{_ID})\s+(?P<facts>\S.*?)\s+(?P<state>{_STATES})(?:\s+(?:{_FINAL})\s+[\d.,]{{1,8}}\s?%.*)?\s*"
)
_WHOLE: Final = re.compile(rf"\s*{_ID}\s.*\s(?:{_STATES})\s+(?:{_FINAL})\s+[\d.,]{{1,8}}\s?%")
_BEGIN: Final = re.compile(rf"\s*{_ID}(?:\s|$)")
LISTS: Final = re.compile(
    rb"Application-Id\s+Application-Name|(?m:^[ \t]*application_\d{1,15}_\d{1,10}[ \t][^\n]{1,2000}?[ \t](?:"
    + f"{_STATES})[ \t]+(?:{_FINAL})[ \t]".encode()
    + rb"+[\d.,]{1,8} ?%)"
)
"""What such a text holds somewhere: the names of its columns, or a row."""
MOST_PIECES: Final = 4
"""Into how many lines a terminal breaks a row at most."""
TWO_WORDS: Final = ("Apache Flink", "YARN Service")
"""Types with a blank in them."""
APART: Final = "one second apart, in the order of their numbers, since the list has no times"
ONE: Final = "one container beside the master"


def read_application_list(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of the list, by their numbers."""
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for number, pieces in _rows(source):
        row = _columns(pieces)
        if row is None:
            source.fault("an application has an id, a name, a type, a user, a queue and a state", number)
            continue
        stamp, _, serial = row[0].removeprefix("application_").partition("_")
        found[whole(stamp) or 0, whole(serial) or 0] = row
    for place, (_, (identity, name, kind, user, queue, state)) in enumerate(sorted(found.items())):
        yield TraceApplication(
            id=identity,
            name=name,
            submitted_ms=place * 1000,
            tasks=(TraceTasks("container", 1, (rules.duration_ms,)),),
            user=user or None,
            queue=queue or None,
            type=kind,
            state=state,
            inferred={
                "arrival": APART,
                "containers": ONE,
                "duration": rules.duration_rule,
                "memory and vcores": rules.size_rule,
            },
        )


def _rows(source: TraceSource) -> Iterator[tuple[int, list[str]]]:
    """(line, pieces) of each application, as a terminal broke it."""
    first, pieces = 0, list[str]()
    for number, line in source.lines():
        if _BEGIN.match(line):
            if pieces:
                yield first, pieces
            first, pieces = number, [line]
        elif pieces and len(pieces) < MOST_PIECES and not _WHOLE.match("".join(pieces)):
            pieces.append(line)
    if pieces:
        yield first, pieces


def _columns(pieces: list[str]) -> tuple[str, ...] | None:
    """Id, name, type, user, queue and state; None where these lines hold no application.

    >>> _columns(["application_1_1  word count  MAPREDUCE  ann  root.ann  RUN", "NING  UNDEFINED  5%  N/A"])
    ('application_1_1', 'word count', 'MAPREDUCE', 'ann', 'root.ann', 'RUNNING')
    """
    # Blanks at which a line was broken are lost where a terminal's text is copied.
    joined = [(gap, joints) for gap in (2, 1) for joints in product(("", gap * " "), repeat=len(pieces) - 1)]
    for gap, joints in joined:
        text = pieces[0] + "".join(joint + piece for joint, piece in zip(joints, pieces[1:], strict=True))
        tabbed = [words(each) for each in text.strip().split("\t")]
        if len(tabbed) >= 6 and _BEGIN.fullmatch(tabbed[0]):
            return tuple(tabbed[:6])
        match = _ROW.fullmatch(text)
        facts = _facts(match["facts"], gap) if match is not None else None
        if match is not None and facts is not None:
            return match["id"], *facts, match["state"]
    return None


def _facts(text: str, gap: int) -> tuple[str, ...] | None:
    """Name, type, user and queue with so many blanks between them; one is all where a name is as wide as its column."""
    wide = [words(each) for each in re.split(r"\t|\s{2,}", text.strip())]
    if len(wide) >= 4:
        return " ".join(wide[:-3]), *wide[-3:]
    if gap > 1:
        return None
    for kind in TWO_WORDS:
        text = text.replace(f" {kind} ", f" {kind.replace(' ', chr(0))} ")
    narrow = text.split()
    if len(narrow) < 4:
        return None
    return words(" ".join(narrow[:-3])), *(words(each.replace(chr(0), " ")) for each in narrow[-3:])
