"""Routes questions, and writes answers in the form that was asked for.

Source: RMWebServices, JAXBContextResolver, Hadoop 2.7.2 and 3.4.1.

Source: RMWebServices#updateAppState, #updateAppQueue, #updateApplicationPriority, #createNewApplication,
`submitApplication`, Hadoop 2.7.2 and 3.4.1. Differs: users are not checked, so every client may act; a kill is done
before the answer, where a ResourceManager answers first.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from pydantic import ValidationError

from engine.control_plane.protocol import Answer
from engine.errors import RefusedError
from engine.model.ledger import Application
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.documents import Document
from engine.scenario.acts import Act, KillApplication, MoveApplication, SetPriority, SubmitApplication
from engine.serve import apps
from engine.serve.attempts import attempt, attempts, container, containers
from engine.serve.beans import beans, exposition, matching
from engine.serve.cluster import conf, info, metrics, node, node_labels, node_to_labels, nodes, scheduler_conf
from engine.serve.scheduler import capacity_scheduler, fair_scheduler, fifo_scheduler
from engine.serve.served import ServedCluster
from engine.serve.wire import (
    INT_MAX,
    RELEASE_34,
    Body,
    DocumentAnswer,
    HttpAnswer,
    HttpQuestion,
    RestError,
    bad_request,
    body_of,
    checked,
    front_page,
    java_number,
    json_bytes,
    mistake,
    page_not_found,
    to_front_page,
    undeclared,
    wanted_form,
    without_odd,
    xml_bytes,
)
from engine.units import CENTURY_MS, moment_at

NOBODY: Final = "dr.who"  # User of a request that names none. Source: hadoop.http.staticuser.user.
WORKS_AS: Final = "SCHEDLAB_APPLICATION"
"""A variable of the master's environment: what a submitted application does, as JSON fields of a scenario's
`[[workload]]`."""


class _Size(msgspec.Struct):
    memory: int | None = None
    vCores: int | None = None  # noqa: N815 -- as clients say it


class _Submission(msgspec.Struct, rename="kebab"):
    """The fields of a submission that count here. Source: ApplicationSubmissionContextInfo."""

    application_id: str = ""
    application_name: str | None = None
    queue: str | None = None
    application_type: str | None = None
    application_tags: dict[str, list[str] | str] | list[str] | str | None = None
    resource: _Size | None = None
    am_container_spec: Document | None = None
    priority: int | None = None
    max_app_attempts: int | None = None

    @property
    def tags(self) -> list[str]:
        named = self.application_tags or ()
        return [one for one in _many(named.get("tag", ()) if isinstance(named, dict) else named) if one]


class Routed(NamedTuple):
    """A question, with the parts of its path that name something."""

    served: ServedCluster
    question: HttpQuestion
    names: tuple[str, ...]

    @property
    def app(self) -> Application:
        return apps.app_of_id(self.served, self.names[0])

    @property
    def facts(self) -> apps.AppFacts:
        return apps.facts_of(self.served, self.app)


def _put_state(routed: Routed) -> DocumentAnswer:
    """Kill an application: 202 while it dies, 200 when it has the state already."""
    served, app = routed.served, routed.app
    wanted = str(body_of(routed.question).get("state", ""))
    if wanted not in {app.state, "KILLED"}:
        raise bad_request("Only 'KILLED' is allowed as a target state.")
    if wanted == app.state or app.state in FINAL_APPLICATION_STATES:
        return _STATE(routed)
    _done(served, KillApplication(app.number))
    location = f"http://{served.address}/ws/v1/cluster/apps/{routed.names[0]}/state"
    return _STATE(routed)._replace(status=202, headers={"Location": location})


def _put_queue(routed: Routed) -> DocumentAnswer:
    app = routed.app
    wanted = str(body_of(routed.question).get("queue", ""))
    if wanted not in {app.queue, apps.queue_name(routed.facts)}:
        _done(routed.served, MoveApplication(app.number, wanted))
    return _QUEUE(routed)


def _put_priority(routed: Routed) -> DocumentAnswer:
    app = routed.app
    wanted = java_number(str(body_of(routed.question).get("priority")), INT_MAX)
    if wanted is None:
        raise bad_request("the priority is not a number")
    _done(routed.served, SetPriority(app.number, wanted))
    return _PRIORITY(routed)


def _new_application(routed: Routed) -> DocumentAnswer:
    largest = routed.served.rm.scheduler.policy.maximum.effective
    body = {
        "application-id": routed.served.next_id(),
        "maximum-resource-capability": {"memory": largest.memory_mb, "vCores": largest.vcores},
    }
    return DocumentAnswer("NewApplication", body, is_bare=True)


def _submit(routed: Routed) -> DocumentAnswer:
    """Take an application in; it does what its environment says, else its master runs until it is killed."""
    served, question = routed.served, routed.question
    try:
        wanted = msgspec.convert(body_of(question), _Submission, strict=False)
    except (msgspec.ValidationError, OverflowError) as error:
        raise bad_request(str(error)) from None
    app_id = wanted.application_id
    number = java_number(app_id.removeprefix("application_").rpartition("_")[2], INT_MAX)
    if not app_id.startswith("application_") or number is None or number < 0:
        raise bad_request(f"Could not parse application id {app_id}")
    user = str(checked({"user": apps.first(question.query, "user.name") or NOBODY})["user"])
    if served.application(number) is None:  # a second submission of one is taken as done
        _done(served, SubmitApplication(_application(wanted, number, user)), refuses_as=bad_request)
    location = f"http://{served.address}/ws/v1/cluster/apps/{app_id}"
    return DocumentAnswer("", None, status=202, headers={"Location": location})


def _done(
    served: ServedCluster, action: Act, refuses_as: Callable[[str], RestError] = lambda words: undeclared()
) -> Answer:
    """Do something to the cluster. Raises RestError if it is refused, as `refuses_as` says of the words."""
    try:
        answer = served.act(action)
    except RefusedError as error:
        raise refuses_as(str(error)) from error
    except ValidationError as error:
        raise refuses_as(str(error.errors()[0]["msg"])) from error
    if answer.rejected and answer.application is None:
        raise refuses_as(answer.detail or answer.rejected)
    return answer


def _application(wanted: _Submission, number: int, user: str) -> Document:
    size = wanted.resource or _Size()
    fields: Document = {
        **_work(wanted.am_container_spec or {}),
        "number": number,
        "user": user,
        "name": wanted.application_name or "N/A",
        "queue": wanted.queue or None,
        "application_type": wanted.application_type or "YARN",
        "tags": tuple(wanted.tags),
        "am": {"memory_mb": size.memory or 1024, "vcores": size.vCores or 1},
    }
    optional = {"priority": wanted.priority, "max_attempts": wanted.max_app_attempts}
    return {**fields, **{name: value for name, value in optional.items() if value is not None and value > 0}}


def _work(container: Body) -> Body:
    environment = container.get("environment")
    entries = environment.get("entry", ()) if isinstance(environment, Mapping) else ()
    texts = [each.get("value") for each in _many(entries) if isinstance(each, Mapping) and each.get("key") == WORKS_AS]
    if not texts:
        return {"type": "scripted", "ends_after_ms": CENTURY_MS}
    try:
        found = json.loads(str(texts[0]))
    except (ValueError, RecursionError):
        raise bad_request(f"{WORKS_AS} is no JSON") from None
    if not isinstance(found, dict):
        raise bad_request(f"{WORKS_AS} is no JSON object")
    return {"type": "scripted", **checked(found)}


def _many(value: Any) -> Iterable[Any]:  # Any: JSON
    return value if isinstance(value, list) else (value,)


PREFIX: Final = "/ws/v1/cluster"

_SCHEDULERS: Final[Mapping[str, Callable[[ServedCluster], Document]]] = {
    "capacity": capacity_scheduler,
    "fair": fair_scheduler,
    "fifo": fifo_scheduler,
}


Answering = Callable[[Routed], DocumentAnswer | HttpAnswer]

RECORDS_NOTHING: Final = "Not Capacity Scheduler"
"""What a server of 3.4.1 answers for another scheduler when asked about activities."""


def _scheduler(routed: Routed) -> Document:
    return {"schedulerInfo": _SCHEDULERS[routed.served.scheduler_kind](routed.served)}


def _apps(routed: Routed) -> Document:
    found = apps.chosen(routed.served, routed.question.query)
    return apps.app_documents(routed.served, found, _skipped(routed))


def _timeouts(routed: Routed) -> Document:
    timeouts: Document = apps.app_document(routed.served, routed.app)["timeouts"]
    return timeouts


def _skipped(routed: Routed) -> list[str]:
    return apps.skipped_fields(routed.question.query.get("deSelects", ())) if routed.served.release.is_34 else []


def _reservations(routed: Routed) -> DocumentAnswer:
    raise bad_request("Reservation is not enabled. Please enable & try again")


def _activities(routed: Routed) -> DocumentAnswer | HttpAnswer:
    """Say that nothing is recorded. Differs: `/scheduler/activities` of a capacity scheduler is not answered."""
    if routed.served.scheduler_kind == "capacity":
        return page_not_found(routed.served.release)
    if not routed.names:
        return DocumentAnswer("activities", {"diagnostic": RECORDS_NOTHING})
    now_ms = routed.served.now_ms
    at = f"{moment_at(now_ms):%a %b %d %H:%M:%S UTC %Y}"
    body = {"applicationId": routed.names[0], "diagnostic": RECORDS_NOTHING, "timestamp": now_ms, "dateTime": at}
    return DocumentAnswer("appActivities", body)


class Route(NamedTuple):
    """A path, whose `*` name something."""

    path: str
    answers: Mapping[str, Answering]  # By method
    since_34: bool = False


def _page(root: str, read: Callable[[Routed], Any], *, is_bare: bool = False) -> Callable[[Routed], DocumentAnswer]:
    return lambda routed: DocumentAnswer(root, read(routed), is_bare)


_STATE: Final = _page("appstate", lambda of: {"state": of.app.state}, is_bare=True)
_QUEUE: Final = _page("appqueue", lambda of: {"queue": apps.queue_name(of.facts)}, is_bare=True)
_PRIORITY: Final = _page("applicationpriority", lambda of: {"priority": apps.priority_of(of.app)}, is_bare=True)

ROUTES: Final = (
    *(Route(path, {"GET": _page("clusterInfo", lambda of: info(of.served))}) for path in ("", "info")),
    Route("metrics", {"GET": _page("clusterMetrics", lambda of: metrics(of.served))}),
    Route("scheduler", {"GET": _page("scheduler", _scheduler)}),
    Route("nodes", {"GET": _page("nodes", lambda of: nodes(of.served, apps.first(of.question.query, "states")))}),
    Route("nodes/*", {"GET": _page("node", lambda of: node(of.served, of.names[0]))}),
    Route("apps", {"GET": _page("apps", _apps), "POST": _submit}),
    Route("apps/new-application", {"POST": _new_application}),
    Route("apps/*", {"GET": _page("app", lambda of: apps.app_document(of.served, of.app, _skipped(of)))}),
    Route("apps/*/state", {"GET": _STATE, "PUT": _put_state}),
    Route("apps/*/queue", {"GET": _QUEUE, "PUT": _put_queue}),
    Route("apps/*/priority", {"GET": _PRIORITY, "PUT": _put_priority}, since_34=True),
    Route("apps/*/timeouts", {"GET": _page("timeouts", _timeouts)}, since_34=True),
    Route("apps/*/appattempts", {"GET": _page("appAttempts", lambda of: attempts(of.facts))}),
    Route(
        "apps/*/appattempts/*",
        {"GET": _page("appAttempt", lambda of: attempt(of.facts, of.names[1]), is_bare=True)},
        since_34=True,
    ),
    Route(
        "apps/*/appattempts/*/containers",
        {"GET": _page("containers", lambda of: containers(of.facts, of.names[1]), is_bare=True)},
        since_34=True,
    ),
    Route(
        "apps/*/appattempts/*/containers/*",
        {"GET": _page("container", lambda of: container(of.facts, *of.names[1:]), is_bare=True)},
        since_34=True,
    ),
    Route("get-node-labels", {"GET": _page("nodeLabelsInfo", lambda of: node_labels(of.served), is_bare=True)}),
    Route("get-node-to-labels", {"GET": _page("nodeToLabelsInfo", lambda of: node_to_labels(of.served), is_bare=True)}),
    Route("scheduler-conf", {"GET": lambda of: scheduler_conf(of.served)}, since_34=True),
    Route("scheduler/activities", {"GET": _activities}, since_34=True),
    Route("scheduler/app-activities/*", {"GET": _activities}, since_34=True),
    Route("reservation/list", {"GET": _reservations}, since_34=True),
    Route("appstatistics", {"GET": _page("appStatInfo", lambda of: apps.statistics(of.served, of.question.query))}),
)


def answer(served: ServedCluster, question: HttpQuestion) -> HttpAnswer:
    path = question.path.rstrip("/")
    if path == PREFIX or path.startswith(f"{PREFIX}/"):
        return _rest(served, question)
    if not path:
        return to_front_page(served.release, served.address)
    if path in _PAGES:
        return _PAGES[path](served, question)
    return page_not_found(served.release)


def _jmx(served: ServedCluster, question: HttpQuestion) -> HttpAnswer:
    kind = "application/json; charset=utf8" if served.release.is_34 else "application/json; charset=UTF-8"
    found = matching(beans(served), apps.first(question.query, "qry"))
    return HttpAnswer(200, kind, json_bytes("beans", found, RELEASE_34))


_PAGES: Final[Mapping[str, Callable[[ServedCluster, HttpQuestion], HttpAnswer]]] = {
    "/cluster": lambda served, question: front_page(served.release),
    "/conf": conf,
    "/jmx": _jmx,
    "/prom": lambda served, question: HttpAnswer(
        200, "text/plain; version=0.0.4; charset=utf-8", without_odd(exposition(beans(served))).encode()
    ),
}


def _rest(served: ServedCluster, question: HttpQuestion) -> HttpAnswer:
    found = _route(served, question.path)
    if found is None:
        return page_not_found(served.release)
    route, names = found
    form = wanted_form(question.accept)
    try:
        if question.method not in route.answers:
            raise mistake()
        said = route.answers[question.method](Routed(served, question, names))
        if isinstance(said, HttpAnswer):
            return said
    except RestError as error:
        said = DocumentAnswer("RemoteException", error.body(served.release), status=error.status(served.release))
        form = "" if form == "xml" and said.status == 404 else form  # either release fails to write that one as XML
    return _answer(served, said, form)


def _answer(served: ServedCluster, said: DocumentAnswer, form: str) -> HttpAnswer:
    release = served.release
    if not said.root:
        return HttpAnswer(said.status, release.json_type, b"", said.headers)
    if form == "xml":
        return HttpAnswer(said.status, release.xml_type, xml_bytes(said.root, said.body), said.headers)
    if form == "json":
        body = json_bytes("" if said.is_bare else said.root, said.body, release)
        return HttpAnswer(said.status, release.json_type, body, said.headers)
    return HttpAnswer(500, "text/html; charset=iso-8859-1", b"" if release.is_34 else _NO_WRITER)


_NO_WRITER: Final = (
    b"<html><head><title>Error 500 com.sun.jersey.api.MessageException: A message body writer for Java class "
    b"org.apache.hadoop.yarn.webapp.RemoteExceptionData was not found</title></head><body></body></html>"
)


def _route(served: ServedCluster, path: str) -> tuple[Route, tuple[str, ...]] | None:
    parts = path.removeprefix(PREFIX).strip("/").split("/")
    for route in ROUTES:
        pattern = route.path.split("/")
        if len(pattern) != len(parts) or (route.since_34 and not served.release.is_34):
            continue
        if all(wanted in {"*", part} for wanted, part in zip(pattern, parts, strict=True)):
            names = tuple(part for wanted, part in zip(pattern, parts, strict=True) if wanted == "*")
            return route, names
    return None
