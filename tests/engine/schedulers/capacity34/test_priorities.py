"""Priorities and rights of applications in capacity-3.4: what a user may have or gets unasked, who may submit."""

import pytest

from engine.control_plane.protocol import ApplicationSubmitted
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from tests.build import START_MS, resource_manager, submit
from tests.engine.schedulers.test_capacity_view import PREFIX, SETTINGS

ACL = f"{PREFIX}root.a.acl_application_max_priority"
GROUPS = (
    "[user=ann max_priority=8 default_priority=5] [user=zoe group=ops max_priority=3 default_priority=2]"
    " [user=* max_priority=1]"
)
OPEN = {"yarn.cluster.max-application-priority": "9", f"{PREFIX}root.acl_submit_applications": "*"}
ENABLED = {**OPEN, "yarn.acl.enable": "true"}


def manager(*settings: dict[str, str]) -> ResourceManager:
    """With the queues a, p.x and p.y; bob is in the group ops."""
    conf = dict(SETTINGS)
    for each in settings:
        conf |= each
    return resource_manager("capacity-3.4", settings=conf, groups={"bob": ["ops"]})


def given(rm: ResourceManager, user: str, priority: int | None, queue: str = "a") -> int | str:
    """The priority of an application that is submitted, or the words with which it is refused."""
    submission = ApplicationSubmitted(user, queue, priority=priority)
    answer = rm.handle(submission, START_MS)
    if answer.rejected:
        return answer.detail
    assert answer.application is not None
    return rm.cluster.applications[answer.application].priority


@pytest.mark.parametrize(("asked", "priority"), [(None, 4), (0, 0), (3, 3), (9, 9), (10, 9)])
def test_a_priority_ends_at_that_of_the_cluster(asked: int | None, priority: int) -> None:
    """Who asks for none has the default of the queue, another queue's is 0."""
    rm = manager(OPEN, {f"{PREFIX}root.a.default-application-priority": "4"})
    assert given(rm, "ann", asked) == priority
    assert given(rm, "ann", None, "x") == 0


@pytest.mark.parametrize(
    ("user", "asked", "priority"),
    [
        ("ann", 8, 8),
        ("ann", 9, None),
        ("bob", 3, 3),
        ("bob", 4, None),
        ("cy", 1, 1),
        ("cy", 2, None),
        ("cy", 0, 0),
    ],
)
def test_a_user_may_have_priorities_up_to_that_of_a_group(user: str, asked: int, priority: int | None) -> None:
    found = given(manager(ENABLED, {ACL: GROUPS}), user, asked)
    refused = f"{user} may not have an application of priority {asked}"
    assert found == (refused if priority is None else priority)


def test_a_priority_may_be_changed_within_the_rights() -> None:
    rm = manager(ENABLED, {ACL: GROUPS})
    number = submit(rm, "a", user="ann")
    policy, application = rm.scheduler.policy, rm.cluster.applications[number]
    assert isinstance(policy, CapacityScheduler34)
    policy.admission.change_priority(application, 8)
    assert application.attempt is not None
    with pytest.raises(RefusedError) as refused:
        policy.admission.change_priority(application, 9)
    assert (refused.value.kind, str(refused.value)) == (
        "AccessControlException",
        "ann may not have an application of priority 9",
    )


CLOSED = {
    "yarn.acl.enable": "true",
    f"{PREFIX}root.acl_submit_applications": " ",
    f"{PREFIX}root.acl_administer_queue": " ",
}


@pytest.mark.parametrize(
    ("key", "text", "queue", "may"),
    [
        ("root.a.acl_submit_applications", "ann", "a", True),
        ("root.a.acl_administer_queue", "ann", "a", True),
        ("root.a.acl_submit_applications", "bob", "a", False),
        ("root.a.acl_submit_applications", "ann", "x", False),
        ("root.a.acl_submit_applications", " ann", "a", True),
        ("root.p.acl_submit_applications", "ann", "x", True),
        ("root.acl_administer_queue", "ann", "x", True),
        ("root.p.x.acl_administer_queue", "*", "root.p.x", True),
    ],
)
def test_a_right_to_a_queue_holds_for_all_below(key: str, text: str, queue: str, may: bool) -> None:
    """Either right lets an application in; a user of no known group is in one of the own name."""
    found = given(manager(CLOSED, {f"{PREFIX}{key}": text}), "ann", None, queue)
    assert found == (0 if may else f"ann may not submit to {queue}")


@pytest.mark.parametrize(
    ("key", "text", "may"),
    [
        ("template.acl_submit_applications", "ann", True),
        ("leaf-template.acl_submit_applications", "ann", True),
        ("leaf-template.acl_administer_queue", "ann", True),
        ("template.acl_submit_applications", "bob", False),
        ("parent-template.acl_submit_applications", "ann", False),
    ],
)
def test_rights_to_a_queue_that_would_be_made_stand_in_templates(key: str, text: str, may: bool) -> None:
    settings = {
        **CLOSED,
        f"{PREFIX}root.queues": "d",
        f"{PREFIX}root.d.capacity": "1w",
        f"{PREFIX}root.d.auto-queue-creation-v2.enabled": "true",
        f"{PREFIX}root.d.auto-queue-creation-v2.{key}": text,
    }
    rm = resource_manager("capacity-3.4", settings=settings)
    assert given(rm, "ann", None, "root.d.x") == (0 if may else "ann may not submit to root.d.x")
