"""Plays packaged scenarios and writes what the chooser shows of their runs: `python -m tests.previews [NAME…]`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.explain.alerts import Alerts
from engine.formats.file_schema import previews
from engine.formats.scenario_toml import load, packaged
from engine.model.decision import Allocated
from engine.observe.snapshot import Amounts, Snapshot
from engine.run import Run
from engine.run.player import WATCH_MS
from engine.scenario import Scenario
from engine.scenario.catalogue import BUCKETS, NodePicture, Preview
from engine.simulation.records import Record, Submitted

PICTURED = 12
"""Nodes of which a picture is kept."""
PLACE = Path(__file__).parent.parent / "scenarios" / "chooser" / "previews.json"


class _Counter:
    """A listener that counts what is given, by stretch of the run, and what is submitted."""

    def __init__(self, scenario: Scenario) -> None:
        self._start_ms, self._duration_ms = scenario.start_ms, scenario.duration_ms
        self.allocated = [0] * BUCKETS
        self.times: list[int] = []
        self.submitted = 0

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        given = sum(isinstance(record, Allocated) for record in records)
        self.submitted += sum(isinstance(record, Submitted) for record in records)
        if given:
            at_ms = time_ms - self._start_ms
            self.times.append(at_ms)
            self.allocated[max(0, min(BUCKETS - 1, at_ms * BUCKETS // self._duration_ms))] += given


def preview_of(scenario: Scenario) -> Preview:
    """Play a scenario to its end and keep what the chooser shows."""
    counter, alerts = _Counter(scenario), Alerts()
    run = Run(scenario, [counter, alerts], is_judged=False)
    pictures: list[tuple[int, int, tuple[NodePicture, ...]]] = []
    first = run.snapshot()
    for number in range(1, BUCKETS + 1):
        end_ms = scenario.duration_ms * number // BUCKETS
        while run.now_ms < end_ms:
            run.advance(min(end_ms, run.now_ms - run.now_ms % WATCH_MS + WATCH_MS))
            _ = alerts.look(run.simulation)
        snapshot = run.snapshot()
        pictures.append((end_ms, snapshot.header.containers, _pictures(snapshot)))
    frozen = sorted({alert.since_ms - scenario.start_ms for alert in alerts.all if alert.kind == "frozen"})
    ends = [min((at for at in counter.times if at > since), default=run.until_ms) for since in frozen]
    stretches = tuple(zip(frozen, ends, strict=True))
    at_ms, _, nodes = _pictured(pictures, stretches)
    return Preview(
        scenario.digest(),
        counter.submitted,
        first.header.nodes,
        sum(row.is_leaf for row in first.queues()) if "queues" in first.sections else 0,
        tuple(counter.allocated),
        stretches,
        tuple((step.at_ms, step.do) for step in scenario.script),
        at_ms,
        nodes,
    )


def _pictured(
    pictures: Sequence[tuple[int, int, tuple[NodePicture, ...]]], frozen: Sequence[tuple[int, int]]
) -> tuple[int, int, tuple[NodePicture, ...]]:
    if frozen:
        since, until = max(frozen, key=lambda one: one[1] - one[0])
        return min(pictures, key=lambda one: abs(one[0] - (since + until) // 2))
    return max(pictures, key=lambda one: one[1])


def _pictures(snapshot: Snapshot) -> tuple[NodePicture, ...]:
    blocks: dict[str, list[tuple[str, int, int]]] = {}
    if snapshot.dialect == "spark":
        for one in snapshot.executors():
            blocks.setdefault(one.worker, []).append(("", one.application, one.cores))
    else:
        for each in snapshot.containers():
            if each.state != "RESERVED":
                number = int(each.application.rpartition("_")[2])
                blocks.setdefault(each.node, []).append((each.queue, number, _amount(each.size, snapshot)))
    return tuple(
        NodePicture(
            row.host, _amount(row.total, snapshot), bool(row.reserved_by), tuple(sorted(blocks.get(row.id, ())))
        )
        for row in snapshot.nodes()[:PICTURED]
    )


def _amount(amounts: Amounts, snapshot: Snapshot) -> int:
    """What is pictured of an amount: MB, cores, or slots of both kinds."""
    return sum(amounts) if snapshot.dialect == "mr1" else amounts[snapshot.dialect == "spark"]


def main(names: Sequence[str]) -> None:
    """Play the scenarios named, or all, and write what was seen."""
    found = {name: one for name, one in previews().items() if name in packaged()} if PLACE.is_file() else {}
    for name in names or packaged():
        found[name] = preview_of(load(name))
        sys.stderr.write(f"{name}\n")
    lines = ",\n".join(f"{msgspec.json.encode(name).decode()}: {_line(found[name])}" for name in sorted(found))
    _ = PLACE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def _line(preview: Preview) -> str:
    return msgspec.json.encode(preview).decode()


if __name__ == "__main__":
    main(sys.argv[1:])
