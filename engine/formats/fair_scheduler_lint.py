"""Values of an accepted fair-scheduler.xml that have no effect or contradict each other, as warnings."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.errors import nearest
from engine.formats.fair_elements import RIGHTS, AllocationBuilder, AnyAllocation
from engine.grouping import grouped
from engine.model.cluster import Cluster
from engine.model.java_values import setting_boolean
from engine.model.request import NONE, Resource, full_name
from engine.schedulers.fair.settings import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS, FairAllocation
from engine.schedulers.fair34.placement import with_root
from engine.schedulers.fair34.queue_manager import QueueManager34
from engine.schedulers.fair34.settings import FairAllocation34, default_allocation_34
from engine.settings.fair import PREEMPTION

_ACL_ELEMENTS: Final = {right: element for element, right in RIGHTS.items()}
_PREEMPTION_WORDS: Final = ("PreemptionTimeout", "PreemptionThreshold")


def warn_of_values_27(draft: AllocationBuilder[FairAllocation], settings: Mapping[str, str]) -> None:
    """Add a warning for every value that Hadoop 2.7.2 reads and then cannot use; `settings` are Hadoop's keys."""
    _warn_of_minimums(draft, draft.allocation.max_resources)
    _warn_of_zero_maximums(draft, draft.allocation.max_resources, "runs one container at a time")
    _warn_of_values(draft, settings)
    _warn_of_weights(draft)
    _warn_of_policies_27(draft)
    _warn_of_kinds_27(draft)


def warn_of_values_34(draft: AllocationBuilder[FairAllocation34], settings: Mapping[str, str]) -> None:
    """Add a warning for every value that Hadoop 3.4.1 reads and then cannot use, and every queue it cannot make."""
    maximums = {queue: most.fixed for queue, most in draft.allocation.maximums.items() if most.fixed is not None}
    _warn_of_minimums(draft, maximums)
    _warn_of_zero_maximums(draft, maximums, "runs no container")
    _warn_of_values(draft, settings)
    _warn_of_missing_vcores_34(draft)
    _warn_of_weights(draft)
    _warn_of_queues_34(draft)


def queues_made(allocation: FairAllocation34) -> dict[str, bool]:
    """The queues that are there after the file was loaded, and whether each is a parent."""
    queues = QueueManager34(Cluster(1), default_allocation_34({}))
    queues.load(allocation, 0)
    return {path: not queue.is_leaf for path, queue in queues.tree.queues.items()}


def _warn_of_minimums(draft: AllocationBuilder[AnyAllocation], maximums: dict[str, Resource]) -> None:
    for queue, least in draft.allocation.min_resources.items():
        most = maximums.get(queue)
        if most is not None and not least.fits_in(most):
            message = f"{_amount(least)} is more than the maximum of {_amount(most)}"
            draft.warn_of_value(message, queue, "minResources")


def _warn_of_values(draft: AllocationBuilder[AnyAllocation], settings: Mapping[str, str]) -> None:
    _warn_of_open_queues(draft)
    _warn_of_users(draft)
    _warn_of_no_applications(draft)
    _warn_of_minimums_of_children(draft)
    _warn_of_preemption(draft, settings)


def _warn_of_zero_maximums(
    draft: AllocationBuilder[AnyAllocation], maximums: Mapping[str, Resource], effect: str
) -> None:
    for queue, most in maximums.items():
        if 0 in (most.memory_mb, most.vcores):
            least = draft.allocation.min_share(queue)
            if least == NONE or least.fits_in(most):
                draft.warn_of_value(f"{_amount(most)}: the queue {effect}", queue, "maxResources")


def _warn_of_open_queues(draft: AllocationBuilder[AnyAllocation]) -> None:
    # Rights of a queue hold below it, too, and the right to administer includes the right to submit. Source:
    # RMAppManager, AllocationConfiguration#getQueueAcl.
    allocation = draft.allocation
    for queue, lists in allocation.acls.items():
        for right, acl in lists.items():
            if queue == "root" or acl.all_allowed:
                continue
            openers = _all_openers(allocation, queue, right)
            if openers:
                message = (
                    f"keeps no user out: {next(iter(openers))} is open to everyone, and its child queues inherit that"
                )
                closed = " and ".join(f"{each} an {' and an '.join(names)}" for each, names in openers.items())
                draft.warn_of_value(message, queue, _ACL_ELEMENTS[right], f"give {closed}; one blank is no user")


def _all_openers(allocation: FairAllocation, queue: str, right: str) -> dict[str, list[str]]:
    """Queue → the elements by which everybody may use it, of a queue and those above it, the root first."""
    parts = queue.split(".")
    above = [".".join(parts[:end]) for end in range(1, len(parts))] or ["root"]
    rights = tuple(_ACL_ELEMENTS) if right == SUBMIT_APPLICATIONS else (right,)
    found = {each: _openers(allocation, each, rights) for each in above}
    if right == SUBMIT_APPLICATIONS:
        found[queue] = _openers(allocation, queue, (ADMINISTER_QUEUE,))
    return {each: names for each, names in found.items() if names}


def _openers(allocation: FairAllocation, queue: str, rights: Iterable[str]) -> list[str]:
    return [_ACL_ELEMENTS[right] for right in rights if allocation.acl(queue, right).all_allowed]


def _warn_of_users(draft: AllocationBuilder[AnyAllocation]) -> None:
    # A user with a queue of that name is known; where groups or all may submit, so is every user whose name is not
    # nearly alike
    allocation = draft.allocation
    lists = [acl for rights in allocation.acls.values() for acl in rights.values()]
    named = {user for acl in lists for user in acl.users}
    own = {queue.rpartition(".")[2] for queue in allocation.configured_leaves}
    are_more = any(acl.groups for acl in lists) or allocation.acl("root", SUBMIT_APPLICATIONS).all_allowed
    for user in allocation.user_max_running_apps:
        hint = nearest(user, named)
        if named and user and user not in named | own and (hint or not are_more):
            message = f"{user} appears in no ACL: the limit may apply to no user"
            draft.warn_of_value(message, f"user {user}", "maxRunningApps", hint)


def _warn_of_no_applications(draft: AllocationBuilder[AnyAllocation]) -> None:
    allocation = draft.allocation
    for queue, count in allocation.max_running_apps.items():
        if count <= 0:
            draft.warn_of_value(f"{count}: no application of the queue is ever started", queue, "maxRunningApps")
    for user, count in allocation.user_max_running_apps.items():
        if count <= 0:
            draft.warn_of_value(f"{count}: no application of {user} is ever started", f"user {user}", "maxRunningApps")
    for count, name in (
        (allocation.queue_max_apps_default, "queueMaxAppsDefault"),
        (allocation.user_max_apps_default, "userMaxAppsDefault"),
    ):
        if count <= 0:
            draft.warn_of_value(f"{count}: where nothing else is stated no application is ever started", "", name)
    message = "0: no application master may start, so nothing runs"
    for queue, share in allocation.max_am_shares.items():
        if share == 0:
            draft.warn_of_value(message, queue, "maxAMShare", "-1 is no limit")
    if allocation.max_am_share_default == 0:
        draft.warn_of_value(message, "", "queueMaxAMShareDefault", "-1 is no limit")


def _warn_of_minimums_of_children(draft: AllocationBuilder[AnyAllocation]) -> None:
    least = draft.allocation.min_resources
    children = grouped((queue.rpartition(".")[0], each) for queue, each in least.items())
    for parent, own in least.items():
        below = children.get(parent, [])
        total = Resource(sum(each.memory_mb for each in below), sum(each.vcores for each in below))
        if below and not total.fits_in(own):
            message = f"the minimums of its queues are {_amount(total)}, more than its own {_amount(own)}"
            draft.warn_of_value(message, parent, "minResources")


def _warn_of_preemption(draft: AllocationBuilder[AnyAllocation], settings: Mapping[str, str]) -> None:
    """Once, at the first of the values; without settings it is not known whether preemption is on."""
    if not settings or setting_boolean(settings.get(PREEMPTION.name), False):
        return
    stated = [(line, place) for place, line in draft.lines.items() if place[1].endswith(_PREEMPTION_WORDS)]
    if stated:
        _, (queue, name) = min(stated)
        draft.warn_of_value(f"has no effect: {PREEMPTION.name} is not true", queue, name)


def _amount(resource: Resource) -> str:
    return f"{resource.memory_mb} MB, {resource.vcores} vcores"


def _warn_of_weights(draft: AllocationBuilder[AnyAllocation]) -> None:
    weights = draft.allocation.weights
    for queue, weight in weights.items():
        if not weight > 0:
            draft.warn_of_value(f"weight {weight:g}: the queue gets no fair share", queue, "weight")
    if "root" in weights:
        draft.warn_of_value("a weight of root has no effect, as it has no siblings", "root", "weight")


def _warn_of_policies_27(draft: AllocationBuilder[FairAllocation]) -> None:
    allocation = draft.allocation
    parents = {"root", *allocation.configured_parents}
    for queue, policy in allocation.policies.items():
        if policy == "fifo" and queue in parents:
            message = "fifo is for leaf queues; Hadoop keeps the policy the queue had"
            draft.warn_of_value(message, queue, "schedulingPolicy")
    if allocation.default_policy == "fifo" and ("", "defaultQueueSchedulingPolicy") in draft.lines:
        message = "fifo is for leaf queues; parent queues keep fair"
        draft.warn_of_value(message, "", "defaultQueueSchedulingPolicy")


def _warn_of_kinds_27(draft: AllocationBuilder[FairAllocation]) -> None:
    allocation = draft.allocation
    leaves = set(allocation.configured_leaves)
    for queue in allocation.configured_parents:
        if queue in leaves:
            draft.warn_of_value("is given both as a leaf and as a parent; Hadoop makes it a parent", queue, "queue")
        if queue in allocation.max_am_shares:
            message = "has no effect on a parent queue; a queue's share is not inherited"
            draft.warn_of_value(message, queue, "maxAMShare")
    for queue in (*allocation.configured_leaves, *allocation.configured_parents):
        if queue.startswith("root.default."):
            draft.warn_of_value("is never made: root.default stays a leaf", queue, "queue")
        elif queue != full_name(queue):
            _warn_of_lost_values(draft, queue)


def _warn_of_lost_values(draft: AllocationBuilder[AnyAllocation], queue: str) -> None:
    message = f"becomes root.{queue}, without the values given here: Hadoop keeps them under {queue}"
    draft.warn_of_value(message, queue, "queue", 'write <queue name="root">')


def _warn_of_missing_vcores_34(draft: AllocationBuilder[FairAllocation34]) -> None:
    """An amount that names its memory alone has -1 vcores, unless a minimum lifts it."""
    allocation = draft.allocation
    least = allocation.min_resources
    amounts = [
        *(("maxResources", queue, most.fixed) for queue, most in allocation.maximums.items()),
        *(("maxChildResources", queue, most.fixed) for queue, most in allocation.child_maximums.items()),
        *(("maxContainerAllocation", queue, most) for queue, most in allocation.container_maximums.items()),
    ]
    for name, queue, amount in amounts:
        is_lifted = name == "maxResources" and queue in least and least[queue].vcores > 0
        if amount is not None and amount.vcores < 0 and not is_lifted:
            message = "names no vcores: Hadoop takes -1 and refuses every request"
            draft.warn_of_value(message, queue, name, "vcores=N")


def _warn_of_queues_34(draft: AllocationBuilder[FairAllocation34]) -> None:
    allocation = draft.allocation
    made = queues_made(allocation)
    for queue in dict.fromkeys((*allocation.configured_leaves, *allocation.configured_parents)):
        full = with_root(queue)
        if full not in made:
            policy = allocation.policy(queue)
            message = f"is never made: its policy {policy} may not stand there, or a queue above it is not made"
            draft.warn_of_value(message, queue, "queue", "drf may not stand below fair, and nothing below fifo")
        elif full != queue:
            _warn_of_lost_values(draft, queue)
