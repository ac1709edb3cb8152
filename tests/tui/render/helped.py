"""What would help, made by hand: kills, a move, a setting and a machine, with what each starts, loses and delays."""

from typing import Any

import msgspec

from engine.explain.answer import RemediesReport, RemedyReport
from engine.explain.remedy import HARDWARE, PATCH, Remedy
from engine.scenario.acts import AddNode, KillApplication, SetReservationRule
from tests.reports import report_of
from tests.tui import answered


def _instant(second: int) -> str:
    return f"2017-11-11T09:{1 + second // 60:02d}:{second % 60:02d}.000+08:00"


def entry(number: int, seconds: int, remedy: Remedy | None = None, **changes: Any) -> RemedyReport:
    """A kill by which the large application starts so many seconds later."""
    (kill,) = answered.helped()["remedies"]
    act = remedy or Remedy(KillApplication(183330 + number), name=f"etl-{number}")
    start = _instant(seconds)
    written = {**kill, "number": number, "remedy": answered.written(act), "first": start, "last": start, **changes}
    written["starts"] = written.get("starts", kill["starts"])
    return report_of(RemedyReport, written)


def starts(*numbers: int) -> list[dict[str, Any]]:
    return [{"application": answered.name(number), "at": _instant(9), "expected": None} for number in numbers]


NOTHING = {"containers": 0, "seconds": 0}
ENTRIES = (
    entry(1, 3, starts=starts(183354, 183360), alike=[answered.written(Remedy(KillApplication(7)))] * 2),
    entry(
        2,
        95,
        is_least=False,
        is_whole=False,
        frees={"memory_mb": 2048, "vcores": 2, "reservations": 0},
        loses={"containers": 1, "seconds": 59},
        also_start=0,
        delays=[],
    ),
    entry(
        3,
        1500,
        Remedy(SetReservationRule("off")),
        group=PATCH,
        kind="rule",
        frees={"memory_mb": 0, "vcores": 0, "reservations": 0},
        loses=NOTHING,
        delays=[{"application": answered.name(n), "seconds": 60 * n, "is_least": n == 2} for n in (1, 2, 3, 4, 5)],
    ),
    entry(
        4,
        600,
        Remedy(AddNode("n13", 102400, 32)),
        group=HARDWARE,
        kind="add",
        loses=NOTHING,
        frees={"memory_mb": 102400, "vcores": 32, "reservations": 3},
        starts=starts(183354),
    ),
)


def remedies(*entries: RemedyReport, **changes: Any) -> RemediesReport:
    """All four of nine that were tried of twelve, for three that wait; or those given."""
    found = report_of(RemediesReport, answered.helped())
    told = {
        "remedies": entries or ENTRIES,
        "tried": 9,
        "of": 12,
        "targets": (answered.name(183354), answered.name(183360), answered.name(183361)),
        "useless": tuple(Remedy(KillApplication(200 + number)) for number in range(8)),
    }
    return msgspec.structs.replace(found, **{**told, **changes})
