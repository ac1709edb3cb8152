"""What each user's applications hold and want together."""

import msgspec

from engine.formats.scenario_toml import load
from engine.observe.releases import users_of
from engine.observe.snapshot import AskRow, UserRow
from engine.run import Run
from tests.engine.run.pictures import application


def test_a_user_has_the_sum_of_live_applications() -> None:
    rows = [
        msgspec.structs.replace(application(1), asks=(AskRow(1, 3, (1024, 2)), AskRow(2, 1, (512, 1)))),
        application(2, "ACCEPTED", queue="root.dev"),
        application(3, "KILLED"),
        msgspec.structs.replace(application(4), user="a"),
    ]

    assert users_of(rows, (8192, 4)) == [
        UserRow("a", ("root.prod",), 1, 0, 1, (1024, 1), (0, 0), 3, (0, 0), 0.25),
        UserRow("u", ("root.dev", "root.prod"), 1, 1, 2, (2048, 2), (0, 0), 6, (3584, 7), 0.5),
    ]


def test_users_hold_what_the_cluster_has_given() -> None:
    for name in ("reservation-deadlock", "spark-cores-hoarded"):
        run = Run(load(name))
        run.advance(10 * 60_000)
        snapshot = run.snapshot()
        rows = snapshot.users()

        assert sum(row.used[1] for row in rows) == snapshot.header.used[1]
        assert sum(row.containers for row in rows) == snapshot.header.containers


def test_a_share_is_of_the_scarcest_dimension_the_cluster_has() -> None:
    """Also where the cluster has one of it; a cluster of nothing is shared by nobody."""
    rows = [application(1)]

    assert [users_of(rows, total)[0].share for total in ((8192, 1), (8192, 0), (0, 0))] == [1.0, 0.125, 0.0]
