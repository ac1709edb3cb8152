"""The typer application: a command for each row of the table; `drill play` is one name."""

from collections.abc import Callable

from typer import Context, Typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from tui.cli.verbs import VERBS


class VerbCommand(TyperCommand):
    """A command that leaves the words behind its name as they are."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:  # type: ignore[override]  # typer makes its own
        ctx.args = list(args)
        return ctx.args


def program(call: Callable[[str, list[str]], int]) -> TyperGroup:
    """The application; each of its commands calls this with its name and the words behind it."""
    found = Typer(add_completion=False)
    for name in VERBS:
        found.command(name, cls=VerbCommand, add_help_option=False)(_command(name, call))
    return get_group(found)


def _command(name: str, call: Callable[[str, list[str]], int]) -> Callable[[Context], int]:
    def command(context: Context) -> int:
        return call(name, context.args)

    return command
