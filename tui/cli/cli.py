"""The command `schedlab`: a typer application of the commands of the table, each of which calls its function.

typer finds the command that words name. What stands behind it is read by `grammar`, which reports all problems at once,
where typer stops at the first. A command is loaded when it is called, so that `--help` costs little and only what opens
a screen pays for Textual.
Exit codes: 0; 1 an answer that something is wrong; 2 not answered; 70 a mistake of our own; 128 + n ended by signal n.
"""

import gc
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pkgutil import resolve_name
from types import TracebackType
from typing import TYPE_CHECKING, Final

from tui.cli.help import licence_lines, program_help, verb_help
from tui.cli.verbs import GROUPS, VERBS, parts_of
from tui.terminal.edges import OUR_MISTAKE, StreamError, checked_output, ended_by_signals, guard_output

if TYPE_CHECKING:
    from engine.errors import Problem
    from tui.cli.grammar import Given

LONGEST_SIZE: Final = 3  # Digits of a terminal's width or height that are believed
GARBAGE_THRESHOLD: Final = (50_000, 20, 50)  # Of the garbage collector: a run has very many objects, few cycles

HELP: Final = ("-h", "--help")
FLAGS: Final = ("--help", "--version", "--licences", "--completion")  # What the program itself is asked for
OPENING: Final = ("demo", "tour", "open", "drill play")  # Verbs that say what they open: a screen takes long to load

READ_ANYWAY: Final = {
    "assume": "tui.cli.import_:assumed_by",
    "c": "tui.cli.source:settings_of",
    "release": "tui.cli.config:release_of",
}  # Options whose values are read even where SOURCE has no use for them: a slip of the pen is never passed over

COMPLETING: Final = "_SCHEDLAB_COMPLETE"  # The variable a shell sets that asks for words


def run(words: Sequence[str]) -> int:
    """Do what a command line says; its exit code."""
    from tui.cli.talk import reported_errors, talk  # noqa: PLC0415 -- the help needs none of it

    talk(is_quiet=False, has_json=False)
    with reported_errors():
        return _run(list(words))


def _run(words: list[str]) -> int:
    from tui.cli.aliases import aliased  # noqa: PLC0415 -- the help needs none of it

    words = aliased(words)
    name, rest = _named(words)
    if any(word in HELP for word in (rest[: rest.index("--")] if "--" in rest else rest)):
        sys.stdout.write(verb_help(name))
        return 0
    if name not in VERBS:
        return _refused(name, rest)
    from tui.cli.grammar import program  # noqa: PLC0415 -- a help needs none of it

    with program(name, _call).make_context("schedlab", [name, *rest]) as context:
        return int(context.command.invoke(context) or 0)


def _call(name: str, words: list[str]) -> int:
    from tui.cli.grammar import understood  # noqa: PLC0415 -- a help needs none of it
    from tui.cli.talk import opening, talk  # noqa: PLC0415 -- as the line above

    has_json = re.search(r" (-o ?|--output[ =])json ", f" {' '.join(words)} ") is not None
    talk(is_quiet=False, has_json=has_json)
    given = understood(name, words, _also_wrong)
    talk(is_quiet=given.is_on("quiet"), has_json=has_json)
    _read_anyway(given)
    call = VERBS[name].call
    if given.is_on("web"):
        given, name, call = given.with_words(*name.split(), *words), "--web", "tui.cli.listening:show"
    if name in OPENING and not given.is_on("output"):
        opening(f"opening {given.words[0] if given.words else 'schedlab'}")
    called: Callable[[Given], int | None] = resolve_name(call)
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*GARBAGE_THRESHOLD)
        gc.enable()
    return called(given) or 0


def _read_anyway(given: "Given") -> None:
    from engine.errors import Problems  # noqa: PLC0415 -- a help needs none of it

    problems = Problems()
    for option, reader in READ_ANYWAY.items():
        if given.is_on(option):
            with problems.taken():
                resolve_name(reader)(given)
    problems.check()


def _also_wrong(given: "Given") -> Sequence["Problem"]:
    from tui.cli.source import also_wrong  # noqa: PLC0415 -- only a mistake pays for it

    return also_wrong(given)


def _named(words: list[str]) -> tuple[str, list[str]]:
    if len(words) > 1 and " ".join(words[:2]) in VERBS:
        return " ".join(words[:2]), words[2:]
    return words[0], words[1:]


def _refused(name: str, rest: Sequence[str]) -> int:
    from engine.errors import ConfigError, did_you_mean  # noqa: PLC0415 -- only a mistake pays for it

    parts = parts_of(name)
    if parts and not rest:
        sys.stdout.write(verb_help(name))
        return 0
    if parts:
        raise ConfigError.of(f"there is no {name} {rest[0]}", key=name, hint=did_you_mean(rest[0], parts))
    verbs = [*(verb for group in GROUPS.values() for verb in group), "help", *FLAGS]
    raise ConfigError.of(f"no command {name or 'of no name'}", hint=did_you_mean(name, verbs))


def _of_program(words: Sequence[str]) -> int | None:
    if not words and sys.stdin.isatty() and sys.stdout.isatty():
        return run(["open"])
    match words[0] if words else "--help":
        case "-h" | "--help":
            sys.stdout.write(program_help())
        case "--version":
            from engine.observe.journal import program_version  # noqa: PLC0415 -- only this option needs it
            from engine.state import build_name  # noqa: PLC0415 -- as the line above

            sys.stdout.write(f"schedlab {program_version()} ({build_name()})\n")
        case "--licences":
            sys.stdout.write("\n".join(licence_lines()) + "\n")
        case "--completion":
            from tui.cli.completion import script  # noqa: PLC0415 -- only this option needs it
            from tui.cli.talk import reported_errors  # noqa: PLC0415 -- as the line above

            with reported_errors():
                sys.stdout.write(script(words[1] if len(words) > 1 else ""))
        case _:
            return None
    return 0


def main() -> None:
    sys.excepthook = _our_mistake
    guard_output()
    with ended_by_signals(), checked_output():
        raise SystemExit(_main(sys.argv[1:]))


def _main(words: Sequence[str]) -> int:
    # No plugins of pydantic are looked for: that would read the metadata of every package there is.
    _ = os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "true")
    for name in ("COLUMNS", "LINES"):  # what wraps texts believes them
        if len(os.environ.get(name, "")) > LONGEST_SIZE:
            del os.environ[name]
    if os.environ.get(COMPLETING):
        from tui.cli.completion import completed  # noqa: PLC0415 -- only a shell pays for it

        sys.stdout.write(completed(words))
        return 0
    gc.disable()  # until a command is loaded: what loading makes stays
    code = _of_program(words)
    return run(words) if code is None else code


def _our_mistake(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    from tui.terminal.edges import report  # noqa: PLC0415 -- a program that works needs no crash report

    with suppress(StreamError):
        sys.stderr.write(f"{report(error)}\n")
    raise SystemExit(OUR_MISTAKE)


if __name__ == "__main__":
    main()
