"""Which queue an application is placed in: the rules of a queue placement policy.

Rules are asked in order. A rule answers with the full name of a queue, with "" (ask the next one), or with None
(reject the application). What a rule found counts only if the rule may create queues or the queue is in the
allocation file, as a leaf or as a parent. A policy whose last rule may let an application through, or with a rule
behind one that never does, is refused when it is built.

Source: QueuePlacementRule, QueuePlacementPolicy, Hadoop 2.7.2.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

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


class PlacementRule(ABC):
    """One rule of a policy: the queue it looks for counts if it may be created or is in the allocation file."""

    __slots__ = ("create",)
    name: str  # In an allocation file
    always_answers = False  # Whether the rule finds a name for every application

    def __init__(self, create: bool = True) -> None:
        self.create = create

    @property
    def terminal(self) -> bool:
        return self.create and self.always_answers

    def assign(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        """The queue, "" for the next rule, or None to reject; raises NoGroupsError if it needs a user's groups."""
        queue = self._find(requested, user, groups, configured)
        return queue if self.create or (queue is not None and queue in configured) else ""

    @abstractmethod
    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        """Return the queue that the rule looks for, before `create` is asked."""


class Specified(PlacementRule):
    """The queue the client named, unless it named none or `default`."""

    __slots__ = ()
    name = "specified"

    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        return "" if requested == DEFAULT_QUEUE else rooted(requested)


class User(PlacementRule):
    """A queue named after the user."""

    __slots__ = ()
    name = "user"
    always_answers = True

    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        return f"root.{clean_name(user)}"


class PrimaryGroup(PlacementRule):
    """A queue named after the user's first group."""

    __slots__ = ()
    name = "primaryGroup"
    always_answers = True

    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        if not groups:
            raise NoGroupsError(user)
        return f"root.{clean_name(groups[0])}"


class SecondaryGroupExistingQueue(PlacementRule):
    """The first of the user's other groups that has a queue directly below root in the allocation file."""

    __slots__ = ()
    name = "secondaryGroupExistingQueue"

    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        if not groups:
            raise NoGroupsError(user)
        queues = (f"root.{clean_name(group)}" for group in groups[1:])
        return next((queue for queue in queues if queue in configured), "")


class NestedUserQueue(PlacementRule):
    """A queue of the user's name below the queue another rule finds, unless that one is a configured leaf."""

    __slots__ = ("nested",)
    name = "nestedUserQueue"

    def __init__(self, nested: PlacementRule, create: bool = True) -> None:
        super().__init__(create)
        self.nested = nested

    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        queue = self.nested.assign(requested, user, groups, configured)
        if not queue:
            return queue
        parent = rooted(queue)
        return "" if parent in configured.leaves else f"{parent}.{clean_name(user)}"


class Default(PlacementRule):
    """One fixed queue, `root.default` unless another is named.

    With `create` false and a queue that is not in the file it lets the application through, although it counts as
    terminal; the policy then has no answer.
    """

    __slots__ = ("queue",)
    name = "default"

    def __init__(self, queue: str = "", create: bool = True) -> None:
        super().__init__(create)
        self.queue = rooted(queue or DEFAULT_QUEUE)

    @property
    def terminal(self) -> bool:
        return True

    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        return self.queue


class Reject(PlacementRule):
    """Rejects every application that gets this far."""

    __slots__ = ()
    name = "reject"

    @property
    def terminal(self) -> bool:
        return True

    def assign(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        return self._find(requested, user, groups, configured)

    def _find(self, requested: str, user: str, groups: Sequence[str], configured: ConfiguredQueues) -> str | None:
        return None


RULES = ("user", "primaryGroup", "secondaryGroupExistingQueue", "specified", "nestedUserQueue", "default", "reject")
"""The rule names a policy may use."""


class PlacementPolicy:
    """The rules in order. Raises ValueError where one can never be reached, or the last may let applications pass."""

    __slots__ = ("configured", "rules")

    def __init__(self, rules: Iterable[PlacementRule], configured: ConfiguredQueues) -> None:
        self.rules = tuple(rules)
        self.configured = configured
        problem = policy_problem(self.rules)
        if problem:
            raise ValueError(problem)

    def assign_application(self, requested: str | None, user: str, groups: Sequence[str]) -> str | None:
        """The full name of the queue, or None where the application is rejected.

        None also where a rule needs groups and the user has none, and where every rule passed. `Differs:` where
        no placement rule names a queue the application is refused; Hadoop's ResourceManager stops with an
        IllegalStateException.

        A queue `requested` that is None counts as `default`; `groups` are the submitter's, primary first.
        """
        return self.explain(requested, user, groups)[0]

    def explain(self, requested: str | None, user: str, groups: Sequence[str]) -> tuple[str | None, str]:
        """The queue or None, and in words which rule decided."""
        wanted = DEFAULT_QUEUE if requested is None else requested
        for rule in self.rules:
            try:
                queue = rule.assign(wanted, user, groups, self.configured)
            except NoGroupsError as error:
                return None, f"rule {rule.name}: {error}"
            if queue is None:
                return None, f"rejected by rule {rule.name} of the queue placement policy"
            if queue:
                return queue, f"placed by rule {rule.name}"
        return None, "no rule of the queue placement policy assigned a queue"


def policy_problem(rules: Sequence[PlacementRule]) -> str:
    """Return why these rules make no policy; empty when they do."""
    if not rules:
        return "the queue placement policy has no rule"
    for index, rule in enumerate(rules[:-1]):
        if rule.terminal:
            return f"rules after rule {index + 1} ({rule.name}) can never be reached"
    if not rules[-1].terminal:
        return f"applications could get past the last rule ({rules[-1].name}) without a queue"
    return ""


def policy_from_settings(settings: Mapping[str, str], configured: ConfiguredQueues) -> PlacementPolicy:
    """The policy of a file without one: a fixed queue or the user's. Source: QueuePlacementPolicy#fromConfiguration."""
    create = setting_boolean(settings.get(ALLOW_UNDECLARED_POOLS), True)
    user_as_default = setting_boolean(settings.get(USER_AS_DEFAULT_QUEUE), True)
    rules: list[PlacementRule] = [Specified(create)]
    if user_as_default:
        rules.append(User(create))
    if not user_as_default or not create:
        rules.append(Default())
    return PlacementPolicy(rules, configured)


def rooted(queue: str) -> str:
    """The name with `root.` in front unless it starts with that; `root` itself becomes `root.root`, as in Hadoop."""
    return queue if queue.startswith("root.") else f"root.{queue}"


def clean_name(name: str) -> str:
    """A user or group as part of a queue name: dots become `_dot_`."""
    return name.replace(".", "_dot_")


# Access control lists: who may submit to a queue or administer it.
#
# Source: AccessControlList, Hadoop 2.7.2.


_SEPARATOR = re.compile(r"(?<![ \t\n\x0b\f\r])[ \t\n\x0b\f\r]*,[ \t\n\x0b\f\r]*")


@lru_cache(maxsize=1024)  # a file repeats few lists many times
def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in _SEPARATOR.split(trim(text)) if name))


class AccessControlList:
    """Users and groups of an ACL text `user,user group,group`; `*` allows all, one blank nobody.

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
