"""The names of schedlab 1, understood for one release: old words become new ones by tables, and one line says so.

An old option is (how many words follow it, what stands in its place); `{}` is its value. What is in its place without
a dash is a word of the command, put behind those that are given; what begins with `@` is put together with others.
"""

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from engine.errors import ConfigError, Problem
from tui.cli.options import OPTIONS, SHORT
from tui.cli.verbs import VERBS

Place = tuple[int, tuple[str, ...]]


def _flag(*words: str) -> Place:
    return 0, words


def _value(*words: str) -> Place:
    return 1, words


def _setting(key: str) -> Place:
    return 1, ("-c", f"{key}={{}}")


SHARED: Final[Mapping[str, Place]] = {
    "--json": _flag("-o", "json"),
    "--csv": _flag("-o", "csv"),
    "--screen": _flag("-o", "screen"),
    "--toml": _flag("-o", "toml"),
    "--report": _value("-o", "html:{}"),
    "--runs": _setting("runs_folder"),
    "--history": _setting("history_folder"),
    "--theme": _setting("theme"),
    "--confirm": _setting("confirm"),
    "--save-folder": _setting("save_folder"),
    "--keep-for": _setting("keep_for"),
    "--keep-as": _value("--keep", "{}"),
    "--fair-scheduler": _value("--config", "{}"),
    "--capacity-scheduler": _value("--config", "{}"),
    "--yarn-site": _value("--config", "{}"),
    "--scheduler": _value("--set", "scheduler={}"),
    "--remaining": _value("@remaining", "{}"),
    "--no-ascii": _flag("-c", "ascii=false"),
    "--no-paused": _flag("-c", "paused=false"),
    "--no-read-only": _flag("-c", "read_only=false"),
    "--alerts": _flag("-c", "alerts=true"),
    "--no-alerts": _flag("-c", "alerts=false"),
    "--host": _setting("hosts"),
    "--visitors": _setting("web.visitors"),
    "--idle": _setting("web.idle"),
    "--memory": _setting("web.memory"),
    "--point-seconds": _setting("tune.point_seconds"),
    "--point-memory": _setting("tune.point_memory"),
    "--era": _value("--release", "{}"),
    "--bind": _value("@bind", "{}"),
    "--port": _value("@port", "{}"),
}
"""Old options that mean the same wherever they were taken."""

_SWEPT: Final[Mapping[str, Place]] = {
    "--resume": _value("@source", "{}"),
    "-o": _value("-o", "sweep:{}"),
    "--output": _value("-o", "sweep:{}"),
}
_LINES: Final[Mapping[str, Place]] = {"--json": _flag("-o", "jsonl")}
_INTO: Final[Mapping[str, Place]] = {"-o": _value("@file", "{}"), "--output": _value("@file", "{}")}


class Old(NamedTuple):
    """An old command, or a command that had other options."""

    new: str  # The command in its place
    options: Mapping[str, Place] = {}
    behind: tuple[str, ...] = ()  # Words put behind those given, e.g. a KIND behind SOURCE
    unless_formed: tuple[str, ...] = ()  # What is added where no form is asked for
    always: tuple[str, ...] = ()  # Options that are added


OLD: Final[Mapping[str, Old]] = {
    "why": Old(
        "why",
        {
            "--app": _value("app/{}"),
            "--queue": _value("queue/{}"),
            "--node": _value("node/{}"),
            "--remedies": _flag("@remedies"),
        },
    ),
    "fix": Old("fix", {"--app": _value("{}")}),
    "play": Old(
        "play",
        {
            **_LINES,
            "--journal": _value("-o", "journal:{}"),
            "--rm-log": _value("-o", "rm-log:{}"),
            "--apps-json": _value("-o", "rest:{}"),
        },
    ),
    "open": Old("open", {"--journal": _value("-o", "journal:{}")}),
    "demo": Old("demo", {"--again": _flag("-c", "hints=true")}),
    "compare": Old("compare", {"--with": _value("{}"), "--from-log": _value("@source", "{}")}),
    "sweep": Old(
        "tune",
        {
            **_SWEPT,
            "--policy": _value("@policy", "{}"),
            "--tune": _value("--goal", "{}", "@trials", "50"),
            "--trials": _value("@trials", "{}"),
        },
    ),
    "size": Old(
        "tune",
        {
            **_SWEPT,
            "--wait": _value("--limit", "{}"),
            "--goal": _value("--limit", "{}"),
            "--vary": _value("--smallest", "{}"),
            "--until-seconds": _value("--until", "{}"),
            "--plain": _flag("@plain"),
            "--strained": _flag(),
        },
        always=("--strained",),
    ),
    "snapshot": Old("get", {"--section": _value("{}")}, behind=("@state",)),
    "picture": Old("get", {"--pane": _value("{}"), "--why": _value("{}")}, ("picture",)),
    "workload describe": Old("get", {}, ("workload",)),
    "workload export": Old("get", {**_INTO, "--as": _value("@form", "{}")}, ("workload",), ("@form", "sls")),
    "scenario list": Old("get", _LINES),
    "scenario show": Old("get", {"--json": _flag("scenario", "-o", "json"), "--toml": _flag("scenario", "-o", "toml")}),
    "scenario check": Old("check", _LINES),
    "scenario schema": Old("check", {"--drill": _flag("@drill")}, always=("--schema", "scenario")),
    "config": Old("get", {"--check": _value("@check", "{}"), "--witness": _value("@witness", "{}")}, ("settings",)),
    "twin": Old(
        "get", {"-o": _value("-o", "toml:{}"), "--output": _value("-o", "toml:{}")}, ("scenario",), ("-o", "toml")
    ),
    "runs list": Old("runs", _LINES),
    "runs show": Old("get"),
    "runs open": Old("open"),
    "runs delete": Old("runs rm"),
    "runs export": Old(
        "get",
        {**_INTO, "--run": _flag("@kind", "scenario", "@form", "json"), "--series": _value("@series", "{}")},
        unless_formed=("@kind", "events", "@form", "jsonl"),
    ),
    "watch": Old("watch", {"--headless": _flag("-o", "jsonl"), "--metrics": _value("--listen", "{}")}),
    "serve": Old("serve", {"--token": _value("@token", "{}"), "--no-token": _flag("-c", "serve.open=true")}),
    "import": Old(
        "import",
        {
            "--policy": _value("--set", "scheduler={}"),
            "--container": _value("--assume", "container={}"),
            "--split": _value("--assume", "split={}"),
            "--map-rate": _value("--assume", "map_rate={}"),
            "--reduce-rate": _value("--assume", "reduce_rate={}"),
            "--processors": _value("--assume", "processors={}"),
            "--node-size": _value("@node-size", "{}"),
        },
    ),
    "attach": Old("drill join"),
    "instruct": Old("drill join", {"--list": _flag("@seats")}, always=("--instruct",)),
    "drill list": Old("drill list", _LINES),
    "drill check": Old("check", {**_LINES, "--vary": _value("--seeds", "{}")}),
    "drill words": Old("drill show", _LINES),
    "drill from": Old("drill new", {"--around": _value("--at", "{}")}),
    "drill history": Old("drill list", _LINES),
    "drill next": Old("drill list", _LINES),
    "drill bench": Old("drill play", _LINES, always=("--agent", "idle")),
    "drill replay": Old(
        "drill report",
        {
            "--best": _flag("@try", "best"),
            "--par": _flag("@try", "par"),
            "--debrief": _value("-o", "{}"),
        },
        unless_formed=("@try", "last"),
    ),
    "drill play": Old(
        "drill play",
        {
            **_LINES,
            "--headless": _flag("@headless"),
            "--acts": _value("--steps", "{}"),
            "--vary": _value("--seed", "{}"),
            "--serve": _flag("@serve"),
            "--rm-log": _value("-o", "rm-log:{}"),
            "--debrief": _value("-o", "{}"),
        },
    ),
    "drill report": Old(
        "drill report",
        {"--csv": _value("-o", "csv:{}"), "--html": _value("-o", "html:{}"), "--drills": _value("@names", "{}")},
    ),
}
"""Old command, or command that had other options → what it is now."""

SECTIONS: Final = {"applications": "apps"}
FORMS: Final = {"apps": "rest"}  # Old name of a form of a workload → its name
SCREENS: Final = ("open", "demo", "tour", "drill", "watch", "attach")  # What `web` showed
_WEB: Final = {name: SHARED[name] for name in ("--bind", "--port", "--host", "--visitors", "--idle", "--memory")}


class _Words(NamedTuple):
    """A command line while it is put into new words."""

    words: list[str]
    options: list[str]
    parts: dict[str, list[str]]  # What is put together: name behind its `@` → values
    seen: list[str]  # Old options that were found

    def has_form(self) -> bool:
        """True where `-o` is among the options."""
        return "-o" in self.options or "--output" in self.options or "form" in self.parts

    def place(self, template: Sequence[str], values: Sequence[str]) -> None:
        """Put words in the place of an old option."""
        left = [each.format(*values) if "{" in each else each for each in template]
        while left:
            word = left.pop(0)
            if word.startswith("@"):
                takes = bool(left) and not left[0].startswith(("@", "-"))
                self.parts.setdefault(word[1:], []).append(left.pop(0) if takes else "")
            elif word.startswith("-"):
                self.options.append(word)
                if _takes(word) and left:
                    self.options.append(left.pop(0))
            else:
                self.words.append(word)


def aliased(words: Sequence[str]) -> list[str]:
    """A command line in today's words; where it was in old ones, a line on stderr says so.

    What means another thing today is refused, with both ways to write it.
    """
    _check_changed(words)
    new = _in_new_words(list(words))
    if new is None:
        return list(words)
    from tui.cli.talk import warn  # noqa: PLC0415 -- only who uses an old name is told

    warn(f'schedlab: "{_said(words)}" is now "{shlex.join(new)}"; it goes in 3.0')
    return new


def _said(words: Sequence[str]) -> str:
    name = " ".join(words[:2])
    old = next((word.partition("=")[0] for word in words if _is_old_option(words, word)), "")
    is_command = (
        (name in OLD and name not in VERBS)
        or (words[0] in OLD and words[0] not in VERBS)
        or words[0] in ("web", "yarn")
    )
    return (name if name in OLD else words[0]) if is_command else old or words[0]


def _is_old_option(words: Sequence[str], word: str) -> bool:
    entry = OLD.get(" ".join(words[:2])) or OLD.get(words[0])
    flag = word.partition("=")[0]
    return flag.startswith("-") and (
        flag in SHARED or flag == "--keep" or (entry is not None and flag in entry.options)
    )


def _check_changed(words: Sequence[str]) -> None:
    for place, word in enumerate(words):
        flag, _, value = word.partition("=")
        value = value or (words[place + 1] if place + 1 < len(words) else "")
        if flag == "--config" and value.endswith(".toml"):
            hint = f"SCHEDLAB_SETTINGS={value} names a settings file"
            raise ConfigError([Problem(f"{value} is no Hadoop or Spark file", key="--config", hint=hint)])
        if flag == "--config" and words[0] == "compare":
            hint = f"compare SOURCE {value}; or get SOURCE --config {value} -o x.toml, then compare x.toml OTHER"
            raise ConfigError(
                [Problem("was what is compared, and is now what SOURCE is read with", key="--config", hint=hint)]
            )


def _in_new_words(words: list[str]) -> list[str] | None:
    """The same in today's words; None where it is already."""
    if words[0] == "web":
        return _of_web(words[1:])
    if words[0] == "yarn":
        return ["drill", *words]
    name = " ".join(words[:2]) if " ".join(words[:2]) in OLD else words[0]
    entry = OLD.get(name) or (Old(name) if name in VERBS else None)
    if entry is None:
        entry, name = (Old(" ".join(words[:2])), " ".join(words[:2])) if " ".join(words[:2]) in VERBS else (None, name)
    if entry is None or (name == "runs" and words[1:2] == ["runs"]):
        return None
    found = _Words([], [], {}, [])
    _read(entry, words[len(name.split()) :], found, is_same=name == entry.new)
    if entry.new in ("open", "watch") and len(found.words) > 1:  # the files of one log, the servers of a pair
        found.words[:] = [",".join(found.words)]
        found.seen.append(entry.new)
    if name == entry.new and not found.seen:
        return None
    found.place(entry.behind, ())
    if name == "drill check" and not found.words:
        found.words.append("drills")
    if not found.has_form():
        found.place(entry.unless_formed, ())
    found.options.extend(entry.always)
    new = _put_together(entry.new, found)
    return [*new.split(), *found.words, *found.options]


def _read(entry: Old, left: list[str], found: _Words, *, is_same: bool) -> None:
    """Go through the words of a command; what is no old option stays as it is."""
    while left:
        word = left.pop(0)
        flag, equals, value = word.partition("=")
        known = entry.options.get(flag) or (None if _is_taken(entry.new, flag) else SHARED.get(flag))
        if flag in ("-o", "--output") and is_same:
            known = None
        if not word.startswith("-") or word == "-":
            found.words.append(word)
        elif flag == "--keep" and not equals and (not left or left[0].startswith("-")):
            found.options.extend(("--keep", "auto"))
            found.seen.append(flag)
        elif flag == "--between" and len(left) > 1 and ".." not in left[0]:
            found.options.extend(("--between", f"{left.pop(0)}..{left.pop(0)}"))
            found.seen.append(flag)
        elif known is None:
            found.options.append(word)
            if _takes(flag) and not equals and left and len(word.lstrip("-")) == len(flag.lstrip("-")):
                found.options.append(left.pop(0))
        else:
            found.seen.append(flag)
            takes, template = known
            values = [value] if equals else [left.pop(0) for _ in range(min(takes, len(left)))]
            if takes and not values:
                values = [""]
            found.place(template, values)


def _is_taken(verb: str, flag: str) -> bool:
    return verb in VERBS and flag.lstrip("-") in VERBS[verb].options


def _takes(flag: str) -> bool:
    option = OPTIONS.get(flag[2:]) if flag.startswith("--") else SHORT.get(flag[1:2])
    return option is not None and bool(option.takes)


def _put_together(new: str, found: _Words) -> str:
    """Write what is put together of several old options; the command, where they change it."""
    parts, options, words = found.parts, found.options, found.words
    if "source" in parts:
        words.insert(0, ",".join(parts["source"]))
    _put_options_together(found)
    for each in parts.get("remaining", ()):
        name, _, value = each.rpartition("=")
        options += ["--assume", f"remaining.{name}={value}" if name else f"remaining={value}"]
    _put_kinds_together(found)
    _put_places_together(found)
    if "check" in parts or "witness" in parts:
        words[:] = [*parts.get("check", ()), *(word for word in words if word != "settings")]
        options += ["-o", f"witness:{parts['witness'][-1]}"] if "witness" in parts else []
        return "check"
    if "remedies" in parts and any(word.startswith("app/") for word in words):
        words[:] = [word.removeprefix("app/") for word in words]
        return "fix"
    return "drill list" if "seats" in parts else new


def _put_options_together(found: _Words) -> None:
    parts, options, words = found.parts, found.options, found.words
    if "policy" in parts:
        options += ["--vary", f"scheduler={','.join(parts['policy'])}"]
    if "trials" in parts:
        options += ["--search", parts["trials"][-1]]
    if "plain" in parts:
        options.remove("--strained")
    if "drill" in parts:
        options[options.index("scenario")] = "drill"
    if "try" in parts:
        options += ["--try", parts["try"][0]]
    if "names" in parts:
        words += [each.strip() for names in parts["names"] for each in names.split(",") if each.strip()]
    if "token" in parts:
        if not parts["token"][-1].strip():
            raise ConfigError([Problem("a token is at least one ASCII letter, digit or sign", key="--token")])
        os.environ["SCHEDLAB_TOKEN"] = parts["token"][-1]


def _put_kinds_together(found: _Words) -> None:
    parts, words = found.parts, found.words
    words[:] = [SECTIONS.get(word, word) for word in words]
    if "series" in parts:
        words += ["series", *parts["series"]]
        parts["form"] = ["csv"]
    elif "kind" in parts:
        words.append(parts["kind"][0])
    if "settings" in words and len(words) > 2:
        words[:] = [",".join(words[:-1]), "settings"]
    if words[-1:] == ["workload"] and len(words) > 2:
        words[:] = [",".join(words[:-1]), "workload"]
    if "form" in parts:
        form = FORMS.get(parts["form"][0], parts["form"][0])
        found.options.extend(["-o", f"{form}:{parts['file'][-1]}" if "file" in parts else form])
    if "state" in parts and "--at" not in found.options and len(words) == 1:
        words.append("state")
    if "picture" in words:
        words.remove("picture")
        words.insert(1, "picture")


def _put_places_together(found: _Words) -> None:
    parts, options = found.parts, found.options
    if "node-size" in parts:
        memory, _, vcores = parts["node-size"][-1].partition(",")
        size = f"{memory}/{vcores}" if vcores else memory
        if "--nodes" in options:
            place = options.index("--nodes") + 1
            options[place] = f"{options[place]}x{size}"
        else:
            options += ["--nodes", f"x{size}"]
    if "headless" in parts and not found.has_form():
        options += ["-o", "text"]
    if "bind" in parts or "port" in parts or "serve" in parts:
        port = parts.get("port", ["0" if "serve" in parts else ""])[-1]
        address = parts.get("bind", [""])[-1]
        options += ["--listen", f"{address}:{port}" if address else port]


def _of_web(words: list[str]) -> list[str]:
    """`web [OPTIONS] COMMAND …` as `COMMAND … --web`."""
    own = _Words([], [], {}, [])
    acts: list[str] = []
    while words and words[0].startswith("-"):
        flag, equals, value = words.pop(0).partition("=")
        if flag == "--acts":
            acts = ["--acts"]
        elif flag in _WEB and (equals or words):
            own.place(_WEB[flag][1], [value if equals else words.pop(0)])
        else:
            own.options.append(flag)
    _put_places_together(own)
    command = words or ["open"]
    return [*(_in_new_words(command) or command), "--web", *acts, *own.options]
