"""Skips the heartbeats of trackers and the background passes of a JobTracker while it is idle.

It goes as far as the next event of another kind. State and clock are then as if all had been played, so acts and the
journal stay the same.
"""

from collections.abc import Mapping
from heapq import heapify
from typing import Final

from engine.control_plane.job_tracker import JobTracker
from engine.simulation.events import PASS_RUNS, TRACKER_HEARTBEAT, Event
from engine.simulation.tracker_process import TrackerProcess
from engine.simulation.world import World

_ROUTINE: Final = (TRACKER_HEARTBEAT, PASS_RUNS)


def skip_idle(
    world: World, job_tracker: JobTracker, trackers: Mapping[int, TrackerProcess], beats: dict[int, int]
) -> None:
    """Skip what changes nothing before the next event and the horizon; nothing while anything runs.

    Args:
        world: Its records are delivered.
        job_tracker: Its control plane.
        trackers: Those that are up, by the places of their nodes.
        beats: Time at which each reports next [epoch ms].
    """
    for place, tracker in trackers.items():
        has_news = tracker.is_healthy is not world.nodes[place].healthy
        if has_news or not job_tracker.told_nothing(tracker.name, tracker.response):
            return
    heap, interval_ms = world.clock.heap, job_tracker.cluster.heartbeat_ms()
    until_ms = min((event[0] for event in heap if event[3] not in _ROUTINE), default=world.horizon_ms)
    until_ms = min(until_ms, world.horizon_ms)
    skipped: list[tuple[Event, int]] = []
    kept: list[Event] = []
    for event in heap:
        due_ms, _, order, kind = event[:4]
        if due_ms >= until_ms or kind not in _ROUTINE:
            kept.append(event)
        elif kind == TRACKER_HEARTBEAT and beats.get(order) != due_ms:
            skipped.append((event, 0))  # of a tracker that died: nothing happens
        else:
            step_ms = interval_ms if kind == TRACKER_HEARTBEAT else world.pass_names[order][1]
            count = -((due_ms - until_ms) // step_ms)
            kept.append((due_ms + count * step_ms, *event[1:]))
            skipped.append(((due_ms + (count - 1) * step_ms, *event[1:]), count))
    heap[:] = kept
    heapify(heap)
    for (last_ms, _, order, kind), count in sorted(skipped):
        if kind == PASS_RUNS:
            job_tracker.passes_skipped(world.pass_names[order][0], count, last_ms)
        elif count:
            trackers[order].response += count
            world.heartbeats += count
            world.nodes[order].last_beat_ms = last_ms
            beats[order] = last_ms + interval_ms
            job_tracker.heartbeats_skipped(trackers[order].name, count, last_ms)
    if skipped:
        world.clock.position = max(skipped)[0]
        world.clock.now_ms = world.clock.position[0]
