"""Runs background passes: each at multiples of its interval, in the control plane's order within an instant.

A pass rests while the control plane says that it would change nothing, until the version changes. Then it goes on at
the next of its instants, so resting changes no byte of the journal.
"""

from engine.control_plane.protocol import NOTHING
from engine.simulation.events import PASS, PASS_RUNS, Event
from engine.simulation.world import World


def schedule_passes(world: World) -> None:
    """Follow the control plane's list of passes."""
    listed = world.control_plane.passes()
    passes = tuple((each.name, each.interval_ms) for each in listed)
    if passes == world.pass_names:
        return
    world.pass_names = passes
    world.clock.drop((PASS_RUNS,))
    world.resting = {}
    for order, each in enumerate(listed):
        if each.waits and not world.ground.naive:
            world.resting[order] = world.control_plane.version
        else:
            _schedule(world, order)


def pass_runs(world: World, event: Event) -> None:
    """Run a pass once."""
    now_ms, order, control_plane = event[0], event[2], world.control_plane
    name, interval_ms = world.pass_names[order]
    version = control_plane.version
    answer = control_plane.run_pass(name, now_ms)
    if answer is not NOTHING:
        world.settle(answer)
    elif control_plane.version == version and not world.ground.naive and control_plane.pass_rests(name):
        world.resting[order] = version
        return
    world.clock.schedule((now_ms + interval_ms, PASS, order, PASS_RUNS))


def wake_passes(world: World) -> None:
    """Wake resting passes whose version is not the present one."""
    version = world.control_plane.version
    for order in [order for order, rested in world.resting.items() if rested != version]:
        del world.resting[order]
        _schedule(world, order)


def _schedule(world: World, order: int) -> None:
    interval_ms = world.pass_names[order][1]
    start_ms = world.since_ms
    due = world.clock.next_beat_ms(start_ms, interval_ms, PASS, order)
    if due <= start_ms:
        due = start_ms + interval_ms
    world.control_plane.pass_goes_on(world.pass_names[order][0], due - interval_ms)
    world.clock.schedule((due, PASS, order, PASS_RUNS))
