"""The scenarios of which witnesses are made: clusters of a few nodes in which the last application may wait."""

from collections.abc import Sequence
from functools import partial
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
    return f"""[[workload]]
type = "spark-standalone"
name = "{name}"
user = "ann"
at = {at}
{fields}
"""


def scene(scheduler: str, settings: Sequence[str], apps: Sequence[str], nodes: str = _NODES, top: str = "") -> str:
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
    made = partial(scene, scheduler)
    one, masters = _shares("a"), [spark(f"other{number}", "a", number, "2g") for number in range(1, 6)]
    small = [asks("small", "a", 1, "3g", 7), asks("large", "a", 30, "6g", 2)]
    return {
        "two queues": made(_shares("a", "b"), [_HOG, asks(VICTIM, "b", 60, "1g", 10)]),
        **_capacity_preempting(scheduler),
        "a large node": made(one, [asks(VICTIM, "a", 60, "1g", 240)], _LARGE),
        "one who shrinks": made(one, [shell("shell", "a"), asks(VICTIM, "a", 90, "2g", 4, user="carl")]),
        "one who caches": made(one, [_CACHES, asks(VICTIM, "a", 90, "2g", 4, user="carl")]),
        "a wide shell": made(one, [_WIDE, asks(VICTIM, "a", 90, "1g", 4, user="carl")]),
        "many masters": made([*one, f'"{_C}maximum-am-resource-percent" = 1'], [*_CROWD, _LATE]),
        "early reduces": made(
            [*one, f'"{_C}maximum-am-resource-percent" = 0.5'], [_REDUCES, asks(VICTIM, "a", 90, "1g", 1)]
        ),
        "a job behind, with a priority": made(one, [_LONG, job(VICTIM, "a", 60, 3, "priority = 5")]),
        "a job behind, priorities": made([*one, _PRIORITIES], [_LONG, job(VICTIM, "a", 60, 3)]),
        "a full queue": made(
            [*_shares("a", "b", maximum_capacity="50"), _MASTERS],
            [_HOG.replace("32", "16"), asks(VICTIM, "a", 60, "1g", 4)],
        ),
        "one user": made(_shares("a", "b"), [asks(VICTIM, "a", 1, "1g", 30)]),
        "two users": made(one, [_HOG, asks(VICTIM, "a", 60, "1g", 4)]),
        "a large one": made(one, [asks("small", "a", 1, "3g", 6), asks(VICTIM, "a", 60, "6g", 2)]),
        "a small one behind": made(one, [*small, asks(VICTIM, "a", 60, "2g", 1)]),
        "masters": made(one, [*masters, spark(VICTIM, "a", 60)]),
        "a job behind": made(one, [_LONG, job(VICTIM, "a", 60, 3)]),
        "sizes count": made(
            [*one, _MASTERS, f'"{_C}root.a.ordering-policy" = "fair"', f'"{_C}root.a.{_SIZE_BASED}" = true'],
            [_ENDLESS, asks(VICTIM, "a", 60, "1g", 16)],
        ),
        "refused": made(_shares("a", "b"), [asks("first", "a", 1, "1g", 1), job(VICTIM, "a", 60, 3)]),
        "no queue": made(_shares("a", "b"), [job(VICTIM, "", 60, 3)]),
        **_capacity_places(scheduler),
        **_capacity_partitions(scheduler),
        **_faults(scheduler, [*one, _MASTERS]),
        "gangs": made([*one, _MASTERS], [*_GANGS, asks(VICTIM, "a", 60, "1g", 4)]),
        **{name: made(one, apps) for name, apps in keepers("a").items()},
    }


def _capacity_preempting(scheduler: str) -> dict[str, str]:
    made = partial(scene, scheduler)
    preempting = '"yarn.resourcemanager.scheduler.monitor.enable" = true'
    hog, own = asks("hog", "a", 1, "1g", 24, user="bob"), asks("own", "b", 20, "1g", 8)
    return {
        "two queues, preempting": made([*_shares("a", "b"), preempting], [_HOG, asks(VICTIM, "b", 60, "1g", 10)]),
        "two users, preempting": made(
            [*_shares("a", minimum_user_limit_percent="50"), preempting, f'"{_WITHIN}enabled" = true'],
            [_HOG, asks(VICTIM, "a", 60, "1g", 4)],
        ),
        "above the guarantee": made(
            [*_shares("a", "b", "c", "d"), preempting, _MASTERS], [hog, own, asks(VICTIM, "b", 60, "1g", 4)]
        ),
        "large ones, preempting": made(
            [*_shares("a", "b"), preempting, _MASTERS, f'"{_PREEMPTION}total_preemption_per_round" = 1.0'],
            [asks("hog", "a", 1, "1g", 28, user="bob"), asks(VICTIM, "b", 60, "4g", 2)],
        ),
        "one user, preempting": made(
            [*_shares("a"), preempting, _MASTERS, f'"{_WITHIN}enabled" = true', _PRIORITIES],
            [asks("hog", "a", 1, "1g", 32), job(VICTIM, "a", 60, 3, "priority = 5")],
        ),
    }


def _capacity_partitions(scheduler: str) -> dict[str, str]:
    made = partial(scene, scheduler)
    one, label = _shares("a"), ['"schedlab.node-labels" = "gpu"', '"yarn.node-labels.enabled" = true', _MASTERS]
    default, two = f'"{_C}root.a.default-node-label-expression" = "gpu"', asks(VICTIM, "a", 60, "1g", 2)
    whole = [*label, _in_gpu("root", "capacity", 100), _in_gpu("root.a", "capacity", 100)]
    half = [*label, _in_gpu("root", "capacity", 100), _in_gpu("root.a", "maximum-capacity", 50)]
    half += [_in_gpu(f"root.{name}", "capacity", 50) for name in "ab"]
    half += [f'"{_C}root.a.accessible-node-labels" = "gpu"']  # 2.7 counts nothing that any label stands for
    opened = f'"{_C}root.a.accessible-node-labels" = "*"'
    return {
        "a partition": made([*one, *whole], [two], _LABELS),
        "in a partition": made([*one, *whole, default], [two], _LABELS),
        "a full default": made([*one, *whole], [asks("on", "a", 1, "8g", 1), two], _LABELS),
        "no part of a partition": made([*one, *label, opened, default], [two], _LABELS),
        "half of a partition": made([*_shares("a", "b"), *half, default], [asks("on", "a", 1, "1g", 4), two], _LABELS),
    }


def _faults(scheduler: str, settings: Sequence[str], text: str = "") -> dict[str, str]:
    """What fails takes work with it, and what starts again takes it up; `text` is that of the queues."""
    late, failing = job(VICTIM, "a", 60, 3), 'do = "master_lost", application = "victim", at = "90s"'
    once, restart = '"yarn.resourcemanager.am.max-attempts" = 1', 'do = "rm_restart", at = "61s", down = 10'
    brief = asks("brief", "a", 1, "1g", 31, user="bob").replace('"1h"', '"150s"')
    restarts = (f'do = "node_manager_restart", node = "n{number}", at = "90s"' for number in range(1, 5))
    hanging = 'do = "master_lost", application = "wide", at = "30s", hangs = true'

    def made(apps: Sequence[str], *faults: str, more: Sequence[str] = ()) -> str:
        listed = ", ".join(f"{{ {each} }}" for each in faults)
        return scene(scheduler, [*settings, *more], apps, top=f"{text}\nfaults = [{listed}]")

    return {
        "a failing master": made([brief, late], failing, more=[once]),
        "one attempt of its own": made([brief, job(VICTIM, "a", 60, 3, "max_attempts = 1")], failing),
        "a restart": made([late], restart),
        "a restart, recovered": made([late], restart, more=['"yarn.resourcemanager.recovery.enabled" = true']),
        "restarted nodes": made([brief, late], *restarts, more=[once]),
        "a hung master": made([_WIDE, asks(VICTIM, "a", 60, "1g", 4, user="carl")], hanging, more=[once]),
    }


def _in_gpu(path: str, key: str, value: int) -> str:
    return f'"{_C}{path}.accessible-node-labels.gpu.{key}" = {value}'


def _capacity_places(scheduler: str) -> dict[str, str]:
    made = partial(scene, scheduler)
    one = _shares("a")
    local = ', hosts = ["n1"]'
    on, strict = asks("on", "a", 1, "8g", 1, local), f"{local}, relax = false"
    drf = f'"{_C}resource-calculator" = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"'
    cores = asks("on", "a", 1, "1g", 8, ", vcores = 4")
    closed = [f'"{_C}root.acl_{right}" = " "' for right in ("submit_applications", "administer_queue")]
    access = ['"yarn.acl.enable" = true', '"yarn.admin.acl" = "root"', *closed]
    brief = asks("brief", "b", 1, "8g", 1, f"{local}, relax = false").replace('"1h"', '"100s"')
    most, large = '"yarn.scheduler.maximum-allocation-vcores"', '"yarn.scheduler.maximum-allocation-mb" = 16384'
    return {
        "a place": made(one, [on, asks(VICTIM, "a", 60, "1g", 20, local)]),
        "a busy place": made(
            [*one, _MASTERS, f'"{_C}node-locality-delay" = 40'],
            [asks("on", "a", 1, "8g", 8, local), asks(VICTIM, "a", 60, "1g", 100, local)],
            _NODES.replace('memory = "8g", vcores = 8', 'memory = "64g", vcores = 64'),
        ),
        "too many vcores": made(
            [*one, f"{most} = 8"],
            [asks(VICTIM, "a", 60, "1g", 1, ", vcores = 10")],
            _NODES.replace("vcores = 8", "vcores = 16"),
        ),
        "rounded vcores": made(
            [*one, _MASTERS, drf, f"{most} = 8", '"yarn.scheduler.minimum-allocation-vcores" = 8'],
            [asks("on", "a", 1, "1g", 4), asks(VICTIM, "a", 60, "1g", 2)],
        ),
        "a reservation elsewhere": made(
            [*_shares("a", "b", maximum_capacity="50"), _MASTERS],
            [brief, asks("small", "a", 2, "2g", 4), asks("long", "b", 5, "2g", 4), asks(VICTIM, "a", 60, "6g", 1)],
        ),
        "a reserved place": made(
            [*one, _MASTERS], [*_LARGE_ONE_BEHIND, asks(VICTIM, "a", 60, "1g", 2, ', hosts = ["n4"], relax = false')]
        ),
        "a strict place": made(one, [on, asks(VICTIM, "a", 60, "1g", 2, strict)]),
        "not let in": made([*one, *access], [job(VICTIM, "a", 60, 3)]),
        "too large": made([*one, large], [asks(VICTIM, "a", 60, "10g", 1)]),
        "vcores": made([*one, drf], [cores, asks(VICTIM, "a", 60, "1g", 2, ", vcores = 4")]),
    }


_HOG: Final = asks("hog", "a", 1, "1g", 32, user="bob")
_LONG: Final = job("long", "a", 1, 400, user="bob")
_PREEMPTION: Final = "yarn.resourcemanager.monitor.capacity.preemption."
_WITHIN: Final = f"{_PREEMPTION}intra-queue-preemption."
_MASTERS: Final = f'"{_C}maximum-am-resource-percent" = 0.5'
_PRIORITIES: Final = '"yarn.cluster.max-application-priority" = 10'
_LARGE: Final = 'nodes = [{ host = "n1", memory = "256g", vcores = 256 }]'
_REDUCES: Final = job(
    "long", "a", 1, 8, 'map_durations = ["10s", "1h"]\nreduces = 30\nreduce_duration = "1h"\nslow_start = 0.05', "bob"
)
_CROWD: Final = [job(f"crowd{number}", "a", 1, 2).replace('"5m"', '"10s"') for number in range(1, 41)]
_STREAM: Final = asks("stream", "a", 1, "3g", 400, user="bob").replace('"1h"', '["3m", "20m"]')
_LARGE_ONE_BEHIND: Final = [asks("small", "a", 1, "3g", 7), asks("large", "a", 30, "6g", 1)]
_SIZE_BASED: Final = "ordering-policy.fair.enable-size-based-weight"
_ENDLESS: Final = asks("long", "a", 1, "1g", 4000, user="bob").replace('"1h"', '"40s"')
_GANGS: Final = [
    asks(name, "a", at, "1g", 16)
    .replace('am = "unmanaged"', 'am = "unmanaged"\nwaits = true')
    .replace('duration = "1h" }', 'duration = "1m" }, { memory = "1g", count = 4, at = "30s", duration = "1m" }')
    for at, name in enumerate(("one", "other"), 1)
]
"""Two that keep what they have until they have all, which they never have together."""
_CACHES: Final = shell("shell", "a", "30s", "true")
_WIDE: Final = spark("wide", "a", 1, executors=31)
_LATE: Final = job(VICTIM, "a", 60, 2).replace('"5m"', '"10s"')


def top(text: str) -> str:
    return f"allocations = '<allocations>{text}</allocations>'"


def queue(name: str, text: str = "") -> str:
    return f'<queue name="{name}">{text}</queue>'


_STARVES: Final = "<fairSharePreemptionTimeout>10</fairSharePreemptionTimeout>"
_CHILDREN: Final = '<queue name="p" type="parent"><maxChildResources>4096 mb, 4 vcores</maxChildResources></queue>'


def _fair(scheduler: str) -> dict[str, str]:
    made = partial(scene, scheduler, top=top(queue("a")))
    masters = [spark(f"other{number}", "a", number, "2g") for number in range(1, 6)]
    every = ['"yarn.scheduler.fair.reservable-nodes" = 1.0'] if scheduler == "fair-3.4" else []
    small = [asks("small", "a", 1, "3g", 7), asks("large", "a", 30, "6g", 2)]
    return {
        **_fair_queues(scheduler),
        "a large node": made([], [asks(VICTIM, "a", 60, "1g", 240)], _LARGE),
        **_fair_shells(scheduler),
        **_faults(scheduler, [], top(queue("a"))),
        **{name: made([], apps) for name, apps in keepers("a").items()},
        "sizes count": made(
            ['"yarn.scheduler.fair.sizebasedweight" = true'], [_ENDLESS, asks(VICTIM, "a", 60, "1g", 16)]
        ),
        "rounded up": made(
            ['"yarn.scheduler.minimum-allocation-mb" = 4096'],
            [asks("on", "a", 1, "1g", 8, user="bob"), asks(VICTIM, "a", 60, "1g", 2)],
        ),
        "too many vcores": made(
            ['"yarn.scheduler.maximum-allocation-vcores" = 8'],
            [asks(VICTIM, "a", 60, "1g", 1, ", vcores = 10")],
            _NODES.replace("vcores = 8", "vcores = 16"),
        ),
        "gangs": made([], [*_GANGS, asks(VICTIM, "a", 60, "1g", 4)]),
        "many masters": made([], [*_CROWD, _LATE], top=top(queue("a", "<maxAMShare>-1.0</maxAMShare>"))),
        "jobs from the start": made([], [job("long", "a", 1, 400, user="bob"), job(VICTIM, "a", 2, 20)]),
        "early reduces": made([], [_REDUCES, asks(VICTIM, "a", 90, "1g", 1)]),
        "no queue": made(
            [],
            [asks("first", "root.default", 1, "1g", 1), job(VICTIM, "", 60, 3)],
            top=top(queue("default", "<maxRunningApps>1</maxRunningApps>")),
        ),
        "masters": made([], [*masters, spark(VICTIM, "a", 60)]),
        "masters fill their share": made(
            [], [*masters, spark(VICTIM, "a", 60)], top=top(queue("a", "<maxAMShare>0.25</maxAMShare>"))
        ),
        "alone": made([], [asks(VICTIM, "a", 1, "1g", 20)]),
        "two users": made([], [_HOG, asks(VICTIM, "a", 60, "1g", 4)]),
        "jobs": made([], [job("long", "a", 1, 400, user="bob"), job(VICTIM, "a", 60, 20)]),
        **_fair_places(scheduler),
        "a small one behind": made(every, [*small, asks(VICTIM, "a", 60, "2g", 1)]),
        "a large one among small ones": made([], [_STREAM, asks(VICTIM, "a", 60, "6g", 1)]),
    }


def _fair_queues(scheduler: str) -> dict[str, str]:
    """Queues whose shares, limits and preemption decide."""
    preempts, least = ['"yarn.scheduler.fair.preemption" = true'], "<minResources>8192 mb, 8 vcores</minResources>"
    timed = "<minSharePreemptionTimeout>10</minSharePreemptionTimeout>"
    part = [asks("own", "b", 20, "1g", 10), asks("more", "a", 40, "1g", 32, user="bob")]
    starts = {count: asks(VICTIM, "b", 60, "1g", count) for count in (4, 6, 8, 10)}
    large, in_a = (
        [asks("hog", "a", 1, "6g", 4, user="bob"), asks(VICTIM, "b", 60, "6g", 2)],
        asks(VICTIM, "a", 60, "1g", 4),
    )
    behind = [job("long", "a", 1, 400, user="bob"), job(VICTIM, "b", 60, 20)]
    most, kept = "<maxResources>16384 mb, 16 vcores</maxResources>", "<allowPreemptionFrom>false</allowPreemptionFrom>"
    children = [asks(name, "root.p.x", at, "1g", 4) for name, at in (("one", 1), (VICTIM, 60))]

    def made(apps: Sequence[str], a: str, b: str, settings: Sequence[str] = ()) -> str:
        return scene(scheduler, settings, apps, top=top(queue("a", a) + queue("b", b)))

    return {
        "two queues, a part": made([_HOG.replace("32", "22"), *part, starts[6]], "", _STARVES, preempts),
        "two queues, half full": made(large, "", _STARVES, preempts),
        "two queues": made([_HOG, starts[10]], "", least),
        "two queues, preempting": made([_HOG, starts[10]], "", least, preempts),
        "two queues, in time": made([_HOG, starts[8]], "", least + timed, preempts),
        "two users, preempting": made([_HOG, in_a], _STARVES, "", preempts),
        "kept from preemption": made([_HOG, starts[8]], kept, _STARVES, preempts),
        "jobs of two queues": made(behind, "", ""),
        "behind a minimum": made(behind, "<minResources>32768 mb, 32 vcores</minResources>", ""),
        "no weight": made([_HOG, starts[4]], "", "<weight>0.0</weight>"),
        "a full queue": made([_HOG.replace("32", "16"), in_a], most, ""),
        "queues of users": scene(scheduler, [], children, top=top(_CHILDREN)),
    }


def _fair_shells(scheduler: str) -> dict[str, str]:
    """Those that keep what they do not use."""
    made = partial(scene, scheduler, top=top(queue("a")))
    carls = asks(VICTIM, "a", 90, "2g", 4, user="carl")
    wide = [_WIDE, asks(VICTIM, "a", 90, "1g", 4, user="carl")]
    return {
        "one who shrinks": made([], [shell("shell", "a"), carls]),
        "one who caches": made([], [_CACHES, carls]),
        "a wide shell": made([], wide),
    }


def _fair_places(scheduler: str) -> dict[str, str]:
    made = partial(scene, scheduler, top=top(queue("a")))
    local = ', hosts = ["n1"]'
    strict = f"{local}, relax = false"
    on = asks("on", "a", 1, "8g", 1, strict)
    return {
        "a place": made([], [on, asks(VICTIM, "a", 60, "1g", 20, local)]),
        "a strict place": made([], [on, asks(VICTIM, "a", 60, "1g", 2, strict)]),
        "refused": made(
            [],
            [job(VICTIM, "zz", 60, 3)],
            top=top(
                queue("a")
                + '<queuePlacementPolicy><rule name="specified"/><rule name="reject"/></queuePlacementPolicy>'
            ),
        ),
        "not let in": made(
            ['"yarn.acl.enable" = true', '"yarn.admin.acl" = "root"'],
            [job(VICTIM, "a", 60, 3)],
            top=top(
                '<queue name="root"><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>'
                '<queue name="a"><aclSubmitApps>bob</aclSubmitApps></queue></queue>'
            ),
        ),
        "too large": made(['"yarn.scheduler.maximum-allocation-mb" = 16384'], [asks(VICTIM, "a", 60, "10g", 1)]),
        "vcores": made(
            [], [asks("on", "a", 1, "1g", 4, ", vcores = 8"), asks(VICTIM, "a", 60, "1g", 2, ", vcores = 4")]
        ),
    }


def _spark(scheduler: str) -> dict[str, str]:
    made = partial(scene, scheduler)
    workers = 'groups = [{ prefix = "w", count = 4, memory = "8g", vcores = 8 }]'
    stages = 'stages = [{ tasks = 8, duration = "30s" }]'
    driver = 'cores_max = 4\nexecutor_cores = 2\ndriver = { memory = "1g", vcores = 1 }\n' + stages
    crowd = [standalone(f"other{number}", number, driver) for number in range(1, 33)]
    shell, thin = (
        standalone("shell", 1, ""),
        standalone("thin", 1, 'cores_max = 4\nexecutor_cores = 1\nexecutor_memory = "3g"'),
    )
    return {
        "a shell": made([], [shell, standalone(VICTIM, 60, f"cores_max = 4\n{stages}")], workers),
        "drivers": made([], [*crowd, standalone(VICTIM, 60, driver)], workers),
        "thin ones": made(
            [],
            [thin, standalone(VICTIM, 60, f'cores_max = 4\nexecutor_cores = 4\nexecutor_memory = "6g"\n{stages}')],
            workers,
        ),
        "too large": made([], [standalone(VICTIM, 60, f'executor_memory = "12g"\n{stages}')], workers),
        "too many cores": made([], [standalone(VICTIM, 60, f"executor_cores = 16\n{stages}")], workers),
        "a small maximum": made([], [standalone(VICTIM, 60, f"cores_max = 2\nexecutor_cores = 4\n{stages}")], workers),
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
    made = partial(scene, scheduler)
    nodes = 'groups = [{ prefix = "n", count = 2, memory = "8g", vcores = 8 }]'
    slots = ['"mapred.tasktracker.map.tasks.maximum" = 2', '"mapred.tasktracker.reduce.tasks.maximum" = 1']
    queues = ["mapred.queue.names", "mapred.capacity-scheduler.queue"]
    if scheduler == "mr1-capacity":
        slots += [f'"{queues[0]}" = "a,b"', f'"{queues[1]}.a.capacity" = 50', f'"{queues[1]}.b.capacity" = 50']
    reduces = 'reduces = 2\nreduce_duration = "2m"\nslow_start = 0.05'
    short = 'reduces = 1\nreduce_duration = "10s"\nslow_start = 0.05'
    return {
        "one pool": made(slots, [job("long", "a", 1, 8, user="bob"), job(VICTIM, "a", 60, 2)], nodes),
        "one user": made(slots, [job("long", "a", 1, 4), job(VICTIM, "a", 60, 2)], nodes),
        "two pools": made(slots, [job("long", "a", 1, 8, user="bob"), job(VICTIM, "b", 60, 2)], nodes),
        "reduces": made(slots, [job("long", "a", 1, 12, reduces, "bob"), job(VICTIM, "a", 20, 1, short)], nodes),
        "reduces, first": made(
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
    others = [job(name, "a", 1, 100, user=name).replace('"5m"', '"1m"') for name in ("bob", "carl", "dave")]
    return {
        "first of many users": scene(
            scheduler, [*slots, wide, first], [*others, job(VICTIM, "a", 50, 3, "priority = 4")], nodes
        ),
        "reduces of two queues": scene(
            scheduler, [*slots, wide], [job("long", "a", 1, 12, reduces, "bob"), job(VICTIM, "b", 20, 1, short)], nodes
        ),
        "a job behind, with a priority": scene(
            scheduler, [*slots, wide, first], [crowd, job(VICTIM, "a", 60, 4, "priority = 4")], nodes
        ),
        "a job behind, priorities": scene(scheduler, [*slots, wide, first], [crowd, job(VICTIM, "a", 60, 2)], nodes),
    }


def _pools(scheduler: str, slots: Sequence[str], nodes: str) -> dict[str, str]:
    made = partial(scene, scheduler)
    least = "<minMaps>2</minMaps><minSharePreemptionTimeout>5</minSharePreemptionTimeout>"
    pools = f"allocations = '<allocations><pool name=\"b\">{least}</pool></allocations>'"
    preempting, wide = '"mapred.fairscheduler.preemption" = true', '"mapred.tasktracker.map.tasks.maximum" = 64'
    long, held = job("long", "a", 1, 8, user="bob"), 'blocks = [["n1"]]'
    crowd = job("long", "a", 1, 400, user="bob").replace('"5m"', '"1m"')
    late = 'reduces = 2\nreduce_duration = "5m"'
    many = job("many", "a", 1, 1, 'reduces = 100\nreduce_duration = "1m"', "bob").replace('"5m"', '"5s"')
    return {
        "two pools, preempting": made([*slots, preempting], [long, job(VICTIM, "b", 60, 2)], nodes, pools),
        "many in a pool": made(slots, [crowd, job(VICTIM, "a", 60, 40)], nodes),
        "a small one in a pool": made(slots, [crowd, job(VICTIM, "a", 60, 2)], nodes),
        "reduces alone": made(slots, [job(VICTIM, "a", 1, 1, late).replace('"5m"', '"5s"', 1)], nodes),
        "reduces of two pools": made(slots, [many, job(VICTIM, "b", 60, 1, late).replace('"5m"', '"5s"', 1)], nodes),
        "wide trackers": made([wide], [job(VICTIM, "a", 60, 100)], nodes),
        "a place": made(
            [*slots, '"mapred.fairscheduler.locality.delay" = 0'],
            [job("on", "a", 1, 2, held, "bob"), job(VICTIM, "a", 20, 2, held)],
            nodes,
        ),
        "jobs from the start": made(
            [slots[0].replace("= 2", "= 12")], [job("long", "a", 1, 400, user="bob"), job(VICTIM, "a", 2, 20)], nodes
        ),
    }
