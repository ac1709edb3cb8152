"""Why runs part: what was in the way of the application where they did, and what reserves a node."""

import pytest

from engine.compare import Contestant, Divergence, Parting, SideReason, partings_of, snapshots_at
from engine.compare.reasons import RESERVES, size_words
from engine.formats.scenario_toml import loads
from engine.model.decision import Allocated, Decision, Reserved, Unreserved
from engine.run import Run
from engine.scenario import Scenario

TEXT = """
duration = "5m"
scheduler = "{scheduler}"
[settings]
"schedlab.reservation.rule" = "{rule}"
[cluster]
nodes = [{{ host = "n1", memory = "4g", vcores = 8 }}, {{ host = "n2", memory = "1g", vcores = 8 }}]
[[queues]]
name = "a"
max_resources = "2048 mb, 9 vcores"
[[workload]]
type = "scripted"
name = "large"
user = "ann"
queue = "a"
at = 1
am = "unmanaged"
waits = true
asks = [
    {{ memory = "1g", count = 2, duration = "200s" }},
    {{ memory = "2g", vcores = 2, priority = 2, at = 5 }},
    {{ memory = "1g", vcores = 3, priority = 3, at = 5, hosts = ["n1"], relax = false }},
]
"""
CONTAINER = (1, 1, 9)
RESERVED = Reserved(CONTAINER, "n2:8041", 1, 1536, 1)
DROPPED = Unreserved(CONTAINER, "n1:8041", 1, 1536, 1)
ELSEWHERE = "not where it insists to run"
OVER = "queue root.a uses 4096 MB of its maximum 2048 MB"
MAXIMUM = "root.a.maxResources = 2048 mb, 9 vcores"


def scene(scheduler: str = "fair-2.7", rule: str = "strict") -> Scenario:
    """An application that insists on the first of two nodes, in a queue that has more than it may."""
    return loads(TEXT.format(scheduler=scheduler, rule=rule), "scene")


def parted(scenario: Scenario, *decisions: Decision, number: int = 1, after_ms: int = 20_000) -> Parting:
    """Two runs of it, of which the second decides these."""
    apart = Divergence(
        scenario.start_ms + after_ms, number, {"A": (), "B": decisions}, {"A": (2, 0, 5, 6), "B": (3, 1, 5, 6)}
    )
    (found,) = partings_of([Contestant("A", "one", scenario), Contestant("B", "other", scenario)], [apart])
    return found


@pytest.mark.parametrize(
    ("memory_mb", "vcores", "words"),
    [
        (0, 1, "0M/1c"),
        (1023, 2, "1023M/2c"),
        (1024, 1, "1G/1c"),
        (1536, 1, "1.5G/1c"),
        (64_000, 4, "62.5G/4c"),
        (10_240, 0, "10G/0c"),
    ],
)
def test_a_size_is_said_in_gigabytes_from_one_on(memory_mb: int, vcores: int, words: str) -> None:
    """With one place, unless it is whole."""
    assert size_words(memory_mb, vcores) == words


def test_a_parting_says_whom_it_is_about_and_what_stood_in_the_way() -> None:
    """The queue's limit, which holds on every node, with what each run has by then, and the setting that decides."""
    scenario = scene()

    assert parted(scenario, DROPPED) == Parting(
        scenario.start_ms + 20_000,
        1,
        "large",
        "ann",
        "root.a",
        "n1",
        "1 × 1G/3c",
        (
            SideReason("A", "passes it by", OVER, MAXIMUM, 2, 0),
            SideReason("B", "drops its reservation of n1", OVER, MAXIMUM, 3, 1),
        ),
        None,
    )


def test_who_reserves_a_node_has_passed_the_limits_of_its_queue() -> None:
    """It is said what reserves a node, and no setting beside it."""
    reserves = RESERVES["fair", "strict"]

    assert parted(scene(), RESERVED).sides == (
        SideReason("A", "passes it by", OVER, MAXIMUM, 2, 0),
        SideReason("B", "reserves n2 for 1.5G/1c", f"{ELSEWHERE}; {reserves}", "", 3, 1),
    )


def test_without_a_node_the_first_obstacle_counts() -> None:
    """That of its queue, with the setting that decides it."""
    found = parted(scene())

    assert (found.node, [each.rule for each in found.sides]) == ("", [OVER, OVER])
    assert {each.setting for each in found.sides} == {MAXIMUM}


def test_who_is_given_something_has_nothing_in_the_way() -> None:
    """Nor does anything reserve a node for it, though the other run does."""
    found = parted(scene(), Allocated(CONTAINER, "n2:8041", 1, 512, 1), RESERVED)

    assert [(each.decided, each.rule) for each in found.sides] == [
        ("passes it by", OVER),
        ("gives it 512M/1c on n2; reserves n2 for 1.5G/1c", ""),
    ]


@pytest.mark.parametrize(
    ("scheduler", "rule", "known"),
    [
        ("fair-2.7", "limited", ("fair", "limited")),
        ("fair-3.4", "off", ("fair", "off")),
        ("fifo", "strict", ("fifo", "")),
    ],
)
def test_the_policy_and_its_rule_say_what_reserves_a_node(scheduler: str, rule: str, known: tuple[str, str]) -> None:
    """In the words of each."""
    assert parted(scene(scheduler, rule), RESERVED).sides[1].rule.endswith(RESERVES[known])


def test_an_application_that_no_run_has_is_named_by_its_number_alone() -> None:
    """Nothing is in its way."""
    found = parted(scene(), number=77)

    assert (found.application, found.name, found.user, found.queue, found.node, found.asks) == (77, "", "", "", "", "")
    assert [(each.rule, each.setting) for each in found.sides] == [("", ""), ("", "")]


def test_a_run_stands_as_before_the_instant() -> None:
    """What it asks for at an instant is not asked for just before it."""
    asked = [parted(scene(), after_ms=each).asks for each in (ASKED_MS, ASKED_MS + 1)]

    assert asked == ["", "1 × 2G/2c, 1 × 1G/3c"]


def asks_by(after_ms: int) -> int:
    """How many asks there are after an instant of the scenario."""
    run = Run(scene(), is_judged=False)
    run.advance(after_ms)
    return sum(len(row.listed_asks) for row in run.snapshot().applications())


ASKED_MS = next(each for each in range(6000, 9000) if asks_by(each) == 2)
"""When the second and the third ask are made [ms after the start]."""


def test_partings_are_found_one_after_the_other() -> None:
    """Two at one instant, too."""
    scenario = scene()
    both = [Contestant("A", "one", scenario), Contestant("B", "other", scenario)]
    apart = [
        Divergence(scenario.start_ms + after_ms, 1, {"A": (), "B": (DROPPED,)}, {}, scenario.start_ms + 30_000)
        for after_ms in (5000, 20_000, 20_000)
    ]
    found = partings_of(both, apart)

    assert [each.asks for each in found] == ["", "1 × 1G/3c", "1 × 1G/3c"]
    assert [each.alike_ms for each in found] == [scenario.start_ms + 30_000] * 3
    assert {(side.has, side.reserved) for each in found for side in each.sides} == {(0, 0)}


def test_snapshots_are_of_each_run_just_after_an_instant() -> None:
    """As many as runs."""
    scenario = scene()
    found = snapshots_at([Contestant("A", "", scenario), Contestant("B", "", scene("fifo"))], scenario.start_ms + 4321)

    assert [each.header.time_ms for each in found] == [scenario.start_ms + 4321] * 2
    assert [each.header.scheduler for each in found] == ["fair-2.7", "fifo"]
    assert [each.header.containers for each in found] == [2, 2]
