"""Checks an application before it enters a leaf: placement, size, label, priority, access lists, limits.

Source: RMAppManager#createAndPopulateNewRMApp, SchedulerUtils#normalizeAndValidateRequest,
CapacityScheduler#addApplication, AbstractLeafQueue#validateSubmitApplication, AppPriorityACLsManager,
ConfiguredYarnAuthorizer, CSMaxRunningAppsEnforcer, Hadoop 3.4.1.
"""

from collections.abc import Iterable, Mapping, Sequence

from engine.errors import ConfigError, RefusedError
from engine.model.ledger import Application
from engine.model.request import ANY, Resource, ResourceRequest
from engine.schedulers.capacity.properties import Refusals, StatedLabel, no_such_label
from engine.schedulers.capacity.space import Amount
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.dynamic_queues import create_queue, missing_parents
from engine.schedulers.capacity34.leaf import move_to_priority, submit
from engine.schedulers.capacity34.made_queues import ManagedParent, Templates
from engine.schedulers.capacity34.order import WorkflowPriorities
from engine.schedulers.capacity34.placement import Placement
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, Leaf, capacity_attempt
from engine.schedulers.capacity34.queue_settings import ANY_LABEL, queue_key
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.schedulers.capacity34.tree import CapacityTree
from engine.schedulers.containers import validate
from engine.schedulers.placement import AccessControlList
from engine.schedulers.yarn_scheduler import by_start
from engine.settings.capacity_queue import CAPACITY, DEFAULT_LABEL, PRIORITY_ACL, STATE, STOPPED, SUBMIT_ACL, TEMPLATE
from engine.settings.capacity_scheduler import APPLICATIONS_OF_A_QUEUE, CREATION_V2, MAXIMUM_APPLICATIONS, PREFIX
from engine.state import Shared, State

DENIED = "AccessControlException"
REJECTED = "APP_REJECTED"
BAD_LABEL = "InvalidLabelResourceRequestException"


class Admission(metaclass=State):
    """Asks all this of applications and their asks."""

    tree: CapacityTree
    groups: Mapping[str, Sequence[str]]
    placement: Placement
    workflows: Shared[WorkflowPriorities]
    placed: dict[int, str | None] = {}
    """By number, where the rules placed an application that was admitted; None where they left it."""

    def __init__(self, tree: CapacityTree, groups: Mapping[str, Sequence[str]]) -> None:
        self.tree = tree
        self.groups = groups
        self.placement = Placement(tree.properties, tree.names)
        self.workflows = WorkflowPriorities(tree.properties)

    def groups_of(self, user: str) -> Sequence[str]:
        """A user's groups; a group of the user's name where none are known."""
        return self.groups.get(user, [user])

    # ---------------------------------------------------------------- before the application exists

    def admit(self, application: Application, maximum: Resource) -> None:
        """Place it, size its AM, and ask for its rights. Raises RefusedError if it may not be.

        The queue of `application` becomes the full path where it is known; `maximum` is the largest container of the
        cluster at this moment.
        """
        requested = application.queue
        groups = self.groups_of(application.user)
        path = self.placement.place(requested, application.user, groups, application.name)
        name = requested if path is None else path.rpartition(".")[2]
        if application.am is not None:
            self._admit_master(application, name, maximum)
        application.priority = self.priority_of(application, name)
        if self.tree.settings.acls_enabled:
            self._check_access(application.user, name if path is None else path)
        queue = self.tree.names.get(path or requested)
        application.queue = queue.path if queue is not None else path or requested
        self.placed[application.number] = path

    def _admit_master(self, application: Application, name: str, maximum: Resource) -> None:
        assert application.am is not None, "it has an application master"
        most = self.maximum_of(name, maximum)
        queue = self.tree.names.get(name)
        self._check_label_enabled(application.partition)
        own = application.partition or self.tree.settings.master_label.label
        label = own or (queue.settings.default_label or "" if queue is not None else "")
        application.master_partition = label  # a queue that is made for it only later has no say
        ask = ResourceRequest(0, ANY, application.am.memory_mb, application.am.vcores, 1, partition=label)
        self._check(ask, queue, most)
        size = self.tree.space.calculator.normalise(
            (ask.memory_mb, ask.vcores), self.tree.space.minimum, (most.memory_mb, most.vcores)
        )
        application.am = Resource(*size)

    def maximum_of(self, name: str, maximum: Resource) -> Resource:
        """The largest container in a queue. Source: CapacityScheduler#getMaximumResourceCapability(String)."""
        queue = self.tree.names.get(name)
        if queue is None or queue.leaf is None:
            return maximum
        memory_mb, vcores = queue.settings.maximum_allocation
        return Resource(min(memory_mb, maximum.memory_mb), min(vcores, maximum.vcores))

    # ---------------------------------------------------------------- asks

    def size(self, attempt: CapacityAttempt, asks: Iterable[ResourceRequest], most: Amount) -> None:
        """Normalise sizes, and name the partitions the asks mean; a master's is known since the admission."""
        space, is_of_master = self.tree.space, attempt.asks_for_master
        for ask in asks:
            ask.partition = attempt.am_label if is_of_master else self.label_of(ask, attempt.queue)
            size = (ask.memory_mb, ask.vcores)
            ask.memory_mb, ask.vcores = space.calculator.normalise(size, space.minimum, most)

    def label_of(self, ask: ResourceRequest, queue: CapacityQueue | None) -> str:
        if ask.partition or ask.resource_name != ANY or queue is None:
            return ask.partition
        return queue.settings.default_label or ""

    def check_ask(self, ask: ResourceRequest, queue: CapacityQueue | None, maximum: Resource) -> None:
        """Refuse an ask that is too large or for a partition it may not have; raises `RefusedError`."""
        self._check_label_enabled(ask.partition)
        meant = ResourceRequest(
            ask.priority, ask.resource_name, ask.memory_mb, ask.vcores, ask.count, partition=self.label_of(ask, queue)
        )
        self._check(meant, queue, maximum)

    def _check_label_enabled(self, label: str) -> None:
        if label and not self.tree.settings.labels_enabled:
            raise RefusedError(BAD_LABEL, "node labels are not enabled")

    def _check(self, ask: ResourceRequest, queue: CapacityQueue | None, maximum: Resource) -> None:
        configured = Resource(*self.tree.settings.maximum)
        own, path = (configured, "") if queue is None else (Resource(*queue.settings.maximum_allocation), queue.path)
        key = f"{PREFIX}{path}.maximum-allocation-{{}}"
        validate(Resource(ask.memory_mb, ask.vcores), maximum, configured, own, key)
        label = ask.partition
        if not label.strip():
            return
        if ask.resource_name != ANY:
            raise RefusedError(BAD_LABEL, f"a label for {ask.resource_name}; only * may have one")
        if "&&" in label:
            raise RefusedError(BAD_LABEL, f"more than one label: {label}")
        if queue is None:
            return
        if ANY_LABEL not in queue.settings.accessible and label not in queue.settings.accessible:
            raise RefusedError(BAD_LABEL, f"{queue.path} may not use the label {label}")
        if not self.tree.space.knows(label):
            of_queue = StatedLabel(DEFAULT_LABEL.of(queue.path), queue.settings.default_label or "")
            raise RefusedError(BAD_LABEL, no_such_label(label, self.tree.settings.master_label, of_queue))

    # ---------------------------------------------------------------- priority

    def priority_of(self, application: Application, name: str) -> int:
        """The one asked for, or the user's or the queue's default, at most the cluster's; raises RefusedError."""
        queue = self.tree.names.get(name)
        leaf = queue.leaf if queue is not None else None
        priority = application.priority if application.priority_given else None
        if priority is None:
            priority = self._default_priority(application.user, leaf)
        return self.checked_priority(application.user, leaf, priority)

    def checked_priority(self, user: str, leaf: Leaf | None, priority: int) -> int:
        """A priority capped at the cluster's maximum, if the user may have it; raises `RefusedError`."""
        priority = min(priority, self.tree.settings.maximum_priority)
        if leaf is not None and self.tree.settings.acls_enabled and leaf.settings.priority_groups:
            allowed = any(
                group.allowed.allows(user, self.groups_of(user)) and priority <= group.maximum
                for group in leaf.settings.priority_groups
            )
            if not allowed:
                key = PRIORITY_ACL.of(leaf.queue.path)
                raise RefusedError(DENIED, f"{user} may not have an application of priority {priority} ({key})")
        return priority

    def change_priority(self, application: Application, priority: int) -> None:
        """Give a live application another priority.

        The class compares with the priority of the submission, which stays: nobody can go back to that one, and a later
        attempt begins with it. Raises RefusedError if its user may not have this one.

        Source: CapacityScheduler#updateApplicationPriority, SchedulerApplication#getPriority, Hadoop 3.4.1.
        """
        attempt = capacity_attempt(application.attempt)
        leaf = attempt.queue.leaf
        assert leaf is not None, "applications are in leaves"
        priority = self.checked_priority(application.user, leaf, priority)
        application.changed_priority = priority
        if priority != application.priority:
            move_to_priority(leaf, attempt, priority)

    def _default_priority(self, user: str, leaf: Leaf | None) -> int:
        if leaf is None:
            return 0
        if self.tree.settings.acls_enabled:
            # The last group that names the user counts, which is the one with the lowest maximum.
            for group in reversed(leaf.settings.priority_groups):
                if group.allowed.allows(user, self.groups_of(user)):
                    return group.default if group.default is not None else 0
        return leaf.settings.default_priority

    # ---------------------------------------------------------------- access lists

    def _check_access(self, user: str, name: str) -> None:
        """Submitting needs the right to submit or to administer, in the queue or anywhere above it."""
        queue = self.tree.names.get(name)
        lists: list[tuple[AccessControlList, AccessControlList]] = []
        if queue is None:
            lists, path = self._lists_of_new(name)
            if not lists:
                return
        else:
            path = queue.path
        while path:
            above = self.tree.names.by_path.get(path)
            if above is not None:
                lists.append((above.settings.acl_submit, above.settings.acl_administer))
            path = path.rpartition(".")[0]
        groups = self.groups_of(user)
        if not any(submit.allows(user, groups) or administer.allows(user, groups) for submit, administer in lists):
            key = SUBMIT_ACL.of(self._template_of(name) if queue is None else queue.path)
            raise RefusedError(DENIED, f"{user} may not submit to {name} ({key})")

    def _template_of(self, name: str) -> str:
        parent_path = name.rpartition(".")[0]
        parent = self.tree.names.by_path.get(parent_path)
        is_managed = parent is not None and parent.template is not None
        return f"{parent_path}.{TEMPLATE if is_managed else f'{CREATION_V2}leaf-template'}"

    def _lists_of_new(self, name: str) -> tuple[list[tuple[AccessControlList, AccessControlList]], str]:
        tree, (parent_path, _, _) = self.tree, name.rpartition(".")
        if not parent_path:
            return [], ""
        parent = tree.names.by_path.get(parent_path)
        missing: list[str] = []
        if parent is None:
            try:
                missing = missing_parents(tree, name)
            except RefusedError:
                return [], ""
        if parent is not None and parent.template is not None:
            prefix = queue_key(f"{parent_path}.{TEMPLATE}", "")
            found = [_lists(tree.properties.starting_with(prefix))]
        else:
            found = [_lists(Templates(tree.properties, parent_path).settings_of(is_leaf=True))]
        for path in missing:
            above = path.rpartition(".")[0]
            found.append(_lists(Templates(tree.properties, above).settings_of(is_leaf=False)))
        return found, parent_path

    # ---------------------------------------------------------------- in the scheduler

    def find_leaf(self, application: Application, requested: str, now_ms: int) -> CapacityQueue:
        """The leaf an admitted application goes to, made where it may be; raises RefusedError."""
        tree = self.tree
        if tree.root.application_count >= tree.settings.max_applications:
            raise RefusedError(REJECTED, f"there are {tree.root.application_count} applications already")
        path = self.placed.pop(application.number, None)
        queue = tree.names.get(path or requested)
        if queue is None:
            queue = self._create(path, requested, now_ms)
        if queue.leaf is None:
            raise RefusedError(REJECTED, f"{queue.path} is not a leaf")
        if queue.leaf.is_auto_created and queue.parent is not None:
            given = path.rpartition(".")[0] if path is not None else ""
            if given not in (queue.parent.path, queue.parent.name):
                raise RefusedError(REJECTED, f"{queue.path} is only for applications that a mapping places there")
        mapped = self.workflows.of(application.tags, queue)
        if mapped is not None:
            try:
                application.priority = self.checked_priority(application.user, queue.leaf, mapped)
            except RefusedError as error:
                raise RefusedError(REJECTED, str(error)) from error
        check_submission(queue, application.user, path or requested)
        return queue

    def _create(self, path: str | None, requested: str, now_ms: int) -> CapacityQueue:
        tree, wanted = self.tree, path or requested
        if tree.names.is_ambiguous(requested if path is None else path):
            raise RefusedError(REJECTED, f"there is more than one queue {requested}")
        parts = wanted.split(".")
        if "" in parts or len(parts) < 2:
            raise RefusedError(REJECTED, f"there is no queue {wanted}")
        parent = tree.names.get(wanted.rpartition(".")[0])
        tree.properties.refusals = Refusals()  # of this queue alone
        try:
            if parent is not None and parent.template is not None:
                full = f"{parent.path}.{parts[-1]}"
                queue = ManagedParent(parent).create(full, tree.properties, tree.found, tree.space)
                tree.update_below(parent)
                tree.names.add(queue)
                return queue
            return create_queue(tree, wanted, now_ms)
        except (RefusedError, ConfigError) as error:
            raise RefusedError(REJECTED, str(error)) from error


def _most_by(leaf: Leaf) -> str:
    if leaf.settings.max_applications < 0 and leaf.max_applications == leaf.settings.most_of_each:
        return APPLICATIONS_OF_A_QUEUE.everywhere
    setting = MAXIMUM_APPLICATIONS if leaf.max_applications else CAPACITY  # without capacity it takes none by default
    return setting.of(leaf.queue.path)


def check_submission(queue: CapacityQueue, user: str, requested: str) -> None:
    """Check that a leaf and those above it take one more application of a user; raises `RefusedError`.

    Source: AbstractLeafQueue#validateSubmitApplication, AbstractParentQueue#validateSubmitApplication.
    """
    leaf = queue.leaf
    assert leaf is not None, "only leaves take applications"
    if queue.state != "RUNNING":
        raise RefusedError(REJECTED, f"{queue.path} is {queue.state} ({_state_of(queue)})")
    if not leaf.is_auto_created:
        if leaf.number_of_applications() >= leaf.max_applications:
            count, most = leaf.number_of_applications(), leaf.max_applications
            raise RefusedError(REJECTED, f"{queue.path} has {count} applications already ({_most_by(leaf)} = {most})")
        mine = leaf.users.get(user)
        if mine.pending + mine.active >= leaf.max_per_user:
            raise RefusedError(
                REJECTED,
                f"{user} has {mine.pending + mine.active} applications in {queue.path} already ({leaf.max_per_user} by "
                f"{_most_by(leaf)} = {leaf.max_applications} and the user limit)",
            )
    else:
        leaf.users.get(user)
    for above in queue.ancestors():
        if requested == above.name:
            raise RefusedError(REJECTED, f"{above.path} is not a leaf")
        if above.state != "RUNNING":
            raise RefusedError(REJECTED, f"{above.path} is {above.state} ({_state_of(above)})")


def _state_of(queue: CapacityQueue) -> str:
    while queue.settings.state != "STOPPED" and queue.parent is not None and queue.parent.state != "RUNNING":
        queue = queue.parent
    return f"{STATE.of(queue.path)} = {STOPPED}"


def _lists(settings: Mapping[str, str]) -> tuple[AccessControlList, AccessControlList]:
    return (
        AccessControlList(settings.get("acl_submit_applications", " ")),
        AccessControlList(settings.get("acl_administer_queue", " ")),
    )


def amount(size: Resource) -> Amount:
    return (size.memory_mb, size.vcores)


# Limits the applications of a queue or user that run at once; the others are parked and get their turn.

NEVER = 2**63 - 1


class ParallelLimit(metaclass=State):
    """Counts applications that run, by user; queues count their own."""

    settings: Shared[CapacitySettings]
    running: dict[str, int] = {}  # By user
    parked: dict[str, list[CapacityAttempt]] = {}  # By user, in order of arrival

    def __init__(self, settings: CapacitySettings) -> None:
        self.settings = settings

    def check(self, attempt: CapacityAttempt) -> bool:
        """Tell whether an attempt may run now; noted in it."""
        attempt.runnable = self._user_may(attempt.user) and all(
            queue.number_of_runnable() < queue.settings.max_parallel
            for queue in (attempt.queue, *attempt.queue.ancestors())
        )
        return attempt.runnable

    def most_of(self, user: str) -> int:
        return self.settings.max_parallel_of_user.get(user, self.settings.max_parallel_of_users)

    def _user_may(self, user: str) -> bool:
        return self.running.get(user, 0) < self.most_of(user)

    def limit_on(self, attempt: CapacityAttempt) -> tuple[int, int, str]:
        """Return the limit that parks an attempt, with what runs; its user's where no queue is at its limit."""
        for queue in (attempt.queue, *attempt.queue.ancestors()):
            if queue.number_of_runnable() >= queue.settings.max_parallel:
                return queue.number_of_runnable(), queue.settings.max_parallel, f"queue {queue.path}"
        return self.running.get(attempt.user, 0), self.most_of(attempt.user), f"user {attempt.user}"

    def track(self, attempt: CapacityAttempt) -> None:
        if not attempt.runnable:
            self.parked.setdefault(attempt.user, []).append(attempt)
            return
        for queue in attempt.queue.ancestors():
            queue.runnable_below += 1
        self.running[attempt.user] = self.running.get(attempt.user, 0) + 1

    def untrack(self, attempt: CapacityAttempt) -> None:
        if not attempt.runnable:
            self._forget_parked(attempt)
            return
        self.running[attempt.user] -= 1
        if not self.running[attempt.user]:
            del self.running[attempt.user]
        for queue in attempt.queue.ancestors():
            queue.runnable_below -= 1

    def _forget_parked(self, attempt: CapacityAttempt) -> None:
        parked = self.parked.get(attempt.user, [])
        if attempt in parked:
            parked.remove(attempt)
        if not parked:
            self.parked.pop(attempt.user, None)

    # ---------------------------------------------------------------- whose turn it is

    def after_removal(self, attempt: CapacityAttempt, space: PartitionResources) -> None:
        highest = None
        for queue in (attempt.queue, *attempt.queue.ancestors()):
            if queue.number_of_runnable() == queue.settings.max_parallel - 1:
                highest = queue
        lists = _parked_below(highest) if highest is not None else []
        if self.running.get(attempt.user, 0) == self.most_of(attempt.user) - 1:
            mine = self.parked.get(attempt.user)
            if mine is not None:
                lists.append(mine)
        self._run(lists, len(lists), space)

    def after_reload(self, root: CapacityQueue, space: PartitionResources) -> None:
        self._run(_parked_below(root), NEVER, space)

    def _run(self, lists: list[list[CapacityAttempt]], most: int, space: PartitionResources) -> None:
        """Let parked attempts run, earliest start first, at most some. Source: #updateAppsRunnability."""
        now_running: list[CapacityAttempt] = []
        previous = None
        for attempt in by_start(lists):
            if attempt is previous:
                continue
            if self.check(attempt):
                self.track(attempt)
                assert attempt.queue.leaf is not None, "parked in a leaf"
                submit(attempt.queue.leaf, attempt, space)
                now_running.append(attempt)
                if len(now_running) >= most:
                    break
            previous = attempt
        for attempt in now_running:
            assert attempt.queue.leaf is not None, "parked in a leaf"
            if attempt in attempt.queue.leaf.parked:
                attempt.queue.leaf.parked.remove(attempt)
            self._forget_parked(attempt)


def _parked_below(queue: CapacityQueue) -> list[list[CapacityAttempt]]:
    if queue.number_of_runnable() >= queue.settings.max_parallel:
        return []
    if queue.leaf is not None:
        return [list(queue.leaf.parked)]
    return [parked for child in queue.children for parked in _parked_below(child)]
