"""What an answer about a twin hangs on, as values; units and ids are those of `report`."""

from engine.explain.report_part import Report


class OtherStart(Report, frozen=True, kw_only=True):
    """When somebody starts where an assumption is otherwise."""

    application: str
    starts_ms: int | None
    """None where not as far as was looked."""


class SensitivityReport(Report, frozen=True, kw_only=True):
    """An assumption that an answer hangs on, and what comes where it is otherwise."""

    assumed: str
    """The assumption, a sentence."""
    applications: tuple[str, ...] = ()
    """Whom it is about."""
    otherwise: str = ""
    """What they do otherwise, e.g. `runs on`; empty where that cannot be played, so that nothing is certain."""
    starts: tuple[OtherStart, ...] = ()
    """Those asked about whose start is another one then."""
    never: bool = True
    """True if those without a start never start then; else not within the time that was looked ahead."""
    looked: bool = True
    """False where there was no time to play it."""
