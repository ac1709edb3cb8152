"""The secret that acts on a server may need: from a file or the environment, never from the command line.

Command lines are seen by everybody on a machine (`ps`); so are the environments of commands that are started later, so
the variable is taken out of this program's own.
"""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import read_file_text

VARIABLE: Final = "SCHEDLAB_TOKEN"

TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="FILE", help=f"Token that acts need; else of the variable {VARIABLE}."),
]


def token_given(file: Path | None) -> str:
    """The token of a file, else of the environment; empty where there is none.

    Args:
        file: A text file of one line; `-` is the standard input.

    Raises:
        ConfigError: The file cannot be read, or what it says is no token. What it says is not in the message.
    """
    of_environment = os.environ.pop(VARIABLE, "")
    token, place = (of_environment, "") if file is None else (read_file_text(file), str(file))
    token = token.strip()
    is_whole = token.isascii() and token.isprintable() and " " not in token
    if not is_whole or (file is not None and not token):
        words = "holds no token, which is one word of ASCII letters, digits and signs"
        raise ConfigError([Problem(words, place, key="--token-file" if place else VARIABLE)])
    return token
