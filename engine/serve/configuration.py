"""The configuration of a served cluster as its pages say it: `/conf`, `/scheduler-conf`.

Differs: `/conf` has only the keys of the scenario; a real one has Hadoop's defaults and its addresses, too.

Source: ConfServlet, Configuration.writeXml, RMWebServices.getSchedulerConfiguration, 2.7.2 and 3.4.1.
"""

from typing import Final
from xml.sax.saxutils import escape

from engine.serve.bodies import json_bytes, without_odd
from engine.serve.filters import first
from engine.serve.http import DocumentAnswer, HttpAnswer, HttpQuestion
from engine.serve.release import RELEASE_34
from engine.serve.served import ServedCluster
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.site import SCHEDULER_CLASS

_CLASSES: Final = {"fair": "fair.FairScheduler", "capacity": "capacity.CapacityScheduler", "fifo": "fifo.FifoScheduler"}
_PACKAGE: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler."
_FILE: Final = "yarn-site.xml"


def conf(served: ServedCluster, question: HttpQuestion) -> HttpAnswer:
    """All keys, or in 3.4.1 the one that is named; as XML unless JSON is asked for."""
    settings = {SCHEDULER_CLASS.name: _PACKAGE + _CLASSES[served.scheduler_kind], **served.rm.configuration.settings}
    name = first(question.query, "name") if served.release.is_34 else ""
    if name and name not in settings:
        return HttpAnswer(404, "text/plain", f"Property {name} not found".encode())
    chosen = settings if not name else {name: settings[name]}
    form = question.accept if served.release.is_34 else first(question.query, "format")
    if "json" not in form:
        return HttpAnswer(200, "text/xml; charset=utf-8", _xml(chosen))
    rows = [{"key": key, "value": value, "isFinal": False, "resource": _FILE} for key, value in chosen.items()]
    root, body = ("properties", rows) if not name else ("property", rows[0])
    return HttpAnswer(200, "application/json; charset=utf-8", json_bytes(root, body, RELEASE_34))


def _xml(settings: dict[str, str]) -> bytes:
    lines = [
        f"<property><name>{escape(key)}</name><value>{escape(without_odd(value))}</value>"
        f"<source>{_FILE}</source></property>"
        for key, value in settings.items()
    ]
    head = '<?xml version="1.0" encoding="UTF-8" standalone="no"?><configuration>'
    return "\n".join([head, *lines, "</configuration>", ""]).encode()


def scheduler_conf(served: ServedCluster) -> HttpAnswer | DocumentAnswer:
    """The keys of the Capacity Scheduler; no other one has a configuration that can be changed."""
    kind = served.scheduler_kind
    if kind == "capacity":
        settings = served.rm.configuration.settings.items()
        rows = [{"name": key, "value": value} for key, value in settings if key.startswith(PREFIX)]
        return DocumentAnswer("", {"property": rows}, is_bare=True)
    words = (
        "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, underneath "
        f"scheduler {_CLASSES[kind].partition('.')[2]} is not an instance of MutableConfScheduler"
    )
    return HttpAnswer(400, "text/plain", words.encode())
