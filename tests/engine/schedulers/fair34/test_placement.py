"""Which queue an application is placed in, rule by rule."""

from collections.abc import Sequence

import pytest

from engine.errors import RefusedError
from engine.schedulers.fair34.placement import (
    PlacementPolicy34,
    Rule34,
    default_rule,
    policy_from_settings_34,
    policy_problem_34,
)


class Queues:
    """The queues there are: names of the file end with `!`, parents with `/`."""

    def __init__(self, *queues: str) -> None:
        self.configured = {queue.strip("!/") for queue in queues if queue.endswith("!")}
        self.leaves = {queue.strip("!") for queue in queues if not queue.endswith("/")}

    def is_configured(self, queue: str) -> bool:
        return queue in self.configured

    def is_leaf(self, queue: str) -> bool:
        return queue in self.leaves


NO_QUEUES = Queues()


def place(
    rule: Rule34, queue: str = "default", groups: Sequence[str] = ("dev", "ops"), queues: Queues = NO_QUEUES
) -> object:
    return PlacementPolicy34([rule]).assign(queue, "d.v", groups, queues)


@pytest.mark.parametrize(
    ("rule", "placed"),
    [
        (Rule34("user"), "root.d_dot_v"),
        (Rule34("primaryGroup"), "root.dev"),
        (Rule34("primaryGroup", create=False), None),
        (Rule34("secondaryGroupExistingQueue"), None),
        (default_rule(), "root.default"),
        (default_rule(queue="a.b"), "root.a.b"),
        (default_rule(queue=".bad"), "root.default"),
        (default_rule(create=False), None),
        (Rule34("reject"), None),
        (Rule34("nestedUserQueue", parent=Rule34("primaryGroup")), "root.dev.d_dot_v"),
        (Rule34("user", parent=default_rule(queue="users")), "root.users.d_dot_v"),
        (Rule34("primaryGroup", parent=Rule34("user")), "root.d_dot_v.dev"),
        (Rule34("user", parent=Rule34("secondaryGroupExistingQueue")), None),
    ],
)
def test_a_rule_names_a_queue_or_passes(rule: Rule34, placed: str | None) -> None:
    assert place(rule) == placed


def test_the_primary_group_counts_among_all_groups() -> None:
    rule = Rule34("secondaryGroupExistingQueue")
    assert place(rule, queues=Queues("root.dev!", "root.ops!")) == "root.dev"
    assert place(rule, queues=Queues("root.dev", "root.ops!")) == "root.ops"
    below = Rule34("secondaryGroupExistingQueue", parent=default_rule(queue="p"))
    assert place(below, queues=Queues("root.p/", "root.p.ops!")) == "root.p.ops"


def test_a_leaf_cannot_hold_another_rules_queue() -> None:
    for name in ("user", "primaryGroup", "secondaryGroupExistingQueue"):
        rule = Rule34(name, parent=default_rule(queue="users"))
        assert place(rule, queues=Queues("root.users!", "root.users.dev!")) is None


@pytest.mark.parametrize(
    ("queue", "create", "placed"),
    [
        ("default", True, None),
        ("a", True, "root.a"),
        ("root", True, "root"),
        ("a", False, None),
        ("b", False, "root.b"),
    ],
)
def test_the_named_queue_is_taken(queue: str, create: bool, placed: str | None) -> None:
    """Unless it is `default`, or not from the file where nothing may be created."""
    assert place(Rule34("specified", create), queue, queues=Queues("root.b!")) == placed


@pytest.mark.parametrize("queue", [".a", "a.", " a", "a\u2003"])
def test_an_illegal_name_fails_the_submission(queue: str) -> None:
    with pytest.raises(RefusedError) as refused:
        place(Rule34("specified"), queue)
    assert refused.value.kind == "YarnException"


@pytest.mark.parametrize("name", ["primaryGroup", "secondaryGroupExistingQueue"])
def test_a_user_without_groups_fails_a_rule_that_needs_them(name: str) -> None:
    with pytest.raises(RefusedError) as refused:
        PlacementPolicy34([Rule34(name), default_rule()]).assign("default", "ann", (), NO_QUEUES)
    assert refused.value.kind == "IOException"


def test_rules_must_end_with_one_that_takes_everything_and_none_before() -> None:
    assert policy_problem_34([]) == ""
    assert policy_problem_34([Rule34("specified"), default_rule()]) == ""
    assert "never be reached" in policy_problem_34([Rule34("user"), default_rule()])
    assert "get past" in policy_problem_34([Rule34("user", create=False)])
    assert policy_problem_34([Rule34("nestedUserQueue", parent=Rule34("primaryGroup"))]) == ""
    assert policy_problem_34([Rule34("nestedUserQueue", parent=Rule34("specified")), Rule34("reject")]) == ""


@pytest.mark.parametrize(
    ("undeclared", "user", "rules"),
    [
        ("true", "true", ["specified", "user"]),
        ("false", "true", ["specified", "user", "default"]),
        ("true", "false", ["specified", "default"]),
    ],
)
def test_settings_make_a_policy_where_the_file_has_none(undeclared: str, user: str, rules: list[str]) -> None:
    prefix = "yarn.scheduler.fair."
    policy = policy_from_settings_34(
        {prefix + "allow-undeclared-pools": undeclared, prefix + "user-as-default-queue": user}
    )
    assert [rule.name for rule in policy.rules] == rules
    assert policy_problem_34(policy.rules) == ""
