"""The text of `yarn application -list`: a line of names, then an application a line, in columns between tabs.

It has neither times nor sizes, so that each application is one container of the usual size beside its master.

Source: ApplicationCLI#listApplications, Hadoop 2.7 to 3.4.
"""

from collections.abc import Iterator
from typing import Final

from engine.formats.traces.application import TraceApplication, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource

NAMES: Final = rb"(?s).{0,4000}?[ \t]*Application-Id[ \t]+Application-Name\t"
APART: Final = "one second apart, in the order of their numbers, since the list has no times"
ONE: Final = "one container beside the master"


def read_application_list(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of the list, by their numbers."""
    found: dict[tuple[int, int], list[str]] = {}
    for number, line in source.lines():
        columns = [words(each) for each in line.split("\t")]
        if not columns[0].startswith("application_"):
            continue
        stamp, _, serial = columns[0].removeprefix("application_").partition("_")
        key = whole(stamp, 0), whole(serial, 1)
        if len(columns) < 6 or key[0] is None or key[1] is None:
            source.fault("an application has an id, a name, a type, a user, a queue and a state", number)
            continue
        found[key[0], key[1]] = columns
    for place, (_, (identity, name, kind, user, queue, state, *_)) in enumerate(sorted(found.items())):
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
