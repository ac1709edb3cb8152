"""The few errors of the engine, by what a caller does about them.

A request that cannot be placed is not an error but a decision or a refusal with a reason (`schedulers.activity`).
A user's mistake is a `Problem`; problems are collected and raised together in one `ConfigError`. What the real
ResourceManager would answer with an exception is a `RefusedError`. Our own broken rule is an `InvariantError`.
"""

from collections.abc import Iterable

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """One thing wrong in a user's file, flag or key."""

    message: str
    """What is wrong, as one sentence without the place."""
    file: str = ""
    """The file as the user named it; empty when the input was not a file."""
    line: int = 0
    """1-based line; 0 when unknown."""
    key: str = ""
    """The key, element or option concerned, dotted; empty when none."""
    hint: str = ""
    """A way out, e.g. the nearest valid name; empty when none."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        parts = [part for part in (place, self.key, self.message) if part]
        return ": ".join(parts) + (f" ({self.hint})" if self.hint else "")


class EngineError(Exception):
    """Base of every error the engine raises on purpose."""


class ConfigError(EngineError):
    """A user's input was refused; carries every problem found, not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class RefusedError(EngineError):
    """The control plane refuses a call, as the real one would.

    `kind` is the simple class name of the real exception, or the event's name (`APP_REJECTED`).
    """

    def __init__(self, kind: str, message: str = "") -> None:
        self.kind = kind
        super().__init__(message or kind)


class InvariantError(EngineError):
    """The engine broke one of its own rules: a bug of ours, never of the user."""
