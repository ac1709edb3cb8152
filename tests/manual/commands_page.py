"""The page of commands, and the man page."""

from itertools import groupby

from tests.manual.markdown import cell, code, page, table
from tests.manual.verbs import Verb, verbs
from tui.cli.help import EXIT_WORDS, OUTPUT_WORDS, SOURCE_WORDS
from tui.cli.options import OPTIONS
from tui.cli.verbs import GROUPS

ABOUT = """\
Every command with its own options, as `schedlab COMMAND -h` prints them. An option has one meaning wherever it is
taken; those that several commands share stand at the end."""
LINES = {verb: about for group in GROUPS.values() for verb, about in group.items()} | {
    "drill": "Incidents to solve.",
    "help": "Explain a command, or what they share.",
}


def commands_page() -> str:
    """One heading for each command, in the order of the help; then what they share."""
    parts = []
    for name, group in groupby(verbs(), key=lambda verb: verb.name.split()[0]):
        parts.append(f"## {name}\n\n{LINES[name]}\n")
        parts += [_of(verb, has_heading=verb.name == name) for verb in group]
    for title, words in (("SOURCE", SOURCE_WORDS), ("Outputs", OUTPUT_WORDS), ("Exit codes", EXIT_WORDS)):
        parts.append(f"## {title}\n\n{_indented(words)}")
    options = ((code(each.shown), cell(each.help)) for each in OPTIONS.values())
    parts.append(f"## Options\n\n{table(('option', 'meaning'), options)}")
    return page("Commands", ABOUT, *parts)


def _indented(text: str) -> str:
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())


def _of(verb: Verb, *, has_heading: bool) -> str:
    heading = [] if has_heading else [f"### {verb.name}", ""]
    options = table(("option", "meaning"), ((code(name), cell(words)) for name, words in verb.options()))
    also = [f"Also {code(verb.also)}.", ""] if verb.also else []
    return "\n".join([*heading, f"    {verb.usage}", "", verb.about.replace("<", "&lt;"), "", options, *also])


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
        for name, words in verb.options():
            lines += [".TP", f".B {_roff(name)}", _roff(words) or "\\&"]
    lines += [".SH OPTIONS"]
    for each in OPTIONS.values():
        lines += [".TP", f".B {_roff(each.shown)}", _roff(each.help) or "\\&"]
    lines += [".SH FILES", _roff("`schedlab settings` prints the settings file and every variable it reads.")]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """A text in which nothing is an order to roff."""
    lines = (line.strip() for line in text.replace("\\", "\\e").replace("-", "\\-").replace("`", "").splitlines())
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line or ".PP" for line in lines)
