"""The options of `schedlab watch`, and what they mean: every problem of them is found before any is reported."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple
from urllib.parse import urlsplit

import typer

from engine.errors import ConfigError, Problem, Problems
from engine.live.alarm_rules import DEFAULT_RULES, Rule, parse_rules
from engine.units import UnitError, parse_duration

Urls = Annotated[list[str], typer.Argument(metavar="URL…", help="http://HOST:8088; of a pair both.")]
Interval = Annotated[str, typer.Option("--interval", metavar="D", help="Time between two rounds, from 1s.")]
Authority = Annotated[Path | None, typer.Option("--ca", metavar="FILE", help="Certificates of authorities to trust.")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Accept any certificate.")]
Kerberos = Annotated[bool, typer.Option("--kerberos", help="Log in with the ticket that kinit got.")]
Metrics = Annotated[
    int | None,
    typer.Option("--metrics", metavar="PORT", min=0, max=65535, help="Prometheus metrics on loopback; 0 is any port."),
]
RmLog = Annotated[
    str | None,
    typer.Option(
        "--rm-log",
        metavar="FILE|URL",
        help="The ResourceManager's log: who holds nodes. Or its /logs/ page, asked at most 120 times a minute.",
    ),
]
Acts = Annotated[bool, typer.Option("--acts", help="Allow to kill and move applications and to set priorities.")]
User = Annotated[
    str | None, typer.Option("--user", metavar="NAME", help="With --acts: who says so, where the server asks no proof.")
]
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

_LOGIN: Final = re.compile(r"(?<=//)[^/]*@")
"""The user and password of an address, which are never shown."""

_PAGE: Final = re.compile(r"(?<=[^/])/(cluster|ws)(/[^?#]*)?([?#].*)?$")
"""A page of a ResourceManager in its address, as copied from a browser: the rest is where its interface is."""

SHORTEST_MS: Final = 1000
"""Least time between two rounds."""


class WatchInput(NamedTuple):
    """The wishes of a user, checked."""

    urls: list[str]
    rules: list[Rule]
    command: list[str]
    """Arguments of the command for alarms; none where there is none."""
    interval_ms: int
    every_ms: int


def checked(
    urls: Sequence[str], interval: str, every: str, alarms: Sequence[str], on_alarm: str | None, rm_log: str | None
) -> WatchInput:
    """Reads the options.

    Raises:
        ConfigError: Some mean nothing; every problem is in it.
    """
    problems = Problems()
    for url in urls:
        _check_url(url, "no address of a ResourceManager", "http://rm1:8088", problems)
    if rm_log is not None and is_address(rm_log):
        _check_url(rm_log, "no address of a log", "http://rm1:8088/logs/", problems)
    rules: list[Rule] = []
    try:
        rules = parse_rules(alarms or DEFAULT_RULES)
    except ConfigError as error:
        problems.found.extend(error.problems)
    interval_ms, every_ms = (_duration(text, problems) for text in (interval, every))
    command: list[str] = []
    try:
        command = shlex.split(on_alarm or "")
    except ValueError as error:
        problems.found.append(Problem(f"cannot be split into arguments: {error}", key="--on-alarm"))
    problems.check()
    return WatchInput([_PAGE.sub("", _with_scheme(url)) for url in urls], rules, command, interval_ms, every_ms)


def is_address(text: str) -> bool:
    """True for the address of a log, false for the name of a file."""
    return "://" in text


def _duration(text: str, problems: Problems) -> int:
    try:
        found_ms = parse_duration(text)
    except UnitError as error:
        problems.found.append(Problem(str(error), hint="30s"))
        return 0
    if found_ms < SHORTEST_MS:
        problems.found.append(Problem(f"'{text}' is shorter than a second"))
    return found_ms


def _check_url(url: str, words: str, hint: str, problems: Problems) -> None:
    try:
        parts = urlsplit(_with_scheme(url))
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_one = False
    if not is_one:
        problems.found.append(Problem(f"{_LOGIN.sub('', url)!r} is {words}", hint=hint))


def _with_scheme(url: str) -> str:
    return url if "://" in url else f"http://{url}"
