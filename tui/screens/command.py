"""The language of `:`: verbs with words after them, read into the call of an action.

Every action of the registry is a verb by its id and by its title; some verbs take words (`kill 183354`, `speed 60`).
Nothing here acts: whoever reads a command runs the call.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from engine.compare import POLICIES
from engine.errors import nearest
from tui.actions import Action, changes_cluster
from tui.palettes import PALETTES
from tui.screens import command_words, submit_words
from tui.screens.command_words import Arguments, CommandError
from tui.screens.fault_questions import FAULTS
from tui.screens.queue_settings import QUEUE_SETTINGS
from tui.screens.submit import YARN_FORM, SubmitForm


class Names(NamedTuple):
    """The names a command may use now."""

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
        """True for a command that read-only mode refuses."""
        return changes_cluster(self.target)

    def call(self, words: Sequence[str]) -> str:
        """The call that it means with these words.

        Raises:
            CommandError: The words are not what the verb takes.
        """
        return _call(self.target, *self.read(words))


def _call(target: str, *arguments: str | float) -> str:
    return f"{target}({', '.join(map(repr, arguments))})"


def _submit_offers(names: Names) -> list[str]:
    return submit_words.offers(names.presets, names.queues, names.form)


ON_OFF = ("on", "off")
VERBS: tuple[CommandVerb, ...] = (
    CommandVerb(
        "kill",
        "kill APP ...",
        "kill applications",
        "application_acts.kill_named",
        command_words.some("application"),
        lambda n: n.applications,
        later=lambda n: n.applications,
    ),
    CommandVerb(
        "submit",
        "submit preset=NAME n=4 ...",
        "submit an application",
        "cluster_acts.submit_words",
        command_words.rest,
        _submit_offers,
        later=_submit_offers,
    ),
    CommandVerb(
        "move",
        "move APP ... QUEUE",
        "move applications",
        "application_acts.move_to",
        command_words.moved,
        lambda n: n.applications,
        later=lambda n: [*n.queues, *n.applications],
    ),
    CommandVerb(
        "priority",
        "priority [APP] N",
        "serve an application before others of its queue",
        "application_acts.set_priority",
        command_words.priority,
        lambda n: n.applications,
    ),
    CommandVerb(
        "drain",
        "drain NODE ...",
        "take nodes out",
        "node_acts.drain_named",
        command_words.some("node"),
        lambda n: n.nodes,
        later=lambda n: n.nodes,
    ),
    CommandVerb(
        "return",
        "return NODE ...",
        "bring nodes back",
        "node_acts.return_named",
        command_words.some("node"),
        lambda n: n.nodes,
        later=lambda n: n.nodes,
    ),
    CommandVerb(
        "resize",
        "resize NODE MEMORY VCORES",
        "change a node's size",
        "node_acts.resize_to",
        command_words.node_size,
        lambda n: n.nodes,
    ),
    CommandVerb("add", "add HOST MEMORY VCORES [RACK]", "add a node", "node_acts.add_named", command_words.new_node),
    CommandVerb(
        "label",
        "label NODE [PARTITION]",
        "move a node to a partition",
        "node_acts.label_as",
        command_words.node_label,
        lambda n: n.nodes,
        later=lambda n: n.partitions,
    ),
    CommandVerb(
        "twin", "twin [10m] [APP=forever]", "simulate what is watched", "program.make_twin", command_words.rest
    ),
    CommandVerb(
        "compare",
        "compare POLICY|KEY=VALUE ...",
        "the same run under other policies or settings",
        "program.compare",
        command_words.rest,
        lambda n: POLICIES,
        later=lambda n: POLICIES,
    ),
    CommandVerb("reload", "reload FILE", "load an allocation file", "cluster_acts.reload_from", command_words.path),
    CommandVerb(
        "preempt",
        "preempt on|off",
        "preemption",
        "cluster_acts.choose_preemption",
        command_words.chosen(ON_OFF),
        lambda n: ON_OFF,
    ),
    CommandVerb(
        "rule",
        "rule strict|limited|off",
        "reservation rule",
        "cluster_acts.choose_rule",
        command_words.chosen(("strict", "limited", "off")),
        lambda n: ("strict", "limited", "off"),
    ),
    CommandVerb(
        "spread",
        "spread on|off",
        "spread out",
        "cluster_acts.choose_spread_out",
        command_words.chosen(ON_OFF),
        lambda n: ON_OFF,
    ),
    CommandVerb(
        "fault",
        "fault rm_restart|...",
        "cause a failure of a ResourceManager, node manager or master",
        "cluster_acts.fault",
        command_words.fault,
        lambda n: list(FAULTS),
        later=lambda n: [*n.nodes, *n.applications],
    ),
    CommandVerb(
        "set",
        "set queue.PATH.KEY VALUE",
        "change a queue's setting",
        "cluster_acts.set_queue",
        command_words.queue_setting,
        lambda n: [f"queue.{path}.{key}" for path in n.queues for key in n.settings],
    ),
    CommandVerb(
        "why",
        "why APP|QUEUE|NODE",
        "why it waits, or who waits there",
        "inspection.why_named",
        command_words.one("application, queue or node"),
        lambda n: [*n.applications, *n.queues, *n.nodes],
    ),
    CommandVerb(
        "speed",
        "speed N|max",
        "speed of the clock",
        "clock.choose_speed",
        command_words.speed,
        lambda n: ("1", "10", "60", "600", "max"),
    ),
    CommandVerb(
        "theme",
        "theme NAME",
        "colours of the screen",
        "program.choose_theme",
        command_words.chosen(tuple(PALETTES)),
        lambda n: tuple(PALETTES),
    ),
    CommandVerb(
        "window",
        "window TIME",
        "time that pulse and graphs show",
        "time_scale.window",
        command_words.window,
        lambda n: ("10m", "1h", "6h", "all"),
    ),
    CommandVerb(
        "partition",
        "partition NAME",
        "queues' shares of a partition",
        "views.partition",
        command_words.one("partition"),
        lambda n: n.partitions,
    ),
    CommandVerb("goto", "goto TIME", "go to a time", "clock.travel", command_words.rest),
    CommandVerb("filter", "filter WORDS", "filter the pane", "filtering.by", command_words.rest, lambda n: n.fields),
    CommandVerb(
        "sort",
        "sort FIELD",
        "sort the pane",
        "sorting.by",
        command_words.one("field"),
        lambda n: [f.rstrip(":") for f in n.fields],
    ),
    CommandVerb("user", "user NAME", "applications of a user", "filtering.show", command_words.of_user),
)
"""Verbs that take words; those that act are off in read-only mode."""


def _panes(names: Names) -> dict[str, str]:
    """Name or abbreviation of a pane → the pane."""
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
