"""The errors of the engine, by what a caller does about them, and how a user's mistakes are worded.

A request that cannot be placed is not an error but a decision or an obstacle (`schedulers.obstacle_texts`). A user's
mistake is a `Problem`; problems are collected and raised together in one `ConfigError`. What the real ResourceManager
would answer with an exception is a `RefusedError`. A file that takes no more is an `OutputError`, a server that does
not answer a `SourceError`. Our own broken rule is an `InvariantError`.
"""

import re
import reprlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, time
from difflib import get_close_matches
from itertools import islice
from typing import Final

import msgspec

QUOTED_UP_TO: Final = 80  # Longest quotation of a user's value in a message [characters]
LISTED_UP_TO: Final = 50  # Most problems whose nearest names are looked for
TOLD_UP_TO: Final = 20  # Most problems in a refusal, which fits a screen; the rest is counted

_TEXT_UP_TO: Final = 300
_ALIKE: Final = 0.6
_SAME_WORD: Final = 0.75
_UNLIKE: Final = 5  # Most names that are alike by their letters, and by no word, before others are looked at
_WORDS: Final = re.compile(r"[-._]")
_CANDIDATES: Final = 2_000  # Most names compared: comparing takes a while


class Problem(msgspec.Struct, frozen=True):
    """One thing wrong in a user's file, flag or key."""

    message: str  # What is wrong, as one sentence without the place
    file: str = ""  # The file as the user named it; empty when the input was not a file
    line: int = 0  # 1-based line; 0 when unknown
    key: str = ""  # The key, element or option concerned, dotted; empty when none
    hint: str = ""  # A way out, e.g. the nearest valid name; empty when none.

    def __str__(self) -> str:
        file = shortened(self.file, _TEXT_UP_TO)
        place = f"{file}:{self.line}" if file and self.line else file
        parts = [part for part in (place, shortened(self.key), shortened(self.message, _TEXT_UP_TO)) if part]
        return ": ".join(parts) + (f" ({shortened(self.hint, _TEXT_UP_TO)})" if self.hint else "")


class EngineError(Exception):
    """Base of every error the engine raises on purpose."""


class ConfigError(EngineError):
    """A user's input was refused; carries every problem found once, not only the first.

    `kind` is the simple class name of the exception the real system stops with: that of the first problem in its
    order; empty where it has none. `warnings` are those of what was read beside the problems.
    """

    def __init__(self, problems: Iterable[Problem], kind: str = "", warnings: Iterable[Problem] = ()) -> None:
        self.problems, self.warnings = tuple(dict.fromkeys(problems)), tuple(warnings)
        self.kind = kind
        super().__init__("\n".join(format_problems(self.problems)))

    @classmethod
    def of(cls, message: str, file: str = "", line: int = 0, key: str = "", hint: str = "") -> "ConfigError":
        """The error of one problem, which has these parts."""
        return cls([Problem(message, file, line, key, hint)])

    @property
    def first_line(self) -> str:
        return str(self.problems[0])


class OutputError(EngineError):
    """A file cannot be written any more: the disk is full, for example."""

    def __init__(self, where: str, error: OSError) -> None:
        super().__init__(f"{where}: cannot be written: {(error.strerror or str(error)).lower()}")


class SourceError(EngineError):
    """A live cluster's server could not be asked, or did not answer as it should; the text is one sentence.

    `is_standby` says that it answers, but is not the active one of a pair.
    """

    def __init__(self, words: str, *, is_standby: bool = False) -> None:
        self.is_standby = is_standby
        super().__init__(shortened(words, 2 * _TEXT_UP_TO))


class RefusedError(EngineError):
    """The control plane refuses a call, as the real one would.

    `kind` is the simple class name of the real exception, or the event's name (`APP_REJECTED`).
    """

    def __init__(self, kind: str, message: str = "") -> None:
        self.kind = kind
        super().__init__(message or kind)


class InvariantError(EngineError):
    """The engine broke one of its own rules: a bug of ours, never of the user."""


class Problems:
    """Collects the problems and the warnings of one input; nothing is raised until `check`."""

    __slots__ = ("file", "found", "warnings")

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.found: list[Problem] = []
        self.warnings: list[Problem] = []

    def add(self, message: str, *, file: str = "", line: int = 0, key: str = "", hint: str = "") -> None:
        """Note a problem of the input, or of another `file`."""
        self.found.append(Problem(message, file or self.file, line, key, hint))

    def warn(self, message: str, *, line: int = 0, key: str = "", hint: str = "") -> None:
        """Note something that is accepted but probably not meant."""
        self.warnings.append(Problem(message, self.file, line, key, hint))

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take what a ConfigError carries that ends what is done in it, and go on behind it."""
        try:
            yield
        except ConfigError as error:
            self.found += error.problems
            self.warnings += error.warnings

    def check(self) -> None:
        """Return if nothing was found. Raises ConfigError if something was; carries all of it in order."""
        if self.found:
            raise ConfigError(self.found, warnings=self.warnings)


def format_problems(problems: Sequence[Problem]) -> list[str]:
    """One line for each problem up to 20, and one that counts the rest."""
    lines = [str(problem) for problem in problems[:TOLD_UP_TO]]
    rest = len(problems) - len(lines)
    return [*lines, f"and {rest} more"] if rest else lines


def shortened(text: str, longest: int = QUOTED_UP_TO) -> str:
    """A text without its middle where it is longer than so many characters.

    >>> shortened("a" * 50 + "b" * 50, 10), shortened("a" * 10, 10)
    ('aaaaaa...b', 'aaaaaaaaaa')
    """
    if len(text) <= longest:
        return text
    end = longest // 7
    return f"{text[: longest - end - 3]}...{text[len(text) - end :]}"


class _Quotation(reprlib.Repr):
    """Short forms of values as TOML writes them, also of numbers that Python refuses to write out."""

    def repr_bool(self, x: bool, level: int) -> str:
        return "true" if x else "false"

    def repr_date(self, x: date | time, level: int) -> str:
        return x.isoformat()

    repr_datetime = repr_time = repr_date

    def repr_int(self, x: int, level: int) -> str:
        return super().repr_int(x, level) if x.bit_length() < 1024 else "a number of more than 300 digits"


def quoted(value: object) -> str:
    """A user's value for a message, cut at 80 characters.

    >>> quoted("64q"), quoted(["a", True]), quoted(date(2026, 1, 1))
    ("'64q'", "['a', true]", '2026-01-01')
    """
    if isinstance(value, str):
        return repr(shortened(value))
    return shortened(_Quotation().repr(value))


def close_matches(name: str, valid: Iterable[str], most: int = 1) -> list[str]:
    """The valid names most like the given one, the most alike first; case does not matter.

    >>> close_matches("maxRuningApps", ["weight", "maxRunningApps"])
    ['maxRunningApps']
    """
    folded: dict[str, str] = {}
    for candidate in islice(valid, _CANDIDATES):
        folded.setdefault(candidate.lower(), candidate)
    meant = shortened(name).lower()
    found = get_close_matches(meant, folded, n=most + _UNLIKE, cutoff=_ALIKE)
    return [folded[each] for each in found if _shares_words(meant, each)][:most]


def _shares_words(name: str, candidate: str) -> bool:
    """Tell whether words with half of the letters of a name of several words stand in another one, or nearly so."""
    words, others = _WORDS.split(name), _WORDS.split(candidate)
    letters = (len(word) for word in words if get_close_matches(word, others, n=1, cutoff=_SAME_WORD))
    return len(words) == 1 or 2 * sum(letters) >= sum(map(len, words))


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A hint for a name that is not known: those that begin so, else the one most like it, else all there are.

    >>> did_you_mean("spark-w", ["spark-worker-lost", "fifo"]), did_you_mean("fivo", ["spark-worker-lost", "fifo"])
    ('did you mean spark-worker-lost?', 'did you mean fifo?')
    >>> did_you_mean("x", ["fair", "fifo"])
    'there is fair, fifo'
    """
    return begun_or_nearest(name, known) or f"there is {', '.join(known)}"


def begun_or_nearest(name: str, known: Sequence[str]) -> str:
    """As `did_you_mean`, for a message that has all there are: empty when none is alike.

    >>> begun_or_nearest("fair", ["mr1-fair", "fair-2.7", "fair-3.4"])
    'did you mean fair-2.7 or fair-3.4?'
    """
    begun = [one for one in known if name and one.startswith(name)]
    return f"did you mean {' or '.join(begun)}?" if begun else nearest(name, known)


_PERCENT: Final = re.compile(r"[\d.]+\s*%")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
_MEMORY: Final = re.compile(r"(\d+)\s*([mg])i?b?", re.IGNORECASE)


def plain_number(text: str, key: str = "") -> str:
    """What to write in place of a number with a sign, marks or a unit, as a hint; empty where nothing is known.

    >>> plain_number("8g", "x.memory-mb"), plain_number("50%"), plain_number("10,000"), plain_number("all")
    ('8192', 'a number without a sign', '10000', '')
    """
    if _PERCENT.fullmatch(text):
        return "a number without a sign"
    if _THOUSANDS.fullmatch(text):
        return text.replace(",", "")
    found = _MEMORY.fullmatch(text) if key.endswith("mb") else None
    return str(int(found[1]) * (1024 if found[2] in "gG" else 1)) if found else ""


def nearest(name: str, valid: Iterable[str]) -> str:
    """The valid name most like the given one, as a hint; empty when none is alike.

    >>> nearest("maxRuningApps", ["weight", "maxRunningApps"])
    'did you mean maxRunningApps?'
    """
    found = close_matches(name, valid)
    return f"did you mean {found[0]}?" if found else ""
