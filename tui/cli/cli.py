"""The command `schedlab`: a table of verbs, each loaded when it is used.

Only this edge loads lazily, so that `--help` costs little more than its own libraries and only a command that opens
a screen pays for Textual. Exit codes: 0, 1 an expectation failed, 2 input refused, 70 a mistake of our own, 130 and
other 128 + n ended by signal n, 1 also output that cannot be written.
"""

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from types import TracebackType
from typing import Any, Final, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from tui.terminal.edges import StreamError, checked_output, ended_by_signals, guard_output

LONGEST_SIZE: Final = 3  # Digits of a terminal's width or height that are believed
OUR_MISTAKE: Final = 70
"""Exit code of a mistake of ours. Source: sysexits.h, EX_SOFTWARE."""

GARBAGE_THRESHOLD: Final = (50_000, 20, 50)
"""When the garbage collector looks: a run holds very many small objects and hardly a cycle."""


class CliVerb(NamedTuple):
    """One verb of the command line."""

    module: str  # The module that holds its app
    help: str
    app: str = "app"  # The app's name there


VERBS: Final = {
    "open": CliVerb("tui.cli.open", "Open a scenario on screen; without a name, choose one."),
    "demo": CliVerb("tui.cli.open", "Watch a cluster freeze; it says what to try.", "demo"),
    "tour": CliVerb("tui.cli.open", "Learn the screen in five minutes, by your own keys.", "tour"),
    "play": CliVerb("tui.cli.play", "Play a scenario without a screen and check its expectations."),
    "why": CliVerb("tui.cli.why", "Tell why an application waits and whether it will ever run, with proof."),
    "fix": CliVerb("tui.cli.fix", "Tell what would make waiting applications start, each act tried on a copy."),
    "compare": CliVerb("tui.cli.compare", "Compare policies, releases and settings on the same workload."),
    "check": CliVerb("tui.cli.check", "Lint files; what a change does, to whom."),
    "sweep": CliVerb("tui.cli.sweep", "Play a scenario at many points: settings, policies, node counts, seeds."),
    "size": CliVerb("tui.cli.size", "Find the fewest nodes, or the smallest value of a key, that keep a goal."),
    "snapshot": CliVerb("tui.cli.snapshot", "Show a cluster at an instant, as text, JSON or CSV."),
    "picture": CliVerb("tui.cli.picture", "Write the screen at an instant to a file: SVG, HTML, PNG or text."),
    "settings": CliVerb("tui.cli.settings", "Show every setting and key in force, and where it comes from."),
    "watch": CliVerb("tui.cli.watch", "Watch a running YARN cluster on the same screens, or by lines."),
    "twin": CliVerb("tui.cli.twin", "Make a scenario that stands as a running cluster, a run or a log stands."),
    "serve": CliVerb("tui.cli.serve", "Serve a simulation as a ResourceManager that real clients can ask."),
    "yarn": CliVerb("tui.cli.yarn", "Ask a drill that is served as the `yarn` command would."),
    "web": CliVerb("tui.cli.web", "Show the program in a browser, to look on or to act."),
    "runs": CliVerb("tui.cli.runs", "List, show, open, export, repair and delete runs kept by `play --keep`."),
    "scenario": CliVerb("tui.cli.scenario", "List, show and check scenarios; print their schema."),
    "drill": CliVerb("tui.cli.drill", "On-call training: list, show, play and check drills."),
    "import": CliVerb("tui.cli.import_", "Make a scenario of logs, traces and workloads of other systems."),
    "attach": CliVerb("tui.cli.attach", "Look on at a session in another terminal, opened with `--share`."),
    "workload": CliVerb("tui.cli.workload", "Describe the applications of a trace or scenario; export them."),
    "instruct": CliVerb("tui.cli.instruct", "Sit beside a trainee: see the screen, inject, freeze, go back."),
    "config": CliVerb("tui.cli.config", "Show what fair-scheduler.xml and yarn-site.xml mean, or check a folder."),
}


class LazyVerbs(TyperGroup):
    """A group that knows its verbs by table and loads one when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # Any: the library's context type is private
        """The verbs, in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # Any: as the library answers
        """The verb of this name; None when there is none."""
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        if ctx is not None and ctx.resilient_parsing:
            from tui.cli.completion import CompletedVerb  # noqa: PLC0415 -- only a shell pays for it

            return CompletedVerb(cmd_name, verb.help)
        command = get_command(getattr(import_module(verb.module), verb.app))
        _name_arguments(command)
        _collect_garbage()
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs into the help without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.help) for name, verb in VERBS.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb and its arguments; a misspelt one is answered with the nearest."""
        if args and args[0] not in VERBS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from engine.errors import nearest  # noqa: PLC0415 -- only a mistake pays for it

            hint = nearest(args[0], VERBS) or f"there is {', '.join(VERBS)}"
            typer.echo(f"schedlab: no command {args[0]} ({hint})", err=True)
            raise typer.Exit(2)
        return super().resolve_command(ctx, args)


def _name_arguments(command: Any) -> None:  # Any: as the library answers
    """Have the help of a verb name its arguments by their metavars only, without the library's `<list[Path]>`."""
    for each in (command, *getattr(command, "commands", {}).values()):
        for parameter in each.params:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: None


app = typer.Typer(
    cls=LazyVerbs,
    name="schedlab",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "color": False},
)


def _version(wanted: bool) -> None:
    if wanted:
        from engine.observe.journal import program_version  # noqa: PLC0415 -- only this option needs it
        from engine.state import build_name  # noqa: PLC0415 -- only this option needs it

        typer.echo(f"schedlab {program_version()} ({build_name()})")
        raise typer.Exit


def _licences(wanted: bool) -> None:
    if wanted:
        from tui.cli.licences import licence_lines  # noqa: PLC0415 -- the metadata is slow to find

        typer.echo("\n".join(licence_lines()))
        raise typer.Exit


@app.callback()
def schedlab(
    context: typer.Context,
    _version: bool = typer.Option(
        False, "--version", help="Say which version this is.", callback=_version, is_eager=True
    ),
    _licences: bool = typer.Option(
        False,
        "--licences",
        help="List what is installed with it, and under which licence.",
        callback=_licences,
        is_eager=True,
    ),
) -> None:
    """A flight simulator for cluster schedulers, in the terminal.

    Without a command it lets you choose a scenario and opens it.
    """
    if context.invoked_subcommand is not None:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        typer.echo(context.get_help())
        return
    command = LazyVerbs().get_command(context, "open")
    with command.make_context("open", [], parent=context) as opened:
        command.invoke(opened)


def main() -> None:
    """Run the command line of this process."""
    sys.excepthook = _our_mistake
    guard_output()
    with ended_by_signals(), checked_output():
        _run()


def _run() -> None:
    # Nobody looks for plugins of pydantic, which would read the metadata of every package there is.
    _ = os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "true")
    for name in ("COLUMNS", "LINES"):  # what wraps help texts believes them
        if len(os.environ.get(name, "")) > LONGEST_SIZE:
            del os.environ[name]
    gc.disable()  # until a verb is loaded: what loading makes stays
    get_command(app)(prog_name="schedlab")


def _collect_garbage() -> None:
    """Begin to collect garbage, where `main` stopped it; what is there by now is never looked at again."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*GARBAGE_THRESHOLD)
        gc.enable()


def _our_mistake(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Write what a user sees of an error nobody foresaw: one sentence, and where the details are."""
    from tui.terminal.edges import report  # noqa: PLC0415 -- a program that works needs no crash report

    with suppress(StreamError):
        sys.stderr.write(f"{report(error)}\n")
    raise SystemExit(OUR_MISTAKE)


if __name__ == "__main__":
    main()
