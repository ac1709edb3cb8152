"""Why the tasks of a job wait: its kinds, its starts, and each limit with its figures."""

import pytest

from engine.explain.answer import WhyReport
from engine.observe.mr1_snapshot import JobRow
from tests.tui import answered, fakes
from tests.tui.render.dialect_pictures import job, mapreduce1
from tests.tui.render.drawing import stored
from tui.pages.why import limit_rows, task_rows
from tui.panes.line import Fragments
from tui.protocol.picture import WhySubject
from tui.terminal.format import RelativeTimeFormat

DAY = RelativeTimeFormat(fakes.NOW, 8 * 3_600_000)
SNAPSHOT = mapreduce1().snapshot


def report(code: str = "DOES_NOT_FIT", number: int = 22, starts: tuple[str | None, ...] = (None,)) -> WhyReport:
    document = answered.known()
    ask = document["application"]["asks"][0]
    asks = [{**ask, "priority": kind, "expected_start": at} for kind, at in enumerate(starts)]
    document["application"] = {**document["application"], "id": f"job_1_{number:04d}", "asks": asks}
    document["reasons"] = [answered.reason(code=code, sentence="so it is")] if code else []
    found = answered.answer_of(WhySubject("application", str(number)), document).why
    assert found is not None
    return found


SOON = "2017-11-11T09:02:00.000+08:00"


@pytest.mark.parametrize(
    ("name", "row", "why", "width"),
    [
        ("maps", job(22, (4, 3, 9), (0, 0, 3)), report(starts=(SOON, SOON)), 90),
        ("reduces", job(18, (0, 64, 64), (12, 8, 60)), report("QUEUE_OVER_MAXIMUM", 18, (SOON, SOON)), 90),
        ("turn", job(18, (0, 9, 9), (0, 0, 4)), report("", 18), 60),
        ("other", job(18, (0, 9, 9), (0, 4, 4)), report("SOMETHING", 18, (None, None)), 30),
        ("none", job(18, (0, 0, 0), (0, 0, 1)), report("USER_OVER_LIMIT", 18, (None, SOON)), 90),
    ],
)
def test_tasks_and_limits_are_drawn_as_they_are_stored(name: str, row: JobRow, why: WhyReport, width: int) -> None:
    lines: list[Fragments] = [each.spans for each in task_rows(why, row, DAY, width)]
    lines += [each.spans for each in limit_rows(why, row, SNAPSHOT, width)]
    drawn, kept = stored(f"tasks-{name}", lines)

    assert drawn == kept
