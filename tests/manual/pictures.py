"""The pictures of the manual: screens of the program at an instant, and the packages of the engine as it is checked."""

import asyncio
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import httpx
from rich.segment import Segment
from rich.style import Style
from textual.pilot import Pilot

from engine.formats.scenario_toml import load
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.run import Run
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASES
from engine.training.drill import load_drill
from tests.invoke import said
from tests.manual.growth_picture import growth_picture
from tests.test_architecture import ROOT
from tui.app import SchedlabApp
from tui.drill_app import DrillApp
from tui.screens.drill import DrillBriefScreen
from tui.serving.serve_app import ServedApp
from tui.session.drill import DrillPlay
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.terminal.svg import drawing

PLACE: Final = ROOT / "docs" / "pictures"
INCIDENT: Final = ("reservation-deadlock", "--at", "10:43", "--size")
COMPARED: Final = ("compare", "reservation-deadlock", "fair-3.4", "--until", "10:43")
WIDE, SMALL = (100, 34), (60, 12)
"""Columns and lines of a picture on a page, and of one in the front page's table."""


def screen(*arguments: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "x.svg"
        source, *rest = arguments
        answer = said("", ["get", source, "picture", *rest, "-o", str(target)])
        assert answer.exit_code == 0, answer.output
        return target.read_text(encoding="utf-8")


def printed(size: tuple[int, int], *arguments: str) -> str:
    """The command and the beginning of what it prints, in a terminal of a size [columns, lines]."""
    columns, rows = size
    answer = said("", list(arguments), environment={"COLUMNS": str(columns - 2)})
    assert answer.exit_code == 0, answer.output
    lines = [f"$ schedlab {' '.join(arguments)}", "", *answer.output.splitlines()]
    shown = [part for line in lines for part in (wrap(line, columns - 2, drop_whitespace=False) or [""])][:rows]
    front, back = Style(color="#f4f7fb", bgcolor="#0f1318", bold=True), Style(color="#d3dae4", bgcolor="#0f1318")
    cells = [Segment(f" {line}".ljust(columns), back if number else front) for number, line in enumerate(shown)]
    return drawing([[cell] for cell in cells], lines[0])


def drill(name: str, size: tuple[int, int]) -> str:
    app = DrillApp(DrillPlay(load_drill(name), place=(1, 1)))
    return _taken(app, size, lambda: isinstance(app.screen, DrillBriefScreen))


def live(name: str, at: str, size: tuple[int, int]) -> str:
    """A simulation as `serve` answers and `watch` shows it, two hours after the scenario's start."""
    past = ApplicationPast()
    run = Run(load(name), [past], is_judged=False)
    served = ServedCluster(lambda: run.simulation, ServedPace(run, paused=True).act, past, RELEASES["2.7"], "rm1:8088")
    web = httpx.ASGITransport(ServedApp(served, ServedPace(run, paused=True), None).app())

    def clock() -> float:
        return run.simulation.now_ms / 1000

    client = RestClient(["http://rm1:8088"], lambda: httpx.AsyncClient(transport=web), wall=clock, steady=clock)
    pictures = LivePictures(YarnSource(client, PollPace()), ())
    hours, minutes = (int(part) for part in at.split(":"))
    start = run.scenario.start
    run.advance((hours * 60 + minutes - start.hour * 60 - start.minute) * 60_000)
    asyncio.run(pictures.round())
    app = SchedlabApp(LiveConnection(pictures))
    return _taken(app, size, lambda: app.cluster is not None)


def _taken(app: SchedlabApp, size: tuple[int, int], is_there: Callable[[], bool]) -> str:
    """The picture of an app when it shows what is meant."""
    taken: list[str] = []

    async def take(pilot: Pilot[Any]) -> None:
        while not is_there():
            await pilot.pause(0.05)
        await pilot.pause(0.2)
        taken.append(app.export_screenshot())
        app.exit()

    app.run(headless=True, size=size, auto_pilot=take)
    return taken[0]


def layers() -> str:
    """The layers of the engine, top down, as the import contract has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (found,) = (each["layers"] for each in contracts if each["id"] == "engine-layers")
    rows = ["tui", *(layer.replace("(", "").replace(")", "") for layer in found)]
    return drawing([line for row in rows for line in _boxes(row)][:-1], "The packages of the engine")


def _boxes(row: str) -> list[list[Segment]]:
    """A layer as a band with its packages beside one another, and the arrow to the next."""
    names = [name.strip() for name in row.replace(":", "|").split("|")]
    back = Style(color="#8b97a6", bgcolor="#0f1318")
    band = Style(color="#d3dae4", bgcolor="#22303d", bold=True)
    inner = "   ".join(names).center(54)
    return [[Segment("   ", back), Segment(inner, band), Segment("   ", back)], [Segment("↓".center(60), back)]]


PICTURES: Final[Mapping[str, Callable[[], str]]] = {
    "frozen": lambda: screen(*INCIDENT, "120x40"),
    "why": lambda: screen(*INCIDENT, "100x34", "183354"),
    "fix": lambda: screen(*INCIDENT, "100x28", "--press", "W"),
    "drill": lambda: drill("nothing-starts", WIDE),
    "live": lambda: live("reservation-deadlock", "10:43", WIDE),
    "architecture": layers,
    "growth": growth_picture,
    "small-frozen": lambda: screen(*INCIDENT, "60x12"),
    "small-why": lambda: screen(*INCIDENT, "60x12", "183354"),
    "small-fix": lambda: screen(*INCIDENT, "60x12", "--press", "W"),
    "small-drill": lambda: drill("quiet-shift", SMALL),
    "compare": lambda: printed((110, 60), *COMPARED),
    "small-compare": lambda: printed((76, 15), *COMPARED),
    "small-live": lambda: live("reservation-deadlock", "10:43", (76, 15)),
}
"""Name of a file in `docs/pictures` → what makes it."""
