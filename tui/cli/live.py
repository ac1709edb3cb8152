"""Asks a live cluster: a ResourceManager or a Spark Master, whichever answers; and what its twin needs."""

import asyncio
import re
import shlex
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import httpx

from engine.errors import ConfigError, Problem, Problems, SourceError
from engine.formats.configuration_files import FileKind, read_file
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.regular_files import is_a_folder, read_file_text
from engine.live.alarms import DEFAULT_RULES, Rule, parse_rules
from engine.live.followed_log import FollowedLog, LogFile, LogPage
from engine.live.rest_client import PollPace, RestClient
from engine.live.spark import SparkSource, is_spark_master
from engine.live.twin.twin import TwinConfiguration, configuration_of_cluster, scheduler_named
from engine.live.yarn_source import YarnActs, YarnSource
from engine.observe.snapshot import Snapshot
from engine.units import UnitError, parse_duration
from tui.cli.grammar import Given
from tui.cli.options import EVERY, INTERVAL
from tui.cli.talk import warn
from tui.session.live_pictures import LiveActs
from tui.session.opening import Said, TwinOpener
from tui.settings import NamedCluster

_LOGIN: Final = re.compile(r"(?<=//)[^/]*@")  # The user and password of an address, which are never shown

_PAGE: Final = re.compile(r"(?<=[^/])/(cluster|ws)(/[^?#]*)?([?#].*)?$")  # What a browser adds to the address

SHORTEST_MS: Final = 1000  # Least time between two rounds


OF_CAPACITY: Final = "yarn.scheduler.capacity.root.queues"  # What only a capacity-scheduler.xml states
HADOOP_FILES: Final = ("yarn-site.xml", "fair-scheduler.xml", "capacity-scheduler.xml")

# The configuration files of a cluster, and the twin of a recorded past.


class ClusterFiles(NamedTuple):
    fair: Path | None = None
    capacity: Path | None = None
    site: Path | None = None
    scheduler: str | None = None  # The policy, as scenarios call it; None takes what the cluster says

    def checked(self) -> "ClusterFiles":
        """Themselves; files that cannot be read, and an unknown scheduler, are refused before anybody needs them."""
        if self.scheduler is not None:
            _ = scheduler_named(self.scheduler)
        _ = self.settings(None), self.allocations()
        return self

    def settings(self, of_server: Mapping[str, str] | None) -> Mapping[str, str] | None:
        """Hadoop keys of the files, or of the server where no yarn-site.xml is named; None where none is stated."""
        paths = [path for path in (self.site, self.capacity) if path is not None]
        read = dict(read_configurations(paths).values) if paths else {}
        if self.site is None and of_server is None:
            return read or None
        return {**(of_server or {} if self.site is None else {}), **read}

    def allocations(self) -> str | None:
        return None if self.fair is None else read_file_text(self.fair)

    def configuration(self, snapshot: Snapshot, of_server: Mapping[str, str] | None) -> TwinConfiguration:
        allocations = self.allocations()
        found = configuration_of_cluster(snapshot, self.settings(of_server), allocations, self.scheduler)
        if allocations is not None:
            era = "3.4" if found.scheduler.endswith("-3.4") else "2.7"
            read_fair_scheduler(allocations, file=str(self.fair), settings=found.settings, era=era)
        return found


NO_FILES: Final = ClusterFiles()  # The user names none


def files_of(given: Given, cluster: NamedCluster | None = None) -> ClusterFiles:
    found: dict[str, Path] = {}
    for path in _files_named(given, cluster):
        file = read_file(path)
        kind = "fair" if file.kind is FileKind.ALLOCATIONS else "capacity" if OF_CAPACITY in file.text else "site"
        if kind in found:
            raise ConfigError.of(f"is of the same kind as {found[kind]}", str(path), key="--config")
        found[kind] = path
    scheduler = next((each.partition("=")[2] for each in given.many("set") if each.startswith("scheduler=")), None)
    return ClusterFiles(found.get("fair"), found.get("capacity"), found.get("site"), scheduler).checked()


def _files_named(given: Given, cluster: NamedCluster | None) -> list[Path]:
    named = [Path(each) for each in given.many("config")]
    if not named and cluster is not None and cluster.config:
        named = [Path(cluster.config).expanduser()]
    found: list[Path] = []
    for path in named:
        found += [path / name for name in HADOOP_FILES if (path / name).is_file()] if is_a_folder(path) else [path]
    return found


TIMEOUT_S: Final = 10.0  # How long a server may take for a connection, and between two parts of an answer


def connector(authority: Path | None, *, insecure: bool, kerberos: bool = False) -> Callable[[], httpx.AsyncClient]:
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
        raise ConfigError.of("needs httpx-gssapi", key="--kerberos", hint=hint) from None
    login: httpx.Auth = gssapi.HTTPSPNEGOAuth(opportunistic_auth=True)
    return login


def _trusting(authority: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        text = read_file_text(authority).encode("ascii", "replace").decode("ascii")  # comments may be of other letters
        context.load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise ConfigError.of("holds no certificates in PEM form", str(authority), key="--ca") from None
    return context


class LiveCluster(NamedTuple):
    urls: Sequence[str]
    connect: Callable[[], httpx.AsyncClient]
    rm_log: str | None  # The ResourceManager's log, a file or an address; None where none is read
    files: ClusterFiles
    rules: Sequence[Rule]
    command: Sequence[str]  # Arguments of the command for alarms; none where there is none
    interval_ms: int
    every_ms: int

    def source(self) -> YarnSource | SparkSource:
        """Find out what its servers are; those that do not answer are taken for ResourceManagers."""
        client, pace = RestClient(list(self.urls), self.connect), PollPace(self.interval_ms)
        if asyncio.run(_is_spark(client)):
            return SparkSource(client, self.connect, pace)
        return YarnSource(client, pace, None if self.rm_log is None else self._followed(self.rm_log))

    def _followed(self, rm_log: str) -> FollowedLog:
        return FollowedLog(LogPage(rm_log, self.connect) if "://" in rm_log else LogFile(Path(rm_log)))


def live_cluster(
    urls: Sequence[str], given: Given, cluster: NamedCluster | None, alarms: Sequence[str] = ()
) -> LiveCluster:
    """A cluster by its addresses, asked as the options, else its settings, say; with all that is wrong in them."""
    own, problems = cluster or NamedCluster(""), Problems()
    rm_log = given.text("rm-log") or own.rm_log or None
    for url in urls:
        _check_url(url, "no address of a ResourceManager", "http://rm1:8088", problems)
    if rm_log is not None and "://" in rm_log:
        _check_url(rm_log, "no address of a log", "http://rm1:8088/logs/", problems)
    rules, command = list[Rule](), list[str]()
    with problems.taken():
        rules = parse_rules(alarms or DEFAULT_RULES)
    key = "--interval" if given.is_on("interval") else "interval"
    interval_ms = _duration(given.text("interval") or own.interval or INTERVAL, key, problems)
    every_ms = _duration(given.text("every") or EVERY, "--every", problems)
    try:
        command = shlex.split(given.text("on-alarm") or "")
    except ValueError as error:
        problems.found.append(Problem(f"cannot be split into arguments: {error}", key="--on-alarm"))
    problems.check()
    authority = given.path("ca") or (Path(own.ca).expanduser() if own.ca else None)
    if given.is_on("insecure"):
        warn("schedlab: --insecure: any certificate is accepted; anyone in between can read along")
    kerberos = given.is_on("kerberos") or own.kerberos
    connect = connector(authority, insecure=given.is_on("insecure"), kerberos=kerberos)
    pages = [_PAGE.sub("", _with_scheme(url)) for url in urls]
    files = files_of(given, cluster)
    return LiveCluster(pages, connect, rm_log, files, rules, command, interval_ms, every_ms)


def _duration(text: str, key: str, problems: Problems) -> int:
    try:
        found_ms = parse_duration(text)
    except UnitError as error:
        problems.add(str(error), key=key, hint="30s")
        return 0
    if found_ms < SHORTEST_MS:
        problems.add(f"'{text}' is shorter than a second", key=key)
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


def polled(live: LiveCluster) -> tuple[Snapshot, Mapping[str, str] | None]:
    """The cluster as it is, and the settings that its server says; None where it says none."""
    return asyncio.run(_polled(live.source()))


async def _polled(server: YarnSource | SparkSource) -> tuple[Snapshot, Mapping[str, str] | None]:
    try:
        snapshot = await server.poll()
        if isinstance(server, YarnSource):
            with suppress(SourceError):
                return snapshot, await server.scheduling()
        return snapshot, None
    finally:
        await server.close()


def acts_of(source: YarnSource | SparkSource, user: str, token: str = "") -> LiveActs | None:
    """The acts that its server offers by a name, empty where a login or token names the user; None, and a sentence."""
    if isinstance(source, YarnSource):
        return LiveActs(YarnActs(source.client, user, token))
    warn("schedlab: --acts: a Spark Master has no REST interface for acts; it is only looked at")
    return None


async def _is_spark(client: RestClient) -> bool:
    try:
        return await is_spark_master(client)
    finally:
        await client.close()


def live_twin(source: YarnSource | SparkSource, looked_at: Callable[[], Snapshot], files: ClusterFiles) -> TwinOpener:

    async def settings() -> Said:
        with suppress(SourceError):
            return await source.scheduling() if isinstance(source, YarnSource) else None
        return None

    offset_ms = time.localtime().tm_gmtoff * 1000
    return TwinOpener(source.client.where, looked_at, files.configuration, settings=settings, offset_ms=offset_ms)
