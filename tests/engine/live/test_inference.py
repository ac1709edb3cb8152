"""Why applications of a live cluster wait, concluded from recorded answers."""

from collections import Counter

import msgspec
import pytest

from engine.live.inference import holders_of, insisted_on, reason_said, said_of, with_obstacles
from engine.live.yarn_answers import NodeInfo
from engine.live.yarn_picture import Round
from engine.observe.snapshot import UNKNOWN, ApplicationRow, AskRow
from tests.engine.live.recorded import round_of, snapshot_of

FROZEN = round_of("2.7.2-fair")
"""Every node is reserved."""
CULPRIT = 10


def explained(answers: Round) -> dict[int, ApplicationRow]:
    """The applications of a round by number, with why they wait."""
    return {row.number: row for row in with_obstacles(snapshot_of(answers)).applications()}


def code_of(row: ApplicationRow) -> str:
    """The reason it waits for; empty when it does not."""
    return "" if row.obstacle is None else row.obstacle.code


def test_the_applications_behind_the_reservations_are_found() -> None:
    """On 2.7.2, which says nobody's reservations: eleven nodes of one, and one of another, as its log says."""
    last = with_obstacles(snapshot_of(FROZEN))
    held = Counter(row.application.rpartition("_")[2] for row in last.reservations())

    assert held == {"0010": 11, "0016": 1}
    assert {name.rpartition("_")[2] for name in holders_of(last)} == set(held)


def test_others_wait_for_the_reserved_nodes() -> None:
    rows = explained(FROZEN)
    waiting = [row for row in rows.values() if row.state == "ACCEPTED" and row.asks]

    assert waiting
    assert {row.obstacle and (row.obstacle.code, row.obstacle.certainty) for row in waiting} == {
        ("NODE_RESERVED", "inferred")
    }
    assert code_of(rows[CULPRIT]) == "DOES_NOT_FIT"


def with_nodes(answers: Round, **changes: int) -> Round:
    nodes: list[NodeInfo] = [msgspec.structs.replace(each, **changes) for each in answers.nodes]
    return answers._replace(nodes=nodes)


def test_what_a_server_says_is_whole_without_its_date_and_figures() -> None:
    """3.x writes a date in brackets before and numbers after it; the cause may be the second sentence."""
    date, not_yet = (
        "[Sat Nov 21 00:25:36 +0000 2026] ",
        "Application is added to the scheduler and is not yet activated. ",
    )
    cause = "The queue root.dev has reached the maximum limit of runnable applications."

    assert said_of(f"{date}Application is Activated, waiting.  Details : AM Partition = <X> ; ") == (
        "Application is Activated, waiting"
    )
    assert said_of(f"{date}{not_yet} {cause}") == f"{not_yet}{cause}".rstrip(".")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("The queue root.dev has reached the maximum limit of runnable applications", "QUEUE_NOT_RUNNING_IT"),
        ("Queue's AM resource limit exceeded", "AM_SHARE_EXHAUSTED"),
        ("User's AM resource limit exceeded", "USER_AM_SHARE_EXHAUSTED"),
        ("Application is Activated, waiting for resources to be assigned for AM", "OTHER_FIRST"),
    ],
)
def test_who_waits_is_grouped_by_the_cause_that_the_server_names(words: str, code: str) -> None:
    assert reason_said(f"Application is added to the scheduler and is not yet activated. {words}").name == code


def test_an_ask_over_the_maximum_of_a_queue_above_is_said_with_both_amounts() -> None:
    answers = FROZEN
    body = bytes(answers.scheduler.body).replace(
        b'"maxResources":{"memory":1228800', b'"maxResources":{"memory":716000'
    )
    body = bytes(answers.scheduler.body).replace(
        b'"maxResources": {"memory": 1228800', b'"maxResources": {"memory": 716000'
    )
    limited = answers._replace(scheduler=answers.scheduler._replace(body=msgspec.Raw(body)))
    found = explained(limited)[CULPRIT].obstacle

    assert found is not None
    assert (found.code, "716000 MB" in found.sentence) == ("QUEUE_OVER_MAXIMUM", True)


@pytest.mark.parametrize(("free_mb", "code"), [(64_000, "OTHER_FIRST"), (63_999, "DOES_NOT_FIT")])
def test_an_ask_fits_on_a_node_that_has_just_as_much_free(free_mb: int, code: str) -> None:
    rows = explained(with_nodes(FROZEN, avail_memory_mb=free_mb))

    assert code_of(rows[CULPRIT]) == code


def test_a_reserved_node_of_an_unknown_holder_is_not_said_to_be_the_known_holders() -> None:
    """Where every node is reserved, and it is known for whom all but one are."""
    snapshot = snapshot_of(FROZEN)
    other = next(row.node for row in snapshot.reservations() if row.application.endswith("_0016"))
    nodes = [
        msgspec.structs.replace(node, reserved_by=UNKNOWN) if node.id == other else node for node in snapshot.nodes()
    ]
    known = [row for row in snapshot.reservations() if row.node != other]
    rows = with_obstacles(snapshot.with_rows("nodes", nodes).with_rows("reservations", known)).applications()

    obstacles = [row.obstacle for row in rows if row.state == "ACCEPTED" and row.obstacle is not None]
    assert {each.sentence for each in obstacles} == {"12 of 12 nodes reserved by 0010 and others"}


@pytest.mark.parametrize(
    ("places", "is_relaxed", "wanted"),
    [
        (("n1", "/r"), False, {"n1"}),
        (("/r",), False, {"/r"}),
        (("n1", "/r"), True, set()),
        ((), False, set()),
    ],
)
def test_who_insists_on_a_host_does_not_want_its_rack(
    places: tuple[str, ...], wanted: set[str], *, is_relaxed: bool
) -> None:
    """Racks count where no host is named; where locality is relaxed any place will do."""
    assert insisted_on(AskRow(1, 1, (1, 1), places, is_relaxed), {"n1", "n2"}) == wanted
