"""Reads what a trainee does from JSON lines: a file of steps, or one line of a program's.

    {"at": "1m", "do": "kill", "application": "183354"}

`at` is a duration since the drill's beginning, a time of day, or seconds; without it the step is taken as soon as
those before it. Empty lines are nothing.
"""

import json
import shlex
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from engine.errors import ConfigError, Problem, quoted
from engine.formats.regular_files import read_file_text
from engine.formats.scenario_faults import problems_of
from engine.formats.scenario_layers import Layers, Origin
from engine.scenario.parts import FILE_CONFIG
from engine.training.instructor_steps import RecordedStep
from engine.training.steps import TraineeStep


class _Steps(BaseModel):
    """The steps of a file, as the reader of problems wants them."""

    model_config = FILE_CONFIG

    acts: tuple[TraineeStep, ...]


class _Record(BaseModel):
    """The same of the record of an exercise, with what an instructor did."""

    model_config = FILE_CONFIG

    acts: tuple[RecordedStep, ...]


_File = TypeVar("_File", bound=BaseModel)


def read_steps(lines: Sequence[str], name: str, begins: datetime, *, now_ms: int = 0) -> tuple[TraineeStep, ...]:
    """The steps of JSON lines, in the order written.

    Args:
        name: What problems call the file; empty for what was not read from one.
        begins: When the drill begins, from which times of day count.
        now_ms: When a step is that has no `at` and none before it [ms after the drill's beginning].

    Raises:
        ConfigError: Anything is wrong with them; carries every problem found.
    """
    return _read(_Steps, lines, name, begins, now_ms).acts


def read_record(lines: Sequence[str], begins: datetime) -> tuple[RecordedStep, ...]:
    """The steps of a kept exercise, in the order they were taken; arguments and errors as of `read_steps`."""
    return _read(_Record, lines, "history", begins, 0).acts


def _read(kind: type[_File], lines: Sequence[str], name: str, begins: datetime, now_ms: int) -> _File:
    origins: dict[tuple[str | int, ...], Origin] = {(): Origin(name, 0)}
    problems: list[Problem] = []
    tables: list[dict[str, Any]] = []
    last: Any = f"{now_ms}ms"
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            table = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(f"is not JSON: {getattr(error, 'msg', error)}", name, number if name else 0))
            continue
        if not isinstance(table, dict):
            problems.append(Problem("is not an object", name, number if name else 0))
            continue
        last = table.setdefault("at", last)
        origins["acts", len(tables)] = Origin(name, number if name else 0)
        tables.append(table)
    data = {"acts": tables}
    try:
        read = kind.model_validate(data, context={"start": begins})
    except ValidationError as error:
        raise ConfigError([*problems, *problems_of(error, Layers(data, origins), kind)]) from None
    if problems:
        raise ConfigError(problems)
    return read


def step_of_words(words: str, begins: datetime) -> TraineeStep:
    """The step of a line like `resize node=n1 memory=16g vcores=16`; `file=PATH` stands for the text of a file.

    Raises:
        ConfigError: It is none, or the file cannot be read.
    """
    try:
        do, *pairs = shlex.split(words)
    except ValueError:
        raise ConfigError([Problem("say what, then key=value for each of its keys", key=words)]) from None
    table: dict[str, Any] = {"do": do}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator:
            raise ConfigError([Problem(f"{quoted(pair)} is not key=value", key=do)])
        if key == "file":
            key, value = "allocations", read_file_text(Path(value).expanduser())
        table[key] = int(value) if value.isdigit() and key != "application" else value
    (step,) = read_steps([json.dumps(table)], "", begins)
    return step
