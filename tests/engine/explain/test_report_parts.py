"""Parts of answers as plain values: fields, instants of a place, what is left out."""

from datetime import UTC, timedelta, timezone
from typing import Any, NamedTuple

import msgspec

from engine.explain.aftermath_report import AftermathReport, NodeBlock, NodeUse
from engine.explain.obstacle_rows import ObstacleRow, without_setting
from engine.explain.remedy import Remedy
from engine.explain.remedy_report import ActReport
from engine.explain.report import ApplicationReport, AskReport, HolderReport
from engine.explain.report_part import Report
from engine.scenario.acts import KillApplication
from engine.schedulers.scheduler_view import Setting


class Pair(NamedTuple):
    """A named tuple."""

    one: int
    two: str


class Inner(msgspec.Struct, frozen=True):
    """A struct that is no report."""

    until_ms: int = 0
    other: int = 5


class Part(Report, frozen=True, kw_only=True):
    """A part with a field of every kind."""

    at_ms: int
    since_ms: int | None = None
    words: str = ""
    parts: tuple["Part", ...] = ()
    inner: Inner | None = None
    pair: Pair | None = None
    remedy: Remedy | None = None
    unset: int | msgspec.UnsetType = msgspec.UNSET
    sizes: tuple[Any, ...] = ()
    length_ms: str = ""


class Whole(Report, frozen=True, kw_only=True, omit_defaults=False):
    """A part that leaves nothing out."""

    at_ms: int | None = None
    words: str = ""
    unset: int | msgspec.UnsetType = msgspec.UNSET


def test_what_has_its_default_is_left_out() -> None:
    """A part may say that nothing is; what is not set never is."""
    assert Part(at_ms=0).written(UTC) == {"at": "1970-01-01T00:00:00.000+00:00"}
    assert Whole().written(UTC) == {"at": None, "words": ""}


def test_instants_are_of_a_place_and_parts_are_written_alike() -> None:
    """Whole numbers in fields of instants only; named tuples are objects, other tuples lists."""
    part = Part(
        at_ms=1000,
        since_ms=0,
        words="w",
        parts=(Part(at_ms=1),),
        inner=Inner(2000),
        pair=Pair(1, "x"),
        remedy=Remedy(KillApplication(3), name="n"),
        sizes=(1, (2, Inner()), NodeBlock("q", "a", 7)),
        length_ms="late",
    )

    assert part.written(timezone(timedelta(hours=1))) == {
        "at": "1970-01-01T01:00:01.000+01:00",
        "since": "1970-01-01T01:00:00.000+01:00",
        "words": "w",
        "parts": [{"at": "1970-01-01T01:00:00.001+01:00"}],
        "inner": {"until": "1970-01-01T01:00:02.000+01:00", "other": 5},
        "pair": {"one": 1, "two": "x"},
        "remedy": "kill application 3 (n)",
        "sizes": [1, [2, {"until": "1970-01-01T01:00:00.000+01:00", "other": 5}], ["q", "a", 7]],
        "length": "late",
    }


def test_an_act_is_written_as_a_step_of_a_script() -> None:
    """With the time after the start in seconds."""
    step = ActReport(act=KillApplication("application_1_0003"), at_s=1.5).written(UTC)

    assert step == {"do": "kill", "application": "application_1_0003", "at": 1.5}


def test_a_row_is_written_with_its_sentence_in_place_of_its_parts() -> None:
    """Counted over its nodes, also where a field has its default."""
    row = ObstacleRow("CODE", "too full", "NODE", "SKIPPED", count=2, of=3, noun="node", nodes=("n1", "n2"))
    written = row.written(UTC)

    assert list(written)[:2] == ["code", "sentence"]
    assert written["sentence"] == row.sentence
    assert not {"answer", "noun"} & written.keys()
    assert (written["count"], written["subject"], written["decided_by"]) == (2, "", None)
    assert ObstacleRow("CODE", "too full", "", "").sentence == "too full"


def test_a_row_may_lose_its_setting() -> None:
    """One without stays the same."""
    row = ObstacleRow("CODE", "a", "", "", decided_by=Setting("k", "v"))
    plain = without_setting(row)

    assert (plain.decided_by, plain.code) == (None, "CODE")
    assert without_setting(plain) is plain


def test_an_application_that_is_not_known_asks_for_nothing() -> None:
    """It has an id and a number; one that is known may wait or not."""
    nobody = ApplicationReport(id="a", number=1)
    ask = AskReport(
        priority=1, count=2, size=(1, 1), places=(), relax_locality=True, verdict=None, expected_start_ms=None
    )
    somebody = ApplicationReport(id="a", number=1, state="RUNNING", waiting_since_ms=0, asks=(ask,))

    assert (nobody.is_known, nobody.listed_asks, nobody.since_ms) == (False, (), None)
    assert (somebody.is_known, somebody.listed_asks, somebody.since_ms) == (True, (ask,), 0)
    assert ApplicationReport(id="a", number=1, state="RUNNING", waiting_since_ms=None).since_ms is None
    assert nobody.written(UTC) == {"id": "a", "number": 1}


def test_a_holder_without_containers_and_reservations_only_comes_first() -> None:
    """One of them is enough to hold something."""
    none = HolderReport(
        application="a", name="", queue="", because="", memory_mb=0, vcores=0, containers=(), container_count=0,
        nodes=(), reservations=(), waits=False, until_ms="later",
    )  # fmt: skip

    assert none.holds_nothing
    assert not msgspec.structs.replace(none, container_count=1).holds_nothing
    assert not msgspec.structs.replace(none, reservations=("n1",)).holds_nothing
    assert none.written(UTC)["until"] == "later"


def test_blocks_of_a_node_are_lists() -> None:
    """Of queue, application and memory."""
    use = NodeUse("n1", 8, 1, True, (NodeBlock("q", "a", 7),))
    written = AftermathReport(bucket_s=10, before=(0,)).written(UTC)

    assert Part(at_ms=0, sizes=(use,)).written(UTC)["sizes"] == [
        {"node": "n1", "total_mb": 8, "free_mb": 1, "is_reserved": True, "blocks": [["q", "a", 7]]}
    ]
    assert (written["number"], written["memory"], written["nodes"]) == (
        0,
        {"before": None, "most": None},
        {"now": [], "then": []},
    )
