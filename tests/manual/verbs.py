"""The commands of the program, for the page of commands and the man page."""

from collections.abc import Iterator
from typing import NamedTuple

from tui.cli.options import OPTIONS
from tui.cli.verbs import VERBS
from tui.cli.verbs import Verb as Row


class Verb(NamedTuple):
    """One command, e.g. `drill play`."""

    name: str
    row: Row

    @property
    def about(self) -> str:
        return self.row.about

    def options(self) -> list[tuple[str, str]]:
        """(option with what it takes, its meaning) of its own options."""
        return [(OPTIONS[each].shown, OPTIONS[each].help) for each in self.row.shown]

    @property
    def also(self) -> str:
        """The options it shares with others."""
        return " ".join(OPTIONS[each].flag for each in self.row.also)

    @property
    def usage(self) -> str:
        given = ["[OPTIONS]"] if self.row.options else []
        return " ".join(["schedlab", self.name, *given, *self.row.usage.split()])


def verbs() -> Iterator[Verb]:
    """Every command, in the order of `schedlab --help`; those of a group one after the other."""
    return (Verb(name, row) for name, row in VERBS.items())
