"""The index that completion reads: commands with their options, words, and what packaged scenarios name."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

import msgspec
import typer
from typer.main import get_command
from typer.utils import get_params_from_function

from engine.formats.file_schema import previews
from engine.formats.scenario_toml import packaged
from tui.cli import completion
from tui.cli import options as arguments
from tui.cli.cli import VERBS
from tui.cli.completion import SCENARIO_KINDS, CommandEntry, Index, Parameter, ScenarioWords

INSTANTS: Final = {"--at", "--until", "--around"}
ONE_LAMBDA: Final = "<lambda>"


class _Maker:
    """Goes through the commands and notes where the words of their parameters come from."""

    def __init__(self) -> None:
        self.words: dict[str, tuple[str, ...]] = {"source_names": tuple(arguments.scenario_names(""))}
        self.places = {"instants": "tui.cli.options:instants"}

    def entry(self, app: typer.Typer, name: str) -> CommandEntry:
        """A command, or a group, as typer has it."""
        command = get_command(app)
        functions = {each.name or str(each.callback.__name__): each.callback for each in _commands(app)}
        below = getattr(command, "commands", None)
        if below is None:
            (function,) = functions.values()
            return self._command(name, command, function)
        made = {each: self._command(f"{name} {each}", one, _of(functions, each)) for each, one in below.items()}
        return CommandEntry(VERBS[name].help, commands=made)

    def _command(self, name: str, command: Any, function: Callable[..., Any]) -> CommandEntry:
        asks = {each: found.default for each, found in get_params_from_function(function).items()}
        made = [
            self._parameter(name, each, getattr(asks.get(each.name), "autocompletion", None)) for each in command.params
        ]
        return CommandEntry((command.help or "").partition("\n")[0], tuple(made))

    def _parameter(self, verb: str, each: Any, ask: Callable[..., Any] | None) -> Parameter:
        if each.param_type_name == "argument":
            return Parameter(many=each.nargs == -1, kind=self._kind(f"{verb} {each.name}", ask))
        names = (*each.opts, *each.secondary_opts)
        kind = "instants" if INSTANTS & set(names) else self._kind(f"{verb} {names[0]}", ask)
        return Parameter(names, each.help or "", not each.is_flag, kind=kind)

    def _kind(self, place: str, ask: Callable[..., Any] | None) -> str:
        """A name for where words come from; those that are the same for everybody are noted at once."""
        if ask is None:
            return ""
        if ask.__name__ == ONE_LAMBDA:
            self.words[place] = tuple(ask(""))
            return place
        if ask.__name__ in (*SCENARIO_KINDS, "source_names", "run_names", "shared_sessions"):
            self.places[ask.__name__] = f"{ask.__module__}:{ask.__name__}"
        else:
            self.words[ask.__name__] = tuple(ask(""))
        return ask.__name__


def _commands(app: typer.Typer) -> Iterator[Any]:
    yield from app.registered_commands
    if app.registered_callback is not None and not app.registered_commands:
        yield app.registered_callback


def _of(functions: dict[str, Any], name: str) -> Any:
    return functions[name] if name in functions else functions[name.replace("-", "_")]


def _scenario(name: str, digest: str) -> ScenarioWords:
    """The words of a scenario; those that are known are kept while its digest is the same."""
    known = completion.index().scenarios.get(name) if _is_there() else None
    if known is not None and known.digest == digest:
        return known
    context: Any = completion.Named([name])
    return ScenarioWords(digest, {kind: tuple(getattr(arguments, kind)(context, "")) for kind in SCENARIO_KINDS})


def _is_there() -> bool:
    return completion.PLACE.is_file()


def completion_index() -> str:
    maker = _Maker()
    entries = {name: maker.entry(getattr(import_module(verb.module), verb.app), name) for name, verb in VERBS.items()}
    scenarios = {name: _scenario(name, each.digest) for name, each in previews().items() if name in packaged()}
    made = Index(entries, dict(sorted(maker.words.items())), dict(sorted(maker.places.items())), scenarios)
    parts = msgspec.to_builtins(made)
    lines = ",\n".join(f"{msgspec.json.encode(key).decode()}: {_lines(value)}" for key, value in parts.items())
    return f"{{\n{lines}\n}}\n"


def _lines(table: dict[str, Any]) -> str:
    """One line for each entry, so that a change is one line."""
    rows = (
        f"{msgspec.json.encode(key).decode()}: {msgspec.json.encode(value).decode()}" for key, value in table.items()
    )
    return "{\n" + ",\n".join(rows) + "\n}"
