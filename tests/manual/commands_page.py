"""The page of commands, and the man page."""

from itertools import groupby

from tests.manual.markdown import cell, code, page, table
from tests.manual.verbs import Verb, verbs
from tui.cli.cli import VERBS

ABOUT = """\
Every command with its arguments and options, as `schedlab COMMAND --help` prints them. Times are `09:00`, `+30m` or
seconds. Exit codes: 0; 1 an expectation failed, or output could not be written; 2 the input was refused; 70 a mistake
of the program; 128 + n ended by signal n. A command that has others says so below its name."""


def commands_page() -> str:
    """One heading for each command, in the order of the help."""
    parts = []
    for name, group in groupby(verbs(), key=lambda verb: verb.name.split()[0]):
        parts.append(f"## {name}\n\n{VERBS[name].help}\n")
        parts += [_of(verb, has_heading=verb.name == name) for verb in group]
    return page("Commands", ABOUT, *parts)


def _of(verb: Verb, *, has_heading: bool) -> str:
    heading = [] if has_heading else [f"### {verb.name}", ""]
    options = table(("option", "meaning"), ((code(name), cell(words)) for name, words in verb.options()))
    given = table(("argument", "meaning"), ((code(name), cell(words)) for name, words in verb.arguments()))
    return "\n".join([*heading, f"    {verb.usage}", "", verb.about.replace("<", "&lt;"), "", given, options])


def man_page() -> str:
    lines = [
        '.TH SCHEDLAB 1 "" "schedlab" "User Commands"',
        ".SH NAME",
        "schedlab \\- a flight simulator for cluster schedulers, in the terminal",
        ".SH SYNOPSIS",
        ".B schedlab",
        "[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]",
        ".SH DESCRIPTION",
        _roff(ABOUT),
        "Without a command it lets you choose a scenario.",
        ".SH COMMANDS",
    ]
    for verb in verbs():
        lines += [f".SS {_roff(verb.usage)}", _roff(verb.about)]
        for name, words in (*verb.arguments(), *verb.options()):
            lines += [".TP", f".B {_roff(name)}", _roff(words) or "\\&"]
    lines += [".SH FILES", _roff("`schedlab settings` prints the settings file and every variable it reads.")]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """A text in which nothing is an order to roff."""
    lines = (line.strip() for line in text.replace("\\", "\\e").replace("-", "\\-").replace("`", "").splitlines())
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line or ".PP" for line in lines)
