"""Problems of one input, collected so that a user sees all of them at once."""

import difflib
from collections.abc import Iterable

from engine.errors import ConfigError, Problem


class Problems:
    """Collects the problems and the warnings of one file; nothing is raised until `check`."""

    __slots__ = ("file", "found", "warnings")

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.found: list[Problem] = []
        self.warnings: list[Problem] = []

    def add(self, message: str, *, line: int = 0, key: str = "", hint: str = "") -> None:
        """Note something the input is refused for."""
        self.found.append(Problem(message, self.file, line, key, hint))

    def warn(self, message: str, *, line: int = 0, key: str = "", hint: str = "") -> None:
        """Note something that is accepted but probably not meant."""
        self.warnings.append(Problem(message, self.file, line, key, hint))

    def check(self) -> None:
        """Return if nothing was found.

        Raises:
            ConfigError: Something was; carries all of it in order.
        """
        if self.found:
            raise ConfigError(self.found)


def nearest(name: str, valid: Iterable[str]) -> str:
    """The valid name most like the given one, as a hint; empty when none is alike.

    >>> nearest("maxRuningApps", ["weight", "maxRunningApps"])
    'did you mean maxRunningApps?'
    """
    candidates = list(valid)
    folded = {candidate.lower(): candidate for candidate in reversed(candidates)}
    found = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return f"did you mean {folded[found[0]]}?" if found else ""
