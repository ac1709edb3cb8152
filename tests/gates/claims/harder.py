"""Random scenarios of harder kinds, of seeds from `FIRST` on: limits of MapReduce 1, long outages, silent nodes, hangs.

Everything that breaks does so before the first question; what comes back is on the clock by then.
"""

from random import Random
from typing import Final

from tests.gates.claims.lives import MR1_POLICIES, flag

FIRST: Final = 5_000
"""The first seed whose scenario is of these kinds."""

LAST_FAULT_S: Final = 50
"""Nothing breaks later than this [s after the start]."""

AWAY_S: Final = (1, 10, 60, 180, 600)
"""How long a control plane may be away [s]."""


def pools(random: Random) -> str:
    """A file of pools: limits of two pools and of users, none to four of each."""

    def some(element: str, likely: float, most: int) -> str:
        return f"<{element}>{random.randint(0, most)}</{element}>" if random.random() < likely else ""

    named = "".join(
        f'<pool name="{name}">{some("maxMaps", 0.4, 4)}{some("maxReduces", 0.4, 3)}{some("minMaps", 0.3, 3)}'
        f"{some('maxRunningJobs', 0.4, 3)}</pool>"
        for name in "ab"
    )
    users = "".join(f'<user name="u{each}">{some("maxRunningJobs", 0.3, 2)}</user>' for each in range(3))
    defaults = some("userMaxJobsDefault", 0.2, 2) + some("poolMaxJobsDefault", 0.2, 2)
    return f"<allocations>{named}{users}{defaults}</allocations>"


def queue_limits(random: Random) -> list[str]:
    """Limits of two queues of the CapacityTaskScheduler."""
    prefix, share = "mapred.capacity-scheduler.queue", random.choice((30, 50, 70))
    lines = [f'"{prefix}.a.capacity" = {share}', f'"{prefix}.b.capacity" = {100 - share}']
    for name, least in (("a", share), ("b", 100 - share)):
        if random.random() < 0.5:
            lines.append(f'"{prefix}.{name}.maximum-capacity" = {random.choice((least, 80, 100))}')
        if random.random() < 0.4:
            lines.append(f'"{prefix}.{name}.maximum-initialized-active-tasks" = {random.randint(1, 16)}')
        if random.random() < 0.3:
            lines.append(f'"{prefix}.{name}.maximum-initialized-active-tasks-per-user" = {random.randint(4, 16)}')
        lines.append(f'"{prefix}.{name}.user-limit-factor" = {random.choice((1, 2, 4))}')
        lines.append(f'"{prefix}.{name}.minimum-user-limit-percent" = {random.choice((25, 50, 100))}')
    return lines


def job_tracker(random: Random, policy: str, job: str) -> list[str]:
    """Lines of a scenario of a JobTracker, `job` its jobs: limits at every size, outages of it and of trackers."""
    assert policy in MR1_POLICIES
    top = [f"allocations = '{pools(random)}'"] if policy == "mr1-fair" else []
    lines = [
        *top,
        "[settings]",
        f'"mapred.tasktracker.map.tasks.maximum" = {random.randint(1, 3)}',
        f'"mapred.tasktracker.reduce.tasks.maximum" = {random.choice((0, 1, 1, 2))}',
        f'"mapred.jobtracker.restart.recover" = {flag(random, 0.7)}',
        f'"mapred.tasktracker.expiry.interval" = {random.choice((20_000, 60_000, 600_000))}',
    ]
    lines += queue_limits(random) if policy == "mr1-capacity" else []
    trackers = random.randint(1, 4)
    lines += ["[cluster]", f'groups = [{{ prefix = "n", count = {trackers}, memory = "8g", vcores = 8 }}]', job]
    if random.random() < 0.4:
        lines.append(
            f'[[faults]]\ndo = "job_tracker_restart"\nat = {_after_arrivals(random)}\ndown = {random.choice(AWAY_S)}'
        )
    lines += silent_nodes(random, trackers)
    return lines


def faults(random: Random, applications: int, nodes: int) -> list[str]:
    """Faults under YARN: a ResourceManager away for up to ten minutes or for good, hung masters, silent nodes."""
    tables = []
    if random.random() < 0.4:
        at_s, down_s = _after_arrivals(random), random.choice(AWAY_S)
        tables.append(f'[[faults]]\ndo = "rm_restart"\nat = {at_s}\ndown = {down_s}')
    elif random.random() < 0.2:
        tables.append(f'[[faults]]\ndo = "rm_lost"\nat = {_after_arrivals(random)}')
    for whom in range(applications):
        if random.random() < 0.25:
            at_s = random.randint(5, LAST_FAULT_S)
            tables.append(
                f'[[faults]]\ndo = "master_lost"\nat = {at_s}\napplication = "w{whom}"\nhangs = {flag(random, 0.7)}'
            )
    return [*tables, *silent_nodes(random, nodes)]


def _after_arrivals(random: Random) -> float:
    """An instant [s] when everything has been submitted: what is away is not tried again in a closed world."""
    return round(55.1 + random.random() * 0.8, 1)


def silent_nodes(random: Random, nodes: int) -> list[str]:
    """Faults of about a fifth of the nodes, for good."""
    lost = [number for number in range(1, nodes + 1) if random.random() < 0.2]
    return [f'[[faults]]\ndo = "lose"\nnode = "n{each}"\nat = {random.randint(10, LAST_FAULT_S)}' for each in lost]
