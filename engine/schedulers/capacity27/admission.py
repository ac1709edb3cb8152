"""Finds an application's queue and checks whether it may come in.

Source: CapacityScheduler#addApplication, #getQueueMappings, #getMappedQueue, LeafQueue#submitApplication,
ParentQueue#submitApplication, ConfiguredYarnAuthorizer, Hadoop 2.7.2.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from engine.errors import RefusedError
from engine.schedulers.acl import AccessControlList
from engine.schedulers.capacity27.configuration import QueueMapping27
from engine.schedulers.capacity27.queues import CapacityQueue27
from engine.schedulers.capacity27.tree import QueueTree27
from engine.settings.capacity_queue import STATE, STOPPED, SUBMIT_ACL
from engine.settings.capacity_scheduler import MAXIMUM_APPLICATIONS

DEFAULT_QUEUE: Final = "default"


class QueueAccess27(NamedTuple):
    """Decides who may use a queue, as the authorizer has it from the last configuration taken over whole."""

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
        """The short name of the queue an application goes to."""
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
        """Check that a user may submit one application more to a leaf.

        Raises:
            RefusedError: `AccessControlException`: not on a list, a queue is stopped, or there are too many already.
        """
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
        parent = queue.parent
        while parent is not None:
            if parent.name == queue.name:
                raise RefusedError("AccessControlException", f"{parent.path} is not a leaf queue")
            _check_running(parent)
            parent = parent.parent

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
    """The property that limits how many applications a queue takes, in all or of one user."""
    setting = f"{MAXIMUM_APPLICATIONS.of(path)} = {most}"
    return setting if of_user is None else f"{of_user} by {setting} and the user limit"
