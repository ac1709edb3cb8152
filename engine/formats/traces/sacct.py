"""Slurm's accounting as `sacct -P` writes it: a line of names between bars, then a job or a step of one a line.

Columns are found by their names, in any order. A job is taken as one of a batch log is; its steps are left out.

Source: sacct(1) of Slurm.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from engine.formats.traces.application import TraceApplication, whole, words
from engine.formats.traces.busy import UNKNOWN_SIZE, UNKNOWN_SUBMIT, BusyProcessors
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource
from engine.formats.traces.swf import MAX_PROCESSORS, PROPORTIONAL, tasks_of

NAMES: Final = rb"(?:\w+\|)*JobID(?:Raw)?(?:\||\r?\n)"
PROCESSORS: Final = ("AllocCPUS", "NCPUS", "ReqCPUS")
"""Columns of the processors of a job; the first that is above 0 counts."""
RESOURCES: Final = ("AllocTRES", "ReqTRES")
"""Columns of all its resources, as `billing=4,cpu=4,mem=8G,node=1`; looked at where no other one says."""
STEP: Final = "steps of jobs, whose processors are those of the job"
LOCAL: Final = "sacct writes no time zone: its times are taken as UTC"
NO_TIMES: Final = "it has no times; ask sacct -P -o JobID,User,Partition,Submit,Start,End,Elapsed,AllocCPUS,State"
_ELAPSED: Final = re.compile(r"(?:(\d{1,6})-)?(\d{1,3}):(\d\d):(\d\d)")

_CPU: Final = re.compile(r"(?:^|,)cpu=(\d+)")

Row = Mapping[str, str]


def read_sacct(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The jobs of the table, in its order; sacct never writes how large the machine is."""
    busy = BusyProcessors()
    try:
        yield from _jobs(source, rules, busy)
    finally:  # also where only some of them are taken
        if busy.most:
            source.report.add_machine(busy.most, is_named=False, is_timed=busy.is_timed)


def _jobs(source: TraceSource, rules: MappingRules, busy: BusyProcessors) -> Iterator[TraceApplication]:
    names: list[str] = []
    for number, line in source.lines():
        columns = [each.strip() for each in line.split("|")]
        if not names:
            names = columns
            source.report.note(LOCAL)
            if not {"Submit", "Start"} & set(names):
                source.fault(NO_TIMES, number)
                return
            continue
        row = dict(zip(names, columns, strict=False))
        identity = row.get("JobID") or row.get("JobIDRaw", "")
        submitted_ms = _instant_ms(row.get("Submit") or row.get("Start", ""))
        if "." in identity:
            source.report.drop(STEP)
        elif not identity or submitted_ms is None:
            source.fault("a job has a JobID, and a Submit or a Start", number)
        else:
            job = _job(identity, row, submitted_ms, rules)
            if job.tasks:
                processors = sum(tasks.count * (tasks.vcores or 1) for tasks in job.tasks)
                busy.add(processors, _instant_ms(row.get("Start", "")), job.finished_ms)
            yield job


def _job(identity: str, row: Row, submitted_ms: int, rules: MappingRules) -> TraceApplication:
    texts = [row.get(each) for each in PROCESSORS]
    texts += [match[1] for each in RESOURCES if (match := _CPU.search(row.get(each) or ""))]
    inferred = {"containers": rules.processor_rule, "memory": PROPORTIONAL}
    processors = next((found for text in texts if (found := whole(text, 1, MAX_PROCESSORS))), 0)
    if not any(texts):
        processors, inferred["processors"] = 1, UNKNOWN_SIZE
    if _instant_ms(row.get("Submit", "")) is None:
        inferred["arrival"] = UNKNOWN_SUBMIT
    started_ms, ended_ms = _instant_ms(row.get("Start", "")), _instant_ms(row.get("End", ""))
    run_ms = _elapsed_ms(row)
    if run_ms is None and started_ms is not None and ended_ms is not None:
        run_ms = ended_ms - started_ms
    runs = processors > 0 and run_ms is not None and run_ms > 0
    return TraceApplication(
        id=words(identity),
        name=words(row.get("JobName")),
        submitted_ms=submitted_ms,
        finished_ms=ended_ms,
        tasks=tuple(tasks_of(processors, run_ms or 0, rules.container_mb, rules)) if runs else (),
        behaviour="containers" if rules.processors is None else "gang",
        user=words(row.get("User")) or None,
        queue=words(row.get("Partition")) or None,
        state=words(row.get("State")).partition(" ")[0],
        has_master=False,
        inferred=inferred,
    )


def _instant_ms(text: str) -> int | None:
    """Epoch ms, also of epoch seconds (SLURM_TIME_FORMAT=%s); None of `Unknown`, `None` and the like."""
    if text.isascii() and text.isdigit() and 9 <= len(text) <= 11:
        return int(text) * 1000
    try:
        return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000
    except (ValueError, OverflowError):
        return None


def _elapsed_ms(row: Row) -> int | None:
    """Return how long a job ran.

    >>> _elapsed_ms({"Elapsed": "1-00:00:01"}), _elapsed_ms({"ElapsedRaw": "7"}), _elapsed_ms({})
    (86401000, 7000, None)
    """
    raw_s = whole(row.get("ElapsedRaw"))
    if raw_s is not None:
        return raw_s * 1000
    match = _ELAPSED.fullmatch(row.get("Elapsed", ""))
    if match is None:
        return None
    days, hours, minutes, seconds = (int(each or 0) for each in match.groups())
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
