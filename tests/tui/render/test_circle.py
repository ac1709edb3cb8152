"""A circle of waiting applications: boxes where there is room, else a list; its figures come from the snapshot."""

import msgspec

from engine.observe.snapshot import AskRow, ObstacleSummary, ReservationRow
from tests.tui import answered, fakes
from tests.tui.fake_holders import container_row
from tui.pages.circle import CirclePart, circle_lines, parts_of, reservation_steps
from tui.panes.line import flat, length

HOLDER = CirclePart("183354", "weekly model", 0, "holds 2 nodes", "needs 18.5G more on one of its 2 nodes")
FILLERS = CirclePart("183314", "search index", 6, "fill 56G of each node", "each needs one container more, on any node")


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

    fillers = (183314, 183315, 183316)

    assert parts_of(steps, {}, snapshot) == [
        HOLDER._replace(ids=(answered.name(183354),)),
        FILLERS._replace(
            name="job 183314", others=2, holds="fill 24G of each node", ids=tuple(map(answered.name, fillers))
        ),
    ]


def test_a_circle_is_said_to_last_for_ever_only_where_that_is_proven() -> None:
    proven = [flat(circle_lines([HOLDER, FILLERS], 50, is_proven=known)[-1]) for known in (True, False)]

    assert proven == ["  ╰─→ 183354 again, and so on for ever", "  ╰─→ 183354 again"]
