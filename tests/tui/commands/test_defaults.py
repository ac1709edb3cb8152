"""What a verb does where nothing is said: no flag is on by itself, and numbers are those of the help."""

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

import tui.commands

ON = {("size", "strained")}
"""Flags that are on by themselves."""


NUMBERS = {
    ("check", "vary"): 0,
    ("fix", "budget"): 5.0,
    ("import_trace", "map_rate"): 20.0,
    ("import_trace", "reduce_rate"): 20.0,
    ("import_trace", "scale_time"): 1.0,
    ("play", "port"): 0,
    ("replay", "speed"): 1.0,
    ("serve", "port"): 8088,
    ("serve", "speed"): 1.0,
    ("size", "seeds"): 3,
    ("sweep", "seeds"): 1,
    ("sweep", "trials"): 50,
    ("web", "memory"): 2048,
    ("web", "port"): 8089,
    ("web", "visitors"): 4,
    ("why", "budget"): 5.0,
}
"""(verb, option) → number; 0 is any port, or none."""


def verbs() -> Iterator[tuple[str, Callable[..., object]]]:
    """Every verb by the name of its function."""
    for file in sorted(Path(tui.commands.__file__).parent.glob("*.py")):
        module = import_module(f"tui.commands.{file.stem}")
        for value in vars(module).values():
            if isinstance(value, typer.Typer):
                yield from ((one.callback.__name__, one.callback) for one in value.registered_commands if one.callback)


def defaults(kind: type) -> dict[tuple[str, str], Any]:
    """(verb, option) → what holds where nothing is said, of options of a kind."""
    return {
        (verb, name): one.default
        for verb, function in verbs()
        for name, one in inspect.signature(function).parameters.items()
        if type(one.default) is kind
    }


def test_no_flag_is_on_by_itself() -> None:
    """Nothing is forced, kept, shared or trusted unasked; only a size is searched under strain, too."""
    flags = defaults(bool)

    assert {option for option, is_on in flags.items() if is_on} == ON
    assert len(flags) > 30


def test_numbers_are_as_the_help_says() -> None:
    """Ports, seeds, speeds and limits."""
    numbers = {**defaults(int), **defaults(float)}

    assert numbers == NUMBERS
