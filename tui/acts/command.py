"""The language of `:`: one table of verbs, read into the calls of actions.

The usage of a verb is its grammar: `move APP ... QUEUE` takes one application or more, then a queue; a word in `[ ]`
may be left out; `on|off` is one of those. What may stand at a place, and what is said where it does not fit, follows
from that. Every action of the registry is a verb too, by its id and title. Nothing here acts: the reader of a command
runs the call.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.widgets import Input

from engine.errors import nearest
from engine.observe.snapshots import translate_terms
from engine.scenario.scenario import POLICIES
from engine.settings.capacity import CAPACITY_34
from engine.settings.table import LABELS
from engine.units import UnitError, parse_duration, parse_memory
from tui.actions import APP, Action, changes_cluster
from tui.acts.cluster import FAULTS
from tui.acts.shell_verbs import KINDS
from tui.board.board import BoardScreen
from tui.dialogs import submit as submit_words
from tui.dialogs.queue import QUEUE_SETTINGS
from tui.dialogs.submit import YARN_FORM, SubmitForm
from tui.keymap import actions, spelled
from tui.panes.partition import DEFAULT, partition_name, partitions_of
from tui.terminal import format as text
from tui.terminal.palettes import PALETTES
from tui.widgets.prompt import Prompt

Words = Sequence[str]
Argument = str | float | int
Offers = Callable[["Names"], Words]
MOST_VCORES: Final = 2**31 - 1  # what Hadoop's int can hold
LEAST_WINDOW_MS, MOST_WINDOW_MS = 10_000, 366 * 86_400_000  # how much of the time graphs may show


class CommandError(ValueError):
    """A mistake in a command, in words."""


class Names(NamedTuple):
    panes: Mapping[str, str] = MappingProxyType({})  # what a pane may be called → its name
    applications: Words = ()
    queues: Words = ()
    nodes: Words = ()
    fields: Words = ()
    presets: Words = ()
    form: SubmitForm = YARN_FORM
    absent: Collection[str] = ()  # what this kind of cluster has no use for, by what it would call
    settings: Collection[str] = QUEUE_SETTINGS  # what may be changed of a queue
    partitions: Words = ()


def _vcores(word: str) -> int:
    if not (word.isascii() and word.isdigit()) or int(word) > MOST_VCORES:
        raise CommandError("a number of vcores is wanted")
    return int(word)


def _memory(word: str) -> int:
    try:
        return parse_memory(word)
    except UnitError as error:
        raise CommandError(str(error)) from None


def _priority(word: str) -> int:
    if not word.isdecimal() or len(word) > 9:
        raise CommandError("an application and a whole number are wanted")
    return int(word)


READ: Final[Mapping[str, Callable[[str], Argument]]] = {
    "MEMORY": _memory,
    "VCORES": _vcores,
    "N": _priority,
    "[PARTITION]": lambda word: "" if word == DEFAULT else word,
}  # Place in a usage → how its word is read; any other word stays as it is
OFFERS: Final[Mapping[str, Offers]] = {
    "APP": lambda names: names.applications,
    "[APP]": lambda names: names.applications,
    "QUEUE": lambda names: names.queues,
    "NODE": lambda names: names.nodes,
    "[PARTITION]": lambda names: names.partitions,
    "FIELD": lambda names: [field.rstrip(":") for field in names.fields],
    "WORDS": lambda names: names.fields,
    "POLICY|KEY=VALUE": lambda names: POLICIES,
    "APP|QUEUE|NODE": lambda names: [*names.applications, *names.queues, *names.nodes],
    "queue.PATH.KEY": lambda names: [f"queue.{path}.{key}" for path in names.queues for key in names.settings],
}  # Place in a usage → what may stand there
CALLED: Final = {"APP": "application", "NODE": "node", "FIELD": "field", "APP|QUEUE|NODE": "application, queue or node"}


def _rest(words: Words) -> tuple[Argument, ...]:
    return (" ".join(words),)


def _path(words: Words) -> tuple[Argument, ...]:
    if not words:
        raise CommandError("the path of a fair-scheduler.xml is wanted")
    return _rest(words)


def _speed(words: Words) -> tuple[Argument, ...]:
    word = words[0].removeprefix("x") if len(words) == 1 else ""
    try:
        speed = 0.0 if word == "max" else float(word)
    except ValueError:
        speed = -1.0
    if not 0 <= speed <= 1_000_000:
        raise CommandError("a speed is wanted: 60, 0.5, or max (also 0) for flat out")
    return (speed,)


def _window(words: Words) -> tuple[Argument, ...]:
    word = words[0] if len(words) == 1 else ""
    if word == "all":
        return (0,)
    try:
        length_ms = parse_duration(word)
    except UnitError:
        length_ms = 0
    if not LEAST_WINDOW_MS <= length_ms <= MOST_WINDOW_MS:
        raise CommandError("one like 10m, 1h or all is wanted")
    return (length_ms,)


def _fault(words: Words) -> tuple[Argument, ...]:
    kind, whom = " ".join(words[:1]), " ".join(words[1:])
    if kind not in FAULTS:
        raise CommandError(f"one of {', '.join(FAULTS)} is wanted")
    names = FAULTS[kind].whom
    if bool(names) is not bool(whom):
        raise CommandError(f"{kind} takes {f'the name of one {names}' if names else 'no name'}")
    return kind, whom


def _queue_setting(words: Words) -> tuple[Argument, ...]:
    if len(words) < 2 or not words[0].startswith("queue.") or words[0].count(".") < 2:
        raise CommandError("queue.PATH.KEY and a value are wanted")
    place, value = words[0].removeprefix("queue."), " ".join(words[1:])
    dotted = next((key for key in CAPACITY_34.live if "." in key and place.endswith(f".{key}")), "")
    path, label, rest = place.partition(f".{LABELS}.")
    if label:
        return path, label[1:] + rest, value
    if dotted:
        return place.removesuffix(f".{dotted}"), dotted, value
    path, _, key = place.rpartition(".")
    return path, key, value


def _kind(words: Words) -> tuple[Argument, ...]:
    rest, file = list(words), ""
    place = next((place for place, word in enumerate(rest) if word.startswith("-o")), None)
    if place is not None:
        file = rest.pop(place).removeprefix("-o") or (rest.pop(place) if place < len(rest) else "")
        if not file:
            raise CommandError("-o takes a file: picture.svg, csv:apps.csv")
    if not rest:
        raise CommandError(f"one of {', '.join(KINDS)} is wanted")
    return rest[0], " ".join(rest[1:]), file


def _in_shell(verb: str) -> Callable[[Words], tuple[Argument, ...]]:
    return lambda words: (verb, " ".join(words))


def _theme(words: Words) -> tuple[Argument, ...]:
    if len(words) != 1 or words[0] not in PALETTES:
        raise CommandError(f"one of {', '.join(PALETTES)} is wanted")
    return tuple(words)


class CommandVerb(NamedTuple):
    usage: str
    help: str
    target: str  # what it calls: a part of the cluster screen and a method of it
    wanted: str = ""  # said where the words are too few or too many
    reads: Callable[[Words], tuple[Argument, ...]] | None = None  # in place of the usage
    first: Offers | None = None  # what can stand as its first word, where the usage does not say it
    later: Offers | None = None  # … and after that

    @property
    def name(self) -> str:
        return self.usage.split()[0]

    @property
    def places(self) -> list[str]:
        return [place for place in self.usage.split()[1:] if place != "..."]

    @property
    def changes_cluster(self) -> bool:
        return changes_cluster(self.target)

    def call(self, words: Words) -> str:
        """The call that it means with these words; a `CommandError` where they are not what it takes."""
        return _call(self.target, *self.read(words))

    def read(self, words: Words) -> tuple[Argument, ...]:
        if self.reads is not None:
            return self.reads(words)
        tokens, places = self.usage.split()[1:], self.places
        many = next((place for place, after in pairwise(tokens) if after == "..."), "")
        spare = len(words) - sum(place[0] != "[" for place in places)
        if spare < 0 or (not many and len(words) > len(places)):
            raise CommandError(self._wanted(places, many))
        found: list[Argument] = []
        rest = list(words)
        for place in places:
            takes = 1 + spare if place == many else min(1, spare) if place[0] == "[" else 1
            spare -= takes - (place[0] != "[")
            word, rest = " ".join(rest[:takes]), rest[takes:]
            if "|" in place and place not in OFFERS and word not in place.split("|"):
                raise CommandError(self._wanted(places, many))
            found.append(READ[place](word) if place in READ and word else word)
        return tuple(found)

    def _wanted(self, places: Words, many: str) -> str:
        if self.wanted:
            return self.wanted
        if "|" in places[0] and places[0] not in OFFERS:
            return f"one of {', '.join(places[0].split('|'))} is wanted"
        return f"one {CALLED[places[0]]} {'or more are' if many else 'is'} wanted"

    def offers(self, names: Names, at: int) -> Words:
        """What can stand at a place after the name, counted from 0."""
        chosen = self.later if at else self.first
        if chosen is not None:
            return chosen(names)
        places, is_many = self.places, "..." in self.usage
        some = places[: at + 1][::-1] if is_many else places[at : at + 1]
        if is_many and at:
            some = places[::-1]
        found = [word for place in some for word in (OFFERS[place](names) if place in OFFERS else ())]
        return found or ([] if at or not places or "|" not in places[0] else places[0].split("|"))


def _submit_offers(names: Names) -> Words:
    return submit_words.offers(names.presets, names.queues, names.form)


_SIZE: Final = "a node, its memory and its vcores are wanted"
_HOST: Final = "a host, its memory and its vcores are wanted, then maybe its rack"
_LABEL: Final = "a node and a partition are wanted; without one it is the default partition"
VERBS: Final = tuple(
    CommandVerb(*row)
    for row in (
        ("kill APP ...", "kill applications", "application_acts.kill_named"),
        ("submit preset=NAME n=4 ...", "submit an application", "cluster_acts.submit_words", "", _rest,
         _submit_offers, _submit_offers),
        ("move APP ... QUEUE", "move applications", "application_acts.move_to",
         "an application and a queue are wanted"),
        ("priority [APP] N", "serve an application before others of its queue", "application_acts.set_priority",
         "an application and a whole number are wanted"),
        ("drain NODE ...", "take nodes out", "node_acts.drain_named"),
        ("return NODE ...", "bring nodes back", "node_acts.return_named"),
        ("resize NODE MEMORY VCORES", "change a node's size", "node_acts.resize_to", _SIZE),
        ("add HOST MEMORY VCORES [RACK]", "add a node", "node_acts.add_named", _HOST),
        ("label NODE [PARTITION]", "move a node to a partition", "node_acts.label_as", _LABEL),
        ("twin [10m] [APP=forever]", "simulate what is watched", "program.make_twin", "", _rest),
        ("compare POLICY|KEY=VALUE ...", "the same run under other policies or settings", "program.compare", "", _rest),
        ("reload FILE", "load an allocation file", "cluster_acts.reload_from", "", _path),
        ("preempt on|off", "preemption", "cluster_acts.choose_preemption"),
        ("rule strict|limited|off", "reservation rule", "cluster_acts.choose_rule"),
        ("spread on|off", "spread out", "cluster_acts.choose_spread_out"),
        ("fault rm_restart|...", "cause a failure of a ResourceManager, node manager or master", "cluster_acts.fault",
         "", _fault, lambda names: list(FAULTS), lambda names: [*names.nodes, *names.applications]),
        ("set queue.PATH.KEY VALUE", "change a queue's setting", "cluster_acts.set_queue", "", _queue_setting),
        ("why APP|QUEUE|NODE", "why it waits, or what waits there", "inspection.why_named"),
        ("fix APP", "what makes it start", "inspection.why_named"),
        ("get KIND [FILTER] [-o FILE]", "show or save a table or the picture", "shell_verbs.get", "", _kind,
         lambda names: KINDS),
        ("check [PATH]", "the command that lints it in a shell", "shell_verbs.shell", "", _in_shell("check")),
        ("open [SOURCE]", "the command that opens it in a shell", "shell_verbs.shell", "", _in_shell("open")),
        ("as", "the shell command that prints what is shown", "shell_verbs.shown"),
        ("speed N|max", "speed of the clock", "clock.choose_speed", "", _speed,
         lambda names: ("1", "10", "60", "600", "max")),
        ("theme NAME", "colours of the screen", "program.choose_theme", "", _theme,
         lambda names: tuple(PALETTES)),
        ("window TIME", "time that pulse and graphs show", "time_scale.window", "", _window,
         lambda names: ("10m", "1h", "6h", "all")),
        ("partition NAME", "queues of one partition", "views.partition", "one partition is wanted", None,
         lambda names: names.partitions),
        ("goto TIME", "go to a time", "clock.travel", "", _rest),
        ("play [TIME]", "play on to a time, or +10m from here, and stand", "clock.play_to", "", _rest),
        ("filter WORDS", "filter the pane", "filtering.by", "", _rest),
        ("sort FIELD", "sort the pane", "sorting.by"),
        ("user NAME", "applications of a user", "filtering.show", "",
     lambda words: ("applications", f"user:{''.join(words)}")),
    )
)  # fmt: skip
"""Verbs that take words; those that act are off in read-only mode."""


SWITCHES: Final = {
    "preempt": "preempt",
    "yarn.scheduler.fair.preemption": "preempt",
    "rule": "rule",
    "schedlab.reservation.rule": "rule",
    "spread": "spread",
    "spark.deploy.spreadOut": "spread",
}  # Key of `set` that is no queue's → the verb that changes it
ON_OFF: Final = {"true": "on", "false": "off"}


def _in_own_words(line: str) -> str:
    """A line as the screen's own verbs say it: `set KEY=VALUE`, `settings theme=NAME` and `help WORD` as in a shell."""
    verb, _, rest = line.strip().partition(" ")
    key, equals, value = rest.strip().partition("=")
    if verb == "set" and equals and " " not in key:
        own = SWITCHES.get(key)
        return f"{own} {ON_OFF.get(value, value)}" if own else f"set {key} {value}"
    if verb == "settings" and key == "theme":
        return f"theme {value}"
    return "help" if verb == "help" else line


def _call(target: str, *arguments: Argument) -> str:
    return f"{target}({', '.join(map(repr, arguments))})"


def _verb(name: str) -> CommandVerb | None:
    return next((verb for verb in VERBS if verb.name == name), None)


def _verbs(registry: Sequence[Action], names: Names, *, read_only: bool) -> list[str]:
    here = [verb for verb in VERBS if verb.target not in names.absent and not (read_only and verb.changes_cluster)]
    plain = [action.id for action in registry if not (read_only and action.changes_cluster)]
    return list(dict.fromkeys([*names.panes, *(verb.name for verb in here), *plain]))


def parse(line: str, registry: Sequence[Action], names: Names, *, read_only: bool = False) -> str:
    """The call of an action that a line means; a `CommandError` where it is none, or acts in read-only mode."""
    name, *words = _in_own_words(line).split() or [""]
    pane, verb = names.panes.get(name), _verb(name)
    action = next((one for one in registry if name in (one.id, one.title)), None)
    if pane is not None:
        return _call("filtering.show", pane, " ".join(words))
    if read_only and any(one is not None and one.changes_cluster for one in (verb, action)):
        raise CommandError("read-only: nothing here changes the cluster")
    if verb is not None and (words or action is None):
        try:
            return verb.call(words)
        except CommandError as error:
            raise CommandError(f"{verb.usage}: {error}") from None
    if action is not None and words:
        raise CommandError(f"{name} takes no words")
    if action is not None:
        return action.call
    hint = nearest(name, _verbs(registry, names, read_only=read_only))
    raise CommandError(f"no command {name!r}" + f"; {hint or 'tab lists them'}")


def completions(line: str, registry: Sequence[Action], names: Names, *, read_only: bool = False) -> list[str]:
    """Lines that begin as this one and are longer by one word."""
    head, space, last = line.rpartition(" ")
    if not space:
        return [one for one in _verbs(registry, names, read_only=read_only) if one.startswith(line)]
    name, *before = head.split() or [""]
    verb = _verb(name)
    offers = names.fields if name in names.panes else () if verb is None else verb.offers(names, len(before))
    return [f"{head} {one}" for one in offers if one not in before and one.startswith(last)]


THEMES = tuple(
    Action(f"theme {name}", (), f"program.choose_theme({name!r})", name, f"Theme {name}", APP) for name in PALETTES
)  # The commands that take one theme


def titles(registry: Sequence[Action]) -> list[tuple[str, Action]]:
    """The line of each action in the palette: its key, then its sentence, which a narrow screen cuts at its end."""
    keys = {one.id: spelled(one.keys[0]) if one.keys else "" for one in (*registry, *THEMES)}
    width = max(map(len, keys.values()))
    return [(f"{keys[one.id]:<{width}}  {one.help.rstrip('.')} (:{one.id})", one) for one in (*registry, *THEMES)]


class PlainPalette(CommandPalette):
    """Textual's palette, drawn with characters that every terminal has."""

    def on_mount(self) -> None:
        self.query_one(SearchIcon).icon = ">"

    def answer(self, words: str) -> None:
        self.query_one(Input).placeholder = words

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close once: a second click would close the screen below, too."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def _action_command_list(self, action: str) -> None:
        # Where a terminal has no room for a line of the list, Textual fails when it looks for the next page.
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


def palette(registry: Sequence[Action], perform: Callable[[str], None]) -> CommandPalette:
    """The palette; the call of what is chosen goes to `perform`."""

    class Actions(Provider):
        """The registry, for textual's palette."""

        async def discover(self) -> Hits:
            for words, action in titles(registry):
                yield DiscoveryHit(words, partial(perform, action.call), text=words)

        async def search(self, query: str) -> Hits:
            matcher = self.matcher(query)
            for words, action in titles(registry):
                score = matcher.match(words)
                if score > 0:
                    yield Hit(score, matcher.highlight(words), partial(perform, action.call), text=words)

    return PlainPalette([Actions], placeholder="What to do")


MARK = ":"  # The mark of the prompt


class CommandLine:
    def __init__(self, board: BoardScreen, prompt: Prompt) -> None:
        self._board, self._prompt = board, prompt

    def open(self) -> None:
        self._prompt.open(self, MARK, "", self._completions, "tab completes, up recalls, esc leaves")

    def open_with(self, words: str, filled: str = "") -> None:
        """Finish a command that begins with these words; what is typed replaces those filled in after them."""
        self._prompt.open(self, MARK, words, self._completions, "enter does it, esc leaves", filled)

    def names(self) -> Names:
        board = self._board
        snapshot = board.state.picture.snapshot
        return Names(
            board.dialect.pane_words,
            [text.short_id(row.id) for row in snapshot.applications(why=False)],
            [row.path for row in snapshot.queues()],
            [row.id for row in snapshot.nodes()],
            [f"{field.name}:" for field in board.view(board.pane_name).criteria.fields],
            [preset.name for preset in board.state.picture.presets],
            board.dialect.form,
            board.dialect.absent,
            board.dialect.queue_settings,
            [partition_name(label) for label in partitions_of(snapshot)],
        )

    @property
    def _registry(self) -> tuple[Action, ...]:
        return self._board.dialect.offered(self._board.options.registry)

    def _completions(self, line: str) -> list[str]:
        options = self._board.options
        return completions(line, self._registry, self.names(), read_only=options.read_only)

    def typed(self, words: str) -> None:
        found = self._completions(words)
        self._prompt.say("  ".join(one.rpartition(" ")[2] for one in found[:12]), "faint")

    def entered(self, words: str) -> None:
        board, options = self._board, self._board.options
        if not words.strip():
            self._prompt.close()
            return
        try:
            call = parse(words, self._registry, self.names(), read_only=options.read_only)
        except CommandError as error:
            self._prompt.say(str(error))
            return
        self._prompt.close()
        board.perform(call)

    def given_up(self) -> None:
        self._prompt.close()

    def palette(self) -> None:
        board, options = self._board, self._board.options
        words = board.look.terms
        known = [
            action._replace(help=translate_terms(action.help, words))
            for action in actions(board.dialect.at_work(options.registry), read_only=options.read_only)
        ]
        board.open(palette(known, board.perform))
