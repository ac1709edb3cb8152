"""Changes the cluster: kill, move and priority of applications, and submission of new ones.

Source: RMWebServices#updateAppState, #updateAppQueue, #updateApplicationPriority, #createNewApplication,
#submitApplication, Hadoop 2.7.2 and 3.4.1. Differs: whoever asks may act, as users are
not checked; a kill is done before the answer, where a ResourceManager answers first.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
from pydantic import ValidationError

from engine.control_plane.protocol import Answer
from engine.errors import RefusedError
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.scenario.acts import Act, KillApplication, MoveApplication, SetPriority, SubmitApplication
from engine.serve.apps import app_of_id, facts_of, priority_of, queue_name
from engine.serve.bodies import Body, body_of, checked, whole_number
from engine.serve.errors import RestError, bad_request, undeclared
from engine.serve.fields import Document
from engine.serve.filters import first
from engine.serve.http import DocumentAnswer, HttpQuestion
from engine.serve.served import ServedCluster
from engine.units import CENTURY_MS

NOBODY: Final = "dr.who"
"""User of a request that names none. Source: hadoop.http.staticuser.user."""
WORKS_AS: Final = "SCHEDLAB_APPLICATION"
"""A variable of the master's environment: what a submitted application does, as JSON fields of a scenario's
`[[workload]]`."""

MOST_NUMBER: Final = 2**31 - 1
"""Largest number of an application. Source: ApplicationIdProto, an int32."""


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
    am_container_spec: dict[str, Any] | None = None
    priority: int | None = None
    max_app_attempts: int | None = None

    @property
    def tags(self) -> list[str]:
        """Its tags, in any form that clients send."""
        named = self.application_tags or ()
        return [one for one in _many(named.get("tag", ()) if isinstance(named, dict) else named) if one]


def put_state(served: ServedCluster, question: HttpQuestion, app_id: str) -> DocumentAnswer:
    """Kill an application: 202 while it dies, 200 when it has the state already."""
    app = app_of_id(served, app_id)
    wanted = str(body_of(question).get("state", ""))
    if wanted not in {app.state, "KILLED"}:
        raise bad_request("Only 'KILLED' is allowed as a target state.")
    if wanted == app.state or app.state in FINAL_APPLICATION_STATES:
        return _state(app.state)
    done(served, KillApplication(app.number))
    location = f"http://{served.address}/ws/v1/cluster/apps/{app_id}/state"
    return _state(app_of_id(served, app_id).state)._replace(status=202, headers={"Location": location})


def put_queue(served: ServedCluster, question: HttpQuestion, app_id: str) -> DocumentAnswer:
    """Move an application to another queue."""
    app = app_of_id(served, app_id)
    wanted = str(body_of(question).get("queue", ""))
    if wanted not in {app.queue, queue_name(facts_of(served, app))}:
        done(served, MoveApplication(app.number, wanted))
    return DocumentAnswer("appqueue", {"queue": queue_name(facts_of(served, app))}, is_bare=True)


def put_priority(served: ServedCluster, question: HttpQuestion, app_id: str) -> DocumentAnswer:
    """Change an application's priority; only in 3.4.1."""
    app = app_of_id(served, app_id)
    text = str(body_of(question).get("priority"))
    wanted = whole_number(text.removeprefix("-"))
    if wanted is None or wanted > MOST_NUMBER:
        raise bad_request("the priority is no number")
    done(served, SetPriority(app.number, -wanted if text.startswith("-") else wanted))
    return DocumentAnswer("applicationpriority", {"priority": priority_of(app)}, is_bare=True)


def new_application(served: ServedCluster) -> DocumentAnswer:
    """An id for an application to come, and the largest container."""
    largest = served.rm.scheduler.policy.maximum.effective
    body = {
        "application-id": served.next_id(),
        "maximum-resource-capability": {"memory": largest.memory_mb, "vCores": largest.vcores},
    }
    return DocumentAnswer("NewApplication", body, is_bare=True)


def submit(served: ServedCluster, question: HttpQuestion) -> DocumentAnswer:
    """Take an application in; it does what its environment says, else its master runs until it is killed."""
    try:
        wanted = msgspec.convert(body_of(question), _Submission, strict=False)
    except (msgspec.ValidationError, OverflowError) as error:
        raise bad_request(str(error)) from None
    app_id = wanted.application_id
    number = whole_number(app_id.removeprefix("application_").rpartition("_")[2])
    if not app_id.startswith("application_") or number is None or number > MOST_NUMBER:
        raise bad_request(f"Could not parse application id {app_id}")
    user = str(checked({"user": first(question.query, "user.name") or NOBODY})["user"])
    if served.application(number) is None:  # a second submission of one is taken as done
        done(served, SubmitApplication(_application(wanted, number, user)), refuses_as=bad_request)
    location = f"http://{served.address}/ws/v1/cluster/apps/{app_id}"
    return DocumentAnswer("", None, status=202, headers={"Location": location})


def done(
    served: ServedCluster, action: Act, refuses_as: Callable[[str], RestError] = lambda words: undeclared()
) -> Answer:
    """Do something to the cluster.

    Raises:
        RestError: It is refused, as `refuses_as` says of the words.
    """
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
    """The application as fields of a scenario's workload."""
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
    """Read the work of an application from its master's environment."""
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


def _state(state: str) -> DocumentAnswer:
    return DocumentAnswer("appstate", {"state": state}, is_bare=True)
