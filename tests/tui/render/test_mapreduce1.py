"""Jobs of MapReduce 1 by what their tasks wait for, and the slots of trackers."""

from types import SimpleNamespace
from typing import Any

import pytest

from engine.observe.mr1_snapshot import JobRow
from engine.observe.snapshot import ObstacleSummary
from tests.tui.fakes import header
from tui.panes.line import RenderContext, flat
from tui.panes.mapreduce1 import JOB_COLUMNS, by_slots

LOOK = RenderContext(60_000, ("map_slots", "reduce_slots"), (48, 48))
FULL = ObstacleSummary("QUEUE_OVER_MAXIMUM", "pool search runs 12 reduces, its maximum is 12")


def _job(number: int, maps: Any, reduces: Any, obstacle: ObstacleSummary | None = None, **more: Any) -> JobRow:
    waits = sum(max(0, every - finished - running) for running, finished, every in (maps, reduces))
    fields: dict[str, Any] = {
        "id": f"job_1_{number:04d}", "number": number, "name": "n", "user": "u", "queue": "search", "type": "MAPREDUCE",
        "state": "RUNNING", "submitted_ms": 0, "waiting_since_ms": 0 if obstacle else None, "finished_ms": None,
        "used": (maps[0], reduces[0]), "containers": maps[0] + reduces[0], "reserved": (0, 0), "reservations": 0,
        "asks": (), "pending_containers": waits if obstacle else 0, "obstacle": obstacle, "priority": "NORMAL",
        "maps": maps, "reduces": reduces, "failed_attempts": 0, "local_maps": (0, 0, 0),
    }  # fmt: skip
    return JobRow(**{**fields, **more})


def _groups(rows: list[JobRow]) -> list[tuple[str, list[int]]]:
    picture: Any = SimpleNamespace(snapshot=SimpleNamespace(header=header(total=(48, 48), used=(48, 30))))
    return [(flat(group.words), list(group.places)) for group in by_slots(rows, picture, LOOK).groups]


def test_who_fills_a_pool_stands_over_those_that_wait_for_it() -> None:
    """It has more than half of what the pool runs; idle slots of the kind are told."""
    rows = [_job(18, (0, 64, 64), (12, 8, 60), FULL), _job(21, (0, 40, 40), (0, 0, 16), FULL)]

    assert _groups(rows) == [
        ("1 fills search with 12 reduces; 18 reduce slots of the cluster are idle", [0]),
        ("1 waits at the maximum of search pool search runs 12 reduces, its maximum is 12", [1]),
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (_job(1, (2, 0, 9), (0, 0, 4), FULL), "7 maps"),
        (_job(1, (0, 9, 9), (1, 2, 4), FULL), "1 reduce"),
        (_job(1, (1, 8, 9), (0, 0, 4)), "not yet: 1 map left"),
        (_job(1, (1, 8, 9), (4, 0, 4)), "–"),
    ],
)
def test_what_waits_for_a_slot_is_counted_maps_first(row: JobRow, words: str) -> None:
    """Reduces come once no map waits; before their slow start the maps left are counted."""
    column = next(each for each in JOB_COLUMNS if each.title == "WAIT FOR A SLOT")

    assert column.cell(row, LOOK, 20)[0] == words
