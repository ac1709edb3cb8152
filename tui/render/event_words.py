"""Events in words, one line each in `_SENTENCES`: what the scheduler decided, what an operator did, what changed."""

import re
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from engine.model.decision import ContainerId
from engine.model.identity import epoch_and_count
from engine.observe.mr1_snapshot import attempt_words
from engine.observe.system_words import in_words_of, words_of
from tui import format as text
from tui.picture import EventRow
from tui.render.line import Look


class EventText(NamedTuple):
    """One event in words."""

    verb: str  # one word in capitals
    style: str  # how bad it is, as a token: `alarm`, `watch`, `held`, `text` or `good`
    sentence: str
    application: int | None = None  # number of the application it is about
    node: str | None = None  # id of the node it is about


class _Said(SimpleNamespace):
    """The fields of a record, and what is said of several of them; `w` are the words of its kind of cluster."""

    look: Look

    @property
    def w(self) -> Any:
        return words_of(self.look.dimensions)

    @property
    def who(self) -> str:
        """A container; of Spark's Master it is an executor, or a driver where its attempt is 0."""
        container = self.container
        if "map_slots" in self.look.dimensions:
            return attempt_words(container)
        if "cores" in self.look.dimensions:
            return f"executor {container[2]}" if container[1] else f"driver {container[0]}"
        epoch, count = epoch_and_count(container[2])
        return f"container {f'e{epoch:02d}_' if epoch else ''}{count}"

    @property
    def at(self) -> str:
        return self.look.node_name(self.node)

    @property
    def the_node(self) -> str:
        return f"{self.w.node} {self.at}"

    @property
    def amount(self) -> str:
        return size(self, self.look)

    @property
    def near(self) -> str:
        return {"NODE_LOCAL": f" (its {self.w.node})", "RACK_LOCAL": " (its rack)"}.get(self.locality, "")

    @property
    def rank(self) -> str:
        return f" at priority {self.priority}" if self.w.ranks_asks else ""

    @property
    def named(self) -> str:
        return text.plain(self.name)

    @property
    def why(self) -> str:
        return str(self.detail or self.rejected)


def owner(container: ContainerId, look: Look) -> int | None:
    """The application's number; None for a driver, which is none's."""
    return None if "cores" in look.dimensions and not container[1] else container[0]


def size(record: Any, look: Look) -> str:
    """The size of a container in the dimensions of the cluster."""
    second = record.vcores if hasattr(record, "vcores") else record.cores
    return text.amounts((record.memory_mb, second), look.dimensions)


_GOOD = {"FAILED": "alarm", "KILLED": "alarm", "RUNNING": "good", "FINISHED": "good"}
_ALERTS = {"frozen": "alarm", "over": "good"}


def _state(r: _Said) -> str:
    return (
        str(r.state)
        + (f" in {text.short_queue(r.queue)}" if r.queue else "")
        + (f": {text.plain(r.detail)}" if r.detail else "")
    )


def _submitted(r: _Said) -> str:
    where = f" to {r.queue}" if r.queue else ""
    return f"{r.named} of {r.user}{where}: {r.why}" if r.rejected else f"{r.named} by {r.user}{where}, {r.type}"


def _acted(r: _Said) -> str:
    """What somebody outside, or a fault of the scenario, did: the act's own words."""
    named = _spaced(r.action["kind"])
    fields = {name: value for name, value in r.action.items() if name != "kind" and value not in (None, "", ())}
    words = [
        _value(value) if name == "on" or name in named.split() else f"{in_words_of(name, r.w)} {_value(value)}"
        for name, value in fields.items()
    ]
    return f"{in_words_of(named, r.w)} {', '.join(words)}"


Style = str | Callable[[_Said], str]
_SENTENCES: dict[str, tuple[Style, Style, Callable[[_Said], str]]] = {
    "Allocated": ("ALLOC", "good", lambda r: f"{r.who} on {r.at}, {r.amount}{r.near}"),
    "Reserved": ("RESERVE", "watch", lambda r: f"{r.at} reserved for {r.amount}"),
    "Unreserved": ("UNRESERVE", "held", lambda r: f"{r.at} no longer reserved for {r.amount}"),
    "Warned": ("WARN", "watch", lambda r: f"{r.who} of {r.queue} will be preempted, {text.memory(r.memory_mb)}"),
    "Killed": ("KILL", "alarm", lambda r: f"{r.who} on {r.at}: {r.cause.lower().replace('_', ' ')}"),
    "Completed": ("END", lambda r: "alarm" if r.exit_status else "text",
                  lambda r: f"{r.who} on {r.at} {f'exit {r.exit_status}' if r.exit_status else 'completed'}"),
    "ApplicationTransitioned": ("STATE", lambda r: _GOOD.get(r.state, "held"), _state),
    "Acted": ("ACT", "held", _acted),
    "Submitted": (lambda r: "REFUSED" if r.rejected else "SUBMIT",
                  lambda r: "alarm" if r.rejected else "held", _submitted),
    "DriverQueued": ("SUBMIT", "held", lambda r: f"driver {r.driver} {r.named} by {r.user}, {r.amount}"),
    "Refused": ("REFUSED", "alarm", lambda r: f"{_spaced(r.event)}: {r.why}"),
    "Asked": ("ASK", "text",
              lambda r: f"asks for {text.times(r.count, r.amount) if r.count else 'nothing more'}{r.rank}"),
    "Started": ("START", "text", lambda r: f"{r.who} runs on {r.at}"),
    "Alert": ("ALERT", lambda r: _ALERTS.get(r.kind, "watch"), lambda r: text.plain(r.sentence)),
    "Draining": ("DRAIN", "watch", lambda r: f"{r.the_node} gets no further {r.w.container}s"),
    "NodeJoined": ("JOIN", "good", lambda r: f"{r.the_node} with {r.amount}, {r.rack}"),
    "NodeLost": ("LOST", "alarm", lambda r: f"{r.the_node} is {r.state.lower()}"),
    "NodeRegisteredAgain": ("JOIN", "good",
                            lambda r: f"{r.the_node} registers again"
                            f" with {text.plural(len(r.containers), r.w.container)}"),
    "NodeRelabelled": ("LABEL", "held", lambda r: f"{r.the_node} moved to "
                       f"{f'partition {r.partition}' if r.partition else 'the default partition'}"),
    "NodeResized": ("RESIZE", "held", lambda r: f"{r.the_node} has {r.amount} now"),
    **dict.fromkeys(("JobTrackerStarted", "ResourceManagerStarted"),
                    ("UP", "good", lambda r: f"a {r.w.master} answers again")),
    **dict.fromkeys(("JobTrackerStopped", "ResourceManagerStopped"),
                    ("DOWN", "alarm", lambda r: f"no {r.w.master} answers"
                     + (f": {r.cause.lower()}" if getattr(r, 'cause', '') else ""))),
}  # fmt: skip
"""Kind of event → verb, style, sentence; any other event is put into words by its fields."""


def event_text(row: EventRow, look: Look) -> EventText:
    """One event in words."""
    fields, found = row.fields, _SENTENCES.get(row.kind)
    if found is None:
        words = ", ".join(f"{name} {_value(value)}" for name, value in fields.items() if value not in (None, "", ()))
        return EventText(row.kind.upper()[:9], "held", words, *_about(fields, look))
    said = _Said(**fields, look=look)
    verb, style, sentence = (one(said) if callable(one) else one for one in found)
    is_nobody = verb == "REFUSED" and row.kind == "Submitted"  # it never became an application
    acted = fields.get("action")
    told = acted if isinstance(acted, Mapping) else fields
    return EventText(verb, style, sentence, *_about({} if is_nobody else told, look))


def _about(fields: Mapping[str, Any], look: Look) -> tuple[int | None, str | None]:
    """The application and the node that a record is about."""
    number, node = fields.get("application"), fields.get("node")
    if "container" in fields and not isinstance(fields["container"], str):
        number = owner(fields["container"], look)
    elif fields.get("applications"):
        number = fields["applications"][0]
    return (number or None) if isinstance(number, int) else None, node if isinstance(node, str) else None


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return text.plain(str(value.get("name") or value.get("type") or ""))
    return text.plain(str(value))[:80]


def _spaced(name: str) -> str:
    """A type's name as words.

    >>> _spaced("KillApplication")
    'kill application'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
