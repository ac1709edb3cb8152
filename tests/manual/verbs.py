"""The commands of the program as typer knows them, for the page of commands and the man page."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from typer.main import get_command

from tui.cli.cli import VERBS


class Verb(NamedTuple):
    """One command, e.g. `drill play`."""

    name: str
    command: Any
    """As typer answers, which keeps the type private."""

    @property
    def about(self) -> str:
        return str(self.command.help or "")

    def arguments(self) -> list[tuple[str, str]]:
        return [(each.metavar or each.name.upper(), each.help or "") for each in self._of("argument")]

    def options(self) -> list[tuple[str, str]]:
        """(flags with what they take, help with the default) of its options."""
        return [(_flags(each), _help(each)) for each in self._of("option") if not each.hidden]

    @property
    def usage(self) -> str:
        given = [_usage(each) for each in self._of("argument")]
        return " ".join(["schedlab", self.name, *(["[OPTIONS]"] if self.options() else []), *given])

    def _of(self, kind: str) -> list[Any]:
        return [each for each in self.command.params if each.param_type_name == kind and each.name != "help"]


def verbs() -> Iterator[Verb]:
    """Every command, in the order of `schedlab --help`; those of a group one after the other."""
    for name, entry in VERBS.items():
        command = get_command(getattr(import_module(entry.module), entry.app))
        for each, below in getattr(command, "commands", {}).items():
            yield Verb(f"{name} {each}", below)
        if not hasattr(command, "commands"):
            yield Verb(name, command)


def _usage(argument: Any) -> str:
    metavar = str(argument.metavar or argument.name.upper()).strip("[]")
    dots = "..." if argument.nargs == -1 else ""
    return f"{metavar}{dots}" if argument.required else f"[{metavar}]{dots}"


def _flags(option: Any) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} {option.metavar or option.name.upper()}"


def _help(option: Any) -> str:
    is_said = option.default not in (None, False, True, "") and not callable(option.default) and option.show_default
    repeated = option.multiple and "repeated" not in (option.help or "")
    return " ".join(
        [option.help or "", *(["May be repeated."] * repeated), *([f"Default: {option.default}."] * is_said)]
    )
