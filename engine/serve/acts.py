"""What changes the cluster: kill, move and priority of applications, and submission of new ones.

Source: RMWebServices#updateAppState, #updateAppQueue, #updateApplicationPriority, #createNewApplication,
#submitApplication, Hadoop 2.7.2 and 3.4.1. Differs: nobody is asked who they are; a kill is done within the instant.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from pydantic import ValidationError

from engine.control_plane.protocol import Answer
from engine.errors import RefusedError
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.scenario.acts import Act, KillApplication, MoveApplication, SetPriority, SubmitApplication
from engine.serve.apps import app_of_id, facts_of, queue_name
from engine.serve.errors import RestError, bad_request, mistake, undeclared, unreadable
from engine.serve.fields import Document
from engine.serve.filters import first
from engine.serve.http import DocumentAnswer, HttpQuestion
from engine.serve.served import ServedCluster

NOBODY: Final = "dr.who"
"""Who acts where nobody is named. Source: hadoop.http.staticuser.user."""
WORKS_AS: Final = "SCHEDLAB_APPLICATION"
"""A variable of the master's environment: what a submitted application does, as JSON fields of a scenario's
`[[workload]]`."""

Body = Mapping[str, Any]  # Any: JSON


def put_state(served: ServedCluster, question: HttpQuestion, app_id: str) -> DocumentAnswer:
    """Kill an application: 202 while it dies, 200 when it has the state already."""
    app = app_of_id(served, app_id)
    wanted = body_of(served, question).get("state", "")
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
    wanted = str(body_of(served, question).get("queue", ""))
    if wanted not in {app.queue, queue_name(facts_of(served, app))}:
        done(served, MoveApplication(app.number, wanted))
    return DocumentAnswer("appqueue", {"queue": queue_name(facts_of(served, app))}, is_bare=True)


def put_priority(served: ServedCluster, question: HttpQuestion, app_id: str) -> DocumentAnswer:
    """Change an application's priority; only in 3.4.1."""
    app = app_of_id(served, app_id)
    wanted = body_of(served, question).get("priority")
    if not isinstance(wanted, int | str) or not str(wanted).removeprefix("-").isdecimal():
        raise bad_request("the priority is no number")
    done(served, SetPriority(app.number, int(wanted)))
    return DocumentAnswer("applicationpriority", {"priority": app.priority}, is_bare=True)


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
    body = body_of(served, question)
    app_id = str(body.get("application-id", ""))
    number = app_id.rpartition("_")[2]
    if not app_id.startswith("application_") or not number.isdecimal():
        raise bad_request(f"Could not parse application id {app_id}")
    user = first(question.query, "user.name") or NOBODY
    if served.application(int(number)) is None:  # a second submission of one is taken as done
        done(served, SubmitApplication(_application(body, int(number), user)), refuses_as=_submission_refused)
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


def body_of(served: ServedCluster, question: HttpQuestion) -> Body:
    """The fields of a body, as JSON or XML.

    Raises:
        RestError: It cannot be read.
    """
    if "xml" in question.content_type:
        try:
            return _of_element(fromstring(question.body))
        except (ParseError, DefusedXmlException, ValueError):
            raise unreadable() from None
    try:
        found = json.loads(question.body or b"{}")
    except ValueError:
        raise unreadable() from None
    if not isinstance(found, dict):
        raise mistake()
    return found


def _of_element(element: Element) -> Body:
    """An element's children by name: texts, or fields of their own."""
    return {child.tag: _of_element(child) if len(child) else (child.text or "").strip() for child in element}


def _application(body: Body, number: int, user: str) -> Document:
    """The application as fields of a scenario's workload."""
    size = body.get("resource") or {}
    tags = body.get("application-tags") or {}
    named = tags.get("tag", ()) if isinstance(tags, Mapping) else tags
    fields: Document = {
        **_work(body),
        "number": number,
        "user": user,
        "name": str(body.get("application-name") or "N/A"),
        "queue": str(body["queue"]) if body.get("queue") else None,
        "application_type": str(body.get("application-type") or "YARN"),
        "tags": (named,) if isinstance(named, str) else tuple(named),
        "am": {"memory_mb": size.get("memory") or 1024, "vcores": size.get("vCores") or 1},
    }
    optional = {"priority": body.get("priority"), "max_attempts": body.get("max-app-attempts")}
    return {**fields, **{name: value for name, value in optional.items() if str(value).isdecimal() and int(value or 0)}}


def _work(body: Body) -> Body:
    """What the application does, as its master's environment says."""
    environment = (body.get("am-container-spec") or {}).get("environment") or {}
    entries = environment.get("entry", ()) if isinstance(environment, Mapping) else ()
    texts = [each.get("value") for each in _many(entries) if isinstance(each, Mapping) and each.get("key") == WORKS_AS]
    if not texts:
        return {"type": "scripted", "waits": True}
    try:
        found = json.loads(str(texts[0]))
    except ValueError:
        raise bad_request(f"{WORKS_AS} is no JSON") from None
    if not isinstance(found, dict):
        raise bad_request(f"{WORKS_AS} is no JSON object")
    return {"type": "scripted", **found}


def _many(value: Any) -> Iterable[Any]:  # Any: JSON
    return value if isinstance(value, list) else (value,)


def _submission_refused(words: str) -> RestError:
    return bad_request(words)


def _state(state: str) -> DocumentAnswer:
    return DocumentAnswer("appstate", {"state": state}, is_bare=True)
