"""The language of `:`: verbs with words after them, read into the call of an action.

Every action of the registry is a verb by its id and by its title; some verbs take words (`kill 183354`, `speed 60`).
Nothing here acts: whoever reads a command runs the call.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.errors import nearest
from engine.units import UnitError, parse_duration
from tui.keymap import Action
from tui.palettes import PALETTES
from tui.screens import submit_words
from tui.screens.queue_settings import QUEUE_SETTINGS


class CommandError(ValueError):
    """What is wrong with a command, in words."""


class Names(NamedTuple):
    """What can be named in a command now."""

    panes: Sequence[str] = ()
    applications: Sequence[str] = ()
    queues: Sequence[str] = ()
    nodes: Sequence[str] = ()
    fields: Sequence[str] = ()
    presets: Sequence[str] = ()
    is_standalone: bool = False


class Verb(NamedTuple):
    """A verb that takes words."""

    name: str
    usage: str
    help: str
    call: Callable[[Sequence[str]], str]
    """The call of an action, from the words after the verb.

    Raises:
        CommandError: The words are not what the verb takes.
    """
    offers: Callable[[Names], Sequence[str]] = lambda names: ()
    """What can stand as its first word."""
    acts: bool = False
    later: Callable[[Names], Sequence[str]] = lambda names: ()
    """What can stand after its first word."""


def _one(action: str, noun: str) -> Callable[[Sequence[str]], str]:
    """A verb of one word."""

    def call(words: Sequence[str]) -> str:
        if len(words) != 1:
            raise CommandError(f"one {noun} is wanted")
        return f"{action}({words[0]!r})"

    return call


def _chosen(action: str, options: Sequence[str]) -> Callable[[Sequence[str]], str]:
    """A verb of one word out of a few."""

    def call(words: Sequence[str]) -> str:
        if len(words) != 1 or words[0] not in options:
            raise CommandError(f"one of {', '.join(options)} is wanted")
        return f"{action}({words[0]!r})"

    return call


def _some(action: str, noun: str) -> Callable[[Sequence[str]], str]:
    """A verb of one word or more."""

    def call(words: Sequence[str]) -> str:
        if not words:
            raise CommandError(f"one {noun} or more are wanted")
        return f"{action}({' '.join(words)!r})"

    return call


def _rest(action: str) -> Callable[[Sequence[str]], str]:
    """A verb of any words."""
    return lambda words: f"{action}({' '.join(words)!r})"


def _speed(words: Sequence[str]) -> str:
    text = words[0].removeprefix("x") if len(words) == 1 else ""
    if text == "max":
        return "choose_speed(0.0)"
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= 1_000_000:
        raise CommandError("a speed is wanted: 60, 0.5 or max")
    return f"choose_speed({speed})"


def _window(words: Sequence[str]) -> str:
    text = words[0] if len(words) == 1 else ""
    if text == "all":
        return "choose_window(0)"
    try:
        length_ms = parse_duration(text)
    except UnitError:
        length_ms = 0
    if not LEAST_WINDOW_MS <= length_ms <= MOST_WINDOW_MS:
        raise CommandError("one like 10m, 1h or all is wanted")
    return f"choose_window({length_ms})"


def _move(words: Sequence[str]) -> str:
    if len(words) < 2:
        raise CommandError("an application and a queue are wanted")
    return f"move_to({' '.join(words[:-1])!r}, {words[-1]!r})"


def _set(words: Sequence[str]) -> str:
    if len(words) < 2 or not words[0].startswith("queue.") or words[0].count(".") < 2:
        raise CommandError("queue.PATH.KEY and a value are wanted")
    path, _, key = words[0].removeprefix("queue.").rpartition(".")
    return f"set_queue({path!r}, {key!r}, {' '.join(words[1:])!r})"


def _submit_offers(names: Names) -> list[str]:
    return submit_words.offers(names.presets, names.queues, is_standalone=names.is_standalone)


LEAST_WINDOW_MS, MOST_WINDOW_MS = 10_000, 366 * 86_400_000
"""How much of the time graphs may show."""

ON_OFF = ("on", "off")
VERBS: tuple[Verb, ...] = (
    Verb(
        "kill",
        "kill APP ...",
        "kill applications",
        _some("kill_named", "application"),
        lambda n: n.applications,
        acts=True,
        later=lambda n: n.applications,
    ),
    Verb(
        "submit",
        "submit preset=NAME n=4 ...",
        "submit an application",
        _rest("submit_words"),
        _submit_offers,
        acts=True,
        later=_submit_offers,
    ),
    Verb(
        "move",
        "move APP ... QUEUE",
        "move applications",
        _move,
        lambda n: n.applications,
        acts=True,
        later=lambda n: [*n.queues, *n.applications],
    ),
    Verb(
        "drain",
        "drain NODE ...",
        "take nodes out",
        _some("drain_named", "node"),
        lambda n: n.nodes,
        acts=True,
        later=lambda n: n.nodes,
    ),
    Verb(
        "return",
        "return NODE ...",
        "bring nodes back",
        _some("return_named", "node"),
        lambda n: n.nodes,
        acts=True,
        later=lambda n: n.nodes,
    ),
    Verb("preempt", "preempt on|off", "preemption", _chosen("choose_preemption", ON_OFF), lambda n: ON_OFF, acts=True),
    Verb(
        "rule",
        "rule strict|limited|off",
        "reservation rule",
        _chosen("choose_rule", ("strict", "limited", "off")),
        lambda n: ("strict", "limited", "off"),
        acts=True,
    ),
    Verb("spread", "spread on|off", "spread out", _chosen("choose_spread_out", ON_OFF), lambda n: ON_OFF, acts=True),
    Verb(
        "set",
        "set queue.PATH.KEY VALUE",
        "change a queue's setting",
        _set,
        lambda n: [f"queue.{path}.{key}" for path in n.queues for key in QUEUE_SETTINGS],
        acts=True,
    ),
    Verb(
        "why",
        "why APP|QUEUE|NODE",
        "why it waits, or who waits there",
        _one("why_named", "application, queue or node"),
        lambda n: [*n.applications, *n.queues, *n.nodes],
    ),
    Verb("speed", "speed N|max", "speed of the clock", _speed, lambda n: ("1", "10", "60", "600", "max")),
    Verb(
        "theme",
        "theme NAME",
        "colours of the screen",
        _chosen("choose_theme", tuple(PALETTES)),
        lambda n: tuple(PALETTES),
    ),
    Verb("window", "window TIME", "time graphs show", _window, lambda n: ("10m", "1h", "6h", "all")),
    Verb("goto", "goto TIME", "go to a time", _rest("go_to_time")),
    Verb("filter", "filter WORDS", "filter the pane", _rest("filter_by"), lambda n: n.fields),
    Verb("sort", "sort FIELD", "sort the pane", _one("sort_by", "field"), lambda n: [f.rstrip(":") for f in n.fields]),
    Verb(
        "user", "user NAME", "applications of a user", lambda words: _show(["applications", "user:" + "".join(words)])
    ),
)
"""Verbs that take words; those that act are off in read-only mode."""


def _show(words: Sequence[str]) -> str:
    """Go to a pane, with what follows as its filter."""
    return f"show_filtered({words[0]!r}, {' '.join(words[1:])!r})"


def _panes(names: Names) -> dict[str, str]:
    """What a pane may be called → the pane."""
    called = {name: name for name in names.panes}
    return {**called, "apps": "applications", "workers": "nodes", "executors": "containers"} if called else called


def verbs(registry: Sequence[Action], names: Names, *, read_only: bool) -> list[str]:
    """Everything a command may begin with."""
    wordy = [verb.name for verb in VERBS if not (read_only and verb.acts)]
    plain = [action.id for action in registry if not (read_only and action.changes_cluster)]
    return list(dict.fromkeys([*_panes(names), *wordy, *plain]))


def parse(line: str, registry: Sequence[Action], names: Names, *, read_only: bool = False) -> str:
    """The call of an action that a line means.

    Raises:
        CommandError: The verb is unknown, its words are wrong, or it acts in read-only mode.
    """
    name, *words = line.split() or [""]
    pane = _panes(names).get(name)
    if pane is not None:
        return _show([pane, *words])
    verb = next((one for one in VERBS if one.name == name), None)
    action = next((one for one in registry if name in (one.id, one.title)), None)
    if read_only and ((verb is not None and verb.acts) or (action is not None and action.changes_cluster)):
        raise CommandError("read-only: nothing here changes the cluster")
    if verb is not None and (words or action is None):
        try:
            return verb.call(words)
        except CommandError as error:
            raise CommandError(f"{verb.usage}: {error}") from None
    if action is not None and not words:
        return action.call
    if action is not None:
        raise CommandError(f"{name} takes no words")
    hint = nearest(name, verbs(registry, names, read_only=read_only))
    raise CommandError(f"no command {name!r}" + f"; {hint or 'tab lists them'}")


def completions(line: str, registry: Sequence[Action], names: Names, *, read_only: bool = False) -> list[str]:
    """Lines that begin as this one and are longer by one word."""
    head, space, last = line.rpartition(" ")
    if not space:
        return [one for one in verbs(registry, names, read_only=read_only) if one.startswith(line)]
    name, *before = head.split() or [""]
    if name in _panes(names):
        offers: Sequence[str] = names.fields
    else:
        verb = next((one for one in VERBS if one.name == name), None)
        offers = () if verb is None else verb.later(names) if before else verb.offers(names)
    offers = [one for one in offers if one not in before]
    return [f"{head} {one}" for one in offers if one.startswith(last)]
