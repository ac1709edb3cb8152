"""The queues of 3.x: dynamic ones, nesting of policies, maximums in every spelling, reload."""

from collections.abc import Sequence

import pytest

from engine.control_plane.protocol import (
    AllocationsReloaded,
    ApplicationFinished,
    ApplicationSubmitted,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError, RefusedError
from engine.formats.fair_files import read_fair_scheduler
from engine.model.decision import Allocated
from engine.model.java_values import LONG_MAX
from engine.model.request import Resource
from engine.schedulers.fair.order import FIFO, Key, SharePolicy
from engine.schedulers.fair34.placement import (
    PlacementPolicy34,
    Rule34,
    default_rule,
    policy_from_settings_34,
    policy_problem_34,
)
from engine.schedulers.fair34.queue_manager import FAIR_34, Drf34, at_least, below
from engine.schedulers.fair34.settings import Amount34, fair_settings_34, parse_amount
from engine.settings.site import MAXIMUM_MB
from tests.build import START_MS, submit
from tests.engine.schedulers.fair34.build import ask_at, beat, cluster, queue, scheduler, tick


def _paths(rm: ResourceManager) -> set[str]:
    return set(scheduler(rm).tree.queues)


def _reload(rm: ResourceManager, queues: str) -> str:
    loaded = read_fair_scheduler(f"<allocations>{queues}</allocations>", era="3.4").allocation
    return rm.handle(AllocationsReloaded(loaded), START_MS).rejected


def test_there_is_no_default_queue_until_an_application_goes_there() -> None:
    rm = cluster()
    assert _paths(rm) == {"root", "root.a", "root.b"}
    submit(rm, "default", user="default")
    assert "root.default" in _paths(rm)


def test_an_empty_queue_that_is_not_in_the_file_goes() -> None:
    rm = cluster()
    number = submit(rm, "x.y.z")
    rm.run_pass("clean_queues", START_MS)
    assert {"root.x", "root.x.y", "root.x.y.z"} < _paths(rm)
    rm.handle(ApplicationFinished(number, "FINISHED"), START_MS)
    rm.run_pass("clean_queues", START_MS)
    assert _paths(rm) == {"root", "root.a", "root.b"}


def test_without_a_file_nobody_looks_for_empty_queues() -> None:
    assert "clean_queues" not in [each.name for each in cluster("").passes()]
    assert "clean_queues" in [each.name for each in cluster().passes()]


def test_a_queue_that_left_the_file_becomes_dynamic() -> None:
    rm = cluster()
    assert _reload(rm, '<queue name="b"/>') == ""
    assert "root.a" in _paths(rm)
    rm.run_pass("clean_queues", START_MS)
    assert _paths(rm) == {"root", "root.b"}


def test_a_queue_of_the_other_kind_waits_until_there_is_room() -> None:
    rm = cluster()
    number = submit(rm, "a")
    _reload(rm, '<queue name="a"><queue name="c"/></queue>')
    assert queue(rm, "root.a").is_leaf
    rm.handle(ApplicationFinished(number, "FINISHED"), START_MS)
    rm.run_pass("clean_queues", START_MS)
    assert not queue(rm, "root.a").is_leaf
    assert {"root.a.c"} <= _paths(rm)


def test_a_queue_below_one_that_was_removed_breaks_a_reload() -> None:
    rm = cluster('<queue name="a"><queue name="c"/></queue>')
    assert _reload(rm, '<queue name="a"/>') == "NullPointerException"
    assert queue(rm, "root.a").is_leaf


def test_a_policy_that_may_not_stand_there_keeps_the_queue_from_being_made() -> None:
    drf = "<schedulingPolicy>drf</schedulingPolicy>"
    assert _paths(cluster(f'<queue name="a">{drf}</queue>')) == {"root"}
    fifo = "<schedulingPolicy>fifo</schedulingPolicy>"
    assert _paths(cluster(f'<queue name="a">{fifo}<queue name="b"/></queue>')) == {"root"}
    below = f'<queue name="root">{drf}<queue name="a">{drf}</queue></queue>'
    assert _paths(cluster(below)) == {"root", "root.a"}


def test_an_application_of_such_a_queue_is_told_which_policies_are_in_the_way() -> None:
    rm = cluster('<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue><queue name="b" type="parent"/>')
    why = "schedulingPolicy drf of root.a is not allowed below fair of root; root needs drf"

    answers = [rm.handle(ApplicationSubmitted("ann", each), START_MS).detail for each in ("root.a", "root.b")]
    assert answers == [f"root.a is not a leaf queue: {why}", "root.b is not a leaf queue"]


def test_a_policy_that_breaks_the_rules_on_reload_is_left_out() -> None:
    rm = cluster()
    _reload(rm, '<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue><queue name="b"/>')
    assert queue(rm, "root.a").policy.name == "fair"
    _reload(rm, '<queue name="a"><schedulingPolicy>fifo</schedulingPolicy></queue><queue name="b"/>')
    assert queue(rm, "root.a").policy.name == "fifo"


@pytest.mark.parametrize(
    ("text", "most"), [("5000 mb, 5 vcores", (5000, 5)), ("50%", (12288, 12)), ("memory-mb=25%,vcores=50%", (6144, 12))]
)
def test_a_maximum_is_fixed_or_follows_the_cluster(text: str, most: tuple[int, int]) -> None:
    rm = cluster(f'<queue name="a"><maxResources>{text}</maxResources></queue>')
    assert (queue(rm, "root.a").max_memory_mb, queue(rm, "root.a").max_vcores) == most


def test_a_maximum_is_never_below_the_minimum() -> None:
    rm = cluster(
        '<queue name="a"><minResources>3000 mb, 1 vcores</minResources>'
        "<maxResources>2000 mb, 2 vcores</maxResources></queue>"
    )
    assert (queue(rm, "root.a").max_memory_mb, queue(rm, "root.a").max_vcores) == (3000, 2)


def test_queues_that_are_not_in_the_file_get_the_maximum_for_children() -> None:
    text = '<queue name="p" type="parent"><maxChildResources>{} mb, 9 vcores</maxChildResources></queue>'
    rm = cluster(text.format(2048))
    submit(rm, "p.adhoc")
    assert queue(rm, "root.p.adhoc").max_memory_mb == 2048
    _reload(rm, text.format(1024))
    assert queue(rm, "root.p.adhoc").max_memory_mb == 1024


def test_the_largest_container_is_that_of_the_nearest_queue_that_says_so() -> None:
    rm = cluster(
        '<queue name="p"><maxContainerAllocation>4096 mb, 2 vcores</maxContainerAllocation><queue name="c"/></queue>'
    )
    queues = scheduler(rm).queues
    assert queues.container_maximum("root.p.c").memory_mb == 4096
    assert queues.container_maximum("root.nowhere").memory_mb > 2**60


def test_nothing_is_preempted_from_a_queue_below_one_that_forbids_it() -> None:
    rm = cluster(
        '<queue name="p"><allowPreemptionFrom>false</allowPreemptionFrom>'
        '<queue name="c"><allowPreemptionFrom>true</allowPreemptionFrom></queue></queue><queue name="q"/>'
    )
    assert not scheduler(rm).queues.limits["root.p.c"].is_preemptable
    assert scheduler(rm).queues.limits["root.q"].is_preemptable


def test_an_operator_may_set_a_maximum_in_any_spelling() -> None:
    rm = cluster()
    assert not rm.handle(SettingsChanged({"queue.root.a.maxResources": "25%"}), START_MS).rejected
    assert queue(rm, "root.a").max_memory_mb == 6144
    assert not rm.handle(SettingsChanged({"queue.root.a.weight": "3"}), START_MS).rejected
    assert queue(rm, "root.a").weight == 3.0
    refused = rm.handle(SettingsChanged({"queue.root.a.maxResources": "much"}), START_MS)
    assert refused.rejected == "IllegalArgumentException"
    assert not rm.handle(SettingsChanged({"preemption": "true"}), START_MS).rejected
    assert scheduler(rm).settings.preemption


# The comparisons of the three policies of 3.x, and what they allow.


class Member:
    """What a policy looks at."""

    def __init__(self, name: str, used: tuple[int, int] = (0, 0), **more: float) -> None:
        self._used = used
        self._demand_memory_mb = int(more.get("demand", 10_000))
        self._minimum = (int(more.get("least", 0)), int(more.get("least_vcores", 0)))
        self._weight = more.get("weight", 1.0)
        self._tie: Key = (int(more.get("start", 0)), name)

    def key(self, policy: SharePolicy) -> Key:
        return policy.key(self._used, self._demand_memory_mb, self._minimum, self._weight, self._tie)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Member("z", (5, 0)), Member("a", (0, 0), demand=0)),
        (Member("z", (5, 0), least=10), Member("a", (1, 0))),
        (Member("z", (4, 0), least=10), Member("a", (5, 0), least=10)),
        (Member("z", (4, 0), least=8, weight=4), Member("a", (5, 0), least=10, weight=1)),
        (Member("z", (6, 0), weight=3), Member("a", (5, 0), weight=2)),
        (Member("z", (9, 0), weight=1), Member("a", (0, 0), weight=0)),
        (Member("z", (1, 0), weight=0), Member("a", (2, 0), weight=0)),
        (Member("z", (1, 0), start=1), Member("a", (1, 0), start=2)),
        (Member("a", (1, 0)), Member("b", (1, 0))),
    ],
    ids=[
        "what wants nothing comes last",
        "below the minimum first",
        "the further below the sooner",
        "equally needy: usage for the weight",
        "usage for the weight",
        "weight 0 last",
        "two of weight 0: usage",
        "the earlier",
        "the name",
    ],
)
def test_fair_prefers(first: Member, second: Member) -> None:
    assert FAIR_34.compare(first.key(FAIR_34), second.key(FAIR_34)) == -1
    assert FAIR_34.compare(second.key(FAIR_34), first.key(FAIR_34)) == 1
    assert FAIR_34.regular(first.key(FAIR_34))


def test_a_minimum_counts_only_up_to_the_demand() -> None:
    satisfied, other = Member("a", (5, 0), least=10, demand=5), Member("b", (4, 0))
    assert FAIR_34.compare(other.key(FAIR_34), satisfied.key(FAIR_34)) == -1


def test_fifo_goes_by_start_and_name() -> None:
    early, late = Member("b", start=1).key(FIFO), Member("a", start=2).key(FIFO)
    assert (FIFO.compare(early, late), FIFO.compare(late, early), FIFO.compare(late, late)) == (-1, 1, 0)
    assert FIFO.regular(early)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Member("z", (100, 1)), Member("a", (10, 2))),
        (Member("z", (100, 0)), Member("a", (100, 1))),
        (Member("z", (300, 0), weight=4), Member("a", (100, 0))),
        (Member("z", (300, 0), least=400), Member("a", (100, 0))),
        (Member("z", (100, 0), least=400), Member("a", (200, 0), least=400)),
        (Member("a", (100, 0)), Member("b", (100, 0))),
    ],
    ids=["dominant share", "the other share", "weights", "needy", "both needy", "the name"],
)
def test_drf_prefers(first: Member, second: Member) -> None:
    drf = Drf34(1000, 10)
    assert drf.compare(first.key(drf), second.key(drf)) == -1
    assert drf.compare(second.key(drf), first.key(drf)) == 1


def test_memory_dominates_at_a_tie() -> None:
    """So a minimum of memory is what makes it needy; in 2.7 vcores would."""
    drf = Drf34(1000, 10)
    assert Member("a", (100, 1), least=200).key(drf)[0] == 0
    assert Member("a", (100, 1), least_vcores=2).key(drf)[0] == 1


def test_a_share_without_a_number_is_not_regular() -> None:
    drf = Drf34(1000, 10)
    assert not drf.regular(Member("a", weight=0).key(drf))
    assert drf.compare(Member("a", weight=0).key(drf), Member("b", (1, 0)).key(drf)) == -1


def test_amounts_compare_by_memory_or_by_the_dominant_share() -> None:
    total, drf = (1000, 10), Drf34(1000, 10)
    assert below(FAIR_34, (1, 9), (2, 0), total)
    assert at_least(FAIR_34, (2, 0), (2, 9), total)
    assert below(drf, (100, 0), (0, 2), total)
    assert not below(drf, (200, 0), (200, 1), total)
    assert at_least(drf, (200, 1), (100, 2), total)
    assert not at_least(drf, (100, 1), (100, 2), total)
    assert at_least(drf, (5, 5), (5, 5), total)


def test_without_a_cluster_amounts_compare_in_every_dimension() -> None:
    drf = Drf34(0, 0)
    assert below(drf, (1, 1), (2, 2), (0, 0))
    assert not below(drf, (3, 1), (2, 2), (0, 0))
    assert at_least(drf, (3, 1), (2, 2), (0, 0)) is True
    assert at_least(drf, (1, 1), (2, 2), (0, 0)) is False


# Amounts in every spelling of Hadoop 3.4.1.


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1024 mb, 2 vcores", Resource(1024, 2)),
        ("2 vcores 1024mb", Resource(1024, 2)),
        ("1024.7 MB,2.9 vcores", Resource(1024, 2)),
        ("1024 mb, 2 vcores,", Resource(1024, 2)),
        ("memory-mb=1024, vcores = 2", Resource(1024, 2)),
        ("vcores=3", Resource(LONG_MAX, 3)),
        ("memory-mb=7", Resource(7, -1)),
    ],
)
def test_an_absolute_amount_is_read(text: str, amount: Resource) -> None:
    """In the old form in any order, and by name, where missing memory is unbounded and missing vcores are -1."""
    assert parse_amount(text).fixed == amount


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("50%", (0.5, 0.5)),
        ("50.5 %", (0.505, 0.505)),
        ("40% memory, 60% cpu", (0.4, 0.6)),
        ("60 % CPU,40 % Memory", (0.4, 0.6)),
        ("vcores=25%, memory-mb=40%", (0.4, 0.25)),
        ("vcores=25%", (1.0, 0.25)),
    ],
)
def test_parts_of_the_cluster_are_read(text: str, parts: tuple[float, float]) -> None:
    """For both dimensions, each by its own, or by name, where what is missing is all."""
    assert parse_amount(text) == Amount34(None, parts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1024",
        "1024 mb",
        "-1 mb, 2 vcores",
        "1 mb, x vcores",
        "a mb, 2 vcores",
        "50 percent",
        "-5%",
        "x%",
        "40% memory",
        "40% memory, 6 cpu%",
        "memory-mb=",
        "memory-mb=1=2",
        "memory-mb=-1",
        "memory-mb=1.5",
        "gpu=1",
        "memory-mb=40%, vcores=2",
        "=",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_amount(text)


def test_what_is_missing_may_count_as_nothing() -> None:
    assert parse_amount("vcores=3", 0).fixed == Resource(0, 3)


def test_parts_follow_the_cluster_and_are_cut() -> None:
    assert parse_amount("40% memory, 60% cpu").of(1001, 9) == Resource(400, 5)
    assert parse_amount("10 mb, 1 vcores").of(1001, 9) == Resource(10, 1)


# What yarn-site.xml says to the fair scheduler of 3.x.

FAIR = "yarn.scheduler.fair."
INCREMENT = "yarn.resource-types.memory-mb.increment-allocation"


def test_the_defaults_are_those_of_the_code() -> None:
    """Four vcores at most, unlike 2.7; the limited reservation rule; a node is held from two increments on."""
    settings = fair_settings_34({})
    assert settings.maximum == Resource(8192, 4)
    assert (settings.reservation_rule, round(settings.reservable_nodes, 6)) == ("limited", 0.05)
    assert settings.reservation_threshold == Resource(2048, 2)
    assert settings.dynamic_max_assign
    assert settings.am_preemption
    assert settings.next_check_ms == 25_000
    assert settings.kill_interval_ms == 500


def test_after_a_pick_continuous_scheduling_waits_ten_sleeps_more() -> None:
    values = {
        FAIR + "continuous-scheduling-enabled": "true",
        FAIR + "continuous-scheduling-sleep-ms": "7",
        FAIR + "waitTimeBeforeKill": "1300",
        FAIR + "waitTimeBeforeNextStarvationCheck": "200",
    }
    settings = fair_settings_34(values)
    assert settings.next_check_ms == 1300 + 70 + 200
    assert settings.kill_interval_ms == 100


@pytest.mark.parametrize(
    ("text", "memory_mb"), [("512", 512), ("2Gi", 2048), ("1048576 Ki", 1024), ("1073741824k", 1024000)]
)
def test_the_increment_may_have_a_unit(text: str, memory_mb: int) -> None:
    settings = fair_settings_34({INCREMENT: text, "yarn.scheduler.increment-allocation-mb": "7"})
    assert settings.increment.memory_mb == memory_mb


@pytest.mark.parametrize("text", ["much", "5 apples", "0", "-1"])
def test_an_increment_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        fair_settings_34({INCREMENT: text})


def test_masters_of_one_queue_may_be_spared() -> None:
    settings = fair_settings_34({FAIR + "am.preemption": "false", FAIR + "am.preemption.root.a": "true"})
    assert settings.preempts_masters_of("root.a")
    assert not settings.preempts_masters_of("root.b")


def test_a_smaller_maximum_holds_for_later_asks() -> None:
    """Of 3072 MB one waits already, which is served; a second one is refused."""
    rm = cluster(nodes=1)
    number = submit(rm, "root.a")
    _ = ask_at(rm, number, ("*", 1), memory_mb=3072)
    scheduler(rm).change_settings({MAXIMUM_MB.name: "2048"})
    tick(rm)

    assert [each.memory_mb for each in beat(rm) if isinstance(each, Allocated)] == [3072]
    assert ask_at(rm, number, ("*", 2), memory_mb=3072).rejected == "InvalidResourceRequestException"


def test_a_maximum_that_is_no_number_changes_nothing() -> None:
    rm = cluster()
    with pytest.raises(RefusedError):
        scheduler(rm).change_settings({MAXIMUM_MB.name: "much"})

    assert scheduler(rm).maximum.configured == Resource(8192, 4)


# Which queue an application is placed in, rule by rule.


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
