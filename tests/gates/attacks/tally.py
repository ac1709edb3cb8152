"""Counts what became of attacks, and says what is wrong."""

import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final

from engine.errors import ConfigError, RefusedError, format_problems
from tests.invoke import Result, said

SECONDS: Final = 10.0
"""Longest an attempt may take: by the clock or in processor time, whichever is less, as the machine may be busy."""

PATIENCE: Final = 6
"""How many times longer an attempt is waited for by the clock before it counts as hanging."""

MEGABYTES: Final = 500.0
"""Most memory an attempt may take."""

LONGEST: Final = 1_200
"""Most characters in a line of a refusal."""

SCREEN: Final = 24
"""Most lines of a refusal."""

BROKEN: Final = ("Traceback", "mistake of its own")
"""What no command may write."""


def is_short(words: str) -> bool:
    """Whether a refusal says something, and no more than a screen of it."""
    lines = words.splitlines()
    return bool(words.strip()) and len(lines) <= SCREEN and max(map(len, lines)) <= LONGEST


class TooSlowError(BaseException):
    """An attempt took too long; no handler of the product catches it."""


def _end(number: int, frame: FrameType | None) -> None:
    raise TooSlowError


def _processor_s() -> float:
    """Processor time of this process and of those it has waited for."""
    used = [resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class Tally:
    """What became of the attempts of one kind."""

    def __init__(self, name: str, longest_s: float = SECONDS) -> None:
        self.name = name
        self.longest_s = longest_s
        self.tried = 0
        self.refused = 0
        self.accepted = 0
        self.wrong: list[str] = []
        self.worst_s = 0.0
        self.worst_mb = 0.0

    @property
    def patience_s(self) -> float:
        """How long an attempt is waited for."""
        return PATIENCE * self.longest_s

    @contextmanager
    def timed(self, attempts: int = 1) -> Iterator[None]:
        """Note how long attempts take, those of child processes that end within included."""
        begun, used = time.perf_counter(), _processor_s()
        try:
            yield
        finally:
            spent = min(time.perf_counter() - begun, _processor_s() - used)
            self.worst_s = max(self.worst_s, spent / attempts)

    def attempt(self, label: str, call: Callable[[], object]) -> None:
        """Try something in this process: it may return, or refuse with bounded problems."""
        self.tried += 1
        before = signal.signal(signal.SIGALRM, _end)
        signal.setitimer(signal.ITIMER_REAL, self.patience_s)
        try:
            with self.timed():
                call()
            self.accepted += 1
        except ConfigError as error:
            self._refusal(label, "\n".join(format_problems(error.problems)))
        except RefusedError as error:
            self._refusal(label, str(error))
        except TooSlowError:
            self.mark(label, f"did not end within {self.patience_s:g} s")
        except Exception:  # noqa: BLE001 -- whatever else it is, it is what is looked for
            self.mark(label, traceback.format_exc(limit=-2))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _refusal(self, label: str, text: str) -> None:
        if is_short(text):
            self.refused += 1
        else:
            self.mark(label, f"is refused in {len(text)} characters")

    def give(self, label: str, arguments: Sequence[str], codes: tuple[int, ...] = (0, 1, 2)) -> Result:
        """Give a command line in this process; what it said, nothing and -1 where it broke."""
        found = [Result(-1, "", "")]
        wrong = len(self.wrong)
        self.attempt(label, lambda: found.append(said("", arguments)))
        result = found[-1]
        if len(self.wrong) > wrong:
            return result
        self.accepted -= 1
        if result.exit_code not in codes or any(each in result.stderr for each in BROKEN):
            self.mark(label, f"ended with {result.exit_code}: {result.stderr[-400:]}")
        elif result.exit_code != 2:
            self.accepted += 1
        else:
            self._refusal(label, result.stderr)
        return result

    def mark(self, label: str, what: str) -> None:
        self.wrong.append(f"{label}: {what}")

    def finish(self) -> "Tally":
        """Look at the memory that this process and those it ran have taken at most, and at the slowest attempt."""
        of = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        self.worst_mb = max(self.worst_mb, *(resource.getrusage(each).ru_maxrss / 1024 for each in of))
        if self.worst_mb > MEGABYTES:
            self.mark("all", f"took {self.worst_mb:.0f} MB")
        if self.worst_s > self.longest_s:
            self.mark("one", f"took {self.worst_s:.1f} s")
        return self

    def line(self) -> str:
        return (
            f"{self.name:10} tried {self.tried:6}  refused {self.refused:6}  accepted {self.accepted:6}  "
            f"wrong {len(self.wrong):4}  worst {self.worst_s:5.1f} s {self.worst_mb:5.0f} MB"
        )

    def tell(self) -> None:
        """Print the figures and the first things that are wrong."""
        sys.stdout.write(self.line() + "\n")
        for each in self.wrong[:20]:
            sys.stdout.write(f"  {each}\n")
        sys.stdout.flush()
