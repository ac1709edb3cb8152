"""Which queue an application is placed in, by the rules of 3.4.1.

Rules are asked when an application is submitted, before it exists; the first that names a queue decides. Any rule but
specified, default and reject may have a parent rule, whose queue its own is put below. A rule that may not create
looks at the queues there are: only one that came from the allocation file counts.

Source: QueuePlacementPolicy, FSPlacementRule and its subclasses, FairQueuePlacementUtils, Hadoop 3.4.1.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from engine.errors import RefusedError
from engine.model.request import full_name
from engine.schedulers.placement import DEFAULT_QUEUE, rules_from_settings

_WHITE = "\u2002\u3000\r\u0085\u200a\u2005\u2000\u2029\x0b\u2008\u2003\u205f\u1680\t \u2006\u2001\u202f\xa0\f\u2009"
WHITESPACE = _WHITE + "\u2004\u2028\n\u2007"
"""What counts as blank around a queue's name. Source: FairSchedulerUtilities."""

_IS_TERMINAL = {
    "user": None,
    "primaryGroup": None,
    "secondaryGroupExistingQueue": False,
    "specified": False,
    "nestedUserQueue": None,
    "default": None,
    "reject": True,
}
"""Whether no application gets past a rule; None where that hangs on whether it may create."""

RULES_34 = tuple(_IS_TERMINAL)  # The rule names a policy may use


class Queues(Protocol):
    """The questions that rules ask about existing queues."""

    def is_configured(self, queue: str) -> bool:
        """Tell whether the queue is there and came from the allocation file."""

    def is_leaf(self, queue: str) -> bool:
        """Tell whether the queue is there and is a leaf."""


class Request(NamedTuple):
    queue: str
    user: str
    groups: Sequence[str]  # The user's, the primary one first


class Rule34(NamedTuple):
    name: str
    create: bool = True
    parent: "Rule34 | None" = None
    queue: str = f"root.{DEFAULT_QUEUE}"  # The queue of `default`

    @property
    def terminal(self) -> bool:
        always = _IS_TERMINAL[self.name]
        own = self.create if always is None else always
        return own and (self.parent is None or self.parent.terminal)

    def assign(self, request: Request, queues: Queues) -> str | None:
        """The full name of the queue, or None to ask the next rule; raises RefusedError to fail the submission."""
        return _FINDERS[self.name](self, request, queues)

    def _placed(self, queue: str, queues: Queues) -> str | None:
        return queue if self.create or queues.is_configured(queue) else None

    def _below_parent(self, name: str, request: Request, queues: Queues) -> str | None:
        if self.parent is None:
            return self._placed(with_root(name), queues)
        above = self.parent.assign(request, queues)
        if above is None or queues.is_leaf(above):
            return None
        return self._placed(f"{above}.{name}", queues)

    def by_user(self, request: Request, queues: Queues) -> str | None:
        return self._below_parent(clean_name_34(request.user), request, queues)

    def by_primary_group(self, request: Request, queues: Queues) -> str | None:
        return self._below_parent(clean_name_34(_groups_of(request)[0]), request, queues)

    def by_any_group(self, request: Request, queues: Queues) -> str | None:
        """The first of the user's groups, the primary one included, that has a queue from the file."""
        names = [clean_name_34(group) for group in _groups_of(request)]
        if self.parent is None:
            paths = [with_root(name) for name in names]
        else:
            above = self.parent.assign(request, queues)
            if above is None or queues.is_leaf(above):
                return None
            paths = [f"{above}.{name}" for name in names]
        return next((path for path in paths if queues.is_configured(path)), None)

    def as_named(self, request: Request, queues: Queues) -> str | None:
        if not is_valid_name(request.queue):
            raise RefusedError(
                "YarnException", f"user {request.user} submitted to the illegal queue name {request.queue!r}"
            )
        return None if request.queue == DEFAULT_QUEUE else self._placed(with_root(request.queue), queues)

    def by_default(self, request: Request, queues: Queues) -> str | None:
        return self._placed(self.queue, queues)

    def reject(self, request: Request, queues: Queues) -> str | None:
        """None: what gets this far is placed nowhere."""
        return None


_FINDERS: Mapping[str, Callable[[Rule34, Request, Queues], str | None]] = {
    "user": Rule34.by_user,
    "primaryGroup": Rule34.by_primary_group,
    "secondaryGroupExistingQueue": Rule34.by_any_group,
    "specified": Rule34.as_named,
    "nestedUserQueue": Rule34.by_user,
    "default": Rule34.by_default,
    "reject": Rule34.reject,
}


class PlacementPolicy34(NamedTuple):
    rules: tuple[Rule34, ...]

    def assign(self, queue: str, user: str, groups: Sequence[str], queues: Queues) -> str | None:
        """The full name, or None where no rule says one; raises RefusedError for no groups or an illegal name."""
        request = Request(queue, user, groups)
        for rule in self.rules:
            placed = rule.assign(request, queues)
            if placed is not None:
                return placed
        return None


def default_rule(create: bool = True, queue: str = "") -> Rule34:
    """A `default` rule; an illegal queue name counts as none."""
    return Rule34("default", create, queue=with_root(queue if queue and is_valid_name(queue) else DEFAULT_QUEUE))


def policy_from_settings_34(settings: Mapping[str, str]) -> PlacementPolicy34:
    return PlacementPolicy34(tuple(Rule34(*rule) for rule in rules_from_settings(settings)))


def with_root(queue: str) -> str:
    """The name with `root.` in front unless it is there; an empty one stays empty."""
    return full_name(queue) if queue else queue


def trimmed(name: str) -> str:
    """The name without blanks around it. Source: FairSchedulerUtilities#trimQueueName."""
    return name.strip(WHITESPACE)


def is_valid_name(queue: str) -> bool:
    """Tell whether a queue may be called so: no blanks around it, no dot at an end."""
    return queue == trimmed(queue) and not queue.startswith(".") and not queue.endswith(".")


def clean_name_34(name: str) -> str:
    """A user or group as part of a queue name: trimmed, dots become `_dot_`."""
    return trimmed(name).replace(".", "_dot_")


def _groups_of(request: Request) -> Sequence[str]:
    if not request.groups:
        raise RefusedError("IOException", f"no groups found for user {request.user}")
    return request.groups
