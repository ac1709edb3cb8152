"""Placement rules and policies."""

import pytest

from engine.schedulers.placement import (
    EVERYBODY,
    NOBODY,
    AccessControlList,
    ConfiguredQueues,
    Default,
    NestedUserQueue,
    NoGroupsError,
    PlacementPolicy,
    PlacementRule,
    PrimaryGroup,
    Reject,
    SecondaryGroupExistingQueue,
    Specified,
    User,
    policy_from_settings,
)

CONFIGURED = ConfiguredQueues(["root.dev", "root.team.ops"], ["root", "root.team", "root.staff"])


@pytest.mark.parametrize(
    ("rule", "requested", "groups", "queue"),
    [
        (Specified(), "default", [], ""),
        (Specified(), "a.b", [], "root.a.b"),
        (Specified(), "root.a", [], "root.a"),
        (Specified(), "root", [], "root.root"),
        (Specified(), "root.default", [], "root.default"),
        (Specified(create=False), "dev", [], "root.dev"),
        (Specified(create=False), "team", [], "root.team"),
        (Specified(create=False), "other", [], ""),
        (User(), "x", [], "root.d_dot_v"),
        (User(create=False), "x", [], ""),
        (PrimaryGroup(), "x", ["a.b", "c"], "root.a_dot_b"),
        (PrimaryGroup(create=False), "x", ["staff", "c"], "root.staff"),
        (PrimaryGroup(create=False), "x", ["c", "staff"], ""),
        (SecondaryGroupExistingQueue(), "x", ["dev", "none", "staff", "team"], "root.staff"),
        (SecondaryGroupExistingQueue(), "x", ["dev"], ""),
        (NestedUserQueue(PrimaryGroup()), "x", ["team"], "root.team.d_dot_v"),
        (NestedUserQueue(PrimaryGroup()), "x", ["dev"], ""),
        (NestedUserQueue(PrimaryGroup(), create=False), "x", ["team"], ""),
        (NestedUserQueue(Specified()), "default", [], ""),
        (NestedUserQueue(Reject()), "x", [], None),
        (NestedUserQueue(Reject(), create=False), "x", [], ""),
        (Default(), "x", [], "root.default"),
        (Default("dev"), "x", [], "root.dev"),
        (Default("root.dev"), "x", [], "root.dev"),
        (Default("other", create=False), "x", [], ""),
        (Reject(), "x", [], None),
    ],
)
def test_what_a_rule_answers(rule: PlacementRule, requested: str, groups: list[str], queue: str | None) -> None:
    """Each rule answers with a queue, the empty name for the next rule, or None."""
    assert rule.assign(requested, "d.v", groups, CONFIGURED) == queue


@pytest.mark.parametrize("rule", [PrimaryGroup(), SecondaryGroupExistingQueue()])
def test_group_rules_need_groups(rule: PlacementRule) -> None:
    """A user without groups is an error, not a pass to the next rule."""
    with pytest.raises(NoGroupsError, match="no groups found for user x"):
        rule.assign("default", "x", [], CONFIGURED)


def test_the_first_rule_with_an_answer_decides() -> None:
    policy = PlacementPolicy([Specified(create=False), User(create=False), Default("dev")], CONFIGURED)

    assert policy.explain("team", "x", []) == ("root.team", "placed by rule specified")
    assert policy.explain("other", "x", []) == ("root.dev", "placed by rule default")


def test_naming_no_queue_is_naming_the_default_one() -> None:
    assert policy_from_settings({}, CONFIGURED).assign_application(None, "x", []) == "root.x"


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (PlacementPolicy([PrimaryGroup()], CONFIGURED), "rule primaryGroup: no groups found for user x"),
        (PlacementPolicy([Reject()], CONFIGURED), "rejected by rule reject of the queue placement policy"),
        (
            PlacementPolicy([Default("q", create=False)], CONFIGURED),
            "no rule of the queue placement policy assigned a queue",
        ),
    ],
)
def test_how_an_application_is_rejected(policy: PlacementPolicy, why: str) -> None:
    """Missing groups, a rejecting rule and running out of rules all reject, each with its reason."""
    assert policy.explain("default", "x", []) == (None, why)


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ([], "has no rule"),
        ([Specified()], "get past the last rule"),
        ([User(create=False)], "get past the last rule"),
        ([NestedUserQueue(User())], "get past the last rule"),
        ([User(), Default()], r"rules after rule 1 \(user\) can never be reached"),
        ([Specified(), Default(create=False), Reject()], r"rules after rule 2 \(default\)"),
    ],
)
def test_policies_that_are_refused(rules: list[PlacementRule], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        PlacementPolicy(rules, CONFIGURED)


@pytest.mark.parametrize(
    ("undeclared", "by_user", "rules"),
    [
        ("true", "true", [("specified", True), ("user", True)]),
        ("true", "false", [("specified", True), ("default", True)]),
        ("false", "true", [("specified", False), ("user", False), ("default", True)]),
        ("false", "false", [("specified", False), ("default", True)]),
        ("no", "no", [("specified", True), ("user", True)]),
    ],
)
def test_the_policy_of_the_settings(undeclared: str, by_user: str, rules: list[tuple[str, bool]]) -> None:
    settings = {
        "yarn.scheduler.fair.allow-undeclared-pools": undeclared,
        "yarn.scheduler.fair.user-as-default-queue": by_user,
    }

    policy = policy_from_settings(settings, CONFIGURED)

    assert [(rule.name, rule.create) for rule in policy.rules] == rules


# Access control lists.


@pytest.mark.parametrize(
    ("text", "user", "groups", "allowed"),
    [
        ("alice", "alice", [], True),
        ("alice", "bob", ["alice"], False),
        ("alice,bob", "bob", [], True),
        (" , alice , ", "bob", ["alice"], True),
        ("alice dev,ops", "carol", ["ops"], True),
        ("alice dev", "dev", [], False),
        (" dev", "dev", [], False),
        (" dev", "x", ["dev"], True),
        ("alice dev ops", "x", ["ops"], False),
        ("alice dev ops", "x", ["dev ops"], True),
        ("*", "x", [], True),
        (" * ", "x", [], True),
        ("\n*\n", "x", [], True),
        ("alice *", "x", [], True),
        ("*,alice", "x", [], False),
        ("", "", [], False),
        (" ", "x", ["x"], False),
        ("alice\t,bob", "alice", [], True),
        ("alice\nbob", "alice", [], False),
    ],
)
def test_who_is_allowed(text: str, user: str, groups: list[str], allowed: bool) -> None:
    """Users stand before the first blank, groups behind it; a star on either side allows everybody."""
    assert AccessControlList(text).allows(user, groups) is allowed


def test_the_defaults_of_root_and_of_other_queues() -> None:
    assert EVERYBODY.allows("x", [])
    assert not NOBODY.allows("x", ["y"])


def test_a_list_is_shown_as_it_would_be_written() -> None:
    assert [str(AccessControlList(text)) for text in ("a,,b c", " * ", " ")] == ["a,b c", "*", " "]
