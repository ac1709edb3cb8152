"""What a ResourceManager tells of applications and nodes: texts of the command `yarn`, answers in JSON and XML.

Source: ApplicationCLI#listApplications (APPLICATIONS_PATTERN), ApplicationCLI#printApplicationReport,
YarnApplicationState, FinalApplicationStatus, AppInfo of both servers, NodeInfo, Hadoop 2.2 to 3.4.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

import msgspec

from engine.errors import ConfigError
from engine.formats.regular_files import MAX_BYTES
from engine.formats.traces.application import (
    RULE,
    ApplicationSums,
    MappingRules,
    TraceApplication,
    TraceNode,
    TraceTasks,
    containers_of,
    whole,
    words,
)
from engine.formats.traces.json_objects import JsonObject, JsonShape, shape_of
from engine.formats.traces.source import TraceSource
from engine.formats.xml import Element, parse_document
from engine.grouping import grouped

# The text of `yarn application -list`: a line of names, then an application a line, in columns between tabs.
#
# It has neither times nor sizes, so that each application is one container of the usual size beside its master.
#
# A terminal makes blanks of the tabs, and breaks long lines. So a line is read from its right end: of progress, final
# state and state the words are known, and before them stand queue, user and type; what is left is the name.

_STATES: Final = "NEW|NEW_SAVING|SUBMITTED|ACCEPTED|RUNNING|FINISHED|FAILED|KILLED"
_FINAL: Final = "UNDEFINED|SUCCEEDED|FAILED|KILLED|ENDED"
_ID: Final = r"application_(\d{1,15})_(\d{1,10})"
_ROW: Final = re.compile(
    rf"\s*(?P<id>{_ID})\s+(?P<facts>\S.*?)\s+(?P<state>{_STATES})(?:\s+(?:{_FINAL})\s+[\d.,]{{1,8}}\s?%.*)?\s*"
)
_WHOLE: Final = re.compile(rf"\s*{_ID}\s.*\s(?:{_STATES})\s+(?:{_FINAL})\s+[\d.,]{{1,8}}\s?%")
_BEGIN: Final = re.compile(rf"\s*{_ID}(?:\s|$)")
LISTS: Final = re.compile(
    rb"Application-Id\s+Application-Name|(?m:^[ \t]*application_\d{1,15}_\d{1,10}[ \t][^\n]{1,2000}?[ \t](?:"
    + f"{_STATES})[ \t]+(?:{_FINAL})[ \t]".encode()
    + rb"+[\d.,]{1,8} ?%)"
)
"""What such a text holds somewhere: the names of its columns, or a row."""
MOST_PIECES: Final = 4  # Into how many lines a terminal breaks a row at most
TWO_WORDS: Final = ("Apache Flink", "YARN Service")  # Types with a blank in them
ONE: Final = "one container beside the master"
NOT_BEGUN: Final = f"{ONE}, of what had not begun"


def read_application_list(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of the list, by their numbers."""
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for number, pieces in _rows(source):
        row = _columns(pieces)
        if row is None:
            source.fault("an application has an id, a name, a type, a user, a queue and a state", number)
            continue
        stamp, _, serial = row[0].removeprefix("application_").partition("_")
        found[whole(stamp) or 0, whole(serial) or 0] = row
    for place, (_, (identity, name, kind, user, queue, state)) in enumerate(sorted(found.items())):
        listed = TraceApplication(
            id=identity,
            name=name,
            submitted_ms=place * 1000,
            tasks=(),
            user=user or None,
            queue=queue or None,
            type=kind,
            state=state,
            inferred={"arrival": "one second apart, in the order of their numbers, since the list has no times"},
        )
        yield with_usual_work(listed, rules, ONE)


def with_usual_work(each: TraceApplication, rules: MappingRules, because: str = NOT_BEGUN) -> TraceApplication:
    """An application whose work is not stated: one container beside its master, by the rule named."""
    inferred = {"containers": because, "duration": rules.duration_rule, "memory and vcores": rules.size_rule}
    tasks = (TraceTasks("container", 1, (rules.duration_ms,)),)
    return msgspec.structs.replace(each, tasks=tasks, inferred={**each.inferred, **inferred})


def _rows(source: TraceSource) -> Iterator[tuple[int, list[str]]]:
    first, pieces = 0, list[str]()
    for number, text in source.lines():
        line = text.lstrip("> ") if text.startswith(">") else text  # quoted, as in a letter
        if _BEGIN.match(line):
            if pieces:
                yield first, pieces
            first, pieces = number, [line]
        elif pieces and len(pieces) < MOST_PIECES and not _WHOLE.match("".join(pieces)):
            pieces.append(line)
    if pieces:
        yield first, pieces


def _columns(pieces: list[str]) -> tuple[str, ...] | None:
    """Id, name, type, user, queue and state; None where these lines hold no application.

    >>> _columns(["application_1_1  word count  MAPREDUCE  ann  root.ann  RUN", "NING  UNDEFINED  5%  N/A"])
    ('application_1_1', 'word count', 'MAPREDUCE', 'ann', 'root.ann', 'RUNNING')
    """
    # Blanks at which a line was broken are lost where a terminal's text is copied.
    joined = [(gap, joints) for gap in (2, 1) for joints in product(("", gap * " "), repeat=len(pieces) - 1)]
    for gap, joints in joined:
        text = pieces[0] + "".join(joint + piece for joint, piece in zip(joints, pieces[1:], strict=True))
        tabbed = [words(each) for each in text.strip().split("\t")]
        if len(tabbed) >= 6 and _BEGIN.fullmatch(tabbed[0]):
            return tuple(tabbed[:6])
        match = _ROW.fullmatch(text)
        facts = _facts(match["facts"], gap) if match is not None else None
        if match is not None and facts is not None:
            return match["id"], *facts, match["state"]
    return None


def _facts(text: str, gap: int) -> tuple[str, ...] | None:
    """Name, type, user and queue with so many blanks between them; one is all where a name is as wide as its column."""
    wide = [words(each) for each in re.split(r"\t|\s{2,}", text.strip())]
    if len(wide) >= 4:
        return " ".join(wide[:-3]), *wide[-3:]
    if gap > 1:
        return None
    for kind in TWO_WORDS:
        text = text.replace(f" {kind} ", f" {kind.replace(' ', chr(0))} ")
    narrow = text.split()
    if len(narrow) < 4:
        return None
    return words(" ".join(narrow[:-3])), *(words(each.replace(chr(0), " ")) for each in narrow[-3:])


# The answer of a ResourceManager to `/ws/v1/cluster/apps` or `/apps/ID`: every application it knows, as JSON.
#
# That of a timeline server to `/ws/v1/applicationhistory/apps` is alike; it calls some fields otherwise.
#
# What ran is known only as sums over the application's life, and of one that runs as what it holds; `summarised` makes
# containers of them, and serves the ApplicationSummary lines of a log, too.

LIST_DEPTH: Final = 3  # How deep an application of the list is: `{"apps": {"app": [{`
SINGLE_DEPTH: Final = 2  # How deep that of `/apps/ID` or of a timeline server is: `{"app": {`, `{"apps": [{`
OF_ITSELF: Final = frozenset({"state", "finalStatus", "queue", "applicationType", "startedTime", "memorySeconds"})
"""Fields of an application, of which one that stands by itself has some beside its id."""
HISTORY: Final = {
    "appId": "id",
    "type": "applicationType",
    "appState": "state",
    "finalAppStatus": "finalStatus",
    "submittedTime": "startedTime",
    "allocatedMemoryMB": "allocatedMB",
    "allocatedCpuVcores": "allocatedVCores",
}
"""Field of a timeline server → of a ResourceManager."""
SUMS: Final = ("memorySeconds", "vcoreSeconds")  # Fields of Hadoop 2.4 and later
AGGREGATE: Final = "aggregateResourceAllocation"  # Field of a timeline server of Hadoop 3: both sums in a text
ALLOCATED: Final = re.compile(r"(\d+) MB-seconds, (\d+) vcore-seconds")
ENDED: Final = frozenset({"FINISHED", "FAILED", "KILLED"})  # States of an application that has ended
BY_TIME: Final = "one container beside the master for the elapsed time, since there is no vcoreSeconds"
NODE_SIZES: Final = (("usedMemoryMB", "availMemoryMB"), ("usedVirtualCores", "availableVirtualCores"))
"""Fields of a node that make its memory, and those that make its vcores."""
SECOND: Final = "further nodes of a host that has one, with another port"
NO_ROOM: Final = "nodes that are {state}, whose size the answer does not say"
HELD: Final = ("allocatedMB", "allocatedVCores", "runningContainers")
STILL_RUNNING: Final = "duration of what still ran: as long as it had run when it was asked for"
ONE_BY_ONE: Final = (
    "duration of what still ran: as if its containers ran one after another, since the time of the request is not known"
)


def read_apps_json(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of an answer, in its order."""
    shape = shape_of(source.head)
    depth = 1
    if shape.top & {"apps", "app"}:
        depth = LIST_DEPTH if {"apps", "app"} <= shape.keys else SINGLE_DEPTH
    return _told(source.objects(depth), source, rules)


def read_apps_xml(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of an answer that a browser asked for; answers may follow one another."""
    return _told(_of_xml(source, "app"), source, rules)


def _told(
    rows: Iterable[tuple[int, JsonObject]], source: TraceSource, rules: MappingRules
) -> Iterator[TraceApplication]:
    for line, fields in rows:
        if "appId" in fields:
            fields |= {HISTORY[name]: value for name, value in fields.items() if name in HISTORY}
        if "id" not in fields:
            continue  # resource requests and the like are as deep
        if (stated := ALLOCATED.match(words(fields.get(AGGREGATE)))) is not None:
            fields |= dict(zip(SUMS, stated.groups(), strict=True))
        started_ms = whole(fields.get("startedTime"))
        if started_ms is None:
            source.fault("an application has a startedTime", line)
            continue
        sums = [fields.get(name) for name in SUMS]
        if any(each is not None and whole(each) is None for each in sums):
            source.fault(f"{' and '.join(SUMS)} are whole numbers from 0 to 2^53", line)
            continue
        yield _told_application(fields, started_ms, rules, has_sums=any(each is not None for each in sums))


def _told_application(fields: JsonObject, started_ms: int, rules: MappingRules, *, has_sums: bool) -> TraceApplication:
    ended_ms = whole(fields.get("finishedTime"), 1)
    elapsed_ms = whole(fields.get("elapsedTime"), 1)
    if ended_ms is None and elapsed_ms is not None and words(fields.get("state")) in ENDED:
        ended_ms = started_ms + elapsed_ms
    found = summarised(fields, started_ms, ended_ms, rules, elapsed_ms=elapsed_ms, has_sums=has_sums)
    if ended_ms is None and not found.tasks and found.master_ms is None:
        found = msgspec.structs.replace(found, master=_asked_master(fields), inferred={})
        found = with_usual_work(found, rules)
    return found


def _of_xml(source: TraceSource, tag: str) -> Iterator[tuple[int, JsonObject]]:
    """Line and fields of each element of this tag that is a root or stands in one."""
    line = 0
    for text in re.split(rb"(?=<\?xml)", source.stream.read(MAX_BYTES + 1)):
        try:
            root = parse_document(text, source.name).root if text.strip() else None
        except ConfigError as error:
            source.report.fault(error.problems[0].message, source.name, line + error.problems[0].line)
            root = None
        for each in () if root is None else (root, *root.elements()):
            if each.tag == tag:
                yield line + each.line, _fields(each)
        line += text.count(b"\n")


def _fields(element: Element) -> JsonObject:
    """Its children by tag: texts, or fields again; a list of those where a tag comes several times.

    >>> _fields(parse_document("<app><id>7</id><tag>a</tag><tag>b</tag><size><mb>1</mb></size></app>").root)
    {'id': '7', 'tag': ['a', 'b'], 'size': {'mb': '1'}}
    """
    found: JsonObject = {}
    for tag, alike in grouped((each.tag, each) for each in element.elements()).items():
        values = [_fields(each) if each.elements() else each.text().strip() for each in alike]
        found[tag] = values[0] if len(values) == 1 else values
    return found


REPORT: Final = re.compile(rb"(?m)^(?:[^\n]{0,2000}\s)?Application Report :")
_REPORTED: Final = re.compile(r"[>\s]*([A-Za-z][\w -]{1,60}?) : ?(.*)")
REPORTED: Final = {
    "Application-Id": "id",
    "Application-Name": "name",
    "Application-Type": "applicationType",
    "User": "user",
    "Queue": "queue",
    "Start-Time": "startedTime",
    "Launch-Time": "launchTime",
    "Finish-Time": "finishedTime",
    "State": "state",
    "Final-State": "finalStatus",
    "Aggregate Resource Allocation": AGGREGATE,
}
"""Word of `yarn application -status` → field of an answer."""


def read_application_reports(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of texts of `yarn application -status`, which may follow one another."""
    return _told(_reports(source), source, rules)


def _reports(source: TraceSource) -> Iterator[tuple[int, JsonObject]]:
    line, fields = 0, JsonObject()
    for number, text in source.lines():
        match = _REPORTED.fullmatch(text)
        word, value = (match[1], match[2].strip()) if match is not None else ("", "")
        if word == "Application-Id":
            if fields:
                yield line, fields
            line, fields = number, {"id": value}
        elif fields and word in REPORTED:
            fields[REPORTED[word]] = value
    if fields:
        yield line, fields


def _asked_master(fields: JsonObject) -> tuple[int, int] | None:
    """Memory [MB] and vcores of the master that an application waits for, where the answer has its only request."""
    try:
        asked = [each["capability"] for each in fields["resourceRequests"]]
        sizes = {(whole(size["memory"], 1), whole(size.get("vCores", size.get("virtualCores")), 1)) for size in asked}
    except (TypeError, KeyError, AttributeError):
        return None
    memory_mb, vcores = sizes.pop() if len(sizes) == 1 else (None, None)
    return None if memory_mb is None or vcores is None else (memory_mb, vcores)


def is_apps_json(shape: JsonShape) -> bool:
    """Whether a text holds applications: in an answer, or one after another as `jq` prints them."""
    return bool(shape.top & {"apps", "app"}) or ("id" in shape.top and len(shape.top & OF_ITSELF) > 1)


def is_nodes_json(shape: JsonShape) -> bool:
    """Whether a text holds nodes: in an answer, or one after another as `jq` prints them."""
    return "nodeHostName" in shape.keys and bool(shape.top & {"nodes", "node", "nodeHostName"})


def read_rm_nodes(source: TraceSource, _rules: MappingRules) -> None:
    """The nodes of an answer to `/ws/v1/cluster/nodes`, which holds no applications."""
    shape = shape_of(source.head)
    depth = LIST_DEPTH if "nodes" in shape.top else SINGLE_DEPTH if "node" in shape.top else 1
    _add_nodes(source.objects(depth), source)


def read_nodes_xml(source: TraceSource, _rules: MappingRules) -> None:
    """The same of an answer that a browser asked for."""
    _add_nodes(_of_xml(source, "node"), source)


def _add_nodes(rows: Iterable[tuple[int, JsonObject]], source: TraceSource) -> None:
    named: dict[str, str] = {}  # host → the id of its node
    for line, fields in rows:
        host, identity = words(fields.get("nodeHostName")), words(fields.get("id"))
        if not host:
            if "state" in fields:  # parts of a node are as deep in what `jq` prints
                source.fault("a node has a nodeHostName", line)
            continue
        if named.setdefault(host, identity) != identity:
            source.report.drop(SECOND)
            continue
        used, left = ([whole(fields.get(name)) or 0 for name in names] for names in zip(*NODE_SIZES, strict=True))
        memory_mb, vcores = used[0] + left[0], used[1] + left[1]
        if memory_mb < 1:
            source.report.drop(NO_ROOM.format(state=words(fields.get("state"))))
            continue
        labels = fields.get("nodeLabels")
        label = labels[0] if isinstance(labels, list) and labels else labels
        rack = words(fields.get("rack")) or None
        source.report.add_node(TraceNode(host, rack, memory_mb, vcores or None, words(label)))


def summarised(
    fields: JsonObject,
    started_ms: int,
    ended_ms: int | None,
    rules: MappingRules,
    *,
    elapsed_ms: int | None = 0,
    has_sums: bool = True,
) -> TraceApplication:
    """An application of which the sums over its life are known.

    `fields` are those of AppInfo; `elapsed_ms` is how long it had run where it had not ended, None where not stated:
    then its containers ran one after another. Without `has_sums` it is one container for as long as it ran.
    """
    inferred: dict[str, str] = {}
    launched_ms = whole(fields.get("launchTime"), 1)
    begin_ms = started_ms if launched_ms is None else launched_ms
    if ended_ms is None:
        inferred["duration"] = ONE_BY_ONE if elapsed_ms is None else STILL_RUNNING
    memory_mb_s, vcore_s = (whole(fields.get(name)) or 0 for name in SUMS)
    if elapsed_ms is None:
        elapsed_ms = begin_ms - started_ms + 1000 * vcore_s
    run_ms = ended_ms - begin_ms if ended_ms is not None else elapsed_ms - (begin_ms - started_ms)
    held = (whole(fields.get(name)) or 0 for name in HELD if ended_ms is None)
    found = containers_of(ApplicationSums(memory_mb_s, vcore_s, run_ms / 1000, *held))
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
        type=words(fields.get("applicationType")),
        state=words(fields.get("finalStatus") if ended_ms else fields.get("state")),
        master=None if found is None else found.master,
        master_ms=None if found is None else found.master_ms,
        is_granted=found is not None,
        inferred=inferred,
    )
