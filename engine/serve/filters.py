"""Chooses the applications of `/apps`, and counts those of `/appstatistics`.

Source: RMWebServices#getApps, ApplicationsRequestBuilder, ClientRMService#getApplications, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine.model.ledger import Application
from engine.model.queue import full_name, is_under
from engine.serve.apps import facts_of, final_status, queue_name
from engine.serve.errors import bad_number, bad_request, illegal_argument
from engine.serve.fields import LONG_MAX, Document
from engine.serve.served import ServedCluster

STATES: Final = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED")
"""YarnApplicationState, in its order."""
FINAL_STATUSES: Final = ("UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED")

ANY_TYPE: Final = "*"
_COUNTED: Final = ("KILLED", "NEW_SAVING", "NEW", "ACCEPTED", "SUBMITTED", "FAILED", "RUNNING", "FINISHED")
"""States in the order of a recorded server; the order of its map differs from start to start."""

Query = Mapping[str, Sequence[str]]
"""Every parameter of a question, with all its values."""

Check = Callable[[Application], bool]


def first(query: Query, name: str) -> str:
    """A parameter's value; empty where there is none."""
    return next(iter(query.get(name, ())), "")


def words(values: Iterable[str]) -> list[str]:
    """All words of values separated by commas, without blanks."""
    return [word.strip() for value in values for word in value.split(",") if word.strip()]


def state_names(values: Iterable[str]) -> list[str]:
    """Names of states of applications, in any case, as the releases know them.

    Raises:
        RestError: There is no such state.
    """
    names = words(values)
    for name in names:
        if name.upper() not in STATES:
            known = ", ".join(STATES)
            raise bad_request(f"Invalid application-state {name} specified. It should be one of [{known}]")
    return [name.upper() for name in names]


def chosen(served: ServedCluster, query: Query) -> list[Application]:
    """The applications that a question is about, in the order of the ResourceManager.

    Raises:
        RestError: A parameter cannot be read.
    """
    limit = _number(query, "limit", "limit", LONG_MAX, "limit value must be greater then 0", least=1)
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
    """One for each parameter that is there."""
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
    """Whom the scheduler has in a queue or below it; 3.4.1 adds those, also ended ones, whose queue is called so.

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
    begin = _number(query, begin_name, begin_name, 0, f"{short}TimeBegin must be greater than 0")
    end = _number(query, end_name, end_name, LONG_MAX, f"{short}TimeEnd must be greater than 0")
    if begin > end:
        raise bad_request(f"{short}TimeEnd must be greater than {shortest}TimeBegin")
    return begin, end


def _number(query: Query, name: str, called: str, default: int, refusal: str, *, least: int = 0) -> int:
    text = first(query, name)
    if not text:
        return default
    try:
        value = int(text)
    except ValueError:
        raise bad_number(text, called) from None
    if value < least:
        raise bad_request(refusal)
    return value


def statistics(served: ServedCluster, query: Query) -> Document:
    """Count applications by state, of any type or of one.

    Raises:
        RestError: There is no such state, or more than one type is asked for.
    """
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
