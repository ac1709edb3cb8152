"""A circle of waiting applications: boxes where there is room, else a list; its figures come from the snapshot."""

from typing import Any

import msgspec

from engine.explain.report import ProofReport
from engine.observe.snapshot import AskRow, ObstacleSummary, ReservationRow
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.fake_holders import container_row
from tui.render.circle import CirclePart, circle_lines
from tui.render.circle_parts import parts_of, reservation_steps
from tui.render.line import flat, length

HOLDER = CirclePart("183354", "weekly model", 0, "holds 2 nodes", "needs 18.5G more on one of its 2 nodes")
FILLERS = CirclePart("183314", "search index", 6, "fill 56G of each node", "each needs one container more, on any node")


def drawn(parts: list[CirclePart], width: int) -> list[str]:
    return [flat(line).rstrip() for line in circle_lines(parts, width)]


def test_two_parts_are_boxes_with_an_arrow_there_and_one_back() -> None:
    """What each needs stands above its arrow, or below the one that comes back."""
    lines = drawn([HOLDER, FILLERS], 110)

    assert len(lines) == 5
    assert [line.index("╭") for line in lines[:1]] == [4]
    assert "needs 18.5G more on one of its 2 nodes" in lines[0]
    assert "│ 183354" in lines[1]
    assert "─→ │ 7 applications" in lines[1]
    assert "│ 183314 search index …" in lines[2]
    assert "│ ←─" in lines[3]
    assert "fill 56G of each node" in lines[3]
    assert "each needs one container more, on any node" in lines[4]


def test_boxes_give_way_to_a_list_where_a_label_does_not_fit() -> None:
    """At the least width for boxes the longer label has one blank and an arrow's end on each side; below, a list."""
    words = len("fill 56G of each node"), len("each needs one container more, on any node")
    least = 2 * (words[0] + 4) + words[1] + 4

    assert drawn([HOLDER, FILLERS], least)[0].startswith("╭")
    assert drawn([HOLDER, FILLERS], least - 1) == [
        "183354 weekly model holds 2 nodes",
        "  │   needs 18.5G more on one of its 2 nodes",
        "183314 search index and 6 others fill 56G of each node",
        "  │   each needs one container more, on any node",
        "  ╰─→ 183354 again, and so on for ever",
    ]


def test_three_parts_come_back_below() -> None:
    """A line leads from the last box to the first and says what the last one needs."""
    third = HOLDER._replace(number="183399", needs="needs its turn to run")
    lines = drawn([HOLDER, FILLERS, third], 116)

    assert len(lines) == 7
    assert (lines[5].strip()[0], lines[6].strip()[0], lines[6][-1]) == ("↑", "╰", "╯")
    assert "─ needs its turn to run ─" in lines[6]
    assert lines[5].index("│") == len(lines[6]) - 1


def test_more_than_three_parts_are_a_list_at_any_width() -> None:
    parts = [HOLDER._replace(number=str(number)) for number in range(1, 5)]

    assert [line[0] for line in drawn(parts, 200)[::2]] == ["1", "2", "3", "4", " "]


def test_no_width_makes_a_line_longer_than_it() -> None:
    for width in range(24, 140):
        assert all(length(line) <= width for line in circle_lines([HOLDER, FILLERS], width))


def reservation(node: str, short_mb: int) -> ReservationRow:
    return ReservationRow(
        node=fakes.node_id(node),
        application=fakes.BIG,
        queue="root.mining",
        size=(64000, 4),
        free=(64000 - short_mb, 8),
        short_by=(short_mb, 0),
        since_ms=fakes.NOW,
    )


def frozen(*waiting: int, hosts: tuple[str, ...] = ("a", "b")) -> fakes.FakeSnapshot:
    """Some nodes reserved by one application; each of the others has 8 GB on every node and waits for one more."""
    refused = ObstacleSummary("NODE_RESERVED", "reserved by 183354")
    asks = (AskRow(priority=0, count=1, size=(8192, 1)),)
    rows = [fakes.application_row(number, name=f"job {number}", asks=asks, obstacle=refused) for number in waiting]
    big = fakes.application_row(183354, name="weekly model")
    containers = [
        msgspec.structs.replace(container_row(row.number, host), application=row.id, size=(8192, 1))
        for row in rows
        for host in hosts
    ]
    return fakes.FakeSnapshot(
        fakes.header(),
        applications=[big, *rows],
        reservations=[reservation(host, 18944 + 1024 * place) for place, host in enumerate(hosts)],
        containers=containers,
    )


def test_the_parts_of_a_reservation_deadlock_have_their_figures() -> None:
    snapshot = frozen(183314, 183315, 183316)
    steps = reservation_steps(snapshot, answered.name(183354))

    assert parts_of(steps, {}, snapshot) == [
        HOLDER,
        FILLERS._replace(name="job 183314", others=2, holds="fill 24G of each node"),
    ]


def test_who_waits_for_a_reserved_node_is_shown_the_circle_it_waits_for() -> None:
    snapshot = frozen(183314)
    steps = reservation_steps(snapshot, answered.name(183314))

    assert [step.application for step in steps] == [answered.name(183354), answered.name(183314)]
    assert parts_of(steps, {}, snapshot)[1].needs == "needs one container more, on any node"


def test_nobody_is_in_a_circle_where_nothing_is_reserved() -> None:
    nothing: dict[str, Any] = {"applications": [fakes.application_row(7)]}
    idle = frozen(183314).having(applications=[fakes.application_row(183314, obstacle=None)])

    assert reservation_steps(fakes.FakeSnapshot(fakes.header(), **nothing), answered.name(7)) == []
    assert reservation_steps(idle, answered.name(183354)) == []


def test_without_figures_a_part_says_what_the_proof_says() -> None:
    parts = parts_of(
        report_of(ProofReport, answered.deadlocked()["proof"]).cycle, {answered.name(183354): "weekly"}, None
    )

    assert [part.holds for part in parts] == ["holds 10.120.117.84", "fills 10.120.117.84"]
    assert [part.needs for part in parts] == ["needs room on 10.120.117.84", "needs a container on 10.120.117.84"]
    assert parts[0].name == "weekly"


def test_a_circle_is_said_to_last_for_ever_only_where_that_is_proven() -> None:
    proven = [flat(circle_lines([HOLDER, FILLERS], 50, is_proven=known)[-1]) for known in (True, False)]

    assert proven == ["  ╰─→ 183354 again, and so on for ever", "  ╰─→ 183354 again"]
