"""The language of `:`: verbs with words after them, read into the call of an action.

Every action of the registry is a verb by its id and by its title; some verbs take words (`kill 183354`, `speed 60`).
Nothing here acts: whoever reads a command runs the call.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from engine.errors import nearest
from engine.units import UnitError, parse_duration
from tui.keymap import Action, changes_cluster
from tui.palettes import PALETTES
from tui.screens import submit_words
from tui.screens.queue_settings import CAPACITY_SETTINGS, QUEUE_SETTINGS
from tui.screens.submit import YARN_FORM, SubmitForm


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
    form: SubmitForm = YARN_FORM
    absent: Collection[str] = ()
    """What this kind of cluster has no use for, by what it would call."""
    settings: Collection[str] = QUEUE_SETTINGS
    """What may be changed of a queue."""
    partitions: Sequence[str] = ()


Arguments = tuple[str | float | int, ...]


class CommandVerb(NamedTuple):
    """A verb that takes words."""

    name: str
    usage: str
    help: str
    target: str
    """What it calls: a part of the cluster screen and a method of it."""
    read: Callable[[Sequence[str]], Arguments]
    """The arguments of the call, from the words after the verb.

    Raises:
        CommandError: The words are not what the verb takes.
    """
    offers: Callable[[Names], Sequence[str]] = lambda names: ()
    """What can stand as its first word."""
    later: Callable[[Names], Sequence[str]] = lambda names: ()
    """What can stand after its first word."""

    @property
    def changes_cluster(self) -> bool:
        """Whether read-only mode takes it away."""
        return changes_cluster(self.target)

    def call(self, words: Sequence[str]) -> str:
        """The call that it means with these words.

        Raises:
            CommandError: The words are not what the verb takes.
        """
        return _call(self.target, *self.read(words))


def _call(target: str, *arguments: str | float) -> str:
    return f"{target}({', '.join(map(repr, arguments))})"


def _one(noun: str) -> Callable[[Sequence[str]], Arguments]:
    """One word."""

    def read(words: Sequence[str]) -> Arguments:
        if len(words) != 1:
            raise CommandError(f"one {noun} is wanted")
        return (words[0],)

    return read


def _chosen(options: Sequence[str]) -> Callable[[Sequence[str]], Arguments]:
    """One word out of a few."""

    def read(words: Sequence[str]) -> Arguments:
        if len(words) != 1 or words[0] not in options:
            raise CommandError(f"one of {', '.join(options)} is wanted")
        return (words[0],)

    return read


def _some(noun: str) -> Callable[[Sequence[str]], Arguments]:
    """One word or more."""

    def read(words: Sequence[str]) -> Arguments:
        if not words:
            raise CommandError(f"one {noun} or more are wanted")
        return (" ".join(words),)

    return read


def _rest(words: Sequence[str]) -> Arguments:
    """Any words."""
    return (" ".join(words),)


def _speed(words: Sequence[str]) -> Arguments:
    text = words[0].removeprefix("x") if len(words) == 1 else ""
    if text == "max":
        return (0.0,)
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if not 0 < speed <= 1_000_000:
        raise CommandError("a speed is wanted: 60, 0.5, or max for flat out; p stops the clock")
    return (speed,)


def _window(words: Sequence[str]) -> Arguments:
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


def _move(words: Sequence[str]) -> Arguments:
    if len(words) < 2:
        raise CommandError("an application and a queue are wanted")
    return " ".join(words[:-1]), words[-1]


def _set(words: Sequence[str]) -> Arguments:
    if len(words) < 2 or not words[0].startswith("queue.") or words[0].count(".") < 2:
        raise CommandError("queue.PATH.KEY and a value are wanted")
    path, key = _queue_key(words[0].removeprefix("queue."))
    return path, key, " ".join(words[1:])


def _queue_key(words: str) -> tuple[str, str]:
    """The path of a queue and the name of its setting; of names with dots in them, the whole."""
    dotted = next((key for key in CAPACITY_SETTINGS if "." in key and words.endswith(f".{key}")), "")
    path, label, rest = words.partition(".accessible-node-labels.")
    if label:
        return path, label[1:] + rest
    if dotted:
        return words.removesuffix(f".{dotted}"), dotted
    path, _, key = words.rpartition(".")
    return path, key


def _submit_offers(names: Names) -> list[str]:
    return submit_words.offers(names.presets, names.queues, names.form)


LEAST_WINDOW_MS, MOST_WINDOW_MS = 10_000, 366 * 86_400_000
"""How much of the time graphs may show."""


def _user(words: Sequence[str]) -> Arguments:
    return "applications", f"user:{''.join(words)}"


ON_OFF = ("on", "off")
VERBS: tuple[CommandVerb, ...] = (
    CommandVerb(
        "kill",
        "kill APP ...",
        "kill applications",
        "application_acts.kill_named",
        _some("application"),
        lambda n: n.applications,
        later=lambda n: n.applications,
    ),
    CommandVerb(
        "submit",
        "submit preset=NAME n=4 ...",
        "submit an application",
        "cluster_acts.submit_words",
        _rest,
        _submit_offers,
        later=_submit_offers,
    ),
    CommandVerb(
        "move",
        "move APP ... QUEUE",
        "move applications",
        "application_acts.move_to",
        _move,
        lambda n: n.applications,
        later=lambda n: [*n.queues, *n.applications],
    ),
    CommandVerb(
        "drain",
        "drain NODE ...",
        "take nodes out",
        "node_acts.drain_named",
        _some("node"),
        lambda n: n.nodes,
        later=lambda n: n.nodes,
    ),
    CommandVerb(
        "return",
        "return NODE ...",
        "bring nodes back",
        "node_acts.return_named",
        _some("node"),
        lambda n: n.nodes,
        later=lambda n: n.nodes,
    ),
    CommandVerb(
        "preempt", "preempt on|off", "preemption", "cluster_acts.choose_preemption", _chosen(ON_OFF), lambda n: ON_OFF
    ),
    CommandVerb(
        "rule",
        "rule strict|limited|off",
        "reservation rule",
        "cluster_acts.choose_rule",
        _chosen(("strict", "limited", "off")),
        lambda n: ("strict", "limited", "off"),
    ),
    CommandVerb(
        "spread", "spread on|off", "spread out", "cluster_acts.choose_spread_out", _chosen(ON_OFF), lambda n: ON_OFF
    ),
    CommandVerb(
        "set",
        "set queue.PATH.KEY VALUE",
        "change a queue's setting",
        "cluster_acts.set_queue",
        _set,
        lambda n: [f"queue.{path}.{key}" for path in n.queues for key in n.settings],
    ),
    CommandVerb(
        "why",
        "why APP|QUEUE|NODE",
        "why it waits, or who waits there",
        "inspection.why_named",
        _one("application, queue or node"),
        lambda n: [*n.applications, *n.queues, *n.nodes],
    ),
    CommandVerb(
        "speed",
        "speed N|max",
        "speed of the clock",
        "clock.choose_speed",
        _speed,
        lambda n: ("1", "10", "60", "600", "max"),
    ),
    CommandVerb(
        "theme",
        "theme NAME",
        "colours of the screen",
        "program.choose_theme",
        _chosen(tuple(PALETTES)),
        lambda n: tuple(PALETTES),
    ),
    CommandVerb(
        "window",
        "window TIME",
        "time that pulse and graphs show",
        "time_scale.window",
        _window,
        lambda n: ("10m", "1h", "6h", "all"),
    ),
    CommandVerb(
        "partition",
        "partition NAME",
        "queues' shares of a partition",
        "views.partition",
        _one("partition"),
        lambda n: n.partitions,
    ),
    CommandVerb("goto", "goto TIME", "go to a time", "clock.travel", _rest),
    CommandVerb("filter", "filter WORDS", "filter the pane", "filtering.by", _rest, lambda n: n.fields),
    CommandVerb(
        "sort", "sort FIELD", "sort the pane", "sorting.by", _one("field"), lambda n: [f.rstrip(":") for f in n.fields]
    ),
    CommandVerb("user", "user NAME", "applications of a user", "filtering.show", _user),
)
"""Verbs that take words; those that act are off in read-only mode."""


def _panes(names: Names) -> dict[str, str]:
    """What a pane may be called → the pane."""
    called = {name: name for name in names.panes}
    return {**called, "apps": "applications", "workers": "nodes", "executors": "containers"} if called else called


def verbs(registry: Sequence[Action], names: Names, *, read_only: bool) -> list[str]:
    """Everything a command may begin with."""
    here = [verb for verb in VERBS if verb.target not in names.absent]
    wordy = [verb.name for verb in here if not (read_only and verb.changes_cluster)]
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
        return _call("filtering.show", pane, " ".join(words))
    verb = next((one for one in VERBS if one.name == name), None)
    action = next((one for one in registry if name in (one.id, one.title)), None)
    if read_only and ((verb is not None and verb.changes_cluster) or (action is not None and action.changes_cluster)):
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
