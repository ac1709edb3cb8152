"""Writes a scenario that a command made: to a new file, or to the output."""

from pathlib import Path

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import MAX_BYTES, is_there
from engine.formats.scenario_toml import dump_file
from engine.scenario import Scenario
from tui.saving import STANDARD_OUTPUT, write_file


def target_of(output: str | None, *, force: bool) -> Path | None:
    """The file that `-o` names; None for the output, and where nothing is named.

    Raises:
        ConfigError: It is there already, and is not to be replaced.
    """
    target = None if output is None or Path(output) == STANDARD_OUTPUT else Path(output)
    if target is not None and is_there(target) and not force:
        raise ConfigError([Problem("is there already", file=str(target), hint="--force replaces it")])
    return target


def report_target(output: str | None, key: str, *, force: bool) -> Path | None:
    """The file of a report that the option `key` asks for; None where none is asked for.

    Raises:
        ConfigError: It is there already and is not to be replaced, is the output, or nothing can draw it.
    """
    if output is None:
        return None
    from tui.report import check_drawable  # noqa: PLC0415 -- only a report pays for it

    check_drawable(key)
    target = target_of(output, force=force)
    if target is None:
        raise ConfigError([Problem("the output has the answer already", key=key, hint="name a file for the report")])
    return target


def write_scenario(scenario: Scenario, target: Path | None, *, force: bool) -> None:
    """Write a scenario to a file, or to the output.

    Raises:
        ConfigError: It is too long to be read again, or the file cannot be made.
    """
    text = dump_file(scenario)
    if len(text.encode()) > MAX_BYTES:
        size = f"would have {len(text) // 1_000_000} MB; a scenario has at most {MAX_BYTES // 1024 // 1024} MB"
        raise ConfigError([Problem(size, key="-o")])
    write_file(target or STANDARD_OUTPUT, [text.encode()], force=force)
