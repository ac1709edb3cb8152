"""Random scenarios of seeds from `FIRST` on: limits just below, at and just above what is asked, pairs, slow masters.

Who asks for so much finds a limit that allows a step less, that, or a step more, under each of the schedulers.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from tests.gates.claims import lives

FIRST: Final = 10_000
"""The first seed whose scenario is of these kinds, or one of `harder` that breaks at a later instant."""

STEPS: Final = (-1, 0, 1)

NODE_MB: Final = 8_192
NODES: Final = 2

CLUSTER: Final = f'[cluster]\ngroups = [{{ prefix = "n", count = {NODES}, memory = "8g", vcores = 8 }}]'
CAPACITY: Final = "yarn.scheduler.capacity"
QUEUES: Final = (
    f'"{CAPACITY}.root.queues" = "a,b"\n"{CAPACITY}.root.a.capacity" = 50\n"{CAPACITY}.root.b.capacity" = 50'
)


def _asker(random: Random, number: int, at_s: int, asks: str, am: str = '"unmanaged"') -> str:
    waits = lives.flag(random, 0.5)
    return (
        f'[[workload]]\ntype = "scripted"\nname = "w{number}"\nuser = "u0"\nqueue = "{{queue}}"\nat = {at_s}\n'
        f"am = {am}\nwaits = {waits}\nasks = [{asks}]"
    )


def _lasts(random: Random) -> str:
    return "" if random.random() < 0.4 else f', duration = "{random.randint(20, 200)}s"'


def _some(random: Random) -> tuple[list[str], int, int, int]:
    """Two or three applications, and what they ask for in all: memory [MB], vcores; and how many they are."""
    number = random.randint(2, 3)
    sizes = [(random.randint(1, 3), random.randint(1, 3)) for _ in range(number)]
    text = [
        _asker(random, turn, 1 + 10 * turn, f'{{ memory = "{memory}g", vcores = {vcores}{_lasts(random)} }}')
        for turn, (memory, vcores) in enumerate(sizes)
    ]
    return text, sum(memory for memory, _ in sizes) * 1024, sum(vcores for _, vcores in sizes), number


def _managed(random: Random) -> tuple[list[str], int]:
    """Applications with masters of 1 GB, and how many they are."""
    number = random.randint(2, 4)
    ask = '{ memory = "1g", duration = "2m" }'
    return [_asker(random, turn, 1 + 5 * turn, ask, '{ memory = "1g" }') for turn in range(number)], number


def _on_queue(limits: str, workload: list[str], settings: str = "") -> str:
    queues = f'[[queues]]\nname = "a"\n{limits}\n[[queues]]\nname = "b"'
    return _of("root.a", f"[settings]\n{settings}\n{CLUSTER}\n{queues}", workload)


def _of(queue: str, head: str, workload: list[str]) -> str:
    return "\n".join([head, *workload]).replace("{queue}", queue)


def fair(random: Random, policy: str) -> str:
    """The maximum of a queue in either dimension, its applications, or its masters."""
    step, kind = random.choice(STEPS), random.randint(0, 3)
    workload, memory_mb, vcores, number = _some(random)
    if kind == 0:
        return _on_queue(f'max_resources = "{memory_mb + step * random.choice((1, 512))} mb, 16 vcores"', workload)
    if kind == 1:
        return _on_queue(f'max_resources = "16384 mb, {vcores + step} vcores"', workload)
    if kind == 2:
        return _on_queue(f"max_running_apps = {number + step}", workload)
    managed, masters = _managed(random)
    share = (masters * 1024 + step) / (NODES * NODE_MB)
    return _on_queue(f"max_am_share = {share}", managed)


def capacity(random: Random, policy: str) -> str:
    """The maximum of a queue, of a user in it, of masters, or of applications that run."""
    step, kind = random.choice(STEPS), random.randint(0, 3)
    workload, memory_mb, _, number = _some(random)
    total_mb = NODES * NODE_MB
    limit_mb = memory_mb + step * 512
    if kind == 0:
        limits = f'"{CAPACITY}.root.a.maximum-capacity" = {max(50.0, 100 * limit_mb / total_mb)}'
        limits += f'\n"{CAPACITY}.root.a.user-limit-factor" = 10'
    elif kind == 1:
        limits = f'"{CAPACITY}.root.a.user-limit-factor" = {limit_mb / (total_mb // 2)}'
    elif kind == 2:
        workload, masters = _managed(random)
        limits = f'"{CAPACITY}.maximum-am-resource-percent" = {(masters * 1024 + step * 512) / total_mb}'
    else:
        key = "max-parallel-apps" if policy == "capacity-3.4" else "maximum-applications"
        limits = f'"{CAPACITY}.root.a.{key}" = {number + step}'
    return _of("a", f"[settings]\n{QUEUES}\n{limits}\n{CLUSTER}", workload)


def fifo(random: Random, policy: str) -> str:
    """A node that holds a step less than all that is asked for, that, or a step more."""
    step = random.choice(STEPS)
    workload, memory_mb, _, _ = _some(random)
    node = f'{{ hosts = ["n1"], memory = "{memory_mb + step * random.choice((1, 512))}m", vcores = 16 }}'
    return _of("default", f"[cluster]\ngroups = [{node}]", workload)


def spark(random: Random, policy: str) -> str:
    """A worker beside executors or drivers that take a step less than it has, that, or a step more."""
    step, kind = random.choice(STEPS), random.randint(0, 2)
    cores = 4 + (step if kind == 0 else 0)
    memory_mb = 4096 + (step if kind == 1 else 0)
    jobs = []
    for number in range(random.randint(1, 3)):
        low, size = random.randint(5, 60), (cores, memory_mb) if number == 0 else (2, 1024)
        driver = f'\ndriver = {{ memory = "{4096 + step}m", vcores = 1 }}' if kind == 2 and number == 0 else ""
        jobs.append(
            f'[[workload]]\ntype = "spark-standalone"\nname = "w{number}"\nuser = "u{number}"\nat = {1 + 10 * number}\n'
            f'executor_cores = {size[0]}\nexecutor_memory = "{size[1]}m"\n'
            f'stages = [{{ tasks = {random.randint(1, 6)}, duration = ["{low}s", "{low + 20}s"] }}]{driver}'
        )
    return "\n".join(
        ['[cluster]\ngroups = [{ prefix = "w", count = 2, port = 7078, memory = "4g", vcores = 4 }]', *jobs]
    )


def job_tracker(random: Random, policy: str) -> str:
    """Slots of trackers, of a pool, a queue or a user, or jobs that may run: less than asked for, that, or more."""
    step, jobs, maps, reduces = random.choice(STEPS), random.randint(1, 3), random.randint(1, 3), random.randint(1, 2)
    lasts = random.choice(('"forever"', '["20s", "60s"]'))
    workload = [
        f'[[workload]]\ntype = "mapreduce"\nname = "w{number}"\nuser = "u{random.randint(0, 1)}"\nqueue = "a"\n'
        f"at = {1 + 10 * number}\n"
        f"maps = {maps}\nreduces = {reduces}\nmap_duration = {lasts}\nreduce_duration = {lasts}\n"
        f"slow_start = {random.choice((0.05, 1.0))}"
        for number in range(jobs)
    ]
    top, settings = "", ""
    if policy == "mr1-fair":
        limits = (("maxMaps", jobs * maps), ("maxReduces", jobs * reduces), ("maxRunningJobs", jobs))
        name, limit = random.choice(limits)
        top = f"allocations = '<allocations><pool name=\"a\"><{name}>{limit + step}</{name}></pool></allocations>'"
    elif policy == "mr1-capacity":
        settings = _limit_of_capacity(random, jobs, jobs * maps + step, NODES * max(0, maps + step))
    slots = f'"mapred.tasktracker.map.tasks.maximum" = {max(0, maps + step)}'
    slots += f'\n"mapred.tasktracker.reduce.tasks.maximum" = {max(0, reduces + step)}'
    return "\n".join([top, f"[settings]\n{settings}\n{slots}\n{CLUSTER}", *workload])


def _limit_of_capacity(random: Random, jobs: int, limit: int, slots: int) -> str:
    """One limit of a queue of the CapacityTaskScheduler that has half of some map slots: on slots, a user, or tasks."""
    prefix = "mapred.capacity-scheduler.queue"
    half = max(1, slots // 2)
    choices = {
        "maximum-capacity": min(100.0, max(50.0, 100 * limit / max(1, slots))),
        "user-limit-factor": max(0.5, limit / half),
        "minimum-user-limit-percent": max(1, 100 // jobs),
        "maximum-initialized-active-tasks": max(1, limit),
        "maximum-initialized-active-tasks-per-user": max(1, limit),
    }
    key = random.choice(sorted(choices))
    lines = [f'"{prefix}.{name}.capacity" = 50' for name in "ab"]
    return "\n".join([*lines, f'"{prefix}.a.{key}" = {choices[key]}'])


def pair(random: Random, policy: str) -> str:
    """Two applications on one node that each ask for more once they hold something."""
    first, second = random.randint(1, 3), random.randint(1, 3)
    sizes = ((2 * first, random.randint(1, 4)), (2 * second, random.randint(1, 4)))
    workload = [
        _asker(
            random,
            number,
            1 + 8 * number,
            f'{{ memory = "{held}g", priority = 1{_lasts(random)} }}, '
            f'{{ memory = "{more}g", priority = 2, at = {random.randint(10, 30)}{_lasts(random)} }}',
        )
        for number, (held, more) in enumerate(sizes)
    ]
    capacity_queues = f"[settings]\n{QUEUES}\n" if policy.startswith("capacity") else ""
    queue = "a" if capacity_queues else "default"
    node = f'{{ hosts = ["n1"], memory = "{2 * (first + second) + random.randint(0, 2)}g", vcores = 16 }}'
    return _of(queue, f"{capacity_queues}[cluster]\ngroups = [{node}]", workload)


def slow_masters(random: Random, policy: str) -> str:
    """Masters that take up to two minutes until they register."""
    managed, _ = _managed(random)
    capacity_queues = f"[settings]\n{QUEUES}\n" if policy.startswith("capacity") else ""
    cluster = CLUSTER.replace("[cluster]", f"[cluster]\nregister_delay = {random.choice((9, 60, 90, 120))}")
    return _of("a" if capacity_queues else "default", f"{capacity_queues}{cluster}", managed)


LIMITS: Final[Mapping[str, Callable[[Random, str], str]]] = {
    "fifo": fifo,
    "fifo-3.4": fifo,
    "fair-2.7": fair,
    "fair-3.4": fair,
    "capacity-2.7": capacity,
    "capacity-3.4": capacity,
    "spark": spark,
    **dict.fromkeys(lives.MR1_POLICIES, job_tracker),
}
"""Scheduler → the rest of a scenario in which a limit of it just holds, or just does not."""


def body(random: Random, policy: str) -> str:
    """The lines of a scenario of one of these kinds, after its name, length and scheduler."""
    kind = random.random()
    is_yarn = policy not in ("spark", *lives.MR1_POLICIES)
    if is_yarn and kind < 0.25:
        return pair(random, policy)
    if is_yarn and kind < 0.4:
        return slow_masters(random, policy)
    return LIMITS[policy](random, policy)
