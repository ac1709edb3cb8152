"""Words a shell is offered, from the tables of the command line and an index of scenarios; no engine is loaded.

`make manual` writes the index. What it does not know (a file, kept runs) is asked of the engine.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from tui.cli.help import TOPICS
from tui.cli.options import OPTIONS, SHORT, Option
from tui.cli.verbs import GROUPS, KINDS, VERBS, parts_of

PLACE: Final = files("tui.cli") / "completion.json"
SCENARIO_KINDS: Final = ("apps", "nodes", "queues", "instants")  # Words that depend on the scenario named before

SUBJECTS: Final = {"subjects": ("apps", "nodes", "queues")}  # Kind → the kinds of a scenario's words that it is
WORDS: Final[Mapping[str, Sequence[str]]] = {
    "kinds": tuple(KINDS),
    "topics": [*VERBS, *filter(None, TOPICS)],
    "releases": ("2.7", "3.4"),
    "tries": ("last", "best", "par"),
    "schemas": ("scenario", "drill"),
}  # Kind → its words, where they stand in no index

SHELLS: Final[Mapping[str, str]] = {
    "bash": """\
_schedlab() {
    local IFS=$'\\n'
    COMPREPLY=($(_SCHEDLAB_COMPLETE=1 schedlab "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _schedlab schedlab
""",
    "zsh": """\
#compdef schedlab
_schedlab() {
    local -a found
    local said="$(_SCHEDLAB_COMPLETE=1 schedlab "${words[@]:1:$((CURRENT-1))}" 2>/dev/null)"
    found=(${(f)"$(sed 's/:/\\\\:/g; s/\\t/:/' <<< "$said")"})
    (( ${#found} )) && _describe schedlab found || _files
}
compdef _schedlab schedlab
""",
    "fish": """\
function __schedlab
    set -l words (commandline -opc) (commandline -ct)
    _SCHEDLAB_COMPLETE=1 schedlab $words[2..-1] 2>/dev/null
end
complete -c schedlab -a '(__schedlab)'
""",
}  # Shell → what has it ask for words


class ScenarioWords(msgspec.Struct, frozen=True):
    digest: str
    words: dict[str, tuple[str, ...]]  # By kind


class Index(msgspec.Struct, frozen=True):
    words: dict[str, tuple[str, ...]]  # Kind → its words, where they are the same for everybody
    scenarios: dict[str, ScenarioWords]


@cache
def index() -> Index:
    return msgspec.json.decode(PLACE.read_bytes(), type=Index)


def script(shell: str) -> str:
    if shell in SHELLS:
        return SHELLS[shell]
    from engine.errors import ConfigError  # noqa: PLC0415 -- only a mistake pays for it

    raise ConfigError.of(f"there is no completion for {shell or 'no shell'}", hint=", ".join(SHELLS))


def completed(words: Sequence[str]) -> str:
    """Lines of what may stand in the place of the last word: the word, and behind a tab what it is."""
    *before, incomplete = words or [""]
    return "".join(f"{word}\t{about}\n" for word, about in offered(before, incomplete))


def offered(before: Sequence[str], incomplete: str) -> list[tuple[str, str]]:
    """(word, what it is) of all that may follow words of a command line."""
    lines = {verb: about for group in GROUPS.values() for verb, about in group.items()} | {"help": "Explain it."}
    if not before:
        return [(verb, about) for verb, about in lines.items() if verb.startswith(incomplete)]
    name, left = before[0], list(before[1:])
    parts = parts_of(name)
    if parts and not left and not incomplete.startswith("-"):
        return [(each, VERBS[f"{name} {each}"].about) for each in parts if each.startswith(incomplete)]
    if parts and left and f"{name} {left[0]}" in VERBS:
        name = f"{name} {left.pop(0)}"
    if name not in VERBS:
        return []
    verb = VERBS[name]
    given, taking = _given(left)
    if taking is None and incomplete.startswith("-"):
        options = [OPTIONS[each] for each in verb.options]
        return [(each.flag, each.help) for each in options if each.flag.startswith(incomplete)]
    if taking is not None:
        kind = taking.words
    else:
        kinds = verb.kinds.split()
        kind = (kinds[len(given)] if len(given) < len(kinds) else kinds[-1]) if kinds else ""
    return [(word, "") for word in _words(kind, verb.forms, given[:1], incomplete)]


def _given(words: Sequence[str]) -> tuple[list[str], Option | None]:
    arguments: list[str] = []
    taking: Option | None = None
    for word in words:
        if taking is not None:
            taking = None
        elif word.startswith("-") and len(word) > 1:
            option = OPTIONS.get(word[2:]) if word.startswith("--") else SHORT.get(word[1:2])
            taking = option if option is not None and option.takes else None
        else:
            arguments.append(word)
    return arguments, taking


def _words(kind: str, forms: Sequence[str], source: Sequence[str], incomplete: str) -> list[str]:
    tables: Mapping[str, Sequence[str]] = {"forms": forms, **WORDS}
    known = list(tables.get(kind) or index().words.get(kind, ()))
    if source and source[0] in index().scenarios:
        words = index().scenarios[source[0]].words
        known += [word for each in SUBJECTS.get(kind, (kind,)) for word in words.get(each, ())]
    found = [word for word in dict.fromkeys(known) if word.startswith(incomplete)]
    if found:
        return found
    from tui.cli import completion_words  # noqa: PLC0415 -- only what the index does not know pays for the engine

    ask: Callable[[Sequence[str]], Sequence[str]] | None = completion_words.ASKED.get(kind)
    return [] if ask is None else [word for word in ask(source) if word.startswith(incomplete)]
