"""A snapshot as text and JSON: what is counted above its tables, and what is left out."""

import json
from typing import Any

import msgspec
import pytest

from engine.explain.alert import Alert
from engine.observe.snapshot import UNKNOWN, Header
from tests.tui import fakes
from tui.commands.snapshot_text import SnapshotText, counts_words, json_text, text_lines, written

ALERT = Alert("stuck", 5, 9, "blocked:\x07 2 waits", "blocked", "queue limit", (2, 3))


def header(**fields: Any) -> Header:
    """A header of a YARN cluster."""
    known = {
        "applications_running": 3, "nodes": 12, "nodes_down": 0, "containers": 40, "containers_pending": 7,
        "nodes_reserved": 2,
    }  # fmt: skip
    return msgspec.structs.replace(fakes.header(), **{**known, **fields})


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "nodes 12   containers 40, 7 asked for   reserved 2 of 12 nodes"),
        ({"nodes_down": 1}, "nodes 12, 1 down   containers 40, 7 asked for   reserved 2 of 12 nodes"),
        ({"containers_pending": UNKNOWN}, "nodes 12   containers 40   reserved 2 of 12 nodes"),
        ({"nodes_reserved": UNKNOWN}, "nodes 12   containers 40, 7 asked for"),
        ({"nodes_reserved": 0, "containers": 0}, "nodes 12   containers 0, 7 asked for   reserved 0 of 12 nodes"),
    ],
)
def test_a_line_counts_what_there_is(fields: dict[str, Any], words: str) -> None:
    """What a cluster does not tell is left out; nothing is a number."""
    assert counts_words(header(**fields), 5) == f" applications 3 running, 5 waiting   {words}"


def shown(**fields: Any) -> SnapshotText:
    """A snapshot of the frozen cluster."""
    given = {"sections": ["nodes", "queues"], "alerts": [ALERT], "notes": ["made\x07 up"]}
    return SnapshotText("scene", 0, fakes.frozen_cluster(), **{**given, **fields})


def test_the_text_has_alerts_and_notes_above_the_tables() -> None:
    """Without what a terminal would obey."""
    lines = text_lines(shown())
    count = len(fakes.frozen_cluster().nodes())

    assert lines[3:5] == [f" ! {lines[3][3:]}", f" ({lines[4][2:-1]})"]
    assert "\x07" not in "".join(lines)
    assert (lines[5], lines[6]) == ("", f"Nodes {count}")
    assert lines[6 + count + 2 :][:2] == ["", f"Queues {len(fakes.frozen_cluster().queues())}"]
    assert all(line == line.rstrip() and line.isascii() for line in lines)


def test_a_section_without_rows_is_its_name() -> None:
    """No head stands over nothing."""
    lines = text_lines(shown(sections=["users"], alerts=[], notes=[]))
    rows = len(fakes.frozen_cluster().users())

    assert lines[3:5] == ["", f"Users {rows}"]
    assert len(lines) == 5 + (rows + 1 if rows else 0)


def test_the_json_says_what_it_is_a_picture_of() -> None:
    """Since when an alert holds is not known."""
    text = json_text(shown())
    document = json.loads(text)

    assert list(document)[:4] == ["schema", "scenario", "at", "alerts"]
    assert document["scenario"] == "scene"
    assert document["alerts"] == [
        {"kind": "stuck", "sentence": "blocked:\x07 2 waits", "verdict": "blocked", "pattern": "queue limit",
         "applications": [2, 3]},
    ]  # fmt: skip
    assert {"nodes", "queues"} <= set(document)
    assert "applications" not in document
    assert text.startswith('{\n "schema": ')
    assert text.endswith("}\n")
    assert written(shown(), as_json=True, as_csv=False) == text


def test_as_csv_there_is_the_first_section() -> None:
    """A row for each of its own."""
    lines = written(shown(), as_json=False, as_csv=True).splitlines()

    assert len(lines) == 1 + len(fakes.frozen_cluster().nodes())
    assert lines[0].split(",")[0] == "id"
