"""Reads the screens of packaged scenarios, key by key and act by act, and says which statement is not so.

`python -m tests.gates.statements [--only NAME …] [--part K/N]` opens each at a few instants and paused, presses the
keys that let time pass, then does each act a screen offers, goes on, and undoes it. What stands in the header, over the
panes and in the pulse is set beside the simulation of the same instant, played on to its end where `never` is said, and
beside `get` and `why` where nothing was done. Exit code 1: a statement is wrong.
"""

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

from textual.pilot import Pilot, WaitForScreenTimeout

from engine.explain.alert import BADGES, QUIET_MS, Alert, word_of
from engine.explain.counterfactuals import Lookahead
from engine.formats.scenario_toml import load, packaged
from engine.observe.snapshot import Unknown
from engine.observe.snapshots import LIVE_STATES, snapshot_of_simulation
from engine.run.run_store import RecordedRun
from engine.scenario import Scenario
from engine.simulation.simulation import Simulation
from tests.invoke import said
from tests.tui.screen_text import screen_lines
from tui.app import SchedlabApp
from tui.protocol.picture import SessionState
from tui.screens.cluster import ClusterScreen
from tui.session.alert_monitor import AlertMonitor, EventLog
from tui.session.session import Session
from tui.session.time_travel import TimeTravel

SIZE: Final = (110, 24)  # Small, as drawing takes most of the time; wide enough for whole words
PARTS: Final = (0.3, 0.75)
"""Of a scenario's duration, after which it is opened."""
TIME_KEYS: Final = ("t", "full_stop", "right_square_bracket", "p", "left_square_bracket", "right_curly_bracket")
ACTS: Final = (("1", "K", "y"), ("3", "D", "y"), ("1", "P"), ("1", "R"), ("U", "y"), ("S", "enter"))
"""The keys of each act."""
AFTER_ACTS: Final = ("t", "p")
AT_ONCE: Final = 6  # Visits of one process
RUNS_S: Final = 0.4  # How long the clock runs after `p`
LONGEST_S: Final = 30.0  # How long the session may look for alerts
QUICKER: Final = 10  # The session rests for so much less
_WAITING: Final = re.compile(r"\bwaiting (\d+)(?: = (\d+) \D+? \+ (\d+)|( for more))?")
_SAID_AT: Final = re.compile(r"(?:starts|gets its next \w+) at (?:\w+ )?(\d\d):(\d\d):(\d\d)")


class Truth:
    """What is so at the instant of a simulation, by its own rows and by playing it on."""

    def __init__(self, simulation: Simulation) -> None:
        """Look at a simulation between two instants; it stays as it is."""
        self.simulation, self.now_ms = simulation, simulation.now_ms
        self.snapshot = snapshot_of_simulation(simulation)
        rows = [row for row in self.snapshot.applications(why=False) if row.state in LIVE_STATES]
        idle = [row for row in rows if not row.containers and row.state != "RUNNING"]
        known = [(row, row.pending_containers) for row in rows]
        asks = [row for row, count in known if (row.waiting_since_ms if isinstance(count, Unknown) else count)]
        waits = [row for row in rows if row in idle or row in asks]
        self.waiting = len(waits)
        self.first = sum(not row.containers for row in waits)
        self._ahead: Lookahead | None = None

    @property
    def ahead(self) -> Lookahead:
        """The closed world of the instant, played as far as anybody has asked."""
        if self._ahead is None:
            self._ahead = Lookahead(self.simulation)
        return self._ahead

    @cached_property
    def stands(self) -> bool:
        """True where nothing is ever allocated any more without an act."""
        while self.ahead.last_ms is None and not self.ahead.advance():
            pass
        return self.ahead.last_ms is None

    def start_ms(self, number: int, priority: int | None = None) -> int | None:
        """When an ask of an application is first given something; None for never."""
        return self.ahead.until_started(number, priority)


class Visit:
    """One scenario, opened at one instant: what stands on screen is compared after each key."""

    def __init__(self, name: str, session: Session, pilot: Pilot[Any]) -> None:
        self.name, self.session, self.pilot = name, session, pilot
        self.done: list[str] = []
        """What was pressed so far."""
        self.wrong: list[str] = []
        self.looks = 0

    async def press(self, *keys: str) -> None:
        """Press keys; after `p` the clock runs for a moment."""
        self.done.append("".join(keys))
        for key in keys:
            with suppress(WaitForScreenTimeout):  # on a busy machine; it is waited for until it has settled
                await self.pilot.press(key)
            await self.pilot.pause()
            if key == "p":
                await self.pilot.pause(RUNS_S)
        while not isinstance(self.pilot.app.screen, ClusterScreen):
            await self.pilot.press("escape")
            await self.pilot.pause()
        if not self.session.driver.state.paused:
            await self.pilot.press("p")
            await self.pilot.pause()

    async def settle(self) -> None:
        """Wait until the session has found what there is to find and the screen shows it."""
        await self.pilot.pause(0.02)
        for _ in range(int(LONGEST_S / 0.02)):
            if not self.session.driver.has_background_work and self.session.driver.is_clock_stopped():
                break
            await self.pilot.pause(0.02)
        await self.pilot.pause(0.25)

    async def look(self, *, settled: bool) -> Truth:
        lines, picture = screen_lines(self.pilot.app), await self.session.pictures.picture()
        truth = Truth(self.session.driver.looked_at)
        self.looks += 1
        checks = [*_law(picture), *_badge(lines, picture, truth, settled=settled), *_counts(lines, truth)]
        checks += [] if not settled else [*_missing(lines, picture, truth), *_pulse(lines, picture, truth)]
        self.wrong += [f"{each}   [{' '.join(self.done)}]  {lines[1].strip()[:110]}" for each in checks]
        return truth

    async def compare(self, at: str, truth: Truth) -> None:
        """Set the screen beside `get` and `why` of the same instant."""
        document = json.loads(said("get", [self.name, "--at", at, "-o", "json"]).stdout)
        cluster = document["cluster"]
        waiting = cluster.get("waiting", {})
        if (waiting.get("all"), waiting.get("first")) != (truth.waiting, truth.first):
            self.wrong.append(f"get at {at}: waiting {waiting}, rows {truth.waiting} and {truth.first}")
        rows = [row for row in truth.snapshot.applications(why=False) if row.waiting_since_ms is not None]
        for row in sorted(rows, key=lambda row: row.waiting_since_ms or 0)[:1]:
            answer = said("why", [self.name, str(row.number), "--at", at, "--budget", "0"]).stdout
            self.wrong += [f"why {row.number} at {at}: {each}" for each in _why(answer, row.number, truth)]


def _why(answer: str, number: int, truth: Truth) -> Iterator[str]:
    verdict = next((line for line in answer.splitlines() if line.startswith("verdict")), "")
    starts_ms = truth.start_ms(number)
    if starts_ms is None and re.search(r"will start|starts at|on its turn", verdict):
        yield f"it never starts, said: {verdict}"
    if starts_ms is not None and re.search(r"deadlocked|never|impossible", verdict):
        yield f"it starts after {(starts_ms - truth.now_ms) / 1000} s, said: {verdict}"


def _law(picture: SessionState) -> Iterator[str]:
    """No freeze that was found before the last act or the last allocation."""
    now_ms, track = picture.snapshot.header.time_ms, picture.run.track
    acted_ms = max((each for each in (track.acts if track else ()) if each <= now_ms), default=0)
    given_ms = next((row.time_ms for row in reversed(picture.events) if row.kind == "Allocated"), 0)
    for alert in _standing(picture):
        if alert.kind == "frozen" and alert.found_ms < max(acted_ms, given_ms):
            yield f"a freeze found at {alert.found_ms}, an act at {acted_ms}, an allocation at {given_ms}"


def _standing(picture: SessionState) -> tuple[Alert, ...]:
    return picture.run.standing if picture.run.present_ms is None else ()


def _badge(lines: list[str], picture: SessionState, truth: Truth, *, settled: bool) -> Iterator[str]:
    badge = lines[1].strip()
    if "FROZEN" in badge.split("  ")[0] and not truth.stands:
        yield f"FROZEN, and something is allocated after {((truth.ahead.last_ms or 0) - truth.now_ms) / 1000} s"
    if re.match(r"\S+ OK", badge) and truth.waiting:
        yield f"OK while {truth.waiting} wait"
    if re.match(r"\S+ BUSY", badge) and not truth.waiting:
        yield "BUSY while nothing waits"
    if (found := re.search(r"(\d+) waiting", badge)) and int(found[1]) != truth.waiting:
        yield f"the headline counts {found[1]} waiting, rows {truth.waiting}"
    if (found := re.search(r"(\d+) waits? behind", badge)) and int(found[1]) != truth.waiting - 1:
        yield f"{found[1]} wait behind it of {truth.waiting}"
    reserved = truth.snapshot.header.nodes_reserved
    if (found := re.search(r"holds (\d+) of (\d+) nodes", badge)) and int(found[1]) > int(str(reserved)):
        yield f"{found[0]}, and {reserved} are reserved"
    for alert in _standing(picture) if settled else ():
        yield from _of_alert(alert, truth)


def _of_alert(alert: Alert, truth: Truth) -> Iterator[str]:
    if alert.kind == "stuck" and alert.applications:
        starts_ms = truth.start_ms(alert.applications[0], alert.priority)
        if starts_ms is not None:
            yield f"{word_of(alert.kind, alert.pattern)}: {alert.said}; it is served at +{starts_ms - truth.now_ms} ms"
    if alert.kind == "held-up" and (found := _SAID_AT.search(alert.said)):
        starts_ms = truth.start_ms(alert.applications[0], alert.priority)
        clock = [] if starts_ms is None else [starts_ms // 1000 % 3600]
        if [int(found[2]) * 60 + int(found[3])] != clock:
            yield f"{alert.said}; it is served at {starts_ms}"


def _counts(lines: list[str], truth: Truth) -> Iterator[str]:
    """One count of those who wait in header and title."""
    text = "\n".join(lines)
    found = _WAITING.search(lines[2])
    if found is None and "cores" not in truth.snapshot.header.dimensions:  # on Spark there is no room for it
        yield f"no count in the header: {lines[2][-60:]}"
    if found is not None and (int(found[1]) != truth.waiting or (found[2] and int(found[2]) != truth.first)):
        yield f"the header says {found[0]}, rows {truth.waiting} of which {truth.first} first"
    if (found := re.search(r"1 (?:Applications|Jobs|Apps)\b.*?(\d+) waiting", text)) and int(found[1]) != truth.waiting:
        yield f"the title of applications says {found[1]} waiting, rows {truth.waiting}"
    for found in re.finditer(r"(\d+) of (\d+) reserved\b(?! for)", text):
        if truth.snapshot.header.nodes_reserved != int(found[1]):
            yield f"{found[0]}: {truth.snapshot.header.nodes_reserved} are"


def _missing(lines: list[str], picture: SessionState, truth: Truth) -> Iterator[str]:
    """A standstill that was looked at is called one."""
    events = picture.events
    acted = max((row.time_ms for row in events if row.kind in {"Acted", "Allocated", "Submitted"}), default=0)
    quiet_ms = truth.now_ms - acted
    header = truth.snapshot.header
    if picture.run.present_ms is not None or header.recovery is not None or not truth.waiting:
        return
    if quiet_ms > 2 * QUIET_MS and not picture.run.ended and truth.stands:
        words = {BADGES[kind].word for kind in ("frozen", "outage", "no-master")}
        if not any(word in lines[1] for word in words):
            yield f"nothing is allocated any more to {truth.waiting}, quiet for {quiet_ms} ms"


def _pulse(lines: list[str], picture: SessionState, truth: Truth) -> Iterator[str]:
    found = re.search(r"nothing allocated for (?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", "\n".join(lines[1:5]))
    given_ms = next((row.time_ms for row in reversed(picture.events) if row.kind == "Allocated"), None)
    if found is None or given_ms is None or "FROZEN" not in lines[1]:
        return  # else it is the caption of a freeze that is over
    hours, minutes, seconds = (int(each or 0) for each in found.groups())
    told_s, quiet_s = 3600 * hours + 60 * minutes + seconds, (truth.now_ms - given_ms) // 1000
    if abs(told_s - quiet_s) > (60 if hours else 1):
        yield f"{found[0]}: the last was {quiet_s} s ago"


def opened(scenario: Scenario, at_ms: int) -> Session:
    """A session that stands, and rests little between two pieces of its work."""
    log, alerts = EventLog(), AlertMonitor()
    recorded = RecordedRun.begin(scenario, [log, alerts])
    while recorded.run.now_ms < at_ms - scenario.start_ms:
        recorded.advance(at_ms - scenario.start_ms)
        for alert in alerts.look(recorded.run.simulation):
            recorded.timeline.mark(alert.since_ms)
    return Session(
        recorded.run,
        log,
        travel=TimeTravel(recorded),
        alerts=alerts,
        speed=10.0,
        paused=True,
        sleep=lambda seconds: asyncio.sleep(seconds / QUICKER),
    )


async def visited(name: str, part: float, *, is_brief: bool = False) -> Visit:
    """Open a scenario at a part of its duration, and look after each key and act."""
    scenario = load(name)
    at_s = max(1, int(scenario.duration_ms * part / 1000))
    session = opened(scenario, scenario.start_ms + 1000 * at_s)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=SIZE) as pilot:
        visit = Visit(name, session, pilot)
        await visit.settle()
        await visit.compare(f"+{at_s}s", await visit.look(settled=True))
        for key in TIME_KEYS:
            await visit.press(key)
            await visit.look(settled=False)
            await visit.settle()
            await visit.look(settled=True)
        await _acted(visit, *((ACTS[:2], AFTER_ACTS[:1]) if is_brief else (ACTS, AFTER_ACTS)))
    return visit


async def _acted(visit: Visit, acts: Sequence[tuple[str, ...]], after: Sequence[str]) -> None:
    for act in acts:
        before = len(visit.session.driver.run.simulation.acts)
        await visit.press(*act)
        await visit.look(settled=False)
        await visit.settle()
        await visit.look(settled=True)
        if len(visit.session.driver.run.simulation.acts) == before:
            continue
        for key in after:
            await visit.press(key)
            await visit.look(settled=False)
            await visit.settle()
            await visit.look(settled=True)
        await visit.press("u")
        await visit.settle()
        await visit.look(settled=True)


def main() -> int:
    """Visit the scenarios; print each statement that is not so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="scenarios, instead of all packaged ones")
    parser.add_argument("--part", default="1/1", help="K/N: each Nth scenario from the Kth on")
    parser.add_argument(
        "--brief", action="store_true", help="one instant of each, only a kill and a drain, and a second"
    )
    options = parser.parse_args()
    first, step = (int(each) for each in options.part.split("/"))
    names = options.only or sorted(packaged())[first - 1 :: step]
    parts = PARTS[: 1 if options.brief else None]
    places = [(name, part) for part in parts for name in names]
    visits = asyncio.run(_visited_all(places, is_brief=options.brief))
    looks, count = sum(each.looks for each in visits), sum(len(each.wrong) for each in visits)
    sys.stdout.write(f"{len(names)} scenarios, {looks} screens, {count} statements that are not so\n")
    return int(count > 0)


async def _visited_all(places: Sequence[tuple[str, float]], *, is_brief: bool) -> list[Visit]:
    """All visits, a few at once, as each waits most of the time."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(name: str, part: float) -> Visit:
        async with room:
            visit = await visited(name, part, is_brief=is_brief)
        wrong = [f"{name} at {part:g}: {each}" for each in visit.wrong]
        sys.stdout.write("\n".join([*wrong, f"{name} at {part:g}: {visit.looks} screens", ""]))
        sys.stdout.flush()
        return visit

    return await asyncio.gather(*(one(*each) for each in places))


if __name__ == "__main__":
    sys.exit(main())
