"""The help: of the program in groups, of each command, and of what they share."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from tui.cli.options import OPTIONS
from tui.cli.verbs import GROUPS, VERBS, parts_of

if TYPE_CHECKING:
    from importlib.metadata import Distribution

    from tui.cli.grammar import Given

WIDTH: Final = 80
COLUMN: Final = 28  # Of the options' texts

SOURCE_WORDS: Final = """\
SOURCE is one word, the same in every command. What it is, is decided in this
order:

  http://rm1:8088, rm1:8088        a live ResourceManager or Spark Master; a
                                   pair of them joined by a comma
  logs/, ./x, day.toml, rm.log     a file or folder, by its content: scenario,
                                   drill, log, trace, sweep, configuration
  prod                             a cluster of the settings: [cluster.prod]
                                   with url, config, rm_log, ca, kerberos, user,
                                   token_file, interval
  monday                           a kept run, or kept polls of a live cluster
  reservation-deadlock             a packaged scenario or drill

Several parts of one log or trace: their folder, or a,b. A name that two of
these have is refused; write run:monday, scenario:monday, cluster:monday or
file:monday.

SUBJECT is an application (id, its last digits, name), a queue (path or last
part) or a node; app/ID, queue/PATH, node/HOST where two match. Times: 10:43,
2017-11-11T10:43, +30m, seconds; clock times are those of SOURCE.

A command that plays, given something live or recorded, plays its twin: a
simulation that stands as it stood at --at. What a record does not say is named
on stderr (assumed: ...) and in JSON, and an answer that hangs on it says if.
"""
OUTPUT_WORDS: Final = """\
stdout has data only; progress, notes and errors go to stderr. -o may be
repeated, at most one goes to stdout:

  -o json            this form to stdout
  -o html:r.html     this form to a file (-: stdout)
  -o r.html          a file whose ending says the form

Files are written whole or not at all, and never replaced without -f.
"""
JSON_WORDS: Final = """
JSON is one object: schema (why/1), schedlab, source {kind, name, digest}, at,
assumed, unknown, then the command's own keys. Names say units: _ms, _mb, _s.
JSON lines: a head with schema, then a line each, the last with outcome. With
json on stdout an error is {"schema": "error/1", "errors": [...]} there, too.
"""
EXIT_WORDS: Final = """\
  0         answered, and nothing is wrong
  1         answered, and something is wrong: an expectation failed, check found
            errors, a drill was not solved, no setting keeps the limits, a point
            failed, an alarm stands when watch ends
  2         not answered: words refused, SOURCE not there or not readable, a
            server not reached, output not written
  70        a mistake of the program
  130       ended by ctrl-C; 128+n by signal n. What is known is written.

get, why, fix and compare answer questions: 0 also where nothing ever starts.
"""
CONFIG_WORDS: Final = """\
`schedlab check PATH` reads fair-scheduler.xml, capacity-scheduler.xml,
yarn-site.xml and mapred-site.xml as Hadoop does; files of one folder are one
cluster. Errors: Hadoop refuses to start or to reload. Warnings: ignored,
misspelt, contradicting or harmful. Each names its file, line and key, a way
out, and the class of Hadoop that does it. --nodes 40x128g/32 finds what hurts
on nodes of that size. `schedlab get PATH settings` shows what the files mean.
"""


def program_help() -> str:
    """The help of the program; fits 80x24."""
    lines = [
        "Usage: schedlab COMMAND [ARGS]... [OPTIONS]",
        "A flight simulator for cluster schedulers. Without a command: choose and open.",
        "",
    ]
    for group, verbs in GROUPS.items():
        for place, (verb, about) in enumerate(verbs.items()):
            lines.append(f"{group if place == 0 else '':12}{verb:10}{about}")
    lines += [
        "",
        "SOURCE is a packaged scenario, a file (scenario, log, trace), a kept run, or a",
        "live cluster: its address or its name in your settings.",
        "Help: COMMAND -h, or help source|options|output|exit|config. Also --version,",
        "--licences, --completion bash|zsh|fish.",
    ]
    return "\n".join(lines) + "\n"


def verb_help(name: str) -> str:
    if name not in VERBS:
        return _group_help(name)
    verb = VERBS[name]
    usage = f"Usage: schedlab {name} {'[OPTIONS] ' if verb.options else ''}{verb.usage}".rstrip()
    lines = [*wrap(usage, WIDTH, subsequent_indent="    "), *_filled(verb.about, 2)]
    if verb.examples:
        lines.append("Examples:")
        for example in verb.examples:
            lines += wrap(example, WIDTH, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
    if len(verb.forms) > 1:
        lines += _filled(f"Output: {' '.join(verb.forms)}", 0, 8)
    if verb.shown:
        lines.append("Options:")
        for each in verb.shown:
            lines += _option_lines(each)
    if verb.also:
        flags = " ".join(OPTIONS[each].flag for each in verb.also)
        lines += wrap(f"Also: {flags}.", WIDTH, break_on_hyphens=False)
        lines += ["`schedlab help options` explains them, `schedlab help source` what a SOURCE is."]
    return "\n".join(lines) + "\n"


def _group_help(name: str) -> str:
    lines = [f"Usage: schedlab {name} {'|'.join(parts_of(name))} ...", ""]
    for part in parts_of(name):
        about = VERBS[f"{name} {part}"].about.partition(". ")[0].rstrip(".")
        lines += wrap(f"{about}.", WIDTH, initial_indent=f"  {part:8}", subsequent_indent=" " * 10)
    return "\n".join([*lines, "", f"`schedlab {name} COMMAND -h` explains one."]) + "\n"


def _filled(text: str, indent: int, hanging: int | None = None) -> list[str]:
    further = indent if hanging is None else hanging
    return wrap(
        text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * further, break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip


def _option_lines(name: str) -> list[str]:
    option = OPTIONS[name]
    head, lines = f"  {option.shown}", _filled(option.help, COLUMN + 2)
    return [head, *lines] if len(head) > COLUMN else [f"{head:{COLUMN + 2}}{lines[0].lstrip()}", *lines[1:]]


def _output_help() -> str:
    forms = {name: verb.forms for name, verb in VERBS.items() if len(verb.forms) > 1}
    lines = ["\n".join(_filled(f"  {name:13} {' '.join(some)}", 0, 16)) for name, some in forms.items()]
    return "\n".join([OUTPUT_WORDS, *lines]) + "\n" + JSON_WORDS


def _config_help() -> str:
    from engine.formats.named_problems import KNOWN  # noqa: PLC0415 -- only this topic pays for the engine

    lines = [CONFIG_WORDS]
    for severity in ("error", "warning", "note"):
        rules = sorted(name for name, rule in KNOWN.items() if rule.severity == severity)
        lines += [f"{severity.capitalize()}s:", *_filled(", ".join(rules), 2, 2)] if rules else []
    return "\n".join(lines) + "\n"


TOPICS: Final[Mapping[str, Callable[[], str]]] = {
    "": program_help,
    "source": lambda: SOURCE_WORDS,
    "options": lambda: "\n".join(line for name in OPTIONS for line in _option_lines(name)) + "\n",
    "output": _output_help,
    "exit": lambda: EXIT_WORDS,
    "config": _config_help,
}


def explain(given: "Given") -> None:
    name = " ".join(given.words)
    if name in TOPICS:
        sys.stdout.write(TOPICS[name]())
    elif name in VERBS or parts_of(name):
        sys.stdout.write(verb_help(name))
    else:
        from engine.errors import ConfigError, did_you_mean  # noqa: PLC0415 -- only a mistake pays for it

        hint = did_you_mean(name, [*VERBS, "drill", *filter(None, TOPICS)])
        raise ConfigError.of(f"there is no help on {name}", key="help", hint=hint)


# The licences of what is installed with the program.

OURS: Final = "schedlab"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA: Final = re.compile(r"extra\s*==\s*['\"]([\w-]+)")
TOOLS: Final = frozenset({"dev", "docs", "test"})  # The extras of what is needed to develop, not to run
_OSI: Final = "License :: OSI Approved :: "
LONGEST: Final = 60


def licence_lines() -> list[str]:
    """One line for each package the program needs and each of those needs: name, version, licence; by name."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 -- the metadata is slow to find

    found: dict[str, Distribution] = {}
    left = [OURS]
    while left:
        name = left.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or of an extra that is not installed
        left += _needed(found[name], is_ours=name == OURS)
    return [f"{name:24} {one.version:14} {_licence(one)}" for name, one in sorted(found.items())]


def _needed(one: "Distribution", *, is_ours: bool) -> Iterator[str]:
    for each in one.requires or ():
        name, extra = _NAME.match(each), _EXTRA.search(each)
        if name is not None and (extra is None or (is_ours and extra[1] not in TOOLS)):
            yield name[0].lower().replace("_", "-").replace(".", "-")


def _licence(one: "Distribution") -> str:
    said = one.metadata.json
    named, text, classifiers = said.get("license_expression"), said.get("license"), said.get("classifier")
    if isinstance(named, str):
        return named
    line = text.strip().partition("\n")[0] if isinstance(text, str) else ""
    if 0 < len(line) <= LONGEST:
        return line
    return ", ".join(each.removeprefix(_OSI) for each in classifiers or () if each.startswith(_OSI)) or "not said"
