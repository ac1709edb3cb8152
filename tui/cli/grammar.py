"""Finds a command by typer, and reads its words: options as the table has them, the rest in order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from typer import Context, Typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from engine.errors import ConfigError, Problem, close_matches, did_you_mean, quoted, shortened
from engine.incremental import ANSWER_S
from engine.units import parse_duration, parse_instant
from tui.cli.options import OPTIONS, SHORT, Option
from tui.cli.verbs import VERBS, Verb

SHOWN_ON_WEB: Final = ("demo", "tour", "open", "drill join")  # Verbs of which `--listen` is the address of `--web`


class Given(NamedTuple):
    """The words of one command, understood."""

    verb: str
    words: tuple[str, ...]  # What is no option
    values: Mapping[str, tuple[str, ...]]  # Name of an option → what stood behind it, each time it was given

    def word(self, place: int = 0) -> str | None:
        """The word of a place; None where there are fewer."""
        return self.words[place] if place < len(self.words) else None

    def is_on(self, name: str) -> bool:
        return name in self.values

    def many(self, name: str) -> tuple[str, ...]:
        return self.values.get(name, ())

    def text(self, name: str) -> str | None:
        """The value of an option, the last one given; None where it was not."""
        found = self.values.get(name)
        return found[-1] if found else None

    def path(self, name: str) -> Path | None:
        found = self.text(name)
        return None if found is None else Path(found)

    def whole(self, name: str) -> int | None:
        found = self.text(name)
        return None if found is None else int(found)

    def number(self, name: str) -> float | None:
        found = self.text(name)
        return None if found is None else float(found)

    def with_words(self, *words: str) -> "Given":
        return self._replace(words=words)


def understood(name: str, words: Sequence[str], also: Callable[[Given], Sequence[Problem]] = lambda given: ()) -> Given:
    """The words behind a command's name, or all that is wrong with them, and what `also` finds, at once."""
    verb, problems = VERBS[name], list[Problem]()
    found: dict[str, list[str]] = {}
    rest: list[str] = []
    for option, value in _parts(verb, words, rest, problems, is_raw=name == "drill yarn"):
        wrong = _value_problems(option, value) if option.takes else []
        if not option.is_many and option.name in found and option.takes:
            wrong.append(Problem("is given twice", key=option.flag))
        if not wrong:
            found.setdefault(option.name, []).append(value)
        problems += wrong
    if name in SHOWN_ON_WEB and "listen" in found and "web" not in found:
        problems.append(Problem("says where --web answers", key="--listen", hint="add --web"))
    least, most = verb.bounds
    usage = f"schedlab {name} {verb.usage}".strip()
    if len(rest) < least:
        missing = verb.usage.split()[len(rest)]
        problems.append(Problem(f"{missing} is missing", key=name, hint=f"{usage}; -h explains it"))
    if most is not None and len(rest) > most:
        problems.append(Problem(f"{rest[most]!r} is one word too many", key=name, hint=usage))
    given = Given(name, tuple(rest), {key: tuple(values) for key, values in found.items()})
    if problems:
        raise ConfigError([*problems, *also(given)])
    return given


def _parts(
    verb: Verb, words: Sequence[str], rest: list[str], problems: list[Problem], *, is_raw: bool
) -> Iterator[tuple[Option, str]]:
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            rest += left
            return
        if not word.startswith("-") or word == "-" or (is_raw and not word.startswith("--")) or word[1:2].isdigit():
            rest.append(word)
            continue
        option, value = _option_in(verb, word, left, problems)
        if option is None:
            continue
        if option.takes and value is None:
            if not left:
                problems.append(Problem(f"{option.takes} is missing behind it", key=option.flag))
                continue
            value = left.pop(0)
        yield option, value or ""


def _option_in(verb: Verb, word: str, left: list[str], problems: list[Problem]) -> tuple[Option | None, str | None]:
    """The option a word is, and the value within the word; of joined letters the others are put back."""
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        option = OPTIONS.get(name) if len(name) > 1 else None
        if option is None or option.name not in verb.options:
            problems.append(_unknown(verb, name, option))
            meant = option or OPTIONS.get((close_matches(name, verb.options) or [""])[0])
            if meant is not None and meant.takes and not equals and left and not left[0].startswith("-"):
                _ = left.pop(0)  # the value of what is meant is no word of the command
            return None, None
        if equals and not option.takes:
            problems.append(Problem("takes no value", key=option.flag, hint="-c KEY=false turns a setting off"))
            return None, None
        return option, value if equals else None
    option = SHORT.get(word[1])
    if option is None or option.name not in verb.options:
        problems.append(Problem("is not an option of this command", key=word[:2]))
        return None, None
    if option.takes:
        return option, word[2:] or None
    if word[2:]:
        left.insert(0, f"-{word[2:]}")
    return option, None


ANY_START: Final = datetime(1970, 1, 1, tzinfo=UTC)  # An instant is read before it is known of what it is
READERS: Final[Mapping[str, Callable[[str], float]]] = {
    "whole": int,
    "number": float,
    "duration": parse_duration,
    "instant": partial(parse_instant, start=ANY_START),
}  # How a value is read → what reads it


def _unknown(verb: Verb, name: str, option: Option | None) -> Problem:
    if option is None:
        known = [f"--{each}" for each in verb.options if len(each) > 1]
        return Problem("is not an option", key=f"--{name}", hint=did_you_mean(f"--{name}", known) if known else "")
    takers = ", ".join(each for each, one in VERBS.items() if name in one.options)
    return Problem("is not an option of this command", key=f"--{name}", hint=f"it is one of {takers}")


def _value_problems(option: Option, value: str) -> list[Problem]:
    if not value.strip():
        return [Problem("has an empty value", key=option.flag, hint=f"{option.flag} {option.takes}")]
    if option.reads == "text":
        return []
    kind = {"whole": "whole number", "number": "number"}.get(option.reads)
    try:
        number = READERS[option.reads](value)
    except ValueError as error:
        return [Problem(str(error) if kind is None else f"{quoted(value)} is not a {kind}", key=option.flag)]
    if kind is not None and not option.least <= number <= option.most:
        most = f" to {option.most:.0f}" if number > option.most else ""
        return [Problem(f"{shortened(value)} is not a {kind} from {option.least:g}{most}", key=option.flag)]
    return []


# `drill play` is one name; the groups are words of the help only.


class VerbCommand(TyperCommand):
    """A command that leaves the words behind its name as they are."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:  # type: ignore[override]  # typer makes its own
        ctx.args = list(args)
        return ctx.args


def program(name: str, call: Callable[[str, list[str]], int]) -> TyperGroup:
    """The application with one of its commands, which calls this with its name and the words behind it."""
    found = Typer(add_completion=False)

    @found.command(name, cls=VerbCommand, add_help_option=False)
    def command(context: Context) -> int:
        return call(name, context.args)

    return get_group(found)


# How much time a command spends on copies.

PART: Final = 2 / 3  # The part of the time for an answer that hangs on assumptions, which are looked at after it


def seconds_of(given: Given) -> float:
    """The time that `--budget` gives [s]."""
    text = given.text("budget")
    return ANSWER_S if text is None else parse_duration(text) / 1000
