"""Snapshots as plain values."""

import csv
import io
import json
from typing import Any

import msgspec

from engine.control_plane.spark_master import SparkMaster
from engine.formats.scenario_toml import load
from engine.observe.documents import document, header_cells, row_cells, row_object, section_rows, sections_of, table_csv
from engine.observe.snapshot import (
    SECTIONS,
    ApplicationRow,
    AskRow,
    ObstacleSummary,
    QueueRow,
    ReservationRow,
    UserRow,
)
from engine.run import Run
from tests.engine.run.pictures import application

DIMENSIONS = ("memory_mb", "vcores")


def queue(**changes: Any) -> QueueRow:
    little = QueueRow(
        path="root.a",
        depth=1,
        is_leaf=True,
        policy="fair",
        used=(1024, 1),
        fair_share=(2048, 2),
        min_share=(0, 0),
        max_share=None,
        reserved=(0, 0),
        applications_running=1,
        applications_pending=0,
        containers=1,
        starved_since_ms=None,
    )
    return msgspec.structs.replace(little, **changes)


def test_amounts_name_their_dimensions() -> None:
    assert row_object(queue(), DIMENSIONS)["used"] == {"memory_mb": 1024, "vcores": 1}


def test_what_cannot_be_told_is_null_and_named() -> None:
    told = row_object(queue(), DIMENSIONS)

    assert (told["demand"], told["max_share"], told["unknown"]) == (None, None, ["weight", "demand", "steady_share"])


def test_a_row_told_in_full_names_nothing_unknown() -> None:
    assert "unknown" not in row_object(queue(weight=1.5, demand=(1, 1), steady_share=(1, 1)), DIMENSIONS)


def test_asks_are_objects_within_their_application() -> None:
    ask = row_object(AskRow(20, 3, (1024, 1), ("n1",)), DIMENSIONS)

    assert ask == {
        "priority": 20,
        "count": 3,
        "size": {"memory_mb": 1024, "vcores": 1},
        "places": ["n1"],
        "relax_locality": True,
    }


def test_a_table_has_a_column_per_dimension() -> None:
    """Null is empty, true is `true`, and what cannot be told is named last."""
    text = table_csv([queue()], QueueRow, DIMENSIONS)
    line = next(csv.DictReader(io.StringIO(text)))

    assert (line["used_memory_mb"], line["used_vcores"], line["demand_vcores"], line["max_share_vcores"]) == (
        "1024",
        "1",
        "",
        "",
    )
    assert (line["is_leaf"], line["unknown"]) == ("true", "weight demand steady_share")


def test_every_row_is_as_wide_as_its_header() -> None:
    run = Run(load("reservation-deadlock"))
    run.advance(90 * 60_000)
    snapshot = run.snapshot()
    widths = {
        (name, len(row_cells(row, DIMENSIONS)) - len(header_cells(type(row), DIMENSIONS)))
        for name in [*sections_of(snapshot), "containers"]
        for row in section_rows(snapshot, name)
    }

    assert widths == {
        ("queues", 0),
        ("nodes", 0),
        ("applications", 0),
        ("reservations", 0),
        ("users", 0),
        ("containers", 0),
    }


def test_an_empty_table_keeps_its_header() -> None:
    text = table_csv([], ReservationRow, ("memory_mb", "vcores"))

    assert text == (
        "node,application,queue,size_memory_mb,size_vcores,free_memory_mb,free_vcores,"
        "short_by_memory_mb,short_by_vcores,since_ms,"
        "released_outcome,released_time_ms,released_by,released_from_ms,unknown\r\n"
    )


def test_words_with_commas_and_breaks_are_quoted() -> None:
    lines = list(csv.DictReader(io.StringIO(table_csv([queue(path='a,"b"\nc')], QueueRow, DIMENSIONS), newline="")))

    assert [line["path"] for line in lines] == ['a,"b"\nc']


def test_the_document_is_plain_json() -> None:
    run = Run(load("reservation-deadlock"))
    run.advance(12 * 60_000)
    told = json.loads(json.dumps(document(run.snapshot(), sections_of(run.snapshot()))))

    assert list(told) == ["schema", "cluster", "queues", "nodes", "applications", "reservations", "users"]
    assert told["cluster"]["total"] == {"memory_mb": 1228800, "vcores": 384}
    assert {type(one["number"]) for one in told["applications"]} == {int}


def test_a_spark_master_tells_executors() -> None:
    run = Run(load("spark-packing"))
    run.advance(60_000)
    snapshot = run.snapshot()
    told = document(snapshot, sections_of(snapshot))

    assert isinstance(run.simulation.control_plane, SparkMaster)
    assert (list(told)[-1], set(told["executors"][0]) >= {"application", "executor", "worker"}) == ("executors", True)
    assert "fair_share" in told["queues"][0]["unknown"]


def test_executors_of_a_yarn_cluster_are_none() -> None:
    assert section_rows(Run(load("reservation-deadlock")).snapshot(), "executors") == ()


def test_every_section_has_its_rows() -> None:
    assert list(SECTIONS) == ["queues", "nodes", "applications", "reservations", "users", "executors", "containers"]


def test_lists_of_a_flat_row_are_words_or_json() -> None:
    """Asks are JSON with names as they are written; nothing asked for is an empty cell, as is no queue."""
    asking = msgspec.structs.replace(application(1), asks=(AskRow(1, 2, (512, 1), ("nö1",)),))
    of_nothing, of_something = (
        dict(zip(header_cells(ApplicationRow, DIMENSIONS), row_cells(row, DIMENSIONS), strict=True))
        for row in (application(1), asking)
    )
    user = UserRow("ann", ("root.a", "root.b"), 1, 0, 1, (1024, 1), (0, 0), 3, (0, 0), 0.25)

    assert of_nothing["asks"] == ""
    assert "nö1" in str(of_something["asks"])
    assert json.loads(str(of_something["asks"]))[0]["size"] == {"memory_mb": 512, "vcores": 1}
    assert row_cells(user, DIMENSIONS)[1] == "root.a root.b"


def test_a_refusal_is_an_object_in_its_row() -> None:
    row = msgspec.structs.replace(application(1), obstacle=ObstacleSummary("DOES_NOT_FIT", "too full"))

    assert row_object(row, DIMENSIONS)["refusal"] == {
        "code": "DOES_NOT_FIT",
        "sentence": "too full",
        "certainty": "known",
    }
    assert "too full" in row_cells(row, DIMENSIONS)
