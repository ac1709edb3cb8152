"""The words after the verb of a command, read into the arguments of a call."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.settings.capacity import CAPACITY_34
from engine.settings.table import LABELS
from engine.units import UnitError, parse_duration, parse_memory
from tui.screens.fault_questions import FAULTS
from tui.screens.views import DEFAULT

Arguments = tuple[str | float | int, ...]
MOST_VCORES: Final = 2**31 - 1
"""What Hadoop's int can hold."""
LEAST_WINDOW_MS, MOST_WINDOW_MS = 10_000, 366 * 86_400_000
"""How much of the time graphs may show."""


class CommandError(ValueError):
    """A mistake in a command, in words."""


def one(noun: str) -> Callable[[Sequence[str]], Arguments]:
    """One word."""

    def read(words: Sequence[str]) -> Arguments:
        if len(words) != 1:
            raise CommandError(f"one {noun} is wanted")
        return (words[0],)

    return read


def chosen(options: Sequence[str]) -> Callable[[Sequence[str]], Arguments]:
    """One word out of a few."""

    def read(words: Sequence[str]) -> Arguments:
        if len(words) != 1 or words[0] not in options:
            raise CommandError(f"one of {', '.join(options)} is wanted")
        return (words[0],)

    return read


def some(noun: str) -> Callable[[Sequence[str]], Arguments]:
    """One word or more."""

    def read(words: Sequence[str]) -> Arguments:
        if not words:
            raise CommandError(f"one {noun} or more are wanted")
        return (" ".join(words),)

    return read


def priority(words: Sequence[str]) -> Arguments:
    """An application, or none for that of the row, and a whole number from 0."""
    *names, number = words or ("",)
    if len(names) > 1 or not number.isdecimal() or len(number) > 9:
        raise CommandError("an application and a whole number are wanted")
    return " ".join(names), int(number)


def fault(words: Sequence[str]) -> Arguments:
    """A fault as a script calls it, and the name of what it is about, where there are many."""
    kind, whom = " ".join(words[:1]), " ".join(words[1:])
    if kind not in FAULTS:
        raise CommandError(f"one of {', '.join(FAULTS)} is wanted")
    names = FAULTS[kind].whom
    if bool(names) is not bool(whom):
        raise CommandError(f"{kind} takes {f'the name of one {names}' if names else 'no name'}")
    return kind, whom


def rest(words: Sequence[str]) -> Arguments:
    """Any words."""
    return (" ".join(words),)


def speed(words: Sequence[str]) -> Arguments:
    """A speed of the clock; `max` is flat out."""
    text = words[0].removeprefix("x") if len(words) == 1 else ""
    if text == "max":
        return (0.0,)
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if not 0 <= speed <= 1_000_000:
        raise CommandError("a speed is wanted: 60, 0.5, or max (also 0) for flat out")
    return (speed,)


def window(words: Sequence[str]) -> Arguments:
    """A span of time, or `all`."""
    text = words[0] if len(words) == 1 else ""
    if text == "all":
        return (0,)
    try:
        length_ms = parse_duration(text)
    except UnitError:
        length_ms = 0
    if not LEAST_WINDOW_MS <= length_ms <= MOST_WINDOW_MS:
        raise CommandError("one like 10m, 1h or all is wanted")
    return (length_ms,)


def moved(words: Sequence[str]) -> Arguments:
    """Applications, then a queue."""
    if len(words) < 2:
        raise CommandError("an application and a queue are wanted")
    return " ".join(words[:-1]), words[-1]


def queue_setting(words: Sequence[str]) -> Arguments:
    """`queue.PATH.KEY`, then its value."""
    if len(words) < 2 or not words[0].startswith("queue.") or words[0].count(".") < 2:
        raise CommandError("queue.PATH.KEY and a value are wanted")
    path, key = _queue_key(words[0].removeprefix("queue."))
    return path, key, " ".join(words[1:])


def _queue_key(words: str) -> tuple[str, str]:
    """The path of a queue and the name of its setting; of names with dots in them, the whole."""
    dotted = next((key for key in CAPACITY_34.live if "." in key and words.endswith(f".{key}")), "")
    path, label, rest = words.partition(f".{LABELS}.")
    if label:
        return path, label[1:] + rest
    if dotted:
        return words.removesuffix(f".{dotted}"), dotted
    path, _, key = words.rpartition(".")
    return path, key


def _memory(words: str) -> int:
    try:
        return parse_memory(words)
    except UnitError as error:
        raise CommandError(str(error)) from None


def _vcores(words: str) -> int:
    if not (words.isascii() and words.isdigit()) or int(words) > MOST_VCORES:
        raise CommandError("a number of vcores is wanted")
    return int(words)


def node_size(words: Sequence[str]) -> Arguments:
    """A node, its memory [MB] and its vcores."""
    if len(words) != 3:
        raise CommandError("a node, its memory and its vcores are wanted")
    return words[0], _memory(words[1]), _vcores(words[2])


def new_node(words: Sequence[str]) -> Arguments:
    """A host, its memory [MB], its vcores and its rack; an empty rack is the default one."""
    if len(words) not in (3, 4):
        raise CommandError("a host, its memory and its vcores are wanted, then maybe its rack")
    return words[0], _memory(words[1]), _vcores(words[2]), words[3] if len(words) == 4 else ""


def node_label(words: Sequence[str]) -> Arguments:
    """A node and a partition; an empty one is the default."""
    if len(words) not in (1, 2):
        raise CommandError("a node and a partition are wanted; without one it is the default partition")
    return words[0], words[1] if len(words) == 2 and words[1] != DEFAULT else ""


def path(words: Sequence[str]) -> Arguments:
    """A path, blanks and all."""
    if not words:
        raise CommandError("the path of a fair-scheduler.xml is wanted")
    return (" ".join(words),)


def of_user(words: Sequence[str]) -> Arguments:
    """Applications of a user."""
    return "applications", f"user:{''.join(words)}"
