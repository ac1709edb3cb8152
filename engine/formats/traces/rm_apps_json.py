"""The answer of a ResourceManager to `/ws/v1/cluster/apps` or `/apps/ID`: every application it knows, as JSON.

That of a timeline server to `/ws/v1/applicationhistory/apps` is alike; it calls some fields otherwise.

What ran is known only as sums over the application's life, and of one that runs as what it holds; `summarised` makes
containers of them, and serves the ApplicationSummary lines of a log, too.

Source: AppInfo of both servers, Hadoop 2.4 to 3.4.
"""

from collections.abc import Iterator
from typing import Any, Final

from engine.formats.traces.application import TraceApplication, TraceTasks, whole, words
from engine.formats.traces.json_shape import shape_of
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource
from engine.formats.traces.sums import RULE, ApplicationSums, containers_of

LIST_DEPTH: Final = 3
"""How deep an application of the list is: `{"apps": {"app": [{`."""
SINGLE_DEPTH: Final = 2
"""How deep that of `/apps/ID` or of a timeline server is: `{"app": {`, `{"app": [{`."""
HISTORY: Final = {
    "appId": "id",
    "type": "applicationType",
    "appState": "state",
    "finalAppStatus": "finalStatus",
    "submittedTime": "startedTime",
}
"""Field of a timeline server → of a ResourceManager."""
SUMS: Final = frozenset({"memorySeconds", "vcoreSeconds"})
"""Fields of Hadoop 2.4 and later."""
BY_TIME: Final = "one container beside the master for the elapsed time, since there is no vcoreSeconds"
HELD: Final = ("held_mb", "held_vcores", "held_containers")
STILL_RUNNING: Final = "duration of what still ran: as long as it had run when it was asked for"


def read_apps_json(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of an answer, in its order."""
    is_list = "apps" in shape_of(source.head).top
    for line, fields in source.objects(LIST_DEPTH if is_list else SINGLE_DEPTH):
        if "appId" in fields:
            fields |= {HISTORY[name]: value for name, value in fields.items() if name in HISTORY}
        if "id" not in fields:
            continue  # resource requests and the like are as deep
        started_ms = whole(fields.get("startedTime"))
        if started_ms is None:
            source.fault("an application has a startedTime", line)
            continue
        ended_ms = whole(fields.get("finishedTime"), 1)
        elapsed_ms = whole(fields.get("elapsedTime")) or 0
        yield summarised(
            {
                "id": fields["id"],
                "name": fields.get("name"),
                "user": fields.get("user"),
                "queue": fields.get("queue"),
                "type": fields.get("applicationType"),
                "state": fields.get("finalStatus") if ended_ms else fields.get("state"),
                "launch_ms": fields.get("launchTime"),
                "memory_seconds": fields.get("memorySeconds"),
                "vcore_seconds": fields.get("vcoreSeconds"),
                "held_mb": fields.get("allocatedMB"),
                "held_vcores": fields.get("allocatedVCores"),
                "held_containers": fields.get("runningContainers"),
            },
            started_ms,
            ended_ms,
            rules,
            elapsed_ms=elapsed_ms,
            has_sums=SUMS & fields.keys() != set(),
        )


def summarised(
    fields: dict[str, Any],
    started_ms: int,
    ended_ms: int | None,
    rules: MappingRules,
    *,
    elapsed_ms: int = 0,
    has_sums: bool = True,
) -> TraceApplication:
    """An application of which the sums over its life are known.

    Args:
        fields: id, name, user, queue, type, state, launch_ms, memory_seconds, vcore_seconds, and where it runs
            held_mb, held_vcores, held_containers.
        started_ms: When it was submitted [epoch ms].
        ended_ms: When it ended; None while it runs.
        elapsed_ms: How long it had run where it had not ended.
        has_sums: Whether the sums would be there if it had run; else it is one container for as long as it ran.
    """
    inferred: dict[str, str] = {}
    launched_ms = whole(fields.get("launch_ms"), 1)
    begin_ms = started_ms if launched_ms is None else launched_ms
    if ended_ms is None:
        inferred["duration"] = STILL_RUNNING
    run_ms = ended_ms - begin_ms if ended_ms is not None else elapsed_ms - (begin_ms - started_ms)
    found = containers_of(
        ApplicationSums(
            whole(fields.get("memory_seconds")) or 0,
            whole(fields.get("vcore_seconds")) or 0,
            run_ms / 1000,
            *(whole(fields.get(name)) or 0 for name in HELD if ended_ms is None),
        )
    )
    tasks: tuple[TraceTasks, ...] = ()
    if found is not None:
        tasks = found.tasks
        inferred |= {"containers": RULE} | ({"sums": found.off} if found.off else {})
    elif not has_sums and run_ms > 0:
        inferred |= {"containers": BY_TIME, "memory and vcores": rules.size_rule}
        tasks = (TraceTasks("container", 1, (run_ms,)),)
    return TraceApplication(
        id=words(fields.get("id")),
        name=words(fields.get("name")),
        submitted_ms=started_ms,
        finished_ms=ended_ms,
        tasks=tasks,
        user=words(fields.get("user")) or None,
        queue=words(fields.get("queue")) or None,
        type=words(fields.get("type")),
        state=words(fields.get("state")),
        master=None if found is None else found.master,
        master_ms=None if found is None else found.master_ms,
        is_granted=found is not None,
        inferred=inferred,
    )
