"""Each kind of record in a sentence."""

from typing import Any

import pytest

from tests.tui import fakes
from tui.picture import EventRow
from tui.render.event_words import event_text
from tui.render.line import Look
from tui.render.mark import ActLine

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
SPARK = LOOK._replace(dimensions=("memory_mb", "cores"))
ACT_MS = fakes.NOW - 5000
KILL = ActLine.of("KillApplication", ACT_MS, f"kill {fakes.OTHER}.")


def _event(at_ms: int, kind: str, /, **fields: Any) -> EventRow:
    return EventRow(at_ms, at_ms, kind, fields)


@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        (
            "Submitted",
            {"application": 7, "name": "a\nb", "user": "ann", "queue": "root.a", "type": "SPARK", "rejected": ""},
            ("SUBMIT", "held", "a b by ann to root.a, SPARK", 7, None),
        ),
        (
            "Submitted",
            {
                "application": 7,
                "name": "a",
                "user": "ann",
                "queue": "",
                "type": "SPARK",
                "rejected": "NO",
                "detail": "",
            },
            ("REFUSED", "alarm", "a of ann: NO", None, None),
        ),
        (
            "Submitted",
            {
                "application": 7,
                "name": "a",
                "user": "ann",
                "queue": "q",
                "type": "X",
                "rejected": "NO",
                "detail": "why",
            },
            ("REFUSED", "alarm", "a of ann to q: why", None, None),
        ),
        (
            "DriverQueued",
            {"driver": 3, "name": "etl", "user": "ann", "memory_mb": 1024, "cores": 2},
            ("SUBMIT", "held", "driver 3 etl by ann, 1G/2c", None, None),
        ),
        (
            "Refused",
            {"event": "KillApplication", "rejected": "NO", "detail": "", "application": 0},
            ("REFUSED", "alarm", "kill application: NO", None, None),
        ),
        (
            "Refused",
            {"event": "Ask", "rejected": "NO", "detail": "too much", "application": 7},
            ("REFUSED", "alarm", "ask: too much", 7, None),
        ),
        (
            "Asked",
            {"application": 7, "count": 0, "memory_mb": 0, "vcores": 0, "priority": 3},
            ("ASK", "text", "asks for nothing more at priority 3", 7, None),
        ),
        (
            "Asked",
            {"application": 7, "count": 2, "memory_mb": 1024, "vcores": 1, "priority": 3},
            ("ASK", "text", "asks for 2 × 1G/1c at priority 3", 7, None),
        ),
        ("Started", {"container": (7, 1, 2), "node": "n1:1"}, ("START", "text", "container 2 runs on n1", 7, "n1:1")),
        ("Draining", {"node": "n1:1"}, ("DRAIN", "watch", "node n1 gets no further containers", None, "n1:1")),
        (
            "NodeJoined",
            {"node": "n1:1", "rack": "/r", "memory_mb": 1024, "vcores": 2},
            ("JOIN", "good", "node n1 with 1G/2c, /r", None, "n1:1"),
        ),
        ("NodeLost", {"node": "n1:1", "state": "UNHEALTHY"}, ("LOST", "alarm", "node n1 is unhealthy", None, "n1:1")),
        (
            "NodeResized",
            {"node": "n1:1", "memory_mb": 2048, "vcores": 2},
            ("RESIZE", "held", "node n1 has 2G/2c now", None, "n1:1"),
        ),
        (
            "NodeRelabelled",
            {"node": "n1:1", "partition": "gpu"},
            ("LABEL", "held", "node n1 moved to partition gpu", None, "n1:1"),
        ),
        (
            "NodeRelabelled",
            {"node": "n1:1", "partition": ""},
            ("LABEL", "held", "node n1 moved to the default partition", None, "n1:1"),
        ),
        (
            "Alert",
            {"kind": "frozen", "sentence": "no\nmore", "applications": ()},
            ("ALERT", "alarm", "no more", None, None),
        ),
        ("Alert", {"kind": "over", "sentence": "over", "applications": (7, 8)}, ("ALERT", "good", "over", 7, None)),
        ("Alert", {"kind": "stuck", "sentence": "stuck", "applications": (7,)}, ("ALERT", "watch", "stuck", 7, None)),
        (
            "Completed",
            {"container": (7, 1, 2), "node": "n1:1", "exit_status": 0},
            ("END", "text", "container 2 on n1 completed", 7, "n1:1"),
        ),
        (
            "ApplicationTransitioned",
            {"application": 7, "state": "KILLED", "queue": "root.a", "detail": "by\nann"},
            ("STATE", "alarm", "KILLED in a: by ann", 7, None),
        ),
        (
            "ApplicationTransitioned",
            {"application": 7, "state": "RUNNING", "queue": "", "detail": ""},
            ("STATE", "good", "RUNNING", 7, None),
        ),
        (
            "Other",
            {
                "of": {"name": "a"},
                "type": {"type": "b"},
                "none": {},
                "long": "x" * 90,
                "off": False,
                "application": "7",
            },
            ("OTHER", "held", f"of a, type b, none , long {'x' * 80}, off off, application 7", None, None),
        ),
    ],
)
def test_a_record_is_told_in_a_sentence(kind: str, fields: dict[str, Any], told: tuple[object, ...]) -> None:
    """Its word, how bad it is, the sentence, whom and which node it is about."""
    said = event_text(_event(1, kind, **fields), LOOK)

    assert (said.verb, said.style, said.sentence, said.application, said.node) == told


@pytest.mark.parametrize(
    ("kind", "fields", "sentence"),
    [
        ("Draining", {"node": "w1:1"}, "worker w1 gets no further executors"),
        ("Asked", {"application": 7, "count": 0, "memory_mb": 0, "vcores": 0, "priority": 3}, "asks for nothing more"),
    ],
)
def test_a_record_of_sparks_master_has_its_words(kind: str, fields: dict[str, Any], sentence: str) -> None:
    """It ranks no asks."""
    assert event_text(_event(1, kind, **fields), SPARK).sentence == sentence
