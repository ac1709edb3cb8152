"""Routes questions, and writes answers in the form that was asked for.

Source: RMWebServices, JAXBContextResolver, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from engine.instants import moment_at
from engine.serve.acts import new_application, put_priority, put_queue, put_state, submit
from engine.serve.apps import (
    app_document,
    app_documents,
    app_of_id,
    facts_of,
    priority_of,
    queue_name,
    skipped_fields,
)
from engine.serve.attempts import attempt, attempts, container, containers
from engine.serve.beans import beans, matching
from engine.serve.bodies import json_bytes, without_odd, xml_bytes
from engine.serve.cluster import info, metrics
from engine.serve.configuration import conf, scheduler_conf
from engine.serve.errors import RestError, bad_request, mistake
from engine.serve.exposition import exposition
from engine.serve.fields import Document
from engine.serve.filters import chosen, first, statistics
from engine.serve.http import (
    DocumentAnswer,
    HttpAnswer,
    HttpQuestion,
    front_page,
    page_not_found,
    to_front_page,
    wanted_form,
)
from engine.serve.nodes import node, node_labels, node_to_labels, nodes
from engine.serve.release import RELEASE_34
from engine.serve.scheduler_capacity import capacity_scheduler
from engine.serve.scheduler_fair import fair_scheduler
from engine.serve.scheduler_fifo import fifo_scheduler
from engine.serve.served import ServedCluster

PREFIX: Final = "/ws/v1/cluster"

_SCHEDULERS: Final[Mapping[str, Callable[[ServedCluster], Document]]] = {
    "capacity": capacity_scheduler,
    "fair": fair_scheduler,
    "fifo": fifo_scheduler,
}


class Routed(NamedTuple):
    """A question, with the parts of its path that name something."""

    served: ServedCluster
    question: HttpQuestion
    names: tuple[str, ...]


Answering = Callable[[Routed], DocumentAnswer | HttpAnswer]

RECORDS_NOTHING: Final = "Not Capacity Scheduler"
"""What a server of 3.4.1 says of another scheduler that is asked whom it passed by."""


def _info(routed: Routed) -> DocumentAnswer:
    return DocumentAnswer("clusterInfo", info(routed.served))


def _scheduler(routed: Routed) -> DocumentAnswer:
    return DocumentAnswer("scheduler", {"schedulerInfo": _SCHEDULERS[routed.served.scheduler_kind](routed.served)})


def _nodes(routed: Routed) -> DocumentAnswer:
    return DocumentAnswer("nodes", nodes(routed.served, first(routed.question.query, "states") or None))


def _node(routed: Routed) -> DocumentAnswer:
    return DocumentAnswer("node", node(routed.served, routed.names[0]))


def _apps(routed: Routed) -> DocumentAnswer:
    found = chosen(routed.served, routed.question.query)
    return DocumentAnswer("apps", app_documents(routed.served, found, _skipped(routed)))


def _app(routed: Routed) -> DocumentAnswer:
    return DocumentAnswer(
        "app", app_document(routed.served, app_of_id(routed.served, routed.names[0]), _skipped(routed))
    )


def _skipped(routed: Routed) -> list[str]:
    return skipped_fields(routed.question.query.get("deSelects", ())) if routed.served.release.is_34 else []


def _state(routed: Routed) -> DocumentAnswer:
    return DocumentAnswer("appstate", {"state": app_of_id(routed.served, routed.names[0]).state}, is_bare=True)


def _queue(routed: Routed) -> DocumentAnswer:
    facts = facts_of(routed.served, app_of_id(routed.served, routed.names[0]))
    return DocumentAnswer("appqueue", {"queue": queue_name(facts)}, is_bare=True)


def _priority(routed: Routed) -> DocumentAnswer:
    app = app_of_id(routed.served, routed.names[0])
    return DocumentAnswer("applicationpriority", {"priority": priority_of(app)}, is_bare=True)


def _timeouts(routed: Routed) -> DocumentAnswer:
    app = app_document(routed.served, app_of_id(routed.served, routed.names[0]))
    return DocumentAnswer("timeouts", app["timeouts"])


def _attempts(routed: Routed) -> DocumentAnswer:
    facts = facts_of(routed.served, app_of_id(routed.served, routed.names[0]))
    return DocumentAnswer("appAttempts", attempts(facts))


def _attempt(routed: Routed) -> DocumentAnswer:
    facts = facts_of(routed.served, app_of_id(routed.served, routed.names[0]))
    return DocumentAnswer("appAttempt", attempt(facts, routed.names[1]), is_bare=True)


def _containers(routed: Routed) -> DocumentAnswer:
    facts = facts_of(routed.served, app_of_id(routed.served, routed.names[0]))
    return DocumentAnswer("containers", containers(facts, routed.names[1]), is_bare=True)


def _container(routed: Routed) -> DocumentAnswer:
    facts = facts_of(routed.served, app_of_id(routed.served, routed.names[0]))
    return DocumentAnswer("container", container(facts, routed.names[1], routed.names[2]), is_bare=True)


def _new_application(routed: Routed) -> DocumentAnswer:
    return new_application(routed.served)


def _reservations(routed: Routed) -> DocumentAnswer:
    """Refuse: no cluster that is served has a system of reservations ahead of time."""
    raise bad_request("Reservation is not enabled. Please enable & try again")


def _activities(routed: Routed) -> DocumentAnswer | HttpAnswer:
    """Say that nothing is recorded.

    Differs: `/scheduler/activities` of a capacity scheduler is not answered.
    """
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
    answers: Mapping[str, Answering]
    """By method."""
    since_34: bool = False


ROUTES: Final = (
    Route("", {"GET": _info}),
    Route("info", {"GET": _info}),
    Route("metrics", {"GET": lambda routed: DocumentAnswer("clusterMetrics", metrics(routed.served))}),
    Route("scheduler", {"GET": _scheduler}),
    Route("nodes", {"GET": _nodes}),
    Route("nodes/*", {"GET": _node}),
    Route("apps", {"GET": _apps, "POST": lambda routed: submit(routed.served, routed.question)}),
    Route("apps/new-application", {"POST": _new_application}),
    Route("apps/*", {"GET": _app}),
    Route(
        "apps/*/state",
        {"GET": _state, "PUT": lambda routed: put_state(routed.served, routed.question, routed.names[0])},
    ),
    Route(
        "apps/*/queue",
        {"GET": _queue, "PUT": lambda routed: put_queue(routed.served, routed.question, routed.names[0])},
    ),
    Route(
        "apps/*/priority",
        {"GET": _priority, "PUT": lambda routed: put_priority(routed.served, routed.question, routed.names[0])},
        since_34=True,
    ),
    Route("apps/*/timeouts", {"GET": _timeouts}, since_34=True),
    Route("apps/*/appattempts", {"GET": _attempts}),
    Route("apps/*/appattempts/*", {"GET": _attempt}, since_34=True),
    Route("apps/*/appattempts/*/containers", {"GET": _containers}, since_34=True),
    Route("apps/*/appattempts/*/containers/*", {"GET": _container}, since_34=True),
    Route(
        "get-node-labels",
        {"GET": lambda routed: DocumentAnswer("nodeLabelsInfo", node_labels(routed.served), is_bare=True)},
    ),
    Route(
        "get-node-to-labels",
        {"GET": lambda routed: DocumentAnswer("nodeToLabelsInfo", node_to_labels(routed.served), is_bare=True)},
    ),
    Route("scheduler-conf", {"GET": lambda routed: scheduler_conf(routed.served)}, since_34=True),
    Route("scheduler/activities", {"GET": _activities}, since_34=True),
    Route("scheduler/app-activities/*", {"GET": _activities}, since_34=True),
    Route("reservation/list", {"GET": _reservations}, since_34=True),
    Route(
        "appstatistics",
        {"GET": lambda routed: DocumentAnswer("appStatInfo", statistics(routed.served, routed.question.query))},
    ),
)


def answer(served: ServedCluster, question: HttpQuestion) -> HttpAnswer:
    """Answer any question."""
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
    found = matching(beans(served), first(question.query, "qry"))
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
    """Answer a question below `/ws/v1/cluster`."""
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
        form = "" if form == "xml" else form  # no release can write an exception as XML
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
