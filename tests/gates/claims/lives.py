"""Random scenarios of other kinds: sessions, services and dynamic allocation, control planes and masters that go.

As those of `scenarios`, but of seeds from `FIRST` on: applications that outlive a job, a ResourceManager that restarts
with work preserved or not, lost masters whose containers are kept or not, jobs of a JobTracker that restarts.
"""

from random import Random
from typing import Final

FIRST: Final = 1_000
"""The first seed whose scenario is of these kinds."""

MR1_POLICIES: Final = ("mr1-fifo", "mr1-fair", "mr1-capacity")

LAST_FAULT_S: Final = 40
"""Nothing goes later than this [s after the start]; it comes back within ten seconds."""


def flag(random: Random, likely: float) -> str:
    return str(random.random() < likely).lower()


def _stages(random: Random) -> str:
    stages = [
        f'{{ tasks = {random.randint(1, 8)}, duration = ["{random.randint(3, 10)}s", "{random.randint(11, 40)}s"] }}'
        for _ in range(random.randint(1, 2))
    ]
    return f"stages = [{', '.join(stages)}]"


def _jobs(random: Random) -> str:
    jobs = [f"{{ at = {random.randint(0, 60) * turn}, {_stages(random)} }}" for turn in range(random.randint(1, 3))]
    return f"[{', '.join(jobs)}]"


def application(random: Random, head: str) -> str:
    """An application whose life is longer than one job, or whose size follows what it has to do."""
    kind, am = random.randint(0, 3), 'am = { memory = "1g" }'
    memory, vcores = random.choice((1, 2, 3)), random.randint(1, 2)
    size = f'{{ memory = "{memory}g", vcores = {vcores} }}'
    if kind == 0:
        session = random.random() < 0.7
        timeout = f'session_timeout = "{random.choice((30, 90))}s"\n' if session else ""
        return (
            f'{head}type = "tez"\n{am}\ncontainer = {size}\nsession = {str(session).lower()}\n{timeout}'
            f"reuse = {flag(random, 0.8)}\ndags = {_jobs(random)}"
        )
    if kind == 1:
        keeps = flag(random, 0.5)
        return (
            f'{head}type = "service"\n{am}\ninstances = {random.randint(1, 4)}\ninstance = {size}\n'
            f"tasks_each = {random.randint(1, 3)}\njobs = {_jobs(random)}\n"
            f"keep_containers_across_application_attempts = {keeps}"
        )
    work = f"jobs = {_jobs(random)}\nstays = {flag(random, 0.4)}" if kind == 2 else _stages(random)
    dynamic = f"{{ initial = {random.randint(0, 2)}, idle = {random.choice((10, 60))} }}"
    return f'{head}type = "spark"\n{am}\nexecutor = {size}\ndynamic = {dynamic}\n{work}'


def faults(random: Random, applications: int) -> tuple[list[str], list[str]]:
    """Settings and faults: at most one restart of the ResourceManager, at most one lost master."""
    settings = [
        '"yarn.resourcemanager.connect.retry-interval.ms" = "1000"',
        f'"yarn.resourcemanager.recovery.enabled" = {flag(random, 0.9)}',
        f'"yarn.resourcemanager.work-preserving-recovery.enabled" = {flag(random, 0.7)}',
        '"yarn.am.liveness-monitor.expiry-interval-ms" = 30000',
    ]
    tables = []
    if random.random() < 0.5:
        at_s, down_s = random.randint(5, LAST_FAULT_S), random.randint(1, 10)
        tables.append(f'[[faults]]\ndo = "rm_restart"\nat = {at_s}\ndown = {down_s}')
    if random.random() < 0.4:
        whom, hangs = random.randrange(applications), flag(random, 0.3)
        at_s = random.randint(5, LAST_FAULT_S)
        tables.append(f'[[faults]]\ndo = "master_lost"\nat = {at_s}\napplication = "w{whom}"\nhangs = {hangs}')
    return settings, tables


def job_tracker(random: Random, policy: str, last_arrival_s: int) -> list[str]:
    """A cluster of trackers, its jobs, and perhaps a restart of the JobTracker."""
    lines = [
        "[settings]",
        f'"mapred.tasktracker.map.tasks.maximum" = {random.randint(1, 3)}',
        f'"mapred.tasktracker.reduce.tasks.maximum" = {random.randint(1, 2)}',
        f'"mapred.jobtracker.restart.recover" = {flag(random, 0.7)}',
        '"mapred.tasktracker.expiry.interval" = 60000',
    ]
    if policy == "mr1-capacity":
        share, prefix = random.choice((30, 50, 70)), "mapred.capacity-scheduler.queue"
        lines += [f'"{prefix}.a.capacity" = {share}', f'"{prefix}.b.capacity" = {100 - share}']
        lines += [f'"{prefix}.a.user-limit-factor" = {random.choice((1, 3))}']
    trackers = random.randint(1, 4)
    lines += ["[cluster]", f'groups = [{{ prefix = "n", count = {trackers}, memory = "8g", vcores = 8 }}]']
    lines += [job(random, number, last_arrival_s) for number in range(random.randint(2, 6))]
    if random.random() < 0.6:
        at_s, down_s = random.randint(5, LAST_FAULT_S), random.randint(1, 10)
        lines.append(f'[[faults]]\ndo = "job_tracker_restart"\nat = {at_s}\ndown = {down_s}')
    if trackers > 1 and random.random() < 0.2:
        lines.append(f'[[faults]]\ndo = "lose"\nnode = "n1"\nat = {random.randint(5, LAST_FAULT_S)}')
    return lines


def job(random: Random, number: int, last_arrival_s: int) -> str:
    low = random.randint(3, 40)
    lasts = '"forever"' if random.random() < 0.1 else f'["{low}s", "{low + random.randint(0, 60)}s"]'
    return (
        f'[[workload]]\ntype = "mapreduce"\nname = "w{number}"\nuser = "u{random.randint(0, 2)}"\n'
        f'queue = "{random.choice("ab")}"\nat = {round(random.random() * last_arrival_s, 1)}\n'
        f"maps = {random.randint(1, 12)}\nreduces = {random.randint(0, 4)}\nmap_duration = {lasts}\n"
        f'reduce_duration = ["5s", "{random.randint(6, 90)}s"]\nslow_start = {random.choice((0.05, 1.0))}'
    )
