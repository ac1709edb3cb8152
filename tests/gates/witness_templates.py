"""The scenarios of which witnesses are made: clusters of a few nodes in which the last application may wait."""

from collections.abc import Sequence
from typing import Final

VICTIM: Final = "victim"

SCHEDULERS: Final = (
    "capacity-2.7",
    "capacity-3.4",
    "fair-2.7",
    "fair-3.4",
    "spark",
    "mr1-fifo",
    "mr1-fair",
    "mr1-capacity",
)
"""Those that have rows of their own."""

_HEAD: Final = """start = 2024-03-04T09:00:00Z
duration = "1h"
scheduler = "{scheduler}"
{top}
[settings]
{settings}
[cluster]
{nodes}
"""
_NODES: Final = 'groups = [{ prefix = "n", count = 4, memory = "8g", vcores = 8 }]'
_C: Final = "yarn.scheduler.capacity."
_SIZE: Final = 'memory = "8g", vcores = 8'
_LABELS: Final = f'nodes = [{{ host = "n1", {_SIZE} }}, {{ host = "n2", {_SIZE}, partition = "gpu" }}]'


def asks(name: str, queue: str, at: int, memory: str, count: int, more: str = "", user: str = "ann") -> str:
    """An application that holds containers for an hour."""
    return f"""[[workload]]
type = "scripted"
name = "{name}"
user = "{user}"
queue = "{queue}"
at = {at}
am = "unmanaged"
asks = [{{ memory = "{memory}", count = {count}, duration = "1h"{more} }}]
"""


def shell(name: str, queue: str, idle: str = "10m", caches: str = "false") -> str:
    """A shell with dynamic allocation whose executors are idle after a while, and kept."""
    return f"""[[workload]]
type = "spark"
name = "{name}"
user = "bob"
queue = "{queue}"
at = 1
am = {{ memory = "1g" }}
executor = {{ memory = "2g", vcores = 1 }}
dynamic = {{ idle = "{idle}" }}
stages = [{{ tasks = 60, duration = "10s", caches = {caches} }}, {{ tasks = 1, duration = "1h" }}]
"""


def keepers(queue: str) -> dict[str, list[str]]:
    """Applications that keep what they do not use, each with the one that waits for it."""
    head = f'user = "bob"\nqueue = "{queue}"\nat = 1\nam = {{ memory = "1g" }}\n'
    tasks = 'stages = [{ tasks = 60, duration = "10s" }]'
    server = 'type = "spark"\nname = "server"\ndynamic = { initial = 15, least = 15 }\nstays = true\n'
    server += f"jobs = [{{ {tasks} }}]\n"
    session = f'type = "tez"\nname = "session"\nheld = 15\nsession_timeout = "forever"\ndags = [{{ {tasks} }}]\n'
    service = 'type = "service"\nname = "service"\ninstances = 15\n'
    size = '{ memory = "2g", vcores = 1 }'
    sizes = {"a server": f"executor = {size}", "a session": f"container = {size}", "a service": f"instance = {size}"}
    victim = asks(VICTIM, queue, 90, "2g", 2)
    made = zip(sizes.items(), (server, session, service), strict=True)
    return {name: [f"[[workload]]\n{text}{head}{own}\n", victim] for (name, own), text in made}


def spark(name: str, queue: str, at: int, master: str = "1g", user: str = "ann", executors: int = 2) -> str:
    """An application with a master and some executors."""
    return f"""[[workload]]
type = "spark"
name = "{name}"
user = "{user}"
queue = "{queue}"
at = {at}
am = {{ memory = "{master}" }}
executors = {executors}
executor = {{ memory = "1g", vcores = 1 }}
duration = "1h"
"""


def job(name: str, queue: str, at: int, maps: int, more: str = "", user: str = "ann") -> str:
    """A MapReduce job with maps of five minutes."""
    place = f'queue = "{queue}"\n' if queue else ""
    return f"""[[workload]]
type = "mapreduce"
name = "{name}"
user = "{user}"
{place}at = {at}
maps = {maps}
map_duration = "5m"
{more}
"""


def standalone(name: str, at: int, fields: str) -> str:
    """An application of a Spark Master."""
    return f"""[[workload]]
type = "spark-standalone"
name = "{name}"
user = "ann"
at = {at}
{fields}
"""


def scene(scheduler: str, settings: Sequence[str], apps: Sequence[str], nodes: str = _NODES, top: str = "") -> str:
    """The text of a scenario."""
    lines = "\n".join(settings)
    return _HEAD.format(scheduler=scheduler, top=top, settings=lines, nodes=nodes) + "".join(apps)


def templates(scheduler: str) -> dict[str, str]:
    """Name → text."""
    family = scheduler.partition("-")[0]
    made = {"capacity": _capacity, "fair": _fair, "spark": _spark, "mr1": _mapreduce_1}
    return made[family](scheduler)


def _shares(*queues: str, **more: str) -> list[str]:
    """Two or one queues with all their capacity, and settings of queue a."""
    names = queues or ("a",)
    lines = [f'"{_C}root.queues" = "{",".join(names)}"']
    lines += [f'"{_C}root.{name}.capacity" = {100 // len(names)}' for name in names]
    wide = {"maximum-capacity": "100", "user-limit-factor": "10", **{k.replace("_", "-"): v for k, v in more.items()}}
    lines += [f'"{_C}root.{name}.{key}" = {value}' for name in names for key, value in wide.items()]
    return lines


def _capacity(scheduler: str) -> dict[str, str]:
    one, masters = _shares("a"), [spark(f"other{number}", "a", number, "2g") for number in range(1, 6)]
    small = [asks("small", "a", 1, "3g", 7), asks("large", "a", 30, "6g", 2)]
    return {
        "two queues": scene(scheduler, _shares("a", "b"), [_HOG, asks(VICTIM, "b", 60, "1g", 10)]),
        **_capacity_preempting(scheduler),
        "a large node": scene(scheduler, one, [asks(VICTIM, "a", 60, "1g", 240)], _LARGE),
        "one who shrinks": scene(scheduler, one, [shell("shell", "a"), asks(VICTIM, "a", 90, "2g", 4, user="carl")]),
        "one who caches": scene(scheduler, one, [_CACHES, asks(VICTIM, "a", 90, "2g", 4, user="carl")]),
        "a wide shell": scene(scheduler, one, [_WIDE, asks(VICTIM, "a", 90, "1g", 4, user="carl")]),
        "many masters": scene(scheduler, [*one, f'"{_C}maximum-am-resource-percent" = 1'], [*_CROWD, _LATE]),
        "early reduces": scene(
            scheduler, [*one, f'"{_C}maximum-am-resource-percent" = 0.5'], [_REDUCES, asks(VICTIM, "a", 90, "1g", 1)]
        ),
        "a job behind, with a priority": scene(scheduler, one, [_LONG, job(VICTIM, "a", 60, 3, "priority = 5")]),
        "a job behind, priorities": scene(
            scheduler, [*one, '"yarn.cluster.max-application-priority" = 10'], [_LONG, job(VICTIM, "a", 60, 3)]
        ),
        "one user": scene(scheduler, _shares("a", "b"), [asks(VICTIM, "a", 1, "1g", 30)]),
        "masters": scene(scheduler, one, [*masters, spark(VICTIM, "a", 60)]),
        "two users": scene(scheduler, one, [_HOG, asks(VICTIM, "a", 60, "1g", 4)]),
        "a large one": scene(scheduler, one, [asks("small", "a", 1, "3g", 6), asks(VICTIM, "a", 60, "6g", 2)]),
        "a small one behind": scene(scheduler, one, [*small, asks(VICTIM, "a", 60, "2g", 1)]),
        "a job behind": scene(scheduler, one, [_LONG, job(VICTIM, "a", 60, 3)]),
        "refused": scene(scheduler, _shares("a", "b"), [asks("first", "a", 1, "1g", 1), job(VICTIM, "a", 60, 3)]),
        "no queue": scene(scheduler, _shares("a", "b"), [job(VICTIM, "", 60, 3)]),
        **_capacity_places(scheduler),
        **{name: scene(scheduler, one, apps) for name, apps in keepers("a").items()},
    }


def _capacity_preempting(scheduler: str) -> dict[str, str]:
    preempting = '"yarn.resourcemanager.scheduler.monitor.enable" = true'
    hog, own = asks("hog", "a", 1, "1g", 24, user="bob"), asks("own", "b", 20, "1g", 8)
    return {
        "two queues, preempting": scene(
            scheduler, [*_shares("a", "b"), preempting], [_HOG, asks(VICTIM, "b", 60, "1g", 10)]
        ),
        "two users, preempting": scene(
            scheduler,
            [*_shares("a", minimum_user_limit_percent="50"), preempting, f'"{_WITHIN}enabled" = true'],
            [_HOG, asks(VICTIM, "a", 60, "1g", 4)],
        ),
        "above the guarantee": scene(
            scheduler, [*_shares("a", "b", "c", "d"), preempting], [hog, own, asks(VICTIM, "b", 60, "1g", 4)]
        ),
    }


def _capacity_places(scheduler: str) -> dict[str, str]:
    one = _shares("a")
    label = ['"schedlab.node-labels" = "gpu"', '"yarn.node-labels.enabled" = true']
    label += [f'"{_C}root.accessible-node-labels.gpu.capacity" = 100']
    label += [f'"{_C}root.a.accessible-node-labels.gpu.capacity" = 100']
    local = ', hosts = ["n1"]'
    on, strict = asks("on", "a", 1, "8g", 1, local), f"{local}, relax = false"
    drf = f'"{_C}resource-calculator" = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"'
    cores = asks("on", "a", 1, "1g", 8, ", vcores = 4")
    closed = [f'"{_C}root.acl_{right}" = " "' for right in ("submit_applications", "administer_queue")]
    access = ['"yarn.acl.enable" = true', '"yarn.admin.acl" = "root"', *closed]
    default, two = f'"{_C}root.a.default-node-label-expression" = "gpu"', asks(VICTIM, "a", 60, "1g", 2)
    large = '"yarn.scheduler.maximum-allocation-mb" = 16384'
    return {
        "a place": scene(scheduler, one, [on, asks(VICTIM, "a", 60, "1g", 20, local)]),
        "a busy place": scene(scheduler, one, [on, asks(VICTIM, "a", 60, "1g", 24, local)], _MANY),
        "a strict place": scene(scheduler, one, [on, asks(VICTIM, "a", 60, "1g", 2, strict)]),
        "not let in": scene(scheduler, [*one, *access], [job(VICTIM, "a", 60, 3)]),
        "a partition": scene(scheduler, [*one, *label], [two], _LABELS),
        "in a partition": scene(scheduler, [*one, *label, default], [two], _LABELS),
        "a full default": scene(scheduler, [*one, *label], [asks("on", "a", 1, "8g", 1), two], _LABELS),
        "too large": scene(scheduler, [*one, large], [asks(VICTIM, "a", 60, "10g", 1)]),
        "vcores": scene(scheduler, [*one, drf], [cores, asks(VICTIM, "a", 60, "1g", 2, ", vcores = 4")]),
    }


_HOG: Final = asks("hog", "a", 1, "1g", 32, user="bob")
_LONG: Final = job("long", "a", 1, 400, user="bob")
_WITHIN: Final = "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption."
_LARGE: Final = 'nodes = [{ host = "n1", memory = "256g", vcores = 256 }]'
_MANY: Final = 'groups = [{ prefix = "n", count = 8, memory = "8g", vcores = 8 }]'
_REDUCES: Final = job(
    "long", "a", 1, 8, 'map_durations = ["10s", "1h"]\nreduces = 30\nreduce_duration = "1h"\nslow_start = 0.05', "bob"
)
_CROWD: Final = [job(f"crowd{number}", "a", 1, 2).replace('"5m"', '"10s"') for number in range(1, 41)]
_STREAM: Final = asks("stream", "a", 1, "3g", 400, user="bob").replace('"1h"', '["3m", "20m"]')
_CACHES: Final = shell("shell", "a", "30s", "true")
_WIDE: Final = spark("wide", "a", 1, executors=31)
_LATE: Final = job(VICTIM, "a", 60, 2).replace('"5m"', '"10s"')


def top(text: str) -> str:
    """An allocation file."""
    return f"allocations = '<allocations>{text}</allocations>'"


def queue(name: str, text: str = "") -> str:
    """A queue of it."""
    return f'<queue name="{name}">{text}</queue>'


def _fair(scheduler: str) -> dict[str, str]:
    two = top(queue("a") + queue("b", "<minResources>8192 mb, 8 vcores</minResources>"))
    timed = "<minSharePreemptionTimeout>10</minSharePreemptionTimeout>"
    timely = top(queue("a") + queue("b", f"<minResources>8192 mb, 8 vcores</minResources>{timed}"))
    hog = asks("hog", "a", 1, "1g", 32, user="bob")
    masters = [spark(f"other{number}", "a", number, "2g") for number in range(1, 6)]
    preempts = '"yarn.scheduler.fair.preemption" = true'
    every = ['"yarn.scheduler.fair.reservable-nodes" = 1.0'] if scheduler == "fair-3.4" else []
    small = [asks("small", "a", 1, "3g", 7), asks("large", "a", 30, "6g", 2)]
    part = [asks("own", "b", 20, "1g", 10), asks("more", "a", 40, "1g", 32, user="bob")]
    return {
        "two queues, a part": scene(
            scheduler,
            [preempts],
            [asks("hog", "a", 1, "1g", 22, user="bob"), *part, asks(VICTIM, "b", 60, "1g", 6)],
            top=top(queue("a") + queue("b", "<fairSharePreemptionTimeout>10</fairSharePreemptionTimeout>")),
        ),
        "two queues, half full": scene(
            scheduler,
            [preempts],
            [asks("hog", "a", 1, "6g", 4, user="bob"), asks(VICTIM, "b", 60, "6g", 2)],
            top=top(queue("a") + queue("b", "<fairSharePreemptionTimeout>10</fairSharePreemptionTimeout>")),
        ),
        "a large node": scene(scheduler, [], [asks(VICTIM, "a", 60, "1g", 240)], _LARGE, top=top(queue("a"))),
        **_fair_shells(scheduler),
        "many masters": scene(scheduler, [], [*_CROWD, _LATE], top=top(queue("a", "<maxAMShare>-1.0</maxAMShare>"))),
        "jobs from the start": scene(
            scheduler, [], [job("long", "a", 1, 400, user="bob"), job(VICTIM, "a", 2, 20)], top=top(queue("a"))
        ),
        "early reduces": scene(scheduler, [], [_REDUCES, asks(VICTIM, "a", 90, "1g", 1)], top=top(queue("a"))),
        "no queue": scene(
            scheduler,
            [],
            [asks("first", "root.default", 1, "1g", 1), job(VICTIM, "", 60, 3)],
            top=top(queue("default", "<maxRunningApps>1</maxRunningApps>")),
        ),
        "two queues": scene(scheduler, [], [hog, asks(VICTIM, "b", 60, "1g", 10)], top=two),
        "two queues, preempting": scene(scheduler, [preempts], [hog, asks(VICTIM, "b", 60, "1g", 10)], top=two),
        "two queues, in time": scene(scheduler, [preempts], [hog, asks(VICTIM, "b", 60, "1g", 8)], top=timely),
        "masters": scene(scheduler, [], [*masters, spark(VICTIM, "a", 60)], top=top(queue("a"))),
        "alone": scene(scheduler, [], [asks(VICTIM, "a", 1, "1g", 20)], top=top(queue("a"))),
        "two users": scene(scheduler, [], [hog, asks(VICTIM, "a", 60, "1g", 4)], top=top(queue("a"))),
        "jobs": scene(
            scheduler, [], [job("long", "a", 1, 400, user="bob"), job(VICTIM, "a", 60, 20)], top=top(queue("a"))
        ),
        "jobs of two queues": scene(
            scheduler,
            [],
            [job("long", "a", 1, 400, user="bob"), job(VICTIM, "b", 60, 20)],
            top=top(queue("a") + queue("b")),
        ),
        **_fair_places(scheduler),
        "a small one behind": scene(scheduler, every, [*small, asks(VICTIM, "a", 60, "2g", 1)], top=top(queue("a"))),
        "a large one among small ones": scene(
            scheduler, [], [_STREAM, asks(VICTIM, "a", 60, "6g", 1)], top=top(queue("a"))
        ),
    }


def _fair_shells(scheduler: str) -> dict[str, str]:
    """Those that keep what they do not use."""
    carls = asks(VICTIM, "a", 90, "2g", 4, user="carl")
    wide = [_WIDE, asks(VICTIM, "a", 90, "1g", 4, user="carl")]
    return {
        "one who shrinks": scene(scheduler, [], [shell("shell", "a"), carls], top=top(queue("a"))),
        "one who caches": scene(scheduler, [], [_CACHES, carls], top=top(queue("a"))),
        "a wide shell": scene(scheduler, [], wide, top=top(queue("a"))),
    }


def _fair_places(scheduler: str) -> dict[str, str]:
    local = ', hosts = ["n1"]'
    strict = f"{local}, relax = false"
    on = asks("on", "a", 1, "8g", 1, strict)
    return {
        "a place": scene(
            scheduler,
            [],
            [on, asks(VICTIM, "a", 60, "1g", 20, local)],
            top=top(queue("a")),
        ),
        "a strict place": scene(
            scheduler,
            [],
            [on, asks(VICTIM, "a", 60, "1g", 2, strict)],
            top=top(queue("a")),
        ),
        "refused": scene(
            scheduler,
            [],
            [job(VICTIM, "zz", 60, 3)],
            top=top(
                queue("a")
                + '<queuePlacementPolicy><rule name="specified"/><rule name="reject"/></queuePlacementPolicy>'
            ),
        ),
        "not let in": scene(
            scheduler,
            ['"yarn.acl.enable" = true', '"yarn.admin.acl" = "root"'],
            [job(VICTIM, "a", 60, 3)],
            top=top(
                '<queue name="root"><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>'
                '<queue name="a"><aclSubmitApps>bob</aclSubmitApps></queue></queue>'
            ),
        ),
        "too large": scene(
            scheduler,
            ['"yarn.scheduler.maximum-allocation-mb" = 16384'],
            [asks(VICTIM, "a", 60, "10g", 1)],
            top=top(queue("a")),
        ),
        "vcores": scene(
            scheduler,
            [],
            [asks("on", "a", 1, "1g", 4, ", vcores = 8"), asks(VICTIM, "a", 60, "1g", 2, ", vcores = 4")],
            top=top(queue("a")),
        ),
    }


def _spark(scheduler: str) -> dict[str, str]:
    workers = 'groups = [{ prefix = "w", count = 4, memory = "8g", vcores = 8 }]'
    stages = 'stages = [{ tasks = 8, duration = "30s" }]'
    driver = 'cores_max = 4\nexecutor_cores = 2\ndriver = { memory = "1g", vcores = 1 }\n' + stages
    crowd = [standalone(f"other{number}", number, driver) for number in range(1, 33)]
    shell, thin = (
        standalone("shell", 1, ""),
        standalone("thin", 1, 'cores_max = 4\nexecutor_cores = 1\nexecutor_memory = "3g"'),
    )
    return {
        "a shell": scene(scheduler, [], [shell, standalone(VICTIM, 60, f"cores_max = 4\n{stages}")], workers),
        "drivers": scene(scheduler, [], [*crowd, standalone(VICTIM, 60, driver)], workers),
        "thin ones": scene(
            scheduler,
            [],
            [thin, standalone(VICTIM, 60, f'cores_max = 4\nexecutor_cores = 4\nexecutor_memory = "6g"\n{stages}')],
            workers,
        ),
        "too large": scene(scheduler, [], [standalone(VICTIM, 60, f'executor_memory = "12g"\n{stages}')], workers),
        "too many cores": scene(scheduler, [], [standalone(VICTIM, 60, f"executor_cores = 16\n{stages}")], workers),
        "a small maximum": scene(
            scheduler, [], [standalone(VICTIM, 60, f"cores_max = 2\nexecutor_cores = 4\n{stages}")], workers
        ),
        **_spark_keepers(scheduler, workers, stages),
    }


def _spark_keepers(scheduler: str, workers: str, stages: str) -> dict[str, str]:
    """Applications that keep executors without a task, and workers on which what is free lies apart."""
    own = 'executor_cores = 1\nexecutor_memory = "1g"\n'
    work = 'stages = [{ tasks = 32, duration = "20s" }, { tasks = 1, duration = "1h" }]'
    victim = standalone(VICTIM, 90, f"cores_max = 4\n{own}{stages}")
    kept = {"kept executors": "initial = 32, least = 32", "idle executors": 'idle = "20m"'}
    wide = 'executor_cores = 8\nexecutor_memory = "6g"\n'
    driver = 'executor_memory = "64g"\ndriver = { memory = "1g", vcores = 1 }'
    apart = [standalone(f"driven{number}", number, driver) for number in range(1, 17)]
    uneven = 'nodes = [{ host = "w1", memory = "8g", vcores = 8 }, { host = "w2", memory = "16g", vcores = 4 }]'
    thin = standalone("thin", 1, 'cores_max = 1\nexecutor_memory = "6g"')
    large = standalone(VICTIM, 60, f'cores_max = 4\nexecutor_cores = 1\nexecutor_memory = "12g"\n{stages}')
    return {
        **{
            name: scene(
                scheduler, [], [standalone("shell", 1, f"{own}dynamic = {{ {dynamic} }}\n{work}"), victim], workers
            )
            for name, dynamic in kept.items()
        },
        "drivers apart": scene(
            scheduler, [], [*apart, standalone(VICTIM, 60, f"cores_max = 8\n{wide}{stages}")], workers
        ),
        "a large worker": scene(scheduler, [], [thin, large], uneven),
    }


def _mapreduce_1(scheduler: str) -> dict[str, str]:
    nodes = 'groups = [{ prefix = "n", count = 2, memory = "8g", vcores = 8 }]'
    slots = ['"mapred.tasktracker.map.tasks.maximum" = 2', '"mapred.tasktracker.reduce.tasks.maximum" = 1']
    queues = ["mapred.queue.names", "mapred.capacity-scheduler.queue"]
    if scheduler == "mr1-capacity":
        slots += [f'"{queues[0]}" = "a,b"', f'"{queues[1]}.a.capacity" = 50', f'"{queues[1]}.b.capacity" = 50']
    reduces = 'reduces = 2\nreduce_duration = "2m"\nslow_start = 0.05'
    short = 'reduces = 1\nreduce_duration = "10s"\nslow_start = 0.05'
    return {
        "one pool": scene(scheduler, slots, [job("long", "a", 1, 8, user="bob"), job(VICTIM, "a", 60, 2)], nodes),
        "one user": scene(scheduler, slots, [job("long", "a", 1, 4), job(VICTIM, "a", 60, 2)], nodes),
        "two pools": scene(scheduler, slots, [job("long", "a", 1, 8, user="bob"), job(VICTIM, "b", 60, 2)], nodes),
        "reduces": scene(
            scheduler, slots, [job("long", "a", 1, 12, reduces, "bob"), job(VICTIM, "a", 20, 1, short)], nodes
        ),
        "reduces, first": scene(
            scheduler,
            slots,
            [job("long", "a", 1, 12, reduces, "bob"), job(VICTIM, "a", 20, 1, f"{short}\npriority = 4")],
            nodes,
        ),
        **(_pools(scheduler, slots, nodes) if scheduler == "mr1-fair" else {}),
        **(_task_queues(scheduler, slots, nodes) if scheduler == "mr1-capacity" else {}),
    }


def _task_queues(scheduler: str, slots: Sequence[str], nodes: str) -> dict[str, str]:
    own = '"mapred.capacity-scheduler.queue.a'
    wide, first = f'{own}.user-limit-factor" = 10', f'{own}.supports-priority" = true'
    reduces = 'reduces = 2\nreduce_duration = "2m"\nslow_start = 0.05'
    short = 'reduces = 1\nreduce_duration = "10s"\nslow_start = 0.05'
    crowd = job("long", "a", 1, 400, user="bob").replace('"5m"', '"1m"')
    return {
        "reduces of two queues": scene(
            scheduler, [*slots, wide], [job("long", "a", 1, 12, reduces, "bob"), job(VICTIM, "b", 20, 1, short)], nodes
        ),
        "a job behind, with a priority": scene(
            scheduler, [*slots, wide, first], [crowd, job(VICTIM, "a", 60, 4, "priority = 4")], nodes
        ),
        "a job behind, priorities": scene(scheduler, [*slots, wide, first], [crowd, job(VICTIM, "a", 60, 2)], nodes),
    }


def _pools(scheduler: str, slots: Sequence[str], nodes: str) -> dict[str, str]:
    least = "<minMaps>2</minMaps><minSharePreemptionTimeout>5</minSharePreemptionTimeout>"
    pools = f"allocations = '<allocations><pool name=\"b\">{least}</pool></allocations>'"
    preempting, wide = '"mapred.fairscheduler.preemption" = true', '"mapred.tasktracker.map.tasks.maximum" = 64'
    long, held = job("long", "a", 1, 8, user="bob"), 'blocks = [["n1"]]'
    crowd = job("long", "a", 1, 400, user="bob").replace('"5m"', '"1m"')
    late = 'reduces = 2\nreduce_duration = "5m"'
    many = job("many", "a", 1, 1, 'reduces = 100\nreduce_duration = "1m"', "bob").replace('"5m"', '"5s"')
    return {
        "two pools, preempting": scene(scheduler, [*slots, preempting], [long, job(VICTIM, "b", 60, 2)], nodes, pools),
        "many in a pool": scene(scheduler, slots, [crowd, job(VICTIM, "a", 60, 40)], nodes),
        "a small one in a pool": scene(scheduler, slots, [crowd, job(VICTIM, "a", 60, 2)], nodes),
        "reduces alone": scene(scheduler, slots, [job(VICTIM, "a", 1, 1, late).replace('"5m"', '"5s"', 1)], nodes),
        "reduces of two pools": scene(
            scheduler, slots, [many, job(VICTIM, "b", 60, 1, late).replace('"5m"', '"5s"', 1)], nodes
        ),
        "wide trackers": scene(scheduler, [wide], [job(VICTIM, "a", 60, 100)], nodes),
        "a place": scene(
            scheduler,
            [*slots, '"mapred.fairscheduler.locality.delay" = 0'],
            [job("on", "a", 1, 2, held, "bob"), job(VICTIM, "a", 20, 2, held)],
            nodes,
        ),
        "jobs from the start": scene(
            scheduler,
            [slots[0].replace("= 2", "= 12")],
            [job("long", "a", 1, 400, user="bob"), job(VICTIM, "a", 2, 20)],
            nodes,
        ),
    }
