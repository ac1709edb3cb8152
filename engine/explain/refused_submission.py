"""Finds a submission that was refused at once, so that no control plane knows an application of it."""

from collections.abc import Sequence
from typing import Final

from engine.explain.remedy_report import EndedReport
from engine.explain.tunable_places import numbers_of, setup_of
from engine.model.identity import application_name
from engine.run.player import Run
from engine.scenario import Scenario
from engine.simulation.records import Record, Submitted
from engine.workload.arrivals import arrivals

REFUSED_STATE: Final = "REFUSED"
"""The state told of an application that was not let in."""


class _Submissions:
    """A listener that keeps who was handed in, in order."""

    def __init__(self) -> None:
        self.all: list[tuple[int, Submitted]] = []

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Keep submissions."""
        self.all += [(time_ms, record) for record in records if isinstance(record, Submitted)]


def refused_submission(scenario: Scenario, at_ms: int, name: str) -> tuple[int, EndedReport] | None:
    """The number and the end of a submission refused by an instant [ms after the start]; None where none is meant.

    It is meant by its name, or by the number that it would have had.
    """
    heard = _Submissions()
    Run(scenario, [heard], at_ms, is_judged=False).advance(at_ms)
    numbers = numbers_of(setup_of(scenario))
    arriving = heard.all[len(heard.all) - min(len(heard.all), len(arrivals(scenario.workload))) :]
    for number, (time_ms, record) in zip(numbers, arriving, strict=False):
        if record.rejected and name in (record.name, str(number)):
            known = application_name(scenario.timestamp, number)
            detail = record.detail or record.rejected
            return number, EndedReport(application=known, state=REFUSED_STATE, at_ms=time_ms, diagnostics=detail)
    return None
