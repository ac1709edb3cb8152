"""Settings of queues as they are, shares before and after, who is killed, kinds of clusters: no screen."""

import pytest

from tui.acts.applications import setting_question
from tui.protocol.picture import ShareChange

# Settings of queues


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


# Who is killed


# Kinds of clusters
