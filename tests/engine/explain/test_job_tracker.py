"""Why jobs of a JobTracker wait: the sentence, the pattern, and a verdict that playing on confirms."""

from collections.abc import Sequence

import pytest

from engine.explain.alerts import Alerts
from engine.explain.answer import WhyReport
from engine.explain.remedy_search import RemedySearch
from engine.explain.why_question import WhyQuestion
from engine.formats.scenario_toml import loads
from engine.model.decision import Allocated
from engine.run import play
from engine.scenario.acts import KillApplication, SetQueueSetting
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import at, numbers

HEAD = """
name = "slots"
duration = "2h"
scheduler = "{scheduler}"
{top}
[settings]
{settings}
[cluster]
groups = [{{ prefix = "n", count = 2, memory = "8g", vcores = 8 }}]
"""
GOLD = '<allocations><pool name="gold"><minMaps>2</minMaps>{}</pool></allocations>'
MEMORY = """
"mapred.capacity-scheduler.queue.default.capacity" = 100
"mapred.capacity-scheduler.queue.default.user-limit-factor" = 10
"mapred.capacity-scheduler.queue.default.minimum-user-limit-percent" = 10
"mapred.cluster.map.memory.mb" = 1024
"mapred.cluster.reduce.memory.mb" = 1024
"mapred.cluster.max.map.memory.mb" = 2048
"mapred.cluster.max.reduce.memory.mb" = 2048
"""


class Starts:
    """A listener that notes when each job is first given a slot."""

    def __init__(self) -> None:
        self.first_ms: dict[int, int] = {}

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self.first_ms.setdefault(record.container[0], time_ms)


def job(name: str, second: float, maps: str, reduces: str = "0", more: str = "") -> str:
    """A job whose maps and reduces are given as `count x duration`."""
    lines = [f'[[workload]]\ntype = "mapreduce"\nname = "{name}"\nuser = "{name}"\nat = {second}']
    for kind, tasks in (("map", maps), ("reduce", reduces)):
        count, _, duration = tasks.partition(" x ")
        lines.append(f'{kind}s = {count}\n{kind}_duration = "{duration or "10s"}"')
    return "\n".join([*lines, more, ""])


def asked(
    *jobs: str, number: int, second: float, scheduler: str = "mr1-fifo", settings: str = "", pools: str = ""
) -> tuple[WhyReport, Simulation]:
    """What is said of a job at a second, and the simulation there: two trackers of two map and two reduce slots."""
    top = f"allocations = '{pools}'" if pools else ""
    text = HEAD.format(scheduler=scheduler, settings=settings, top=top) + "".join(jobs)
    simulation = at(loads(text, "slots"), second)
    return WhyQuestion(simulation, number).answer(), simulation


def started_ms(simulation: Simulation, number: int) -> int | None:
    """When a job is next given a slot in the next minute and a half; None when it is not."""
    starts = Starts()
    simulation.listeners.append(starts)
    simulation.run_until(simulation.now_ms + 90_000)
    return starts.first_ms.get(number)


@pytest.mark.parametrize(("duration", "verdict"), [("60s", "waiting"), ("forever", "blocked")])
def test_reduce_slots_are_idle_while_maps_wait(duration: str, verdict: str) -> None:
    """The job starts when the closed world says so; behind maps that never end it never does."""
    maps = f"4 x {duration}"
    answer, simulation = asked(job("scan", 0, maps), job("late", 20, "2", "1"), number=2, second=30)

    assert [row.sentence for row in answer.reasons] == [
        "all 4 map slots are taken; 4 reduce slots are idle and run no maps"
    ]
    assert (answer.verdict, answer.pattern) == (verdict, "slots of the wrong kind")
    assert [holder.name for holder in answer.holders] == ["scan"]
    assert started_ms(simulation, 2) == answer.expected_start_ms


@pytest.mark.parametrize(("duration", "verdict"), [("60s", "waiting"), ("forever", "blocked")])
def test_reduces_hoard_slots_while_their_maps_run(duration: str, verdict: str) -> None:
    """Another job's reduces wait until those maps have ended; while they never do, for ever."""
    big = job("big", 0, f"3 x {duration}", "4 x 1s", "slow_start = 0")
    answer, simulation = asked(big, job("late", 30, "0", "2"), number=2, second=40)

    assert [row.sentence for row in answer.reasons] == [
        "all 4 reduce slots are taken; 1 map slot is idle and runs no reduces; "
        "4 are held by reduces that wait for maps of their jobs",
        "reduces of job_0001 big hold 4 slots with maps still to come: they may begin once 0 % of the maps have ended",
    ]
    assert answer.reasons[1].decided_by == ("mapred.reduce.slowstart.completed.maps", "0")
    assert (answer.verdict, answer.pattern) == (verdict, "reduces hoard slots")
    assert started_ms(simulation, 2) == answer.expected_start_ms


@pytest.mark.parametrize(
    ("settings", "timeout", "more"),
    [
        ("", "", ["nothing is preempted for it: preemption is off and no timeout starts it"]),
        ('"mapred.fairscheduler.preemption" = true', "<minSharePreemptionTimeout>30</minSharePreemptionTimeout>", []),
    ],
)
def test_a_pool_has_not_reached_its_minimum(settings: str, timeout: str, more: list[str]) -> None:
    """It waits for maps of 80 s, or for its timeout where the scheduler preempts."""
    answer, simulation = asked(
        job("scan", 0, "4 x 80s"),
        job("late", 20, "4", "1", 'queue = "gold"'),
        number=2,
        second=30,
        scheduler="mr1-fair",
        settings=settings,
        pools=GOLD.format(timeout),
    )

    assert [row.sentence for row in answer.reasons] == [
        "pool gold runs 0 maps, below its minimum of 2; "
        "all 4 map slots are taken; 4 reduce slots are idle and run no maps",
        *more,
    ]
    assert (answer.verdict, answer.pattern) == ("waiting", "minimum share not reached")
    expected_ms = answer.expected_start_ms
    assert expected_ms is not None
    assert started_ms(simulation, 2) == expected_ms
    assert (expected_ms - simulation.world.ground.start_ms < 70_000) is bool(settings)


@pytest.mark.parametrize(("duration", "verdict"), [("60s", "waiting"), ("forever", "blocked")])
def test_a_job_of_large_memory_holds_trackers(duration: str, verdict: str) -> None:
    """Each tracker has one free map slot; both are kept for maps that take two."""
    answer, simulation = asked(
        job("scan", 0, f"2 x {duration}"),
        job("fat", 4, "2", more='map = { memory = "2g", vcores = 1 }'),
        job("late", 20, "2"),
        number=3,
        second=30,
        scheduler="mr1-capacity",
        settings=MEMORY + '"mapred.map.tasks.speculative.execution" = false\n',
    )

    assert [row.sentence for row in answer.reasons] == ["every tracker with free map slots is reserved, for job_0002"]
    assert (answer.verdict, answer.pattern) == (verdict, "reserved for high memory")
    assert started_ms(simulation, 3) == answer.expected_start_ms


def test_a_setup_task_waits_only_when_no_slot_of_either_kind_is_free() -> None:
    """While a reduce slot is free it is said to go to the next tracker; else that all slots are taken."""
    free, _ = asked(job("scan", 0, "40 x 60s"), job("late", 20, "2"), number=2, second=20)
    full, simulation = asked(
        job("big", 0, "20 x 60s", "4", "slow_start = 0"), job("late", 30, "2"), number=2, second=40
    )

    assert [row.sentence for row in free.reasons] == ["its setup task goes to the next tracker that reports"]
    assert [row.sentence for row in full.reasons] == [
        "its setup task waits: all 4 map slots and 4 reduce slots are taken"
    ]
    assert started_ms(simulation, 2) == full.expected_start_ms


@pytest.mark.long
@pytest.mark.parametrize(
    ("limit", "key", "value"),
    [
        ("<maxRunningJobs>0</maxRunningJobs>", "maxRunningJobs", "1"),
        ("<maxMaps>0</maxMaps>", "maxMaps", "2"),
        ("<maxReduces>0</maxReduces>", "maxReduces", "1"),
    ],
)
def test_the_limit_of_a_pool_is_raised_by_no_more_than_the_job_asks_for(limit: str, key: str, value: str) -> None:
    maps = "0" if key == "maxReduces" else "2"
    second = job("second", 5, maps, "1" if maps == "0" else "0", 'queue = "gold"')
    pools = f'<allocations><pool name="gold">{limit}</pool></allocations>'
    _, simulation = asked(second, number=1, second=60, scheduler="mr1-fair", pools=pools)

    acts = [each.remedy.act for each in RemedySearch(simulation, [1]).answer().ranked]

    assert SetQueueSetting("gold", key, value) in acts


def pools(elements: str) -> str:
    return f"<allocations>{elements}</allocations>".replace("'", '"')


CAPACITY = """
"mapred.capacity-scheduler.queue.default.capacity" = 50
"mapred.capacity-scheduler.queue.other.capacity" = 50
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("settings", "setting"),
    [
        ("maximum-capacity = 50", ("maximum-capacity", "50")),
        ("user-limit-factor = 1", ("user-limit-factor", "1")),
        ("maximum-initialized-active-tasks = 2", ("maximum-initialized-active-tasks", "2")),
        ("maximum-initialized-active-tasks-per-user = 2", ("maximum-initialized-active-tasks-per-user", "2")),
    ],
)
def test_the_limit_of_a_queue_decides(settings: str, setting: tuple[str, str]) -> None:
    """Half of four slots, or as many tasks as run; with a factor of two, two jobs of one user run beside each other."""
    prefix = "mapred.capacity-scheduler.queue.default."
    values = {"user-limit-factor": "2", "minimum-user-limit-percent": "100"}
    key, _, value = settings.partition(" = ")
    lines = "".join(f'"{prefix}{name}" = {number}\n' for name, number in {**values, key: value}.items())
    second = job("late", 20, "1").replace('user = "late"', 'user = "scan"')
    answer, simulation = asked(
        job("scan", 0, "2 x 120s"), second, number=2, second=60, scheduler="mr1-capacity", settings=CAPACITY + lines
    )

    assert [row.decided_by for row in answer.reasons] == [(prefix + setting[0], setting[1])]
    acts = [each.remedy.act for each in RemedySearch(simulation, [2]).answer().ranked]
    assert any(isinstance(act, SetQueueSetting) and act.key == setting[0] for act in acts)


def test_a_task_of_which_no_tracker_has_a_slot_names_the_slots_of_trackers() -> None:
    none = '"mapred.tasktracker.reduce.tasks.maximum" = 0\n'
    answer, _ = asked(job("scan", 0, "2 x 1s", "1"), number=1, second=60, settings=none)

    assert answer.verdict == "impossible"
    assert [(row.sentence, row.decided_by) for row in answer.reasons] == [
        ("a reduce takes 1 slot; no tracker has more than 0", ("mapred.tasktracker.reduce.tasks.maximum", "0"))
    ]


@pytest.mark.long
def test_a_kill_frees_the_slots_and_loses_the_work_of_the_attempts_that_trackers_then_end() -> None:
    """Trackers end them with their next reports, after the act: four maps and four reduces that wait for maps."""
    big = job("big", 0, "20 x 60s", "4", "slow_start = 0")
    _, simulation = asked(big, job("late", 30, "2"), number=2, second=40)
    trial = next(
        each
        for each in RemedySearch(simulation, [2]).answer().ranked
        if isinstance(each.remedy.act, KillApplication) and each.remedy.act.application == 1
    )

    assert (trial.frees_mb, trial.frees_vcores, trial.lost_containers) == (4, 4, 8)
    assert 8 * 30_000 < trial.lost_ms < 8 * 40_000, "all began within ten seconds of the start"


@pytest.mark.long
def test_of_those_that_never_end_one_is_named_together_with_the_other_whose_end_it_takes() -> None:
    """The end of who fills the user's limit starts nothing alone: another one waits for ever and fills the pool's."""
    limits = '<allocations><pool name="p"><maxRunningJobs>1</maxRunningJobs></pool>'
    limits += '<user name="u"><maxRunningJobs>1</maxRunningJobs></user></allocations>'
    keeps = job("u", 0, "1 x forever", "1", "slow_start = 1.0")
    fills = job("fills", 1, "1", "1", 'queue = "p"')
    late = job("u", 2, "1", "0", 'queue = "p"')
    goes_on = job("goes-on", 3, "80 x 10s")
    no_reduces = '"mapred.tasktracker.reduce.tasks.maximum" = 0'
    answer, _ = asked(
        keeps, fills, late, goes_on, number=3, second=40, scheduler="mr1-fair", settings=no_reduces, pools=limits
    )

    never = numbers(holder.application for holder in answer.holders if holder.until_ms == "never")
    assert (answer.verdict, never) == ("blocked", [1, 2])
    assert answer.proof is not None
    assert answer.proof.allocations < 10, "it is known without what goes on"


@pytest.mark.parametrize(("maps", "kinds"), [("5 x forever", ["frozen"]), ("4 x forever", []), ("5 x 90s", [])])
def test_a_job_that_runs_something_and_waits_for_more_for_ever_is_in_the_freeze(maps: str, kinds: list[str]) -> None:
    alerts, scenario = Alerts(), loads(HEAD.format(scheduler="mr1-fifo", settings="", top="") + job("one", 0, maps))

    play(scenario, 300_000, [alerts], watched=alerts.watch)

    assert [each.kind for each in alerts.all] == kinds
    assert alerts.known == {1} if kinds else not alerts.known
