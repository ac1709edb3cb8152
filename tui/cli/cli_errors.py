"""Reports that a command cannot go on: one line per problem on stderr, and an exit code."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer

from engine.errors import ConfigError, OutputError, RefusedError, SourceError, listed
from engine.formats.scenario_overrides import Layers
from engine.formats.scenario_references import idle_settings
from engine.scenario import Scenario
from tui.terminal.edges import visible_line

INPUT_REFUSED: Final = 2
NOT_DONE: Final = 1  # A file could not be written, or a server not asked
PIPE_CLOSED: Final = 128 + 13  # As if ended by SIGPIPE


@contextmanager
def reported_errors() -> Iterator[None]:
    """Turn refused input, and a reader that went away, into messages and exit codes."""
    try:
        yield
        sys.stdout.flush()
    except ConfigError as error:
        for line in listed(error.problems):
            typer.echo(f"schedlab: {visible_line(line)}", err=True)
        raise typer.Exit(INPUT_REFUSED) from None
    except RefusedError as error:
        typer.echo(f"schedlab: {visible_line(str(error))}", err=True)
        raise typer.Exit(INPUT_REFUSED) from None
    except (OutputError, SourceError) as error:
        typer.echo(f"schedlab: {visible_line(str(error))}", err=True)
        raise typer.Exit(NOT_DONE) from None
    except BrokenPipeError:
        # Whatever is still buffered goes nowhere, instead of failing once more when Python flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE_CLOSED) from None


def say_idle(scenario: Scenario, layers: Layers) -> None:
    """Say on stderr what a scenario states and its scheduler does not read."""
    for each in idle_settings(scenario, layers):
        typer.echo(f"schedlab: {visible_line(str(each))}", err=True)


def needs_terminal(instead: str) -> None:
    """Refuse where there is no terminal, and name a command that needs none."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):  # textual draws on stderr
        typer.echo(f"schedlab: a screen needs a terminal; `{instead}` works without one", err=True)
        raise typer.Exit(INPUT_REFUSED)
