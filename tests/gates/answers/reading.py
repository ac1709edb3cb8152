"""One recorded file read by the reader of its page: an answer as a value, an error or a foreign form refused in words.

A file is named by its release and the path that was asked, then `--LABEL` where the request was a special one.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, Final

from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.source import TraceSource
from engine.live.inference import with_obstacles
from engine.live.rest_client import remote_exception
from engine.live.spark import SparkRound, read_executors, read_master, snapshot_of_master
from engine.live.watch_metrics import with_since
from engine.live.yarn_answers import (
    AnswerError,
    ClusterInfo,
    read_activities,
    read_application,
    read_applications,
    read_info,
    read_metrics,
    read_nodes,
    read_queue_reservations,
    read_scheduler,
)
from engine.live.yarn_poll import Round, snapshot_of_round
from engine.live.yarn_queues import queue_rows

READ, REFUSED, NOT_ASKED, WRONG = "read", "refused", "not asked", "wrong"
"""What came of a file: a value, words, a page that a watch has no use for, a mistake of ours."""

_LABEL: Final = r"(?:--[^.]*)?\.json"
_SPARK: Final = r"(?:empty|idle|one|busy|lost|timeout|done)"


def _queues(body: bytes) -> object:
    return queue_rows(read_scheduler(body), (1024, 1), {})


def _master(body: bytes) -> object:
    return snapshot_of_master(SparkRound(0, read_master(body), {}), 1).applications()


READERS: Final[tuple[tuple[re.Pattern[str], Callable[[bytes], object]], ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"ws_v1_cluster(?:_info)?{_LABEL}", read_info),
        (rf"ws_v1_cluster_metrics{_LABEL}", read_metrics),
        (rf"ws_v1_cluster_scheduler{_LABEL}", _queues),
        (rf"ws_v1_cluster_nodes(?:_states?=[A-Za-z,]+)?{_LABEL}", read_nodes),
        (rf"ws_v1_cluster_apps(?:_[A-Za-z]+=.*?)?{_LABEL}", read_applications),
        (rf"ws_v1_cluster_apps_application_\d+{_LABEL}", read_application),
        (rf"ws_v1_cluster_scheduler_app-activities_.*?{_LABEL}", read_activities),
        (r"jmx_qry=.*\.json", read_queue_reservations),
        (rf"{_SPARK}_master_json\.json", _master),
        (rf"{_SPARK}_worker\d_json\.json", read_executors),
        (r".*\.(?:html|xml|txt)", read_metrics),
    )
)
"""Name of a file → how a watch reads it; the first that fits counts."""

_RELEASE: Final = re.compile(r"^\d\.\d\.\d_")
_FOREIGN: Final = re.compile(r".*\.(?:md|tsv)|index\.json|incident\.json|attempts\.json|ha-.*\.txt|\d.*-\w+\.json")
"""What no server answered: notes and lists beside the recordings."""


def outcome(name: str, data: bytes, status: int = 200) -> tuple[str, str]:
    """What comes of a file, and in which words.

    Args:
        name: Of the file, without its folder.
        data: What it holds.
        status: That of the answer.
    """
    plain = _RELEASE.sub("", name)
    if "series" in plain:
        return _of_series(gzip.decompress(data))
    if plain.startswith("rm"):
        return _of_log(gzip.decompress(data) if plain.endswith(".gz") else data)
    if plain == name and _FOREIGN.fullmatch(name):
        return NOT_ASKED, ""
    read = next((read for pattern, read in READERS if pattern.fullmatch(plain)), None)
    if read is None:
        return NOT_ASKED, ""
    return _of_answer(read, data, is_good=status == 200 and plain.endswith(".json"))


def _of_answer(read: Callable[[bytes], object], data: bytes, *, is_good: bool) -> tuple[str, str]:
    try:
        read(data)
    except AnswerError as error:
        words = remote_exception(data) or str(error)
        return (WRONG if is_good else REFUSED), words
    return (READ, "") if is_good else (WRONG, "an error was read as an answer")


def _of_log(data: bytes) -> tuple[str, str]:
    timeline = timeline_of([TraceSource([BytesIO(data)], "rm.log", ImportReport())])
    return (READ, f"{len(timeline.reservations)} reservations") if timeline.end_ms else (READ, "no line")


def _of_series(data: bytes) -> tuple[str, str]:
    """Rounds of polls as snapshots; those in which the server gave no answer are counted."""
    count = failed = 0
    for poll in map(json.loads, data.splitlines()):
        try:
            for _ in _snapshots(poll):
                count += 1
        except (AnswerError, KeyError):
            failed += 1
    return (READ if count else WRONG), f"{count} rounds, {failed} without an answer"


def _snapshots(poll: dict[str, Any]) -> Iterator[object]:
    parts = {name: json.dumps(poll[name]).encode() for name in ("metrics", "scheduler", "nodes", "apps")}
    answers = Round(
        int(poll["t"] * 1000),
        ClusterInfo(started_on=0),
        read_metrics(parts["metrics"]),
        read_scheduler(parts["scheduler"]),
        read_nodes(parts["nodes"]),
        read_applications(parts["apps"]),
    )
    yield with_obstacles(snapshot_of_round(answers, 1, with_since(answers, {})))
