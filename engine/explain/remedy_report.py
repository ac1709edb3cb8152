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
from engine.settings.tunables import Takes


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


class ChangeReport(Report, frozen=True, kw_only=True):
    """One value that is set from the start."""

    key: str
    """The whole key of a property, the element of an allocation file, or what the owner of an application sets."""
    queue: str = ""
    """Of an element of a user: the user."""
    partition: str = ""
    application: str = ""
    """Name of the application whose owner sets it."""
    value: str
    before: str = ""
    lines: tuple[str, ...] = ()
    """File and lines to write, or the options of a submission."""


class StartRemedyReport(Report, frozen=True, kw_only=True):
    """Values that help when they are set from the start."""

    number: int
    sentence: str
    takes: Takes
    changes: tuple[ChangeReport, ...]
    after: str
    """What to run once they are written."""
    risk: str
    starts: tuple[StartReport, ...]
    refuses: int
    """Submissions and requests refused, and applications failed, by them."""
    loses: LostReport
    delays: tuple[DelayReport, ...]
    harm_s: int


class EndedReport(Report, frozen=True, kw_only=True):
    """An application that is asked about and is not there any more, or never was."""

    application: str
    state: str
    """Its state, or `REFUSED`."""
    at_ms: int | None
    diagnostics: str


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
    from_start: tuple[StartRemedyReport, ...] | msgspec.UnsetType = msgspec.UNSET
    """What helps when it is set from the start, numbered with `remedies`; unset where that was not looked for."""
    tried_from_start: int = 0
    of_from_start: int = 0
    """Values that are tried, and that there are."""
    ended: EndedReport | None = None
    """Given for an application that does not wait as it is not there."""
