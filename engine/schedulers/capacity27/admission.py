"""Finds an application's queue and checks whether it may come in.

Source: CapacityScheduler#addApplication, #getQueueMappings, #getMappedQueue, LeafQueue#submitApplication,
ParentQueue#submitApplication, ConfiguredYarnAuthorizer, CapacityScheduler#initializeQueues, #reinitializeQueues,
#validateExistingQueues, ParentQueue#reinitialize, LeafQueue#reinitialize, #updateClusterResource,
LeafQueue#activateApplications, #addApplicationAttempt, #removeApplicationAttempt, Hadoop 2.7.2.
"""

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.errors import RefusedError
from engine.model.identity import java_hash_order
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus
from engine.schedulers.capacity27.calculators import PartitionResources27, smaller
from engine.schedulers.capacity27.configuration import NO_LABEL, QueueConfiguration27, QueueMapping27
from engine.schedulers.capacity27.evaluation import am_limit, limit_of_child, parts_of, user_am_limit
from engine.schedulers.capacity27.queue_walk import charge, release, update_shares
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, LeafState27, compare_siblings, leaf_of
from engine.schedulers.placement import AccessControlList
from engine.settings.capacity_queue import CAPACITY, STATE, STOPPED, SUBMIT_ACL
from engine.settings.capacity_scheduler import MAXIMUM_APPLICATIONS
from engine.state import State

# Decides which applications of a leaf may be given containers: the limits on application masters.


def am_excess(
    space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27, attempt: Attempt27
) -> tuple[bool, Amount, Amount] | None:
    """What keeps it from becoming active, or None: (whether it is the user's limit, the masters' use, the limit)."""
    if not leaf.active:
        return None
    user = leaf.users.get(attempt.user)
    for is_users, used, most in (
        (False, leaf.am_used, am_limit(space, queue, leaf)),
        (True, user.am_used if user is not None else (0, 0), user_am_limit(space, queue, leaf)),
    ):
        wanted = plus(attempt.am, used)
        if space.exceeds(wanted, most):
            return (is_users, wanted, most)
    return None


def activate(space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27) -> None:
    """Activate what the limits allow, by application number; one that is held back does not stop the next."""
    for number in list(leaf.pending):
        attempt = leaf.attempts[number]
        if am_excess(space, queue, leaf, attempt) is not None:
            continue
        user = leaf.user(attempt.user)
        user.pending -= 1
        user.active += 1
        user.am_used = plus(user.am_used, attempt.am)
        leaf.am_used = plus(leaf.am_used, attempt.am)
        leaf.pending.remove(number)
        insort(leaf.active, number)
        space.model.version += 1


def add_attempt(space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27, attempt: Attempt27) -> None:
    number = attempt.application.number
    leaf.user(attempt.user).pending += 1
    insort(leaf.pending, number)
    leaf.attempts[number] = attempt
    activate(space, queue, leaf)


def remove_attempt(space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27, attempt: Attempt27) -> None:
    """An attempt leaves a leaf; a user goes with the last of its attempts."""
    number, user = attempt.application.number, leaf.user(attempt.user)
    if number in leaf.active:
        leaf.active.remove(number)
        leaf.am_used = minus(leaf.am_used, attempt.am)
        user.am_used = minus(user.am_used, attempt.am)
        user.active -= 1
    else:
        leaf.pending.remove(number)
        user.pending -= 1
    del leaf.attempts[number]
    if not user.applications:
        del leaf.users[user.name]
    activate(space, queue, leaf)


def move_attempt(space: PartitionResources27, attempt: Attempt27, target: CapacityQueue27) -> None:
    """Move it with its containers; what it reserved stays charged to the old leaf. Source: #moveApplication."""
    queue, leaf = leaf_of(attempt)
    assert target.leaf is not None, "applications move to leaves"
    for container in attempt.live.values():
        label = container.node.partition
        release(space, attempt, label, (-container.memory_mb, -container.vcores), reorder=False)
        target.leaf.user(attempt.user).charge(label, (container.memory_mb, container.vcores))
        for above in (target, *target.ancestors()):
            charge(space, above, label, (container.memory_mb, container.vcores))
    remove_attempt(space, queue, leaf, attempt)
    leaf.count_asking(attempt, asks=False)
    attempt.move(target)
    target.leaf.count_asking(attempt, asks=True)
    add_attempt(space, target, target.leaf, attempt)


# The tree of queues: built from a configuration, reloaded, searched by leaf name, updated to a new cluster size.
#
# A reload changes the queues one after another; what is refused on the way leaves those before it changed, as in the
# real class.


class QueueTree27(metaclass=State):
    """All queues, and the way to them by the short names that 2.7.2 knows them by."""

    space: PartitionResources27
    by_name: dict[str, CapacityQueue27] = {}
    root: CapacityQueue27

    def __init__(self, space: PartitionResources27, configuration: QueueConfiguration27) -> None:
        self.space = space
        self.root = self._build(configuration, None)

    def queues(self) -> Iterator[CapacityQueue27]:
        yield from _below(self.root)

    def leaf(self, name: str) -> CapacityQueue27:
        """A leaf by its short name; raises `RefusedError` when there is none."""
        queue = self.by_name.get(name)
        if queue is None:
            short = name.rpartition(".")[2]
            hint = f"; 2.7.2 knows it as {short}" if short in self.by_name else ""
            raise RefusedError("YarnException", f"there is no queue {name}{hint}")
        if queue.leaf is None:
            raise RefusedError("YarnException", f"{name} is not a leaf queue")
        return queue

    def _build(self, configuration: QueueConfiguration27, parent: CapacityQueue27 | None) -> CapacityQueue27:
        queue = CapacityQueue27(configuration, parent)
        update_shares(self.space, queue)
        for child in configuration.children:
            assert queue.children is not None, "it has children"
            queue.children.add(self._build(child, queue), compare_siblings)
        self.by_name[configuration.name] = queue  # a parent hides a leaf of the same name below it
        return queue

    # ---------------------------------------------------------------- reload

    def reload(self, configuration: QueueConfiguration27) -> None:
        """Take over queues that were read without a refusal; `cluster_changed` follows. Raises `RefusedError`."""
        self._check_kept(configuration)
        self._reload(self.root, configuration)

    def _check_kept(self, configuration: QueueConfiguration27) -> None:
        paths = {one.name: one.path for one in _configurations(configuration)}
        for name, queue in self.by_name.items():
            if name not in paths:
                raise RefusedError("IOException", f"the queue {queue.path} is missing; a reload cannot remove queues")
            if paths[name] != queue.path:
                raise RefusedError("IOException", f"a reload cannot move the queue {queue.path} to {paths[name]}")

    def _reload(self, queue: CapacityQueue27, configuration: QueueConfiguration27) -> None:
        if (queue.leaf is None) != (configuration.leaf is None):
            raise RefusedError("IOException", f"the queue {queue.path} cannot become another kind of queue")
        if queue.leaf is not None:
            self._reload_leaf(queue, configuration)
            return
        queue.configuration = configuration
        update_shares(self.space, queue)
        children = {child.name: child for child in queue.children or ()}
        configurations = {child.name: child for child in configuration.children}
        for name in java_hash_order(configurations):
            child = children.get(name)
            if child is None:
                children[name] = self._build(configurations[name], queue)
            else:
                self._reload(child, configurations[name])
        queue.reorder(children[name] for name in java_hash_order(children))

    def _reload_leaf(self, queue: CapacityQueue27, configuration: QueueConfiguration27) -> None:
        leaf, maximum = queue.leaf, configuration.maximum
        assert leaf is not None, "this is a leaf"
        assert configuration.leaf is not None, "it stays one"
        if maximum[0] < queue.configuration.maximum[0] or maximum[1] < queue.configuration.maximum[1]:
            raise RefusedError("IOException", f"the maximum allocation of {queue.path} cannot become smaller")
        queue.configuration, leaf.configuration = configuration, configuration.leaf
        update_shares(self.space, queue)
        leaf.current_limit = None
        activate(self.space, queue, leaf)

    # ---------------------------------------------------------------- the cluster's size

    def cluster_changed(self) -> None:
        self.space.refresh()
        self._update(self.root, self.space.cluster)

    def _update(self, queue: CapacityQueue27, limit: Amount) -> None:
        space = self.space
        if queue.leaf is None:
            for child in queue.children or ():
                self._update(child, limit_of_child(space, queue, child, limit))
            update_shares(space, queue)
            return
        leaf = queue.leaf
        leaf.current_limit = smaller(space.calculator, space.cluster, parts_of(space, queue, NO_LABEL).maximum, limit)
        update_shares(space, queue)
        activate(space, queue, leaf)
        for number in leaf.active:
            attempt = leaf.attempts[number]
            attempt.visited_in, attempt.visited_by = queue, leaf.user(attempt.user)
            attempt.visited_ask = NOTHING


def _below(queue: CapacityQueue27) -> Iterator[CapacityQueue27]:
    yield queue
    for child in queue.children or ():
        yield from _below(child)


def _configurations(configuration: QueueConfiguration27) -> Iterator[QueueConfiguration27]:
    yield configuration
    for child in configuration.children:
        yield from _configurations(child)


DEFAULT_QUEUE: Final = "default"


class QueueAccess27(NamedTuple):
    """Decides which users may use a queue, as the authorizer has it from the last configuration taken over whole."""

    submit: AccessControlList
    administer: AccessControlList


class Admission27:
    """The rules of one configuration; a new one makes new rules."""

    __slots__ = ("_access", "_groups", "_mappings", "_overrides")

    def __init__(
        self,
        tree: QueueTree27,
        mappings: Sequence[QueueMapping27],
        groups: Mapping[str, Sequence[str]],
        *,
        overrides: bool,
    ) -> None:
        self._mappings = mappings
        self._groups = groups
        self._overrides = overrides
        self._access = {
            queue.path: QueueAccess27(queue.configuration.submit_acl, queue.configuration.administer_acl)
            for queue in tree.queues()
        }

    def queue_name(self, user: str, requested: str) -> str:
        if not self._mappings:
            return requested
        mapped = self._mapped(user)
        return mapped if mapped is not None and (requested == DEFAULT_QUEUE or self._overrides) else requested

    def _mapped(self, user: str) -> str | None:
        for mapping in self._mappings:
            if mapping.by_group:
                if mapping.source in self._groups_of(user):
                    return mapping.queue
            elif mapping.source == "%user":
                if mapping.queue == "%user":
                    return user
                return self._groups_of(user)[0] if mapping.queue == "%primary_group" else mapping.queue
            elif mapping.source == user:
                return mapping.queue
        return None

    def _groups_of(self, user: str) -> Sequence[str]:
        """A user's groups; one whose groups are not given has one of the same name, as most machines set it up."""
        return self._groups.get(user) or (user,)

    def check(self, queue: CapacityQueue27, user: str) -> None:
        """Check that a user may submit one more to a leaf. Raises RefusedError with `AccessControlException`."""
        leaf = queue.leaf
        assert leaf is not None, "applications are submitted to leaves"
        if not self._may_submit(queue, user):
            key = SUBMIT_ACL.of(queue.path)
            raise RefusedError("AccessControlException", f"{user} may not submit to the queue {queue.path} ({key})")
        _check_running(queue)
        setting, name = leaf.configuration, queue.path
        count = len(leaf.attempts)
        if count >= setting.maximum_applications:
            message = f"the queue {name} has {count} applications already ({_most(name, setting.maximum_applications)})"
            raise RefusedError("AccessControlException", message)
        of_user = leaf.users[user].applications if user in leaf.users else 0
        if of_user >= setting.maximum_applications_per_user:
            most = _most(name, setting.maximum_applications, setting.maximum_applications_per_user)
            message = f"the queue {name} has {of_user} applications of {user} already ({most})"
            raise RefusedError("AccessControlException", message)
        for above in queue.ancestors():
            if above.name == queue.name:
                raise RefusedError("AccessControlException", f"{above.path} is not a leaf queue")
            _check_running(above)

    def _may_submit(self, queue: CapacityQueue27, user: str) -> bool:
        """Being on a list of the queue or of any queue above it is enough; `yarn.acl.enable` plays no part."""
        groups = self._groups_of(user)
        path = queue.path
        while path:
            access = self._access.get(path)
            if access is not None and (access.submit.allows(user, groups) or access.administer.allows(user, groups)):
                return True
            path = path.rpartition(".")[0]
        return False


def _check_running(queue: CapacityQueue27) -> None:
    if not queue.configuration.is_running:
        setting = f"{STATE.of(queue.path)} = {STOPPED}"
        raise RefusedError("AccessControlException", f"the queue {queue.path} is stopped ({setting})")


def _most(path: str, most: int, of_user: int | None = None) -> str:
    setting = f"{(MAXIMUM_APPLICATIONS if most else CAPACITY).of(path)} = {most}"  # without capacity it takes none
    return setting if of_user is None else f"{of_user} by {setting} and the user limit"
