"""`/apps` and `/apps/{id}`.

Source: AppInfo, RMAppImpl, Hadoop 2.7.2 and 3.4.1. Differs: an application master's progress is not simulated and is
0 until its end; real ones say more of why an application is ACCEPTED.

Source: RMWebServices#getApps, ApplicationsRequestBuilder, ClientRMService#getApplications, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from engine.model.identity import application_name, container_name
from engine.model.ledger import Application, Attempt
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.model.request import MEMORY_MB, VCORES, ResourceRequest, full_name, is_under
from engine.observe.documents import Document
from engine.serve.served import (
    MASTER_PORT,
    NODE_HTTP_PORT,
    PastApplication,
    PastAttempt,
    PreemptedContainer,
    ServedCluster,
)
from engine.serve.wire import (
    INT_MAX,
    LONG_MAX,
    Field,
    Refused,
    RestError,
    Table,
    amount,
    bad_number,
    bad_request,
    constant,
    entries,
    illegal_argument,
    invalid_id,
    java_number,
    not_a_number,
    not_found,
    single,
    written,
)

_FINAL: Final = {"FINISHED": "SUCCEEDED", "FAILED": "FAILED", "KILLED": "KILLED"}
_LIFETIME: Final = {"timeout": [{"type": "LIFETIME", "expiryTime": "UNLIMITED", "remainingTimeInSeconds": -1}]}

DESELECTED: Final = {
    "resourceRequests": "resourceRequests",
    "resouceRequests": "resourceRequests",
    "timeouts": "timeouts",
    "amNodeLabelExpression": "amNodeLabelExpression",
    "appNodeLabelExpression": "appNodeLabelExpression",
    "resourceInfo": "resourceInfo",
}  # Name of a field in `deSelects` of 3.4.1 → the field. Source: DeSelectFields.


class AppFacts(NamedTuple):
    app: Application
    served: ServedCluster
    past: PastApplication

    @property
    def is_over(self) -> bool:
        return self.app.state in FINAL_APPLICATION_STATES

    @property
    def attempt(self) -> Attempt | None:
        return self.app.attempt

    @property
    def last(self) -> PastAttempt | None:
        return self.past.attempts[-1] if self.past.attempts else None

    @property
    def master(self) -> PastAttempt | None:
        last = self.last
        return last if last is not None and last.first is not None and self.app.am is not None else None

    @property
    def id(self) -> str:
        return application_name(self.served.cluster.cluster_timestamp, self.app.number)


def final_status(app: Application) -> str:
    return _FINAL.get(app.state, "UNDEFINED")


def elapsed_ms(facts: AppFacts) -> int:
    """Time from its submission to its end, or to now while it lives [ms]."""
    until_ms = facts.app.finished_ms if facts.app.finished_ms is not None else facts.served.now_ms
    return until_ms - facts.app.submitted_ms


def held_seconds(facts: AppFacts) -> tuple[int, int]:
    """MB-seconds and vcore-seconds of all its containers so far."""
    memory, vcores = facts.app.memory_mb_ms, facts.app.vcore_ms
    for each in facts.attempt.live.values() if facts.attempt is not None else ():
        held_ms = facts.served.now_ms - each.created_ms
        memory += each.memory_mb * held_ms
        vcores += each.vcores * held_ms
    return memory // 1000, vcores // 1000


def logs_link(facts: AppFacts, attempt: PastAttempt) -> str:
    if attempt.first is None:
        return ""
    name = container_name(facts.served.cluster.cluster_timestamp, attempt.first)
    return f"http://{http_address(attempt.node)}/node/containerlogs/{name}/{facts.app.user}"


def http_address(node_id: str) -> str:
    """Address of a node's web page, without the scheme; empty for no node."""
    return f"{node_id.partition(':')[0]}:{NODE_HTTP_PORT}" if node_id else ""


def tracking_url(facts: AppFacts) -> str | None:
    """Link to follow it; None until its master has registered."""
    base = f"http://{facts.served.address}"
    if facts.app.state in {"RUNNING", "FINISHED"}:
        return f"{base}/proxy/{facts.id}/"
    return f"{base}/cluster/app/{facts.id}" if facts.is_over and facts.last is not None else None


def priority_of(app: Application) -> int:
    """The priority an application has, which an operator may have changed. Source: RMAppManager, Hadoop 3.4.1."""
    return app.priority if app.changed_priority is None else app.changed_priority


def _tracking_ui(facts: AppFacts) -> str:
    if tracking_url(facts) is None:
        return "UNASSIGNED"
    return "History" if facts.is_over else "ApplicationMaster"


def _progress(facts: AppFacts) -> float:
    return 100.0 if facts.is_over and (facts.app.state == "FINISHED" or facts.master is not None) else 0.0


def _of_attempt(read: Callable[[Attempt], int]) -> Callable[[AppFacts], int]:
    """A figure of the attempt that lives; -1 of one that has ended, 0 where there never was one."""

    def figure(facts: AppFacts) -> int:
        if facts.attempt is not None:
            return read(facts.attempt)
        return 0 if facts.last is None else -1

    return figure


def _of_master(read: Callable[[AppFacts, PastAttempt], str]) -> Callable[[AppFacts], str | None]:
    return lambda facts: None if facts.master is None else read(facts, facts.master)


def _rpc_address(facts: AppFacts) -> str | None:
    has_registered = facts.app.state in {"RUNNING", "FINISHED"} and facts.master is not None
    return f"{facts.master.node.partition(':')[0]}:{MASTER_PORT}" if has_registered and facts.master else None


def _share(of_queue: bool) -> Callable[[AppFacts], float]:
    def percent(facts: AppFacts) -> float:
        if facts.attempt is None:
            return 0.0
        part = facts.served.cluster.total_memory_mb
        if of_queue:
            part = int(getattr(facts.attempt.queue, "fair_memory_mb", part))  # where the policy counts a share
        return single(facts.attempt.used_memory_mb * 100 / part) if part > 0 else 0.0

    return percent


def _preempted(read: Callable[[PreemptedContainer], int], *, of_masters: bool | None = None) -> Callable[..., int]:
    def total(facts: AppFacts) -> int:
        masters = {each.first for each in facts.past.attempts}
        chosen = (each for each in facts.past.preempted if of_masters is None or (each.id in masters) == of_masters)
        return sum(map(read, chosen))

    return total


def _preempted_seconds(facts: AppFacts) -> tuple[int, int]:
    taken = facts.past.preempted
    memory, vcores = sum(one.memory_mb * one.held_ms for one in taken), sum(one.vcores * one.held_ms for one in taken)
    return memory // 1000, vcores // 1000


def _by_type(memory: int, vcores: int) -> Document:
    return entries([(MEMORY_MB, str(memory)), (VCORES, str(vcores))])


def _requests(facts: AppFacts) -> list[Document] | None:
    if facts.attempt is None:
        return None
    everything = [
        request
        for priority in facts.attempt.priorities
        for request in facts.attempt.groups[priority].by_name.values()
        if request.count > 0 or not facts.served.release.is_34
    ]
    one = _request_34 if facts.served.release.is_34 else _request_27
    return [one(facts, each) for each in everything] or None


def _request_27(facts: AppFacts, request: ResourceRequest) -> Document:
    return {
        "capability": {"memory": request.memory_mb, "virtualCores": request.vcores},
        "nodeLabelExpression": request.partition,
        "numContainers": request.count,
        "priority": {"priority": request.priority},
        "relaxLocality": request.relax_locality,
        "resourceName": request.resource_name,
    }


def _request_34(facts: AppFacts, request: ResourceRequest) -> Document:
    return {
        "priority": request.priority,
        "allocationRequestId": request.allocation_id,
        "resourceName": request.resource_name,
        "capability": amount(facts.served.release, request.memory_mb, request.vcores),
        "numContainers": request.count,
        "relaxLocality": request.relax_locality,
        "nodeLabelExpression": request.partition,
        "executionTypeRequest": {"executionType": "GUARANTEED", "enforceExecutionType": False},
    }


def _resource_info(facts: AppFacts) -> Document | None:
    attempt, release = facts.attempt, facts.served.release
    if attempt is None or facts.served.scheduler_kind != "capacity":
        return None
    asks = [one.anywhere for one in attempt.groups.values() if one.anywhere is not None and one.anywhere.count > 0]
    pending = (sum(one.memory_mb * one.count for one in asks), sum(one.vcores * one.count for one in asks))
    master = attempt.live.get(attempt.master) if attempt.master is not None else None
    am = (master.memory_mb, master.vcores) if master is not None else (0, 0)
    usage = {
        "partitionName": facts.app.partition,
        "used": amount(release, attempt.used_memory_mb, attempt.used_vcores),
        "reserved": amount(release, attempt.reserved_memory_mb, attempt.reserved_vcores),
        "pending": amount(release, *pending),
        "amUsed": amount(release, *am),
        "amLimit": amount(release, 0, 0),
        "userAmLimit": amount(release, 0, 0),
    }
    return {"resourceUsagesByPartition": [usage]}


def queue_name(facts: AppFacts) -> str:
    """The queue as a client knows it: CapacityScheduler of 2.7.2 names a leaf by its last part."""
    app = facts.app
    return facts.served.view.policy.queue_name(app.queue) if "." in app.queue else app.queue


APP: Final[Table[AppFacts]] = (
    Field("id", attrgetter("id")),
    Field("user", attrgetter("app.user")),
    Field("name", attrgetter("app.name")),
    Field("queue", queue_name),
    Field("state", attrgetter("app.state")),
    Field("finalStatus", lambda facts: final_status(facts.app)),
    Field("progress", _progress),
    Field("trackingUI", _tracking_ui),
    Field("trackingUrl", tracking_url),
    Field("diagnostics", attrgetter("app.diagnostics")),
    Field("clusterId", attrgetter("served.cluster.cluster_timestamp")),
    Field("applicationType", attrgetter("app.type")),
    Field("applicationTags", lambda facts: ",".join(facts.app.tags)),
    Field("priority", lambda facts: priority_of(facts.app), since_34=True),
    Field("startedTime", attrgetter("app.submitted_ms")),
    Field("launchTime", lambda facts: facts.master.launched_ms if facts.master is not None else 0, since_34=True),
    Field("finishedTime", lambda facts: facts.app.finished_ms or 0),
    Field("elapsedTime", elapsed_ms),
    Field("amContainerLogs", _of_master(logs_link)),
    Field("amHostHttpAddress", _of_master(lambda facts, one: http_address(one.node))),
    Field("amRPCAddress", _rpc_address, since_34=True),
    Field("masterNodeId", lambda facts: facts.master.node if facts.master is not None else "", since_34=True),
    Field("allocatedMB", _of_attempt(attrgetter("used_memory_mb"))),
    Field("allocatedVCores", _of_attempt(attrgetter("used_vcores"))),
    Field("reservedMB", _of_attempt(attrgetter("reserved_memory_mb")), since_34=True),
    Field("reservedVCores", _of_attempt(attrgetter("reserved_vcores")), since_34=True),
    Field("runningContainers", _of_attempt(lambda attempt: len(attempt.live))),
    Field("memorySeconds", lambda facts: held_seconds(facts)[0]),
    Field("vcoreSeconds", lambda facts: held_seconds(facts)[1]),
    Field("queueUsagePercentage", _share(of_queue=True), since_34=True),
    Field("clusterUsagePercentage", _share(of_queue=False), since_34=True),
    Field(
        "resourceSecondsMap", lambda facts: {} if facts.last is None else _by_type(*held_seconds(facts)), since_34=True
    ),
    Field("preemptedResourceMB", _preempted(attrgetter("memory_mb"))),
    Field("preemptedResourceVCores", _preempted(attrgetter("vcores"))),
    Field("numNonAMContainerPreempted", _preempted(constant(1), of_masters=False)),
    Field("numAMContainerPreempted", _preempted(constant(1), of_masters=True)),
    Field("preemptedMemorySeconds", lambda facts: _preempted_seconds(facts)[0], since_34=True),
    Field("preemptedVcoreSeconds", lambda facts: _preempted_seconds(facts)[1], since_34=True),
    Field(
        "preemptedResourceSecondsMap",
        lambda facts: _by_type(*_preempted_seconds(facts)) if facts.past.preempted else {},
        since_34=True,
    ),
    Field("resourceRequests", _requests),
    Field("logAggregationStatus", constant("DISABLED"), since_34=True),
    Field("unmanagedApplication", lambda facts: facts.app.am is None, since_34=True),
    Field("appNodeLabelExpression", lambda facts: facts.app.partition or None, since_34=True),
    Field(
        "amNodeLabelExpression",
        lambda facts: None if facts.app.am is None or facts.last is None else facts.app.partition,
        since_34=True,
    ),
    Field("resourceInfo", _resource_info, since_34=True),
    Field("timeouts", constant(_LIFETIME), since_34=True),
)


def facts_of(served: ServedCluster, app: Application) -> AppFacts:
    return AppFacts(app, served, served.past.of(app.number))


def app_documents(served: ServedCluster, found: Collection[Application], skipped: Collection[str] = ()) -> Document:
    table = [field for field in APP if field.name not in skipped]
    rows = [written(table, facts_of(served, each), served.release) for each in found]
    return {"app": rows} if rows else {}


def app_document(served: ServedCluster, app: Application, skipped: Collection[str] = ()) -> Document:
    return written([field for field in APP if field.name not in skipped], facts_of(served, app), served.release)


def app_of_id(served: ServedCluster, text: str) -> Application:
    """The application of an id. Raises RestError if it is no id, or there is no such application."""
    began_ms, place = _id_34(text) if served.release.is_34 else _id_27(text)
    app = served.application(place) if began_ms == served.cluster.cluster_timestamp else None
    if app is None:
        raise not_found(f"app with id: {text} not found")
    return app


def _id_27(text: str) -> tuple[int, int]:
    """Source: ConverterUtils#toApplicationId: any prefix will do, and what follows the number is not read."""
    parts = text.split("_")[1:3]
    for part, most in zip(parts, (LONG_MAX, INT_MAX), strict=False):
        if java_number(part, most) is None:
            raise not_a_number(part)
    if len(parts) < 2:
        raise RestError(Refused("java.util.NoSuchElementException", None))
    return int(parts[0]), int(parts[1])


def _id_34(text: str) -> tuple[int, int]:
    """Source: ApplicationId#fromString."""
    prefix, is_followed, rest = text.partition("_")
    if prefix != "application" or not is_followed:
        words = f"Invalid ApplicationId prefix: {text}. The valid ApplicationId should start with prefix application"
        raise invalid_id(words)
    timestamp, _, number = rest.partition("_")
    began_ms, place = java_number(timestamp), java_number(number, INT_MAX)
    if began_ms is None or place is None:
        raise invalid_id(f"Invalid ApplicationId: {text}")
    return began_ms, place


def skipped_fields(deselects: Collection[str]) -> list[str]:
    names = [name for each in deselects for name in each.split(",")]
    return [DESELECTED[name] for name in names if name in DESELECTED]


# Chooses the applications of `/apps`, and counts those of `/appstatistics`.

STATES: Final = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED")
"""YarnApplicationState, in its order."""
FINAL_STATUSES: Final = ("UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED")

ANY_TYPE: Final = "*"
_COUNTED: Final = ("KILLED", "NEW_SAVING", "NEW", "ACCEPTED", "SUBMITTED", "FAILED", "RUNNING", "FINISHED")
"""States in the order of a recorded server; the order of its map differs from start to start."""

Query = Mapping[str, Sequence[str]]  # Every parameter of a question, with all its values

Check = Callable[[Application], bool]


def first(query: Query, name: str) -> str:
    return next(iter(query.get(name, ())), "")


def words(values: Iterable[str]) -> list[str]:
    """All words of values separated by commas, without blanks."""
    return [word.strip() for value in values for word in value.split(",") if word.strip()]


def state_names(values: Iterable[str]) -> list[str]:
    """Names of states in any case, as the releases know them. Raises RestError if there is no such state."""
    names = words(values)
    for name in names:
        if name.upper() not in STATES:
            known = ", ".join(STATES)
            raise bad_request(f"Invalid application-state {name} specified. It should be one of [{known}]")
    return [name.upper() for name in names]


def chosen(served: ServedCluster, query: Query) -> list[Application]:
    """The applications asked about, in the ResourceManager's order. Raises RestError if a parameter cannot be read."""
    limit = _number(query, "limit", LONG_MAX, "limit value must be greater then 0", least=1)
    checks = list(_checks(served, query))
    # Of a queue 2.7.2 asks the scheduler, which has them in order of submission.
    by_queue = first(query, "queue") and not served.release.is_34
    everyone = list(served.cluster.applications.values()) if by_queue else served.applications()
    found: list[Application] = []
    for app in everyone:
        if len(found) >= limit:
            break
        if all(check(app) for check in checks):
            found.append(app)
    status = first(query, "finalStatus")
    if status and found:
        if status not in FINAL_STATUSES:
            raise illegal_argument(
                f"No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus.{status}"
            )
        return [app for app in found if final_status(app) == status.upper()]  # after the limit, as the real one does
    return found


def _checks(served: ServedCluster, query: Query) -> Iterator[Check]:
    started = _range(query, "started", "started", "start")
    finished = _range(query, "finished", "finish", "finish")
    types = {each.lower() for each in words(query.get("applicationTypes", ()))}
    tags = {each.lower() for each in words(query.get("applicationTags", ()))}
    states = set(state_names((*query.get("states", ()), *query.get("state", ()))))
    queue, user, name = first(query, "queue"), first(query, "user"), first(query, "name")
    if started is not None:
        begin, end = started
        yield lambda app: begin <= app.submitted_ms <= end
    if finished is not None:
        begin_over, end_over = finished
        yield lambda app: begin_over <= (app.finished_ms or 0) <= end_over
    if types:
        yield lambda app: app.type.lower() in types
    if tags:
        yield lambda app: not tags.isdisjoint(tag.lower() for tag in app.tags)
    if states:
        yield lambda app: app.state in states
    if queue:
        yield _in_queue(served, queue)
    if user:
        yield lambda app: app.user == user
    if name and served.release.is_34:
        yield lambda app: app.name == name


def _in_queue(served: ServedCluster, name: str) -> Check:
    """The scheduler's applications in a queue or below it; 3.4.1 adds all, also ended ones, whose queue is called so.

    Source: ClientRMService#getApplications, #getRunningAppsFilteredByQueues, RMAppManager#getQueuePath.
    """
    path = _path_of(served, name)
    has_one = served.scheduler_kind == "fifo"  # which has everybody, whatever a client called it

    def is_scheduled(app: Application) -> bool:
        return app.attempt is not None and path is not None and (has_one or is_under(app.queue, path))

    if not served.release.is_34:
        return is_scheduled
    called = path if served.scheduler_kind == "capacity" and path is not None else name
    return lambda app: is_scheduled(app) or queue_name(facts_of(served, app)) == called


def _path_of(served: ServedCluster, name: str) -> str | None:
    """The path of the queue that the scheduler finds under a name; None where it finds none.

    Source: QueueManager#ensureRootPrefix, CapacityScheduler#getQueue, CSQueueStore#get, FifoScheduler#getAppsInQueue.
    """
    if served.scheduler_kind == "fair":
        return full_name(name)
    paths = [row.path for row in served.view.policy.queues()]
    if served.release.is_34 and served.scheduler_kind == "capacity" and name in paths:
        return name
    ends = [path for path in paths if path.rpartition(".")[2] == name]
    return ends[0] if len(ends) == 1 else None


def _range(query: Query, name: str, short: str, shortest: str) -> tuple[int, int] | None:
    """From when to when; None where neither is named."""
    begin_name, end_name = f"{name}TimeBegin", f"{name}TimeEnd"
    if not first(query, begin_name) and not first(query, end_name):
        return None
    begin = _number(query, begin_name, 0, f"{short}TimeBegin must be greater than 0")
    end = _number(query, end_name, LONG_MAX, f"{short}TimeEnd must be greater than 0")
    if begin > end:
        raise bad_request(f"{short}TimeEnd must be greater than {shortest}TimeBegin")
    return begin, end


def _number(query: Query, name: str, default: int, refusal: str, *, least: int = 0) -> int:
    text = first(query, name)
    if not text:
        return default
    value = java_number(text)
    if value is None:
        raise bad_number(text, name)
    if value < least:
        raise bad_request(refusal)
    return value


def statistics(served: ServedCluster, query: Query) -> Document:
    """Count by state, of any type or of one. Raises RestError for no such state, or more than one type."""
    states = set(state_names(query.get("states", ()))) or set(STATES)
    types = {each.lower() for each in words(query.get("applicationTypes", ()))} or {ANY_TYPE}
    if len(types) > 1:
        raise bad_request(f"# of applicationTypes = {len(types)}, we temporarily support at most one applicationType")
    (kind,) = types
    everyone = [app for app in served.applications() if kind in {ANY_TYPE, app.type.lower()}]
    counted = [
        {"state": state, "type": kind, "count": sum(app.state == state for app in everyone)}
        for state in _COUNTED
        if state in states
    ]
    return {"statItem": counted}
