"""Answers made by hand, and a question whose work is done by the test: the incident, without an engine."""

import asyncio
from typing import Any, Final

import msgspec

from engine.explain.answer import PlaceReport, RemediesReport, WhyReport
from engine.explain.impact import ImpactReport
from engine.explain.obstacles import ReportBase
from engine.explain.remedy import Remedy
from engine.scenario.acts import KillApplication, SetReservationRule
from tests.reports import report_of
from tui.protocol.picture import ACT, CLUSTER, WhyAnswer, WhySubject

NOW = 1510362060000
TIMESTAMP = 1507795051888
AT = "2017-11-11T09:01:00.000+08:00"
OFFSET_MS = 8 * 3_600_000
OPEN: Final[dict[str, Any]] = {"verdict": None, "expected_start": None}
"""What is known of an ask while it is looked for."""


def name(number: int) -> str:
    return f"application_{TIMESTAMP}_{number}"


def reason(**changes: Any) -> dict[str, Any]:
    return {
        "code": "DOES_NOT_FIT",
        "sentence": "11 of 12 nodes: too full, 64000 MB wanted and the freest has 40960 MB",
        "level": "NODE",
        "state": "RE_RESERVED",
        "diagnostic": "NODE_DO_NOT_HAVE_SUFFICIENT_RESOURCE",
        "count": 11,
        "of": 12,
        "nodes": ["10.120.117.84", "10.120.117.85"],
        "subject": "",
        "numbers": {"wanted_mb": 64000, "free_mb": 40960},
        "decided_by": {"key": "yarn.nodemanager.resource.memory-mb", "value": "102400"},
        "certainty": "known",
        "together": [],
        **changes,
    }


def known(number: int = 183354, **changes: Any) -> dict[str, Any]:
    """What is known of an application that waits, before anything was looked for."""
    return {
        "schema": 1,
        "at": AT,
        "application": {
            "id": name(number),
            "number": number,
            "name": "weekly-pyspark",
            "user": "mining",
            "queue": "root.report",
            "state": "ACCEPTED",
            "waiting_since": "2017-11-11T09:00:30.000+08:00",
            "asks": [{"priority": 0, "count": 1, "size": [64000, 1], "places": [], "relax_locality": True, **OPEN}],
            "diagnostics": "",
        },
        "verdict": "",
        "pattern": "",
        "reasons": [
            reason(),
            reason(
                code="NODE_RESERVED",
                sentence="11 of 12 nodes: reserved by 183342 for 64000 MB, nothing for others",
                nodes=["10.120.117.100"],
                state="REJECTED",
                decided_by={"key": "schedlab.reservation.rule", "value": "strict"},
            ),
        ],
        "facts": [],
        "expected_start": None,
        "holders": [],
        "proof": None,
        "not_counted": [],
        "request": None,
        "point_of_no_return": None,
        "would_help": None,
        **changes,
    }


def holder(number: int, **changes: Any) -> dict[str, Any]:
    """Who holds containers for ever and waits."""
    return {
        "application": name(number),
        "name": f"etl-{number}",
        "queue": "root.etl",
        "because": "DOES_NOT_FIT",
        "memory_mb": 61440,
        "vcores": 15,
        "containers": [],
        "container_count": 15,
        "nodes": ["10.120.117.84:45454"],
        "reservations": [],
        "waits": True,
        "until": "never",
        **changes,
    }


def deadlocked() -> dict[str, Any]:
    steps = [(183354, 183342, "DOES_NOT_FIT"), (183342, 183354, "NODE_RESERVED")]
    return known(
        verdict="deadlocked",
        pattern="reservation deadlock",
        facts=[{"node": "10.120.117.84:45454", "code": "DOES_NOT_FIT", "numbers": [64000, 40960, 1, 17]}],
        holders=[
            holder(183342),
            holder(
                183330, container_count=0, reservations=["10.120.117.100:45454"], until="2017-11-12T08:00:00.000+08:00"
            ),
        ],
        proof={
            "from": AT,
            "looked_until": "2017-11-11T09:02:10.000+08:00",
            "allocations": 0,
            "last_allocation": None,
            "still": True,
            "cycle": [
                {"application": name(a), "waits_for": name(b), "because": why, "node": "10.120.117.84:45454"}
                for a, b, why in steps
            ],
            "for_ever": [],
            "passed_by": [],
            "bound": [],
            "over": None,
        },
    )


def written(remedy: Remedy) -> dict[str, Any]:
    """A remedy as a report holds it."""
    found: dict[str, Any] = msgspec.to_builtins(remedy)
    return found


def helped() -> dict[str, Any]:
    """What was tried: one of two helps."""
    start = "2017-11-11T09:01:01.500+08:00"
    kill = {
        "number": 1,
        "kind": "kill",
        "group": "now",
        "remedy": written(Remedy(KillApplication(183342), name="etl-183342")),
        "application": name(183342),
        "step": {"do": "kill", "application": name(183342), "at": 1860.001},
        "starts": [{"application": name(183354), "at": start, "expected": None}],
        "first": start,
        "last": start,
        "also_start": 2,
        "frees": {"memory_mb": 61440, "vcores": 15, "reservations": 1},
        "loses": {"containers": 15, "seconds": 5400},
        "delays": [{"application": name(183330), "seconds": 90, "is_least": True}],
        "harm_s": 5490,
        "is_least": True,
        "is_whole": True,
        "alike": [],
        "until": "2017-11-11T09:31:00.001+08:00",
    }
    return {
        "schema": 1,
        "at": AT,
        "for": [name(183354)],
        "looked_until": "2017-11-11T09:02:10.000+08:00",
        "expected": [{"application": name(183354), "priority": None, "starts": None}],
        "never": True,
        "tried": 2,
        "of": 2,
        "remedies": [kill],
        "useless": [written(Remedy(SetReservationRule("off")))],
        "refused": [],
    }


def followed() -> dict[str, Any]:
    """What follows the kill of an application."""
    return {
        "number": 1,
        "remedy": written(Remedy(KillApplication(183342), name="etl-183342")),
        "happenings": [
            {"at": "2017-11-11T09:01:00.001+08:00", "words": "15 containers and 1 reservation go", "is_target": False},
            {"at": "2017-11-11T09:01:01.500+08:00", "words": "183354 starts on 10.120.117.84", "is_target": True},
        ],
        "refused": "",
        "bucket_s": 10,
        "before": [2] * 12 + [0] * 18,
        "allocated": [8, 8, 4, 2, 0, 1] + [0] * 54,
        "begun": [
            {"application": name(183354), "at": "2017-11-11T09:01:01.500+08:00", "ran": False},
            {"application": name(183330), "at": "2017-11-11T09:02:01.000+08:00", "ran": True},
        ],
        "killed": 15,
        "dropped": 1,
        "preempted": 0,
        "stays": [{"application": name(183330), "node": "10.120.117.100:45454", "until": None}],
        "memory": {
            "before": {"at": AT, "used_mb": 737280, "total_mb": 1228800, "percent": 60},
            "most": {"at": "2017-11-11T09:01:20.000+08:00", "used_mb": 1167360, "total_mb": 1228800, "percent": 95},
        },
        "nodes": {
            "now": [node(host, 7, 0) for host in (84, 85, 86, *range(101, 109), 100)],
            "then": [node(host, 7, 4) for host in (84, 85, 86, *range(101, 109), 100)],
        },
    }


def node(host: int, etl: int, reports: int) -> dict[str, Any]:
    """A node with containers of 8 GB in two queues; one without those of the second is reserved."""
    blocks = [["root.etl", name(183342), 8192]] * etl + [["root.report", name(183354), 8192]] * reports
    return {
        "node": f"10.120.117.{host}:45454",
        "total_mb": 102400,
        "free_mb": 102400 - 8192 * (etl + reports),
        "is_reserved": not reports,
        "blocks": blocks,
    }


def place(kind: str, key: str) -> dict[str, Any]:
    """Who waits at a place: one application, for one reason."""
    waiter = {
        "application": name(183354),
        "name": "weekly-pyspark",
        "queue": "root.report",
        "waiting_since": "2017-11-11T09:00:30.000+08:00",
        "pending": 1,
        "reasons": [reason()],
    }
    return {"schema": 1, "at": AT, kind: key, "waiting": [waiter]}


def reports(subject: WhySubject, document: dict[str, Any]) -> dict[str, ReportBase]:
    """The fields of an answer that hold a document."""
    if subject.kind == ACT:
        return {"aftermath": report_of(ImpactReport, document["aftermath"])}
    if subject.kind == CLUSTER:
        return {"plan": report_of(RemediesReport, document)}
    if subject.kind == "application":
        return {"why": report_of(WhyReport, document)}
    return {"place": report_of(PlaceReport, document)}


def answer_of(subject: WhySubject, document: dict[str, Any], **changes: Any) -> WhyAnswer:
    return WhyAnswer(subject, NOW, OFFSET_MS, **{**reports(subject, document), **changes})


class FakeQuestion:
    """A question that knows only what a test tells it."""

    def __init__(self, subject: WhySubject) -> None:
        self._news = asyncio.Event()
        doing = {"application": "simulating ahead", ACT: "trying it on a copy", CLUSTER: "trying remedies"}.get(
            subject.kind, ""
        )
        is_one = subject.kind == "application"
        self.answer = WhyAnswer(subject, NOW, OFFSET_MS, doing=doing, reached_ms=NOW if is_one else None)
        """As told last."""
        if subject.kind != ACT:
            empty = {**helped(), "remedies": [], "useless": []} if subject.kind == CLUSTER else {}
            self.tell(known(int(subject.key)) if is_one else empty or place(subject.kind, subject.key))
        self.calls: list[str] = []
        """`start` and `stop` are when somebody begins and ends to wait for more."""

    def tell(self, document: dict[str, Any] | None = None, **changes: Any) -> None:
        """Find something out; the document is as `--json` writes it, that of an act holds only what follows."""
        if document:
            changes |= reports(self.answer.subject, document)
        self.answer = msgspec.structs.replace(self.answer, **changes)
        self._news.set()

    async def more(self) -> WhyAnswer:
        """Wait for what the test tells next."""
        self.calls.append("start")
        try:
            await self._news.wait()
        except asyncio.CancelledError:
            self.calls.append("stop")
            raise
        self._news.clear()
        return self.answer


def turning(*, late: bool) -> dict[str, Any]:
    """The way back there was; `late` when nothing ends it any more."""
    remedy = {
        "remedy": written(Remedy(KillApplication(183354))),
        "latest": "2017-11-11T09:00:58.000+08:00",
        "still_helps": not late,
    }
    instants = {"formed": AT, "inevitable": "2017-11-11T09:00:25.000+08:00", "latest": remedy["latest"]}
    return {**instants, "remedies": [remedy]}
