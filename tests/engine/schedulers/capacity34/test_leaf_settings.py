"""The settings of a leaf of capacity-3.4: its order, who may have which priority, and what is refused."""

import pytest

from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity34.queue_settings import POLICY_PACKAGE, LeafSettings, QueueSettings, read_leaf
from engine.settings.capacity import CAPACITY_34

PREFIX = "yarn.scheduler.capacity."
QUEUE = f"{PREFIX}root.a."
ACL = "acl_application_max_priority"


def read(
    text: dict[str, str], whole: dict[str, str] | None = None, **of_queue: object
) -> tuple[LeafSettings, list[tuple[str, str, str]]]:
    """The settings of root.a, and (exception, key below it, message) of what is refused."""
    values = {f"{QUEUE}{key}": value for key, value in text.items()} | (whole or {})
    refusals, queue = Refusals(), QueueSettings("root.a")
    for name, value in of_queue.items():
        setattr(queue, name, value)
    settings = read_leaf(Properties(values, refusals, CAPACITY_34), queue)
    found = zip(refusals.kinds, refusals.problems, strict=True)
    return settings, [(kind, one.key.removeprefix(QUEUE), one.message) for kind, one in found]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("fair", "fair"),
        (" fifo ", "fifo"),
        (f"{POLICY_PACKAGE}FairOrderingPolicy", "fair"),
        (f"{POLICY_PACKAGE}FifoOrderingPolicyForPendingApps", "fifo-for-pending-apps"),
        ("fifo-with-partitions", "fifo-with-partitions"),
    ],
)
def test_an_order_has_a_short_name_or_a_class(text: str, order: str) -> None:
    settings, refused = read({"ordering-policy": text})
    assert (settings.order, refused) == (order, [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("lifo", "ClassNotFoundException"),
        ("org.apache.hadoop.yarn.util.resource.DominantResourceCalculator", "ClassCastException"),
    ],
)
def test_an_order_that_is_none_is_refused(text: str, kind: str) -> None:
    settings, refused = read({"ordering-policy": text})
    assert (settings.order, refused) == ("fifo", [(kind, "ordering-policy", f"there is no ordering policy {text!r}")])


@pytest.mark.parametrize(
    ("accessible", "label", "refused"),
    [
        (("x",), "x", False),
        (("*",), "x", False),
        (("y",), "", False),
        (("y",), "x", True),
        ((), "x", True),
    ],
)
def test_a_default_label_is_one_the_queue_may_use(accessible: tuple[str, ...], label: str, refused: bool) -> None:
    problem = ("IOException", "default-node-label-expression", f"the queue may not use the label {label!r}")
    assert read({}, accessible=accessible, default_label=label)[1] == ([problem] if refused else [])


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("user=ann max_priority=many max_priority=1", "NumberFormatException", "'many' is not a whole number"),
        ("user=ann default_priority=x max_priority=1", "NumberFormatException", "'x' is not a whole number"),
        ("user=ann who=me max_priority=1", "IllegalArgumentException", "'who' is not part of a priority's access list"),
        ("user=ann", "NullPointerException", "'user=ann' states no max_priority"),
        ("max_priority=1", "IndexOutOfBoundsException", "'max_priority=1' names no user and no group"),
    ],
)
def test_a_group_that_cannot_be_read_is_refused(text: str, kind: str, message: str) -> None:
    assert read({ACL: f"[{text}]"})[1] == [(kind, ACL, message)]
