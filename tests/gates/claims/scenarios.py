"""Random small scenarios in which nothing arrives and nothing fails any more after a minute, under every policy."""

from random import Random
from typing import Final

from engine.formats.scenario_toml import loads
from engine.scenario import Scenario
from tests.gates.claims import edges, harder, lives

POLICIES: Final = ("fifo", "fair-2.7", "fair-3.4", "capacity-2.7", "capacity-3.4", "spark", "fifo-3.4")

ARRIVALS_S: Final = 55
"""Everything comes within so long."""

DRF: Final = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"


def scenario_of(seed: int) -> Scenario:
    """The scenario of a seed; the same each time."""
    random, is_newer = Random(seed), seed >= lives.FIRST
    if seed >= edges.FIRST:
        return _at_an_edge(random, seed) if seed % 3 else _later(random, seed)
    policies = [*POLICIES, *lives.MR1_POLICIES] if is_newer else POLICIES
    policy = policies[seed % len(policies)]
    head = [f'name = "claims-{seed}"', 'duration = "6h"', f"seed = {seed}", f'scheduler = "{policy}"']
    if policy == "spark":
        return loads("\n".join([*head, *_spark(random)]), f"claims-{seed}")
    is_harder = seed >= harder.FIRST
    if policy in lives.MR1_POLICIES and is_harder:
        jobs = "\n".join(lives.job(random, number, ARRIVALS_S) for number in range(random.randint(2, 6)))
        return loads("\n".join([*head, *harder.job_tracker(random, policy, jobs)]), f"claims-{seed}")
    if policy in lives.MR1_POLICIES:
        return loads("\n".join([*head, *lives.job_tracker(random, policy, ARRIVALS_S)]), f"claims-{seed}")
    nodes = random.randint(1, 4)
    settings, queues, paths = _queues(random, policy)
    lines = [*head, "[settings]", '"yarn.nm.liveness-monitor.expiry-interval-ms" = 60000', *settings]
    lines.append('"yarn.scheduler.maximum-allocation-mb" = 16384')
    lines.append('"yarn.scheduler.maximum-allocation-vcores" = 16')
    lines += ["[cluster]", f"groups = [{', '.join(_groups(random, nodes))}]", *queues]
    count = random.randint(3, 8)
    for number in range(count):
        make = _living if is_newer and random.random() < 0.6 else _application
        lines.append(make(random, number, random.choice(paths), nodes))
    if is_newer:
        more, tables = lives.faults(random, count)
        lines[len(head) + 1 : len(head) + 1] = more
        lines += harder.faults(random, count, nodes) if is_harder else tables
    if not is_harder and nodes > 1 and random.random() < 0.2:
        at_s = random.randint(10, ARRIVALS_S)
        lines.append(f'[[faults]]\ndo = "lose"\nnode = "n{random.randint(1, nodes)}"\nat = {at_s}')
    return loads("\n".join(lines), f"claims-{seed}")


def _at_an_edge(random: Random, seed: int) -> Scenario:
    policies = [*POLICIES, *lives.MR1_POLICIES]
    policy = policies[seed // 3 % len(policies)]
    head = f'name = "claims-{seed}"\nduration = "6h"\nseed = {seed}\nscheduler = "{policy}"\n'
    return loads(head + edges.body(random, policy), f"claims-{seed}")


def _later(random: Random, seed: int) -> Scenario:
    """One of the harder kinds in which everything breaks up to some minutes later."""
    early = scenario_of(harder.FIRST + seed - edges.FIRST)
    later_ms = 1000 * random.randint(0, 240)
    faults = tuple(each.model_copy(update={"at_ms": each.at_ms + later_ms}) for each in early.faults)
    return early.model_copy(update={"name": f"claims-{seed}", "faults": faults})


def quiet_s(scenario: Scenario) -> int:
    """From when on nothing comes from outside any more [s after the start]."""
    comes_ms = [each.at_ms for each in (*scenario.faults, *scenario.script, *scenario.workload)]
    repeats = ((each, each.repeat) for each in scenario.workload if each.repeat is not None)
    comes_ms += [each.at_ms + repeat.every_ms * repeat.times for each, repeat in repeats]
    last_ms = max(comes_ms, default=0)
    return max(ARRIVALS_S + 1, last_ms // 1000 + 1)


def _groups(random: Random, nodes: int) -> list[str]:
    return [
        f'{{ hosts = ["n{number}"], racks = ["/r{number % 2}"], memory = "{random.choice((6, 8, 8, 12))}g", '
        f"vcores = {random.choice((4, 8, 8))} }}"
        for number in range(1, nodes + 1)
    ]


def _flag(random: Random, likely: float) -> str:
    return str(random.random() < likely).lower()


def _queues(random: Random, policy: str) -> tuple[list[str], list[str], list[str]]:
    """Settings, tables, and where applications may go."""
    if policy.startswith("fifo"):
        return [], [], ["default"]
    if policy.startswith("capacity"):
        return _capacity(random, policy), [], ["a", "b"]
    settings = [
        f'"yarn.scheduler.fair.assignmultiple" = {_flag(random, 0.4)}',
        f'"yarn.scheduler.fair.preemption" = {_flag(random, 0.3)}',
        f'"schedlab.reservation.rule" = "{random.choice(("strict", "strict", "off", "limited"))}"'
        if policy == "fair-2.7"
        else "",
    ]
    if random.random() < 0.3:
        settings += [f'"yarn.scheduler.fair.locality.threshold.{place}" = 0.5' for place in ("node", "rack")]
    a = ['[[queues]]\nname = "a"\nweight = 2', f'policy = "{random.choice(("fair", "fair", "fifo", "drf"))}"']
    if random.random() < 0.5:
        a.append('min_resources = "4096 mb, 4 vcores"\nmin_share_preemption_timeout = 10')
    b = ['[[queues]]\nname = "b"']
    if random.random() < 0.6:
        b.append(f'max_resources = "{random.choice((4096, 8192, 12288))} mb, {random.choice((3, 6, 12))} vcores"')
    if random.random() < 0.3:
        b.append(f"max_running_apps = {random.randint(1, 2)}")
    if random.random() < 0.5:
        b.append(f"max_am_share = {random.choice((0.1, 0.3, -1.0))}")
    return settings, [*a, *b], ["root.a", "root.b"]


def _capacity(random: Random, policy: str) -> list[str]:
    prefix = "yarn.scheduler.capacity"
    share = random.choice((30, 50, 70))
    settings = [
        f'"{prefix}.root.queues" = "a,b"',
        f'"{prefix}.root.a.capacity" = "{share}"',
        f'"{prefix}.root.b.capacity" = "{100 - share}"',
        f'"{prefix}.root.b.maximum-capacity" = "{random.choice((100 - share, 80, 100))}"',
        f'"{prefix}.root.a.user-limit-factor" = "{random.choice((1, 2, 3))}"',
        f'"{prefix}.root.b.user-limit-factor" = "{random.choice((1, 3))}"',
        f'"{prefix}.maximum-am-resource-percent" = "{random.choice((0.2, 0.5, 1.0))}"',
        f'"{prefix}.node-locality-delay" = "{random.choice((-1, 2, 40))}"',
    ]
    if random.random() < 0.4:
        settings.append(f'"{prefix}.resource-calculator" = "{DRF}"')
    if policy == "capacity-3.4" and random.random() < 0.3:
        settings.append(f'"{prefix}.root.a.max-parallel-apps" = "1"')
    return settings


def _lasts(random: Random, forever: float) -> str:
    if random.random() < forever:
        return ""
    low = random.randint(5, 60)
    return f', duration = ["{low}s", "{low + random.randint(0, 90)}s"]'


def _head(random: Random, number: int, queue: str) -> str:
    at_s = round(random.random() * ARRIVALS_S, 1)
    return f'[[workload]]\nname = "w{number}"\nuser = "u{random.randint(0, 2)}"\nqueue = "{queue}"\nat = {at_s}\n'


def _living(random: Random, number: int, queue: str, nodes: int) -> str:
    return lives.application(random, _head(random, number, queue))


def _application(random: Random, number: int, queue: str, nodes: int) -> str:
    head = _head(random, number, queue)
    kind = random.random()
    if kind < 0.25:
        return (
            f'{head}type = "mapreduce"\nam = {{ memory = "1g" }}\nmaps = {random.randint(1, 12)}\n'
            f'reduces = {random.randint(0, 2)}\nmap = {{ memory = "{random.randint(1, 3)}g" }}\n'
            f'map_duration = ["{random.randint(5, 20)}s", "{random.randint(21, 80)}s"]\n'
            f"replication = {random.randint(0, 1)}"
        )
    if kind < 0.32:
        memory, vcores = random.randint(1, 3), random.randint(1, 3)
        each = _flag(random, 0.3)
        return (
            f'{head}type = "service"\nam = {{ memory = "1g" }}\ninstances = {random.randint(1, 3)}\n'
            f'each_node = {each}\ninstance = {{ memory = "{memory}g", vcores = {vcores} }}'
        )
    if kind < 0.45:
        lasts = f'\nduration = "{random.randint(20, 200)}s"' if random.random() < 0.7 else ""
        return (
            f'{head}type = "spark"\nam = {{ memory = "1g" }}\nexecutors = {random.randint(1, 4)}\n'
            f'executor = {{ memory = "{random.randint(1, 4)}g", vcores = {random.randint(1, 3)} }}{lasts}\n'
            f"waits = {_flag(random, 0.5)}"
        )
    am = random.choice(('"unmanaged"', '{ memory = "1g" }'))
    asks = ", ".join(_ask(random, priority, nodes) for priority in range(1, random.choice((2, 2, 2, 3, 4))))
    return f'{head}type = "scripted"\nam = {am}\nwaits = {_flag(random, 0.4)}\nasks = [{asks}]'


def _ask(random: Random, priority: int, nodes: int) -> str:
    memory, vcores = random.choice((1, 1, 2, 3, 4, 6, 8, 10, 14)), random.choice((1, 1, 1, 2, 4, 6, 9))
    count = random.randint(1, 6) if memory < 4 else 1
    place = ""
    if random.random() < 0.3:
        place = f', hosts = ["n{random.randint(1, nodes)}"], relax = {_flag(random, 0.5)}'
    at_s = f", at = {random.randint(1, 15)}" if priority > 1 and random.random() < 0.5 else ""
    lasts = _lasts(random, 0.12)
    return f'{{ priority = {priority}, memory = "{memory}g", vcores = {vcores}, count = {count}{place}{at_s}{lasts} }}'


def _spark(random: Random) -> list[str]:
    settings = [f'"spark.deploy.spreadOutApps" = {_flag(random, 0.5)}']
    if random.random() < 0.3:
        settings.append(f'"spark.deploy.defaultCores" = {random.randint(2, 6)}')
    groups = [
        f'{{ hosts = ["w{number}"], port = 7078, memory = "{random.choice((4, 8, 8))}g", '
        f"vcores = {random.choice((2, 4, 8))} }}"
        for number in range(1, random.randint(2, 4))
    ]
    lines = ["[settings]", *settings, "[cluster]", f"groups = [{', '.join(groups)}]"]
    lines += [_standalone(random, number) for number in range(random.randint(2, 7))]
    if len(groups) > 1 and random.random() < 0.2:
        lines.append(f'[[faults]]\ndo = "lose"\nnode = "w1"\nat = {random.randint(10, ARRIVALS_S)}')
    return lines


def _standalone(random: Random, number: int) -> str:
    at_s = round(random.random() * ARRIVALS_S, 1)
    lines = [f'[[workload]]\ntype = "spark-standalone"\nname = "w{number}"\nuser = "u{number}"\nat = {at_s}']
    if random.random() < 0.7:
        lines.append(f"cores_max = {random.randint(1, 8)}")
    if random.random() < 0.7:
        lines.append(f"executor_cores = {random.choice((1, 2, 2, 4, 6))}")
    lines.append(f'executor_memory = "{random.choice((1, 2, 3, 6))}g"')
    if random.random() < 0.85:
        low = random.randint(5, 60)
        lines.append(f'stages = [{{ tasks = {random.randint(1, 12)}, duration = ["{low}s", "{low + 40}s"] }}]')
    if random.random() < 0.25:
        lines.append(f'driver = {{ memory = "{random.choice((1, 2, 6))}g", vcores = {random.choice((1, 2))} }}')
    if random.random() < 0.25:
        lines.append(f"dynamic = {{ initial = {random.randint(0, 2)} }}")
    return "\n".join(lines)
