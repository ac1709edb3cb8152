"""`schedlab watch URL…`: a running cluster on the screens of a simulation, or as one line for each round."""

import asyncio
import json
import shlex
import ssl
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import httpx
import msgspec
import typer

from engine.errors import ConfigError, Problem, SourceError
from engine.formats.regular_files import read_file_text
from engine.live.alarm_rules import DEFAULT_RULES, Alarm, Rule, parse_rules
from engine.live.inference import holders_of
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import Snapshot
from engine.observe.snapshot_document import row_object
from engine.units import UnitError, parse_duration
from tui.app import SchedlabApp
from tui.commands.cli_errors import needs_terminal, reported_errors
from tui.commands.settings import Ascii, Config, SaveFolder, Theme
from tui.end_signals import Interruption, listening
from tui.session.live_view import LiveConnection, LiveView
from tui.settings import UserSettings, resolve
from tui.terminal_edge import visible_line

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

TIMEOUT_S: Final = 10.0
"""How long a server may take for a connection, and between two parts of an answer."""

LOOK_S: Final = 0.2
"""How often a wait looks whether the program is to end."""

Urls = Annotated[list[str], typer.Argument(metavar="URL…", help="http://HOST:8088; of a pair both.")]
Interval = Annotated[str, typer.Option("--interval", metavar="D", help="Time between two rounds, from 1s.")]
Authority = Annotated[Path | None, typer.Option("--ca", metavar="FILE", help="Certificates of authorities to trust.")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Accept any certificate.")]
Alarms = Annotated[
    list[str] | None,
    typer.Option("--alarm", metavar="RULE", help=f"When to raise an alarm: '{DEFAULT_RULES[0]}'. May be repeated."),
]
Headless = Annotated[bool, typer.Option("--headless", help="No screen: a JSON line for each round on stdout.")]
Every = Annotated[str, typer.Option("--every", metavar="D", help="With --headless: time between two lines.")]
Rounds = Annotated[int | None, typer.Option("--rounds", metavar="N", min=1, help="With --headless: end after N.")]
OnAlarm = Annotated[
    str | None,
    typer.Option("--on-alarm", metavar="COMMAND", help="Run for each alarm, without a shell; it reads it as JSON."),
]

ALARMED: Final = 3
"""Exit code of a watch that ends while an alarm stands."""


@app.command()
def watch(
    urls: Urls,
    interval: Interval = "2s",
    authority: Authority = None,
    insecure: Insecure = False,
    alarm: Alarms = None,
    on_alarm: OnAlarm = None,
    headless: Headless = False,
    every: Every = "60s",
    rounds: Rounds = None,
    ascii_only: Ascii = None,
    theme: Theme = None,
    save_folder: SaveFolder = None,
    config: Config = None,
) -> None:
    """Watch a running cluster: it is asked by REST and never changed.

    Exit code 0: it ended as asked for; 1: the server could not be asked; 2: the input was refused; 3: with --headless,
    an alarm stands at the end; 130: interrupted.
    """
    if not headless:
        needs_terminal("schedlab watch --headless")
    with reported_errors():
        settings = resolve({"theme": theme, "ascii": ascii_only, "save_folder": save_folder}, config)
        rules, command = _checked(urls, alarm, on_alarm, interval, every)
        if insecure:
            typer.echo("schedlab: --insecure: any certificate is accepted; anybody in between can read along", err=True)
        connect = _connector(authority, insecure=insecure)
        source = YarnSource([_with_scheme(url) for url in urls], connect, interval_ms=parse_duration(interval))
        view = LiveView(source, rules, on_alarm=lambda found: _run(command, found))
        if headless:
            with listening() as interruption:
                code = asyncio.run(_lines(view, parse_duration(every) / 1000, rounds, interruption))
            raise typer.Exit(code)
        asyncio.run(_first(view))
    _screen(view, settings)


def _checked(
    urls: Sequence[str], alarms: Sequence[str] | None, on_alarm: str | None, *durations: str
) -> tuple[list[Rule], list[str]]:
    """Rules of alarms, and the command for them.

    Raises:
        ConfigError: Something cannot be read; every problem is in it.
    """
    problems = [problem for url in urls if (problem := _url_problem(url)) is not None]
    rules: list[Rule] = []
    try:
        rules = parse_rules(alarms or DEFAULT_RULES)
    except ConfigError as error:
        problems += error.problems
    for text in durations:
        try:
            if parse_duration(text) < 1000:
                problems.append(Problem(f"'{text}' is shorter than a second"))
        except UnitError as error:
            problems.append(Problem(str(error), hint="30s"))
    command: list[str] = []
    try:
        command = shlex.split(on_alarm or "")
    except ValueError as error:
        problems.append(Problem(f"cannot be split into arguments: {error}", key="--on-alarm"))
    if problems:
        raise ConfigError(problems)
    return rules, command


def _url_problem(url: str) -> Problem | None:
    try:
        parts = urlsplit(_with_scheme(url))
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_one = False
    return None if is_one else Problem(f"{url!r} is no address of a ResourceManager", hint="http://rm1:8088")


def _with_scheme(url: str) -> str:
    return url if "://" in url else f"http://{url}"


def _connector(authority: Path | None, *, insecure: bool) -> Callable[[], httpx.AsyncClient]:
    """Makes clients that trust what the user trusts.

    Raises:
        ConfigError: The file of certificates cannot be read.
    """
    context = ssl.create_default_context() if authority is None else _trusting(authority)
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    limits = httpx.Limits(max_connections=2)
    return lambda: httpx.AsyncClient(verify=context, timeout=TIMEOUT_S, limits=limits, follow_redirects=False)


def _trusting(authority: Path) -> ssl.SSLContext:
    """What trusts the authorities of a file and no others.

    Raises:
        ConfigError: It holds no certificates.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        text = read_file_text(authority).encode("ascii", "replace").decode("ascii")  # comments may be of other letters
        context.load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise ConfigError([Problem("holds no certificates in PEM form", str(authority), key="--ca")]) from None
    return context


async def _first(view: LiveView) -> None:
    """The first round; its connections belong to this loop and are let go."""
    try:
        await view.round()
    finally:
        await view.close()


def _screen(view: LiveView, settings: UserSettings) -> None:
    SchedlabApp(
        LiveConnection(view),
        palette=settings.text("theme"),
        ascii_only=settings.is_on("ascii"),
        read_only=True,
        registry=settings.registry,
        save_folder=settings.folder("save_folder") or Path(),
    ).run()


async def _lines(view: LiveView, every_s: float, rounds: int | None, interruption: Interruption) -> int:
    """One line for each round; the exit code. A first round that fails ends it."""
    try:
        _write(await view.round(), view)
        for _ in count() if rounds is None else range(rounds - 1):
            await _wait(every_s, interruption)
            if interruption.came():
                return 128 + interruption.signal
            await _try(view)
    finally:
        await view.close()
    return ALARMED if view.watched.standing else 0


async def _try(view: LiveView) -> None:
    """Another round, or why there is none."""
    try:
        _write(await view.round(), view)
    except SourceError as error:
        typer.echo(f"schedlab: {visible_line(str(error))}", err=True)


def _write(snapshot: Snapshot, view: LiveView) -> None:
    sys.stdout.write(json.dumps(_line(snapshot, view.watched.standing), ensure_ascii=False) + "\n")
    sys.stdout.flush()


async def _wait(seconds: float, interruption: Interruption) -> None:
    while seconds > 0 and not interruption.came():
        await asyncio.sleep(min(LOOK_S, seconds))
        seconds -= LOOK_S


def _line(snapshot: Snapshot, standing: Sequence[Alarm]) -> dict[str, Any]:
    """A round as one object: the cluster as a whole, who holds reservations, alarms that stand."""
    cluster = row_object(snapshot.header, snapshot.header.dimensions)
    return {
        **cluster,
        "holders": list(holders_of(snapshot)),
        "alarms": [msgspec.to_builtins(alarm) for alarm in standing],
    }


def _run(command: Sequence[str], alarm: Alarm) -> subprocess.Popen[bytes] | None:
    """Begin the user's command for an alarm, which it reads as JSON; None where there is none that could begin."""
    if not command:
        return None
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    except OSError as error:
        typer.echo(f"schedlab: --on-alarm: {command[0]}: {error.strerror}", err=True)
        return None
    assert process.stdin is not None, "it was asked for"
    with suppress(BrokenPipeError):
        process.stdin.write(msgspec.json.encode(alarm))
        process.stdin.close()
    return process
