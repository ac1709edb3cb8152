"""Words a shell is offered, from an index of commands and scenarios, so that no command is loaded for them.

`make manual` writes the index. What it does not know (a file, kept runs) is asked of the function that the command
names, which loads the engine.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

import msgspec
from typer.core import TyperCommand

PLACE: Final = files("tui.cli") / "completion.json"
SCENARIO_KINDS: Final = ("application_names", "node_names", "queue_names", "instants")
"""Words that depend on the scenario named before."""


class Parameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """An option or an argument."""

    names: tuple[str, ...] = ()  # The names of an option; empty for an argument
    help: str = ""
    takes: bool = True  # False for an option that is only there or not
    many: bool = False  # True if an argument may be given again
    kind: str = ""  # Where its words come from; empty for those the shell itself completes


class CommandEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A command, or a group of them."""

    help: str = ""
    parameters: tuple[Parameter, ...] = ()
    commands: dict[str, "CommandEntry"] = {}


class ScenarioWords(msgspec.Struct, frozen=True):
    """Names in a packaged scenario that a command may use."""

    digest: str
    words: dict[str, tuple[str, ...]]  # By kind


class Index(msgspec.Struct, frozen=True):
    """Everything that is known without loading a command."""

    verbs: dict[str, CommandEntry]
    words: dict[str, tuple[str, ...]]  # Kind → its words, where they are the same for everybody
    places: dict[str, str]  # Kind → the function that has its other words, as `module:name`
    scenarios: dict[str, ScenarioWords]


@cache
def index() -> Index:
    """The index that is shipped."""
    return msgspec.json.decode(PLACE.read_bytes(), type=Index)


class CompletedVerb(TyperCommand):
    """A command as a shell sees it: it takes any words, and offers those that may follow."""

    def __init__(self, name: str, about: str) -> None:
        super().__init__(name, help=about, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:  # Any: the library's types are private
        """The words that may stand in the place of an incomplete one."""
        from typer._click.shell_completion import CompletionItem  # noqa: PLC0415 -- typer exports it nowhere

        found = offered(self.name or "", ctx.args, incomplete)
        return [CompletionItem(word, help=about or None) for word, about in found]


def offered(verb: str, words: Sequence[str], incomplete: str) -> list[tuple[str, str]]:
    """(word, what it is) of all that may follow the words after a command."""
    entry, left = index().verbs[verb], list(words)
    while entry.commands:
        if not left:
            return [(name, one.help) for name, one in entry.commands.items() if name.startswith(incomplete)]
        entry = entry.commands.get(left.pop(0), CommandEntry())
    options = {name: each for each in entry.parameters for name in each.names}
    arguments, taking = _given(left, options)
    if taking is None and incomplete.startswith("-"):
        return [(name, each.help) for name, each in options.items() if name.startswith(incomplete)]
    positional = [each for each in entry.parameters if not each.names]
    following = positional[len(arguments) :] or [each for each in positional[-1:] if each.many]
    wanted = taking or next(iter(following), None)
    if wanted is None or not wanted.kind:
        return []
    return [(word, "") for word in _words(wanted.kind, arguments[:1], incomplete)]


def _given(words: Sequence[str], options: dict[str, Parameter]) -> tuple[list[str], Parameter | None]:
    arguments: list[str] = []
    taking: Parameter | None = None
    for word in words:
        if taking is not None:
            taking = None
        elif word in options:
            taking = options[word] if options[word].takes else None
        elif not word.startswith("-"):
            arguments.append(word)
    return arguments, taking


def _words(kind: str, source: Sequence[str], incomplete: str) -> list[str]:
    """Words of a kind that begin so: those of the index, else those of the function that has more."""
    known = index().words.get(kind, ())
    if kind in SCENARIO_KINDS and source and source[0] in index().scenarios:
        known = index().scenarios[source[0]].words[kind]
    found = [word for word in known if word.startswith(incomplete)]
    if found or kind not in index().places:
        return found
    module, _, name = index().places[kind].partition(":")
    ask: Callable[..., list[str]] = getattr(import_module(module), name)
    return ask(Named(source), incomplete) if kind in SCENARIO_KINDS else ask(incomplete)


class Named:
    """The part of typer's context that the functions of words read."""

    def __init__(self, source: Sequence[str]) -> None:
        self.params = dict.fromkeys(["name"], source[0] if source else "")
        self.args: list[str] = []
