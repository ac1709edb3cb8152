"""Where commands write a scenario that they made: a new file, or the output."""

import sys
from pathlib import Path
from typing import Final

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import MAX_BYTES, STANDARD_INPUT, is_there
from engine.formats.scenario_toml import dump
from engine.scenario import Scenario
from tui.saving import write_file

STANDARD_OUTPUT: Final = str(STANDARD_INPUT)


def target_of(output: str | None, *, force: bool) -> Path | None:
    """The file that `-o` names; None for the output, and where nothing is named.

    Raises:
        ConfigError: It is there already, and is not to be replaced.
    """
    target = None if output is None or output == STANDARD_OUTPUT else Path(output)
    if target is not None and is_there(target) and not force:
        raise ConfigError([Problem("is there already", file=str(target), hint="--force replaces it")])
    return target


def write_scenario(scenario: Scenario, target: Path | None, *, force: bool) -> None:
    """Write a scenario to a file, or to the output.

    Raises:
        ConfigError: It is too long to be read again, or the file cannot be made.
    """
    text = dump(scenario)
    if len(text.encode()) > MAX_BYTES:
        size = f"would have {len(text) // 1_000_000} MB; a scenario has at most {MAX_BYTES // 1024 // 1024} MB"
        raise ConfigError([Problem(size, key="-o")])
    if target is None:
        sys.stdout.write(text)
    else:
        write_file(target, [text.encode()], force=force)
