"""Simulations that are asked, and recorded answers of real servers beside them."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from engine.formats.scenario_toml import load
from engine.run import Run
from engine.scenario import Scenario
from engine.serve.answers import answer
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASES, HttpAnswer, HttpQuestion, release_of

FOLDER = Path(__file__).parents[2] / "cases" / "recorded" / "serve"
CLUSTER = "/ws/v1/cluster"


class Exchange(NamedTuple):
    """A recorded question and what a real server answered."""

    method: str
    path: str
    label: str
    """What was special about it; empty for the plain one."""
    t: float
    """When, in seconds of the script."""
    accept: str
    body: str
    status: int
    type: str
    location: str
    text: str
    """Empty of an HTML page."""

    @property
    def json(self) -> Any:  # Any: JSON
        return json.loads(self.text)


@cache
def exchanges(recording: str) -> tuple[Exchange, ...]:
    with gzip.open(FOLDER / f"{recording}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return tuple(Exchange(**json.loads(line)) for line in lines)


def plain(recording: str, path: str) -> Exchange:
    """The plain answer to a path below `/ws/v1/cluster`."""
    return next(each for each in exchanges(recording) if each.path == CLUSTER + path and not each.label)


class Asked:
    """A scenario that is played and asked in process."""

    def __init__(self, scenario: str | Scenario, at_ms: int = 0, era: str | None = None) -> None:
        past = ApplicationPast()
        self.run = Run(load(scenario) if isinstance(scenario, str) else scenario, [past], is_judged=False)
        release = release_of(self.run.scenario.scheduler) if era is None else RELEASES[era]
        self.pace = ServedPace(self.run, paused=True)
        self.served = ServedCluster(lambda: self.run.simulation, self.pace.act, past, release, "rm1:8088")
        self.run.advance(at_ms)

    def ask(
        self, path: str, method: str = "GET", accept: str = "application/json", body: str = "", content: str = ""
    ) -> HttpAnswer:
        """An answer to a path, with or without a query."""
        parts = urlsplit(path if path.startswith(("/ws", "/jmx", "/prom")) else CLUSTER + path)
        query = parse_qs(parts.query, keep_blank_values=True)
        return answer(self.served, HttpQuestion(method, unquote(parts.path), query, accept, body.encode(), content))

    def json(self, path: str) -> Any:  # Any: JSON
        said = self.ask(path)
        assert said.status == 200, said
        return json.loads(said.body)


@cache
def asked(name: str, at_ms: int, era: str | None = None) -> Asked:
    """A scenario at an instant; only for questions that change nothing."""
    return Asked(name, at_ms, era)


def kind_of(value: object) -> str:
    """What JSON calls the type of a value; whole and broken numbers differ."""
    return {bool: "bool", int: "int", float: "float", str: "text", type(None): "null"}[type(value)]


def differences(ours: Any, theirs: Any, place: str = "") -> list[str]:  # Any: JSON
    """In what the shape of two answers differs: names and their order, and types; of lists every item counts."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        found = [f"{place}.{name}: not there" for name in theirs if name not in ours]
        found += [f"{place}.{name}: only ours" for name in ours if name not in theirs]
        common = [name for name in ours if name in theirs]
        if common != [name for name in theirs if name in ours]:
            found.append(f"{place}: order")
        return found + [each for name in common for each in differences(ours[name], theirs[name], f"{place}.{name}")]
    if isinstance(ours, list) and isinstance(theirs, list):
        return [
            each for one, other in zip(ours, theirs, strict=False) for each in differences(one, other, f"{place}[]")
        ]
    if isinstance(ours, dict | list) or isinstance(theirs, dict | list):
        return [f"{place}: {type(ours).__name__} for {type(theirs).__name__}"] if type(ours) is not type(theirs) else []
    return [] if kind_of(ours) == kind_of(theirs) else [f"{place}: {kind_of(ours)} for {kind_of(theirs)}"]
