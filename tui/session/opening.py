"""Opens a session on a scenario or on a kept run, played up to an instant, or on the twin of a cluster."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import ConfigError
from engine.formats.scenario_references import placed
from engine.formats.scenario_toml import load_with_places
from engine.live.twin.applications import read_assumptions
from engine.live.twin.twin import TwinConfiguration, is_frozen, twin_of
from engine.observe.journal import Fingerprint, JournalWriter
from engine.observe.snapshot import Snapshot
from engine.run.run_reader import KeptRun, check_replayed, checked_replay
from engine.run.run_store import Progressed, RecordedRun
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.units import parse_instant_option
from tui.protocol.session import OpenTwin
from tui.session.alert_monitor import AlertMonitor, EventLog
from tui.session.run_saver import RunSaver
from tui.session.session import Session
from tui.session.time_travel import TimeTravel
from tui.terminal import format as text

Said = Mapping[str, str] | None  # Returns the settings that a server tells; None where it tells none


async def _says_nothing() -> Said:
    return None


class TwinOpener:
    """Implements `protocol.session.TwinProtocol`."""

    def __init__(
        self,
        where: str,
        looked_at: Callable[[], Snapshot],
        configured: Callable[[Snapshot, Said], TwinConfiguration],
        *,
        settings: Callable[[], Awaitable[Said]] = _says_nothing,
        offset_ms: int = 0,
    ) -> None:
        """`configured` is the configuration of a cluster, given what its server says; `offset_ms` is for names."""
        self._where, self._looked_at, self._configured = where, looked_at, configured
        self._settings, self._offset_ms = settings, offset_ms

    async def open(self, words: str) -> OpenTwin:
        """A session that stands at the instant looked at; a `ConfigError` where words or configuration do not fit."""
        snapshot = self._looked_at()
        twin = self._twin(snapshot, words, await self._settings())
        at = text.clock(snapshot.header.time_ms, self._offset_ms)
        name = f"TWIN of {self._where} at {at}"
        scenario = twin.model_copy(update={"name": name, "title": name})
        log, alerts = EventLog(), AlertMonitor()
        recorded = RecordedRun.begin(scenario, [log, alerts])
        session = Session(recorded.run, log, travel=TimeTravel(recorded), alerts=alerts, paused=True)
        return OpenTwin(session, tuple(each.sentence for each in twin.assumed))

    async def is_frozen(self, words: str) -> bool:
        from engine.live.rest_client import run_in_thread_if_slow  # noqa: PLC0415 -- only a live cluster pays for httpx
        from engine.live.yarn_source import MANY  # noqa: PLC0415 -- as the line above

        snapshot, said = self._looked_at(), await self._settings()
        is_long = len(snapshot.nodes()) + len(snapshot.applications(why=False)) > MANY
        return await run_in_thread_if_slow(is_long, lambda: is_frozen(self._twin(snapshot, words, said)))

    def _twin(self, snapshot: Snapshot, words: str, said: Said) -> Scenario:
        given = read_assumptions(words.split())
        return twin_of(snapshot, self._configured(snapshot, said), given, self._offset_ms)


Keep = Callable[[Scenario], RunWriter]  # Begins to keep a run of a scenario


def open_session(name: str, overrides: Sequence[str] = (), **options: Any) -> Session:  # Any: as of `session_on`
    """Open a session on a scenario by packaged name or path, with keys set as `overrides` (`dotted.key=value`) say.

    `options` and errors are those of `session_on`.
    """
    scenario, layers = load_with_places(name, overrides)
    with placed(layers):
        return session_on(scenario, name, **options)


def session_on(
    scenario: Scenario,
    source: str,
    *,
    at: str | None = None,
    speed: float | None = None,
    paused: bool = False,
    journal: Path | None = None,
    replaces_journal: bool = False,
    keep: Keep | None = None,
    progressed: Progressed | None = None,
) -> Session:
    """Open a session on a scenario, played up to `at` (`09:00`, `+30m`, seconds); None is the scenario's start.

    Args:
        source: What the user calls it.
        speed: Seconds of the cluster per second; `inf` is flat out, None fits the scenario's length.
        replaces_journal: True where an existing journal is replaced; else it is refused.
        progressed: Called while it is played up to `at`, with how far it is and that end [ms after the start].

    Raises:
        ConfigError: The time cannot be read, the scheduler refuses the scenario, or the journal cannot be written.
    """
    begin_ms = 0 if at is None else parse_instant_option(at, scenario.start, "--at", last_ms=scenario.duration_ms)
    log, alerts = EventLog(), AlertMonitor()
    writers = [] if journal is None else [JournalWriter.to_file(journal, scenario, force=replaces_journal)]
    keeping = RunSaver(None if keep is None else keep(scenario))
    with keeping.beginning():
        recorded = RecordedRun.begin(scenario, [log, alerts, *writers, *keeping.listeners], history=keeping.history)
        while recorded.run.now_ms < begin_ms:
            if progressed is not None:
                progressed(recorded.run.now_ms, begin_ms)
            recorded.advance(begin_ms)
            for alert in alerts.look(recorded.run.simulation):
                recorded.timeline.mark(alert.since_ms)
    return Session(
        recorded.run,
        log,
        travel=TimeTravel(recorded),
        alerts=alerts,
        speed=speed or _fitting_speed(scenario),
        paused=paused,
        source=source,
        keeping=keeping,
        judges=True,
    )


def open_kept(kept: KeptRun, *, at: str | None = None, keep: Keep | None = None) -> Session:
    """Open a session that looks at `at` of a kept run, by default its end; the run may then be closed.

    `keep` begins to keep further acts, in another run. A `ConfigError` where it is damaged, or has no such time.
    """
    scenario = kept.scenario()
    end_ms = kept.info.until_ms - scenario.start_ms
    log, keeping = EventLog(), RunSaver(None if keep is None else keep(scenario))
    listeners: list[Listener] = [log, *keeping.listeners]
    fingerprint = Fingerprint()
    with keeping.beginning():
        until_ms = max(scenario.duration_ms, end_ms)
        recorded = RecordedRun.begin(scenario, [*listeners, fingerprint], until_ms, keeping.history)
        with checked_replay(kept):
            recorded.timeline.follow(kept.acts(), kept.info.until_ms)
        check_replayed(kept, kept.info.until_ms, fingerprint)
    recorded.run.branch(recorded.run.simulation, [*listeners, recorded.history])
    travel = TimeTravel(recorded)
    session = Session(recorded.run, log, travel=travel, speed=_fitting_speed(scenario), paused=True, keeping=keeping)
    if at is not None and (words := travel.travel(at)):
        raise ConfigError.of(words, key="--at")
    return session


def _fitting_speed(scenario: Scenario) -> float:
    return 10.0 if scenario.duration_ms <= 3_600_000 else 60.0
