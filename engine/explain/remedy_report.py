"""The remedies of an instant as values: what each does, starts, frees, loses and delays.

Units and ids are those of `report`.
"""

from datetime import tzinfo
from typing import Any

import msgspec

from engine.explain.remedy import Remedy
from engine.explain.report_part import Report, SensitivityReport
from engine.scenario.acts import Act
from engine.scenario.timed_acts import written_act


class StartReport(Report, frozen=True, kw_only=True):
    """An application that a remedy starts."""

    application: str
    at_ms: int
    expected_ms: int | None
    """When it starts without the remedy; None when not as far as was looked."""


class ExpectedReport(Report, frozen=True, kw_only=True):
    """The instant an application that is asked about starts by itself."""

    application: str
    priority: int | None
    starts_ms: int | None


class FreedReport(Report, frozen=True, kw_only=True):
    """Resources that a remedy frees at once."""

    memory_mb: int
    vcores: int
    reservations: int


class LostReport(Report, frozen=True, kw_only=True):
    """Containers that a remedy kills, and how long they had run [container s]."""

    containers: int
    drivers: int = 0
    """The number of them that are drivers of a Spark Master."""
    seconds: int


class DelayReport(Report, frozen=True, kw_only=True):
    """An application that a remedy delays."""

    application: str
    seconds: int
    is_least: bool
    """True if it is at least that much."""


class ActReport(Report, frozen=True, kw_only=True):
    """An act as a step of a scenario's script does it."""

    act: Act
    """Its application is named by its id."""
    at_s: float
    """After the start of the scenario."""

    def written(self, zone: tzinfo | None) -> dict[str, Any]:
        """The step as a scenario's script has it."""
        return {**written_act(self.act), "at": self.at_s}


class RemedyReport(Report, frozen=True, kw_only=True):
    """A remedy that helps."""

    number: int
    kind: str
    group: str
    """One of `remedy.GROUPS`: what can be done now, what takes a patch, what takes hardware."""
    remedy: Remedy
    application: str | None
    step: ActReport
    then: tuple[ActReport, ...] = ()
    """Submissions of what its act loses, that follow it; those are among the starts by their old ids."""
    starts: tuple[StartReport, ...]
    first_ms: int
    last_ms: int
    also_start: int
    """Number of others that start by it, as far as was played."""
    frees: FreedReport
    loses: LostReport
    delays: tuple[DelayReport, ...]
    harm_s: int
    is_least: bool
    """True if no smaller value helps."""
    is_whole: bool
    """True if nobody else starts by it later; else it was not played far enough to know."""
    alike: tuple[Remedy, ...]
    until_ms: int


class RefusedReport(Report, frozen=True, kw_only=True):
    """A remedy that the control plane does not take."""

    remedy: Remedy
    why: str


class AppliedStart(Report, frozen=True, kw_only=True):
    """A promised start, and the real one."""

    application: str
    promised_ms: int
    at_ms: int | None


class AppliedReport(Report, frozen=True, kw_only=True):
    """The result of the remedy that was applied."""

    number: int
    remedy: Remedy
    refused: str
    until_ms: int
    starts: tuple[AppliedStart, ...]


class PreventionReport(Report, frozen=True, kw_only=True):
    """A setting from the start on, and what came of it."""

    key: str
    """As after `--set`."""
    value: str
    prevents: bool
    """True if at the instant nobody waits who is never given anything."""
    stuck: int
    """Number of applications that still do."""
    failed: int
    """Applications that were refused something, or failed, by the instant."""


class RemediesReport(Report, frozen=True, kw_only=True):
    """The remedies known at an instant."""

    schema: int
    at_ms: int
    targets: tuple[str, ...] = msgspec.field(name="for")
    """Applications that are to start."""
    looked_until_ms: int
    expected: tuple[ExpectedReport, ...]
    never: bool
    """True if none of them starts by itself."""
    tried: int
    of: int
    remedies: tuple[RemedyReport, ...]
    """The best first."""
    useless: tuple[Remedy, ...]
    refused: tuple[RefusedReport, ...]
    assumed: tuple[SensitivityReport, ...] = ()
    """The assumptions of a twin that `expected` hangs on."""
    applied: AppliedReport | None = None
    from_start: tuple[PreventionReport, ...] | None | msgspec.UnsetType = msgspec.UNSET
    """None where there was no time to find them; unset where nobody asked."""
