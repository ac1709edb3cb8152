"""What header, groups and table say about the health of a cluster, and which of it is not so.

`python -m tests.scenarios.health_statements [NAME …]` looks at packaged scenarios at twenty instants each, all of them
without a name, and prints how many statements of each kind were checked and how many are wrong.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from engine.explain.alert import Alert
from engine.formats.scenario_toml import load, packaged
from engine.observe.snapshots import ENDED, SERVED, WAITS, service_of
from engine.run.run_store import RecordedRun
from engine.scenario import Scenario
from tests.tui.small_run import now
from tui.board.dialects import dialect_of
from tui.panes.fragments import RenderContext, flat
from tui.panes.header import BUSY, DEAD, FINE, Health, frozen_of, health_of, standing
from tui.panes.misfit import misfit_of
from tui.protocol.picture import SessionState
from tui.session.alert_monitor import AlertMonitor, EventLog
from tui.session.session import Session
from tui.session.time_travel import TimeTravel

SERVED_WORDS = (
    *("get what they ask for", "gets what it asks for", "with all it asks for now", "with all they ask for now"),
    *("has what it asks for", "have what they ask for"),
)
BADGE_LEVELS = {FINE: "OK", BUSY: "BUSY", DEAD: "FROZEN"}
INSTANTS = 20
_OUTSIDE = {"Submitted", "Acted", "DriverQueued", "NodeJoined", "NodeResized", "NodeRelabelled"}
"""Kinds of events that somebody outside causes, or that add room."""
_NOBODY = "nothing waits"
_OTHERS = "others wait"


class Statement(NamedTuple):
    """One thing that is said."""

    words: str
    is_so: bool
    kind: str = "groups agree with the table"
    """What it is about, for the count."""


def pictures(scenario: Scenario, instants: int, until_ms: int) -> Iterator[SessionState]:
    """A run at so many instants, evenly up to one [ms after the start], with every alert there is to be found."""
    log, alerts = EventLog(), AlertMonitor()
    recorded = RecordedRun.begin(scenario, [log, alerts])
    for number in range(1, instants + 1):
        at_ms = until_ms * number // instants
        while recorded.run.now_ms < at_ms:
            recorded.advance(at_ms)
            _settle(alerts, recorded, pieces=1)
        _settle(alerts, recorded, pieces=10_000)
        session = Session(recorded.run, log, travel=TimeTravel(recorded), alerts=alerts, paused=True)
        yield now(session.pictures.picture())


def _settle(alerts: AlertMonitor, recorded: RecordedRun, pieces: int) -> list[Alert]:
    found: list[Alert] = []
    for _ in range(pieces):
        found += alerts.look(recorded.run.simulation)
        if alerts.idle(recorded.run.simulation):
            break
    return found


def statements(picture: SessionState) -> Iterator[Statement]:
    snapshot = picture.snapshot
    header, rows = snapshot.header, list(snapshot.applications())
    served = [service_of(row.state, row.pending_containers, row.waiting_since_ms, row.containers) for row in rows]
    waiting = served.count(WAITS)
    health = health_of(picture)
    freeze = frozen_of(picture)
    since_ms = header.time_ms if freeze is None else freeze.since_ms
    given = [event for event in picture.events if event.kind == "Allocated" and event.time_ms > since_ms]
    yield Statement(
        f"FROZEN although {len(given)} containers were given since", not given, "frozen: nothing given since"
    )
    at = f"{picture.run.name} at {header.time_ms - (picture.run.track.start_ms if picture.run.track else 0)} ms"
    words = f"{at}: {health.word} {health.headline}"
    yield Statement(f"{words}, {waiting} wait", _NOBODY not in health.headline or waiting == 0, "nothing waits")
    yield Statement(f"{words}, level, {waiting} wait", waiting == 0 or health.level != FINE, "badge")
    yield Statement(f"{words}: no cause", _has_cause(picture, health), "badge")
    if health.headline.count(" waiting"):
        yield Statement(f"{words}, {waiting} wait", f", {waiting} waiting" in health.headline, "header counts")
    look = RenderContext(header.time_ms, header.dimensions, header.total)
    make = dialect_of(snapshot).view("applications").grouping
    grouping = make(rows, picture, look) if make is not None else None
    for group in grouping.groups if grouping is not None else ():
        said, here = flat(group.words), [served[place] for place in group.places]
        if any(each in said for each in SERVED_WORDS):
            yield Statement(f"{at}: {said} over {here}", set(here) == {SERVED}, "served")
        elif _OTHERS in said:
            yield Statement(f"{at}: {said} where {waiting} wait", WAITS in served, "waiting groups")
        elif " wait" in said:
            yield Statement(f"{at}: {said} over {here}", set(here) == {WAITS}, "waiting groups")
        yield Statement(f"{at}: {said} over {here}", len({each == ENDED for each in here}) == 1)
    for row, each in zip(rows, served, strict=True):
        if each == WAITS:
            yield Statement(f"{at}: {row.id} waits since nobody knows when", row.waiting_since_ms is not None, "rows")
        elif each != ENDED:
            yield Statement(f"{at}: {row.id} waits and asks for nothing", row.waiting_since_ms is None, "rows")


def _has_cause(picture: SessionState, health: Health) -> bool:
    """Whether what a badge stands for is there: an alert that stands, a loss, a recovery, room that is closed."""
    header = picture.snapshot.header
    if health.level in {FINE, BUSY}:
        return health.word == BADGE_LEVELS[health.level]
    is_harmed = header.nodes_down or header.recovery is not None or misfit_of(picture.snapshot) is not None
    return bool(standing(picture) or is_harmed or picture.run.failure)


def frozen_until(freeze: Alert | None, now_ms: int, after: SessionState) -> Iterator[Statement]:
    """A freeze that stood at one instant: what came until the next, before anybody did or submitted anything."""
    later = [event for event in after.events if event.time_ms > now_ms]
    if freeze is None or (after.events and after.events[0].time_ms > now_ms):
        return
    first_ms = min((event.time_ms for event in later if event.kind in _OUTSIDE), default=1 << 62)
    given = [event for event in later if event.kind == "Allocated" and event.time_ms < first_ms]
    words = f"{after.run.name}: FROZEN at {now_ms}, {len(given)} given before anything was done"
    yield Statement(words, not given, "frozen: nothing given after it")


def main(names: list[str]) -> int:
    """Look at scenarios, and print the counts; the exit code is 1 where something is wrong."""
    checked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for name in names or packaged():
        scenario = load(name)
        found: list[Statement] = []
        was: tuple[Alert | None, int] = (None, 0)
        for picture in pictures(scenario, INSTANTS, scenario.duration_ms):  # its rows are those of the run as it stands
            found += [*statements(picture), *frozen_until(*was, picture)]
            was = (frozen_of(picture), picture.snapshot.header.time_ms)
        for each in found:
            checked[each.kind] += 1
            wrong[each.kind] += not each.is_so
            if not each.is_so:
                sys.stdout.write(f"{each.words}\n")
        sys.stdout.write(f"{name}: {len(found)} checked, {sum(not each.is_so for each in found)} wrong\n")
        sys.stdout.flush()
    for kind, count in checked.items():
        sys.stdout.write(f"{kind:32} {count:7} checked {wrong[kind]:5} wrong\n")
    sys.stdout.write(f"{'all':32} {checked.total():7} checked {wrong.total():5} wrong\n")
    return int(wrong.total() > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
