"""Rebuilds an instant of a kept run, and makes sure that it is what was kept."""

from collections.abc import Sequence

from engine.errors import ConfigError, InvariantError, Problem
from engine.observe.journal import program_version
from engine.run.run_reader import KeptRun
from engine.simulation.records import Listener
from engine.simulation.run_export import Fingerprint, replay
from engine.simulation.simulation import Simulation


def replayed(run: KeptRun, time_ms: int, listeners: Sequence[Listener] = ()) -> Simulation:
    """The run's simulation at the end of an instant [epoch ms].

    Args:
        run: A kept run.
        time_ms: Not after its end.
        listeners: Told everything once more.

    Raises:
        ConfigError: This program does not replay the run as it was, or the run is damaged.
    """
    fingerprint = Fingerprint()
    try:
        simulation = replay(run.scenario(), run.acts(), time_ms, [fingerprint, *listeners])
    except InvariantError as error:
        raise _other(run) from error
    # The last instant of a run that was cut off may be there in part.
    is_all_there = run.info.is_whole or time_ms < run.info.until_ms
    if is_all_there and fingerprint.hexdigest() != run.hash_until(time_ms):
        raise _other(run)
    return simulation


def _other(run: KeptRun) -> ConfigError:
    words = f"schedlab {program_version()} does not replay run {run.info.name} as schedlab {run.info.program} kept it"
    return ConfigError([Problem(words, hint="its journal can still be exported")])
