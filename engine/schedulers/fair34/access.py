"""Who may submit to a queue, as 3.x's authorizer keeps it: queues that left the file keep their lists.

Source: FairScheduler#setQueueAcls, ConfiguredYarnAuthorizer, Hadoop 3.4.1.
"""

from collections.abc import Mapping, Sequence

from engine.schedulers.acl import EVERYBODY, AccessControlList
from engine.schedulers.fair.allocation import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS
from engine.schedulers.fair34.allocation import FairAllocation34

_EVERYTHING = {SUBMIT_APPLICATIONS: EVERYBODY, ADMINISTER_QUEUE: EVERYBODY}


class Access:
    """The lists of all queues that ever were in a file."""

    def __init__(self) -> None:
        self._lists: dict[str, Mapping[str, AccessControlList]] = {"root": _EVERYTHING}

    def load(self, allocation: FairAllocation34) -> None:
        """Take over the lists of a file; root is open to everybody where it does not say otherwise."""
        self._lists["root"] = _EVERYTHING
        for queue in sorted(allocation.configured):
            own = allocation.acls.get(queue, {})
            self._lists[queue] = _EVERYTHING | own if queue == "root" else own

    def may_submit(self, queue: str, user: str, groups: Sequence[str]) -> bool:
        """Whether the queue or any above it lets the user submit or administer."""
        return any(self._has(queue, right, user, groups) for right in (SUBMIT_APPLICATIONS, ADMINISTER_QUEUE))

    def _has(self, queue: str, right: str, user: str, groups: Sequence[str]) -> bool:
        name = queue
        while name:
            own = self._lists.get(name, {}).get(right)
            if own is not None and own.allows(user, groups):
                return True
            name = name.rpartition(".")[0]
        return False

    def copy(self) -> "Access":
        """An independent copy."""
        other = Access()
        other._lists = dict(self._lists)
        return other
