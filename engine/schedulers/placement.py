"""Which queue an application is placed in: the rules of a queue placement policy.

Rules are asked in order. A rule answers with the full name of a queue, with "" (ask the next one), or with None
(reject the application). What a rule found counts only if the rule may create queues or the queue is in the
allocation file, as a leaf or as a parent. A policy whose last rule may let an application through, or with a rule
behind one that never does, is refused when the file is read.

Source: QueuePlacementRule, QueuePlacementPolicy, Hadoop 2.7.2.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.model.java_values import setting_boolean, trim

DEFAULT_QUEUE = "default"  # The queue name that means "none named". Source: YarnConfiguration#DEFAULT_QUEUE_NAME.

ALLOW_UNDECLARED_POOLS = "yarn.scheduler.fair.allow-undeclared-pools"
USER_AS_DEFAULT_QUEUE = "yarn.scheduler.fair.user-as-default-queue"


class NoGroupsError(Exception):
    """A rule asked for the groups of a user who has none; the application is rejected."""

    def __init__(self, user: str) -> None:
        super().__init__(f"no groups found for user {user}")


class ConfiguredQueues:
    """Full names of the queues in the allocation file, which is what `create="false"` looks at."""

    __slots__ = ("leaves", "parents")

    def __init__(self, leaves: Iterable[str] = (), parents: Iterable[str] = ()) -> None:
        self.leaves = frozenset(leaves)
        self.parents = frozenset(parents)

    def __contains__(self, queue: str) -> bool:
        return queue in self.leaves or queue in self.parents


class Rule27(NamedTuple):
    """One rule of a policy: the queue it looks for counts if it may be created or is in the allocation file."""

    name: str  # In an allocation file, one of `RULES`
    create: bool = True
    nested: "Rule27 | None" = None  # The rule of whose queue `nestedUserQueue` takes one of the user's name below
    queue: str = f"root.{DEFAULT_QUEUE}"  # The queue of `default`

    @property
    def terminal(self) -> bool:
        """Whether no application gets past it; a `default` that may not create counts so, and lets some through."""
        return self.name in ("default", "reject") or (self.create and self.name in ("user", "primaryGroup"))

    def assign(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        """The queue, "" for the next rule, or None to reject; raises NoGroupsError if it needs a user's groups."""
        if self.name == "reject":
            return None
        if self.nested is None:
            queue: str | None = self._find(requested, user, groups, configured)
        else:
            queue = self.nested.assign(requested, user, groups, configured)
            if queue:
                parent = rooted(queue)
                queue = "" if parent in configured.leaves else f"{parent}.{clean_name(user)}"
        return queue if self.create or (queue is not None and queue in configured) else ""

    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str:
        if self.name == "default":
            return self.queue
        if self.name == "specified":
            return "" if requested == DEFAULT_QUEUE else rooted(requested)
        if self.name == "user":
            return f"root.{clean_name(user)}"
        if not groups:
            raise NoGroupsError(user)
        if self.name == "primaryGroup":
            return f"root.{clean_name(groups[0])}"
        queues = (f"root.{clean_name(group)}" for group in groups[1:])
        return next((queue for queue in queues if queue in configured), "")


RULES = ("user", "primaryGroup", "secondaryGroupExistingQueue", "specified", "nestedUserQueue", "default", "reject")
"""The rule names a policy may use."""


class PlacementPolicy(NamedTuple):
    """The rules in order, and the configured queues they look at."""

    rules: tuple[Rule27, ...]
    configured: ConfiguredQueues

    def assign_application(self, requested: str | None, user: str, groups: Sequence[str]) -> str | None:
        """The full name of the queue; None where a rule rejects, needs groups that a user has not, or all pass.

        `Differs:` where no placement rule names a queue the application is refused; Hadoop's ResourceManager stops
        with an IllegalStateException.

        A queue `requested` that is None counts as `default`; `groups` are the submitter's, primary first.
        """
        wanted = DEFAULT_QUEUE if requested is None else requested
        for rule in self.rules:
            try:
                queue = rule.assign(wanted, user, groups, self.configured)
            except NoGroupsError:
                return None
            if queue != "":
                return queue
        return None


def policy_problem(rules: Sequence[tuple[str, bool]]) -> str:
    """Why rules of either release, (name, whether no application gets past it), make no policy; empty if they do."""
    for place, (name, terminal) in enumerate(rules[:-1], 1):
        if terminal:
            return f"rules after rule {place} ({name}) can never be reached"
    if rules and not rules[-1][1]:
        return f"applications could get past the last rule ({rules[-1][0]}) without a queue"
    return ""


def rules_from_settings(settings: Mapping[str, str]) -> list[tuple[str, bool]]:
    """(name, create) of each rule of a file without a policy. Source: QueuePlacementPolicy#fromConfiguration."""
    create = setting_boolean(settings.get(ALLOW_UNDECLARED_POOLS), True)
    user_as_default = setting_boolean(settings.get(USER_AS_DEFAULT_QUEUE), True)
    rules = [("specified", create), *([("user", create)] if user_as_default else [])]
    return rules if user_as_default and create else [*rules, ("default", True)]


def policy_from_settings(settings: Mapping[str, str], configured: ConfiguredQueues) -> PlacementPolicy:
    return PlacementPolicy(tuple(Rule27(*rule) for rule in rules_from_settings(settings)), configured)


def rooted(queue: str) -> str:
    """The name with `root.` in front unless it starts with that; `root` itself becomes `root.root`, as in Hadoop."""
    return queue if queue.startswith("root.") else f"root.{queue}"


def clean_name(name: str) -> str:
    """A user or group as part of a queue name: dots become `_dot_`."""
    return name.replace(".", "_dot_")


# Access control lists: the users that may submit to a queue or administer it.
#
# Source: AccessControlList, Hadoop 2.7.2.


_SEPARATOR = re.compile(r"(?<![ \t\n\x0b\f\r])[ \t\n\x0b\f\r]*,[ \t\n\x0b\f\r]*")


@lru_cache(maxsize=1024)  # a file repeats few lists many times
def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in _SEPARATOR.split(trim(text)) if name))


class AccessControlList:
    """Users and groups of an ACL text `user,user group,group`; `*` allows all, one blank none.

    The text is divided at its first blank; one that starts with a blank names groups only. Names keep their
    order; blanks around them do not count.
    """

    __slots__ = ("all_allowed", "groups", "users")

    def __init__(self, text: str) -> None:
        users, _, groups = text.partition(" ")
        self.all_allowed = trim(users) == "*" or trim(groups) == "*"
        self.users: tuple[str, ...] = () if self.all_allowed else _names(users)
        self.groups: tuple[str, ...] = () if self.all_allowed else _names(groups)

    def allows(self, user: str, groups: Sequence[str]) -> bool:
        return self.all_allowed or user in self.users or any(group in self.groups for group in groups)

    def __str__(self) -> str:
        return "*" if self.all_allowed else f"{','.join(self.users)} {','.join(self.groups)}"


EVERYBODY = AccessControlList("*")  # The default of root
NOBODY = AccessControlList(" ")  # The default of every queue below root
