"""Settings of queues as they are, shares before and after, who is killed, kinds of clusters: no screen."""

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, QueueRow
from tests.tui import fakes
from tests.tui.render import dialect_pictures
from tui.picture import ShareChange
from tui.screens.act_questions import first_named, left_out, setting_question
from tui.screens.queue_settings import value_now

# Settings of queues


YARN_DIMENSIONS = ("memory_mb", "vcores")
FAIR = fakes.queue_row("root.a", weight=2.5, min_share=(1024, 2), max_share=(4096, 8))
CAPACITY_ROW = dialect_pictures.capacity().snapshot.queues()[2]


@pytest.mark.parametrize(
    ("row", "key", "value"),
    [
        (FAIR, "weight", "2.5"),
        (msgspec.structs.replace(FAIR, weight=UNKNOWN), "weight", None),
        (FAIR, "schedulingPolicy", "fair"),
        (FAIR, "schedulingMode", "fair"),
        (FAIR, "minMaps", "1024"),
        (FAIR, "minReduces", "2"),
        (msgspec.structs.replace(FAIR, min_share=UNKNOWN), "minMaps", None),
        (FAIR, "minResources", "1024 mb, 2 vcores"),
        (FAIR, "maxResources", "4096 mb, 8 vcores"),
        (msgspec.structs.replace(FAIR, max_share=None), "maxResources", None),
        (msgspec.structs.replace(FAIR, max_share=UNKNOWN), "maxResources", None),
        (FAIR, "other", None),
        (CAPACITY_ROW, "state", "STOPPED"),
        (CAPACITY_ROW, "ordering-policy", "fifo"),
        (msgspec.structs.replace(CAPACITY_ROW, is_leaf=False), "ordering-policy", None),
        (CAPACITY_ROW, "capacity", None),
    ],
)
def test_a_setting_is_told_as_its_file_writes_it(row: QueueRow, key: str, value: str | None) -> None:
    assert value_now(row, key, YARN_DIMENSIONS) == value


def change(number: int, after_mb: int, what: str = "fair share") -> ShareChange:
    return ShareChange(f"root.q{number}", 1024, after_mb, what)


HOLDS = ("", "It holds until the queues are loaded from their file again.")


@pytest.mark.parametrize(
    ("shares", "lines"),
    [
        ([], ()),
        ([change(1, 1024), change(2, 1024, "maximum")], ("No fair share or maximum changes by it now.",)),
        (
            [change(1, 1024), change(2, 2048), change(10, 512)],
            (
                "fair share of memory, before and after:",
                "  root.q2        1G ->      2G",
                "  root.q10       1G ->    512M",
            ),
        ),
        (
            [change(2, 2048), change(2, 3072, "maximum"), change(3, 2048)],
            (
                "fair share of memory, before and after:",
                "  root.q2       1G ->      2G",
                "  root.q3       1G ->      2G",
                "maximum of memory, before and after:",
                "  root.q2       1G ->      3G",
            ),
        ),
    ],
)
def test_a_setting_is_asked_about_with_the_shares_it_changes(shares: list[ShareChange], lines: tuple[str, ...]) -> None:
    question = setting_question("root.a", "weight", "2", shares)

    assert question.lines == ("Set weight of root.a to 2?", "", *lines, *HOLDS)
    assert (question.title, question.yes) == ("Change a queue", "Change it")


@pytest.mark.parametrize(("count", "words"), [(0, []), (1, ["not    1 other: gone"]), (2, ["not    2 others: gone"])])
def test_what_is_left_out_is_said_with_the_reason(count: int, words: list[str]) -> None:
    assert left_out(count, "gone") == words
    assert first_named([]) == []


# Who is killed


# Kinds of clusters
