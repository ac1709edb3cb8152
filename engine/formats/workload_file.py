"""The applications of a scenario in a file of their own: JSON lines, one application each, for long workloads.

A scenario names the file (`workload_file`); keys and values of a line are those of an item of `[[workload]]`.
"""

from collections.abc import Iterator
from contextlib import closing
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.errors import LISTED_UP_TO, ConfigError, Problem
from engine.formats.regular_files import open_file
from engine.formats.scenario_layers import Table

MOST_LINES: Final = 1_000_000
"""As many applications as a workload may have."""
LONGEST_LINE: Final = 16 * 1024 * 1024
"""Longest line [bytes]: an application with the durations of a million tasks."""


def read_workload(file: Traversable | Path, name: str) -> Iterator[tuple[int, Table]]:
    """(line, keys) of each application; blank lines are passed over.

    Raises:
        ConfigError: It cannot be read, a line is no JSON object, or it has too many or too long ones.
    """
    decoder = msgspec.json.Decoder(dict[str, Any])
    problems: list[Problem] = []
    number = 0
    with closing(open_file(file) if isinstance(file, Path) else file.open("rb")) as stream:
        while (line := stream.readline(LONGEST_LINE + 1)) and len(problems) < LISTED_UP_TO:
            number += 1
            if number > MOST_LINES or len(line) > LONGEST_LINE:
                message = "line is too long" if len(line) > LONGEST_LINE else f"has more than {MOST_LINES:,} lines"
                raise ConfigError([*problems, Problem(message, name, number)])
            if line.isspace():
                continue
            try:
                yield number, decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                problems.append(Problem(f"is no application as a JSON object: {_reason(error)}", name, number))
    if problems:
        raise ConfigError(problems)


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)
