"""What the strip says of an application, in few lines, in some and in many."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from engine.explain.alert import Alert
from engine.observe.snapshot import UNKNOWN, ApplicationRow, ObstacleSummary
from tests.tui import fake_holders, fakes
from tui.picture import Picture, RunState
from tui.render import application, application_brief
from tui.render.line import Look, flat

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000, prefix="10.120.117")


def _said(row: ApplicationRow, height: int, picture: Picture | None = None) -> list[str]:
    lines = application_brief.lines(row, picture or _picture(), LOOK, height)
    return [flat(line).rstrip() for line in lines]


def _picture(nodes: Sequence[Any] = (), *, is_frozen: bool = False) -> Picture:
    snapshot = fakes.FakeSnapshot(fakes.header(), nodes=nodes, containers=fake_holders.containers())
    if not is_frozen:
        return Picture(snapshot, RunState("x"), (), 1)
    freeze = Alert("frozen", fakes.NOW - 60_000, fakes.NOW - 60_000, "Nothing moves", "deadlocked")
    return Picture(snapshot, RunState("x", standing=(freeze,), alerts=(freeze,)), (), 1)


def _holder(*free_mb: int) -> tuple[ApplicationRow, list[Any]]:
    row = fakes.application_row(183354, reservations=len(free_mb), containers=1, used=(1024, 1))
    nodes = [
        fakes.node_row(f"10.120.117.{101 + at}", reserved_by=row.id, reserved=(64000, 1), free=(free, 9))
        for at, free in enumerate(free_mb)
    ]
    return row, nodes


def test_three_lines_say_what_is_held_why_and_what_a_kill_frees() -> None:
    row, nodes = _holder(40960, 40960, 31744)

    assert _said(row, 3, _picture(nodes, is_frozen=True)) == [
        "holds 3 nodes and asks for 62.5G/1c; 22.5G short on 2, 31.5G on .103",
        "never allocated: the nodes it holds must empty first",
        "K kill it: frees 3 nodes, loses 1 container of 1G",
    ]


def test_of_a_live_cluster_never_is_said_with_what_is_assumed() -> None:
    row, nodes = _holder(40960)
    frozen = _picture(nodes, is_frozen=True)
    run = msgspec.structs.replace(frozen.run, recorded="polls")
    kept = msgspec.structs.replace(frozen, run=run)

    assert _said(row, 3, kept)[1] == "never allocated: inferred, if what runs runs on"


def test_more_lines_have_labels() -> None:
    row = fakes.application_row(183330)

    assert _said(row, 6) == [
        "etl · root.etl · SPARK · RUNNING 30m00s",
        "has   60G/15c in 15 containers, on 3 nodes",
        "asks  1 × 4G/1c on any node",
        "why   every node is reserved by another application: 11 by 183354, 1 by 183342",
        "K     frees 60G, loses 15 containers, 60G",
    ]


def test_above_a_circle_the_verdict_stands_alone() -> None:
    row, nodes = _holder(40960)
    first, blank, verdict, kill = _said(row, 17, _picture(nodes, is_frozen=True))

    assert (first.count(" · "), blank) == (5, "")
    assert verdict == "Never allocated: the node it holds must empty first."
    assert kill == "K kill it: frees 1 node, loses 1 container of 1G"


@pytest.mark.parametrize(
    ("free_mb", "words"),
    [
        ((64000, 40960), "it fits on 1 node now"),
        ((63999, 40960, 30720), "1M short on the best of them"),
        ((40960, 40960), "22.5G short on 2"),
    ],
)
def test_what_is_missing_on_held_nodes_is_said_of_two_sizes_at_most(free_mb: tuple[int, ...], words: str) -> None:
    row, nodes = _holder(*free_mb)

    assert f"; {words}" in _said(row, 3, _picture(nodes))[0]


@pytest.mark.parametrize(
    ("changes", "bold"),
    [
        ({}, "waits 30s:"),
        ({"waiting_since_ms": None, "obstacle": None, "asks": ()}, "has 60G/15c in 15 containers"),
        ({"state": "KILLED", "waiting_since_ms": None, "obstacle": None}, "KILLED"),
    ],
)
def test_the_first_words_say_how_it_is(changes: dict[str, Any], bold: str) -> None:
    row = fakes.application_row(183330, **changes)

    assert application_brief.lines(row, _picture(), LOOK, 3)[0][0] == (bold, "strong")


def test_who_has_ended_cannot_be_killed() -> None:
    row = fakes.application_row(7, state="FAILED", waiting_since_ms=None, obstacle=None, diagnostics="AM crashed")

    assert [line for line in _said(row, 6) if line.startswith("K")] == []
    assert "AM crashed" in " ".join(_said(row, 6))


def test_a_reason_that_is_inferred_says_so() -> None:
    obstacle = ObstacleSummary("DOES_NOT_FIT", "no node has 64000 MB free", "inferred")
    row = fakes.application_row(7, obstacle=obstacle, asks=UNKNOWN)
    said = _said(row, 6)

    assert ("asks  ?" in said, "why   no node has 62.5G free (inferred)" in said) == (True, True)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"lifespan": "service"}, "service"),
        ({"lifespan": "session", "jobs": 8, "jobs_done": 3}, "session, 3 of 8 jobs done"),
        (
            {
                "lifespan": "session",
                "jobs": 1,
                "jobs_done": 1,
                "idle_since_ms": fakes.NOW - 12_000,
                "idle_containers": 4,
            },
            "session, idle since 12s, 1 of 1 job done, 4 containers idle",
        ),
    ],
)
def test_a_session_or_service_says_what_it_is_at(fields: dict[str, Any], words: str) -> None:
    row = fakes.application_row(7, **fields)

    assert application_brief.life_words(row, LOOK) == words
    assert _said(row, 6)[0].endswith(words)


@pytest.mark.parametrize(
    ("lives", "is_shown"), [(("", ""), False), (("session", "session"), False), (("session", "job"), True)]
)
def test_lives_have_a_column_where_there_is_more_than_one_kind(lives: tuple[str, str], is_shown: bool) -> None:
    rows = [fakes.application_row(number, lifespan=life) for number, life in enumerate(lives, start=1)]
    titles = [column.title for column in application.grouping(rows, _picture(), LOOK).columns or ()]

    assert titles
    assert ("LIFE" in titles) is is_shown
    assert not is_shown or titles[titles.index("LIFE") - 1] == "STATE"
