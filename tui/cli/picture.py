"""`schedlab picture NAME`: the screen at an instant as a file, without a terminal."""

import asyncio
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip

from engine.errors import ConfigError, Problem, nearest
from tui.app import SchedlabApp
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.options import Assignments, ScenarioName, Trust
from tui.cli.output import target_of
from tui.cli.settings import Ascii, Config, Force, Theme
from tui.session.opening import open_session
from tui.session.session import Session
from tui.settings import resolve
from tui.terminal.edges import visible, visible_lines
from tui.terminal.saving import write_file

app = new_app()

ENDINGS: Final = ("svg", "png", "html", "txt")
LEAST, MOST = (20, 8), (400, 150)  # Columns and lines of the smallest and the largest screen
REST_S: Final = 0.001  # Between two looks at whether the screen is complete [s]
PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body {{ margin: 0; background: #111 }} svg {{ display: block; max-width: 100%; height: auto }}</style>
{svg}</html>
"""


@app.command()
def picture(
    name: ScenarioName,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help=f"File; its ending is {', '.join(ENDINGS)}.")
    ],
    at: Annotated[
        str | None, typer.Option("--at", metavar="T", help="Instant: 09:00, +30m or seconds; else the start.")
    ] = None,
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Columns and lines of the screen.")] = "120x40",
    pane: Annotated[str | None, typer.Option("--pane", metavar="PANE", help="Pane that is chosen: nodes.")] = None,
    why: Annotated[
        str | None, typer.Option("--why", metavar="APP|QUEUE|NODE", help="Page that tells why it waits.")
    ] = None,
    keys: Annotated[
        list[str] | None, typer.Option("--press", metavar="KEY", help="Key that is pressed then; may be repeated.")
    ] = None,
    force: Force = False,
    ascii_only: Ascii = None,
    theme: Theme = None,
    assignments: Assignments = None,
    trust: Trust = False,
    config: Config = None,
) -> None:
    """Write the screen at an instant to a file: SVG, HTML, PNG or text, by the ending of its name.

    The scenario is played to the instant, and the picture is taken when everything is found out that the screen shows.
    A PNG needs the extra `report`. Exit code 2: the input was refused.
    """
    with reported_errors():
        ending = _ending(output)
        target = target_of(str(output), force=force)
        cells = _cells(size)
        settings = resolve({"theme": theme, "ascii": ascii_only}, config)
        session = open_session(name, at=at, paused=True, overrides=assignments or (), is_trusted=trust)
        screen = SchedlabApp(
            session,
            palette=settings.text("theme"),
            ascii_only=settings.is_on("ascii"),
            registry=settings.registry,
            confirm=settings.text("confirm"),
        )
        sitter = ScreenshotDriver(screen, session, pane, why, keys or ())
        screen.run(headless=True, size=cells, auto_pilot=sitter.sit)
        if sitter.problem is not None:
            raise ConfigError([sitter.problem])
        if not sitter.svg:
            raise typer.Exit(screen.return_code or 1)
        write_file(target or output, [_content(ending, sitter, name, cells)], force=force)


def _ending(output: Path) -> str:
    ending = output.suffix.removeprefix(".").lower()
    if ending not in ENDINGS:
        hint = nearest(ending, ENDINGS) or f"there is {', '.join(ENDINGS)}"
        raise ConfigError([Problem(f"{output.name} has no ending that is written", key="-o", hint=hint)])
    if ending == "png" and (find_spec("PIL") is None or find_spec("matplotlib") is None):
        hint = "install them with: pip install 'schedlab[report]'; svg, html and txt need nothing"
        raise ConfigError([Problem("a PNG needs pillow and the font of matplotlib", key="-o", hint=hint)])
    return ending


def _cells(size: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", size)
    if found is None:
        raise ConfigError([Problem(f"{size!r} is no size", key="--size", hint="e.g. 120x40")])
    width, height = int(found[1]), int(found[2])
    if not (LEAST[0] <= width <= MOST[0] and LEAST[1] <= height <= MOST[1]):
        words = f"{size} is not from {LEAST[0]}x{LEAST[1]} to {MOST[0]}x{MOST[1]}"
        raise ConfigError([Problem(words, key="--size")])
    return width, height


class ScreenshotDriver:
    """Brings the screen to what is asked for, and takes its picture."""

    def __init__(
        self, app: SchedlabApp, session: Session, pane: str | None, subject: str | None, keys: Sequence[str]
    ) -> None:
        """Take no picture yet.

        Args:
            app: It shows the session.
            session: It is paused.
            pane: The pane that is chosen; None leaves the first.
            subject: Name of the application, queue or node whose page is opened; None opens none.
            keys: Pressed after that.
        """
        self._app, self._session = app, session
        self._pane, self._subject, self._keys = pane, subject, keys
        self.problem: Problem | None = None
        """Why there is no picture."""
        self.svg = ""
        self.strips: Sequence[Strip] = ()
        """The lines of the screen, cell by cell."""
        while session.driver.looks_on:  # what it has to tell so far is not news
            _ = session.driver.slice()

    async def sit(self, pilot: Pilot[Any]) -> None:
        """Go to the pane, the page and where the keys lead; then take the picture and end the app."""
        await self._settle(pilot)
        self.problem = self._problem()
        if self.problem is None:
            await self._go(pilot)
        self.svg, self.strips = self._app.export_screenshot(), lines_of(self._app)
        self._app.exit()

    def _problem(self) -> Problem | None:
        cluster = self._app.cluster
        if cluster is not None and self._pane is not None and self._pane not in cluster.dialect.panes:
            hint = nearest(self._pane, cluster.dialect.panes) or f"there is {', '.join(cluster.dialect.panes)}"
            return Problem(f"no pane {self._pane}", key="--pane", hint=hint)
        return None

    async def _go(self, pilot: Pilot[Any]) -> None:
        cluster = self._app.cluster
        if cluster is None:
            return
        if self._pane is not None:
            cluster.perform(f"navigation.show({self._pane!r})")
            await self._settle(pilot)
        if self._subject is not None:
            cluster.perform(f"inspection.why_named({self._subject!r})")
            await self._settle(pilot)
            if self._app.screen is cluster:
                hint = "`schedlab snapshot --section applications` lists those there are"
                self.problem = Problem(f"nothing here is called {self._subject}", key="--why", hint=hint)
        for key in self._keys:
            await pilot.press(key)
            await self._settle(pilot)

    async def _settle(self, pilot: Pilot[Any]) -> None:
        """Wait until nothing is left to find out and to draw."""
        driver, questions = self._session.driver, self._session.questions
        await pilot.pause()
        while is_busy := driver.looks_on or questions.is_working:
            while is_busy:
                if driver.looks_on:
                    _ = driver.slice()
                await asyncio.sleep(REST_S)
                is_busy = driver.looks_on or questions.is_working
            await pilot.pause()


def lines_of(app: App[Any]) -> Sequence[Strip]:
    """The lines of the screen as they are drawn."""
    return app.screen._compositor.render_strips()  # noqa: SLF001 -- as Textual's own screenshots are made


def _content(ending: str, sitter: ScreenshotDriver, name: str, size: tuple[int, int]) -> bytes:
    if ending == "txt":
        return visible_lines(strip.text.rstrip() for strip in sitter.strips).encode()
    if ending == "png":
        from tui.cli.picture_png import png_of  # noqa: PLC0415 -- needs the extra `report`

        return png_of(sitter.strips, size)
    svg = visible(sitter.svg)
    if ending == "svg":
        return svg.encode()
    title = name.replace("&", "&amp;").replace("<", "&lt;")
    return PAGE.format(title=visible(title), svg=svg).encode()
