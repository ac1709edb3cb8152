"""All that is known of a row: in groups, with units, times as clock times, nothing left out."""

from typing import Any

import msgspec
import pytest

from engine.model.decision import ApplicationTransitioned
from engine.observe.snapshot import UNKNOWN, AskRow, ExecutorRow
from tests.tui import fakes
from tests.tui.fake_holders import held_cluster
from tui.picture import EventRow
from tui.render.facts import fact_lines, label, moment
from tui.render.line import Look
from tui.render.noun import Noun
from tui.screens.dialects import STANDALONE, YARN
from tui.session.event_log import event_row

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), offset_ms=8 * 3_600_000)
HELD = held_cluster()
EXECUTOR = ExecutorRow(3, 0, "worker1:7078", 4, 2048, 0, "RUNNING", fakes.NOW - 60_000, 2)
ROWS = {
    "application": fakes.application_row(7),
    "queue": fakes.queue_row("root.etl"),
    "node": fakes.node_row("n1"),
    "reservation": fakes.reservation_row("n1"),
    "container": HELD.containers()[0],
    "user": HELD.users()[0],
    "executor": EXECUTOR,
}


NOUNS: dict[type, Noun[Any]] = {
    type(ROWS["application"]): YARN.noun("applications"),
    type(ROWS["queue"]): YARN.noun("queues"),
    type(ROWS["node"]): YARN.noun("nodes"),
    type(ROWS["reservation"]): YARN.noun("reservations"),
    type(ROWS["container"]): YARN.noun("containers"),
    type(ROWS["user"]): YARN.noun("users"),
    type(EXECUTOR): STANDALONE.noun("containers"),
    EventRow: YARN.noun("events"),
}


def facts(row: Any, look: Look = LOOK, width: int = 108) -> list[str]:
    return fact_lines(NOUNS[type(row)].facts(row, look), width)


def _pairs(row: Any, look: Look = LOOK) -> dict[str, str]:
    lines = [line for line in facts(row, look) if line.startswith("  ") and line[2:3].strip()]
    return {line[2:22].rstrip(): line[23:] for line in lines}


@pytest.mark.parametrize("kind", ROWS)
def test_every_field_has_its_group(kind: str) -> None:
    """A new field of a row stands at the end, under a title of its own, until it is given a place."""
    lines = facts(ROWS[kind], LOOK)

    assert ("ALSO" in lines, lines[0].isupper(), "" in lines) == (False, True, True)


@pytest.mark.parametrize("kind", ROWS)
def test_nothing_is_left_out(kind: str) -> None:
    """Every field that says something has its line; only how deep a queue stands is drawn, not told."""
    row = ROWS[kind]
    names = [name for name in row.__struct_fields__ if name != "depth" and getattr(row, name) != ""]
    names += ["partition"] if kind == "node" else []

    assert {label(name) for name in names} == set(_pairs(row))


@pytest.mark.parametrize("kind", ROWS)
def test_no_field_shows_how_it_is_kept(kind: str) -> None:
    """No milliseconds since 1970, no brackets of tuples, no names with a unit behind an underscore."""
    words = "\n".join(facts(ROWS[kind], LOOK))

    assert [sign for sign in ("_ms", "_mb", "(", "None", "UNKNOWN", "151036") if sign in words] == []


def test_amounts_and_times_are_peoples() -> None:
    """Memory with its unit, an instant as a clock shows it and how long ago it was."""
    pairs = _pairs(fakes.application_row(7, used=(61440, 1), reserved=(0, 0)))

    assert (pairs["used"], pairs["submitted"], pairs["ended"]) == (
        "60G memory, 1 vcore", "Sat 08:31:00, 30m00s ago", "it has not",
    )  # fmt: skip


def test_every_ask_has_a_line() -> None:
    asks = (AskRow(1, 2, (4096, 1)), AskRow(2, 3, (8192, 2), ("n1", "n2"), False), AskRow(3, 1, (1024, 1), ("n1",)))
    lines = [line.strip() for line in facts(fakes.application_row(7, asks=asks), LOOK) if " x " in line]

    assert lines == [
        "each                 2 x 4G memory, 1 vcore; priority 1, anywhere",
        "3 x 8G memory, 2 vcores; priority 2, only on n1 n2",
        "1 x 1G memory, 1 vcore; priority 3, near n1",
    ]


def test_what_a_source_cannot_tell_is_said() -> None:
    row = msgspec.structs.replace(fakes.queue_row("root.etl"), fair_share=UNKNOWN, max_share=None)

    assert (_pairs(row)["fair share"], _pairs(row)["max share"]) == ("not known here", "no limit")


def test_a_share_of_memory_only_says_no_vcores() -> None:
    assert _pairs(fakes.queue_row("root.etl", fair_share=(4096, 0)))["fair share"] == "4G memory"


def test_a_long_value_goes_on_under_itself() -> None:
    row = fakes.application_row(7)
    narrow, wide = facts(row, LOOK, 60), facts(row, LOOK, 400)
    reason = next(place for place, line in enumerate(narrow) if line.startswith("  reason"))

    assert max(len(line) for line in narrow) <= 60
    assert narrow[reason + 1].startswith(" " * 23)
    assert " ".join(" ".join(narrow).split()) == " ".join(" ".join(wide).split())


def test_an_event_is_its_sentence_and_its_record() -> None:
    row = event_row(1, fakes.NOW - 343, ApplicationTransitioned(183354, "ACCEPTED", "root.report"))
    pairs = _pairs(row)

    assert (pairs["what happened"], pairs["when"], pairs["kind"], pairs["queue"]) == (
        "STATE: ACCEPTED in report", "2017-11-11 09:00:59.657", "ApplicationTransitioned", "root.report",
    )  # fmt: skip


def test_values_are_told_with_their_units() -> None:
    """A share in per cent of what is used most; memory as such; the present is no time ago."""
    row = HELD.users()[0]
    share = f"{100 * row.share:.1f}% of the cluster, in what it uses most"

    assert share in _pairs(row).values()
    assert moment(LOOK.now_ms, LOOK).endswith(" ago")
    assert ", in " in moment(LOOK.now_ms + 1_000, LOOK)
