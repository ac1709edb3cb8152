"""Opens a session on a scenario: read, played up to where somebody wants to look, journal at its side."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from engine.control_plane.spark_master import SparkMaster
from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import load
from engine.observe.history import History
from engine.observe.journal import JournalWriter
from engine.run.player import Run
from engine.run.run_reader import KeptRun
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.schedulers.spark.pass_record import PassRecorder
from engine.simulation.timeline import Timeline
from engine.units import instant_given
from tui.session.alert_monitor import AlertMonitor
from tui.session.event_log import EventLog
from tui.session.keeping import Keeping
from tui.session.session import Session
from tui.session.time_travel import TimeTravel

Keep = Callable[[Scenario], RunWriter]
"""Begins to keep a run of a scenario."""
SLICE_MS = 10_000
"""How much of what comes before the beginning is played at a time."""
PLANS_UP_TO = 200
"""Workers up to which the passes of a Spark Master are remembered."""
PLANS_KEPT = 100
"""How many of the latest passes are."""


def open_session(
    name: str,
    *,
    at: str | None = None,
    speed: float | None = None,
    paused: bool = False,
    overrides: Sequence[str] = (),
    journal: Path | None = None,
    keep: Keep | None = None,
) -> Session:
    """A session on a scenario by packaged name or path, played up to `at` first.

    Args:
        name: Packaged name, or path of a TOML file.
        at: Where to begin: `09:00`, `+30m`, seconds; None is the scenario's start.
        speed: Seconds of the cluster per second; `inf` is flat out, None fits the scenario's length.
        paused: Whether the clock stands at first.
        overrides: Single keys set on top, `dotted.key=value`.
        journal: File that everything is written to; one that is there is replaced. None for none.
        keep: Begins to keep the run; None keeps nothing.

    Raises:
        ConfigError: The scenario, or the time, cannot be read, or the journal cannot be written.
    """
    # Whoever looks sees what happens; expectations are judged by a run without a screen.
    whole = load(name, overrides)
    scenario = whole.model_copy(update={"expectations": ()})
    begin_ms = 0 if at is None else instant_given(at, scenario.start, "--at", last_ms=scenario.duration_ms)
    log = EventLog()
    writers = [] if journal is None else [_writer(journal, scenario)]
    lookout, history = AlertMonitor(), History()
    keeping = Keeping(None if keep is None else keep(whole))
    run = Run(scenario, [log, lookout, history, *writers, *keeping.listeners])
    history.follow(run.simulation.control_plane, run.simulation.now_ms)
    _keep_plans(run)
    timeline = Timeline(run.simulation)
    while run.now_ms < begin_ms:
        timeline.timed(partial(run.advance, min(run.now_ms + SLICE_MS, begin_ms)))
        for alert in lookout.look(run.simulation):
            timeline.mark(alert.since_ms)
    speed = speed or _fitting_speed(scenario)
    past = TimeTravel(timeline, history, scenario)
    return Session(run, log, past=past, lookout=lookout, speed=speed, paused=paused, source=name, keeping=keeping)


def open_kept(kept: KeptRun, *, at: str | None = None, keep: Keep | None = None) -> Session:
    """A session that stands at the end of a kept run, or in its past.

    Args:
        kept: The run; it is read to its end and may then be closed.
        at: Which instant to look at: `09:00`, `+30m`, seconds; None is the end.
        keep: Begins to keep what is done there, in another run; None keeps nothing.

    Raises:
        ConfigError: The run is damaged, or the time is not within it.
    """
    whole = kept.scenario()
    scenario = whole.model_copy(update={"expectations": ()})
    end_ms = kept.info.until_ms - scenario.start_ms
    log, history, keeping = EventLog(), History(), Keeping(None if keep is None else keep(whole))
    run = Run(scenario, [log, history, *keeping.listeners], max(scenario.duration_ms, end_ms))
    history.follow(run.simulation.control_plane, run.simulation.now_ms)
    timeline = Timeline(run.simulation)
    timeline.follow(kept.acts(), kept.info.until_ms)
    run.branch(run.simulation, [log, history, *keeping.listeners])
    past = TimeTravel(timeline, history, scenario)
    session = Session(run, log, past=past, speed=_fitting_speed(scenario), paused=True, keeping=keeping)
    if at is not None and (words := session.travel(at)):
        raise ConfigError([Problem(words, key="--at")])
    return session


def _keep_plans(run: Run) -> None:
    """Have a Spark Master remember what it looked at, for the step mode; on a large cluster that would cost much."""
    master = run.simulation.control_plane
    if isinstance(master, SparkMaster) and len(run.simulation.world.nodes) <= PLANS_UP_TO:
        master.recorder = PassRecorder(PLANS_KEPT, only_given=True)


def _fitting_speed(scenario: Scenario) -> float:
    """Minutes are watched at 10, hours at 60."""
    return 10.0 if scenario.duration_ms <= 3_600_000 else 60.0


def _writer(path: Path, scenario: Scenario) -> JournalWriter:
    try:
        return JournalWriter.to_file(path, scenario)
    except OSError as error:
        raise ConfigError([Problem(f"cannot be written: {error.strerror}", file=str(path))]) from None
