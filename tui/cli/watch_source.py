"""Opens the source of `schedlab watch`: a ResourceManager or a Spark Master, whichever answers; and whom it trusts."""

import asyncio
import re
import shlex
import ssl
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final, NamedTuple
from urllib.parse import urlsplit

import httpx
import typer

from engine.errors import ConfigError, Problem, Problems, SourceError
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.finding import NodeSizes
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.regular_files import read_file_text
from engine.live.alarms import DEFAULT_RULES, Rule, parse_rules
from engine.live.followed_log import FollowedLog, LogFile, LogPage
from engine.live.rest_client import PollPace, RestClient
from engine.live.spark import SparkSource, is_spark_master
from engine.live.twin.twin import TwinConfiguration, configuration_of_cluster, scheduler_named
from engine.live.yarn_source import YarnActs, YarnSource
from engine.observe.snapshot import Snapshot
from engine.recorded.log_series import SnapshotSeries
from engine.units import UnitError, parse_duration
from tui.cli.options import scheduler_names
from tui.cli.source import recorded_series
from tui.session.live_acts import LiveActs
from tui.session.opening import Said, TwinOpener

# The options of `schedlab watch`, and what they mean: every problem of them is found before any is reported.

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

_LOGIN: Final = re.compile(r"(?<=//)[^/]*@")  # The user and password of an address, which are never shown

_PAGE: Final = re.compile(r"(?<=[^/])/(cluster|ws)(/[^?#]*)?([?#].*)?$")
"""A page of a ResourceManager in its address, as copied from a browser: the rest is where its interface is."""

SHORTEST_MS: Final = 1000  # Least time between two rounds


class WatchInput(NamedTuple):
    """The wishes of a user, checked."""

    urls: list[str]
    rules: list[Rule]
    command: list[str]  # Arguments of the command for alarms; none where there is none
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


# The options of commands that make a twin, its configuration files, and the twin of a recorded past.

FairFile = Annotated[
    Path | None, typer.Option("--fair-scheduler", metavar="FILE", help="The cluster's fair-scheduler.xml.")
]
CapacityFile = Annotated[
    Path | None, typer.Option("--capacity-scheduler", metavar="FILE", help="The cluster's capacity-scheduler.xml.")
]
SiteFile = Annotated[Path | None, typer.Option("--yarn-site", metavar="FILE", help="Its yarn-site.xml; else /conf.")]
Policy = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="NAME",
        help="fair-2.7, capacity-3.4 …, where a log does not say.",
        autocompletion=scheduler_names,
    ),
]
Remaining = Annotated[
    list[str] | None,
    typer.Option(
        "--remaining",
        metavar="[APP=]D",
        help="How long containers run on whose end is not known: 10m, forever; of one application APP=10m. "
        "Else as its progress and others like it let one conclude, or as long again as it has run.",
    ),
]


class ClusterFiles(NamedTuple):
    """Configuration files that a user named."""

    fair: Path | None = None
    capacity: Path | None = None
    site: Path | None = None
    scheduler: str | None = None  # The policy, as scenarios call it; None takes what the cluster says

    def checked(self) -> "ClusterFiles":
        """Themselves; files that cannot be read, and an unknown scheduler, are refused before anybody needs them.

        Raises:
            ConfigError: One cannot, or is none of YARN's.
        """
        if self.scheduler is not None:
            _ = scheduler_named(self.scheduler)
        _ = self.settings(None), self.allocations()
        return self

    def refuse_beside(self, what: str) -> None:
        """Refuse any file, since a simulation has its configuration. `what` else than a simulation they are for.

        Raises:
            ConfigError: One is named.
        """
        if any(each is not None for each in self):
            raise ConfigError([Problem(f"configuration files of a cluster are for {what} alone", key="open")])

    def settings(self, of_server: Mapping[str, str] | None) -> Mapping[str, str] | None:
        """Hadoop keys of the files, or of the server where no yarn-site.xml is named; None where nobody says any.

        Raises:
            ConfigError: A file cannot be read.
        """
        paths = [path for path in (self.site, self.capacity) if path is not None]
        read = dict(read_configurations(paths).values) if paths else {}
        if self.site is None and of_server is None:
            return read or None
        return {**(of_server or {} if self.site is None else {}), **read}

    def allocations(self) -> str | None:
        """The text of fair-scheduler.xml; None where none is named.

        Raises:
            ConfigError: It cannot be read.
        """
        return None if self.fair is None else read_file_text(self.fair)

    def configuration(self, snapshot: Snapshot, of_server: Mapping[str, str] | None) -> TwinConfiguration:
        """The configuration of a cluster.

        `of_server` is what its server says of its settings; None where it says nothing.

        Raises:
            ConfigError: A file cannot be read, or nobody says what the scheduler is.
        """
        allocations = self.allocations()
        found = configuration_of_cluster(snapshot, self.settings(of_server), allocations, self.scheduler)
        if allocations is not None:
            era = "3.4" if found.scheduler.endswith("-3.4") else "2.7"
            read_fair_scheduler(allocations, file=str(self.fair), settings=found.settings, era=era)
        return found


NO_FILES: Final = ClusterFiles()  # The user names none


def recorded_twin(series: SnapshotSeries, looked_at: Callable[[], Snapshot], files: ClusterFiles) -> TwinOpener:
    """Makes twins of a recorded past, which says nothing of its settings."""
    return TwinOpener(series.name, looked_at, files.configuration, offset_ms=series.offset_ms)


TIMEOUT_S: Final = 10.0  # How long a server may take for a connection, and between two parts of an answer


def connector(authority: Path | None, *, insecure: bool, kerberos: bool = False) -> Callable[[], httpx.AsyncClient]:
    """Makes clients that trust what the user trusts, and log in as the user.

    Raises:
        ConfigError: The file of certificates cannot be read, or there is no library for Kerberos.
    """
    login = _login() if kerberos else None
    context = ssl.create_default_context() if authority is None else _trusting(authority)
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    limits = httpx.Limits(max_connections=2)
    return lambda: httpx.AsyncClient(
        verify=context,
        timeout=TIMEOUT_S,
        limits=limits,
        follow_redirects=False,
        auth=login,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # none is kept
    )


def _login() -> httpx.Auth:
    try:
        gssapi = import_module("httpx_gssapi")
    except (ImportError, OSError):  # the library is there without the Kerberos of the system
        hint = "pip install 'schedlab[kerberos]', which needs the Kerberos libraries of the system"
        raise ConfigError([Problem("needs httpx-gssapi", key="--kerberos", hint=hint)]) from None
    login: httpx.Auth = gssapi.HTTPSPNEGOAuth(opportunistic_auth=True)
    return login


def _trusting(authority: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        text = read_file_text(authority).encode("ascii", "replace").decode("ascii")  # comments may be of other letters
        context.load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise ConfigError([Problem("holds no certificates in PEM form", str(authority), key="--ca")]) from None
    return context


Connect = Callable[[], httpx.AsyncClient]


def source_of(asked: WatchInput, connect: Connect, rm_log: str | None) -> YarnSource | SparkSource:
    """Find out what the servers are; those that do not answer are taken for ResourceManagers.

    `rm_log` is the ResourceManager's log, a file or an address; None where none is read.
    """
    client, pace = RestClient(asked.urls, connect), PollPace(asked.interval_ms)
    if asyncio.run(_is_spark(client)):
        return SparkSource(client, connect, pace)
    return YarnSource(client, pace, None if rm_log is None else _followed(rm_log, connect))


def acts_of(source: YarnSource | SparkSource, user: str, token: str = "") -> LiveActs | None:
    """The acts that its server offers, by a user; None, and a sentence, where it offers none.

    `user` acts, where the server believes a name alone; empty where a login or a token says it. An empty `token` is
    none.
    """
    if isinstance(source, YarnSource):
        return LiveActs(YarnActs(source.client, user, token))
    typer.echo("schedlab: --acts: a Spark Master has no REST interface for acts; it is only looked at", err=True)
    return None


async def _is_spark(client: RestClient) -> bool:
    try:
        return await is_spark_master(client)
    finally:
        await client.close()


def _followed(rm_log: str, connect: Connect) -> FollowedLog:
    return FollowedLog(LogPage(rm_log, connect) if is_address(rm_log) else LogFile(Path(rm_log)))


def live_twin(source: YarnSource | SparkSource, looked_at: Callable[[], Snapshot], files: ClusterFiles) -> TwinOpener:
    """Makes twins of a live cluster, by the files named and what the server says of its settings."""

    async def settings() -> Said:
        with suppress(SourceError):
            return await source.scheduling() if isinstance(source, YarnSource) else None
        return None

    offset_ms = time.localtime().tm_gmtoff * 1000
    return TwinOpener(source.client.where, looked_at, files.configuration, settings=settings, offset_ms=offset_ms)


# The nodes that `schedlab config --nodes` names: sizes, or a running cluster, a log or kept polls that tell them.


def nodes_told_by(given: str) -> list[NodeSizes] | None:
    """The nodes of a cluster at an address, or at the end of a log or of kept polls; None where it is none of these.

    Raises:
        ConfigError: It cannot be read, or tells of no node how large it is.
        SourceError: The server does not answer.
    """
    if is_address(given):
        asked = checked([given], "2s", "60s", (), None, None)
        found = asyncio.run(_polled(source_of(asked, connector(None, insecure=False), None)))
    else:
        series = recorded_series(given, None)
        if series is None:
            return None
        found = series.snapshot_at(series.now_ms)
    sizes = Counter(node.total[:2] for node in found.nodes() if all(node.total[:2]))
    if not sizes:
        raise ConfigError([Problem("tells of no node how large it is", given, key="--nodes", hint="e.g. 40x128g/32")])
    return [NodeSizes(count, *size) for size, count in sizes.items()]


async def _polled(server: YarnSource | SparkSource) -> Snapshot:
    try:
        return await server.poll()
    finally:
        await server.close()
