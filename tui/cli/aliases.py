"""The names of schedlab 1, understood for one release: old words become new ones by tables, and one line says so.

In the place of an old option stand the words of its row, `{}` is its value. A word without a dash is a word of the
command; one in capitals is a slot that takes the next word, and `_put_together` makes words of all that slots hold.
"""

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from engine.errors import ConfigError, shortened
from tui.cli.options import OPTIONS, SHORT
from tui.cli.verbs import VERBS

SHARED: Final[Mapping[str, str]] = {
    "--json": "-o json",
    "--csv": "-o csv",
    "--screen": "-o screen",
    "--toml": "-o toml",
    "--report": "-o html:{}",
    "--runs": "-c runs_folder={}",
    "--history": "-c history_folder={}",
    "--theme": "-c theme={}",
    "--confirm": "-c confirm={}",
    "--save-folder": "-c save_folder={}",
    "--keep-for": "-c keep_for={}",
    "--keep-as": "--keep {}",
    "--fair-scheduler": "--config {}",
    "--capacity-scheduler": "--config {}",
    "--yarn-site": "--config {}",
    "--scheduler": "--set scheduler={}",
    "--remaining": "REMAINING {}",
    "--no-ascii": "-c ascii=false",
    "--no-paused": "-c paused=false",
    "--no-read-only": "-c read_only=false",
    "--alerts": "-c alerts=true",
    "--no-alerts": "-c alerts=false",
    "--host": "-c hosts={}",
    "--visitors": "-c web.visitors={}",
    "--idle": "-c web.idle={}",
    "--memory": "-c web.memory={}",
    "--point-seconds": "-c tune.point_seconds={}",
    "--point-memory": "-c tune.point_memory={}",
    "--era": "--release {}",
    "--bind": "BIND {}",
    "--port": "PORT {}",
}  # Old options that mean the same wherever they were taken

_LINES: Final = {"--json": "-o jsonl"}
_INTO: Final = {"-o": "FILE {}", "--output": "FILE {}"}
_SWEPT: Final = {"--resume": "SOURCE {}", "-o": "-o sweep:{}", "--output": "-o sweep:{}"}


class Old(NamedTuple):
    """An old command, or a command that had other options."""

    new: str  # The command in its place
    options: Mapping[str, str] = {}
    behind: str = ""  # Put behind the words given, e.g. a KIND behind SOURCE
    unless_formed: str = ""  # Added where no form is asked for
    always: str = ""  # Options that are added


OLD: Final[Mapping[str, Old]] = {
    "why": Old("why", {"--app": "app/{}", "--queue": "queue/{}", "--node": "node/{}", "--remedies": "REMEDIES yes"}),
    "fix": Old("fix", {"--app": "{}"}),
    "play": Old(
        "play", {**_LINES, "--journal": "-o journal:{}", "--rm-log": "-o rm-log:{}", "--apps-json": "-o rest:{}"}
    ),
    "open": Old("open", {"--journal": "-o journal:{}"}),
    "demo": Old("demo", {"--again": "-c hints=true"}),
    "compare": Old("compare", {"--with": "{}", "--from-log": "SOURCE {}"}),
    "sweep": Old("tune", {**_SWEPT, "--policy": "POLICY {}", "--tune": "--goal {} TRIALS 50", "--trials": "TRIALS {}"}),
    "size": Old(
        "tune",
        {
            **_SWEPT,
            "--wait": "--limit {}",
            "--goal": "--limit {}",
            "--vary": "--smallest {}",
            "--until-seconds": "--until {}",
            "--plain": "PLAIN yes",
            "--strained": "",
        },
        always="--strained",
    ),
    "snapshot": Old("get", {"--section": "{}"}, "STATE yes"),
    "picture": Old("get", {"--pane": "{}", "--why": "{}"}, "picture"),
    "workload describe": Old("get", {}, "workload"),
    "workload export": Old("get", {**_INTO, "--as": "FORM {}"}, "workload", "FORM sls"),
    "scenario list": Old("get", _LINES),
    "scenario show": Old("get", {"--json": "scenario -o json", "--toml": "scenario -o toml"}),
    "scenario check": Old("check", _LINES),
    "scenario schema": Old("check", {"--drill": "DRILL yes"}, always="--schema scenario"),
    "config": Old("get", {"--check": "CHECK {}", "--witness": "WITNESS {}"}, "settings"),
    "twin": Old("get", {"-o": "-o toml:{}", "--output": "-o toml:{}"}, "scenario", "-o toml"),
    "runs list": Old("runs", _LINES),
    "runs show": Old("get"),
    "runs open": Old("open"),
    "runs delete": Old("runs rm"),
    "runs export": Old(
        "get",
        {**_INTO, "--run": "KIND scenario FORM json", "--series": "KIND series FORM csv NAME {}"},
        unless_formed="KIND events FORM jsonl",
    ),
    "watch": Old("watch", {"--headless": "-o jsonl", "--metrics": "--listen {}"}),
    "serve": Old("serve", {"--token": "TOKEN {}", "--no-token": "-c serve.open=true"}),
    "import": Old(
        "import",
        {
            "--policy": "--set scheduler={}",
            "--container": "--assume container={}",
            "--split": "--assume split={}",
            "--map-rate": "--assume map_rate={}",
            "--reduce-rate": "--assume reduce_rate={}",
            "--processors": "--assume processors={}",
            "--node-size": "SIZE {}",
        },
    ),
    "attach": Old("drill join"),
    "instruct": Old("drill join", {"--list": "SEATS yes"}, always="--instruct"),
    "yarn": Old("drill yarn"),
    "drill list": Old("drill list", _LINES),
    "drill check": Old("check", {**_LINES, "--vary": "--seeds {}"}),
    "drill words": Old("drill show", _LINES),
    "drill from": Old("drill new", {"--around": "--at {}"}),
    "drill history": Old("drill list", _LINES),
    "drill next": Old("drill list", _LINES),
    "drill bench": Old("drill play", _LINES, always="--agent idle"),
    "drill replay": Old(
        "drill report", {"--best": "TRY best", "--par": "TRY par", "--debrief": "-o {}"}, unless_formed="TRY last"
    ),
    "drill play": Old(
        "drill play",
        {
            **_LINES,
            "--headless": "HEADLESS yes",
            "--acts": "--steps {}",
            "--vary": "--seed {}",
            "--serve": "SERVE 0",
            "--rm-log": "-o rm-log:{}",
            "--debrief": "-o {}",
        },
    ),
    "drill report": Old("drill report", {"--csv": "-o csv:{}", "--html": "-o html:{}", "--drills": "DRILLS {}"}),
}  # Old command, or command that had other options → what it is now

RENAMED: Final = {"applications": "apps"}  # Old name of a KIND → its name
FORMS: Final = {"apps": "rest"}  # Old name of a form of a workload → its name
_WEB: Final = ("--bind", "--port", "--host", "--visitors", "--idle", "--memory")


class _Line(NamedTuple):
    words: list[str]
    options: list[str]
    slots: dict[str, list[str]]
    seen: list[str]  # Old names that were found

    def has_form(self) -> bool:
        return "-o" in self.options or "--output" in self.options or "FORM" in self.slots

    def place(self, row: str, value: str = "") -> None:
        left = [each.replace("{}", value) for each in row.split()]
        while left:
            word = left.pop(0)
            if word.startswith("-"):
                self.options.extend([word, left.pop(0)] if _takes(word) and left else [word])
            elif left and word.isupper() and word in row.split():
                self.slots.setdefault(word, []).append(left.pop(0))
            else:
                self.words.append(word)

    def all(self, slot: str) -> str:
        """What a slot holds, joined by commas; empty for nothing."""
        return ",".join(self.slots.get(slot, ()))

    def last(self, slot: str, default: str = "") -> str:
        return self.slots.get(slot, [default])[-1]


def aliased(words: Sequence[str]) -> list[str]:
    """A command line in today's words; a line on stderr tells of old ones. What means another thing is refused."""
    _check_changed(words)
    new, old = _of_web(list(words[1:])) if words[0] == "web" else _in_new_words(list(words))
    if old:
        from tui.cli.talk import warn  # noqa: PLC0415 -- only a user of an old name is told

        warn(f'schedlab: "{old}" is now "{shlex.join(map(shortened, new))}"; it goes in 3.0')
    return new


def _check_changed(words: Sequence[str]) -> None:
    for place, word in enumerate(words):
        flag, _, value = word.partition("=")
        value = value or (words[place + 1] if place + 1 < len(words) else "")
        if flag == "--config" and value.endswith(".toml"):
            hint = f"SCHEDLAB_SETTINGS={value} names a settings file"
            raise ConfigError.of(f"{value} is no Hadoop or Spark file", key="--config", hint=hint)
        if flag == "--config" and words[0] == "compare":
            hint = f"compare SOURCE {value}; or get SOURCE --config {value} -o x.toml, then compare x.toml OTHER"
            raise ConfigError.of("was what is compared, and is now what SOURCE is read with", key="--config", hint=hint)


def _in_new_words(words: list[str]) -> tuple[list[str], str]:
    """The same in today's words, and the first old name in it; empty where there is none."""
    pair = " ".join(words[:2])
    name = pair if pair in OLD or pair in VERBS else words[0]
    entry = OLD.get(name) or (Old(name) if name in VERBS else None)
    if entry is None:
        return words, ""
    line = _Line([], [], {}, [] if name in VERBS else [name])
    _read(entry, words[len(name.split()) :], line, is_same=name == entry.new)
    is_parts = all({*".:/"} & {*each} for each in line.words)
    if entry.new in ("open", "watch") and len(line.words) > 1 and is_parts:  # of one log, or the servers of a pair
        line.words[:] = [",".join(line.words)]
        line.seen.append(entry.new)
    if not line.seen:
        return words, ""
    line.place(entry.behind)
    if name == "drill check" and not line.words:
        line.words.append("drills")
    if not line.has_form():
        line.place(entry.unless_formed)
    line.place(entry.always)
    new = _put_together(entry.new, line)
    return [*new.split(), *line.words, *line.options], line.seen[0]


def _read(entry: Old, left: list[str], line: _Line, *, is_same: bool) -> None:
    if entry.new == "drill yarn":
        line.words.extend(left)
        return
    old, taken = dict(entry.options), VERBS[entry.new].options if entry.new in VERBS else ()
    if "--web" in left:
        old.pop("--acts", None)  # it says what visitors may do
    while left:
        word = left.pop(0)
        flag, equals, value = word.partition("=")
        row = old.get(flag, None if flag.lstrip("-") in taken else SHARED.get(flag))
        if not word.startswith("-") or word == "-":
            line.words.append(word)
        elif flag == "--keep" and not equals and (not left or left[0].startswith("-")):
            line.options.extend(("--keep", "auto"))
            line.seen.append(flag)
        elif flag == "--between" and len(left) > 1 and ".." not in left[0]:
            line.options.extend(("--between", f"{left.pop(0)}..{left.pop(0)}"))
            line.seen.append(flag)
        elif row is None or (flag in ("-o", "--output") and is_same):
            line.options.append(word)
            if _takes(flag) and not equals and left and len(word.lstrip("-")) == len(flag.lstrip("-")):
                line.options.append(left.pop(0))
        else:
            line.seen.append(flag)
            if "{}" in row and not equals:
                value = left.pop(0) if left else ""
            line.place(row, value)


def _takes(flag: str) -> bool:
    option = OPTIONS.get(flag[2:]) if flag.startswith("--") else SHORT.get(flag[1:2])
    return option is not None and bool(option.takes)


def _put_together(new: str, line: _Line) -> str:
    words, options, slots = line.words, line.options, line.slots
    if "SOURCE" in slots:
        words.insert(0, line.all("SOURCE"))
    _put_options(line)
    _put_kinds(line)
    if "CHECK" in slots or "WITNESS" in slots:
        words[:] = [*slots.get("CHECK", ()), *(word for word in words if word != "settings")]
        options += ["-o", f"witness:{line.last('WITNESS')}"] if "WITNESS" in slots else []
        return "check"
    if "REMEDIES" in slots and any(word.startswith("app/") for word in words):
        words[:] = [word.removeprefix("app/") for word in words]
        return "fix"
    return "drill list" if "SEATS" in slots else new


def _put_options(line: _Line) -> None:
    options, slots = line.options, line.slots
    for slot, found in (
        ("POLICY", ["--vary", f"scheduler={line.all('POLICY')}"]),
        ("TRIALS", ["--search", line.last("TRIALS")]),
        ("TRY", ["--try", *slots.get("TRY", ())[:1]]),
        *(("REMAINING", ["--assume", _remaining(each)]) for each in slots.get("REMAINING", ())),
    ):
        options += found if slot in slots else ()
    if "PLAIN" in slots:
        options.remove("--strained")
    if "DRILL" in slots:
        options[options.index("scenario")] = "drill"
    if "TOKEN" in slots:
        if not line.last("TOKEN").strip():
            raise ConfigError.of("a token is at least one ASCII letter, digit or sign", key="--token")
        os.environ["SCHEDLAB_TOKEN"] = line.last("TOKEN")
    if "SIZE" in slots:
        size = line.last("SIZE").replace(",", "/", 1)
        place = options.index("--nodes") + 1 if "--nodes" in options else None
        options[place or len(options) : (place or len(options)) + 1] = (
            [f"{options[place]}x{size}"] if place else ["--nodes", f"x{size}"]
        )
    if "HEADLESS" in slots and not line.has_form():
        options += ["-o", "text"]
    if {"BIND", "PORT", "SERVE"} & {*slots}:
        port, address = line.last("PORT", line.last("SERVE")), line.last("BIND")
        options += ["--listen", f"{address}:{port}" if address else port]


def _remaining(value: str) -> str:
    name, _, duration = value.rpartition("=")
    return f"remaining.{name}={duration}" if name else f"remaining={duration}"


def _put_kinds(line: _Line) -> None:
    words, slots = line.words, line.slots
    words[:] = [RENAMED.get(word, word) for word in words]
    words += slots.get("KIND", [])[:1] + slots.get("NAME", [])
    words += filter(None, (each.strip() for each in line.all("DRILLS").split(",")))
    if words[-1:] in (["settings"], ["workload"]) and len(words) > 2:
        words[:] = [",".join(words[:-1]), words[-1]]
    if "FORM" in slots:
        form = FORMS.get(line.last("FORM"), line.last("FORM"))
        line.options.extend(["-o", f"{form}:{line.last('FILE')}" if "FILE" in slots else form])
    if "STATE" in slots and "--at" not in line.options and len(words) == 1:
        words.append("state")
    if "picture" in words:
        words.remove("picture")
        words.insert(1, "picture")


def _of_web(words: list[str]) -> tuple[list[str], str]:
    own = _Line([], [], {}, [])
    while words and words[0].startswith("-"):
        flag, equals, value = words.pop(0).partition("=")
        if flag in _WEB and (equals or words):
            own.place(SHARED[flag], value if equals else words.pop(0))
        else:
            own.options.append(flag)
    _put_options(own)
    command, _ = _in_new_words(words or ["open"])
    acts = ["--acts"] * ("--acts" in own.options)
    return [*command, "--web", *acts, *(each for each in own.options if each != "--acts")], "web"
