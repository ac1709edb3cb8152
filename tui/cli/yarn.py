"""`schedlab drill yarn`: some of the `yarn` command in its own words, for a served drill or any ResourceManager.

Source: ApplicationCLI, NodeCLI, QueueCLI, Hadoop 2.7.2. Differs: they ask by RPC, this asks the REST API; what that
does not tell (`RPC Port`, an unproxied tracking address) is written as the ResourceManager's own page has it.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx
import msgspec

from engine.errors import ConfigError, did_you_mean, nearest
from engine.live.yarn_answers import NodeInfo, RestAnswer
from tui.cli.grammar import Given
from tui.cli.listening import token_given
from tui.sharing.socket_directory import check_private, default_folder, read_private
from tui.terminal.edges import visible_line

PLACE: Final = ".rm.json"  # Ending of the file that says where a drill is served (`ServedPlace`)
FAILED: Final = 255  # Exit code of the command where what was named is not there
APPLICATIONS: Final = "%30s\t%20s\t%20s\t%10s\t%10s\t%18s\t%18s\t%15s\t%35s"
NODES: Final = "%16s\t%15s\t%17s\t%28s"
PREEMPTIONS: Final = {"Preemption": "preemptionDisabled", "Intra-queue Preemption": "intraQueuePreemptionDisabled"}
"""Last lines on a queue, which FairScheduler does not tell. Source: QueueCLI#printQueueInfo, Hadoop 2.8 and later."""
WITH_PREEMPTION: Final = (2, 8)
WITH_FAIR_FORM: Final = (3, 4)
FAIR_AMOUNTS: Final = {
    "MinResource": "minResources",
    "MaxResource": "maxResources",
    "ReservedResource": "reservedResources",
    "SteadyFairShare": "steadyFairResources",
}  # Lines on a queue of FairScheduler. Source: QueueCLI#generateQueueInfoMessage, Hadoop 3.4.
VERSION: Final = re.compile(r"\d+")
LISTED: Final = ("SUBMITTED", "ACCEPTED", "RUNNING")
ENDED: Final = ("FINISHED", "KILLED", "FAILED")
ANSWER_S: Final = 30.0

Row = Mapping[str, Any]  # a queue, or what is to be done, as the REST API has it
Read = TypeVar("Read")


class ServedPlace(msgspec.Struct, frozen=True):
    url: str
    token: str


class AskedApplication(RestAnswer, frozen=True, kw_only=True):
    id: str
    name: str
    application_type: str
    user: str
    queue: str
    state: str
    final_status: str
    started_time: int
    finished_time: int
    memory_seconds: int
    vcore_seconds: int
    progress: float = 0.0
    tracking_ui: str = msgspec.field(default="", name="trackingUI")
    tracking_url: str = "N/A"
    am_host_http_address: str = ""
    diagnostics: str = ""

    @property
    def percent(self) -> str:
        """Its progress as Java's `###.##%` writes it."""
        return f"{self.progress:.2f}".rstrip("0").rstrip(".") + "%"

    @property
    def tracked_at(self) -> str:
        return "N/A" if self.tracking_ui == "UNASSIGNED" else self.tracking_url


class _Missing(Exception):
    """Something named is not there; says so in the words of `yarn`."""


class _Asked:
    def __init__(self, url: str, token: str) -> None:
        headers = {"Accept": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        self._url = url.rstrip("/")
        self._client = httpx.Client(headers=headers, timeout=ANSWER_S, trust_env=False)

    def get(self, path: str) -> Any:  # Any: JSON
        return self._sent("GET", path, None)

    def rows(self, path: str, name: str, kind: type[Read]) -> list[Read]:
        """Return the members of a list, which have this name; an empty one is null."""
        return [self.read(each, kind) for each in (self.get(path).get(path) or {}).get(name, [])]

    def read(self, found: object, kind: type[Read]) -> Read:
        try:
            return msgspec.convert(found, kind, strict=False)
        except msgspec.ValidationError as error:
            raise ConfigError.of(f"does not answer as a ResourceManager: {error}", self._url) from None

    def put(self, path: str, body: Row) -> None:
        self._sent("PUT", path, body)

    def _sent(self, method: str, path: str, body: Row | None) -> Any:  # Any: JSON
        url = f"{self._url}/ws/v1/cluster/{path}"
        try:
            answer = self._client.request(method, url, json=body)
            found = answer.json() if answer.content else {}
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ConfigError.of(f"does not answer: {str(error) or type(error).__name__}", self._url) from None
        if answer.is_success and isinstance(found, dict):
            return found
        told = found.get("RemoteException", found) if isinstance(found, dict) else {}
        bare = f"{told.get('exception', f'HTTP {answer.status_code}')}: the server gives no reason"
        raise _Missing(str(told.get("message") or told.get("error") or bare))


def _server(url: str | None, token: Path | None) -> _Asked:
    if url is not None:
        return _Asked(url, token_given(token))
    places = sorted(default_folder().glob(f"*{PLACE}"))
    if len(places) != 1:
        words = "several drills are served" if places else "no drill is served on this machine"
        hint = "schedlab drill play NAME --listen 0" if not places else "name one with --rm URL"
        raise ConfigError.of(words, key="--rm", hint=hint)
    try:
        check_private(places[0].parent)
        place = msgspec.json.decode(read_private(places[0]), type=ServedPlace)
    except (OSError, ValueError, msgspec.MsgspecError):
        raise ConfigError.of("does not say where a drill is served", str(places[0])) from None
    return _Asked(place.url, place.token)


def _options(words: Sequence[str], known: Mapping[str, bool]) -> dict[str, str]:
    found: dict[str, str] = {}
    left = list(words)
    while left:
        name = left.pop(0).lstrip("-")
        if name not in known:
            raise ConfigError.of(f"there is no option -{name}", hint=nearest(name, known) or f"-{', -'.join(known)}")
        if known[name] and not left:
            raise ConfigError.of("wants a value", key=f"-{name}")
        found[name] = left.pop(0) if known[name] else ""
    return found


def yarn(given: Given) -> int:
    name, words = given.words[0], given.words[1:]
    if name not in ASKED:
        raise ConfigError.of(f"yarn has no {name}", key="drill yarn", hint=did_you_mean(name, list(ASKED)))
    known, asking = ASKED[name]
    asked = _options(words, known)
    try:
        for line in asking(_server(given.text("rm"), given.path("token-file")), asked):
            sys.stdout.write("\t".join(map(visible_line, line.split("\t"))) + "\n")
    except _Missing as missing:
        sys.stdout.write(f"{missing}\n")
        return FAILED
    return 0


def _of_applications(server: _Asked, asked: Mapping[str, str]) -> Iterator[str]:
    if "status" in asked:
        return _status(server, asked["status"])
    if "kill" in asked:
        return _changed(server, asked["kill"], "Killing application {}", "state", {"state": "KILLED"})
    if "movetoqueue" in asked:
        queue = asked.get("queue", "")
        moving = f"Moving application {{}} to queue {queue}"
        return _changed(server, asked["movetoqueue"], moving, "queue", {"queue": queue})
    return _applications(server, _many(asked, "appStates"), _many(asked, "appTypes"))


def _many(asked: Mapping[str, str], name: str) -> list[str]:
    return [word.strip() for word in asked.get(name, "").split(",") if word.strip()]


def _applications(server: _Asked, states: Sequence[str], types: Sequence[str]) -> Iterator[str]:
    wanted = [state.upper() for state in states] or list(LISTED)
    rows = [
        row
        for row in server.rows("apps", "app", AskedApplication)
        if ("ALL" in wanted or row.state in wanted) and (not types or row.application_type in types)
    ]
    shown = f"(application-types: [{', '.join(types)}] and states: [{', '.join(wanted)}])"
    yield f"Total number of applications {shown}:{len(rows)}"
    yield APPLICATIONS % (
        *("Application-Id", "Application-Name", "Application-Type", "User", "Queue", "State", "Final-State"),
        *("Progress", "Tracking-URL"),
    )
    for row in rows:
        columns = (row.id, row.name, row.application_type, row.user, row.queue, row.state, row.final_status)
        yield APPLICATIONS % (*columns, row.percent, row.tracked_at)


def _status(server: _Asked, name: str) -> Iterator[str]:
    row = _application(server, name, "doesn't exist in RM or Timeline Server.")
    used = f"{row.memory_seconds} MB-seconds, {row.vcore_seconds} vcore-seconds"
    host = row.am_host_http_address.partition(":")[0] or "N/A"
    parts = {
        "Application-Id": row.id,
        "Application-Name": row.name,
        "Application-Type": row.application_type,
        "User": row.user,
        "Queue": row.queue,
        "Start-Time": row.started_time,
        "Finish-Time": row.finished_time,
        "Progress": row.percent,
        "State": row.state,
        "Final-State": row.final_status,
        "Tracking-URL": row.tracked_at,
        "RPC Port": -1,
        "AM Host": host,
        "Aggregate Resource Allocation": used,
        "Diagnostics": row.diagnostics,
    }
    yield "Application Report : "
    for head, value in parts.items():
        yield f"\t{head} : {value}"


def _application(server: _Asked, name: str, words: str) -> AskedApplication:
    try:
        return server.read(server.get(f"apps/{name}").get("app"), AskedApplication)
    except _Missing:
        raise _Missing(f"Application with id '{name}' {words}") from None


def _changed(server: _Asked, name: str, doing: str, part: str, body: Row) -> Iterator[str]:
    row = _application(server, name, "doesn't exist in RM.")
    if row.state in ENDED:
        yield f"Application {name} has already finished "
        return
    if part == "queue":
        _check_queue(server, str(body["queue"]))
    yield doing.format(name)
    server.put(f"apps/{name}/{part}", body)
    if part == "queue":
        yield "Successfully completed move."


def _check_queue(server: _Asked, name: str) -> None:
    root = server.get("scheduler")["scheduler"]["schedulerInfo"]
    if _queue_of(root, name) is None:
        if root.get("type") == "fairScheduler":
            raise _Missing(f"Target queue {name} not found or is not a leaf queue.")
        raise _Missing(f"The specified Queue: {name} doesn't exist")


def _nodes(server: _Asked, states: Sequence[str], *, is_all: bool) -> Iterator[str]:
    wanted = [state.upper() for state in states] or ["RUNNING"]
    rows = [row for row in server.rows("nodes", "node", NodeInfo) if is_all or row.state in wanted]
    yield f"Total Nodes:{len(rows)}"
    yield NODES % ("Node-Id", "Node-State", "Node-Http-Address", "Number-of-Running-Containers")
    for row in rows:
        yield NODES % (row.id, row.state, row.http_address, row.num_containers)


def _queue(server: _Asked, name: str) -> Iterator[str]:
    root = server.get("scheduler")["scheduler"]["schedulerInfo"]
    row = _queue_of(root, name)
    if row is None:
        raise _Missing(f"Cannot get queue from RM by queueName = {name}, please check.")
    yield "Queue Information : "
    release = tuple(map(int, VERSION.findall(server.get("info")["clusterInfo"]["hadoopVersion"])[:2]))
    if release >= WITH_FAIR_FORM and "steadyFairResources" in row:
        yield from _fair_queue(row)
        return
    yield f"Queue Name : {row.get('queueName', name)}"
    yield f"\tState : {row.get('state', 'RUNNING')}"
    for head, share in zip(("Capacity", "Current Capacity", "Maximum Capacity"), _shares(row), strict=True):
        yield f"\t{head} : {f'{share:.1f}'.removeprefix('0') if share < 1 else f'{share:.1f}'}%"
    labels = row.get("nodeLabels") or ["*"]
    yield "\tDefault Node Label expression : <DEFAULT_PARTITION>"
    yield f"\tAccessible Node Labels : {','.join(labels)}"
    if release >= WITH_PREEMPTION:
        for head, part in PREEMPTIONS.items():
            if part in row:
                yield f"\t{head} : {'disabled' if row[part] else 'enabled'}"


def _fair_queue(row: Row) -> Iterator[str]:
    """A queue of FairScheduler since Hadoop 3.4. Differs: no line `Weight`, which the REST API does not tell."""
    yield "Scheduler Name : FairScheduler"
    yield f"Queue Name : {row['queueName']}"
    yield "\tState : RUNNING"
    for head, part in FAIR_AMOUNTS.items():
        yield f"\t{head} : <memory : {row[part]['memory']}, vCores:{row[part]['vCores']}>"
    yield f"\tQueue Preemption : {'enabled' if row['preemptable'] else 'disabled'}"


def _queue_of(root: Row, name: str) -> Row | None:
    rows = _below(root.get("rootQueue", root), "")
    return next((one for path, one in rows if name in (path, one.get("queueName"), path.rpartition(".")[2])), None)


def _below(row: Row, above: str) -> Iterator[tuple[str, Row]]:
    name = str(row.get("queueName", "default"))
    path = name if not above or name.startswith(f"{above}.") else f"{above}.{name}"
    yield path, row
    for part in ("queues", "childQueues"):
        below = row.get(part) or []
        for one in below.get("queue", []) if isinstance(below, dict) else below:
            yield from _below(one, path)


def _shares(row: Row) -> tuple[float, float, float]:
    """Capacity, current and maximum, in per cent. Source: FSQueue#getQueueInfo, which tells no maximum."""
    if "fairResources" not in row:
        return row.get("capacity", 100.0), row.get("usedCapacity", 0.0), row.get("maxCapacity", 100.0)
    fair, used, total = (row[name]["memory"] for name in ("fairResources", "usedResources", "clusterResources"))
    return 100 * fair / (total or 1), 100 * used / (fair or 1) if fair else 0.0, 0.0


ASKED: Final[Mapping[str, tuple[Mapping[str, bool], Callable[[_Asked, Mapping[str, str]], Iterator[str]]]]] = {
    "application": (
        {
            "list": False,
            "appStates": True,
            "appTypes": True,
            "status": True,
            "kill": True,
            "movetoqueue": True,
            "queue": True,
        },
        _of_applications,
    ),
    "node": (
        {"list": False, "all": False, "states": True},
        lambda server, asked: _nodes(server, _many(asked, "states"), is_all="all" in asked),
    ),
    "queue": ({"status": True}, lambda server, asked: _queue(server, asked.get("status", "root"))),
}  # Part of `yarn` → its options with whether a value follows, and what it asks
