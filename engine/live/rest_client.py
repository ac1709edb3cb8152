"""Asks one of several servers over HTTP: the active one, until it fails; measures how long it takes to answer.

Failures are `SourceError`s in one sentence. Nothing is tried twice here, and no redirect is followed.
"""

import asyncio
import re
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from io import BytesIO
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

import httpx
import msgspec

from engine.errors import SourceError
from engine.live.yarn_answers import AnswerError
from engine.units import format_duration

# Reads the body of an answer up to a bound, which counts what is unpacked; no more than that is ever unpacked.

PACKED: Final = frozenset({"gzip", "x-gzip"})  # Packings that are read; one inside the other is none of them
PLAIN: Final = frozenset({"", "identity"})


async def body_of(response: httpx.Response, where: str, most: int) -> bytes:
    """The body of an answer; one that is read already, as a transport in memory gives, is taken as it is.

    Raises SourceError if it is longer than `most` bytes, packed unasked, or damaged.
    """
    check_packing(response, where, PLAIN | PACKED)
    with BytesIO() as body:  # whose value is no copy, and which is let go also where an error is kept
        try:
            async for part in _parts(response, most):
                body.write(part)
                if body.tell() > most:
                    raise SourceError(f"{where} answers more than {most / 1024**2:.0f} MB")
        except zlib.error:
            raise SourceError(f"{where} answers what cannot be unpacked") from None
        return body.getvalue()


def check_packing(response: httpx.Response, where: str, taken: frozenset[str] = PLAIN) -> None:
    """Refuse an answer that is packed unasked. Raises SourceError if it is."""
    packing = _packing(response)
    if packing not in taken:
        raise SourceError(f"{where} packs its answer as {packing[:40]!r}, which was not asked for")


def _packing(response: httpx.Response) -> str:
    return str(response.headers.get("content-encoding", "")).strip().lower()


async def _parts(response: httpx.Response, most: int) -> AsyncIterator[bytes]:
    if response.is_stream_consumed:
        yield response.content
        return
    if _packing(response) not in PACKED:
        async for raw in response.aiter_raw():
            yield raw
        return
    unpacker, room = _member(), most + 1
    is_cut = False
    async for raw in response.aiter_raw():
        rest = raw
        while rest:
            part = unpacker.decompress(rest, room)
            room = max(1, room - len(part))  # for zlib 0 is no bound
            rest, is_cut = unpacker.unused_data, not unpacker.eof
            yield part
            if unpacker.eof:
                unpacker = _member()
    if is_cut:
        raise zlib.error("the answer ends inside what is packed")


def _member() -> "zlib._Decompress":
    return zlib.decompressobj(16 + zlib.MAX_WBITS)


# Names in one sentence each why a live cluster's server could not be asked.

_NUMBER: Final = re.compile(r"^\[Errno -?\d+\] ")  # The number of an error, which says nothing to people

_LOGIN: Final = frozenset({401, 407})


def failure_words(where: str, error: Exception) -> str:
    """Return why a request failed, in one sentence. `where` is `host:port` of the server."""
    if _is_untrusted(error):
        return f"{where}: its certificate is not trusted by this machine (--ca FILE names the authority)"
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return f"{where} cannot be reached: no connection in time"
    if isinstance(error, httpx.TimeoutException):
        return f"{where} does not answer in time"
    if isinstance(error, httpx.ConnectError):
        return f"{where} cannot be reached: {_reason(error)}"
    if isinstance(error, httpx.TransportError):
        return f"{where} broke off its answer"
    return f"{where}: {_reason(error)}"


def _redirect_words(where: str, location: str) -> str:
    # Only a standby redirects, and it names itself in the body. Source: RMWebAppFilter, 2.7.2 and 3.4.1.
    try:
        to = urlsplit(location)
        there = f"{to.scheme}://{to.netloc.rpartition('@')[2]}" if to.scheme in {"http", "https"} else ""
    except ValueError:
        there = ""
    if not there:
        return f"{where} redirects, as a ResourceManager does not; is another server there?"
    if there == f"https://{where}":
        return f"{where} wants https: name it {there[:MOST_WORDS]}"
    return f"{where} redirects to {there[:MOST_WORDS]}: a login page or a proxy answers, not the ResourceManager"


def status_words(where: str, status: int, body: bytes) -> str:
    """Return why an answer with an error's status is none, in one sentence."""
    if status in _LOGIN:
        return f"{where} wants a login ({status}); see --kerberos, and --token-file for acts"
    if status == httpx.codes.FORBIDDEN:
        return f"{where} forbids it (403)"
    exception = remote_exception(body)
    return f"{where} answers {status}{f': {exception}' if exception else ''}"


class _Exception(msgspec.Struct, frozen=True):
    exception: str = ""
    message: str = ""


class _Body(msgspec.Struct, frozen=True):
    RemoteException: _Exception


def remote_exception(body: bytes) -> str:
    """The exception that an answer names, with its message; empty where it names none."""
    try:
        found = msgspec.json.decode(body, type=_Body).RemoteException
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    message = " ".join(found.message.split())
    return f"{found.exception}: {message}" if message else found.exception


def _is_untrusted(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _reason(error: Exception) -> str:
    text = _NUMBER.sub("", str(error))
    return text[:1].lower() + text[1:] if text else type(error).__name__


LARGEST: Final = 48 * 1024 * 1024
"""Longest that all answers of a round may be; 10,000 nodes and 5,000 applications have 26 MB [bytes]."""

SKEW_S: Final = 2  # Least difference of two clocks that counts: dates of answers have whole seconds
MOST_SKEW_S: Final = 10 * 366 * 86_400  # A date that is further from this machine's is none

ANSWER_S: Final = 30.0
ROUND_S: Final = 60.0  # How long an answer, and all answers of a round, may take altogether [s]

UNREADABLE: Final = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
"""How making a picture fails where values do not go together that each may be what they are."""

LARGE: Final = 1024 * 1024  # An answer that is longer is read in a thread, so that a screen stays responsive [bytes]

HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "gzip"}

STANDBY_WORDS: Final = b"This is standby RM"

MOST_WORDS: Final = 200  # The length of the words about what is wrong with an answer [characters]
LIGHT_MS: Final = 2_000  # Time between two rounds
HEAVY_MS: Final = 5_000  # Time between two rounds that ask for large pages, too
COST: Final = 20  # Rounds are so far apart that the server spends at most this part of one thread on them: 1 in 20
MOST_PAUSE_MS: Final = 30_000
"""Longest pause because a server is slow: it may have been slow once, and meanwhile nothing is seen."""

Kind = TypeVar("Kind")


class PollPace(NamedTuple):
    """A user's wish, and what the server allows."""

    interval_ms: int = LIGHT_MS

    def pause_ms(self, spent_ms: int) -> int:
        """Return how long to wait after a round for whose answers the server took `spent_ms`."""
        return max(self.interval_ms, min(spent_ms * COST - spent_ms, MOST_PAUSE_MS))

    def late_words(self, took_ms: int) -> str:
        """A sentence where a round that asks for every page takes longer than the interval; empty where it does not.

        >>> PollPace(2_000).late_words(2_000), PollPace(2_000).late_words(2_001)
        ('', 'a round takes 2.0s, its interval is 2s')
        """
        words = f"a round takes {took_ms / 1000:.1f}s, its interval is {format_duration(self.interval_ms)}"
        return words if took_ms > self.interval_ms else ""

    def large_after_ms(self, spent_ms: int) -> int:
        """Return when large pages are asked again, counted from the beginning of the round that did."""
        return max(HEAVY_MS, self.interval_ms, min(spent_ms * COST, MOST_PAUSE_MS))


async def run_in_thread_if_slow(is_long: bool, work: Callable[[], Kind]) -> Kind:
    """Do work on values that do not change: in a thread where it takes long, else at once."""
    return await asyncio.to_thread(work) if is_long else work()


class Reply(NamedTuple):
    status: int
    headers: httpx.Headers
    body: bytes


class RestClient:
    """One server, or the several of a pair of which one is active."""

    def __init__(
        self,
        urls: Sequence[str],
        connect: Callable[[], httpx.AsyncClient],
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        cpu: Callable[[], float] = time.thread_time,
    ) -> None:
        """Ask nothing yet.

        `connect` makes a client, as connections belong to the event loop they were opened in. `wall` is the clock of
        this machine [s since the epoch], which may be set, `steady` one that is never set [s], `cpu` the CPU time of
        this thread [s]: while it works, the server is not what is waited for.
        """
        self.servers = [url.rstrip("/") for url in urls]
        self._connect = connect
        self._client: httpx.AsyncClient | None = None
        self._wall, self._steady, self._cpu = wall, steady, cpu
        self._place = 0  # which server is taken for the active one
        self.skew_ms = 0  # the server's clock minus this machine's
        self.took_ms = 0  # how long the slowest answer of the last round took
        self.spent_ms = 0  # how long all answers of the last round took
        self._room = LARGEST  # what answers of this round may still have [bytes]

    @property
    def where(self) -> str:
        return urlsplit(self.servers[self._place]).netloc.rpartition("@")[2]

    @property
    def local_ms(self) -> int:
        """Now, by the clock of this machine [epoch ms]."""
        return int(self._wall() * 1000)

    @property
    def server_ms(self) -> int:
        """Now, by the server's clock as far as its last answer says [epoch ms]."""
        return self.local_ms + self.skew_ms

    @property
    def steady_ms(self) -> int:
        return int(self._steady() * 1000)

    async def of_active(self, ask_round: Callable[[], Awaitable[Kind]]) -> Kind:
        """Ask the active server, trying every one once; measure anew. Raises SourceError if none is."""
        problems: list[SourceError] = []
        for _ in self.servers:
            self.took_ms, self.spent_ms, self._room = 0, 0, LARGEST
            try:
                return await self._in_time(ask_round)
            except SourceError as error:
                problems.append(error)
                self.turn_to_next()
        words = "; ".join(dict.fromkeys(str(each) for each in problems))
        raise SourceError(words, is_standby=all(each.is_standby for each in problems))

    async def _in_time(self, ask_round: Callable[[], Awaitable[Kind]]) -> Kind:
        """A round that ends in time. Raises SourceError if it does not, or the cluster cannot be read from it."""
        try:
            async with asyncio.timeout(ROUND_S):
                return await ask_round()
        except TimeoutError:
            raise SourceError(f"{self.where} does not answer all of a round within {ROUND_S:g} s") from None
        except AnswerError as error:
            raise SourceError(f"{self.where} answers {error}") from error
        except UNREADABLE as error:
            words = f"{type(error).__name__}: {error}"[:MOST_WORDS]
            raise SourceError(f"{self.where} answers nothing that the cluster can be read from ({words})") from error

    def turn_to_next(self) -> None:
        self._place = (self._place + 1) % len(self.servers)

    async def close(self) -> None:
        """Let connections go; another request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def read(self, read: Callable[[bytes], Kind], path: str, most: int = LARGEST) -> Kind:
        """The active server's answer as a value; at most `most` bytes. Raises SourceError if it gives none."""
        reply = await self.ask("GET", path, most=min(most, self._room))
        self._room -= len(reply.body)
        if reply.status != httpx.codes.OK:
            raise SourceError(status_words(self.where, reply.status, reply.body))
        self.skew_ms = _skew_ms(reply.headers.get("date", ""), self._wall())
        try:
            return await run_in_thread_if_slow(len(reply.body) > LARGE, lambda: read(reply.body))
        except AnswerError as error:
            raise SourceError(f"{self.where} answers {error}") from error

    async def ask(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        more: Mapping[str, str] = MappingProxyType({}),
        most: int = LARGE,
    ) -> Reply:
        """Ask the active server; the answer, of at most `most` bytes, also where that is an error.

        `content` is JSON; `more` are headers of this request. Raises SourceError if it gives no answer, or is not the
        active one.
        """
        client = self._client = self._client or self._connect()
        headers = {**HEADERS, **({} if content is None else {"Content-Type": "application/json"}), **more}
        url, began_s, worked_s = self.servers[self._place] + path, self._steady(), self._cpu()
        try:
            async with (
                asyncio.timeout(ANSWER_S),
                client.stream(method, url, headers=headers, content=content) as response,
            ):
                body = await body_of(response, self.where, most)
        except TimeoutError:
            raise SourceError(f"{self.where} does not end its answer within {ANSWER_S:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceError(failure_words(self.where, error)) from error
        took_ms = max(int((self._steady() - began_s - (self._cpu() - worked_s)) * 1000), 0)
        self.took_ms, self.spent_ms = max(self.took_ms, took_ms), self.spent_ms + took_ms
        if STANDBY_WORDS in body[:200]:
            raise SourceError(f"{self.where} is on standby", is_standby=True)
        if response.is_redirect:
            raise SourceError(_redirect_words(self.where, response.headers.get("location", "")))
        return Reply(response.status_code, response.headers, body)


def _skew_ms(date: str, now_s: float) -> int:
    """Return how far a server's clock is ahead, by the date of its answer [ms]; less than two seconds count as none."""
    try:
        skew_s = parsedate_to_datetime(date).timestamp() - now_s
    except (TypeError, ValueError, OverflowError):
        return 0
    return int(skew_s * 1000) if SKEW_S < abs(skew_s) < MOST_SKEW_S else 0
