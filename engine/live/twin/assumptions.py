"""The assumptions of a cluster's twin about what nobody knows, and their words."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from engine.errors import Problem, Problems, nearest, quoted
from engine.observe.snapshot import ApplicationRow
from engine.units import UnitError, format_duration, parse_duration

AS_LONG_AGAIN: Final = -1
"""Remaining time of a container: as long as its application has run so far."""

UNSEEN_MS: Final = 60_000
"""How long containers run that an application will ask for, where no application like it says otherwise."""

Span = int | None
"""A duration [ms]; None is for ever, `AS_LONG_AGAIN` what its application has run so far."""


class Assumptions(NamedTuple):
    """The assumptions a user may change."""

    remaining_ms: Span = AS_LONG_AGAIN
    """How long containers of running applications run of which nothing lets one conclude it."""
    of_application: Mapping[str, Span] = MappingProxyType({})
    """The same of single applications, by id, number or name."""
    known_ms: Mapping[str, Span] = MappingProxyType({})
    """Id of a container → how long it will run, where that is known, as of a simulation."""

    def remaining(self, names: tuple[str, ...], ran_ms: int, concluded_ms: int | None = None) -> Span:
        """Return how long containers of an application run on [ms]; None is for ever.

        Args:
            names: What it is called by: id, number, name.
            concluded_ms: As what was seen lets one conclude; None where nothing does.
        """
        otherwise = self.remaining_ms if concluded_ms is None else concluded_ms
        given = next((self.of_application[name] for name in names if name in self.of_application), otherwise)
        return max(ran_ms, 1000) if given == AS_LONG_AGAIN else given

    def check(self, rows: Iterable[ApplicationRow]) -> None:
        """Refuse names that no application has.

        Raises:
            ConfigError: With every such name, and the nearest one.
        """
        known = {name for row in rows for name in names_of(row)}
        problems = Problems()
        for name in self.of_application:
            if name not in known:
                hint = nearest(name, known) or "an id, a number or a name of the list"
                problems.found.append(Problem(f"no application is called {quoted(name)}", key="--remaining", hint=hint))
        problems.check()


def names_of(row: ApplicationRow) -> tuple[str, ...]:
    """Return the names of an application: its id, its number, also with the zeros of screens, its name."""
    return row.id, str(row.number), f"{row.number:04d}", row.name


NOTHING_GIVEN: Final = Assumptions()
"""Nobody says otherwise."""


def span_words(span: Span) -> str:
    """A duration for people.

    >>> span_words(None), span_words(90_000), span_words(AS_LONG_AGAIN)
    ('for ever', '1m30s', 'as long again as their application has run')
    """
    if span is None:
        return "for ever"
    return "as long again as their application has run" if span == AS_LONG_AGAIN else format_duration(span)


def read_assumptions(texts: Sequence[str]) -> Assumptions:
    """Read `--remaining`, for all and for single applications.

    Raises:
        ConfigError: With every text that means nothing.
    """
    problems = Problems()
    for_all: Span = AS_LONG_AGAIN
    of_application: dict[str, Span] = {}
    for text in texts:
        name, _, words = text.rpartition("=")
        try:
            span = None if words.strip() == "forever" else parse_duration(words)
        except UnitError as error:
            problems.found.append(Problem(str(error), key="--remaining", hint="10m, forever, or APP=10m"))
            continue
        if name:
            of_application[name.strip()] = span
        else:
            for_all = span
    problems.check()
    return Assumptions(for_all, of_application)
