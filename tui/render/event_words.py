"""Events in words: what the scheduler decided, what an operator did, what changed."""

import re
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from engine.model.decision import ContainerId
from engine.model.identity import epoch_and_count
from engine.observe.mr1_snapshot import attempt_words
from engine.observe.system_words import in_words_of, words_of
from tui import format as text
from tui.picture import EventRow
from tui.render.line import Look


class EventText:
    """One event in words."""

    __slots__ = ("application", "node", "sentence", "style", "verb")

    def __init__(
        self, verb: str, style: str, sentence: str, *, application: int | None = None, node: str | None = None
    ) -> None:
        self.verb = verb
        """One word in capitals."""
        self.style = style
        """How bad it is, as a token: `alarm`, `watch`, `held`, `text` or `good`."""
        self.sentence = sentence
        self.application = application
        """Number of the application it is about; None when about none."""
        self.node = node
        """Id of the node it is about; None when about none."""


def _container(container: ContainerId, look: Look) -> str:
    """Names a container; of Spark's Master it is an executor, or a driver where its attempt is 0."""
    if "map_slots" in look.dimensions:
        return attempt_words(container)
    if "cores" not in look.dimensions:
        epoch, count = epoch_and_count(container[2])
        return f"container {f'e{epoch:02d}_' if epoch else ''}{count}"
    return f"executor {container[2]}" if container[1] else f"driver {container[0]}"


def _node(node: str, look: Look) -> str:
    return f"{words_of(look.dimensions).node} {look.node_name(node)}"


def _rank(priority: int, look: Look) -> str:
    return f" at priority {priority}" if words_of(look.dimensions).ranks_asks else ""


def owner(container: ContainerId, look: Look) -> int | None:
    """The application's number; None for a driver, which is none's."""
    return None if "cores" in look.dimensions and not container[1] else container[0]


def size(record: Any, look: Look) -> str:
    """The size of a container in the dimensions of the cluster."""
    return text.amounts((record.memory_mb, record.vcores), look.dimensions)


def _allocated(record: Any, look: Look) -> EventText:
    near = {"NODE_LOCAL": f" (its {words_of(look.dimensions).node})", "RACK_LOCAL": " (its rack)"}.get(
        record.locality, ""
    )
    what = f"{_container(record.container, look)} on {look.node_name(record.node)}, {size(record, look)}{near}"
    return EventText("ALLOC", "good", what, application=owner(record.container, look), node=record.node)


def _reserved(record: Any, look: Look) -> EventText:
    what = f"{look.node_name(record.node)} reserved for {size(record, look)}"
    return EventText("RESERVE", "watch", what, application=record.container[0], node=record.node)


def _unreserved(record: Any, look: Look) -> EventText:
    what = f"{look.node_name(record.node)} no longer reserved for {size(record, look)}"
    return EventText("UNRESERVE", "held", what, application=record.container[0], node=record.node)


def _warned(record: Any, look: Look) -> EventText:
    what = f"{_container(record.container, look)} of {record.queue} will be preempted, {text.memory(record.memory_mb)}"
    return EventText("WARN", "watch", what, application=owner(record.container, look), node=record.node)


def _killed(record: Any, look: Look) -> EventText:
    cause = record.cause.lower().replace("_", " ")
    what = f"{_container(record.container, look)} on {look.node_name(record.node)}: {cause}"
    return EventText("KILL", "alarm", what, application=owner(record.container, look), node=record.node)


def _completed(record: Any, look: Look) -> EventText:
    how = "completed" if record.exit_status == 0 else f"exit {record.exit_status}"
    what = f"{_container(record.container, look)} on {look.node_name(record.node)} {how}"
    style = "text" if record.exit_status == 0 else "alarm"
    return EventText("END", style, what, application=owner(record.container, look), node=record.node)


def _transitioned(record: Any, look: Look) -> EventText:
    where = f" in {text.short_queue(record.queue)}" if record.queue else ""
    detail = f": {text.plain(record.detail)}" if record.detail else ""
    style = {"FAILED": "alarm", "KILLED": "alarm", "RUNNING": "good", "FINISHED": "good"}.get(record.state, "held")
    return EventText("STATE", style, f"{record.state}{where}{detail}", application=record.application)


def _acted(record: Any, look: Look) -> EventText:
    """Somebody outside, or a fault of the scenario, did something: the action's own words in capitals."""
    act = dict(record.action)
    kind = act.pop("kind")
    fields = _by_fields(kind, act)
    named = _spaced(kind)
    words = [
        _value(value)
        if name == "on" or name in named.split()
        else f"{in_words_of(name, words_of(look.dimensions))} {_value(value)}"
        for name, value in act.items()
        if value not in (None, "", ())
    ]
    return EventText(
        "ACT",
        "held",
        f"{in_words_of(named, words_of(look.dimensions))} {', '.join(words)}",
        application=fields.application,
        node=fields.node,
    )


def _submitted(record: Any, look: Look) -> EventText:
    where = f" to {record.queue}" if record.queue else ""
    if record.rejected:
        return EventText(
            "REFUSED", "alarm", f"{text.plain(record.name)} of {record.user}{where}: {record.detail or record.rejected}"
        )
    what = f"{text.plain(record.name)} by {record.user}{where}, {record.type}"
    return EventText("SUBMIT", "held", what, application=record.application)


def _driver_queued(record: Any, look: Look) -> EventText:
    size = text.amounts((record.memory_mb, record.cores), look.dimensions)
    return EventText("SUBMIT", "held", f"driver {record.driver} {text.plain(record.name)} by {record.user}, {size}")


def _refused(record: Any, look: Look) -> EventText:
    what = f"{_spaced(record.event)}: {record.detail or record.rejected}"
    return EventText("REFUSED", "alarm", what, application=record.application or None)


def _asked(record: Any, look: Look) -> EventText:
    if not record.count:
        return EventText(
            "ASK", "text", f"asks for nothing more{_rank(record.priority, look)}", application=record.application
        )
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return EventText(
        "ASK",
        "text",
        f"asks for {text.times(record.count, size)}{_rank(record.priority, look)}",
        application=record.application,
    )


def _started(record: Any, look: Look) -> EventText:
    what = f"{_container(record.container, look)} runs on {look.node_name(record.node)}"
    return EventText("START", "text", what, application=owner(record.container, look), node=record.node)


def _alert(record: Any, look: Look) -> EventText:
    style = {"frozen": "alarm", "over": "good"}.get(record.kind, "watch")
    number = record.applications[0] if record.applications else None
    return EventText("ALERT", style, text.plain(record.sentence), application=number)


def _draining(record: Any, look: Look) -> EventText:
    held = words_of(look.dimensions).container
    return EventText("DRAIN", "watch", f"{_node(record.node, look)} gets no further {held}s", node=record.node)


def _joined(record: Any, look: Look) -> EventText:
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return EventText("JOIN", "good", f"{_node(record.node, look)} with {size}, {record.rack}", node=record.node)


def _joined_again(record: Any, look: Look) -> EventText:
    held = text.plural(len(record.containers), words_of(look.dimensions).container)
    return EventText("JOIN", "good", f"{_node(record.node, look)} registers again with {held}", node=record.node)


def _master_stopped(record: Any, look: Look) -> EventText:
    cause = getattr(record, "cause", "").lower()
    return EventText("DOWN", "alarm", f"no {words_of(look.dimensions).master} answers{cause and f': {cause}'}")


def _master_started(record: Any, look: Look) -> EventText:
    return EventText("UP", "good", f"a {words_of(look.dimensions).master} answers again")


def _lost(record: Any, look: Look) -> EventText:
    return EventText("LOST", "alarm", f"{_node(record.node, look)} is {record.state.lower()}", node=record.node)


def _resized(record: Any, look: Look) -> EventText:
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return EventText("RESIZE", "held", f"{_node(record.node, look)} has {size} now", node=record.node)


def _relabelled(record: Any, look: Look) -> EventText:
    where = f"partition {record.partition}" if record.partition else "the default partition"
    return EventText("LABEL", "held", f"{_node(record.node, look)} moved to {where}", node=record.node)


_SENTENCES: dict[str, Callable[[Any, Look], EventText]] = {
    "Allocated": _allocated,
    "Reserved": _reserved,
    "Unreserved": _unreserved,
    "Warned": _warned,
    "Killed": _killed,
    "Completed": _completed,
    "ApplicationTransitioned": _transitioned,
    "Acted": _acted,
    "Submitted": _submitted,
    "DriverQueued": _driver_queued,
    "Refused": _refused,
    "Asked": _asked,
    "Started": _started,
    "Alert": _alert,
    "Draining": _draining,
    "NodeJoined": _joined,
    "JobTrackerStarted": _master_started,
    "JobTrackerStopped": _master_stopped,
    "NodeLost": _lost,
    "NodeRegisteredAgain": _joined_again,
    "NodeRelabelled": _relabelled,
    "NodeResized": _resized,
    "ResourceManagerStarted": _master_started,
    "ResourceManagerStopped": _master_stopped,
}
"""Kind of event → its sentence, from its fields as attributes; any other event is put into words by its fields."""


def event_text(row: EventRow, look: Look) -> EventText:
    """One event in words."""
    sentence_of = _SENTENCES.get(row.kind)
    return sentence_of(SimpleNamespace(**row.fields), look) if sentence_of else _by_fields(row.kind, row.fields)


def _by_fields(kind: str, fields: Mapping[str, Any]) -> EventText:
    words = ", ".join(f"{name} {_value(value)}" for name, value in fields.items() if value not in (None, "", ()))
    number, node = fields.get("application"), fields.get("node")
    return EventText(
        kind.upper()[:9],
        "held",
        words,
        application=number if isinstance(number, int) else None,
        node=node if isinstance(node, str) else None,
    )


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
